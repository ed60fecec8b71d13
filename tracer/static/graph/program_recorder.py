"""The recorder of static graph programs. The names of variables follow Paddle's. Eager tensors
become constants or parameters of the program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ...capture.recorder import STATIC_GRAPH, Recorder
from ...capture.variable import Variable
from ...core import unique_name
from ...core.errors import TraceError, append_user_line
from ...core.paddle1_compat import compat
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...ir.op_role import OpRole
from ...ir.program import Attr, AttrType, OpDesc, Program, VarDesc
from ...ir.program_names import Namer
from .constants import emit_constant

# Ops that have the output XShape in Paddle, from which Paddle's gradient ops read the shape of the
# input.
OPS_WITH_XSHAPE_OUTPUT = (
    "reshape2",
    "transpose2",
    "squeeze2",
    "unsqueeze2",
    "flatten2",
    "flatten_contiguous_range",
)


def _has_reserve_space(type: str, attrs: dict[str, Attr]) -> bool:
    """Whether Paddle's op, for these attributes, has the output ReserveSpace, which its gradient op
    reads.
    """
    return (
        type == "batch_norm"
        and compat.rules.batch_norm_has_reserve_space
        and not attrs["is_test"].value
    )


class ProcessWideNamer(Namer):
    """Generates names of variables that are unique in the process, so that several programs may
    share a scope.

    output_prefix: prefix of the outputs: `fc_0` while `static.nn.fc` records its ops, for outputs
        `fc_0.tmp_0`, `fc_0.tmp_1`, ...; `relu_0` while a single op is recorded
    is_in_operator: whether a Python operator such as `+` records its ops; outputs are `tmp_0`,
    `tmp_1`
    indexed_variable: name of the variable `x` that Python indexes; slices are `x_slice_0`,
        `x_strided_slice_0`
    """

    output_prefix = ""
    is_in_operator = False
    indexed_variable = ""

    def generate_temporary_name(self, op_type: str) -> str:
        """Generate a name for an output of an op, as Paddle does."""
        if self.indexed_variable and op_type in ("slice", "strided_slice"):
            return self.unique_name(unique_name.generate(f"{self.indexed_variable}_{op_type}"))
        if self.is_in_operator and not self.output_prefix:
            return self.unique_name(unique_name.generate("tmp"))
        return self.unique_name(
            unique_name.generate(f"{self.output_prefix or unique_name.generate(op_type)}.tmp")
        )

    def reserve_program_name_of_persistable(self, name: str) -> str:
        """Reserve the name of a persistable variable, so that it is not generated again, and return
        the name unchanged.
        """
        self._used_names.add(name)
        return name

    def reserve(self, names: Iterator[str]) -> None:
        """Reserve names that existing variables have, so that they are not generated again."""
        self._used_names.update(names)


class ProgramRecorder(Recorder):
    """Records ops into a static graph Program.

    import_eager_variable: declares a variable for an existing tensor, initialized with its value,
        and returns its name
    get_public_block: returns the public Block with an index
    """

    namer: ProcessWideNamer

    policy = STATIC_GRAPH

    def __init__(
        self,
        program: Program | None = None,
        import_eager_variable: Callable[[Tensor], str] | None = None,
        get_public_block: Callable[[int], Any] | None = None,
    ) -> None:
        super().__init__(program, ProcessWideNamer())
        self._get_public_block = get_public_block
        self.namer.reserve(name for block in self.program.blocks for name in block.vars)
        self.op_role = OpRole.FORWARD
        self.op_role_variables: list[str] = []  # parameter and gradient, for op_role_var
        self.device = ""
        self.seed = 0  # seed of initializers; 0 for the global generator
        self.is_initializing = False  # whether the ops being recorded initialize a variable
        self.name_scopes: list[str] = []
        # number of scopes opened, minus one, by parent scope and name
        self.scope_counts: dict[tuple[str, str], int] = {}
        self._import_eager_variable = import_eager_variable

    def create_variable(self, desc: VarDesc) -> Variable:
        """Create the Variable object for a declaration. The Variable object stores its block, so
        that it stays valid when the main program changes.
        """
        variable = super().create_variable(desc)
        if self._get_public_block is not None and self.block.vars.get(desc.name) is desc:
            variable.block = self._get_public_block(self.block.idx)
        return variable

    @contextmanager
    def setting_op_role(self, role: OpRole) -> Iterator[None]:
        """Context manager: ops that are recorded in its body get the op_role `role`."""
        previous, self.op_role = self.op_role, role
        try:
            yield
        finally:
            self.op_role = previous

    @contextmanager
    def setting_op_role_variables(self, *names: str) -> Iterator[None]:
        """Context manager: ops that are recorded in its body get these variables as op_role_var.

        names: a parameter and its gradient; none for ops that concern all parameters
        """
        previous, self.op_role_variables = self.op_role_variables, list(names)
        try:
            yield
        finally:
            self.op_role_variables = previous

    @contextmanager
    def prefixing_output_names(self, owner: str) -> Iterator[None]:
        """Context manager: the names of outputs of ops recorded in its body start with `owner`."""
        previous, self.namer.output_prefix = self.namer.output_prefix, owner
        try:
            yield
        finally:
            self.namer.output_prefix = previous

    @contextmanager
    def naming_outputs_as_operator(self) -> Iterator[None]:
        """Context manager: outputs of ops recorded in its body get the names that Paddle generates
        for Python operators such as `+`.
        """
        previous, self.namer.is_in_operator = self.namer.is_in_operator, True
        try:
            yield
        finally:
            self.namer.is_in_operator = previous

    @contextmanager
    def naming_outputs_as_getitem(self, indexed: Variable) -> Iterator[None]:
        """Context manager: outputs of ops recorded in its body get the names that Paddle generates
        for indexing the variable `indexed`.
        """
        previous, self.namer.indexed_variable = self.namer.indexed_variable, indexed.name
        try:
            yield
        finally:
            self.namer.indexed_variable = previous

    def append_op(
        self,
        type: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Attr] | None = None,
    ) -> OpDesc:
        """Append an op to the current block, with the op_role, device and name scope that are set
        for the recorder.
        """
        slot = (
            "XShape"
            if type in OPS_WITH_XSHAPE_OUTPUT
            else "ReserveSpace"
            if _has_reserve_space(type, attrs or {})
            else ""
        )
        if slot and slot not in outputs:
            outputs = {**outputs, slot: [self._declare_grad_only_output(type, inputs["X"][0])]}
        op = super().append_op(type, inputs, outputs, attrs)
        self.set_common_attrs(op)
        return op

    def _declare_grad_only_output(self, type: str, operand: str) -> str:
        """Declare an output without elements (XShape or ReserveSpace), which only Paddle's gradient
        op reads. The shape of the output is 0 followed by the shape of the operand.
        """
        desc = self.var(operand)
        assert desc is not None
        name = self.namer.generate_temporary_name(type)
        self.block.vars[name] = VarDesc(name, (0, *desc.shape), desc.dtype, stop_gradient=True)
        return name

    def _is_initializer_op(self, desc: OpDesc) -> bool:
        return self.is_initializing or all(
            var is not None and var.persistable for var in map(self.var, desc.output_names())
        )

    def set_common_attrs(self, desc: OpDesc) -> None:
        """Set the attributes of an op for its role, device, name scope and seed."""
        if (
            self.seed
            and "seed" in desc.attrs
            and not desc.attr("seed")
            and self._is_initializer_op(desc)
        ):
            # Each op gets a different seed, so that initializers of the same shape do not return
            # the same values.
            desc.attrs["seed"] = Attr(AttrType.INT, self.seed + len(self.block.ops))
        scope = "".join(f"{name}/" for name in self.name_scopes)
        if self.op_role:
            desc.attrs["op_role"] = Attr(AttrType.INT, int(self.op_role))
        if self.op_role_variables:
            desc.attrs["op_role_var"] = Attr(AttrType.STRINGS, list(self.op_role_variables))
        if self.device:
            desc.attrs["op_device"] = Attr(AttrType.STRING, self.device)
        if scope:
            desc.attrs["op_namescope"] = Attr(AttrType.STRING, f"/{scope}")

    def find_name_or_declare_persistable(self, tensor: Tensor) -> str:
        """Return the name of the variable of a tensor.

        Raises TraceError for a variable of another program, or of a block that is not an ancestor.
        """
        if not isinstance(tensor, Variable) or self.is_tensor_bound_to_variable(tensor):
            return super().find_name_or_declare_persistable(tensor)
        if self.var(tensor.raw.name) is None:
            why = (
                f"'{tensor.name}' is a variable of another program, or of a block that does not "
                f"enclose this one"
            )
            raise TraceError(append_user_line(f"{why} (X={tensor.meta})"))
        return tensor.raw.name

    def persistable(self, tensor: Tensor, preferred_name: str | None = None) -> str:
        """Return the name of the variable for a tensor that has a value. A Parameter becomes a
        parameter of the program, any other tensor a constant.
        """
        if self._import_eager_variable is not None and (
            isinstance(tensor, Parameter) or tensor.persistable
        ):
            return self._import_eager_variable(tensor)
        constant = emit_constant(tensor.array)
        if self.block.idx == 0:  # ops of enclosing blocks cannot read constants of a sub-block
            self.bind(tensor, constant.name)
        return constant.name
