"""Tests of the Python package run on the frozen catalog of the other tests."""

import os

# Read by the native module when it answers first.
os.environ["SKY_ACCEL_TEST_CATALOG"] = "1"
