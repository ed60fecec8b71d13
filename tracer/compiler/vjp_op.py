"""The op `vjp`: apply the gradient rule of an op at run time, because it needs sizes that are
unknown before.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.backward_pass import BARE_ARRAYS
from ..core.dtype import is_float
from ..core.mode import use_mode
from ..core.op import OPS, Op, Slot
from ..ir.block_captures import EMPTY
from ..ir.passes.legalize_scalars import reduces_to_scalar
from ..ir.program import OpDesc
from .instructions import Instruction, Statement
from .lowering import RULES, Lowering


class VjpCall:
    """The gradient rule of an op with its attributes.

    wanted: slot and position of the input of each result.
    """

    def __init__(self, op: Op, attrs: dict[str, Any], wanted: Sequence[tuple[int, int]]) -> None:
        self._op, self._wanted = op, wanted
        given = dict(zip(op.rule_names, op.rule_defaults, strict=False))
        self._attrs = {**given, **{n: v for n, v in attrs.items() if n in given}}

    def __call__(
        self, grads: Sequence[Any], operands: Sequence[Any], results: Sequence[Any]
    ) -> list[Any]:
        """Compute the gradients. grads, operands, results: by slot, as the rule takes them."""
        op = self._op
        assert op.rule is not None
        if (
            operands
            and isinstance(operands[0], np.ndarray)
            and reduces_to_scalar(op.type, self._attrs, operands[0].ndim)
        ):
            grads, results = [_without_axes(g) for g in grads], [_without_axes(r) for r in results]
        asked = dict(zip(op.rule_names[len(self._attrs) :], results, strict=True))
        with use_mode(BARE_ARRAYS):
            said = op.rule(*grads, *operands, **self._attrs, **asked)
            parts = said if isinstance(said, tuple) else (said,)
            return [
                _reduce_to(_input_grad(parts, i, k), _input(operands[i], k))
                for i, k in self._wanted
            ]


def _without_axes(value: Any) -> Any:
    """Reshape a [1] value of a program before Paddle 2.5 to 0-D."""
    return value.reshape(()) if getattr(value, "shape", None) == (1,) else value


def _zeros(result: Any) -> Any:
    """The gradient of an unused result."""
    return np.zeros_like(result) if is_float(result.dtype) else None


def _input_grad(parts: Sequence[Any], slot: int, place: int) -> Any:
    found = parts[slot]
    found = found[place] if isinstance(found, list | tuple) else found
    return found() if callable(found) else found


def _input(operand: Any, place: int) -> Any:
    return operand[place] if isinstance(operand, list) else operand


def _reduce_to(gradient: Any, like: Any) -> Any:
    if gradient is None or not is_float(like.dtype):
        return np.zeros_like(like)
    if gradient.dtype.kind == "c" and like.dtype.kind != "c":
        gradient = gradient.real
    if gradient.shape != like.shape:
        gradient = OPS["sum_to"].kernel(gradient, shape=list(like.shape))
    return gradient if gradient.dtype == like.dtype else gradient.astype(like.dtype)


def lower_vjp(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower an op `vjp`."""
    op = OPS[desc.attr("of")]
    registers: list[str] = []

    def text(names: Sequence[str], many: bool) -> str:
        places = [f"{{{len(registers) + i}}}" for i in range(len(names))]
        registers.extend(lowering.registers_of(block, names))
        if many:
            return f"[{', '.join(places)}]" if places else "None"
        return places[0] if places else "None"

    def offsets(slot: Slot) -> str:
        found = lowering.operand(block, desc, op, slot)
        if found is None:
            return "None"
        registers.extend([found] if isinstance(found, str) else found)
        if isinstance(found, str):
            return f"{{{len(registers) - 1}}}"
        return f"[{', '.join(f'{{{len(registers) - len(found) + i}}}' for i in range(len(found)))}]"

    def arrived(slot: Slot) -> str:
        results = desc.inputs.get(slot.name, [])
        places = []
        for i, name in enumerate(
            desc.inputs.get(f"{slot.name}@GRAD", []) or [EMPTY] * len(results)
        ):
            registers.append(lowering.register(block, results[i] if name == EMPTY else name))
            places.append(
                f"{{ZEROS}}({{{len(registers) - 1}}})"
                if name == EMPTY
                else f"{{{len(registers) - 1}}}"
            )
        return f"[{', '.join(places)}]" if slot.many and places else places[0] if places else "None"

    grads = [arrived(op.outs[i]) for i in op.grad_outs]
    operands = [
        offsets(s) if s.lod_of else text(desc.inputs.get(s.name, []), s.many) for s in op.ins
    ]
    results = [text(desc.inputs.get(op.outs[i].name, []), op.outs[i].many) for i in op.rule_outs]
    wanted, outs = [], []
    for i, slot in enumerate(op.ins):
        for k, name in enumerate(desc.outputs.get(f"{slot.name}@GRAD", [])):
            if name != EMPTY:
                wanted.append((i, k))
                outs.append(lowering.register(block, name))
    attrs = {n: a.value for n, a in desc.attrs.items() if n in op.attrs}
    targets = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    lists = (f"({''.join(f'{t}, ' for t in part)})" for part in (grads, operands, results))
    source = f"[{targets}] = {{VJP}}({', '.join(lists)})"
    return Statement(
        desc,
        source,
        tuple(registers),
        tuple(outs),
        {"VJP": VjpCall(op, attrs, wanted), "ZEROS": _zeros},
    )


RULES["vjp"] = lower_vjp
