"""Generate the source of a Python function from instructions, and record which instruction each
line of the source belongs to.
"""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.errors import COMPILED_FILE_PREFIX
from .buffer_reuse import make_in_place_kernel_or_none
from .error_wrapping import errors_as_op_error
from .fusion import compile_fused_expression, is_better_unfused
from .instructions import (
    BackwardLoop,
    ConditionalBody,
    FusedCalls,
    Instruction,
    KernelCall,
    Loop,
    PythonStatement,
    RegisterSlots,
)
from .kernel_selection import (
    INLINE_HELPERS,
    find_inline_expression,
    find_native_kernel,
    fold_call_without_inputs,
    kernel_without_errstate,
    select_native_call,
)
from .tensor_lists import TENSOR_VERSIONS
from .unsupported_ops import UnsupportedOpsError

Function = Callable[..., Any]
MAX_NAMES_PER_LINE = 30
_function_numbers = itertools.count()


class FunctionSourceWriter:
    """Writes the source of a Python function, line by line.

    global_values: the globals of the function.
    line_instructions: the instruction of each line; None for a line that belongs to none.
    tensors: the function calls ops on Tensors in the current mode, not kernels on arrays.
    on_gpu: arrays are on a GPU, so no CPU-only kernels are called.
    on_iteration: a function that is called in each iteration of a loop.
    """

    def __init__(
        self,
        tensors: bool = False,
        on_iteration: Callable[[], None] | None = None,
        on_gpu: bool = False,
    ) -> None:
        self.tensors, self.on_iteration, self.on_gpu = tensors, on_iteration, on_gpu
        self.lines: list[str] = []
        self.line_instructions: list[Instruction | None] = []
        self.global_values: dict[str, Any] = {"NI": NotImplemented}
        self._global_names: dict[int, str] = {}
        self._indent = 0

    # -- lines
    # --------------------------------------------------------------------------

    def add_line(self, text: str, instruction: Instruction | None = None) -> None:
        """Append a line that belongs to `instruction`."""
        self.lines.append(" " * self._indent + text)
        self.line_instructions.append(instruction)

    @contextmanager
    def indented(self) -> Iterator[None]:
        """Context manager: lines appended in the `with` body are indented one level more."""
        self._indent += 1
        yield
        self._indent -= 1

    def get_or_create_global_name(self, value: Any) -> str:
        """The name of a global variable of the function that holds `value`; the global is created
        at the first call for a value.
        """
        found = self._global_names.get(id(value))
        if found is None:
            found = self._global_names[id(value)] = f"k{len(self._global_names)}"
            # the reference keeps the value alive, so that its id is not reused
            self.global_values[found] = value
        return found

    def write_none_assignments(self, registers: Sequence[str]) -> None:
        """Append statements that set registers to None."""
        for i in range(0, len(registers), MAX_NAMES_PER_LINE):
            self.add_line(" = ".join((*registers[i : i + MAX_NAMES_PER_LINE], "None")))

    # -- instructions
    # -------------------------------------------------------------------------------------------

    def write_instructions(self, instructions: Sequence[Instruction]) -> None:
        """Append the source of several instructions, each followed by statements that set its dead
        registers to None.
        """
        for instruction in instructions:
            with errors_as_op_error(instruction.desc):
                INSTRUCTION_WRITERS[type(instruction)](self, instruction)
            self.write_none_assignments(instruction.dead_after)
        if not instructions:
            self.add_line("pass")

    def write_and_compile_function(
        self,
        inputs: Sequence[str],
        unset: Sequence[str],
        instructions: Sequence[Instruction],
        outputs: Sequence[str],
    ) -> Function:
        """Compile a function of `inputs` that returns a tuple of `outputs`.

        unset: registers that may be read before they are written; they are initialized with None.
        """
        self.add_line(f"def run({', '.join(inputs)}):")
        with self.indented():
            self.write_none_assignments(unset)
            self.write_instructions(instructions)
            self.add_line(f"return ({''.join(f'{c}, ' for c in outputs)})")
        text = "\n".join(self.lines) + "\n"
        file = f"{COMPILED_FILE_PREFIX} {next(_function_numbers)}>"
        try:
            code = compile(text, file, "exec")
        except (
            SyntaxError,
            RecursionError,
            MemoryError,
        ) as error:  # Python limits the nesting depth of loops (20) and blocks (100)
            raise UnsupportedOpsError(
                f"the program cannot be compiled: {getattr(error, 'msg', error)}"
            ) from None
        exec(code, self.global_values)
        function: Function = self.global_values["run"]
        return function


