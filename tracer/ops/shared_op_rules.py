"""Shape inference rules and checks shared by many ops, and helpers of gradient rules for shapes
with dynamic dimensions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..core.arrays import np
from ..core.dtype import DTYPE_BY_NP, is_inexact, parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.op import Meta, check, check_dtype
from ..core.tensor import Tensor

Shape = tuple[int, ...]
MetaRule = Callable[..., Any]


def check_finite_array(x: Any) -> None:
    """Raise OpError for matrices with infinity or NaN: LAPACK's SVD does not terminate for
    some of them.
    """
    check(bool(np.isfinite(x).all()), "X contains infinity or NaN")


def vjp_input_shape(x: Any) -> Shape:
    """The shape of an input of a VJP rule, which is a Tensor, or a bare array in a first-order
    backward pass. If a dimension is dynamic, the result is a ShapeRaisingOnUnknownSize, which
    raises UnknownSizeInGradientError when that dimension is read.
    """
    if not isinstance(x, Tensor):
        return x.shape
    shape = x.meta.shape
    return ShapeRaisingOnUnknownSize(shape) if -1 in shape else shape


class UnknownSizeInGradientError(OpError):
    """Raised if a gradient rule needs a size that is known only at run time."""


def raise_unknown_size_unless(known: bool) -> None:
    """Raise UnknownSizeInGradientError unless all sizes are known."""
    if not known:
        raise UnknownSizeInGradientError(
            "the gradient rule needs a size that is known only at run time"
        )


class ShapeRaisingOnUnknownSize(tuple[int, ...]):
    """The shape of an input of a VJP rule that has dynamic dimensions. Reading a dynamic dimension
    raises UnknownSizeInGradientError, so that no rule computes with -1.
    """

    __slots__ = ()

    def _require_known(self, found: Any) -> Any:
        if found == -1 or (isinstance(found, tuple) and -1 in found):
            raise UnknownSizeInGradientError(
                "the gradient rule needs a size that is known only at run time"
            )
        return found

    def __getitem__(self, index: Any) -> Any:
        return self._require_known(super().__getitem__(index))

    def __iter__(self) -> Any:
        return map(self._require_known, super().__iter__())

    def __eq__(self, other: object) -> bool:
        raise UnknownSizeInGradientError(
            "the gradient rule needs a size that is known only at run time"
        )

    __ne__ = __eq__
    __hash__ = None  # type: ignore[assignment]


def vjp_input_dtype_proto(x: Any) -> int:
    """The dtype of an input of a VJP rule, as the number that Paddle's files use for it."""
    return DTYPE_BY_NP[x.meta.dtype if isinstance(x, Tensor) else x.dtype].proto


