"""Programs as plain data: blocks of ops on named variables, with exactly the information of a
`.pdmodel`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, ClassVar

from ..core.html import html_table
from .dim import Dim, Dims, format_shape, replace_static_dims_by_none

_MAX_TYPES_IN_SUMMARY = 6


class AttrType(IntEnum):
    """The type of an attribute, with its value in `OpDesc.Attr.type`."""

    INT = 0
    FLOAT = 1
    STRING = 2
    INTS = 3
    FLOATS = 4
    STRINGS = 5
    BOOLEAN = 6
    BOOLEANS = 7
    BLOCK = 8
    LONG = 9
    BLOCKS = 10
    LONGS = 11
    FLOAT64S = 12
    VAR = 13
    VARS = 14
    FLOAT64 = 15
    SCALAR = 16
    SCALARS = 17


class VarKind(IntEnum):
    """The kind of a variable, with its value in `VarType.type`."""

    DENSE = 7  # LOD_TENSOR, called DENSE_TENSOR since 3.0
    SELECTED_ROWS = 8
    FEED = 9
    FETCH = 10
    STEP_SCOPES = 11
    RANK_TABLE = 12  # the result of the op lod_rank_table, which Oarlock represents as a tensor
    ARRAY = 13
    READER = 15
    RAW = 17
    STRINGS = 26
    VOCAB = 27

    def __repr__(self) -> str:
        return f"VarType.{_PADDLE_KINDS.get(self.name, self.name)}"

    __str__ = __repr__


# Kinds of variables that have a lod_level. Files describe variables of these kinds by a
# LoDTensorDesc, other tensors by a TensorDesc.
KINDS_WITH_LOD = (VarKind.DENSE, VarKind.ARRAY)
# Paddle's names of variable kinds that `VarKind` calls differently.
_PADDLE_KINDS = {
    "DENSE": "LOD_TENSOR",
    "FEED": "FEED_MINIBATCH",
    "FETCH": "FETCH_LIST",
    "RANK_TABLE": "LOD_RANK_TABLE",
    "ARRAY": "LOD_TENSOR_ARRAY",
}


@dataclass(slots=True)
class VarDesc:
    """A variable of a block.

    shape: -1 for dynamic dimensions.
    dtype: a DType name, `''` if the kind has none.
    """

    name: str
    shape: tuple[int, ...] = ()
    dtype: str = "float32"
    kind: VarKind = VarKind.DENSE
    persistable: bool = False
    is_parameter: bool = False
    stop_gradient: bool = False
    checks_feed: bool = False  # whether fed values are compared with the declaration
    lod_level: int = 0
    # whether the variable is an input of `fluid.layers.data`, whose fed values Paddle does not
    # check
    accepts_any_feed: bool = field(default=False, compare=False)
    # the Dims of an input, which the contract saves
    dims: Dims = field(default=(), compare=False)
    python_scalars: Any = field(
        default=None, compare=False, repr=False
    )  # the Python number types that the variable stands for while a program is recorded; not saved

    def __deepcopy__(self, memo: dict[int, Any]) -> VarDesc:
        """Return a copy. All fields are immutable; a generic copy takes much longer."""
        return VarDesc(*[getattr(self, name) for name in VarDesc.__slots__])

    def to_contract_input(self, path: str) -> ContractInputOrOutput:
        """Return the entry for this variable in the contract, as an input at the position `path` in
        the nested arguments.
        """
        dims = replace_static_dims_by_none(self.dims, self.shape)
        return ContractInputOrOutput(self.name, self.dtype, self.shape, path, dims)

    def need_check_feed(self) -> bool:
        """Return whether the dtype and shape of fed values are compared with the declaration."""
        return self.checks_feed and not self.accepts_any_feed

    def set_need_check_feed(self, value: bool) -> None:
        """Set whether fed values are compared with the declaration."""
        self.checks_feed, self.accepts_any_feed = value, False


@dataclass(slots=True)
class Attr:
    """The value of an attribute, with the attribute type that files store.

    value: int, float, bool, str, or a list of them; BLOCK: an index
    """

    type: AttrType
    value: Any

    def __deepcopy__(self, memo: dict[int, Any]) -> Attr:
        return Attr(self.type, [*self.value] if type(self.value) is list else self.value)


@dataclass(slots=True)
class OpDesc:
    """One op: type, variable names by slot, attributes by name.

    user_line: the line of the user's code that called the op.
    layer_path: the path of the layer whose forward called the op (`/body/0/`); '' if unknown.
    """

    type: str
    inputs: dict[str, list[str]] = field(default_factory=dict)
    outputs: dict[str, list[str]] = field(default_factory=dict)
    attrs: dict[str, Attr] = field(default_factory=dict)
    user_line: str = ""
    layer_path: str = field(default="", compare=False)

    def input_names(self) -> Iterator[str]:
        """All names in the input slots."""
        for names in self.inputs.values():
            yield from names

    def output_names(self) -> Iterator[str]:
        """All names in the output slots."""
        for names in self.outputs.values():
            yield from names

    def attr(self, name: str, otherwise: Any = None) -> Any:
        """The value of the attribute `name`; `otherwise` if the op does not have the attribute."""
        found = self.attrs.get(name)
        return otherwise if found is None else found.value

    def __deepcopy__(self, memo: dict[int, Any]) -> OpDesc:
        """Return a deep copy. The code of this method is six times as fast as a generic copy field
        by field.
        """
        ins, outs = (
            {slot: [*names] for slot, names in slots.items()}
            for slots in (self.inputs, self.outputs)
        )
        attrs = {name: attr.__deepcopy__(memo) for name, attr in self.attrs.items()}
        return OpDesc(self.type, ins, outs, attrs, self.user_line, self.layer_path)


@dataclass(slots=True)
class Block:
    """A list of ops, and the variables that the block declares.

    parent: index of the enclosing block, -1 for the first
    """

    idx: int = 0
    parent: int = -1
    vars: dict[str, VarDesc] = field(default_factory=dict)
    ops: list[OpDesc] = field(default_factory=list)


@dataclass(slots=True)
class ContractInputOrOutput:
    """An input or output of a model.

    path: the position in the nested arguments or results, e.g. `out.0.logits`.
    dims: the names and ranges of dynamic dimensions of an input.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    path: str = ""
    dims: Dims = ()

    def iter_sizes_and_dims(self) -> Iterator[tuple[int, Dim | None]]:
        """Yield the size (-1 if dynamic) and the Dim of each dimension; the Dim is None for a
        dimension without a name.
        """
        return zip(self.shape, self.dims or (None,) * len(self.shape), strict=True)


