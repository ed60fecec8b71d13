"""assign, share_data, cast, increment and pow."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import Meta, check, op
from .elementwise import mul, scale
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import like_x_meta, numpy_dtype_of_proto, vjp_input_dtype_proto


@op("cast", "X -> Out", grad_keeps_shape=True)
def cast(x, *, in_dtype: int, out_dtype: int, use_mkldnn: bool = False):
    """Out = X cast to the dtype whose number in Paddle's files is out_dtype. X [*] -> Out [*]"""
    target = numpy_dtype_of_proto(out_dtype)
    if x.dtype.kind in "biu" and target.itemsize > 2:  # the cast cannot overflow
        return x.astype(target)
    with np.errstate(all="ignore"):
        return (x.real if x.dtype.kind == "c" and target.kind not in "cb" else x).astype(target)


@cast.meta
def _(x, *, out_dtype, **_):
    return Meta(x.shape, numpy_dtype_of_proto(out_dtype))


@cast.vjp
def _(g, x, *, out_dtype):
    return cast(g, in_dtype=out_dtype, out_dtype=vjp_input_dtype_proto(x))


@op("assign", "X -> Out", meta=like_x_meta, older_types=("memcpy", "memcpy_d2h", "memcpy_h2d"))
def assign(x):
    """Out = a copy of X. X [*] -> Out [*]"""
    return x.copy()


@assign.vjp
def _(g, x):
    return g


@op("share_data", "X -> Out", meta=like_x_meta)
def share_data(x):
    """Out = X. X [*] -> Out [*]"""
    return x


@share_data.vjp
def _(g, x):
    return g


@op("increment", "X -> Out")
def increment(x, *, step: float = 1.0):
    """Out = X + step. X has one element. X [1] or [] -> Out like X"""
    check(x.size == 1, "X needs one element")
    return x + x.dtype.type(step)


@increment.meta
def _(x, *, step):
    check(all(d in (1, -1) for d in x.shape), "X needs one element")
    return x


@increment.vjp
def _(g, x):
    return g


@op("pow", "X, FactorTensor?! -> Out", meta=like_x_meta, amp_class="deny")
@np.errstate(all="ignore")
@computed_in_float32_if_half
def power(x, factor_tensor=None, *, factor: float = 1.0):
    """Out = X ** factor. The input FactorTensor, if given, replaces the attribute `factor`.

    X [*], FactorTensor [1] -> Out [*]
    """
    by = factor if factor_tensor is None else factor_tensor.reshape(()).item()
    if by == 2:
        return np.square(x)
    if x.dtype.kind in "iu":
        return np.rint(np.power(x.astype(np.float64), int(by))).astype(x.dtype)
    return np.power(x, x.dtype.type(by))


@power.vjp
def _(g, x, factor_tensor, *, factor):
    if factor_tensor is None:
        return scale(mul(g, power(x, factor=factor - 1)), scale=factor), None

    def pow_base_grad() -> Any:
        return mul(mul(g, power(x, scale(factor_tensor, bias=-1.0))), factor_tensor)

    return pow_base_grad, None
