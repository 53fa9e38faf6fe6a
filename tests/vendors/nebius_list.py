"""Prints what Nebius' own client lists: {"tenants": [...], "capacity": [...], "quotas": [...], "price": "..."}.
Reads SKY_ACCEL_URL_NEBIUS, NEBIUS_IAM_TOKEN and NEBIUS_PROJECT_ID."""

import json
import os
import sys
from urllib.parse import urlsplit

from nebius.api.nebius.billing import v1alpha1 as billing
from nebius.api.nebius.capacity import v1 as capacity
from nebius.api.nebius.common import v1 as common
from nebius.api.nebius.compute import v1 as compute
from nebius.api.nebius.iam import v1 as iam
from nebius.api.nebius.quotas import v1 as quotas
from nebius.base.options import INSECURE
from nebius.base.resolver import Constant
from nebius.sdk import SDK


def capacity_row(advice) -> dict:
    machine = advice.spec.compute_instance
    ways = {"on-demand": advice.status.on_demand, "spot": advice.status.preemptible}
    return {
        "id": f"{machine.platform}_{machine.preset.name}",
        "region": advice.spec.region,
        "fabric": advice.spec.fabric,
        "gpus": machine.preset.resources.gpu_count,
        "ways": {
            way: {"available": part.available, "level": part.availability_level.name}
            for way, part in ways.items()
            if part is not None and part.availability_level != 0
        },
    }


def main() -> None:
    address = urlsplit(os.environ["SKY_ACCEL_URL_NEBIUS"]).netloc
    sdk = SDK(
        credentials=os.environ["NEBIUS_IAM_TOKEN"],
        resolver=Constant(address),
        options=[(INSECURE, True)],
        user_agent_prefix="sky-accel-tests/1.0",
    )
    tenants = iam.TenantServiceClient(sdk).list(iam.ListTenantsRequest()).wait().items
    tenant = tenants[0].metadata.id
    advice = capacity.ResourceAdviceServiceClient(sdk).list(
        capacity.ListResourceAdviceRequest(parent_id=tenant)
    )
    allowances = quotas.QuotaAllowanceServiceClient(sdk).list(
        quotas.ListQuotaAllowancesRequest(parent_id=tenant, page_size=1000)
    )
    machine = compute.CreateInstanceRequest(
        metadata=common.ResourceMetadata(parent_id=os.environ["NEBIUS_PROJECT_ID"]),
        spec=compute.InstanceSpec(
            resources=compute.ResourcesSpec(platform="gpu-h100-sxm", preset="8gpu-128vcpu-1600gb"),
        ),
    )
    estimate = billing.CalculatorServiceClient(sdk).estimate(
        billing.EstimateRequest(resource_spec=billing.ResourceSpec(compute_instance_spec=machine))
    )
    rows = [capacity_row(row) for row in advice.wait().items]
    if not rows:
        sys.exit("no capacity")
    answer = {
        "tenants": [row.metadata.id for row in tenants],
        "capacity": sorted(rows, key=lambda row: (row["id"], row["region"], row["fabric"])),
        "quotas": sorted(
            [row.metadata.name, row.spec.region, row.spec.limit, row.status.usage]
            for row in allowances.wait().items
        ),
        "price": estimate.wait().hourly_cost.general.total.cost,
    }
    json.dump(answer, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
