"""Runs a rendered `pool.py` up to where Skyward would buy machines.

The script runs as the main program with the network refused. Entering a `sky.Compute` stops it; the
definition that the pool would post then goes through the decoding that Skyward's daemon does, which
checks what the constructors do not (allocation, selection, the settings of a provider). Refused,
too, for Skyward then finds no offer: an accelerator that its catalog lacks, a region that the
provider does not list, a wish about what a provider's offers do not tell, and two providers under
one name, of which it keeps the last.

Not checked: whether a provider has the region or sells the accelerator, and the name of a MIG
profile, which Skyward passes to `nvidia-smi`.
"""

import contextlib
import json
import os
import runpy
import socket
import sys
import tempfile
from pathlib import Path


# What the offers of a provider leave empty: a spec that asks for it matches none of them.
UNTOLD = {"runpod": ("cpus", "memory_gb", "region", "disk_gb"), "verda": ("disk_gb",)}


class Entered(BaseException):
    """Raised where the pool would be provisioned; not for the script to catch."""


def refuse_network(*_):
    raise OSError("the network is off")


def checked(value):
    """The value as the daemon decodes it."""
    import msgspec

    return msgspec.convert(msgspec.to_builtins(value), type(value))


def candidate(spec, account):
    from skyward.shared.accelerators import CATALOG

    if spec.accelerator is not None and spec.accelerator not in CATALOG:
        raise ValueError(f"accelerator {spec.accelerator!r}: not in the catalog")
    if spec.accelerator is not None and spec.accelerator_count < 1:
        raise ValueError(f"accelerator count {spec.accelerator_count}: nothing to buy")
    for field in UNTOLD.get(spec.provider.kind, ()):
        if getattr(spec, field) is not None:
            raise ValueError(f"{field}: the offers of {spec.provider.kind} do not tell it")
    listed = getattr(account, "region", None)
    listed = [listed] if isinstance(listed, str) else listed
    if spec.region and listed and spec.region not in listed:
        raise ValueError(f"region {spec.region!r}: the provider lists only {list(listed)}")
    found = {
        "provider": spec.provider.kind, "account": spec.provider.name,
        "accelerator": spec.accelerator, "count": spec.accelerator_count,
        "region": spec.region, "provider_regions": list(listed) if listed else None,
        "vcpu": spec.cpus, "memory_gb": spec.memory_gb, "disk": spec.disk_gb,
        "architecture": spec.architecture, "max_price": spec.max_hourly_cost,
    }
    return {key: value for key, value in found.items() if value is not None}


def described(compute, specs):
    import msgspec

    wire = checked(compute._spec)
    accounts = {}
    for spec in specs:
        name = spec.provider.name or spec.provider.kind
        if accounts.setdefault(name, checked(spec.provider)) != spec.provider:
            raise ValueError(f"two different providers are named {name!r}: give each a name")
    return {
        "name": compute._name, "nodes": msgspec.to_builtins(wire.nodes),
        "allocation": wire.allocation, "selection": wire.selection,
        "image": {key: value for key, value in msgspec.to_builtins(wire.image).items()
                  if key in ("base", "python", "pip", "apt") and value},
        "env": wire.image.env, "executor": wire.worker.executor,
        "concurrency": wire.worker.concurrency,
        "plugins": msgspec.to_builtins(wire.plugins),
        "candidates": [candidate(spec, accounts[spec.provider.name]) for spec in wire.specs],
    }


def check(path):
    import skyward as sky

    made = []
    original = sky.Compute.__init__

    def keep(self, *specs, **named):
        original(self, *specs, **named)
        provider = named.get("provider")
        made.append((self, specs or [sky.Spec(provider)]))

    def stop(self):
        raise Entered

    sky.Compute.__init__, sky.Compute.__enter__ = keep, stop
    try:
        runpy.run_path(str(path), run_name="__main__")
    except Entered:
        pass
    finally:
        sky.Compute.__init__ = original
    if not made:
        raise ValueError("the script makes no pool")
    return described(*made[-1])


def main():
    sys.dont_write_bytecode = True
    with tempfile.TemporaryDirectory() as home:
        for name in [key for key in os.environ if key.startswith(("XDG_", "AWS_", "SKYWARD_"))]:
            del os.environ[name]
        os.environ["HOME"] = home
        socket.socket.connect = socket.socket.connect_ex = refuse_network
        renders = [(folder, Path(folder, "pool.py").resolve()) for folder in sys.argv[1:]]
        os.chdir(home)
        for folder, path in renders:
            line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
            try:
                with contextlib.redirect_stdout(sys.stderr):
                    line["parsed"] = check(path)
            except (Exception, SystemExit) as error:  # Whatever a script raises is a refusal.
                line["accepted"] = False
                line["message"] = (str(error) or type(error).__name__).splitlines()[0]
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
