"""Anchors and density prior boxes of a feature map."""

from __future__ import annotations

import math
from typing import Any

from ...core.arrays import np
from ...core.op import HOST_PYTHON_LOOP, NO_GRAD_VALUE_INDEPENDENT, Floats, Ints, Meta, check, op
from ..half_precision import computed_in_float32_if_half
from ..shared_op_rules import check_float, num_elements, scale_dim


def _boxes_at_positions(places: Any, sizes: Any) -> Any:
    """Return boxes around the positions [H,W,2]. `sizes` holds the sizes [P,2] of the boxes, or
    their center offsets and sizes [P,4].

    -> [H,W,P,4]
    """
    middle = places[:, :, None] + (sizes[:, :2] if sizes.shape[1] == 4 else 0)
    half = sizes[:, -2:] / 2
    return np.concatenate([middle - half, middle + half], axis=-1)


def _repeat_variances(variances: Any, boxes: Any) -> Any:
    """Repeat the attribute `variances` for every box."""
    _check_variances(variances)
    return np.broadcast_to(np.array(variances, boxes.dtype), boxes.shape).copy()


def _check_variances(variances: Any) -> None:
    check(len(variances) == 4, f"variances={list(variances)} are not four numbers")


# -- anchor_generator
# -----------------------------------------------------------------------------------------------


def _anchor_corner_distances(sizes: Any, ratios: Any, stride: Any) -> Any:
    """The distances x2 - x1, y2 - y1 between the corners of the anchors at one position. For each
    ratio, a base anchor with integer sides and the area of one stride is multiplied by each size.

    [P,2]
    """
    found = []
    for ratio in ratios:
        base = math.floor(math.sqrt(stride[0] * stride[1] / ratio) + 0.5)
        high = math.floor(base * ratio + 0.5)
        found += [(size / stride[0] * base - 1, size / stride[1] * high - 1) for size in sizes]
    return np.array(found)


@op(
    "anchor_generator",
    "Input -> Anchors, Variances",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    host_reason=HOST_PYTHON_LOOP,
)
@computed_in_float32_if_half
def anchor_generator(
    x,
    *,
    anchor_sizes: Floats,
    aspect_ratios: Floats,
    variances: Floats,
    stride: Floats = [16.0, 16.0],
    offset: float = 0.5,
):
    """Anchors of several sizes and aspect ratios around each position, in pixels (Ren et al.,
    2015). The output Variances repeats the attribute `variances` for each anchor.

    Input [N,C,H,W] -> Anchors, Variances [H,W,P,4]
    """
    check_float(x)
    high, wide = x.shape[2:]
    columns, rows = (
        np.arange(n) * s + offset * (s - 1) for n, s in ((wide, stride[0]), (high, stride[1]))
    )
    places = np.stack(np.meshgrid(columns, rows), axis=-1)
    boxes = _boxes_at_positions(
        places, _anchor_corner_distances(anchor_sizes, aspect_ratios, stride)
    ).astype(x.dtype)
    return boxes, _repeat_variances(variances, boxes)


@anchor_generator.meta
def _(x, *, anchor_sizes, aspect_ratios, variances, stride, offset):
    check_float(x)
    check(len(x.shape) == 4, "Input needs four axes")
    _check_variances(variances)
    check(
        len(stride) == 2 and min(stride) > 0, f"stride={list(stride)} are not two positive numbers"
    )
    return (Meta((*x.shape[2:], len(anchor_sizes) * len(aspect_ratios), 4), x.dtype),) * 2


# -- density_prior_box
# ----------------------------------------------------------------------------------------------


def _density_box_offsets_and_sizes(sizes: Any, ratios: Any, densities: Any, step: int) -> Any:
    """The center offsets and sizes of the density prior boxes at one position, [P,4]."""
    found = []
    for size, density in zip(sizes, densities, strict=True):
        shift = step // density  # Paddle uses integer division
        first = shift / 2 - step / 2
        for ratio in ratios:
            sides = size * math.sqrt(ratio), size / math.sqrt(ratio)
            found += [
                (first + j * shift, first + i * shift, *sides)
                for i in range(density)
                for j in range(density)
            ]
    return np.array(found)


@op(
    "density_prior_box",
    "Input, Image -> Boxes, Variances",
    no_grad_reason=NO_GRAD_VALUE_INDEPENDENT,
    host_reason=HOST_PYTHON_LOOP,
)
@computed_in_float32_if_half
def density_prior_box(
    x,
    image,
    *,
    variances: Floats,
    clip: bool = True,
    flatten_to_2d: bool = False,
    step_w: float = 0.0,
    step_h: float = 0.0,
    offset: float = 0.5,
    fixed_sizes: Floats = [],
    fixed_ratios: Floats = [],
    densities: Ints = [],
):
    """Density prior boxes (Zhang et al., 2017): around each position, a grid of density x density
    boxes for each fixed size and ratio, in fractions of the image width and height.

    Input [N,C,H,W], Image [N,C',H',W'] -> Boxes, Variances [H,W,P,4]

    flatten_to_2d: -> [H*W*P,4].
    x1 and y1 are at least 0 and x2 and y2 at most 1, even without `clip`.
    """
    check_float(x)
    (high, wide), (image_high, image_wide) = x.shape[2:], image.shape[2:]
    steps = (step_w, step_h) if step_w and step_h else (image_wide / wide, image_high / high)
    columns, rows = ((np.arange(n) + offset) * s for n, s in ((wide, steps[0]), (high, steps[1])))
    places = np.stack(np.meshgrid(columns, rows), axis=-1)
    boxes = _boxes_at_positions(
        places,
        _density_box_offsets_and_sizes(fixed_sizes, fixed_ratios, densities, int(sum(steps) * 0.5)),
    )
    boxes = (boxes / [image_wide, image_high, image_wide, image_high]).astype(x.dtype)
    boxes[..., :2], boxes[..., 2:] = np.maximum(boxes[..., :2], 0), np.minimum(boxes[..., 2:], 1)
    boxes = np.clip(boxes, 0, 1) if clip else boxes
    boxes = boxes.reshape(-1, 4) if flatten_to_2d else boxes
    return boxes, _repeat_variances(variances, boxes)


@density_prior_box.meta
def _(x, image, *, variances, flatten_to_2d, fixed_sizes, fixed_ratios, densities, **_):
    check_float(x)
    check(len(x.shape) == len(image.shape) == 4, "Input and Image need four axes")
    _check_variances(variances)
    check(len(fixed_sizes) == len(densities), "fixed_sizes and densities differ in number")
    check(all(d > 0 for d in densities), f"densities={list(densities)} are not all positive")
    count = len(fixed_ratios) * sum(d * d for d in densities)
    flat = scale_dim(num_elements(x.shape[2:]), count)
    return (Meta((flat, 4) if flatten_to_2d else (*x.shape[2:], count, 4), x.dtype),) * 2
