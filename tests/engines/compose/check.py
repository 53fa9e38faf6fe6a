"""Puts compose.yaml to check-jsonschema with its built-in schema of the Compose specification.

Beside the schema: the file has a service, a device's `count` is a whole number or `all` and stands
alone, and a `$` is doubled or names a variable, since Compose puts values in its place. The parsed
values are those after that step. Not checked: images, drivers, devices of a host.
"""

import re
import shlex
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import reports
import schemas
from reports import Refused

DOLLAR = re.compile(r"\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?::?[-?]([^}]*))?\}|())", re.ASCII)


def interpolated(value):
    """The value without dollars. A variable is unset: its default, or what it is asked for with,
    stands in its place, and one that has neither is refused."""
    if isinstance(value, dict):
        return {key: interpolated(part) for key, part in value.items()}
    if isinstance(value, list):
        return [interpolated(part) for part in value]
    return DOLLAR.sub(put, value) if isinstance(value, str) else value


def put(found) -> str:
    escaped, name, braced, default, _ = found.groups()
    if escaped:
        return "$"
    if default is not None:
        return default
    if name or braced:
        raise Refused(f"the {name or braced} variable is not set")
    raise Refused(f"invalid interpolation format: {found.string!r}")


def devices(service: dict) -> list:
    reserved = service.get("deploy", {}).get("resources", {}).get("reservations", {})
    found = list(reserved.get("devices", []))
    gpus = service.get("gpus")
    found += [{"count": "all", "capabilities": ["gpu"]}] if gpus == "all" else gpus or []
    for device in found:
        count = device.get("count", "all")
        if count != "all" and not (isinstance(count, int) and count > 0):
            raise Refused(f"devices: count: {count!r} is neither a number nor 'all'")
        if "count" in device and "device_ids" in device:
            raise Refused("devices: 'count' and 'device_ids' are exclusive")
    return found


def mapping(value) -> dict:
    """An environment, which may be a list of NAME=VALUE."""
    if isinstance(value, list):
        return dict(entry.partition("=")[::2] for entry in value)
    return value or {}


def check(directory: Path) -> tuple:
    document = schemas.read(directory / "compose.yaml", "--builtin-schema", "vendor.compose-spec")
    document = interpolated(document)
    services = document.get("services") or {}
    candidates = []
    for name, service in services.items():
        if not service.get("image") and not service.get("build"):
            raise Refused(f"service {name!r} has neither an image nor a build context specified")
        command = service.get("command") or []
        row = {
            "service": name,
            "image": service.get("image"),
            "command": shlex.split(command) if isinstance(command, str) else command,
            "env": mapping(service.get("environment")),
            "nodes": service.get("deploy", {}).get("replicas", 1),
        }
        if not devices(service) and (service.get("devices") or service.get("privileged")):
            candidates.append(row | {"host_devices": service.get("devices", "all")})
        for device in devices(service):
            ids = device.get("device_ids")
            count = len(ids) if ids else device.get("count", "all")
            candidates.append(row | device | {"count": count})
    if not candidates:
        raise Refused("no service reserves a device")
    return "", {"candidates": candidates, "name": document.get("name")}


if __name__ == "__main__":
    reports.main(check)
