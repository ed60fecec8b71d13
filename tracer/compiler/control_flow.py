"""Ops that are no kernels: those that run blocks, and those on lists of tensors.

How each becomes an instruction.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..capture.side_effects.print_assert import AssertCheck, Printer, UndefinedRead
from ..capture.side_effects.py_func import PyFuncKernel
from ..capture.undefined_checks import EXPECTED_FLAG
from ..core.dtype import dtype_of
from ..ir.program import OpDesc
from . import tensor_lists
from .copy_propagation import SAME
from .instructions import Back, Branch, Do, Loop, Step
from .lowering import RULES, Lowering, Rule


def _names(desc: OpDesc, slot: str) -> list[str]:
    return desc.inputs.get(slot, [])


def conditional(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """A block that runs if its condition holds; with is_scalar_condition=False, if nothing that it
    reads is empty.
    """
    inner = lowering.program.blocks[desc.attr("sub_block")]
    forward = desc.type == "conditional_block"  # the way back goes on with lists of gradients
    body = (lowering.fresh(inner, desc) if forward else []) + lowering.block(inner)
    scalar = desc.attr("is_scalar_condition", False)
    tested = lowering.cells_of(block, _names(desc, "Cond" if scalar else "Input"))
    test = "{0}" if scalar else " and ".join(f"{{{i}}}.size" for i in range(len(tested))) or "1"
    return Branch(desc, test, tested, body)


def loop(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """A block that runs while its condition holds."""
    inner = lowering.program.blocks[desc.attr("sub_block")]
    body = lowering.fresh(inner, desc) + lowering.block(inner)
    scopes = desc.outputs.get("StepScopes", [])
    walked = bool(scopes) and scopes[0] in lowering.walked
    rounds = lowering.cell(block, scopes[0]) if walked else None
    made = Loop(desc, lowering.cell(block, _names(desc, "Condition")[0]), body, rounds)
    if rounds is not None:
        lowering.loops[rounds] = made
    return made


def loop_back(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """The way back through the rounds of a loop."""
    rounds = lowering.cell(block, _names(desc, "StepScopes")[0])
    body = lowering.block(lowering.program.blocks[desc.attr("sub_block")])
    return Back(desc, lowering.loops[rounds], rounds, body)


def statement(text: str, ins: str, outs: str, **names: Any) -> Rule:
    """An op that is one statement.

    ins, outs: its slots; `X*` is a list, `>Out` a result that is an operand too.
    """

    def make(lowering: Lowering, block: int, desc: OpDesc) -> Step:
        def cells(slots: str, given: dict[str, list[str]]) -> tuple[str, ...]:
            found: list[str] = []
            for slot in slots.split():
                wanted = (
                    desc.outputs[slot[1:]] if slot[0] == ">" else given.get(slot.rstrip("*"), [])
                )
                found += lowering.cells_of(block, wanted if slot[-1] == "*" else wanted[:1])
            return tuple(found)

        return Do(desc, text, cells(ins, desc.inputs), cells(outs, desc.outputs), names)

    return make


def on_lists(special: Rule, slot: str = "X") -> Rule:
    """What an op is where its operand is a list of tensors; else it is its kernel."""

    def make(lowering: Lowering, block: int, desc: OpDesc) -> Step | None:
        operands = desc.inputs.get(slot)  # a file may leave it out: the kernel says so
        return (
            special(lowering, block, desc)
            if operands and lowering.is_array(block, operands[0])
            else None
        )

    return make


def part(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """`slice` of a list: a shorter list, or with decrease_axis one element."""
    start, end = desc.attr("starts")[0], desc.attr("ends")[0]
    index = f"[{start}]" if desc.attr("decrease_axis") else f"[{start}:{end}]"
    return statement("{o0} = {0}" + index, "Input", "Out")(lowering, block, desc)  # type: ignore[return-value]


def total(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """`sum` of lists, of any number of them."""
    given = ", ".join(f"{{{i}}}" for i in range(len(desc.inputs["X"])))
    return statement(f"{{o0}} = {{ADDED}}({given})", "X*", "Out", ADDED=tensor_lists.added)(
        lowering, block, desc
    )  # type: ignore[return-value]


def join(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """tensor_array_to_tensor"""
    names = {
        "JOIN": tensor_lists.joined,
        "axis": desc.attr("axis", 0),
        "stacked": desc.attr("use_stack", False),
    }
    outs = "Out OutIndex" if desc.outputs.get("OutIndex") else "Out"
    target = "{o0}, {o1}" if " " in outs else "{o0}, _"
    return statement(target + " = {JOIN}({0}, {axis}, {stacked})", "X", outs, **names)(
        lowering, block, desc
    )  # type: ignore[return-value]


def join_back(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """tensor_array_to_tensor_grad"""
    names = {
        "PARTS": tensor_lists.parts,
        "axis": desc.attr("axis", 0),
        "stacked": desc.attr("use_stack", False),
    }
    return statement(
        "{o0} = {PARTS}({0}, {1}, {axis}, {stacked})", "Out@GRAD X", "X@GRAD", **names
    )(lowering, block, desc)  # type: ignore[return-value]


def select(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """The operand that a number picks; the others need not be there."""
    count = len(desc.inputs["X"])
    if count == 2:
        return statement("{o0} = {2} if {0}.item() else {1}", "Mask X*", "Out")(
            lowering, block, desc
        )  # type: ignore[return-value]
    choices = ", ".join(f"{{{i + 1}}}" for i in range(count))
    return statement(f"{{o0}} = ({choices})[{{0}}.item()]", "Mask X*", "Out")(lowering, block, desc)  # type: ignore[return-value]


def spread(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """select_output: the operand becomes the result that a number picks; the others have
    no value.
    """
    outs = desc.outputs["Out"]
    targets = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    text = f"{targets}= [{{1}} if i == {{0}}.item() else None for i in range({len(outs)})]"
    return statement(text, "Mask X", "Out*")(lowering, block, desc)  # type: ignore[return-value]


def select_back(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """select_input_grad: the gradient for the operand that was picked, zeros for the others."""
    outs = desc.outputs["X@GRAD"]
    targets = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    given = ", ".join(f"{{{i + 2}}}" for i in range(len(outs)))
    text = f"{targets}= {{PICKED}}({{0}}, {{1}}, ({given},))"
    return statement(text, "Mask Out@GRAD X*", "X@GRAD*", PICKED=tensor_lists.picked)(
        lowering, block, desc
    )  # type: ignore[return-value]


def _same(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    return statement(SAME, "X", "Out")(lowering, block, desc)  # type: ignore[return-value]


def helper(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """rnn_memory_helper, which Paddle 1.x has where 2.x has `assign`."""
    return lowering.step(block, replace(desc, type="assign", attrs={}))


def show(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """print: the operand itself, which is shown."""
    return statement("{o0} = {SHOW}({0})", "In", "Out", SHOW=Printer.of(desc))(
        lowering, block, desc
    )  # type: ignore[return-value]


def check(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """assert"""
    if desc.attr(EXPECTED_FLAG) is not None:
        text = f"if {'not ' if desc.attr(EXPECTED_FLAG) else ''}{{0}}.item(): {{FAIL}}()"
        return statement(text, "Cond", "", FAIL=UndefinedRead(desc.attr("message")))(
            lowering, block, desc
        )  # type: ignore[return-value]
    shown = "".join(f"{{{i + 1}}}, " for i in range(len(_names(desc, "Data"))))
    held = AssertCheck(desc.attr("summarize", -1), desc.where, desc.attr("message", ""))
    return statement("{CHECK}({0}, [" + shown + "])", "Cond Data*", "", CHECK=held)(
        lowering, block, desc
    )  # type: ignore[return-value]


def python(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """py_func: a call of a Python function."""
    outs = desc.outputs.get("Out", [])
    declared = [lowering.program.var(name, block) for name in outs]
    caller = PyFuncKernel(
        desc.attr("forward_callable_id"), [dtype_of(v.dtype).np for v in declared if v is not None]
    )
    given = ", ".join(f"{{{i}}}" for i in range(len(_names(desc, "X"))))
    target = "".join(f"{{o{i}}}, " for i in range(len(outs)))
    text = f"{target}= {{CALL}}({given})" if outs else f"{{CALL}}({given})"
    return statement(text, "X*", "Out*", CALL=caller)(lowering, block, desc)  # type: ignore[return-value]


def pylayer(lowering: Lowering, block: int, desc: OpDesc) -> Step:
    """pylayer: what its forward function made."""
    count = len(desc.outputs["Out"])
    text = (
        f"{''.join(f'{{o{i}}}, ' for i in range(count))}= "
        f"{''.join(f'{{{i}}}, ' for i in range(count))}"
    )
    return statement(text, "Y*", "Out*")(lowering, block, desc)  # type: ignore[return-value]


RULES |= {
    "print": show,
    "assert": check,
    "py_func": python,
    "pylayer": pylayer,
    "conditional_block": conditional,
    "conditional_block_infer": conditional,
    "conditional_block_grad": conditional,
    "while": loop,
    "while_grad": loop_back,
    "select_input": select,
    "select_output": spread,
    "select_input_grad": select_back,
    "assign": _same,
    "rnn_memory_helper": helper,
    "rnn_memory_helper_grad": statement(SAME, "Out@GRAD", "X@GRAD"),
    "create_array": statement("{o0} = []", "", "Out"),
    "write_to_array": statement(
        "{o0} = {WRITE}({2}, {0}, {1})", "I X >Out", "Out", WRITE=tensor_lists.written
    ),
    "read_from_array": statement("{o0} = {READ}({0}, {1})", "X I", "Out", READ=tensor_lists.read),
    "lod_array_length": statement("{o0} = {LENGTH}({0})", "X", "Out", LENGTH=tensor_lists.length),
    "tensor_array_to_tensor": join,
    "slice": on_lists(part, "Input"),
    "sum": on_lists(total),
    "write_to_array_grad": statement(
        "{o0}, {o1} = {UNWRITTEN}({0}, {1}, {2})",
        "Out@GRAD I X",
        "X@GRAD Out@GRAD",
        UNWRITTEN=tensor_lists.unwritten,
    ),
    "read_from_array_grad": statement(
        "{o0} = {UNREAD}({2}, {0}, {1})", "I Out@GRAD X@GRAD", "X@GRAD", UNREAD=tensor_lists.unread
    ),
    "tensor_array_to_tensor_grad": join_back,
}
