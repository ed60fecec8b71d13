"""Padding: with a number, or with what lies near."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.op import Ints, Meta, check, op
from .meta import Shape, like_x
from .shape import numbers_of

Sides = list[tuple[int, int]]


def _sides(paddings: Sequence[int], rank: int) -> Sides:
    check(len(paddings) == 2 * rank, f"paddings={list(paddings)} are not two numbers per axis")
    return list(zip(paddings[0::2], paddings[1::2], strict=True))


def _grown(shape: Shape, sides: Sides) -> Shape:
    found = tuple(-1 if d < 0 else d + a + b for d, (a, b) in zip(shape, sides, strict=True))
    check(all(d >= 0 or e < 0 for d, e in zip(found, shape, strict=True)), "nothing is left")
    return found


def _constant(x: Any, sides: Sides, value: float) -> Any:
    """x with `value` around it; a negative padding cuts."""
    x = x[tuple(slice(max(-a, 0), d - max(-b, 0)) for d, (a, b) in zip(x.shape, sides, strict=True))]
    grow = [(max(a, 0), max(b, 0)) for a, b in sides]
    return np.pad(x, grow, constant_values=x.dtype.type(value))


def _cut(x: Any, sides: Sides) -> Any:
    """The way back from `_constant`."""
    return _constant(x, [(-a, -b) for a, b in sides], 0.0)


@op("pad", "X -> Out")
def pad(x, *, paddings: Ints, pad_value: float = 0.0):
    """Out = X with pad_value before and after each axis.   X [*] -> Out [*]"""
    return _constant(x, _sides(paddings, x.ndim), pad_value)


@pad.meta
def _(x, *, paddings, pad_value):
    check(min(paddings, default=0) >= 0, f"paddings={list(paddings)} are negative")
    return Meta(_grown(x.shape, _sides(paddings, len(x.shape))), x.dtype)


@pad.vjp
def _(g, x, *, paddings):
    return unpad(g, paddings=paddings)


@op("unpad", "X -> Out")
def unpad(x, *, paddings: Ints):
    """Out = X without what `pad` had put around it.   X [*] -> Out [*]"""
    return _cut(x, _sides(paddings, x.ndim))


@unpad.meta
def _(x, *, paddings):
    return Meta(_grown(x.shape, [(-a, -b) for a, b in _sides(paddings, len(x.shape))]), x.dtype)


@unpad.vjp
def _(g, x, *, paddings):
    return pad(g, paddings=paddings)


# -- pad3d --------------------------------------------------------------------------------------------------------

_MODES = {"constant": "constant", "reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def _sides3(paddings: Sequence[int], data_format: str) -> Sides:
    """[left, right, top, bottom, front, back] as pairs for five axes."""
    check(len(paddings) == 6, f"paddings={list(paddings)} are not six numbers")
    inner = [(paddings[2 * k], paddings[2 * k + 1]) for k in (2, 1, 0)]
    return [(0, 0), *inner, (0, 0)] if data_format == "NDHWC" else [(0, 0), (0, 0), *inner]


def _check3(shape: Shape, sides: Sides, mode: str) -> None:
    check(len(shape) == 5, "X needs five axes")
    check(mode in _MODES, f"mode={mode} is none of {', '.join(_MODES)}")
    if mode in ("reflect", "circular"):
        room = 1 if mode == "reflect" else 0
        fits = all(d < 0 or max(s) <= d - room for d, s in zip(shape, sides, strict=True) if s != (0, 0))
        check(fits, f"mode={mode} cannot pad by more than X has")


@op("pad3d", "X, Paddings? -> Out")
def pad3d(
    x, paddings_tensor=None, *, paddings: Ints, mode: str = "constant", value: float = 0.0, data_format: str = "NCDHW"
):
    """Out = X padded along its three inner axes.   X [N,C,D,H,W] -> Out [N,C,D',H',W']"""
    sides = _sides3(numbers_of(paddings_tensor, None, paddings), data_format)
    _check3(x.shape, sides, mode)
    if mode == "constant":
        return _constant(x, sides, value)
    return np.pad(x, sides, mode=_MODES[mode])


@pad3d.meta
def _(x, paddings_tensor, *, paddings, mode, value, data_format):
    if paddings_tensor is not None:
        check(len(x.shape) == 5, "X needs five axes")
        free = range(1, 4) if data_format == "NDHWC" else range(2, 5)
        return Meta(tuple(-1 if i in free else d for i, d in enumerate(x.shape)), x.dtype)
    sides = _sides3(paddings, data_format)
    _check3(x.shape, sides, mode)
    return Meta(_grown(x.shape, sides), x.dtype)


@pad3d.vjp
def _(g, x, paddings_tensor, *, paddings, mode, data_format):
    return pad3d_grad(x, paddings_tensor, g, paddings=paddings, mode=mode, data_format=data_format), None


@op("pad3d_grad", "X, Paddings?, Out@GRAD -> X@GRAD", meta=like_x)
def pad3d_grad(x, paddings_tensor, g, *, paddings: Ints, mode: str = "constant", data_format: str = "NCDHW"):
    """X@GRAD = Out@GRAD, what was copied outside added to where it came from.   Out@GRAD [N,C,D',H',W'] -> X@GRAD like X"""
    sides = _sides3(numbers_of(paddings_tensor, None, paddings), data_format)
    if mode == "constant":
        return _cut(g, sides)
    for axis, (size, side) in enumerate(zip(x.shape, sides, strict=True)):
        if side != (0, 0):
            source = np.pad(np.arange(size), side, mode=_MODES[mode])
            total = np.zeros_like(g, shape=(size, *np.delete(g.shape, axis)))
            np.add.at(total, source, np.moveaxis(g, axis, 0))
            g = np.moveaxis(total, 0, axis)
    return g


@pad3d_grad.vjp
def _(gg, x, paddings_tensor, g, *, paddings, mode, data_format):
    return None, None, pad3d(gg, paddings_tensor, paddings=paddings, mode=mode, data_format=data_format)
