"""Lower `recurrent` (a loop over time steps) and `recurrent_grad`.

The block of a step has its own variables: one step of each sequence, which has the name of the
whole sequence, and the memories. As in Paddle, the gradient block names the gradients of these
variables `<variable>@GRAD`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.errors import OpError
from ..core.op import OPS
from ..ir.block_captures import EMPTY_NAME
from ..ir.program import OpDesc, VarDesc, VarKind
from .copy_propagation import COPY_STATEMENT
from .instructions import BackwardLoop, Instruction, Loop, PythonStatement
from .lowering import MULTI_INSTRUCTION_RULES, Lowering
from .tensor_lists import TENSOR_VERSIONS

LIST_VARIABLE = VarDesc("", kind=VarKind.ARRAY)
SELECT_STEP_STATEMENT = "{o0} = {0}[{1}, ...]"
APPEND_STATEMENT = "{0}.append({1})"
POP_STATEMENT = "{o0} = {0}.pop()"


def step_indices_last_executed_first(inputs: Sequence[Any], reverse: bool) -> list[int]:
    """The list of step indices from the last executed step to the first. The loop pops the index of
    the next step from the end of this list.

    Raises OpError if the inputs have different lengths or are empty.
    """
    lengths = [x.shape[0] for x in inputs]
    if len(set(lengths)) > 1:
        raise OpError(
            f"recurrent: the inputs have {lengths} steps; "
            "all inputs should have the same number of steps"
        )
    if not lengths[0]:
        raise OpError("recurrent: the inputs have no steps, so the output shape is unknown")
    return list(range(lengths[0]) if reverse else reversed(range(lengths[0])))


def stack_steps(items: list[Any], reverse: bool) -> Any:
    """Stack the results of the steps to one array; with `reverse`, last result first."""
    return np.stack(items[::-1] if reverse else items)


def stack_step_tensors(items: list[Any], reverse: bool) -> Any:
    """Stack the results of the steps to one Tensor, like `stack_steps` for arrays."""
    return OPS["stack"](items[::-1] if reverse else items, axis=0)


def zeros_like(like: Any) -> Any:
    """Zeros like a memory: the gradient of its value after the last step, which no step reads."""
    return np.zeros_like(like)


TENSOR_VERSIONS[id(stack_steps)] = stack_step_tensors


def lower_recurrent(lowering: Lowering, block: int, desc: OpDesc) -> list[Instruction]:
    """Lower `recurrent` to a loop."""
    inner = desc.attr("sub_block")
    sequences, outs = desc.inputs["inputs"], desc.outputs["outputs"]
    held = lowering.get_or_create_registers(inner, desc.attr("ex_states", []))
    after = lowering.get_or_create_registers(inner, desc.attr("states", []))
    first = lowering.get_or_create_registers(block, desc.inputs.get("initial_states", []))
    left, at = lowering.new_temporary(LIST_VARIABLE), lowering.new_temporary(VarDesc(""))
    carried = [lowering.new_temporary(lowering.variables[register]) for register in held]
    lists = [lowering.new_temporary(LIST_VARIABLE) for _ in outs]
    reverse = bool(desc.attr("reverse", False))
    given = lowering.get_or_create_registers(block, sequences)
    names = {"ORDER": step_indices_last_executed_first, "reverse": reverse}
    listed = "".join(f"{{{i}}}, " for i in range(len(given)))
    start: list[Instruction] = [
        PythonStatement(desc, f"{{o0}} = {{ORDER}}(({listed}), {{reverse}})", given, (left,), names)
    ]
    start += [
        PythonStatement(desc, COPY_STATEMENT, (one,), (register,))
        for one, register in zip(first, carried, strict=True)
    ]
    start += [PythonStatement(desc, "{o0} = []", (), (register,)) for register in lists]
    body: list[Instruction] = [PythonStatement(desc, POP_STATEMENT, (left,), (at,))]
    body += [
        PythonStatement(
            desc,
            SELECT_STEP_STATEMENT,
            (lowering.get_or_create_register(block, n), at),
            (lowering.get_or_create_register(inner, n),),
        )
        for n in sequences
    ]
    body += [
        PythonStatement(desc, COPY_STATEMENT, (register,), (one,))
        for register, one in zip(carried, held, strict=True)
    ]
    body += lowering.lower_block(lowering.program.blocks[inner])
    body += [
        PythonStatement(
            desc,
            APPEND_STATEMENT,
            (register, lowering.get_or_create_register(inner, n)),
            (register,),
        )
        for register, n in zip(lists, outs, strict=True)
    ]
    body += [
        PythonStatement(desc, COPY_STATEMENT, (one,), (register,))
        for one, register in zip(after, carried, strict=True)
    ]
    loop = Loop(desc, left, body, _find_residuals_register(lowering, block, desc))
    if loop.residual_list is not None:
        (
            lowering.forward_loops[loop.residual_list],
            lowering.step_index_registers[loop.residual_list],
        ) = loop, at
    return [
        *start,
        loop,
        *(
            _make_stack_output_statement(lowering, block, desc, pair, reverse)
            for pair in zip(lists, outs, strict=True)
        ),
    ]


def _find_residuals_register(lowering: Lowering, block: int, desc: OpDesc) -> str | None:
    scopes = desc.outputs.get("step_scopes", [])
    return (
        lowering.get_or_create_register(block, scopes[0])
        if scopes and scopes[0] in lowering.differentiated_step_scopes
        else None
    )


def _make_stack_output_statement(
    lowering: Lowering, block: int, desc: OpDesc, pair: tuple[str, str], reverse: bool
) -> Instruction:
    register, name = pair
    names = {"STACKED": stack_steps, "reverse": reverse}
    return PythonStatement(
        desc,
        "{o0} = {STACKED}({0}, {reverse})",
        (register,),
        (lowering.get_or_create_register(block, name),),
        names,
    )


def lower_recurrent_grad(lowering: Lowering, block: int, desc: OpDesc) -> list[Instruction]:
    """Lower `recurrent_grad` to a backward loop."""
    return _RecurrentGradLowering(lowering, block, desc).lower()


class _RecurrentGradLowering:
    """Lowers one `recurrent_grad`: builds the instructions before the backward loop, at the start
    and at the end of an iteration, and after the loop.
    """

    def __init__(self, lowering: Lowering, block: int, desc: OpDesc) -> None:
        self._lowering, self._block, self._desc = lowering, block, desc
        self._grad_block = lowering.program.blocks[desc.attr("sub_block")]
        self._before_loop: list[Instruction] = []
        self._iteration_start: list[Instruction] = []
        self._iteration_end: list[Instruction] = []
        self._after_loop: list[Instruction] = []

    def lower(self) -> list[Instruction]:
        """Return the backward loop with the instructions before and after it."""
        lowering, desc = self._lowering, self._desc
        residuals = lowering.get_or_create_register(self._block, desc.inputs["step_scopes"][0])
        for name in desc.inputs.get("outputs@GRAD", []):
            if name != EMPTY_NAME:
                self._append_statement(
                    self._iteration_start,
                    SELECT_STEP_STATEMENT,
                    (self._outer_block_register(name), lowering.step_index_registers[residuals]),
                    self._mark_and_get_undeclared_local_register(name),
                )
        self._lower_memory_grads(lowering.forward_loops[residuals].desc.attr("sub_block"))
        for name, gradient in self._step_and_whole_grad_names("inputs"):
            self._lower_sequence_grad(name, gradient)
        for name, gradient in self._step_and_whole_grad_names("parameters"):
            self._lower_parameter_grad(name, gradient)
        body = [
            *self._iteration_start,
            *lowering.lower_block(self._grad_block),
            *self._iteration_end,
        ]
        return [
            *self._before_loop,
            BackwardLoop(desc, lowering.forward_loops[residuals], residuals, body),
            *self._after_loop,
        ]

    def _step_and_whole_grad_names(self, slot: str) -> list[tuple[str, str]]:
        """Pairs of variable names: the gradient of an input in one step, in the gradient block, and
        the gradient of the whole input, in the outer block.
        """
        result = self._desc.outputs.get(f"{slot}@GRAD", [])
        pairs = zip(self._desc.inputs.get(slot, []), result, strict=False)
        found = [(f"{name}@GRAD", whole) for name, whole in pairs if whole != EMPTY_NAME]
        return [(one, whole) for one, whole in found if one in self._grad_block.vars]

    def _lower_memory_grads(self, forward: int) -> None:
        """Add instructions that pass the gradient of each memory from a step to the step before
        it.
        """
        desc = self._desc
        firsts = desc.outputs.get("initial_states@GRAD") or [EMPTY_NAME] * len(
            desc.attr("states", [])
        )
        for held, after, first in zip(
            desc.attr("ex_states", []), desc.attr("states", []), firsts, strict=True
        ):
            if f"{held}@GRAD" not in self._grad_block.vars:
                continue
            state = self._lowering.get_or_create_register(forward, after)
            carried = self._new_temporary(self._lowering.variables[state])
            text = "{o0} = {ZEROS}({1}) if {0} is None else {0}"
            self._append_statement(self._before_loop, "{o0} = None", (), carried)
            self._append_statement(
                self._iteration_start,
                text,
                (carried, state),
                self._mark_and_get_undeclared_local_register(f"{after}@GRAD"),
                ZEROS=zeros_like,
            )
            self._append_statement(
                self._iteration_end,
                COPY_STATEMENT,
                (self._grad_block_register(f"{held}@GRAD"),),
                carried,
            )
            if first != EMPTY_NAME:
                self._append_statement(
                    self._after_loop, COPY_STATEMENT, (carried,), self._outer_block_register(first)
                )

    def _lower_sequence_grad(self, name: str, gradient: str) -> None:
        """Add instructions that append the gradient of each step of a sequence to a list, and stack
        the list after the loop. The order is reversed, because the backward loop runs the steps
        from last to first.
        """
        held, turned = self._new_temporary(LIST_VARIABLE), not self._desc.attr("reverse", False)
        self._append_statement(self._before_loop, "{o0} = []", (), held)
        self._append_statement(
            self._iteration_end, APPEND_STATEMENT, (held, self._grad_block_register(name)), held
        )
        text = "{o0} = {STACKED}({0}, {turned})"
        self._append_statement(
            self._after_loop,
            text,
            (held,),
            self._outer_block_register(gradient),
            STACKED=stack_steps,
            turned=turned,
        )

    def _lower_parameter_grad(self, name: str, gradient: str) -> None:
        """Add instructions that sum the gradients of a parameter over all steps."""
        one, total = self._grad_block_register(name), self._outer_block_register(gradient)
        self._append_statement(self._before_loop, "{o0} = None", (), total)
        self._append_statement(
            self._iteration_end, "{o0} = {0} if {1} is None else {1} + {0}", (one, total), total
        )

    def _append_statement(
        self, where: list[Instruction], text: str, ins: tuple[str, ...], out: str, **names: Any
    ) -> None:
        where.append(PythonStatement(self._desc, text, ins, (out,), names))

    def _mark_and_get_undeclared_local_register(self, name: str) -> str:
        """Mark a gradient as a local variable of the gradient block, which does not declare it if
        PaddlePaddle wrote it, and return its register.
        """
        self._lowering.undeclared_locals.add((self._grad_block.idx, name))
        return self._grad_block_register(name)

    def _grad_block_register(self, name: str) -> str:
        return self._lowering.get_or_create_register(self._grad_block.idx, name)

    def _outer_block_register(self, name: str) -> str:
        return self._lowering.get_or_create_register(self._block, name)

    def _new_temporary(self, like: VarDesc) -> str:
        return self._lowering.new_temporary(like)


MULTI_INSTRUCTION_RULES |= {"recurrent": lower_recurrent, "recurrent_grad": lower_recurrent_grad}
