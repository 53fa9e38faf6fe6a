"""Asks Vast.ai's own command line client what a rendered `rent.sh` would send.

The script runs under bash with a recorder in the place of `vastai`, so that each command line is
the one that the shell made. First every search finds offers, then the first one finds none, then
the first two, until none does: each step of a fallback chain is seen. Every recorded command line
goes through the client's own argument parser and its own search and create code, whose HTTP client
is replaced by one that keeps the request. Refused: whatever the client refuses or warns about
(it only warns about an unknown field), an empty image, and a script that exits 0 though nothing was
rented: the client itself exits 0 when an offer is gone.

Not checked: names of GPUs and regions, and numbers written as words. The client passes them on.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest.mock
from pathlib import Path

RECORDER = """#!{python}
import json, os, sys

argv = sys.argv[1:]
with open(os.environ["RECORDER_LOG"], "r+") as log:
    searches = sum(json.loads(line)[0] == "search" for line in log)
    log.write(json.dumps(argv or [""]) + "\\n")
if argv[:1] == ["search"]:
    found = searches >= int(os.environ["RECORDER_EMPTY"])
    print(os.environ["RECORDER_OFFERS"] if found else "[]")
elif argv[:1] == ["create"]:
    if os.environ["RECORDER_GONE"] == "1":
        print('{{"error": true, "status_code": 404, "msg": "no_such_ask"}}', file=sys.stderr)
    else:
        print('{{"success": true, "new_contract": 1}}')
"""
OFFERS = [
    {"id": 7001, "dph_total": 1.0, "min_bid": 0.5, "num_gpus": 1, "rentable": True},
    {"id": 7002, "dph_total": 2.0, "min_bid": 0.6, "num_gpus": 1, "rentable": True},
]
MAX_STEPS = 64


class Refused(Exception):
    """The client, or the shell, does not take the script."""


class Reply:
    """A successful answer to whatever the client asked."""

    headers = {"Content-Type": "application/json"}

    def raise_for_status(self):
        pass

    def json(self):
        return {"success": True, "new_contract": 1, "offers": []}


class KeepRequest:
    """Stands where the client's HTTP client stands."""

    def __init__(self):
        self.path = None
        self.body = None

    def send(self, path, json_data=None, **_):
        self.path, self.body = path, json_data
        return Reply()

    get = post = put = delete = send


def load_client():
    """The client's parser, with all commands in it, and the modules of its two commands."""
    from vastai.cli import main

    main.run_command = lambda args: None
    with unittest.mock.patch.object(sys, "argv", ["vastai", "show", "user"]):
        main.main()
    from vastai.cli.commands import instances, offers

    return main.parser, (offers, instances)


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else ""


def request_of(client, argv):
    """The path and the body of the request that the client makes of one command line."""
    parser, modules = client
    kept = KeepRequest()
    for module in modules:
        module.get_client = lambda args: kept
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            args = parser.parse_args(list(argv))
            args.func(args)
        except SystemExit:
            pass
        except Exception as error:  # The client lets some of its own errors through.
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
    if err.getvalue() or kept.body is None:
        raise Refused(last_line(err.getvalue()) or last_line(out.getvalue()) or f"{argv}: nothing")
    return kept.path, kept.body


def run_script(script, recorder, empty, gone=False):
    """Exit status and recorded command lines, when the first `empty` searches find nothing."""
    log = Path(recorder, "log")
    log.write_text("")
    env = os.environ | {
        "PATH": f"{recorder}{os.pathsep}{os.environ['PATH']}",
        "RECORDER_LOG": str(log),
        "RECORDER_OFFERS": json.dumps(OFFERS),
        "RECORDER_EMPTY": str(empty),
        "RECORDER_GONE": "1" if gone else "0",
    }
    done = subprocess.run(
        ["bash", str(script.resolve())],
        cwd=recorder, env=env, capture_output=True, text=True, timeout=120,
    )
    calls = [json.loads(line) for line in log.read_text().splitlines()]
    return done.returncode, calls, last_line(done.stderr)


def candidate(search, path, body):
    """What one rental is, in the client's own terms."""
    number = path.strip("/").split("/")[-1]
    if not body["image"] and not body["template_hash_id"]:
        raise Refused("create instance: no image")
    if search and number not in {str(offer["id"]) for offer in OFFERS}:
        raise Refused(f"create instance {number}: not an offer that the search found")
    values = {
        "query": search, "offer": None if search else number,
        "image": body["image"], "disk": body["disk"], "bid_price": body["price"],
        "spot": body["price"] is not None, "env": body["env"] or None,
        "onstart": body["onstart"], "runtype": body.get("runtype"), "label": body["label"],
        "cancel_unavail": body["cancel_unavail"],
    }
    for field, key in (("gpu_name", "accelerator"), ("num_gpus", "count"), ("type", "type"),
                       ("gpu_ram", "memory_mb"), ("geolocation", "region"),
                       ("dph_total", "max_price")):
        wanted = (search or {}).get(field)
        only = isinstance(wanted, dict) and list(wanted) == ["eq"]
        values[key] = wanted["eq"] if only else wanted
    return {key: value for key, value in values.items() if value is not None}


def check(script, client, recorder):
    if not script.is_file():
        raise Refused(f"no {script.name}")
    candidates = []
    for empty in range(MAX_STEPS):
        status, calls, complaint = run_script(script, recorder, empty)
        search, created, searches = None, [], 0
        for argv in calls:
            if argv[0] == "search":
                searches += 1
                search = request_of(client, argv)[1]
            elif argv[0] == "create":
                path, body = request_of(client, argv)
                created.append(candidate(search, path, body))
        if searches and searches <= empty:
            if created or status == 0:
                raise Refused("no search found an offer, yet the script rents or exits 0")
            break
        if status != 0 or not created:
            raise Refused(complaint or f"exit {status} and nothing rented")
        candidates += created
        if not searches:
            break
    status, _, _ = run_script(script, recorder, 0, gone=True)
    if status == 0:
        raise Refused("every offer was gone, yet the script exits 0")
    return {"candidates": candidates}


def main():
    with tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as recorder:
        for name in [key for key in os.environ if key.startswith(("XDG_", "VAST_"))]:
            del os.environ[name]
        os.environ.update(HOME=home, CI="1", VAST_API_KEY="none")
        fake = Path(recorder, "vastai")
        fake.write_text(RECORDER.format(python=sys.executable))
        fake.chmod(0o755)
        client = load_client()
        for folder in sys.argv[1:]:
            line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
            try:
                line["parsed"] = check(Path(folder, "rent.sh"), client, recorder)
            except Exception as error:  # No render may end the check of the others.
                line["accepted"] = False
                line["message"] = (str(error) or type(error).__name__).splitlines()[0]
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
