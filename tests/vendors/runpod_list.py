"""Prints what RunPod's own client lists: {"gpus": [...]}. Reads RUNPOD_API_BASE_URL and
RUNPOD_API_KEY."""

import json
import os
import sys

import runpod


def main() -> None:
    runpod.api_key = os.environ["RUNPOD_API_KEY"]
    rows = []
    for listed in runpod.get_gpus():
        if listed["id"] == "unknown":
            continue
        for count in (1, 8):
            gpu = runpod.get_gpu(listed["id"], count)
            lowest = gpu["lowestPrice"]
            rows.append(
                {
                    "id": gpu["id"],
                    "count": count,
                    "memory_gb": gpu["memoryInGb"],
                    "secure_price": gpu["securePrice"],
                    "community_price": gpu["communityPrice"],
                    "lowest_price": lowest["uninterruptablePrice"],
                    "lowest_bid": lowest["minimumBidPrice"],
                }
            )
    rows.sort(key=lambda row: (row["id"], row["count"]))
    if not rows:
        sys.exit("no GPU types")
    json.dump({"gpus": rows}, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
