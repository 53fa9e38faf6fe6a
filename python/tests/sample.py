"""Calls that type checkers accept, and calls that they do not."""

import datetime
from pathlib import Path
from typing import List

import sky_accel
from sky_accel import Accelerator, answers

answer = sky_accel.resolve(
    Accelerator("A100", memory=80, count=8), "H100:x8", provider=["aws", "gcp"], limit=3
)
ids: List[str] = [row["instance_type"] for row in answer["results"]]
typed: answers.ResolveAnswer = answer
sky_accel.fit("H100", "Llama-3.1-8B", compile=False, context="32k", batch=4)
sky_accel.recommend("Llama-3.1-70B", concurrency=50, max_ttft=datetime.timedelta(seconds=2))
plan = sky_accel.plan(
    "H100:x8", to="skypilot", catalog=[Path("mine")], today=datetime.date(2026, 11, 20)
)
bill = sky_accel.bill(answer, hours=100)
is_nvidia: bool = sky_accel.is_nvidia("H100")
try:
    sky_accel.convert("H100", to="skypilot")
except sky_accel.UsageError as error:
    hints: tuple[str, ...] = error.hints

sky_accel.resolve("H100", providr="aws")  # type: ignore[call-arg]
sky_accel.resolve("H100", provider=3)  # type: ignore[arg-type]
sky_accel.resolve("H100", sort="nothing")  # type: ignore[arg-type]
sky_accel.convert("H100")  # type: ignore[call-arg]
answer["result"]  # type: ignore[misc]
