"""Variables that only some ways give a value - a round of a loop, one side of a branch: whoever reads one after another way gets an error, not a number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ..core.dtype import dtype_of
from ..core.op import Meta
from .program import Attr, AttrType, VarDesc

if TYPE_CHECKING:
    from .record import Recorder

NO_ROUND = "no_round_gave_"  # what the name of a position begins with that is there if a round ran
NO_WAY, IS_NONE, NOT_RETURNED = (
    "no_way_gave_",
    "is_none_here_",
    "nothing_returned_by_",
)  # the same, if the way was taken that gives a value, and other than None; or on which a function returns one
WHY = {
    NO_ROUND: "has no value: the loop that gives it one ran no round; give it one before",
    NO_WAY: "has no value: the way that gives it one was not taken; give it one before, or use it under the same condition",
    IS_NONE: "is None here; ask `is not None` before",
    NOT_RETURNED: "came to its end without a `return`, so what it gave is None here; return a value there, or ask `is not None` before",
}
INT64, BOOL = 3, 0  # Paddle's numbers


@dataclass
class Late:
    """That `desc`, the user's variable `name`, has a value if `flag`, a bool of the program, is `sense`.

    where: the line of the loop, else it is that of the reader; made: what is read instead, where that is there already; kind: of ways, which are in WHY.
    """

    name: str
    desc: VarDesc
    flag: str
    where: str
    made: list[VarDesc] = field(default_factory=list)
    sense: bool = True
    kind: str = NO_ROUND

    def checked(self, recorder: Recorder) -> str:
        """The variable to read instead: the element 0 of one, or the element 1, which there is not."""
        for known in self.made:
            if recorder.var(known.name) is known:
                return known.name
        meta = Meta(self.desc.shape, dtype_of(self.desc.dtype).np)
        one = Meta((1, *meta.shape), meta.dtype)
        at = self._position(recorder)
        held = self._op(recorder, "stack", {"X": [self.desc.name]}, one, axis=Attr(AttrType.INT, 0))
        found = self._op(recorder, "gather", {"X": [held], "Index": [at]}, one, self.kind + self.name)
        found = self._op(recorder, "squeeze2", {"X": [found]}, meta, axes=Attr(AttrType.INTS, [0]))
        self.made.append(recorder.block.vars[found])
        return found

    def _position(self, recorder: Recorder) -> str:
        """0 if there is a value, else 1."""
        truth, whole = Meta((1,), np.dtype(bool)), Meta((1,), np.dtype(np.int64))
        one = self._op(recorder, "reshape2", {"X": [self.flag]}, truth, shape=Attr(AttrType.INTS, [1]))
        none = self._op(recorder, "logical_not", {"X": [one]}, truth) if self.sense else one
        types = {"in_dtype": Attr(AttrType.INT, BOOL), "out_dtype": Attr(AttrType.INT, INT64)}
        return self._op(recorder, "cast", {"X": [none]}, whole, self.kind + self.name, **types)

    def _op(
        self, recorder: Recorder, type: str, operands: dict[str, list[str]], meta: Meta, name: str = "", **attrs: Attr
    ) -> str:
        made = recorder.declare(recorder.namer.temporary(name or type), meta, stop_gradient=self.desc.stop_gradient)
        op = recorder.emit(type, operands, {"Y" if type == "stack" else "Out": [made.name]}, attrs)
        op.where = self.where or op.where
        return made.name


def missing(name: str) -> str | None:
    """What an error says of a position of this name that is not there; None for any other."""
    for kind, why in WHY.items():
        if name.startswith(kind):
            variable = name.removeprefix(kind).partition(".")[0].rpartition("_")[0]
            return f"'{variable}' {why}"
    return None
