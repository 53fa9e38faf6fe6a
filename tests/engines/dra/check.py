"""Puts job.yaml to kubernetes-validate (schemas of 1.34) and its selectors to cel-python.

Every CEL selector is compiled and evaluated against the devices below, as the NVIDIA driver
publishes them; `matches` names those that a request would take. References from containers to
claims and from claims to templates must lead somewhere. Not checked: whether a cluster has such
devices, placement of slices on a card, limits on the cost of an expression.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import cel
import manifests
import reports
from celpy import celtypes
from reports import Refused

DRIVER = "gpu.nvidia.com"
CLASSES = {"gpu.nvidia.com": "gpu", "mig.nvidia.com": "mig"}

# Product, memory as NVML reports it in MiB, architecture, compute capability, MIG profile.
SAMPLES = {
    "t4": ("Tesla T4", 15360, "Turing", "7.5.0", None),
    "a10g": ("NVIDIA A10G", 23028, "Ampere", "8.6.0", None),
    "l4": ("NVIDIA L4", 23034, "Ada Lovelace", "8.9.0", None),
    "l40s": ("NVIDIA L40S", 46068, "Ada Lovelace", "8.9.0", None),
    "a100-40": ("NVIDIA A100-SXM4-40GB", 40960, "Ampere", "8.0.0", None),
    "a100-80": ("NVIDIA A100-SXM4-80GB", 81920, "Ampere", "8.0.0", None),
    "h100-80": ("NVIDIA H100 80GB HBM3", 81559, "Hopper", "9.0.0", None),
    "h100-nvl": ("NVIDIA H100 NVL", 95830, "Hopper", "9.0.0", None),
    "h200": ("NVIDIA H200", 143771, "Hopper", "9.0.0", None),
    "gh200": ("NVIDIA GH200 480GB", 97871, "Hopper", "9.0.0", None),
    "b200": ("NVIDIA B200", 183359, "Blackwell", "10.0.0", None),
    "a100-40-mig-1g.5gb": ("NVIDIA A100-SXM4-40GB", 4864, "Ampere", "8.0.0", "1g.5gb"),
    "a100-80-mig-3g.40gb": ("NVIDIA A100-SXM4-80GB", 40192, "Ampere", "8.0.0", "3g.40gb"),
    "h100-80-mig-3g.40gb": ("NVIDIA H100 80GB HBM3", 40448, "Hopper", "9.0.0", "3g.40gb"),
    "h100-80-mig-1g.10gb": ("NVIDIA H100 80GB HBM3", 9984, "Hopper", "9.0.0", "1g.10gb"),
}


def device(name: str):
    product, mebibytes, architecture, capability, profile = SAMPLES[name]
    attributes = {
        "type": "mig" if profile else "gpu",
        "uuid": f"{'MIG' if profile else 'GPU'}-{name}",
        "productName": product,
        "brand": "Tesla" if product.startswith("Tesla") else "Nvidia",
        "architecture": architecture,
        "cudaComputeCapability": cel.Semver(capability),
        "driverVersion": cel.Semver("580.95.5"),
        "cudaDriverVersion": cel.Semver("13.0.0"),
    }
    if profile:
        attributes |= {"profile": profile, "parentUUID": f"GPU-{name}"}
    return cel_map(
        driver=DRIVER,
        attributes={DRIVER: attributes},
        capacity={DRIVER: {"memory": cel.Quantity(f"{mebibytes}Mi")}},
        allowMultipleAllocations=False,
    )


def cel_map(**fields):
    return celtypes.MapType({celtypes.StringType(k): cel_value(v) for k, v in fields.items()})


def cel_value(value):
    if isinstance(value, dict):
        return cel_map(**value)
    if isinstance(value, bool):
        return celtypes.BoolType(value)
    return celtypes.StringType(value) if isinstance(value, str) else value


def matches(wish: dict) -> list:
    """The sample devices of the class that every selector of the request takes."""
    kind = CLASSES.get(wish["deviceClassName"])
    found = [name for name, sample in SAMPLES.items() if kind == ("mig" if sample[4] else "gpu")]
    for selector in wish.get("selectors") or []:
        expression = selector["cel"]["expression"]
        try:
            compiled = cel.program(expression)
            found = [name for name in found if cel.holds(compiled, device=device(name))]
        except Exception as error:
            raise Refused(f"cel: {reports.first_line(error)}: {expression}") from error
    return found


def claims(documents: list) -> dict:
    """Requests by (kind, name) of what a pod can refer to."""
    found = {}
    for document in documents:
        spec = document.get("spec") or {}
        if document["kind"] == "ResourceClaimTemplate":
            spec = spec["spec"]
        elif document["kind"] != "ResourceClaim":
            continue
        devices = spec.get("devices") or {}
        requests = devices.get("requests") or []
        known = {r["name"] for r in requests}
        known |= {f"{r['name']}/{s['name']}" for r in requests for s in r.get("firstAvailable", [])}
        for rule in devices.get("constraints") or []:
            if not set(rule.get("requests") or []) <= known:
                raise Refused(f"constraints: {rule['requests']} must be the name of a request")
            if "/" not in rule.get("matchAttribute", ""):
                raise Refused("constraints: matchAttribute: must include a domain")
        found[document["kind"], document["metadata"]["name"]] = devices
    return found


def alternatives(request: dict) -> list:
    """A request's wishes in the order in which the scheduler tries them."""
    if ("exactly" in request) == ("firstAvailable" in request):
        raise Refused(f"{request['name']}: one of `exactly` and `firstAvailable` is required")
    return request.get("firstAvailable") or [request["exactly"]]


def devices_of(pod: dict, container: dict, known: dict) -> list:
    """The device blocks that a container's claims lead to, with the request it names, if any."""
    sources = {}
    for claim in pod.get("resourceClaims") or []:
        template, name = claim.get("resourceClaimTemplateName"), claim.get("resourceClaimName")
        key = ("ResourceClaimTemplate", template) if template else ("ResourceClaim", name)
        if key not in known:
            raise Refused(f"resourceClaims.{claim['name']}: {key[0]} {key[1]} is not in the file")
        sources[claim["name"]] = known[key]
    found = []
    for claim in (container.get("resources") or {}).get("claims") or []:
        if claim["name"] not in sources:
            raise Refused(f"resources.claims: no claim {claim['name']!r} in the pod")
        found.append((sources[claim["name"]], claim.get("request")))
    return found


def check(directory: Path) -> tuple:
    documents = manifests.read(manifests.main_file(directory))
    known, candidates = claims(documents), []
    for row, pod, container in manifests.workloads(documents):
        for block, only in devices_of(pod, container, known):
            for request in block.get("requests") or []:
                for order, wish in enumerate(alternatives(request)):
                    if only not in (None, request["name"]):
                        continue
                    taken = matches(wish)
                    mode = wish.get("allocationMode", "ExactCount")
                    selectors = [s["cel"]["expression"] for s in wish.get("selectors") or []]
                    candidates.append(
                        row
                        | {
                            "request": request["name"],
                            "order": order,
                            "device_class": wish["deviceClassName"],
                            "count": wish.get("count", 1) if mode == "ExactCount" else mode,
                            "selectors": selectors,
                            "matches": taken,
                            "accelerator": sorted({SAMPLES[name][0] for name in taken}),
                            "constraints": block.get("constraints", []),
                        }
                    )
    if not candidates:
        raise Refused("no container asks for a device by claim")
    names = [f"{d['kind']}/{d['metadata']['name']}" for d in documents]
    return "", {"candidates": candidates, "documents": names}


if __name__ == "__main__":
    reports.main(check)
