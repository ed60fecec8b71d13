"""Mean average precision of a detector as ops of a program; statistics of all batches are kept in
persistable variables.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core import unique_name
from ..ir.program import VarDesc
from ..static.graph.constants import emit_constant
from ..static.graph.default_programs import default_main_program, program_guard
from ..static.graph.parameters import declare_persistable_and_emit_initializer
from ..static.graph.program import Program
from . import layers
from .layers.detection import detection_map

__all__ = ["DetectionMAP"]


class DetectionMAP:
    """Mean average precision of a detector (Everingham et al. 2010).

    input: [K, 6] with class, score and box
    gt_label: [G, 1]
    gt_box: [G, 4]; coordinates are relative to the image size
    gt_difficult: [G, 1]; boxes with 1 are ignored unless evaluate_difficult

    All have a LoD with one sequence per image.
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
        columns = [gt_label] if gt_difficult is None else [gt_label, gt_difficult]
        label = layers.concat([*(layers.cast(c, gt_box.dtype) for c in columns), gt_box], axis=1)
        args = input, label, class_num, background_label, overlap_threshold, evaluate_difficult
        self.cur_map = detection_map(*args, ap_version=ap_version)
        states = [_declare_zero_variable("accum_pos_count", (class_num or 1, 1), "int32")]
        states += [
            _declare_zero_variable(f"accum_{kind}_pos", (1, 3), "float32", (-1, 3))
            for kind in ("true", "false")
        ]
        self.has_state = _declare_zero_variable("has_state", (1,), "int32")
        self.accum_map = detection_map(*args, self.has_state, states, states, ap_version)
        layers.fill_constant([1], "int32", 1, out=self.has_state)

    def get_map_var(self) -> tuple[Any, Any]:
        """Return the mean average precision of the batch, and of all batches since the last reset.

        Both are float32 [1].
        """
        return self.cur_map, self.accum_map

    def reset(self, executor: Any, reset_program: Any = None) -> None:
        """Discard the statistics. reset_program: program into which the ops are recorded"""
        program = Program() if reset_program is None else reset_program
        with program_guard(program):
            block, own = program.current_block(), self.has_state
            state = block.create_var(
                name=own.name, shape=list(own.shape), dtype="int32", persistable=True
            )
            layers.fill_constant([1], "int32", 0, out=state)
        executor.run(program)


def _declare_zero_variable(
    name: str, shape: tuple[int, ...], dtype: str, dynamic_shape: tuple[int, ...] = ()
) -> Variable:
    """Declare a persistable variable that is initialized with zeros.

    dynamic_shape: its shape in the main program, if it changes during runs
    """
    desc = VarDesc(
        f"{unique_name.generate('map_eval')}_{name}",
        shape,
        dtype,
        persistable=True,
        stop_gradient=True,
    )
    state = declare_persistable_and_emit_initializer(
        default_main_program(), desc, lambda: emit_constant(np.zeros(shape, dtype))
    )
    state.raw.shape = dynamic_shape or shape
    return state
