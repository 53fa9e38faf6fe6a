"""A moto EC2 on a loopback port, with what moto leaves out and a launch depends on.

Added: words outside a closed list of the API (botocore's model) are refused, types are checked in
the region of the call for fleets too, placement groups exist, the market type `capacity-block`
needs a reservation and launches, and every call is kept. While the stand-in is sold out each launch
is checked as usual, then answered InsufficientInstanceCapacity.

Importing this module turns the environment of the process into one without a home, an account
or a proxy.
"""

import functools
import logging
import os
import tempfile
import urllib.request

REGIONS = ("us-east-1", "us-east-2", "us-west-2", "eu-west-1")
HOME = tempfile.TemporaryDirectory(prefix="sky-accel-ec2-")
IMAGE = "ami-03cf127a"  # one of those that moto knows
# Neither settings nor credentials of the machine reach the clients.
for name in [name for name in os.environ if name.upper().startswith(("AWS_", "HTTP", "ALL_PROXY"))]:
    del os.environ[name]
os.environ |= {
    "HOME": HOME.name,
    "NO_PROXY": "127.0.0.1",
    "AWS_ACCESS_KEY_ID": "test",
    "AWS_SECRET_ACCESS_KEY": "test",
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_MAX_ATTEMPTS": "1",
    "AWS_PAGER": "",
    "MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION": "true",
}

import boto3
from moto.core.responses import ActionResult, EmptyResult
from moto.core.utils import get_service_model
from moto.ec2.exceptions import EC2ClientError
from moto.ec2.models import EC2Backend
from moto.ec2.responses import EC2Response
from moto.moto_api._internal import mock_random
from moto.server import ThreadedMotoServer

calls: list = []
launched: list = []
groups: dict = {}
sold_out = False


def wrong_words(shape, value, where=""):
    """Names of the parameters with a word that is not in the model's closed list."""
    if shape.type_name == "structure":
        for key, part in (value or {}).items():
            if key in shape.members:
                yield from wrong_words(shape.members[key], part, f"{where}.{key}")
    elif shape.type_name == "list":
        for part in value or []:
            yield from wrong_words(shape.member, part, where)
    elif getattr(shape, "enum", None) and value not in shape.enum:
        yield f"Invalid value '{value}' for {where.lstrip('.')}"


def call_action(self):
    action = self._get_action()
    parameters = {k: v for k, v in (self.params or {}).items() if k != "ClientToken"}
    calls.append({"region": self.region, "operation": action, "parameters": parameters})
    operation = get_service_model("ec2").operation_model(action)
    try:
        for complaint in wrong_words(operation.input_shape, parameters) if parameters else ():
            raise EC2ClientError("InvalidParameterValue", complaint)
        if action == "RunInstances":
            check_launch(self.region, parameters)
        return plain_call(self)
    except EC2ClientError as error:
        answer = ActionResult(error)
    except Exception as error:
        answer = ActionResult(EC2ClientError("InternalError", f"{type(error).__name__}: {error}"))
    status, headers, body = self.serialized(answer)
    return status, headers | {"status": str(status)}, body


def check_launch(region: str, parameters: dict) -> None:
    name = parameters.get("Placement", {}).get("GroupName")
    if name and (region, name) not in groups:
        raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The group '{name}' is unknown")
    market = parameters.get("InstanceMarketOptions", {}).get("MarketType")
    if market == "capacity-block" and not reservation(parameters):
        raise EC2ClientError("InvalidParameterCombination", "A capacity block needs a target")


def reservation(parameters: dict) -> str:
    target = parameters.get("CapacityReservationSpecification", {})
    return target.get("CapacityReservationTarget", {}).get("CapacityReservationId", "")


def run_instances(self, image_id, count, user_data, security_group_names, **kwargs):
    kwargs.setdefault("region_name", self.region_name)
    market = kwargs.get("instance_market_options") or kwargs.get("lifecycle")
    found = plain_run(self, image_id, count, user_data, security_group_names, **kwargs)
    parameters = calls[-1]["parameters"]
    for instance in found.instances:
        instance.lifecycle = market or None
        instance.placement.group_name = parameters.get("Placement", {}).get("GroupName", "")
        instance.capacity_reservation_id = reservation(parameters)
        launched.append((len(calls), self.region_name, instance.id))
    if sold_out:
        self.terminate_instances([instance.id for instance in found.instances])
        raise EC2ClientError("InsufficientInstanceCapacity", "We have no capacity of that type")
    return found


def create_fleet(self, **kwargs):
    """moto launches spot and on-demand only."""
    fleet = plain_fleet(self, **kwargs)
    capacity = kwargs["target_capacity_specification"].get("DefaultTargetCapacityType")
    if capacity in ("capacity-block", "reserved-capacity"):
        fleet.create_on_demand_requests(fleet.target_capacity)
        for item in fleet.on_demand_instances:
            item["instance"].lifecycle = "capacity-block" if capacity == "capacity-block" else None
    return fleet


