"""Models as real Paddle 2.6 exports them.

Run with the Python that has Paddle: `python make_exports.py FOLDER`.

For each case: `<name>.pdmodel`, `.pdiparams`, `.pdiparams.info`, and `<name>.npz` with its inputs
in order.
"""

import os
import sys

import numpy as np
import paddle
from paddle import nn
from paddle.nn import functional as F
from paddle.static import InputSpec


class Calls(nn.Layer):
    """A Layer whose forward is a function of the layer and its inputs; `parts` become its sublayers
    and buffers.
    """

    def __init__(self, forward, **parts):
        super().__init__()
        for name, part in parts.items():
            if isinstance(part, paddle.Tensor) and part.stop_gradient:
                self.register_buffer(name, part)
            else:
                setattr(self, name, part)
        self.run = forward

    def forward(self, x):
        return self.run(self, x)


class TwoInTwoOut(nn.Layer):
    def forward(self, x, y):
        return x + y, x * y


class Loop(nn.Layer):
    def __init__(self):
        super().__init__()
        self.l = nn.Linear(3, 3)

    def forward(self, x, n):
        i = paddle.zeros([1], "int64")
        while i < n:
            x = F.tanh(self.l(x))
            i += 1
        return x


class Branch(nn.Layer):
    def forward(self, x):
        if x.sum() > 0:
            y = x * 2
        else:
            y = x - 1
        return y


class Collect(nn.Layer):
    def forward(self, x):
        out = []
        for i in range(x.shape[0]):
            out.append(x[i] * i)
        return paddle.stack(out)


class Nested(nn.Layer):
    def forward(self, x):
        i = paddle.zeros([1], "int64")
        while i < 4:
            if x.mean() > 1:
                x = x - 1
            else:
                x = x + 0.75
            i += 1
        return {"x": x, "big": x > 0.5}


def f(*shape):
    return np.random.default_rng(7).standard_normal(shape).astype("float32")


def i64(*values):
    return np.array(values, "int64")


def parameter(shape, dtype="float32"):
    return paddle.create_parameter(shape, dtype, default_initializer=nn.initializer.Constant(1.5))


def conv_net():
    return nn.Sequential(
        nn.Conv2D(1, 4, 3, padding=1),
        nn.BatchNorm2D(4),
        nn.ReLU(),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Linear(64, 3),
    )


def bf16_buffer():
    return Calls(
        lambda s, x: x + s.b.astype("float32"),
        b=paddle.to_tensor([1.5, -2.0, 0.25]).astype("bfloat16"),
    )


def many_dtypes():
    kinds = ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float64"]
    parts = {f"b_{kind}": paddle.ones([2, 3]).astype(kind) for kind in kinds}
    return Calls(
        lambda s, x: sum((getattr(s, name).astype("float32") for name in parts), x), **parts
    )


def assigned(s, x):
    y = x * 1
    y[:, 1] = 5.0
    return y


# name -> Layer, dynamic axes marked None, inputs
CASES = {
    "linear_relu": (lambda: nn.Sequential(nn.Linear(3, 4), nn.ReLU()), [[None, 3]], [f(2, 3)]),
    "conv_net": (conv_net, [[None, 1, 8, 8]], [f(2, 1, 8, 8)]),
    "two_in_two_out": (TwoInTwoOut, [[None, 3], [None, 3]], [f(2, 3), f(2, 3) + 1]),
    "bool_out": (lambda: Calls(lambda s, x: (x > 0, x + 1)), [[None, 3]], [f(2, 3)]),
    "loop": (Loop, [[None, 3], [1]], [f(2, 3), i64(3)]),
    "branch": (Branch, [[None, 3]], [f(2, 3)]),
    "nested": (Nested, [[None, 3]], [f(2, 3)]),
    "collect": (Collect, [[None, 3]], [f(4, 3)]),
    "bf16_buffer": (bf16_buffer, [[None, 3]], [f(2, 3)]),
    "zero_d": (lambda: Calls(lambda s, x: x * s.p, p=parameter([])), [[None, 3]], [f(2, 3)]),
    "many_dtypes": (many_dtypes, [[None, 3]], [f(2, 3)]),
    "embedding": (lambda: nn.Embedding(10, 4), [[None, 2]], [np.array([[1, 2], [3, 9]], "int64")]),
    "lstm": (lambda: Calls(lambda s, x: s.l(x)[0], l=nn.LSTM(3, 4)), [[None, 5, 3]], [f(2, 5, 3)]),
    "encoder": (lambda: nn.TransformerEncoderLayer(8, 2, 16), [[None, 4, 8]], [f(2, 4, 8)]),
    "set_value": (lambda: Calls(assigned), [[None, 3]], [f(2, 3)]),
    "no_params": (lambda: Calls(lambda s, x: F.softmax(x)), [[None, 3]], [f(2, 3)]),
}


def export(name, folder):
    layer, shapes, inputs = CASES[name]
    paddle.seed(1)
    layer = layer()
    layer.eval()
    specs = [
        InputSpec(s, str(x.dtype), f"x{i}")
        for i, (s, x) in enumerate(zip(shapes, inputs, strict=True))
    ]
    paddle.jit.save(layer, os.path.join(folder, name), input_spec=specs)
    np.savez(os.path.join(folder, name + ".npz"), *inputs)


def export_all(folder):
    """Every case, and the names of those that real Paddle could export."""
    for name in CASES:
        export(name, folder)
    return list(CASES)


if __name__ == "__main__":
    print(export_all(sys.argv[1]))
