"""The benchmark cases in Paddle's API: `paddle_cases.py oarlock FOLDER` and `paddle_cases.py paddle
FOLDER` run the same code.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from paddle_case_helpers import (
    Case,
    Loss,
    P,
    label_tensor,
    lenet,
    nn,
    normal_tensor,
    op_chain,
    rng,
    training_step,
)
from serve import serve

FOLDER = Path(sys.argv[2])
IS_OARLOCK = sys.argv[1] == "oarlock"


class Block(nn.Layer):  # type: ignore[misc]
    """A residual block."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2D(channels, out, 3, stride=stride, padding=1, bias_attr=False)
        self.norm1 = nn.BatchNorm2D(out)
        self.conv2 = nn.Conv2D(out, out, 3, padding=1, bias_attr=False)
        self.norm2 = nn.BatchNorm2D(out)
        self.short = nn.Conv2D(channels, out, 1, stride=stride, bias_attr=False)

    def forward(self, x: Any) -> Any:
        """relu(f(x) + x)"""
        y = nn.functional.relu(self.norm1(self.conv1(x)))
        return nn.functional.relu(self.norm2(self.conv2(y)) + self.short(x))


class Classifier(nn.Layer):  # type: ignore[misc]
    """A Transformer encoder over a sequence, and a linear layer on its mean."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(64, 4, 128, dropout=0.0), 2)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        """[N, L, 64] -> [N, 10]"""
        return self.head(self.encoder(x).mean(1))


def mlp() -> Any:
    """64 -> 128 -> 128 -> 10"""
    return nn.Sequential(
        nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 128), nn.ReLU(), nn.Linear(128, 10)
    )


def resnet() -> Any:
    """Three residual blocks."""
    return nn.Sequential(
        nn.Conv2D(3, 16, 3, padding=1),
        Block(16, 16, 1),
        Block(16, 32, 2),
        Block(32, 64, 2),
        nn.AdaptiveAvgPool2D(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


class Recurrent(nn.Layer):  # type: ignore[misc]
    """An LSTM, and a linear layer on its last step."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 64)
        self.head = nn.Linear(64, 10)

    def forward(self, x: Any) -> Any:
        """[N, L, 32] -> [N, 10]"""
        return self.head(self.lstm(x)[0][:, -1])


# name -> (constructor, shape of a batch)
INFERENCE_MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (mlp, (64, 64)),
    "lenet": (lenet, (64, 1, 28, 28)),
    "resnet": (resnet, (16, 3, 32, 32)),
    "transformer": (Classifier, (16, 32, 64)),
}


def wide_mlp() -> Any:
    """784 -> 100 -> 100 -> 10"""
    return nn.Sequential(
        nn.Linear(784, 100), nn.ReLU(), nn.Linear(100, 100), nn.ReLU(), nn.Linear(100, 10)
    )


def wide_lenet() -> Any:
    """LeNet with 20 and 50 channels."""
    return nn.Sequential(
        nn.Conv2D(1, 20, 5),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Conv2D(20, 50, 5),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(800, 500),
        nn.ReLU(),
        nn.Linear(500, 10),
    )


class Attention(nn.Layer):  # type: ignore[misc]
    """Causal self-attention with 6 heads of 64."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(384, 3 * 384), nn.Linear(384, 384)
        self.mask = P.to_tensor(np.triu(np.full((128, 128), -np.inf, "float32"), 1))

    def forward(self, x: Any) -> Any:
        """[N, 128, 384] -> [N, 128, 384]"""
        q, k, v = self.qkv(x).reshape([-1, 128, 3, 6, 64]).transpose([2, 0, 3, 1, 4]).unbind(0)
        scores = P.matmul(q * 64**-0.5, k, transpose_y=True) + self.mask
        mixed = P.matmul(nn.functional.softmax(scores), v)
        return self.out(mixed.transpose([0, 2, 1, 3]).reshape([-1, 128, 384]))


class DecoderLayer(nn.Layer):  # type: ignore[misc]
    """Attention and a feed-forward network, with normalization before each."""

    def __init__(self) -> None:
        super().__init__()
        self.norm1, self.attention, self.norm2 = nn.LayerNorm(384), Attention(), nn.LayerNorm(384)
        self.wide, self.narrow = nn.Linear(384, 1536), nn.Linear(1536, 384)

    def forward(self, x: Any) -> Any:
        """[N, 128, 384] -> [N, 128, 384]"""
        x = x + self.attention(self.norm1(x))
        return x + self.narrow(nn.functional.gelu(self.wide(self.norm2(x))))


class Gpt(nn.Layer):  # type: ignore[misc]
    """A language model of 6 layers over 256 tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(256, 384), nn.Embedding(128, 384)
        self.layers = nn.Sequential(*(DecoderLayer() for _ in range(6)))
        self.norm, self.head = nn.LayerNorm(384), nn.Linear(384, 256)

    def forward(self, x: Any) -> Any:
        """[N, 128] -> [N * 128, 256]"""
        x = self.tokens(x) + self.positions(P.arange(128))
        return self.head(self.norm(self.layers(x))).reshape([-1, 256])


