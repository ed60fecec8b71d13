"""Side effects of a method while it is saved: captured as in a call of `to_static`, and undone."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.jit import load, save, to_static
from oarlock.static import InputSpec

X = [InputSpec([None, 2], "float32", "x")]


@pytest.fixture(autouse=True)
def _without_parameters() -> Any:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*there are no parameters")
        yield


def of(forward: Any, **attributes: Any) -> nn.Layer:
    """A layer with this forward."""

    class Net(nn.Layer):
        def forward(self, x: Any) -> Any:
            return forward(self, x)

    made = Net()
    for name, value in attributes.items():
        setattr(made, name, value)
    made.eval()
    return made


class Frozen(nn.Layer):
    """A layer under no_grad, followed by one with gradients."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Linear(2, 2), nn.Linear(2, 1)

    def forward(self, x: Any) -> Any:
        with paddle.no_grad():
            h = self.a(x)
        return self.b(h)


def test_no_grad_is_saved(tmp_path: Path) -> None:
    net = Frozen()
    save(net, tmp_path / "m", input_spec=X)
    loaded = load(tmp_path / "m")
    loaded.train()
    loaded(paddle.ones([3, 2])).sum().backward()
    grads = {name: p.grad for name, p in loaded.named_parameters()}
    assert grads["a.weight"] is None
    assert grads["a.bias"] is None
    np.testing.assert_array_equal(grads["b.bias"].numpy(), [3.0])


