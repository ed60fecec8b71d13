"""Creation of tensors. If no dtype is given, tensors get the default float dtype, which is float32
unless set otherwise.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core import rng
from ..core.dtype import default_float_np_dtype, is_real, parse_dtype
from ..core.errors import append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import not_a_tensor_error
from ..core.tensor import Tensor
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


def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor filled with one value.

    shape: ints, or symbolic tensors -> [*shape]
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


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor of zeros.

    -> [*shape]
    """
    return full(shape, 0.0, default_float_np_dtype() if dtype is None else dtype)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor of ones.

    -> [*shape]
    """
    return full(shape, 1.0, default_float_np_dtype() if dtype is None else dtype)


def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor with unspecified values: zeros.

    -> [*shape]
    """
    return zeros(shape, dtype)


def full_like(x: Tensor, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor with the shape of x, filled with one value.

    x [*] -> [*]
    """
    try:
        proto = parse_dtype(x.meta.dtype if dtype is None else dtype).proto
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if isinstance(fill_value, Tensor) and state.mode.static:
        return full_like(x, 0, dtype) + cast(fill_value, parse_dtype(proto))
    return OPS["fill_any_like"](x, value=float(_to_number(fill_value)), dtype=proto)


def zeros_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor of zeros with the shape of x.

    x [*] -> [*]
    """
    return full_like(x, 0.0, dtype)


def ones_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor of ones with the shape of x.

    x [*] -> [*]
    """
    return full_like(x, 1.0, dtype)


def empty_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Create a tensor with the shape of x and unspecified values: zeros.

    x [*] -> [*]
    """
    return zeros_like(x, dtype)


def arange(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Return start, start + step, ... up to but excluding end.

    -> [ceil((end - start) / step)]
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
    has_int_bounds = out.meta.shape == (-1,) and all(isinstance(v, int) for v in (start, end, step))
    return (
        set_vector_length_if_symbolic(out, len(range(start, end, step))) if has_int_bounds else out
    )


def linspace(start: Any, stop: Any, num: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Return `num` evenly spaced values from start to stop, both included.

    -> [num]
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
    start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Return `num` powers of `base` with evenly spaced exponents from start to stop, both included.

    -> [num]
    """
    result_dtype = parse_dtype(default_float_np_dtype() if dtype is None else dtype)
    work_dtype = "float64" if result_dtype.np == np.float64 else "float32"
    inputs = [
        cast(v, work_dtype) if isinstance(v, Tensor) else constant_full([1], v, work_dtype)
        for v in (start, stop, base)
    ]
    count = cast(num, "int32") if isinstance(num, Tensor) else constant_full([1], num, "int32")
    return OPS["logspace"](inputs[0], inputs[1], count, inputs[2], dtype=result_dtype.proto)


def tril_indices(row: int, col: int, offset: int = 0, dtype: Any = "int64") -> Tensor:
    """Row and column indices on and below a diagonal.

    -> int [2, N]
    """
    return OPS["tril_indices"](
        rows=row, cols=row if col is None else col, offset=offset, dtype=parse_dtype(dtype).proto
    )


def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Tensor:
    """Row and column indices on and above a diagonal.

    -> int [2, N]
    """
    return OPS["triu_indices"](
        row=row, col=row if col is None else col, offset=offset, dtype=parse_dtype(dtype).proto
    )


def eye(
    num_rows: int, num_columns: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Create a matrix with ones on the diagonal.

    -> [num_rows, num_columns]
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
    """Create a diagonal matrix from a vector, or return the diagonal of a matrix.

    [N] -> [N, N]; [N, M] -> [min(N, M)]
    """
    return OPS["diag_v2"](x, offset=offset, padding_value=float(padding_value))


def tril(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Lower triangle of matrices; zeros above the diagonal.

    x [*, N, M] -> [*, N, M]
    """
    return OPS["tril_triu"](x, diagonal=diagonal, lower=True)


def triu(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """Upper triangle of matrices; zeros below the diagonal.

    x [*, N, M] -> [*, N, M]
    """
    return OPS["tril_triu"](x, diagonal=diagonal, lower=False)


def meshgrid(*args: Any, **_: Any) -> list[Tensor]:
    """Coordinate grids of vectors.

    [N], [M], ... -> [N, M, ...] each
    """
    tensors = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
    return OPS["meshgrid"](tensors)


def assign(x: Any, output: Tensor | None = None) -> Tensor:
    """Copy x. If `output` is given, `output` gets the shape, dtype, gradient history and value of
    the copy; an `output` that is a parameter or buffer gets only the value.

    A float64 array becomes float32, with a warning, as in Paddle; a float64 Tensor stays float64.
    x [*] -> [*]
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
    """Copy x; gradients flow to x.

    x [*] -> [*]
    """
    return OPS["assign"](x)


# -- random
# ------------------------------------------------------------------------------


def seed(seed: int) -> Any:
    """Seed the random number generator."""
    return rng.seed(seed)


def _run_random_op(op_type: str, shape: Any, dtype: Any, **attrs: Any) -> Tensor:
    ints, tensors = split_shape_into_ints_and_tensors(shape, op_type)
    proto = parse_dtype(default_float_np_dtype() if dtype is None else dtype).proto
    return OPS[op_type](None, tensors, shape=ints, dtype=proto, **attrs)


def uniform(
    shape: Any,
    dtype: Any = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    name: str | None = None,
) -> Tensor:
    """Draw from the uniform distribution on [min, max).

    -> [*shape]
    """
    return _run_random_op("uniform_random", shape, dtype, min=float(min), max=float(max), seed=seed)


def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Draw from the uniform distribution on [0, 1).

    -> [*shape]
    """
    return uniform(shape, dtype, 0.0, 1.0)


def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Draw from the standard normal distribution.

    -> [*shape]
    """
    return _run_random_op("gaussian_random", shape, dtype, mean=0.0, std=1.0)


standard_normal = randn


def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Draw from normal distributions; mean and standard deviation may be tensors.

    -> [*shape] or their shape
    """
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        return _run_random_op(
            "gaussian_random",
            [1] if shape is None else shape,
            None,
            mean=float(mean),
            std=float(std),
        )
    like = mean if isinstance(mean, Tensor) else std
    return randn(like.shape, like.dtype) * std + as_operand(mean, like, "normal")


def randint(
    low: int = 0,
    high: int | None = None,
    shape: Any = (1,),
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Draw integers from [low, high), or from [0, low) if high is None.

    -> int64 [*shape]
    """
    low, high = (0, low) if high is None else (low, high)
    return _run_random_op("randint", shape, "int64" if dtype is None else dtype, low=low, high=high)


def randperm(n: Any, dtype: Any = "int64", name: str | None = None) -> Tensor:
    """Random permutation of 0 ... n - 1.

    -> [n]
    """
    return OPS["randperm"](n=int(n) if isinstance(n, Tensor) else n, dtype=parse_dtype(dtype).proto)


def bernoulli(x: Tensor, name: str | None = None) -> Tensor:
    """Draw 1 with probability x, otherwise 0.

    x [*] -> [*]
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
