"""Find cloud GPUs, check whether a model fits on them, and plan where to rent them.

The functions are the commands of the command line, and their parameters are its arguments and options. Each returns the
document of `-o json` as a dict:

    >>> import sky_accel
    >>> answer = sky_accel.resolve("A100:80GB:x8", provider=["aws", "gcp"])
    >>> answer["results"][0]["instance_type"]

If nothing matches, `results` is empty, and `nearest` has alternatives. Errors are exceptions, of the class `Error`.
"""

from __future__ import annotations


# The names are imported when one of them is first used. The command `sky-accel` uses none, and starts sooner.
def __getattr__(name: str) -> object:
    if not name.startswith("_") or name in ("__all__", "__version__"):
        from . import _accelerator, _commands, _errors, _kinds, _native

        names = {"__version__": _native.__version__}
        for module in (_accelerator, _commands, _errors, _kinds):
            names.update((known, getattr(module, known)) for known in module.__all__)
        globals().update(names, __all__=sorted(names))
        if name in globals():
            return globals()[name]
    raise AttributeError(f"module 'sky_accel' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__getattr__("__all__")})
