"""Where pixels go: sizes, paddings, and the maps of places in the result to places in the picture.

Places are counted from the upper left corner of the upper left pixel, whose middle is (0.5, 0.5),
as in PIL.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError

# a, b, c, d, e, f: (x, y) of the result comes from (a x + b y + c, d x + e y + f)
Matrix = list[float]


def resized(size: Any, height: int, width: int) -> tuple[int, int]:
    """Height and width for Resize: those given, or for one number those that make it the shorter
    side.
    """
    if isinstance(size, Sequence) and len(size) == 2:
        return int(size[0]), int(size[1])
    if not isinstance(size, int):
        raise OpError(f"resize: size is a number or (height, width), not {size!r}")
    if width < height:
        return int(size * height / width), size
    return size, int(size * width / height)


def sides(padding: Any) -> tuple[int, int, int, int]:
    """Left, top, right, bottom of a padding: one number, (left and right, top and bottom), or all
    four.
    """
    if isinstance(padding, int | float):
        return (int(padding),) * 4
    if not isinstance(padding, Sequence) or len(padding) not in (2, 4):
        raise OpError(f"pad: padding is a number or two or four of them, not {padding!r}")
    left, top, right, bottom = padding if len(padding) == 4 else (*padding, *padding)
    return int(left), int(top), int(right), int(bottom)


def middle(size: Any, height: int, width: int) -> tuple[int, int, int, int]:
    """Top, left, height and width of the crop of a size in the middle."""
    high, wide = (int(size), int(size)) if isinstance(size, int | float) else size
    return round((height - high) / 2.0), round((width - wide) / 2.0), high, wide


def _about(matrix: Matrix, center: Sequence[float], shift: Sequence[float]) -> Matrix:
    """A linear map made one about `center` of the picture, which `shift` moves in the result."""
    a, b, _, d, e, _ = matrix
    x, y = center[0] + shift[0], center[1] + shift[1]
    return [a, b, center[0] - a * x - b * y, d, e, center[1] - d * x - e * y]


def affine_matrix(
    center: Sequence[float],
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
) -> Matrix:
    """The map back of: shear, scale, rotate clockwise about `center`, move.

    angle, shear: degrees; the rest: pixels
    """
    turn, sx, sy = (math.radians(v) for v in (angle, *shear))
    a, c = math.cos(turn - sy) / math.cos(sy), math.sin(turn - sy) / math.cos(sy)
    b, d = -a * math.tan(sx) - math.sin(turn), -c * math.tan(sx) + math.cos(turn)
    return _about([d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0], center, translate)


def rotation(
    angle: float,
    center: Sequence[float] | None,
    expand: bool,
    height: int,
    width: int,
    *,
    from_middle: bool = False,
) -> tuple[Matrix, int, int]:
    """The map back of a turn of `angle` degrees against the clock, and height and width of the
    result.

    from_middle: round the size of an expanded one up from its middle, as Paddle does for Tensors;
    PIL rounds from a corner.
    """
    turn = -math.radians(angle % 360.0)
    cos, sin = round(math.cos(turn), 15), round(math.sin(turn), 15)
    matrix = _about(
        [cos, sin, 0.0, -sin, cos, 0.0], center or (width / 2.0, height / 2.0), (0.0, 0.0)
    )
    if not expand:
        return matrix, height, width
    a, b, c, d, e, f = matrix
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    zero_x, zero_y = (width / 2.0, height / 2.0) if from_middle else (0.0, 0.0)
    xs = [a * x + b * y + c - zero_x for x, y in corners]
    ys = [d * x + e * y + f - zero_y for x, y in corners]
    wide = math.ceil(max(xs)) - math.floor(min(xs))
    high = math.ceil(max(ys)) - math.floor(min(ys))
    x, y = (width - wide) / 2.0, (height - high) / 2.0
    return [a, b, a * x + b * y + c, d, e, d * x + e * y + f], high, wide


def perspective_coefficients(startpoints: Any, endpoints: Any) -> list[float]:
    """The map back of one that takes four points to four others: a ... h of ((a x + b y + c) / w,
    (d x + e y + f) / w), w = g x + h y + 1.
    """
    rows, wanted = [], []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        wanted += [u, v]
    found = np.linalg.lstsq(np.array(rows, np.float64), np.array(wanted, np.float64), rcond=None)[0]
    return [float(v) for v in found]


def places(matrix: Sequence[float], height: int, width: int) -> tuple[Any, Any]:
    """Where the middles of the pixels of a result come from.

    matrix: six or eight numbers -> x, y [height, width]
    """
    y, x = np.mgrid[0:height, 0:width] + 0.5
    a, b, c, d, e, f, *rest = matrix
    depth = rest[0] * x + rest[1] * y + 1 if rest else 1.0
    return (a * x + b * y + c) / depth, (d * x + e * y + f) / depth
