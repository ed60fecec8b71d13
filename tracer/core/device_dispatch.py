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
from .arrays import use_library
from .dtype import bfloat16
from .errors import PlaceError
from .op import Kernel, Op, Slot

# Slots of one number each that kernels read as Python's: they stay on the processor, so that no
# step of an optimizer waits for the GPU.
HOST_SCALAR_SLOTS = frozenset({"LearningRate", "Beta1Pow", "Beta2Pow"})


def map_arrays(value: Any, do: Callable[[Any], Any]) -> Any:
    """`do` with every array in a nesting of lists and tuples."""
    if value is None:
        return None
    return (
        type(value)(map_arrays(v, do) for v in value)
        if isinstance(value, list | tuple)
        else do(value)
    )


def iter_arrays(value: Any) -> Iterator[Any]:
    """Every array in such a nesting."""
    if isinstance(value, list | tuple):
        for v in value:
            yield from iter_arrays(v)
    elif value is not None:
        yield value


def common_device(arrays: Sequence[Any]) -> int | None:
    """The device that the operands of one call are on, None for the processor.

    Raises PlaceError for two.
    """
    places = {cuda.index_of(a) for a in arrays if a.ndim}
    if not places:  # numbers only: where any GPU is
        return next((i for a in arrays if (i := cuda.index_of(a)) is not None), None)
    if len(places) > 1:
        raise PlaceError("operands are on two devices")
    return places.pop()


def _is_bfloat16(array: Any) -> bool:
    return bool(array.dtype == bfloat16.np)


def _move_inputs(op: Op, args: tuple[Any, ...], index: int | None) -> tuple[Any, ...]:
    """The operands on one device: numbers go along, and what Python reads stays on the
    processor.
    """
    return tuple(
        map_arrays(a, functools.partial(cuda.to_device, index=None if _is_host_slot(s) else index))
        for s, a in zip(op.ins, args, strict=False)
    )


def _is_host_slot(slot: Slot) -> bool:
    """Whether kernels read an operand as Python's numbers: NUMBERS, and where sequences begin and
    end.
    """
    return slot.name in HOST_SCALAR_SLOTS or slot.over in HOST_SCALAR_SLOTS or bool(slot.lod_of)


def _move_outputs(op: Op, outs: Any, index: int | None) -> Any:
    """The results on one device, but for those that Python reads."""

    def put(slot: Slot, out: Any) -> Any:
        at = None if _is_host_slot(slot) else index
        return map_arrays(
            out, lambda a: cuda.to_device(np.asarray(a) if isinstance(a, np.generic) else a, at)
        )

    if len(op.outs) == 1:
        return put(op.outs[0], outs)
    return tuple(put(slot, out) for slot, out in zip(op.outs, outs, strict=True))


def with_device_dispatch(op: Op, plain: Kernel) -> Kernel:
    """The kernel of an op for operands anywhere.   plain: the one for the processor"""

    def kernel(*args: Any, **attrs: Any) -> Any:
        held = [
            a
            for s, arg in zip(op.ins, args, strict=False)
            if not _is_host_slot(s)
            for a in iter_arrays(arg)
        ]
        index = common_device(held) if held else cuda.cupy_state.index
        if index is None:
            with use_library(np):  # a kernel that works on a GPU may have asked for this one
                return plain(*_move_inputs(op, args, None), **attrs)
        if op.traits.host or any(map(_is_bfloat16, held)) or (op.traits.random and not held):
            with use_library(np):
                outs = plain(*map_arrays(args, cuda.to_host), **attrs)
        else:
            with cuda.use_device(index), use_library(cuda.cupy_state.cupy):
                outs = op.reference(*_move_inputs(op, args, index), **attrs)
        return _move_outputs(op, outs, index)

    return kernel


def install() -> None:
    """Give every op a kernel for operands anywhere."""
    native.wrap_kernels(with_device_dispatch)


cuda.on_first_gpu_use(install)
