"""Creation of tensors. If no dtype is given, tensors get the default float dtype, which is float32
unless set otherwise.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core import rng
from ..core.dtype import default_float_np_dtype, is_real, parse_dtype
from ..core.errors import append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import not_a_tensor_error, reject_several_numbers
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike, Scalar, Shape, Size, TensorLike
from .convert import (
    as_operand,
    cast,
    set_vector_length_if_symbolic,
    split_shape_into_ints_and_tensors,
    to_tensor,
)
from .convert import full as constant_full

__all__ = [
    "arange",
    "assign",
    "bernoulli",
    "clone",
    "diag",
    "empty",
    "empty_like",
    "eye",
    "full",
    "full_like",
    "linspace",
    "logspace",
    "meshgrid",
    "normal",
    "ones",
    "ones_like",
    "rand",
    "randint",
    "randn",
    "randperm",
    "seed",
    "standard_normal",
    "to_tensor",
    "tril",
    "tril_indices",
    "triu",
    "triu_indices",
    "uniform",
    "zeros",
    "zeros_like",
]
IN_PLACE = ["tril", "triu"]
METHODS = ["clone", "tril", "triu", "diag", "bernoulli"]  # the others are functions only


def _to_number(value: Any) -> Any:
    if isinstance(value, str):
        return float(value)
    return value.item() if isinstance(value, Tensor | np.generic) else value


def full(
    shape: Shape,
    fill_value: Scalar | complex,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Create a tensor whose elements have one value.

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    fill_value : number, str of a number, or Tensor with one element
    dtype : str or dtype, optional
        Default: the default float dtype (float32), also if the value is an integer or a bool.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If a size is negative, or the dtype is unknown.

    Examples
    --------
    >>> paddle.full([2, 3], 1.5).tolist()
    [[1.5, 1.5, 1.5], [1.5, 1.5, 1.5]]
    >>> paddle.full([2], 7, dtype="int64").tolist()
    [7, 7]
    """
    dtype = default_float_np_dtype() if dtype is None else dtype
    ints, tensors = split_shape_into_ints_and_tensors(shape, "full")
    if isinstance(fill_value, Tensor) and state.mode.static:
        filled: Tensor = OPS["fill_constant"](
            cast(fill_value, dtype), None, tensors, shape=ints, dtype=parse_dtype(dtype).proto
        )
        return filled
    value = _to_number(fill_value)
    float_value = float(value)
    text = repr(int(value) if isinstance(value, int) else value)
    out: Tensor = OPS["fill_constant"](
        None,
        None,
        tensors,
        shape=ints,
        value=float_value,
        str_value=text,
        dtype=parse_dtype(dtype).proto,
    )
    return out


def zeros(shape: Shape, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor of zeros.

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If a size is negative, or the dtype is unknown.

    Examples
    --------
    >>> paddle.zeros([2, 3], dtype="int64").tolist()
    [[0, 0, 0], [0, 0, 0]]
    """
    if isinstance(shape, int):
        reject_several_numbers("zeros", shape, dtype)
    return full(shape, 0.0, default_float_np_dtype() if dtype is None else dtype)


def ones(shape: Shape, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor of ones.

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If a size is negative, or the dtype is unknown.

    Examples
    --------
    >>> paddle.ones([2, 3]).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    if isinstance(shape, int):
        reject_several_numbers("ones", shape, dtype)
    return full(shape, 1.0, default_float_np_dtype() if dtype is None else dtype)


def empty(shape: Shape, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor without specified values.

    The elements are zeros. Programs should not rely on it: Paddle leaves them undefined.

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If a size is negative, or the dtype is unknown.

    Examples
    --------
    >>> paddle.empty([2, 3]).shape
    [2, 3]
    """
    if isinstance(shape, int):
        reject_several_numbers("empty", shape, dtype)
    return zeros(shape, dtype)


def full_like(
    x: Tensor, fill_value: Scalar | complex, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Create a tensor with the shape of another one, whose elements have one value.

    Parameters
    ----------
    x : Tensor [*], any dtype
        Its values are not used.
    fill_value : number or Tensor with one element
        A fraction is lost if the dtype is an integer.
    dtype : str or dtype, optional
        Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype

    Raises
    ------
    OpError
        If x is not a Tensor, or the dtype is unknown.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2], [3, 4]])
    >>> paddle.full_like(x, 7).tolist()
    [[7, 7], [7, 7]]
    >>> paddle.full_like(x, 0.5, dtype="float32").tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    try:
        proto = parse_dtype(x.meta.dtype if dtype is None else dtype).proto
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if isinstance(fill_value, Tensor) and state.mode.static:
        return full_like(x, 0, dtype) + cast(fill_value, parse_dtype(proto))
    return OPS["fill_any_like"](x, value=float(_to_number(fill_value)), dtype=proto)