@dataclass(slots=True)
class Guard:
    """A value of `var` that Python read while the program was recorded, and on which the program
    relies.

    kind: 'dim', 'rank' or 'value'
    """

    kind: str
    var: str
    axis: int  # the axis of a 'dim' guard, otherwise 0
    expected: str  # repr of the int, float or bool that was read
    reader: str  # how the value was read: 'shape[0]', 'bool()', ...
    where: str  # file:line in function
    text: str  # the text of the user's line

    def __str__(self) -> str:
        subject = {"dim": f"{self.var}.shape[{self.axis}]", "rank": f"{self.var}.ndim"}.get(
            self.kind, self.var
        )
        condition = subject if self.kind == "state" else f"{subject} == {self.expected}"
        is_short = self.reader and " " not in self.reader
        reader = f"read by {self.reader}" if is_short else self.reader
        parts = [condition, reader, self.expected if self.kind == "state" else ""]
        at = f" at {self.where}: {self.text}" if self.where else ""
        return ", ".join(part for part in parts if part) + at

    def __repr__(self) -> str:
        return f"<Guard {self}>"


@dataclass(slots=True)
class Contract:
    """Metadata that is saved with a model: names, nesting, guards, producer and the result of
    verification.
    """

    inputs: list[ContractInputOrOutput] = field(default_factory=list)
    outputs: list[ContractInputOrOutput] = field(default_factory=list)
    # JSON: null | index of an output | [..] | {"dict": {..}} | {"tuple": [..]} | {"value": ..}
    output_tree: str = ""
    guards: list[Guard] = field(default_factory=list)
    producer: str = ""
    # the result of the verification in one line: sizes tried, largest difference
    verified: str = ""


