"""Layers that first look at what they are given, as those of Paddle 1.8 do in programs: what they
do not take is a TypeError.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from ...capture.control.tensor_arrays import TensorArray
from ...core.dtype import dtype_of
from ...core.errors import OperandError, with_user_line
from ...core.mode import state
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from .takes import TAKES

KINDS: dict[str, Any] = {
    "Variable": (Tensor, TensorArray),
    "list": list,
    "tuple": tuple,
    "ndarray": np.ndarray,
    "int": (int, np.integer),
    "float": (float, np.floating),
    "bool": (bool, np.bool_),
    "str": str,
    "None": NoneType,
}


class Taken(NamedTuple):
    """What an argument takes.   kinds: classes; dtypes: of a variable, all where there are none"""

    kinds: tuple[Any, ...]
    dtypes: frozenset[str]
    words: str


def _taken(words: str) -> Taken:
    names = words.split()
    if names[0] != "=":
        return Taken((Tensor, TensorArray), frozenset(names), "Variable")
    kinds, _, dtypes = words[2:].partition(" = ")
    return Taken(
        tuple(KINDS[n] for n in kinds.split()),
        frozenset(dtypes.split()),
        kinds.replace(" ", " or "),
    )


def _by_layer() -> dict[str, dict[str, Taken]]:
    found: dict[str, dict[str, Taken]] = {}
    for words, places in TAKES.items():
        for place in places.split():
            layer, argument = place.split(".")
            found.setdefault(layer, {})[argument] = _taken(words)
    return found


LAYERS = _by_layer()


def asking(layer: Callable[..., Any], name: str) -> Callable[..., Any]:
    """The layer, which raises OperandError in a program for an argument that it does not take."""
    rows = LAYERS.get(name)
    if rows is None:
        return layer
    places = {n: i for i, n in enumerate(inspect.signature(layer).parameters) if n in rows}
    taken = [(n, i, rows[n]) for n, i in places.items()]

    @functools.wraps(layer)
    def asked(*args: Any, **kwargs: Any) -> Any:
        if state.mode.builder is not None and compat.is_paddle1 and not compat.follows_fluid_mode:
            for problem in _problems(taken, args, kwargs):
                raise OperandError(with_user_line(f"{name}: {problem}"))
        return layer(*args, **kwargs)

    return asked


def _problems(
    taken: list[tuple[str, int, Taken]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[str]:
    """What is wrong with the arguments that are given."""
    for name, place, takes in taken:
        if place >= len(args) and name not in kwargs:
            continue
        given = args[place] if place < len(args) else kwargs[name]
        if not isinstance(given, takes.kinds):
            yield f"{name} is {type(given).__name__}, and not {takes.words}"
        elif takes.dtypes:
            variables = [
                v
                for v in (given if isinstance(given, list | tuple) else [given])
                if isinstance(v, Tensor)
            ]
            for wrong in [v for v in variables if dtype_of(v.meta.dtype).name not in takes.dtypes]:
                yield (
                    f"the dtype of {name} is not one of {', '.join(sorted(takes.dtypes))} "
                    f"({name}={wrong.meta})"
                )
