"""Functions that are only methods of Tensor: dtype, device, memory and whole-tensor in-place
updates.
"""

from __future__ import annotations

import numpy as np

from ..core import autograd
from ..core import cuda as cuda_of
from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.op import OPS
from ..core.place import CUDAPlace, Place
from ..core.tensor import Tensor
from ..core.type_aliases import DTypeLike, Operand, PlaceLike, Scalar, TensorLike
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


def astype(x: Tensor, dtype: DTypeLike) -> Tensor:
    """Convert the elements to another dtype.

    Parameters
    ----------
    x : Tensor [*], any dtype
    dtype : str or dtype
        Such as "float32", paddle.float32 or np.float32.

    Returns
    -------
    Tensor [*], dtype
        A copy, even if x already has the dtype.

    Raises
    ------
    OpError
        If the dtype is unknown.

    Examples
    --------
    >>> paddle.to_tensor([1.7, -1.7]).astype("int32").tolist()
    [1, -1]
    """
    return manipulation.cast(x, dtype)


def backward(x: Tensor, grad_tensor: Tensor | None = None, retain_graph: bool = False) -> None:
    """Compute the gradients of this tensor with respect to the leaves it depends on.

    The gradients are added to `grad` of each leaf with stop_gradient=False.

    Parameters
    ----------
    x : Tensor [*]
        Usually a loss with one element.
    grad_tensor : Tensor [*], optional
        The gradient of x. Default: ones.
    retain_graph : bool, default False
        Whether the recorded ops are kept, so that another backward pass can use them.

    Raises
    ------
    OpError
        If `grad_tensor` has another shape than x.

    Notes
    -----
    A warning is issued if x does not depend on a leaf with stop_gradient=False.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [2.0, 4.0]
    """
    autograd.backward([x], [grad_tensor], retain_graph)


def to(
    x: Tensor,
    *args: DTypeLike | PlaceLike | Tensor | bool | None,
    **kwargs: DTypeLike | PlaceLike | Tensor | bool | None,
) -> Tensor:
    """Change the dtype or the device of a tensor.

    Parameters
    ----------
    x : Tensor [*], any dtype
    *args, **kwargs : str, dtype, Place, Tensor or bool
        In any order: a dtype, a Tensor (its dtype is used), a device such as "cpu", "gpu" or
        "gpu:1". Keywords can have any name, such as `dtype` and `device`. `blocking` and other
        bools are not used.

    Returns
    -------
    Tensor [*]
        x itself if nothing changes.

    Raises
    ------
    OpError
        If a string is neither a dtype nor a device.
    OarlockError
        If the GPU or CuPy is missing.

    Examples
    --------
    >>> x = paddle.to_tensor([1.5, 2.5])
    >>> x.to("float64").dtype
    paddle.float64
    >>> x.to(device="cpu", dtype="int32").tolist()
    [1, 2]
    """
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
    """Return the tensor on the CPU.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    Tensor [*], dtype of x
        x itself if it is on the CPU, otherwise a copy that is a leaf, as in Paddle.

    Examples
    --------
    >>> paddle.to_tensor([1.0]).cpu().place
    Place(cpu)
    """
    return _to_device(x, None)


def cuda(x: Tensor, device_id: int | None = None, blocking: bool = True) -> Tensor:
    """Return the tensor on a GPU.

    Parameters
    ----------
    x : Tensor [*], any dtype
    device_id : int, optional
        Number of the GPU. Default: the current one.
    blocking : bool, default True
        Not used.

    Returns
    -------
    Tensor [*], dtype of x
        x itself if it is on this GPU, otherwise a copy that is a leaf, as in Paddle.

    Raises
    ------
    OarlockError
        If the GPU or CuPy is missing.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0])
    >>> y = x.cuda() if paddle.device.cuda.device_count() else x
    >>> y.shape
    [1]
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
    """Return the tensor itself: there is no pinned memory.

    Parameters
    ----------
    x : Tensor [*], any dtype
    blocking : bool, default True
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0])
    >>> x.pin_memory() is x
    True
    """
    return x


def contiguous(x: Tensor) -> Tensor:
    """Return the tensor itself: all tensors count as contiguous.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    Tensor
        x itself.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0])
    >>> x.contiguous() is x
    True
    """
    return x


def is_contiguous(x: Tensor) -> bool:
    """Return True: all tensors count as contiguous.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.zeros([2, 3]).t().is_contiguous()
    True
    """
    return True


def value(x: Tensor) -> Tensor:
    """Return the tensor itself.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    Tensor
        x itself. If `paddle.fluid` has been imported, an object with the method `get_tensor`.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0])
    >>> value = x.value()
    """
    return x


def element_size(x: Tensor) -> int:
    """Number of bytes of an element.

    Parameters
    ----------
    x : Tensor [*], any dtype

    Returns
    -------
    int

    Examples
    --------
    >>> paddle.zeros([2], dtype="float16").element_size()
    2
    """
    return int(x.meta.dtype.itemsize)


def is_same_shape(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors have the same shape.

    Parameters
    ----------
    x, y : Tensor [*A], Tensor [*B], any dtype

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.zeros([2, 3]).is_same_shape(paddle.ones([3, 2]))
    False
    """
    return bool(x.shape == y.shape)


