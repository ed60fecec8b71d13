"""The older names of bfloat16 in programs that are written by hand: paddle.static.amp.bf16."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ...core.dtype import bfloat16
from ..graph.default_programs import default_main_program
from ..graph.program import Program
from .decorate import OptimizerWithMixedPrecision, decorate
from .lists import AutoMixedPrecisionLists
from .rewrite import cast_model_to_fp16, cast_parameters_to_fp16, fp16_guard

__all__ = [
    "AutoMixedPrecisionListsBF16",
    "bf16_guard",
    "cast_model_to_bf16",
    "cast_parameters_to_bf16",
    "convert_float_to_uint16",
    "decorate_bf16",
    "rewrite_program_bf16",
]

bf16_guard = fp16_guard


class AutoMixedPrecisionListsBF16(AutoMixedPrecisionLists):
    """Which ops run in bfloat16 and which in float32.

    custom_fp32_varnames: variables whose ops stay in float32
    """

    def __init__(
        self,
        custom_bf16_list: Iterable[str] | None = None,
        custom_fp32_list: Iterable[str] | None = None,
        custom_fp32_varnames: Iterable[str] | None = None,
    ) -> None:
        super().__init__(custom_bf16_list, custom_fp32_list, custom_fp32_varnames, "bfloat16")
        self.bf16_list, self.fp32_list = self.white_list, self.black_list


def decorate_bf16(
    optimizer: Any,
    amp_lists: AutoMixedPrecisionLists | None = None,
    use_pure_bf16: bool = False,
    use_bf16_guard: bool | None = None,
) -> OptimizerWithMixedPrecision:
    """An optimizer that trains in bfloat16, its loss as it is; with use_pure_bf16 all ops that may,
    or those under bf16_guard.
    """
    lists = amp_lists or AutoMixedPrecisionListsBF16()
    return decorate(
        optimizer,
        lists,
        "O2" if use_pure_bf16 else "O1",
        "bfloat16",
        init_loss_scaling=1.0,
        use_dynamic_loss_scaling=False,
        use_amp_guard=use_pure_bf16 if use_bf16_guard is None else use_bf16_guard,
    )


def rewrite_program_bf16(
    main_prog: Program, amp_lists: AutoMixedPrecisionLists | None = None
) -> None:
    """Let the ops of a program that the lists name run in bfloat16."""
    cast_model_to_fp16(main_prog, amp_lists or AutoMixedPrecisionListsBF16(), False, bfloat16, "O1")


def cast_model_to_bf16(
    program: Program | None,
    startup_prog: Program | None = None,
    amp_lists: AutoMixedPrecisionLists | None = None,
    use_bf16_guard: bool = True,
) -> set[str]:
    """Let all ops of a program that may run in bfloat16; see cast_model_to_fp16."""
    lists = amp_lists or AutoMixedPrecisionListsBF16()
    return cast_model_to_fp16(program or default_main_program(), lists, use_bf16_guard, bfloat16)


def cast_parameters_to_bf16(
    place: Any, program: Program, scope: Any = None, to_bf16_var_names: Any = None
) -> None:
    """Nothing: parameters stay float32; see cast_parameters_to_fp16."""
    cast_parameters_to_fp16(place, program, scope, to_bf16_var_names, bfloat16)


def convert_float_to_uint16(in_list: Any) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """The upper halves of the bits of floats: bfloat16, cut as Paddle cuts.   [*] -> uint16 [*]"""
    return (np.ascontiguousarray(in_list, "float32").view(np.uint32) >> 16).astype(np.uint16)
