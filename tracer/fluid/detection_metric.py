"""How good a detector is, as part of a program: what it found in all batches so far is kept in
variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core import unique_name
from ..ir.program import VarDesc
from ..static.graph.constants import value_of
from ..static.graph.default_programs import default_main_program, program_guard
from ..static.graph.parameters import lasting
from ..static.graph.program import Program
from . import layers
from .layers.detection import detection_map

__all__ = ["DetectionMAP"]


class DetectionMAP:
    """The mean average precision of a detector

    (Everingham et al. 2010).
    input [K, 6]: class, score, box; gt_label [G, 1], gt_box [G, 4]

    All a sequence for each picture, boxes in parts of it.
    gt_difficult [G, 1]: 1 for boxes that do not count unless evaluate_difficult.
    """

    def __init__(
        self,
        input: Any,
        gt_label: Any,
        gt_box: Any,
        gt_difficult: Any = None,
        class_num: int | None = None,
        background_label: int = 0,
        overlap_threshold: float = 0.5,
        evaluate_difficult: bool = True,
        ap_version: str = "integral",
    ) -> None:
        parts = [gt_label] if gt_difficult is None else [gt_label, gt_difficult]
        label = layers.concat([*(layers.cast(p, gt_box.dtype) for p in parts), gt_box], axis=1)
        given = input, label, class_num, background_label, overlap_threshold, evaluate_difficult
        self.cur_map = detection_map(*given, ap_version=ap_version)
        kept = [_kept("accum_pos_count", (class_num or 1, 1), "int32")]
        kept += [
            _kept(f"accum_{kind}_pos", (1, 3), "float32", (-1, 3)) for kind in ("true", "false")
        ]
        self.has_state = _kept("has_state", (1,), "int32")
        self.accum_map = detection_map(*given, self.has_state, kept, kept, ap_version)
        layers.fill_constant([1], "int32", 1, out=self.has_state)

    def get_map_var(self) -> tuple[Any, Any]:
        """The mean average precision of a batch, and of all since the last reset.

        both float32 [1]
        """
        return self.cur_map, self.accum_map

    def reset(self, executor: Any, reset_program: Any = None) -> None:
        """Forget what was found so far.   reset_program: what is run for it"""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            block, own = program.current_block(), self.has_state
            state = block.create_var(
                name=own.name, shape=list(own.shape), dtype="int32", persistable=True
            )
            layers.fill_constant([1], "int32", 0, out=state)
        executor.run(program)


def _kept(what: str, shape: tuple[int, ...], dtype: str, later: tuple[int, ...] = ()) -> Variable:
    """A variable that outlives runs, zeros at first.

    later: its sizes then, where they are others
    """
    name = f"{unique_name.generate('map_eval')}_{what}"
    desc = VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
    made = lasting(default_main_program(), desc, lambda: value_of(np.zeros(shape, dtype)))
    made.raw.shape = later or shape
    return made
