"""State that PaddlePaddle 1.6 and 1.8.5 saved, of layers, optimizers and programs
(`tests/fixtures/make_old_files.py`).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.core.errors import FileError
from oarlock.export.proto import TensorDesc

from .test_old_files import HELD, X, held, written

LAYERS = ("dygraph.pdparams", "dygraph.pdopt")
VALUES = held("state.value.static.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written("state.file.", tmp_path_factory.mktemp("old"))


@pytest.fixture
def programs() -> Iterator[None]:
    paddle.enable_static()
    with static.scope_guard(static.Scope()):
        yield
    paddle.disable_static()


def same(found: dict[str, Any], want: dict[str, Any]) -> None:
    assert sorted(found) == sorted(want)
    for name, value in want.items():
        np.testing.assert_array_equal(np.asarray(found[name]), value, err_msg=name)


@pytest.mark.parametrize("file", LAYERS)
def test_layers_and_optimizers(file: str, folder: Path) -> None:
    want = held(f"state.value.{file}.")
    assert want
    found = paddle.load(str(folder / file), return_numpy=True)
    same({k: v for k, v in found.items() if k in want}, want)
    assert set(found) <= set(want)


def test_training_resumes_from_state(folder: Path) -> None:
    with paddle.unique_name.guard():
        net = paddle.nn.Sequential(
            paddle.nn.Linear(4, 3), paddle.nn.BatchNorm(3), paddle.nn.Linear(3, 1)
        )
        adam = paddle.optimizer.Adam(0.01, parameters=net.parameters())
    net.set_state_dict(paddle.load(str(folder / "dygraph.pdparams")))
    adam.set_state_dict(paddle.load(str(folder / "dygraph.pdopt")))
    same({k: v.numpy() for k, v in net.state_dict().items()}, held("state.value.dygraph.pdparams."))
    net(paddle.to_tensor(X)).mean().backward()
    adam.step()
    moments = adam.state_dict()
    np.testing.assert_allclose(float(moments["linear_0.w_0_beta1_pow_acc_0"]), 0.9**3, rtol=1e-5)


def test_program_state(folder: Path) -> None:
    same(static.load_program_state(str(folder / "static")), VALUES)


@pytest.mark.parametrize("name", ["params_folder", "persistables_folder"])
def test_value_folders(name: str, folder: Path) -> None:
    files = {p.name for p in (folder / name).iterdir()}
    want = {k: v for k, v in VALUES.items() if k in files}
    assert len(want) == len(files) > 5
    same(static.load_program_state(str(folder / name)), want)
    same(paddle.load(str(folder / name)), want)


def training(folder: Path) -> Any:
    return static.Program.parse_from_string((folder / "static.pdmodel").read_bytes())


@pytest.mark.parametrize("source", ["static", "persistables_folder", "one_file/all"])
def test_program_training_resumes(source: str, folder: Path, programs: None) -> None:
    program = training(folder)
    variables = [program.global_block().var(name) for name in sorted(VALUES)]
    static.load(program, str(folder / source), static.Executor(), variables)
    loss = next(op for op in program.global_block().ops if op.type == "mean").output("Out")[0]
    losses = [static.Executor().run(program, feed={"x": X}, fetch_list=[loss])[0] for _ in range(3)]
    np.testing.assert_allclose(losses, HELD["state.losses"], rtol=1e-4, atol=1e-6)


def of_1_6(values: dict[str, Any]) -> bytes:
    """A state dict in the form of Paddle 1.6."""
    parts = [b"\x80" * 256, b"TNUM", struct.pack("<Q", len(values))]
    for name, value in sorted(values.items()):
        desc = TensorDesc(data_type=5, dims=value.shape).SerializeToString()
        parts += [
            b"NAME",
            struct.pack("<Q", len(name)),
            name.encode(),
            struct.pack("<Ii", 0, len(desc)),
            desc,
            value.tobytes(),
        ]
    return b"".join(parts)


OLDER = {
    "fc_0.w_0": np.arange(6, dtype=np.float32).reshape(2, 3),
    "fc_0.b_0": np.ones(3, np.float32),
}


def test_format_of_1_6(tmp_path: Path) -> None:
    path = tmp_path / "m.pdparams"
    path.write_bytes(of_1_6(OLDER))
    same(paddle.load(str(path), return_numpy=True), OLDER)
    found = paddle.load(str(path))
    assert found["fc_0.w_0"].name == "fc_0.w_0"
    same(static.load_program_state(str(tmp_path / "m")), OLDER)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda d: d[:-1], "needs 24 bytes"),
        (lambda d: d + b"x", "1 bytes are left after its 2 values"),
        (
            lambda d: d[:260] + struct.pack("<Q", 3) + d[268:],
            "record 2: the word NAME needs 4 bytes",
        ),
        (
            lambda d: d[:260] + struct.pack("<Q", 1 << 60) + d[268:],
            "record 2: the word NAME needs 4 bytes",
        ),
        (lambda d: d[:272] + struct.pack("<Q", 1 << 40) + d[280:], "its name needs"),
        (lambda d: d.replace(b"fc_0.b_0", b"fc_0.w_0"), "two values have the same name"),
    ],
)
def test_damaged_file(change: Any, why: str, tmp_path: Path) -> None:
    path = tmp_path / "m.pdparams"
    path.write_bytes(change(of_1_6(OLDER)))
    with pytest.raises(FileError, match=why):
        paddle.load(str(path))
