"""Geometry of transforms: sizes, paddings, and maps from positions in the result to positions in
the image.

Positions are measured from the upper left corner of the upper left pixel, whose center is (0.5,
0.5), as in PIL.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...core.errors import OpError, append_user_line

# a, b, c, d, e, f: (x, y) in the result maps to (a x + b y + c, d x + e y + f) in the image
Matrix = list[float]


def height_and_width_for_resize(size: Any, height: int, width: int) -> tuple[int, int]:
    """Return the height and width for `resize`; one number is the shorter side."""
    if isinstance(size, Sequence) and len(size) == 2:
        return int(size[0]), int(size[1])
    if not isinstance(size, int):
        raise OpError(
            append_user_line(f"resize: size must be a number or (height, width), not {size!r}")
        )
    if width < height:
        return int(size * height / width), size
    return size, int(size * width / height)


def padding_per_side(padding: Any) -> tuple[int, int, int, int]:
    """Return the numbers of pixels by which `pad` extends an image on the left, top, right and
    bottom.

    padding: one number, (left and right, top and bottom), or all four.
    """
    if isinstance(padding, int | float):
        return (int(padding),) * 4
    if not isinstance(padding, Sequence) or len(padding) not in (2, 4):
        raise OpError(
            append_user_line(f"pad: padding must be one, two or four numbers, not {padding!r}")
        )
    left, top, right, bottom = padding if len(padding) == 4 else (*padding, *padding)
    return int(left), int(top), int(right), int(bottom)


def center_crop_top_left_and_size(size: Any, height: int, width: int) -> tuple[int, int, int, int]:
    """Return top, left, height and width of a centered crop."""
    crop_height, crop_width = (int(size), int(size)) if isinstance(size, int | float) else size
    return (
        round((height - crop_height) / 2.0),
        round((width - crop_width) / 2.0),
        crop_height,
        crop_width,
    )


def _linear_map_about_center(
    matrix: Matrix, center: Sequence[float], shift: Sequence[float]
) -> Matrix:
    """Return a map from positions in the result to positions in the image: the linear map `matrix`
    about `center`, for a result that is translated by `shift`.
    """
    a, b, _, d, e, _ = matrix
    x, y = center[0] + shift[0], center[1] + shift[1]
    return [a, b, center[0] - a * x - b * y, d, e, center[1] - d * x - e * y]


def inverse_affine_matrix(
    center: Sequence[float],
    angle: float,
    translate: Sequence[float],
    scale: float,
    shear: Sequence[float],
) -> Matrix:
    """Return the inverse map of: shear, scale, rotate clockwise about `center`, translate.

    angle, shear: degrees; others: pixels
    """
    theta, sx, sy = (math.radians(v) for v in (angle, *shear))
    a, c = math.cos(theta - sy) / math.cos(sy), math.sin(theta - sy) / math.cos(sy)
    b, d = -a * math.tan(sx) - math.sin(theta), -c * math.tan(sx) + math.cos(theta)
    return _linear_map_about_center(
        [d / scale, -b / scale, 0.0, -c / scale, a / scale, 0.0], center, translate
    )


def inverse_rotation_matrix_and_size(
    angle: float,
    center: Sequence[float] | None,
    expand: bool,
    height: int,
    width: int,
    *,
    round_from_center: bool = False,
) -> tuple[Matrix, int, int]:
    """Return the inverse map of a counterclockwise rotation by `angle` degrees, and height and
    width of the result.

    round_from_center: round the size of an expanded result up from its center, as Paddle does for
    Tensors; PIL rounds from a corner
    """
    theta = -math.radians(angle % 360.0)
    cos, sin = round(math.cos(theta), 15), round(math.sin(theta), 15)
    matrix = _linear_map_about_center(
        [cos, sin, 0.0, -sin, cos, 0.0], center or (width / 2.0, height / 2.0), (0.0, 0.0)
    )
    if not expand:
        return matrix, height, width
    a, b, c, d, e, f = matrix
    corners = [(0, 0), (width, 0), (width, height), (0, height)]
    origin_x, origin_y = (width / 2.0, height / 2.0) if round_from_center else (0.0, 0.0)
    xs = [a * x + b * y + c - origin_x for x, y in corners]
    ys = [d * x + e * y + f - origin_y for x, y in corners]
    new_width = math.ceil(max(xs)) - math.floor(min(xs))
    new_height = math.ceil(max(ys)) - math.floor(min(ys))
    x, y = (width - new_width) / 2.0, (height - new_height) / 2.0
    return [a, b, a * x + b * y + c, d, e, d * x + e * y + f], new_height, new_width


def inverse_perspective_coefficients(startpoints: Any, endpoints: Any) -> list[float]:
    """Return the inverse of the perspective map that maps four startpoints to four endpoints.

    Coefficients a ... h of ((a x + b y + c) / w, (d x + e y + f) / w), w = g x + h y + 1.
    """
    if len(startpoints) != 4 or len(endpoints) != 4:
        raise OpError(
            append_user_line(
                "perspective: startpoints and endpoints must be four points each, not "
                f"{startpoints!r} and {endpoints!r}"
            )
        )
    rows, targets = [], []
    for (x, y), (u, v) in zip(endpoints, startpoints, strict=True):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        targets += [u, v]
    solution = np.linalg.lstsq(
        np.array(rows, np.float64), np.array(targets, np.float64), rcond=None
    )[0]
    return [float(v) for v in solution]


def source_coordinates(matrix: Sequence[float], height: int, width: int) -> tuple[Any, Any]:
    """Return the positions in the image of the pixel centers of a result.

    matrix: six or eight numbers -> x, y [height, width]
    """
    y, x = np.mgrid[0:height, 0:width] + 0.5
    a, b, c, d, e, f, *perspective = matrix
    depth = perspective[0] * x + perspective[1] * y + 1 if perspective else 1.0
    return (a * x + b * y + c) / depth, (d * x + e * y + f) / depth
