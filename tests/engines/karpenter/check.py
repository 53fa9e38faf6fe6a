"""Puts nodepool.yaml to the rules of Karpenter's resource definitions, as restated here.

No package registry carries the definitions with their rules, so schema.json and this file say them
again (Karpenter 1.14, NodePool and EC2NodeClass of v1) for the fields that a render may use; other
fields are refused. The class that a pool refers to must be in the file. Not checked: whether a
value such as a GPU name exists, what Karpenter itself decides at run time.
"""

import json
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import documents
import jsonschema
import reports
from reports import Refused

SCHEMA = json.loads(Path(__file__).with_name("schema.json").read_text())
AWS = "karpenter.k8s.aws"
# The labels of the two restricted domains that a pool may name.
ALLOWED = {"karpenter.sh/capacity-type"} | {
    f"{AWS}/{name}"
    for name in (
        "capacity-reservation-id capacity-reservation-interruptible capacity-reservation-type "
        "ec2nodeclass instance-accelerator-count instance-accelerator-manufacturer "
        "instance-accelerator-name instance-capability-flex instance-category instance-cpu "
        "instance-cpu-manufacturer instance-cpu-sustained-clock-speed-mhz instance-ebs-bandwidth "
        "instance-encryption-in-transit-supported instance-family instance-generation "
        "instance-gpu-count instance-gpu-manufacturer instance-gpu-memory instance-gpu-name "
        "instance-hypervisor instance-local-nvme instance-memory instance-network-bandwidth "
        "instance-size instance-tenancy nitro-sandbox placement-group-id placement-group-partition"
    ).split()
}
FAMILIES = {"al2": "AL2", "al2023": "AL2023", "bottlerocket": "Bottlerocket"}
FAMILIES |= {f"windows{year}": f"Windows{year}" for year in (2019, 2022, 2025)}
MEANING = {
    f"{AWS}/instance-gpu-name": "accelerator",
    f"{AWS}/instance-accelerator-name": "accelerator",
    f"{AWS}/instance-gpu-count": "count",
    f"{AWS}/instance-accelerator-count": "count",
    f"{AWS}/instance-gpu-memory": "memory_mib",
    "node.kubernetes.io/instance-type": "instance_type",
    "topology.kubernetes.io/region": "region",
    "topology.kubernetes.io/zone": "zone",
    "karpenter.sh/capacity-type": "capacity_type",
}


def check_label(key: str) -> None:
    domain = key.partition("/")[0]
    for restricted in ("karpenter.sh", AWS):
        if domain.endswith(restricted) and key not in ALLOWED:
            raise Refused(f'label domain "{restricted}" is restricted: {key}')
    if key == "kubernetes.io/hostname":
        raise Refused(f'label "{key}" is restricted')


def check_pool(spec: dict) -> None:
    template = spec["template"]
    for key, value in template.get("metadata", {}).get("labels", {}).items():
        check_label(key)
        if not re.fullmatch(documents.LABEL, value):
            raise Refused(f"labels: invalid value {value!r}")
    for rule in template["spec"]["requirements"]:
        check_label(rule["key"])
        values = rule.get("values", [])
        for value in values:
            if not re.fullmatch(documents.LABEL, value):
                raise Refused(f"requirements: {rule['key']}: invalid value {value!r}")
        if rule["operator"] == "In" and len(values) < rule.get("minValues", 0):
            raise Refused(f"requirements: {rule['key']}: fewer values than 'minValues'")
    if "replicas" in spec:
        if "weight" in spec or set(spec.get("limits", {})) - {"nodes"}:
            raise Refused("with 'replicas' there is no 'weight' and no limit but 'nodes'")


def check_class(spec: dict) -> None:
    terms = spec["amiSelectorTerms"]
    alias = [term["alias"] for term in terms if "alias" in term]
    if alias and len(terms) > 1:
        raise Refused("amiSelectorTerms: 'alias' cannot be set with other terms")
    if not alias and "amiFamily" not in spec:
        raise Refused("amiFamily: required where amiSelectorTerms has no alias")
    if alias and "amiFamily" in spec:
        family = FAMILIES[alias[0].partition("@")[0]]
        if spec["amiFamily"] not in ("Custom", family):
            raise Refused(f"amiFamily must be '{family}' or 'Custom' with this alias")
    roots = [device for device in spec.get("blockDeviceMappings", []) if device.get("rootVolume")]
    if len(roots) > 1:
        raise Refused("blockDeviceMappings: more than one root volume")
    check_interfaces(spec.get("networkInterfaces", []))


def check_interfaces(interfaces: list) -> None:
    places = [(i["networkCardIndex"], i["deviceIndex"]) for i in interfaces]
    cards = [i["networkCardIndex"] for i in interfaces if i["interfaceType"] == "efa-only"]
    if len(set(places)) < len(places) or len(set(cards)) < len(cards):
        raise Refused("networkInterfaces: a place twice, or two efa devices on a network card")
    primary = {"networkCardIndex": 0, "deviceIndex": 0, "interfaceType": "interface"}
    if interfaces and primary not in interfaces:
        raise Refused("networkInterfaces: no interface of kind 'interface' in place 0 of card 0")


def validate(document: dict) -> None:
    kind = document["kind"]
    part = {"NodePool": "pool", "EC2NodeClass": "class"}.get(kind)
    if part is None:
        raise Refused(f"no schema for kind {kind}")
    # The part of this kind first: its complaint names the field.
    schema = {"$ref": f"#/$defs/{part}", "$defs": SCHEMA["$defs"]}
    for value, rules, start in ((document.get("spec"), schema, ["spec"]), (document, SCHEMA, [])):
        errors = jsonschema.Draft202012Validator(rules).iter_errors(value)
        error = jsonschema.exceptions.best_match(errors)
        if error:
            where = ".".join(str(step) for step in [*start, *error.absolute_path])
            raise Refused(f"{kind}: {where}: {error.message}")
    documents.check_metadata(document)
    {"NodePool": check_pool, "EC2NodeClass": check_class}[kind](document["spec"])


def candidate(pool: dict, classes: dict) -> dict:
    spec = pool["spec"]
    template = spec["template"]["spec"]
    reference = template["nodeClassRef"]
    if [reference["group"], reference["kind"]] != [AWS, "EC2NodeClass"]:
        raise Refused(f"nodeClassRef: no {reference['kind']} of {reference['group']}")
    if reference["name"] not in classes:
        raise Refused(f"nodeClassRef: EC2NodeClass {reference['name']!r} is not in the file")
    row = {"pool": pool["metadata"]["name"], "weight": spec.get("weight")}
    for rule in template["requirements"]:
        if rule["key"] in MEANING:
            values = rule.get("values", [])
            plain = values[0] if len(values) == 1 else values
            row[MEANING[rule["key"]]] = plain if rule["operator"] == "In" else rule
    if str(row.get("count")).isdigit():
        row["count"] = int(row["count"])
    if "capacity_type" in row:
        row["spot"] = row["capacity_type"] == "spot"
    return row | {
        "requirements": template["requirements"],
        "limits": spec.get("limits", {}),
        "taints": template.get("taints", []),
        "class": classes[reference["name"]],
    }


def check(directory: Path) -> tuple:
    found = documents.load(directory / "nodepool.yaml")
    for document in found:
        validate(document)
    classes = {d["metadata"]["name"]: d["spec"] for d in found if d["kind"] == "EC2NodeClass"}
    candidates = [candidate(d, classes) for d in found if d["kind"] == "NodePool"]
    if not candidates:
        raise Refused("no NodePool")
    return "", {"candidates": candidates}


if __name__ == "__main__":
    reports.main(check)
