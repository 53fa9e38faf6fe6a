#!/usr/bin/env bash
set -euo pipefail

launch() {
  aws ec2 run-instances --image-id "$IMAGE_ID" --key-name "$KEY_NAME" --count 1 "$@"
}

launch --region us-east-1 --instance-type g6.12xlarge \
  --instance-market-options '{"MarketType": "spot", "SpotOptions": {"MaxPrice": "2.50"}}' ||
  launch --region us-west-2 --instance-type g6.12xlarge
