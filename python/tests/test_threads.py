"""Threads and repetition."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import sky_accel
from support import TODAY

CALLS = int(os.environ.get("SKY_ACCEL_CALLS", "50"))


def test_threads_get_equal_answers():
    expected = sky_accel.resolve("H100:x8", limit=3, today=TODAY)

    def ask(_):
        answers = [sky_accel.resolve("H100:x8", limit=3, today=TODAY) for _ in range(CALLS)]
        return all(answer == expected for answer in answers)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(ask, range(8)))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_answers():
    expected = sky_accel.resolve("H100:x8", today=TODAY)
    child = os.fork()
    if child == 0:
        os._exit(0 if sky_accel.resolve("H100:x8", today=TODAY) == expected else 1)
    _, status = os.waitpid(child, 0)
    assert status == 0


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_repeated_calls_keep_no_memory():
    def resident_bytes():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def ask(count):
        for _ in range(count):
            sky_accel.resolve("any:24GB", today=TODAY)
            with pytest.raises(sky_accel.UsageError):
                sky_accel.resolve("H10")

    ask(20)
    before = resident_bytes()
    ask(CALLS)
    # An answer has more than 100 kB.
    assert resident_bytes() - before < 4_000_000, sys.version
