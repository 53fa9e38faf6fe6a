"""Puts template.yaml to cfn-lint in the region of its Metadata (`SkyAccel: {Region: us-east-1}`).

Any error refuses, as does a template without resources; warnings only go into the message. cfn-lint
does not look at the instance types and words of an auto scaling group's mixed policy: each type is
put to it again as that of an instance, the words are checked here. Not checked: limits of the
account, values of parameters.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
# cfn-lint reads settings from the home directory.
HOME = tempfile.TemporaryDirectory(prefix="sky-accel-cfn-")
os.environ["HOME"] = HOME.name

import cfnlint.decode
import reports
from cfnlint import ConfigMixIn
from cfnlint.api import lint, lint_file
from reports import Refused

SPOT_WORDS = {
    "capacity-optimized",
    "capacity-optimized-prioritized",
    "lowest-price",
    "price-capacity-optimized",
}
ON_DEMAND_WORDS = {"lowest-price", "prioritized"}


def text_of(match) -> str:
    where = ".".join(str(part) for part in match.path) if hasattr(match, "path") else ""
    return f"{match.rule.id} {match.message}" + (f" ({where})" if where else "")


def refuse_errors(matches: list) -> list:
    """The texts of the warnings; the first error is a refusal."""
    for match in matches:
        if match.rule.id.startswith("E"):
            raise Refused(text_of(match))
    return [text_of(match) for match in matches]


def probe(kind: str, region: str) -> None:
    """An instance of the type in the region, for cfn-lint to judge."""
    node = {
        "Type": "AWS::EC2::Instance",
        "Properties": {"ImageId": "ami-0123456789abcdef0", "InstanceType": kind},
    }
    refuse_errors(lint(json.dumps({"Resources": {"Node": node}}), regions=[region]))


def launch_data(resources: dict, specification: dict) -> dict:
    """The data of a launch template of the same file."""
    name = specification.get("LaunchTemplateId", specification.get("LaunchTemplateName"))
    if isinstance(name, dict):
        target = name.get("Ref") or name.get("Fn::GetAtt", [""])[0]
        if target in resources:
            return resources[target]["Properties"].get("LaunchTemplateData", {})
    for resource in resources.values():
        if resource.get("Properties", {}).get("LaunchTemplateName") == name:
            return resource["Properties"].get("LaunchTemplateData", {})
    return {}


def market(data: dict) -> dict:
    options = data.get("InstanceMarketOptions", {})
    found = {"market": options.get("MarketType", "on-demand")}
    price = options.get("SpotOptions", {}).get("MaxPrice")
    target = data.get("CapacityReservationSpecification", {}).get("CapacityReservationTarget")
    return found | ({"max_price": price} if price else {}) | ({"target": target} if target else {})


def instance(resources: dict, properties: dict, region: str) -> list:
    data = launch_data(resources, properties.get("LaunchTemplate", {}))
    data = data | {key: properties[key] for key in ("InstanceType", "ImageId") if key in properties}
    row = {"instance_type": data.get("InstanceType"), "image": data.get("ImageId"), "nodes": 1}
    return [row | market(data)]


def fleet(resources: dict, properties: dict, region: str) -> list:
    target = properties["TargetCapacitySpecification"]
    kind = target.get("DefaultTargetCapacityType", "on-demand")
    options = properties.get("SpotOptions" if kind == "spot" else "OnDemandOptions", {})
    found = []
    for config in properties["LaunchTemplateConfigs"]:
        data = launch_data(resources, config.get("LaunchTemplateSpecification", {}))
        for override in config.get("Overrides") or [{}]:
            row = market(data) | {"market": kind, "nodes": target["TotalTargetCapacity"]}
            row["image"] = data.get("ImageId")
            row["instance_type"] = override.get("InstanceType", data.get("InstanceType"))
            price = override.get("MaxPrice", options.get("MaxTotalPrice"))
            found.append(row | ({"max_price": price} if price else {}))
    return found


def group(resources: dict, properties: dict, region: str) -> list:
    policy = properties.get("MixedInstancesPolicy", {})
    template = policy.get("LaunchTemplate", {})
    specification = template.get("LaunchTemplateSpecification", properties.get("LaunchTemplate"))
    data = launch_data(resources, specification or {})
    spread = policy.get("InstancesDistribution", {})
    for key, words in (
        ("SpotAllocationStrategy", SPOT_WORDS),
        ("OnDemandAllocationStrategy", ON_DEMAND_WORDS),
    ):
        if spread.get(key, next(iter(words))) not in words:
            raise Refused(f"{key}: {spread[key]!r} is not one of {sorted(words)}")
    row = market(data) | {"image": data.get("ImageId")}
    row["nodes"] = int(properties.get("DesiredCapacity", properties["MinSize"]))
    if policy:
        spot = int(spread.get("OnDemandPercentageAboveBaseCapacity", 100)) == 0
        row["market"] = "spot" if spot else "on-demand"
        row["on_demand_base"] = int(spread.get("OnDemandBaseCapacity", 0))
        row |= {"max_price": spread["SpotMaxPrice"]} if "SpotMaxPrice" in spread else {}
    found = []
    for override in template.get("Overrides") or [{}]:
        kind = override.get("InstanceType", data.get("InstanceType"))
        if kind:
            probe(kind, region)
        found.append(row | {"instance_type": kind})
    return found


READERS = {
    "AWS::EC2::Instance": instance,
    "AWS::EC2::EC2Fleet": fleet,
    "AWS::AutoScaling::AutoScalingGroup": group,
}


def check(directory: Path) -> tuple:
    path = (directory / "template.yaml").resolve()
    template, errors = cfnlint.decode.decode(str(path))
    refuse_errors(errors or [])
    if not isinstance(template, dict) or not template.get("Resources"):
        raise Refused("the template has no resources")
    region = template.get("Metadata", {}).get("SkyAccel", {}).get("Region", "us-east-1")
    if region not in ConfigMixIn(regions=["ALL_REGIONS"]).regions:
        raise Refused(f"no region {region!r}")
    warnings = refuse_errors(lint_file(path, config={"regions": [region]}))
    candidates = []
    for name, resource in template["Resources"].items():
        reader = READERS.get(resource["Type"], lambda *_: [])
        for row in reader(template["Resources"], resource.get("Properties", {}), region):
            spot = {"spot": row["market"] == "spot"}
            candidates.append({"resource": name, "region": region} | row | spot)
    if not candidates:
        raise Refused("no resource launches an instance")
    return "; ".join(warnings), {"candidates": candidates, "resources": list(template["Resources"])}


if __name__ == "__main__":
    reports.main(check)
