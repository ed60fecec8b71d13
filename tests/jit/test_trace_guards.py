"""The guards of a trace: checked, dropped, or relaxed by a second trace at other sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import GuardError
from oarlock.ir.guards import check_guard
from oarlock.ir.program import Guard
from oarlock.jit import TracedLayer, load, save
from oarlock.jit.guards.snapshots import take_snapshot


class Net(nn.Layer):
    """Branches on a value, and computes a message from the number of rows."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.seen = 0

    def forward(self, x: Any) -> Any:
        self.seen = x.shape[0]
        return self.fc(x) if x.mean() > 0 else -self.fc(x)


class Frozen(Net):
    """The number of rows becomes a constant of the program."""

    def forward(self, x: Any) -> Any:
        return self.fc(x) * x.shape[0]


class Unrolled(Net):
    """As many ops as rows."""

    def forward(self, x: Any) -> Any:
        y = self.fc(x)
        for _ in range(x.shape[0]):
            y = y + 1
        return y


class Counted(Net):
    """A constant that Python computes from the size."""

    def forward(self, x: Any) -> Any:
        return self.fc(x) + paddle.to_tensor(np.full((1, 4), len(x), "float32"))


def rows(count: int, value: float = 1.0) -> paddle.Tensor:
    return paddle.full([count, 4], value)


def test_dropped_guards_are_listed_but_not_checked(tmp_path: Path) -> None:
    net = Net()
    _, traced = TracedLayer.trace(net, rows(2), guards="drop")
    assert {g.kind for g in traced.guards} == {"dim", "value"}
    np.testing.assert_allclose(traced(rows(3, -1.0))[0], net.fc(rows(3, -1.0)).numpy(), rtol=1e-6)
    traced.save_inference_model(tmp_path / "m")
    np.testing.assert_allclose(
        load(tmp_path / "m")(rows(3, -1.0)).numpy(), traced(rows(3, -1.0))[0], rtol=1e-6
    )


@pytest.mark.parametrize(
    ("guard", "text"),
    [
        (
            Guard("dim", "x", 1, "4", "shape[1]", "net.py:5 in forward", "n = x.shape[1]"),
            "x.shape[1] == 4, read by shape[1] at net.py:5 in forward: n = x.shape[1]",
        ),
        (Guard("rank", "x", 0, "2", "", "", ""), "x.ndim == 2"),
        (Guard("value", "y", 0, "True", "assert: two", "", ""), "y == True, assert: two"),
        (Guard("state", "n", 0, "", "changed by forward", "", ""), "n, changed by forward"),
    ],
)
def test_text_of_a_guard(guard: Guard, text: str) -> None:
    assert str(guard) == text
    assert repr([guard]) == f"[<Guard {text}>]"


@pytest.mark.parametrize("trains", [False, True])
def test_guards_dropped_when_saving_or_loading(tmp_path: Path, trains: bool) -> None:
    net = Net()
    _, traced = TracedLayer.trace(net, rows(2))
    with pytest.raises(paddle.GuardError, match=r"x.shape\[0\] is 3.*assumed 2"):
        traced(rows(3))
    traced.save_inference_model(tmp_path / "checked")
    traced.save_inference_model(tmp_path / "dropped", guards="drop")
    checked, free, dropped = (
        load(tmp_path / "checked"),
        load(tmp_path / "checked", guards="drop"),
        load(tmp_path / "dropped"),
    )
    for model in (checked, free, dropped):
        model.train() if trains else model.eval()
    with pytest.raises(paddle.GuardError, match=r"read by bool\(\)"):
        checked(rows(2, -1.0))
    with pytest.raises(paddle.GuardError, match=r"x.shape\[0\] is 3"):
        checked(rows(3))
    assert checked.guards == free.guards == traced.guards
    assert dropped.guards == []
    for model in (free, dropped):
        np.testing.assert_allclose(
            model(rows(3, -1.0)).numpy(), net.fc(rows(3, -1.0)).numpy(), rtol=1e-6
        )


def test_second_trace_finds_dynamic_sizes(tmp_path: Path) -> None:
    net = Net()
    _, traced = TracedLayer.trace(net, rows(2), again=rows(3))
    assert [g.reader for g in traced.guards] == ["bool()"]
    traced.save_inference_model(tmp_path / "m")
    for model in (traced, load(tmp_path / "m")):
        found = model([rows(5)])[0] if model is traced else model(rows(5)).numpy()
        np.testing.assert_allclose(found, net(rows(5)).numpy(), rtol=1e-6)
        with pytest.raises(paddle.GuardError, match=r"bool\(\)"):
            model([rows(5, -1.0)] if model is traced else rows(5, -1.0))


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (
            Frozen,
            r"fill_constant has value=2.0, then value=3.0|scale has scale=2.0, then scale=3.0",
        ),
        (Unrolled, "there is one .* more or less|has other operands"),
        (Counted, r"assign_value has fp32_values=\[2.0.*then fp32_values=\[3.0"),
    ],
)
def test_size_dependent_program_keeps_the_guard(kind: type[Net], why: str) -> None:
    with pytest.warns(
        UserWarning,
        match=f"(?s)with the sizes of `again`, forward records another program: .*({why})",
    ):
        _, traced = TracedLayer.trace(kind(), rows(2), again=rows(3))
    assert [(g.kind, g.expected) for g in traced.guards][0] == ("dim", "2")
    with pytest.raises(paddle.GuardError, match=r"x.shape\[0\] is 3, the trace assumed 2"):
        traced(rows(3))


