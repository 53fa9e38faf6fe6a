"""Checks job.yaml and node-pool.tf.json for Azure Kubernetes Service: see ../node_pools.py."""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import node_pools
import reports

if __name__ == "__main__":
    reports.main(node_pools.check)
