"""Helpers for linear algebra: checks of matrices, and functions that call ops in gradient rules."""

from __future__ import annotations

import functools
from typing import Any

from ..core.op import OPS, Meta, check
from .comparison_and_logic import equal, logical_and
from .elementwise import add, div, mul, scale, sub, zeros_like
from .matmul import matmul
from .shared_op_rules import (
    Shape,
    check_inexact,
    dims_match,
    is_vjp_input_complex,
    vjp_input_dtype_proto,
    vjp_input_shape,
)


def check_inexact_matrices(x: Meta, name: str = "X") -> None:
    """Raise OpError unless the input holds matrices of a floating type."""
    check(len(x.shape) >= 2, f"{name} needs at least two axes")
    check_inexact(x)


def check_inexact_square_matrices(x: Meta, name: str = "X") -> None:
    """Raise OpError unless the input holds square matrices of a floating type."""
    check_inexact_matrices(x, name)
    check(dims_match(*x.shape[-2:]), f"the matrices of {name} are not square")


def min_matrix_dim(shape: Shape) -> int:
    """The smaller of the last two sizes of a shape; -1 if one of them is unknown."""
    return -1 if min(shape[-2:]) < 0 else min(shape[-2:])


def conjugate(x: Any) -> Any:
    """Return the complex conjugate of X; X itself if it is real."""
    return OPS["conj"](x) if is_vjp_input_complex(x) else x


def transpose_last_two_axes(x: Any) -> Any:
    """Transpose the last two axes."""
    rank = len(vjp_input_shape(x))
    return OPS["transpose2"](x, axis=[*range(rank - 2), rank - 1, rank - 2])


def adjoint(x: Any) -> Any:
    """The conjugate transpose."""
    return transpose_last_two_axes(conjugate(x))


def multiply_chain(*factors: Any) -> Any:
    """The product of several matrices, computed from left to right."""
    return functools.reduce(matmul, factors)


def lower_triangle(x: Any, diagonal: int = 0) -> Any:
    """Return each matrix with zeros above the diagonal number `diagonal`."""
    return OPS["tril_triu"](x, diagonal=diagonal, lower=True)


def upper_triangle(x: Any, diagonal: int = 0) -> Any:
    """Return each matrix with zeros below the diagonal number `diagonal`."""
    return OPS["tril_triu"](x, diagonal=diagonal, lower=False)


def diagonal_of(x: Any) -> Any:
    """The diagonal of each matrix."""
    return OPS["diagonal"](x, axis1=-2, axis2=-1)


def diagonal_matrix(x: Any) -> Any:
    """Diagonal matrices with X on the diagonal."""
    return OPS["diag_embed"](x)


def add_own_adjoint(x: Any) -> Any:
    """X + X^H."""
    return add(x, adjoint(x))


def subtract_own_adjoint(x: Any) -> Any:
    """X - X^H."""
    return sub(x, adjoint(x))


def negate(x: Any) -> Any:
    """-X."""
    return scale(x, scale=-1.0)


def as_row(x: Any) -> Any:
    """Reshape vectors [*, N] to matrices with one row, [*, 1, N]."""
    return OPS["unsqueeze2"](x, axes=[-2])


def as_column(x: Any) -> Any:
    """Reshape vectors [*, N] to matrices with one column, [*, N, 1]."""
    return OPS["unsqueeze2"](x, axes=[-1])


def squeeze_axis(x: Any, axis: int) -> Any:
    """Remove an axis of size 1."""
    return OPS["squeeze2"](x, axes=[axis])


def cast_to_complex_like(x: Any, like: Any) -> Any:
    """Cast real X to complex if `like` is complex."""
    if not is_vjp_input_complex(like) or is_vjp_input_complex(x):
        return x
    return OPS["cast"](x, in_dtype=vjp_input_dtype_proto(x), out_dtype=vjp_input_dtype_proto(like))


def pairwise_differences_j_minus_i(x: Any) -> Any:
    """Out[i, j] = X[j] - X[i]. X [*, N] -> Out [*, N, N]"""
    return sub(as_row(x), as_column(x))


def divide_with_zero_for_0_over_0(x: Any, y: Any) -> Any:
    """Return X / Y, with 0 as the result of 0 / 0. X [*A], Y [*B] -> Out [*broadcast(A, B)]"""
    y = cast_to_complex_like(y, x)
    nothing = logical_and(equal(x, zeros_like(x)), equal(y, zeros_like(y)))
    return div(x, add(y, OPS["cast"](nothing, in_dtype=0, out_dtype=vjp_input_dtype_proto(y))))


def divide_by_differences(x: Any, values: Any) -> Any:
    """Out[i, j] = X[i, j] / (values[j] - values[i]), 0 on the diagonal.

    X [*, N, N], values [*, N] -> Out [*, N, N]
    """
    return divide_with_zero_for_0_over_0(
        sub(x, diagonal_matrix(diagonal_of(x))), pairwise_differences_j_minus_i(values)
    )


def scale_columns(x: Any, by: Any) -> Any:
    """X @ diag(by). X [*, M, N], by real [*, N] -> Out [*, M, N]"""
    return mul(x, as_row(cast_to_complex_like(by, x)))


def scale_rows(x: Any, by: Any) -> Any:
    """diag(by) @ X. X [*, M, N], by real [*, M] -> Out [*, M, N]"""
    return mul(x, as_column(cast_to_complex_like(by, x)))
