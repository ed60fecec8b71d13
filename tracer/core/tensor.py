"""Tensor: an array with a gradient flag and the node that computed it."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Self, TypeAlias

import numpy as np

from . import cuda, pytree, unique_name
from ._tape import TensorBase, oldest_seq, take_next_seq, zero_grads
from .dtype import DTYPE_BY_NP, DType, parse_dtype
from .errors import ArgumentAssertionError, MissingStateError, OpError, append_user_line
from .html import html_table
from .mode import reject_or_must_skip_side_effect, reject_static_graph_mode, state
from .name_hints import TENSOR_ATTRIBUTES, suggest_alternatives
from .op import OPS, Meta
from .paddle1_compat import compat
from .place import Place, place_of_array
from .result_size_limit import copy_array_checking_memory
from .tensor_item_arguments import check_tensor_item_arguments
from .tensor_printing import format_array

Array: TypeAlias = np.ndarray[Any, Any]
# The other operand of a Python operator; int, float and bool count as complex.
Operand: TypeAlias = "Tensor | Array | np.generic | complex"
# What `to_tensor` accepts.
TensorLike: TypeAlias = "Operand | Sequence[TensorLike]"


@suggest_alternatives(TENSOR_ATTRIBUTES)
class Tensor(TensorBase):
    """A multidimensional array with a gradient: the input and output of ops.

    Tensors are created by `paddle.to_tensor`, `paddle.zeros` and other functions rather than by
    this class.

    Parameters
    ----------
    array : ndarray or NumPy scalar [*]
        The value. It is not copied.
    stop_gradient : bool, default True
        Whether no gradient is computed for this tensor.
    name : str, optional
        The name in programs. Default: generated when it is first read.

    Attributes
    ----------
    stop_gradient : bool
        May be set. Results of ops require a gradient if one of the inputs does.
    grad : Tensor or None
        The gradient that `backward` has accumulated.
    persistable : bool
        Whether the tensor is saved with a program, such as a parameter.

    Examples
    --------
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], stop_gradient=False)
    >>> (x @ x).shape, x[0].tolist()
    ([2, 2], [1.0, 2.0])
    >>> (x * x).sum().backward()
    >>> x.grad.tolist()
    [[2.0, 4.0], [6.0, 8.0]]
    """

    # Fields that most tensors never set have class-level defaults. TensorBase (C++) has the fields
    # that every op reads: array, stop_gradient, node (None for a leaf), index (of the result of the
    # node), grad, _hooks, _history (values before in-place changes, with their sequence numbers),
    # _origin (for a snapshot of a leaf: the leaf, which gets its gradients) and _zeros (see
    # _is_cleared_gradient).
    persistable = False
    _name: str | None = None
    _program_output_name = ""  # the name of the program output that holds the tensor

    __array_priority__ = 100  # `ndarray + Tensor` calls Tensor.__radd__

    def __init__(self, array: Any, *, stop_gradient: bool = True, name: str | None = None) -> None:
        self.array = array
        if not stop_gradient:
            self.stop_gradient = False
        if name is not None:
            self._name = name

    # -- properties

    @property
    def meta(self) -> Meta:
        """Shape and dtype, for internal use.

        Unlike a read of `shape`, a read of `meta` is not recorded as a guard.

        Examples
        --------
        >>> paddle.zeros([2, 3]).meta.shape
        (2, 3)
        """
        return Meta(self.array.shape, self.array.dtype)

    @property
    def shape(self) -> list[int]:
        """The sizes of the axes, a list of int.

        While a program is recorded, a read of `shape` by Python code is recorded as a guard.

        Examples
        --------
        >>> paddle.zeros([2, 3]).shape
        [2, 3]
        """
        mode = state.mode
        return list(self.array.shape) if mode.is_eager else mode.shape(self)

    @property
    def dtype(self) -> DType:
        """The dtype of the elements, such as paddle.float32.

        Examples
        --------
        >>> paddle.zeros([2]).dtype
        paddle.float32
        >>> paddle.zeros([2]).dtype == "float32"
        True
        """
        return DTYPE_BY_NP[self.meta.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes, an int.

        Examples
        --------
        >>> paddle.zeros([2, 3]).ndim
        2
        """
        return len(self.meta.shape)

    @property
    def size(self) -> int:
        """The number of elements, an int.

        Examples
        --------
        >>> paddle.zeros([2, 3]).size
        6
        """
        return int(np.prod(self.shape, dtype=np.int64)) if self.ndim else 1

    @property
    def place(self) -> Place:
        """The device that holds the value, a Place.

        Examples
        --------
        >>> paddle.CPUPlace() == paddle.to_tensor([1.0]).cpu().place
        True
        """
        return place_of_array(self.array)

    @property
    def is_leaf(self) -> bool:
        """Whether the tensor is a leaf: no op that records gradients computed it; a bool.

        Examples
        --------
        >>> x = paddle.to_tensor([1.0], stop_gradient=False)
        >>> x.is_leaf, (2 * x).is_leaf
        (True, False)
        """
        return self.node is None

    @property
    def name(self) -> str:
        """The name of the tensor in programs, a str; generated when it is first read.

        Examples
        --------
        >>> x = paddle.zeros([2])
        >>> x.name = "scores"
        >>> x.name
        'scores'
        """
        if self._name is None:
            self._name = unique_name.generate(compat.rules.temporary_name_prefix)
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        """The name in programs; generated at the first read."""
        self._name = value

    def dim(self) -> int:
        """Number of axes.

        Returns
        -------
        int

        Examples
        --------
        >>> paddle.zeros([2, 3]).dim()
        2
        """
        return self.ndim

    def ndimension(self) -> int:
        """Number of axes.

        Returns
        -------
        int

        Examples
        --------
        >>> paddle.zeros([2, 3]).ndimension()
        2
        """
        return self.ndim

    def is_tensor(self) -> bool:
        """Return True, because the object is a tensor.

        Returns
        -------
        bool

        Examples
        --------
        >>> paddle.zeros([2]).is_tensor()
        True
        """
        return True

    # -- values for Python

    def _guard_or_reject_read_and_get_array(self, reader: str) -> Any:
        mode = state.mode
        if not mode.is_eager:
            mode.on_value_read(self, reader)
        return self.array

    def numpy(self) -> Array:
        """Copy the value to a NumPy array.

        Returns
        -------
        ndarray [*], dtype of the tensor
            Changes of the array do not change the tensor. bfloat16 is the dtype of the package
            `ml_dtypes`.

        Raises
        ------
        TraceError
            While a program is recorded, if the value is known only at run time.

        Examples
        --------
        >>> paddle.to_tensor([[1, 2], [3, 4]]).numpy().sum(axis=0)
        array([4, 6])
        """
        array = self._guard_or_reject_read_and_get_array("numpy()")
        host = cuda.to_host(array)
        return copy_array_checking_memory(array, "numpy()") if host is array else host

    def tolist(self) -> Any:
        """Return the elements as nested Python lists.

        Returns
        -------
        list of lists, or a Python number for a Tensor without axes

        Raises
        ------
        TraceError
            While a program is recorded, if the value is known only at run time.

        Examples
        --------
        >>> paddle.to_tensor([[1, 2], [3, 4]]).tolist()
        [[1, 2], [3, 4]]
        """
        return np.asarray(
            cuda.to_host(self._guard_or_reject_read_and_get_array("tolist()"))
        ).tolist()

    def item(self, *index: int) -> Any:
        """Return one element as a Python number.

        Parameters
        ----------
        *index : int
            No index for a tensor with one element, one index into the flattened tensor, or one per
            axis.

        Returns
        -------
        bool, int, float or complex

        Raises
        ------
        OpError
            If an index is out of range or missing.
        TraceError
            While a program is recorded, if the value is known only at run time.

        Examples
        --------
        >>> x = paddle.to_tensor([[1.5, 2.5], [3.5, 4.5]])
        >>> x.item(1, 0), x.item(3), x.sum().item()
        (3.5, 4.5, 12.0)
        """
        check_tensor_item_arguments(self.meta, index)
        return np.asarray(cuda.to_host(self._guard_or_reject_read_and_get_array("item()"))).item(
            *index
        )

    def _guard_or_reject_read_and_get_scalar(self, reader: str) -> Any:
        array = np.asarray(cuda.to_host(self._guard_or_reject_read_and_get_array(reader)))
        if array.size != 1:
            hint = "; reduce it with any() or all()" if reader == "bool()" else ""
            why = f"only a tensor of one element is a Python scalar{hint} (X={self.meta})"
            raise ArgumentAssertionError(append_user_line(f"{reader}: {why}"))
        return array.item()

    def __bool__(self) -> bool:
        return bool(self._guard_or_reject_read_and_get_scalar("bool()"))

    def __int__(self) -> int:
        return int(self._guard_or_reject_read_and_get_scalar("int()"))

    def __float__(self) -> float:
        return float(self._guard_or_reject_read_and_get_scalar("float()"))

    def __index__(self) -> int:
        if self.meta.dtype.kind not in "iub":
            raise TypeError(f"only integer tensors can be an index (X={self.meta})")
        return int(self._guard_or_reject_read_and_get_scalar("index()"))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-D tensor")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError  # attached by oarlock.tensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the value as a NumPy array: a read-only view, or a copy if `copy` is True or
        `dtype` differs.
        """
        array = np.asarray(cuda.to_host(self._guard_or_reject_read_and_get_array("numpy()")))
        if copy or (dtype is not None and array.dtype != dtype):
            if copy is False:
                raise ValueError(
                    f"copy=False: a tensor of {self.dtype.name} becomes an array of "
                    f"{np.dtype(dtype).name} only by a copy"
                )
            return np.array(array, dtype=dtype)
        view = array.view()
        view.flags.writeable = False
        return view

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """Call a NumPy function with the values of the tensors. The function returns arrays,
        through which gradients do not flow.
        """
        return function(*_tensors_to_arrays(args), **_tensors_to_arrays(kwargs))

    def __dlpack__(self, **how: Any) -> Any:
        array = self._guard_or_reject_read_and_get_array("dlpack")
        if cuda.gpu_index_of(array) is not None:
            return array.__dlpack__(**how)
        array = np.asarray(array)
        if not array.flags.writeable:  # e.g. a memory-mapped file, which is read-only
            array = array.copy()
        try:
            return array.__dlpack__(**how)
        except (BufferError, RuntimeError, TypeError) as error:
            raise OpError(append_user_line(f"dlpack: {error} (X={self.meta})")) from None

    def __dlpack_device__(self) -> tuple[int, int]:
        index = cuda.gpu_index_of(self.array)
        return (1, 0) if index is None else (2, index)  # kDLCPU, kDLCUDA

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.array.size == 1 else str(self)

    def __repr__(self) -> str:
        mode = state.mode
        # the value is not printed, because a trace would record the read as a guard
        if not mode.is_eager and mode.program_builder is None:
            return f"Tensor({self.meta}, its value is not shown while a program is recorded)"
        text = compat.rules.format_tensor(self)
        if text is not None:
            return text
        body = format_array(cuda.to_host(self.array), 7)
        shape = ", ".join(map(str, self.array.shape))
        return (
            f"Tensor(shape=[{shape}], dtype={self.dtype.name}, place={self.place}, "
            f"stop_gradient={self.stop_gradient},\n       {body})"
        )

    def _repr_html_(self) -> str:
        """Return tables for notebooks: type, statistics and some elements."""
        facts = [("type", self.meta), ("place", self.place), ("stop_gradient", self.stop_gradient)]
        mode = state.mode
        if not mode.is_eager and mode.program_builder is None:  # as in __repr__
            return html_table([*facts, ("value", "not shown while a program is recorded")])
        from .tensor_html import format_tensor_html  # noqa: PLC0415 - only notebooks need it

        return format_tensor_html(type(self).__name__, cuda.to_host(self.array), facts)

    def __reduce_ex__(self, protocol: Any) -> Any:
        array = cuda.to_host(self._guard_or_reject_read_and_get_array("pickle"))
        return (
            _rebuild_unpickled_tensor,
            (type(self), array, self.stop_gradient),
            {k: v for k, v in self.__dict__.items() if k != "raw"},
        )

    def __copy__(self) -> Tensor:
        result = self.detach()
        result.stop_gradient = self.stop_gradient
        return result

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        result = type(self).__new__(type(self))
        result.__dict__.update(self.__dict__)
        result.name = self.name + unique_name.generate(
            "_deepcopy"
        )  # optimizer states are keyed by name
        result.array = cuda.copy_array(self._guard_or_reject_read_and_get_array("deepcopy()"))
        result.stop_gradient = self.stop_gradient
        memo[id(self)] = result
        return result

    # -- gradients

    def gradient(self) -> Any:
        """Return the accumulated gradient as a NumPy array.

        Returns
        -------
        ndarray [*] or None
            None if there is no gradient.

        Examples
        --------
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (3 * x).sum().backward()
        >>> x.gradient().tolist()
        [3.0, 3.0]
        """
        return None if self.grad is None else self.grad.numpy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Set the accumulated gradient to zero, or delete it.

        Parameters
        ----------
        set_to_zero : bool, default True
            Whether the gradient becomes zero; otherwise `grad` becomes None. A missing gradient
            stays None.

        Notes
        -----
        `clear_grad` is the same method.

        Examples
        --------
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> (3 * x).sum().backward()
        >>> x.clear_gradient()
        >>> x.grad.tolist()
        [0.0, 0.0]
        """
        if reject_or_must_skip_side_effect("clear_gradient()"):
            return
        if set_to_zero:
            set_grads_to_zero([self])
        else:
            self.grad = None

    clear_grad = clear_gradient

    def _is_cleared_gradient(self) -> bool:
        """Whether this tensor is a gradient that `clear_grad` set to zero, and that has not changed
        since. Accumulation replaces such a gradient instead of adding to it.
        """
        return self._zeros is not None and self._zeros is self.array and not self.inplace_version

    def _zero_grads(self) -> None:
        """Set the gradient of the tensor to zero, if it has a gradient."""
        self.clear_gradient(True)

    def detach(self) -> Tensor:
        """Return a tensor with the same value, through which no gradient flows.

        Returns
        -------
        Tensor [*], dtype of this tensor
            A leaf with stop_gradient=True.

        See Also
        --------
        Tensor.clone : A copy through which gradients flow.

        Examples
        --------
        >>> x = paddle.to_tensor([2.0], stop_gradient=False)
        >>> (x * x.detach()).backward()
        >>> x.grad.tolist()
        [2.0]
        """
        if state.mode.is_eager:
            return Tensor(self.array)
        # a new variable, because a recorder identifies values by the ops that compute them
        result: Tensor = OPS["assign"](self)
        result.stop_gradient, result.node = True, None
        return result

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHookHandle:
        """Register a function that is called when the gradient of this tensor is complete.

        Parameters
        ----------
        hook : function
            Called with the gradient, a Tensor. If it returns a Tensor, this replaces the gradient.

        Returns
        -------
        RemovableHookHandle
            Its method `remove` removes the hook.

        Raises
        ------
        OpError
            If the tensor has stop_gradient=True.

        Examples
        --------
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> handle = x.register_hook(lambda gradient: 10 * gradient)
        >>> x.sum().backward()
        >>> x.grad.tolist()
        [10.0, 10.0]
        """
        reject_static_graph_mode("register_hook", "hooks are not supported there")
        if self.stop_gradient:
            raise MissingStateError(
                append_user_line(
                    f"register_hook: the tensor has stop_gradient=True (X={self.meta})"
                )
            )
        if self.node is None:
            hooks = self._hooks = self._hooks if self._hooks is not None else []
        else:
            hooks = self.node.hooks_of(self.index)
        hooks.append(hook)
        handle = RemovableHookHandle(hooks, hook)
        state.mode.on_gradient_hook_registered(self, handle)
        return handle

    # -- in-place operations

    def retain_grads(self) -> None:
        """Make `backward` store the gradient in `grad`, although the tensor is not a leaf.

        Examples
        --------
        >>> x = paddle.to_tensor([1.0, 2.0], stop_gradient=False)
        >>> y = x * x
        >>> y.retain_grads()
        >>> (3 * y).sum().backward()
        >>> y.grad.tolist()
        [3.0, 3.0]
        """
        if self.node is not None:
            self.register_hook(functools.partial(_accumulate_retained_grad, weakref.ref(self)))

    def set_value(self, value: TensorLike) -> None:
        """Replace the value by another one of the same shape, in place.

        Parameters
        ----------
        value : Tensor [*], array or number
            It is cast to the dtype of the tensor.

        Raises
        ------
        OpError
            If the shapes differ.

        Notes
        -----
        Leaves that require a gradient may be changed this way. No gradient flows to `value`.

        Examples
        --------
        >>> x = paddle.zeros([2])
        >>> x.set_value(np.array([3, 4]))
        >>> x.tolist()
        [3.0, 4.0]
        """
        given = value if isinstance(value, Tensor) else Tensor(cuda.copy_array(value))
        if not _shapes_may_match(given.meta.shape, self.meta.shape):
            raise ArgumentAssertionError(
                f"set_value: the shapes differ (X={self.meta}, value={given.meta})"
            )
        mode = state.mode
        if mode.is_eager:
            if compat.rules.set_value_checks_dtype and given.meta.dtype != self.meta.dtype:
                raise ArgumentAssertionError(
                    f"set_value: the dtypes differ (X={self.meta}, value={given.meta})"
                )
            save_value_for_backward_before_change(self)
            self.array = cuda.copy_with_dtype_and_device_of(given.array, self.array)
            return
        # In a program, values cannot change in place, so the tensor becomes a new variable.
        if given.meta.dtype != self.meta.dtype:
            protos = (parse_dtype(t.meta.dtype).proto for t in (given, self))
            given = OPS["cast"](given, **dict(zip(("in_dtype", "out_dtype"), protos, strict=True)))
        mode.assign_inplace(self, OPS["assign"](given.detach()))


