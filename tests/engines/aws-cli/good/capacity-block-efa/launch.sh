#!/usr/bin/env bash
set -euo pipefail
export AWS_DEFAULT_REGION=us-east-2

aws ec2 create-placement-group --group-name ring --strategy cluster
aws ec2 run-instances --image-id "$IMAGE_ID" --key-name "$KEY_NAME" --count 2 \
  --instance-type p5.48xlarge --placement GroupName=ring \
  --instance-market-options '{"MarketType": "capacity-block"}' \
  --capacity-reservation-specification \
  "{\"CapacityReservationTarget\": {\"CapacityReservationId\": \"$CAPACITY_RESERVATION_ID\"}}" \
  --network-interfaces \
  "NetworkCardIndex=0,DeviceIndex=0,InterfaceType=efa,SubnetId=$SUBNET_ID,Groups=$SECURITY_GROUP_ID" \
  "NetworkCardIndex=1,DeviceIndex=1,InterfaceType=efa,SubnetId=$SUBNET_ID,Groups=$SECURITY_GROUP_ID"
