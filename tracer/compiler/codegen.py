"""The source of one Python function for some instructions, and which op each of its lines is."""

from __future__ import annotations

import itertools
import keyword
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..core.errors import COMPILED
from .buffer_reuse import over
from .error_wrapping import errors_as_op_error
from .fusion import as_good_alone, expression
from .instructions import Back, Branch, Call, Do, Fused, Loop, Slotted, Step
from .kernel_selection import HELPERS, bare_kernel, constant, direct_kernel, inline, quick_kernel
from .tensor_lists import ON_TENSORS
from .unsupported_ops import Unsupported

Function = Callable[..., Any]
FOLD = 30  # names on one line
_number = itertools.count()


class Source:
    """A function that is being written.

    names: what its globals are; steps: the instruction of each line.

    tensors: it calls ops, on Tensors, in the mode in force; else kernels on arrays.
    placed: on arrays of a GPU, so none that know only those
    of the processor.   each_round: called in each round of a loop.
    """

    def __init__(
        self,
        tensors: bool = False,
        each_round: Callable[[], None] | None = None,
        placed: bool = False,
    ) -> None:
        self.tensors, self.each_round, self.placed = tensors, each_round, placed
        self.lines: list[str] = []
        self.steps: list[Step | None] = []
        self.names: dict[str, Any] = {
            "__builtins__": {"range": range, "reversed": reversed},
            "NI": NotImplemented,
        }
        self._bound: dict[int, str] = {}
        self._depth = 0

    # -- lines
    # --------------------------------------------------------------------------

    def line(self, text: str, step: Step | None = None) -> None:
        """One more line."""
        self.lines.append(" " * self._depth + text)
        self.steps.append(step)

    @contextmanager
    def inside(self) -> Iterator[None]:
        """What is written in the body is inside of the line before."""
        self._depth += 1
        yield
        self._depth -= 1

    def name(self, value: Any) -> str:
        """The global that a value is."""
        found = self._bound.get(id(value))
        if found is None:
            found = self._bound[id(value)] = f"k{len(self._bound)}"
            self.names[found] = value  # which keeps it, so that no other gets its id
        return found

    def kill(self, cells: Sequence[str]) -> None:
        """Forget what cells hold."""
        for i in range(0, len(cells), FOLD):
            self.line(" = ".join((*cells[i : i + FOLD], "None")))

    # -- instructions
    # -------------------------------------------------------------------------------------------

    def block(self, steps: Sequence[Step]) -> None:
        """Some instructions, one after the other."""
        for step in steps:
            with errors_as_op_error(step.desc):
                WRITERS[type(step)](self, step)
            self.kill(step.dying)
        if not steps:
            self.line("pass")

    def function(
        self,
        inputs: Sequence[str],
        unset: Sequence[str],
        steps: Sequence[Step],
        outputs: Sequence[str],
    ) -> Function:
        """Compile a function of `inputs` that gives `outputs` as a tuple.

        unset: cells that may be read before they are written.
        """
        self.line(f"def run({', '.join(inputs)}):")
        with self.inside():
            self.kill(unset)
            self.block(steps)
            self.line(f"return ({''.join(f'{c}, ' for c in outputs)})")
        text = "\n".join(self.lines) + "\n"
        file = f"{COMPILED} {next(_number)}>"
        try:
            code = compile(text, file, "exec")
        except (
            SyntaxError,
            RecursionError,
            MemoryError,
        ) as error:  # Python nests 20 loops and 100 blocks
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


