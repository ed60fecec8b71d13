"""Operands whose dtype differs from the weights are rejected, as in Paddle, and not promoted."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
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
def test_layer_rejects_other_input_dtype(name: str, dtype: str, training: bool) -> None:
    make, shape = LAYERS[name]
    layer = make()
    layer.training = training
    x = paddle.ones(shape)
    layer(x)
    if dtype == "float16" and name in NORMS:
        layer(x.astype(dtype))  # statistics may be float32
        return
    with pytest.raises(paddle.OpError, match=r"(one|same) dtype.*cast one of them"):
        layer(x.astype(dtype))


def test_save_error_names_the_op(tmp_path: Path) -> None:
    with pytest.raises(paddle.OpError, match=r"matmul: Y is float32 and X is float64"):
        paddle.jit.save(
            nn.Linear(4, 3), str(tmp_path / "m"), [paddle.static.InputSpec([None, 4], "float64")]
        )


PAIRS = """divide floor_divide mod remainder pow maximum minimum fmax fmin equal not_equal less_than less_equal greater_than
greater_equal atan2 heaviside logaddexp logical_and logical_or logical_xor equal_all allclose isclose"""


def _apply_with_ones(name: str, x: Any) -> Any:
    return getattr(paddle, name)(x, paddle.ones([4, 4]))


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
    **{name: partial(_apply_with_ones, name) for name in PAIRS.split()},
    "broadcast_tensors": lambda x: paddle.broadcast_tensors([x, paddle.ones([4, 4])]),
    "meshgrid": lambda x: paddle.meshgrid([x[0], paddle.ones([4])]),
    "smooth_l1_loss": lambda x: F.smooth_l1_loss(x, paddle.ones([4, 4])),
    "binary_cross_entropy": lambda x: F.binary_cross_entropy(paddle.ones([4, 4]), x),
    "binary_cross_entropy_with_logits": lambda x: F.binary_cross_entropy_with_logits(x, paddle.ones([4, 4])),
    "cross_entropy": lambda x: F.cross_entropy(paddle.ones([4, 4]), x, soft_label=True),
    "label_smooth": lambda x: F.label_smooth(x, prior_dist=paddle.ones([1, 4])),
}  # fmt: skip


@pytest.mark.parametrize("dtype", ["float64", "int64"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_rejects_mixed_dtypes(name: str, dtype: str) -> None:
    FUNCTIONS[name](paddle.ones([4, 4]))
    with pytest.raises(paddle.OpError, match=r"(one|same) dtype|wrong dtype; cast it"):
        FUNCTIONS[name](paddle.ones([4, 4]).astype(dtype))


def test_auto_cast_still_casts() -> None:
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert nn.Linear(4, 3, bias_attr=False)(paddle.ones([2, 4])).dtype == paddle.bfloat16


def test_same_dtype_slots_exist() -> None:
    marked = {
        op.type: [s.name for i, s in enumerate(op.ins) if op.same_dtype >> i & 1]
        for op in OPS.values()
        if op.same_dtype
    }
    assert marked["conv2d"] == ["Input", "Filter"]
    assert marked["rnn"] == ["Input", "PreState", "WeightList"]
    for type_, slots in marked.items():
        assert len(slots) > 1 or next(s for s in OPS[type_].ins if s.name == slots[0]).is_list, (
            type_
        )


PROMOTING: dict[str, Callable[[Any, Any], Any]] = {
    "add": paddle.add,
    "subtract": paddle.subtract,
    "multiply": paddle.multiply,
    "where": lambda x, y: paddle.where(paddle.ones([2, 3], "bool"), x, y),
    "mse_loss": F.mse_loss,
    "l1_loss": F.l1_loss,
    "kl_div": F.kl_div,
}


@pytest.mark.parametrize("name", PROMOTING)
def test_promotion_of_floating_dtypes(name: str) -> None:
    single, double, whole = (
        paddle.ones([2, 3], dtype) for dtype in ("float32", "float64", "int64")
    )
    assert (
        PROMOTING[name](single, double).dtype
        == PROMOTING[name](double, single).dtype
        == paddle.float64
    )
    for x, y in ((single, whole), (whole, single)):
        with pytest.raises(paddle.OpError, match="(one|same) dtype"):
            PROMOTING[name](x, y)


def test_static_functions_do_not_promote() -> None:
    paddle.enable_static()
    try:
        with paddle.static.program_guard(paddle.static.Program()):
            x, y = (paddle.static.data(dtype, [2, 3], dtype) for dtype in ("float32", "float64"))
            assert (x + y).dtype == paddle.float64
            with pytest.raises(paddle.OpError, match="add: the operands must have the same dtype"):
                paddle.add(x, y)
    finally:
        paddle.disable_static()


# What PaddlePaddle 2.6.2 gives for `x o y`: the dtype of x, except where two floating dtypes are
# promoted.
OPERATORS = [
    (operator.add, "float32", "float64", "float64"),
    (operator.mul, "float64", "float32", "float64"),
    (operator.add, "float32", "int64", "float32"),
    (operator.sub, "int64", "int32", "int64"),
    (operator.add, "int32", "float32", "int32"),
    (operator.truediv, "float32", "float64", "float32"),
    (operator.truediv, "int32", "float64", "float32"),
    (operator.floordiv, "float32", "float64", "float32"),
    (operator.mod, "float32", "float64", "float32"),
    (operator.pow, "int32", "int64", "int32"),
    (operator.pow, "float32", "float64", "float32"),
    (operator.matmul, "float32", "float64", "float32"),
    (operator.eq, "int32", "float64", "bool"),
]


@pytest.mark.filterwarnings("ignore:.*the right operand is cast")
@pytest.mark.parametrize(("operate", "left", "right", "wanted"), OPERATORS)
def test_operators_cast_the_right_operand(operate: Any, left: str, right: str, wanted: str) -> None:
    x, y = paddle.full([2, 2], 3, left), paddle.full([2, 2], 2.5, right)
    found = operate(x, y)
    assert found.dtype.name == wanted
    both = [
        t.numpy().astype(x.numpy().dtype if wanted in (left, "bool") else wanted) for t in (x, y)
    ]
    np.testing.assert_allclose(found.numpy(), operate(*both), rtol=1e-6)


def test_lossy_operand_cast_warns() -> None:
    with pytest.warns(
        UserWarning, match=r"add: the right operand is cast .* cast the left operand"
    ):
        found = paddle.to_tensor([1, 2]) + paddle.to_tensor([1.5, 2.5])
    assert found.tolist() == [2, 4]


@pytest.mark.parametrize("name", ["add_", "subtract_", "multiply_"])
def test_in_place_op_rejects_other_result_dtype(name: str) -> None:
    x = paddle.ones([2])
    with pytest.raises(paddle.OpError, match=f"{name}: the result would be float64"):
        getattr(x, name)(paddle.ones([2], "float64"))
    assert getattr(paddle.ones([2], "float64"), name)(x).dtype == paddle.float64


FLOATING: dict[str, Callable[[Any], Any]] = {
    **{
        name: getattr(F, name)
        for name in """celu elu gelu gumbel_softmax hardshrink hardsigmoid hardswish hardtanh label_smooth leaky_relu log_sigmoid mish
        selu softplus softshrink softsign swish tanhshrink thresholded_relu""".split()
    },
    "rrelu": lambda x: F.rrelu(x, training=False),
    "rrelu in training": F.rrelu,
    "logit": paddle.logit,
    "stanh": paddle.stanh,
    "dropout": F.dropout,
    "dropout that scales in inference": lambda x: F.dropout(
        x, 0.5, training=False, mode="downscale_in_infer"
    ),
    "renorm": lambda x: paddle.renorm(x, 2.0, 0, 1.0),
    "var": paddle.var,
    "std": paddle.std,
}


@pytest.mark.parametrize("dtype", ["int32", "int64", "bool"])
@pytest.mark.parametrize("name", FLOATING)
def test_floating_function_rejects_integers(name: str, dtype: str) -> None:
    """Attributes such as a slope would be cut to integers, and so would the results."""
    x = paddle.to_tensor([[0, 1, 1], [1, 0, 1]], dtype=dtype)
    assert FLOATING[name](x.astype("float32")).dtype == paddle.float32
    with pytest.raises(
        paddle.OpError, match=rf"X is {dtype} and has to be floating.*cast it: .astype\('float32'\)"
    ):
        FLOATING[name](x)


def test_to_static_rejects_integers() -> None:
    static = paddle.jit.to_static(F.gelu, full_graph=True)
    with pytest.raises(paddle.OpError, match="X is int64 and has to be floating"):
        static(paddle.ones([2, 3], "int64"))


LOSSES: dict[str, Callable[[Any, Any], Any]] = {
    "l1_loss": F.l1_loss,
    "mse_loss": F.mse_loss,
    "margin_ranking_loss": lambda x, y: F.margin_ranking_loss(x, y, paddle.ones_like(x)),
    "smooth_l1_loss": F.smooth_l1_loss,
    "log_loss": F.log_loss,
    "addmm": lambda x, y: paddle.addmm(x, x, y, 0.5, 0.5),
    "grid_sample": lambda x, y: F.grid_sample(x.reshape([1, 1, 2, 2]), y.reshape([1, 1, 2, 2])),
}


@pytest.mark.parametrize("name", LOSSES)
def test_floating_loss_rejects_integers(name: str) -> None:
    x, y = paddle.to_tensor([[1, 2], [3, 4]]), paddle.to_tensor([[1, 1], [1, 0]])
    LOSSES[name](x.astype("float32"), y.astype("float32"))
    with pytest.raises(paddle.OpError, match=r"int64.*cast"):
        LOSSES[name](x, y)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic"])
@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64"])
def test_interpolate_integers(mode: str, dtype: str) -> None:
    """uint8 images are truncated, as in Paddle; meaningless combinations are rejected."""
    x = (paddle.arange(16).reshape([1, 1, 4, 4]) * 7 % 13).astype(dtype)
    if mode == "nearest" or (mode == "bilinear" and dtype == "uint8"):
        found = F.interpolate(x, size=[3, 3], mode=mode)
        want = F.interpolate(x.astype("float32"), size=[3, 3], mode=mode).numpy()
        assert found.dtype == x.dtype
        assert found.numpy().tolist() == np.floor(want).tolist()
    else:
        with pytest.raises(paddle.OpError, match="needs a floating dtype"):
            F.interpolate(x, size=[3, 3], mode=mode)
