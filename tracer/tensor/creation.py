"""New tensors.

Default dtype: the default float, float32 unless set otherwise.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from ..core import rng
from ..core.dtype import default_float, dtype_of, is_real
from ..core.errors import with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import not_a_tensor_error
from ..core.tensor import Tensor
from .convert import cast, of_length, sizes, tensor_like, to_tensor
from .convert import full as number

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


def _number(value: Any) -> Any:
    if isinstance(value, str):
        return float(value)
    return value.item() if isinstance(value, Tensor | np.generic) else value


def full(shape: Any, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of one value.

    shape: ints, or tensors for sizes known at run time -> [*shape]
    """
    dtype = default_float() if dtype is None else dtype
    ints, tensors = sizes(shape, "full")
    if isinstance(fill_value, Tensor) and state.mode.static:
        filled: Tensor = OPS["fill_constant"](
            cast(fill_value, dtype), None, tensors, shape=ints, dtype=dtype_of(dtype).proto
        )
        return filled
    value = _number(fill_value)
    given = float(value)
    text = repr(int(value) if isinstance(value, int) else value)
    found: Tensor = OPS["fill_constant"](
        None, None, tensors, shape=ints, value=given, str_value=text, dtype=dtype_of(dtype).proto
    )
    return found


def zeros(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros.

    -> [*shape]
    """
    return full(shape, 0.0, default_float() if dtype is None else dtype)


def ones(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones.

    -> [*shape]
    """
    return full(shape, 1.0, default_float() if dtype is None else dtype)


def empty(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose values do not matter: zeros.

    -> [*shape]
    """
    return zeros(shape, dtype)


def full_like(x: Tensor, fill_value: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor of one value, shaped like x.

    x [*] -> [*]
    """
    try:
        proto = dtype_of(x.meta.dtype if dtype is None else dtype).proto
    except AttributeError:
        raise not_a_tensor_error(x) from None
    if isinstance(fill_value, Tensor) and state.mode.static:
        return full_like(x, 0, dtype) + cast(fill_value, dtype_of(proto))
    return OPS["fill_any_like"](x, value=float(_number(fill_value)), dtype=proto)


def zeros_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Zeros shaped like x.

    x [*] -> [*]
    """
    return full_like(x, 0.0, dtype)


def ones_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """Ones shaped like x.

    x [*] -> [*]
    """
    return full_like(x, 1.0, dtype)


def empty_like(x: Tensor, dtype: Any = None, name: str | None = None) -> Tensor:
    """A tensor shaped like x whose values do not matter: zeros.

    x [*] -> [*]
    """
    return zeros_like(x, dtype)


def arange(
    start: Any = 0, end: Any = None, step: Any = 1, dtype: Any = None, name: str | None = None
) -> Tensor:
    """start, start + step, ... below end.

    -> [ceil((end - start) / step)]
    """
    if end is None:
        start, end = 0, start
    if dtype is None:
        given = [
            v.meta.dtype if isinstance(v, Tensor) else np.asarray(v).dtype
            for v in (start, end, step)
        ]
        dtype = default_float() if any(map(is_real, given)) else "int64"
    bounds = [
        cast(v, dtype) if isinstance(v, Tensor) else full([], v, dtype) for v in (start, end, step)
    ]
    made: Tensor = OPS["range"](*bounds)
    known = made.meta.shape == (-1,) and all(isinstance(v, int) for v in (start, end, step))
    return of_length(made, len(range(start, end, step))) if known else made


def linspace(start: Any, stop: Any, num: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """`num` values evenly spaced from start to stop, both included.

    -> [num]
    """
    dtype = default_float() if dtype is None else dtype
    bounds = [
        cast(v, dtype) if isinstance(v, Tensor) else full([], v, dtype) for v in (start, stop)
    ]
    count = num if isinstance(num, Tensor) else full([], num, "int32")
    made: Tensor = OPS["linspace"](*bounds, count, dtype=dtype_of(dtype).proto)
    return (
        of_length(made, int(num))
        if made.meta.shape == (-1,) and not isinstance(num, Tensor)
        else made
    )


def logspace(
    start: Any, stop: Any, num: Any, base: Any = 10.0, dtype: Any = None, name: str | None = None
) -> Tensor:
    """num powers of base, their exponents evenly from start to stop, both included.

    -> [num]
    """
    kind = dtype_of(default_float() if dtype is None else dtype)
    wide = "float64" if kind.np == np.float64 else "float32"
    ends = [
        cast(v, wide) if isinstance(v, Tensor) else number([1], v, wide)
        for v in (start, stop, base)
    ]
    count = cast(num, "int32") if isinstance(num, Tensor) else number([1], num, "int32")
    return OPS["logspace"](ends[0], ends[1], count, ends[2], dtype=kind.proto)


def tril_indices(row: int, col: int, offset: int = 0, dtype: Any = "int64") -> Tensor:
    """Rows and columns of the places on and below a diagonal.

    -> int [2, N]
    """
    return OPS["tril_indices"](
        rows=row, cols=row if col is None else col, offset=offset, dtype=dtype_of(dtype).proto
    )


def triu_indices(row: int, col: int | None = None, offset: int = 0, dtype: Any = "int64") -> Tensor:
    """Rows and columns of the places on and above a diagonal.

    -> int [2, N]
    """
    return OPS["triu_indices"](
        row=row, col=row if col is None else col, offset=offset, dtype=dtype_of(dtype).proto
    )


def eye(
    num_rows: int, num_columns: int | None = None, dtype: Any = None, name: str | None = None
) -> Tensor:
    """Ones on the diagonal.

    -> [num_rows, num_columns]
    """
    proto = dtype_of(default_float() if dtype is None else dtype).proto
    columns = num_rows if num_columns is None else num_columns
    if state.mode.static and any(isinstance(n, Tensor) for n in (num_rows, columns)):
        rows, places = (arange(n, dtype="int64") for n in (num_rows, columns))
        return cast(OPS["equal"](OPS["unsqueeze2"](rows, axes=[1]), places), dtype_of(proto))
    return OPS["eye"](num_rows=num_rows, num_columns=columns, dtype=proto)


def diag(x: Tensor, offset: int = 0, padding_value: float = 0, name: str | None = None) -> Tensor:
    """A matrix with x on a diagonal, or the diagonal of a matrix.

    [N] -> [N, N]; [N, M] -> [min(N, M)]
    """
    return OPS["diag_v2"](x, offset=offset, padding_value=float(padding_value))


def tril(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """The lower triangle, zeros above it.

    x [*, N, M] -> [*, N, M]
    """
    return OPS["tril_triu"](x, diagonal=diagonal, lower=True)


def triu(x: Tensor, diagonal: int = 0, name: str | None = None) -> Tensor:
    """The upper triangle, zeros below it.

    x [*, N, M] -> [*, N, M]
    """
    return OPS["tril_triu"](x, diagonal=diagonal, lower=False)


def meshgrid(*args: Any, **_: Any) -> list[Tensor]:
    """Coordinate grids.

    [N], [M], ... -> [N, M, ...] each
    """
    tensors = list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
    return OPS["meshgrid"](tensors)


def assign(x: Any, output: Tensor | None = None) -> Tensor:
    """Copy x. If `output` is given, it takes the shape, dtype, gradient history and value of the
    copy; a parameter or buffer takes only the value.

    A float64 array becomes float32, with a warning, as in Paddle; a float64 Tensor stays float64.
    x [*] -> [*]
    """
    given = x if isinstance(x, Tensor) else _assigned_array(x, output)
    if output is None:
        made: Tensor = OPS["assign"](given)
        return made
    is_leaf = not state.mode.static and output.node is None and not output.stop_gradient
    if output.persistable or is_leaf:
        output.set_value(given)  # gradients end here
    else:
        state.mode.assign_inplace(output, OPS["assign"](given))
    return output


def _assigned_array(x: Any, output: Tensor | None) -> Tensor:
    """Convert an array, list or number to a Tensor for `assign`; a number becomes a tensor of shape
    [1].
    """
    if isinstance(x, np.generic):
        x = np.asarray([x])
    made = to_tensor([x] if isinstance(x, bool | int | float | complex) else x)
    if made.meta.dtype != np.float64 or (output is not None and output.meta.dtype == np.float64):
        return made
    if isinstance(x, np.ndarray):
        warnings.warn(
            with_user_line(
                "assign: a float64 array becomes float32, as in Paddle; to_tensor keeps float64"
            ),
            stacklevel=3,
        )
    return made.astype("float32")


def clone(x: Tensor, name: str | None = None) -> Tensor:
    """A copy that gradients flow through.

    x [*] -> [*]
    """
    return OPS["assign"](x)


# -- random
# ------------------------------------------------------------------------------


def seed(seed: int) -> Any:
    """Start all random numbers anew from `seed`."""
    return rng.seed(seed)


def _random(op_type: str, shape: Any, dtype: Any, **attrs: Any) -> Tensor:
    ints, tensors = sizes(shape, op_type)
    proto = dtype_of(default_float() if dtype is None else dtype).proto
    return OPS[op_type](None, tensors, shape=ints, dtype=proto, **attrs)


def uniform(
    shape: Any,
    dtype: Any = None,
    min: float = -1.0,
    max: float = 1.0,
    seed: int = 0,
    name: str | None = None,
) -> Tensor:
    """Uniform on [min, max).

    -> [*shape]
    """
    return _random("uniform_random", shape, dtype, min=float(min), max=float(max), seed=seed)


def rand(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Uniform on [0, 1).

    -> [*shape]
    """
    return uniform(shape, dtype, 0.0, 1.0)


def randn(shape: Any, dtype: Any = None, name: str | None = None) -> Tensor:
    """Standard normal.

    -> [*shape]
    """
    return _random("gaussian_random", shape, dtype, mean=0.0, std=1.0)


standard_normal = randn


def normal(mean: Any = 0.0, std: Any = 1.0, shape: Any = None, name: str | None = None) -> Tensor:
    """Normal with the given mean and standard deviation, which may be tensors.

    -> [*shape] or like them
    """
    if not isinstance(mean, Tensor) and not isinstance(std, Tensor):
        return _random(
            "gaussian_random",
            [1] if shape is None else shape,
            None,
            mean=float(mean),
            std=float(std),
        )
    like = mean if isinstance(mean, Tensor) else std
    return randn(like.shape, like.dtype) * std + tensor_like(mean, like, "normal")


def randint(
    low: int = 0,
    high: int | None = None,
    shape: Any = (1,),
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Integers of [low, high), or of [0, low).

    -> int64 [*shape]
    """
    low, high = (0, low) if high is None else (low, high)
    return _random("randint", shape, "int64" if dtype is None else dtype, low=low, high=high)


def randperm(n: Any, dtype: Any = "int64", name: str | None = None) -> Tensor:
    """0 ... n - 1 in random order.

    n: an int, or a tensor of one   -> [n]
    """
    return OPS["randperm"](n=int(n) if isinstance(n, Tensor) else n, dtype=dtype_of(dtype).proto)


def bernoulli(x: Tensor, name: str | None = None) -> Tensor:
    """1 with probability x, else 0.

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
    """A tensor of one value, through which no gradient flows.

    out: a tensor that becomes it -> [*shape]
    """
    made = full(shape, value, dtype)
    found = made if out is None else assign(made, out)
    found.stop_gradient = True
    return found
