"""Writes the options of programs that start models, as their own parsers have them.

    python arguments.py vllm|vllm-run-batch|sglang|accelerate|torchrun|llama-server

The package has to be installed, without a GPU. For llama-server, the argument is followed by the path of `common/arg.cpp`.
"""

import argparse
import json
import re
import sys
from importlib.metadata import version


def vllm():
    import vllm.platforms
    from vllm.platforms.cpu import CpuPlatform

    vllm.platforms._current_platform = CpuPlatform()
    from vllm.entrypoints.cli.serve import ServeSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    commands = FlexibleArgumentParser(prog="vllm").add_subparsers()
    return ServeSubcommand().subparser_init(commands)


def vllm_run_batch():
    vllm()
    from vllm.entrypoints.cli.run_batch import RunBatchSubcommand
    from vllm.utils.argparse_utils import FlexibleArgumentParser

    commands = FlexibleArgumentParser(prog="vllm").add_subparsers()
    return RunBatchSubcommand().subparser_init(commands)


def sglang():
    from sglang.srt.server_args import ServerArgs

    parser = argparse.ArgumentParser()
    ServerArgs.add_cli_args(parser)
    return parser


def accelerate():
    from accelerate.commands.launch import launch_command_parser

    return launch_command_parser()


def torchrun():
    from torch.distributed.run import get_args_parser

    return get_args_parser()


def options(parser):
    """Each option with what it takes: nothing, a word, or words."""
    found = {}
    for action in parser._actions:
        takes = "nothing" if action.nargs == 0 else "word" if action.nargs in (None, 1) else "words"
        entry = {"takes": takes}
        kind = getattr(action.type, "__name__", None)
        if takes == "word" and kind in ("int", "float"):
            entry["type"] = kind
        if action.choices:
            entry["choices"] = sorted(str(choice) for choice in action.choices)
        for flag in action.option_strings:
            found[flag] = entry
    return found


def llama_server(path):
    """Options are written as a list of names, and the name of a value where there is one."""
    text = open(path, encoding="utf-8").read()
    found = {}
    pattern = r"common_arg\(\s*\{([^}]*)\},\s*(?:\{[^}]*\},\s*)?(\"[^\"]*\")?"
    for names, value in re.findall(pattern, text):
        for flag in re.findall(r'"(-[^"]+)"', names):
            # The last text is the help where there is no value.
            takes_value = bool(value) and " " not in value.strip('"')
            found[flag] = {"takes": "word" if takes_value else "nothing"}
    return found


def main():
    name = sys.argv[1]
    if name == "llama-server":
        found, of = llama_server(sys.argv[2]), sys.argv[3]
    else:
        parsers = {
            "vllm": vllm,
            "vllm-run-batch": vllm_run_batch,
            "sglang": sglang,
            "accelerate": accelerate,
            "torchrun": torchrun,
        }
        found = options(parsers[name]())
        packages = {"torchrun": "torch", "vllm-run-batch": "vllm"}
        of = version(packages.get(name, name))
    json.dump({"version": of, "options": dict(sorted(found.items()))}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
