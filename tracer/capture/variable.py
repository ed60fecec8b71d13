"""Variable: a tensor without a value, known by its name in a program that is being written."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, NoReturn, TypeAlias

import numpy as np

from ..core import cuda
from ..core.dtype import DType, dtype_of
from ..core.errors import MisfitError, OpError, TraceError, user_frame, with_user_line
from ..core.item_index import check_item
from ..core.mode import base_mode, state
from ..core.op import OPS, Meta
from ..core.paddle1_compat import compat
from ..core.parameter import Parameter
from ..core.place import Place, get_device, parse_place
from ..core.tensor import RemovableHook, Tensor
from ..ir.printer import declaration
from ..ir.program import Kind, VarDesc
from ..ir.scope import Scope, current_scope
from .symbolic_scalars import BOOL, FLOAT, INT, NATURAL, Stands, marked, teach, troubled

Block: TypeAlias = Any  # static.graph.block.Block
Operator: TypeAlias = Any  # static.graph.operator.Operator

GRADIENT = "@GRAD"  # what the name of a gradient ends in


class Half(NamedTuple):
    """That a variable has a value on one way only.

    name: the user's; why: when it has one; block: that it was made in; none: where it is None on
    the other ways, whether it is, as a variable; late: what is read instead where nobody knows the
    way; sides: for errors, what each side of the branch has in its place.
    """

    name: str
    why: str
    block: int
    none: Any = None
    late: Any = None
    sides: str = ""


def checked_flags(throw_on_error: Any, with_details: Any) -> None:
    """Raise MisfitError, an AssertionError, unless both are bool."""
    for name, flag in (("throw_on_error", throw_on_error), ("with_details", with_details)):
        if not isinstance(flag, bool):
            raise MisfitError(
                with_user_line(f"to_string: {name} is no bool, but {type(flag).__name__}")
            )


class Variable(Tensor):
    """A named value of a program.

    raw: its declaration; shape: -1 for sizes known only at run time; where: the line that made it.
    """

    where = ""
    half: Half | None = None  # set where only one way to here gives it a value
    tells: Any = (
        # of a condition: which variables are known to be None, or not to be, where it holds and
        # where not
        None
    )
    # of a condition: of which others it is known whether they hold, where it holds and where not
    implies: Any = None
    of_numpy = False  # whether Python takes it for an ndarray, whose shape is a tuple
    # what its values are, where two ways to here give different dtypes or numbers of axes
    mixed = ""
    single = False  # whether these are numbers of one dtype, with no axes or with one
    error_clip: Any = None
    belong_to_optimizer = False
    unsaid: frozenset[str] = (
        frozenset()
    )  # of shape, dtype, lod_level and persistable, what nobody said, as it is printed
    # Hooks set by the classes of Paddle's static API, which import this module: the view of a
    # declaration, and the blocks of a program.
    describe: ClassVar[Callable[[Variable], Any]]
    main_blocks: ClassVar[Callable[[], list[Block]]]
    _described: Any = None
    _block: Block | None = None

    def __init__(self, desc: VarDesc) -> None:
        self.raw = desc
        self._name = desc.name

    @property
    def desc(self) -> Any:
        """Its declaration, with the methods of Paddle's C++ class."""
        if self._described is None:
            self._described = Variable.describe(self)
        return self._described

    def register_hook(self, hook: Callable[[Tensor], Any]) -> RemovableHook:
        """See Tensor.register_hook; a program has none, and gives no gradients then.

        Where one is saved, the hook counts for nothing.
        """
        if state.mode.static and state.mode.builder is None and not self.stop_gradient:
            state.mode.note_missing_gradient("hooks of its values (register_hook)")
        return super().register_hook(hook)

    # -- its declaration
    # ----------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """Its name; another one is that of its declaration as well, and in the ops of a program
        that is written by hand.
        """
        return super().name

    @name.setter
    def name(self, value: str) -> None:
        block, old = self._block, self._name
        if block is not None and not self.persistable and old in block.raw.vars and old != value:
            block.rename(self, old, value)
        self._name = value

    @property
    def place(self) -> Place:
        """Where eager tensors are made: a program runs where it is run."""
        return parse_place(get_device(), "place")

    @property
    def array(self) -> Any:
        """There is none: raises TraceError that names the user's line."""
        refuse(self, "its value")

    @array.setter
    def array(self, value: Any) -> None:
        refuse(self, "a new value")

    @property
    def python(self) -> Stands | None:
        """Which of Python's numbers it stands for; None where it is a tensor on all ways."""
        found: Stands | None = self.raw.python
        return found

    @property
    def meta(self) -> Meta:
        """Shape and dtype as declared."""
        return Meta(self.raw.shape, dtype_of(self.raw.dtype).np)

    @property
    def shape(self) -> list[Any]:
        """The sizes of the axes: -1 for one that only a run knows, which is a value of the program
        while that is recorded.
        """
        self._refuse_mixed("shape")
        found = list(self.meta.shape) if state.mode.is_eager else state.mode.shape(self)
        plain = self.of_numpy or (state.mode.is_eager and self._block is not None)
        return tuple(found) if plain and type(found) is list else found  # type: ignore[return-value]

    @property
    def size(self) -> Any:
        """The number of elements: an int, or a value of the program where only a run knows it."""
        self._refuse_mixed("size")
        known = all(d >= 0 for d in self.raw.shape)
        return math.prod(self.raw.shape) if known else marked(OPS["size"](self), NATURAL)

    @property
    def ndim(self) -> int:
        """The number of axes."""
        self._refuse_mixed("ndim")
        return len(self.raw.shape)

    def _refuse_mixed(self, asked: str) -> None:
        """Raise TraceError where only a run knows the number of axes, of what a branch gave."""
        if self.mixed and _converts():
            why = "the value has another dtype or number of axes in each branch"
            raise TraceError(with_user_line(f"{asked}: {why}{self.mixed}"))

    @property
    def made_at(self) -> str:
        """Where it was made, for an error that names it."""
        return f" made at {self.where}" if self.where else f" '{self.name}'"

    @property
    def dtype(self) -> DType:
        """The element type; of strings what they are."""
        return self.raw.kind if self.raw.kind == Kind.STRINGS else dtype_of(self.raw.dtype)  # type: ignore[return-value]

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient flows through it: what its declaration says."""
        return self.raw.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        if isinstance(value, Variable):
            why = (
                "stop_gradient: whether gradients flow cannot depend on a value of the "
                "program; set it outside of the branch or loop"
            )
            raise TraceError(with_user_line(f"{why} (X={self.meta}{self.made_at})"))
        if not value and self.raw.stop_gradient:
            state.mode.begin_gradient(self)
        self.raw.stop_gradient = bool(value)

    @property
    def persistable(self) -> bool:
        """Whether its value outlives a run."""
        return self.raw.persistable

    @persistable.setter
    def persistable(self, value: bool) -> None:
        self.raw.persistable, self.unsaid = bool(value), self.unsaid - {"persistable"}

    @property
    def block(self) -> Block | None:
        """The block that declares it, of a program that is written by hand; None elsewhere."""
        if self._block is None:
            blocks = Variable.main_blocks()
            self._block = next(
                (b for b in blocks if b.raw.vars.get(self.raw.name) is self.raw), None
            )
        return self._block

    @block.setter
    def block(self, value: Block | None) -> None:
        self._block = value

    @property
    def lod_level(self) -> int | None:
        """How deep the sequences nest whose rows it holds; 0 for plain tensors, None for
        strings.
        """
        return None if self.raw.kind == Kind.STRINGS else self.raw.lod_level

    @property
    def type(self) -> Kind:
        """What it is: a tensor, an array of tensors, ..."""
        return self.raw.kind

    @property
    def is_data(self) -> bool:
        """Whether it is fed."""
        return self.raw.checks_feed

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter, trainable or not."""
        return self.raw.is_parameter

    @property
    def grad_name(self) -> str:
        """The name that its gradient has, or would have."""
        return self.name + GRADIENT

    @property
    def op(self) -> Operator | None:
        """The op that writes it, None where none does."""
        if self.block is None:
            return None
        return next((op for op in self.block.ops if self.name in op.output_arg_names), None)

    # -- its value in a scope
    # -----------------------------------------------------------------------------------

    def get_value(self, scope: Scope | None = None) -> Tensor:
        """Its value in a scope, the current one unless given.

        Raises OpError where there is none, TypeError for what is no scope.
        """
        where = current_scope() if scope is None else scope
        if not hasattr(where, "place_of"):
            raise TypeError(
                with_user_line(f"get_value: scope should be a Scope, not {type(scope).__name__}")
            )
        return where.value(self.name)

    def set_value(self, value: Any, scope: Scope | None = None) -> None:
        """Give it a value in a scope, the current one unless given; a variable for a value, or a
        recording, writes it to the program.
        """
        if isinstance(value, Variable):
            state.mode.assign_inplace(self, self._written(value))
            return
        if not compat.follows_fluid_mode:
            self._of_values("set_value")
        if self.block is None:
            super().set_value(value)
        else:
            array = np.asarray(cuda.to_host(value.array if isinstance(value, Tensor) else value))
            (current_scope() if scope is None else scope).assign(self.name, array, self.meta)

    def _written(self, value: Variable) -> Variable:
        """A new variable with another one's value, in the dtype of this one.

        Raises OpError where the shapes differ.
        """
        mine, other = self.meta, value.meta
        if len(mine.shape) != len(other.shape) or any(
            m != o for m, o in zip(mine.shape, other.shape, strict=True) if m >= 0 and o >= 0
        ):
            raise OpError(with_user_line(f"set_value: the shapes differ (X={mine}, value={other})"))
        if mine.dtype != other.dtype:
            value = OPS["cast"](value, in_dtype=value.dtype.proto, out_dtype=self.dtype.proto)
        # as eager code, a copy
        made: Variable = OPS["assign"](value if self.block is not None else value.detach())
        return made

    def item(self, *index: int) -> Any:
        """One element: while source is converted a value of the program, else TraceError."""
        if not _converts():
            refuse(self, "item()")
        check_item(self.meta, index)
        one = (
            OPS["reshape2"](self, shape=[-1])
            if len(index) == 1 and len(self.meta.shape) != 1
            else self
        )
        made: Tensor = OPS["reshape2"](one[index] if index else one, shape=[])
        made.stop_gradient = True  # as of the number that Python would have
        return marked(made, {"b": BOOL, "f": FLOAT}.get(self.meta.dtype.kind, INT))

    def numpy(self) -> Any:
        """The values: while source is converted still one of the program, which NumPy's own
        functions refuse; else TraceError.
        """
        if not _converts():
            self._of_values("numpy")
            refuse(self, "numpy()")
        made: Tensor = OPS["assign"](self)
        made.stop_gradient = True
        made.of_numpy = True  # type: ignore[attr-defined]
        return made

    def backward(self, *args: Any, **kwargs: Any) -> None:
        """Programs refuse it.

        Raises OarlockError; MisfitError, an AssertionError, in the era of 1.x.
        """
        self._of_values("backward")
        super().backward(*args, **kwargs)

    def gradient(self) -> Any:
        """None; in the era of 1.x programs refuse it.

        Raises MisfitError, an AssertionError, there.
        """
        self._of_values("gradient")
        return super().gradient()

    def clear_gradient(self, set_to_zero: bool = True) -> None:
        """Nothing; in the era of 1.x programs refuse it.

        Raises MisfitError, an AssertionError, there.
        """
        self._of_values("clear_gradient")
        super().clear_gradient(set_to_zero)

    def _of_values(self, method: str) -> None:
        if compat.is_paddle1 and self._block is not None and not _converts():
            why = (
                f"'{method}' is of values, as in fluid.dygraph.guard(), and '{self.name}' is "
                f"a variable of a program"
            )
            raise MisfitError(with_user_line(why))

    def __len__(self) -> int:
        size = self.raw.shape[0] if self.raw.shape else None
        if size is None:
            raise TypeError("len() of a 0-D tensor")
        if size < 0:
            why = (
                "only a run knows how many rows there are; go over them with a `for` "
                "statement, or give the size in input_spec"
            )
            return int(
                troubled(TraceError(with_user_line(f"{why} (X={self.meta}{self.made_at})")), 1)
            )
        return size

    def _read(self, reader: str) -> Any:
        return troubled(
            unknown(self, reader), np.zeros([max(d, 1) for d in self.raw.shape], self.meta.dtype)
        )

    def _scalar(self, reader: str) -> Any:
        return troubled(unknown(self, reader), 1)

    def detach(self) -> Tensor:
        """The same value, which no gradient flows through; the variable itself in a program that
        only infers.

        In the era of 1.x programs refuse it.   Raises MisfitError, an AssertionError, there.
        """
        if self.raw.kind not in (Kind.DENSE, Kind.SELECTED_ROWS, Kind.ARRAY):
            raise MisfitError(
                with_user_line(f"detach: '{self.name}' is no tensor, but {self.raw.kind}")
            )
        if not compat.follows_fluid_mode:
            self._of_values("detach")
        if not state.mode.tape:
            return self
        made: Tensor = OPS["assign"](self)
        made.stop_gradient = True
        return made

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The declaration as text, as in a printed program; in the era of 1.x the block of that."""
        checked_flags(throw_on_error, with_details)
        if not compat.is_paddle1:
            return declaration(self.raw)
        return compat.rules.format_variable(self) + (
            compat.rules.format_details(self) if with_details else ""
        )

    def _to_readable_code(self) -> str:
        return self.to_string()

    def __repr__(self) -> str:
        if compat.is_paddle1:
            return compat.rules.format_variable(self)
        return f"Variable(name={self.name}, {self.meta}, stop_gradient={self.stop_gradient})"

    __str__ = __repr__


teach(Variable)


class ParameterVariable(Variable, Parameter):
    """A parameter of a program that is written by hand."""

    def __init__(self, desc: VarDesc) -> None:
        super().__init__(desc)
        self.optimize_attr = {"learning_rate": 1.0}

    def __repr__(self) -> str:
        if compat.is_paddle1:
            return compat.rules.format_variable(self)
        return f"Parameter(name={self.name}, {self.meta}, trainable={self.trainable})"

    __str__ = __repr__


def _converts() -> bool:
    """Whether source is converted while a program is recorded."""
    mode = base_mode(state.mode)
    return bool(mode.static and mode.converts)


def refuse(variable: Variable, reader: str) -> NoReturn:
    """Say that Python asked for a value that only a run will have."""
    raise unknown(variable, reader)


def unknown(variable: Variable, reader: str) -> TraceError:
    """The error for Python that asked for a value that only a run will have."""
    why = f"{reader}: the value of '{variable.name}' is not known while the program is recorded; "
    why += f"Python control flow cannot depend on it (X={variable.meta})"
    return TraceError(with_user_line(why + (_left_as_python() if reader == "bool()" else "")))


def _left_as_python() -> str:
    """What to say of a function of the user's that nobody converted, where others are."""
    frame = user_frame()
    if frame is None or not _converts() or frame.f_code.co_name.startswith("<"):
        return ""
    code = frame.f_code
    if "__ol" in code.co_freevars or "__ol" in code.co_cellvars:
        return ""
    return (
        f"; {code.co_name} is not converted: it is a generator, has no source, is left "
        f"alone, or was not called by its name but by Python itself, "
        "as callbacks are"
    )
