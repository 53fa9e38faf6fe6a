#!/usr/bin/env bash
set -euo pipefail

nvidia-smi -i 0 -mig 1
nvidia-smi mig -i 0 -cgi 9:0
