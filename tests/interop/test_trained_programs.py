"""Programs that real Paddle wrote with gradients and steps in them go on training here, with the
same numbers.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
import oarlock.compat
from oarlock import static
from oarlock.compiler.unsupported_ops import UnsupportedOpsError

pytestmark = pytest.mark.paddle
RUNS = 3
SAME = (
    "sgd",
    "momentum",
    "adam",
    "adamw",
    "rmsprop",
    "lamb",
    "convolutions",
    "attention",
    "sparse_rows",
    "formulas",
    "recurrent",
)
FLAT = "lstm_0.w_0"  # shares the memory of the other weights in Paddle, and is read by no op


@pytest.fixture(scope="module")
def saved(
    paddle: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, list[str]]]:
    folder = tmp_path_factory.mktemp("trained")
    return folder, paddle.ask("trained_programs", folder=str(folder))


@pytest.fixture(scope="module")
def judged(paddle: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return real Paddle's verdict on Oarlock's versions of the programs."""
    folder = tmp_path_factory.mktemp("written")
    with oarlock.compat.as_paddle():
        spec = importlib.util.spec_from_file_location(
            "written_programs", Path(__file__).with_name("trained_programs.py")
        )
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.save(str(folder))
    found: dict[str, str] = paddle.ask("go_on", folder=str(folder))
    return found


@pytest.fixture(autouse=True)
def static_mode() -> Any:
    oarlock.enable_static()
    yield
    oarlock.disable_static()


def held(path: Path) -> dict[str, Any]:
    with np.load(path) as file:
        return {name: file[name] for name in file.files}


def read(folder: Path, case: str) -> Any:
    return static.Program.parse_from_string((folder / f"{case}.pdmodel").read_bytes())


@pytest.mark.parametrize("case", SAME)
def test_training_resumes(case: str, saved: tuple[Path, dict[str, list[str]]]) -> None:
    folder, fetches = saved
    program, scope, exe = read(folder, case), static.Scope(), static.Executor()
    for name, value in held(folder / f"{case}.before.npz").items():
        scope.var(name).get_tensor().set(value, None)
    runs = held(folder / f"{case}.runs.npz")
    for i in range(RUNS):
        feed = held(folder / f"{case}.feed{i}.npz")
        made = exe.run(program, feed=feed, fetch_list=fetches[case], scope=scope)
        for name, array in zip(fetches[case], made, strict=True):
            np.testing.assert_allclose(
                array, runs[f"{i}.{name}"], rtol=2e-5, atol=2e-6, err_msg=name
            )
    for name, value in held(folder / f"{case}.after.npz").items():
        if name != FLAT:
            found = np.asarray(scope.find_var(name).get_tensor())
            np.testing.assert_allclose(found, value, rtol=2e-5, atol=2e-6, err_msg=name)


@pytest.mark.parametrize("case", SAME)
def test_own_programs_resume_in_paddle(case: str, judged: dict[str, str]) -> None:
    assert judged[case] == ""


@pytest.mark.parametrize(
    ("case", "why"), [("branch", "select_input_grad"), ("loop", "number of forward input")]
)
def test_own_control_flow_gradients(case: str, why: str, judged: dict[str, str]) -> None:
    assert why in judged[case]


@pytest.mark.parametrize(
    ("case", "op"), [("branch", "conditional_block_grad"), ("loop", "while_grad")]
)
def test_paddle_control_flow_gradients_are_rejected(
    case: str, op: str, saved: tuple[Path, dict[str, list[str]]]
) -> None:
    folder, fetches = saved
    program, scope, exe = read(folder, case), static.Scope(), static.Executor()
    for name, value in held(folder / f"{case}.before.npz").items():
        scope.var(name).get_tensor().set(value, None)
    feed = held(folder / f"{case}.feed0.npz")
    with pytest.raises(
        UnsupportedOpsError,
        match=f"{op}: Oarlock cannot run gradients of control flow that PaddlePaddle recorded",
    ):
        exe.run(program, feed=feed, fetch_list=fetches[case], scope=scope)
    anew = program.clone(for_test=True)
    with static.program_guard(anew, start := static.Program()), static.scope_guard(scope):
        loss = anew.global_block().var(fetches[case][0])
        oarlock.optimizer.SGD(0.1).minimize(loss)
        exe.run(start)
    runs = held(folder / f"{case}.runs.npz")
    for i in range(RUNS):
        (found,) = exe.run(
            anew, feed=held(folder / f"{case}.feed{i}.npz"), fetch_list=[loss], scope=scope
        )
        np.testing.assert_allclose(found, runs[f"{i}.{loss.name}"], rtol=2e-5)
