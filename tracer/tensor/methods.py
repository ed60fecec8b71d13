"""What is a method of Tensor only: dtype and device, whole-tensor changes in place, what memory it
has.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core import autograd
from ..core import cuda as cuda_of
from ..core.dtype import dtype_of
from ..core.errors import OpError, with_user_line
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
    """Cast x to another dtype. Always returns a copy, even if x has that dtype.

    x [*] -> [*]
    """
    return manipulation.cast(x, dtype)


def backward(x: Tensor, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
    """Add the gradient of x to `grad` of every leaf that wants one.

    grad_tensor: like x, ones if None.
    """
    autograd.backward([x], [grad_tensor], retain_graph)


def to(x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """x with another dtype (or that of another tensor); a Place, 'cpu', 'gpu:0' for
    another device.
    """
    for key, value in (*((None, a) for a in args), *kwargs.items()):
        if key == "blocking" or value is None or isinstance(value, bool):
            continue
        if isinstance(value, Place) or (
            isinstance(value, str) and value.split(":")[0] in ("cpu", "gpu", "cuda", "xpu")
        ):
            x = _moved(x, device_index(value, "to"))
            continue
        x = cast(x, value.dtype if isinstance(value, Tensor) else dtype_of(value))
    return x


def cpu(x: Tensor) -> Tensor:
    """x in the processor's memory: itself, or as with `cuda` a leaf of its own.

    [*] -> [*]
    """
    return _moved(x, None)


def cuda(x: Tensor, device_id: int | None = None, blocking: bool = True) -> Tensor:
    """x on a GPU, the current one unless told: itself, or a copy, which as in Paddle is a leaf of
    its own.

    [*] -> [*]

    Raises OarlockError without CuPy or a device.
    """
    index = (cuda_of.cupy_state.index or 0) if device_id is None else device_id
    return _moved(x, device_index(CUDAPlace(index), "cuda"))


def _moved(x: Tensor, index: int | None) -> Tensor:
    """x on another device: a copy that wants a gradient where x does, and that no
    gradient passes.
    """
    if not state.mode.is_eager or cuda_of.index_of(x.array) == index:
        return x
    made = type(x).__new__(type(x))
    made.__dict__.update({k: v for k, v in x.__dict__.items() if k != "_name"})
    made.array, made.stop_gradient = cuda_of.to_device(x.array, index), x.stop_gradient
    return made


def pin_memory(x: Tensor, blocking: bool = True) -> Tensor:
    """Itself: there is no device to copy to."""
    return x


def contiguous(x: Tensor) -> Tensor:
    """Itself: how it lies in memory is nobody's business."""
    return x


def is_contiguous(x: Tensor) -> bool:
    """True, see contiguous."""
    return True


def value(x: Tensor) -> Tensor:
    """Itself."""
    return x


def element_size(x: Tensor) -> int:
    """Bytes of one element."""
    return int(x.meta.dtype.itemsize)


def is_same_shape(x: Tensor, y: Tensor) -> bool:
    """Whether y has the shape of x."""
    return bool(x.shape == y.shape)


def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """1 / (1 + e ** -x).

    x [*] -> [*]
    """
    return OPS["sigmoid"](x)


def sigmoid_(x: Tensor, name: str | None = None) -> Tensor:
    """Set x to 1 / (1 + e ** -x) in place.

    x [*] -> [*]
    """
    return manipulation.in_place(x, OPS["sigmoid"])


def transposed(x: Tensor) -> Tensor:
    """x with its axes reversed."""
    return linalg.transpose(x, list(range(x.ndim))[::-1])


# -- in place
# ------------------------------------------------------------------------------


def fill_(x: Tensor, value: Any) -> Tensor:
    """Every element set to `value`."""
    return manipulation.in_place(x, lambda now: creation.full_like(now, value))


def zero_(x: Tensor) -> Tensor:
    """Every element set to zero."""
    return fill_(x, 0)


def copy_(x: Tensor, other: Any, blocking: bool = True) -> Tensor:
    """The value of another tensor of this shape, with this dtype."""
    given = other if isinstance(other, Tensor) else to_tensor(np.asarray(other))
    if given.meta.shape != x.meta.shape:
        raise OpError(with_user_line(f"copy_: the shapes differ (X={x.meta}, other={given.meta})"))
    return manipulation.in_place(x, lambda now: OPS["assign"](cast(given, now.dtype)))


def detach_(x: Tensor) -> Tensor:
    """Cut off from the graph that made it."""
    x.node, x.stop_gradient = None, True
    return x


def fill_diagonal_(
    x: Tensor, value: float, offset: int = 0, wrap: bool = False, name: str | None = None
) -> Tensor:
    """A diagonal set to `value`; wrap: again below where x is taller than wide.

    x [M, N] or [N, N, ...]
    """
    return manipulation.in_place(
        x, lambda now: OPS["fill_diagonal"](now, value=float(value), offset=offset, wrap=wrap)
    )


def fill_diagonal_tensor(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """x with y on a diagonal of two axes.

    x [*], y [the other axes, length] -> [*]
    """
    return OPS["fill_diagonal_tensor"](x, y, offset=offset, dim1=dim1, dim2=dim2)


def fill_diagonal_tensor_(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """In place: see fill_diagonal_tensor."""
    return manipulation.in_place(x, lambda now: fill_diagonal_tensor(now, y, offset, dim1, dim2))


def where_(x: Tensor, condition: Tensor, y: Any, name: str | None = None) -> Tensor:
    """In place: x where condition is true, else y."""
    return manipulation.in_place(x, lambda now: manipulation.where(condition, now, y))
