#!/usr/bin/env bash
set -euo pipefail

rent() { # QUERY TYPE [CREATE OPTION...]
  local query=$1 type=$2 offer reply
  shift 2
  offer=$(vastai search offers "$query" --type "$type" --storage 200 -o dph --limit 1 --raw |
    jq -r '.[0].id // empty')
  [ -n "$offer" ] || return 1
  reply=$(vastai create instance "$offer" --image pytorch/pytorch:2.8.0 --disk 200 \
    --env '-e NAME=value' --onstart-cmd "nvidia-smi; echo it\'s up" \
    --ssh --direct --cancel-unavail "$@" --raw)
  [ "$(jq -r .success <<<"$reply")" = true ]
}

rent 'gpu_name=H100_SXM num_gpus>=>8 gpu_ram>=76 gpu_ram<84 geolocation in [US,CA]' bid \
  --bid_price 14.5 ||
  rent 'gpu_name in [H100_SXM,H100_PCIE] num_gpus=8 cuda_vers>=12.8 dph<=20' on-demand ||
  { echo 'no offer' >&2; exit 1; }
