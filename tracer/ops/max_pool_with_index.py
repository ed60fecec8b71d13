"""Max pooling with indices, and unpooling."""

from __future__ import annotations

import math
from typing import Any

import ml_dtypes

from ..core import native
from ..core.arrays import np
from ..core.op import Ints, Meta, check, op
from .along_axis import put_elements
from .pool import (
    PoolingPlan,
    make_pooling_plan,
    native_pool_sizes_or_empty,
    pad_images,
    window_unless_adaptive_and_output_sizes,
)
from .shared_op_rules import make_meta_rule_like_input_at
from .sliding_window import check_image_rank, require_ints_per_axis


def _make_meta_rule(rank: int) -> Any:
    def rule(x, **attrs):
        check_image_rank(x.shape, rank)
        _, out = window_unless_adaptive_and_output_sizes(x.shape, **attrs)
        return Meta((*x.shape[:2], *out), x.dtype), Meta((*x.shape[:2], *out), np.dtype(np.int32))

    return rule


_MAX_WITH_INDEX = native.compiled_function_or_placeholder("max_pool_with_index")


@native.OptionallyNativeFunction
def _first_maxima_and_indices(x: Any, p: PoolingPlan) -> tuple[Any, Any]:
    """Return the first maximum in each window of x [N,C,*S], and its index in the flattened S."""
    full = pad_images(x, p.pads, -np.inf)
    places = np.zeros_like(x, dtype=np.int32, shape=())
    for i, (before, _) in enumerate(p.pads):
        along = (np.arange(full.shape[2 + i], dtype=np.int32) - before) * math.prod(
            x.shape[3 + i :]
        )
        places = places[..., None] + along.astype(np.int32)
    places = np.broadcast_to(places, full.shape)
    best = np.full_like(x, ml_dtypes.finfo(x.dtype).min, shape=(*x.shape[:2], *p.output_sizes))
    where = np.full_like(best, -1, dtype=np.int32)  # -1 for a window that lies in the padding
    for seen, place in p.image_result_index_pairs:
        better = full[seen] > best[place]
        best[place] = np.where(better, full[seen], best[place])
        where[place] = np.where(better, places[seen], where[place])
    return best, where


@_first_maxima_and_indices.native
def _(x, p):
    sizes = native_pool_sizes_or_empty(p, x.shape[2:])
    return _MAX_WITH_INDEX(x, sizes) if sizes else NotImplemented


@op(
    "max_pool2d_with_index",
    "X -> Out, Mask~",
    meta=_make_meta_rule(2),
    amp_class="allow",
    public_name="max_pool2d",
)
def max_pool2d_with_index(
    x,
    *,
    ksize: Ints,
    global_pooling: bool = False,
    adaptive: bool = False,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
):
    """Out = the largest X in each window, Mask = its index in the flattened H * W.

    X [N,C,H,W] -> Out [N,C,H',W'], Mask int32 like Out
    """
    check_image_rank(x.shape, 2)
    return _first_maxima_and_indices(
        x,
        make_pooling_plan(
            x.shape,
            ksize=ksize,
            strides=strides,
            paddings=paddings,
            global_pooling=global_pooling,
            adaptive=adaptive,
        ),
    )


@op("max_pool3d_with_index", "X -> Out, Mask~", meta=_make_meta_rule(3), public_name="max_pool3d")
def max_pool3d_with_index(
    x,
    *,
    ksize: Ints,
    global_pooling: bool = False,
    adaptive: bool = False,
    strides: Ints = [1, 1, 1],
    paddings: Ints = [0, 0, 0],
):
    """Out = the largest X in each window, Mask = its index in the flattened D * H * W.

    X [N,C,D,H,W] -> Out [N,C,D',H',W'], Mask int32 like Out
    """
    check(x.ndim == 5, "images require five axes")
    return _first_maxima_and_indices(
        x,
        make_pooling_plan(
            x.shape,
            ksize=ksize,
            strides=strides,
            paddings=paddings,
            global_pooling=global_pooling,
            adaptive=adaptive,
        ),
    )


def _max_pool_vjp(g, x, *, Mask):
    return scatter_add_to_images(x, Mask, g)


max_pool2d_with_index.vjp(_max_pool_vjp)
max_pool3d_with_index.vjp(_max_pool_vjp)


@op(
    "write_at_max_positions",
    "X, Mask, Y -> Out",
    meta=make_meta_rule_like_input_at(0),
    internal=True,
)
def scatter_add_to_images(x, mask, y):
    """Out = zeros like X, with each Y added at its index Mask in the flattened image.

    X [N,C,*S], Mask int32 [N,C,*], Y [N,C,*] -> Out like X
    """
    return _scatter_add_to_images(x.shape, mask, y)