def sigmoid(x: Tensor, name: str | None = None) -> Tensor:
    """Sigmoid (logistic) function.

    out = 1 / (1 + exp(-x))

    Parameters
    ----------
    x : Tensor [*], floating or complex
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If x is bool or has integers.

    Examples
    --------
    >>> print(paddle.to_tensor([-2.0, 0.0, 2.0]).sigmoid().numpy().round(3))
    [0.119 0.5   0.881]
    """
    return OPS["sigmoid"](x)


def sigmoid_(x: Tensor, name: str | None = None) -> Tensor:
    """Apply the sigmoid function to this tensor, in place.

    x = 1 / (1 + exp(-x))

    Parameters
    ----------
    x : Tensor [*], floating or complex
        It is changed.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is bool or has integers, or is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.to_tensor([-2.0, 0.0, 2.0])
    >>> y = x.sigmoid_()
    >>> print(x.numpy().round(3))
    [0.119 0.5   0.881]
    """
    return manipulation.apply_in_place(x, OPS["sigmoid"])


def reverse_all_axes(x: Tensor) -> Tensor:
    """The tensor with reversed axes, the transpose of a matrix: Tensor [*], dtype of x.

    Examples
    --------
    >>> paddle.to_tensor([[1, 2, 3], [4, 5, 6]]).T.tolist()
    [[1, 4], [2, 5], [3, 6]]
    >>> paddle.zeros([2, 3, 4]).T.shape
    [4, 3, 2]
    """
    return linalg.transpose(x, list(range(x.ndim))[::-1])


# -- in place
# ------------------------------------------------------------------------------


def fill_(x: Tensor, value: Scalar) -> Tensor:
    """Set all elements to one value, in place.

    Parameters
    ----------
    x : Tensor [*], any dtype
        It is changed.
    value : number or Tensor with one element
        A fraction is lost if x has integers.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> y = x.fill_(3)
    >>> x.tolist()
    [3.0, 3.0]
    """
    return manipulation.apply_in_place(x, lambda current: creation.full_like(current, value))


def zero_(x: Tensor) -> Tensor:
    """Set all elements to zero, in place.

    Parameters
    ----------
    x : Tensor [*], any dtype
        It is changed.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> y = x.zero_()
    >>> x.tolist()
    [0.0, 0.0]
    """
    return fill_(x, 0)


def copy_(x: Tensor, other: TensorLike, blocking: bool = True) -> Tensor:
    """Copy the elements of another tensor into this one, in place.

    Parameters
    ----------
    x : Tensor [*], any dtype
        It is changed; its dtype stays.
    other : Tensor [*], array or list
        Of the shape of x.
    blocking : bool, default True
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If the shapes differ, or x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.zeros([2])
    >>> y = x.copy_(paddle.to_tensor([3, 4]))
    >>> x.tolist()
    [3.0, 4.0]
    """
    source = other if isinstance(other, Tensor) else to_tensor(np.asarray(other))
    if source.meta.shape != x.meta.shape:
        raise OpError(
            append_user_line(f"copy_: the shapes differ (X={x.meta}, other={source.meta})")
        )
    return manipulation.apply_in_place(
        x, lambda current: OPS["assign"](cast(source, current.dtype))
    )


