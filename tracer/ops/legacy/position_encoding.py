"""add_position_encoding: sinusoidal position encoding."""

from __future__ import annotations

from typing import Any

from ...core.arrays import np
from ...core.op import check, op
from ..elementwise import scale
from ..half_precision import computed_in_float32_if_half
from ..lod import require_row_offsets, sequence_id_per_row
from ..shared_op_rules import check_float, like_x_meta_requiring_float


def _sinusoids(places: Any, width: int) -> Any:
    """The sinusoidal encoding of positions: sines in the first half of the columns, cosines in the
    second half. places [*] -> [*, width]
    """
    check(width % 2 == 0, f"X has an odd number of features, {width}")
    half = width // 2
    rates = 1e4 ** (np.arange(half) / (half - 1)) if half > 1 else np.full(half, 1e4)
    angles = places[..., None] / rates
    return np.concatenate([np.sin(angles), np.cos(angles)], -1)


@op("add_position_encoding", "X, X@LOD*?! -> Out", meta=like_x_meta_requiring_float)
@computed_in_float32_if_half
def add_position_encoding(x, lod=None, *, alpha: float = 1.0, beta: float = 1.0):
    """Out = alpha * X + beta * the sinusoidal encoding of the positions (Vaswani et al., 2017).

    X [N,T,D], or packed sequences [R,D] -> Out like X
    """
    check_float(x)
    check(x.ndim in (2, 3), "X has neither three axes nor two")
    if x.ndim == 3:
        places = np.arange(x.shape[1])
    else:
        offsets = require_row_offsets(lod)
        places = np.arange(len(x)) - offsets[sequence_id_per_row(offsets)]
    t = x.dtype.type
    return x * t(alpha) + (_sinusoids(places, x.shape[-1]) * beta).astype(x.dtype)


@add_position_encoding.lod(lambda level, *_: level)
def _(x, lod=None, **_):
    return list(lod or [])


@add_position_encoding.vjp
def _(g, x, lod, *, alpha):
    return scale(g, scale=alpha), None
