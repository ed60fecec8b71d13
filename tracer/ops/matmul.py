"""Matrix and vector products, and norms."""

from __future__ import annotations

import math
from typing import Any

from ..core import native
from ..core.arrays import np
from ..core.op import OPS, Floats, Ints, Meta, check, check_dtype, op
from .comparison_and_logic import equal, is_strictly_between
from .elementwise import add, div, masked, mul, scale
from .half_precision import computed_in_float32_if_half
from .reduce import axes_to_reduce, broadcast_or_distribute_like, reduced_shape
from .shared_op_rules import (
    broadcast_shapes,
    check_float,
    dims_match,
    normalize_axis,
    num_elements,
    pick_known_dim,
    shapes_match,
    vjp_input_shape,
)
from .unary_math import absolute, sign

_native_matmul = native.compiled_function_or_placeholder("matmul")


@op("matmul_v2", "X, Y -> Out", same_dtype="X Y", amp_class="allow", public_name="matmul")
@computed_in_float32_if_half
def matmul(x, y, *, trans_x: bool = False, trans_y: bool = False):
    """Out = X @ Y over the last two axes, with NumPy's rules for vectors.

    X [*B,M,K], Y [*B,K,N] -> Out [*B,M,N]
    """
    if trans_x and x.ndim > 1:
        x = np.swapaxes(x, -1, -2)
    if trans_y and y.ndim > 1:
        y = np.swapaxes(y, -1, -2)
    if y.ndim == 2 and x.ndim > 2 and x.flags.c_contiguous:
        rows = x.reshape(math.prod(x.shape[:-1]), x.shape[-1])
        return np.matmul(rows, y).reshape(*x.shape[:-1], y.shape[-1])
    return np.matmul(x, y)


@matmul.native
def _(x, y, *, trans_x=False, trans_y=False):
    return _native_matmul(x, y, trans_x, trans_y)


def _operand_matrix_dims(shape: tuple[int, ...], transposed: bool, column: bool) -> tuple[int, int]:
    """The numbers of rows and columns of an operand after its optional transposition. A vector
    counts as one column if `column` is true, otherwise as one row.
    """
    if len(shape) == 1:
        return (shape[0], 1) if column else (1, shape[0])
    return (shape[-1], shape[-2]) if transposed else (shape[-2], shape[-1])


@matmul.meta
def _matmul_meta(x: Meta, y: Meta, *, trans_x: bool, trans_y: bool) -> Meta:
    check(len(x.shape) > 0 and len(y.shape) > 0, "X and Y need at least one axis")
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    m, k = _operand_matrix_dims(x.shape, trans_x, column=False)
    j, n = _operand_matrix_dims(y.shape, trans_y, column=True)
    check(dims_match(k, j), f"the inner axes differ, {k} and {j}")
    batch = broadcast_shapes(x.shape[:-2], y.shape[:-2])
    return Meta(
        batch + ((m,) if len(x.shape) > 1 else ()) + ((n,) if len(y.shape) > 1 else ()), x.dtype
    )


@matmul.vjp
def _matmul_vjp(g: Any, x: Any, y: Any, *, trans_x: bool, trans_y: bool) -> Any:
    if len(vjp_input_shape(x)) == 1 or len(vjp_input_shape(y)) == 1:
        return _vector_vjp(g, x, y, trans_x, trans_y)
    return lambda: _left_grad(g, x, y, trans_x, trans_y), lambda: _right_grad(
        g, x, y, trans_x, trans_y
    )


def _left_grad(g: Any, x: Any, y: Any, trans_x: bool, trans_y: bool) -> Any:
    return (
        matmul(y, g, trans_x=trans_y, trans_y=True)
        if trans_x
        else matmul(g, y, trans_y=not trans_y)
    )


