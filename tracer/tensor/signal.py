"""Short-time Fourier transforms, and back."""

from __future__ import annotations

from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..ops.meta_rules import real_dtype
from .creation import ones
from .manipulation import slice, squeeze, tile, transpose, unsqueeze

__all__: list[str] = []
METHODS = ["istft", "stft"]


def _need(ok: bool, op: str, words: str, x: Tensor) -> None:
    if not ok:
        raise OpError(with_user_line(f"{op}: {words} (X={x.meta})"))


def frame(
    x: Tensor, frame_length: int, hop_length: int, axis: int = -1, name: str | None = None
) -> Tensor:
    """Parts of a signal that overlap.

    x [..., N] -> [..., frame_length, frames]; with axis 0 [N, ...] -> [frames, frame_length, ...]
    """
    check_tensors(x)
    _positive(x, "frame", axis, frame_length=frame_length, hop_length=hop_length)
    size = x.meta.shape[axis]
    _need(
        size < 0 or frame_length <= size,
        "frame",
        f"frame_length={frame_length} is more than the signal's {size}",
        x,
    )
    return OPS["frame"](x, frame_length=frame_length, hop_length=hop_length, axis=axis)


def overlap_add(x: Tensor, hop_length: int, axis: int = -1, name: str | None = None) -> Tensor:
    """What `frame` gave put back, added where it overlaps.

    x [..., frame_length, frames] -> [..., N]; axis as in `frame`
    """
    check_tensors(x)
    _positive(x, "overlap_add", axis, hop_length=hop_length)
    _need(x.ndim > 1, "overlap_add", "needs two axes or more", x)
    return OPS["overlap_add"](x, hop_length=hop_length, axis=axis)


def _positive(x: Tensor, op: str, axis: int, **sizes: int) -> None:
    _need(axis in (0, -1), op, f"axis={axis} is neither 0 nor -1", x)
    for name, size in sizes.items():
        _need(size > 0, op, f"{name}={size} is not positive", x)


