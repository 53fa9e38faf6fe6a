"""Checks a rendered `pod.json` against the rules of RunPod's REST v2.

RunPod offers no offline validator, and its Python client speaks an older interface. The rules of
`POST /v2/pods` are restated in `schema.json`: what is required, which keys exist, what excludes
what. A body of the older v1 (`imageName`, `gpuTypeIds`) is refused, as the service refuses it.

Not checked: that a GPU, a data center or an image exists, and that the count is sold.
"""

import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

SCHEMA = Path(__file__).with_name("schema.json")


def refuse_constant(word):
    raise ValueError(f"{word} is not JSON")


def check(path, validator):
    body = json.loads(path.read_text(), parse_constant=refuse_constant)
    error = best_match(validator.iter_errors(body))
    if error:
        where = "/".join(str(step) for step in error.absolute_path)
        what = error.message
        if error.validator in ("anyOf", "oneOf", "not"):  # The message would repeat the body.
            what = f"{error.validator} {json.dumps(error.validator_value)} does not hold"
        raise ValueError(f"{where}: {what}" if where else what)
    gpu = body.get("gpu", {})
    found = {
        "accelerator": gpu.get("id"), "count": gpu.get("count", 1),
        "cuda_min": gpu.get("minCudaVersion"), "cuda_allowed": gpu.get("allowedCudaVersions"),
        "region": body.get("dataCenterIds"), "cloud": body.get("cloud", "SECURE"),
        "image": body.get("image"), "disk": body.get("disk"), "ports": body.get("ports"),
        "mounts": body.get("mounts"),
    }
    kept = {key: value for key, value in found.items() if value is not None}
    return {"name": body["name"], "env": body.get("env", {}), "candidates": [kept]}


def main():
    validator = Draft202012Validator(json.loads(SCHEMA.read_text()))
    for folder in sys.argv[1:]:
        line = {"dir": folder, "accepted": True, "message": "", "parsed": {}}
        try:
            line["parsed"] = check(Path(folder, "pod.json"), validator)
        except (OSError, ValueError) as error:
            line["accepted"], line["message"] = False, str(error).splitlines()[0]
        print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
