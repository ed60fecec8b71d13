"""Mixed precision: which ops are cast, gradients, programs and training."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.amp import auto_cast, debugging, decorate
from oarlock.amp.mode import AmpMode
from oarlock.core.errors import OarlockError, OpError
from oarlock.core.mode import state

HALF = ["float16", "bfloat16"]
each = pytest.mark.parametrize("dtype", HALF)
RNG = np.random.default_rng(3)
A, B = (RNG.standard_normal((4, 4)).astype("float32") for _ in range(2))


def tensors(*arrays: Any) -> list[Any]:
    return [paddle.to_tensor(a, stop_gradient=False) for a in arrays]


# -- what is cast
# ------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("level", ["O1", "O2", "OD"])
def test_op_lists_select_dtype(level: str, dtype: str) -> None:
    x, y = tensors(A, B)
    half = x.astype(dtype)
    with auto_cast(level=level, dtype=dtype):
        white, black, other, mixed = (
            paddle.matmul(x, y),
            paddle.exp(half),
            paddle.tanh(half),
            paddle.add(half, y),
        )
    assert white.dtype == dtype
    assert black.dtype == (dtype if level == "O2" else "float32")
    assert other.dtype == ("float32" if level == "OD" else dtype)
    assert mixed.dtype == "float32"


def test_unlisted_ops_run_in_half_without_promotion() -> None:
    x, table = tensors(A, B)
    with auto_cast(level="O2", use_promote=False):
        assert paddle.tanh(x).dtype == "float16"
        assert nn.functional.embedding(paddle.to_tensor([1]), table).dtype == "float32"
    with auto_cast(level="O1", use_promote=False):
        assert paddle.tanh(x).dtype == "float32"


def test_custom_lists_take_precedence() -> None:
    x, y = tensors(A, B)
    with auto_cast(custom_white_list={"tanh"}, custom_black_list={"matmul_v2"}):
        assert paddle.tanh(x).dtype == "float16"
        assert paddle.matmul(x, y).dtype == "float32"
    with (
        pytest.raises(OpError, match="'tanh'"),
        auto_cast(custom_white_list={"tanh"}, custom_black_list={"tanh"}),
    ):
        pass


@pytest.mark.parametrize("off", [{"enable": False}, {"level": "O0"}])
def test_nested_auto_cast_can_be_disabled(off: dict[str, Any]) -> None:
    x, y = tensors(A, B)
    with auto_cast():
        with auto_cast(**off):
            assert paddle.matmul(x, y).dtype == "float32"
        with auto_cast(dtype="bfloat16"):
            assert paddle.matmul(x, y).dtype == "bfloat16"
        assert paddle.matmul(x, y).dtype == "float16"
    assert not isinstance(state.mode, AmpMode)


def test_float64_and_integers_are_not_cast() -> None:
    x = paddle.to_tensor(A.astype("float64"))
    whole = paddle.to_tensor([[1, 2], [3, 4]])
    with auto_cast(level="O2", use_promote=False):
        assert paddle.matmul(x, x).dtype == "float64"
        assert (whole + whole).dtype == "int64"


@each
def test_batch_norm_statistics_stay_float32(dtype: str) -> None:
    norm = nn.BatchNorm1D(4)
    with auto_cast(dtype=dtype):
        out = norm(paddle.matmul(*tensors(A, B)))
    assert out.dtype == dtype
    assert norm._mean.dtype == norm.weight.dtype == "float32"
    out.sum().backward()
    assert norm.weight.grad.dtype == "float32"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [({"level": "O3"}, "level='O3'"), ({"dtype": "float32"}, "neither float16 nor bfloat16")],
)
def test_invalid_arguments_are_rejected(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(OpError, match=words), auto_cast(**arguments):
        pass


def test_auto_cast_as_decorator() -> None:
    @auto_cast(dtype="bfloat16")
    def product(x: Any, y: Any) -> Any:
        return paddle.matmul(x, y)

    assert product(*tensors(A, B)).dtype == "bfloat16"


# -- gradients and casts
# ----------------------------------------------------------------------------------------------


@each
def test_gradients_are_float32(dtype: str) -> None:
    x, y = tensors(A, B)
    with auto_cast(dtype=dtype):
        paddle.matmul(x, y).sum().backward()
    assert x.grad.dtype == y.grad.dtype == "float32"
    np.testing.assert_allclose(
        x.grad.numpy(), np.broadcast_to(B.sum(1), (4, 4)), rtol=5e-2, atol=5e-2
    )


def test_backward_pass_is_not_cast() -> None:
    x, y = tensors(A, B)
    out = paddle.matmul(paddle.exp(x * 0.0 + 12.0), y * 0.0 + 1.0)  # beyond what float16 holds
    with auto_cast():
        out.sum().backward()
    assert np.isfinite(y.grad.numpy()).all()
    assert y.grad.numpy().max() == 0.0
    (x2,) = tensors(A)
    with auto_cast():
        (found,) = paddle.grad((x2 * x2 * x2).sum(), x2, create_graph=True)
        (second,) = paddle.grad(found.sum(), x2)
    np.testing.assert_allclose(second.numpy(), 6 * A, rtol=1e-5)


def count_casts(function: Any) -> int:
    """How many cast ops a function runs."""
    seen: list[str] = []

    class Counting(type(state.mode)):  # type: ignore[misc]
        allows_bare_arrays = False

        def run(self, op: Any, args: Any, attrs: Any) -> Any:
            seen.append(op.type)
            return super().run(op, args, attrs)

        def mode_with_tape_set(self, tape: bool) -> Any:
            return Counting(tape)

    before = state.mode
    state.mode = Counting(True)
    try:
        function()
    finally:
        state.mode = before
    return seen.count("cast")


def test_parameter_is_cast_once_per_context() -> None:
    layer = nn.Linear(4, 4, bias_attr=False)
    x = paddle.to_tensor(A).astype("float16")

    def twice() -> None:
        with auto_cast():
            layer(x)
            layer(x)

    def changed_between() -> None:
        with auto_cast():
            layer(x)
            layer.weight.set_value(B)
            out = layer(x)
        np.testing.assert_allclose(out.astype("float32").numpy(), A @ B, atol=2e-2)

    assert count_casts(twice) == 1
    assert count_casts(changed_between) > 1


def test_parameter_is_cast_again_after_its_graph_was_freed() -> None:
    layer = nn.Linear(4, 4, bias_attr=False)
    with auto_cast():
        for _ in range(2):
            layer(paddle.to_tensor(A)).sum().backward()
    once = layer.weight.grad.numpy() / 2
    np.testing.assert_allclose(
        once, np.broadcast_to(A.sum(0)[:, None], (4, 4)), rtol=1e-2, atol=1e-2
    )


def test_cast_under_no_grad_is_not_reused_with_gradients() -> None:
    layer = nn.Linear(4, 4)
    with auto_cast():
        with paddle.no_grad():
            layer(paddle.to_tensor(A))
        layer(paddle.to_tensor(A)).sum().backward()
    assert layer.weight.grad is not None


# -- training
# ------------------------------------------------------------------------------


def net() -> Any:
    paddle.seed(5)
    return nn.Sequential(
        nn.Conv2D(1, 4, 3),
        nn.BatchNorm2D(4),
        nn.ReLU(),
        nn.Flatten(),
        nn.LayerNorm(144),
        nn.Linear(144, 10),
    )


IMAGES, LABELS = RNG.standard_normal((32, 1, 8, 8)).astype("float32"), RNG.integers(0, 10, (32,))


@each
@pytest.mark.parametrize("level", ["O1", "O2"])
def test_training_converges(level: str, dtype: str) -> None:
    model = net()
    optimizer = paddle.optimizer.AdamW(0.01, parameters=model.parameters())
    model, optimizer = decorate(model, optimizer, level=level, dtype=dtype)
    scaler = paddle.amp.GradScaler(enable=dtype == "float16", init_loss_scaling=1024)
    losses = []
    for _ in range(25):
        with auto_cast(level=level, dtype=dtype):
            loss = nn.functional.cross_entropy(
                model(paddle.to_tensor(IMAGES)), paddle.to_tensor(LABELS)
            )
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        losses.append(float(loss))
    assert losses[0] > 1.5
    assert losses[-1] < 0.1


def test_hapi_model_trains_in_mixed_precision() -> None:
    for configs in (
        "O1",
        "O2",
        {"level": "O1", "init_loss_scaling": 8.0, "custom_black_list": ["conv2d"]},
    ):
        model = paddle.Model(net())
        optimizer = paddle.optimizer.Momentum(0.05, parameters=model.parameters())
        model.prepare(optimizer, nn.CrossEntropyLoss(), amp_configs=configs)
        losses = [float(model.train_batch([IMAGES], [LABELS])[0]) for _ in range(15)]
        assert losses[0] > 1.5
        assert losses[-1] < 0.3
        kept = "float16" if configs == "O2" else "float32"
        assert model.network[5].weight.dtype == kept
        assert model.predict_batch([IMAGES])[0].dtype == kept


X3 = RNG.standard_normal((2, 4, 8)).astype("float32")
NETS: dict[str, tuple[Any, Any]] = {
    "lstm": (lambda: nn.LSTM(8, 5), X3),
    "cells": (lambda: nn.RNN(nn.GRUCell(8, 5)), X3),
    "attention": (lambda: nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, 0.0), 2), X3),
    "embedding": (
        lambda: nn.Sequential(nn.Embedding(7, 4), nn.Linear(4, 4)),
        np.array([[1, 2, 6]]),
    ),
    "norms": (
        lambda: nn.Sequential(
            nn.Conv2D(1, 4, 3), nn.InstanceNorm2D(4), nn.GroupNorm(2, 4), nn.MaxPool2D(2)
        ),
        IMAGES[:2],
    ),
    "upwards": (
        lambda: nn.Sequential(
            nn.Conv2DTranspose(1, 2, 3), nn.Upsample(scale_factor=2, mode="bilinear")
        ),
        IMAGES[:2],
    ),
}


@each
@pytest.mark.parametrize("level", ["O1", "O2", "OD"])
@pytest.mark.parametrize("name", NETS)
def test_outputs_are_close_to_float32(name: str, level: str, dtype: str) -> None:
    paddle.seed(1)
    make, array = NETS[name]
    network = make()

    def output() -> Any:
        found = network(paddle.to_tensor(array))
        return (found[0] if isinstance(found, tuple) else found).astype("float32")

    single = output().numpy()
    if level == "O2":
        decorate(network, level=level, dtype=dtype)
    with auto_cast(level=level, dtype=dtype):
        found = output()
    np.testing.assert_allclose(found.numpy(), single, atol=3e-2 * np.abs(single).max())
    found.sum().backward()
    assert all(p.grad.dtype == p.dtype for p in network.parameters() if not p.stop_gradient)


# -- decorate
# ------------------------------------------------------------------------------


@each
def test_decorate_casts_all_layers_except_norms(dtype: str) -> None:
    model = decorate(net(), level="O2", dtype=dtype)
    dtypes = {name: p.dtype.name for name, p in model.named_parameters()}
    assert dtypes["0.weight"] == dtypes["5.bias"] == dtype
    assert dtypes["1.weight"] == "float32"
    assert dtypes["4.weight"] == ("float32" if dtype == "float16" else dtype)


def test_decorate_skips_excluded_layers() -> None:
    model = net()
    decorate(model, level="O2", excluded_layers=[nn.Linear, model[0]])
    assert {p.dtype.name for p in model.parameters()} == {"float32"}
    with pytest.raises(OpError, match="excluded_layers contains 3"):
        decorate(model, level="O2", excluded_layers=3)


def test_decorate_returns_its_arguments() -> None:
    model, other = net(), net()
    optimizer = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    assert decorate(model) is model
    assert decorate([model, other], level="O2") == [model, other]
    assert decorate(model, optimizer, level="O2") == (model, optimizer)
    assert optimizer._multi_precision
    assert not decorate(model, optimizer, level="O2", master_weight=False)[1]._multi_precision


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"level": "O0"}, "level='O0' is neither"),
        ({"dtype": "int8"}, "dtype='int8'"),
        ({"save_dtype": "int8"}, "save_dtype='int8'"),
        ({"optimizers": 3}, "int is not an optimizer"),
    ],
)
def test_decorate_rejects_invalid_arguments(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(OpError, match=words):
        decorate(net(), **arguments)
    with pytest.raises(OpError, match="expected a Layer, got int"):
        decorate(3)


def test_save_dtype_changes_only_the_state_dict() -> None:
    model = decorate(net(), level="O2", save_dtype="float32")
    found = model.state_dict()
    assert {t.dtype.name for t in found.values()} == {"float32"}
    assert found["0.weight"].name == model[0].weight.name
    assert model[0].weight.dtype == "float16"
    other = decorate(net(), level="O2")
    other.set_state_dict(found)
    assert other[0].weight.dtype == "float16"
    np.testing.assert_array_equal(other[0].weight.numpy(), model[0].weight.numpy())


def test_master_grad_keeps_gradients_in_float32() -> None:
    model = nn.Linear(4, 4)
    model.bias.stop_gradient = True  # frozen: has no gradient to cast
    decorate(model, level="O2", master_grad=True)
    with auto_cast(level="O2"):
        model(paddle.to_tensor(A)).sum().backward()
    assert model.weight.dtype == "float16"
    assert model.weight.grad.dtype == "float32"


# -- programs
# ------------------------------------------------------------------------------


class LayerWithAutoCast(nn.Layer):  # type: ignore[misc]
    """A layer that casts on its own."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    def forward(self, x: Any) -> Any:
        with auto_cast(custom_black_list={"matmul_v2"}, custom_white_list={"tanh"}):
            return paddle.tanh(self.linear(x)).astype("float32")


