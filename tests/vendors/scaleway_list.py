"""Prints what Scaleway's own client lists: {"types": [...]}, a row for each type in each zone.
Reads SKY_ACCEL_URL_SCALEWAY and needs no key."""

import json
import os
import sys

from scaleway import Client, ScalewayException
from scaleway.instance.v1 import InstanceV1API

ZONES = [f"{region}-{number}" for region in ("fr-par", "nl-ams", "pl-waw") for number in (1, 2, 3)]
PAGE_SIZE = 5


def every(list_page) -> dict:
    """The servers of all pages: an empty page is the one after the last."""
    found = {}
    page = 1
    while True:
        servers = list_page(page).servers
        if not servers:
            return found
        found |= servers
        page += 1


def zone_rows(api: InstanceV1API, zone: str) -> list:
    types = every(
        lambda page: api.list_servers_types(zone=zone, per_page=PAGE_SIZE, page=page)
    )
    stock = every(
        lambda page: api.get_server_types_availability(zone=zone, per_page=PAGE_SIZE, page=page)
    )
    if types.keys() != stock.keys():
        sys.exit(f"{zone}: the types and their stock differ")
    return [
        {
            "id": name,
            "zone": zone,
            "count": kind.gpu,
            "gpu": kind.gpu_info.gpu_name if kind.gpu_info else None,
            "vcpu": kind.ncpus,
            "memory_bytes": kind.ram,
            "arch": str(kind.arch),
            "price_eur": kind.hourly_price,
            "stock": str(stock[name].availability),
        }
        for name, kind in types.items()
    ]


def main() -> None:
    client = Client(api_url=os.environ["SKY_ACCEL_URL_SCALEWAY"])
    # The client's own check wants a key, which these requests do without.
    api = InstanceV1API(client, bypass_validation=True)
    rows = [row for zone in ZONES for row in zone_rows(api, zone)]
    rows.sort(key=lambda row: (row["id"], row["zone"]))
    try:
        api.list_servers_types(zone="xx-moon-1")
    except ScalewayException as error:
        if error.status_code != 404:
            sys.exit(f"a zone that is not there: {error.status_code}")
    else:
        sys.exit("a zone that is not there has types")
    if not rows:
        sys.exit("no types")
    json.dump({"types": rows}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
