"""One line of JSON on stdout for each directory named on the command line."""

import json
import sys
from pathlib import Path


LENGTH = 300


class Refused(Exception):
    """The engine does not take the file; the text is its complaint."""


def first_line(text: object) -> str:
    """The first line, and the second as well where the first only announces it; not all of it."""
    lines = [line.strip() for line in str(text).strip().splitlines()] or [type(text).__name__]
    line = " ".join(lines[: 2 if lines[0].endswith(":") else 1])
    return line if len(line) <= LENGTH else line[:LENGTH] + " ..."


def main(check) -> None:
    """`check(Path)` returns (message, parsed), or raises for a refusal."""
    for name in sys.argv[1:]:
        line = {"dir": name, "accepted": False, "message": "", "parsed": {}}
        try:
            line["message"], line["parsed"] = check(Path(name))
            line["accepted"] = True
        except (Exception, SystemExit) as error:
            line["message"] = first_line(error)
        print(json.dumps(line, sort_keys=True, default=str), flush=True)
