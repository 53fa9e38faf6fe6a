#!/usr/bin/env bash
set -euo pipefail

nvidia-smi -i 0 -mig 1
nvidia-smi mig -i 0 -cgi 9:0,9:4 -C
nvidia-smi -i 1 -mig 1
nvidia-smi mig -i 1 -cgi 14:0,19:2 -C
