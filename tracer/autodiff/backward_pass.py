"""The walk back over the ops of a block: ask each op's vjp rule, which writes ops, and add up what
arrives at each variable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable
from typing import Any, ClassVar

from ..capture.recorder import Recorder, typed_attrs
from ..capture.variable import Variable
from ..core.dtype import is_float
from ..core.eager import metas_of
from ..core.errors import OarlockError, OpError, with_user_line
from ..core.op import OPS, Op
from ..ir.block_captures import EMPTY
from ..ir.passes.legalize_scalars import leaves_none
from ..ir.program import Attr, AttrType, Block, Kind, OpDesc
from ..ops.meta import UnknownSize
from .activity_analysis import Reach
from .cotangents import Pending, declared, fitted, zeros_for
from .saved_values import Versions

# Ops whose rules give what is like the operand, whatever sizes it has.
ALIKE = frozenset(
    {
        "as_complex",
        "as_real",
        "cast",
        "conj",
        "flip",
        "reverse",
        "scale",
        "sequence_reverse",
        "sign",
        "split",
        "sum",
        "unbind",
    }
)


def ask(
    op: Op, desc: OpDesc, grads: list[Any], operands: list[Any], results: dict[str, Any]
) -> Any:
    """What the rule of an op says.

    desc: holds its attributes; grads, operands, results: variables by slot.
    """
    assert op.rule is not None
    attrs = dict(zip(op.rule_names, op.rule_defaults, strict=False))
    attrs |= {n: desc.attr(n) for n in attrs if n in desc.attrs}
    first = operands[0] if operands else None
    if isinstance(first, Variable) and leaves_none(op.type, attrs, len(first.meta.shape)):
        grads, results = (
            [without_axis(g) for g in grads],
            {n: without_axis(r) for n, r in results.items()},
        )
    return op.rule(*grads, *operands, **attrs, **results)


def without_axis(value: Any) -> Any:
    """A value of a program from before Paddle 2.5, [1], as rules take it."""
    return (
        OPS["reshape2"](value, shape=[])
        if isinstance(value, Variable) and value.meta.shape == (1,)
        else value
    )


Handler = Callable[["Walk", OpDesc, int], None]
# Gradient rules of ops with sub-blocks, side effects or TensorArrays. The modules that define them
# register them here.
RULES: dict[str, Handler] = {}


class Walk:
    """The way back through one block.

    pending: gradients of its variables; what it writes goes to the block that is written.
    """

    emit_grad_op: ClassVar[Callable[[Walk, Op, OpDesc, int], bool]]  # set by emit_grad_ops

    def __init__(
        self, recorder: Recorder, reach: Reach, versions: Versions, wanted: Collection[str] = ()
    ) -> None:
        self.recorder, self.reach, self.versions = recorder, reach, versions
        self._wanted = dict.fromkeys(wanted)  # asked for every result, kept in order
        self.found: dict[str, Variable] = {}  # the gradients of those that are wanted
        self.block: Block = versions.block
        self.pending = Pending(recorder)
        loops = [inner.block for inner in recorder.open_blocks if inner.is_loop_body]
        self._loop_start = versions.first_of(loops[-1]) if loops else 0

    def run(self) -> None:
        """Every op, the last one first.

        Raises OarlockError for one outside of the loop whose body is being written.

        Its gradient would flow from each iteration, whose values are those of before the loop.
        """
        for i in range(len(self.versions.ops) - 1, -1, -1):
            op, self.block = self.versions.ops[i], self.versions.block_of(i)
            if op.type != "feed" and any(name in self.pending for name in op.output_names()):
                self._keep(op.output_names())
                if i < self._loop_start and any(map(self.wants, op.input_names())):
                    why = (
                        f"backward: the loss depends on {op.type}, which is outside of the "
                        f"loop; compute it in the body of the loop"
                    )
                    raise OarlockError(with_user_line(f"{why}{at_line(op)}"))
                start = len(self.recorder.block.ops)
                RULES.get(op.type, Walk.plain)(self, op, i)
                for made in self.recorder.block.ops[start:]:
                    made.where, made.layer = op.where, op.layer
        self.block = self.versions.block
        self._keep(self._wanted)

    def _keep(self, names: Iterable[str]) -> None:
        """Keep the gradients that are wanted of these, before they are taken: those of the last
        values.
        """
        for name in names:
            if name in self._wanted and name in self.pending and name not in self.found:
                self.found[name] = self.pending.total(name)

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def wants(self, name: str) -> bool:
        """Whether the gradient of a variable of the block is needed."""
        return name != EMPTY and self.reach.wants(self.block.idx, name)

    def variable(self, name: str) -> Variable:
        """A variable that the way back sees."""
        desc = self.recorder.program.var(name, self.block.idx)
        assert desc is not None
        return self.recorder.variable(desc)

    def before(self, name: str, at: int) -> Variable:
        """What a variable was before op number `at`."""
        return self.variable(self.versions.before(name, at))

    def after(self, name: str, at: int) -> Variable:
        """What op number `at` made of a variable."""
        return self.variable(self.versions.after(name, at))

    def add(self, name: str, gradient: Variable) -> None:
        """A gradient that arrives at a variable."""
        self.pending.add(name, gradient)

    def is_array(self, name: str) -> bool:
        """Whether a variable is a list of tensors."""
        var = self.recorder.program.var(name, self.block.idx)
        return var is not None and var.kind == Kind.ARRAY

    # -- ops that are kernels
    # -----------------------------------------------------------------------------------

    def plain(self, desc: OpDesc, at: int) -> None:
        """An op with a vjp rule."""
        op = OPS.get(desc.type)
        if op is None:
            raise OpError(f"{desc.type}: the gradient of its gradient is not known{at_line(desc)}")
        if self.recorder.policy.emits_grad_ops and Walk.emit_grad_op(self, op, desc, at):
            return
        grads = self._arrived(op, desc, at)
        if not op.has_vjp or not any(self.wants(n) for n in desc.input_names()):
            return
        mark = self.recorder.checkpoint()
        try:
            found = self._spread(op, desc, at, self._ask(op, desc, at, grads))
        except UnknownSize:
            self.recorder.rewind(mark)
            self._leave_to_the_run(op, desc, at, grads)
            return
        for name, gradient in found:
            self.add(name, gradient)
        if self.recorder.policy.emits_grad_ops:
            self._own_results(found, self.recorder.block.ops[mark.ops :])

    def _own_results(self, found: list[tuple[str, Variable]], ops: list[OpDesc]) -> None:
        """Note which gradients only the op knows that gives them."""
        makers = {
            name: op for op in ops for name in op.output_names() if name in self.recorder.block.vars
        }
        read = {name for op in ops for name in op.input_names()}
        times = Counter(gradient.name for _, gradient in found)
        for _, gradient in found:
            if gradient.name in makers and gradient.name not in read and times[gradient.name] == 1:
                self.pending.own(gradient, makers[gradient.name])

    def _arrived(self, op: Op, desc: OpDesc, at: int) -> list[Any]:
        """The gradients of the results, which are taken: one per slot that carries one, zeros where
        nothing arrived.
        """
        found: list[Any] = []
        for slot in (op.outs[i] for i in op.grad_outs):
            grads = [self.of_result(n, at) for n in desc.outputs.get(slot.name, [])]
            found.append(grads if slot.many else grads[0] if grads else None)
        for name in desc.output_names():
            if name in self.pending:
                self.pending.take(name)
        return found

    def of_result(self, name: str, at: int) -> Variable | None:
        """The gradient of a result of op number `at`: zeros where none arrived; None where there
        can be none.
        """
        if name not in self.pending:
            if name == EMPTY or not is_float(self.variable(name).meta.dtype):
                return None
            zeros = zeros_for(self.recorder, self.after(name, at))
            if not self.recorder.policy.emits_grad_ops:
                return zeros
            self.add(name, zeros)
            self.pending.own(zeros, self.recorder.block.ops[-1])
        return self.pending.total(name)

    def _operands(self, op: Op, desc: OpDesc, at: int) -> list[Any]:
        found: list[Any] = []
        for slot in op.ins:
            names = [n for n in desc.inputs.get(slot.name, []) if n != EMPTY]
            operands = [self.before(n, at) for n in names]
            found.append((operands or None) if slot.many else operands[0] if operands else None)
        return found

    def _results(self, op: Op, desc: OpDesc, at: int) -> dict[str, Any]:
        """The results that the rule asks for."""
        found: dict[str, Any] = {}
        self.complete(op, desc, at, [op.outs[i].name for i in op.rule_outs])
        for i in op.rule_outs:
            slot = op.outs[i]
            made = [self.after(n, at) for n in desc.outputs.get(slot.name, [])]
            found[slot.name] = made if slot.many else made[0] if made else None
        return found

    def complete(self, op: Op, desc: OpDesc, at: int, slots: Collection[str]) -> None:
        """Let an op give the results of these slots."""
        for i, slot in enumerate(op.outs):
            if (
                slot.name in slots
                and not slot.many
                and not slot.lod_of
                and not desc.outputs.get(slot.name)
            ):
                self._ask_for_result(op, desc, i, at)

    def _ask_for_result(self, op: Op, desc: OpDesc, index: int, at: int) -> None:
        """Let an op give a result that a file for inference leaves out, as dropout's mask."""
        attrs = {n: a.value for n, a in desc.attrs.items() if n in op.attrs}
        meta = op.infer(metas_of(op, tuple(self._operands(op, desc, at))), attrs)[index]
        name = self.recorder.namer.temporary(op.type)
        self.recorder.declare(name, meta, self.block)
        desc.outputs[op.outs[index].name] = [name]

    def _ask(self, op: Op, desc: OpDesc, at: int, grads: list[Any]) -> Any:
        return ask(op, desc, grads, self._operands(op, desc, at), self._results(op, desc, at))

    def _spread(self, op: Op, desc: OpDesc, at: int, said: Any) -> list[tuple[str, Variable]]:
        """What arrives at each operand."""
        found: list[tuple[str, Variable]] = []
        parts = said if isinstance(said, tuple) else (said,)
        for slot, part in zip(op.ins, parts, strict=False):
            names = desc.inputs.get(slot.name, [])
            for name, one in zip(
                names, part if slot.many and part is not None else [part], strict=False
            ):
                if self.wants(name) and one is not None:
                    gradient = one() if callable(one) else one
                    if gradient is not None:
                        like = self.before(name, at)
                        same = op.type in ALIKE and gradient.meta == like.meta
                        found.append((name, gradient if same else fitted(gradient, like)))
        return found

    # -- rules that need sizes
    # ----------------------------------------------------------------------------------

    def _leave_to_the_run(self, op: Op, desc: OpDesc, at: int, grads: list[Any]) -> None:
        """Write an op `vjp`, whose kernel applies a rule that needs symbolic sizes."""
        given = {
            f"{op.outs[i].name}@GRAD": _names(g) for i, g in zip(op.grad_outs, grads, strict=True)
        }
        operands = {
            s.name: _names(a) for s, a in zip(op.ins, self._operands(op, desc, at), strict=True)
        }
        results = {n: _names(r) for n, r in self._results(op, desc, at).items()}
        outs: dict[str, list[str]] = {}
        for slot in op.ins:
            names = desc.inputs.get(slot.name, [])
            if any(map(self.wants, names)):
                outs[f"{slot.name}@GRAD"] = [self._result_for(name, at) for name in names]
        attrs = typed_attrs(
            op, op.full_attrs({n: a.value for n, a in desc.attrs.items() if n in op.attrs})
        )
        attrs["of"] = Attr(AttrType.STRING, op.type)
        self.recorder.emit("vjp", {**given, **operands, **results}, outs, attrs)

    def _result_for(self, name: str, at: int) -> str:
        if not self.wants(name):
            return EMPTY
        like = self.before(name, at).raw
        made = declared(self.recorder, self.recorder.namer.temporary("vjp"), like)
        self.add(name, made)
        return made.name


def at_line(desc: OpDesc) -> str:
    """Where an op was recorded, as the end of an error."""
    return f"\n  recorded at {desc.where}" if desc.where else ""


def _names(slot: Any) -> list[str]:
    if slot is None:
        return []
    return [t.name for t in slot] if isinstance(slot, list) else [slot.name]
