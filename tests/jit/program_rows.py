"""The rows of all tables of programs, and how they are called and compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn
from oarlock.static import InputSpec

from .programs import (
    branch_results,
    branches,
    dunder_methods,
    dynamic_lengths,
    first_iteration,
    for_loops,
    functions,
    idioms,
    layers,
    libraries,
    lists,
    loop_carried,
    loop_exits,
    loops,
    maybe_undefined,
    models,
    objects,
    python_features,
    replaced_lists,
    scalars,
    searches,
    shared,
    sizes,
    tuples,
)
from .programs.table import Row

TABLES = (
    branches, branch_results, searches, loops, for_loops, loop_carried, lists, dynamic_lengths, shared, sizes, maybe_undefined, functions, python_features,
    idioms, loop_exits, objects, scalars, layers, models, replaced_lists, dunder_methods, tuples, first_iteration, libraries,
)  # fmt: skip
ROWS: dict[str, Row] = {row.name: row for table in TABLES for row in table.program.rows}


def made(row: Row) -> Callable[..., Any]:
    """The function, or the layer in eval mode with parameters that are the same in every test."""
    if not isinstance(row.function, type):
        return row.function
    paddle.seed(1)
    layer: nn.Layer = row.function()
    layer.eval()
    return layer


def specs(row: Row) -> list[InputSpec]:
    """Return the input specs with dynamic sizes."""
    return [InputSpec(sizes, str(a.dtype)) for sizes, a in zip(row.dims, row.calls[0], strict=True)]


def flat(value: Any) -> Iterator[Any]:
    """The leaves of nested results."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from flat(item)
    elif isinstance(value, dict):
        for _, item in sorted(value.items()):  # the order of a program's outputs
            yield from flat(item)
    else:
        yield value


def arrays(value: Any) -> list[Any]:
    """The leaves of nested results as ndarrays."""
    return [np.asarray(leaf) for leaf in flat(value)]


def results(function: Callable[..., Any], row: Row) -> list[list[Any]]:
    """Return the results of a function for every call of a row, without gradients."""
    with paddle.no_grad():
        return [arrays(function(*map(paddle.to_tensor, call))) for call in row.calls]


def check(found: Sequence[Sequence[Any]], wanted: Sequence[Sequence[Any]]) -> None:
    """Fail where results differ in number, shape or value."""
    for one, other in zip(found, wanted, strict=True):
        for got, want in zip(one, other, strict=True):
            assert np.shape(got) == np.shape(want)
            np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)
