"""Older names of the bfloat16 functions for static graph programs: `paddle.static.amp.bf16`."""

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
    """Lists of the ops that run in bfloat16 and of those that run in float32.

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
    """Wrap an optimizer so that it trains in bfloat16 without loss scaling.

    use_pure_bf16: cast all ops except those of the float32 list, not only those of the bfloat16
    list
    use_bf16_guard: cast only the ops under `bf16_guard`; by default the value of use_pure_bf16
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
    """Cast the ops in `amp_lists` to bfloat16, by changing the program."""
    cast_model_to_fp16(main_prog, amp_lists or AutoMixedPrecisionListsBF16(), False, bfloat16, "O1")


def cast_model_to_bf16(
    program: Program | None,
    startup_prog: Program | None = None,
    amp_lists: AutoMixedPrecisionLists | None = None,
    use_bf16_guard: bool = True,
) -> set[str]:
    """Cast all ops of a program that support bfloat16 to it, by changing the program; like
    `cast_model_to_fp16`.
    """
    lists = amp_lists or AutoMixedPrecisionListsBF16()
    return cast_model_to_fp16(program or default_main_program(), lists, use_bf16_guard, bfloat16)


def cast_parameters_to_bf16(
    place: Any, program: Program, scope: Any = None, to_bf16_var_names: Any = None
) -> None:
    """Do nothing: parameters stay float32, as with `cast_parameters_to_fp16`, and are cast where
    they are used.
    """
    cast_parameters_to_fp16(place, program, scope, to_bf16_var_names, bfloat16)


def convert_float_to_uint16(in_list: Any) -> np.ndarray[Any, np.dtype[np.uint16]]:
    """Return the upper 16 bits of float32 values: bfloat16 without rounding, as in Paddle.
    Shape [*].
    """
    return (np.ascontiguousarray(in_list, "float32").view(np.uint32) >> 16).astype(np.uint16)
