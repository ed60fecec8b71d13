"""What convex polygons share.   One is the x and y of its corners in turn."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np


def polygon_overlaps(ones: Any, others: Any) -> Any:
    """The area that polygons share over that which they cover together, 0 for such of no area.   [N,S], [M,S] -> [N,M]"""
    first, second = ([p.reshape(-1, 2).astype(np.float64) for p in found] for found in (ones, others))
    own, theirs = ([_area(p) for p in found] for found in (first, second))
    out = np.zeros((len(first), len(second)), ones.dtype)
    for i, j in np.argwhere(_near(ones, others)).tolist():
        if own[i] > 0 and theirs[j] > 0:
            shared = _area(_common(first[i], second[j]))
            out[i, j] = shared / (own[i] + theirs[j] - shared)
    return out


def _near(ones: Any, others: Any) -> Any:
    """Whether the upright boxes around them meet.   bool [N,M]"""
    corners = [p.reshape(len(p), p.shape[1] // 2, 2) for p in (ones, others)]
    (low, high), (least, most) = ((c.min(1), c.max(1)) for c in corners)
    return np.all((low[:, None] <= most) & (least <= high[:, None]), axis=2)


def _area(corners: Any) -> float:
    x, y = corners[:, 0], corners[:, 1]
    return float(abs(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)))) / 2


def _common(one: Any, two: Any) -> Any:
    """What two convex polygons share, the second cut off along each side of the first   (Sutherland and Hodgman 1974)."""
    x, y = one[:, 0], one[:, 1]
    one = one if np.sum(x * np.roll(y, -1) - y * np.roll(x, -1)) > 0 else one[::-1]
    for start, end in zip(one, np.roll(one, -1, axis=0), strict=True):
        side = end - start
        depth = side[0] * (two[:, 1] - start[1]) - side[1] * (two[:, 0] - start[0])
        kept = []
        for p, q, i, j in zip(two, np.roll(two, -1, axis=0), depth, np.roll(depth, -1), strict=True):
            kept += [p] if i >= 0 else []
            kept += [p + (q - p) * (i / (i - j))] if (i >= 0) != (j >= 0) else []
        two = np.array(kept).reshape(-1, 2)
    return two
