"""Run a program op by op with the eager kernels: slower than the engine, but gradients flow through it.

A program is compiled once into a flat list of instructions on numbered cells; running it is one loop.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..core.errors import OpError
from ..core.mode import state
from ..core.op import OPS, Op
from ..core.tensor import Tensor
from .program import AttrType, OpDesc, Program
from .unsupported import Unsupported, refuse_unknown


class Step(NamedTuple):
    """One instruction: op, cells of its operands (-1 for none, a tuple for many), attributes, cells of its results."""

    op: Op
    ins: tuple[Any, ...]
    attrs: dict[str, Any]
    outs: tuple[Any, ...]
    last: tuple[int, ...]  # cells that nobody reads afterwards
    where: str


__all__ = ["Interpreter", "Unsupported"]

SKIPPED = ("feed", "fetch")
UNTYPED = (AttrType.BLOCK, AttrType.BLOCKS, AttrType.VAR, AttrType.VARS)


class Interpreter:
    """A compiled program.   scope: values of its persistables, read at each run; one that an op writes is updated."""

    def __init__(self, program: Program, scope: Mapping[str, Tensor], fetches: Sequence[str] | None = None) -> None:
        self.feeds = program.feeds()
        self.fetches = list(program.fetches() if fetches is None else fetches)
        self.scope = scope
        ops = [op for op in program.block.ops if op.type not in SKIPPED]
        refuse_unknown(ops)
        self._cells: dict[str, int] = {}
        self._steps = self._compile(ops)
        self._loads = [(name, self._cells[name]) for name in scope if name in self._cells]
        self._results = [self._cell(name) for name in self.fetches]
        written = {name for op in ops for name in op.output_names()}
        self._stores = [(name, cell) for name, cell in self._loads if name in written]

    def _cell(self, name: str) -> int:
        return self._cells.setdefault(name, len(self._cells))

    def _compile(self, ops: Sequence[OpDesc]) -> list[Step]:
        last_read = {name: i for i, op in enumerate(ops) for name in (*op.input_names(), *op.output_names())}
        kept = {*self.fetches, *self.scope}
        dying: list[list[int]] = [[] for _ in ops]
        for name, i in last_read.items():
            if name not in kept:
                dying[i].append(self._cell(name))
        return [self._step(op, tuple(dying[i])) for i, op in enumerate(ops)]

    def _step(self, desc: OpDesc, last: tuple[int, ...]) -> Step:
        op = OPS[desc.type]
        ins = tuple(self._slot(desc.inputs.get(s.name, []), s.many) for s in op.ins)
        outs = tuple(self._slot(desc.outputs.get(s.name, []), s.many) for s in op.outs)
        attrs = {name: a.value for name, a in desc.attrs.items() if name in op.attrs and a.type not in UNTYPED}
        return Step(op, ins, attrs, outs, last, desc.where)

    def _slot(self, names: list[str], many: bool) -> Any:
        if many:
            return tuple(map(self._cell, names))
        return self._cell(names[0]) if names else -1

    def run(self, feed: Mapping[str, Tensor]) -> list[Tensor]:
        """The fetched values.   feed: one Tensor per input.   Raises OpError for a missing input or an op that fails."""
        missing = [name for name in self.feeds if name not in feed]
        if missing:
            raise OpError(f"run: inputs {missing} are missing; the program takes {self.feeds}")
        cells: list[Any] = [None] * (len(self._cells) + 1)
        for name, cell in self._loads:
            cells[cell] = self.scope[name]
        for name, tensor in feed.items():
            if name in self._cells:
                cells[self._cells[name]] = tensor
        for step in self._steps:
            _execute(step, cells)
        if not state.mode.static:
            for name, cell in self._stores:
                self.scope[name].array = cells[cell].array
        return [cells[c] for c in self._results]


def _execute(step: Step, cells: list[Any]) -> None:
    args = [([cells[c] for c in i] or None) if isinstance(i, tuple) else cells[i] for i in step.ins]
    try:
        made = step.op(*args, **step.attrs)
    except OpError as error:
        if not step.where:
            raise
        raise OpError(f"{str(error).splitlines()[0]}\n  recorded at {step.where}") from None
    for slot, value in zip(step.outs, (made,) if len(step.op.outs) == 1 else made, strict=True):
        if isinstance(slot, tuple):
            for c, v in zip(slot, value, strict=False):
                cells[c] = v
        elif slot >= 0:
            cells[slot] = value
    for c in step.last:
        cells[c] = None
