"""A recorded program called from eager code: one function forward, one node on the tape, one
function back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from ..autodiff import differentiate
from ..autodiff.activity_analysis import Reach, differentiable
from ..autodiff.overwritten_inputs import with_own_inputs
from ..autodiff.shape_widening import loosen
from ..capture.inline import has_blocks, inline
from ..capture.modes import Static, static_mode
from ..capture.recorder import Recorder
from ..capture.undefined_checks import asked
from ..capture.variable import Variable
from ..core import cuda, native
from ..core._tape import Node, arrays_of, record_program, stop_gradients_of, tensors_of
from ..core.errors import OpError, PlaceError, with_user_line
from ..core.mode import pushed, state
from ..core.numerics_check import is_enabled as checks_numerics
from ..core.op import AttrSpec, Facts, Op, Slot
from ..core.placed import device_of
from ..core.sweep import BARE
from ..core.tensor import Tensor
from ..ir.block_captures import draws_random
from ..ir.passes.prune import feed_op, fetch_op
from ..ir.program import Program
from . import Piece, lowered
from .instructions import Plan, Step
from .interpreter import Interpreter
from .liveness import mark, needed

Stops = tuple[bool, ...]


# What a call leaves for the way back: the cells that it reads, outputs, and inputs.   A plain
# tuple: it is made at each call.
Left = tuple[Sequence[Any], Sequence[Any], Sequence[Any]]


class PartialProgram:
    """A program as a function of tensors.

    scope: its values, by name.
    Gradients flow through it as one node; what it updates is written back.

    Threads may share it if it updates nothing.   training: whether it was recorded for training.
    """

    def __init__(
        self,
        program: Program,
        scope: Mapping[str, Tensor],
        stores: bool = True,
        training: bool = True,
    ) -> None:
        self.training = training
        self.program, self.scope = with_own_inputs(asked(program)), scope
        self._recorded_as = program
        self.feeds, self.fetches = self.program.feeds(), self.program.fetches()
        self.held = [name for name in self.scope if self.program.var(name) is not None]
        self._tensors = [self.scope[name] for name in self.held]
        written = program.written()
        self.stores = [name for name in self.held if name in written] if stores else []
        self._changed = [self.scope[name] for name in self.stores]
        self._ways: dict[tuple[Stops | None, bool, bool], Way] = {}

    def __call__(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The outputs.

        inputs: one per input of the program.
        Raises OpError for another number, and for an op that fails.
        """
        return self.call(inputs, self.stops(inputs))

    def stops(self, inputs: Sequence[Tensor]) -> Stops | None:
        """Which operands no gradient is wanted of; None where no gradients are recorded."""
        return stop_gradients_of([*inputs, *self._tensors]) if state.mode.tape else None

    def call(self, inputs: Sequence[Tensor], stops: Stops | None) -> list[Tensor]:
        """The outputs, with gradients of those that `stops` says."""
        if len(inputs) != len(self.feeds):
            raise OpError(
                with_user_line(
                    f"the program takes {len(self.feeds)} inputs {self.feeds}, got {len(inputs)}"
                )
            )
        if not state.mode.bare or checks_numerics():
            return self._recorded(inputs)
        operands = [*inputs, *self._tensors]
        arrays = arrays_of(operands)
        device = None if cuda.found.cupy is None else self._device(arrays)
        placed = device is not None
        way = self._ways.get((stops, native.switch.on, placed)) or self._new_way(stops, placed)
        if placed:
            with cuda.on(device):
                found = way.forward.quietly(*arrays)
        else:
            found = way.forward.quietly(*arrays)
        count, end = way.ends
        if end > count:
            for tensor, array in zip(self._changed, found[count:end], strict=True):
                tensor.array = array
        outs = found[:count]
        if way.op is None:
            return tensors_of(outs)
        attrs = {"left": (found[end:], outs, arrays[: len(inputs)]), "materialize_grads": False}
        return record_program(way.op, operands, way.taken, attrs, outs, way.differentiable)

    def _device(self, arrays: Sequence[Any]) -> int | None:
        """The device of all operands.   Raises PlaceError for two."""
        try:
            return device_of(arrays)
        except PlaceError as error:
            names = [*self.feeds, *self.held]
            shown = ", ".join(
                f"{n} on {cuda.name_of(cuda.index_of(a))}"
                for n, a in zip(names, arrays, strict=True)
            )
            raise PlaceError(with_user_line(f"a program: {error} ({shown})")) from None

    def _recorded(self, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The program op by op, in the mode in force: what records others records it as well."""
        feed = dict(zip(self.feeds, inputs, strict=True))
        mode = static_mode(state.mode)
        if mode is not None and has_blocks(self._recorded_as):
            return inline(mode, self._recorded_as, feed, self.scope)
        return Interpreter(self._recorded_as, self.scope).run(feed)

    def _new_way(self, stops: Stops | None, placed: bool) -> Way:
        names = [*self.feeds, *self.held]
        wants = [] if stops is None else [i for i, stop in enumerate(stops) if not stop]
        made = Way(self, names, [i for i in wants if self._is_differentiable(names[i])], placed)
        self._ways[stops, native.switch.on, placed] = made
        return made

    def _is_differentiable(self, name: str) -> bool:
        var = self.program.var(name)
        return var is not None and differentiable(var)


class Way:
    """How a program runs for operands of which some want gradients.

    taken: their places; placed: whether they are on a GPU; op: of the node on the tape, if any.
    """

    def __init__(
        self, of: PartialProgram, names: list[str], taken: list[int], placed: bool
    ) -> None:
        self.of, self.names, self.taken, self.placed = of, names, taken, placed
        self.wanted = [names[i] for i in taken]
        self.ends = len(of.fetches), len(of.fetches) + len(of.stores)
        reach = Reach(of.program, self.wanted)
        self.differentiable = [
            i for i, name in enumerate(of.fetches) if taken and reach.wants(0, name)
        ]
        self.op: Op | None = None
        self._backs: dict[tuple[bool, ...], Back] = {}
        if not self.differentiable:
            plan = lowered(of.program)
            outputs = [plan.place(n) for n in (*of.fetches, *of.stores)]
            self.forward = Piece(
                plan, plan.steps, [plan.place(n) for n in names], outputs, placed=placed
            )
            return
        self.full = tuple(i in self.differentiable for i in range(len(of.fetches)))
        back = self._backs[self.full] = Back(self, self.full, None)
        self.kept = back.kept
        self.forward = back.forward()
        self.op = _node_op(self)

    def back(self, arrived: tuple[bool, ...]) -> Back | None:
        """The way back from some of the outputs; None where it needs more than was kept."""
        found = self._backs.get(arrived)
        if found is None:
            try:
                found = Back(self, arrived, self.kept)
            except KeyError:
                return None
            self._backs[arrived] = found
        return found

    def gradients(self, grads: Sequence[Any], operands: Sequence[Any], left: Left) -> list[Any]:
        """The gradients of the wanted operands, on bare arrays.

        grads: of the outputs, None where none arrived.
        """
        back = self.back(tuple([g is not None for g in grads]))
        if back is None:
            back = self._backs[self.full]
            grads = [
                cuda.zeros_like(o) if g is None and w else g
                for g, o, w in zip(grads, left[1], self.full, strict=True)
            ]
        return self.run(back, left, [g for g, w in zip(grads, back.arrived, strict=True) if w])

    @staticmethod
    def run(back: Back, left: Left, given: Sequence[Any]) -> list[Any]:
        """The gradients of the wanted operands.   given: those that the way back starts with."""
        found = back.piece.quietly(*left[0], *given)
        return [None if i < 0 else found[i] for i in back.places]

    def differentiable_gradients(
        self, grads: Sequence[Any], operands: Sequence[Any], left: Left
    ) -> list[Any]:
        """The same as a program that is called in turn, so that they can be
        differentiated again.
        """
        if draws_random(self.of.program):
            why = "create_graph=True runs a program again, and this one draws random numbers"
            raise OpError(with_user_line(f"grad: {why}"))
        back = Back(self, tuple([g is not None for g in grads]), None)
        again = PartialProgram(back.as_program(), self.of.scope, stores=False)
        given = dict(zip(self.of.feeds, map(Tensor, left[2]), strict=True))
        given |= dict(zip(self.wanted, operands, strict=True))
        made = again([*(given[n] for n in self.of.feeds), *(g for g in grads if g is not None)])
        return [None if i < 0 else made[i] for i in back.places]


class Back:
    """The forward program with the way back behind it.

    arrived: which outputs have a gradient; kept: what forward leaves, by block and name.
    """

    def __init__(
        self, way: Way, arrived: tuple[bool, ...], kept: list[tuple[int, str]] | None
    ) -> None:
        self._way, self.arrived = way, arrived
        self.program = deepcopy(way.of.program)
        loosen(self.program)
        self.grads, gradients = self._differentiated()
        found = [name for name in way.wanted if name in gradients]
        self.places = [found.index(name) if name in gradients else -1 for name in way.wanted]
        self.results = [gradients[name].name for name in found]
        self._plan: Plan = lowered(self.program)
        at = _first_back(self._plan.steps)
        outputs = [self._plan.place(name) for name in self.results]
        self._ahead, behind = self._plan.steps[:at], needed(self._plan.steps[at:], set(outputs))
        given = [self._plan.place(name) for name in self.grads]
        live = mark(behind, set(outputs), lambda _: False) - set(given)
        known = {cell: key for key, cell in self._plan.cells.items()}
        if kept is None:
            kept = [known[cell] for cell in sorted(live)]
        elif not {known[cell] for cell in live} <= set(kept) or any(
            op.type in ("while_grad", "recurrent_grad") for op in self.program.ops()
        ):
            raise KeyError
        self.kept = kept
        cells = [self._plan.cells[key] for key in kept]
        self.piece = Piece(self._plan, behind, [*cells, *given], outputs, placed=way.placed)

    def _differentiated(self) -> tuple[list[str], dict[str, Variable]]:
        """Append the way back; gives the names of the gradients that it starts with, and what it
        finds.
        """
        recorder = Recorder.onto(self.program)
        targets: dict[str, Variable | None] = {}
        for name, arrived in zip(self._way.of.fetches, self.arrived, strict=True):
            if arrived:
                var = self.program.block.vars[name]
                fresh = recorder.namer.fresh(f"{name}@GRAD")
                targets[name] = recorder.variable(
                    recorder.declare(fresh, Variable(var).meta, checks_feed=True)
                )
        with pushed(Static(recorder)):
            found = differentiate(recorder, targets, self._way.wanted)
        return [v.name for v in targets.values() if v is not None], found

    def forward(self) -> Piece:
        """The program without the way back, which gives outputs, what it updates, and
        what is kept.
        """
        of, plan = self._way.of, self._plan
        outputs = [plan.place(n) for n in (*of.fetches, *of.stores)]
        cells = [plan.cells[key] for key in self.kept]
        ins = [plan.place(n) for n in self._way.names]
        return Piece(plan, self._ahead, ins, [*outputs, *cells], placed=self._way.placed)

    def as_program(self) -> Program:
        """The whole as a program of inputs and arriving gradients that gives the gradients."""
        block = self.program.block
        rest = [op for op in block.ops if op.type not in ("feed", "fetch")]
        for op in rest:
            op.attrs.pop("op_role", None)  # all of it is ahead of the next way back
        feeds = [feed_op(name, i) for i, name in enumerate((*self._way.of.feeds, *self.grads))]
        block.ops = [*feeds, *rest, *(fetch_op(name, i) for i, name in enumerate(self.results))]
        return self.program


def _first_back(steps: Sequence[Step]) -> int:
    """The number of the first instruction of the way back."""
    for i, step in enumerate(steps):
        if step.desc.attr("op_role", 0) & 1:
            return i
    return len(steps)


def _node_op(way: Way) -> Op:
    """The op that stands on the tape for a call."""
    op = Op(
        "program",
        [Slot("X", many=True)],
        [Slot("Out", many=True)],
        _no_kernel,
        Facts(internal=True),
        None,
    )
    op.attrs["left"] = AttrSpec("RAW", None)

    def rule(grads: list[Any], operands: list[Any], *, left: Left) -> list[Any]:
        return (way.gradients if state.mode is BARE else way.differentiable_gradients)(
            grads, operands, left
        )

    full = way.back(way.full)
    assert full is not None

    def direct(node: Node, index: int, gradient: Any) -> list[Any]:
        left = node.attrs["left"]
        if len(left[1]) == 1:
            return way.run(full, left, (gradient,))
        grads: list[Any] = [None] * len(left[1])
        grads[index] = gradient
        return way.gradients(grads, node.args[0], left)

    op.vjp(rule)
    op.direct = direct
    return op


def _no_kernel(x: Any) -> Any:
    raise AssertionError("a program is run by its function")
