"""Operands of another dtype than the weights: rejected, as in Paddle, and not promoted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.op import OPS
from oarlock.nn import functional as F

LAYERS: dict[str, tuple[Callable[[], Any], list[int]]] = {
    "Linear": (lambda: nn.Linear(4, 3), [2, 4]),
    "Conv1D": (lambda: nn.Conv1D(2, 3, 1), [1, 2, 4]),
    "Conv2D": (lambda: nn.Conv2D(2, 3, 1), [1, 2, 4, 4]),
    "depthwise": (lambda: nn.Conv2D(2, 2, 1, groups=2), [1, 2, 4, 4]),
    "Conv3D": (lambda: nn.Conv3D(2, 3, 1), [1, 2, 4, 4, 4]),
    "Conv1DTranspose": (lambda: nn.Conv1DTranspose(2, 3, 1), [1, 2, 4]),
    "Conv2DTranspose": (lambda: nn.Conv2DTranspose(2, 3, 1), [1, 2, 4, 4]),
    "Conv3DTranspose": (lambda: nn.Conv3DTranspose(2, 3, 1), [1, 2, 4, 4, 4]),
    "BatchNorm1D": (lambda: nn.BatchNorm1D(4), [2, 4]),
    "BatchNorm2D": (lambda: nn.BatchNorm2D(2), [2, 2, 4, 4]),
    "LayerNorm": (lambda: nn.LayerNorm(4), [2, 4]),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), [2, 4, 4, 4]),
    "InstanceNorm2D": (lambda: nn.InstanceNorm2D(2), [2, 2, 4, 4]),
    "PReLU": (lambda: nn.PReLU(2), [1, 2, 4, 4]),
    "SimpleRNN": (lambda: nn.SimpleRNN(4, 3), [2, 5, 4]),
    "LSTM": (lambda: nn.LSTM(4, 3), [2, 5, 4]),
    "GRU": (lambda: nn.GRU(4, 3), [2, 5, 4]),
    "LSTMCell": (lambda: nn.LSTMCell(4, 3), [2, 4]),
    "GRUCell": (lambda: nn.GRUCell(4, 3), [2, 4]),
    "MultiHeadAttention": (lambda: nn.MultiHeadAttention(4, 2), [2, 3, 4]),
    "SpectralNorm": (lambda: nn.SpectralNorm([4, 3]), [4, 3]),
}
NORMS = {"BatchNorm1D", "BatchNorm2D", "LayerNorm", "GroupNorm", "InstanceNorm2D"}


@pytest.mark.parametrize("dtype", ["float64", "int64", "int32", "float16"])
@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("training", [False, True])
def test_a_layer_rejects_inputs_of_another_dtype(name: str, dtype: str, training: bool) -> None:
    make, shape = LAYERS[name]
    layer = make()
    layer.training = training
    x = paddle.ones(shape)
    layer(x)
    if dtype == "float16" and name in NORMS:
        layer(x.astype(dtype))  # statistics may be float32
        return
    with pytest.raises(paddle.OpError, match=r"one dtype.*cast one of them"):
        layer(x.astype(dtype))


def test_saving_such_a_layer_names_the_op(tmp_path: Path) -> None:
    with pytest.raises(paddle.OpError, match=r"matmul_v2: Y is float32 and X is float64"):
        paddle.jit.save(nn.Linear(4, 3), str(tmp_path / "m"), [paddle.static.InputSpec([None, 4], "float64")])


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "matmul": lambda x: paddle.matmul(x, paddle.ones([4, 4])),
    "bmm": lambda x: paddle.bmm(x.reshape([1, 4, 4]), paddle.ones([1, 4, 4])),
    "mv": lambda x: paddle.mv(x, paddle.ones([4])),
    "addmm": lambda x: paddle.addmm(paddle.ones([4, 4]), x, paddle.ones([4, 4])),
    "einsum": lambda x: paddle.einsum("ij,jk->ik", x, paddle.ones([4, 4])),
    "kron": lambda x: paddle.kron(x, paddle.ones([4, 4])),
    "dist": lambda x: paddle.dist(x, paddle.ones([4, 4])),
    "lerp": lambda x: paddle.lerp(x, paddle.ones([4, 4]), 0.5),
    "add_n": lambda x: paddle.add_n([x, paddle.ones([4, 4])]),
    "solve": lambda x: paddle.linalg.solve(paddle.eye(4), x),
    "layer_norm": lambda x: F.layer_norm(x, [4], paddle.ones([4]), paddle.ones([4])),
}


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_rejects_operands_of_two_dtypes(name: str, dtype: str) -> None:
    FUNCTIONS[name](paddle.ones([4, 4]))
    with pytest.raises(paddle.OpError, match="one dtype"):
        FUNCTIONS[name](paddle.ones([4, 4]).astype(dtype))


def test_casting_under_auto_cast_still_works() -> None:
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert nn.Linear(4, 3, bias_attr=False)(paddle.ones([2, 4])).dtype == paddle.bfloat16


def test_slots_that_have_to_be_of_one_dtype_are_slots_of_their_ops() -> None:
    marked = {
        op.type: [s.name for i, s in enumerate(op.ins) if op.same_dtype >> i & 1]
        for op in OPS.values()
        if op.same_dtype
    }
    assert marked["conv2d"] == ["Input", "Filter"]
    assert marked["rnn"] == ["Input", "PreState", "WeightList"]
    for type_, slots in marked.items():
        assert len(slots) > 1 or next(s for s in OPS[type_].ins if s.name == slots[0]).many, type_
