"""Kubernetes documents: read, put to kubernetes-validate, and asked for what their pods want.

The schemas leave some rules to the API server. Those that a render could break are here or in
documents.py: a field given twice, names and labels, whole numbers of devices, requests that differ
from limits, the restart policy of a Job, completions of an Indexed one.
"""

import re
from pathlib import Path

import kubernetes_validate
from documents import LABEL, check_metadata, load
from reports import Refused

VERSION = "1.34.0"
MEANING = {
    "nvidia.com/gpu.product": "accelerator",
    "amd.com/gpu.product-name": "accelerator",
    "cloud.google.com/gke-accelerator": "accelerator",
    "cloud.google.com/gke-tpu-accelerator": "accelerator",
    "karpenter.k8s.aws/instance-gpu-name": "accelerator",
    "karpenter.k8s.aws/instance-accelerator-name": "accelerator",
    "node.kubernetes.io/instance-type": "instance_type",
    "topology.kubernetes.io/region": "region",
    "karpenter.sh/capacity-type": "capacity_type",
}


def read(path: Path) -> list:
    documents = load(path)
    for document in documents:
        kind = document["kind"]
        try:
            if kind == "LeaderWorkerSet":
                check_set(document)
                check_metadata(document)
                continue
            kubernetes_validate.validate(document, VERSION, strict=True)
        except kubernetes_validate.ValidationError as error:
            where = ".".join(str(part) for part in error.path)
            raise Refused(f"{kind}: {where}: {error.message}") from error
        except kubernetes_validate.SchemaNotFoundError as error:
            raise Refused(error.message) from error
        check_metadata(document)
        if template := pod_of(document):
            check_pod(document, template)
    return documents


# The pod templates of a LeaderWorkerSet, whose schema is not part of Kubernetes.
TEMPLATES = ("leaderTemplate", "workerTemplate")


def check_set(document: dict) -> None:
    """The rules of LeaderWorkerSet (api v1): a size, both templates as pods, and labels that a Service can select."""
    group = document["spec"]["leaderWorkerTemplate"]
    unknown = set(document["spec"]) - {"replicas", "leaderWorkerTemplate"}
    unknown |= set(group) - {"size", "restartPolicy", *TEMPLATES}
    if unknown or document["apiVersion"] != "leaderworkerset.x-k8s.io/v1":
        raise Refused(f"LeaderWorkerSet: unknown {sorted(unknown)} or {document['apiVersion']}")
    if group.get("size", 1) < 2 or "workerTemplate" not in group:
        raise Refused("LeaderWorkerSet: a group has workers")
    for name in TEMPLATES:
        pod = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "pod"} | group[name]["metadata"], "spec": group[name]["spec"]}
        kubernetes_validate.validate(pod, VERSION, strict=True)
        check_pod(pod, pod["spec"])


def pod_of(document: dict) -> dict:
    spec = document.get("spec") or {}
    if document["kind"] == "LeaderWorkerSet":
        return spec["leaderWorkerTemplate"]["leaderTemplate"]["spec"]
    if document["kind"] == "Pod":
        return spec
    if document["kind"] == "CronJob":
        spec = spec["jobTemplate"]["spec"]
    return (spec.get("template") or {}).get("spec") or {}


def main_file(directory: Path) -> Path:
    """Servers are in their own file."""
    server = directory / "server.yaml"
    return server if server.exists() else directory / "job.yaml"


def devices(container: dict, block: str) -> dict:
    amounts = (container.get("resources") or {}).get(block) or {}
    return {name: amount for name, amount in amounts.items() if "/" in name}


def check_pod(document: dict, pod: dict) -> None:
    if document["kind"] == "Job":
        if pod.get("restartPolicy") not in ("Never", "OnFailure"):
            raise Refused('Job: restartPolicy: supported values: "OnFailure", "Never"')
        if document["spec"].get("completionMode") == "Indexed":
            if "completions" not in document["spec"]:
                raise Refused("Job: completions: required when completion mode is Indexed")
    for key, value in (pod.get("nodeSelector") or {}).items():
        if not re.fullmatch(LABEL, value):
            raise Refused(f"nodeSelector.{key}: invalid value {value!r}")
    for toleration in pod.get("tolerations") or []:
        if toleration.get("operator") == "Exists" and toleration.get("value"):
            raise Refused("tolerations: value must be empty when `operator` is 'Exists'")
    for container in pod["containers"]:
        if not container.get("image"):
            raise Refused(f"containers.{container['name']}.image: required value")
        limits, requests = devices(container, "limits"), devices(container, "requests")
        for name, amount in (limits | requests).items():
            if not re.fullmatch(r"\d+", str(amount)):
                raise Refused(f"{name}: must be an integer, not {amount}")
            if str(limits.get(name)) != str(requests.get(name, amount)):
                raise Refused(f"{name}: request must be equal to limit")


def terms(pod: dict) -> list:
    """What the pod demands of its node: for each alternative, [label, operator, values]s."""
    always = [[key, "In", [value]] for key, value in (pod.get("nodeSelector") or {}).items()]
    required = ((pod.get("affinity") or {}).get("nodeAffinity") or {}).get(
        "requiredDuringSchedulingIgnoredDuringExecution"
    ) or {"nodeSelectorTerms": [{}]}
    return [
        always
        + [
            [rule["key"], rule["operator"], rule.get("values", [])]
            for rule in term.get("matchExpressions") or []
        ]
        for term in required["nodeSelectorTerms"]
    ]


def workloads(documents: list) -> list:
    """Each container of each pod with what it is and on how many nodes it runs."""
    found = []
    for document in documents:
        spec, pod = document.get("spec") or {}, pod_of(document)
        for container in pod.get("containers", []):
            row = {
                "workload": f"{document['kind']}/{document['metadata']['name']}",
                "container": container["name"],
                "image": container["image"],
                "command": container.get("command", []) + container.get("args", []),
                "env": {e["name"]: e.get("value") for e in container.get("env") or []},
                "nodes": spec.get("parallelism", spec.get("replicas", 1)),
                "tolerations": pod.get("tolerations", []),
            }
            found.append((row, pod, container))
    return found


def meaning(rules: list) -> dict:
    """The labels that say which accelerator, instance type, region or kind of capacity."""
    found = {}
    for key, operator, values in rules:
        if operator == "In" and key in MEANING:
            found[MEANING[key]] = values[0] if len(values) == 1 else values
    if "capacity_type" in found:
        found["spot"] = found.pop("capacity_type") == "spot"
    return found
