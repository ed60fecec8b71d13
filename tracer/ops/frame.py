"""Split signals into overlapping frames, and overlap-add."""

from __future__ import annotations

from typing import Any

from ..core.arrays import np
from ..core.op import NO_HALF_COMPLEX, OPS, Meta, check, check_dtype, op
from .fourier import fft_r2c, fft_r2c_grad
from .half_precision import computed_in_float32_if_half
from .shared_op_rules import complex_dtype, dims_match, raise_unknown_size_unless, vjp_input_shape


def _check_rank_hop_length_and_axis(x: Any, rank: int, hop_length: int, axis: int) -> None:
    check(axis in (0, -1), f"axis={axis} is neither 0 nor -1")
    check(len(x.shape) >= rank, f"needs at least {rank} axes")
    check(hop_length > 0, f"hop_length={hop_length} is not positive")


@op("frame", "X -> Out")
def frame(x, *, frame_length: int, hop_length: int, axis: int = -1):
    """Out = overlapping frames of X, where frame i starts at element i * hop_length.

    X [*, N] -> Out [*, frame_length, frames]; axis=0: X [N, *] -> Out [frames, frame_length, *]
    """
    views = np.lib.stride_tricks.sliding_window_view(x, frame_length, axis=axis)
    if axis == 0:
        return np.moveaxis(views[::hop_length], -1, 1).copy()
    return np.swapaxes(views[..., ::hop_length, :], -1, -2).copy()


@frame.meta
def _(x, *, frame_length, hop_length, axis):
    _check_rank_hop_length_and_axis(x, 1, hop_length, axis)
    size = x.shape[axis]
    check(frame_length > 0, f"frame_length={frame_length} is not positive")
    check(
        size < 0 or frame_length <= size,
        f"frame_length={frame_length} is more than the {size} elements",
    )
    count = -1 if size < 0 else (size - frame_length) // hop_length + 1
    shape = (
        (count, frame_length, *x.shape[1:]) if axis == 0 else (*x.shape[:-1], frame_length, count)
    )
    return Meta(shape, x.dtype)


@frame.vjp
def frame_grad(g, x, *, frame_length, hop_length, axis):
    """The gradient of `frame` with respect to X. g like Out, X [*, N] -> [*, N]"""
    found = overlap_add(g, hop_length=hop_length, axis=axis)
    rest = vjp_input_shape(x)[axis] - vjp_input_shape(found)[axis]
    raise_unknown_size_unless(min(*vjp_input_shape(x), *vjp_input_shape(found)) >= 0)
    others = [0] * (2 * len(vjp_input_shape(x)) - 2)
    return OPS["pad"](found, paddings=[0, rest, *others] if axis == 0 else [*others, 0, rest])


@op("overlap_add", "X -> Out")
@computed_in_float32_if_half
def overlap_add(x, *, hop_length: int, axis: int = -1):
    """Out = the sum of the frames, where frame i is placed at i * hop_length.

    X [*, L, frames] -> Out [*, N]; axis=0: X [frames, L, *] -> Out [N, *]
    """
    _check_rank_hop_length_and_axis(x, 2, hop_length, axis)
    frames = x if axis == 0 else np.moveaxis(x, (-1, -2), (0, 1))
    count, length = frames.shape[:2]
    out = np.zeros(((count - 1) * hop_length + length, *frames.shape[2:]), x.dtype)
    for k in range(count):
        out[k * hop_length : k * hop_length + length] += frames[k]
    return out if axis == 0 else np.moveaxis(out, 0, -1).copy()


@overlap_add.meta
def _(x, *, hop_length, axis):
    _check_rank_hop_length_and_axis(x, 2, hop_length, axis)
    count, length = x.shape[:2] if axis == 0 else x.shape[:-3:-1]
    check(count != 0, "there are no frames")
    size = -1 if min(count, length) < 0 else (count - 1) * hop_length + length
    return Meta((size, *x.shape[2:]) if axis == 0 else (*x.shape[:-2], size), x.dtype)


@overlap_add.vjp
def _(g, x, *, hop_length, axis):
    length = vjp_input_shape(x)[1 if axis == 0 else -2]
    raise_unknown_size_unless(length >= 0)
    return frame(g, frame_length=length, hop_length=hop_length, axis=axis)


@op("stft", "X, Window! -> Out", no_half_reason=NO_HALF_COMPLEX, validate_before_kernel=True)
def stft(x, window, *, n_fft: int, hop_length: int, normalized: bool, onesided: bool):
    """Out = the short-time Fourier transform of X: each frame of X, multiplied by Window, is
    transformed.

    X [B, N], Window [n_fft] -> Out complex [B, F, frames]

    onesided: F = n_fft // 2 + 1, otherwise F = n_fft.
    normalized: divide by sqrt(n_fft).
    """
    frames = np.lib.stride_tricks.sliding_window_view(x, n_fft, axis=-1)[:, ::hop_length] * window
    spectrum = fft_r2c.kernel(frames, **_fft_r2c_attrs_of_stft(normalized, onesided))
    return spectrum.swapaxes(1, 2).copy()


def _fft_r2c_attrs_of_stft(normalized: bool, onesided: bool) -> dict[str, Any]:
    return {
        "axes": [2],
        "normalization": "ortho" if normalized else "backward",
        "forward": True,
        "onesided": onesided,
    }


@stft.meta
def _(x, window, *, n_fft, hop_length, normalized, onesided):
    check_dtype(
        x.dtype.kind == "f" and x.dtype == window.dtype,
        "X and Window must have the same dtype, float32 or float64",
    )
    check(len(x.shape) == 2, "X needs the shape [batch, samples]")
    check(
        n_fft > 0 and hop_length > 0,
        f"n_fft={n_fft} and hop_length={hop_length} are not both positive",
    )
    check(
        len(window.shape) == 1 and dims_match(window.shape[0], n_fft),
        f"Window needs the shape [n_fft={n_fft}]",
    )
    batch, size = x.shape
    check(size < 0 or n_fft <= size, f"n_fft={n_fft} is more than the {size} samples")
    count = -1 if size < 0 else (size - n_fft) // hop_length + 1
    return Meta((batch, n_fft // 2 + 1 if onesided else n_fft, count), complex_dtype(x.dtype))


@stft.vjp
def _(g, x, window, *, n_fft, hop_length, normalized, onesided):
    raise_unknown_size_unless(min(vjp_input_shape(x)) >= 0)
    turn = OPS["transpose2"]
    frames = turn(frame(x, frame_length=n_fft, hop_length=hop_length), axis=[0, 2, 1])
    back = fft_r2c_grad(
        turn(g, axis=[0, 2, 1]), frames, **_fft_r2c_attrs_of_stft(normalized, onesided)
    )
    weighted = turn(OPS["elementwise_mul"](back, window), axis=[0, 2, 1])
    return frame_grad(weighted, x, frame_length=n_fft, hop_length=hop_length, axis=-1), None
