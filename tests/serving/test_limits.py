"""Limits of a server: queue, memory and time. One client cannot block the others."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import numpy as np
import pytest
import uvicorn

from oarlock.serving import server as server_module
from oarlock.serving.app import App
from oarlock.serving.datatypes import require_datatype
from oarlock.serving.protocol import Request, RequestError, encode_response
from oarlock.serving.request_body import RequestLimits, decompress
from oarlock.serving.served_model import InferenceStatistics
from oarlock.serving.server import TimeoutProtocol

PATH = "/v2/models/slow/infer"
GOOD = json.dumps(
    {"inputs": [{"name": "x", "shape": [1], "datatype": "FP32", "data": [1]}]}
).encode()


class SlowModel:
    """Answers only while `go` is set."""

    name = "slow"
    config: dict[str, Any] = {}

    def __init__(self) -> None:
        self.inputs = {"x": require_datatype("float32", "x")}
        self.statistics = InferenceStatistics()
        self.go = threading.Event()
        self.go.set()

    def infer_and_encode_response(self, request: Request) -> tuple[bytes, int | None]:
        """The input."""
        self.go.wait(30)
        return encode_response(
            self.name, request, [("y", self.inputs["x"], np.asarray(request.feeds["x"]))]
        )


class ThreadedServer:
    """A server in a thread of this process."""

    def __init__(self, limits: RequestLimits) -> None:
        self.model = SlowModel()
        self.app = App({"slow": self.model}, limits)  # type: ignore[dict-item]
        config = uvicorn.Config(
            self.app.make_asgi_app(),
            port=0,
            http=TimeoutProtocol,
            ws="none",
            lifespan="off",
            log_level="error",
        )
        self.server = uvicorn.Server(config)
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port = self.socket.getsockname()[1]
        self.thread = threading.Thread(target=self.server.run, kwargs={"sockets": [self.socket]})

    def post(self, body: bytes = GOOD) -> int:
        """The status of a request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("POST", PATH, body)
        status = connection.getresponse().status
        connection.close()
        return status

    def begin(self, length: int, sent: bytes = b"") -> socket.socket:
        """A request of which only the head and `sent` are sent."""
        made = socket.create_connection(("127.0.0.1", self.port), timeout=20)
        made.sendall(
            f"POST {PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n".encode() + sent
        )
        return made

    def metric(self, name: str) -> float:
        """A number of /metrics."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("GET", "/metrics")
        text = connection.getresponse().read().decode()
        connection.close()
        return float(next(line for line in text.splitlines() if line.startswith(name)).split()[1])

    def await_metric(self, name: str, value: float) -> None:
        """Until a number of /metrics is `value`."""
        end = time.monotonic() + 20
        while self.metric(name) != value:
            assert time.monotonic() < end
            time.sleep(0.02)


@contextmanager
def running_server(**limits: Any) -> Iterator[ThreadedServer]:
    """A server with these limits."""
    made = ThreadedServer(RequestLimits(**limits))
    made.thread.start()
    try:
        yield made
    finally:
        made.model.go.set()
        made.server.should_exit = made.server.force_exit = True
        made.thread.join(30)
        made.socket.close()


def status_of(connection: socket.socket) -> int:
    return int(connection.recv(4096).split()[1])


def test_incomplete_requests_do_not_occupy_the_queue() -> None:
    with running_server(workers=1, queue=1) as server, ExitStack() as held:
        for _ in range(66):
            held.enter_context(server.begin(1000))
            held.enter_context(server.begin(1000, b"{"))
        assert [server.post() for _ in range(5)] == [200] * 5


def test_full_queue_returns_503() -> None:
    with running_server(workers=1, queue=2) as server, ExitStack() as held:
        server.model.go.clear()
        waiting = [held.enter_context(server.begin(len(GOOD), GOOD)) for _ in range(3)]
        server.await_metric("oarlock_requests_in_hand", 3)
        assert server.post() == 503
        late = held.enter_context(server.begin(len(GOOD), GOOD[:-1]))
        assert status_of(late) == 503  # before its body is there: it would be read for nothing
        server.model.go.set()
        assert [status_of(connection) for connection in waiting] == [200] * 3
        assert server.post() == 200


def test_memory_of_request_bodies_is_limited_and_released() -> None:
    part = b" " * 40_000
    with running_server(bytes=60_000, memory=100_000) as server, ExitStack() as held:
        first = [held.enter_context(server.begin(50_000, part)) for _ in range(2)]
        server.await_metric("oarlock_request_body_bytes", 80_000)
        assert server.post(part + GOOD) == 503
        assert server.post() == 200  # a small one has room
        for connection in first:
            connection.close()
        server.await_metric("oarlock_request_body_bytes", 0)
        assert server.post(part + GOOD) == 200
        server.await_metric("oarlock_request_body_bytes", 0)


@pytest.mark.slow
def test_memory_of_responses_is_limited_and_released(monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that reads a byte now and then holds its response for a limited time."""
    monkeypatch.setattr(server_module, "_WRITE_TIMEOUT", 8.0)
    count = 3 * 10**6  # the bytes exceed the buffers of the operating system
    head = f'{{"inputs": [{{"name": "x", "shape": [{count}], "datatype": "FP32", "data": '
    body = f"{head}[{','.join(['1.5'] * count)}]}}]}}".encode()
    with running_server(memory=20 << 20) as server, server.begin(len(body)) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.sendall(body)
        assert status_of(slow) == 200
        assert server.metric("oarlock_request_body_bytes") > count
        assert server.post(body) == 503
        assert server.post() == 200
        end = time.monotonic() + 20
        while server.metric("oarlock_request_body_bytes"):
            with suppress(ConnectionError):
                slow.recv(1)
            assert time.monotonic() < end
            time.sleep(0.1)
        assert server.post(body) == 200


