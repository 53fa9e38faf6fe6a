"""Functions answer as the command line does."""

import json
import os
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

import sky_accel
from support import TODAY, command_line

QUESTIONS = int(os.environ.get("SKY_ACCEL_QUESTIONS", "100"))

SPECS = [
    "H100",
    "A100:80GB:x8",
    "any:24GB",
    "L4|T4",
    "4090:x2",
    "amd:x8",
    "p5.48xlarge",
    "MI300X:x8",
    "H10",
    "A100:40GB:x99",
]
MODELS = ["Llama-3.1-8B", "Qwen3-32B", "mistral-7b", "nothing-7b"]
OFFERS = [
    {"provider": "aws"},
    {"provider": ["aws", "gcp"]},
    {"provider": ["!runpod"]},
    {"region": ["EU"]},
    {"max_price": 2.5},
    {"max_price": -1},
    {"limit": 3},
    {"limit": 0},
    {"capacity_type": "spot"},
    {"currency": "EUR"},
    {"max_age": "90d"},
    {"price": "stated"},
]
# Functions with the words of their commands, arguments and options.
RANDOM = {
    "resolve": (
        "resolve",
        [SPECS],
        [
            *OFFERS,
            {"at_least": True},
            {"group_by": "provider"},
            {"sort": "accelerator"},
            {"hours": 100},
            {"commit": "1y"},
        ],
    ),
    "recommend": (
        "recommend",
        [MODELS],
        [*OFFERS, {"users": 20}, {"on": "H100"}, {"context": 8192}],
    ),
    "fit": (
        "fit",
        [SPECS, MODELS],
        [
            {"precision": "fp8"},
            {"context": "32k"},
            {"batch": 4},
            {"compile": True},
            {"workload": "lora"},
        ],
    ),
    "plan": (
        "plan",
        [SPECS],
        [*OFFERS, {"to": "skypilot"}, {"to": "kubernetes"}, {"spot_first": True}],
    ),
    "bill": (
        "bill",
        [SPECS],
        [*OFFERS, {"sessions": 20, "hours_per_session": 3}, {"storage": "200GB"}],
    ),
    "prices": ("prices", [SPECS], [{"provider": "hyperscalers"}, {"currency": "GBP"}]),
    "list_accelerators": (
        "list",
        [["hopper", "40GB+", "SXM"]],
        [{"vendor": "nvidia"}, {"mig": True}, {"min_memory": 64}],
    ),
    "show": ("show", [["H100", "p4de.24xlarge", "runpod", "nothing"]], [{}]),
    "models": ("models", [["qwen3", "text"]], [{}]),
    "mig_fit": ("mig fit", [["H100", "A30"], ["1g.10gb", "3g.40gb*2", "9g.9gb"]], [{}]),
    "mig_pack": ("mig pack", [["A100:80GB"], ["3g.40gb=4", "1g.10gb=6"]], [{}]),
    "convert": ("convert", [SPECS], [{"to": "skypilot"}, {"to": "slurm"}, {"to": "nothing"}]),
    "is_": ("is", [["nvidia", "tpu", "gpu"], ["H100", "MI300X", "A100"]], [{}]),
}


def questions():
    """Questions that stay the same in every run."""
    chosen = random.Random(7)
    for at in range(QUESTIONS):
        name = list(RANDOM)[at % len(RANDOM)]
        command, operands, options = RANDOM[name]
        given = [chosen.choice(words) for words in operands]
        yield (
            name,
            command,
            given,
            {
                key: value
                for option in chosen.sample(options, min(2, len(options)))
                for key, value in option.items()
            },
        )


def words_of(command, given, options):
    """The command line, written as a person would."""
    words = [*command.split(), "-o", "json"]
    for name, value in options.items():
        flag = "--" + name.replace("_", "-")
        for item in value if isinstance(value, list) else [value]:
            words.append(flag if item is True else f"{flag}={item}")
    return [*words, "--", *given]


def answer_of(question):
    name, command, given, options = question
    return command_line(*words_of(command, given, options))


def test_a_sample_of_questions_has_the_answers_of_the_command_line():
    asked = list(questions())
    with ThreadPoolExecutor(2) as pool:
        processes = list(pool.map(answer_of, asked))
    codes = set()
    for (name, _, given, options), process in zip(asked, processes):
        what = f"{name}({given}, {options}): {process.stderr}"
        codes.add(process.returncode)
        try:
            answer = getattr(sky_accel, name)(*given, today=TODAY, **options)
        except sky_accel.Error as error:
            assert error.exit_code == process.returncode, what
            if process.stdout:
                assert error.answer == json.loads(process.stdout), what
            if process.stderr.startswith("{"):
                assert error.code == json.loads(process.stderr)["error"]["code"], what
        else:
            assert process.returncode in (0, 1), what
            assert answer == json.loads(process.stdout), what
    assert {0, 1, 2} <= codes


def test_without_a_match_the_answer_says_why():
    answer = sky_accel.resolve("A100:40GB:x16", provider="lambda", today=TODAY)
    assert answer["results"] == []
    assert answer["nearest"] and answer["funnel"]


def test_an_answer_of_old_prices_is_part_of_the_error():
    with pytest.raises(sky_accel.OutdatedError, match="without max_age") as caught:
        sky_accel.recommend("Llama-3.1-8B", max_age="1d", today=TODAY)
    assert caught.value.code == "data.too-old"
    assert caught.value.answer["results"] == []


def test_a_recommendation_becomes_a_plan():
    recommended = sky_accel.recommend("Llama-3.1-8B", users=4, limit=2, today=TODAY)
    plan = sky_accel.plan(recommended, to="kubernetes", today=TODAY)
    assert plan["schema"] == "sky-accel.plan.v1"
    assert plan["render"]
    with pytest.raises(sky_accel.UsageError):
        sky_accel.plan({"schema": "nothing"})


def test_results_are_rows_of_a_table():
    results = sky_accel.resolve("H100:x8", today=TODAY)["results"]
    assert all(isinstance(row, dict) for row in results)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(results)
    assert len(frame) == len(results)
    assert frame["provider"].tolist() == [row["provider"] for row in results]


def test_a_day_is_a_date_or_text():
    import datetime

    day = datetime.date.fromisoformat(TODAY)
    assert sky_accel.resolve("H100", today=day) == sky_accel.resolve("H100", today=TODAY)
    with pytest.raises(TypeError, match="today"):
        sky_accel.resolve("H100", today=20261120)
    with pytest.raises(ValueError, match="2026-07-20"):
        sky_accel.resolve("H100", today="tomorrow")


def test_an_overlay_and_a_config_file_count_only_where_they_are_named(tmp_path, monkeypatch):
    config = tmp_path / "config.toml"
    config.write_text('provider = ["aws"]\n')
    monkeypatch.setenv("SKY_ACCEL_PROVIDER", "gcp")
    found = sky_accel.resolve("H100:x8", today=TODAY)
    assert {row["provider"] for row in found["results"]} > {"aws", "gcp"}
    monkeypatch.delenv("SKY_ACCEL_PROVIDER")
    named = sky_accel.resolve("H100:x8", config=config, today=TODAY)
    assert {row["provider"] for row in named["results"]} == {"aws"}
    with pytest.raises(sky_accel.CatalogError) as caught:
        sky_accel.resolve("H100", catalog=[tmp_path / "nothing"], today=TODAY)
    assert caught.value.exit_code == 6
