"""data_norm: normalization with statistics accumulated over all batches."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import OPS, Meta, check, check_dtype, op
from ..elementwise import add, div, mul, scale, sub
from ..reduce import reduce_sum
from ..shared_op_rules import check_float, dims_match, like_x_meta
from ..unary_math import square

MIN_SHOW = 1e-7


@op(
    "data_norm",
    "scale_w?, bias?, X, BatchSize, BatchSum, BatchSquareSum -> Y, Means~, Scales~",
    no_half_reason="Paddle has no kernel for it",
    validate_before_kernel=True,
)
def data_norm(
    scale_w,
    bias,
    x,
    size,
    total,
    squares,
    *,
    epsilon: float = 1e-4,
    slot_dim: int = -1,
    summary_decay_rate: float = 0.9999999,
    enable_scale_and_shift: bool = False,
    data_layout: str = "NCHW",
    sync_stats: bool = False,
):
    """Y = (X - Means) * Scales, where Means = BatchSum / BatchSize and Scales = sqrt(BatchSize /
    BatchSquareSum).

    X, Y [N,C], the others [C]

    enable_scale_and_shift: Y is multiplied by scale_w, and bias is added.
    slot_dim: number of channels of a slot. The first channel of a slot is its show count; where
    that is 0, the Y of the slot is 0.
    """
    means, scales = total / size, np.sqrt(size / squares)
    y = (x - means) * scales
    if enable_scale_and_shift:
        y = y * scale_w + bias
    return (
        (y * mask_of_slots_with_nonzero_show.kernel(x, slot_dim=slot_dim) if slot_dim > 0 else y),
        means,
        scales,
    )


@data_norm.meta
def _(
    scale_w, bias, x, size, total, squares, *, enable_scale_and_shift, slot_dim, data_layout, **_
):
    check_float(x)
    check(len(x.shape) == 2, "X needs the shape [N, C]")
    check(
        data_layout in ("NCHW", "NHWC", "AnyLayout"),
        f"data_layout={data_layout!r} is neither NCHW nor NHWC",
    )
    wanted = [("BatchSize", size), ("BatchSum", total), ("BatchSquareSum", squares)]
    if enable_scale_and_shift:
        check(
            scale_w is not None and bias is not None,
            "enable_scale_and_shift needs scale_w and bias",
        )
        wanted += [("scale_w", scale_w), ("bias", bias)]
    for name, m in wanted:
        check_dtype(m.dtype == x.dtype, f"{name} has another dtype than X")
        check(
            len(m.shape) == 1 and dims_match(m.shape[0], x.shape[1]),
            f"{name} does not have one element for each channel of X",
        )
    fits = slot_dim <= 0 or x.shape[1] < 0 or x.shape[1] % slot_dim == 0
    check(fits, f"slot_dim={slot_dim} does not divide the {x.shape[1]} channels")
    return x, Meta(size.shape, x.dtype), Meta(size.shape, x.dtype)


@op(
    "data_norm_shown",
    "X -> Out",
    meta=like_x_meta,
    internal=True,
    no_grad_reason="it is 0 or 1",
)
def mask_of_slots_with_nonzero_show(x, *, slot_dim: int):
    """Out = 1 for the channels of slots with a nonzero show count, else 0.

    X [N,C] -> Out [N,C]
    """
    return np.repeat((np.abs(x[:, ::slot_dim]) >= MIN_SHOW).astype(x.dtype), slot_dim, axis=1)


@data_norm.vjp
def _(
    g,
    scale_w,
    bias,
    x,
    size,
    total,
    squares,
    *,
    epsilon,
    slot_dim,
    enable_scale_and_shift,
    Means,
    Scales,
):
    """The VJP rule of data_norm. As in Paddle, the "gradients" of the inputs BatchSize, BatchSum
    and BatchSquareSum are these statistics of the current batch.
    """

    def zero_channels_of_slots_without_shows(t: Any) -> Any:
        return mul(t, mask_of_slots_with_nonzero_show(x, slot_dim=slot_dim)) if slot_dim > 0 else t

    def masked_sum_over_batch(t: Any) -> Any:
        return reduce_sum(zero_channels_of_slots_without_shows(t), dim=[0])

    def x_grad() -> Any:
        # Paddle skips slots without data only if scale_w is given.
        return mul(
            zero_channels_of_slots_without_shows(mul(g, scale_w)) if enable_scale_and_shift else g,
            Scales,
        )

    def rows() -> Any:
        return masked_sum_over_batch(scale(x, scale=0.0, bias=1.0))

    def masked_mean_or_sum_over_batch(t: Any) -> Any:
        return (
            div(masked_sum_over_batch(t), clamp_to_one(rows()))
            if slot_dim > 0
            else masked_sum_over_batch(t)
        )

    def clamp_to_one(t: Any) -> Any:
        return OPS["clip"](t, min=1.0, max=float("inf"))

    def square_sum_grad() -> Any:
        return add(
            masked_mean_or_sum_over_batch(square(sub(x, Means))), scale(rows(), scale=epsilon)
        )

    return (
        (lambda: masked_sum_over_batch(mul(g, mul(sub(x, Means), Scales))))
        if enable_scale_and_shift
        else None,
        (lambda: masked_sum_over_batch(g)) if enable_scale_and_shift else None,
        x_grad,
        lambda: OPS["clip"](rows(), min=0.0, max=1.0) if slot_dim > 0 else rows(),
        lambda: masked_mean_or_sum_over_batch(x),
        square_sum_grad,
    )
