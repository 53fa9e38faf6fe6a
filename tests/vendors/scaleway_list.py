"""Prints what Scaleway's own client lists: {"types": [...], "quotas": [...]}, a row for each type in each zone, and the
quotas of an organization if there is a key. Reads SKY_ACCEL_URL_SCALEWAY, and SCW_SECRET_KEY and
SCW_DEFAULT_ORGANIZATION_ID for the quotas."""

import json
import os
import sys

from scaleway import Client, ScalewayException
from scaleway.iam.v1alpha1 import IamV1Alpha1API
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


def quota_rows(url: str, key: str) -> list:
    organization = os.environ["SCW_DEFAULT_ORGANIZATION_ID"]
    client = Client(api_url=url, secret_key=key, default_organization_id=organization)
    api = IamV1Alpha1API(client, bypass_validation=True)
    return [
        {
            "name": quota.name,
            "limits": [
                {"zone": limit.zone, "limit": limit.limit, "unlimited": limit.unlimited}
                for limit in quota.limits
            ],
        }
        for quota in api.list_quota_all(organization_id=organization, page_size=2)
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
    key = os.environ.get("SCW_SECRET_KEY")
    quotas = quota_rows(os.environ["SKY_ACCEL_URL_SCALEWAY"], key) if key else []
    json.dump({"types": rows, "quotas": quotas}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
