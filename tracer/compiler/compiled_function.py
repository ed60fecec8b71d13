"""Compiled: a program as one Python function on bare arrays, with as little as possible done per
call.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np

from ..autodiff.decompose import expanded
from ..core import cuda, native
from ..core._tape import limited
from ..core.errors import OpError, with_user_line
from ..core.errstate import IGNORE_ALL, errstate_variable
from ..core.tensor import Tensor
from ..ir.block_captures import paddle_gradient_ops
from ..ir.op_traits import is_feed_or_fetch
from ..ir.passes.upgrade_ops import upgraded
from ..ir.program import Kind, Program
from .codegen import Function, Source
from .error_mapping import raise_explained
from .error_wrapping import errors_as_op_error
from .feeds import FEED
from .fusion import fused
from .instructions import Plan, Step, all_writes
from .liveness import mark, needed
from .lod_propagation import WithLod, levels
from .lowering import RULES, SEQUENCE_RULES, Lowering
from .unsupported_ops import refuse_unknown

SMALL = 4096  # elements of a cell whose memory is not given back before the end


class Piece:
    """Some instructions as a function.

    inputs, outputs: their cells, in the order of arguments and results; tensors, placed: see
    Source.

    Calling it gives a tuple.   It holds no state: any number of threads may be in it.
    """

    def __init__(
        self,
        plan: Plan,
        steps: Sequence[Step],
        inputs: Sequence[str],
        outputs: Sequence[str],
        tensors: bool = False,
        each_round: Callable[[], None] | None = None,
        placed: bool = False,
    ) -> None:
        with errors_as_op_error():
            kept = list(steps) if tensors else needed(steps, set(outputs))
            kept = kept if tensors or placed else fused(kept, plan.declared)
        big = _big_cells(plan)
        live = mark(kept, set(outputs), lambda cell: cell.rstrip("r") in big)
        self._source = Source(tensors, each_round, placed)
        self.function: Function = self._source.function(
            inputs, sorted(live - set(inputs)), kept, outputs
        )

    def __call__(self, *arrays: Any) -> tuple[Any, ...]:
        """The outputs for some inputs.   Raises OpError that names the op which failed."""
        try:
            found: tuple[Any, ...] = limited(self.function, *arrays)
        except Exception as error:
            raise_explained(self.function, self._source.steps, error)
        return found

    def quietly(self, *arrays: Any) -> tuple[Any, ...]:
        """The same; numbers that overflow are infinite without a word."""
        token = errstate_variable.set(IGNORE_ALL)
        try:
            return self(*arrays)
        finally:
            errstate_variable.reset(token)

    @property
    def functions(self) -> list[Any]:
        """The functions that its source calls."""
        return [value for value in self._source.names.values() if callable(value)]

    @property
    def text(self) -> str:
        """Its source."""
        return "\n".join(self._source.lines)


def _big_cells(plan: Plan) -> set[str]:
    """The cells that may hold much memory."""

    def big(cell: str) -> bool:
        var = plan.declared[cell]
        size = 1
        for d in var.shape:
            size *= d if d >= 0 else SMALL
        return size >= SMALL or var.kind == Kind.ARRAY

    return {cell for cell in plan.declared if big(cell)}


def lowered(program: Program, tensors: bool = False) -> Plan:
    """The instructions of a program.

    Raises Unsupported that lists everything which cannot be run.
    """
    with errors_as_op_error():
        program = expanded(upgraded(program))
        made = Lowering(program, tensors)
        ops = [
            op
            for op in program.ops()
            if not is_feed_or_fetch(op.type) and op.type not in (*RULES, *SEQUENCE_RULES)
        ]
        foreign = [
            op for op in paddle_gradient_ops(program) if op.attr("sub_block") not in made.inside
        ]
        refuse_unknown([op for op in ops if made.gradients.find(op) is None], foreign)
        return made.plan()


class Compiled:
    """A program that is run.

    feeds, fetches: names; scope: the values of persistables, given to each run; each_round: see
    Source.

    Nothing of a run stays in it: threads may share it, if they do not share a scope that the
    program writes.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str] | None = None,
        fetches: Sequence[str] | None = None,
        each_round: Callable[[], None] | None = None,
    ) -> None:
        self.program, self._each_round = program, each_round
        self.feeds = list(program.feeds() if feeds is None else feeds)
        self.fetches = list(program.fetches() if fetches is None else fetches)
        self._built: dict[bool, _Built] = {}
        self._build()

    def _build(self) -> _Built:
        """The function, made anew when compiled kernels are turned on or off."""
        on = native.switch.on
        found = self._built.get(on)
        if found is None:
            found = self._built[on] = _Built(
                self.program, self.feeds, self.fetches, self._each_round
            )
        return found

    @property
    def packed(self) -> list[str]:
        """The inputs whose offsets it needs, fed as `<name>.lod`."""
        return self._build().lods

    @property
    def functions(self) -> list[Any]:
        """The functions that the source calls."""
        return self._build().piece.functions

    @property
    def text(self) -> str:
        """The source of the function."""
        return self._build().piece.text

    def run(self, scope: Mapping[str, Tensor], feed: Mapping[str, Any]) -> list[Any]:
        """The fetched arrays.

        feed: an array for each input.
        What the program writes to persistables is put in `scope`.

        Raises OpError for an input or a value that is missing, and for an op that fails.
        """
        built = self._build()
        missing = [name for name in self.feeds if name not in feed]
        if missing:
            raise OpError(
                with_user_line(f"run: inputs {missing} are missing; the program takes {self.feeds}")
            )
        unknown = [name for name in built.loads if name not in scope]
        if unknown:
            raise OpError(
                with_user_line(f"run: {unknown} have no values; run the startup program first")
            )
        unknown = [name for name in built.lods if name + FEED not in feed]
        if unknown:
            raise OpError(
                with_user_line(
                    f"run: {unknown} hold sequences; feed them as LoDTensors with lengths"
                )
            )
        given = [
            *(feed[name] for name in built.feeds),
            *(scope[name].array for name in built.loads),
        ]
        if cuda.cupy_state.cupy is not None:
            given = [cuda.to_host(a) for a in given]
        found = built.piece.quietly(*given, *(levels(feed[name + FEED]) for name in built.lods))
        count, end = len(self.fetches), len(self.fetches) + len(built.stores)
        for name, array in zip(built.stores, found[count:end], strict=True):
            _store(scope, name, array)
        shared = {id(a) for a in (*given, *found[count:end])}
        made = [_own(array, shared) for array in found[:count]]
        for i, offsets in zip(built.fetched_lods, found[end:], strict=True):
            made[i] = WithLod(made[i], offsets) if offsets else made[i]
        return made


