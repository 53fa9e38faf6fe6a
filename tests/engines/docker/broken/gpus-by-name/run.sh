#!/usr/bin/env bash
set -euo pipefail

exec docker run --rm --gpus h100 --shm-size 16g --env 'NAME=a "quoted" value' \
  pytorch/pytorch:2.8.0-cuda12.8-cudnn9-runtime nvidia-smi
