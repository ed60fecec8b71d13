"""Checks of the types and dtypes of layer arguments in programs, with a TypeError as in Paddle
1.8.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, NamedTuple

import numpy as np

from ...capture.control.tensor_arrays import TensorArray
from ...core.dtype import parse_dtype
from ...core.errors import OperandError, append_user_line
from ...core.mode import state
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from .argument_type_table import ARGUMENT_TYPES

TYPES: dict[str, Any] = {
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


class AcceptedTypes(NamedTuple):
    """Types and dtypes that an argument accepts.

    dtypes: of a variable; empty: all
    description: names of the types
    """

    types: tuple[Any, ...]
    dtypes: frozenset[str]
    description: str


def _parse_accepted_types(text: str) -> AcceptedTypes:
    names = text.split()
    if names[0] != "=":
        return AcceptedTypes((Tensor, TensorArray), frozenset(names), "Variable")
    types, _, dtypes = text[2:].partition(" = ")
    return AcceptedTypes(
        tuple(TYPES[n] for n in types.split()),
        frozenset(dtypes.split()),
        types.replace(" ", " or "),
    )


def _accepted_types_by_layer() -> dict[str, dict[str, AcceptedTypes]]:
    layers: dict[str, dict[str, AcceptedTypes]] = {}
    for text, arguments in ARGUMENT_TYPES.items():
        for item in arguments.split():
            layer, argument = item.split(".")
            layers.setdefault(layer, {})[argument] = _parse_accepted_types(text)
    return layers


CHECKS_BY_LAYER = _accepted_types_by_layer()


def wrap_with_argument_checks(layer: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Wrap a layer so that it raises OperandError for invalid arguments while a program with the
    semantics of Paddle 1.x is built. If no checks are defined for the layer, the function returns
    the layer itself.
    """
    types = CHECKS_BY_LAYER.get(name)
    if types is None:
        return layer
    positions = {n: i for i, n in enumerate(inspect.signature(layer).parameters) if n in types}
    checks = [(n, i, types[n]) for n, i in positions.items()]

    @functools.wraps(layer)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        if (
            state.mode.program_builder is not None
            and compat.is_paddle1
            and not compat.follows_fluid_mode
        ):
            for problem in _iter_type_problems(checks, args, kwargs):
                raise OperandError(append_user_line(f"{name}: {problem}"))
        return layer(*args, **kwargs)

    return wrapper


def _iter_type_problems(
    checks: list[tuple[str, int, AcceptedTypes]], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Iterator[str]:
    """Yield descriptions of invalid arguments."""
    for name, position, argument_type in checks:
        if position >= len(args) and name not in kwargs:
            continue
        value = args[position] if position < len(args) else kwargs[name]
        if not isinstance(value, argument_type.types):
            yield f"{name} is {type(value).__name__}, not {argument_type.description}"
        elif argument_type.dtypes:
            variables = [
                v
                for v in (value if isinstance(value, list | tuple) else [value])
                if isinstance(v, Tensor)
            ]
            for variable in variables:
                if parse_dtype(variable.meta.dtype).name not in argument_type.dtypes:
                    yield (
                        f"the dtype of {name} is not one of "
                        f"{', '.join(sorted(argument_type.dtypes))} ({name}={variable.meta})"
                    )
