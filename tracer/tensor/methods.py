"""Functions that are only methods of Tensor: dtype, device, memory and whole-tensor in-place
updates.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import autograd
from ..core import cuda as cuda_of
from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.place import CUDAPlace, Place
from ..core.tensor import Tensor
from . import creation, linalg, manipulation
from .convert import cast, device_index, to_tensor

METHODS_ONLY = [
    "astype",
    "backward",
    "contiguous",
    "copy_",
    "cpu",
    "cuda",
    "detach_",
    "element_size",
    "fill_",
    "fill_diagonal_",
    "fill_diagonal_tensor",
    "fill_diagonal_tensor_",
    "is_contiguous",
    "is_same_shape",
    "pin_memory",
    "sigmoid",
    "sigmoid_",
    "to",
    "value",
    "where_",
    "zero_",
]


def astype(x: Tensor, dtype: Any) -> Tensor:
    """Cast x to another dtype. The result is always a copy, even if x already has the dtype.

    x [*] -> [*]
    """
    return manipulation.cast(x, dtype)


def backward(x: Tensor, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
    """Accumulate the gradient of x in `grad` of every leaf that requires one.

    grad_tensor: gradient of x, ones if None
    """
    autograd.backward([x], [grad_tensor], retain_graph)


def to(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """Change the dtype (also that of another tensor) or the device: a Place, 'cpu', 'gpu:0'."""
    for key, value in (*((None, a) for a in args), *kwargs.items()):
        if key == "blocking" or value is None or isinstance(value, bool):
            continue
        if isinstance(value, Place) or (
            isinstance(value, str) and value.split(":")[0] in ("cpu", "gpu", "cuda", "xpu")
        ):
            x = _to_device(x, device_index(value, "to"))
            continue
        x = cast(x, value.dtype if isinstance(value, Tensor) else parse_dtype(value))
    return x


def cpu(x: Tensor) -> Tensor:
    """Return x on the CPU: itself, or a copy as `cuda` returns.

    [*] -> [*]
    """
    return _to_device(x, None)


def cuda(x: Tensor, device_id: int | None = None, blocking: bool = True) -> Tensor:
    """Return x on a GPU, by default the current one: itself, or a copy that, as in Paddle, is a
    leaf.

    [*] -> [*]

    Raises OarlockError without CuPy or a device.
    """
    index = (cuda_of.cupy_state.default_index or 0) if device_id is None else device_id
    return _to_device(x, device_index(CUDAPlace(index), "cuda"))


def _to_device(x: Tensor, index: int | None) -> Tensor:
    """Return x if it is on the device already or the mode is not eager; otherwise a copy. The copy
    requires a gradient if x does, but gradients do not flow from the copy to x.

    index: the GPU; None for the CPU.
    """
    if not state.mode.is_eager or cuda_of.gpu_index_of(x.array) == index:
        return x
    copy = type(x).__new__(type(x))
    copy.__dict__.update({k: v for k, v in x.__dict__.items() if k != "_name"})
    copy.array, copy.stop_gradient = cuda_of.to_device(x.array, index), x.stop_gradient
    return copy


def pin_memory(x: Tensor, blocking: bool = True) -> Tensor:
    """Return x: there is no pinned memory."""
    return x


def contiguous(x: Tensor) -> Tensor:
    """Return x: all tensors count as contiguous."""
    return x


def is_contiguous(x: Tensor) -> bool:
    """Return True: all tensors count as contiguous."""
    return True


def value(x: Tensor) -> Tensor:
    """Return x."""
    return x


def element_size(x: Tensor) -> int:
    """Return the number of bytes of an element."""
    return int(x.meta.dtype.itemsize)


def is_same_shape(x: Tensor, y: Tensor) -> bool:
    """Return whether x and y have the same shape."""
    return bool(x.shape == y.shape)


def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)).

    x [*] -> [*]
    """
    return OPS["sigmoid"](x)


def sigmoid_(x: Tensor, name: str | None = None) -> Tensor:
    """Set x to 1 / (1 + exp(-x)) in place.

    x [*] -> [*]
    """
    return manipulation.apply_in_place(x, OPS["sigmoid"])


def reverse_all_axes(x: Tensor) -> Tensor:
    """Return x with reversed axes: the property `T`."""
    return linalg.transpose(x, list(range(x.ndim))[::-1])


# -- in place
# ------------------------------------------------------------------------------


def fill_(x: Tensor, value: Any) -> Tensor:
    """Set all elements to `value`."""
    return manipulation.apply_in_place(x, lambda current: creation.full_like(current, value))


def zero_(x: Tensor) -> Tensor:
    """Set all elements to zero."""
    return fill_(x, 0)


def copy_(x: Tensor, other: Any, blocking: bool = True) -> Tensor:
    """Copy the elements of another tensor of the same shape; the dtype of x does not change."""
    source = other if isinstance(other, Tensor) else to_tensor(np.asarray(other))
    if source.meta.shape != x.meta.shape:
        raise OpError(
            append_user_line(f"copy_: the shapes differ (X={x.meta}, other={source.meta})")
        )
    return manipulation.apply_in_place(
        x, lambda current: OPS["assign"](cast(source, current.dtype))
    )


def detach_(x: Tensor) -> Tensor:
    """Detach x from the graph that computed it."""
    x.node, x.stop_gradient = None, True
    return x


def fill_diagonal_(
    x: Tensor, value: float, offset: int = 0, wrap: bool = False, name: str | None = None
) -> Tensor:
    """Set a diagonal to `value`.

    offset: the elements [i, i + offset] are set; [i, i, ..., i + offset] for more than two axes.
    wrap: continue it below for x with more rows than columns.

    x [M, N] or [N, N, ...]
    """
    wrap = wrap or len(x.meta.shape) > 2  # without wrap, Paddle's op fills only one of its elements
    return manipulation.apply_in_place(
        x,
        lambda current: OPS["fill_diagonal"](current, value=float(value), offset=offset, wrap=wrap),
    )


def fill_diagonal_tensor(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """Return x with y on a diagonal of two axes.

    x [*], y [the other axes, length] -> [*]
    """
    return OPS["fill_diagonal_tensor"](x, y, offset=offset, dim1=dim1, dim2=dim2)


def fill_diagonal_tensor_(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """Set a diagonal of two axes to y."""
    return manipulation.apply_in_place(
        x, lambda current: fill_diagonal_tensor(current, y, offset, dim1, dim2)
    )


def where_(x: Tensor, condition: Tensor, y: Any, name: str | None = None) -> Tensor:
    """Set x to y where condition is False."""
    return manipulation.apply_in_place(x, lambda current: manipulation.where(condition, current, y))
