"""The arguments of a call: bound to names, taken apart into tensors and all other values, which a
program is made for.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import PosixPath, PurePosixPath, PureWindowsPath, WindowsPath
from types import FunctionType
from typing import Any
from uuid import UUID

import numpy as np

from ..core import pytree
from ..core.dtype import DType
from ..core.errors import ArgumentsError, OpError, with_user_line
from ..core.op import Meta
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec, as_spec
from ..ir.plain_values import PLAIN, exactly, is_fixed

Bound = dict[str, Any]


@dataclass
class Arguments:
    """A call taken apart.

    leaves: tensors, ndarrays, InputSpecs and anything else, in order; parameters: of the signature.

    kept: names of the inputs that are saved, None for all.
    """

    nesting: Any
    leaves: list[Any]
    parameters: Mapping[str, inspect.Parameter]
    kept: list[str] | None = None
    # where a tensor is given twice: for each leaf the first one that it is
    same: tuple[int, ...] = ()

    @functools.cached_property
    def names(self) -> list[str]:
        """What each leaf is called: as its argument, with a number inside of a list, the key inside
        of a dict.
        """
        return pytree.leaf_names("", self.nesting)

    @functools.cached_property
    def paths(self) -> list[str]:
        """Where each leaf is."""
        found = [
            p
            for name, inner in self.nesting[1].items()
            for p in _paths(self.parameters[name], inner)
        ]
        return [path for _, path in sorted(found)]

    def tensors(self) -> list[Any]:
        """The leaves that are inputs of a program."""
        return [leaf for leaf in self.leaves if is_input(leaf)]

    def rebuilt(self, leaves: Sequence[Any]) -> Bound:
        """The call with other leaves."""
        found: Bound = pytree.unflatten(self.nesting, list(leaves))
        return found

    def as_specs(self) -> Arguments:
        """The same with an InputSpec in place of each tensor: it holds no values."""
        leaves = [as_spec(leaf) if is_input(leaf) else leaf for leaf in self.leaves]
        made = Arguments(self.nesting, leaves, self.parameters, same=self.same)
        made.names, made.paths = self.names, self.paths
        return made

    def key(self) -> tuple[Any, ...]:
        """What two calls share that one program serves."""
        return (repr(self.nesting), self.same), tuple(leaf_key(leaf) for leaf in self.leaves)

    @functools.cached_property
    def _particular(self) -> list[int]:
        return [i for i, leaf in enumerate(self.leaves) if is_particular(leaf)]

    def other_than(self, given: Arguments) -> str:
        """The first argument of which a call of the same key has another object; empty where there
        is none.
        """
        others = (self.names[i] for i in self._particular if self.leaves[i] is not given.leaves[i])
        return next(others, "")


# That are known by their text.
VALUES = {
    Fraction,
    Decimal,
    UUID,
    date,
    datetime,
    time,
    timedelta,
    timezone,
    PosixPath,
    WindowsPath,
    PurePosixPath,
    PureWindowsPath,
    CPUPlace,
    CUDAPlace,
    CUDAPinnedPlace,
}


def is_input(leaf: Any) -> bool:
    """Whether a leaf becomes an input of the program."""
    return isinstance(leaf, Tensor | np.ndarray | InputSpec)


def leaf_key(leaf: Any) -> Any:
    """A leaf in a key: what it is as an input, or its value, or which object."""
    meta = leaf_meta(leaf)
    if meta is not None:
        return meta.shape, meta.dtype
    if type(leaf) in VALUES or _is_plain_slice(leaf):
        return type(leaf), repr(leaf)
    if isinstance(leaf, Enum | DType):
        return id(leaf)  # of each there is one
    return type(leaf), None if is_particular(leaf) else exactly(leaf)


def is_particular(leaf: Any) -> bool:
    """Whether it counts which object a leaf is: it can change, or equals others by what its own
    class says, which may not be one to a program.
    """
    if (
        is_input(leaf)
        or isinstance(leaf, (*PLAIN, Enum, DType))
        or type(leaf) in VALUES
        or _is_plain_slice(leaf)
    ):
        return False
    if isinstance(getattr(type(leaf), "__eq__", None), FunctionType) and not is_dataclass(leaf):
        return True
    try:
        hash(leaf)
    except TypeError:
        return True
    return False


def _is_plain_slice(leaf: Any) -> bool:
    return type(leaf) is slice and all(
        isinstance(v, PLAIN) for v in (leaf.start, leaf.stop, leaf.step)
    )


def shared(leaves: Sequence[Any]) -> tuple[int, ...]:
    """For each leaf the first one that is the same tensor; nothing where all are different ones."""
    tensors = [id(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
    if len(set(tensors)) == len(tensors):
        return ()
    first: dict[int, int] = {}
    return tuple(
        first.setdefault(id(leaf), i) if isinstance(leaf, Tensor) else i
        for i, leaf in enumerate(leaves)
    )


def leaf_meta(leaf: Any) -> Meta | None:
    """Shape and dtype of an input; None for any other leaf."""
    if isinstance(leaf, Tensor):
        return leaf.meta
    if isinstance(leaf, InputSpec):
        return Meta(leaf.shape, leaf.dtype.np)
    return Meta(leaf.shape, leaf.dtype) if isinstance(leaf, np.ndarray) else None


class Parameters:
    """The parameters of a function, `self` of a method left out."""

    def __init__(self, function: Callable[..., Any]) -> None:
        # One of to_static shows the signature of the plain function, with `self`.
        self.signature = inspect.signature(getattr(function, "dygraph_function", function))
        self.name = getattr(function, "__name__", "function")
        defaults = (
            p.default
            for p in self.signature.parameters.values()
            if p.default is not inspect.Parameter.empty
        )
        self.settled = all(map(is_fixed, defaults))  # what is filled in is the same at each call

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
        """The arguments of a call, defaults filled in.   Raises TypeError as Python would."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentsError(with_user_line(f"{self.name}: {error}")) from None
        bound.apply_defaults()
        return self._taken_apart(dict(bound.arguments))

    def call(self, function: Callable[..., Any], bound: Bound) -> Any:
        """Call `function` with bound arguments."""
        arguments = inspect.BoundArguments(self.signature, bound)
        return function(*arguments.args, **arguments.kwargs)

    def with_specs(self, specs: Any, arguments: Arguments | None = None) -> Arguments:
        """The arguments that `specs` describe: one per argument from the first, or nested as these
        are; the rest from a call or defaults.
        """
        listed = [specs] if isinstance(specs, InputSpec) else list(specs)
        names = [p.name for p in self.signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        many = any(p.kind is p.VAR_POSITIONAL for p in self.signature.parameters.values())
        if len(listed) > len(names) and not many:
            raise OpError(
                with_user_line(
                    f"{self.name}: {len(listed)} specs for {len(names)} arguments {names}"
                )
            )
        try:
            bound = self.signature.bind_partial(*listed)
        except TypeError as error:
            raise ArgumentsError(with_user_line(f"{self.name}: {error}")) from None
        given = {} if arguments is None else arguments.rebuilt(arguments.leaves)
        bound.apply_defaults()
        merged = {
            **bound.arguments,
            **{k: v for k, v in given.items() if k not in names[: len(listed)]},
        }
        missing = [
            p.name
            for p in self.signature.parameters.values()
            if p.name not in merged
            and p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY, p.KEYWORD_ONLY)
        ]
        if missing:
            raise OpError(
                with_user_line(f"{self.name}: input_spec says nothing of the arguments {missing}")
            )
        return self._taken_apart({p: merged[p] for p in self.signature.parameters if p in merged})

    def _taken_apart(self, bound: Bound) -> Arguments:
        leaves, inner = pytree.flatten(
            list(bound.values()), sort_keys=True
        )  # arguments keep the order of the signature
        nesting = (dict, dict(zip(bound, inner[1], strict=True)))
        return Arguments(nesting, leaves, self.signature.parameters, same=shared(leaves))


def _paths(parameter: inspect.Parameter, nesting: Any) -> list[tuple[int, str]]:
    """The leaves of an argument, by number, and where they are.

    What is gathered into one parameter has names of its own: `args_0.mask`, `key.mask`.
    """
    if parameter.kind is parameter.VAR_POSITIONAL:
        return [
            p
            for i, inner in enumerate(nesting[1])
            for p in pytree.indexed_paths(inner, f"{parameter.name}_{i}")
        ]
    return list(
        pytree.indexed_paths(
            nesting, "" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
        )
    )