def test_trace_contains_casts() -> None:
    layer, x = LayerWithAutoCast(), paddle.to_tensor(A)
    out, traced = paddle.jit.TracedLayer.trace(layer, [x])
    assert [op.type for op in traced.program.block.ops].count("cast") == 2
    np.testing.assert_allclose(np.asarray(traced([x])[0]), out.numpy(), atol=1e-3)


def test_saved_program_contains_casts(tmp_path: Any) -> None:
    layer = LayerWithAutoCast()
    layer.eval()
    spec = [paddle.static.InputSpec([None, 4], "float32")]
    paddle.jit.save(layer, str(tmp_path / "net"), spec)
    loaded = paddle.jit.load(str(tmp_path / "net"))
    np.testing.assert_allclose(
        loaded(paddle.to_tensor(A)).numpy(), layer(paddle.to_tensor(A)).numpy(), atol=1e-3
    )


def test_trace_inside_auto_cast_contains_casts() -> None:
    layer, x = nn.Linear(4, 3, bias_attr=False), paddle.to_tensor(A)
    with auto_cast():
        out, traced = paddle.jit.TracedLayer.trace(layer, [x])
    assert out.dtype == "float16"
    assert [op.type for op in traced.program.block.ops] == [
        "feed",
        "cast",
        "cast",
        "matmul_v2",
        "fetch",
    ]


