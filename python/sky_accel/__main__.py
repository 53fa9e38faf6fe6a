"""The command `sky-accel`, and `python -m sky_accel`."""

from __future__ import annotations

import signal
import sys

from ._native import main as run


def main() -> int:
    """Run the program with the arguments of the process, and return its exit code."""
    # Python would only remember Ctrl-C until the program ends.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return run(["sky-accel", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
