"""Generate the source of a Python function from instructions. Also map its lines to
instructions.
"""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.errors import COMPILED
from .buffer_reuse import in_place_kernel
from .error_wrapping import errors_as_op_error
from .fusion import compile_expression, is_better_unfused
from .instructions import (
    BackwardLoop,
    Branch,
    FusedCalls,
    Instruction,
    KernelCall,
    Loop,
    RegisterSlots,
    Statement,
)
from .kernel_selection import (
    HELPERS,
    bare_kernel,
    constant_result,
    inline_expression,
    native_call,
    native_rule,
)
from .tensor_lists import ON_TENSORS
from .unsupported_ops import Unsupported

Function = Callable[..., Any]
MAX_NAMES_PER_LINE = 30
_number = itertools.count()


class FunctionSource:
    """The source of a function under construction.

    names: the globals of the function.
    instructions: the instruction of each line.
    tensors: call ops on Tensors in the current mode, instead of kernels on arrays.
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
        self.instructions: list[Instruction | None] = []
        self.names: dict[str, Any] = {
            "__builtins__": {"range": range, "reversed": reversed},
            "NI": NotImplemented,
        }
        self._bound: dict[int, str] = {}
        self._depth = 0

    # -- lines
    # --------------------------------------------------------------------------

    def line(self, text: str, instruction: Instruction | None = None) -> None:
        """Append a line."""
        self.lines.append(" " * self._depth + text)
        self.instructions.append(instruction)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """Indent the lines that are appended in the body of the `with` statement."""
        self._depth += 1
        yield
        self._depth -= 1

    def name(self, value: Any) -> str:
        """The name of a global with this value."""
        found = self._bound.get(id(value))
        if found is None:
            found = self._bound[id(value)] = f"k{len(self._bound)}"
            self.names[found] = value  # keep the value alive, so that its id stays unique
        return found

    def kill(self, registers: Sequence[str]) -> None:
        """Set registers to None."""
        for i in range(0, len(registers), MAX_NAMES_PER_LINE):
            self.line(" = ".join((*registers[i : i + MAX_NAMES_PER_LINE], "None")))

    # -- instructions
    # -------------------------------------------------------------------------------------------

    def block(self, instructions: Sequence[Instruction]) -> None:
        """Append several instructions."""
        for instruction in instructions:
            with errors_as_op_error(instruction.desc):
                WRITERS[type(instruction)](self, instruction)
            self.kill(instruction.dead_after)
        if not instructions:
            self.line("pass")

    def function(
        self,
        inputs: Sequence[str],
        unset: Sequence[str],
        instructions: Sequence[Instruction],
        outputs: Sequence[str],
    ) -> Function:
        """Compile a function of `inputs` that returns a tuple of `outputs`.

        unset: registers that may be read before they are written; they are initialized with None.
        """
        self.line(f"def run({', '.join(inputs)}):")
        with self.inside():
            self.kill(unset)
            self.block(instructions)
            self.line(f"return ({''.join(f'{c}, ' for c in outputs)})")
        text = "\n".join(self.lines) + "\n"
        file = f"{COMPILED} {next(_number)}>"
        try:
            code = compile(text, file, "exec")
        except (
            SyntaxError,
            RecursionError,
            MemoryError,
        ) as error:  # Python limits the nesting depth of loops (20) and blocks (100)
            raise Unsupported(
                f"the program cannot be compiled: {getattr(error, 'msg', error)}"
            ) from None
        exec(code, self.names)
        function: Function = self.names["run"]
        return function


def _operand(slot: Any) -> str:
    if slot is None:
        return "None"
    return f"[{', '.join(slot)}]" if isinstance(slot, tuple) else str(slot)


def call_text(
    source: FunctionSource, kernel: Any, call: KernelCall, extra: tuple[Any, ...] | None = None
) -> str:
    """The source of a function call.

    extra: positional arguments after the inputs, instead of attributes.
    """
    operands = [_operand(s) for s in call.ins]
    if extra is not None:
        return f"{source.name(kernel)}({', '.join((*operands, *map(source.name, extra)))})"
    while operands and operands[-1] == "None":
        operands.pop()
    attrs = [f"{n}={source.name(v)}" for n, v in call.attrs.items() if not keyword.iskeyword(n)]
    odd = {n: v for n, v in call.attrs.items() if keyword.iskeyword(n)}
    attrs += [f"**{source.name(odd)}"] if odd else []
    return f"{source.name(kernel)}({', '.join(operands + attrs)})"


def assignment_target(outs: RegisterSlots) -> str:
    """The target of an assignment; `_` for unused results."""
    parts = [
        f"({''.join(f'{c}, ' for c in s)}*_)" if isinstance(s, tuple) else s or "_" for s in outs
    ]
    return ", ".join(parts)


def _write_call(source: FunctionSource, call: KernelCall) -> None:
    if source.tensors:
        source.line(f"{assignment_target(call.outs)} = {call_text(source, call.op, call)}", call)
        return
    if source.on_gpu:
        source.line(
            f"{assignment_target(call.outs)} = {call_text(source, call.op.kernel, call)}", call
        )
        return
    fixed, written_out = constant_result(call), inline_expression(call)
    if fixed is not None:
        source.line(f"{assignment_target(call.outs)} = {source.name(fixed)}", call)
    elif written_out is not None:
        names = {n: source.name(v) for n, v in HELPERS.items() if f"{{{n}}}" in written_out}
        text = written_out.format(*call.ins, kernel=source.name(bare_kernel(call.op)), **names)
        source.line(f"{assignment_target(call.outs)} = {text}", call)
    else:
        _write_in_place(source, call)


def _write_in_place(source: FunctionSource, call: KernelCall) -> None:
    """Append the call of the in-place kernel, if there is one, with the other kernels as
    fallback.
    """
    place = in_place_kernel(call)
    if place is None or call.outs[0] is None or call.outs[0] in call.reads():
        _write_kernels(source, call)
        return
    source.line(f"{call.outs[0]} = {call_text(source, place, call)}", call)
    source.line(f"if {call.outs[0]} is NI:", call)
    with source.inside():
        _write_kernels(source, call)


def _write_kernels(source: FunctionSource, call: KernelCall) -> None:
    """Append the call of the compiled kernel, with the NumPy kernel as fallback."""
    kernel = call_text(source, bare_kernel(call.op), call)
    direct, quick = native_call(call), native_rule(call.op)
    if direct is None and quick is None:
        source.line(f"{assignment_target(call.outs)} = {kernel}", call)
        return
    first = (
        call_text(source, quick, call)
        if direct is None
        else call_text(source, direct[0], call, direct[1])
    )
    single = call.op.single and call.outs[0] is not None
    found = call.outs[0] if single else "t"
    source.line(f"{found} = {first}", call)
    source.line(f"if {found} is NI: {found} = {kernel}", call)
    if not single:
        source.line(f"{assignment_target(call.outs)} = t", call)


def _write_statement(source: FunctionSource, do: Statement) -> None:
    of_tensors = ON_TENSORS if source.tensors else {}
    names = {n: source.name(of_tensors.get(id(v), v)) for n, v in do.names.items()}
    names |= {f"o{i}": register for i, register in enumerate(do.outs)}
    source.line(do.text.format(*do.ins, **names), do)


def _write_branch(source: FunctionSource, branch: Branch) -> None:
    source.line(f"if {branch.test.format(*branch.ins)}:", branch)
    with source.inside():
        _write_body(source, branch)


def _write_body(source: FunctionSource, instruction: Branch | BackwardLoop) -> None:
    """Append a body; `pass` if dead-code elimination left nothing."""
    before = len(source.lines)
    source.block(instruction.body)
    if len(source.lines) == before:
        source.line("pass", instruction)


def _write_loop(source: FunctionSource, loop: Loop) -> None:
    if loop.residuals is not None:
        source.line(f"{loop.residuals} = []", loop)
    source.line(f"while {loop.cond}:", loop)
    with source.inside():
        if source.on_iteration is not None:
            source.line(f"{source.name(source.on_iteration)}()", loop)
        source.block(loop.body)
        if loop.residuals is not None:
            source.line(f"{loop.residuals}.append(({''.join(f'{c}, ' for c in loop.saved)}))", loop)


def _write_backward_loop(source: FunctionSource, back: BackwardLoop) -> None:
    source.line(
        f"for ({''.join(f'{c}, ' for c in back.saved)}) in reversed({back.residuals}):", back
    )
    with source.inside():
        _write_body(source, back)


def _write_fused(source: FunctionSource, fused: FusedCalls) -> None:
    if not fused.outs:
        return
    if is_better_unfused(fused):
        _write_call(source, fused.calls[0])
        return
    # if the expression falls back, no input may be overwritten before its last reader
    single = len(fused.outs) == 1 and fused.outs[0] not in fused.ins
    found = fused.outs[0] if single else "t"
    source.line(
        f"{found} = {source.name(compile_expression(fused))}({', '.join(fused.ins)})", fused
    )
    source.line(f"if {found} is NI:", fused)
    with source.inside():
        for call in fused.calls:
            _write_call(source, call)
    if not single:
        outs = ", ".join(fused.outs)
        source.line(f"else: {outs} = t", fused)


WRITERS: dict[type[Instruction], Any] = {
    KernelCall: _write_call,
    Statement: _write_statement,
    Branch: _write_branch,
    Loop: _write_loop,
    BackwardLoop: _write_backward_loop,
    FusedCalls: _write_fused,
}
