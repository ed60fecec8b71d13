"""Lists of tensors that a program carries: LOD_TENSOR_ARRAY variables, appended to and read at
positions it computes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...core.dtype import default_float, dtype_of
from ...core.errors import OpError, TraceError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.program import Attr, AttrType, Block, Kind, VarDesc
from ..aliasing import Container
from ..modes import Static, static_mode
from ..symbolic_scalars import Stands, as_default, marked, stands_for, together
from ..variable import Variable
from .branch_values import as_meta, constant, is_number, meta_of, size_along
from .may_alias import Moved, current, items_of, put_items
from .mutable_locations import Elements, note

INT64 = np.dtype(np.int64)


class StillEmpty(IndexError):
    """An element is read of a list that nobody has written to so far."""


class TensorArray(Container):
    """A list of tensors of one dtype in a program that is being written.

    desc: its declaration; element: the common Meta.

    Takes list's methods; positions may be values of the program.
    is_tuple: it stands for a tuple, which nobody changes.
    """

    is_tuple = False

    # set by array_loops, which imports this module
    append_all: ClassVar[Callable[[TensorArray, TensorArray], None]]

    def __init__(
        self, mode: Static, dtype: np.dtype[Any] | None = None, block: Block | None = None
    ) -> None:
        recorder = mode.recorder
        name = recorder.namer.temporary("create_array")
        self.raw = VarDesc(
            name, (), "float32" if dtype is None else dtype_of(dtype).name, kind=Kind.ARRAY
        )
        (block or recorder.block).vars[name] = self.raw
        recorder.aliases.meet(self)
        self.element: Meta | None = None
        self._stands: list[Stands | None] = []  # for which numbers of Python its elements stand

    @classmethod
    def of(cls, mode: Static, items: Sequence[Any]) -> TensorArray:
        """A list that holds tensors or numbers already."""
        made = cls(mode)
        made.is_tuple = isinstance(items, tuple)
        for i, item in enumerate(items):
            made._write(constant(i), item)
        return made

    @classmethod
    def replacing(cls, mode: Static, name: str, items: list[Any]) -> TensorArray:
        """What a list becomes, under whichever name it is known.   name: one of these."""
        if len(items) == 1 and isinstance(items[0], Moved):
            found: TensorArray = items[0].array
            return found
        made = cls.of(mode, items_of(items))
        note(mode.recorder, [Elements(name, items)])
        put_items(items, [Moved(made)])
        mode.recorder.moved.append(items)
        return made

    def like(self, *others: TensorArray) -> TensorArray:
        """Let the elements be like those of others as well; gives itself."""
        for other in others:
            if other.element is not None:
                self._declare(other.element)
            self._stands += [s for s in other._stands if s not in self._stands]
            self.is_tuple = other.is_tuple
            self.raw.lod_level = max(self.raw.lod_level, other.raw.lod_level)
        return self

    @property
    def facts(self) -> tuple[Any, ...]:
        """What is known of its elements."""
        return self.element, together(self._stands), self.raw.lod_level

    @property
    def name(self) -> str:
        """Its name in the program."""
        return self.raw.name

    # -- ops
    # --------------------------------------------------------------------------

    def _write(self, position: Tensor, value: Any) -> None:
        self._stands.append(stands_for(value))
        value = constant(value, default_float()) if isinstance(value, float) else as_default(value)
        meta = meta_of(value)
        if isinstance(value, Variable) and value.mixed:
            why = "an element has another dtype or number of axes in each branch"
            raise TraceError(with_user_line(f"the list '{self.name}': {why}{value.mixed}"))
        if meta is None:
            raise TraceError(
                with_user_line(
                    f"a list that a program carries holds tensors, not {type(value).__name__}"
                )
            )
        self._declare(meta)
        assert self.element is not None
        tensor = as_meta(value, self.element)
        recorder = _recorder()
        operands = {"X": [recorder.operand(tensor)], "I": [recorder.name_of(position)]}
        level = tensor.raw.lod_level if isinstance(tensor, Variable) else 0
        self.raw.lod_level = max(self.raw.lod_level, level)
        recorder.emit("write_to_array", operands, {"Out": [self.name]})
        recorder.aliases.list_written(self)
        if not recorder.by_hand:  # there it is a copy
            recorder.aliases.join([(self, (value,))])

    def _declare(self, meta: Meta) -> None:
        """Let the elements be like `meta` as well."""
        old = self.element or meta
        if old.dtype != meta.dtype:
            why = f"the list '{self.name}' holds {old.dtype.name}"
            raise TraceError(with_user_line(f"{why}; this element is {meta}"))
        if len(old.shape) != len(meta.shape):
            raise TraceError(
                with_user_line(f"the list '{self.name}' holds {old}; this element is {meta}")
            )
        shape = tuple(a if a == b else -1 for a, b in zip(old.shape, meta.shape, strict=True))
        self.element = Meta(shape, meta.dtype)
        self.raw.shape, self.raw.dtype = shape, dtype_of(meta.dtype).name

    def _made(
        self,
        type: str,
        operands: dict[str, list[str]],
        meta: Meta,
        attrs: dict[str, Attr] | None = None,
    ) -> Variable:
        recorder = _recorder()
        desc = recorder.declare(recorder.namer.temporary(type), meta)
        made = recorder.variable(desc)
        made.where = recorder.emit(
            type, {"X": [self.name], **operands}, {"Out": [desc.name]}, attrs
        ).where
        return made

    def length(self) -> Variable:
        """The number of elements, int64[1]."""
        _recorder().aliases.check_list(self)
        return self._made("lod_array_length", {}, Meta((1,), INT64))

    def __len__(self) -> int:
        why = (
            f"the length of the list '{self.name}' is known only at run time; Python cannot "
            f"have it as an int"
        )
        raise TraceError(with_user_line(f"len(): {why}"))

    def _position(self, index: Any) -> Tensor:
        if isinstance(index, Tensor):
            return index if index.meta.dtype == INT64 else as_meta(index, Meta((), INT64))
        return constant(index) if index >= 0 else self._from_the_end(index)

    def _from_the_end(self, index: int) -> Tensor:
        """The position of a negative index; one behind the end where there is none, since -1 would
        be read as the last.
        """
        length = self.length()
        found: Tensor = OPS["scale"](length, scale=1.0, bias=float(index))
        if index < -1:
            found = OPS["where"](OPS["less_than"](found, constant(0)), length, found)
        return found

    def __getitem__(self, index: Any) -> Tensor:
        if isinstance(index, slice):
            raise TraceError(
                with_user_line(
                    f"a list that a program carries has slices in converted code only "
                    f"('{self.name}')"
                )
            )
        if self.element is None:
            self.is_asked()
            raise StillEmpty(with_user_line(f"the list '{self.name}' is empty"))
        recorder = _recorder()
        recorder.aliases.check(self)
        made = self._made(
            "read_from_array", {"I": [recorder.name_of(self._position(index))]}, self.element
        )
        made.raw.lod_level = self.raw.lod_level
        stands = together(self._stands)
        if stands is not None:
            marked(made, Stands(stands.types))
        if not recorder.by_hand:
            recorder.aliases.join([(made, (self,))])
        return made

    def is_asked(self) -> None:
        """Somebody reads it of whose elements nothing is known so far; a round of a loop may write
        them later.
        """
        _recorder().empty.append(self)

    def __getattr__(self, name: str) -> Any:
        if name in vars(list) and not name.startswith("__"):
            why = (
                f"{name}(): the list '{self.name}' has a length that only a run knows; "
                f"append, extend, pop, copy, slices and `for` it has"
            )
            raise TraceError(with_user_line(why))
        raise AttributeError(name)

    def copy(self) -> TensorArray:
        """Another list of the same elements."""
        mode = static_mode(state.mode)
        assert mode is not None
        made = TensorArray(mode, None if self.element is None else self.element.dtype).like(self)
        mode.recorder.aliases.check(self)
        if self.element is None:
            self.is_asked()
        self.assigned_to(made)
        mode.recorder.aliases.join([(made, (self,))])
        return made

    def assigned_to(self, other: TensorArray) -> None:
        """Write the op that lets another list hold what this one does."""
        _recorder().emit("assign", {"X": [self.name]}, {"Out": [other.name]})

    def take_over(self, other: TensorArray) -> None:
        """Hold what another list does."""
        _recorder().aliases.list_written(self)
        other.assigned_to(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.is_tuple:
            raise TypeError(with_user_line("'tuple' object does not support item assignment"))
        if isinstance(index, slice):
            raise TraceError(
                with_user_line(
                    f"a slice of the list '{self.name}', which a program carries, cannot be set"
                )
            )
        position = self._position(index)
        self._check_inside(position, index)
        self._write(position, value)

    def _check_inside(self, position: Tensor, index: Any) -> None:
        """Write down that a run ends where there is no such position: Paddle would make the list
        longer.
        """
        length = self.length()
        inside = OPS["less_than"](position, length)
        if isinstance(index, Tensor) or index < 0:
            inside = OPS["logical_and"](inside, OPS["greater_equal"](position, constant(0)))
        why = f"list assignment index out of range (a list of the program, '{self.name}')"
        _recorder().emit_assert(inside, why)

    def write(self, position: Any, value: Any) -> None:
        """Put a value at a position, also at the one behind the last: `array_write`."""
        self._write(self._position(position), value)

    def append(self, value: Any) -> None:
        """One more element at the end."""
        self.check_changes("append")
        self.push(value)

    def extend(self, values: Any) -> None:
        """More elements at the end, of a list of Python's or of the program."""
        self.check_changes("extend")
        self._push_all(values)

    def check_changes(self, method: str) -> None:
        """Raise AttributeError for a method that changes a list, of what stands for a tuple."""
        if self.is_tuple:
            raise AttributeError(with_user_line(f"'tuple' object has no attribute '{method}'"))

    def push(self, value: Any) -> None:
        """Append also to what is a tuple, while it is made."""
        self._write(self.length(), value)

    def _push_all(self, values: Any) -> None:
        if isinstance(found := current(values), TensorArray):
            TensorArray.append_all(self, found)
            return
        for value in values:
            self.push(value)

    def pop(self, index: Any = -1) -> Tensor:
        """The last element, which is taken away.   Raises TraceError for another position."""
        self.check_changes("pop")
        if not (is_number(index) and index == -1):
            raise TraceError(
                with_user_line(
                    "pop: of a list that a program carries only the last element can be taken away"
                )
            )
        taken = self[-1]
        sizes = {"starts": [0], "ends": [-1], "axes": [0], "infer_flags": [1], "decrease_axis": []}
        attrs = {name: Attr(AttrType.INTS, value) for name, value in sizes.items()}
        recorder = _recorder()
        shorter = VarDesc(
            recorder.namer.temporary("slice"), self.raw.shape, self.raw.dtype, kind=Kind.ARRAY
        )
        recorder.block.vars[shorter.name] = shorter
        recorder.aliases.list_written(self)
        recorder.emit("slice", {"Input": [self.name]}, {"Out": [shorter.name]}, attrs)
        recorder.emit("assign", {"X": [shorter.name]}, {"Out": [self.name]})
        return taken

    def joined(self, axis: int, stacked: bool) -> Variable:
        """All elements in one tensor, along an axis that exists or a new one."""
        if self.element is None:
            raise OpError(with_user_line(f"the list '{self.name}' is empty"))
        return tensor_array_to_tensor(self, axis, stacked)[0]

    def __add__(self, other: Any) -> TensorArray:
        """Another list, of the elements of both."""
        self._check_list("+", other)
        made = self.copy()
        made._push_all(other)
        return made

    def __radd__(self, other: Any) -> TensorArray:
        self._check_list("+", other)
        mode = static_mode(state.mode)
        assert mode is not None
        made = TensorArray.of(mode, other)
        made._push_all(self)
        return made

    def __iadd__(self, other: Any) -> TensorArray:
        if self.is_tuple:
            return self + other
        self.extend(other)
        return self

    def __mul__(self, count: Any) -> TensorArray:
        """Another list, of the elements so many times."""
        if not isinstance(count, int) or count < 1:
            why = (
                f"the list '{self.name}' is one of the program, which `*` repeats by a "
                f"number above 0 that Python knows"
            )
            raise TraceError(with_user_line(f"{why}; use a loop (by={count!r:.40})"))
        made = self.copy()
        for _ in range(count - 1):
            made._push_all(self)
        return made

    __rmul__ = __mul__

    def _check_list(self, sign: str, other: Any) -> None:
        kind = tuple if self.is_tuple else list
        if not (
            other.is_tuple is self.is_tuple
            if isinstance(other, TensorArray)
            else isinstance(other, kind)
        ):
            why = (
                f"to the {kind.__name__} '{self.name}' of the program {type(other).__name__} "
                f"cannot be added by `{sign}`, only a {kind.__name__}"
            )
            raise TraceError(with_user_line(why))

    def __iter__(self) -> Iterator[Any]:
        why = (
            f"the list '{self.name}' has a length known only at run time; loop over it with a "
            f"`for` that is converted"
        )
        raise TraceError(with_user_line(why))

    def __repr__(self) -> str:
        return f"TensorArray(name={self.name}, elements={self.element})"


