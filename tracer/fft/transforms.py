"""Discrete Fourier transforms.

`fft`, `ifft`: of any numbers; `rfft`: of real ones, without the half of the result that follows
from the other; `irfft`: back; `hfft`: of the
half of a spectrum whose other half is its conjugate, to real numbers; `ihfft`: back.
Each of one axis, of two, and of several.

n, s: the sizes that are transformed, x being cut or filled with zeros; for results that are real,
the sizes of the result, by default
2 (m - 1) for the last axis.
norm: where the factor 1/n is: `backward`, `forward`, or `ortho` for its root both ways.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..core.dtype import default_float
from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.tensor import Tensor
from ..tensor.convert import cast

Sizes = Sequence[int] | None
_COMPLEX = {"float32": "complex64", "float64": "complex128"}


def _refuse(words: str, x: Tensor) -> None:
    raise OpError(with_user_line(f"fft: {words} (X={x.meta})"))


def _as_float(x: Tensor) -> Tensor:
    check_tensors(x)
    return cast(x, default_float()) if x.meta.dtype.kind in "iub" else x


def _as_complex(x: Tensor) -> Tensor:
    x = _as_float(x)
    return x if x.meta.dtype.kind == "c" else cast(x, _COMPLEX.get(x.dtype.name, "complex64"))


def _arranged(x: Tensor, s: Sizes, axes: Sizes, last: bool) -> tuple[list[int] | None, list[int]]:
    """Sizes and axes, the axes counted from the front and rising; last: the last one stays where it
    is.
    """
    if axes is None:
        count = x.ndim if s is None else len(s)
        axes = range(x.ndim - count, x.ndim)
    if s is not None and len(s) != len(axes):
        _refuse(f"s={list(s)} does not fit axes={list(axes)}", x)
    if s is not None and min(s, default=1) <= 0:
        _refuse(f"s={list(s)} holds a size that is not positive", x)
    if not axes or not all(-x.ndim <= a < x.ndim for a in axes):
        _refuse(f"axes={list(axes)} are not axes of rank {x.ndim}", x)
    found = [a % x.ndim for a in axes]
    order = sorted(range(len(found) - last), key=found.__getitem__) + [len(found) - 1] * last
    return None if s is None else [s[i] for i in order], [found[i] for i in order]


def _resized(x: Tensor, sizes: Sequence[int], axes: Sequence[int]) -> Tensor:
    """x cut, or filled with zeros at the end, to sizes."""
    have = [x.shape[a] for a in axes]
    cut = [(a, s) for a, s, h in zip(axes, sizes, have, strict=True) if s < h]
    if cut:
        x = OPS["slice"](
            x, axes=[a for a, _ in cut], starts=[0] * len(cut), ends=[s for _, s in cut]
        )
    border = [0] * (2 * x.ndim)
    for a, s, h in zip(axes, sizes, have, strict=True):
        border[2 * a + 1] = max(s - h, 0)
    return OPS["pad"](x, paddings=border) if any(border) else x


def _whole(x: Tensor, s: Sizes, axes: Sizes, norm: str, forward: bool) -> Tensor:
    """The transform of any numbers, all of it."""
    x = _as_float(x)
    real = x.meta.dtype.kind != "c"
    sizes, listed = _arranged(x, s, axes, last=real)
    x = x if sizes is None else _resized(x, sizes, listed)
    if real:
        return OPS["fft_r2c"](x, axes=listed, normalization=norm, forward=forward, onesided=False)
    return OPS["fft_c2c"](x, axes=listed, normalization=norm, forward=forward)


def _half(x: Tensor, s: Sizes, axes: Sizes, norm: str, forward: bool) -> Tensor:
    """The transform of real numbers, half of it."""
    x = _as_float(x)
    sizes, listed = _arranged(x, s, axes, last=True)
    x = x if sizes is None else _resized(x, sizes, listed)
    return OPS["fft_r2c"](x, axes=listed, normalization=norm, forward=forward, onesided=True)


def _real(x: Tensor, s: Sizes, axes: Sizes, norm: str, forward: bool) -> Tensor:
    """The real transform of half a spectrum."""
    x = _as_complex(x)
    sizes, listed = _arranged(x, s, axes, last=True)
    if sizes is None:
        return OPS["fft_c2r"](x, axes=listed, normalization=norm, forward=forward)
    x = _resized(x, [*sizes[:-1], sizes[-1] // 2 + 1], listed)
    return OPS["fft_c2r"](
        x, axes=listed, normalization=norm, forward=forward, last_dim_size=sizes[-1]
    )


def _one(n: int | None) -> list[int] | None:
    return None if n is None else [n]


def _two(x: Tensor, s: Sizes, axes: Sizes) -> Sizes:
    """The axes of a transform of two."""
    check_tensors(x)
    if x.ndim < 2 or (s is not None and len(s) != 2) or (axes is not None and len(axes) != 2):
        _refuse(f"s={s}, axes={axes} are not those of two axes", x)
    return (-2, -1) if axes is None else axes


def fft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """The transform along one axis.

    x [*, N] -> complex [*, n]
    """
    return _whole(x, _one(n), [axis], norm, True)


def ifft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """The inverse transform along one axis.

    x [*, N] -> complex [*, n]
    """
    return _whole(x, _one(n), [axis], norm, False)


def rfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Half the transform of real numbers along one axis.

    x real [*, N] -> complex [*, n // 2 + 1]
    """
    return _half(x, _one(n), [axis], norm, True)


def irfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """What undoes `rfft`.

    x [*, M] -> real [*, n]
    """
    return _real(x, _one(n), [axis], norm, False)


def hfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """The transform of half a spectrum along one axis.

    x [*, M] -> real [*, n]
    """
    return _real(x, _one(n), [axis], norm, True)


def ihfft(
    x: Tensor, n: int | None = None, axis: int = -1, norm: str = "backward", name: str | None = None
) -> Tensor:
    """What undoes `hfft`.

    x real [*, N] -> complex [*, n // 2 + 1]
    """
    return _half(x, _one(n), [axis], norm, False)


def fftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """The transform along several axes, all by default.

    x [*] -> complex [*s]
    """
    return _whole(x, s, axes, norm, True)


def ifftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """The inverse transform along several axes.

    x [*] -> complex [*s]
    """
    return _whole(x, s, axes, norm, False)


def rfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """Half the transform of real numbers along several axes.

    x real [*] -> complex, the last axis s // 2 + 1
    """
    return _half(x, s, axes, norm, True)


def irfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """What undoes `rfftn`.

    x [*] -> real [*s]
    """
    return _real(x, s, axes, norm, False)


def hfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """The transform of half a spectrum along several axes.

    x [*] -> real [*s]
    """
    return _real(x, s, axes, norm, True)


def ihfftn(
    x: Tensor, s: Sizes = None, axes: Sizes = None, norm: str = "backward", name: str | None = None
) -> Tensor:
    """What undoes `hfftn`.

    x real [*] -> complex, the last axis s // 2 + 1
    """
    return _half(x, s, axes, norm, False)


def fft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`fftn` of two axes."""
    return fftn(x, s, _two(x, s, axes), norm)


def ifft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`ifftn` of two axes."""
    return ifftn(x, s, _two(x, s, axes), norm)


def rfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`rfftn` of two axes."""
    return rfftn(x, s, _two(x, s, axes), norm)


def irfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`irfftn` of two axes."""
    return irfftn(x, s, _two(x, s, axes), norm)


def hfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`hfftn` of two axes."""
    return hfftn(x, s, _two(x, s, axes), norm)


def ihfft2(
    x: Tensor,
    s: Sizes = None,
    axes: Sizes = (-2, -1),
    norm: str = "backward",
    name: str | None = None,
) -> Tensor:
    """`ihfftn` of two axes."""
    return ihfftn(x, s, _two(x, s, axes), norm)
