"""Prints what boto3 lists: {"regions": {region: [...]}, "prices": [...], "quotas": [...], ...}.
Reads AWS_ENDPOINT_URL_EC2, AWS_ENDPOINT_URL_PRICING and AWS_ENDPOINT_URL_SERVICE_QUOTAS. With
--specs-only it lists only what moto_server knows as well: specs and offerings."""

import argparse
import datetime
import json
import sys

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

FAMILIES = ["p*", "g*", "trn*", "inf*", "dl*", "vt*"]
CONFIG = Config(retries={"total_max_attempts": 2})


def pages(client, operation: str, key: str, **arguments) -> list:
    paginator = client.get_paginator(operation)
    return [row for page in paginator.paginate(**arguments) for row in page[key]]


def accelerators(kind: dict) -> list:
    found = []
    for gpu in kind.get("GpuInfo", {}).get("Gpus", []):
        share = gpu.get("GpuPartitionSize", 1.0)
        found.append([gpu["Name"], max(gpu["Count"], gpu.get("LogicalGpuCount", 0)), share])
    for block, key in (
        ("NeuronInfo", "NeuronDevices"),
        ("InferenceAcceleratorInfo", "Accelerators"),
        ("MediaAcceleratorInfo", "Accelerators"),
    ):
        for device in kind.get(block, {}).get(key, []):
            row = [device["Name"], device["Count"], 1.0]
            # Inferentia is in two blocks.
            if row not in found:
                found.append(row)
    return found


def region_rows(name: str, specs_only: bool) -> list:
    ec2 = boto3.client("ec2", region_name=name, config=CONFIG)
    wanted = [{"Name": "instance-type", "Values": FAMILIES}]
    types = pages(ec2, "describe_instance_types", "InstanceTypes", Filters=wanted)
    zones = {}
    for offering in pages(
        ec2,
        "describe_instance_type_offerings",
        "InstanceTypeOfferings",
        LocationType="availability-zone",
        # moto takes no wildcards here.
        Filters=[] if specs_only else wanted,
    ):
        zones.setdefault(offering["InstanceType"], []).append(offering["Location"])
    spot = {}
    if not specs_only:
        for price in pages(
            ec2,
            "describe_spot_price_history",
            "SpotPriceHistory",
            StartTime=datetime.datetime.now(datetime.timezone.utc),
            ProductDescriptions=["Linux/UNIX"],
        ):
            by_zone = spot.setdefault(price["InstanceType"], {})
            if price["AvailabilityZone"] in by_zone:
                sys.exit(f"two current prices of {price['InstanceType']} in one zone")
            by_zone[price["AvailabilityZone"]] = price["SpotPrice"]
    rows = [
        {
            "id": kind["InstanceType"],
            "accelerators": accelerators(kind),
            "vcpu": kind["VCpuInfo"]["DefaultVCpus"],
            "memory_mib": kind["MemoryInfo"]["SizeInMiB"],
            "zones": sorted(zones.get(kind["InstanceType"], [])),
            "spot": spot.get(kind["InstanceType"], {}),
        }
        for kind in types
        if accelerators(kind)
    ]
    return sorted(rows, key=lambda row: row["id"])


def on_demand() -> list:
    pricing = boto3.client("pricing", region_name="us-east-1", config=CONFIG)
    equal = {
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "preInstalledSw": "NA",
        "capacitystatus": "Used",
        "marketoption": "OnDemand",
    }
    filters = [{"Type": "TERM_MATCH", "Field": k, "Value": v} for k, v in equal.items()]
    rows = []
    for text in pages(
        pricing, "get_products", "PriceList", ServiceCode="AmazonEC2", Filters=filters
    ):
        product = json.loads(text)
        attributes = product["product"]["attributes"]
        for term in product["terms"]["OnDemand"].values():
            for dimension in term["priceDimensions"].values():
                price = float(dimension["pricePerUnit"]["USD"])
                if dimension["unit"] == "Hrs" and price > 0:
                    rows.append([attributes["regionCode"], attributes["instanceType"], price])
    return sorted(rows)


def hints() -> dict:
    ec2 = boto3.client("ec2", region_name="us-east-1", config=CONFIG)
    quotas = boto3.client("service-quotas", region_name="us-east-1", config=CONFIG)
    names = [region["RegionName"] for region in ec2.describe_regions()["Regions"]]
    scores = pages(
        ec2,
        "get_spot_placement_scores",
        "SpotPlacementScores",
        InstanceTypes=["p4d.24xlarge", "p4de.24xlarge", "p5.48xlarge"],
        TargetCapacity=2,
        SingleAvailabilityZone=True,
        RegionNames=names[:10],
    )
    blocks = pages(
        ec2,
        "describe_capacity_block_offerings",
        "CapacityBlockOfferings",
        InstanceType="p5.48xlarge",
        InstanceCount=1,
        CapacityDurationHours=24,
    )
    one = quotas.get_service_quota(ServiceCode="ec2", QuotaCode="L-417A185B")["Quota"]
    listed = pages(quotas, "list_service_quotas", "Quotas", ServiceCode="ec2")
    if one["Value"] not in [row["Value"] for row in listed if row["QuotaCode"] == "L-417A185B"]:
        sys.exit("the single quota is not the listed one")
    report = quotas.start_quota_utilization_report()["ReportId"]
    states, token = [], {}
    used = []
    while len(states) < 10:
        page = quotas.get_quota_utilization_report(ReportId=report, **token)
        states.append(page["Status"])
        if page["Status"] != "COMPLETED":
            continue
        used += [[row["QuotaCode"], row["Utilization"]] for row in page["Quotas"]]
        if "NextToken" not in page:
            break
        token = {"NextToken": page["NextToken"]}
    if states[0] == "COMPLETED" or states[-1] != "COMPLETED":
        sys.exit(f"the report of used quotas had the states {states}")
    return {
        "scores": [[row["Region"], row["AvailabilityZoneId"], row["Score"]] for row in scores],
        "blocks": [
            [row["InstanceType"], row["AvailabilityZone"], row["UpfrontFee"]] for row in blocks
        ],
        "used": sorted(used),
        "quotas": sorted([row["QuotaCode"], row["QuotaName"], row["Value"]] for row in listed),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--specs-only", action="store_true")
    parser.add_argument("--region", action="append", help="these regions only")
    arguments = parser.parse_args()
    ec2 = boto3.client("ec2", region_name="us-east-1", config=CONFIG)
    names = arguments.region or sorted(
        region["RegionName"] for region in ec2.describe_regions()["Regions"]
    )
    document = {"regions": {}, "refused": {}}
    for name in names:
        try:
            document["regions"][name] = region_rows(name, arguments.specs_only)
        except ClientError as error:
            document["refused"][name] = error.response["Error"]["Code"]
    if not any(document["regions"].values()):
        sys.exit(f"no instance types: {document['refused']}")
    if not arguments.specs_only:
        document["prices"] = on_demand()
        document |= hints()
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
