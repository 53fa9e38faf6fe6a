"""Prints what Verda's own client lists: {"types": [...], "locations": [...], "periods": [...]}.
Reads VERDA_BASE_URL, VERDA_CLIENT_ID and VERDA_CLIENT_SECRET."""

import json
import os
import sys

from verda import VerdaClient


def places(client: VerdaClient, spot: bool) -> dict:
    found = {}
    for entry in client.instances.get_availabilities(is_spot=spot):
        for name in entry["availabilities"]:
            found.setdefault(name, []).append(entry["location_code"])
    return found


def main() -> None:
    client = VerdaClient(
        os.environ["VERDA_CLIENT_ID"],
        os.environ["VERDA_CLIENT_SECRET"],
        base_url=os.environ["VERDA_BASE_URL"],
    )
    on_demand, spot = places(client, False), places(client, True)
    types = []
    for kind in client.instance_types.get():
        name = kind.instance_type
        locations = sorted(on_demand.get(name, []))
        if bool(locations) != client.instances.is_available(name, is_spot=False):
            sys.exit(f"{name}: the list and the single answer differ")
        types.append(
            {
                "id": name,
                "count": kind.gpu["number_of_gpus"],
                "gpu_memory_gb": kind.gpu_memory["size_in_gigabytes"],
                "price": kind.price_per_hour,
                "spot_price": kind.spot_price_per_hour,
                "locations": locations,
                "spot_locations": sorted(spot.get(name, [])),
            }
        )
    types.sort(key=lambda row: row["id"])
    document = {
        "types": types,
        "locations": sorted(place["code"] for place in client.locations.get()),
        "periods": [
            {"code": period.code, "discount": period.discount_percentage}
            for period in client.long_term.get_instance_periods()
        ],
    }
    if not all(document.values()):
        sys.exit("an empty list")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