def like_x_meta(x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape inference rule of an op whose result has the shape and dtype of the first input."""
    return x


def find_broadcast_dim(a: int, b: int) -> int | None:
    """The size that results from broadcasting two sizes; None if they do not broadcast."""
    if b in (a, 1):
        return a
    if a == 1:
        return b
    if min(a, b) < 0:
        return max(a, b)  # at run time, the dynamic size must be equal to the known size or 1
    return None


def broadcast_shapes(x: Shape, y: Shape) -> Shape:
    """The shape that results from broadcasting two shapes by NumPy's rules, where sizes may be
    dynamic (-1).

    Raises OpError if the shapes do not broadcast.
    """
    rank = max(len(x), len(y))
    padded = zip((1,) * (rank - len(x)) + x, (1,) * (rank - len(y)) + y, strict=True)
    dims = [find_broadcast_dim(a, b) for a, b in padded]
    check(None not in dims, "the shapes do not broadcast")
    return tuple(d for d in dims if d is not None)


def append_ones_to_align_at_axis(x: Shape, y: Shape, axis: int) -> tuple[Shape, Shape]:
    """Append axes of size 1 to the shape with fewer axes, so that broadcasting aligns its first
    axis with axis `axis` of the other shape, as in Paddle.

    axis: -1 for NumPy's rule, which needs no change.
    """
    if axis == -1 or len(x) == len(y):
        return x, y
    low, high = (x, y) if len(x) < len(y) else (y, x)
    check(
        0 <= axis <= len(high) - len(low),
        f"axis={axis} puts axes of the smaller shape beyond those of the larger one",
    )
    low = low + (1,) * (len(high) - axis - len(low))
    return (low, high) if len(x) < len(y) else (high, low)


def broadcast(x: Meta, y: Meta, *, axis: int = -1, **_: Any) -> Meta:
    """The shape inference rule of an elementwise op on two inputs of the same dtype."""
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    return Meta(broadcast_shapes(*append_ones_to_align_at_axis(x.shape, y.shape, axis)), x.dtype)


def broadcast_meta_requiring_same_dtype_not_bool(
    x: Meta, y: Meta, *, axis: int = -1, **_: Any
) -> Meta:
    """The shape inference rule of arithmetic ops on two inputs of the same dtype, which must not be
    bool.
    """
    check_not_bool(x)
    return broadcast(x, y, axis=axis)


def check_not_bool(x: Any) -> None:
    """Raise OperandError for bool inputs. Paddle also rejects bool inputs; NumPy's addition would
    compute a logical or.
    """
    check_dtype(x.dtype.kind != "b", "a bool tensor is not supported; cast it to a number dtype")


def broadcast_bool_meta(x: Meta, y: Meta, *, axis: int = -1, **_: Any) -> Meta:
    """The shape inference rule of a comparison: the inputs broadcast, the result is bool."""
    return Meta(broadcast(x, y, axis=axis).shape, np.dtype(bool))


def dims_match(a: int, b: int) -> bool:
    """Whether two sizes may be equal; -1 matches any size."""
    return a == b or a < 0 or b < 0


def shapes_match(a: Shape, b: Shape) -> bool:
    """Whether two shapes may be equal."""
    return len(a) == len(b) and all(map(dims_match, a, b))


def scale_dim(size: int, by: int) -> int:
    """Return `size` times `by`; a dynamic size (-1) stays -1."""
    return size * by if size >= 0 else -1


def pick_known_dim(a: int, b: int) -> int:
    """Return the one of two matching sizes that is known, that is, not -1."""
    return max(a, b)


def check_float(x: Meta) -> None:
    """Raise OpError unless the input is of a real floating type."""
    check_dtype(is_inexact(x.dtype) and x.dtype.kind != "c", "needs a floating dtype")


def check_inexact(x: Meta) -> None:
    """Raise OpError unless the input is of a real or complex floating type."""
    check_dtype(is_inexact(x.dtype), "needs a floating dtype")


def is_vjp_input_complex(x: Any) -> bool:
    """Whether an input of a VJP rule has a complex dtype."""
    dtype = x.meta.dtype if isinstance(x, Tensor) else x.dtype
    return bool(dtype.kind == "c")


def real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype of the real part of numbers of a dtype."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


def complex_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The complex dtype whose real part has the given dtype. Raises OpError if there is none."""
    check_dtype(
        dtype.kind == "c" or dtype in (np.dtype(np.float32), np.dtype(np.float64)),
        "needs float32 or float64",
    )
    return dtype if dtype.kind == "c" else np.dtype(f"c{dtype.itemsize * 2}")


def like_x_meta_requiring_float(x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape inference rule of an op whose result has the shape and dtype of the first input,
    which must be of a real floating type.
    """
    check_float(x)
    return x


def like_x_meta_requiring_inexact(x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape inference rule of an op whose result has the shape and dtype of the first input,
    which must be of a real or complex floating type.
    """
    check_inexact(x)
    return x


def real_like_x_meta(x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape inference rule of an op whose result has the shape of the first input and its
    dtype, or the dtype of the real part if the input is complex.
    """
    return Meta(x.shape, real_dtype(x.dtype))


def like_x_or_float32_meta(x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape inference rule of an op whose result has the shape and dtype of the first input, or
    float32 for an integer input.
    """
    return x if is_inexact(x.dtype) else Meta(x.shape, np.dtype(np.float32))


def bool_like_x_meta(x: Meta, *_: Any, **__: Any) -> Meta:
    """The shape inference rule of an op whose result has the shape of the first input and dtype
    bool.
    """
    return Meta(x.shape, np.dtype(bool))


def make_meta_rule_like_input_at(index: int) -> MetaRule:
    """Return the shape inference rule of a gradient op whose result has the Meta of input number
    `index`.
    """

    def rule(*metas: Meta, **_: Any) -> Meta:
        return metas[index]

    return rule


def make_meta_rule_like_inputs_at(*indices: int) -> MetaRule:
    """Return the shape inference rule of an op whose outputs have the Metas of the inputs at the
    given indices. In place of a missing input, the rule uses the input at the first index.
    """

    def rule(*metas: Meta, **_: Any) -> tuple[Meta, ...]:
        return tuple(metas[i] or metas[indices[0]] for i in indices)

    return rule


def normalize_axis(axis: int, rank: int, what: str = "axis") -> int:
    """`axis` as a non-negative number; 0 and -1 are valid for rank 0.

    Raises OpError for an axis out of range.
    """
    limit = max(rank, 1)
    check(-limit <= axis < limit, f"{what}={axis} is outside of [{-limit}, {limit - 1}]")
    return axis % rank if rank else 0


def normalize_axes(axes: Sequence[int], rank: int, what: str = "axis") -> tuple[int, ...]:
    """All `axes` as non-negative numbers, in the given order.

    Raises OpError for an axis out of range or a duplicate.
    """
    found = tuple(normalize_axis(a, rank, what) for a in axes)
    check(len(set(found)) == len(found), f"{what}={list(axes)} names an axis twice")
    return found


def num_elements(shape: Shape) -> int:
    """The number of elements of a tensor with the given shape; -1 if it is unknown. A size of 0
    returns 0, even if other sizes are unknown.
    """
    if any(d < 0 for d in shape):
        return -1 if 0 not in shape else 0
    return int(np.prod(shape, dtype=np.int64))


def numpy_dtype_of_proto(number: int) -> np.dtype[Any]:
    """The NumPy dtype of an attribute `dtype`."""
    return parse_dtype(number).np


def make_vjp_rule_rejecting_second_order(type: str) -> MetaRule:
    """Return a VJP rule for the gradient op of `type` that raises OpError, because the second-order
    gradient is not implemented.
    """

    def rule(*_: Any, **__: Any) -> Any:
        raise OpError(append_user_line(f"{type}: the second-order gradient is not implemented"))

    return rule
