#!/usr/bin/env bash
set -euo pipefail
aws ec2 run-instances --image-id "$IMAGE_ID" --count 1 --instance-type g6.12xlarge
