"""The kinds of values that parameters take, and their words on a command line."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import (
    TYPE_CHECKING,
    Any,
    Callable,
    Dict,
    List,
    SupportsFloat,
    SupportsIndex,
    Tuple,
    TypeVar,
    Union,
)

from ._accelerator import Accelerator

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

T = TypeVar("T")

# The annotations of `_commands.py` are these names: `words_of` converts a value by the name.

Answer: TypeAlias = Mapping[str, Any]
"""An answer of `resolve` or `recommend`."""
Day: TypeAlias = Union[date, str]
"""A day, or its text: 2026-07-20."""
Duration: TypeAlias = Union[float, timedelta, str]
"""A time: a number of seconds, or text with a unit such as 90m."""
File: TypeAlias = Union[str, "os.PathLike[str]"]
Flag: TypeAlias = bool
FlagOr: TypeAlias = Union[bool, T]
"""True, or True with a value."""
Many: TypeAlias = Union[T, Iterable[T]]
Number: TypeAlias = Union[float, str]
"""A number, or text with a unit such as 32k or 200GB."""
Spec: TypeAlias = Union[str, Accelerator]
Switch: TypeAlias = bool
"""A flag that can also be turned off."""
Text: TypeAlias = Union[str, Accelerator]
Time: TypeAlias = Union[float, timedelta, str]
"""A time: a number in the unit of the parameter, or text with a unit such as 90m."""
Whole: TypeAlias = Union[int, str]


def words_of(field: str, annotation: str, value: object, flag: str) -> List[str]:
    """Return the words of an option that is given."""
    outer, inner = kinds_of(annotation)
    if outer == "Flag":
        return [flag] if _checked(field, value, bool, "True or False") else []
    if outer == "Switch":
        is_on = _checked(field, value, bool, "True or False")
        return [f"{flag}={'true' if is_on else 'false'}"]
    if outer == "FlagOr" and isinstance(value, bool):
        return [flag] if value else []
    if outer == "Many":
        return [f"{flag}={text_of(field, inner, item)}" for item in _items(field, value)]
    return [f"{flag}={text_of(field, inner, value)}"]


def text_of(field: str, kind: str, value: object) -> str:
    """Return a value as text."""
    convert, expected = _KINDS.get(kind, _KINDS["Text"])
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{field}: expected a finite number, got {value}")
    text = value if isinstance(value, str) else convert(value)
    if text is None:
        name = type(value).__name__
        raise TypeError(f"{field}: expected {expected}, got {value!r:.80} of type {name}")
    if text == "-":
        raise ValueError(f"{field}: `-` is standard input, which functions do not read")
    if "\0" in text:
        raise ValueError(f"{field}: contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{field}: {text!r:.80} is not valid Unicode") from None
    return text


def kinds_of(annotation: str) -> Tuple[str, str]:
    """Return the outer and the inner kind of an annotation: `Many[File] | None` is ("Many", "File")."""
    outer, _, rest = annotation.split(" | ")[0].partition("[")
    if outer not in ("Many", "FlagOr"):
        return outer, outer
    return outer, rest.rstrip("]").partition("[")[0]


def _items(field: str, value: object) -> List[object]:
    """Return the items of a list, or a single value as a list."""
    if isinstance(value, Mapping):
        return [f"{key}={item}" for key, item in value.items()]
    if isinstance(value, (str, Accelerator, os.PathLike)) or not isinstance(value, Iterable):
        return [value]
    items = list(value)
    if not items:
        raise ValueError(f"{field}: the list is empty; leave the parameter out, or pass None")
    return items


def _checked(field: str, value: object, of: type, expected: str) -> bool:
    if not isinstance(value, of):
        name = type(value).__name__
        raise TypeError(f"{field}: expected {expected}, got {value!r:.80} of type {name}")
    return bool(value)


def _text(value: object) -> str | None:
    return str(value) if isinstance(value, Accelerator) else None


def _whole(value: object) -> str | None:
    # The numbers of numpy too.
    return (
        str(value.__index__()) if _is_number(value) and isinstance(value, SupportsIndex) else None
    )


def _number(value: object) -> str | None:
    if not _is_number(value):
        return None
    return _whole(value) or (repr(float(value)) if isinstance(value, SupportsFloat) else None)


def _is_number(value: object) -> bool:
    return not isinstance(value, (bool, str))


def _time(value: object) -> str | None:
    if isinstance(value, timedelta):
        return f"{value.total_seconds():f}s"
    return _number(value)


def _duration(value: object) -> str | None:
    text = _time(value)
    return text if text is None or isinstance(value, timedelta) else f"{text}s"


def _file(value: object) -> str | None:
    path = os.fspath(value) if isinstance(value, os.PathLike) else None
    return path if isinstance(path, str) else None


def _day(value: object) -> str | None:
    # A time is a date too, but no day.
    return value.isoformat() if type(value) is date else None


_KINDS: Dict[str, Tuple[Callable[[object], "str | None"], str]] = {
    "Day": (_day, "a date or text"),
    "Duration": (_duration, "seconds, a timedelta or text"),
    "File": (_file, "a path or text"),
    "Number": (_number, "a number or text"),
    "Text": (_text, "text"),
    "Time": (_time, "a number, a timedelta or text"),
    "Whole": (_whole, "a whole number"),
}
