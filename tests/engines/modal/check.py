"""Imports a rendered `app.py` with Modal's client and reports what its functions ask for.

The module is imported with the network refused and no account. The client looks at the app's name
and at GPU strings only when it deploys, so both go through what it calls then. Refused: whatever
the import or those calls raise, and a module without an app or without a function.

Not checked: names of GPUs, regions and clouds, and how many GPUs there are of a kind; the service
knows them, the client takes `H1000:8` and `H100:0`. No image is built.
"""

import contextlib
import functools
import importlib.util
import json
import os
import socket
import sys
import tempfile
import warnings
from pathlib import Path

SAME = ("cpu", "memory", "ephemeral_disk", "cloud", "timeout", "nonpreemptible", "rdma")


def refuse_network(*_):
    raise OSError("the network is off")


def load(path):
    """The module at `path`, imported anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def record(owner, name):
    """Makes a constructor of the client keep, for each object it makes, what it was made of."""
    original, made = getattr(owner, name), {}

    @functools.wraps(original)
    def keep(*args, **named):
        result = original(*args, **named)
        made[id(result)] = (result, args, named)
        return result

    setattr(owner, name, staticmethod(keep))
    return made


def base_image(image, images):
    """What the lowest layer of an image is, as the client says it."""
    while id(image) in images and images[id(image)][2].get("base_images"):
        image = next(iter(images[id(image)][2]["base_images"].values()))
    said = repr(image)
    return said.removeprefix("Image.from_registry('").removesuffix("')")


def candidates_of(info, named, images):
    """One candidate for each GPU string of a function: a list is a chain of fallbacks."""
    from modal._resources import convert_fn_config_to_resources_config

    gpus = named["gpu"] if isinstance(named["gpu"], list) else [named["gpu"]]
    for gpu in gpus:
        resources = convert_fn_config_to_resources_config(
            cpu=named["cpu"], memory=named["memory"], gpu=gpu,
            ephemeral_disk=named["ephemeral_disk"], rdma=named["rdma"],
        )
        found = {
            "function": info.function_name,
            "accelerator": resources.gpu_config.gpu_type or None,
            "count": resources.gpu_config.count or None,
            "image": base_image(named["image"], images) if named["image"] else None,
            "region": named["region"], "nodes": named["cluster_size"] or 1,
        }
        found |= {name: named[name] for name in SAME}
        yield {key: value for key, value in found.items() if value is not None}


def check(path, functions, images):
    import modal
    from modal._utils.name_utils import check_object_name

    functions.clear()
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        module = load(path)
    apps = [value for value in vars(module).values() if isinstance(value, modal.App)]
    if not apps or not functions:
        raise ValueError("the module defines no app, or no function of one")
    check_object_name(apps[0].name or "", "App")
    candidates = [
        found
        for _, (info, *_), named in functions.values()
        for found in candidates_of(info, named, images)
    ]
    return {
        "name": apps[0].name, "candidates": candidates,
        "warnings": [str(warning.message) for warning in warned],
    }


def main():
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as home:
        for name in [key for key in os.environ if key.startswith(("XDG_", "MODAL_"))]:
            del os.environ[name]
        os.environ["HOME"] = home
        from modal._functions import _Function
        from modal._image import _Image

        functions, images = record(_Function, "_from_local"), record(_Image, "_from_args")
        socket.socket.connect = socket.socket.connect_ex = refuse_network
        renders = [(folder, Path(folder, "app.py").resolve()) for folder in sys.argv[1:]]
        os.chdir(home)
        for folder, path in renders:
            line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    line["parsed"] = check(path, functions, images)
            except (Exception, SystemExit) as error:  # Whatever a module raises is a refusal.
                line["accepted"] = False
                line["message"] = (str(error) or type(error).__name__).strip().splitlines()[0]
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
