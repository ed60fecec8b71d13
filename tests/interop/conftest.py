"""Real PaddlePaddle in its own environment, as a process that answers requests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

_HERE = Path(__file__).parent
_DEFAULT = Path.home() / ".cache/oarlock/paddle-2.6.2/bin/python"


class PaddleDied(Exception):
    """The process ended instead of answering."""


class Paddle:
    """Asks a worker, which is started on the first question, and again after it died."""

    def __init__(
        self, python: Path, worker: str = "worker.py", flags: Mapping[str, str] | None = None
    ) -> None:
        self.python = python
        self.worker = worker
        self.flags = flags or {}
        self.process: subprocess.Popen[str] | None = None

    def ask(self, do: str, **asked: Any) -> Any:
        """The answer of a function of the worker; AssertionError with its traceback when
        it failed.
        """
        process = self.process = self.process or self._start()
        assert process.stdin is not None
        process.stdin.write(json.dumps({"do": do, **asked}) + "\n")
        process.stdin.flush()
        answer = self._answer(process)
        assert "error" not in answer, answer["error"]
        return answer["ok"]

    def run(
        self, prefix: Path, inputs: Path, tag: str, loaders: tuple[str, ...]
    ) -> dict[str, list[Any]]:
        """The outputs of a model by each of Paddle's loaders."""
        outputs = f"{prefix}.{tag}"
        self.ask("run", prefix=str(prefix), inputs=str(inputs), outputs=outputs, loaders=loaders)
        found: dict[str, list[Any]] = {}
        for loader in loaders:
            with np.load(f"{outputs}.{loader}.npz") as held:
                found[loader] = [held[name] for name in held.files]
        return found

    def call(self, prefix: Path, calls: Sequence[Sequence[Any]]) -> list[list[Any]]:
        """The outputs of a model that is loaded once by `paddle.jit.load`, for each call."""
        for i, inputs in enumerate(calls):
            np.savez(f"{prefix}.{i}.in.npz", *inputs)
        self.ask("call", prefix=str(prefix), calls=len(calls))
        found = []
        for i in range(len(calls)):
            with np.load(f"{prefix}.{i}.out.npz") as held:
                found.append([held[name] for name in held.files])
        return found

    def _start(self) -> subprocess.Popen[str]:
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | {
            "PYTHONPATH": str(_HERE),
            **self.flags,
        }
        process = subprocess.Popen(
            [self.python, _HERE / self.worker],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        self._answer(process)
        return process

    def _answer(self, process: subprocess.Popen[str]) -> Any:
        assert process.stdout is not None
        line = process.stdout.readline()
        if not line:
            self.stop()
            raise PaddleDied(f"Paddle ended with {process.returncode}")
        return json.loads(line)

    def stop(self) -> None:
        """Stop the process if it was started."""
        process, self.process = self.process, None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    pipe.close()
            process.wait(60)


def fail_or_skip_missing_peer(why: str) -> None:
    """Skip a test, or fail if OARLOCK_REQUIRE_PADDLE demands the peers."""
    if os.environ.get("OARLOCK_REQUIRE_PADDLE") == "1":
        pytest.fail(why)
    pytest.skip(why)


@pytest.fixture(scope="session")
def paddle() -> Iterator[Paddle]:
    python = Path(os.environ.get("OARLOCK_PADDLE", _DEFAULT))
    if not python.exists():
        fail_or_skip_missing_peer(
            f"real PaddlePaddle is not at {python}; set OARLOCK_PADDLE to a Python that has it"
        )
    asked = Paddle(python)
    yield asked
    asked.stop()


@pytest.fixture(scope="session", params=["3.3.1", "3.0.0"])
def paddle3(request: pytest.FixtureRequest) -> Iterator[Paddle]:
    """Real PaddlePaddle 3. The parameter is the version; "3.3.1 without PIR" loads `.pdmodel`
    files.
    """
    version, _, without_pir = request.param.partition(" ")
    default = f"~/.cache/oarlock/paddle-{version}/bin/python"
    variable = f"OARLOCK_PADDLE_{version.replace('.', '_')}"
    python = Path(os.environ.get(variable, default)).expanduser()
    if not python.exists():
        fail_or_skip_missing_peer(f"real PaddlePaddle {version} is not at {python}; set {variable}")
    flags = {"FLAGS_enable_pir_api": "0"} if without_pir else {}
    asked = Paddle(python, "worker_3.py", flags)
    yield asked
    asked.stop()


@pytest.fixture(scope="session")
def exports(paddle: Paddle, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every case of make_exports.py."""
    folder = tmp_path_factory.mktemp("exports")
    paddle.ask("export", folder=str(folder))
    return folder
