"""Variables that only some ways give a value - a round of a loop, one side of a branch: whoever
reads one after another way gets an error, not a number.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..core.dtype import dtype_of
from ..core.op import Meta
from ..ir.program import Attr, AttrType, OpDesc, Program, VarDesc
from .recorder import Recorder

NO_ROUND = "no_round_gave_"  # what the name of a position begins with that is there if a round ran
# The same, if the path that assigns a value other than None, or returns one, was taken.
NO_WAY, IS_NONE, NOT_RETURNED = (
    "no_way_gave_",
    "is_none_here_",
    "nothing_returned_by_",
)
WHY = {
    NO_ROUND: "has no value: the loop that gives it one ran no round; give it one before",
    NO_WAY: "has no value: the way that gives it one was not taken; give it one before, or use it "
    "under the same condition",
    IS_NONE: "is None here; ask `is not None` before",
    NOT_RETURNED: "came to its end without a `return`, so what it gave is None here; return a "
    "value "
    "there, or ask `is not None` before",
}
LATE = "of_late"  # an attribute of asserts that ask for a value; is what the flag is to be
INT64, BOOL = 3, 0  # Paddle's numbers


@dataclass
class Late:
    """That `desc`, the user's variable `name`, has a value if `flag`, a bool of the program, is
    `sense`.

    where: the line of the loop, else it is that of the reader; made: what is read instead, where
    that is there already; kind: of ways, which are in WHY.
    """

    name: str
    desc: VarDesc
    flag: str
    where: str
    made: list[VarDesc] = field(default_factory=list)
    sense: bool = True
    kind: str = NO_ROUND

    def checked(self, recorder: Recorder) -> str:
        """The variable to read instead: the element 0 of one, or the element 1, which
        there is not.
        """
        for known in self.made:
            if recorder.var(known.name) is known:
                return known.name
        meta = Meta(self.desc.shape, dtype_of(self.desc.dtype).np)
        one = Meta((1, *meta.shape), meta.dtype)
        at = self._position(recorder)
        held = self._op(recorder, "stack", {"X": [self.desc.name]}, one, axis=Attr(AttrType.INT, 0))
        found = self._op(
            recorder, "gather", {"X": [held], "Index": [at]}, meta, self.kind + self.name
        )
        self.made.append(recorder.block.vars[found])
        return found

    def _position(self, recorder: Recorder) -> str:
        """0 if there is a value, else 1."""
        truth, whole = Meta((), np.dtype(bool)), Meta((), np.dtype(np.int64))
        none, desc = self.flag, recorder.var(self.flag)
        if desc is None or desc.shape:
            none = self._op(
                recorder, "reshape2", {"X": [none]}, truth, shape=Attr(AttrType.INTS, [])
            )
        none = self._op(recorder, "logical_not", {"X": [none]}, truth) if self.sense else none
        types = {"in_dtype": Attr(AttrType.INT, BOOL), "out_dtype": Attr(AttrType.INT, INT64)}
        return self._op(recorder, "cast", {"X": [none]}, whole, self.kind + self.name, **types)

    def _op(
        self,
        recorder: Recorder,
        type: str,
        operands: dict[str, list[str]],
        meta: Meta,
        name: str = "",
        **attrs: Attr,
    ) -> str:
        name = name.replace("'", '"') or type  # the engine quotes names
        made = recorder.declare(
            recorder.namer.temporary(name), meta, stop_gradient=self.desc.stop_gradient
        )
        op = recorder.emit(type, operands, {"Y" if type == "stack" else "Out": [made.name]}, attrs)
        op.where = self.where or op.where
        return made.name


def asked(program: Program) -> Program:
    """The program for a run of ours, where values that may be missing are asked for with one
    question: it has no copy, and no gradient to pass.
    """
    if not any(
        missing(name) for op in program.ops() if op.type == "gather" for name in op.outputs["Out"]
    ):
        return program
    return replace(
        program, blocks=[replace(block, ops=_asked(block.ops)) for block in program.blocks]
    )


def _asked(ops: list[OpDesc]) -> list[OpDesc]:
    """The ops of a block, with `assert` and `assign` in place of those of `Late.checked`."""
    made_by = {name: op for op in ops for name in op.output_names()}

    def giver(op: OpDesc, slot: str = "X") -> OpDesc:
        return made_by[op.inputs[slot][0]]

    found: list[OpDesc] = []
    for op in ops:
        said = missing(op.outputs["Out"][0]) if op.type == "gather" else None
        if said is None:
            found.append(op)
            continue
        none = giver(op, "Index").inputs["X"]
        sense = made_by[none[0]].type == "logical_not" if none[0] in made_by else False
        flag = made_by[none[0]].inputs["X"] if sense else none
        attrs = {"message": Attr(AttrType.STRING, said), LATE: Attr(AttrType.BOOLEAN, sense)}
        found.append(OpDesc("assert", {"Cond": flag}, {}, attrs, op.where))
        found.append(
            OpDesc("assign", {"X": giver(op).inputs["X"]}, {"Out": op.outputs["Out"]}, {}, op.where)
        )
    return found


def missing(name: str) -> str | None:
    """What an error says of a position of this name that is not there; None for any other."""
    for kind, why in WHY.items():
        if name.startswith(kind):
            variable = name.removeprefix(kind).rpartition(".")[0].rpartition("_")[0]
            return f"'{variable}' {why}"
    return None