def _recorder() -> Any:
    mode = static_mode(state.mode)
    assert mode is not None, "a TensorArray outside of a recording"
    return mode.recorder


def create_array(dtype: Any = "float32", initialized_list: Sequence[Tensor] | None = None) -> Any:
    """A list of tensors of `dtype`: a Python list, or while a program is recorded a TensorArray."""
    items = list(initialized_list or [])
    for item in items:
        if not isinstance(item, Tensor):
            raise TypeError(
                with_user_line(
                    f"create_array: all of the list should be Tensors, not {type(item).__name__}"
                )
            )
    mode = static_mode(state.mode)
    if mode is None:
        return items
    made = TensorArray(mode, dtype_of(dtype).np)
    for i, item in enumerate(items):
        made.write(i, item)
    return made


def array_write(x: Tensor, i: Tensor, array: Any = None) -> Any:
    """Put `x` at position `i` [1] of a list, a new one unless given; gives the list."""
    if array is None:
        array = create_array(x.dtype)
    if isinstance(array, TensorArray):
        array.write(i, x)
        return array
    position = int(i)
    if not 0 <= position <= len(array):
        raise OpError(
            with_user_line(
                f"array_write: the position {position} is beyond the length "
                f"{len(array)} "
                f"of "
                f"the list"
            )
        )
    array[position : position + 1] = [x]
    return array