def snapshot_with_gradient_history(tensor: Tensor) -> Tensor:
    """Return a new tensor with the current value and gradient history of `tensor`. If `tensor` is a
    leaf, the gradient of the snapshot is added to that of `tensor`.
    """
    result = Tensor(tensor.array)
    result.stop_gradient, result.node, result.index = (
        tensor.stop_gradient,
        tensor.node,
        tensor.index,
    )
    if tensor.node is None and not tensor.stop_gradient:
        result._origin = tensor
    return result


def save_value_for_backward_before_change(tensor: Tensor) -> None:
    """Save the current value of a tensor before it changes in place, if recorded ops have
    read it.
    """
    if tensor.saved_for_backward:  # otherwise no recorded op needs the value
        first = oldest_seq()
        now = take_next_seq()
        if first < now:
            tensor._history = (
                *(h for h in tensor._history if h[0] > first),
                (now, snapshot_with_gradient_history(tensor)),
            )
        else:
            tensor._history = ()
        tensor.saved_for_backward = False


def save_values_for_backward_before_change(tensors: Iterable[Tensor]) -> None:
    """Call `save_value_for_backward_before_change` for several tensors. The call returns quickly if
    the tape holds no recorded op.
    """
    if oldest_seq() < take_next_seq():
        for tensor in tensors:
            save_value_for_backward_before_change(tensor)


