"""Compare `oarlock serve` with direct calls of the engine.

    python benchmarks/serving.py [--rounds 5]

The models are a small MLP, where overhead dominates, and a small ResNet.  One client, then four
concurrent ones, send binary tensors; medians of alternating rounds are printed.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model

CASES = {"mlp": ([8, 64], 400), "resnet": ([1, 3, 64, 64], 60)}


def save(folder: Path) -> None:
    """Save both models."""
    paddle.seed(0)
    small = paddle.nn.Sequential(
        paddle.nn.Linear(64, 32), paddle.nn.ReLU(), paddle.nn.Linear(32, 10)
    )
    for name, net in (("mlp", small), ("resnet", paddle.vision.models.resnet18(num_classes=10))):
        net.eval()
        shape = [None, *CASES[name][0][1:]]
        paddle.jit.save(
            net, str(folder / name), input_spec=[paddle.static.InputSpec(shape, "float32", "x")]
        )


def request_body(x: Any) -> tuple[bytes, dict[str, str]]:
    """Return the body of a request with one binary tensor, and its headers."""
    entry = {
        "name": "x",
        "shape": list(x.shape),
        "datatype": "FP32",
        "parameters": {"binary_data_size": x.nbytes},
    }
    text = json.dumps({"inputs": [entry], "parameters": {"binary_data_output": True}}).encode()
    return text + x.tobytes(), {"Inference-Header-Content-Length": str(len(text))}


def http_client(port: int, name: str, x: Any) -> Callable[[], None]:
    """Return a function that sends one request over a persistent connection."""
    connection = HTTPConnection("127.0.0.1", port)
    connection.connect()
    connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    body, headers = request_body(x)

    def call() -> None:
        connection.request("POST", f"/v2/models/{name}/infer", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status == 200

    return call


def rate(calls: list[Callable[[], None]], count: int) -> float:
    """Return the calls per second of concurrent threads that make `count` calls each."""
    threads = [threading.Thread(target=lambda c=c: [c() for _ in range(count)]) for c in calls]  # type: ignore[misc]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(calls) * count / (time.perf_counter() - started)


def measure(folder: Path, port: int, rounds: int) -> None:
    """Measure both models and print the rates."""
    for name, (shape, count) in CASES.items():
        x = np.random.RandomState(0).rand(*shape).astype("float32")
        files = read_model(str(folder / name))
        engine = Engine(files.pdmodel, files.params_path)
        peers = {
            "engine": [lambda e=engine, x=x: e.run({"x": x})],
            "one client": [http_client(port, name, x)],
            "four clients": [http_client(port, name, x) for _ in range(4)],
        }
        samples: dict[str, list[float]] = {peer: [] for peer in peers}
        for _ in range(rounds):
            for peer, calls in peers.items():
                samples[peer].append(rate(calls, count))  # type: ignore[arg-type]
        rates = {peer: statistics.median(r) for peer, r in samples.items()}
        direct = rates.pop("engine")
        print(
            f"{name}: the engine {direct:.0f} a second, "
            + ", ".join(f"{p} {r:.0f} ({r / direct:.2f}x)" for p, r in rates.items())
        )


def main() -> None:
    """Start a server, measure, and stop the server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        save(folder)
        command = [
            sys.executable,
            "-c",
            "from oarlock.cli.main import app; app()",
            "serve",
            "--port",
            "0",
            "--no-access-log",  # it would fill the pipe that nothing reads
        ]
        models = [str(folder / name) for name in CASES]
        server = subprocess.Popen([*command, *models], stderr=subprocess.PIPE, text=True)
        assert server.stderr is not None
        port = int(server.stderr.readline().rpartition(":")[2].partition("/")[0])
        time.sleep(1)
        try:
            measure(folder, port, rounds)
        finally:
            server.terminate()
            server.wait()


if __name__ == "__main__":
    main()
