"""Features that models of libraries rely on: detection of recording, sizes that may be 1, names
that are stored.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import TraceError
from oarlock.nn import in_declarative_mode
from oarlock.static import InputSpec


class NamesKeptAside(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 4)
        self.names: list[str] = []
        self.read = False

    def block(self, x: Any) -> Any:
        if self.read and self.names[0] == "x":
            return x
        self.names = []
        y = self.fc(x)
        self.names.append(y.name)
        return y

    def forward(self, x: Any, n: Any) -> Any:
        y = self.block(x)
        i = paddle.zeros([1], "int64")
        while i < n:
            y = self.block(y)
            i = i + 1
        return y


SPECS = [InputSpec([None, 4], "float32"), InputSpec([1], "int64")]


def test_unread_strings_set_in_loops(tmp_path: Path) -> None:
    net = NamesKeptAside()
    static = paddle.jit.to_static(net, input_spec=SPECS)
    x = paddle.randn([2, 4])
    for rounds in range(4):
        wanted = x
        for _ in range(rounds + 1):
            wanted = net.fc(wanted)
        np.testing.assert_allclose(
            static(x, paddle.to_tensor([rounds])).numpy(), wanted.numpy(), rtol=1e-5
        )
    assert static.forward.get_traced_count() == 2  # the first call found no name
    paddle.jit.save(NamesKeptAside(), str(tmp_path / "m"), SPECS)


def test_strings_changed_in_loops_cannot_be_read(tmp_path: Path) -> None:
    net = NamesKeptAside()
    net.read, net.names = True, [""]
    with pytest.raises(
        TraceError, match=r"names\[0\]' is a string that the iterations of a loop change"
    ):
        paddle.jit.save(net, str(tmp_path / "m"), SPECS)


def test_recording_can_be_detected() -> None:
    told: list[tuple[bool, bool]] = []

    def asks(x: Any) -> Any:
        note()
        return x * 2

    @paddle.jit.not_to_static
    def note() -> None:
        told.append((in_declarative_mode(), paddle.in_dynamic_mode()))

    asks(paddle.ones([2]))
    paddle.jit.to_static(asks)(paddle.ones([2]))
    with paddle.static.program_guard(paddle.static.Program()):
        paddle.enable_static()
        note()
        paddle.disable_static()
    assert told == [(False, True), (True, False), (False, False)]


class Scores(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(3, 1)

    def forward(self, x: Any) -> Any:
        return nn.functional.sigmoid(self.fc(x).squeeze())


@pytest.mark.parametrize("shape", [(2, 4, 3), (1, 4, 3), (4, 1, 3), (1, 1, 3)])
def test_squeeze_of_dynamic_sizes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    net = Scores()
    net.eval()
    with pytest.warns(
        UserWarning,
        match=r"squeeze: an axis with a dynamic size is not removed.*float32\[\?,\?,1\]",
    ):
        paddle.jit.save(net, str(tmp_path / "m"), [InputSpec([None, None, 3], "float32")])
    x = paddle.randn(shape)
    found, wanted = paddle.jit.load(str(tmp_path / "m"))(x), net(x)
    assert found.shape == wanted.shape
    np.testing.assert_allclose(found.numpy(), wanted.numpy(), rtol=1e-5)


def test_trace_guards_squeezed_sizes() -> None:
    net = Scores()
    _, traced = paddle.jit.TracedLayer.trace(net, [paddle.ones([2, 4, 3])])
    assert [
        tuple(traced.program.block.vars[name].shape) for name in traced.program.feed_names()
    ] == [(2, 4, 3)]


def test_split_into_dynamic_number_is_rejected() -> None:
    def pieces(x: Any) -> Any:
        return paddle.split(x, x.shape[0] // 2)[0]

    with pytest.raises(TraceError, match="split: num_or_sections is known only at run time"):
        paddle.jit.to_static(pieces, input_spec=[InputSpec([None, 4])])(paddle.ones([4, 4]))