def _right_grad(g: Any, x: Any, y: Any, trans_x: bool, trans_y: bool) -> Any:
    if len(vjp_input_shape(y)) == 2 and len(vjp_input_shape(x)) > 2 and not trans_x:
        # One matrix product over the rows of all batch elements replaces one product per batch
        # element and a sum.
        x, g = (
            OPS["flatten_contiguous_range"](t, start_axis=0, stop_axis=len(vjp_input_shape(t)) - 2)
            for t in (x, g)
        )
    return (
        matmul(g, x, trans_x=True, trans_y=trans_x)
        if trans_y
        else matmul(x, g, trans_x=not trans_x)
    )


def _vector_vjp(g: Any, x: Any, y: Any, trans_x: bool, trans_y: bool) -> Any:
    """The gradients of matmul if one input is a vector. The vector is treated as a row or a column;
    the backward pass sums the gradients over the axes that this adds.
    """
    row, column = len(vjp_input_shape(x)) == 1, len(vjp_input_shape(y)) == 1
    widen, narrow = OPS["unsqueeze2"], OPS["squeeze2"]
    if column:
        g, y, trans_y = widen(g, axes=[-1]), widen(y, axes=[-1]), False
    if row:
        g, x, trans_x = widen(g, axes=[-2]), widen(x, axes=[-2]), False

    def right_grad() -> Any:
        found = _right_grad(g, x, y, trans_x, trans_y)
        return narrow(found, axes=[-1]) if column else found

    return lambda: _left_grad(g, x, y, trans_x, trans_y), right_grad


@op("linear", "X, Y, Bias -> Out", same_dtype="X Y Bias", internal=True)
def linear(x, y, bias):
    """Out = X @ Y + Bias in one kernel. Modes that record ops call matmul_v2 and elementwise_add
    instead.

    X [*B,K], Y [K,N], Bias [N] -> Out [*B,N]
    """
    return add.numpy_kernel(matmul.numpy_kernel(x, y), bias)


@linear.native
def _(x, y, bias):
    return _native_matmul(x, y, False, False, bias) if y.ndim == 2 else NotImplemented


@linear.meta
def _(x, y, bias):
    if x.shape and len(y.shape) == 2:
        check(
            dims_match(x.shape[-1], y.shape[0]),
            f"the last axis of X has {x.shape[-1]} elements, the weight Y needs {y.shape[0]} "
            "(in_features)",
        )
    product = _matmul_meta(x, y, trans_x=False, trans_y=False)
    return Meta(broadcast_shapes(product.shape, bias.shape), product.dtype)


@linear.vjp
def _(g, x, y, bias):
    return *_matmul_vjp(g, x, y, trans_x=False, trans_y=False), g


@op("bmm", "X, Y -> Out", same_dtype="X Y")
@computed_in_float32_if_half
def bmm(x, y):
    """Out = X @ Y for each batch element. X [B,M,K], Y [B,K,N] -> Out [B,M,N]"""
    check(
        x.ndim == 3 and y.ndim == 3 and x.shape[0] == y.shape[0],
        "X and Y need three axes and one batch size",
    )
    return np.matmul(x, y)


@bmm.native
def _(x, y):
    return (
        _native_matmul(x, y, False, False)
        if x.ndim == 3 == y.ndim and x.shape[0] == y.shape[0]
        else NotImplemented
    )


@bmm.meta
def _(x, y):
    check(len(x.shape) == 3 and len(y.shape) == 3, "X and Y need three axes and one batch size")
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(dims_match(x.shape[0], y.shape[0]), "X and Y need three axes and one batch size")
    check(
        dims_match(x.shape[2], y.shape[1]), f"the inner axes differ, {x.shape[2]} and {y.shape[1]}"
    )
    return Meta((pick_known_dim(x.shape[0], y.shape[0]), x.shape[1], y.shape[2]), x.dtype)


@bmm.vjp
def _(g, x, y):
    return lambda: matmul(g, y, trans_y=True), lambda: matmul(x, g, trans_x=True)


@op("dot", "X, Y -> Out", same_dtype="X Y")
@computed_in_float32_if_half
def dot(x, y):
    """Out = the sum of X * Y over the last axis. X [*B,K], Y [*B,K] -> Out [*B]"""
    check(x.shape == y.shape, "the shapes differ")
    return np.sum(x * y, axis=-1, dtype=x.dtype)


