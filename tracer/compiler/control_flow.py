"""Lowering rules of ops without kernels: control flow, TensorArrays and side effects."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capture.side_effects.print_assert import AssertKernel, PrintKernel, UndefinedReadKernel
from ..capture.side_effects.py_func_and_static_pylayer import PyFuncKernel
from ..capture.undefined_checks import EXPECTED_FLAG_ATTR
from ..core.dtype import parse_dtype
from ..ir.program import OpDesc
from . import tensor_lists
from .copy_propagation import COPY_STATEMENT
from .instructions import BackwardLoop, ConditionalBody, Instruction, Loop, PythonStatement
from .lowering import LOWERING_RULES, Lowering, LoweringRule


def _input_names_of_slot(desc: OpDesc, slot: str) -> list[str]:
    return desc.inputs.get(slot, [])


def lower_conditional_block(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower `conditional_block` to an `if` statement. With is_scalar_condition=False, the block
    runs if none of the tensors in slot Input is empty.
    """
    inner = lowering.program.blocks[desc.attr("sub_block")]
    # only a forward block empties its lists; a gradient block adds to existing lists of gradients
    forward = desc.type == "conditional_block"
    body = (
        lowering.block_array_reset_instructions(inner, desc) if forward else []
    ) + lowering.lower_block(inner)
    scalar = desc.attr("is_scalar_condition", False)
    tested = lowering.get_or_create_registers(
        block, _input_names_of_slot(desc, "Cond" if scalar else "Input")
    )
    test = "{0}" if scalar else " and ".join(f"{{{i}}}.size" for i in range(len(tested))) or "1"
    return ConditionalBody(desc, test, tested, body)