def zeros_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor of zeros with the shape of another one.

    Parameters
    ----------
    x : Tensor [*], any dtype
        Its values are not used.
    dtype : str or dtype, optional
        Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype

    Raises
    ------
    OpError
        If x is not a Tensor, or the dtype is unknown.

    Examples
    --------
    >>> paddle.zeros_like(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[0, 0], [0, 0]]
    """
    return full_like(x, 0.0, dtype)


def ones_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor of ones with the shape of another one.

    Parameters
    ----------
    x : Tensor [*], any dtype
        Its values are not used.
    dtype : str or dtype, optional
        Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype

    Raises
    ------
    OpError
        If x is not a Tensor, or the dtype is unknown.

    Examples
    --------
    >>> paddle.ones_like(paddle.to_tensor([[1, 2], [3, 4]])).tolist()
    [[1, 1], [1, 1]]
    """
    return full_like(x, 1.0, dtype)


def empty_like(x: Tensor, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Create a tensor with the shape of another one, without specified values.

    The elements are zeros. Programs should not rely on it: Paddle leaves them undefined.

    Parameters
    ----------
    x : Tensor [*], any dtype
        Its values are not used.
    dtype : str or dtype, optional
        Default: dtype of x.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype

    Raises
    ------
    OpError
        If x is not a Tensor, or the dtype is unknown.

    Examples
    --------
    >>> paddle.empty_like(paddle.to_tensor([[1, 2], [3, 4]])).shape
    [2, 2]
    """
    return zeros_like(x, dtype)


def arange(
    start: Scalar = 0,
    end: Scalar | None = None,
    step: Scalar = 1,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Evenly spaced values of an interval, without its end.

    out = start, start + step, start + 2 * step, ...

    Parameters
    ----------
    start : number or Tensor with one element, default 0
        The first value. If `end` is not given, the interval is [0, start).
    end : number or Tensor with one element, optional
        The values stay below `end`, above it for a negative step.
    step : number or Tensor with one element, default 1
    dtype : str or dtype, optional
        Default: the default float dtype (float32) if one of the numbers is a float, otherwise
        int64.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [ceil((end - start) / step)], dtype

    Raises
    ------
    OpError
        If `step` is 0 or leads away from `end`.

    Examples
    --------
    >>> paddle.arange(5).tolist()
    [0, 1, 2, 3, 4]
    >>> paddle.arange(1.0, 2.0, 0.25).tolist()
    [1.0, 1.25, 1.5, 1.75]
    >>> paddle.arange(5, 0, -2).tolist()
    [5, 3, 1]
    """
    if end is None:
        start, end = 0, start
    if dtype is None:
        dtypes = [
            v.meta.dtype if isinstance(v, Tensor) else np.asarray(v).dtype
            for v in (start, end, step)
        ]
        dtype = default_float_np_dtype() if any(map(is_real, dtypes)) else "int64"
    inputs = [
        cast(v, dtype) if isinstance(v, Tensor) else full([], v, dtype) for v in (start, end, step)
    ]
    out: Tensor = OPS["range"](*inputs)
    bounds = [v for v in (start, end, step) if isinstance(v, int)]
    has_int_bounds = out.meta.shape == (-1,) and len(bounds) == 3
    return set_vector_length_if_symbolic(out, len(range(*bounds))) if has_int_bounds else out


def linspace(
    start: Scalar, stop: Scalar, num: Size, dtype: DTypeLike | None = None, name: str | None = None
) -> Tensor:
    """Evenly spaced values from a first to a last one.

    out[i] = start + i * (stop - start) / (num - 1)

    Parameters
    ----------
    start, stop : number or Tensor with one element
        The first and the last value; both are part of the result.
    num : int or Tensor with one element
        The number of values, at least 1; for 1 the result is `start`.
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [num], dtype

    Raises
    ------
    OpError
        If `num` is not positive.

    Examples
    --------
    >>> paddle.linspace(0, 1, 5).tolist()
    [0.0, 0.25, 0.5, 0.75, 1.0]
    """
    dtype = default_float_np_dtype() if dtype is None else dtype
    inputs = [
        cast(v, dtype) if isinstance(v, Tensor) else full([], v, dtype) for v in (start, stop)
    ]
    count = num if isinstance(num, Tensor) else full([], num, "int32")
    out: Tensor = OPS["linspace"](*inputs, count, dtype=parse_dtype(dtype).proto)
    return (
        set_vector_length_if_symbolic(out, int(num))
        if out.meta.shape == (-1,) and not isinstance(num, Tensor)
        else out
    )


def logspace(
    start: Scalar,
    stop: Scalar,
    num: Size,
    base: Scalar = 10.0,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Powers of a base with evenly spaced exponents.

    out[i] = base ** (start + i * (stop - start) / (num - 1))

    Parameters
    ----------
    start, stop : number or Tensor with one element
        The first and the last exponent; both are part of the result.
    num : int or Tensor with one element
        The number of values, at least 1; for 1 the result is `base ** start`.
    base : number or Tensor with one element, default 10.0
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [num], dtype

    Raises
    ------
    OpError
        If `num` is not positive.

    Examples
    --------
    >>> paddle.logspace(0, 2, 3).tolist()
    [1.0, 10.0, 100.0]
    >>> paddle.logspace(0, 3, 4, base=2, dtype="int64").tolist()
    [1, 2, 4, 8]
    """
    result_dtype = parse_dtype(default_float_np_dtype() if dtype is None else dtype)
    work_dtype = "float64" if result_dtype.np == np.float64 else "float32"
    inputs = [
        cast(v, work_dtype) if isinstance(v, Tensor) else constant_full([1], v, work_dtype)
        for v in (start, stop, base)
    ]
    count = cast(num, "int32") if isinstance(num, Tensor) else constant_full([1], num, "int32")
    return OPS["logspace"](inputs[0], inputs[1], count, inputs[2], dtype=result_dtype.proto)


def tril_indices(row: int, col: int, offset: int = 0, dtype: DTypeLike = "int64") -> Tensor:
    """Row and column indices of the lower triangle of a matrix.

    Parameters
    ----------
    row : int
        Rows of the matrix.
    col : int or None
        Columns of the matrix. None means as many as rows.
    offset : int, default 0
        The triangle ends at the diagonal of the elements [i, i + offset].
    dtype : str or dtype, default "int64"

    Returns
    -------
    Tensor [2, N], dtype
        Rows and columns of the N elements, row by row.

    Raises
    ------
    OpError
        If the dtype is unknown.

    Examples
    --------
    >>> paddle.tril_indices(3, 3, -1).tolist()
    [[1, 2, 2], [0, 0, 1]]
    """
    return OPS["tril_indices"](
        rows=row, cols=row if col is None else col, offset=offset, dtype=parse_dtype(dtype).proto
    )


def triu_indices(
    row: int, col: int | None = None, offset: int = 0, dtype: DTypeLike = "int64"
) -> Tensor:
    """Row and column indices of the upper triangle of a matrix.

    Parameters
    ----------
    row : int
        Rows of the matrix.
    col : int, optional
        Columns of the matrix. Default: as many as rows.
    offset : int, default 0
        The triangle begins at the diagonal of the elements [i, i + offset].
    dtype : str or dtype, default "int64"

    Returns
    -------
    Tensor [2, N], dtype
        Rows and columns of the N elements, row by row.

    Raises
    ------
    OpError
        If the dtype is unknown.

    Examples
    --------
    >>> paddle.triu_indices(3, offset=1).tolist()
    [[0, 0, 1], [1, 2, 2]]
    """
    return OPS["triu_indices"](
        row=row, col=row if col is None else col, offset=offset, dtype=parse_dtype(dtype).proto
    )


def eye(
    num_rows: int,
    num_columns: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Create a matrix with ones on the diagonal and zeros elsewhere.

    Parameters
    ----------
    num_rows : int
    num_columns : int, optional
        Default: as many as rows.
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [num_rows, num_columns], dtype

    Raises
    ------
    OpError
        If a size is negative, or the dtype is unknown.

    Examples
    --------
    >>> paddle.eye(2, 3, dtype="int64").tolist()
    [[1, 0, 0], [0, 1, 0]]
    """
    proto = parse_dtype(default_float_np_dtype() if dtype is None else dtype).proto
    columns = num_rows if num_columns is None else num_columns
    if state.mode.static and any(isinstance(n, Tensor) for n in (num_rows, columns)):
        row_indices, column_indices = (arange(n, dtype="int64") for n in (num_rows, columns))
        return cast(
            OPS["equal"](OPS["unsqueeze2"](row_indices, axes=[1]), column_indices),
            parse_dtype(proto),
        )
    return OPS["eye"](num_rows=num_rows, num_columns=columns, dtype=proto)


def diag(x: Tensor, offset: int = 0, padding_value: float = 0, name: str | None = None) -> Tensor:
    """Create a matrix with a diagonal, or return a diagonal of a matrix.

    Parameters
    ----------
    x : Tensor [N] or [N, M], any dtype
        The diagonal, or the matrix.
    offset : int, default 0
        The diagonal of the elements [i, i + offset]; above the main one if positive.
    padding_value : float, default 0
        The other elements of the new matrix.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N + |offset|, N + |offset|] or [length of the diagonal], dtype of x

    Raises
    ------
    OpError
        If x has more than two axes, or the matrix has no such diagonal.

    Examples
    --------
    >>> paddle.diag(paddle.to_tensor([1, 2])).tolist()
    [[1, 0], [0, 2]]
    >>> paddle.diag(paddle.to_tensor([[1, 2], [3, 4]]), offset=1).tolist()
    [2]
    """
    return OPS["diag_v2"](x, offset=offset, padding_value=float(padding_value))


def tril(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Lower triangle of matrices; the elements above a diagonal are set to zero.

    Parameters
    ----------
    x : Tensor [*, N, M], any dtype
    diagonal : int, default 0
        The last diagonal that is kept: the elements [i, i + diagonal].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, M], dtype of x

    Raises
    ------
    OpError
        If x has fewer than two axes.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> paddle.tril(x).tolist()
    [[1, 0, 0], [4, 5, 0], [7, 8, 9]]
    >>> paddle.tril(x, diagonal=-1).tolist()
    [[0, 0, 0], [4, 0, 0], [7, 8, 0]]
    """
    return OPS["tril_triu"](x, diagonal=diagonal, lower=True)


def triu(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Upper triangle of matrices; the elements below a diagonal are set to zero.

    Parameters
    ----------
    x : Tensor [*, N, M], any dtype
    diagonal : int, default 0
        The first diagonal that is kept: the elements [i, i + diagonal].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N, M], dtype of x

    Raises
    ------
    OpError
        If x has fewer than two axes.

    Examples
    --------
    >>> x = paddle.to_tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9]])
    >>> paddle.triu(x).tolist()
    [[1, 2, 3], [0, 5, 6], [0, 0, 9]]
    >>> paddle.triu(x, diagonal=1).tolist()
    [[0, 2, 3], [0, 0, 6], [0, 0, 0]]
    """
    return OPS["tril_triu"](x, diagonal=diagonal, lower=False)


def meshgrid(*args: Tensor | Sequence[Tensor], **_: object) -> list[Tensor]:
    """Coordinates of the points of a grid, from the coordinates along each axis.

    out[k][i0, i1, ...] = args[k][ik]

    Parameters
    ----------
    *args : Tensor [Nk] or [], any dtype
        One Tensor for each axis of the grid, or a single list of them. All have the same dtype.
    **_
        Ignored, such as `name`.

    Returns
    -------
    list of Tensor [N0, N1, ...], dtype of the arguments

    Raises
    ------
    OpError
        If an argument has more than one axis, or the dtypes differ.

    Examples
    --------
    >>> rows, columns = paddle.meshgrid(paddle.arange(2), paddle.arange(3))
    >>> rows.tolist()
    [[0, 0, 0], [1, 1, 1]]
    >>> columns.tolist()
    [[0, 1, 2], [0, 1, 2]]
    """
    tensors = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
    return OPS["meshgrid"](tensors)


def assign(x: TensorLike, output: Tensor | None = None) -> Tensor:
    """Copy a tensor or array, into a new or into a given tensor.

    Parameters
    ----------
    x : Tensor [*], array, list or number
        A float64 array becomes float32, with a warning, as in Paddle; a float64 Tensor stays
        float64. A number becomes a Tensor of shape [1].
    output : Tensor, optional
        It gets the shape, dtype, value and gradient history of the copy. A parameter, a buffer or a
        leaf that requires a gradient gets only the value.

    Returns
    -------
    Tensor [*]
        `output` if it is given, otherwise a new Tensor. Gradients flow to x.

    Raises
    ------
    OpError
        If x cannot be converted to a Tensor.

    Examples
    --------
    >>> paddle.assign(np.array([1, 2])).tolist()
    [1, 2]
    >>> y = paddle.zeros([2])
    >>> out = paddle.assign(paddle.to_tensor([3.0, 4.0]), output=y)
    >>> y.tolist()
    [3.0, 4.0]
    """
    source = x if isinstance(x, Tensor) else _convert_assign_source_to_tensor(x, output)
    if output is None:
        out: Tensor = OPS["assign"](source)
        return out
    is_leaf = not state.mode.static and output.node is None and not output.stop_gradient
    if output.persistable or is_leaf:
        output.set_value(source)  # gradients end here
    else:
        state.mode.assign_inplace(output, OPS["assign"](source))
    return output


def _convert_assign_source_to_tensor(x: Any, output: Tensor | None) -> Tensor:
    """Convert an array, list or number to a Tensor for `assign`; a number becomes a tensor of shape
    [1].
    """
    if isinstance(x, np.generic):
        x = np.asarray([x])
    tensor = to_tensor([x] if isinstance(x, bool | int | float | complex) else x)
    if tensor.meta.dtype != np.float64 or (output is not None and output.meta.dtype == np.float64):
        return tensor
    if isinstance(x, np.ndarray):
        warnings.warn(
            append_user_line(
                "assign: a float64 array becomes float32, as in Paddle; to_tensor keeps float64"
            ),
            stacklevel=3,
        )
    return tensor.astype("float32")


def clone(x: Tensor, name: str | None = None) -> Tensor:
    """Copy a tensor; gradients flow to the original.

    Parameters
    ----------
    x : Tensor [*], any dtype
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is not a Tensor.

    See Also
    --------
    Tensor.detach : A tensor through which no gradient flows.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> y = paddle.clone(x)
    >>> (3 * y).sum().backward()
    >>> x.grad.tolist()
    [3.0, 3.0]
    """
    return OPS["assign"](x)


# -- random
# ------------------------------------------------------------------------------


def seed(seed: int) -> np.random.Generator:
    """Seed the random number generator of all random functions and layers.

    Parameters
    ----------
    seed : int

    Returns
    -------
    Generator
        The seeded NumPy generator.

    Notes
    -----
    The numbers differ from those that Paddle draws with the same seed.

    Examples
    --------
    >>> generator = paddle.seed(2024)
    >>> x = paddle.rand([2])
    >>> generator = paddle.seed(2024)
    >>> bool((paddle.rand([2]) == x).all())
    True
    """
    return rng.seed(seed)


def _run_random_op(op_type: str, shape: Any, dtype: Any, **attrs: Any) -> Tensor:
    ints, tensors = split_shape_into_ints_and_tensors(shape, op_type)
    proto = parse_dtype(default_float_np_dtype() if dtype is None else dtype).proto
    return OPS[op_type](None, tensors, shape=ints, dtype=proto, **attrs)


def uniform(
    shape: Shape,
    dtype: DTypeLike | None = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers from a uniform distribution.

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    min, max : float, default -1.0 and 1.0
        The numbers are in [min, max).
    seed : int, default 0
        If not 0, each call returns the same numbers.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If min > max, or a size is negative.

    Examples
    --------
    >>> x = paddle.uniform([2, 3], min=0.0, max=10.0)
    >>> x.shape, bool((x >= 0).all()), bool((x < 10).all())
    ([2, 3], True, True)
    """
    return _run_random_op("uniform_random", shape, dtype, min=float(min), max=float(max), seed=seed)


def rand(shape: Shape, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Draw random numbers from the uniform distribution on [0, 1).

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If a size is negative.

    Examples
    --------
    >>> x = paddle.rand([2, 3])
    >>> x.shape, bool((x >= 0).all()), bool((x < 1).all())
    ([2, 3], True, True)
    """
    if isinstance(shape, int):
        reject_several_numbers("rand", shape, dtype)
    return uniform(shape, dtype, 0.0, 1.0)


def randn(shape: Shape, dtype: DTypeLike | None = None, name: str | None = None) -> Tensor:
    """Draw random numbers from the standard normal distribution.

    Parameters
    ----------
    shape : int, list of int and of Tensor, or Tensor [K] of integers
    dtype : str or dtype, optional
        Default: the default float dtype (float32).
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype
        Mean 0, variance 1.

    Raises
    ------
    OpError
        If a size is negative.

    Notes
    -----
    `randn` and `standard_normal` are the same function.

    Examples
    --------
    >>> paddle.randn([2, 3]).shape
    [2, 3]
    """
    if isinstance(shape, int):
        reject_several_numbers("randn", shape, dtype)
    return _run_random_op("gaussian_random", shape, dtype, mean=0.0, std=1.0)


standard_normal = randn


def normal(
    mean: float | Tensor = 0.0,
    std: float | Tensor = 1.0,
    shape: Shape | None = None,
    name: str | None = None,
) -> Tensor:
    """Draw random numbers from normal distributions.

    Parameters
    ----------
    mean : float or Tensor [*], default 0.0
    std : float or Tensor [*], default 1.0
        Standard deviation. Two Tensors broadcast.
    shape : int, list of int and of Tensor, or Tensor [K] of integers, optional
        Shape of the result if both `mean` and `std` are numbers; otherwise not used. Default: [1].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape] of the default float dtype (float32), or [*] like `mean` and `std`

    Raises
    ------
    OpError
        If a size is negative.

    Examples
    --------
    >>> paddle.normal(mean=5.0, std=0.1, shape=[2, 3]).shape
    [2, 3]
    >>> paddle.normal(mean=paddle.to_tensor([1.0, 2.0]), std=0.0).tolist()
    [1.0, 2.0]
    """
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        return _run_random_op(
            "gaussian_random",
            [1] if shape is None else shape,
            None,
            mean=float(mean),
            std=float(std),
        )
    like = next(v for v in (mean, std) if isinstance(v, Tensor))
    return randn(like.shape, like.dtype) * std + as_operand(mean, like, "normal")


def randint(
    low: int = 0,
    high: int | None = None,
    shape: Shape = (1,),
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Draw random integers from an interval.

    Parameters
    ----------
    low : int, default 0
        The smallest integer. If `high` is not given, the integers are in [0, low).
    high : int, optional
        The integers are in [low, high).
    shape : int, list of int and of Tensor, or Tensor [K] of integers, default [1]
    dtype : "int32" or "int64", default "int64"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*shape], dtype

    Raises
    ------
    OpError
        If the interval is empty, a size is negative, or the dtype is not of integers.

    Examples
    --------
    >>> x = paddle.randint(1, 7, shape=[2, 3])
    >>> x.shape, bool((x >= 1).all()), bool((x <= 6).all())
    ([2, 3], True, True)
    """
    low, high = (0, low) if high is None else (low, high)
    return _run_random_op("randint", shape, "int64" if dtype is None else dtype, low=low, high=high)


def randperm(n: Size, dtype: DTypeLike = "int64", name: str | None = None) -> Tensor:
    """Random permutation of the integers 0, ..., n - 1.

    Parameters
    ----------
    n : int or Tensor with one element
    dtype : str or dtype, default "int64"
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [n], dtype

    Raises
    ------
    OpError
        If n is negative.

    Examples
    --------
    >>> paddle.randperm(4).sort().tolist()
    [0, 1, 2, 3]
    """
    return OPS["randperm"](n=int(n) if isinstance(n, Tensor) else n, dtype=parse_dtype(dtype).proto)


def bernoulli(x: Tensor, name: str | None = None) -> Tensor:
    """Draw 1 with given probabilities, otherwise 0.

    Parameters
    ----------
    x : Tensor [*], floating
        The probability of each element, in [0, 1].
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If an element is not in [0, 1], or x is not floating.

    Examples
    --------
    >>> paddle.bernoulli(paddle.to_tensor([0.0, 1.0, 1.0])).tolist()
    [0.0, 1.0, 1.0]
    """
    return OPS["bernoulli"](x)


def fill_constant(
    shape: Any,
    dtype: Any,
    value: Any,
    force_cpu: bool = False,
    out: Tensor | None = None,
    name: str | None = None,
) -> Tensor:
    """Create a tensor filled with one value, through which no gradient flows.

    out: tensor that the values are assigned to -> [*shape]
    """
    filled = full(shape, value, dtype)
    result = filled if out is None else assign(filled, out)
    result.stop_gradient = True
    return result
