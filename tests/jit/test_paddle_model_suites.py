"""Behavior of whole models in Paddle's own suites: ops in train mode in a layer that is not, sizes
other than `input_spec`, names.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.nn import Layer, Linear
from oarlock.nn import functional as F
from oarlock.static import InputSpec

X = np.random.default_rng(0).standard_normal((3, 4)).astype("float32")


class Drops(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = Linear(4, 64)

    def forward(self, x: Any) -> Any:
        return F.dropout(self.fc(x), 0.5)  # training=True, whatever the mode


class Norms(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.norm = paddle.nn.BatchNorm1D(4)

    def forward(self, x: Any) -> Any:
        return F.batch_norm(
            x, self.norm._mean, self.norm._variance, self.norm.weight, self.norm.bias, training=True
        )


@pytest.mark.parametrize("kind", [Drops, Norms])
def test_saved_in_eval_mode(tmp_path: Path, kind: type[Layer]) -> None:
    net = kind()
    net.eval()
    with pytest.warns(
        UserWarning, match=r"'(dropout|batch_norm)' at .*is in train mode.*training=self\.training"
    ):
        paddle.jit.save(net, str(tmp_path / "m"), [InputSpec([None, 4], "float32", "x")])
    loaded = paddle.jit.load(str(tmp_path / "m"))
    loaded.eval()
    wanted = (
        net.fc(paddle.to_tensor(X)) if isinstance(net, Drops) else net.norm(paddle.to_tensor(X))
    )
    np.testing.assert_allclose(
        loaded(paddle.to_tensor(X)).numpy(), wanted.numpy(), rtol=1e-5, atol=1e-6
    )


@pytest.mark.parametrize("shape", [(2, 5), (2, 3, 5), (7,)])
def test_sizes_other_than_the_spec(shape: tuple[int, ...]) -> None:
    def scaled(x: Any) -> Any:
        return x * x.shape[-1] + (x.sum() if x.sum() > 0 else 1.0)

    static = paddle.jit.to_static(scaled, input_spec=[InputSpec([None, 3], "float32")])
    x = paddle.ones(shape)
    with pytest.warns(
        UserWarning, match=r"'x' should be float32\[\?,3\], as input_spec says \(got float32\["
    ):
        found = static(x)
    np.testing.assert_allclose(found.numpy(), scaled(x).numpy())
    np.testing.assert_allclose(
        static(paddle.ones([4, 3])).numpy(), scaled(paddle.ones([4, 3])).numpy()
    )


def test_arithmetic_at_an_axis() -> None:
    x, y = (
        paddle.to_tensor(np.arange(24.0).reshape(2, 3, 4)),
        paddle.to_tensor(np.array([2.0, 4.0])),
    )
    wide = y.numpy()[:, None, None]
    math: Any = paddle.tensor.math
    np.testing.assert_allclose(math._multiply_with_axis(x, y, axis=0).numpy(), x.numpy() * wide)
    np.testing.assert_allclose(math._add_with_axis(x, y, axis=0).numpy(), x.numpy() + wide)
    np.testing.assert_allclose(math._subtract_with_axis(x, y, axis=0).numpy(), x.numpy() - wide)
    np.testing.assert_allclose(math._divide_with_axis(x, y, axis=0).numpy(), x.numpy() / wide)


def test_astype_by_name() -> None:
    def cast(x: Any) -> Any:
        return (x != 2).astype(dtype="float32") + x.astype(dtype="float32")

    assert paddle.jit.to_static(cast)(paddle.to_tensor([1, 2])).tolist() == [2.0, 2.0]


class Remembers(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = Linear(4, 2)
        self.rewards: list[Any] = []
        self.weights: list[float] = []

    def forward(self, x: Any) -> Any:
        return self.fc(x) + sum(self.weights)


def test_unread_list_attribute_can_grow() -> None:
    net = Remembers()
    static = paddle.jit.to_static(net)
    for n in range(4):
        net.rewards.append(static(paddle.to_tensor(X)))  # as policies keep what they did
        assert len(static.forward.program_cache) == 1, n
    net.weights.append(2.0)
    wanted = net.fc(paddle.to_tensor(X)).numpy() + 2.0
    np.testing.assert_allclose(static(paddle.to_tensor(X)).numpy(), wanted, rtol=1e-6)
    assert len(static.forward.program_cache) == 2


def test_crf_of_empty_sequences() -> None:
    """Real Paddle 2.6.2 begins such a sequence, and does not end it."""
    x = np.array([[[1.0, 2.0, 0.5]], [[0.25, 4.0, 1.0]]], np.float32)
    # begins with the last row, ends with the last but one
    moves = np.arange(9, dtype=np.float32).reshape(3, 3) / 4
    given = [paddle.to_tensor(v) for v in (x, moves, np.array([1, 0], np.int64))]
    scores, _ = paddle.text.viterbi_decode(*given)
    np.testing.assert_allclose(
        scores.numpy(), [(x[0, 0] + moves[2] + moves[1]).max(), (x[1, 0] + moves[2]).max()]
    )


class Tags(Layer):
    def __init__(self) -> None:
        super().__init__()
        self.moves = self.create_parameter([5, 5])

    def forward(self, x: Any, lengths: Any) -> Any:
        return paddle.text.viterbi_decode(x, self.moves, lengths)


def test_viterbi_with_dynamic_lengths(tmp_path: Path) -> None:
    net = Tags()
    net.eval()
    specs = [InputSpec([None, None, 5], "float32", "x"), InputSpec([None], "int64", "lengths")]
    # compares with sequences of nothing among others
    paddle.jit.save(net, str(tmp_path / "m"), specs)
    loaded = paddle.jit.load(str(tmp_path / "m"))
    loaded.eval()
    x = paddle.to_tensor(np.random.default_rng(1).standard_normal((3, 4, 5)).astype("float32"))
    for lengths in ([4, 2, 1], [0, 3, 0]):
        given = x, paddle.to_tensor(np.array(lengths))
        for found, wanted in zip(loaded(*given), net(*given), strict=True):
            np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-5)