@dot.meta
def _(x, y):
    check(len(x.shape) in (1, 2), "X needs one or two axes")
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(shapes_match(x.shape, y.shape), "the shapes differ")
    return Meta(tuple(map(pick_known_dim, x.shape[:-1], y.shape[:-1])), x.dtype)


@dot.vjp
def _(g, x, y):
    def make_grad_times_other(other: Any) -> Any:
        return lambda: mul(OPS["unsqueeze2"](g, axes=[-1]), other)

    return make_grad_times_other(y), make_grad_times_other(x)


@op("mv", "X, Vec -> Out", same_dtype="X Vec")
@computed_in_float32_if_half
def mv(x, vec):
    """Out = X @ Vec. X [M,K], Vec [K] -> Out [M]"""
    check(x.ndim == 2 and vec.ndim == 1, "X needs two axes and Vec one")
    return np.matmul(x, vec)


@mv.meta
def _(x, vec):
    check(len(x.shape) == 2 and len(vec.shape) == 1, "X needs two axes and Vec one")
    check_dtype(x.dtype == vec.dtype, "the dtypes differ")
    check(
        dims_match(x.shape[1], vec.shape[0]),
        f"the inner axes differ, {x.shape[1]} and {vec.shape[0]}",
    )
    return Meta(x.shape[:1], x.dtype)


@mv.vjp
def _(g, x, vec):
    return lambda: mul(OPS["unsqueeze2"](g, axes=[-1]), vec), lambda: matmul(x, g, trans_x=True)