# name -> (constructor, shape of a training batch)
TRAINING_MODELS: dict[str, tuple[Callable[[], Any], tuple[int, ...]]] = {
    "mlp": (wide_mlp, (16, 784)),
    "lenet": (wide_lenet, (64, 1, 28, 28)),
    "resnet": (resnet, (16, 3, 32, 32)),
    "lstm": (Recurrent, (16, 20, 32)),
    "transformer": (Classifier, (16, 16, 64)),
    "resnet50": (P.vision.models.resnet50, (8, 3, 112, 112)),
    "gpt": (Gpt, (4, 128)),
}


def training_batch(name: str) -> tuple[Any, Any]:
    """Return the inputs and labels of a batch for one of TRAINING_MODELS."""
    shape = TRAINING_MODELS[name][1]
    if name == "gpt":
        tokens = rng.integers(0, 256, (4, 129))
        return P.to_tensor(tokens[:, :-1]), P.to_tensor(tokens[:, 1:].reshape(-1))
    return normal_tensor(*shape), label_tensor(shape[0])


def add(tape: bool) -> Case:
    """Return a call that adds two small tensors; tape: with a gradient for one of them."""
    x, y = normal_tensor(4, 4), normal_tensor(4, 4)
    y.stop_gradient = not tape
    return lambda: x + y


def train(name: str, static: bool = False) -> Case:
    """Return a call of one training step, with SGD for the MLP and Adam for the other models."""
    model, (x, y) = TRAINING_MODELS[name][0](), training_batch(name)
    optimizer_class = P.optimizer.SGD if name == "mlp" else P.optimizer.Adam
    optimizer = optimizer_class(1e-3, parameters=model.parameters())
    loss = P.jit.to_static(Loss(model)) if static else Loss(model)
    return training_step(loss, optimizer, x, y)


def eager_inference(name: str) -> Case:
    """Return an eager call of a layer without gradients."""
    model, (x, _) = TRAINING_MODELS[name][0](), training_batch(name)
    model.eval()

    def call() -> None:
        with P.no_grad():
            model(x)

    return call


def traced_call() -> Case:
    """Return a call of an MLP on one row: a TracedLayer in Oarlock, a to_static layer in Paddle."""
    model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))
    model.eval()
    x = normal_tensor(1, 64)
    if IS_OARLOCK:
        _, trace = P.jit.TracedLayer.trace(model, [x])
        return lambda: trace([x])
    static = P.jit.to_static(
        model, input_spec=[P.static.InputSpec([None, 64], "float32")], full_graph=True
    )

    def call() -> None:
        with P.no_grad():
            static(x)

    return call


def to_static_call(input_spec: bool) -> Case:
    """Return a call of an MLP under `to_static` and `no_grad` on one row."""
    model = wide_mlp()
    model.eval()
    x = normal_tensor(1, 784)
    specs = [P.static.InputSpec([None, 784], "float32")] if input_spec else None
    static = P.jit.to_static(model, input_spec=specs, full_graph=True)

    def call() -> None:
        with P.no_grad():
            static(x)

    return call


def inference_run(name: str) -> Case:
    """Return a run of a saved model with batch 1: by Oarlock's engine, or by Paddle Inference."""
    shape = INFERENCE_MODELS[name][1]
    x = rng.standard_normal((1, *shape[1:])).astype("float32")
    prefix = str(FOLDER / name)
    if IS_OARLOCK:
        layer = P.jit.load(prefix, threads=1)
        return lambda: layer(x)
    from paddle import inference

    config = inference.Config(prefix + ".pdmodel", prefix + ".pdiparams")
    config.disable_gpu()
    config.set_cpu_math_library_num_threads(1)
    config.enable_mkldnn()
    config.disable_glog_info()
    predictor = inference.create_predictor(config)
    input_handle = predictor.get_input_handle(predictor.get_input_names()[0])
    output_handle = predictor.get_output_handle(predictor.get_output_names()[0])

    def call() -> None:
        input_handle.copy_from_cpu(x)
        predictor.run()
        output_handle.copy_to_cpu()

    return call


CASES: dict[str, Callable[[], Case]] = {
    "small op, no gradient": lambda: add(False),
    "small op, with tape": lambda: add(True),
    "60 small ops, forward and backward": lambda: op_chain(lambda ops: ops),
    **{f"training step: {name}": (lambda name=name: train(name)) for name in TRAINING_MODELS},  # type: ignore[misc]
    **{
        f"training step, to_static: {name}": (lambda name=name: train(name, True))  # type: ignore[misc]
        for name in TRAINING_MODELS
    },
    **{
        f"eager inference: {name}": (lambda name=name: eager_inference(name))  # type: ignore[misc]
        for name in ("transformer", "lstm")
    },
    "traced call of a small MLP": traced_call,
    "to_static call of an MLP": lambda: to_static_call(False),
    "to_static call of an MLP, input_spec": lambda: to_static_call(True),
    **{f"inference: {name}": (lambda name=name: inference_run(name)) for name in INFERENCE_MODELS},  # type: ignore[misc]
}


def save_models() -> None:
    """Save the models of the inference cases."""
    for name, (make, shape) in {**INFERENCE_MODELS, "wide_mlp": TRAINING_MODELS["mlp"]}.items():
        model = make()
        model.eval()
        spec = P.static.InputSpec([None, *shape[1:]], "float32", "x")
        P.jit.save(model, str(FOLDER / name), input_spec=[spec])


if __name__ == "__main__":
    P.seed(0)
    if sys.argv[3:] == ["save"]:
        save_models()
    else:
        serve(CASES, sys.argv[1])
