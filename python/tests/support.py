"""What several tests use."""

import os
import subprocess
import sys

TODAY = "2026-11-20"


def command_line(*words: str) -> "subprocess.CompletedProcess[str]":
    """Run the program as a process of its own."""
    nowhere = os.path.join(os.path.dirname(__file__), "no-home")
    environment = {
        **os.environ,
        "SKY_ACCEL_TODAY": TODAY,
        "XDG_CONFIG_HOME": nowhere,
        "HOME": nowhere,
    }
    line = [sys.executable, "-m", "sky_accel", *words]
    return subprocess.run(line, env=environment, capture_output=True, text=True, timeout=120)
