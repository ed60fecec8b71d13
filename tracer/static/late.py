"""Variables that only a round of a loop gives a value: whoever reads one after a loop of no rounds gets an error, not a number."""

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
INT64, BOOL = 3, 0  # Paddle's numbers


@dataclass
class Late:
    """That `desc`, the user's variable `name`, has a value if `flag`, a bool of the program, holds.

    where: the line of the loop; made: what is read instead, where that is there already.
    """

    name: str
    desc: VarDesc
    flag: str
    where: str
    made: list[VarDesc] = field(default_factory=list)

    def checked(self, recorder: Recorder) -> str:
        """The variable to read instead: the element 0 of one, or the element 1, which there is not."""
        for known in self.made:
            if recorder.var(known.name) is known:
                return known.name
        meta = Meta(self.desc.shape, dtype_of(self.desc.dtype).np)
        one = Meta((1, *meta.shape), meta.dtype)
        at = self._position(recorder)
        held = self._op(recorder, "stack", {"X": [self.desc.name]}, one, axis=Attr(AttrType.INT, 0))
        found = self._op(recorder, "gather", {"X": [held], "Index": [at]}, one, NO_ROUND + self.name)
        found = self._op(recorder, "squeeze2", {"X": [found]}, meta, axes=Attr(AttrType.INTS, [0]))
        self.made.append(recorder.block.vars[found])
        return found

    def _position(self, recorder: Recorder) -> str:
        """0 if a round ran, else 1."""
        truth, whole = Meta((1,), np.dtype(bool)), Meta((1,), np.dtype(np.int64))
        one = self._op(recorder, "reshape2", {"X": [self.flag]}, truth, shape=Attr(AttrType.INTS, [1]))
        none = self._op(recorder, "logical_not", {"X": [one]}, truth)
        types = {"in_dtype": Attr(AttrType.INT, BOOL), "out_dtype": Attr(AttrType.INT, INT64)}
        return self._op(recorder, "cast", {"X": [none]}, whole, NO_ROUND + self.name, **types)

    def _op(
        self, recorder: Recorder, type: str, operands: dict[str, list[str]], meta: Meta, name: str = "", **attrs: Attr
    ) -> str:
        made = recorder.declare(recorder.namer.temporary(name or type), meta, stop_gradient=self.desc.stop_gradient)
        recorder.emit(type, operands, {"Y" if type == "stack" else "Out": [made.name]}, attrs).where = self.where
        return made.name


def missing(name: str) -> str | None:
    """What an error says of a position of this name that is not there; None for any other."""
    if not name.startswith(NO_ROUND):
        return None
    variable = name.removeprefix(NO_ROUND).partition(".")[0].rpartition("_")[0]
    return f"'{variable}' has no value: the loop that gives it one ran no round; give it one before"
