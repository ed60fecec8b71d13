"""The recorder of a program that is written by hand: names as Paddle's, values from
outside as ops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...capture.recorder import Recorder
from ...capture.variable import Variable
from ...core import unique_name
from ...core.errors import TraceError, with_user_line
from ...core.paddle1_compat import compat
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...ir.names import Namer
from ...ir.op_role import Role
from ...ir.program import Attr, AttrType, OpDesc, Program, VarDesc
from .constants import value_of

# Ops that hand the shape of their operand on to their gradient.
KEEP_SHAPE = (
    "reshape2",
    "transpose2",
    "squeeze2",
    "unsqueeze2",
    "flatten2",
    "flatten_contiguous_range",
)


def _reserves(type: str, attrs: dict[str, Attr]) -> bool:
    """Whether Paddle's op wants room for what its gradient op computes with."""
    return type == "batch_norm" and not compat.is_paddle1 and not attrs["is_test"].value


class ProcessNames(Namer):
    """Names that count on through all programs of a process, so that programs may share a scope.

    owner: `relu_0` while that op is written, `fc_0` while static.nn.fc writes its ops; results are
    `fc_0.tmp_0`, `fc_0.tmp_1`, ... operator: whether an operator of Python writes its ops; results
    are `tmp_0`, `tmp_1`, ... indexed: the variable of which Python takes a part, `x`; slices of it
    are `x_slice_0`, `x_strided_slice_0`.
    """

    owner = ""
    operator = False
    indexed = ""

    def temporary(self, op_type: str) -> str:
        """The name of a result."""
        if self.indexed and op_type in ("slice", "strided_slice"):
            return self.fresh(unique_name.generate(f"{self.indexed}_{op_type}"))
        if self.operator and not self.owner:
            return self.fresh(unique_name.generate("tmp"))
        return self.fresh(
            unique_name.generate(f"{self.owner or unique_name.generate(op_type)}.tmp")
        )

    def persistable(self, name: str) -> str:
        """The name itself: it is the one in the scope."""
        self._used.add(name)
        return name

    def take(self, names: Iterator[str]) -> None:
        """These are used already."""
        self._used.update(names)