def detach_(x: Tensor) -> Tensor:
    """Make this tensor a leaf without gradient, in place.

    The ops that computed it are forgotten, and stop_gradient becomes True.

    Parameters
    ----------
    x : Tensor [*], any dtype
        It is changed.

    Returns
    -------
    Tensor
        x itself.

    Examples
    --------
    >>> y = 2 * paddle.to_tensor([1.0], stop_gradient=False)
    >>> y.detach_().stop_gradient, y.is_leaf
    (True, True)
    """
    x.node, x.stop_gradient = None, True
    return x


def fill_diagonal_(
    x: Tensor, value: float, offset: int = 0, wrap: bool = False, name: str | None = None
) -> Tensor:
    """Set the elements of a diagonal to one value, in place.

    Parameters
    ----------
    x : Tensor [M, N] or [N, N, ...], any dtype
        It is changed.
    value : float
    offset : int, default 0
        The elements [i, i + offset] are set; [i, i, ..., i + offset] for more than two axes.
    wrap : bool, default False
        For a matrix with more rows than columns: continue the diagonal below, after an empty row.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If x has fewer than two axes, or more than two axes of different sizes, or is a leaf that
        requires a gradient.

    Notes
    -----
    With more than two axes, Paddle sets only one element unless `wrap` is True.

    Examples
    --------
    >>> x = paddle.zeros([3, 3])
    >>> y = x.fill_diagonal_(1.0)
    >>> x.tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    wrap = wrap or len(x.meta.shape) > 2  # without wrap, Paddle's op fills only one of its elements
    return manipulation.apply_in_place(
        x,
        lambda current: OPS["fill_diagonal"](current, value=float(value), offset=offset, wrap=wrap),
    )


def fill_diagonal_tensor(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """Return a copy of a tensor with given elements on a diagonal of two axes.

    out[i, i + offset] = y[i] for a matrix; the other elements are those of x

    Parameters
    ----------
    x : Tensor [*], any dtype
    y : Tensor [other axes, length of the diagonal]
        Other axes are those of x without dim1 and dim2.
    offset : int, default 0
        Above the main diagonal if positive.
    dim1, dim2 : int, default 0 and 1
        The axes of the matrices.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor [*], dtype of x

    Raises
    ------
    OpError
        If y has another shape.

    Examples
    --------
    >>> x, y = paddle.zeros([2, 3]), paddle.to_tensor([1.0, 2.0])
    >>> x.fill_diagonal_tensor(y).tolist()
    [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    >>> x.fill_diagonal_tensor(y, offset=1).tolist()
    [[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]
    """
    return OPS["fill_diagonal_tensor"](x, y, offset=offset, dim1=dim1, dim2=dim2)


def fill_diagonal_tensor_(
    x: Tensor, y: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1, name: str | None = None
) -> Tensor:
    """Set the elements on a diagonal of two axes, in place.

    x[i, i + offset] = y[i] for a matrix

    Parameters
    ----------
    x : Tensor [*], any dtype
        It is changed.
    y : Tensor [other axes, length of the diagonal]
        Other axes are those of x without dim1 and dim2.
    offset : int, default 0
        Above the main diagonal if positive.
    dim1, dim2 : int, default 0 and 1
        The axes of the matrices.
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If y has another shape, or x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.zeros([2, 3])
    >>> y = x.fill_diagonal_tensor_(paddle.to_tensor([1.0, 2.0]))
    >>> x.tolist()
    [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0]]
    """
    return manipulation.apply_in_place(
        x, lambda current: fill_diagonal_tensor(current, y, offset, dim1, dim2)
    )


def where_(x: Tensor, condition: Tensor, y: Operand, name: str | None = None) -> Tensor:
    """Replace elements where a condition is False, in place.

    x = x where condition is True, y where it is False

    Parameters
    ----------
    x : Tensor [*], any dtype
        It is changed.
    condition : Tensor [*], bool
    y : number or Tensor [*], dtype of x
    name : str, optional
        Not used.

    Returns
    -------
    Tensor
        x itself.

    Raises
    ------
    OpError
        If the shapes do not broadcast, or x is a leaf that requires a gradient.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 5.0, 2.0])
    >>> y = x.where_(x > 1.5, 0.0)
    >>> x.tolist()
    [0.0, 5.0, 2.0]
    """
    return manipulation.apply_in_place(x, lambda current: manipulation.where(condition, current, y))
