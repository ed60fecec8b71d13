"""Replace Paddle's gradient ops (`relu_grad`, `matmul_v2_grad`) by ops `vjp`, which apply the
gradient rule of the forward op.

Paddle's gradient op lacks inputs that Paddle's kernel does not read, but Oarlock's rule may need
them. Such inputs are taken from the forward op, which is found by comparing variable names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from ..capture.variable import GRADIENT_SUFFIX
from ..core.op import OPS, Op
from ..ir.block_captures import EMPTY_NAME
from ..ir.program import Attr, AttrType, OpDesc, Program
from .grad_op_signatures import find_forward_op_type

RENAMED, SCOPE = "@RENAME@", "grad/"


class GradOpReplacements:
    """Finds and caches the op `vjp` that replaces each gradient op of a program."""

    def __init__(self, program: Program) -> None:
        self._cached_replacements: dict[int, OpDesc | None] = {}
        self._ops_by_type: dict[str, list[OpDesc]] = {}
        # op type and variable name -> the indices of the ops of this type that use the name
        self._indices_by_name: dict[str, dict[str, list[int]]] = {}
        for op in program.ops():
            self._ops_by_type.setdefault(op.type, []).append(op)

    def find_replacement(self, desc: OpDesc) -> OpDesc | None:
        """The op `vjp` that replaces a gradient op; None for any other op."""
        if id(desc) not in self._cached_replacements:
            self._cached_replacements[id(desc)] = self._create_replacement(desc)
        return self._cached_replacements[id(desc)]

    def _create_replacement(self, desc: OpDesc) -> OpDesc | None:
        type = find_forward_op_type(desc.type)
        if (
            type is None
            or type not in OPS
            or not OPS[type].has_vjp
            or _is_grad_op_defined_by_oarlock(desc)
        ):
            return None
        forward = next(
            (
                op
                for op in reversed(self._candidate_forward_ops(type, desc))
                if _has_variable_names_of_forward(desc, op)
            ),
            None,
        )
        forward = forward or _reconstruct_forward_op_or_none(desc, OPS[type])
        return None if forward is None else _make_vjp_op(desc, forward)

    def _candidate_forward_ops(self, type: str, desc: OpDesc) -> list[OpDesc]:
        """The ops of a type that may be the forward op of the gradient op `desc`, in program order:
        those that use a variable of `desc`, namely the variable that the fewest ops use.
        """
        ops, indices = self._ops_by_type.get(type, []), self._op_indices_of_type_by_variable(type)
        slots = (
            _iter_forward_names_of_gradients_or_empty(names)
            if slot.endswith(GRADIENT_SUFFIX)
            else names
            for slot, names in desc.inputs.items()
        )
        known = [
            set(_iter_names_with_and_without_scopes(name)) & indices.keys()
            for names in slots
            for name in names
            if name != EMPTY_NAME
        ]
        if not known:
            return ops
        rarest = min(known, key=lambda names: sum(len(indices[n]) for n in names))
        return [ops[i] for i in sorted({i for name in rarest for i in indices[name]})]

    def _op_indices_of_type_by_variable(self, type: str) -> dict[str, list[int]]:
        if type not in self._indices_by_name:
            found = self._indices_by_name[type] = {}
            for i, op in enumerate(self._ops_by_type.get(type, [])):
                for name in {*op.input_names(), *op.output_names()}:
                    found.setdefault(name, []).append(i)
        return self._indices_by_name[type]


def _is_grad_op_defined_by_oarlock(desc: OpDesc) -> bool:
    """Whether Oarlock defines an op with the type and slots of `desc`, a gradient op such as
    `relu_grad`, so that no replacement is needed.
    """
    own = OPS.get(desc.type)
    if own is None:
        return False
    given = {slot for slot, names in desc.inputs.items() if names}
    needed, known = {s.name for s in own.ins if not s.is_optional}, {s.name for s in own.ins}
    return needed <= given <= known and {s for s, names in desc.outputs.items() if names} <= {
        s.name for s in own.outs
    }


def _reconstruct_forward_op_or_none(gradient: OpDesc, op: Op) -> OpDesc | None:
    """Reconstruct a forward op that was pruned, from the variables of its gradient op; None if the
    gradient op lacks an input that the VJP rule reads.
    """
    given = {slot: names for slot, names in gradient.inputs.items() if names}
    needed = {s.name for s in op.ins if not s.is_optional} | {
        op.outs[i].name for i in op.vjp_output_indices
    }
    if not needed <= given.keys():
        return None
    ins, outs = (
        {s.name: given[s.name] for s in slots if s.name in given} for slots in (op.ins, op.outs)
    )
    return OpDesc(op.type, ins, outs, dict(gradient.attrs), gradient.user_line, gradient.layer_path)


def _has_variable_names_of_forward(gradient: OpDesc, op: OpDesc) -> bool:
    """Whether the variable names in a gradient op, including those of gradients, match the inputs
    and outputs of the forward op `op`.
    """
    for slot, names in gradient.inputs.items():
        stem = slot.removesuffix(GRADIENT_SUFFIX)
        of_results = stem in op.outputs and (stem != slot or stem not in op.inputs)
        theirs = (op.outputs if of_results else op.inputs).get(stem, [])
        if not _do_known_names_match(
            _iter_forward_names_of_gradients_or_empty(names) if stem != slot else names, theirs
        ):
            return False
    given = (
        (slot.removesuffix(GRADIENT_SUFFIX), names) for slot, names in gradient.outputs.items()
    )
    return all(
        _do_known_names_match(
            _iter_forward_names_of_gradients_or_empty(names), op.inputs.get(slot, [])
        )
        for slot, names in given
    )


def _do_known_names_match(names: Iterable[str], theirs: Sequence[str]) -> bool:
    """Whether the two lists contain equal names, position by position; an unknown name (EMPTY) in
    `names` matches any name.
    """
    found = list(names)
    return not found or (
        len(found) == len(theirs)
        and all(
            a == EMPTY_NAME or b in _iter_names_with_and_without_scopes(a)
            for a, b in zip(found, theirs, strict=True)
        )
    )


def _iter_names_with_and_without_scopes(name: str) -> Iterator[str]:
    """Yield `name`, then `name` without its first scope prefix, without its first two, and so on.
    `paddle.static.gradients` adds such prefixes.
    """
    yield name
    while name.startswith(SCOPE):
        name = name.removeprefix(SCOPE)
        yield name


def _iter_forward_names_of_gradients_or_empty(names: Iterable[str]) -> Iterator[str]:
    """For each gradient name, such as `x@GRAD` or `x@GRAD@RENAME@block0@1`, yield the name of its
    variable (`x`); yield EMPTY for a name of another form.
    """
    for name in names:
        stem, gradient, _ = name.partition(RENAMED)[0].rpartition(GRADIENT_SUFFIX)
        yield stem if gradient else EMPTY_NAME


def _make_vjp_op(gradient: OpDesc, op: OpDesc) -> OpDesc:
    inputs = {**op.outputs, **op.inputs}
    inputs |= {
        slot: names for slot, names in gradient.inputs.items() if slot.endswith(GRADIENT_SUFFIX)
    }
    attrs = {
        **op.attrs,
        **{n: a for n, a in gradient.attrs.items() if n in op.attrs},
        "of": Attr(AttrType.STRING, op.type),
    }
    return OpDesc(
        "vjp",
        inputs,
        dict(gradient.outputs),
        attrs,
        gradient.user_line or op.user_line,
        gradient.layer_path,
    )
