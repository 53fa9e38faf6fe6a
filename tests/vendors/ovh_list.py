"""Prints what OVHcloud's own client lists: {"FR": {...}, "US": {...}}, a catalog in euros and one
in dollars. Reads SKY_ACCEL_URL_OVHCLOUD and needs no key."""

import json
import os
import sys

import ovh
from ovh.client import ENDPOINTS

PATH = "/order/catalog/public/cloud"


def hourly(catalog: dict) -> list:
    rows = []
    for addon in catalog["addons"]:
        blobs = addon["blobs"]
        code = addon["planCode"]
        if blobs["commercial"]["brick"] != "gpu" or not code.endswith(".consumption"):
            continue
        technical = blobs["technical"]
        [pricing] = addon["pricings"]
        rows.append(
            {
                "id": code,
                "count": technical["gpu"]["number"],
                "gpu": technical["gpu"]["model"],
                "vcpu": technical.get("cpu", {}).get("cores"),
                "memory_gb": technical.get("memory", {}).get("size"),
                "os": technical.get("os", {}).get("family"),
                "price": pricing["price"] / 1e8,
                "unit": pricing["intervalUnit"],
                "tags": blobs["tags"],
            }
        )
    return sorted(rows, key=lambda row: row["id"])


def main() -> None:
    # The client takes an endpoint by name, from this table.
    ENDPOINTS["ovh-eu"] = os.environ["SKY_ACCEL_URL_OVHCLOUD"] + "/1.0"
    # It does not start without a key, and signs nothing with it where no authentication is needed.
    client = ovh.Client(endpoint="ovh-eu", application_key="none", application_secret="none")
    document = {}
    for subsidiary in ("FR", "US"):
        catalog = client.get(PATH, _need_auth=False, ovhSubsidiary=subsidiary)
        document[subsidiary] = {
            "currency": catalog["locale"]["currencyCode"],
            "addons": hourly(catalog),
        }
    try:
        client.get(PATH, _need_auth=False, ovhSubsidiary="XX")
    except ovh.exceptions.BadParametersError:
        pass
    else:
        sys.exit("a subsidiary that is not there has a catalog")
    if not all(catalog["addons"] for catalog in document.values()):
        sys.exit("an empty list")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
