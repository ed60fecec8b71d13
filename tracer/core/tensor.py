"""Tensor: an array, whether it wants a gradient, and where it came from."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from . import cuda, unique_name
from ._tape import TensorBase, next_seq, oldest_seq
from .dtype import BY_NP, DType, dtype_of
from .element import check_item
from .era import era, texts
from .errors import MisfitError, OpError, StateError, with_user_line
from .mode import only_running, refuse_side_effect, state
from .op import OPS, Meta
from .place import Place, place_of
from .show import show_array

Array = np.ndarray[Any, Any]


class Tensor(TensorBase):
    """A value that ops run on and gradients flow to.   array: ndarray or NumPy scalar, [*]."""

    # What most tensors never change lives on the class; what every op touches is in TensorBase:
    # array, stop_gradient, node (the one that made it, None for a leaf), index (which of the node's
    # results it is), grad, _hooks, and _history: what it was before changes in place, with when
    # they came; _origin: of what a leaf was, the leaf, which gets its gradients.
    persistable = False
    _name: str | None = None
    _given_as = ""  # which output of a program it is
    _zeros: Any = None  # the array of zeros of a gradient that `clear_grad` has reset

    __array_priority__ = 100  # so that `ndarray + Tensor` asks the Tensor

    if TYPE_CHECKING:  # what oarlock.tensor.patch gives it
        __add__: Callable[[Any, Any], Tensor]
        __radd__: Callable[[Any, Any], Tensor]
        __sub__: Callable[[Any, Any], Tensor]
        __rsub__: Callable[[Any, Any], Tensor]
        __mul__: Callable[[Any, Any], Tensor]
        __rmul__: Callable[[Any, Any], Tensor]
        __truediv__: Callable[[Any, Any], Tensor]
        __neg__: Callable[[Any], Tensor]
        __matmul__: Callable[[Any, Any], Tensor]
        __lt__: Callable[[Any, Any], Tensor]
        __gt__: Callable[[Any, Any], Tensor]
        __ge__: Callable[[Any, Any], Tensor]
        __le__: Callable[[Any, Any], Tensor]

        backward: Callable[..., None]

        def __getattr__(self, name: str) -> Any: ...

    def __init__(self, array: Any, *, stop_gradient: bool = True, name: str | None = None) -> None:
        self.array = array
        if not stop_gradient:
            self.stop_gradient = False
        if name is not None:
            self._name = name

    # -- what it is
    # ---------------------------------------------------------------------------------------------

    @property
    def meta(self) -> Meta:
        """Shape and dtype, without telling the trace: for Oarlock's own rules."""
        return Meta(self.array.shape, self.array.dtype)

    @property
    def shape(self) -> list[Any]:
        """The sizes of the axes.   While a program is recorded, what Python reads here is noted."""
        mode = state.mode
        return list(self.array.shape) if mode.silent else mode.shape(self)

    @property
    def dtype(self) -> DType:
        """The element type."""
        return BY_NP[self.meta.dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self.meta.shape)

    @property
    def size(self) -> Any:
        """The number of elements, as a Python int."""
        return int(np.prod(self.shape, dtype=np.int64)) if self.ndim else 1

    @property
    def place(self) -> Place:
        """The device that holds it."""
        return place_of(self.array)

    @property
    def is_leaf(self) -> bool:
        """Whether no recorded op made it."""
        return self.node is None

    @property
    def name(self) -> str:
        """Its name in programs; made up when first asked for."""
        if self._name is None:
            self._name = unique_name.generate("tmp" if era.old else "generated_tensor")
        return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = value

    def dim(self) -> int:
        """The number of axes."""
        return self.ndim

    def ndimension(self) -> int:
        """The number of axes."""
        return self.ndim

    def is_tensor(self) -> bool:
        """True."""
        return True

    # -- its value, for Python
    # ----------------------------------------------------------------------------------

    def _read(self, reader: str) -> Any:
        mode = state.mode
        if not mode.silent:
            mode.read(self, reader)
        return self.array

    def numpy(self) -> Array:
        """A copy of the value as an ndarray [*]."""
        array = self._read("numpy()")
        try:
            return np.array(array)
        except TypeError:  # CuPy refuses what would be slow without a word
            return np.array(cuda.host(array))

    def tolist(self) -> Any:
        """The value as nested Python lists."""
        return np.asarray(cuda.host(self._read("tolist()"))).tolist()

    def item(self, *index: int) -> Any:
        """One element as a Python scalar.

        index: one number counts all elements, else one for each axis.
        Raises OpError for any other.
        """
        check_item(self.meta, index)
        return np.asarray(cuda.host(self._read("item()"))).item(*index)

    def _scalar(self, reader: str) -> Any:
        array = np.asarray(cuda.host(self._read(reader)))
        if array.size != 1:
            why = f"only a tensor of one element is a Python scalar (X={self.meta})"
            raise MisfitError(with_user_line(f"{reader}: {why}"))
        return array.item()

    def __bool__(self) -> bool:
        return bool(self._scalar("bool()"))

    def __int__(self) -> int:
        return int(self._scalar("int()"))

    def __float__(self) -> float:
        return float(self._scalar("float()"))

    def __index__(self) -> int:
        if self.meta.dtype.kind not in "iub":
            raise TypeError(f"only integer tensors can be an index (X={self.meta})")
        return int(self._scalar("index()"))

    def __len__(self) -> int:
        if not self.ndim:
            raise TypeError("len() of a 0-D tensor")
        return int(self.shape[0])

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: Any) -> Any:
        raise NotImplementedError  # given by oarlock.tensor

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """The value for NumPy: without copying, and so not to be written to, unless a copy is asked
        for or dtypes differ.
        """
        array = np.asarray(cuda.host(self._read("numpy()")))
        if copy or (dtype is not None and array.dtype != dtype):
            if copy is False:
                raise ValueError(
                    f"a tensor of {self.dtype.name} is no array of "
                    f"{np.dtype(dtype).name} "
                    f"without a copy"
                )
            return np.array(array, dtype=dtype)
        view = array.view()
        view.flags.writeable = False
        return view

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        """NumPy's functions work on the values and give arrays; nothing of it is recorded for
        gradients.
        """
        return function(*_plain(args), **_plain(kwargs))

    def __dlpack__(self, **how: Any) -> Any:
        array = self._read("dlpack")
        if cuda.index_of(array) is not None:
            return array.__dlpack__(**how)
        array = np.asarray(array)
        if not array.flags.writeable:  # of a mapped file: nobody may write there
            array = array.copy()
        try:
            return array.__dlpack__(**how)
        except (BufferError, TypeError) as error:
            raise OpError(with_user_line(f"dlpack: {error} (X={self.meta})")) from None

    def __dlpack_device__(self) -> tuple[int, int]:
        index = cuda.index_of(self.array)
        return (1, 0) if index is None else (2, index)  # kDLCPU, kDLCUDA

    def __hash__(self) -> int:
        return id(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec and self.array.size == 1 else str(self)

    def __repr__(self) -> str:
        mode = state.mode
        # a value that is shown would be one that Python has read
        if not mode.silent and mode.builder is None:
            return f"Tensor({self.meta}, its value is not shown while a program is recorded)"
        if era.old:
            return texts["tensor"](self)
        body = show_array(cuda.host(self.array), 7)
        shape = ", ".join(map(str, self.array.shape))
        return (
            f"Tensor(shape=[{shape}], dtype={self.dtype.name}, place={self.place}, "
            f"stop_gradient={self.stop_gradient},\n       {body})"
        )

    def __reduce_ex__(self, protocol: Any) -> Any:
        array = cuda.host(self._read("pickle"))
        return (
            _rebuilt,
            (type(self), array, self.stop_gradient),
            {k: v for k, v in self.__dict__.items() if k != "raw"},
        )

    def __copy__(self) -> Tensor:
        made = self.detach()
        made.stop_gradient = self.stop_gradient
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        made.name = self.name + unique_name.generate("_deepcopy")  # states of optimizers go by it
        made.array = cuda.copied(self._read("deepcopy()"))
        made.stop_gradient = self.stop_gradient
        memo[id(self)] = made
        return made

    # -- its gradient
    # -------------------------------------------------------------------------------------------

    def gradient(self) -> Array | None:
        """The gradient as an ndarray, None where there is none."""
        return None if self.grad is None else self.grad.numpy()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Forget the gradient, or set it to zero."""
        if refuse_side_effect("clear_gradient()"):
            return
        if set_to_zero and self.grad is not None:
            zeros = cuda.zeros_like(self.grad.array)
            self.grad = Tensor(zeros)
            self.grad._zeros = zeros
        else:
            self.grad = None

    clear_grad = clear_gradient

    def _is_cleared(self) -> bool:
        """Whether it is a gradient that `clear_grad` set to zero and that has not changed since:
        accumulating into it needs no addition.
        """
        return self._zeros is not None and self._zeros is self.array and not self.inplace_version

    def _zero_grads(self) -> None:
        """Set the gradient to zero, if there is one."""
        self.clear_gradient(True)

    def detach(self) -> Tensor:
        """The same value, cut off from the graph that made it."""
        if state.mode.silent:
            return Tensor(self.array)
        made: Tensor = OPS["assign"](self)  # a recording knows values by the ops that made them
        made.stop_gradient, made.node = True, None
        return made

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHook:
        """Call `hook(grad)` when the gradient of this tensor is known; what it returns, if not
        None, replaces it.
        """
        only_running("register_hook", "hooks have no place in it")
        if self.stop_gradient:
            raise StateError(
                with_user_line(f"register_hook: the tensor has stop_gradient=True (X={self.meta})")
            )
        holder = self if self.node is None else self.node
        if self.node is None:
            hooks = self._hooks = self._hooks if self._hooks is not None else []
        else:
            hooks = holder.hooks_of(self.index)
        hooks.append(hook)
        handle = RemovableHook(hooks, hook)
        state.mode.hooked(self, handle)
        return handle

    # -- changed in place
    # ---------------------------------------------------------------------------------------

    def retain_grads(self) -> None:
        """Keep the gradient in `grad` although an op made this tensor."""
        if self.node is not None:
            self.register_hook(functools.partial(_keep, weakref.ref(self)))

    def set_value(self, value: Any) -> None:
        """Replace the value by another of the same shape; the dtype stays.

        Raises OpError when the shapes differ.
        """
        given = value if isinstance(value, Tensor) else Tensor(cuda.copied(value))
        if not _alike(given.meta.shape, self.meta.shape):
            raise MisfitError(f"set_value: the shapes differ (X={self.meta}, value={given.meta})")
        mode = state.mode
        if mode.silent:
            if era.old and given.meta.dtype != self.meta.dtype:
                raise MisfitError(
                    f"set_value: the dtypes differ (X={self.meta}, value={given.meta})"
                )
            remember(self)
            self.array = cuda.copied_to(given.array, self.array)
            return
        # A program has no places to write to: from now on this is another variable of it.
        if given.meta.dtype != self.meta.dtype:
            protos = (dtype_of(t.meta.dtype).proto for t in (given, self))
            given = OPS["cast"](given, **dict(zip(("in_dtype", "out_dtype"), protos, strict=True)))
        mode.become(self, OPS["assign"](given.detach()))


def as_is(tensor: Tensor) -> Tensor:
    """Another tensor that is what this one is now."""
    made = Tensor(tensor.array)
    made.stop_gradient, made.node, made.index = tensor.stop_gradient, tensor.node, tensor.index
    if tensor.node is None and not tensor.stop_gradient:
        made._origin = tensor
    return made


def remember(tensor: Tensor) -> None:
    """Keep what a tensor is, which is about to change: ops that are on the tape go on seeing it, as
    long as they are there.
    """
    if tensor.saved_for_backward:  # else no op has seen it
        first = oldest_seq()
        now = next_seq()
        if first < now:
            tensor._history = (*(h for h in tensor._history if h[0] > first), (now, as_is(tensor)))
        else:
            tensor._history = ()
        tensor.saved_for_backward = False


def remember_all(tensors: Iterable[Tensor]) -> None:
    """The same for several, of which most are known to nobody any more."""
    if oldest_seq() < next_seq():
        for tensor in tensors:
            remember(tensor)


def _alike(one: tuple[int, ...], two: tuple[int, ...]) -> bool:
    """Whether two shapes may be the same; -1 is a size that is not known."""
    return len(one) == len(two) and all(
        a == b or -1 in (a, b) for a, b in zip(one, two, strict=True)
    )


def _plain(value: Any) -> Any:
    """The same nesting with arrays in place of tensors."""
    if isinstance(value, Tensor):
        return np.asarray(value)
    if isinstance(value, list | tuple):
        return type(value)(_plain(v) for v in value)
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _keep(of: weakref.ref[Tensor], gradient: Tensor) -> None:
    tensor = of()
    if tensor is not None:
        tensor.grad = (
            gradient if tensor.grad is None else OPS["elementwise_add"](tensor.grad, gradient)
        )


def _rebuilt(kind: type[Tensor], array: Any, stop_gradient: bool) -> Tensor:
    made = kind.__new__(kind)
    made.array, made.stop_gradient = array, stop_gradient
    return made


class RemovableHook:
    """A handle that takes a hook away again."""

    def __init__(self, hooks: list[Any], hook: Any) -> None:
        self._hooks = hooks
        self._hook = hook

    def remove(self) -> bool:
        """Take the hook away; False when it was gone already."""
        if self._hook not in self._hooks:
            return False
        self._hooks.remove(self._hook)
        return True
