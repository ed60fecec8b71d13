"""amp.debugging: the tensor checker's modes, its logs, and their comparison."""

from __future__ import annotations

import csv
import os
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.amp import debugging
from oarlock.amp.accuracy_compare import pair_tensor_statistics, parse_log
from oarlock.amp.debugging import DebugMode, TensorCheckerConfig
from oarlock.core.errors import NumericsError

# What real Paddle 2.6.2 runs and prints in test_log_equals_real_paddle.
PROGRAM = """
x = paddle.to_tensor([1.0, 0.0, 3.0], stop_gradient=False)
y = paddle.to_tensor([0.2, 0.0, 0.5])
r = paddle.pow(x, y)
q = paddle.log(x)
h = paddle.exp(x * 1e3).astype("float64")
k = paddle.to_tensor([1, 2]) + 1
paddle.autograd.backward([r], [paddle.to_tensor([1.0, 1.0, 1.0])])
"""


@pytest.fixture(autouse=True)
def _disable_checker_after_test() -> Iterator[None]:
    yield
    debugging.disable_tensor_checker()
    TensorCheckerConfig.current_step_id = 0


def run(config: TensorCheckerConfig) -> None:
    debugging.enable_tensor_checker(config)
    try:
        exec(PROGRAM, {"paddle": paddle})
    finally:
        debugging.disable_tensor_checker()


def precision_log_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("[PRECISION]")]


def real_python() -> str:
    """The interpreter of real Paddle, as tests/interop/conftest.py finds it."""
    default = Path.home() / ".cache/oarlock/paddle-2.6.2/bin/python"
    python = Path(os.environ.get("OARLOCK_PADDLE", default))
    if not python.exists():
        pytest.skip(f"real PaddlePaddle is not at {python}")
    return str(python)


def reported_ops(text: str) -> list[str]:
    return [line.split("op=")[1].split(",")[0] for line in precision_log_lines(text)]


@pytest.mark.paddle
@pytest.mark.parametrize("mode", ["CHECK_NAN_INF", "CHECK_ALL_FOR_OVERFLOW", "CHECK_ALL"])
def test_log_equals_real_paddle(mode: str, capsys: pytest.CaptureFixture[str]) -> None:
    setup = (
        f"import paddle\nD = paddle.amp.debugging\nD.enable_tensor_checker(D.TensorCheckerConfig("
        f"enable=True, debug_mode=D.DebugMode.{mode}))"
    )
    real = subprocess.run(
        [real_python(), "-c", setup + PROGRAM], capture_output=True, text=True, check=True
    ).stdout
    run(TensorCheckerConfig(True, DebugMode[mode]))
    here = capsys.readouterr().out
    # The sign of NaN is the platform's; last digits of a mean differ by the order of the sum.
    assert [
        line.replace("-nan", "nan") for line in precision_log_lines(real)
    ] == precision_log_lines(here)


def test_abort_raises_at_the_first_infinity() -> None:
    with pytest.raises(NumericsError, match=r"log: There are NAN or INF \(num_nan=0, num_inf=1"):
        run(TensorCheckerConfig(True))


@pytest.mark.parametrize(
    ("lists", "expected"),
    [
        ({"checked_op_list": ["log", "exp"]}, ["log", "exp"]),
        ({"checked_op_list": ("elementwise_pow_grad",)}, ["elementwise_pow_grad"]),
        ({"skipped_op_list": ["log", "exp", "cast"]}, ["elementwise_pow_grad"]),
    ],
)
def test_op_lists_select_ops(
    lists: dict[str, Any], expected: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run(TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF, **lists))
    assert reported_ops(capsys.readouterr().out) == expected


def test_overflow_of_float16_is_reported(capsys: pytest.CaptureFixture[str]) -> None:
    debugging.enable_tensor_checker(TensorCheckerConfig(True, DebugMode.CHECK_ALL_FOR_OVERFLOW))
    x = paddle.to_tensor([70000.0])
    paddle.abs(x)
    paddle.neg(x)
    paddle.abs(x.astype("float64"))
    paddle.abs(paddle.to_tensor([60000.0]))
    assert reported_ops(capsys.readouterr().out) == ["abs", "scale"]


def test_steps_outside_of_the_range_are_not_checked(capsys: pytest.CaptureFixture[str]) -> None:
    config = TensorCheckerConfig(True, DebugMode.CHECK_NAN_INF, debug_step=(1, 3))
    counts = []
    for _ in range(5):
        debugging.enable_tensor_checker(config)
        paddle.log(paddle.zeros([1]))
        counts.append(len(precision_log_lines(capsys.readouterr().out)))
    assert counts == [0, 1, 1, 0, 0]


