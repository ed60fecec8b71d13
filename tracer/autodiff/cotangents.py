"""Cotangents of the variables of a block. The accumulated gradient of a variable has Paddle's name
`<variable>@GRAD`.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..capture.recorder import Recorder
from ..capture.variable import Variable
from ..core.op import OPS
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ir.program import Block, OpDesc, VarDesc, VarKind


class Cotangents:
    """The gradients of the variables of one block. A gradient is stored as a list of terms, which
    are summed when the gradient is read.
    """

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._terms: dict[str, list[Variable]] = {}
        self._final_names: set[str] = set()
        # name of a gradient that may be renamed -> the op that writes it, and the block of the op
        self._renameable: dict[str, tuple[OpDesc, Block]] = {}
        # id of an op -> the op itself, so that its id is not reused; and a dict from each output
        # name to the list of names of its slot and the position in the list
        self._output_slots_by_op: dict[int, tuple[OpDesc, dict[str, tuple[list[str], int]]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._terms

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._terms))

    def accumulate(self, name: str, gradient: Variable) -> None:
        """Add a term to the gradient of `name`."""
        self._terms.setdefault(name, []).append(gradient)

    def mark_renameable(self, gradient: Variable, op: OpDesc) -> None:
        """Mark a gradient that only `op` writes and no op reads, so that it can be renamed
        to Paddle's name.
        """
        self._renameable[gradient.name] = op, self._recorder.block

    def set_from_outer_block(self, name: str, gradient: Variable) -> None:
        """Set the gradient of `name` to a variable that an enclosing block computes; this variable
        keeps its name.
        """
        self._final_names.add(gradient.name)
        self._terms[name] = [gradient]

    def total(self, name: str) -> Variable:
        """Return the sum of the terms of the gradient of `name`; the terms are replaced by the
        sum.
        """
        arrived = self._terms[name]
        if (
            len(arrived) == 1
            and arrived[0].name in self._final_names
            and self._can_share_gradient(arrived[0].name, name)
        ):
            return arrived[0]
        found = self._rename_single_term_or_emit_sum(name, arrived)
        self._final_names.add(found.name)
        self._terms[name] = [found]
        return found

    def _can_share_gradient(self, gradient: str, name: str) -> bool:
        """Whether the variable `gradient`, whose name is final, may serve as the gradient of
        `name`. In static graph mode it must be named `<name>@GRAD...`, because users fetch
        gradients by name.
        """
        return not self._recorder.policy.emits_grad_ops or gradient.startswith(f"{name}@GRAD")

    def pop(self, name: str) -> Variable:
        """Return the gradient of `name` and remove it. To the ops before the current op, `name` is
        another value, whose gradient starts at zero.
        """
        found = self.total(name)
        del self._terms[name]
        return found

    def _rename_single_term_or_emit_sum(self, name: str, arrived: list[Variable]) -> Variable:
        recorder = self._recorder
        end = f"@block{recorder.block.idx}" if recorder.block.idx else ""
        if len(arrived) == 1 and arrived[0].name in self._renameable:
            return self._rename_gradient_variable(arrived[0], f"{name}@GRAD{end}")
        parts = [self._rename_term_if_renameable(name, i, g) for i, g in enumerate(arrived)]
        made = declare_variable_like(
            recorder, recorder.namer.unique_name(f"{name}@GRAD{end}"), arrived[0].raw
        )
        recorder.append_op(
            "assign" if len(parts) == 1 else "sum",
            {"X": [g.name for g in parts]},
            {"Out": [made.name]},
        )
        return made

    def _rename_term_if_renameable(self, name: str, index: int, gradient: Variable) -> Variable:
        """Rename `gradient`, term number `index` of a sum, to Paddle's name. Return the renamed
        variable; if `gradient` was not marked renameable, return it unchanged.
        """
        if gradient.name not in self._renameable:
            return gradient
        return self._rename_gradient_variable(
            gradient, f"{name}@GRAD@RENAME@block{self._recorder.block.idx}@{index}"
        )

    def _rename_gradient_variable(self, gradient: Variable, name: str) -> Variable:
        op, block = self._renameable.pop(gradient.name)
        new = self._recorder.namer.unique_name(name)
        _, slots = self._output_slots_by_op.setdefault(id(op), (op, {}))
        if gradient.name not in slots:
            slots.update(
                {n: (names, i) for names in op.outputs.values() for i, n in enumerate(names)}
            )
        names, i = slots[gradient.name]
        names[i] = new
        desc = block.vars.pop(gradient.name)
        desc.name = new
        block.vars[new] = desc
        return self._recorder.create_variable(desc)


def declare_cross_block_gradient(
    recorder: Recorder, name: str, like: VarDesc, block: Block
) -> Variable:
    """Declare a gradient of `name` in `block`, so that several blocks can read and write it."""
    return declare_variable_like(
        recorder, recorder.namer.unique_name(f"{name}@GRAD@RENAME@block{block.idx}"), like, block
    )


def declare_variable_like(
    recorder: Recorder, name: str, like: VarDesc, block: Block | None = None
) -> Variable:
    """Declare a variable like another one, in the given block or in the current block."""
    desc = VarDesc(name, like.shape, like.dtype, like.kind)
    (block or recorder.block).vars[name] = desc
    return recorder.create_variable(desc)


def emit_zero_grad_like(recorder: Recorder, variable: Variable) -> Variable:
    """Emit a zero gradient of a variable: zeros of its shape, or an empty list for a
    TensorArray.
    """
    if variable.raw.kind == VarKind.ARRAY:
        made = declare_variable_like(
            recorder, recorder.namer.generate_temporary_name("create_array"), variable.raw
        )
        recorder.append_op("create_array", {}, {"Out": [made.name]})
        return made
    if recorder.policy.emits_grad_ops and compat.rules.writes_paddle1_gradients:
        return recorder.emit_shape_preserving_unary_op("fill_zeros_like", "X", variable, {})
    found: Variable = OPS["fill_any_like"](variable, value=0.0)
    return found


def reduce_and_cast_grad_like(gradient: Variable, like: Tensor) -> Variable:
    """Sum a gradient over the axes along which `like` was broadcast, and cast it to the dtype of
    `like`, as the eager backward pass does.
    """
    (shape, dtype), found = like.meta, gradient.meta
    if found.dtype.kind == "c" and dtype.kind != "c":
        gradient = OPS["real"](gradient)
    if -1 in shape or -1 in found.shape:
        gradient = OPS["sum_like"](gradient, like)
    elif found.shape != shape:
        gradient = OPS["sum_to"](gradient, shape=list(shape))
    if gradient.meta.dtype != dtype:
        gradient = OPS["cast"](gradient, out_dtype=like.dtype.proto, in_dtype=gradient.dtype.proto)
    return gradient