def _slot_code(slot: Any) -> str:
    if slot is None:
        return "None"
    return f"[{', '.join(slot)}]" if isinstance(slot, tuple) else str(slot)


def call_code(
    source: FunctionSourceWriter,
    kernel: Any,
    call: KernelCall,
    extra: tuple[Any, ...] | None = None,
) -> str:
    """The source of a function call.

    extra: positional arguments after the inputs, instead of attributes.
    """
    operands = [_slot_code(s) for s in call.ins]
    if extra is not None:
        arguments = ", ".join((*operands, *map(source.get_or_create_global_name, extra)))
        return f"{source.get_or_create_global_name(kernel)}({arguments})"
    while operands and operands[-1] == "None":
        operands.pop()
    attrs = [
        f"{n}={source.get_or_create_global_name(v)}"
        for n, v in call.attrs.items()
        if not keyword.iskeyword(n)
    ]
    odd = {n: v for n, v in call.attrs.items() if keyword.iskeyword(n)}
    attrs += [f"**{source.get_or_create_global_name(odd)}"] if odd else []
    return f"{source.get_or_create_global_name(kernel)}({', '.join(operands + attrs)})"


def assignment_target_code(outs: RegisterSlots) -> str:
    """The source of the target of an assignment to `outs`, with `_` for unused results."""
    parts = [
        f"({''.join(f'{c}, ' for c in s)}*_)" if isinstance(s, tuple) else s or "_" for s in outs
    ]
    return ", ".join(parts)


def _write_call_in_cheapest_form(source: FunctionSourceWriter, call: KernelCall) -> None:
    if source.tensors:
        source.add_line(
            f"{assignment_target_code(call.outs)} = {call_code(source, call.op, call)}", call
        )
        return
    if source.on_gpu:
        source.add_line(
            f"{assignment_target_code(call.outs)} = {call_code(source, call.op.kernel, call)}", call
        )
        return
    fixed, written_out = fold_call_without_inputs(call), find_inline_expression(call)
    if fixed is not None:
        source.add_line(
            f"{assignment_target_code(call.outs)} = {source.get_or_create_global_name(fixed)}", call
        )
    elif written_out is not None:
        names = {
            n: source.get_or_create_global_name(v)
            for n, v in INLINE_HELPERS.items()
            if f"{{{n}}}" in written_out
        }
        text = written_out.format(
            *call.ins,
            kernel=source.get_or_create_global_name(kernel_without_errstate(call.op)),
            **names,
        )
        source.add_line(f"{assignment_target_code(call.outs)} = {text}", call)
    else:
        _write_in_place_call_with_fallback(source, call)


def _write_in_place_call_with_fallback(source: FunctionSourceWriter, call: KernelCall) -> None:
    """Append a call of the in-place kernel, followed by a call of the compiled or NumPy kernel for
    the case that it returns NotImplemented. Without an in-place kernel, append only the latter.
    """
    place = make_in_place_kernel_or_none(call)
    if (
        place is None
        or call.outs[0] is None
        or call.outs[0] in call.iter_registers_read_excluding_body()
    ):
        _write_native_kernel_call_with_fallback(source, call)
        return
    source.add_line(f"{call.outs[0]} = {call_code(source, place, call)}", call)
    source.add_line(f"if {call.outs[0]} is NI:", call)
    with source.indented():
        _write_native_kernel_call_with_fallback(source, call)


