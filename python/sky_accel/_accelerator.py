"""Accelerators as objects, in place of specs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn, Tuple, Union

__all__ = ["Accelerator"]


class Accelerator:
    """Hardware, such as `Accelerator("H100", count=4)`. Its text is its spec: `H100:x4`.

    name: A name in any dialect, an instance type, or `any`
    memory: The size of each device: a number in GB, or text such as 40GB+ or 24..80GB
    count: The devices of a machine: a number, or text such as 4+ or 1..8
    form_factor: SXM, PCIe, NVL, OAM, …
    mig: MIG slices, such as 3g.40gb or 1g.10gb*2
    """

    # A plain class: to import `dataclasses` takes longer than the rest of the package.
    __slots__ = ("count", "form_factor", "memory", "mig", "name")

    name: str
    memory: Union[float, str, None]
    count: Union[float, str, None]
    form_factor: Union[str, None]
    mig: Tuple[str, ...]

    def __init__(
        self,
        name: str,
        *,
        memory: Union[float, str, None] = None,
        count: Union[float, str, None] = None,
        form_factor: Union[str, None] = None,
        mig: Union[str, Iterable[str]] = (),
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"name: expected text, got {name!r:.80}")
        if "|" in name:
            raise ValueError("name: alternatives are a spec; an Accelerator is one of them")
        if not isinstance(form_factor, (str, type(None))):
            raise TypeError(f"form_factor: expected text, got {form_factor!r:.80}")
        for field, value in (("memory", memory), ("count", count)):
            if isinstance(value, bool) or not isinstance(value, (int, float, str, type(None))):
                raise TypeError(f"{field}: expected a number or text, got {value!r:.80}")
        slices = (mig,) if isinstance(mig, str) else tuple(mig)
        for field, held in zip(self.__slots__, (count, form_factor, memory, slices, name)):
            object.__setattr__(self, field, held)

    def __str__(self) -> str:
        parts = [self.name]
        if self.memory is not None:
            parts.append(self.memory if isinstance(self.memory, str) else f"{self.memory:g}GB")
        if self.form_factor is not None:
            parts.append(self.form_factor)
        if self.count is not None:
            count = self.count if isinstance(self.count, str) else f"{self.count:g}"
            parts.append("x" + count.lstrip("x"))
        if self.mig:
            parts.append(f"mig={'+'.join(self.mig)}")
        return ":".join(parts)

    def __repr__(self) -> str:
        given = (
            (field, getattr(self, field)) for field in ("memory", "count", "form_factor", "mig")
        )
        options = "".join(
            f", {field}={value!r}" for field, value in given if value not in (None, ())
        )
        return f"Accelerator({self.name!r}{options})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Accelerator) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash(self._fields())

    def __setattr__(self, field: str, value: object) -> NoReturn:
        raise AttributeError(f"an Accelerator does not change: make another with {field}={value!r}")

    def __delattr__(self, field: str) -> NoReturn:
        raise AttributeError(f"an Accelerator does not change: it keeps {field}")

    def __reduce__(self) -> Tuple[object, ...]:
        return (_restored, self._fields())

    def _fields(self) -> Tuple[object, ...]:
        return tuple(getattr(self, field) for field in self.__slots__)


def _restored(
    count: Union[float, str, None],
    form_factor: Union[str, None],
    memory: Union[float, str, None],
    mig: Tuple[str, ...],
    name: str,
) -> Accelerator:
    """Return an accelerator from its fields, in the order of its slots."""
    return Accelerator(name, memory=memory, count=count, form_factor=form_factor, mig=mig)