@dataclass(slots=True)
class Program:
    """All blocks of a model; the first is the outermost.

    version: the Paddle version as files store it, e.g. 2006002
    """

    # The function `printer.to_text`; the module `printer`, which imports this module, sets it.
    printer: ClassVar[Callable[[Program], str]]
    blocks: list[Block] = field(default_factory=lambda: [Block()])
    version: int = 0
    contract: Contract | None = None

    @property
    def block(self) -> Block:
        """The outermost block."""
        return self.blocks[0]

    def ops(self) -> Iterator[OpDesc]:
        """The ops of all blocks."""
        return (op for block in self.blocks for op in block.ops)

    def written_names(self) -> set[str]:
        """The names that ops of any block write."""
        return {name for op in self.ops() for name in op.output_names()}

    def var(self, name: str, block: int = 0) -> VarDesc | None:
        """The declaration of the variable `name` in block number `block` or the nearest enclosing
        block; None if there is none.
        """
        at = block
        while at >= 0:
            found = self.blocks[at].vars.get(name)
            if found is not None:
                return found
            at = self.blocks[at].parent
        return None

    def persistables(self) -> list[VarDesc]:
        """The persistable variables of all blocks, whose values are in `.pdiparams`, in the order
        of that file: sorted by name.
        """
        skip = (VarKind.FEED, VarKind.FETCH, VarKind.READER, VarKind.RAW)
        found = {
            v.name: v
            for b in self.blocks
            for v in b.vars.values()
            if v.persistable and v.kind not in skip
        }
        return [found[name] for name in sorted(found)]

    def feed_names(self) -> list[str]:
        """The names of the inputs, ordered by the `col` of their feed ops."""
        ops = [op for op in self.block.ops if op.type == "feed"]
        return [op.outputs["Out"][0] for op in sorted(ops, key=lambda op: int(op.attr("col", 0)))]

    def fetch_names(self) -> list[str]:
        """The names of the outputs, ordered by the `col` of their fetch ops."""
        ops = [op for op in self.block.ops if op.type == "fetch"]
        return [op.inputs["X"][0] for op in sorted(ops, key=lambda op: int(op.attr("col", 0)))]

    def __str__(self) -> str:
        return Program.printer(self)

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return html_table(self.summary_rows(), caption="Program")

    def summary_rows(self) -> list[tuple[str, str]]:
        """Return the rows of a table: inputs, outputs, parameters, ops by type, guards."""
        contract = self.contract
        rows = []
        for title, names, declared in (
            ("inputs", self.feed_names(), contract.inputs if contract else []),
            ("outputs", self.fetch_names(), contract.outputs if contract else []),
        ):
            variables = [var for var in map(self.var, names) if var is not None]
            types = [
                f"{a.name}: {a.dtype}{format_shape(a.shape, a.dims)}" for a in declared or variables
            ]
            if types:
                rows.append((title, ", ".join(types)))
        parameters = self.persistables()
        num_elements = sum(math.prod(max(size, 0) for size in var.shape) for var in parameters)
        rows.append(("parameters", f"{len(parameters)} arrays, {num_elements:,} elements"))
        counts = Counter(op.type for op in self.ops() if op.type not in ("feed", "fetch"))
        types = [f"{count} {type}" for type, count in counts.most_common(_MAX_TYPES_IN_SUMMARY)]
        more = ", ..." if len(counts) > _MAX_TYPES_IN_SUMMARY else ""
        rows.append(("ops", f"{counts.total()}: {', '.join(types)}{more}"))
        if contract is not None and contract.guards:
            rows.append(("guards", str(len(contract.guards))))
        return rows