def test_in_place_change_of_an_input(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        x.add_(paddle.ones([1]))
        return x * 2

    save(of(forward), tmp_path / "m", input_spec=X)
    x = paddle.ones([1, 2])
    assert load(tmp_path / "m")(x).tolist() == [[4.0, 4.0]]
    assert x.tolist() == [[1.0, 1.0]]


def test_used_counter_is_rejected(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        self.n += 1
        return x * self.n

    net = of(forward, n=1)
    for configs in ({}, {"verify": False}):
        with pytest.raises(
            paddle.TraceError,
            match=r"(?s)computes with \['Net.n'\], which it changes itself.*at the next call",
        ):
            save(net, tmp_path / "m", input_spec=X, **configs)
    assert net.n == 1
    assert not list(tmp_path.iterdir())


def test_counter_used_in_a_branch_is_rejected(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        self.n += 1
        if x.sum() > 0:
            x = x * self.n
        return x

    with pytest.raises(
        paddle.TraceError,
        match=r"(?s)computes with \['Net.n'\].*scale has scale=2.0, then scale=3.0",
    ):
        save(of(forward, n=1), tmp_path / "m", input_spec=X)


def test_rejected_result_leaves_nothing(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        self.n += 1
        return x, {self.n}

    net = of(forward, n=1)
    with pytest.raises(paddle.TraceError, match="not set"):
        save(net, tmp_path / "m", input_spec=X)
    assert net.n == 1


def test_unused_counter_is_restored(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        self.n += 1
        self.seen.append(x.shape[1])
        self.last = x * 2
        self.feats.append(self.last)
        self.all = [self.last]
        return self.last + 1

    net = of(forward, n=1, seen=[], feats=[], last=None)
    save(net, tmp_path / "m", input_spec=X)
    assert (net.n, net.seen, net.feats, net.last) == (1, [], [], None)
    assert not hasattr(net, "all")
    assert load(tmp_path / "m")(paddle.ones([1, 2])).tolist() == [[3.0, 3.0]]


def test_failed_recording_is_undone(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        self.n += 1
        self.last = x * 2
        return self.last + paddle.ones([3])

    net = of(forward, n=1, last=None)
    with pytest.raises(paddle.OpError, match="add: the shapes"):
        save(net, tmp_path / "m", input_spec=X)
    assert (net.n, net.last) == (1, None)


def test_state_read_by_the_program_is_rejected(tmp_path: Path) -> None:
    def forward(self: Any, x: Any) -> Any:
        self.sum = self.sum + x.sum()
        return x * self.sum

    net = of(forward, sum=paddle.zeros([]))
    with pytest.raises(paddle.TraceError, match=r"stores values of the program in \['Net.sum'\]"):
        save(net, tmp_path / "m", input_spec=X)
    assert net.sum.tolist() == 0.0


def add_before(self: Any, x: Any) -> Any:
    self.count.add_(paddle.ones([1]))
    return x * self.count


def add_after(self: Any, x: Any) -> Any:
    y = x * self.count
    self.count.add_(paddle.ones([1]))
    return y


def add_only(self: Any, x: Any) -> Any:
    self.count.add_(paddle.ones([1]))
    return x * 2


@pytest.mark.parametrize("forward", [add_before, add_after])
def test_used_mutated_buffer_is_rejected(forward: Any, tmp_path: Path) -> None:
    net = of(forward)
    net.register_buffer("count", paddle.zeros([1]))
    with pytest.raises(
        paddle.TraceError, match=r"(?s)a buffer in place, 'count'.*at test_save_side_effects.py:\d+"
    ):
        save(net, tmp_path / "m", input_spec=X)
    assert net.count.tolist() == [0.0]


def test_unused_mutated_buffer_is_restored(tmp_path: Path) -> None:
    net = of(add_only)
    net.register_buffer("count", paddle.zeros([1]))
    save(net, tmp_path / "m", input_spec=X)
    assert net.count.tolist() == [0.0]
    assert load(tmp_path / "m")(paddle.ones([1, 2])).tolist() == [[2.0, 2.0]]


def down(x: Any, n: Any) -> Any:
    return x if n <= 0 else down(x * 2, n - 1)


def test_value_dependent_recursion_is_rejected(tmp_path: Path) -> None:
    spec = [*X, InputSpec([], "int64", "n")]
    with pytest.raises(paddle.TraceError, match="down: the recursion is deeper than Python allows"):
        save(to_static(down), tmp_path / "m", input_spec=spec)


def test_generated_inputs_with_undefined_variables(tmp_path: Path) -> None:
    def loop(x: Any, n: Any) -> Any:
        for i in range(n):
            y = x * 2 + i
        return y

    save(loop, tmp_path / "m", input_spec=[*X, InputSpec([], "int32", "n")])
    loaded = load(tmp_path / "m")
    assert "largest difference" in loaded.program().contract.verified
    assert loaded(paddle.ones([1, 2]), paddle.to_tensor(3, "int32")).tolist() == [[4.0, 4.0]]


class Linear(nn.Layer):
    """The net of Paddle's example of jit.load."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 3)

    @to_static
    def forward(self, x: Any) -> Any:
        return self.linear(x).reshape([x.shape[0], 3])


def test_default_spec_has_dynamic_batch(tmp_path: Path) -> None:
    net = Linear()
    net(paddle.ones([16, 4]))
    save(net, tmp_path / "m")
    loaded = load(tmp_path / "m")
    for batch in (1, 16, 5):
        x = paddle.rand([batch, 4])
        np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-5, atol=1e-6)
    assert net.forward.get_traced_count() == 3


def test_vector_of_one_element_does_not_decide_the_batch_size(tmp_path: Path) -> None:
    scaled = to_static(lambda scale, x: x * scale)
    scaled(paddle.ones([1]), paddle.ones([8, 3]))
    save(scaled, tmp_path / "m")
    assert load(tmp_path / "m")(paddle.ones([1]), paddle.ones([5, 3])).shape == [5, 3]


class Doubling(Linear):
    """Whose batch decides."""

    @to_static
    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        for _ in [0] * x.shape[0]:
            y = y + 1
        return y


def test_default_spec_with_batch_size_read_by_python(tmp_path: Path) -> None:
    net = Doubling()
    net(paddle.ones([2, 4]))
    save(net, tmp_path / "m")
    loaded = load(tmp_path / "m")
    x = paddle.rand([2, 4])
    np.testing.assert_allclose(loaded(x).numpy(), net(x).numpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(paddle.OarlockError):
        loaded(paddle.rand([3, 4]))


def test_shape_as_result(tmp_path: Path) -> None:
    def sizes(x: Any) -> Any:
        return x.shape, x * 2

    spec = [InputSpec([None, None], "float32", "x")]
    save(sizes, tmp_path / "m", input_spec=spec)
    for made in (load(tmp_path / "m"), to_static(sizes, input_spec=spec)):
        shape, _ = made(paddle.ones([2, 3]))
        assert [int(n) for n in shape] == [2, 3]
