"""Kernels where their operands are.

A kernel is one function of NumPy; this says which library works for it in one call.

- all operands on the processor: the kernel as ever, compiled where there is one
- on a GPU: the NumPy kernel, whose `np` makes arrays there (`arrays.py`); what it hands back from
  the processor is copied over
- an op with `host="why"`, or an operand in bfloat16: over the processor and back
- no operands: where `set_device` says
Operands on two devices are an error, but for numbers (0-D), which go along.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import cuda, native
from .arrays import made_by
from .dtype import bfloat16
from .errors import PlaceError
from .op import Kernel, Op, Slot

# Slots of one number each that kernels read as Python's: they stay on the processor, so that no
# step of an optimizer waits for the GPU.
NUMBERS = frozenset({"LearningRate", "Beta1Pow", "Beta2Pow"})


def each(value: Any, do: Callable[[Any], Any]) -> Any:
    """`do` with every array in a nesting of lists and tuples."""
    if value is None:
        return None
    return type(value)(each(v, do) for v in value) if isinstance(value, list | tuple) else do(value)


def flat(value: Any) -> Iterator[Any]:
    """Every array in such a nesting."""
    if isinstance(value, list | tuple):
        for v in value:
            yield from flat(v)
    elif value is not None:
        yield value


def device_of(arrays: Sequence[Any]) -> int | None:
    """The device that the operands of one call are on, None for the processor.

    Raises PlaceError for two.
    """
    places = {cuda.index_of(a) for a in arrays if a.ndim}
    if not places:  # numbers only: where any GPU is
        return next((i for a in arrays if (i := cuda.index_of(a)) is not None), None)
    if len(places) > 1:
        raise PlaceError("operands are on two devices")
    return places.pop()


def _half(array: Any) -> bool:
    return bool(array.dtype == bfloat16.np)


def _there(op: Op, args: tuple[Any, ...], index: int | None) -> tuple[Any, ...]:
    """The operands on one device: numbers go along, and what Python reads stays on the
    processor.
    """
    return tuple(
        each(a, functools.partial(cuda.put, index=None if _is_read(s) else index))
        for s, a in zip(op.ins, args, strict=False)
    )


def _is_read(slot: Slot) -> bool:
    """Whether kernels read an operand as Python's numbers: NUMBERS, and where sequences begin and
    end.
    """
    return slot.name in NUMBERS or slot.over in NUMBERS or bool(slot.lod_of)


def _results(op: Op, outs: Any, index: int | None) -> Any:
    """The results on one device, but for those that Python reads."""

    def put(slot: Slot, out: Any) -> Any:
        at = None if _is_read(slot) else index
        return each(out, lambda a: cuda.put(np.asarray(a) if isinstance(a, np.generic) else a, at))

    if len(op.outs) == 1:
        return put(op.outs[0], outs)
    return tuple(put(slot, out) for slot, out in zip(op.outs, outs, strict=True))


def placed(op: Op, plain: Kernel) -> Kernel:
    """The kernel of an op for operands anywhere.   plain: the one for the processor"""

    def kernel(*args: Any, **attrs: Any) -> Any:
        held = [
            a for s, arg in zip(op.ins, args, strict=False) if not _is_read(s) for a in flat(arg)
        ]
        index = device_of(held) if held else cuda.found.index
        if index is None:
            with made_by(np):  # a kernel that works on a GPU may have asked for this one
                return plain(*_there(op, args, None), **attrs)
        if op.facts.host or any(map(_half, held)) or (op.facts.random and not held):
            with made_by(np):
                outs = plain(*each(args, cuda.host), **attrs)
        else:
            with cuda.on(index), made_by(cuda.found.cupy):
                outs = op.reference(*_there(op, args, index), **attrs)
        return _results(op, outs, index)

    return kernel


def place_all() -> None:
    """Give every op a kernel for operands anywhere."""
    native.dress(placed)


cuda.at_start(place_all)
