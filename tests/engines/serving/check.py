"""Shows the commands of answers on standard input to the parsers of the programs that they start.

Each line or document is the JSON output of `fit` or `recommend`. Prints each command, and fails at the first one that its program refuses.
"""

import json
import os
import re
import shlex
import sys

import arguments


def words(command):
    """The words that a shell would pass on machine 0, with a value for each variable that it would ask for."""
    values = {"NODE_RANK": "0", "MASTER_ADDR": "10.0.0.1", "MODEL": "some/model", "SCRIPT": "train.py", "INPUT": "requests.jsonl", "OUTPUT": "answers.jsonl"}
    command = command.split("\n")[-1]
    # One of several servers that a loop starts.
    command = re.sub(r"^.*\(pids=; for .* (vllm (?:serve|run-batch) .*) & pids=.*$", r"\1", command)
    command = command.replace("$((8000 + i))", "8000").removeprefix("CUDA_DEVICE_MAX_CONNECTIONS=1 ")
    command = re.sub(r"\$\(\[[^)]*\)", "", command)
    command = re.sub(r'"?\$\{(\w+):\?[^}]*\}"?', lambda found: values[found[1]], command)
    command = re.sub(r"\$\(\((\d+) \* (\d+)\)\)", lambda found: str(int(found[1]) * int(found[2])), command)
    return shlex.split(command)


def parse(command):
    program, *rest = words(command)
    if program == "vllm":
        command = rest.pop(0)
        assert command in ("serve", "run-batch")
        parser = arguments.vllm() if command == "serve" else arguments.vllm_run_batch()
        parser.parse_args(rest)
    elif program == "python3":
        assert rest[:2] == ["-m", "sglang.launch_server"]
        arguments.sglang().parse_args(rest[2:])
    elif program == "accelerate":
        assert rest.pop(0) == "launch"
        arguments.accelerate().parse_args(rest)
    elif program == "torchrun":
        arguments.torchrun().parse_args(rest)
    else:
        return False
    return True


def main():
    decoder, text = json.JSONDecoder(), sys.stdin.read()
    seen = 0
    while text := text.strip():
        document, end = decoder.raw_decode(text)
        text = text[end:]
        for result in document.get("results", [document]):
            launch = result.get("fit", result).get("launch")
            if launch and parse(launch["command"]):
                seen += 1
                print(launch["command"])
    print(f"{seen} commands were parsed", file=sys.stderr)
    sys.exit(0 if seen else 1)


if __name__ == "__main__":
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    main()
