#!/usr/bin/env bash
set -euo pipefail

nvidia-smi mig -i 0 -cgi 9:0 -C
