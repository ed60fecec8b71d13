"""Convert and check the values that a user feeds to a program."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..core import cuda
from ..core.dtype import DTYPE_BY_NP, parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import Meta
from ..core.tensor import Tensor
from ..ir.dim import NamedDimensions
from ..ir.program import Program, VarDesc
from ..ir.scope_values import ScopeValue

# `<name>.lod` is the input with the LoD offsets of input `<name>`, as in exported models
LOD_SUFFIX = ".lod"


def convert_feed_to_arrays(program: Program, feed: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the values of `feed` (ndarrays, Tensors, numbers and lists) to arrays. Numbers and
    lists get the dtype that the program declares.
    """
    declared = program.block.vars
    return {name: _to_array(value, declared.get(name)) for name, value in feed.items()}


def _to_array(value: Any, var: VarDesc | None) -> Any:
    if isinstance(value, np.ndarray):
        return value
    if isinstance(value, Tensor):
        return np.asarray(cuda.to_host(value.array))
    if isinstance(value, ScopeValue):
        return np.asarray(value)
    try:
        array = np.asarray(value)
    except ValueError:  # NumPy rejects nested lists of different lengths
        array = np.asarray(None)
    if array.dtype.kind == "O":
        why = f"a fed {type(value).__name__} cannot be converted to an array"
        raise OpError(append_user_line(f"Executor.run: {why}"))
    if var is None:
        return array
    array = array.astype(parse_dtype(var.dtype).np)
    return array.reshape(1) if not array.ndim and var.shape else array


def check_feed(program: Program, feed: Mapping[str, Any]) -> None:
    """Raise OpError if inputs are missing or have a wrong dtype or shape; the message lists all of
    them. Warn about fed names that the program does not have.
    """
    problems = [
        *_iter_missing_input_problems(program, feed),
        *_iter_dtype_and_shape_problems(program, feed),
    ] or [*_iter_named_dimension_problems(program, feed)]
    if problems:
        raise OpError(append_user_line(f"Executor.run: {'; '.join(problems)}"))
    known = program.block.vars.keys() | {
        f"{v.name}{LOD_SUFFIX}" for v in program.block.vars.values() if v.lod_level
    }
    unknown = [name for name in feed if name not in known]
    if unknown:
        warnings.warn(
            append_user_line(f"Executor.run: the program has no variables {unknown} to feed"),
            stacklevel=4,
        )


def _iter_missing_input_problems(program: Program, feed: Mapping[str, Any]) -> Iterator[str]:
    wanted = {
        n for n, v in program.block.vars.items() if v.checks_feed and not v.persistable
    } | set(program.feed_names())
    if not wanted - feed.keys():
        return
    read = {n for op in program.ops() if op.type != "feed" for n in op.input_names()}
    for name in sorted((wanted & read) - feed.keys()):
        meta = _declared_meta(program.block.vars[name])
        yield f"'{name}' is not fed, pass feed={{'{name}': array}} ({meta})"


def _declared_meta(var: VarDesc) -> Meta:
    return Meta(var.shape, parse_dtype(var.dtype).np)


def _iter_dtype_and_shape_problems(program: Program, feed: Mapping[str, Any]) -> Iterator[str]:
    for name, array in feed.items():
        var = program.block.vars.get(name)
        if var is None or not var.need_check_feed():
            continue
        if (
            array.dtype not in DTYPE_BY_NP
            or DTYPE_BY_NP[array.dtype].name != var.dtype
            or not _matches_declared_shape(array.shape, var.shape)
        ):
            yield f"'{name}' is {_declared_meta(var)}, fed {array.dtype.name}{list(array.shape)}"


def _iter_named_dimension_problems(program: Program, feed: Mapping[str, Any]) -> Iterator[str]:
    named = {
        name: array
        for name, array in feed.items()
        if name in program.block.vars
        and len(program.block.vars[name].dims) == array.ndim
        and program.block.vars[name].dims
    }
    if named:
        problem = NamedDimensions(
            (name, program.block.vars[name].dims) for name in named
        ).describe_violation([Meta(array.shape, array.dtype) for array in named.values()])
        yield from [problem] if problem else []


def _matches_declared_shape(shape: tuple[int, ...], declared: tuple[int, ...]) -> bool:
    """Whether an array with this shape may be fed for a variable with the declared shape.

    As in Paddle, the array may have fewer axes than declared if a declared size is -1. The sizes of
    such an array are compared with the first declared sizes.
    """
    if -1 in declared and 0 < len(shape) < len(declared):
        declared = declared[: len(shape)]
    return len(shape) == len(declared) and all(
        w in (-1, n) for n, w in zip(shape, declared, strict=True)
    )
