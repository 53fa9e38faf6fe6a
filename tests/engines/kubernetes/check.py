"""Puts job.yaml to kubernetes-validate: strict schemas of Kubernetes 1.34, no cluster.

A kind without a schema is refused, where the tool itself only warns. A few rules of the API server
that are not in the schemas are checked beside it (see ../manifests.py). Not checked: whether a
node, a label value or a resource name such as nvidia.com/mig-9g.99gb exists in any cluster.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import manifests
import reports


def check(directory: Path) -> tuple:
    documents = manifests.read(manifests.main_file(directory))
    candidates = []
    for row, pod, container in manifests.workloads(documents):
        for rules in manifests.terms(pod):
            for resource, amount in manifests.devices(container, "limits").items():
                wish = {"resource": resource, "count": int(amount), "requirements": rules}
                candidates.append(row | manifests.meaning(rules) | wish)
    if not candidates:
        raise reports.Refused("no container asks for an accelerator")
    names = [f"{d['kind']}/{d['metadata']['name']}" for d in documents]
    return "", {"candidates": candidates, "documents": names}


if __name__ == "__main__":
    reports.main(check)
