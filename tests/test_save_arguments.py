"""Rejected arguments of `save` and of program state."""

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle


@pytest.mark.parametrize("protocol", [2.0, 1, 5, "3", True])
def test_protocols(protocol: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="protocol must be 2, 3 or 4"):
        paddle.save({}, tmp_path / "m", protocol)
    with pytest.raises(ValueError, match="protocol must be 2, 3 or 4"):
        paddle.save({}, tmp_path / "m", pickle_protocol=protocol)
    assert not list(tmp_path.iterdir())


def test_pickle_protocol_argument() -> None:
    file, again = io.BytesIO(), io.BytesIO()
    paddle.save({"a": paddle.ones([2])}, file, pickle_protocol=2)
    paddle.save({"a": paddle.ones([2])}, again, protocol=2)
    assert file.getvalue()[:2] == again.getvalue()[:2] == b"\x80\x02"


def test_invalid_arguments() -> None:
    with pytest.raises(ValueError, match="a file name or an open file, not int"):
        paddle.save(4, 3)
    with pytest.raises(TypeError, match="use_binary_format should be a bool"):
        paddle.save(paddle.ones([2]), io.BytesIO(), use_binary_format="False")
    program = paddle.static.Program()
    for call in (
        lambda: program.state_dict(1),
        lambda: program.state_dict(scope=1),
        lambda: program.set_state_dict(1),
    ):
        with pytest.raises(TypeError, match="state_dict: "):
            call()


def test_loader_without_feed_list() -> None:
    loader = paddle.base.io.DataLoader.from_generator(capacity=5)
    loader.set_batch_generator(
        lambda: iter([(np.ones([2, 3], "float32"), np.zeros([2, 1], "int64"))])
    )
    ((image, label),) = loader()
    assert (image.shape, label.shape) == ([2, 3], [2, 1])
