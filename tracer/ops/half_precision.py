"""Kernels that compute half-precision inputs in float32."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection
from typing import Any

from ..core.arrays import np
from ..core.dtype import DTYPE_BY_NP, HALF_DTYPES, float32
from ..core.op import OPS
from .shared_op_rules import vjp_input_dtype_proto

_FLOAT32 = float32.np
_HALF_PROTOS = {DTYPE_BY_NP[dtype].proto for dtype in HALF_DTYPES}


def half_to_float32(arg: Any) -> Any:
    """Cast an array, or the arrays in a list, from half precision to float32; return other values
    unchanged.
    """
    if isinstance(arg, list | tuple):
        return [half_to_float32(a) for a in arg]
    return arg.astype(_FLOAT32) if getattr(arg, "dtype", None) in HALF_DTYPES else arg


def half_tensor_to_float32(x: Any) -> Any:
    """Cast an input of a VJP rule to float32 if it has half precision; otherwise return it
    unchanged.
    """
    proto = vjp_input_dtype_proto(x)
    return OPS["cast"](x, in_dtype=proto, out_dtype=float32.proto) if proto in _HALF_PROTOS else x


def _cast_float32_results_to_half(result: Any, dtype: np.dtype[Any]) -> Any:
    if isinstance(result, list):
        return [_cast_float32_results_to_half(r, dtype) for r in result]
    return result.astype(dtype) if result.dtype == _FLOAT32 else result


def run_kernel_in_float32(
    kernel: Callable[..., Any], stats: Collection[int], args: Any, attrs: Any
) -> Any:
    """Run `kernel` with its inputs cast to float32, and cast the results to the dtype of the first
    input. Results whose indices are in `stats` stay float32.
    """
    with np.errstate(all="ignore"):  # overflow becomes infinity
        found = kernel(*map(half_to_float32, args), **attrs)
        dtype = (args[0][0] if isinstance(args[0], list | tuple) else args[0]).dtype
        if isinstance(found, tuple):
            return tuple(
                r if i in stats else _cast_float32_results_to_half(r, dtype)
                for i, r in enumerate(found)
            )
        return _cast_float32_results_to_half(found, dtype)


def computed_in_float32_if_half(
    kernel: Callable[..., Any] | None = None, *, stats: Collection[int] = ()
) -> Any:
    """Decorator: run a kernel on half-precision inputs in float32 and cast the results to the dtype
    of the first input.

    stats: indices of results that stay float32, such as means and variances in Paddle.
    """
    if kernel is None:
        return functools.partial(computed_in_float32_if_half, stats=stats)

    @functools.wraps(kernel)
    def wrapper(x: Any, *args: Any, **attrs: Any) -> Any:
        dtype = (x[0] if x.__class__ is list else x).dtype
        if dtype.itemsize == 2 and dtype in HALF_DTYPES:
            return run_kernel_in_float32(kernel, stats, (x, *args), attrs)
        return kernel(x, *args, **attrs)

    return wrapper
