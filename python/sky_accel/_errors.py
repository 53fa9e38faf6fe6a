"""Errors of sky-accel as exceptions."""

from __future__ import annotations

import json
from typing import Any, Dict, List, Mapping, Tuple, Type, Union

__all__ = [
    "CatalogError",
    "CredentialsError",
    "Error",
    "NothingMatchesError",
    "OutdatedError",
    "OutputError",
    "PartialAnswerWarning",
    "ProviderError",
    "UsageError",
]


class Error(Exception):
    """An error of sky-accel.

    code: A stable code, such as spec.unknown-accelerator; docs/errors.md lists them
    exit_code: The exit code of the command line
    message: The error as a sentence
    hints: Corrections, or advice
    place: `file:line:column` of an error in a file
    span: The start and the end of the error in a spec, in bytes
    provider: The provider that failed
    more: Further errors
    answer: The answer, if there is one in spite of the error
    """

    def __init__(
        self,
        message: str,
        *,
        code: str = "internal",
        exit_code: int = 70,
        hints: Tuple[str, ...] = (),
        place: Union[str, None] = None,
        span: Union[Tuple[int, int], None] = None,
        provider: Union[str, None] = None,
        more: Tuple[Error, ...] = (),
        answer: Union[Mapping[str, Any], None] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code
        self.exit_code = exit_code
        self.hints = hints
        self.place = place
        self.span = span
        self.provider = provider
        self.more = more
        self.answer = answer

    def __str__(self) -> str:
        parts = [f"{self.place}: " if self.place else "", self.message]
        if self.hints:
            parts.append(f" (hint: {', '.join(self.hints)})")
        parts.extend(f"; {error}" for error in self.more)
        return "".join(parts)

    def __reduce__(self) -> Tuple[Any, ...]:
        # Other processes, such as those of a pool, receive errors too.
        return (type(self), (self.message,), self.__dict__)


class NothingMatchesError(Error):
    """Nothing matches, and there is no answer that says why (exit code 1)."""


class UsageError(Error, ValueError):
    """A spec or a value is invalid (exit code 2)."""


class CredentialsError(Error):
    """Credentials are missing, or a provider rejected them (exit code 3)."""


class ProviderError(Error):
    """No provider answered (exit code 4)."""


class CatalogError(Error):
    """A config file, a catalog or a lock file is invalid (exit code 6)."""


class OutdatedError(Error):
    """All prices are older than `max_age`, or a plan differs from its lock file (exit code 7)."""


class OutputError(Error, OSError):
    """A file cannot be written (exit code 74)."""


class PartialAnswerWarning(UserWarning):
    """Some providers did not answer (exit code 5): the answer has the others."""


_TOO_OLD = 7

_CLASSES: Dict[int, Type[Error]] = {
    1: NothingMatchesError,
    2: UsageError,
    3: CredentialsError,
    4: ProviderError,
    6: CatalogError,
    _TOO_OLD: OutdatedError,
    74: OutputError,
}


def error_of(exit_code: int, stderr: str) -> Error:
    """Return the error that a command printed."""
    errors = _printed(stderr)
    if not errors:
        # `recommend` answers with advice in place of an error document.
        code = "data.too-old" if exit_code == _TOO_OLD else "internal"
        message = stderr.strip() or f"exit code {exit_code}"
        return _CLASSES.get(exit_code, Error)(message, code=code, exit_code=exit_code)
    first, *others = [_of(exit_code, fields) for fields in errors]
    first.more = tuple(others)
    return first


def _printed(stderr: str) -> List[Dict[str, Any]]:
    """Return the fields of all errors in the printed documents."""
    decoder = json.JSONDecoder()
    errors: List[Dict[str, Any]] = []
    at = stderr.find("{")
    while at >= 0:
        try:
            document, end = decoder.raw_decode(stderr, at)
        except ValueError:
            break
        errors.extend([document["error"], *document.get("more", [])])
        at = stderr.find("{", end)
    return errors


def _of(exit_code: int, fields: Dict[str, Any]) -> Error:
    span = fields.get("span")
    return _CLASSES.get(exit_code, Error)(
        fields["message"],
        code=fields["code"],
        exit_code=exit_code,
        hints=tuple(fields.get("hints") or ()),
        place=fields.get("place"),
        span=(span["start"], span["end"]) if span else None,
        provider=fields.get("provider"),
    )
