"""A program with the values of its parameters, and the data flow and constructors that passes over
it use.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...ir.program import Attr, AttrType, OpDesc, Program, VarDesc

_ATTR_TYPES = {bool: AttrType.BOOLEAN, int: AttrType.INT, float: AttrType.FLOAT}


def _make_attr(value: bool | int | float) -> Attr:
    return Attr(_ATTR_TYPES[type(value)], value)


def make_op(
    type: str, inputs: dict[str, str], outputs: dict[str, str], **attrs: bool | int | float
) -> OpDesc:
    """Create an op with one variable per slot."""
    return OpDesc(
        type,
        {slot: [name] for slot, name in inputs.items()},
        {slot: [name] for slot, name in outputs.items()},
        {name: _make_attr(value) for name, value in attrs.items()},
    )


@dataclass
class ProgramWithValues:
    """A program and the values of its persistable variables, by name."""

    program: Program
    values: dict[str, Any]

    def copy(self) -> ProgramWithValues:
        """Copy the program; the arrays are shared, because passes replace and never change them."""
        return ProgramWithValues(deepcopy(self.program), dict(self.values))

    def unique_name(self, name: str) -> str:
        """Return `name`, with a number appended if a variable has it already."""
        candidate, i = name, 0
        while any(candidate in block.vars for block in self.program.blocks):
            i += 1
            candidate = f"{name}_{i}"
        return candidate

    def add_constant(self, name: str, array: Any) -> str:
        """Add a persistable variable with a value, and return its name: `name`, or `name_N` if it
        exists.
        """
        name = self.unique_name(name)
        array = np.asarray(array)
        self.program.block.vars[name] = VarDesc(
            name, array.shape, array.dtype.name, persistable=True, stop_gradient=True
        )
        self.values[name] = array
        return name

    def add_variable(self, name: str, like: str, dtype: str = "float32") -> str:
        """Add a variable with the shape of the variable `like`, and return its name: `name` or
        `name_N`.
        """
        name = self.unique_name(name)
        source = self.program.var(like)
        assert source is not None
        self.program.block.vars[name] = VarDesc(
            name, source.shape, dtype, lod_level=source.lod_level
        )
        return name

    def drop_unused_variables(self) -> None:
        """Remove variables that no op reads or writes, with their values."""
        used = {
            name
            for op in self.program.ops()
            for names in (op.input_names(), op.output_names())
            for name in names
        }
        for block in self.program.blocks:
            block.vars = {name: var for name, var in block.vars.items() if name in used}
        self.values = {name: array for name, array in self.values.items() if name in used}

    def num_value_bytes(self) -> int:
        """The size of the values of all persistable variables in bytes."""
        return sum(np.asarray(array).nbytes for array in self.values.values())


@dataclass
class Dataflow:
    """The indices of the ops that read and write each variable of a program.

    all_writers: the indices of the ops in the outermost block that write a variable.
    writers: the index of the only op in `all_writers`; only variables that are written once.
    readers: the indices of the ops in the outermost block that read a variable.
    inner_names: the variables that ops of inner blocks read or write.
    """

    program: Program
    all_writers: dict[str, list[int]] = field(init=False)
    writers: dict[str, int] = field(init=False)
    readers: dict[str, list[int]] = field(init=False)
    inner_names: set[str] = field(init=False)

    def __post_init__(self) -> None:
        self.all_writers, self.readers = {}, {}
        for i, op in enumerate(self.program.block.ops):
            for name in dict.fromkeys(op.output_names()):
                self.all_writers.setdefault(name, []).append(i)
            for name in dict.fromkeys(op.input_names()):
                self.readers.setdefault(name, []).append(i)
        self.writers = {name: at[0] for name, at in self.all_writers.items() if len(at) == 1}
        inner_ops = [op for block in self.program.blocks[1:] for op in block.ops]
        self._written_inside = {name for op in inner_ops for name in op.output_names()}
        self.inner_names = self._written_inside.union(*(op.input_names() for op in inner_ops))

    def only_writer_or_none(self, name: str) -> OpDesc | None:
        """The only op of the outermost block that writes a variable, or None; ops of inner blocks
        are not counted.
        """
        index = self.writers.get(name)
        return None if index is None else self.program.block.ops[index]

    def only_reader_index(self, name: str) -> int | None:
        """The index of the op of the outermost block that reads a variable, if it is the only one
        and no op of an inner block uses the variable.
        """
        readers = self.readers.get(name, [])
        return readers[0] if len(readers) == 1 and name not in self.inner_names else None

    def is_constant(self, name: str, values: Iterable[str]) -> bool:
        """Whether a variable is a parameter that no op writes."""
        return name in values and name not in self.all_writers and name not in self._written_inside
