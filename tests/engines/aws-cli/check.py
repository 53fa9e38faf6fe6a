"""Runs launch.sh under bash with the real aws command against a moto EC2 (../ec2_stand_in.py).

The aws command checks options and the shape of their values, the stand-in words, types, regions,
ids of subnets, groups and so on. The script runs twice: with capacity, which must leave instances
(the candidates) and exit with 0, and without, which shows all that it would try (`attempts`) and
must not exit with 0. Ids come in as environment variables, e.g. IMAGE_ID, SUBNET_ID and
SUBNET_ID_US_EAST_2. No region is set: the script has to name one. Not checked: prices, quotas,
capacity, reservations.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import boto3
import ec2_stand_in
import reports
from reports import Refused

SECONDS = 300
# A script may meet these; any other failure of the aws command is a mistake, even if tolerated.
EXPECTED = (
    "(InsufficientInstanceCapacity)",
    "(DryRunOperation)",
    "(InvalidPlacementGroup.Duplicate)",
    "when calling the Describe",
)
WRAPPER = """#!/bin/sh
"{aws}" "$@" 2> "{log}/$$"
status=$?
cat "{log}/$$" >&2
[ "$status" -ne 0 ] || rm "{log}/$$"
exit "$status"
"""


def environment(script: Path) -> dict:
    """A furnished account in every region that the script could mean, and its ids."""
    text = script.read_text()
    named = {r for r in boto3.Session().get_available_regions("ec2") if r in text}
    regions = sorted(named | set(ec2_stand_in.REGIONS))
    ids = ec2_stand_in.furnish(regions)
    for region in regions:
        suffix = region.upper().replace("-", "_")
        ids |= {f"{name}_{suffix}": ids[name] for name in ("IMAGE_ID", "SUBNET_ID", "VPC_ID")}
    return ids


def run(script: Path, sold_out: bool) -> int:
    """The exit status of the script."""
    ids = environment(script)
    ec2_stand_in.sold_out = sold_out
    with tempfile.TemporaryDirectory() as directory:
        tools, log = Path(directory, "tools"), Path(directory, "log")
        tools.mkdir()
        log.mkdir()
        aws = tools / "aws"
        aws.write_text(WRAPPER.format(aws=Path(sys.executable).with_name("aws"), log=log))
        aws.chmod(0o755)
        done = subprocess.run(
            ["bash", str(script.resolve())],
            cwd=directory,
            env=os.environ | ids | {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        for complaint in sorted(file.read_text().strip() for file in log.iterdir()):
            if not any(expected in complaint for expected in EXPECTED):
                lines = complaint.splitlines()
                raise Refused(next((x for x in lines if "rror" in x or "Unknown" in x), complaint))
    if done.returncode and not sold_out:
        raise Refused(done.stderr or f"exit status {done.returncode}")
    return done.returncode


def check(directory: Path) -> tuple:
    script = directory / "launch.sh"
    run(script, sold_out=False)
    candidates = ec2_stand_in.candidates()
    calls = [call for call in ec2_stand_in.calls if not call["operation"].startswith("Describe")]
    if not [row for row in candidates if row["state"] in ("pending", "running")]:
        raise Refused("exit status 0, and no instance runs")
    if run(script, sold_out=True) == 0:
        raise Refused("exit status 0 although there was no capacity")
    attempts = ec2_stand_in.candidates()
    return "", {"candidates": candidates, "attempts": attempts, "calls": calls}


if __name__ == "__main__":
    ec2_stand_in.start()
    reports.main(check)
