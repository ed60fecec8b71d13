"""TracedLayer: recording, guards, errors and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.ir.parser import parse
from oarlock.jit import TracedLayer

rng = np.random.default_rng(0)


def normal(*shape: int) -> paddle.Tensor:
    return paddle.to_tensor(rng.standard_normal(shape).astype("float32"))


class Net(nn.Layer):
    """A layer with a given forward."""

    def __init__(self, forward: Any) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.run = forward

    def forward(self, x: Any, *more: Any) -> Any:
        return self.run(self, x, *more)


def trace(forward: Any, *inputs: paddle.Tensor) -> tuple[Any, TracedLayer, Net]:
    net = Net(forward)
    net.eval()
    outputs, traced = TracedLayer.trace(net, list(inputs))
    return outputs, traced, net


def test_trace_returns_outputs_and_program() -> None:
    x = normal(2, 4)
    outputs, traced, net = trace(lambda s, x: nn.functional.relu(s.fc(x)), x)
    np.testing.assert_array_equal(outputs.numpy(), net(x).numpy())
    other = normal(5, 4)
    np.testing.assert_allclose(traced([other])[0], net(other).numpy(), rtol=1e-6)
    np.testing.assert_allclose(traced([other.numpy()])[0], net(other).numpy(), rtol=1e-6)
    assert traced.program.feed_names() == ["x"]
    assert traced.program.block.vars["x"].shape == (-1, 4)
    assert traced.guards == []


def test_program_text_round_trip() -> None:
    _, traced, _ = trace(lambda s, x: nn.functional.relu(s.fc(x)), normal(2, 4))
    text = str(traced.program)
    assert "relu(X=" in text
    assert "test_traced_layer.py:" in text
    assert parse(text) == traced.program


def test_branches_become_guards() -> None:
    def forward(s: Net, x: Any) -> Any:
        if x.mean() > 0:
            return s.fc(x)
        return s.fc(-x)

    x = paddle.ones([2, 4])
    _, traced, net = trace(forward, x)
    (guard,) = traced.guards
    assert (guard.kind, guard.expected, guard.reader) == ("value", "True", "bool()")
    assert guard.where.startswith("test_traced_layer.py:")
    assert guard.text == "if x.mean() > 0:"
    np.testing.assert_allclose(traced([x * 3])[0], net(x * 3).numpy(), rtol=1e-6)
    with pytest.raises(paddle.GuardError, match=r"(?s)bool\(\).*if x.mean\(\) > 0:"):
        traced([x * -1.0])


@pytest.mark.parametrize(
    ("read", "other"),
    [
        (lambda s, x: s.fc(x) * x.shape[0], (3, 4)),
        (lambda s, x: s.fc(x).reshape([x.shape[0] * 3]), (3, 4)),
        (lambda s, x: s.fc(x) + len(x), (3, 4)),
        (lambda s, x: [s.fc(row) for row in x][0], (3, 4)),
        (lambda s, x: s.fc(x) * float(x.shape == [2, 4]), (3, 4)),
    ],
    ids=["shape", "shape in reshape", "len", "iteration", "comparison"],
)
def test_read_sizes_are_guarded(read: Any, other: tuple[int, ...]) -> None:
    x = normal(2, 4)
    outputs, traced, _ = trace(read, x)
    assert any(g.kind == "dim" and g.axis == 0 and g.expected == "2" for g in traced.guards)
    np.testing.assert_allclose(traced([x])[0], outputs.numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(paddle.GuardError, match=r"test_traced_layer.py:\d+"):
        traced([normal(*other)])


@pytest.mark.parametrize(
    "read",
    [
        lambda s, x: s.fc(x) * int(x.sum()),
        lambda s, x: s.fc(x) * float(x.max()),
        lambda s, x: s.fc(x) * x[0, 0].item(),
        lambda s, x: s.fc(x) + paddle.to_tensor(x.numpy().sum(), "float32"),
        lambda s, x: s.fc(x) * x.tolist()[0][0],
    ],
    ids=["int", "float", "item", "numpy", "tolist"],
)
def test_read_values_are_guarded(read: Any) -> None:
    x = paddle.to_tensor([[1.0, 2.0, 3.0, 4.0]])
    outputs, traced, _ = trace(read, x)
    # an array has a shape as well
    assert [g.kind for g in traced.guards] in (["value"], ["value", "dim", "dim"])
    np.testing.assert_allclose(traced([x])[0], outputs.numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(paddle.GuardError, match="test_traced_layer.py"):
        traced([x * 2])


def test_large_read_arrays_are_guarded_by_digest() -> None:
    x = paddle.to_tensor(np.arange(400).reshape(100, 4).astype("float32"))
    _, traced, _ = trace(lambda s, x: s.fc(x) + float(x.numpy()[3, 2]), x)
    assert traced.guards[0].expected.startswith("fnv1a64:")
    traced([x])
    with pytest.raises(paddle.GuardError):
        traced([x + 1])


def test_parameters_are_shared() -> None:
    x = normal(2, 4)
    _, traced, net = trace(lambda s, x: s.fc(x), x)
    traced([x])
    net.fc.weight.set_value(net.fc.weight.numpy() * 2)
    for _ in range(3):
        np.testing.assert_allclose(traced([x])[0], net(x).numpy(), rtol=1e-5)


def test_in_place_changes_are_recorded() -> None:
    def forward(s: Net, x: Any) -> Any:
        y = x * 1
        y[:, 0] = 5.0
        z = y + 0.5
        y.add_(x)
        return y, z

    x = normal(3, 4)
    outputs, traced, _ = trace(forward, x)
    for got, want in zip(traced([x]), outputs, strict=True):
        np.testing.assert_allclose(got, want.numpy(), rtol=1e-6)


def test_dropout_is_removed_when_saved(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.Dropout(0.5))
    _, traced = TracedLayer.trace(net, [normal(2, 4)])
    traced.save_inference_model(str(tmp_path / "m"))
    net.eval()
    x = normal(2, 4)
    np.testing.assert_allclose(
        paddle.jit.load(tmp_path / "m")(x).numpy(), net(x).numpy(), rtol=1e-6
    )


def test_several_inputs_and_outputs_by_number(tmp_path: Path) -> None:
    a, b = normal(2, 4), normal(2, 4)
    _, traced, net = trace(lambda s, x, y: (s.fc(x), y * 2, s.fc(x) + y.sum()), a, b)
    traced.save_inference_model(str(tmp_path / "m"), feed=[0], fetch=[0])
    loaded = paddle.jit.load(tmp_path / "m")
    np.testing.assert_allclose(loaded(a).numpy(), net(a, b)[0].numpy(), rtol=1e-6)
    with pytest.raises(paddle.OpError, match="fetch \\[3\\] is out of range"):
        traced.save_inference_model(str(tmp_path / "n"), fetch=[3])
    with pytest.raises(TypeError, match="feed should be a list of ints"):
        traced.save_inference_model(str(tmp_path / "n"), feed=["x"])
    with pytest.raises(paddle.OpError, match="input_1"):
        traced.save_inference_model(str(tmp_path / "n"), fetch=[0])
    assert not list(tmp_path.glob("n*"))


@pytest.mark.parametrize(
    ("layer", "inputs", "why"),
    [
        (None, [], "nn.Layer"),
        (nn.Linear(4, 3), 5, "a Tensor or a list"),
        (nn.Linear(4, 3), [np.ones((1, 4))], "ndarray, not a Tensor"),
    ],
)
def test_bad_arguments(layer: Any, inputs: Any, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        TracedLayer.trace(layer, inputs)


def test_set_strategy() -> None:
    _, traced, _ = trace(lambda s, x: s.fc(x), normal(2, 4))
    before = traced([normal(2, 4) * 0])[0]
    traced.set_strategy(
        paddle.static.BuildStrategy(), exec_strategy=paddle.static.ExecutionStrategy()
    )
    np.testing.assert_array_equal(traced([normal(2, 4) * 0])[0], before)
    with pytest.raises(TypeError, match="set_strategy: str is not a BuildStrategy"):
        traced.set_strategy("fast")


def test_bad_calls() -> None:
    _, traced, _ = trace(lambda s, x: s.fc(x), normal(2, 4))
    with pytest.raises(paddle.OpError, match="takes the inputs \\['x'\\], got 2"):
        traced([normal(2, 4), normal(2, 4)])
    with pytest.raises(paddle.OpError, match="(?s)'x'.*float64.*float32"):
        traced([np.ones((2, 4))])
    with pytest.raises(paddle.OpError, match="'x'"):
        traced([normal(2, 5)])
    with pytest.raises(paddle.OpError, match="'x'"):
        traced([normal(4)])


def test_layer_without_tensor_result_is_rejected() -> None:
    with pytest.raises(paddle.TraceError, match="returns no tensor"):
        trace(lambda s, x: None, normal(2, 4))
    with pytest.raises(paddle.TraceError, match="not set"):
        trace(lambda s, x: (x * 2, {"label"}), normal(2, 4))
    assert trace(lambda s, x: (x * 2, "label"), normal(2, 4))[0][1] == "label"


@pytest.mark.parametrize(
    "change",
    [
        lambda y: y.zero_(),
        lambda y: y.fill_(3.0),
        lambda y: y.set_value(np.full((2, 4), 2.0)),
        lambda y: y.clip_(0.0, 1.0),
        lambda y: y.scale_(2.0),
    ],
    ids=["zero_", "fill_", "set_value", "clip_", "scale_"],
)
def test_all_in_place_operations_are_recorded(change: Any) -> None:
    def forward(s: Net, x: Any) -> Any:
        y = x * 1
        change(y)
        return y + s.fc(x).sum()

    x = normal(2, 4)
    outputs, traced, net = trace(forward, x)
    np.testing.assert_allclose(traced([x])[0], outputs.numpy(), rtol=1e-5, atol=1e-6)
    other = normal(2, 4)
    np.testing.assert_allclose(traced([other])[0], net(other).numpy(), rtol=1e-5, atol=1e-6)


def test_changing_an_external_tensor_is_rejected() -> None:
    def forward(s: Net, x: Any) -> Any:
        s.fc.bias.set_value(s.fc.bias.numpy() + 1)
        return s.fc(x)

    with pytest.raises(
        paddle.TraceError, match="(?s)a recorded program cannot change.*test_traced_layer.py"
    ):
        trace(forward, normal(2, 4))


def test_guarded_trace_is_verified_with_its_inputs(tmp_path: Path) -> None:
    _, traced, net = trace(lambda s, x: s.fc(x) if x.mean() > 0 else -s.fc(x), paddle.ones([2, 4]))
    traced.save_inference_model(tmp_path / "m")
    loaded = paddle.jit.load(tmp_path / "m")
    assert loaded.program().contract is not None
    assert "x[2, 4]" in loaded.program().contract.verified
    np.testing.assert_allclose(
        loaded(paddle.ones([3, 4])).numpy(), net(paddle.ones([3, 4])).numpy(), rtol=1e-5
    )
    with pytest.raises(paddle.GuardError):
        loaded(-paddle.ones([3, 4]))
    assert "not shown" in repr_while_tracing()


def repr_while_tracing() -> str:
    seen: list[str] = []
    trace(lambda s, x: seen.append(repr(x * 2)) or s.fc(x), normal(1, 4))  # type: ignore[func-returns-value]
    return seen[0]


@pytest.mark.parametrize(
    "forward",
    [
        lambda s, x: s.fc(x) + (paddle.round(s.fc(x)) - s.fc(x)).detach(),
        lambda s, x: s.fc(x) + paddle.to_tensor(x).sum(),
        lambda s, x: s.fc(x.clone()) * x.detach().mean(),
        lambda s, x: [y := x * 1, y.set_value(x * 3), s.fc(y)][-1],
    ],
    ids=["detach", "to_tensor", "clone", "set_value"],
)
def test_copies_of_traced_tensors_are_not_constants(forward: Any) -> None:
    _, traced, net = trace(forward, normal(2, 4))
    other = normal(3, 4) if "set_value" not in str(forward) else normal(2, 4)
    np.testing.assert_allclose(traced([other])[0], net(other).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.detach().numpy().sum(),
        lambda x: paddle.to_tensor([x[0, 0], x[0, 1]]).sum().item(),
        lambda x: (x.shape * 2)[2],
        lambda x: float(x.shape < [4, 0]),
        lambda x: x.shape.pop(0),
        lambda x: x[-1:-3:-1].sum().item() * 0 + x.shape.index(4),
    ],
    ids=[
        "detach numpy",
        "to_tensor of elements",
        "shape * 2",
        "shape <",
        "shape.pop",
        "shape.index",
    ],
)
def test_indirect_reads_are_guarded(read: Any) -> None:
    _, traced, _ = trace(lambda s, x: s.fc(x) * float(read(x)), normal(2, 4))
    assert traced.guards
    with pytest.raises(paddle.GuardError, match="test_traced_layer.py"):
        traced([normal(5, 4)])


def test_adaptive_pool_guards_the_image_size() -> None:
    net = nn.Sequential(nn.Conv2D(3, 4, 3, padding=1), nn.AdaptiveAvgPool2D((7, 7)))
    _, traced = TracedLayer.trace(net, [normal(1, 3, 32, 32)])
    other = normal(2, 3, 32, 32)
    np.testing.assert_allclose(traced([other])[0], net(other).numpy(), rtol=1e-5, atol=1e-6)


class Counting(nn.Layer):
    """Forward keeps something."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("seen", paddle.zeros([4]))

    def forward(self, x: Any) -> Any:
        self.seen = self.seen + x.sum(0)
        return x + self.seen


def test_changed_state_warns() -> None:
    with pytest.warns(UserWarning, match=r"forward changes \['seen'\]"):
        _, traced = TracedLayer.trace(Counting(), [normal(2, 4)])
    assert [g.kind for g in traced.guards] == ["state"]


def test_changed_state_cannot_be_saved(tmp_path: Path) -> None:
    net = Counting()
    before = net.seen
    with pytest.raises(
        paddle.TraceError, match=r"stores values of the program in \['Counting.seen'\]"
    ):
        paddle.jit.save(net, tmp_path / "m", input_spec=[paddle.static.InputSpec([None, 4])])
    assert net.seen is before


def test_batch_norm_statistics_are_recorded() -> None:
    net = nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1D(3))
    _, traced = TracedLayer.trace(net, [normal(5, 4)])
    assert traced.guards == []