def test_generators_are_seeded() -> None:
    draws = []
    for _ in range(2):
        paddle.seed(7)
        TensorCheckerConfig(True)
        draws.append((paddle.rand([3]).numpy().tolist(), np.random.rand()))
        paddle.rand([2])
    assert draws[0] == draws[1]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"checked_op_list": "log"}, ValueError),
        ({"skipped_op_list": {"log"}}, ValueError),
        ({"debug_step": 3}, ValueError),
        ({"debug_step": (3, 1)}, paddle.OarlockError),
        ({"debug_step": (1, 2, 3)}, paddle.OarlockError),
        ({"debug_step": ("a", "b")}, paddle.OarlockError),
        ({"debug_mode": 3}, ValueError),
        ({"stack_height_limit": "1"}, ValueError),
    ],
)
def test_wrong_settings_are_rejected(wrong: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        TensorCheckerConfig(True, **wrong)


def test_disabled_config_disables_checks() -> None:
    debugging.enable_tensor_checker(TensorCheckerConfig(True))
    debugging.enable_tensor_checker(TensorCheckerConfig(False))
    paddle.log(paddle.zeros([1]))


def test_flags_set_the_level(capsys: pytest.CaptureFixture[str]) -> None:
    paddle.set_flags({"FLAGS_check_nan_inf": True, "FLAGS_check_nan_inf_level": 3})
    paddle.log(paddle.ones([2]))
    assert reported_ops(capsys.readouterr().out)[-1] == "log"
    with pytest.raises(paddle.OarlockError, match="FLAGS_check_nan_inf_level is 4"):
        paddle.set_flags({"FLAGS_check_nan_inf_level": 4})


def logs(tmp_path: Path) -> tuple[str, str]:
    """The logs of a float32 run and of a float16 run whose second tensor overflows."""
    folders = []
    for dtype in ("float32", "float16"):
        folders.append(str(tmp_path / dtype))
        debugging.enable_tensor_checker(
            TensorCheckerConfig(True, DebugMode.CHECK_ALL, output_dir=folders[-1])
        )
        x = paddle.to_tensor([2.0, 300.0], dtype=dtype)
        paddle.abs(x)
        with np.errstate(over="ignore"):
            x * x
        debugging.disable_tensor_checker()
    return folders[0], folders[1]


def test_logs_are_compared_as_csv(tmp_path: Path) -> None:
    fp32, fp16 = logs(tmp_path)
    debugging.compare_accuracy(fp32, fp16, str(tmp_path / "out.csv"))
    with open(tmp_path / "out.csv", newline="") as file:
        title, *rows = csv.reader(file)
    assert title[:5] == ["log", "op_type", "tensor_name", "numel", "infinite"]
    by_op = {row[1]: row for row in rows}
    assert by_op["abs"][4] == "0"
    assert by_op["elementwise_mul"][4] == "1"
    assert by_op["abs"][5:10] == ["fp32", "300.000000", "2.000000", "151.000000", "0"]
    assert by_op["abs"][10] == "fp16"


def test_logs_are_compared_as_spreadsheet(tmp_path: Path) -> None:
    fp32, fp16 = logs(tmp_path)
    pytest.importorskip("xlsxwriter")
    debugging.compare_accuracy(fp32, fp16, str(tmp_path / "out.xlsx"), loss_scale=8)
    with zipfile.ZipFile(tmp_path / "out.xlsx") as book:
        assert b"worker_cpu" in book.read("xl/workbook.xml")
        texts = book.read("xl/sharedStrings.xml")
    assert b"elementwise_mul" in texts
    assert b"fp16 (scale=8.0)" in texts


def test_a_missing_package_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fp32, fp16 = logs(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "xlsxwriter", None)
    with pytest.raises(paddle.OarlockError, match=r"pip install 'oarlock\[amp\]"):
        debugging.compare_accuracy(fp32, fp16, str(tmp_path / "out.xlsx"))


def test_missing_and_malformed_logs_are_rejected(tmp_path: Path) -> None:
    out = str(tmp_path / "out.csv")
    with pytest.raises(paddle.OarlockError, match="No such file"):
        debugging.compare_accuracy(str(tmp_path / "none"), str(tmp_path), out)
    with pytest.raises(paddle.OarlockError, match="has no log"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), out)
    (tmp_path / "worker_cpu").write_text(
        "[PRECISION] in [device=cpu, op=log, tensor=, dtype=fp32], numel=x, max=1, min=1, mean=1\n"
    )
    with pytest.raises(paddle.OarlockError, match="malformed line"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), out)
    (tmp_path / "worker_cpu").write_bytes(b"\xff\xfe")
    with pytest.raises(paddle.OarlockError, match="is not a text file"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), out)
    with pytest.raises(paddle.OarlockError, match="loss_scale"):
        debugging.compare_accuracy(str(tmp_path), str(tmp_path), out, loss_scale=0)


def test_tensors_are_paired_by_op_name_and_position() -> None:
    line = (
        "[PRECISION] in [device=cpu, op={}, tensor={}, dtype=fp32], "
        "numel=1, num_zero=0, max={}, min=1, mean=1"
    )
    fp32 = parse_log([line.format("mul", "w@GRAD", m) for m in (1, 2)] + ["other text"])
    fp16 = parse_log(
        [line.format("mul", "w@GRAD.cast_fp16", m) for m in (8, 16, 24)]
        + [line.format("add", "", 1)]
    )
    pairs = pair_tensor_statistics(fp32, fp16, loss_scale=8.0)
    assert [p.fp32.max if p.fp32 else None for p in pairs] == [1, 2, None, None]
    assert [p.is_suspicious for p in pairs] == [True, True, False, False]  # min is not scaled
