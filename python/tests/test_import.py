"""The names of the package are imported when they are used."""

import subprocess
import sys

import pytest

import sky_accel


def test_every_name_is_known():
    assert {"resolve", "Accelerator", "is_nvidia", "__version__"} <= set(sky_accel.__all__)
    assert set(sky_accel.__all__) <= set(dir(sky_accel))
    assert sky_accel.__version__.count(".") == 2
    names = {}
    exec("from sky_accel import *; from sky_accel import answers", names)
    assert names["resolve"] is sky_accel.resolve
    assert names["answers"].ResolveAnswer
    with pytest.raises(AttributeError, match="no attribute 'resolv'"):
        sky_accel.resolv  # noqa: B018


def test_the_command_imports_only_what_it_uses():
    line = "import sys, sky_accel.__main__; print('json' in sys.modules, 'typing' in sys.modules)"
    checked = subprocess.run([sys.executable, "-S", "-c", line], capture_output=True, text=True)
    assert checked.stdout == "False False\n", checked.stderr
