#!/usr/bin/env bash
set -euo pipefail

exec docker run --rm --device /dev/kfd --device /dev/dri --group-add video rocm/pytorch rocm-smi
