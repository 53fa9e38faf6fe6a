"""Prints what Vast.ai's own clients list: {"on_demand": [...], "bid": [...], "cli": [...]}.
Reads VAST_URL and VAST_API_KEY."""

import json
import os
import subprocess
import sys
from pathlib import Path

from vastai import VastAI


def brief(offers: list) -> list:
    rows = [
        {
            "id": offer["id"],
            "gpu": offer["gpu_name"],
            "count": offer["num_gpus"],
            "price": offer["dph_total"],
            "place": offer["geolocation"],
        }
        for offer in offers
    ]
    return sorted(rows, key=lambda row: row["id"])


def main() -> None:
    # The constructor's own default is the public host, whatever the environment says.
    client = VastAI(api_key=os.environ["VAST_API_KEY"], server_url=os.environ["VAST_URL"])
    searches = {
        kind: client.search_offers(type=kind, limit=1000, storage=40, order="dph_total")
        for kind in ("on-demand", "bid")
    }
    # The command line client is stricter: it refuses any but one Content-Type.
    command = Path(sys.executable).with_name("vastai")
    query = "gpu_name=H100_SXM num_gpus>=1 gpu_ram>=80"
    listed = subprocess.run(
        [command, "search", "offers", query, "--limit", "50", "--raw"],
        env=os.environ | {"CI": "1"},
        check=True,
        capture_output=True,
        text=True,
    )
    document = {
        "on_demand": brief(searches["on-demand"]),
        "bid": brief(searches["bid"]),
        "cli": brief(json.loads(listed.stdout)),
    }
    if not all(document.values()):
        sys.exit(f"an empty list: { {name: len(rows) for name, rows in document.items()} }")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