@op(
    "addmm",
    "Input, X, Y -> Out",
    same_dtype="Input X Y",
    floating="Input",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def addmm(base, x, y, *, Alpha: float = 1.0, Beta: float = 1.0):
    """Out = Beta * Input + Alpha * X @ Y.

    Input broadcasts to [M,N], X [M,K], Y [K,N] -> Out [M,N]
    """
    t = x.dtype.type
    return base * t(Beta) + np.matmul(x, y) * t(Alpha)


@addmm.meta
def _(base, x, y, *, Alpha, Beta):
    check(len(x.shape) == 2 and len(y.shape) == 2, "X and Y need two axes")
    check_dtype(base.dtype == x.dtype == y.dtype, "the dtypes differ")
    check(
        dims_match(x.shape[1], y.shape[0]), f"the inner axes differ, {x.shape[1]} and {y.shape[0]}"
    )
    full = (x.shape[0], y.shape[1])
    fits = len(base.shape) <= 2 and all(
        d == 1 or dims_match(d, e) for d, e in zip(base.shape[::-1], full[::-1], strict=False)
    )
    check(fits, "Input does not broadcast to X @ Y")
    return Meta(full, x.dtype)


@addmm.vjp
def _(g, base, x, y, *, Alpha, Beta):
    def grad_times_alpha() -> Any:
        return scale(g, scale=Alpha)

    return (
        lambda: scale(g, scale=Beta),
        lambda: matmul(grad_times_alpha(), y, trans_y=True),
        lambda: matmul(x, grad_times_alpha(), trans_x=True),
    )


@op("mul", "X, Y -> Out", same_dtype="X Y", amp_class="allow")
@computed_in_float32_if_half
def mul_flattened(x, y, *, x_num_col_dims: int = 1, y_num_col_dims: int = 1):
    """Out = X @ Y, where x_num_col_dims and y_num_col_dims determine how X and Y are flattened to
    matrices.

    X [*M,*K], Y [*K,*N] -> Out [*M,*N]
    """
    (m, k), (j, n) = (
        _leading_and_trailing_dims(x.shape, x_num_col_dims),
        _leading_and_trailing_dims(y.shape, y_num_col_dims),
    )
    flat_x = x.reshape(math.prod(m), math.prod(k))
    return np.matmul(flat_x, y.reshape(math.prod(j), math.prod(n))).reshape(m + n)


def _leading_and_trailing_dims(
    shape: tuple[int, ...], at: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    check(0 < at < len(shape), f"num_col_dims={at} should be from 1 to the number of axes - 1")
    return shape[:at], shape[at:]


@mul_flattened.meta
def _(x, y, *, x_num_col_dims, y_num_col_dims):
    (m, k), (j, n) = (
        _leading_and_trailing_dims(x.shape, x_num_col_dims),
        _leading_and_trailing_dims(y.shape, y_num_col_dims),
    )
    check_dtype(x.dtype == y.dtype, "the dtypes differ")
    check(
        dims_match(num_elements(k), num_elements(j)),
        f"the inner sizes differ, {num_elements(k)} and {num_elements(j)}",
    )
    return Meta(m + n, x.dtype)


@mul_flattened.vjp
def _(g, x, y, *, x_num_col_dims, y_num_col_dims):
    like = OPS["reshape_like"]

    def flatten(t: Any, at: int) -> Any:
        return OPS["flatten_at"](t, axis=at)

    return (
        lambda: like(
            matmul(flatten(g, x_num_col_dims), flatten(y, y_num_col_dims), trans_y=True), x
        ),
        lambda: like(
            matmul(flatten(x, x_num_col_dims), flatten(g, x_num_col_dims), trans_x=True), y
        ),
    )


@op(
    "fc",
    "Input, W, Bias? -> Out",
    no_grad_reason="only inference passes create it; Paddle has no gradient of it",
    same_dtype="Input W Bias",
    validate_before_kernel=True,
)
@computed_in_float32_if_half
def fc(
    x,
    w,
    bias=None,
    *,
    in_num_col_dims: int = 1,
    activation_type: str = "",
    use_mkldnn: bool = False,
    padding_weights: bool = False,
    use_quantizer: bool = False,
    mkldnn_data_type: str = "float32",
    Scale_in: float = 1.0,
    Scale_weights: Floats = [1.0],
    Scale_out: float = 1.0,
    force_fp32_output: bool = False,
):
    """Out = activation(Input @ W + Bias), where Input is flattened to a matrix.

    activation_type: "" or "relu".

    Input [*M,*K], W [K,N], Bias [N] or [1,N] -> Out [*M,N]
    """
    rows = x.shape[:in_num_col_dims]
    # With padding_weights, Paddle pads large weights by 4 unused rows and columns, which are
    # removed here.
    out = np.matmul(
        x.reshape(math.prod(rows), math.prod(x.shape[len(rows) :])),
        w[:-4, :-4] if padding_weights else w,
    )
    if bias is not None:
        out = out + bias.reshape(-1)
    if activation_type == "relu":
        out = np.maximum(out, out.dtype.type(0))
    return out.reshape(*rows, out.shape[-1])


@fc.meta
def _(x, w, bias, *, in_num_col_dims, activation_type, padding_weights, **_):
    check_float(x)
    check(len(w.shape) == 2, "W is not a matrix")
    check(
        activation_type in ("", "relu"),
        f"activation_type={activation_type!r} is neither '' nor 'relu'",
    )
    check(activation_type == "" or bias is not None, "activation_type='relu' needs a Bias")
    rows, columns = _leading_and_trailing_dims(x.shape, in_num_col_dims)
    inner, width = (d - 4 if padding_weights and d >= 0 else d for d in w.shape)
    check(
        dims_match(num_elements(columns), inner),
        f"the inner sizes differ, {num_elements(columns)} and {inner}",
    )
    if bias is not None:
        fits = (
            len(bias.shape) in (1, 2)
            and dims_match(bias.shape[-1], width)
            and bias.shape[:-1] in ((), (1,), (-1,))
        )
        check(fits, f"Bias needs the shape [{width}] or [1, {width}]")
    return Meta((*rows, width), x.dtype)


@op("flatten_at", "X -> Out", internal=True)
def flatten_to_matrix(x, *, axis: int = 1):
    """Out = X as a matrix: the axes before `axis` are its rows, the other axes its columns.

    X [*M,*N] -> Out [M,N]
    """
    return x.reshape(math.prod(x.shape[:axis]), math.prod(x.shape[axis:]))


@flatten_to_matrix.meta
def _(x, *, axis):
    return Meta((num_elements(x.shape[:axis]), num_elements(x.shape[axis:])), x.dtype)


@flatten_to_matrix.vjp
def _(g, x, *, axis):
    return OPS["reshape_like"](g, x)


@op("p_norm", "X -> Out", public_name="norm")
@np.errstate(all="ignore")
@computed_in_float32_if_half
def p_norm(
    x,
    *,
    porder: float = 2.0,
    axis: int = -1,
    epsilon: float = 1e-12,
    keepdim: bool = False,
    asvector: bool = False,
):
    """Out = (the sum of |X| ** porder) ** (1 / porder) over the axis; over all axes with asvector.

    X [*] -> Out [*]
    """
    check_float(x)
    axes = _p_norm_axes(x.ndim, axis, asvector)
    size = np.abs(x)
    if porder == 0:
        return np.sum(size != 0, axis=axes, keepdims=keepdim).astype(x.dtype)
    if math.isinf(porder):
        return (np.max if porder > 0 else np.min)(size, axis=axes, keepdims=keepdim)
    if porder == 1:
        return np.sum(size, axis=axes, keepdims=keepdim)
    if porder == 2:
        return np.sqrt(np.sum(x * x, axis=axes, keepdims=keepdim))
    t = x.dtype.type
    return np.power(np.sum(np.power(size, t(porder)), axis=axes, keepdims=keepdim), t(1 / porder))


def _p_norm_axes(rank: int, axis: int, asvector: bool) -> tuple[int, ...]:
    return tuple(range(rank)) if asvector else (normalize_axis(axis, rank),)[: max(rank, 0)]


@p_norm.meta
def _(x, *, porder, axis, epsilon, keepdim, asvector):
    check_float(x)
    return Meta(
        reduced_shape(x.shape, _p_norm_axes(len(x.shape), axis, asvector), keepdim), x.dtype
    )


@p_norm.vjp
def p_norm_vjp(g, x, *, porder, axis, keepdim, asvector, Out):
    """The gradient of p_norm with respect to X. g like Out, X [*] -> [*]"""
    axes = list(_p_norm_axes(len(vjp_input_shape(x)), axis, asvector))
    g, n = (broadcast_or_distribute_like(t, x, axes=axes, keep_dim=keepdim) for t in (g, Out))
    if porder == 0:
        return scale(g, scale=0.0)
    if math.isinf(porder):
        return masked(mul(g, sign(x)), equal(absolute(x), n))
    if porder == 1:
        return mul(g, sign(x))
    ratio = OPS["pow"](div(absolute(x), n), factor=porder - 1)
    return masked(mul(mul(g, sign(x)), ratio), is_strictly_between(n, low=0.0))


@op("frobenius_norm", "X -> Out", amp_class="deny", public_name="norm")
@computed_in_float32_if_half
def frobenius_norm(
    x,
    *,
    dim: Ints = [0],
    keep_dim: bool = False,
    reduce_all: bool = False,
    in_dtype: int = -1,
    out_dtype: int = -1,
):
    """Out = sqrt(the sum of X ** 2 over the axes). X [*] -> Out [*]"""
    check_float(x)
    return np.sqrt(np.sum(x * x, axis=axes_to_reduce(dim, reduce_all, x.ndim), keepdims=keep_dim))


@frobenius_norm.meta
def _(x, *, dim, keep_dim, reduce_all, in_dtype, out_dtype):
    check_float(x)
    return Meta(
        reduced_shape(x.shape, axes_to_reduce(dim, reduce_all, len(x.shape)), keep_dim), x.dtype
    )


@frobenius_norm.vjp
def _(g, x, *, dim, keep_dim, reduce_all, Out):
    axes = list(axes_to_reduce(dim, reduce_all, len(vjp_input_shape(x))))
    g, n = (broadcast_or_distribute_like(t, x, axes=axes, keep_dim=keep_dim) for t in (g, Out))
    return masked(mul(g, div(x, n)), is_strictly_between(n, low=0.0))
