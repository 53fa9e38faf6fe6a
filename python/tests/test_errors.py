"""Errors are exceptions with the fields of the JSON document."""

import pickle
import warnings

import pytest

import sky_accel
from sky_accel import _call, _native


def test_an_error_has_its_place_and_its_corrections():
    with pytest.raises(sky_accel.UsageError) as caught:
        sky_accel.resolve("A100:80GB:x8|H10:x8")
    error = caught.value
    assert isinstance(error, sky_accel.Error) and isinstance(error, ValueError)
    assert error.code == "spec.unknown-accelerator"
    assert error.exit_code == 2
    assert error.span == (13, 16)
    assert "H100" in error.hints
    assert error.hints[0] in str(error)
    assert error.answer is None


def test_all_errors_of_a_spec_are_reported():
    with pytest.raises(sky_accel.UsageError) as caught:
        sky_accel.resolve("H100:x0:colour=red")
    assert len(caught.value.more) == 1


def test_an_error_in_a_file_has_its_place(tmp_path):
    overlay = tmp_path / "mine.toml"
    overlay.write_text("[[accelerator]]\nid = 3\n")
    with pytest.raises(sky_accel.CatalogError) as caught:
        sky_accel.catalog_verify(overlay)
    assert caught.value.place.endswith("mine.toml:2:6")
    assert caught.value.place in str(caught.value)


def test_errors_are_sent_between_processes():
    with pytest.raises(sky_accel.UsageError) as caught:
        sky_accel.resolve("H10")
    copied = pickle.loads(pickle.dumps(caught.value))
    assert type(copied) is sky_accel.UsageError
    assert (copied.code, copied.hints, str(copied)) == (
        caught.value.code,
        caught.value.hints,
        str(caught.value),
    )


def answering(monkeypatch, exit_code, stdout=b"", stderr=b""):
    monkeypatch.setattr(_native, "answer", lambda words, source, today: (exit_code, stdout, stderr))


FAILED = b'{"schema": "sky-accel.error.v1", "error": {"code": "provider.timeout", "message": "no answer", "hints": ["use --timeout 60s"], "provider": "vastai"}}'


@pytest.mark.parametrize(
    "exit_code, of_class",
    [
        (1, sky_accel.NothingMatchesError),
        (3, sky_accel.CredentialsError),
        (4, sky_accel.ProviderError),
        (6, sky_accel.CatalogError),
        (7, sky_accel.OutdatedError),
        (74, sky_accel.OutputError),
        (70, sky_accel.Error),
    ],
)
def test_an_exit_code_is_a_class(monkeypatch, exit_code, of_class):
    answering(monkeypatch, exit_code, stderr=FAILED)
    with pytest.raises(of_class) as caught:
        sky_accel.resolve("H100")
    assert (caught.value.exit_code, caught.value.provider) == (exit_code, "vastai")
    assert caught.value.hints == ("use timeout 60s",)


def test_a_partial_answer_is_an_answer_with_a_warning(monkeypatch):
    answering(monkeypatch, 5, b'{"results": []}', FAILED)
    with pytest.warns(sky_accel.PartialAnswerWarning, match="no answer") as caught:
        assert sky_accel.resolve("H100") == {"results": []}
    assert caught[0].filename == __file__


def test_an_interruption_is_that_of_python(monkeypatch):
    answering(monkeypatch, 130)
    with pytest.raises(KeyboardInterrupt):
        sky_accel.resolve("H100")


def test_an_error_without_a_document_has_its_text(monkeypatch):
    answering(monkeypatch, 70, stderr=b"internal error at a.rs:1:2; please report it")
    with pytest.raises(sky_accel.Error, match="please report it") as caught:
        sky_accel.resolve("H100")
    assert caught.value.code == "internal"


def test_no_warning_without_a_reason():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sky_accel.resolve("H100")


def test_flags_in_messages_are_parameters():
    described = _call._Command(("resolve",), {}, sky_accel.resolve.__wrapped__)
    assert described.in_python("'--max-price <USD>' and --nothing") == "'max_price' and --nothing"
