"""Runs mig.sh under bash with a stand-in for `nvidia-smi`.

The real program needs a GPU with MIG. The stand-in takes the options that NVIDIA's MIG user guide
documents and keeps the state of each GPU: a GPU instance needs MIG mode, a start that its profile
allows, and free memory slices; a compute instance needs its GPU instance. Not checked: profiles of
other GPUs than those with 7 compute and 8 memory slices, such as A100 and H100.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import reports
from reports import Refused

# By the id of the profile: memory slices, and the starts that the driver allows.
PROFILES = {
    0: (8, [0]),
    5: (4, [0]),
    9: (4, [0, 4]),
    14: (2, [0, 2, 4]),
    15: (2, [0, 2, 4, 6]),
    19: (1, [0, 1, 2, 3, 4, 5, 6]),
    20: (1, [0, 1, 2, 3, 4, 5, 6]),
}


def create(gpu: dict, item: str) -> None:
    """One item of `-cgi`: a profile and its start."""
    profile, _, start = item.partition(":")
    if not profile.isdigit() or int(profile) not in PROFILES or not start.isdigit():
        raise Refused(f"-cgi {item}: not the id of a profile and its start")
    size, starts = PROFILES[int(profile)]
    start = int(start)
    if start not in starts:
        raise Refused(f"-cgi {item}: profile {profile} starts at {starts}")
    for other in gpu["instances"]:
        if start < other["start"] + other["size"] and other["start"] < start + size:
            raise Refused(f"-cgi {item}: overlaps {other['profile']}:{other['start']}")
    gpu["instances"].append(
        {"profile": profile, "start": start, "size": size, "compute": []}
    )


def instances_table(gpu: dict, index: str) -> None:
    """`-lgi`, with the columns of the real table: GPU, name, profile, instance and placement."""
    for number, instance in enumerate(gpu["instances"], 1):
        place = f"{instance['start']}:{instance['size']}"
        print(f"|   {index}  MIG name  {instance['profile']}  {number}  {place}  |")


def run(state: dict, argv: list) -> None:
    """One command line of the stand-in."""
    gpus = state["gpus"]
    match argv:
        case ["-i", index, "-mig", "0" | "1" as mode] if index.isdigit():
            gpus[index] = {"is_mig": mode == "1", "instances": []}
            return
        case ["mig", "-i", index, *rest] if index.isdigit():
            gpu = gpus.get(index)
        case _:
            raise Refused(f"unknown options: {' '.join(argv)}")
    if not gpu or not gpu["is_mig"]:
        raise Refused(f"GPU {index} is not in MIG mode")
    match rest:
        case ["-cgi", items, *flags] if flags in ([], ["-C"]):
            for item in items.split(","):
                create(gpu, item)
                if flags:
                    gpu["instances"][-1]["compute"].append("all")
        case ["-lgi"]:
            instances_table(gpu, index)
        case ["-gi", number, "-cci", items]:
            if not number.isdigit() or not 1 <= int(number) <= len(gpu["instances"]):
                raise Refused(f"-gi {number}: no such GPU instance")
            gpu["instances"][int(number) - 1]["compute"] += items.split(",")
        case _:
            raise Refused(f"unknown options: {' '.join(argv)}")


def stand_in(path: str, argv: list) -> None:
    state = json.loads(Path(path).read_text())
    try:
        run(state, argv)
    except Refused as error:
        sys.exit(f"{error}")
    finally:
        Path(path).write_text(json.dumps(state))


def check(directory: Path) -> tuple:
    script = directory / "mig.sh"
    if not script.is_file():
        raise Refused("no mig.sh")
    with tempfile.TemporaryDirectory() as home:
        state = Path(home, "state.json")
        state.write_text(json.dumps({"gpus": {}}))
        program = Path(home, "nvidia-smi")
        program.write_text(
            f'#!/bin/sh\nexec {sys.executable} {Path(__file__).resolve()} --stand-in {state} "$@"\n'
        )
        program.chmod(0o755)
        path = f"{home}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            ["bash", str(script.resolve())],
            cwd=home, env=os.environ | {"PATH": path}, capture_output=True, text=True, timeout=60,
        )
        gpus = json.loads(state.read_text())["gpus"]
    if done.returncode != 0:
        raise Refused(done.stderr.strip() or f"exit {done.returncode}")
    for index, gpu in gpus.items():
        if not gpu["instances"] or not all(one["compute"] for one in gpu["instances"]):
            raise Refused(f"GPU {index} has an instance that no program can use")
    if not gpus:
        raise Refused("the script partitions no GPU")
    return "", {"candidates": [{"count": len(gpus), "gpus": gpus}]}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--stand-in"]:
        stand_in(sys.argv[2], sys.argv[3:])
    else:
        reports.main(check)