def _write_native_kernel_call_with_fallback(source: FunctionSourceWriter, call: KernelCall) -> None:
    """Append a call of the compiled kernel, followed by a call of the NumPy kernel for the case
    that it returns NotImplemented.
    """
    kernel = call_code(source, kernel_without_errstate(call.op), call)
    direct, quick = select_native_call(call), find_native_kernel(call.op)
    if direct is None and quick is None:
        source.add_line(f"{assignment_target_code(call.outs)} = {kernel}", call)
        return
    first = (
        call_code(source, quick, call)
        if direct is None
        else call_code(source, direct[0], call, direct[1])
    )
    single = call.op.has_single_output and call.outs[0] is not None
    found = call.outs[0] if single else "t"
    source.add_line(f"{found} = {first}", call)
    source.add_line(f"if {found} is NI: {found} = {kernel}", call)
    if not single:
        source.add_line(f"{assignment_target_code(call.outs)} = t", call)


def _write_template_statement(source: FunctionSourceWriter, do: PythonStatement) -> None:
    of_tensors = TENSOR_VERSIONS if source.tensors else {}
    names = {
        n: source.get_or_create_global_name(of_tensors.get(id(v), v))
        for n, v in do.name_values.items()
    }
    names |= {f"o{i}": register for i, register in enumerate(do.outs)}
    source.add_line(do.template.format(*do.ins, **names), do)


def _write_branch(source: FunctionSourceWriter, branch: ConditionalBody) -> None:
    source.add_line(f"if {branch.condition.format(*branch.ins)}:", branch)
    with source.indented():
        _write_body(source, branch)


def _write_body(source: FunctionSourceWriter, instruction: ConditionalBody | BackwardLoop) -> None:
    """Append the instructions in the body of `instruction`, or `pass` if dead-code elimination left
    none.
    """
    before = len(source.lines)
    source.write_instructions(instruction.body)
    if len(source.lines) == before:
        source.add_line("pass", instruction)


def _write_loop(source: FunctionSourceWriter, loop: Loop) -> None:
    if loop.residual_list is not None:
        source.add_line(f"{loop.residual_list} = []", loop)
    source.add_line(f"while {loop.condition_register}:", loop)
    with source.indented():
        if source.on_iteration is not None:
            source.add_line(f"{source.get_or_create_global_name(source.on_iteration)}()", loop)
        source.write_instructions(loop.body)
        if loop.residual_list is not None:
            source.add_line(
                f"{loop.residual_list}.append(({''.join(f'{c}, ' for c in loop.saved_registers)}))",
                loop,
            )


def _write_backward_loop(source: FunctionSourceWriter, back: BackwardLoop) -> None:
    targets = "".join(f"{c}, " for c in back.saved_registers)
    source.add_line(f"for ({targets}) in reversed({back.residual_list}):", back)
    with source.indented():
        _write_body(source, back)


def _write_fused_calls(source: FunctionSourceWriter, fused: FusedCalls) -> None:
    if not fused.outs:
        return
    if is_better_unfused(fused):
        _write_call_in_cheapest_form(source, fused.calls[0])
        return
    # A single result that is not also an input is assigned directly; other results are first
    # assigned to a temporary, because the inputs are still needed if the expression returns
    # NotImplemented.
    single = len(fused.outs) == 1 and fused.outs[0] not in fused.ins
    found = fused.outs[0] if single else "t"
    kernel = source.get_or_create_global_name(compile_fused_expression(fused))
    source.add_line(f"{found} = {kernel}({', '.join(fused.ins)})", fused)
    source.add_line(f"if {found} is NI:", fused)
    with source.indented():
        for call in fused.calls:
            _write_call_in_cheapest_form(source, call)
    if not single:
        outs = ", ".join(fused.outs)
        source.add_line(f"else: {outs} = t", fused)


INSTRUCTION_WRITERS: dict[type[Instruction], Any] = {
    KernelCall: _write_call_in_cheapest_form,
    PythonStatement: _write_template_statement,
    ConditionalBody: _write_branch,
    Loop: _write_loop,
    BackwardLoop: _write_backward_loop,
    FusedCalls: _write_fused_calls,
}
