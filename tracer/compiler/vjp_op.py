"""The op `vjp`: apply the gradient rule of an op at run time, because the rule needs sizes
that are unknown at compile time.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.backward_pass import BARE_ARRAY_MODE
from ..core.dtype import is_inexact
from ..core.mode import use_mode
from ..core.op import OPS, Op, Slot
from ..ir.block_captures import EMPTY_NAME
from ..ir.passes.scalar_result_predicates import reduces_to_scalar
from ..ir.program import OpDesc
from .instructions import Instruction, PythonStatement
from .lowering import LOWERING_RULES, Lowering


class VjpKernel:
    """The gradient rule of an op with its attributes.

    wanted: for each result, the index of the input slot, and the position in the slot, of the input
    whose gradient the result is.
    """

    def __init__(self, op: Op, attrs: dict[str, Any], wanted: Sequence[tuple[int, int]]) -> None:
        self._op, self._requested_inputs = op, wanted
        given = dict(zip(op.vjp_keyword_names, op.vjp_attr_defaults, strict=False))
        self._attrs = {**given, **{n: v for n, v in attrs.items() if n in given}}

    def __call__(
        self, grads: Sequence[Any], operands: Sequence[Any], results: Sequence[Any]
    ) -> list[Any]:
        """Compute the gradients.

        grads, operands, results: output gradients, inputs and outputs, one per slot.
        """
        op = self._op
        assert op.vjp_rule is not None
        if (
            operands
            and isinstance(operands[0], np.ndarray)
            and reduces_to_scalar(op.type, self._attrs, operands[0].ndim)
        ):
            grads, results = (
                [_reshape_shape_1_to_0d(g) for g in grads],
                [_reshape_shape_1_to_0d(r) for r in results],
            )
        outputs_for_rule = dict(zip(op.vjp_keyword_names[len(self._attrs) :], results, strict=True))
        with use_mode(BARE_ARRAY_MODE):
            input_grads = op.vjp_rule(*grads, *operands, **self._attrs, **outputs_for_rule)
            parts = input_grads if isinstance(input_grads, tuple) else (input_grads,)
            return [
                _grad_reduced_to_input_or_zeros(
                    _evaluate_input_grad_at(parts, i, k), _list_item_or_operand(operands[i], k)
                )
                for i, k in self._requested_inputs
            ]


def _reshape_shape_1_to_0d(value: Any) -> Any:
    """Reshape an array of shape [1] to 0-D and return other values unchanged. Programs written
    before Paddle 2.5 declare scalars with shape [1].
    """
    return value.reshape(()) if getattr(value, "shape", None) == (1,) else value


def _zero_output_grad(result: Any) -> Any:
    """Zeros as the gradient of an output that nothing reads; None if its dtype cannot have a
    gradient.
    """
    return np.zeros_like(result) if is_inexact(result.dtype) else None


def _evaluate_input_grad_at(parts: Sequence[Any], slot: int, place: int) -> Any:
    found = parts[slot]
    found = found[place] if isinstance(found, list | tuple) else found
    return found() if callable(found) else found


def _list_item_or_operand(operand: Any, place: int) -> Any:
    return operand[place] if isinstance(operand, list) else operand


def _grad_reduced_to_input_or_zeros(gradient: Any, like: Any) -> Any:
    if gradient is None or not is_inexact(like.dtype):
        return np.zeros_like(like)
    if gradient.dtype.kind == "c" and like.dtype.kind != "c":
        gradient = gradient.real
    if gradient.shape != like.shape:
        gradient = OPS["sum_to"].kernel(gradient, shape=list(like.shape))
    return gradient if gradient.dtype == like.dtype else gradient.astype(like.dtype)


class _ArgumentCodeBuilder:
    """Builds the source of the arguments of a VjpKernel, and collects the registers that they
    read.
    """

    def __init__(self, lowering: Lowering, block: int, desc: OpDesc) -> None:
        self._lowering, self._block, self._desc = lowering, block, desc
        self._op = OPS[desc.attr("of")]
        self.registers: list[str] = []

    def source(self) -> str:
        """Return the source of the three arguments of a VjpKernel: lists of output gradients,
        inputs and outputs.
        """
        op = self._op
        grads = [self._output_grad_code(op.outs[i]) for i in op.grad_out_indices]
        inputs = [
            self._lod_code(s) if s.values_slot_of_lod_slot else self._value_code(s) for s in op.ins
        ]
        outputs = [self._value_code(op.outs[i]) for i in op.vjp_output_indices]
        parts = (grads, inputs, outputs)
        return ", ".join(f"({''.join(f'{text}, ' for text in part)})" for part in parts)

    def _add_register_placeholder(self, register: str) -> str:
        self.registers.append(register)
        return f"{{{len(self.registers) - 1}}}"

    def _value_code(self, slot: Slot) -> str:
        names = self._desc.inputs.get(slot.name, [])
        return _slot_code(
            [
                self._add_register_placeholder(r)
                for r in self._lowering.get_or_create_registers(self._block, names)
            ],
            slot.is_list,
        )

    def _lod_code(self, slot: Slot) -> str:
        found = self._lowering.input_slot_registers(self._block, self._desc, self._op, slot)
        if isinstance(found, tuple):
            return f"[{', '.join(map(self._add_register_placeholder, found))}]"
        return "None" if found is None else self._add_register_placeholder(found)

    def _output_grad_code(self, slot: Slot) -> str:
        outputs = self._desc.inputs.get(slot.name, [])
        names = self._desc.inputs.get(f"{slot.name}@GRAD", []) or [EMPTY_NAME] * len(outputs)
        texts = []
        for i, name in enumerate(names):
            text = self._add_register_placeholder(
                self._lowering.get_or_create_register(
                    self._block, outputs[i] if name == EMPTY_NAME else name
                )
            )
            texts.append(f"{{ZEROS}}({text})" if name == EMPTY_NAME else text)
        return _slot_code(texts, slot.is_list)


def _slot_code(texts: list[str], many: bool) -> str:
    if not texts:
        return "None"
    return f"[{', '.join(texts)}]" if many else texts[0]


def lower_vjp(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower an op `vjp`."""
    op = OPS[desc.attr("of")]
    arguments = _ArgumentCodeBuilder(lowering, block, desc)
    source = arguments.source()
    wanted = [
        (i, k, name)
        for i, slot in enumerate(op.ins)
        for k, name in enumerate(desc.outputs.get(f"{slot.name}@GRAD", []))
        if name != EMPTY_NAME
    ]
    outs = tuple(lowering.get_or_create_register(block, name) for _, _, name in wanted)
    attrs = {n: a.value for n, a in desc.attrs.items() if n in op.attrs}
    call = VjpKernel(op, attrs, [(i, k) for i, k, _ in wanted])
    targets = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    text = f"[{targets}] = {{VJP}}({source})"
    return PythonStatement(
        desc, text, tuple(arguments.registers), outs, {"VJP": call, "ZEROS": _zero_output_grad}
    )


LOWERING_RULES["vjp"] = lower_vjp