def lower_while(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower `while` to a loop that runs its block while the condition is true."""
    inner = lowering.program.blocks[desc.attr("sub_block")]
    body = lowering.block_array_reset_instructions(inner, desc) + lowering.lower_block(inner)
    scopes = desc.outputs.get("StepScopes", [])
    differentiated = bool(scopes) and scopes[0] in lowering.differentiated_step_scopes
    residuals = lowering.get_or_create_register(block, scopes[0]) if differentiated else None
    result = Loop(
        desc,
        lowering.get_or_create_register(block, _input_names_of_slot(desc, "Condition")[0]),
        body,
        residuals,
    )
    if residuals is not None:
        lowering.forward_loops[residuals] = result
    return result


def lower_while_grad(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower `while_grad`, the backward pass of a loop, to a loop over the saved iterations in
    reverse order.
    """
    residuals = lowering.get_or_create_register(block, _input_names_of_slot(desc, "StepScopes")[0])
    body = lowering.lower_block(lowering.program.blocks[desc.attr("sub_block")])
    return BackwardLoop(desc, lowering.forward_loops[residuals], residuals, body)


def make_statement_rule(text: str, ins: str, outs: str, **names: Any) -> LoweringRule:
    """Return a lowering rule for an op that becomes one Python statement.

    text: the source of the statement, see `PythonStatement`.
    ins, outs: slots; `X*` is a list slot, `>Out` an output slot that is also an input.
    """

    def lower(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
        def registers(slots: str, given: dict[str, list[str]]) -> tuple[str, ...]:
            found: list[str] = []
            for slot in slots.split():
                wanted = (
                    desc.outputs[slot[1:]] if slot[0] == ">" else given.get(slot.rstrip("*"), [])
                )
                found += lowering.get_or_create_registers(
                    block, wanted if slot[-1] == "*" else wanted[:1]
                )
            return tuple(found)

        return PythonStatement(
            desc, text, registers(ins, desc.inputs), registers(outs, desc.outputs), names
        )

    return lower


def restrict_rule_to_tensor_arrays(special: LoweringRule, slot: str = "X") -> LoweringRule:
    """Return a lowering rule that applies `special` if `slot` holds a TensorArray, and otherwise
    lowers the op to a call of its kernel.
    """

    def lower(lowering: Lowering, block: int, desc: OpDesc) -> Instruction | None:
        operands = desc.inputs.get(slot)  # if the slot is missing, the kernel reports it
        return (
            special(lowering, block, desc)
            if operands and lowering.is_tensor_array(block, operands[0])
            else None
        )

    return lower


def lower_array_slice(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower `slice` of a TensorArray to a shorter list; with decrease_axis, to one element."""
    slots = ["Input"]

    def bound(attr: str, tensor_slot: str) -> str:
        """Return the source of a start or end index: a number, or an expression that reads a
        tensor.
        """
        for slot in (tensor_slot, f"{tensor_slot}List"):
            if desc.inputs.get(slot):
                slots.append(slot)
                return f"int({{{len(slots) - 1}}}.item())"
        return str(desc.attr(attr)[0])

    start = bound("starts", "StartsTensor")
    is_element = bool(desc.attr("decrease_axis"))
    index = f"[{start}]" if is_element else f"[{start}:{bound('ends', 'EndsTensor')}]"
    rule = make_statement_rule("{o0} = {0}" + index, " ".join(slots), "Out")
    return rule(lowering, block, desc)  # type: ignore[return-value]


def lower_array_sum(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower `sum` of TensorArrays to the sum of the lists, element by element."""
    given = ", ".join(f"{{{i}}}" for i in range(len(desc.inputs["X"])))
    return make_statement_rule(
        f"{{o0}} = {{ADDED}}({given})", "X*", "Out", ADDED=tensor_lists.sum_lists_elementwise
    )(lowering, block, desc)  # type: ignore[return-value]


def lower_tensor_array_to_tensor(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower tensor_array_to_tensor to a call that concatenates or stacks the elements of the
    list.
    """
    names = {
        "JOIN": tensor_lists.concat,
        "axis": desc.attr("axis", 0),
        "stacked": desc.attr("use_stack", False),
    }
    outs = "Out OutIndex" if desc.outputs.get("OutIndex") else "Out"
    target = "{o0}, {o1}" if " " in outs else "{o0}, _"
    return make_statement_rule(target + " = {JOIN}({0}, {axis}, {stacked})", "X", outs, **names)(
        lowering, block, desc
    )  # type: ignore[return-value]


def lower_tensor_array_to_tensor_grad(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower tensor_array_to_tensor_grad to a call that splits the gradient into the gradients of
    the elements.
    """
    names = {
        "PARTS": tensor_lists.concat_or_stack_grad,
        "axis": desc.attr("axis", 0),
        "stacked": desc.attr("use_stack", False),
    }
    return make_statement_rule(
        "{o0} = {PARTS}({0}, {1}, {axis}, {stacked})", "Out@GRAD X", "X@GRAD", **names
    )(lowering, block, desc)  # type: ignore[return-value]


def lower_select_input(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower select_input to an expression that selects one input by the value of the mask. Only the
    selected input needs to have a value.
    """
    count = len(desc.inputs["X"])
    if count == 2:
        return make_statement_rule("{o0} = {2} if {0}.item() else {1}", "Mask X*", "Out")(
            lowering, block, desc
        )  # type: ignore[return-value]
    choices = ", ".join(f"{{{i + 1}}}" for i in range(count))
    return make_statement_rule(f"{{o0}} = ({choices})[{{0}}.item()]", "Mask X*", "Out")(
        lowering, block, desc
    )  # type: ignore[return-value]


def lower_select_output(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower select_output: assign the input to the output that the mask selects, and None to the
    other outputs.
    """
    outs = desc.outputs["Out"]
    targets = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    text = f"{targets}= [{{1}} if i == {{0}}.item() else None for i in range({len(outs)})]"
    return make_statement_rule(text, "Mask X", "Out*")(lowering, block, desc)  # type: ignore[return-value]


def lower_select_input_grad(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower select_input_grad: the selected input gets the gradient, the other inputs get zeros."""
    outs = desc.outputs["X@GRAD"]
    targets = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    given = ", ".join(f"{{{i + 2}}}" for i in range(len(outs)))
    text = f"{targets}= {{PICKED}}({{0}}, {{1}}, ({given},))"
    return make_statement_rule(
        text, "Mask Out@GRAD X*", "X@GRAD*", PICKED=tensor_lists.select_input_grad
    )(lowering, block, desc)  # type: ignore[return-value]


def lower_assign(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower assign to a Python statement that copies the array or list."""
    return make_statement_rule(COPY_STATEMENT, "X", "Out")(lowering, block, desc)  # type: ignore[return-value]


def lower_rnn_memory_helper(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower rnn_memory_helper, an op of Paddle 1.x that copies its input, like assign."""
    return lowering.lower_to_one_instruction(block, replace(desc, type="assign", attrs={}))


def lower_print(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower print to a call that prints its input and returns it."""
    return make_statement_rule("{o0} = {SHOW}({0})", "In", "Out", SHOW=PrintKernel.from_op(desc))(
        lowering, block, desc
    )  # type: ignore[return-value]


def lower_assert(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower assert to a statement that raises an error if the condition is false; for the check of
    a maybe-undefined variable, to an `if` statement.
    """
    if desc.attr(EXPECTED_FLAG_ATTR) is not None:
        text = f"if {'not ' if desc.attr(EXPECTED_FLAG_ATTR) else ''}{{0}}.item(): {{FAIL}}()"
        return make_statement_rule(
            text, "Cond", "", FAIL=UndefinedReadKernel(desc.attr("message"))
        )(lowering, block, desc)  # type: ignore[return-value]
    shown = "".join(f"{{{i + 1}}}, " for i in range(len(_input_names_of_slot(desc, "Data"))))
    held = AssertKernel(desc.attr("summarize", -1), desc.user_line, desc.attr("message", ""))
    return make_statement_rule("{CHECK}({0}, [" + shown + "])", "Cond Data*", "", CHECK=held)(
        lowering, block, desc
    )  # type: ignore[return-value]


def lower_py_func(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower py_func to a call of the Python function."""
    outs = desc.outputs.get("Out", [])
    declared = [lowering.program.var(name, block) for name in outs]
    caller = PyFuncKernel(
        desc.attr("forward_callable_id"),
        [parse_dtype(v.dtype).np for v in declared if v is not None],
    )
    given = ", ".join(f"{{{i}}}" for i in range(len(_input_names_of_slot(desc, "X"))))
    target = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    text = f"{target}= {{CALL}}({given})" if outs else f"{{CALL}}({given})"
    return make_statement_rule(text, "X*", "Out*", CALL=caller)(lowering, block, desc)  # type: ignore[return-value]


def lower_pylayer(lowering: Lowering, block: int, desc: OpDesc) -> Instruction:
    """Lower pylayer to a copy of its results: the ops of the forward function are recorded before
    the op and compute them.
    """
    count = len(desc.outputs["Out"])
    text = (
        f"{''.join(f'{{o{i}}}, ' for i in range(count))}= "
        f"{''.join(f'{{{i}}}, ' for i in range(count))}"
    )
    return make_statement_rule(text, "Y*", "Out*")(lowering, block, desc)  # type: ignore[return-value]


LOWERING_RULES |= {
    "print": lower_print,
    "assert": lower_assert,
    "py_func": lower_py_func,
    "pylayer": lower_pylayer,
    "conditional_block": lower_conditional_block,
    "conditional_block_infer": lower_conditional_block,
    "conditional_block_grad": lower_conditional_block,
    "while": lower_while,
    "while_grad": lower_while_grad,
    "select_input": lower_select_input,
    "select_output": lower_select_output,
    "select_input_grad": lower_select_input_grad,
    "assign": lower_assign,
    "rnn_memory_helper": lower_rnn_memory_helper,
    "rnn_memory_helper_grad": make_statement_rule(COPY_STATEMENT, "Out@GRAD", "X@GRAD"),
    "create_array": make_statement_rule("{o0} = []", "", "Out"),
    "write_to_array": make_statement_rule(
        "{o0} = {WRITE}({2}, {0}, {1})",
        "I X >Out",
        "Out",
        WRITE=tensor_lists.write_element,
    ),
    "read_from_array": make_statement_rule(
        "{o0} = {READ}({0}, {1})", "X I", "Out", READ=tensor_lists.read_element
    ),
    "lod_array_length": make_statement_rule(
        "{o0} = {LENGTH}({0})", "X", "Out", LENGTH=tensor_lists.length
    ),
    "tensor_array_to_tensor": lower_tensor_array_to_tensor,
    "slice": restrict_rule_to_tensor_arrays(lower_array_slice, "Input"),
    "sum": restrict_rule_to_tensor_arrays(lower_array_sum),
    "write_to_array_grad": make_statement_rule(
        "{o0}, {o1} = {UNWRITTEN}({0}, {1}, {2})",
        "Out@GRAD I X",
        "X@GRAD Out@GRAD",
        UNWRITTEN=tensor_lists.split_grad_at_written_element,
    ),
    "read_from_array_grad": make_statement_rule(
        "{o0} = {UNREAD}({2}, {0}, {1})",
        "I Out@GRAD X@GRAD",
        "X@GRAD",
        UNREAD=tensor_lists.add_grad_of_read_element,
    ),
    "tensor_array_to_tensor_grad": lower_tensor_array_to_tensor_grad,
}
