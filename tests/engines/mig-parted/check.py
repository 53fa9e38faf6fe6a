"""Puts mig-parted.yaml to check-jsonschema with the schema beside this file.

The schema restates what nvidia-mig-parted reads; its own parser is not run. Not checked: whether
a card has a profile, whether the slices fit on it, whether the devices exist.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import reports
import schemas

SCHEMA = Path(__file__).with_name("schema.json")


def check(directory: Path) -> tuple:
    document = schemas.read(directory / "mig-parted.yaml", "--schemafile", str(SCHEMA))
    candidates = [
        {
            "config": name,
            "devices": entry["devices"],
            "count": "all" if entry["devices"] == "all" else len(entry["devices"]),
            "mig_enabled": entry["mig-enabled"],
            "mig": entry.get("mig-devices", {}),
            "device_filter": entry.get("device-filter"),
        }
        for name, entries in document["mig-configs"].items()
        for entry in entries
    ]
    return "", {"candidates": candidates}


if __name__ == "__main__":
    reports.main(check)
