"""Imports a rendered `task.py` with the Flyte 2 SDK and serialises each of its tasks.

The module is imported with the network refused and no cluster configured, and every task of every
environment that it makes goes through the SDK's own serialiser: `parsed` reads that message, which
is what `flyte deploy` would send. Refused: whatever the import or the serialiser raises, and a
module without a task.

Not checked: `flyte.Device(...)` takes any name, and `flyte.GPU(...)` any count, and any partition
of a GPU that has no list of partitions. No image is built.
"""

import contextlib
import importlib.util
import json
import os
import socket
import sys
import tempfile
from pathlib import Path

NAMES = {"CPU": "cpu", "MEMORY": "memory", "GPU": "count", "EPHEMERAL_STORAGE": "disk"}
LONGEST = 240


def refuse_network(*_):
    raise OSError("the network is off")


def shortened(text):
    """Both ends of a long text: the SDK lists all it knows before it says what it got."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST // 2]} ... {text[-LONGEST // 2:]}"


def load(path):
    """The module at `path`, imported anew."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)


def candidate(task, environment, root):
    from flyte._internal.runtime.task_serde import translate_task_to_wire
    from flyte.models import SerializationContext
    from google.protobuf.json_format import MessageToDict

    context = SerializationContext(version="1", root_dir=root)
    wire = MessageToDict(translate_task_to_wire(task, context))["taskTemplate"]
    container = wire.get("container", {})
    accelerator = wire.get("extendedResources", {}).get("gpuAccelerator", {})
    memory = wire.get("extendedResources", {}).get("sharedMemory")
    device = environment.resources.get_device() if environment.resources else None
    found = {
        "name": wire["id"]["name"], "type": wire["type"], "image": container.get("image"),
        "accelerator": device.device if device else None,
        "device": accelerator.get("device"), "device_class": accelerator.get("deviceClass"),
        "partition": accelerator.get("partitionSize"),
        "spot": wire["metadata"].get("interruptible", False),
        "retries": wire["metadata"].get("retries", {}).get("retries", 0),
        "nodes": int(wire.get("custom", {}).get("replicas", 1)),
        "processes_per_node": wire.get("custom", {}).get("nprocPerNode"),
        "shm": None if memory is None else memory.get("sizeLimit", "auto"),
        "queue": task.queue,
        "env": {pair["key"]: pair["value"] for pair in container.get("env", [])} or None,
    }
    for entry in container.get("resources", {}).get("requests", []):
        found[NAMES[entry["name"]]] = entry["value"]
    return {key: value for key, value in found.items() if value is not None}


def check(path):
    from flyte._environment import list_loaded_environments

    environments = list_loaded_environments()
    environments.clear()
    load(path)
    candidates = [
        candidate(task, environment, path.parent)
        for environment in environments
        for task in getattr(environment, "tasks", {}).values()
    ]
    if not candidates:
        raise ValueError("the module defines no task")
    return {"candidates": candidates}


def main():
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as home:
        for name in [key for key in os.environ if key.startswith(("XDG_", "FLYTE", "UNION"))]:
            del os.environ[name]
        os.environ["HOME"] = home
        socket.socket.connect = socket.socket.connect_ex = refuse_network
        renders = [(folder, Path(folder, "task.py").resolve()) for folder in sys.argv[1:]]
        os.chdir(home)
        for folder, path in renders:
            line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    line["parsed"] = check(path)
            except (Exception, SystemExit) as error:  # Whatever a module raises is a refusal.
                line["accepted"] = False
                line["message"] = shortened((str(error) or type(error).__name__).splitlines()[0])
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
