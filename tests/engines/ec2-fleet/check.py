"""Applies fleet.json, and each fleet-REGION.json, to a moto EC2 with boto3.

boto3 checks the shape of a request, the stand-in its words, types and regions (see
../ec2_stand_in.py). The launch templates that a request names are made beforehand, with an image
and no instance type. Each override is applied again alone, which gives the candidates; `launched`
is what the whole fleet started. Not checked: prices, quotas, capacity, whether ids exist.
"""

import copy
import json
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import ec2_stand_in
import reports
from reports import Refused


def apply(request: dict, region: str) -> tuple:
    """The fleet as EC2 describes it, and what it launched."""
    image = ec2_stand_in.furnish([region])["IMAGE_ID"]
    ec2 = ec2_stand_in.client(region)
    names = {
        config.get("LaunchTemplateSpecification", {}).get("LaunchTemplateName")
        for config in request.get("LaunchTemplateConfigs", [])
    }
    for name in sorted(names - {None}):
        ec2.create_launch_template(LaunchTemplateName=name, LaunchTemplateData={"ImageId": image})
    answer = ec2.create_fleet(**request)
    if answer.get("Errors"):
        raise Refused(answer["Errors"][0]["ErrorMessage"])
    launched = ec2_stand_in.candidates()
    if not launched:
        raise Refused("the fleet launched nothing")
    return ec2.describe_fleets(FleetIds=[answer["FleetId"]])["Fleets"][0], launched


def alone(request: dict, place: int, override: dict) -> dict:
    single = copy.deepcopy(request)
    config = single["LaunchTemplateConfigs"][place]
    config["Overrides"] = [override]
    single["LaunchTemplateConfigs"] = [config]
    return single


def understood(request: dict, region: str) -> tuple:
    fleet, launched = apply(request, region)
    target = fleet["TargetCapacitySpecification"]
    options = fleet["SpotOptions"] if launched[0]["spot"] else fleet["OnDemandOptions"]
    candidates = []
    for place, config in enumerate(fleet["LaunchTemplateConfigs"]):
        for override in config.get("Overrides") or []:
            (row, *_) = apply(alone(request, place, override), region)[1]
            wishes = {"override": override, "max_price": override.get("MaxPrice")}
            candidates.append(row | {k: v for k, v in wishes.items() if v})
    return candidates, {
        "region": region,
        "type": fleet["Type"],
        "nodes": target["TotalTargetCapacity"],
        "target": target,
        "allocation": options.get("AllocationStrategy"),
        "max_total_price": options.get("MaxTotalPrice"),
        "launched": launched,
    }


def check(directory: Path) -> tuple:
    files = sorted(directory.glob("fleet.json")) + sorted(directory.glob("fleet-*.json"))
    if not files:
        raise Refused("no fleet.json")
    parsed = {"candidates": [], "fleets": []}
    for file in files:
        request = json.loads(file.read_text())
        if not isinstance(request, dict):
            raise Refused("a fleet request is a JSON object")
        # fleet-us-east-1.spot.json is a second one for a region.
        name = file.name.split(".")[0]
        region = name.removeprefix("fleet").removeprefix("-") or "us-east-1"
        candidates, fleet = understood(request, region)
        parsed["candidates"] += candidates
        parsed["fleets"].append(fleet)
    return "", parsed


if __name__ == "__main__":
    ec2_stand_in.start()
    reports.main(check)
