"""Run kernels on the device of their inputs.

- All inputs on the CPU: run the compiled kernel if there is one, otherwise the NumPy kernel.
- Inputs on a GPU: run the NumPy kernel with CuPy arrays. Its `np` creates arrays on the GPU
  (`arrays.py`). Results on the CPU are copied to the GPU.
- Ops with a `host_reason`, bfloat16 inputs, and random ops without inputs: run on the CPU, and copy
  the results to the GPU.
- No inputs: the device of `set_device`.

Inputs on two devices raise an error, except for scalars (0-D), which are copied.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from . import cuda, native
from .arrays import use_array_library
from .dtype import bfloat16
from .errors import DeviceMismatchError
from .op import Kernel, Op, Slot

# Slots whose values kernels read as Python numbers. The values of these slots stay on the CPU, so
# that an optimizer step does not wait for the GPU.
HOST_SCALAR_SLOTS = frozenset({"LearningRate", "Beta1Pow", "Beta2Pow"})


def map_arrays(value: Any, do: Callable[[Any], Any]) -> Any:
    """Apply `do` to every array in nested lists and tuples, and return the results in the same
    structure.
    """
    if value is None:
        return None
    return (
        type(value)(map_arrays(v, do) for v in value)
        if isinstance(value, list | tuple)
        else do(value)
    )


def iter_arrays(value: Any) -> Iterator[Any]:
    """Yield every array in nested lists and tuples."""
    if isinstance(value, list | tuple):
        for v in value:
            yield from iter_arrays(v)
    elif value is not None:
        yield value


def require_single_device(arrays: Sequence[Any]) -> int | None:
    """Return the device of the inputs of one op call: the number of a GPU, or None for the CPU.

    Raises DeviceMismatchError if there are two.
    """
    gpu_indices = {cuda.gpu_index_of(a) for a in arrays if a.ndim}
    if not gpu_indices:  # there are only scalars: use the GPU of any of them
        return next((i for a in arrays if (i := cuda.gpu_index_of(a)) is not None), None)
    if len(gpu_indices) > 1:
        raise DeviceMismatchError("inputs are on two devices")
    return gpu_indices.pop()


def _is_bfloat16(array: Any) -> bool:
    return bool(array.dtype == bfloat16.np)


def _move_inputs(op: Op, args: tuple[Any, ...], index: int | None) -> tuple[Any, ...]:
    """Return the inputs of an op moved to one device. The inputs of slots that kernels read as
    Python numbers are moved to the CPU.
    """
    return tuple(
        map_arrays(a, functools.partial(cuda.to_device, index=None if _is_host_slot(s) else index))
        for s, a in zip(op.ins, args, strict=False)
    )


def _is_host_slot(slot: Slot) -> bool:
    """Whether kernels read the values of the slot as Python numbers. The function returns True for
    the slots in HOST_SCALAR_SLOTS and the slots of LoD offsets.
    """
    return (
        slot.name in HOST_SCALAR_SLOTS
        or slot.overwrites in HOST_SCALAR_SLOTS
        or bool(slot.values_slot_of_lod_slot)
    )


def _move_outputs(op: Op, outs: Any, index: int | None) -> Any:
    """Return the results of an op moved to one device; the results of host slots (`_is_host_slot`)
    stay on the CPU.
    """

    def move(slot: Slot, out: Any) -> Any:
        at = None if _is_host_slot(slot) else index
        return map_arrays(
            out, lambda a: cuda.to_device(np.asarray(a) if isinstance(a, np.generic) else a, at)
        )

    if len(op.outs) == 1:
        return move(op.outs[0], outs)
    return tuple(move(slot, out) for slot, out in zip(op.outs, outs, strict=True))


def with_device_dispatch(op: Op, plain: Kernel) -> Kernel:
    """Wrap the kernel of an op so that it takes inputs on any device.

    plain: the kernel for the CPU
    """

    def kernel(*args: Any, **attrs: Any) -> Any:
        held = [
            a
            for s, arg in zip(op.ins, args, strict=False)
            if not _is_host_slot(s)
            for a in iter_arrays(arg)
        ]
        index = require_single_device(held) if held else cuda.cupy_state.default_index
        if index is None:
            with use_array_library(np):  # a kernel on a GPU may call another op's kernel
                return plain(*_move_inputs(op, args, None), **attrs)
        if op.traits.host_reason or any(map(_is_bfloat16, held)) or (op.traits.random and not held):
            with use_array_library(np):
                outs = plain(*map_arrays(args, cuda.to_host), **attrs)
        else:
            with cuda.use_device(index), use_array_library(cuda.cupy_state.cupy):
                outs = op.numpy_kernel(*_move_inputs(op, args, index), **attrs)
        return _move_outputs(op, outs, index)

    return kernel


def install_device_dispatch() -> None:
    """Wrap the kernels of all ops so that they take inputs on any device."""
    native.set_kernel_wrapper(with_device_dispatch)


cuda.call_on_first_gpu_use(install_device_dispatch)
