"""The traced MLP and the exported models in ONNX Runtime's Python package."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime
from serve import serve

SHAPES = {
    "small": (1, 64),
    "mlp": (1, 64),
    "wide_mlp": (1, 784),
    "lenet": (1, 1, 28, 28),
    "resnet": (1, 3, 32, 32),
    "transformer": (1, 32, 64),
}


def case(name: str) -> Callable[[], object]:
    """Return a function that calls `session.run` on one row."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(Path(sys.argv[1], name + ".onnx")), options, providers=["CPUExecutionProvider"]
    )
    feed = {
        session.get_inputs()[0].name: np.random.default_rng(0)
        .standard_normal(SHAPES[name])
        .astype("float32")
    }
    return lambda: session.run(None, feed)


serve(
    {
        "traced call of a small MLP": lambda: case("small"),
        "to_static call of an MLP": lambda: case("wide_mlp"),
        "to_static call of an MLP, input_spec": lambda: case("wide_mlp"),
        **{
            f"inference: {name}": (lambda name=name: case(name))
            for name in SHAPES
            if name not in ("small", "wide_mlp")
        },
    },
    "onnxruntime",
)
