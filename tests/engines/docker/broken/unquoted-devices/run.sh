#!/usr/bin/env bash
set -euo pipefail

exec docker run --rm --gpus device=0,1 --ipc host ubuntu:24.04 nvidia-smi
