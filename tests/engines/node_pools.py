"""A Job of a managed Kubernetes and the node pool that it runs on, checked together.

The Job is put to kubernetes-validate (see manifests.py), the node pool to the schema of its
provider (see terraform/providers.py). They have to fit: as many nodes as pods at once, and labels
that follow from the pool. Not checked: whether a zone, a cluster or a label's value exists.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent / "terraform"))

import manifests
import providers
import reports

POOL = "node-pool.tf.json"
# A label of nodes -> the pool's argument that it follows.
LABELS = {
    "cloud.google.com/gke-accelerator": "node_config.guest_accelerator.type",
    "cloud.google.com/gke-gpu-partition-size": "node_config.guest_accelerator.gpu_partition_size",
    "cloud.google.com/gke-tpu-topology": "placement_policy.tpu_topology",
    "node.kubernetes.io/instance-type": "vm_size",
}


def check(directory: Path) -> tuple:
    documents = manifests.read(manifests.main_file(directory))
    pools = providers.read(directory, POOL)["candidates"]
    if len(pools) != 1:
        raise reports.Refused(f"{len(pools)} node pools")
    [pool], resources = pools, providers.resources_of(directory, POOL)
    candidates = []
    for row, pod, container in manifests.workloads(documents):
        for rules in manifests.terms(pod):
            check_labels(rules, resources[pool["kind"]])
            if row["nodes"] != pool["nodes"]:
                raise reports.Refused(f"{row['nodes']} pods, {pool['nodes']} nodes")
            meant = manifests.meaning(rules)
            wish = {"instance_type": pool.get("instance_type", []), "spot": pool["spot"]}
            # Hosts of a slice are one candidate.
            hosts = any("tpu-topology" in key for key, _, _ in rules)
            row = {key: value for key, value in row.items() if not (hosts and key == "nodes")}
            candidates.append(row | meant | wish | {"pool": pool})
    if not candidates:
        raise reports.Refused("no container asks for an accelerator")
    return "", {"candidates": candidates}


def check_labels(rules: list, body: dict) -> None:
    for key, operator, values in rules:
        wanted = providers.look(body, LABELS.get(key, key))
        if key in LABELS and wanted is not None and [wanted] != values:
            raise reports.Refused(f"{key} is {values[0]}, that of the pool {wanted}")

