"""Prints what Google's own clients read: {"types": [...], "advice": [...], "history": [...], "quotas": [...],
"windows": [...]}. Reads SKY_ACCEL_URL_GCP, GOOGLE_CLOUD_PROJECT and CLOUDSDK_AUTH_ACCESS_TOKEN."""

import json
import os
import sys

from google.api_core.exceptions import BadRequest
from google.cloud import compute_v1
from google.oauth2.credentials import Credentials

URL = os.environ["SKY_ACCEL_URL_GCP"]
PROJECT = os.environ["GOOGLE_CLOUD_PROJECT"]
MACHINES = 4
HOURS = 48


class Session:
    """The transport of the clients: they have no option for a path in the address of the server."""

    @staticmethod
    def of(client):
        host = URL.removeprefix("http://")
        transport = client.get_transport_class("rest")(
            host=f"http://{host}",
            credentials=Credentials(os.environ["CLOUDSDK_AUTH_ACCESS_TOKEN"]),
        )
        return client(transport=transport)


def last(path: str) -> str:
    return path.rsplit("/", 1)[-1]


def machine_types() -> list:
    request = compute_v1.AggregatedListMachineTypesRequest(
        project=PROJECT, filter='name eq "(a|g)[0-9].*"', max_results=500
    )
    rows = []
    for scope, listed in Session.of(compute_v1.MachineTypesClient).aggregated_list(request=request):
        for kind in listed.machine_types:
            if not kind.accelerators:
                continue
            devices = kind.accelerators[0]
            rows.append(
                {
                    "id": kind.name,
                    "zone": last(scope),
                    "gpu": devices.guest_accelerator_type,
                    "count": devices.guest_accelerator_count,
                    "vcpu": kind.guest_cpus,
                    "memory_mib": kind.memory_mb,
                    "arch": kind.architecture,
                }
            )
    return sorted(rows, key=lambda row: (row["id"], row["zone"]))


def advice(client, machine: str, zone: str) -> dict:
    region = zone.rsplit("-", 1)[0]
    resource = compute_v1.CapacityAdviceRequest(
        size=MACHINES,
        instance_properties={"scheduling": {"provisioning_model": "SPOT"}},
        distribution_policy={"target_shape": "ANY_SINGLE_ZONE", "zones": [{"zone": f"zones/{zone}"}]},
        instance_flexibility_policy={"instance_selections": {"machines": {"machine_types": [machine]}}},
    )
    answer = client.capacity(project=PROJECT, region=region, capacity_advice_request_resource=resource)
    best = answer.recommendations[0]
    has_score = "obtainability" in best.scores
    return {
        "id": machine,
        "zone": last(best.shards[0].zone),
        "machines": best.shards[0].instance_count,
        "obtainability": best.scores.obtainability if has_score else None,
        "uptime": best.scores.estimated_uptime,
    }


def history(client, machine: str, region: str) -> dict:
    resource = compute_v1.CapacityHistoryRequest(
        types=["PREEMPTION", "PRICE"],
        instance_properties={"machine_type": machine, "scheduling": {"provisioning_model": "SPOT"}},
    )
    answer = client.capacity_history(project=PROJECT, region=region, capacity_history_request_resource=resource)
    price = answer.price_history[-1].list_price
    return {
        "id": machine,
        "region": last(answer.location),
        "usd": price.units + price.nanos * 1e-9,
        "rates": sorted(day.preemption_rate for day in answer.preemption_history),
    }


def windows(client, machine: str, region: str) -> list:
    spec = compute_v1.FutureResourcesSpec(
        target_resources={"specific_sku_resources": {"machine_type": machine, "instance_count": MACHINES}},
        time_range_spec={"min_duration": f"{HOURS * 3600}s", "max_duration": f"{HOURS * 3600}s"},
    )
    resource = compute_v1.CalendarModeAdviceRequest(future_resources_specs={"machines": spec})
    answer = client.calendar_mode(
        project=PROJECT, region=region, calendar_mode_advice_request_resource=resource
    )
    specs = [row.recommendations_per_spec["machines"] for row in answer.recommendations]
    return [{"zone": last(spec.location), "starts_at": spec.start_time} for spec in specs if spec.location]


def quotas() -> list:
    region = Session.of(compute_v1.RegionsClient).get(project=PROJECT, region="us-central1")
    project = Session.of(compute_v1.ProjectsClient).get(project=PROJECT)
    rows = [*region.quotas, *project.quotas]
    return [{"metric": row.metric, "limit": row.limit, "used": row.usage} for row in rows]


def main() -> None:
    client = Session.of(compute_v1.AdviceClient)
    types = machine_types()
    chosen = [row for row in types if row["id"] == "a3-highgpu-8g"]
    try:
        advice(client, "n2-standard-8", "us-central1-a")
    except BadRequest:
        pass
    else:
        sys.exit("a type that is not sold as spot has advice")
    regions = sorted({row["zone"].rsplit("-", 1)[0] for row in chosen})
    document = {
        "types": types,
        "advice": [advice(client, row["id"], row["zone"]) for row in chosen],
        "history": [history(client, "a3-highgpu-8g", region) for region in regions],
        "windows": windows(client, "a3-highgpu-8g", "us-central1"),
        "quotas": quotas(),
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
