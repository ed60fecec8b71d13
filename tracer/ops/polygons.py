"""Convex polygons, given as alternating x and y of their corners."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np


def polygon_ious(ones: Any, others: Any) -> Any:
    """The intersection over union of each pair of polygons; 0 for a polygon with area 0.

    [N,S], [M,S] -> [N,M]
    """
    first, second = (
        _make_counter_clockwise(p.reshape(len(p), p.shape[1] // 2, 2).astype(np.float64))
        for p in (ones, others)
    )
    out = np.zeros((len(first), len(second)), ones.dtype)
    i, j = np.nonzero(_do_bounding_boxes_intersect(first, second))
    a, b = first[i], second[j]
    own, theirs = _signed_areas(a), _signed_areas(b)
    whole = (own > 0) & (theirs > 0)
    shared = np.where(whole, _intersection_areas(a, b), 0)
    out[i, j] = shared / np.where(whole, own + theirs - shared, 1)
    return out


def _do_bounding_boxes_intersect(ones: Any, others: Any) -> Any:
    """Whether the bounding boxes of two polygons intersect. bool [N,M]"""
    (low, high), (least, most) = ((c.min(1), c.max(1)) for c in (ones, others))
    return np.all((low[:, None] <= most) & (least <= high[:, None]), axis=2)


def _cross_product(a: Any, b: Any) -> Any:
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def _signed_areas(corners: Any) -> Any:
    """The signed areas of polygons, which are positive if the corners are in counter-clockwise
    order.
    """
    return np.sum(_cross_product(corners, np.roll(corners, -1, axis=1)), axis=1) / 2


def _make_counter_clockwise(corners: Any) -> Any:
    """Return the polygons with their corners in counter-clockwise order. [N,S,2]"""
    return np.where((_signed_areas(corners) < 0)[:, None, None], corners[:, ::-1], corners)


def _intersection_areas(a: Any, b: Any) -> Any:
    """The intersection area of each pair, computed as a sum over the parts of the sides that lie
    inside the other polygon.

    [P,S,2], [P,T,2] -> [P]
    """
    start = a[:, :1]
    return (
        np.maximum(
            _area_contribution_of_clipped_sides(a - start, b - start, True)
            + _area_contribution_of_clipped_sides(b - start, a - start, False),
            0,
        )
        / 2
    )


def _area_contribution_of_clipped_sides(a: Any, b: Any, first: bool) -> Any:
    """The contribution of the sides of `a` to twice the area (Cyrus and Beck 1978).

    first: count sides that both polygons have as sides of `a`.
    """
    p, edge = a[:, :, None], (np.roll(a, -1, axis=1) - a)[:, :, None]
    start, side = b[:, None], (np.roll(b, -1, axis=1) - b)[:, None]
    depth, deeper = _cross_product(side, p - start), _cross_product(side, edge)
    with np.errstate(divide="ignore", invalid="ignore"):
        at = -depth / deeper
    low = np.maximum(np.max(np.where(deeper > 0, at, 0), axis=2), 0)
    high = np.minimum(np.min(np.where(deeper < 0, at, 1), axis=2), 1)
    common = (depth == 0) & (np.sum(side * edge, axis=3) > 0) & first
    # a duplicate corner makes a side of length 0, which clips nothing
    limits = np.any(side != 0, axis=3)
    outside = np.any((deeper == 0) & (depth <= 0) & limits & ~common, axis=2)
    p, edge = p[:, :, 0], edge[:, :, 0]
    parts = _cross_product(p + edge * low[..., None], p + edge * high[..., None])
    return np.sum(np.where((high > low) & ~outside, parts, 0), axis=1)