def _shapes_may_match(one: tuple[int, ...], two: tuple[int, ...]) -> bool:
    """Whether two shapes may be equal; -1 matches any size."""
    return len(one) == len(two) and all(
        a == b or -1 in (a, b) for a, b in zip(one, two, strict=True)
    )


def _tensors_to_arrays(value: Any) -> Any:
    """Replace the tensors in nested lists, tuples and dicts by arrays."""
    return pytree.map(lambda v: np.asarray(v) if isinstance(v, Tensor) else v, value)


def _accumulate_retained_grad(of: weakref.ref[Tensor], gradient: Tensor) -> None:
    tensor = of()
    if tensor is not None:
        tensor.grad = (
            gradient if tensor.grad is None else OPS["elementwise_add"](tensor.grad, gradient)
        )


def _rebuild_unpickled_tensor(kind: type[Tensor], array: Any, stop_gradient: bool) -> Tensor:
    result = kind.__new__(kind)
    result.array, result.stop_gradient = array, stop_gradient
    return result


def set_grads_to_zero(tensors: Sequence[Tensor]) -> None:
    """Replace the gradients of tensors by zeros; a tensor without a gradient keeps None."""
    for tensor in zero_grads(list(tensors)):
        zeros = cuda.zeros_like(tensor.grad.array)
        tensor.grad = Tensor(zeros)
        tensor.grad._zeros = zeros


class RemovableHookHandle:
    """A handle that removes a hook."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks = hooks
        self._hook = hook

    def remove(self) -> bool:
        """Remove the hook. Return False if the hook was removed before."""
        if self._hook not in self._hooks:
            return False
        self._hooks.remove(self._hook)
        return True


pytree.register_tensor_type(Tensor)