def call_text(source: Source, kernel: Any, call: Call, extra: tuple[Any, ...] | None = None) -> str:
    """The call of one function.

    extra: what it is given behind the operands, in place of attributes.
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


def target(outs: Slotted) -> str:
    """What a result is assigned to, `_` for what nobody reads."""
    parts = [
        f"({''.join(f'{c}, ' for c in s)}*_)" if isinstance(s, tuple) else s or "_" for s in outs
    ]
    return ", ".join(parts)


def _write_call(source: Source, call: Call) -> None:
    if source.tensors:
        source.line(f"{target(call.outs)} = {call_text(source, call.op, call)}", call)
        return
    if source.placed:
        source.line(f"{target(call.outs)} = {call_text(source, call.op.kernel, call)}", call)
        return
    fixed, written_out = constant(call), inline(call)
    if fixed is not None:
        source.line(f"{target(call.outs)} = {source.name(fixed)}", call)
    elif written_out is not None:
        names = {n: source.name(v) for n, v in HELPERS.items() if f"{{{n}}}" in written_out}
        text = written_out.format(*call.ins, kernel=source.name(bare_kernel(call.op)), **names)
        source.line(f"{target(call.outs)} = {text}", call)
    else:
        _write_over(source, call)


def _write_over(source: Source, call: Call) -> None:
    """The kernel that writes over an operand, where there is one, and the others where that does
    not apply.
    """
    place = over(call)
    if place is None or call.outs[0] is None or call.outs[0] in call.reads():
        _write_kernels(source, call)
        return
    source.line(f"{call.outs[0]} = {call_text(source, place, call)}", call)
    source.line(f"if {call.outs[0]} is NI:", call)
    with source.inside():
        _write_kernels(source, call)


def _write_kernels(source: Source, call: Call) -> None:
    """The compiled kernel, and the NumPy kernel where that does not apply."""
    kernel = call_text(source, bare_kernel(call.op), call)
    direct, quick = direct_kernel(call), quick_kernel(call.op)
    if direct is None and quick is None:
        source.line(f"{target(call.outs)} = {kernel}", call)
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
        source.line(f"{target(call.outs)} = t", call)


def _write_do(source: Source, do: Do) -> None:
    of_tensors = ON_TENSORS if source.tensors else {}
    names = {n: source.name(of_tensors.get(id(v), v)) for n, v in do.names.items()}
    names |= {f"o{i}": cell for i, cell in enumerate(do.outs)}
    source.line(do.text.format(*do.ins, **names), do)


def _write_branch(source: Source, branch: Branch) -> None:
    source.line(f"if {branch.test.format(*branch.ins)}:", branch)
    with source.inside():
        _write_body(source, branch)


def _write_body(source: Source, step: Branch | Back) -> None:
    """What a body does, which may be nothing: all that a group of ops gives may be known to be read
    nowhere only now.
    """
    before = len(source.lines)
    source.block(step.body)
    if len(source.lines) == before:
        source.line("pass", step)


def _write_loop(source: Source, loop: Loop) -> None:
    if loop.rounds is not None:
        source.line(f"{loop.rounds} = []", loop)
    source.line(f"while {loop.cond}:", loop)
    with source.inside():
        if source.each_round is not None:
            source.line(f"{source.name(source.each_round)}()", loop)
        source.block(loop.body)
        if loop.rounds is not None:
            source.line(f"{loop.rounds}.append(({''.join(f'{c}, ' for c in loop.kept)}))", loop)


def _write_back(source: Source, back: Back) -> None:
    source.line(f"for ({''.join(f'{c}, ' for c in back.kept)}) in reversed({back.rounds}):", back)
    with source.inside():
        _write_body(source, back)


def _write_fused(source: Source, fused: Fused) -> None:
    if not fused.outs:
        return
    if as_good_alone(fused):
        _write_call(source, fused.calls[0])
        return
    # else the calls would find it overwritten
    single = len(fused.outs) == 1 and fused.outs[0] not in fused.ins
    found = fused.outs[0] if single else "t"
    source.line(f"{found} = {source.name(expression(fused))}({', '.join(fused.ins)})", fused)
    source.line(f"if {found} is NI:", fused)
    with source.inside():
        for call in fused.calls:
            _write_call(source, call)
    if not single:
        outs = ", ".join(fused.outs)
        source.line(f"else: {outs} = t", fused)


WRITERS: dict[type[Step], Any] = {
    Call: _write_call,
    Do: _write_do,
    Branch: _write_branch,
    Loop: _write_loop,
    Back: _write_back,
    Fused: _write_fused,
}
