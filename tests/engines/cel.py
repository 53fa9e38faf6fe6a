"""CEL expressions with the functions that Kubernetes adds to the language."""

import re
from decimal import Decimal

import celpy
import re2
from celpy import celtypes
from celpy.evaluation import base_functions

UNITS = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
UNITS |= {"m": Decimal("0.001"), "u": Decimal("0.000001"), "n": Decimal("0.000000001")}
UNITS |= {f"{letter}i": 1024**power for power, letter in enumerate("KMGTPE", start=1)}
MACROS = {"has", "all", "exists", "exists_one", "map", "filter", "dyn"}


class Ordered:
    """What quantities and versions share. The operators `<` and `>` are not among it."""

    def __init__(self, text: str):
        self.key = self.parse(str(text))

    def __eq__(self, other):
        return celtypes.BoolType(self.key == other.key)

    def __hash__(self):
        return hash(self.key)


class Quantity(Ordered):
    @staticmethod
    def parse(text: str) -> Decimal:
        found = re.fullmatch(r"([+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)([A-Za-z]*)", text)
        if not found or found[2] not in UNITS:
            raise ValueError(f"{text!r} is not a quantity")
        return Decimal(found[1]) * UNITS[found[2]]


class Semver(Ordered):
    @staticmethod
    def parse(text: str) -> tuple:
        found = re.fullmatch(r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)", text)
        if not found:
            raise ValueError(f"{text!r} is not a version")
        return tuple(map(int, found.groups()))


def find(text, pattern):
    found = re2.search(str(pattern), str(text))
    return celtypes.StringType(found[0] if found else "")


def compare(a, b):
    return celtypes.IntType((a.key > b.key) - (a.key < b.key))


FUNCTIONS = {
    "lowerAscii": lambda text: celtypes.StringType(text.lower()),
    "upperAscii": lambda text: celtypes.StringType(text.upper()),
    "trim": lambda text: celtypes.StringType(text.strip()),
    "replace": lambda text, old, new: celtypes.StringType(text.replace(old, new)),
    "find": find,
    "quantity": Quantity,
    "semver": Semver,
    "compareTo": compare,
    "isGreaterThan": lambda a, b: celtypes.BoolType(a.key > b.key),
    "isLessThan": lambda a, b: celtypes.BoolType(a.key < b.key),
}


def program(expression: str):
    """A compiled expression. An unknown function is refused here, as a Kubernetes server does."""
    environment = celpy.Environment()
    tree = environment.compile(expression)
    calls = [str(node.children[1]) for node in tree.find_data("member_dot_arg")]
    calls += [str(node.children[0]) for node in tree.find_data("ident_arg")]
    for name in calls:
        if name not in MACROS | FUNCTIONS.keys() | base_functions.keys():
            raise ValueError(f"undeclared reference to '{name}'")
    return environment.program(tree, functions=FUNCTIONS)


def holds(compiled, **variables) -> bool:
    result = compiled.evaluate(variables)
    if not isinstance(result, (bool, celtypes.BoolType)):
        raise ValueError(f"the expression gives {type(result).__name__}, not a bool")
    return bool(result)
