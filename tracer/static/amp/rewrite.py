"""A program whose ops run in half precision where lists say so: casts are put around them.

What an op gave in float32 it still gives under the same name: a cast of the half result, which
loses nothing.
So whoever looks at a variable - a loss, a block, a fetch - finds the dtype that was declared, and
ops in half precision take the half result itself.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from copy import deepcopy
from typing import Any

from ...core.dtype import dtype_of, float16
from ...core.op import OPS
from ...ir.block_captures import EMPTY
from ...ir.passes.shape_inference import infer
from ...ir.program import Attr, AttrType, OpDesc
from ..graph.default_programs import name_scope
from ..graph.program import Program
from .lists import AutoMixedPrecisionLists

GUARD = "__use_fp16__"
SINGLE = "float32"


def fp16_guard() -> AbstractContextManager[None]:
    """Ops of the body may run in half precision where a program is rewritten with
    use_fp16_guard.
    """
    return name_scope(GUARD)


class Rewrite:
    """The ops of a program with casts between them.

    halves: by name, the variable that holds the same in half precision
    """

    def __init__(
        self,
        program: Program,
        lists: AutoMixedPrecisionLists,
        level: str,
        guarded: bool,
        promote: bool,
        dtype: str,
    ) -> None:
        self.program, self.lists, self.level, self.guarded, self.promote = (
            program,
            lists,
            level,
            guarded,
            promote,
        )
        self.dtype = dtype
        self.black = lists.black_at(level)
        self.block = program.raw.block
        self.ops: list[OpDesc] = []
        self.halves: dict[str, str] = {}  # of values that were computed so
        self.casts: dict[str, str] = {}  # of values that were not

    def run(self) -> None:
        """Rewrite the outermost block; inner ones stay in float32."""
        for op in self.block.ops:
            made = self._narrowed(op) if self._runs_in_half(op) else None
            if made is None:
                self.ops.append(op)
                self._forget(op)
        self.block.ops[:] = self.ops
        self.program.changed()

    def _forget(self, op: OpDesc) -> None:
        for name in op.output_names():
            self.halves.pop(name, None)
            self.casts.pop(name, None)

    # -- which ops
    # ----------------------------------------------------------------------------------------------

    def _runs_in_half(self, op: OpDesc) -> bool:
        if op.type not in OPS or op.type == "cast" or op.attr("op_role", 0) not in (0, 256):
            return False
        if self.lists.black_varnames.intersection((*op.input_names(), *op.output_names())):
            return False
        if self.guarded and GUARD not in op.attr("op_namescope", ""):
            return False
        names = self._cast_names(op)
        if not names or op.type in self.black or OPS[op.type].traits.no_half:
            return op.type in self.lists.white_list and bool(names)
        if op.type in self.lists.white_list:
            return True
        mixed = self.promote or self.level != "O2"
        return self.level != "OD" and not (mixed and any(n not in self.halves for n in names))

    def _cast_names(self, op: OpDesc) -> list[str]:
        """The operands in float32 that a cast would be put before."""
        slots = OPS[op.type].ins[:1] if OPS[op.type].traits.amp_casts_only_x else OPS[op.type].ins
        names = [n for s in slots for n in op.inputs.get(s.name, []) if n != EMPTY]
        return [n for n in names if self.block.vars[n].dtype == SINGLE]

    # -- one op
    # --------------------------------------------------------------------------

    def _narrowed(self, op: OpDesc) -> OpDesc | None:
        """Write an op in half precision; None where it cannot run so."""
        before = len(self.ops)
        halves = {name: self._half(name) for name in self._cast_names(op)}
        only = OPS[op.type].ins[0].name if OPS[op.type].traits.amp_casts_only_x else None
        inputs = {
            slot: [halves.get(n, n) if only in (None, slot) else n for n in names]
            for slot, names in op.inputs.items()
        }
        results = {n: n for n in op.output_names()}
        for name in results:
            var = self.block.vars.get(name)
            if var is not None and var.dtype == SINGLE and not var.persistable:
                results[name] = self._declared(name, SINGLE)
        outputs = {slot: [results[n] for n in names] for slot, names in op.outputs.items()}
        made = OpDesc(op.type, inputs, outputs, deepcopy(op.attrs), op.where, op.layer)
        infer(made, self.block.vars)
        self.ops.append(made)
        self._forget(op)
        for name, result in results.items():
            if result != name:
                self._give(name, result, made)
        return made if len(self.ops) > before else None

    def _give(self, name: str, result: str, op: OpDesc) -> None:
        """Let `name` hold what an op gave."""
        if self.block.vars[result].dtype == self.dtype:
            self.halves[name] = result
            self._cast(result, name, op)
            return
        del self.block.vars[result]
        for names in op.outputs.values():
            names[:] = [name if n == result else n for n in names]

    def _half(self, name: str) -> str:
        known = self.halves.get(name) or self.casts.get(name)
        if known is None:
            known = self.casts[name] = self._declared(name, self.dtype)
            self._cast(name, known, None)
        return known

    def _declared(self, like: str, dtype: str) -> str:
        var = deepcopy(self.block.vars[like])
        var.name = self.program.recorder.namer.temporary("cast")
        var.dtype, var.persistable, var.is_parameter, var.checks_feed = dtype, False, False, False
        self.block.vars[var.name] = var
        return var.name

    def _cast(self, source: str, target: str, op: OpDesc | None) -> None:
        types = (dtype_of(self.block.vars[n].dtype).proto for n in (source, target))
        attrs = {
            n: Attr(AttrType.INT, proto)
            for n, proto in zip(("in_dtype", "out_dtype"), types, strict=True)
        }
        where = op.where if op is not None else ""
        self.ops.append(OpDesc("cast", {"X": [source]}, {"Out": [target]}, attrs, where))


def cast_model_to_fp16(
    program: Program,
    amp_lists: AutoMixedPrecisionLists | None = None,
    use_fp16_guard: bool = True,
    dest_type: Any = float16,
    level: str = "O2",
    use_promote: bool = False,
) -> set[str]:
    """Let the ops of a program run in half precision where the lists say so.

    Parameters stay float32 and are cast when they are used.

    Gives the names of parameters that became half: none.
    """
    dtype = dtype_of(dest_type).name
    lists = amp_lists or AutoMixedPrecisionLists(dtype=dtype)
    Rewrite(program, lists, level, use_fp16_guard, use_promote, dtype).run()
    return set()


def cast_parameters_to_fp16(
    place: Any,
    program: Program,
    scope: Any = None,
    to_fp16_var_names: Any = None,
    dest_type: Any = float16,
    rewrite_master_weight: bool = False,
    master_weights: Any = None,
) -> None:
    """Nothing: parameters stay float32, the copies of full precision that Paddle keeps beside half
    ones.
    """
