"""Rows of Fourier transforms and of frames."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(53)
f, c = n.f, n.c


def attrs(axes, normalization="backward", forward=True, **more):
    return {"axes": axes, "normalization": normalization, "forward": forward, **more}


def c2c(x, axes, **settings):
    function = np.fft.fftn if settings.get("forward", True) else np.fft.ifftn
    return Row(
        "fft_c2c",
        [x],
        attrs(axes, **settings),
        ref=lambda t: function(t, axes=axes, norm=settings.get("normalization")),
    )


def hfftn(x, axes, size, norm):
    """NumPy supports one axis only; the other axes use the plain transform."""
    return np.fft.hfft(
        np.fft.fftn(x, axes=axes[:-1], norm=norm) if axes[:-1] else x, size, axes[-1], norm
    )


def ihfftn(x, axes, norm):
    half = np.fft.ihfft(x, axis=axes[-1], norm=norm)
    return np.fft.ifftn(half, axes=axes[:-1], norm=norm) if axes[:-1] else half


def r2c(x, axes, ref, **settings):
    return Row("fft_r2c", [x], attrs(axes, **settings), ref=ref)


def c2r(x, axes, ref, paddle_grad="", **settings):
    return Row("fft_c2r", [x], attrs(axes, **settings), ref=ref, paddle_grad=paddle_grad)


def framed(x, length, hop):
    return np.stack([x[..., k : k + length] for k in range(0, x.shape[-1] - length + 1, hop)], -1)


def added(x, hop):
    out = np.zeros((*x.shape[:-2], (x.shape[-1] - 1) * hop + x.shape[-2]), x.dtype)
    for k in range(x.shape[-1]):
        out[..., k * hop : k * hop + x.shape[-2]] += x[..., k]
    return out


ROWS = [
    c2c(c(5), [0]),
    c2c(c(2, 6), [1], normalization="ortho"),
    c2c(c(2, 3, 4), [0, 2], forward=False),
    c2c(c(2, 3), [1], normalization="forward", forward=False),
    c2c(c(4, 3), [0, 1], normalization="forward"),
    r2c(f(6), [0], np.fft.rfft, onesided=True),
    r2c(f(2, 5), [1], np.fft.rfft, onesided=True),
    r2c(f(3, 4), [0, 1], lambda x: np.fft.rfftn(x, norm="ortho"), normalization="ortho", onesided=True),
    r2c(f(4, 3), [1, 0], lambda x: np.fft.rfftn(x, axes=[1, 0]), onesided=True),
    r2c(f(2, 5), [1], lambda x: np.fft.ihfft(x), forward=False, onesided=True),
    r2c(f(3, 4), [0, 1], lambda x: ihfftn(x, [0, 1], "forward"), normalization="forward", forward=False, onesided=True),
    r2c(f(2, 5), [1], np.fft.fft, onesided=False),
    r2c(f(2, 5), [0, 1], np.fft.ifftn, forward=False, onesided=False),
    c2r(c(4), [0], np.fft.irfft, forward=False),
    c2r(c(2, 3), [1], lambda x: np.fft.irfft(x, 5), forward=False, last_dim_size=5),
    c2r(c(2, 5), [1], lambda x: np.fft.irfft(x, 6), forward=False, last_dim_size=6, paddle_grad="2.6.2 omits elements of X that are not used"),
    c2r(c(3, 3), [0, 1], lambda x: np.fft.irfftn(x, norm="ortho"), normalization="ortho", forward=False),
    c2r(c(3, 4), [1, 0], lambda x: np.fft.irfftn(x, axes=[1, 0]), forward=False),
    c2r(c(4), [0], np.fft.hfft),
    c2r(c(2, 3), [0, 1], lambda x: hfftn(x, [0, 1], 5, "forward"), normalization="forward", last_dim_size=5),
    c2r(c(2), [0], np.fft.irfft, forward=False),
    c2r(c(1), [0], lambda x: np.fft.irfft(x, 1), forward=False, last_dim_size=1),
    Row("frame", [f(7)], {"frame_length": 3, "hop_length": 2}, ref=lambda x: framed(x, 3, 2)),
    Row("frame", [f(2, 8)], {"frame_length": 3, "hop_length": 2}, ref=lambda x: framed(x, 3, 2)),
    Row("frame", [f(8)], {"frame_length": 3, "hop_length": 4, "axis": 0}, ref=lambda x: framed(x, 3, 4).T),
    Row("frame", [f(8, 2)], {"frame_length": 4, "hop_length": 1, "axis": 0}, ref=lambda x: np.moveaxis(framed(x.T, 4, 1), 0, -1).swapaxes(0, 1)),
    Row("frame", [n.ints(2, 5)], {"frame_length": 2, "hop_length": 1}, ref=lambda x: framed(x, 2, 1)),
    Row("overlap_add", [f(3, 4)], {"hop_length": 2}, ref=lambda x: added(x, 2)),
    Row("overlap_add", [f(2, 3, 4)], {"hop_length": 1}, ref=lambda x: added(x, 1)),
    Row("overlap_add", [f(4, 3)], {"hop_length": 3, "axis": 0}, ref=lambda x: added(x.T, 3)),
    Row("overlap_add", [f(4, 3, 2)], {"hop_length": 2, "axis": 0}, ref=lambda x: added(x.transpose(2, 1, 0), 2).T),
    Row("overlap_add", [f(3, 2)], {"hop_length": 5}, ref=lambda x: added(x, 5), paddle="2.6.2 rejects a hop longer than a frame"),
]  # fmt: skip
