"""Prints what gpuhunt, dstack's own client, lists from the price lists that are open to everyone:
{"catalog": [...], "azure": [...], "cloudrift": [...], "lium": [...], "oci": [...], "runpod": [...],
"vultr": [...]}. Reads RUNPOD_API_BASE_URL and, for the other lists, SKY_ACCEL_URL_*; needs no key.
With --keyed, prints what it lists with keys: {"digitalocean": [...], "jarvislabs": [...], "lambda": [...]}."""

import json
import logging
import os
import sys
from unittest import mock

# Two providers import an SDK for the steps that need an account. None of those is taken here.
for module in (
    "azure",
    "azure.core",
    "azure.core.credentials",
    "azure.identity",
    "azure.mgmt",
    "azure.mgmt.compute",
    "oci",
    "oci.identity",
    "oci.identity.models",
):
    sys.modules[module] = mock.MagicMock()

from gpuhunt import Catalog  # noqa: E402
from gpuhunt.providers import (  # noqa: E402
    azure,
    cloudrift,
    digitalocean,
    jarvislabs,
    lambdalabs,
    lium,
    oci,
    runpod,
    vultr,
)

AZURE_REGIONS = ["eastus", "southcentralus", "swedencentral", "westeurope"]


def brief(items: list) -> list:
    rows = [
        {
            "provider": item.provider,
            "id": item.instance_name,
            "place": item.location,
            "gpu": item.gpu_name,
            "count": item.gpu_count,
            "gpu_memory_gb": item.gpu_memory,
            "vcpu": item.cpu,
            "memory_gb": item.memory,
            "price": item.price,
            "spot": item.spot,
            "flags": item.flags,
        }
        for item in items
    ]
    return sorted(rows, key=lambda row: json.dumps(row))


def catalog() -> list:
    listed = Catalog(auto_reload=False)
    listed.load()
    providers = sorted(listed.catalog)
    found = listed.query(provider=providers, min_gpu_count=1)
    if {item.provider for item in found} != set(providers):
        sys.exit(f"a provider has no rows: {providers}")
    return brief(found)


def azure_rows() -> list:
    provider = azure.AzureProvider(subscription_id="", credential=mock.MagicMock())
    rows = [
        {
            "id": meter["armSkuName"],
            "place": meter["armRegionName"],
            "price": meter["retailPrice"],
            "spot": "Spot" in meter["meterName"],
            "product": meter["productName"],
            "primary": meter["isPrimaryMeterRegion"],
        }
        for page in provider.get_pages(AZURE_REGIONS, threads=1)
        for meter in page
    ]
    return sorted(rows, key=lambda row: json.dumps(row))


def oci_rows() -> list:
    estimator = oci.CostEstimator()
    products = estimator.get_products()
    rows = []
    for shape in estimator.get_shapes().items:
        try:
            resources = oci.shape_to_resources(shape, products)
        except oci.CostEstimatorDataError as error:
            rows.append({"id": shape.name, "refused": str(error)})
            continue
        rows.append(
            {
                "id": shape.name,
                "hidden": shape.hidden,
                "active": shape.status == "ACTIVE",
                "gpu": resources.gpu.name,
                "count": resources.gpu.units_count,
                "gpu_memory_gb": resources.gpu.unit_memory_gb,
                "vcpu": resources.cpu.vcpus,
                "memory_gb": resources.memory.gbs,
                "price": resources.total_price(),
                "preemptible": shape.allow_preemptible,
            }
        )
    return sorted(rows, key=lambda row: row["id"])


def url(name: str) -> str:
    return os.environ[f"SKY_ACCEL_URL_{name}"]


def keyed() -> dict:
    lambdalabs.INSTANCE_TYPES_URL = url("LAMBDA") + "/instance-types"
    lambdalabs.IMAGES_URL = url("LAMBDA") + "/images"
    key = os.environ
    droplets = digitalocean.DigitalOceanProvider(key["DIGITALOCEAN_ACCESS_TOKEN"], url("DIGITALOCEAN"))
    jarvis = jarvislabs.JarvisLabsProvider(key["JL_API_KEY"], url("JARVISLABS"))
    return {
        "digitalocean": brief(droplets.get()),
        "jarvislabs": brief(jarvis.get()),
        "lambda": brief(lambdalabs.LambdaLabsProvider(key["LAMBDA_API_KEY"]).get()),
    }


def public() -> dict:
    os.environ["GPUHUNT_CATALOG_URL"] = url("GPUHUNT")
    os.environ["CLOUDRIFT_SERVER_ADDRESS"] = url("CLOUDRIFT")
    azure.prices_url = url("AZURE") + "/api/retail/prices"
    lium.NODES_URL = url("LIUM") + "/api/public/v1/nodes"
    oci.COST_ESTIMATOR_URL_TEMPLATE = url("OCI") + "/a/ocom/docs/cloudestimator2/data/{resource}"
    runpod.API_URL = os.environ["RUNPOD_API_BASE_URL"] + "/graphql"
    vultr.API_URL = url("VULTR") + "/v2"

    return {
        "catalog": catalog(),
        "azure": azure_rows(),
        "cloudrift": brief(cloudrift.CloudRiftProvider().get()),
        "lium": brief(lium.LiumProvider().get()),
        "oci": oci_rows(),
        "runpod": brief(runpod.RunpodProvider().get()),
        "vultr": brief(vultr.VultrProvider().get()),
    }


def main() -> None:
    logging.basicConfig(stream=sys.stderr)
    document = keyed() if "--keyed" in sys.argv else public()
    if not all(document.values()):
        sys.exit(f"an empty list: { {name: len(rows) for name, rows in document.items()} }")
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
