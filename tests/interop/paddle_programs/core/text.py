"""str and repr of tensors, and print options."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import each, f32, paddle, raised, scenario

t = paddle.to_tensor


def texts(*tensors):
    return [str(x) for x in tensors]


@scenario
def small_tensors():
    return texts(
        t(1),
        t(1.5),
        t(True),
        t([1, 2]),
        t([1.0, 2.5]),
        t([[1.0], [2.0]]),
        t([True, False]),
        t([]),
        paddle.zeros([0, 2]),
        t([1 + 2j]),
        t(-3),
        paddle.zeros([2, 2, 2]),
    )


@scenario
def dtypes():
    return [
        str(t([1, 2, 200]).astype(d))
        for d in (
            "int8",
            "uint8",
            "int16",
            "int32",
            "int64",
            "float16",
            "float32",
            "float64",
            "bool",
            "complex64",
        )
    ]


@scenario
def numbers():
    return texts(
        t([1e-8, 1.0]),
        t([1e8, 1.0]),
        t([123456789.0]),
        t([0.1, 0.25, 1 / 3]),
        t([float("nan"), float("inf"), -float("inf")]),
        t([1e-20]),
        t([-1.0, 10.0, 100.0]),
        t([1e5, 1e-5]),
        t([0.0]),
        t([1234.5678, 0.0001]),
        t([1e38]),
        t([1000000, 1]),
        t([-1, 100000]),
        t([0.001, 1000.0], dtype="float64"),
    )


@scenario
def large_tensors_are_shortened():
    return texts(
        paddle.arange(2000),
        paddle.arange(4000).reshape([40, 100]),
        paddle.zeros([3, 400]),
        paddle.ones([1001]),
        paddle.ones([1000]),
        paddle.arange(1200).reshape([20, 3, 20]),
    )


@scenario
def long_rows_are_wrapped():
    return texts(
        paddle.arange(40),
        paddle.arange(40).astype("float32") / 8,
        paddle.arange(60).reshape([2, 30]),
    )


@scenario
def gradients_and_parameters():
    p = paddle.create_parameter(
        [2], "float32", name="w_text", default_initializer=paddle.nn.initializer.Constant(0.5)
    )
    q = paddle.create_parameter(
        [1],
        "float32",
        attr=paddle.ParamAttr(
            name="q_text", trainable=False, initializer=paddle.nn.initializer.Constant(0.5)
        ),
    )
    x = t([1.0], stop_gradient=False)
    return texts(p, q, x, x * 2), repr(p), repr(x)


@scenario
def print_options():
    x = t([1 / 3, 1e-6, 1234.5])
    found = []
    try:
        for options in (
            {"precision": 2},
            {"sci_mode": True},
            {"sci_mode": False, "precision": 4},
            {"threshold": 2, "edgeitems": 1},
            {"linewidth": 20},
        ):
            paddle.set_printoptions(**options)
            found.append(str(x))
    finally:
        paddle.set_printoptions(
            precision=8, threshold=1000, edgeitems=3, linewidth=80, sci_mode=False
        )
    return found


@scenario
def formats():
    x = t([1.0, 2.0])
    return each(
        lambda: f"{x}",
        lambda: "%s" % t(2),
        lambda: "{}".format(t([1])),
        lambda: f"{t(1.5).item():.3f}",
        lambda: str([t(1)]),
        lambda: str(x.shape),
        lambda: str(x.dtype),
        lambda: f"{float(t(2.5)):.1f}",
    )


@scenario
def layers():
    nn = paddle.nn
    net = nn.Sequential(
        nn.Linear(2, 3), nn.ReLU(), nn.Sequential(nn.Conv2D(1, 2, 3, padding=1), nn.BatchNorm2D(2))
    )
    return each(
        lambda: repr(net),
        lambda: repr(nn.Embedding(3, 4, padding_idx=0)),
        lambda: repr(nn.LayerList([nn.Linear(1, 1)])),
        lambda: repr(nn.MaxPool2D(2, 2)),
        lambda: repr(nn.LSTM(2, 3)),
        lambda: repr(nn.LayerNorm(4)),
        lambda: repr(nn.Dropout(0.3)),
        lambda: repr(nn.CrossEntropyLoss()),
    )


@scenario
def numbers_within_large_tensors():
    x = paddle.arange(1500).astype("float32") * 1.5
    x[0] = 1e-5
    return texts(x, x.reshape([3, 500]), x.astype("float64") / 3)
