"""A small network written by each of real Paddle's quantizers. Runs in Paddle's own environment."""

import os

import numpy as np
import paddle
from paddle import nn, quantization
from paddle.quantization import ImperativePTQ, ImperativeQuantAware
from paddle.quantization.observers import AbsmaxObserver
from paddle.quantization.quanters import FakeQuanterWithAbsMaxObserver
from paddle.static.quantization import PostTrainingQuantization

INPUTS = [
    np.random.default_rng(seed).standard_normal((2, 3, 8, 8)).astype("float32") for seed in range(4)
]


class Net(nn.Layer):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.BatchNorm2D(4), nn.ReLU())
        self.deep = nn.Conv2D(4, 4, 3, groups=4, padding=1)
        self.out = nn.Linear(4, 5)

    def forward(self, x):
        y = self.stem(x)
        y = self.deep(y) + y
        return self.out(nn.functional.adaptive_avg_pool2d(y, 1).flatten(1))


def net():
    paddle.seed(1)
    return Net()


def spec():
    return [paddle.static.InputSpec([None, 3, None, None], "float32", "x")]


def fed(layer):
    for x in INPUTS[1:]:
        layer(paddle.to_tensor(x))
    return layer


def aware(prefix, **settings):
    """Training that knows of it, by the older interface."""
    quantizer, layer = ImperativeQuantAware(**settings), net()
    quantizer.quantize(layer)
    fed(layer.train() or layer).eval()
    quantizer.save_quantized_model(layer, prefix, input_spec=spec())


def afterwards(prefix):
    """After training, by the older interface."""
    layer = net()
    layer.eval()
    quantizer = ImperativePTQ()
    quantizer.save_quantized_model(fed(quantizer.quantize(layer)), prefix, input_spec=spec())


def newer(prefix, kind):
    """By the newer interface: `QAT` or `PTQ`."""
    watch = (
        AbsmaxObserver(quant_bits=8)
        if kind == "PTQ"
        else FakeQuanterWithAbsMaxObserver(moving_rate=0.9)
    )
    quantizer = getattr(quantization, kind)(
        quantization.QuantConfig(activation=watch, weight=watch)
    )
    layer = net()
    (layer.train if kind == "QAT" else layer.eval)()
    layer = fed(quantizer.quantize(layer))
    layer.eval()
    paddle.jit.save(quantizer.convert(layer, inplace=True), prefix, input_spec=spec())


def of_a_file(prefix, **settings):
    """A saved model, after training."""

    class Loader(paddle.io.DataLoader):
        def __init__(self):
            """The quantizer only requires that a loader exists."""

        def __call__(self):
            return iter([{"x": x} for x in INPUTS[1:]])

        def __del__(self):
            """There are no workers to end."""

    layer, folder = net(), prefix + ".files"
    layer.eval()
    paddle.jit.save(
        layer, f"{folder}/m", input_spec=[paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    )
    paddle.enable_static()
    try:
        quantizer = PostTrainingQuantization(
            paddle.static.Executor(paddle.CPUPlace()),
            folder,
            model_filename="m.pdmodel",
            params_filename="m.pdiparams",
            data_loader=Loader(),
            batch_size=2,
            batch_nums=3,
            quantizable_op_type=["conv2d", "depthwise_conv2d", "matmul_v2", "elementwise_add"],
            **settings,
        )
        quantizer.quantize()
        place, name = os.path.split(prefix)
        quantizer.save_quantized_model(place, f"{name}.pdmodel", f"{name}.pdiparams")
    finally:
        paddle.disable_static()


WAYS = {
    "aware": lambda prefix: aware(prefix),
    "aware_by_channel": lambda prefix: aware(prefix, weight_quantize_type="channel_wise_abs_max"),
    "aware_onnx": lambda prefix: aware(prefix, onnx_format=True),
    "afterwards": afterwards,
    "newer_aware": lambda prefix: newer(prefix, "QAT"),
    "newer_afterwards": lambda prefix: newer(prefix, "PTQ"),
    "file_hist": lambda prefix: of_a_file(prefix, algo="hist"),
    "file_avg_whole": lambda prefix: of_a_file(prefix, algo="avg", weight_quantize_type="abs_max"),
    "file_kl_onnx": lambda prefix: of_a_file(prefix, algo="KL", onnx_format=True),
    "file_mse_onnx_whole": lambda prefix: of_a_file(
        prefix, algo="mse", onnx_format=True, weight_quantize_type="abs_max"
    ),
}


def write(way, prefix):
    """Write the model, and its inputs to `<prefix>.npz`."""
    WAYS[way](prefix)
    np.savez(f"{prefix}.npz", INPUTS[0])
