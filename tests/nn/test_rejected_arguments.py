"""Arguments that functions and layers reject with an error that names them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.nn import functional as F
from oarlock.optimizer import lr

IMAGE = paddle.ones([1, 1, 5, 5])
CASES: list[tuple[str, Callable[[], Any], str]] = [
    ("scale", lambda: paddle.scale(IMAGE, act="unknown"), "act='unknown' is not the name"),
    ("repeats", lambda: paddle.repeat_interleave(IMAGE, [1, 2]), "repeats is list, neither an int"),
    (
        "view",
        lambda: paddle.ones([3]).view("float64"),
        "the bytes of the last axis are no multiple",
    ),
    ("view of a scalar", lambda: paddle.ones([]).view("float64"), "the bytes of the last axis"),
    *(
        (
            f"dtype of {call.__name__}",
            lambda call=call: call(paddle.to_tensor([1, 2]), dtype="float32"),
            "dtype=float32 is not int32 or int64",
        )
        for call in (paddle.unique, paddle.unique_consecutive, paddle.argmax, paddle.argmin)
    ),
    (
        "clip_value",
        lambda: nn.utils.clip_grad_value_(nn.Linear(2, 2).parameters(), -1.0),
        "clip_value=-1.0 is negative",
    ),
    ("no layers", lambda: nn.LSTM(2, 3, num_layers=0), "LSTM: num_layers=0 is less than 1"),
    (
        "size of a pool",
        lambda: F.adaptive_max_pool1d(paddle.ones([1, 1, 4]), None),
        "adaptive_max_pool1d: expected an int or a list of 1 ints, got None",
    ),
    ("fractional stride", lambda: F.max_pool2d(IMAGE, 2, stride=1.5), "got 1.5"),
    ("integers", lambda: F.avg_pool2d(IMAGE.astype("int32"), 2), "needs a floating dtype"),
    ("empty matrix", lambda: paddle.linalg.cond(paddle.zeros([0, 0])), "cond: the matrices are"),
    (
        "text",
        lambda: paddle.distribution.Normal(0.0, 1.0).log_prob("x"),
        "contains text, a tensor contains numbers only",
    ),
    (
        "averages",
        lambda: (
            paddle.incubate.ModelAverage(0.15, parameters=[paddle.ones([1])]).apply().__enter__()
        ),
        "ModelAverage.apply: call step first",
    ),
    ("divisor", lambda: F.avg_pool2d(IMAGE, 2, divisor_override=0), "divisor_override is 0"),
    (
        "unpool",
        lambda: F.max_unpool2d(IMAGE, IMAGE, 2, output_size=4),
        "output_size=4 is not a list",
    ),
    ("step_size", lambda: lr.StepDecay(0.1, 0), "step_size=0 is not a positive int"),
    ("T_max", lambda: lr.CosineAnnealingDecay(0.1, 0), "T_max=0 is not a positive int"),
    (
        "smoothing",
        lambda: F.cross_entropy(IMAGE, IMAGE, label_smoothing=2.0),
        "not between 0 and 1",
    ),
    (
        "padding of a padding mode",
        lambda: nn.Conv2D(1, 1, 3, padding="SAME", padding_mode="reflect")(IMAGE),
        "padding='SAME' needs padding_mode='zeros'",
    ),
    (
        "activation",
        lambda: nn.TransformerDecoderLayer(8, 2, 8, activation="unknown"),
        "TransformerDecoderLayer: activation='unknown' is not a function",
    ),
    ("frequencies", lambda: paddle.fft.fftfreq(-4), "n=-4 must be positive"),
    (
        "variances",
        lambda: paddle.vision.ops.box_coder(paddle.ones([2, 4]), None, paddle.ones([2, 4])),
        "prior_box_var is NoneType",
    ),
    ("dtype of sign", lambda: paddle.sign(paddle.to_tensor([True])), "sign: these dtypes are not"),
    ("axis", lambda: paddle.sum(IMAGE, axis="a"), "sum: axis='a' is not an int"),
    ("limit", lambda: paddle.clip(IMAGE, "a", 2), "clip: a limit is str"),
    *(
        (f"negative padding {rank}", call, "is negative")
        for rank, call in {
            "1": lambda: F.conv1d(IMAGE[0], paddle.ones([1, 1, 2]), padding=-1),
            "2": lambda: F.conv2d(IMAGE, paddle.ones([1, 1, 2, 2]), padding=[-1, 0, 0, 0]),
            "3": lambda: F.conv3d(IMAGE[None], paddle.ones([1, 1, 1, 2, 2]), padding=-1),
            "2 transposed": lambda: F.conv2d_transpose(
                IMAGE, paddle.ones([1, 1, 2, 2]), padding=-1
            ),
        }.items()
    ),
]


@pytest.mark.parametrize(("call", "words"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
def test_argument_is_rejected(call: Callable[[], Any], words: str) -> None:
    with pytest.raises(paddle.OarlockError, match=words.replace("[", r"\[")) as error:
        call()
    assert "test_rejected_arguments.py:" in str(error.value)


def test_not_to_static_rejects_what_is_no_function() -> None:
    with pytest.raises(TypeError, match="not_to_static: expected a function, got int"):
        paddle.jit.not_to_static(3)


def test_view_changes_the_size_of_the_last_axis() -> None:
    x = paddle.to_tensor(np.arange(4, dtype="int16").reshape(1, 4))
    assert x.view("int32").shape == [1, 2]
    assert x.view("int8").shape == [1, 8]
