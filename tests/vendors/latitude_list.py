"""Prints what Latitude.sh's own client lists: {"plans": [...]}, a row for each plan with GPUs in each site.
Reads SKY_ACCEL_URL_LATITUDE and LATITUDESH_BEARER."""

import json
import os
import sys

from latitudesh_python_sdk import Latitudesh


def plan_rows(plan) -> list:
    specs = plan.attributes.specs
    rows = []
    for region in plan.attributes.regions:
        price = (region.pricing or {}).get("USD")
        counts = region.locations.in_stock_count or {}
        for site in region.locations.available:
            rows.append(
                {
                    "id": plan.attributes.name,
                    "site": site,
                    "gpu": specs.gpu.type,
                    "count": specs.gpu.count,
                    "memory_gb": specs.gpu.vram_per_gpu,
                    "host_memory": specs.memory.total,
                    "price": price.hour if price else None,
                    "machines": counts.get(site, 0),
                    "level": region.stock_level.value,
                }
            )
    return rows


def main() -> None:
    url = os.environ["SKY_ACCEL_URL_LATITUDE"]
    client = Latitudesh(bearer=os.environ["LATITUDESH_BEARER"], server_url=url)
    answer = client.plans.list(filter_gpu=True)
    rows = [row for plan in answer.data for row in plan_rows(plan)]
    rows.sort(key=lambda row: (row["id"], row["site"]))
    if not rows:
        sys.exit("no plans")
    json.dump({"plans": rows}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
