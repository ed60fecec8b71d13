"""Short-time Fourier transform and its inverse."""

from __future__ import annotations

from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..ops.shared_op_rules import real_dtype
from .creation import ones
from .manipulation import slice, squeeze, tile, transpose, unsqueeze

__all__: list[str] = []
METHODS = ["istft", "stft"]


def _raise_unless(condition: bool, op: str, problem: str, x: Tensor) -> None:
    if not condition:
        raise OpError(append_user_line(f"{op}: {problem} (X={x.meta})"))


def frame(
    x: Tensor, frame_length: int, hop_length: int, axis: int = -1, name: str | None = None
) -> Tensor:
    """Split a signal into overlapping frames.

    out[..., i, f] = x[..., f * hop_length + i]

    Parameters
    ----------
    x : Tensor [*, N], or [N, *] for axis 0, any dtype
    frame_length : int
        Elements of a frame; at most N.
    hop_length : int
        Distance of the starts of neighboring frames.
    axis : -1 or 0, default -1
        Axis of the signal.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, frame_length, F], or [F, frame_length, *] for axis 0, dtype of x
        F = 1 + (N - frame_length) // hop_length; elements after the last frame are left out.

    Raises
    ------
    OpError
        If a length is not positive, `frame_length` exceeds N or `axis` has another value.

    Examples
    --------
    >>> paddle.signal.frame(paddle.arange(5), frame_length=3, hop_length=1).tolist()
    [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    >>> paddle.signal.frame(paddle.arange(5), frame_length=3, hop_length=2, axis=0).tolist()
    [[0, 1, 2], [2, 3, 4]]
    """
    check_tensors(x)
    _check_axis_and_sizes(x, "frame", axis, frame_length=frame_length, hop_length=hop_length)
    size = x.meta.shape[axis]
    _raise_unless(
        size < 0 or frame_length <= size,
        "frame",
        f"frame_length={frame_length} exceeds the signal length {size}",
        x,
    )
    return OPS["frame"](x, frame_length=frame_length, hop_length=hop_length, axis=axis)


def overlap_add(x: Tensor, hop_length: int, axis: int = -1, name: str | None = None) -> Tensor:
    """Sum overlapping frames to a signal: the adjoint of `frame`.

    out[..., n] = sum over i, f with f * hop_length + i = n of x[..., i, f]

    Parameters
    ----------
    x : Tensor [*, frame_length, F], or [F, frame_length, *] for axis 0, any dtype
        F frames.
    hop_length : int
        Distance of the starts of neighboring frames.
    axis : -1 or 0, default -1
        Axis of the signal.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*, N], or [N, *] for axis 0, dtype of x
        N = (F - 1) * hop_length + frame_length

    Raises
    ------
    OpError
        If `hop_length` is not positive, x has fewer than two axes or `axis` has another value.

    Examples
    --------
    >>> frames = paddle.to_tensor([[1, 2], [3, 4]])  # the columns
    >>> paddle.signal.overlap_add(frames, hop_length=1).tolist()
    [1, 5, 4]
    """
    check_tensors(x)
    _check_axis_and_sizes(x, "overlap_add", axis, hop_length=hop_length)
    _raise_unless(x.ndim > 1, "overlap_add", "the rank must be at least 2", x)
    return OPS["overlap_add"](x, hop_length=hop_length, axis=axis)


def _check_axis_and_sizes(x: Tensor, op: str, axis: int, **sizes: int) -> None:
    _raise_unless(axis in (0, -1), op, f"axis={axis} is neither 0 nor -1", x)
    for name, size in sizes.items():
        _raise_unless(size > 0, op, f"{name}={size} is not positive", x)


def _checked_hop_and_window_length(
    x: Tensor, n_fft: int, hop_length: int | None, win_length: int | None, op: str
) -> tuple[int, int]:
    """Return the checked hop length and window length."""
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    _raise_unless(hop > 0, op, f"hop_length={hop} is not positive", x)
    _raise_unless(0 < length <= n_fft, op, f"win_length={length} is not in [1, n_fft={n_fft}]", x)
    return hop, length