def array_read(array: Any, i: Tensor) -> Tensor:
    """The tensor at position `i` [1] of a list."""
    found: Tensor = array[i] if isinstance(array, TensorArray) else array[int(i)]
    return found


def array_length(array: Any) -> Any:
    """How many tensors a list has: an int, or int64[1] while a program is recorded.

    Raises TypeError for a tensor.
    """
    if isinstance(array, Tensor) and not isinstance(array, TensorArray):
        raise TypeError(with_user_line("array_length: this is a Tensor, not a list of them"))
    return array.length() if isinstance(array, TensorArray) else len(array)


def tensor_array_to_tensor(
    input: Any, axis: int = 1, use_stack: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """The elements of a list joined along `axis`, which is new with use_stack; and the size of each
    along it, int32[N].
    """
    if not isinstance(input, TensorArray):
        joined = OPS["stack" if use_stack else "concat"](list(input), axis=axis)
        sizes = [size_along(t.meta.shape, axis) for t in input]
        return joined, Tensor(np.asarray(sizes, np.int32))
    assert input.element is not None
    recorder = _recorder()
    recorder.aliases.check(input)
    metas = (_joined_meta(input.element, axis, use_stack), Meta((-1,), np.dtype(np.int32)))
    descs = [recorder.declare(recorder.namer.temporary("tensor_array_to_tensor"), m) for m in metas]
    made = [recorder.variable(desc) for desc in descs]
    attrs = {"axis": Attr(AttrType.INT, axis), "use_stack": Attr(AttrType.BOOLEAN, use_stack)}
    outs = {"Out": [made[0].name], "OutIndex": [made[1].name]}
    recorder.emit("tensor_array_to_tensor", {"X": [input.name]}, outs, attrs)
    return made[0], made[1]


def _joined_meta(element: Meta, axis: int, stacked: bool) -> Meta:
    shape = list(element.shape)
    rank = len(shape) + stacked
    if not -rank <= axis < rank:
        raise OpError(
            with_user_line(f"tensor_array_to_tensor: there is no axis {axis} (element={element})")
        )
    at = axis % rank
    shape[at : at if stacked else at + 1] = [-1]
    return Meta(tuple(shape), element.dtype)
