"""Public names of Paddle 1.8.5's `fluid` exist with the same parameters, or are listed as absent
with a reason.
"""

from __future__ import annotations

import inspect
import json
import operator
from pathlib import Path
from typing import Any

import pytest

import oarlock
import oarlock.fluid

HERE = Path(__file__).parent
NAMES: dict[str, dict[str, list[Any]]] = json.loads((HERE / "names_1_8_5.json").read_text("utf-8"))
# module -> name -> why
ABSENT: dict[str, dict[str, str]] = json.loads((HERE / "absent.json").read_text("utf-8"))
COUNTED = ("fluid", "fluid.layers", "fluid.dygraph", "fluid.io", "fluid.optimizer")
ALL = [(module, name) for module, names in NAMES.items() for name in names]


def lookup(module: str, name: str) -> Any:
    """What Oarlock has under a name, None where it has nothing, or a name only that rejects to be
    used.
    """
    try:
        made = operator.attrgetter(f"{module}.{name}")(oarlock)
    except AttributeError:
        return None
    return None if getattr(made, "reason", None) else made


def parameters(signature: str) -> list[str]:
    """Return the parameter names of a signature in text form."""
    spaced = signature.strip("()").replace("\n", " ")
    depth, names, current = 0, [], ""
    for sign in spaced + ",":
        depth += (sign in "([{<") - (sign in ")]}>")
        if sign == "," and depth == 0:
            names.append(current.split("=", maxsplit=1)[0].split(":", maxsplit=1)[0].strip())
            current = ""
        else:
            current += sign
    return [n for n in names if n and n not in ("self", "/") and not n.startswith("*")]


@pytest.mark.parametrize(("module", "name"), ALL)
def test_name_exists_or_is_listed_as_absent(module: str, name: str) -> None:
    absent = ABSENT.get(module, {})
    assert (lookup(module, name) is None) == (name in absent), absent.get(
        name, "it is missing, and no reason is given"
    )


@pytest.mark.parametrize(("module", "name"), [(m, n) for m, n in ALL if n not in ABSENT.get(m, {})])
def test_parameters_equal_paddle_1_8(module: str, name: str) -> None:
    kind, signature = NAMES[module][name]
    if signature is None or kind not in ("class", "function"):
        return
    ours = lookup(module, name)
    assert callable(ours)
    try:
        taken = inspect.signature(ours)
    except ValueError:
        return
    if any(p.kind is p.VAR_KEYWORD for p in taken.parameters.values()):
        return
    wanted = parameters(signature)
    assert [n for n in taken.parameters if n in wanted] == wanted


def test_at_least_90_percent_exist() -> None:
    for module in COUNTED:
        assert len(ABSENT.get(module, {})) <= len(NAMES[module]) / 10, module
