"""A YAML document through check-jsonschema."""

import json
import subprocess
import sys
from pathlib import Path

import ruamel.yaml
from reports import Refused


def read(path: Path, *options: str) -> dict:
    text = path.read_text()
    command = [sys.executable, "-m", "check_jsonschema", "--output-format", "json", *options]
    done = subprocess.run([*command, str(path)], capture_output=True, text=True)
    if done.returncode:
        answer = json.loads(done.stdout) if done.stdout.startswith("{") else {}
        for error in answer.get("errors", []):
            best = error.get("best_match") or error
            raise Refused(f"{best['path']}: {best['message']}")
        for error in answer.get("parse_errors", []):
            raise Refused(error.get("message", "cannot be parsed"))
        raise Refused(done.stderr or done.stdout)
    return ruamel.yaml.YAML(typ="safe").load(text)
