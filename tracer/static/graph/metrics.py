"""Metrics as parts of a program."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...capture.modes import static_mode
from ...capture.variable import Variable
from ...core import unique_name
from ...core.errors import OarlockError, OperandError, OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...ir import program as data
from ...ir.program import Attr, AttrType
from .constants import value_of
from .default_programs import default_main_program
from .parameters import lasting


def accuracy(input: Any, label: Any, k: int = 1, correct: Any = None, total: Any = None) -> Any:
    """The share of rows whose class is among the k most likely.

    input: scores [N, C], label: int [N, 1] -> float32 []

    correct, total: variables that get the numbers of right rows and of all.
    """
    best, places = OPS["top_k_v2"](input, k=k, sorted=False)
    label = (
        label
        if label.meta.dtype == np.int64
        else OPS["cast"](label, in_dtype=label.dtype.proto, out_dtype=3)
    )
    made = OPS["accuracy"](best, places, label)
    for wanted, found in ((correct, made[1]), (total, made[2])):
        if wanted is not None:
            state.mode.assign_inplace(wanted, found)
    return made[0]


def auc(
    input: Variable,
    label: Variable,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    topk: int = 1,
    slide_steps: int = 1,
    ins_tag_weight: Any = None,
) -> tuple[Variable, Variable, list[Variable]]:
    """The area under the curve, of all batches and of the last slide_steps; and the counts that are
    kept for both.

    input: [N, 2], whose second column is likely 1; label: 0 or 1 [N, 1] -> float64 [], float64 [],
    [counts of the window, of all]
    """
    if ins_tag_weight is not None:
        raise OarlockError(
            with_user_line("auc: ins_tag_weight belongs to training with parameter servers")
        )
    if (
        not isinstance(input, Variable)
        or not isinstance(label, Variable)
        or input.meta.dtype.kind != "f"
    ):
        raise OperandError(
            with_user_line("auc: input should be a Variable of floats, label one of integers")
        )
    if slide_steps < 0 or num_thresholds < 1:
        raise OpError(
            with_user_line(
                f"auc: num_thresholds={num_thresholds}, slide_steps={slide_steps} make no sense"
            )
        )
    bins = num_thresholds + 1
    shapes = [((1 + slide_steps) * bins + 1,) if slide_steps else (1, bins), (1, bins)]
    kept = [_counts(shape) for shape in shapes for _ in range(2)]
    steps = {"curve": curve, "num_thresholds": num_thresholds}
    window = _area(input, label, kept[:2], {**steps, "slide_steps": slide_steps})
    everything = _area(input, label, kept[2:], {**steps, "slide_steps": 0})
    return everything, window, kept


def _counts(shape: tuple[int, ...]) -> Variable:
    desc = data.VarDesc(
        unique_name.generate("_generated_var"), shape, "int64", persistable=True, stop_gradient=True
    )
    return lasting(default_main_program(), desc, lambda: value_of(np.zeros(shape, np.int64)))


def _area(
    input: Variable, label: Variable, kept: list[Variable], settings: dict[str, Any]
) -> Variable:
    mode = static_mode(state.mode)
    if mode is None:
        raise OarlockError(
            with_user_line("auc: keeps counts in a program; call enable_static() before")
        )
    recorder = mode.recorder
    desc = recorder.declare(
        recorder.namer.temporary("auc"), Meta((), np.dtype(np.float64)), stop_gradient=True
    )
    names = [recorder.name_of(v) for v in (input, label)]
    attrs = {
        n: Attr(AttrType.STRING if isinstance(v, str) else AttrType.INT, v)
        for n, v in settings.items()
    }
    inputs = {
        "Predict": names[:1],
        "Label": names[1:],
        "StatPos": [kept[0].name],
        "StatNeg": [kept[1].name],
    }
    outputs = {"AUC": [desc.name], "StatPosOut": [kept[0].name], "StatNegOut": [kept[1].name]}
    recorder.emit("auc", inputs, outputs, attrs)
    return recorder.variable(desc)


def ctr_metric_bundle(input: Any, label: Any, ins_tag_weight: Any = None) -> NoReturn:
    """Not there: raises OarlockError."""
    raise OarlockError(
        with_user_line("ctr_metric_bundle: belongs to training with parameter servers")
    )
