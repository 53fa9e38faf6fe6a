"""The package is typed: mypy accepts it, and a sample that uses it."""

import pathlib
import subprocess
import sys

import pytest

import sky_accel


def test_the_package_and_a_sample_are_typed(tmp_path):
    pytest.importorskip("mypy")
    package = pathlib.Path(sky_accel.__file__).parent
    sample = pathlib.Path(__file__).parent / "sample.py"
    line = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={tmp_path}", package, sample]
    checked = subprocess.run(line, capture_output=True, text=True, timeout=300)
    assert checked.returncode == 0, checked.stdout + checked.stderr
