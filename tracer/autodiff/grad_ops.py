"""Ops that are gradients as Paddle writes them - `relu_grad`, `matmul_v2_grad` - by the rule of the
op that each belongs to.

Paddle's op leaves out what its own kernel does not look at; our rules may.
So the op that it is the gradient of is looked up in the program, by the names that both have, and
gives the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..capture.variable import GRADIENT
from ..core.op import OPS, Op
from ..ir.block_captures import EMPTY
from ..ir.program import Attr, AttrType, OpDesc, Program
from .grad_op_signatures import forward_op_type

RENAMED, SCOPE = "@RENAME@", "grad/"


class Gradients:
    """The gradient ops of a program.

    find: the op `vjp` that one is, None for one that is something else.
    """

    def __init__(self, program: Program) -> None:
        self._found: dict[int, OpDesc | None] = {}  # by id of the op
        self._by_type: dict[str, list[OpDesc]] = {}
        # which of a type have an operand or a result of a name
        self._by_name: dict[str, dict[str, list[int]]] = {}
        for op in program.ops():
            self._by_type.setdefault(op.type, []).append(op)

    def find(self, desc: OpDesc) -> OpDesc | None:
        """An op `vjp` in place of a gradient op."""
        if id(desc) not in self._found:
            self._found[id(desc)] = self._find(desc)
        return self._found[id(desc)]

    def _find(self, desc: OpDesc) -> OpDesc | None:
        type = forward_op_type(desc.type)
        if type is None or type not in OPS or not OPS[type].has_vjp or _is_own(desc):
            return None
        forward = next(
            (op for op in reversed(self._candidates(type, desc)) if _belongs(desc, op)), None
        )
        forward = forward or _told(desc, OPS[type])
        return None if forward is None else _as_vjp(desc, forward)

    def _candidates(self, type: str, desc: OpDesc) -> list[OpDesc]:
        """The ops of a type, in order, that have the rarest of the names which a gradient
        op knows.
        """
        ops, having = self._by_type.get(type, []), self._having(type)
        said = (
            _stems(names) if slot.endswith(GRADIENT) else names
            for slot, names in desc.inputs.items()
        )
        known = [
            set(_unscoped(name)) & having.keys()
            for names in said
            for name in names
            if name != EMPTY
        ]
        if not known:
            return ops
        rarest = min(known, key=lambda names: sum(len(having[n]) for n in names))
        return [ops[i] for i in sorted({i for name in rarest for i in having[name]})]

    def _having(self, type: str) -> dict[str, list[int]]:
        if type not in self._by_name:
            found = self._by_name[type] = {}
            for i, op in enumerate(self._by_type.get(type, [])):
                for name in {*op.input_names(), *op.output_names()}:
                    found.setdefault(name, []).append(i)
        return self._by_name[type]


def _is_own(desc: OpDesc) -> bool:
    """Whether an op is one of ours, which has Paddle's name and slots: `relu_grad`, `tanh_grad` and
    the like.
    """
    own = OPS.get(desc.type)
    if own is None:
        return False
    given = {slot for slot, names in desc.inputs.items() if names}
    needed, known = {s.name for s in own.ins if not s.optional}, {s.name for s in own.ins}
    return needed <= given <= known and {s for s, names in desc.outputs.items() if names} <= {
        s.name for s in own.outs
    }


def _told(gradient: OpDesc, op: Op) -> OpDesc | None:
    """The op that a gradient op belongs to, where that was pruned from the program and the gradient
    op tells all that its rule needs.
    """
    given = {slot: names for slot, names in gradient.inputs.items() if names}
    needed = {s.name for s in op.ins if not s.optional} | {op.outs[i].name for i in op.rule_outs}
    if not needed <= given.keys():
        return None
    ins, outs = (
        {s.name: given[s.name] for s in slots if s.name in given} for slots in (op.ins, op.outs)
    )
    return OpDesc(op.type, ins, outs, dict(gradient.attrs), gradient.where, gradient.layer)


def _belongs(gradient: OpDesc, op: OpDesc) -> bool:
    """Whether the names of a gradient op are those of an op, its operands, its results and their
    gradients.
    """
    for slot, names in gradient.inputs.items():
        stem = slot.removesuffix(GRADIENT)
        of_results = stem in op.outputs and (stem != slot or stem not in op.inputs)
        theirs = (op.outputs if of_results else op.inputs).get(stem, [])
        if not _same_names(_stems(names) if stem != slot else names, theirs):
            return False
    given = ((slot.removesuffix(GRADIENT), names) for slot, names in gradient.outputs.items())
    return all(_same_names(_stems(names), op.inputs.get(slot, [])) for slot, names in given)


def _same_names(names: Iterable[str], theirs: Sequence[str]) -> bool:
    """Whether names are the same, where they are known."""
    found = list(names)
    return not found or (
        len(found) == len(theirs)
        and all(a == EMPTY or b in _unscoped(a) for a, b in zip(found, theirs, strict=True))
    )


def _unscoped(name: str) -> Iterator[str]:
    """A name, and what it is outside of the scopes of `paddle.static.gradients`, one after the
    other.
    """
    yield name
    while name.startswith(SCOPE):
        name = name.removeprefix(SCOPE)
        yield name


def _stems(names: Iterable[str]) -> Iterator[str]:
    """What variables with names like `x@GRAD` and `x@GRAD@RENAME@block0@1` are the gradients of; a
    name of the user's tells nothing.
    """
    for name in names:
        stem, gradient, _ = name.partition(RENAMED)[0].rpartition(GRADIENT)
        yield stem if gradient else EMPTY


def _as_vjp(gradient: OpDesc, op: OpDesc) -> OpDesc:
    inputs = {**op.outputs, **op.inputs}
    inputs |= {slot: names for slot, names in gradient.inputs.items() if slot.endswith(GRADIENT)}
    attrs = {
        **op.attrs,
        **{n: a for n, a in gradient.attrs.items() if n in op.attrs},
        "of": Attr(AttrType.STRING, op.type),
    }
    return OpDesc(
        "vjp", inputs, dict(gradient.outputs), attrs, gradient.where or op.where, gradient.layer
    )