class Compared(Net):
    """Two sizes take one branch, a third the other."""

    def forward(self, x: Any) -> Any:
        rows = x.shape[0]
        return self.fc(x) if (rows + 1) * 2 < 20 else -self.fc(x)


class Computed(Net):
    """Python only computes with sizes."""

    def forward(self, x: Any) -> Any:
        rows, columns = x.shape
        self.seen = [rows * columns // 2 - 1, -rows % 4]
        return self.fc(x)


class Measured(Net):
    """Asks for the length."""

    def forward(self, x: Any) -> Any:
        return self.fc(x) if len(x) < 10 else -self.fc(x)


class Named(Net):
    """Looks a size up."""

    def forward(self, x: Any) -> Any:
        return -self.fc(x) if x.shape[0] in {10: 1, 11: 2} else self.fc(x)


@pytest.mark.parametrize("kind", [Compared, Measured, Named])
def test_compared_size_keeps_the_guard(kind: type[Net]) -> None:
    _, traced = TracedLayer.trace(kind(), rows(2), again=rows(3))
    with pytest.raises(paddle.GuardError, match=r"x.shape\[0\] is 10, the trace assumed 2"):
        traced(rows(10))


def test_computed_size_may_vary() -> None:
    net = Computed()
    _, traced = TracedLayer.trace(net, rows(2), again=rows(3))
    assert [g.axis for g in traced.guards] == [1]  # which was the same in both
    np.testing.assert_allclose(traced(rows(10))[0], net.fc(rows(10)).numpy(), rtol=1e-6)


def test_invalid_guards_argument(tmp_path: Path) -> None:
    net = Net()
    _, traced = TracedLayer.trace(net, rows(2))
    traced.save_inference_model(tmp_path / "m")
    with pytest.raises(
        ValueError, match="TracedLayer.trace: guards should be 'check' or 'drop', not 'ignore'"
    ):
        TracedLayer.trace(net, rows(2), guards="ignore")
    with pytest.raises(ValueError, match="save_inference_model: guards should be"):
        traced.save_inference_model(tmp_path / "n", guards=None)
    with pytest.raises(ValueError, match="jit.load: guards should be"):
        load(tmp_path / "m", guards=False)
    with pytest.raises(ValueError, match="jit.save: guards should be"):
        save(net, tmp_path / "n", input_spec=[rows(1)], guards=0)


def test_read_array_guards_its_shape() -> None:
    """As many values in another shape are another array."""

    class Shaped(nn.Layer):
        def forward(self, x: Any) -> Any:
            return x * float(x.numpy().shape[0])

    _, traced = TracedLayer.trace(Shaped(), paddle.ones([2, 3]))
    with pytest.raises((paddle.GuardError, paddle.OpError)):
        traced(paddle.ones([3, 2]))


@pytest.mark.parametrize(
    "expected", ["abc", "", "9" * 400, "1e999", "[abc]", "[]", "fnv1a64:zz", "nan"]
)
@pytest.mark.parametrize("value", [np.float32(1), np.int64(1), np.array([True]), np.array([1j])])
def test_malformed_expectation_is_a_guard_error(expected: str, value: Any) -> None:
    with pytest.raises(GuardError):
        check_guard(
            Guard("value", "x", 0, expected, "float()", "", ""), value, np.shape(value), "m"
        )


def test_set_snapshot_compares_type_and_members() -> None:
    snapshot = take_snapshot({1, 2})
    assert snapshot.matches({2, 1})
    assert not snapshot.matches({1}) and not snapshot.matches(frozenset({1, 2}))


@pytest.mark.parametrize(
    "decide",
    [lambda size: size * 0.5 > 4, lambda size: ~size < -20, lambda size: 1 << size > 99],
    ids=["float", "invert", "shift"],
)
def test_decisions_on_computed_sizes_are_guarded(decide: Callable[[int], bool]) -> None:
    class Decides(Net):
        def forward(self, x: Any) -> Any:
            return self.fc(x) if decide(x.shape[0]) else -self.fc(x)

    net = Decides()
    _, traced = TracedLayer.trace(net, [rows(2)], again=[rows(3)])
    with pytest.raises(GuardError):
        traced([rows(40)])