def create_placement_group(self):
    name, strategy = self._get_param("GroupName"), self._get_param("Strategy", "cluster")
    if (self.region, name) in groups:
        raise EC2ClientError("InvalidPlacementGroup.Duplicate", f"The group '{name}' exists")
    groups[self.region, name] = {"GroupName": name, "Strategy": strategy, "State": "available"}
    return ActionResult({"PlacementGroup": groups[self.region, name]})


def describe_placement_groups(self):
    wanted = self._get_param("GroupNames", [])
    for name in wanted:
        if (self.region, name) not in groups:
            raise EC2ClientError("InvalidPlacementGroup.Unknown", f"The group '{name}' is unknown")
    found = [g for (region, _), g in groups.items() if region == self.region]
    return ActionResult(
        {"PlacementGroups": [g for g in found if not wanted or g["GroupName"] in wanted]}
    )


def delete_placement_group(self):
    groups.pop((self.region, self._get_param("GroupName")), None)
    return EmptyResult()


plain_call, plain_run = EC2Response.call_action, EC2Backend.run_instances
plain_fleet = EC2Backend.create_fleet
EC2Response.call_action, EC2Backend.run_instances = call_action, run_instances
EC2Backend.create_fleet = create_fleet
for method in (create_placement_group, describe_placement_groups, delete_placement_group):
    setattr(EC2Response, method.__name__, method)


def start() -> None:
    logging.getLogger("werkzeug").setLevel(logging.CRITICAL)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ["AWS_ENDPOINT_URL"] = f"http://{host}:{port}"


@functools.cache
def client(region: str):
    return boto3.client("ec2", region_name=region)


def furnish(regions) -> dict:
    """An emptied account with an image, a subnet and so on, by the same ids in every region."""
    global sold_out
    sold_out = False
    urllib.request.urlopen(os.environ["AWS_ENDPOINT_URL"] + "/moto-api/reset", b"").close()
    groups.clear()
    for region in regions:
        ec2 = client(region)
        ec2.describe_images(ImageIds=[IMAGE])
        mock_random.seed(1)
        vpc = ec2.create_vpc(CidrBlock="10.1.0.0/16")["Vpc"]["VpcId"]
        mock_random.seed(2)
        subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.1.0.0/20")["Subnet"]["SubnetId"]
        mock_random.seed(3)
        group = ec2.create_security_group(GroupName="lab", Description="lab", VpcId=vpc)["GroupId"]
        ec2.create_key_pair(KeyName="lab", KeyType="ed25519")
        ec2.create_placement_group(GroupName="lab", Strategy="cluster")
    calls.clear()
    launched.clear()
    return {
        "IMAGE_ID": IMAGE,
        "KEY_NAME": "lab",
        "VPC_ID": vpc,
        "SUBNET_ID": subnet,
        "SECURITY_GROUP_ID": group,
        "PLACEMENT_GROUP": "lab",
        "CAPACITY_RESERVATION_ID": "cr-0123456789abcdef0",
        "CAPACITY_BLOCK_ID": "cr-0123456789abcdef1",
    }


def chips(region: str, kind: str) -> dict:
    """What EC2 says of the accelerators of an instance type."""
    row = client(region).describe_instance_types(InstanceTypes=[kind])["InstanceTypes"][0]
    for block, key in (("GpuInfo", "Gpus"), ("NeuronInfo", "NeuronDevices")):
        for chip in row.get(block, {}).get(key, []):
            memory = chip["MemoryInfo"]["SizeInMiB"]
            found = {"accelerator": chip["Name"], "count": chip["Count"], "memory_mib": memory}
            share = chip.get("GpuPartitionSize", 1.0)
            return found if share == 1.0 else found | {"share": share}
    return {}


def candidates() -> list:
    """What EC2 describes of everything launched since `furnish`, one row for each call."""
    rows: dict = {}
    for number, region, name in launched:
        answer = client(region).describe_instances(InstanceIds=[name])["Reservations"]
        instance = answer[0]["Instances"][0]
        row = {
            "region": region,
            "instance_type": instance["InstanceType"],
            "lifecycle": instance.get("InstanceLifecycle", "on-demand"),
            "spot": instance.get("InstanceLifecycle") == "spot",
            "image": instance.get("ImageId"),
            "placement_group": instance["Placement"].get("GroupName", ""),
            "capacity_reservation": instance.get("CapacityReservationId", ""),
            "state": instance["State"]["Name"],
        }
        key = (number, *row.values())
        if key not in rows:
            rows[key] = {"nodes": 0} | row | chips(region, instance["InstanceType"])
        rows[key]["nodes"] += 1
    return list(rows.values())
