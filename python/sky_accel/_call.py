"""Calls of commands: Python arguments in, the answer or an exception out."""

from __future__ import annotations

import functools
import json
import re
import warnings
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Sequence, Tuple, TypeVar

from . import _native
from ._errors import PartialAnswerWarning, error_of
from ._values import kinds_of, text_of, words_of

if TYPE_CHECKING:
    from typing_extensions import ParamSpec

    from ._values import File, Many, Spec

    P = ParamSpec("P")

R = TypeVar("R")

# Exit codes that are not errors if there is an answer.
_FOUND = 0
_NOTHING_MATCHES = 1
_PARTIAL = 5
_INTERRUPTED = 130

_HAS_REST = 0x04


class _Command:
    """A command, with the parameters of its function. They are read from the function when it is called first."""

    def __init__(
        self, words: Tuple[str, ...], flags: Dict[str, str], function: Callable[..., object]
    ) -> None:
        self.words = words
        self.name = function.__name__
        code = function.__code__
        first_keyword = code.co_argcount
        after = first_keyword + code.co_kwonlyargcount
        names = code.co_varnames
        defaults = function.__defaults__ or ()
        self.positional = names[:first_keyword]
        self.rest = names[after] if code.co_flags & _HAS_REST else None
        self.keywords = names[first_keyword:after]
        required = self.positional[: first_keyword - len(defaults)]
        has_default = function.__kwdefaults__ or {}
        self.required = [*required, *(name for name in self.keywords if name not in has_default)]
        self.annotations: Mapping[str, str] = function.__annotations__
        self.flags = flags

    def words_of(
        self, given: Sequence[object], named: Mapping[str, object]
    ) -> Tuple[List[str], bytes, str | None]:
        """Return the command line, its standard input and its day."""
        bound = self._bound(given, named)
        rest = given[len(self.positional) :]
        words = [*self.words, "-o", "json"]
        today = bound.pop("today", None)
        for name in self.keywords:
            value = bound.get(name)
            if value is not None:
                words += words_of(name, self.annotations[name], value, self._flag(name))
        operands, answers = [], []
        is_left_out = False
        for name, value in self._operands(bound, rest):
            kind = kinds_of(self.annotations[name])[0]
            if value is None:
                is_left_out = True
            elif isinstance(value, Mapping) and "Answer" in self.annotations[name]:
                operands.append("-")
                answers.append(value)
            elif is_left_out:
                # An operand would take the place of the one that is left out.
                words.append(f"{self._flag(name)}={text_of(name, kind, value)}")
            else:
                operands.append(text_of(name, kind, value))
        if len(answers) > 1:
            raise TypeError(f"{self.name}() takes one answer, and got {len(answers)}")
        source = json.dumps(answers[0]).encode() if answers else b""
        day = None if today is None else text_of("today", "Day", today)
        return [*words, "--", *operands], source, day

    def _operands(
        self, bound: Mapping[str, object], rest: Sequence[object]
    ) -> List[Tuple[str, object]]:
        named = [(name, bound.get(name)) for name in self.positional]
        return [*named, *((self.rest, value) for value in rest if self.rest)]

    def _bound(self, given: Sequence[object], named: Mapping[str, object]) -> Dict[str, object]:
        """Return the arguments by name, without the rest."""
        if len(given) > len(self.positional) and not self.rest:
            raise TypeError(
                f"{self.name}() takes {len(self.positional)} positional arguments, and got {len(given)}"
            )
        bound: Dict[str, object] = dict(zip(self.positional, given))
        known = {*self.positional, *self.keywords}
        for name, value in named.items():
            if name not in known:
                raise TypeError(self._unknown(name))
            if name in bound:
                raise TypeError(f"{self.name}() got two values for '{name}'")
            bound[name] = value
        missing = [name for name in self.required if bound.get(name) is None]
        if missing:
            names = ", ".join(f"'{name}'" for name in missing)
            raise TypeError(f"{self.name}() needs a value for {names}")
        return bound

    def _unknown(self, name: str) -> str:
        from difflib import get_close_matches

        close = get_close_matches(name, [*self.positional, *self.keywords], 3)
        hint = f": did you mean {' or '.join(close)}?" if close else ""
        return f"{self.name}() got an unexpected keyword argument '{name}'{hint}"

    def _flag(self, name: str) -> str:
        return self.flags.get(name) or "--" + name.replace("_", "-")

    def in_python(self, text: str) -> str:
        """Name flags as parameters: `--max-price <USD>` is max_price."""
        names = {self._flag(name)[2:]: name for name in (*self.positional, *self.keywords)}

        def parameter(found: re.Match[str]) -> str:
            return names.get(found[1], found[0])

        return re.sub(r"--([a-z][a-z0-9-]*)(?:[ =]<[^>]*>)?", parameter, text)


def command(*words: str, **flags: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function that has only parameters run a command.

    flags: The flags that do not follow from the names of parameters
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        described: List[_Command] = []

        @functools.wraps(function)
        def call(*given: P.args, **named: P.kwargs) -> R:
            if not described:
                described.append(_Command(words, flags, function))
            line, source, today = described[0].words_of(given, named)
            answer: Any = _answer(line, source, today, described[0])
            return answer  # type: ignore[no-any-return]

        return call

    return decorate


def is_of_kind(kind: str, accelerator: Spec, catalog: Many[File] | None) -> bool:
    """Whether every accelerator that a name may mean is of a kind."""
    words = ["is", "-o", "json"]
    if catalog is not None:
        words += words_of("catalog", "Many[File]", catalog, "--catalog")
    line = [*words, "--", kind, text_of("accelerator", "Spec", accelerator)]
    result: bool = _answer(line, b"", None, None)["results"][0]["is"]
    return result


def _answer(
    words: List[str], source: bytes, today: str | None, described: _Command | None
) -> Dict[str, Any]:
    exit_code, stdout, stderr = _native.answer(words, source, today)
    answer: Dict[str, Any] | None = json.loads(stdout) if stdout.strip() else None
    if exit_code in (_FOUND, _NOTHING_MATCHES) and answer is not None:
        return answer
    if exit_code == _INTERRUPTED:
        raise KeyboardInterrupt
    error = error_of(exit_code, stderr.decode(errors="replace"))
    if described is not None:
        for part in (error, *error.more):
            part.message = described.in_python(part.message)
            part.hints = tuple(described.in_python(hint) for hint in part.hints)
            part.args = (part.message,)
    if exit_code == _PARTIAL and answer is not None:
        warnings.warn(PartialAnswerWarning(str(error)), stacklevel=3)
        return answer
    error.answer = answer
    raise error