class HandRecorder(Recorder):
    """Recorder of a public Program.

    adopt: declares a variable for an existing Parameter, with its value; block_of: the block of a
    number, as users see it.
    """

    namer: ProcessNames

    by_hand = True

    def __init__(
        self,
        program: Program | None = None,
        adopt: Callable[[Tensor], str] | None = None,
        block_of: Callable[[int], Any] | None = None,
    ) -> None:
        super().__init__(program, ProcessNames())
        self._block_of = block_of
        self.namer.take(name for block in self.program.blocks for name in block.vars)
        self.role = Role.FORWARD
        self.role_of: list[str] = []  # the parameter, and its gradient, that an op changes
        self.device = ""
        self.seed = 0  # what its random ops start from, 0 for the common source
        self.starting = False  # whether the op that is recorded initializes a parameter
        self.name_scopes: list[str] = []
        # how many of a name were opened in a scope, less one
        self.scopes_named: dict[tuple[str, str], int] = {}
        self._adopt = adopt

    def variable(self, desc: VarDesc) -> Variable:
        """Create the Variable of a declaration. It stores its block, so that it stays valid when
        the main program changes.
        """
        made = super().variable(desc)
        if self._block_of is not None and self.block.vars.get(desc.name) is desc:
            made.block = self._block_of(self.block.idx)
        return made

    @contextmanager
    def as_role(self, role: Role) -> Iterator[None]:
        """The ops of the body are for something else than usual."""
        before, self.role = self.role, role
        try:
            yield
        finally:
            self.role = before

    @contextmanager
    def of_parameter(self, *names: str) -> Iterator[None]:
        """The ops of the body are there for a parameter.

        names: its name and that of its gradient; none for all
        """
        before, self.role_of = self.role_of, list(names)
        try:
            yield
        finally:
            self.role_of = before

    @contextmanager
    def owned_by(self, owner: str) -> Iterator[None]:
        """The results of the body's ops are named after `owner`."""
        before, self.namer.owner = self.namer.owner, owner
        try:
            yield
        finally:
            self.namer.owner = before

    @contextmanager
    def by_operator(self) -> Iterator[None]:
        """The body's ops are written by an operator of Python."""
        before, self.namer.operator = self.namer.operator, True
        try:
            yield
        finally:
            self.namer.operator = before

    @contextmanager
    def by_index(self, of: Variable) -> Iterator[None]:
        """The body's ops are written because Python takes a part of a variable."""
        before, self.namer.indexed = self.namer.indexed, of.name
        try:
            yield
        finally:
            self.namer.indexed = before

    def emit(
        self,
        type: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Attr] | None = None,
    ) -> OpDesc:
        """Append one op, with what it is for."""
        slot = (
            "XShape"
            if type in KEEP_SHAPE
            else "ReserveSpace"
            if _reserves(type, attrs or {})
            else ""
        )
        if slot and slot not in outputs:
            outputs = {**outputs, slot: [self._for_gradient(type, inputs["X"][0])]}
        made = super().emit(type, inputs, outputs, attrs)
        self.label(made)
        return made

    def _for_gradient(self, type: str, operand: str) -> str:
        """A variable that only Paddle's gradient op asks for, and that holds nothing; its shape,
        behind a 0, is that of an operand.
        """
        of = self.var(operand)
        assert of is not None
        name = self.namer.temporary(type)
        self.block.vars[name] = VarDesc(name, (0, *of.shape), of.dtype, stop_gradient=True)
        return name

    def _makes_parameters(self, desc: OpDesc) -> bool:
        return self.starting or all(
            var is not None and var.persistable for var in map(self.var, desc.output_names())
        )

    def label(self, desc: OpDesc) -> None:
        """Note what an op is for, where it was asked to run, and what its random numbers start
        from.
        """
        if (
            self.seed
            and "seed" in desc.attrs
            and not desc.attr("seed")
            and self._makes_parameters(desc)
        ):
            # Ops of one shape should not draw the same numbers, and each run should draw others.
            desc.attrs["seed"] = Attr(AttrType.INT, self.seed + len(self.block.ops))
        scope = "".join(f"{name}/" for name in self.name_scopes)
        if self.role:
            desc.attrs["op_role"] = Attr(AttrType.INT, int(self.role))
        if self.role_of:
            desc.attrs["op_role_var"] = Attr(AttrType.STRINGS, list(self.role_of))
        if self.device:
            desc.attrs["op_device"] = Attr(AttrType.STRING, self.device)
        if scope:
            desc.attrs["op_namescope"] = Attr(AttrType.STRING, f"/{scope}")

    def name_of(self, tensor: Tensor) -> str:
        """The variable that `tensor` is.

        Raises TraceError for one of another program, or of a block that this one does not see.
        """
        if not isinstance(tensor, Variable) or self.knows(tensor):
            return super().name_of(tensor)
        if self.var(tensor.raw.name) is None:
            why = (
                f"'{tensor.name}' is a variable of another program, or of a block that is not "
                f"around this one"
            )
            raise TraceError(with_user_line(f"{why} (X={tensor.meta})"))
        return tensor.raw.name

    def persistable(self, tensor: Tensor, wanted: str | None = None) -> str:
        """The variable for a tensor with a value: a Parameter is one of the scope, all else a
        constant of the program.
        """
        if self._adopt is not None and (isinstance(tensor, Parameter) or tensor.persistable):
            return self._adopt(tensor)
        made = value_of(tensor.array)
        if self.block.idx == 0:  # Otherwise the ops outside of the block do not see it.
            self.bind(tensor, made.name)
        return made.name
