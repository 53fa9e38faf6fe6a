"""Python arguments, and what is wrong with them."""

import datetime
import fractions
import inspect
import pathlib
import pickle

import pytest

import sky_accel
from sky_accel import Accelerator
from support import TODAY


@pytest.mark.parametrize(
    "given, named, part",
    [
        (("H100",), {"providr": "aws"}, "did you mean provider"),
        (("H100",), {"provider": 3}, "provider: expected text"),
        (("H100",), {"provider": ["aws", None]}, "provider: expected text"),
        (("H100",), {"limit": 2.5}, "limit: expected a whole number"),
        (("H100",), {"limit": True}, "limit: expected a whole number"),
        (("H100",), {"at_least": 1}, "at_least: expected True or False"),
        (("H100",), {"max_price": [2]}, "max_price: expected a number"),
        (("H100",), {"catalog": b"folder"}, "catalog: expected a path"),
        ((["H100", "A100"],), {}, "specs: expected text"),
        ((3,), {}, "specs: expected text"),
    ],
)
def test_a_wrong_type_names_the_parameter(given, named, part):
    with pytest.raises(TypeError, match=part):
        sky_accel.resolve(*given, **named)


@pytest.mark.parametrize(
    "named, part",
    [
        ({"limit": 0}, "limit"),
        ({"max_price": float("nan")}, "max_price"),
        ({"max_price": float("inf")}, "max_price"),
        ({"max_price": "two"}, "max_price"),
        ({"max_age": "90"}, "max_age"),
        ({"sort": "nothing"}, "sort"),
        ({"provider": []}, "provider: the list is empty"),
        ({"region": "a\0b"}, "region: contains a NUL"),
        ({"region": "\ud800"}, "region: .* not valid Unicode"),
        ({"nodes": 2}, "live"),
    ],
)
def test_a_wrong_value_names_the_parameter(named, part):
    with pytest.raises(ValueError, match=part) as caught:
        sky_accel.resolve("H100", **named)
    assert "--" not in str(caught.value)


def test_arguments_are_counted():
    with pytest.raises(TypeError, match="'to'"):
        sky_accel.convert("H100")
    with pytest.raises(TypeError, match="'spec'"):
        sky_accel.convert(to="skypilot")
    with pytest.raises(TypeError, match="two values for 'spec'"):
        sky_accel.convert("H100", spec="A100", to="skypilot")
    with pytest.raises(TypeError, match="positional"):
        sky_accel.convert("H100", "A100", to="skypilot")
    with pytest.raises(sky_accel.UsageError):
        sky_accel.resolve()


@pytest.mark.parametrize("word", ["--help", "--output=csv", "-h", "-", "--", "-o"])
def test_an_argument_is_never_an_option(word):
    for call in (
        lambda: sky_accel.resolve(word),
        lambda: sky_accel.show(word),
        lambda: sky_accel.fit("H100", word),
        lambda: sky_accel.convert(word, to="skypilot"),
        lambda: sky_accel.mig_fit("H100", word),
        lambda: sky_accel.is_nvidia(word),
        lambda: sky_accel.resolve("H100", region=word),
    ):
        try:
            answer = call()
        except ValueError as error:
            assert str(error)
        else:
            assert answer["results"] == []


def test_a_subcommand_is_not_an_argument():
    with pytest.raises(sky_accel.UsageError) as caught:
        sky_accel.plan("diff")
    assert caught.value.code.startswith("spec.")


def test_numbers_and_times_are_those_of_python():
    def of(**named):
        return sky_accel.resolve("H100:x8", today=TODAY, **named)["request"]

    assert of(max_price=0.1)["max_price"] == 0.1
    assert (
        of(max_price=fractions.Fraction(200, 2))
        == of(max_price=1e2)
        == of(max_price=100)
        == of(max_price="100")
    )
    assert of(hours=1.5) == of(hours=datetime.timedelta(minutes=90))
    assert of(max_age=90 * 86400) == of(max_age="90d") == of(max_age=datetime.timedelta(days=90))
    assert of(provider=("aws", "gcp")) == of(provider={"aws": 1, "gcp": 2}.keys())
    assert of(provider=None, at_least=False) == of()


def test_a_switch_can_be_turned_off():
    def of(is_compiled):
        return sky_accel.fit(
            "H100", "Llama-3.1-8B", workload="lora", compile=is_compiled, today=TODAY
        )

    assert of(True)["request"] != of(False)["request"]


def test_a_model_has_one_name():
    by_word = sky_accel.fit("H100", "Llama-3.1-8B", today=TODAY)
    assert by_word == sky_accel.fit(spec="H100", model="Llama-3.1-8B", today=TODAY)
    by_alias = sky_accel.recommend("Llama-3.1-8B", concurrency=8, today=TODAY)
    assert by_alias == sky_accel.recommend(model="Llama-3.1-8B", users=8, today=TODAY)


def test_an_accelerator_is_its_spec():
    assert str(Accelerator("H100", count=4)) == "H100:x4"
    assert str(Accelerator("A100", memory=40, form_factor="SXM")) == "A100:40GB:SXM"
    assert (
        str(Accelerator("H100", memory="80GB", mig=["3g.40gb", "1g.10gb"]))
        == "H100:80GB:mig=3g.40gb+1g.10gb"
    )
    assert str(Accelerator("any", memory="24GB+", count="4+")) == "any:24GB+:x4+"
    assert hash(Accelerator("A30", mig=["1g.6gb"])) == hash(Accelerator("A30", mig=["1g.6gb"]))
    four = Accelerator("H100", count=4)
    assert sky_accel.resolve(four, today=TODAY) == sky_accel.resolve("H100:x4", today=TODAY)
    assert sky_accel.recommend("Llama-3.1-8B", on=four, today=TODAY)["results"]
    assert sky_accel.fit(four, "Llama-3.1-8B", today=TODAY)["results"][0]["count"] == 4
    assert repr(four) == "Accelerator('H100', count=4)"
    assert pickle.loads(pickle.dumps(four)) == four
    assert str(Accelerator("L4", count=0.5)) == "L4:x0.5"
    with pytest.raises(AttributeError):
        four.count = 8
    with pytest.raises(TypeError, match="count"):
        Accelerator("H100", count=[4])
    with pytest.raises(ValueError, match="alternatives"):
        Accelerator("H100|A100", count=4)


def test_kinds_are_those_of_the_catalog():
    assert sky_accel.is_nvidia("H100")
    assert not sky_accel.is_amd("H100")
    assert sky_accel.is_amd(Accelerator("MI300X"))
    assert sky_accel.is_tpu("TPUv5p")
    with pytest.raises(sky_accel.UsageError, match="H10"):
        sky_accel.is_nvidia("H10")


def test_a_folder_is_a_path(tmp_path):
    pathlib.Path(tmp_path, "mine.csv").write_text(
        "id,provider,accelerator,count,source\nmy-machine,aws,H100-80GB-SXM,8,mine\n"
    )
    assert sky_accel.catalog_verify(tmp_path)["schema"] == "sky-accel.catalog-verify.v1"


def test_functions_describe_themselves():
    for name in sky_accel.__all__:
        thing = getattr(sky_accel, name)
        assert thing.__doc__ or name == "__version__", name
        if inspect.isfunction(thing):
            assert inspect.signature(thing).parameters
    limit = inspect.signature(sky_accel.resolve).parameters["limit"]
    assert limit.kind is inspect.Parameter.KEYWORD_ONLY
