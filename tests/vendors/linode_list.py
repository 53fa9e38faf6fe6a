"""Prints what Linode's own client lists: {"types": [...], "regions": [...]}. Reads
SKY_ACCEL_URL_LINODE and needs no key."""

import json
import os
import sys

from linode_api4 import LinodeClient


def main() -> None:
    url = os.environ["SKY_ACCEL_URL_LINODE"] + "/v4"
    # The client does not start without a token. The smallest page makes it turn pages.
    client = LinodeClient("none", base_url=url, page_size=25)
    places = {}
    for entry in client.regions.availability():
        if entry.available:
            places.setdefault(entry.plan, []).append(entry.region)
    types = [
        {
            "id": kind.id,
            "label": kind.label,
            "class": kind.type_class,
            "count": kind.gpus,
            "vcpu": kind.vcpus,
            "memory_mib": kind.memory,
            "price": kind.price.hourly,
            "region_prices": {row.id: row.hourly for row in kind.region_prices},
            "regions": sorted(places.get(kind.id, [])),
        }
        for kind in client.linode.types()
    ]
    types.sort(key=lambda row: row["id"])
    document = {
        "types": types,
        "regions": sorted([region.id, region.country] for region in client.regions()),
    }
    if not all(document.values()):
        sys.exit("an empty list")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