def _padded_window(window: Tensor | None, length: int, n_fft: int, x: Tensor, op: str) -> Tensor:
    """Return the window padded with zeros to [n_fft]."""
    if window is None:
        window = ones([length], real_dtype(x.meta.dtype))
    has_length = window.ndim == 1 and window.meta.shape[0] in (length, -1)
    _raise_unless(has_length, op, f"window={window.meta} does not have win_length={length}", x)
    before = (n_fft - length) // 2
    return (
        OPS["pad"](window, paddings=[before, n_fft - length - before]) if length < n_fft else window
    )


def _pad_signal(x: Tensor, size: int, mode: str) -> Tensor:
    """Pad x [B, N] on both sides."""
    _raise_unless(
        mode in ("constant", "reflect"),
        "stft",
        f"pad_mode={mode} is neither constant nor reflect",
        x,
    )
    volume = OPS["unsqueeze2"](x, axes=[1, 2, 3])
    padded = OPS["pad3d"](volume, paddings=[size, size, 0, 0, 0, 0], mode=mode, data_format="NCDHW")
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
    """Short-time Fourier transform: Fourier transforms of windowed overlapping frames.

    out[k, f] = sum over m of window[m] * x[f * hop_length + m] * exp(-2 pi i k m / n_fft)

    Parameters
    ----------
    x : Tensor [N] or [B, N], float32 | float64 | complex64 | complex128
        Signals.
    n_fft : int
        Length of a frame, at most N.
    hop_length : int, optional
        Distance of the starts of neighboring frames; default n_fft // 4.
    win_length : int, optional
        Length of the window, at most `n_fft`, which is the default.
    window : Tensor [win_length], optional
        Default: ones. A shorter window is padded with zeros on both sides.
    center : bool, default True
        Pad x by n_fft // 2 on both sides, so that frame f is centered at x[f * hop_length].
    pad_mode : "reflect" or "constant", default "reflect"
    normalized : bool, default False
        Multiply by 1 / sqrt(n_fft).
    onesided : bool, default True
        Omit the negative frequencies, which are redundant for real signals; False for complex ones.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [n_fft // 2 + 1, F] or [B, n_fft // 2 + 1, F], complex64 | complex128
        n_fft instead of n_fft // 2 + 1 without `onesided`. F = 1 + N // hop_length frames for an
        even n_fft with `center`; 1 + (N - n_fft) // hop_length without.

    Raises
    ------
    OpError
        If the rank or dtype of x, the window or an argument does not fit.

    See Also
    --------
    paddle.signal.istft : The inverse.

    Examples
    --------
    >>> x = paddle.sin(paddle.arange(16, dtype="float32"))
    >>> paddle.signal.stft(x, n_fft=8).shape
    [5, 9]
    >>> paddle.signal.stft(x, n_fft=8, center=False, onesided=False).shape
    [8, 5]
    """
    check_tensors(x)
    _raise_unless(x.ndim in (1, 2), "stft", "the rank must be 1 or 2", x)
    hop, length = _checked_hop_and_window_length(x, n_fft, hop_length, win_length, "stft")
    size = x.meta.shape[-1]
    _raise_unless(
        n_fft > 0 and (size < 0 or n_fft <= size), "stft", f"n_fft={n_fft} is not in [1, {size}]", x
    )
    padded_window = _padded_window(window, length, n_fft, x, "stft")
    signal = unsqueeze(x, 0) if x.ndim == 1 else x
    if center:
        signal = _pad_signal(signal, n_fft // 2, pad_mode)
    frames = (
        transpose(OPS["frame"](signal, frame_length=n_fft, hop_length=hop, axis=-1), [0, 2, 1])
        * padded_window
    )
    norm = "ortho" if normalized else "backward"
    if frames.meta.dtype.kind == "c":
        _raise_unless(not onesided, "stft", "onesided=True requires a real signal", x)
        spectrum = OPS["fft_c2c"](frames, axes=[2], normalization=norm, forward=True)
    else:
        spectrum = OPS["fft_r2c"](
            frames, axes=[2], normalization=norm, forward=True, onesided=onesided
        )
    spectrum = transpose(spectrum, [0, 2, 1])
    return squeeze(spectrum, 0) if x.ndim == 1 else spectrum


def _frames_of_spectrum(
    x: Tensor, n_fft: int, normalized: bool, onesided: bool, window: Tensor, return_complex: bool
) -> Tensor:
    """Return the frames [B, frames, n_fft] of a spectrum [B, frames, F]."""
    norm = "ortho" if normalized else "backward"
    if return_complex:
        _raise_unless(not onesided, "istft", "return_complex=True requires onesided=False", x)
        return OPS["fft_c2c"](x, axes=[2], normalization=norm, forward=False)
    _raise_unless(
        window.meta.dtype.kind != "c",
        "istft",
        "a complex window requires return_complex=True",
        x,
    )
    half = x if onesided else slice(x, [2], [0], [n_fft // 2 + 1])
    return OPS["fft_c2r"](half, axes=[2], normalization=norm, forward=False, last_dim_size=n_fft)


def _remove_padding_and_cut_to_length(
    x: Tensor, n_fft: int, center: bool, length: int | None
) -> Tensor:
    """Remove the padding of a signal [*, N]: n_fft // 2 elements at each end if `center`. If
    `length` is given, return the first `length` elements after the front padding instead.
    """
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
    """Inverse short-time Fourier transform: the signal of a spectrogram.

    The inverse transforms of the frames are windowed, added up where they overlap, and divided by
    the sum of the squared windows.

    Parameters
    ----------
    x : Tensor [K, F] or [B, K, F], complex64 | complex128
        Result of `stft`; K is n_fft // 2 + 1 or, without `onesided`, n_fft.
    n_fft : int
    hop_length : int, optional
        Default n_fft // 4; at most `win_length`.
    win_length : int, optional
        Default n_fft.
    window : Tensor [win_length], optional
        Default: ones.
    center, normalized, onesided : bool, default True, False and True
        As in the call of `stft`.
    length : int, optional
        Cut the result to this length; by default it has the length of all frames, without the
        padding of `center`.
    return_complex : bool, default False
        The result is complex; requires ``onesided=False``.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [N] or [B, N], float32 | float64, or complex with `return_complex`

    Raises
    ------
    OpError
        If the rank or dtype of x, the window or an argument does not fit, or if the windows leave
        gaps: their squares add up to 0 somewhere (not checked in programs).

    See Also
    --------
    paddle.signal.stft : The inverse.

    Examples
    --------
    >>> x = paddle.sin(paddle.arange(16, dtype="float32"))
    >>> y = paddle.signal.istft(paddle.signal.stft(x, n_fft=8), n_fft=8)
    >>> bool(paddle.allclose(x, y, atol=1e-5))
    True
    """
    check_tensors(x)
    _raise_unless(
        x.meta.dtype.kind == "c" and x.ndim in (2, 3),
        "istft",
        "X must be complex with rank 2 or 3",
        x,
    )
    hop, size = _checked_hop_and_window_length(x, n_fft, hop_length, win_length, "istft")
    _raise_unless(hop <= size, "istft", f"hop_length={hop} exceeds win_length={size}", x)
    num_frequencies = n_fft // 2 + 1 if onesided else n_fft
    _raise_unless(
        x.meta.shape[-2] in (num_frequencies, -1),
        "istft",
        f"the frequency axis must have {num_frequencies} elements",
        x,
    )
    padded_window = _padded_window(window, size, n_fft, x, "istft")
    spectrum = transpose(unsqueeze(x, 0) if x.ndim == 2 else x, [0, 2, 1])
    frames = transpose(
        _frames_of_spectrum(spectrum, n_fft, normalized, onesided, padded_window, return_complex)
        * padded_window,
        [0, 2, 1],
    )
    weights = transpose(tile(unsqueeze(padded_window * padded_window, 0), [x.shape[-1], 1]), [1, 0])
    signal, envelope = (OPS["overlap_add"](t, hop_length=hop, axis=-1) for t in (frames, weights))
    signal, envelope = (
        _remove_padding_and_cut_to_length(t, n_fft, center, length) for t in (signal, envelope)
    )
    if state.mode.is_eager:
        smallest = float(OPS["reduce_min"](OPS["abs"](envelope), reduce_all=True))
        _raise_unless(
            smallest >= 1e-11,
            "istft",
            "the windows leave gaps: the sum of their squares is 0 somewhere",
            x,
        )
    out = signal / envelope
    return squeeze(out, 0) if x.ndim == 2 else out