def _store(scope: Mapping[str, Tensor], name: str, array: Any) -> None:
    tensor = scope.get(name)
    if tensor is not None:
        tensor.array = array
    elif isinstance(scope, MutableMapping):
        scope[name] = Tensor(array, name=name)


def _own(array: Any, shared: set[int]) -> Any:
    """A result that shares no memory with anything else.

    shared: ids of arrays that others hold.
    """
    if isinstance(array, list) or array is None:
        return array
    found = np.asarray(array)
    owned = found.base is None and found.flags.writeable and id(array) not in shared
    return found if owned else found.copy()


class _Built:
    """The function of a program.

    feeds, loads: names of what it takes; stores: of what it gives after the fetches; lods: of
    inputs whose offsets it takes; fetched_lods: which fetches it gives those of.
    """

    def __init__(
        self,
        program: Program,
        feeds: Sequence[str],
        fetches: Sequence[str],
        each_round: Callable[[], None] | None,
    ) -> None:
        plan = lowered(program)
        for name in fetches:  # one that no op touches has a place as well
            plan.place(name)
        persistable = {v.name: plan.cell(v.name) for v in program.persistables()}
        written = set(all_writes(plan.steps))
        fetched = [plan.lods.get(plan.place(name)) for name in fetches]
        self.fetched_lods = [i for i, cell in enumerate(fetched) if cell is not None]
        self.feeds = [name for name in feeds if plan.cell(name) is not None]
        self.stores = [name for name, cell in persistable.items() if cell in written]
        outputs = [plan.place(name) for name in (*fetches, *self.stores)] + [
            cell for cell in fetched if cell is not None
        ]
        live = mark(plan.steps, set(outputs), lambda _: False)
        self.loads = [
            name for name, cell in persistable.items() if cell in live and name not in self.feeds
        ]
        self.lods = [name for name, cell in plan.fed_lods.items() if cell in live]
        inputs = [plan.place(name) for name in (*self.feeds, *self.loads)] + [
            plan.fed_lods[name] for name in self.lods
        ]
        self.piece = Piece(plan, plan.steps, inputs, outputs, each_round=each_round)