def _hops(
    x: Tensor, n_fft: int, hop_length: int | None, win_length: int | None, op: str
) -> tuple[int, int]:
    """The step between frames and the length of the window, checked."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    _need(hop > 0, op, f"hop_length={hop} is not positive", x)
    _need(0 < length <= n_fft, op, f"win_length={length} is not in [1, n_fft={n_fft}]", x)
    return hop, length


def _window(window: Tensor | None, length: int, n_fft: int, x: Tensor, op: str) -> Tensor:
    """The window with zeros on both sides, [n_fft]."""
    if window is None:
        window = ones([length], real_dtype(x.meta.dtype))
    fits = window.ndim == 1 and window.meta.shape[0] in (length, -1)
    _need(fits, op, f"window={window.meta} is not of win_length={length}", x)
    before = (n_fft - length) // 2
    return (
        OPS["pad"](window, paddings=[before, n_fft - length - before]) if length < n_fft else window
    )


def _centred(x: Tensor, size: int, mode: str) -> Tensor:
    """x [B, N] with a border on both sides."""
    _need(
        mode in ("constant", "reflect"),
        "stft",
        f"pad_mode={mode} is neither constant nor reflect",
        x,
    )
    deep = OPS["unsqueeze2"](x, axes=[1, 2, 3])
    padded = OPS["pad3d"](deep, paddings=[size, size, 0, 0, 0, 0], mode=mode, data_format="NCDHW")
    return OPS["squeeze2"](padded, axes=[1, 2, 3])


def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool = True,
    name: str | None = None,
) -> Tensor:
    """The transforms of frames that overlap, times a window.

    x [N] or [B, N] -> complex [(B,) n_fft // 2 + 1 or n_fft, frames]

    hop_length: from frame to frame, n_fft // 4 by default; window [win_length], ones by default;
    center: x gets a border of n_fft // 2 first; normalized: times 1 / sqrt(n_fft); onesided:
    without the half that follows from the other, which complex numbers do not have.
    """
    check_tensors(x)
    _need(x.ndim in (1, 2), "stft", "needs one or two axes", x)
    hop, length = _hops(x, n_fft, hop_length, win_length, "stft")
    size = x.meta.shape[-1]
    _need(
        n_fft > 0 and (size < 0 or n_fft <= size), "stft", f"n_fft={n_fft} is not in [1, {size}]", x
    )
    full = _window(window, length, n_fft, x, "stft")
    signal = unsqueeze(x, 0) if x.ndim == 1 else x
    if center:
        signal = _centred(signal, n_fft // 2, pad_mode)
    frames = (
        transpose(OPS["frame"](signal, frame_length=n_fft, hop_length=hop, axis=-1), [0, 2, 1])
        * full
    )
    norm = "ortho" if normalized else "backward"
    if frames.meta.dtype.kind == "c":
        _need(not onesided, "stft", "onesided=True is for real numbers", x)
        found = OPS["fft_c2c"](frames, axes=[2], normalization=norm, forward=True)
    else:
        found = OPS["fft_r2c"](
            frames, axes=[2], normalization=norm, forward=True, onesided=onesided
        )
    found = transpose(found, [0, 2, 1])
    return squeeze(found, 0) if x.ndim == 1 else found


def _signal(
    x: Tensor, n_fft: int, normalized: bool, onesided: bool, window: Tensor, return_complex: bool
) -> Tensor:
    """The frames of a spectrum [B, frames, F]: [B, frames, n_fft]."""
    norm = "ortho" if normalized else "backward"
    if return_complex:
        _need(not onesided, "istft", "onesided=True gives real numbers, not return_complex=True", x)
        return OPS["fft_c2c"](x, axes=[2], normalization=norm, forward=False)
    _need(
        window.meta.dtype.kind != "c",
        "istft",
        "a complex window gives complex numbers: return_complex=True",
        x,
    )
    half = x if onesided else slice(x, [2], [0], [n_fft // 2 + 1])
    return OPS["fft_c2r"](half, axes=[2], normalization=norm, forward=False, last_dim_size=n_fft)


def _cut(x: Tensor, n_fft: int, center: bool, length: int | None) -> Tensor:
    """The part of a signal [*, N] that was there before it got a border."""
    border = n_fft // 2 if center else 0
    if length is not None:
        return slice(x, [x.ndim - 1], [border], [border + length])
    return slice(x, [x.ndim - 1], [border], [-border]) if border else x


def istft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool = True,
    length: int | None = None,
    return_complex: bool = False,
    name: str | None = None,
) -> Tensor:
    """What undoes `stft`, whose arguments it takes.

    x complex [(B,) n_fft // 2 + 1 or n_fft, frames] -> [(B,) N]

    length: how much of the signal to give; by default all.
    Raises OpError where the windows leave gaps.
    """
    check_tensors(x)
    _need(
        x.meta.dtype.kind == "c" and x.ndim in (2, 3),
        "istft",
        "needs complex numbers in two or three axes",
        x,
    )
    hop, size = _hops(x, n_fft, hop_length, win_length, "istft")
    _need(hop <= size, "istft", f"hop_length={hop} is more than win_length={size}", x)
    wanted = n_fft // 2 + 1 if onesided else n_fft
    _need(
        x.meta.shape[-2] in (wanted, -1),
        "istft",
        f"the axis of frequencies needs {wanted} elements",
        x,
    )
    full = _window(window, size, n_fft, x, "istft")
    spectrum = transpose(unsqueeze(x, 0) if x.ndim == 2 else x, [0, 2, 1])
    frames = transpose(
        _signal(spectrum, n_fft, normalized, onesided, full, return_complex) * full, [0, 2, 1]
    )
    weights = transpose(tile(unsqueeze(full * full, 0), [x.shape[-1], 1]), [1, 0])
    signal, envelope = (OPS["overlap_add"](t, hop_length=hop, axis=-1) for t in (frames, weights))
    signal, envelope = (_cut(t, n_fft, center, length) for t in (signal, envelope))
    if state.mode.is_eager:
        least = float(OPS["reduce_min"](OPS["abs"](envelope), reduce_all=True))
        _need(
            least >= 1e-11,
            "istft",
            "the windows leave gaps: their squares add up to 0 somewhere",
            x,
        )
    found = signal / envelope
    return squeeze(found, 0) if x.ndim == 2 else found
