#!/usr/bin/env bash
set -euo pipefail

nvidia-smi -i 0 -mig 1
nvidia-smi mig -i 0 -cgi 9:4
nvidia-smi mig -i 0 -gi "$(nvidia-smi mig -i 0 -lgi | awk '$7 == "0:4" { print $6 }')" -cci 0,0,0
