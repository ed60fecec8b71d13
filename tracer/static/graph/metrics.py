"""Metrics as ops of a program."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np

from ...capture.modes import find_static_base_mode
from ...capture.variable import Variable
from ...core import unique_name
from ...core.errors import OarlockError, OperandError, OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir import program as data
from ...ir.program import Attr, AttrType
from .constants import emit_constant
from .default_programs import default_main_program
from .parameters import declare_persistable_and_emit_initializer


def accuracy(
    input: Tensor,
    label: Tensor,
    k: int = 1,
    correct: Tensor | None = None,
    total: Tensor | None = None,
) -> Tensor:
    """Return the fraction of rows whose label is among the classes with the k largest scores.

    Parameters
    ----------
    input : Variable [N, C], float
        Scores.
    label : Variable [N, 1], int32 | int64
    k : int, default 1
        From 1 to C.
    correct, total : Variable, optional
        Set to the number of correct rows, and of all rows.

    Returns
    -------
    Variable [], float32

    Raises
    ------
    OpError
        If shapes or `k` do not fit.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     scores = paddle.static.data("scores", [None, 3], "float32")
    ...     label = paddle.static.data("label", [None, 1], "int64")
    ...     found = paddle.static.accuracy(scores, label)
    >>> feed = {"scores": np.eye(3, dtype="float32"), "label": np.array([[0], [1], [0]])}
    >>> round(float(paddle.static.Executor().run(main, feed, [found])[0]), 3)
    0.667
    >>> paddle.disable_static()
    """
    values, indices = OPS["top_k_v2"](input, k=k, sorted=False)
    label = (
        label
        if label.meta.dtype == np.int64
        else OPS["cast"](label, in_dtype=label.dtype.proto, out_dtype=3)
    )
    outputs = OPS["accuracy"](values, indices, label)
    for target, value in ((correct, outputs[1]), (total, outputs[2])):
        if target is not None:
            state.mode.assign_inplace(target, value)
    return outputs[0]


def auc(
    input: Tensor,
    label: Tensor,
    curve: str = "ROC",
    num_thresholds: int = 4095,
    topk: int = 1,
    slide_steps: int = 1,
    ins_tag_weight: Tensor | None = None,
) -> tuple[Variable, Variable, list[Variable]]:
    """Compute the area under the ROC or precision-recall curve, over batches.

    Parameters
    ----------
    input : Variable [N, 2], float
        The second column is the probability of label 1.
    label : Variable [N, 1], int
        0 or 1.
    curve : "ROC" or "PR", default "ROC"
    num_thresholds : int, default 4095
        The histograms of the probability have num_thresholds + 1 bins.
    topk : int, default 1
        Not used.
    slide_steps : int, default 1
        Number of batches of the second area.
    ins_tag_weight : optional
        Not supported (parameter servers).

    Returns
    -------
    auc : Variable [], float64
        The area over all batches.
    batch_auc : Variable [], float64
        The area over the last `slide_steps` batches.
    histograms : list of Variable
        The persistable histograms from which both are computed.

    Raises
    ------
    OperandError
        If `input` is not a floating-point Variable or `label` is not a Variable.
    OpError
        If `num_thresholds` or `slide_steps` is out of range.
    OarlockError
        In eager mode, or if `ins_tag_weight` is given.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     scores = paddle.static.data("scores", [None, 2], "float32")
    ...     label = paddle.static.data("label", [None, 1], "int64")
    ...     area, last_area, histograms = paddle.static.auc(scores, label)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> feed = {"scores": np.float32([[0.8, 0.2], [0.1, 0.9]]), "label": np.array([[0], [1]])}
    >>> executor.run(main, feed, [area])
    [array(1.)]
    >>> paddle.disable_static()
    """
    if ins_tag_weight is not None:
        raise OarlockError(
            append_user_line("auc: ins_tag_weight is not supported (parameter servers)")
        )
    if (
        not isinstance(input, Variable)
        or not isinstance(label, Variable)
        or input.meta.dtype.kind != "f"
    ):
        raise OperandError(
            append_user_line("auc: input must be a floating-point Variable, label an integer one")
        )
    if slide_steps < 0 or num_thresholds < 1:
        raise OpError(
            append_user_line(
                f"auc: num_thresholds={num_thresholds}, slide_steps={slide_steps}; must be "
                "at least 1 and 0"
            )
        )
    bins = num_thresholds + 1
    shapes = [((1 + slide_steps) * bins + 1,) if slide_steps else (1, bins), (1, bins)]
    histograms = [_declare_zero_histogram_variable(shape) for shape in shapes for _ in range(2)]
    config = {"curve": curve, "num_thresholds": num_thresholds}
    window = _emit_auc(input, label, histograms[:2], {**config, "slide_steps": slide_steps})
    overall = _emit_auc(input, label, histograms[2:], {**config, "slide_steps": 0})
    return overall, window, histograms


def _declare_zero_histogram_variable(shape: tuple[int, ...]) -> Variable:
    desc = data.VarDesc(
        unique_name.generate("_generated_var"), shape, "int64", persistable=True, stop_gradient=True
    )
    return declare_persistable_and_emit_initializer(
        default_main_program(), desc, lambda: emit_constant(np.zeros(shape, np.int64))
    )


def _emit_auc(
    input: Variable, label: Variable, histograms: list[Variable], config: dict[str, Any]
) -> Variable:
    mode = find_static_base_mode(state.mode)
    if mode is None:
        raise OarlockError(
            append_user_line("auc: requires a static graph program; call enable_static() first")
        )
    recorder = mode.recorder
    desc = recorder.declare(
        recorder.namer.generate_temporary_name("auc"),
        Meta((), np.dtype(np.float64)),
        stop_gradient=True,
    )
    names = [recorder.find_name_or_declare_persistable(v) for v in (input, label)]
    attrs = {
        n: Attr(AttrType.STRING if isinstance(v, str) else AttrType.INT, v)
        for n, v in config.items()
    }
    inputs = {
        "Predict": names[:1],
        "Label": names[1:],
        "StatPos": [histograms[0].name],
        "StatNeg": [histograms[1].name],
    }
    outputs = {
        "AUC": [desc.name],
        "StatPosOut": [histograms[0].name],
        "StatNegOut": [histograms[1].name],
    }
    recorder.append_op("auc", inputs, outputs, attrs)
    return recorder.create_variable(desc)


def ctr_metric_bundle(input: object, label: object, ins_tag_weight: object = None) -> NoReturn:
    """Not supported, because it needs parameter servers.

    Parameters
    ----------
    input, label : Variable
    ins_tag_weight : optional

    Raises
    ------
    OarlockError
        Always.

    Examples
    --------
    >>> paddle.static.ctr_metric_bundle(None, None)
    Traceback (most recent call last):
    oarlock.core.errors.OarlockError: ctr_metric_bundle: is not supported...
    """
    raise OarlockError(append_user_line("ctr_metric_bundle: is not supported (parameter servers)"))