# -- the rest
# ------------------------------------------------------------------------------


def test_check_numerics() -> None:
    bad = paddle.to_tensor([[1.0, np.nan, 0.0], [np.inf, -3.0, 0.0]])
    with pytest.raises(OarlockError, match="pow: 1 NaNs, 1 infinities, 2 zeros in y"):
        debugging.check_numerics(bad, "pow", "y")
    counts, values = debugging.check_numerics(bad, "pow", "y", debugging.DebugMode.CHECK_NAN_INF)
    np.testing.assert_array_equal(counts.numpy(), [1, 1, 2])
    np.testing.assert_array_equal(values.numpy(), [np.inf, -3.0, np.nan])
    counts, values = debugging.check_numerics(paddle.to_tensor([1.0, 2.0, 0.0]), "pow", "y")
    np.testing.assert_array_equal(counts.numpy(), [0, 0, 1])
    np.testing.assert_array_equal(values.numpy(), [2.0, 0.0, 1.0])


def test_half_precision_is_supported() -> None:
    assert paddle.amp.is_float16_supported()
    assert paddle.amp.is_bfloat16_supported()


def test_ops_are_counted_by_dtype(capsys: Any) -> None:
    x, y = tensors(A, B)
    with debugging.collect_operator_stats():
        with auto_cast(), paddle.no_grad():
            paddle.matmul(x, y)
        paddle.matmul(x, y).sum().backward()
    printed = capsys.readouterr().out
    rows = {
        line.split("|")[0].strip(): [part.strip() for part in line.split("|")[1:]]
        for line in printed.splitlines()
        if line[:1] == " "
    }
    assert rows == {
        "cast": ["0", "0", "2", "0"],
        "matmul_v2": ["1", "0", "1", "0"],
        "reduce_sum": ["0", "0", "1", "0"],
    }
    assert "op count: 3" in printed
    debugging.disable_operator_stats_collection()
    assert capsys.readouterr().out == ""
