"""The arguments of a call, bound to parameters and flattened to leaves. Leaves that are tensors
become inputs of the program; other leaves are part of the cache key.
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
from ..core.errors import ArgumentsError, OpError, append_user_line
from ..core.op import Meta
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..core.tensor import Tensor
from ..ir.dim import NamedDimensions
from ..ir.input_spec import InputSpec, to_input_spec
from ..ir.plain_values import (
    PLAIN_TYPES,
    exact_comparison_key_within_type,
    is_plain_or_tuple_of_plain,
)

BoundArguments = dict[str, Any]


@dataclass
class FlattenedArguments:
    """The arguments of a call, flattened to leaves.

    leaves: tensors, ndarrays, InputSpecs and other values, in order.
    parameters: the parameters of the signature.
    saved_input_names: the names of the inputs that are saved; None for all inputs.
    first_same_tensor_leaf_indices_or_empty: if a tensor is passed twice, for each leaf the index of
    the first leaf that is the same tensor; otherwise ().
    """

    spec: Any
    leaves: list[Any]
    parameters: Mapping[str, inspect.Parameter]
    saved_input_names: list[str] | None = None
    # For each leaf, the index of the first leaf that is the same tensor; () if each tensor is
    # passed once.
    first_same_tensor_leaf_indices_or_empty: tuple[int, ...] = ()

    @functools.cached_property
    def leaf_input_names(self) -> list[str]:
        """The name of each leaf as an input of the program and in messages. The name is that of the
        argument, with `_<index>` for an element of a list; a value of a dict is named by its key.
        """
        return pytree.leaf_input_names("", self.spec)

    @functools.cached_property
    def leaf_paths(self) -> list[str]:
        """The dotted path of each leaf in the nested arguments, such as `x.0`."""
        indexed_paths = [
            p
            for name, inner in self.spec[1].items()
            for p in _indexed_leaf_paths_of_parameter(self.parameters[name], inner)
        ]
        return [path for _, path in sorted(indexed_paths)]

    def named_dimensions(self) -> NamedDimensions:
        """Return the named dimensions of the leaves. Raises OpError if two Dims of one name have
        different ranges.
        """
        return NamedDimensions(
            (name, leaf.dims if isinstance(leaf, InputSpec) else ())
            for name, leaf in zip(self.leaf_input_names, self.leaves, strict=True)
        )

    def input_leaves(self) -> list[Any]:
        """Return the leaves that are inputs of a program."""
        return [leaf for leaf in self.leaves if is_input(leaf)]

    def unflatten(self, leaves: Sequence[Any]) -> BoundArguments:
        """Return the bound arguments, nested as before, with `leaves` in place of their leaves."""
        bound: BoundArguments = pytree.unflatten(self.spec, list(leaves))
        return bound

    def with_specs_for_tensors(self) -> FlattenedArguments:
        """Return the arguments with an InputSpec, which holds no values, in place of each tensor
        and ndarray.
        """
        leaves = [to_input_spec(leaf) if is_input(leaf) else leaf for leaf in self.leaves]
        result = FlattenedArguments(
            self.spec,
            leaves,
            self.parameters,
            first_same_tensor_leaf_indices_or_empty=self.first_same_tensor_leaf_indices_or_empty,
        )
        result.leaf_input_names, result.leaf_paths = self.leaf_input_names, self.leaf_paths
        return result

    def cache_key(self) -> tuple[Any, ...]:
        """Return the cache key of the arguments: calls with equal keys can share a program."""
        return (repr(self.spec), self.first_same_tensor_leaf_indices_or_empty), tuple(
            leaf_cache_key(leaf) for leaf in self.leaves
        )

    @functools.cached_property
    def _indices_of_leaves_compared_by_identity(self) -> list[int]:
        return [i for i, leaf in enumerate(self.leaves) if is_compared_by_identity(leaf)]

    def name_of_first_different_object(self, other: FlattenedArguments) -> str:
        """Compare with `other`, the arguments of a call with the same cache key. Return the name of
        the first leaf that is compared by identity and is another object in `other`; empty if all
        these leaves are the same objects.
        """
        others = (
            self.leaf_input_names[i]
            for i in self._indices_of_leaves_compared_by_identity
            if self.leaves[i] is not other.leaves[i]
        )
        return next(others, "")


# Types whose values are represented in cache keys by their repr.
TYPES_COMPARED_BY_REPR = {
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


def leaf_cache_key(leaf: Any) -> Any:
    """Return the part of the cache key for a leaf: shape and dtype of an input, the value of a
    plain leaf, and only the type of a leaf that is compared by identity.
    """
    if isinstance(leaf, InputSpec):
        return leaf.shape_with_dims(), leaf.dtype.np
    meta = find_input_meta(leaf)
    if meta is not None:
        return meta.shape, meta.dtype
    if type(leaf) in TYPES_COMPARED_BY_REPR or _is_constant_slice(leaf):
        return type(leaf), repr(leaf)
    if isinstance(leaf, Enum | DType):
        # each member of an Enum and each dtype exists once, so the id identifies it
        return id(leaf)
    return type(leaf), None if is_compared_by_identity(leaf) else exact_comparison_key_within_type(
        leaf
    )


def is_compared_by_identity(leaf: Any) -> bool:
    """Whether a leaf counts as the same only if it is the same object: leaves that are not
    hashable, and those whose class defines equality in Python.
    """
    if (
        is_input(leaf)
        or isinstance(leaf, (*PLAIN_TYPES, Enum, DType))
        or type(leaf) in TYPES_COMPARED_BY_REPR
        or _is_constant_slice(leaf)
    ):
        return False
    if isinstance(getattr(type(leaf), "__eq__", None), FunctionType) and not is_dataclass(leaf):
        return True
    try:
        hash(leaf)
    except TypeError:
        return True
    return False


def _is_constant_slice(leaf: Any) -> bool:
    return type(leaf) is slice and all(
        isinstance(v, PLAIN_TYPES) for v in (leaf.start, leaf.stop, leaf.step)
    )


def first_same_tensor_leaf_indices_or_empty(leaves: Sequence[Any]) -> tuple[int, ...]:
    """Return, for each leaf, the index of the first leaf that is the same tensor (its own index for
    other leaves). Return an empty tuple if no tensor occurs twice.
    """
    tensors = [id(leaf) for leaf in leaves if isinstance(leaf, Tensor)]
    if len(set(tensors)) == len(tensors):
        return ()
    first: dict[int, int] = {}
    return tuple(
        first.setdefault(id(leaf), i) if isinstance(leaf, Tensor) else i
        for i, leaf in enumerate(leaves)
    )


def find_input_meta(leaf: Any) -> Meta | None:
    """Return the shape and dtype of a leaf that is an input; None for other leaves."""
    if isinstance(leaf, Tensor):
        return leaf.meta
    if isinstance(leaf, InputSpec):
        return Meta(leaf.shape, leaf.dtype.np)
    return Meta(leaf.shape, leaf.dtype) if isinstance(leaf, np.ndarray) else None


class FunctionParameters:
    """The parameters of a function, without `self`.

    has_fixed_defaults: whether all default values are immutable, so that they are the same at each
    call.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        # A StaticFunction has the signature of the plain function, with `self`.
        self.signature = inspect.signature(getattr(function, "dygraph_function", function))
        self.name = getattr(function, "__name__", "function")
        defaults = (
            p.default
            for p in self.signature.parameters.values()
            if p.default is not inspect.Parameter.empty
        )
        self.has_fixed_defaults = all(
            map(is_plain_or_tuple_of_plain, defaults)
        )  # see the class docstring

    def bind_arguments(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> FlattenedArguments:
        """Bind the arguments of a call to the parameters, add default values, and flatten them.
        Raises TypeError, as Python does, if the arguments do not fit the parameters.
        """
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise ArgumentsError(append_user_line(f"{self.name}: {error}")) from None
        bound.apply_defaults()
        return self._flatten_arguments(dict(bound.arguments))

    def call_function(self, function: Callable[..., Any], bound: BoundArguments) -> Any:
        """Call `function` with bound arguments."""
        arguments = inspect.BoundArguments(self.signature, bound)
        return function(*arguments.args, **arguments.kwargs)

    def arguments_from_specs(
        self, specs: Any, arguments: FlattenedArguments | None = None
    ) -> FlattenedArguments:
        """Return arguments with the specs in place of values: one spec per argument, nested like
        the argument. An argument without a spec keeps its value in `arguments`, or else its default
        value.
        """
        spec_list = [specs] if isinstance(specs, InputSpec) else list(specs)
        names = [p.name for p in self.signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
        has_var_positional = any(
            p.kind is p.VAR_POSITIONAL for p in self.signature.parameters.values()
        )
        if len(spec_list) > len(names) and not has_var_positional:
            raise OpError(
                append_user_line(
                    f"{self.name}: {len(spec_list)} specs for {len(names)} arguments {names}"
                )
            )
        try:
            bound = self.signature.bind_partial(*spec_list)
        except TypeError as error:
            raise ArgumentsError(append_user_line(f"{self.name}: {error}")) from None
        values = {} if arguments is None else arguments.unflatten(arguments.leaves)
        bound.apply_defaults()
        merged = {
            **bound.arguments,
            **{k: v for k, v in values.items() if k not in names[: len(spec_list)]},
        }
        missing = [
            p.name
            for p in self.signature.parameters.values()
            if p.name not in merged
            and p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY, p.KEYWORD_ONLY)
        ]
        if missing:
            raise OpError(
                append_user_line(f"{self.name}: input_spec does not cover the arguments {missing}")
            )
        return self._flatten_arguments(
            {p: merged[p] for p in self.signature.parameters if p in merged}
        )

    def _flatten_arguments(self, bound: BoundArguments) -> FlattenedArguments:
        leaves, inner = pytree.flatten(
            list(bound.values()), sort_keys=True
        )  # in the order of the signature
        nesting = (dict, dict(zip(bound, inner[1], strict=True)))
        return FlattenedArguments(
            nesting,
            leaves,
            self.signature.parameters,
            first_same_tensor_leaf_indices_or_empty=first_same_tensor_leaf_indices_or_empty(leaves),
        )


def _indexed_leaf_paths_of_parameter(
    parameter: inspect.Parameter, nesting: Any
) -> list[tuple[int, str]]:
    """Return the index and the path of each leaf of an argument.

    Leaves of `*args` and `**kwargs` have separate names: `args_0.mask`, `key.mask`.
    """
    if parameter.kind is parameter.VAR_POSITIONAL:
        return [
            p
            for i, inner in enumerate(nesting[1])
            for p in pytree.iter_index_and_dotted_path(inner, f"{parameter.name}_{i}")
        ]
    return list(
        pytree.iter_index_and_dotted_path(
            nesting, "" if parameter.kind is parameter.VAR_KEYWORD else parameter.name
        )
    )
