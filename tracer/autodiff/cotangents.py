"""Gradients on their way: what has arrived at each variable, added up under Paddle's name
`<variable>@GRAD` when it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..capture.recorder import Recorder
from ..capture.variable import Variable
from ..core.op import OPS
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ir.program import Block, Kind, OpDesc, VarDesc


class Pending:
    """What has arrived at the variables of one block."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._arrived: dict[str, list[Variable]] = {}
        self._named: set[str] = set()
        # gradients that only the op which writes them knows
        self._own: dict[str, tuple[OpDesc, Block]] = {}
        # by id of such an op: where it names each output
        self._slots: dict[int, dict[str, tuple[list[str], int]]] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._arrived

    def __iter__(self) -> Iterator[str]:
        return iter(list(self._arrived))

    def add(self, name: str, gradient: Variable) -> None:
        """More that arrives at `name`."""
        self._arrived.setdefault(name, []).append(gradient)

    def own(self, gradient: Variable, op: OpDesc) -> None:
        """Note that `op`, of the block that is being written, gives `gradient`, which nothing
        reads: it can have another name.
        """
        self._own[gradient.name] = op, self._recorder.block

    def hold(self, name: str, gradient: Variable) -> None:
        """What has arrived at `name` from outside: a variable that has its name already."""
        self._named.add(gradient.name)
        self._arrived[name] = [gradient]

    def total(self, name: str) -> Variable:
        """All that has arrived at `name`; it stays there as one."""
        arrived = self._arrived[name]
        if (
            len(arrived) == 1
            and arrived[0].name in self._named
            and self._serves(arrived[0].name, name)
        ):
            return arrived[0]
        found = self._sum(name, arrived)
        self._named.add(found.name)
        self._arrived[name] = [found]
        return found

    def _serves(self, gradient: str, name: str) -> bool:
        """Whether a gradient with a name can be that of `name` too: not where users fetch each
        under its own.
        """
        return not self._recorder.by_hand or gradient.startswith(f"{name}@GRAD")

    def take(self, name: str) -> Variable:
        """All that has arrived at `name`, which is forgotten: an op before made another value of
        it.
        """
        found = self.total(name)
        del self._arrived[name]
        return found

    def _sum(self, name: str, arrived: list[Variable]) -> Variable:
        recorder = self._recorder
        end = f"@block{recorder.block.idx}" if recorder.block.idx else ""
        if len(arrived) == 1 and arrived[0].name in self._own:
            return self._renamed(arrived[0], f"{name}@GRAD{end}")
        parts = [self._part(name, i, g) for i, g in enumerate(arrived)]
        made = declared(recorder, recorder.namer.fresh(f"{name}@GRAD{end}"), arrived[0].raw)
        recorder.emit(
            "assign" if len(parts) == 1 else "sum",
            {"X": [g.name for g in parts]},
            {"Out": [made.name]},
        )
        return made

    def _part(self, name: str, index: int, gradient: Variable) -> Variable:
        """One of several that add up, under the name that Paddle gives it."""
        if gradient.name not in self._own:
            return gradient
        return self._renamed(
            gradient, f"{name}@GRAD@RENAME@block{self._recorder.block.idx}@{index}"
        )

    def _renamed(self, gradient: Variable, name: str) -> Variable:
        op, block = self._own.pop(gradient.name)
        new = self._recorder.namer.fresh(name)
        slots = self._slots.setdefault(id(op), {})
        if gradient.name not in slots:
            slots.update(
                {n: (names, i) for names in op.outputs.values() for i, n in enumerate(names)}
            )
        names, i = slots[gradient.name]
        names[i] = new
        desc = block.vars.pop(gradient.name)
        desc.name = new
        block.vars[new] = desc
        return self._recorder.variable(desc)


def shared_gradient(recorder: Recorder, name: str, like: VarDesc, block: Block) -> Variable:
    """A new variable for a gradient of `name` that blocks share."""
    return declared(
        recorder, recorder.namer.fresh(f"{name}@GRAD@RENAME@block{block.idx}"), like, block
    )


def declared(recorder: Recorder, name: str, like: VarDesc, block: Block | None = None) -> Variable:
    """A new variable like another one, of the block that is being written unless given."""
    desc = VarDesc(name, like.shape, like.dtype, like.kind)
    (block or recorder.block).vars[name] = desc
    return recorder.variable(desc)


def zeros_for(recorder: Recorder, variable: Variable) -> Variable:
    """A gradient of nothing: zeros like a variable, an empty list for a list."""
    if variable.raw.kind == Kind.ARRAY:
        made = declared(recorder, recorder.namer.temporary("create_array"), variable.raw)
        recorder.emit("create_array", {}, {"Out": [made.name]})
        return made
    if recorder.by_hand and compat.rules.writes_paddle1_gradients:
        return recorder.emit_like("fill_zeros_like", "X", variable, {})
    found: Variable = OPS["fill_any_like"](variable, value=0.0)
    return found


def fitted(gradient: Variable, like: Tensor) -> Variable:
    """`gradient` summed down to the shape of `like`, and of its dtype, as the walk back over the
    tape does it.
    """
    (shape, dtype), found = like.meta, gradient.meta
    if found.dtype.kind == "c" and dtype.kind != "c":
        gradient = OPS["real"](gradient)
    if -1 in shape or -1 in found.shape:
        gradient = OPS["sum_like"](gradient, like)
    elif found.shape != shape:
        gradient = OPS["sum_to"](gradient, shape=list(shape))
    if gradient.meta.dtype != dtype:
        gradient = OPS["cast"](gradient, out_dtype=like.dtype.proto, in_dtype=gradient.dtype.proto)
    return gradient
