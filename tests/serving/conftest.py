"""A server in its own process, with a small model that has one dynamic size."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import oarlock as paddle

COMMAND = [sys.executable, "-u", "-c", "from oarlock.cli.main import app; app()", "serve"]


@dataclass
class Server:
    process: subprocess.Popen[str]
    port: int

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    def memory(self) -> float:
        """Return the memory of the process in MB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024

    def open_files(self) -> int:
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


def free_port() -> int:
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def start_server(models: list[str], *options: str) -> Server:
    port = free_port()
    process = subprocess.Popen(
        # without the access log, which would fill the pipe that nothing reads
        [*COMMAND, *models, "--no-access-log", "--port", str(port), *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    line = process.stderr.readline()
    if not line.startswith("serving "):
        raise AssertionError(line + process.communicate()[1])
    wait_for(port)
    return Server(process, port)


def wait_for(port: int) -> None:
    import http.client
    import time

    end = time.monotonic() + 30
    while True:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/v2/health/live")
            assert connection.getresponse().status == 200
            connection.close()
            return
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)


def stop_server(server: Server) -> int:
    server.process.send_signal(signal.SIGTERM)
    server.process.communicate(timeout=60)
    return server.process.returncode


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """x [N, 4] float32 -> y = x w + b [N, 3]; and n [N] int64 -> n + 1."""

    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.fc = paddle.nn.Linear(4, 3)

        def forward(
            self, x: paddle.Tensor, n: paddle.Tensor
        ) -> tuple[paddle.Tensor, paddle.Tensor]:
            return self.fc(x), n + 1

    paddle.seed(1)
    prefix = str(tmp_path_factory.mktemp("served") / "net")
    spec = [
        paddle.static.InputSpec([None, 4], "float32", "x"),
        paddle.static.InputSpec([None], "int64", "n"),
    ]
    net = Net()
    net.eval()
    paddle.jit.save(net, prefix, input_spec=spec)
    return prefix


@pytest.fixture(scope="module")
def server(model: str) -> Iterator[Server]:
    made = start_server(
        [model], "--max-request-mb", "1", "--request-timeout", "2", "--workers", "2"
    )
    yield made
    assert stop_server(made) == 0