def test_content_length_reserves_no_memory() -> None:
    with running_server(bytes=60_000, memory=60_000) as server, ExitStack() as held:
        for _ in range(20):
            held.enter_context(server.begin(60_000))
        assert server.post(b" " * 50_000 + GOOD) == 200


@pytest.mark.parametrize(
    ("limits", "pause", "status"),
    [
        ({"idle": 0.3, "seconds": 60}, 2.0, 408),  # nothing comes
        ({"idle": 60, "seconds": 0.5}, 0.1, 408),  # something comes now and then
        ({"idle": 5, "seconds": 60}, 0.1, 200),
    ],
)
def test_request_body_timeout(limits: dict[str, float], pause: float, status: int) -> None:
    with running_server(**limits) as server, server.begin(len(GOOD) + 20, GOOD) as connection:
        connection.settimeout(pause)
        found = None
        for _ in range(20):
            connection.sendall(b" ")
            try:
                found = status_of(connection)
                break
            except TimeoutError:
                continue
        assert found == status
        server.await_metric("oarlock_request_body_bytes", 0)
        if status == 408:  # the server closes the connection, long before an idle one
            connection.settimeout(5)
            with suppress(ConnectionError):
                while connection.recv(4096):
                    pass


def test_gzip_data_of_many_members() -> None:
    """Members of all sizes, of which zlib reads parts of the next one."""
    parts = [bytes([n % 251]) * (n * 37) for n in range(300)]
    packed = b"".join(map(gzip.compress, parts))
    whole = b"".join(parts)
    assert decompress(packed, "gzip", len(whole)) == whole
    with pytest.raises(RequestError, match="exceeds the limit"):
        decompress(packed, "gzip", len(whole) - 1)
    with pytest.raises(RequestError, match="truncated"):
        decompress(packed[:-1], "gzip", len(whole))
    with pytest.raises(RequestError, match="truncated"):
        decompress(b"", "gzip", 9)
