"""TensorArrays: LOD_TENSOR_ARRAY variables that represent Python lists of tensors which the program
appends to and indexes at run time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from ...core.dtype import default_float_np_dtype, parse_dtype
from ...core.errors import OpError, TraceError, append_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.program import Attr, AttrType, Block, VarDesc, VarKind
from ..aliasing import TensorArrayMarkerBase
from ..modes import Static, find_static_base_mode
from ..recorder import Recorder
from ..symbolic_scalars import (
    PossibleScalarTypes,
    cast_symbolic_float_to_default_dtype,
    mark_symbolic_scalar,
    merge_scalar_kinds,
    scalar_kind,
)
from ..variable import Variable
from .branch_values import (
    axis_size_or_one,
    cast_or_fill_like,
    emit_scalar_constant,
    find_meta_of_value,
    is_python_or_numpy_scalar,
)
from .container_aliasing import (
    ReplacedListPlaceholder,
    items_without_alias_check,
    resolve_replaced_list_and_reject_invalidated,
    set_items_without_alias_check,
)
from .mutable_locations import ListItemsLocation, save_locations_in_open_blocks

INT64 = np.dtype(np.int64)


class EmptyArrayReadError(IndexError):
    """Raised if code reads an element of a TensorArray to which nothing was written yet."""


class TensorArray(TensorArrayMarkerBase):
    """A list of tensors of one dtype in a program that is being recorded. A TensorArray has methods
    like those of list; indices may be known only at run time.

    element_meta: the common Meta of the elements; None if nothing was written yet.
    is_tuple: whether it represents a Python tuple, which is immutable.
    """

    is_tuple = False

    # A function that the module extend_tensor_array_with_other, which imports this module, sets.
    append_all_elements: ClassVar[Callable[[TensorArray, TensorArray], None]]

    def __init__(
        self, mode: Static, dtype: np.dtype[Any] | None = None, block: Block | None = None
    ) -> None:
        recorder = mode.recorder
        name = recorder.namer.generate_temporary_name("create_array")
        self.raw = VarDesc(
            name, (), "float32" if dtype is None else parse_dtype(dtype).name, kind=VarKind.ARRAY
        )
        (block or recorder.block).vars[name] = self.raw
        recorder.aliases.record_creation_time(self)
        self.element_meta: Meta | None = None
        self._scalar_kinds: list[
            PossibleScalarTypes | None
        ] = []  # the Python number types of the elements

    @classmethod
    def from_items(cls, mode: Static, items: Sequence[Any]) -> TensorArray:
        """Return a TensorArray with these tensors or scalars."""
        result = cls(mode)
        result.is_tuple = isinstance(items, tuple)
        for i, item in enumerate(items):
            result._emit_write(emit_scalar_constant(i), item)
        return result

    @classmethod
    def replace_list_by_array(cls, mode: Static, name: str, items: list[Any]) -> TensorArray:
        """Return a TensorArray with the elements of a Python list, and make the list stand for it
        under all its names.

        name: one of the names.
        """
        if len(items) == 1 and isinstance(items[0], ReplacedListPlaceholder):
            array: TensorArray = items[0].array
            return array
        result = cls.from_items(mode, items_without_alias_check(items))
        save_locations_in_open_blocks(mode.recorder, [ListItemsLocation(name, items)])
        set_items_without_alias_check(items, [ReplacedListPlaceholder(result)])
        mode.recorder.replaced_lists.append(items)
        return result

    def generalize_element_type_to_cover(self, *others: TensorArray) -> TensorArray:
        """Generalize the element type to cover the element types of `others`, and return self.
        `is_tuple` is taken from the last of `others`.
        """
        for other in others:
            if other.element_meta is not None:
                self._generalize_element_meta(other.element_meta)
            self._scalar_kinds += [s for s in other._scalar_kinds if s not in self._scalar_kinds]
            self.is_tuple = other.is_tuple
            self.raw.lod_level = max(self.raw.lod_level, other.raw.lod_level)
        return self

    @property
    def element_type_key(self) -> tuple[Any, ...]:
        """The element type as a comparable tuple: Meta, scalar kind and LoD level."""
        return self.element_meta, merge_scalar_kinds(self._scalar_kinds), self.raw.lod_level

    @property
    def name(self) -> str:
        """The name of the variable."""
        return self.raw.name

    # -- ops
    # --------------------------------------------------------------------------

    def _emit_write(self, position: Tensor, value: Any) -> None:
        self._scalar_kinds.append(scalar_kind(value))
        value = (
            emit_scalar_constant(value, default_float_np_dtype())
            if isinstance(value, float)
            else cast_symbolic_float_to_default_dtype(value)
        )
        meta = find_meta_of_value(value)
        if isinstance(value, Variable) and value.mixed_types:
            why = "an element has another dtype or number of axes in each branch"
            raise TraceError(append_user_line(f"the list '{self.name}': {why}{value.mixed_types}"))
        if meta is None:
            raise TraceError(
                append_user_line(
                    f"a list in a program contains tensors, not {type(value).__name__}"
                )
            )
        self._generalize_element_meta(meta)
        assert self.element_meta is not None
        tensor = cast_or_fill_like(value, self.element_meta)
        recorder = _require_current_recorder()
        operands = {
            "X": [recorder.emit_undefined_check_and_get_name(tensor)],
            "I": [recorder.find_name_or_declare_persistable(position)],
        }
        level = tensor.raw.lod_level if isinstance(tensor, Variable) else 0
        self.raw.lod_level = max(self.raw.lod_level, level)
        recorder.append_op("write_to_array", operands, {"Out": [self.name]})
        recorder.aliases.invalidate_list_aliases(self)
        if recorder.policy.array_elements_alias:
            recorder.aliases.record_merged_value_aliases([(self, (value,))])

    def _generalize_element_meta(self, meta: Meta) -> None:
        """Generalize the shape of the elements to cover `meta`. Raises TraceError if dtype or rank
        differ.
        """
        old = self.element_meta or meta
        if old.dtype != meta.dtype:
            why = f"the list '{self.name}' holds {old.dtype.name}"
            raise TraceError(append_user_line(f"{why}; this element is {meta}"))
        if len(old.shape) != len(meta.shape):
            raise TraceError(
                append_user_line(f"the list '{self.name}' holds {old}; this element is {meta}")
            )
        shape = tuple(a if a == b else -1 for a, b in zip(old.shape, meta.shape, strict=True))
        self.element_meta = Meta(shape, meta.dtype)
        self.raw.shape, self.raw.dtype = shape, parse_dtype(meta.dtype).name

    def _emit_array_reading_op(
        self,
        type: str,
        inputs: dict[str, list[str]],
        meta: Meta,
        attrs: dict[str, Attr] | None = None,
    ) -> Variable:
        recorder = _require_current_recorder()
        desc = recorder.declare(recorder.namer.generate_temporary_name(type), meta)
        result = recorder.create_variable(desc)
        result.user_line = recorder.append_op(
            type, {"X": [self.name], **inputs}, {"Out": [desc.name]}, attrs
        ).user_line
        return result

    def length(self) -> Variable:
        """Return the number of elements, int64[1]."""
        _require_current_recorder().aliases.reject_list_with_mutated_alias(self)
        return self._emit_array_reading_op("lod_array_length", {}, Meta((1,), INT64))

    def __len__(self) -> int:
        why = (
            f"the length of the list '{self.name}' is known only at run time, so it cannot be "
            f"read as a Python int"
        )
        raise TraceError(append_user_line(f"len(): {why}"))

    def _to_index_tensor(self, index: Any) -> Tensor:
        if isinstance(index, Tensor):
            return index if index.meta.dtype == INT64 else cast_or_fill_like(index, Meta((), INT64))
        return emit_scalar_constant(index) if index >= 0 else self._index_from_end(index)

    def _index_from_end(self, index: int) -> Tensor:
        """Return the position that a negative index denotes, computed from the length at run time.
        If the list is too short, the result is out of range: the length, or -1 for index -1 of an
        empty list.
        """
        length = self.length()
        found: Tensor = OPS["scale"](length, scale=1.0, bias=float(index))
        if index < -1:
            found = OPS["where"](OPS["less_than"](found, emit_scalar_constant(0)), length, found)
        return found

    def __getitem__(self, index: Any) -> Tensor:
        if isinstance(index, slice):
            raise TraceError(
                append_user_line(
                    f"a slice of the list '{self.name}', whose length is known only at run time, "
                    "is supported only in converted code"
                )
            )
        if self.element_meta is None:
            self.record_empty_read()
            raise EmptyArrayReadError(append_user_line(f"the list '{self.name}' is empty"))
        recorder = _require_current_recorder()
        recorder.aliases.reject_invalidated_tensor(self)
        result = self._emit_array_reading_op(
            "read_from_array",
            {"I": [recorder.find_name_or_declare_persistable(self._to_index_tensor(index))]},
            self.element_meta,
        )
        result.raw.lod_level = self.raw.lod_level
        kind = merge_scalar_kinds(self._scalar_kinds)
        if kind is not None:
            mark_symbolic_scalar(result, PossibleScalarTypes(kind.types))
        if recorder.policy.array_elements_alias:
            recorder.aliases.record_merged_value_aliases([(result, (self,))])
        return result

    def record_empty_read(self) -> None:
        """Note that code read an element of this list before an element was written, so that the
        type of the element is unknown. If a later part of the loop body writes to the list, the
        body is recorded again.
        """
        _require_current_recorder().arrays_read_empty.append(self)

    def __getattr__(self, name: str) -> Any:
        if name in vars(list) and not name.startswith("__"):
            why = (
                f"{name}(): the list '{self.name}' has a length that is known only at run time; "
                f"it supports append, extend, pop, copy, slices and `for`"
            )
            raise TraceError(append_user_line(why))
        raise AttributeError(name)

    def copy(self) -> TensorArray:
        """Return a new TensorArray with the same elements."""
        mode = find_static_base_mode(state.mode)
        assert mode is not None
        result = TensorArray(
            mode, None if self.element_meta is None else self.element_meta.dtype
        ).generalize_element_type_to_cover(self)
        mode.recorder.aliases.reject_invalidated_tensor(self)
        if self.element_meta is None:
            self.record_empty_read()
        self.assign_to(result)
        mode.recorder.aliases.record_merged_value_aliases([(result, (self,))])
        return result

    def assign_to(self, other: TensorArray) -> None:
        """Append an op that assigns this list to the TensorArray `other`."""
        _require_current_recorder().append_op("assign", {"X": [self.name]}, {"Out": [other.name]})

    def assign_from(self, other: TensorArray) -> None:
        """Append an op that replaces the contents of this list by those of `other`."""
        _require_current_recorder().aliases.invalidate_list_aliases(self)
        other.assign_to(self)

    def __setitem__(self, index: Any, value: Any) -> None:
        if self.is_tuple:
            raise TypeError(append_user_line("'tuple' object does not support item assignment"))
        if isinstance(index, slice):
            raise TraceError(
                append_user_line(
                    f"a slice of the list '{self.name}', whose length is known only at run time, "
                    "cannot be assigned"
                )
            )
        position = self._to_index_tensor(index)
        self._emit_bounds_check(position, index)
        self._emit_write(position, value)

    def _emit_bounds_check(self, position: Tensor, index: Any) -> None:
        """Append an assert that `position` is less than the length of the list. Without the assert,
        Paddle's op would extend the list.
        """
        length = self.length()
        inside = OPS["less_than"](position, length)
        if isinstance(index, Tensor) or index < 0:
            inside = OPS["logical_and"](
                inside, OPS["greater_equal"](position, emit_scalar_constant(0))
            )
        why = f"list assignment index out of range (a list of the program, '{self.name}')"
        _require_current_recorder().emit_assert(inside, why)

    def write(self, position: Any, value: Any) -> None:
        """Assign the element at a position, or append it if the position equals the length, as
        `array_write` does.
        """
        self._emit_write(self._to_index_tensor(position), value)

    def append(self, value: Any) -> None:
        """Append an element."""
        self.require_not_tuple("append")
        self.append_without_mutability_check(value)

    def extend(self, values: Any) -> None:
        """Append the elements of a Python list or a TensorArray."""
        self.require_not_tuple("extend")
        self._append_all_without_mutability_check(values)

    def require_not_tuple(self, method: str) -> None:
        """Raise AttributeError for a mutating method if the list stands for a tuple."""
        if self.is_tuple:
            raise AttributeError(append_user_line(f"'tuple' object has no attribute '{method}'"))

    def append_without_mutability_check(self, value: Any) -> None:
        """Append an element, even if this TensorArray represents a tuple: tuples are built with
        this method.
        """
        self._emit_write(self.length(), value)

    def _append_all_without_mutability_check(self, values: Any) -> None:
        if isinstance(found := resolve_replaced_list_and_reject_invalidated(values), TensorArray):
            TensorArray.append_all_elements(self, found)
            return
        for value in values:
            self.append_without_mutability_check(value)

    def pop(self, index: Any = -1) -> Tensor:
        """Remove and return the last element. Raises TraceError for an index that is not -1."""
        self.require_not_tuple("pop")
        if not (is_python_or_numpy_scalar(index) and index == -1):
            raise TraceError(
                append_user_line("pop: only the last element of a list in a program can be removed")
            )
        last = self[-1]
        sizes = {"starts": [0], "ends": [-1], "axes": [0], "infer_flags": [1], "decrease_axis": []}
        attrs = {name: Attr(AttrType.INTS, value) for name, value in sizes.items()}
        recorder = _require_current_recorder()
        shorter = VarDesc(
            recorder.namer.generate_temporary_name("slice"),
            self.raw.shape,
            self.raw.dtype,
            kind=VarKind.ARRAY,
        )
        recorder.block.vars[shorter.name] = shorter
        recorder.aliases.invalidate_list_aliases(self)
        recorder.append_op("slice", {"Input": [self.name]}, {"Out": [shorter.name]}, attrs)
        recorder.append_op("assign", {"X": [shorter.name]}, {"Out": [self.name]})
        return last

    def concat_or_stack_elements(self, axis: int, stacked: bool) -> Variable:
        """Return a tensor of all elements, concatenated along an axis or stacked along a new
        axis.
        """
        if self.element_meta is None:
            raise OpError(append_user_line(f"the list '{self.name}' is empty"))
        return tensor_array_to_tensor(self, axis, stacked)[0]

    def __add__(self, other: Any) -> TensorArray:
        """Return a new list with the elements of this list, followed by those of `other`."""
        self._check_plus_operand("+", other)
        result = self.copy()
        result._append_all_without_mutability_check(other)
        return result

    def __radd__(self, other: Any) -> TensorArray:
        self._check_plus_operand("+", other)
        mode = find_static_base_mode(state.mode)
        assert mode is not None
        result = TensorArray.from_items(mode, other)
        result._append_all_without_mutability_check(self)
        return result

    def __iadd__(self, other: Any) -> TensorArray:
        if self.is_tuple:
            return self + other
        self.extend(other)
        return self

    def __mul__(self, count: Any) -> TensorArray:
        """Return a new list with the elements of this list repeated `count` times."""
        if not isinstance(count, int) or count < 1:
            why = (
                f"`*` repeats the list '{self.name}' of the program only by a positive int that is "
                "known while the program is recorded"
            )
            raise TraceError(append_user_line(f"{why}; use a loop (by={count!r:.40})"))
        result = self.copy()
        for _ in range(count - 1):
            result._append_all_without_mutability_check(self)
        return result

    __rmul__ = __mul__

    def _check_plus_operand(self, sign: str, other: Any) -> None:
        kind = tuple if self.is_tuple else list
        if not (
            other.is_tuple is self.is_tuple
            if isinstance(other, TensorArray)
            else isinstance(other, kind)
        ):
            why = (
                f"only a {kind.__name__}, not {type(other).__name__}, can be added by `{sign}` to "
                f"the {kind.__name__} '{self.name}' of the program"
            )
            raise TraceError(append_user_line(why))

    def __iter__(self) -> Iterator[Any]:
        why = (
            f"the list '{self.name}' has a length known only at run time; loop over it with a "
            f"`for` that is converted"
        )
        raise TraceError(append_user_line(why))

    def __repr__(self) -> str:
        return f"TensorArray(name={self.name}, elements={self.element_meta})"


def _require_current_recorder() -> Recorder:
    mode = find_static_base_mode(state.mode)
    assert mode is not None, "a TensorArray outside of a recording"
    return mode.recorder


def create_array(dtype: Any = "float32", initialized_list: Sequence[Tensor] | None = None) -> Any:
    """Return a new list of tensors of `dtype`: a Python list in eager mode, a TensorArray while a
    program is recorded.
    """
    items = list(initialized_list or [])
    for item in items:
        if not isinstance(item, Tensor):
            raise TypeError(
                append_user_line(
                    f"create_array: the elements should be Tensors, not {type(item).__name__}"
                )
            )
    mode = find_static_base_mode(state.mode)
    if mode is None:
        return items
    result = TensorArray(mode, parse_dtype(dtype).np)
    for i, item in enumerate(items):
        result.write(i, item)
    return result


def array_write(x: Tensor, i: Tensor, array: Any = None) -> Any:
    """Assign `x` to position `i`, an integer tensor of one element, in the list `array`, by default
    a new list. Returns the list.
    """
    if array is None:
        array = create_array(x.dtype)
    if isinstance(array, TensorArray):
        array.write(i, x)
        return array
    position = int(i)
    if not 0 <= position <= len(array):
        raise OpError(
            append_user_line(
                f"array_write: the position {position} is beyond the length {len(array)} of the "
                "list"
            )
        )
    array[position : position + 1] = [x]
    return array


def array_read(array: Any, i: Tensor) -> Tensor:
    """Return the tensor at position `i`, an integer tensor of one element, in a list."""
    found: Tensor = array[i] if isinstance(array, TensorArray) else array[int(i)]
    return found


def array_length(array: Any) -> Any:
    """Return the number of tensors in a list: an int, or int64[1] while a program is recorded.

    Raises TypeError for a tensor.
    """
    if isinstance(array, Tensor) and not isinstance(array, TensorArray):
        raise TypeError(append_user_line("array_length: X is a Tensor, not a TensorArray"))
    return array.length() if isinstance(array, TensorArray) else len(array)


def tensor_array_to_tensor(
    input: Any, axis: int = 1, use_stack: bool = False, name: str | None = None
) -> tuple[Any, Any]:
    """Concatenate the elements of a list along `axis`, or stack them along a new axis if
    `use_stack`.

    Returns the tensor, and the sizes of the elements along the axis, int32[N].
    """
    if not isinstance(input, TensorArray):
        joined = OPS["stack" if use_stack else "concat"](list(input), axis=axis)
        sizes = [axis_size_or_one(t.meta.shape, axis) for t in input]
        return joined, Tensor(np.asarray(sizes, np.int32))
    assert input.element_meta is not None
    recorder = _require_current_recorder()
    recorder.aliases.reject_invalidated_tensor(input)
    metas = (
        _concat_or_stack_meta(input.element_meta, axis, use_stack),
        Meta((-1,), np.dtype(np.int32)),
    )
    descs = [
        recorder.declare(recorder.namer.generate_temporary_name("tensor_array_to_tensor"), m)
        for m in metas
    ]
    result = [recorder.create_variable(desc) for desc in descs]
    attrs = {"axis": Attr(AttrType.INT, axis), "use_stack": Attr(AttrType.BOOLEAN, use_stack)}
    outs = {"Out": [result[0].name], "OutIndex": [result[1].name]}
    recorder.append_op("tensor_array_to_tensor", {"X": [input.name]}, outs, attrs)
    return result[0], result[1]


def _concat_or_stack_meta(element: Meta, axis: int, stacked: bool) -> Meta:
    shape = list(element.shape)
    rank = len(shape) + stacked
    if not -rank <= axis < rank:
        raise OpError(
            append_user_line(f"tensor_array_to_tensor: there is no axis {axis} (element={element})")
        )
    at = axis % rank
    shape[at : at if stacked else at + 1] = [-1]
    return Meta(tuple(shape), element.dtype)
