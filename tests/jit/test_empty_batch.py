"""Empty batches through saved layers."""

from __future__ import annotations

from pathlib import Path

import oarlock as paddle
from oarlock.vision.models import LeNet


def test_empty_batch(tmp_path: Path) -> None:
    net = LeNet()
    net.eval()
    spec = paddle.static.InputSpec([None, 1, 28, 28], "float32", "image")
    paddle.jit.save(net, str(tmp_path / "m"), input_spec=[spec])
    nothing = paddle.zeros([0, 1, 28, 28])
    assert paddle.jit.load(str(tmp_path / "m"))(nothing).shape == net(nothing).shape == [0, 10]