@native.OptionallyNativeFunction
def _scatter_add_to_images(shape: Any, mask: Any, y: Any) -> Any:
    total = np.zeros_like(y, shape=(math.prod(shape[:2]), math.prod(shape[2:])))
    y = np.where(mask < 0, y.dtype.type(0), y)  # Mask is -1 for a window that lies in the padding
    # an index -1 adds its 0 to element 0
    places = np.maximum(_flatten_images(mask), 0)
    return put_elements(total, places, _flatten_images(y), 1, True).reshape(shape)


def _flatten_images(x: Any) -> Any:
    """x [N,C,*S] as [N * C, number of elements of an image], also if one of these is 0."""
    return x.reshape(math.prod(x.shape[:2]), math.prod(x.shape[2:]))


_scatter_add_to_images.native(native.compiled_function_or_placeholder("scatter_to_images"))


@scatter_add_to_images.vjp
def _(g, x, mask, y):
    return None, None, gather_from_images(g, mask)


@op("read_at_max_positions", "X, Mask -> Out", internal=True)
def gather_from_images(x, mask):
    """Out = the elements of X at the indices Mask in the flattened images; 0 where Mask is -1.

    X [N,C,*S], Mask int32 [N,C,*] -> Out like Mask
    """
    flat, places = _flatten_images(x), _flatten_images(mask)
    values = np.take_along_axis(flat, places, axis=1)
    return np.where(places < 0, x.dtype.type(0), values).reshape(mask.shape)


@gather_from_images.meta
def _(x, mask):
    return Meta(mask.shape, x.dtype)


@gather_from_images.vjp
def _(g, x, mask):
    return scatter_add_to_images(x, mask, g), None


# -- unpooling
# -------------------------------------------------------------------------------------------------


def _make_unpool_meta_rule(rank: int) -> Any:
    def rule(x, mask, *, output_size, data_format, **_):
        check_image_rank(x.shape, rank)
        check(data_format in ("NCHW", "NCDHW"), f"data format {data_format} has its channels last")
        check(
            len(mask.shape) == len(x.shape) and mask.dtype.kind in "iu",
            "Indices are not whole numbers like X",
        )
        return Meta(
            (*x.shape[:2], *require_ints_per_axis(output_size, rank, "output_size")), x.dtype
        )

    return rule


def unpool_images(x: Any, mask: Any, sizes: Any) -> Any:
    """Return images of the given sizes that are zero except for the elements of x [N,C,*S], each at
    its index in `mask` in the flattened image.
    """
    images, count = math.prod(x.shape[:2]), math.prod(sizes)
    check(bool(np.all((mask >= 0) & (mask < count))), f"an index is outside of {count} places")
    full = np.zeros_like(x, shape=(images, count), order="C")
    np.put_along_axis(full, _flatten_images(mask).astype(np.int64), _flatten_images(x), axis=1)
    return full.reshape(*x.shape[:2], *sizes)


@op(
    "unpool",
    "X, Indices -> Out",
    meta=_make_unpool_meta_rule(2),
    validate_before_kernel=True,
    public_name="max_unpool2d",
)
def unpool(
    x,
    mask,
    *,
    ksize: Ints,
    unpooling_type: str,
    strides: Ints = [1, 1],
    paddings: Ints = [0, 0],
    output_size: Ints = [0, 0],
    data_format: str = "NCHW",
):
    """Out = zeros, with each X at its index Indices in the flattened H' * W'.

    X [N,C,H,W], Indices int like X -> Out [N,C,H',W']
    """
    return unpool_images(x, mask, output_size)


@op(
    "unpool3d",
    "X, Indices -> Out",
    meta=_make_unpool_meta_rule(3),
    validate_before_kernel=True,
    public_name="max_unpool3d",
)
def unpool3d(
    x,
    mask,
    *,
    ksize: Ints,
    strides: Ints = [1, 1, 1],
    paddings: Ints = [0, 0, 0],
    output_size: Ints = [0, 0, 0],
    data_format: str = "NCDHW",
):
    """Out = zeros, with each X at its index Indices in the flattened D' * H' * W'.

    X [N,C,D,H,W] -> Out [N,C,D',H',W']
    """
    return unpool_images(x, mask, output_size)


def unpool_vjp(g, x, mask):
    """The gradient of unpooling: the elements of g at the indices in `mask`. g like the result ->
    like x
    """
    return gather_from_images(g, mask), None


unpool.vjp(unpool_vjp)
unpool3d.vjp(unpool_vjp)
