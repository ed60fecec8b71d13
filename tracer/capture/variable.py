"""Variable: a tensor without a value, known by its name in a program that is being recorded."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, NoReturn, TypeAlias

import numpy as np

from ..core import cuda
from ..core.dtype import DType, parse_dtype
from ..core.errors import ArgumentAssertionError, OpError, TraceError, append_user_line, user_frame
from ..core.html import html_table
from ..core.mode import base_mode_of, state
from ..core.op import OPS, Meta
from ..core.paddle1_compat import compat
from ..core.parameter import Parameter
from ..core.place import Place, get_device, parse_place
from ..core.tensor import RemovableHookHandle, Tensor
from ..core.tensor_item_arguments import check_tensor_item_arguments
from ..core.type_aliases import TensorLike
from ..ir.printer import format_declaration
from ..ir.program import VarDesc, VarKind
from ..ir.scope import Scope, current_scope
from .symbolic_scalars import (
    BOOL,
    FLOAT,
    INT,
    NONNEGATIVE_INT,
    PossibleScalarTypes,
    install_number_operators,
    mark_symbolic_scalar,
    raise_or_collect_error,
)

Block: TypeAlias = Any  # static.graph.block.Block
Operator: TypeAlias = Any  # static.graph.operator.Operator

GRADIENT_SUFFIX = "@GRAD"  # suffix of the name of a gradient


class MaybeUndefinedRecord(NamedTuple):
    """Attached to a variable that is assigned only on some paths: states on which paths it has a
    value.

    name: the user's name.
    defined_when: on which paths the variable has a value, for error messages.
    block: the index of the block in which the variable was merged.
    none_flag: the none flag, if the variable is None on the paths that do not assign it.
    check: the run-time check to write if a read does not know the path.
    branch_values: the values of both branches, for error messages.
    """

    name: str
    defined_when: str
    block: int
    none_flag: Any = None
    check: Any = None
    branch_values: str = ""


def check_to_string_flags(throw_on_error: Any, with_details: Any) -> None:
    """Raise ArgumentAssertionError, an AssertionError, unless the arguments `throw_on_error` and
    `with_details` of `to_string` are bool.
    """
    for name, flag in (("throw_on_error", throw_on_error), ("with_details", with_details)):
        if not isinstance(flag, bool):
            raise ArgumentAssertionError(
                append_user_line(f"to_string: {name} is not a bool, but {type(flag).__name__}")
            )


class Variable(Tensor):
    """A named value of a static graph program; it has no data while the program is built.

    `static.data`, ops and layer functions create variables. A variable has the operators and
    methods of a Tensor, which append ops to the program.

    Parameters
    ----------
    desc : VarDesc
        The declaration of the variable in the data of a program.

    Attributes
    ----------
    raw : VarDesc
        The declaration.
    user_line : str
        The source line that created the variable; "" if it is unknown.

    See Also
    --------
    static.data : declares an input.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 3])
    ...     y = x * 2
    >>> y
    Variable(name=..., float32[?,3], stop_gradient=True)
    >>> paddle.disable_static()
    """

    user_line = ""
    maybe_undefined: MaybeUndefinedRecord | None = None  # set if only some paths assign it
    implied_none_flags: Any = (
        # For a condition: the none flags whose values are known if the condition is true, and those
        # known if it is false.
        None
    )
    # For a condition: other conditions whose values are known if it is true, and those known if it
    # is false.
    implied_conditions: Any = None
    is_ndarray = False  # in eager execution the value is an ndarray, whose shape is a tuple
    # A description of the variable's types if they differ between the paths.
    mixed_types = ""
    is_mixed_scalar = False  # whether the mixed types are scalars of one dtype, 0-D and [1]
    error_clip: Any = None
    belong_to_optimizer = False
    undeclared_properties: frozenset[str] = (
        frozenset()
    )  # which of shape, dtype, lod_level and persistable were not declared, for printing
    # Functions that the classes of Paddle's static API set, because they import this module: one
    # creates the VarDesc view of a variable, one returns the blocks of the main program.
    create_desc_view: ClassVar[Callable[[Variable], Any]]
    _get_main_blocks: ClassVar[Callable[[], list[Block]]]
    _desc_view: Any = None
    _block: Block | None = None

    def __init__(self, desc: VarDesc) -> None:
        self.raw = desc
        self._name = desc.name

    @property
    def desc(self) -> Any:
        """The declaration as an object with the methods of Paddle's C++ class VarDesc.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.desc.name(), x.desc.shape()
        ('x', [-1, 3])
        >>> paddle.disable_static()
        """
        if self._desc_view is None:
            self._desc_view = Variable.create_desc_view(self)
        return self._desc_view

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHookHandle:
        """Raise an error: a program cannot call hooks on gradients.

        Parameters
        ----------
        hook : callable
            Maps the gradient to a new gradient or None.

        Returns
        -------
        RemovableHookHandle
            Only while a function is captured by `jit.to_static`: computing gradients of the
            captured program then raises an error, and a saved program ignores the hook.

        Raises
        ------
        OarlockError
            In a static graph program.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.register_hook(lambda grad: grad * 2)
        Traceback (most recent call last):
        oarlock.core.errors.OarlockError: register_hook: needs values, ...
        >>> paddle.disable_static()
        """
        if state.mode.static and state.mode.program_builder is None and not self.stop_gradient:
            state.mode.record_missing_gradient_reason("hooks of its values (register_hook)")
        return super().register_hook(hook)

    # -- the declaration
    # ----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The name of the variable, a str.

        Assigning to `name` renames the variable in its declaration and in the ops of its program.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.name = "result"
        >>> y.name, y.op.output_arg_names
        ('result', ['result'])
        >>> paddle.disable_static()
        """
        return super().name

    @name.setter
    def name(self, value: str) -> None:
        block, old = self._block, self._name
        if block is not None and not self.persistable and old in block.raw.vars and old != value:
            block.rename_variable_with_sub_blocks(self, old, value)
        self._name = value

    @property
    def place(self) -> Place:
        """The device on which eager tensors are created, a Place; a variable itself has no device.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> isinstance(x.place, type(paddle.CPUPlace()))
        True
        >>> paddle.disable_static()
        """
        return parse_place(get_device(), "place")

    @property
    def array(self) -> Any:
        """Always raises TraceError, because a variable has no array while a program is built.

        Use `Executor.run` to compute the value.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.array
        Traceback (most recent call last):
        oarlock.core.errors.TraceError: its value: the value of 'x' is not known while ...
        >>> paddle.disable_static()
        """
        raise_unknown_value(self, "its value")

    @array.setter
    def array(self, value: Any) -> None:
        raise_unknown_value(self, "a new value")

    @property
    def scalar_kind(self) -> PossibleScalarTypes | None:
        """The Python number types that the variable may have in eager execution; None for a tensor.

        Only variables of functions that `jit.to_static` captures can stand for numbers.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.scalar_kind is None
        True
        >>> paddle.disable_static()
        """
        found: PossibleScalarTypes | None = self.raw.python_scalars
        return found

    @property
    def meta(self) -> Meta:
        """The declared shape and dtype, as a Meta: a named pair with a short text.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> print(x.meta)
        float32[?,3]
        >>> paddle.disable_static()
        """
        return Meta(self.raw.shape, parse_dtype(self.raw.dtype).np)

    @property
    def shape(self) -> list[int]:
        """The sizes of the axes, a tuple of int; -1 for a dynamic dimension.

        While `jit.to_static` captures a function, the shape is a list, and a dynamic dimension is a
        Variable that holds the size.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.shape
        (-1, 3)
        >>> paddle.disable_static()
        """
        self._reject_type_differing_between_branches("shape")
        sizes = list(self.meta.shape) if state.mode.is_eager else state.mode.shape(self)
        is_tuple = self.is_ndarray or (state.mode.is_eager and self._block is not None)
        return tuple(sizes) if is_tuple and type(sizes) is list else sizes  # type: ignore[return-value]

    @property
    def size(self) -> int:
        """The number of elements: an int, or a Variable if a dimension is dynamic.

        Raises TraceError while source is converted, if the dtype or rank differs between branches.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [2, 3])
        >>> x.size
        6
        >>> paddle.disable_static()
        """
        self._reject_type_differing_between_branches("size")
        known = all(d >= 0 for d in self.raw.shape)
        return (
            math.prod(self.raw.shape)
            if known
            else mark_symbolic_scalar(OPS["size"](self), NONNEGATIVE_INT)
        )

    @property
    def ndim(self) -> int:
        """The number of axes, an int.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.ndim
        2
        >>> paddle.disable_static()
        """
        self._reject_type_differing_between_branches("ndim")
        return len(self.raw.shape)

    def _reject_type_differing_between_branches(self, reader: str) -> None:
        """Raise TraceError if source is being converted, and the dtype or the number of axes
        differs between branches.
        """
        if self.mixed_types and _is_in_source_converting_mode():
            why = "the value has another dtype or number of axes in each branch"
            raise TraceError(append_user_line(f"{reader}: {why}{self.mixed_types}"))

    @property
    def creation_site_message_suffix(self) -> str:
        """The end of an error message about the variable, a str.

        It is ` created at` and the line that created the variable, or the quoted name if the line
        is unknown.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.creation_site_message_suffix
        " 'x'"
        >>> paddle.disable_static()
        """
        return f" created at {self.user_line}" if self.user_line else f" '{self.name}'"

    @property
    def dtype(self) -> DType:
        """The element type, a dtype; for a variable of strings, the variable type.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.dtype
        paddle.float32
        >>> paddle.disable_static()
        """
        return self.raw.kind if self.raw.kind == VarKind.STRINGS else parse_dtype(self.raw.dtype)  # type: ignore[return-value]

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient flows through the variable, a bool.

        Assigning a Variable raises TraceError, because a program fixes before its runs which
        gradients flow.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> x.stop_gradient, y.stop_gradient
        (True, False)
        >>> paddle.disable_static()
        """
        return self.raw.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        if isinstance(value, Variable):
            why = (
                "stop_gradient: it cannot be set to a symbolic value, because the program decides "
                "before the run which gradients flow; set it outside of the branch or loop"
            )
            raise TraceError(
                append_user_line(f"{why} (X={self.meta}{self.creation_site_message_suffix})")
            )
        if not value and self.raw.stop_gradient:
            state.mode.on_tensor_set_to_require_gradient(self)
        self.raw.stop_gradient = bool(value)

    @property
    def persistable(self) -> bool:
        """Whether the scope keeps the value of the variable between runs, a bool.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.persistable, main.all_parameters()[0].persistable
        (False, True)
        >>> paddle.disable_static()
        """
        return self.raw.persistable

    @persistable.setter
    def persistable(self, value: bool) -> None:
        self.raw.persistable, self.undeclared_properties = (
            bool(value),
            self.undeclared_properties - {"persistable"},
        )

    @property
    def block(self) -> Any:
        """The block of a static graph program that declares the variable; None in other programs.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.block.idx
        0
        >>> paddle.disable_static()
        """
        if self._block is None:
            blocks = Variable._get_main_blocks()
            self._block = next(
                (b for b in blocks if b.raw.vars.get(self.raw.name) is self.raw), None
            )
        return self._block

    @block.setter
    def block(self, value: Block | None) -> Any:
        self._block = value

    @property
    def lod_level(self) -> int | None:
        """The LoD level, an int: 0 for plain tensors, 1 for packed sequences; None for strings.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     words = paddle.static.data("words", [None, 1], "int64", lod_level=1)
        >>> words.lod_level
        1
        >>> paddle.disable_static()
        """
        return None if self.raw.kind == VarKind.STRINGS else self.raw.lod_level

    @property
    def type(self) -> VarKind:
        """The variable type of the declaration, such as that of dense tensors or of TensorArrays.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> print(x.type)
        VarType.LOD_TENSOR
        >>> paddle.disable_static()
        """
        return self.raw.kind

    @property
    def is_data(self) -> bool:
        """Whether the variable is an input that each run is fed with, a bool.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> x.is_data, y.is_data
        (True, False)
        >>> paddle.disable_static()
        """
        return self.raw.checks_feed

    @property
    def is_parameter(self) -> bool:
        """Whether the variable is a parameter, trainable or not, a bool.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.is_parameter, main.all_parameters()[0].is_parameter
        (False, True)
        >>> paddle.disable_static()
        """
        return self.raw.is_parameter

    @property
    def grad_name(self) -> str:
        """The name of the variable's gradient, a str: `<name>@GRAD`.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.grad_name
        'x@GRAD'
        >>> paddle.disable_static()
        """
        return self.name + GRADIENT_SUFFIX

    @property
    def op(self) -> Any:
        """The first op of the block that writes the variable, an Operator; None if there is none.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> x.op is None, y.op.type
        (True, 'elementwise_add')
        >>> paddle.disable_static()
        """
        if self.block is None:
            return None
        return next((op for op in self.block.ops if self.name in op.output_arg_names), None)

    # -- the value in a scope
    # -----------------------------------------------------------------------------------

    def get_value(self, scope: Scope | None = None) -> Tensor:
        """Return the value of the variable in a scope.

        Parameters
        ----------
        scope : Scope, optional
            By default the current scope, see `static.global_scope`.

        Returns
        -------
        Tensor

        Raises
        ------
        OpError
            If the scope has no value of the variable.
        TypeError
            If `scope` is not a Scope.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.create_parameter([2], "float32", is_bias=True)
        >>> _ = paddle.static.Executor().run(startup)
        >>> w.get_value().tolist()
        [0.0, 0.0]
        >>> paddle.disable_static()
        """
        where = current_scope() if scope is None else scope
        if not hasattr(where, "find_or_create"):
            raise TypeError(
                append_user_line(f"get_value: scope should be a Scope, not {type(scope).__name__}")
            )
        return where.value(self.name)

    def set_value(self, value: TensorLike, scope: Scope | None = None) -> None:
        """Set the value of the variable in a scope.

        If `value` is a Variable, or the variable belongs to no static graph program, an assignment
        is recorded instead.

        Parameters
        ----------
        value : Tensor or array
            With the declared shape; it is cast to the declared dtype.
        scope : Scope, optional
            By default the current scope, see `static.global_scope`.

        Raises
        ------
        OpError
            If the shapes differ.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.create_parameter([2], "float32", is_bias=True)
        >>> w.set_value(np.array([1.0, 2.0], np.float32))
        >>> w.get_value().tolist()
        [1.0, 2.0]
        >>> paddle.disable_static()
        """
        if isinstance(value, Variable):
            state.mode.assign_inplace(self, self._cast_copy_for_assignment(value))
            return
        if compat.rules.rejects_set_value_and_detach:
            self._reject_eager_method_in_paddle1_program("set_value")
        if self.block is None:
            super().set_value(value)
        else:
            array = np.asarray(cuda.to_host(value.array if isinstance(value, Tensor) else value))
            (current_scope() if scope is None else scope).assign(self.name, array, self.meta)

    def _cast_copy_for_assignment(self, value: Variable) -> Variable:
        """Return a copy of `value`, cast to the dtype of this variable.

        Raises OpError if the shapes differ.
        """
        mine, other = self.meta, value.meta
        if len(mine.shape) != len(other.shape) or any(
            m != o for m, o in zip(mine.shape, other.shape, strict=True) if m >= 0 and o >= 0
        ):
            raise OpError(
                append_user_line(f"set_value: the shapes differ (X={mine}, value={other})")
            )
        if mine.dtype != other.dtype:
            value = OPS["cast"](value, in_dtype=value.dtype.proto, out_dtype=self.dtype.proto)
        # copies the value, as in eager execution
        result: Variable = OPS["assign"](value if self.block is not None else value.detach())
        return result

    def item(self, *index: int) -> Any:
        """Return one element as a symbolic scalar; raise an error unless source is converted.

        Parameters
        ----------
        *index : int
            The index of the element along each axis, or one index into the flattened tensor. Not
            needed for a tensor of one element.

        Returns
        -------
        Variable []

        Raises
        ------
        TraceError
            In a static graph program, which has no values while it is built.

        Examples
        --------
        >>> @paddle.jit.to_static
        ... def double_first(x):
        ...     return paddle.full([2], x.item(0) * 2.0)
        >>> double_first(paddle.to_tensor([1.5, 2.0])).tolist()
        [3.0, 3.0]
        """
        if not _is_in_source_converting_mode():
            raise_unknown_value(self, "item()")
        check_tensor_item_arguments(self.meta, index)
        one = (
            OPS["reshape2"](self, shape=[-1])
            if len(index) == 1 and len(self.meta.shape) != 1
            else self
        )
        result: Tensor = OPS["reshape2"](one[index] if index else one, shape=[])
        # in eager execution the result is a number, which has no gradient
        result.stop_gradient = True
        return mark_symbolic_scalar(result, {"b": BOOL, "f": FLOAT}.get(self.meta.dtype.kind, INT))

    def numpy(self) -> Any:
        """Return a copy that acts as an ndarray; raise an error unless source is converted.

        Returns
        -------
        Variable [*]
            Without gradient.

        Raises
        ------
        TraceError
            In a static graph program, which has no values while it is built.

        Examples
        --------
        >>> @paddle.jit.to_static
        ... def scale(x):
        ...     return x * float(x.numpy().max())
        >>> scale(paddle.to_tensor([1.0, 2.0])).tolist()
        [2.0, 4.0]
        """
        if not _is_in_source_converting_mode():
            self._reject_eager_method_in_paddle1_program("numpy")
            raise_unknown_value(self, "numpy()")
        result: Tensor = OPS["assign"](self)
        result.stop_gradient = True
        result.is_ndarray = True  # type: ignore[attr-defined]
        return result

    def backward(self, *args: Any, **kwargs: Any) -> None:
        """Raise an error: a program has no eager backward pass.

        Use `minimize` of an optimizer, or `static.append_backward`.

        Parameters
        ----------
        *args, **kwargs : Any
            Not used.

        Raises
        ------
        OarlockError
            With Paddle 1.x semantics it is an ArgumentAssertionError, an AssertionError.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.backward()
        Traceback (most recent call last):
        oarlock.core.errors.OarlockError: backward: needs values, which a static ...
        >>> paddle.disable_static()
        """
        self._reject_eager_method_in_paddle1_program("backward")
        super().backward(*args, **kwargs)

    def gradient(self) -> Any:
        """Return None, because a variable holds no gradient.

        Returns
        -------
        None
            With Paddle 1.x semantics, the method raises ArgumentAssertionError, an AssertionError.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.gradient() is None
        True
        >>> paddle.disable_static()
        """
        self._reject_eager_method_in_paddle1_program("gradient")
        return super().gradient()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Do nothing, because a variable holds no gradient.

        Parameters
        ----------
        set_to_zero : bool, default True
            Not used.

        Raises
        ------
        ArgumentAssertionError
            With Paddle 1.x semantics.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> y.clear_gradient()
        >>> paddle.disable_static()
        """
        self._reject_eager_method_in_paddle1_program("clear_gradient")
        super().clear_gradient(set_to_zero)

    def _reject_eager_method_in_paddle1_program(self, method: str) -> None:
        is_of_program = self._block is not None and not _is_in_source_converting_mode()
        if is_of_program and compat.rules.rejects_eager_methods:
            why = (
                f"'{method}' is a method of eager tensors, as in fluid.dygraph.guard(), but "
                f"'{self.name}' is a variable of a program"
            )
            raise ArgumentAssertionError(append_user_line(why))

    def __len__(self) -> int:
        size = self.raw.shape[0] if self.raw.shape else None
        if size is None:
            raise TypeError("len() of a 0-D tensor")
        if size < 0:
            why = (
                "the number of rows is known only at run time; iterate over them with a `for` "
                "statement, or give the size in input_spec"
            )
            return int(
                raise_or_collect_error(
                    TraceError(
                        append_user_line(
                            f"{why} (X={self.meta}{self.creation_site_message_suffix})"
                        )
                    ),
                    1,
                )
            )
        return size

    def _guard_or_reject_read_and_get_array(self, reader: str) -> Any:
        """Raise TraceError, because a variable has no array to read. While `oarlock explain`
        collects errors, return an array of zeros instead.
        """
        return raise_or_collect_error(
            unknown_value_error(self, reader),
            np.zeros([max(d, 1) for d in self.raw.shape], self.meta.dtype),
        )

    def _guard_or_reject_read_and_get_scalar(self, reader: str) -> Any:
        """Raise TraceError, because a variable has no number to read. If `oarlock explain` collects
        errors, return the number 1 instead of raising the error.
        """
        return raise_or_collect_error(unknown_value_error(self, reader), 1)

    def detach(self) -> Tensor:
        """Return a copy of the variable through which no gradient flows.

        Returns
        -------
        Variable [*]
            A program for inference returns the variable itself.

        Raises
        ------
        ArgumentAssertionError
            If the variable is not a tensor, or with Paddle 1.x semantics.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        ...     z = y.detach()
        >>> y.stop_gradient, z.stop_gradient
        (False, True)
        >>> paddle.disable_static()
        """
        if self.raw.kind not in (VarKind.DENSE, VarKind.SELECTED_ROWS, VarKind.ARRAY):
            raise ArgumentAssertionError(
                append_user_line(f"detach: '{self.name}' is not a tensor, but {self.raw.kind}")
            )
        if compat.rules.rejects_set_value_and_detach:
            self._reject_eager_method_in_paddle1_program("detach")
        if not state.mode.tape:
            return self
        result: Tensor = OPS["assign"](self)
        result.stop_gradient = True
        return result

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """Return the declaration of the variable as text, as a printed program shows it.

        Parameters
        ----------
        throw_on_error : bool, default True
            Has no effect.
        with_details : bool, default False
            Has an effect with Paddle 1.x semantics only.

        Returns
        -------
        str

        Raises
        ------
        AssertionError
            If an argument is not a bool.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> x.to_string()
        'var x: float32[?,3] stop_gradient check_feed'
        >>> paddle.disable_static()
        """
        check_to_string_flags(throw_on_error, with_details)
        return compat.rules.format_variable(self, with_details) or format_declaration(self.raw)

    def _to_readable_code(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        if (text := compat.rules.format_variable(self)) is not None:
            return text
        return f"Variable(name={self.name}, {self.meta}, stop_gradient={self.stop_gradient})"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        """Return a table for notebooks; the value is known only at run time."""
        rows = [("name", self.name), ("type", self.meta), ("stop_gradient", self.stop_gradient)]
        return html_table(rows, caption=type(self).__name__)


install_number_operators(Variable)


class ParameterVariable(Variable, Parameter):
    """A parameter of a static graph program; `static.Parameter`.

    `create_parameter` and layer functions such as `static.nn.fc` create parameters. Their values
    are in a scope after the startup program has run.

    Parameters
    ----------
    desc : VarDesc
        The declaration of the parameter in the data of a program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     w = paddle.create_parameter([2, 3], "float32", "w")
    >>> w
    Parameter(name=w, float32[2,3], trainable=True)
    >>> paddle.disable_static()
    """

    def __init__(self, desc: VarDesc) -> None:
        super().__init__(desc)
        self.optimize_attr = {"learning_rate": 1.0}

    def __repr__(self) -> str:
        if (text := compat.rules.format_variable(self)) is not None:
            return text
        return f"Parameter(name={self.name}, {self.meta}, trainable={self.trainable})"

    __str__ = __repr__


def _is_in_source_converting_mode() -> bool:
    """Whether the current dispatch mode records a program and converts the source of called
    functions.
    """
    mode = base_mode_of(state.mode)
    return bool(mode.static and mode.converts_source)


def raise_unknown_value(variable: Variable, reader: str) -> NoReturn:
    """Raise TraceError for a read of a value that is known only at run time."""
    raise unknown_value_error(variable, reader)


def unknown_value_error(variable: Variable, reader: str) -> TraceError:
    """Return a TraceError for code that reads a value which is known only at run time."""
    why = f"{reader}: the value of '{variable.name}' is not known while the program is recorded; "
    why += f"Python control flow cannot depend on it (X={variable.meta})"
    return TraceError(
        append_user_line(why + (_unconverted_function_hint() if reader == "bool()" else ""))
    )


def _unconverted_function_hint() -> str:
    """Return a sentence for an error message that says that the source of the user's function was
    not converted; empty if it was, or if no source is converted.
    """
    frame = user_frame()
    if frame is None or not _is_in_source_converting_mode() or frame.f_code.co_name.startswith("<"):
        return ""
    code = frame.f_code
    if "__ol" in code.co_freevars or "__ol" in code.co_cellvars:
        return ""
    return (
        f"; {code.co_name} is not converted: it is a generator, has no source, is excluded from "
        "the conversion, or is called by code that is not converted, like a callback"
    )
