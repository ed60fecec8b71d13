"""`oarlock serve` with Triton's client, and with invalid and hostile requests."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import json
import socket
import subprocess
import sys
import threading
import time
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tritonclient.http as triton
import uvicorn
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route
from tritonclient.utils import InferenceServerException

import oarlock as paddle
from oarlock.loader.runtime import EngineError
from oarlock.serving import server as serving
from oarlock.serving.datatypes import DATATYPES, require_datatype
from oarlock.serving.protocol import Request, RequestError, encode_response, parse_request
from oarlock.serving.request_body import RequestLimits
from oarlock.serving.served_model import ServedModel

from . import conftest
from .conftest import COMMAND, Server, start_server, stop_server

pytestmark = pytest.mark.slow

X = np.arange(8, dtype="float32").reshape(2, 4)
N = np.array([1, 2])


def expected_outputs(model: str) -> list[np.ndarray]:
    return [t.numpy() for t in paddle.jit.load(model)(paddle.to_tensor(X), paddle.to_tensor(N))]


def inputs(binary: bool = True) -> list[triton.InferInput]:
    made = [triton.InferInput("x", X.shape, "FP32"), triton.InferInput("n", N.shape, "INT64")]
    for one, array in zip(made, (X, N), strict=True):
        one.set_data_from_numpy(array, binary_data=binary)
    return made


def post(
    server: Server, body: bytes | str, path: str = "/v2/models/net/infer", **headers: str
) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request("POST", path, body.encode() if isinstance(body, str) else body, named)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, json.loads(text) if text else None


def request(**changes: Any) -> dict[str, Any]:
    """A good request, with some entries of input x changed."""
    x = {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [1, 2, 3, 4]} | changes
    return {"inputs": [x, {"name": "n", "shape": [1], "datatype": "INT64", "data": [5]}]}


@pytest.mark.parametrize("binary", [True, False])
@pytest.mark.parametrize("packed", [None, "gzip", "deflate"])
def test_triton_client_inference(
    server: Server, model: str, binary: bool, packed: str | None
) -> None:
    client = triton.InferenceServerClient(server.address)
    names = [o["name"] for o in client.get_model_metadata("net")["outputs"]]
    asked = [triton.InferRequestedOutput(n, binary_data=binary) for n in names]
    found = client.infer(
        "net", inputs(binary), outputs=asked, request_id="7", request_compression_algorithm=packed
    )
    assert found.get_response()["id"] == "7" and found.get_response()["model_version"] == "1"
    for name, want in zip(names, expected_outputs(model), strict=True):
        assert found.as_numpy(name).dtype == want.dtype and np.allclose(
            found.as_numpy(name), want, rtol=1e-6
        )
    everything = client.infer("net", inputs(binary))
    assert [o["name"] for o in everything.get_response()["outputs"]] == names


def test_triton_client_metadata(server: Server) -> None:
    client = triton.InferenceServerClient(server.address)
    assert (
        client.is_server_live() and client.is_server_ready() and client.is_model_ready("net", "1")
    )
    assert not client.is_model_ready("other") and not client.is_model_ready("net", "2")
    assert "binary_tensor_data" in client.get_server_metadata()["extensions"]
    described = client.get_model_metadata("net")
    assert described["inputs"] == [
        {"name": "x", "datatype": "FP32", "shape": [-1, 4]},
        {"name": "n", "datatype": "INT64", "shape": [-1]},
    ]
    assert client.get_model_config("net")["input"][0]["data_type"] == "TYPE_FP32"
    assert client.get_model_repository_index() == [
        {"name": "net", "version": "1", "state": "READY"}
    ]
    before = client.get_inference_statistics("net")["model_stats"][0]["inference_count"]
    client.infer("net", inputs())
    assert client.get_inference_statistics("net")["model_stats"][0][
        "inference_count"
    ] == before + len(X)
    with pytest.raises(InferenceServerException, match="there is no model 'other'"):
        client.infer("other", inputs())


# A client closes its connections again in the thread that frees it, which may have no event loop.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_concurrent_clients_get_their_own_results(server: Server, model: str) -> None:
    layer = paddle.jit.load(model)
    wrong: list[Any] = []

    def ask(client: Any, numbers: np.random.RandomState) -> tuple[Any, Any, list[Any]]:
        x = numbers.rand(numbers.randint(1, 6), 4).astype("float32")
        n = numbers.randint(0, 9, len(x))
        given = [triton.InferInput("x", x.shape, "FP32"), triton.InferInput("n", n.shape, "INT64")]
        given[0].set_data_from_numpy(x)
        given[1].set_data_from_numpy(n)
        found = client.infer("net", given)
        return x, n, [found.as_numpy(o["name"]) for o in found.get_response()["outputs"]]

    def work(seed: int) -> None:  # a client is closed in the thread whose event loop it has
        with contextlib.closing(triton.InferenceServerClient(server.address)) as client:
            numbers = np.random.RandomState(seed)
            results[seed] = [ask(client, numbers) for _ in range(15)]

    results: dict[int, list[Any]] = {seed: [] for seed in range(8)}
    threads = [threading.Thread(target=work, args=(seed,)) for seed in results]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for seed, answers in results.items():
        assert len(answers) == 15
        for x, n, found in answers:
            want = [t.numpy() for t in layer(paddle.to_tensor(x), paddle.to_tensor(n))]
            if not all(
                np.allclose(a, b, rtol=1e-5, atol=1e-6) for a, b in zip(found, want, strict=True)
            ):
                wrong.append(seed)
    assert wrong == []


INVALID_REQUESTS = [
    ("", "not valid JSON"),
    ("{", "not valid JSON"),
    ("[]", "not a JSON object"),
    ("[" * 100_000, "not valid JSON"),
    ("{}", "'inputs' must be a list"),
    (json.dumps({"inputs": [1]}), "list of objects"),
    (json.dumps({"inputs": []}), "['x', 'n'] are missing"),
    (json.dumps(request(name=3)), "'name' must be a string"),
    (json.dumps(request(name="z")), "not one of ['x', 'n']"),
    (json.dumps(request(name="n")), "datatype FP32, the model requires INT64"),
    (json.dumps(request(datatype="FP64")), "datatype FP64, the model requires FP32"),
    (json.dumps(request(shape=[1, -4])), "list of at most 32 sizes"),
    (json.dumps(request(shape=[10**30])), "list of at most 32 sizes"),
    (json.dumps(request(shape=[2**62, 4])), "4 numbers for the shape"),
    (json.dumps(request(shape=[0, 2**62, 2**62], data=[])), "is too large"),
    (json.dumps(request(name="\ud800")), "'\ud800' is not one of ['x', 'n']"),
    (json.dumps(request(shape="14")), "list of at most 32 sizes"),
    (json.dumps(request(shape=[1] * 100)), "list of at most 32 sizes"),
    (json.dumps(request(data=[1, 2])), "2 numbers for the shape"),
    (json.dumps(request(data=[1e39, 2, 3, 4])), "too large for FP32"),
    (json.dumps(request(data=json.loads("[" * 90 + "1" + "]" * 90))), "rows of its data differ"),
    (json.dumps(request(data=[[1, 2], [3]])), "rows of its data differ"),
    (json.dumps(request(data="1234")), "not numbers of FP32"),
    (json.dumps(request(data=["1", "2", "3", "4"])), "not numbers of FP32"),
    (json.dumps(request(data=[None] * 4)), "not numbers of FP32"),
    (json.dumps(request(data=[1, [2, ["3"]]])), "not numbers of FP32"),
    (json.dumps(request(data={"a": 1})), "not numbers of FP32"),
    (json.dumps(request(shape=[1, 3], data=[1, 2, 3])), "the model requires float32[?,4]"),
    (
        json.dumps(request(parameters={"binary_data_size": 16})),
        "binary_data_size is 16 bytes, but only 0 bytes are left",
    ),
    (json.dumps(request(parameters={"binary_data_size": -1})), "binary_data_size -1"),
    (json.dumps(request(parameters={"binary_data_size": 10**20})), "binary_data_size"),
    (json.dumps(request(parameters=[])), "'parameters' must be an object"),
    (json.dumps(request() | {"id": {"a": 1}}), "'id' must be a string"),
    (json.dumps(request() | {"outputs": [{"name": "zz"}]}), "the outputs ['zz'] do not exist"),
    (
        json.dumps(
            {
                "inputs": [
                    *request()["inputs"][:1],
                    {"name": "n", "shape": [1], "datatype": "INT64", "data": [1.5]},
                ]
            }
        ),
        "not numbers of INT64",
    ),
    (
        json.dumps(
            {
                "inputs": [
                    *request()["inputs"][:1],
                    {"name": "n", "shape": [1], "datatype": "INT64", "data": [2**70]},
                ]
            }
        ),
        "not numbers of INT64",
    ),
    (
        json.dumps(
            {
                "inputs": [
                    *request()["inputs"][:1],
                    {"name": "n", "shape": [1], "datatype": "INT64", "data": [2**63]},
                ]
            }
        ),
        "too large for INT64",
    ),
]


@pytest.mark.parametrize(
    ("body", "words"), INVALID_REQUESTS, ids=[f"{n}" for n in range(len(INVALID_REQUESTS))]
)
def test_invalid_request_returns_400_with_reason(server: Server, body: str, words: str) -> None:
    status, said = post(server, body)
    assert status == 400 and words in said["error"]
    assert post(server, json.dumps(request()))[0] == 200


def test_strings_in_number_arrays_do_not_exhaust_memory() -> None:
    """NumPy would make each of them as long as the longest: 1.2 GB of these 130 kB."""
    body = json.dumps(
        {"inputs": [request(data=["x" * 10000] + [""] * 30000)["inputs"][0]]}
    ).encode()
    tracemalloc.start()
    try:
        with pytest.raises(RequestError, match="not numbers of FP32"):
            parse_request(body, None, {"x": require_datatype("float32", "x")})
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert most < 50 * len(body)


def test_server_exit_closes_the_engine(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving._ServerWithoutSignalReraise, "run", lambda *_, **__: None)
    served = ServedModel(model)
    feeds = {"x": np.zeros((1, 4), "float32"), "n": np.zeros(1, "int64")}
    assert len(served.engine.run(feeds)) == 2
    assert serving.serve([served], "127.0.0.1", 0, RequestLimits()) == 0
    with pytest.raises(EngineError, match="run: stopped"):
        served.engine.run(feeds)


def test_invalid_headers(server: Server) -> None:
    good = json.dumps(request()).encode()
    assert post(server, good, Inference_Header_Content_Length="-1")[0] == 400
    assert post(server, good, Inference_Header_Content_Length="1" * 5000)[0] == 400
    assert post(server, good, Inference_Header_Content_Length=str(len(good) + 1))[0] == 400
    status, said = post(server, good + b"more", Inference_Header_Content_Length=str(len(good)))
    assert status == 400 and "4 extra bytes follow" in said["error"]
    assert post(server, good, Content_Encoding="br")[0] == 415
    assert post(server, good, Content_Encoding="Identity")[0] == 200
    assert post(server, gzip.compress(good), Content_Encoding="GZIP")[0] == 200
    assert post(server, good, Content_Encoding="gzip")[0] == 400
    assert post(server, gzip.compress(good)[:-9], Content_Encoding="gzip")[0] == 400
    assert (
        post(server, gzip.compress(good[:9]) + gzip.compress(good[9:]), Content_Encoding="gzip")[0]
        == 200
    )


def send_raw(server: Server, text: bytes) -> bytes:
    """Send raw bytes and return the response until the connection is closed."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(text)
        return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.mark.parametrize(
    "head",
    [
        "Content-Length: 5\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 5",
        "Content-Length: 5\r\nContent-Length: 50",
        "Content-Length: -5",
        "Content-Length: +5",
        "Content-Length : 5",
        "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: xchunked",
    ],
)
def test_ambiguous_length_closes_the_connection(server: Server, head: str) -> None:
    second = "GET /v2 HTTP/1.1\r\nHost: a\r\n\r\n"
    first = f"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\n{head}\r\n\r\n0\r\n\r\n"
    answer = send_raw(server, (first + second).encode())
    assert (
        answer.startswith(b"HTTP/1.1 400 ")
        and answer.count(b"HTTP/1.1 ") == 1
        and b"extensions" not in answer
    )


def test_error_messages_are_shortened(server: Server) -> None:
    status, said = post(
        server, json.dumps(request() | {"outputs": [{"name": f"z{n}"} for n in range(20_000)]})
    )
    assert status == 400 and "'z0', 'z1'" in said["error"] and len(said["error"]) == 2000


def test_large_json_response_equals_small_one() -> None:
    numbers = np.random.RandomState(0).rand(25_001, 1).astype("float32")
    text, size = encode_response(
        "m",
        Request("7", {}),
        [("y", DATATYPES["float32"], numbers), ("z", DATATYPES["int64"], N[:0])],
    )
    outputs = [
        {
            "name": "y",
            "datatype": "FP32",
            "shape": [25_001, 1],
            "data": numbers.reshape(-1).tolist(),
        },
        {"name": "z", "datatype": "INT64", "shape": [0], "data": []},
    ]
    wanted = {"id": "7", "model_name": "m", "model_version": "1", "outputs": outputs}
    assert size is None and text == json.dumps(wanted, separators=(",", ":")).encode()


def test_oversized_body_is_rejected_without_reading(server: Server) -> None:
    status, said = post(server, b"x" * (2 << 20))
    assert status == 413 and "limit is 1048576 bytes" in said["error"]
    bomb = gzip.compress(b"0" * (200 << 20))
    before = server.memory()
    status, said = post(server, bomb, Content_Encoding="gzip")
    assert status == 413 and "decompressed" in said["error"]
    assert post(server, zlib.compress(b"0" * (50 << 20)), Content_Encoding="deflate")[0] == 413
    assert server.memory() < before + 32


def test_unknown_paths_and_methods(server: Server) -> None:
    assert post(server, "{}", "/v2/models/none/infer")[0] == 404
    assert post(server, "{}", "/v2/models/net/versions/3/infer")[0] == 404
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    for path, status in (
        ("/v2/models/net/infer", 405),
        ("/nowhere", 404),
        ("/v2/models/%2e%2e%2fetc", 404),
    ):
        connection.request("GET", path)
        answer = connection.getresponse()
        assert "error" in json.loads(answer.read()) and answer.status == status, path
    connection.close()


def test_unsupported_output_parameters_are_rejected(server: Server) -> None:
    for form in (
        {"classification": 2},
        {"shared_memory_region": "a", "shared_memory_byte_size": 8},
    ):
        status, said = post(
            server, json.dumps(request() | {"outputs": [{"name": "out_0", "parameters": form}]})
        )
        assert (
            status == 501
            and "output 'out_0': " in said["error"]
            and "is not supported" in said["error"]
        )


async def talk(answer: bytes, after: bytes, room: int) -> tuple[bytes, bytes]:
    """Ask for `answer` and read as much as `room` of it, send something, and read what comes until
    the server ends it.
    """
    app = Starlette(routes=[Route("/", lambda _: Response(answer))])
    config = uvicorn.Config(app, http=serving.TimeoutProtocol, lifespan="off")
    config.load()
    state = uvicorn.Server(config).server_state
    running = await asyncio.get_running_loop().create_server(
        lambda: serving.TimeoutProtocol(config=config, server_state=state, app_state={}),
        "127.0.0.1",
        0,
    )
    reader, writer = await asyncio.open_connection(*running.sockets[0].getsockname(), limit=1024)
    writer.write(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n" + after)
    first = await reader.read(room)
    while state.connections:
        await asyncio.sleep(0.05)
    with contextlib.suppress(ConnectionError):
        first += await asyncio.wait_for(reader.read(), 20)
    writer.close()
    running.close()
    return first[:20], first[-20:]


def test_incomplete_pipelined_request_closes_the_connection(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(serving, "_IDLE_TIMEOUT", 0.3)
    start, end = asyncio.run(asyncio.wait_for(talk(b"yes", b"GET", 400), 20))
    assert b" 200 " in start and end.endswith(b"yes")


def test_write_timeout_closes_the_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "_WRITE_TIMEOUT", 0.3)
    start, end = asyncio.run(asyncio.wait_for(talk(b"x" * (32 << 20) + b"yes", b"", 10), 20))
    assert start.startswith(b"HTTP") and not end.endswith(b"yes")


@pytest.mark.slow
def test_slow_client_times_out(server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as slow:
        slow.sendall(
            b"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n{"
        )
        started_at = time.monotonic()
        assert b" 408 " in slow.recv(4096).split(b"\r\n")[0]
        assert time.monotonic() - started_at < 10


def test_half_closed_client_gets_its_response(server: Server) -> None:
    good = json.dumps(request()).encode()
    head = b"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(
        good
    )
    for sent, answered in (
        (head + good, True),
        (head + good[:10], False),
        (head[:20], False),
        (b"", False),
    ):
        with socket.create_connection(("127.0.0.1", server.port), timeout=20) as half:
            half.sendall(sent)
            half.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: half.recv(65536), b""))
        assert (b" 200 " in answer.split(b"\r\n")[0] and answer.endswith(b"}")) is answered


def test_disconnected_clients_release_resources(server: Server) -> None:
    files = server.open_files()
    good = json.dumps(request()).encode()
    head = b"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(
        good
    )
    for part in (head[:20], head, head + good[:10], head + good):
        for _ in range(5):
            with socket.create_connection(("127.0.0.1", server.port), timeout=20) as gone:
                gone.sendall(part)
    end = time.monotonic() + 10
    while server.open_files() > files + 1 and time.monotonic() < end:
        time.sleep(0.1)
    assert server.open_files() <= files + 1
    assert post(server, good)[0] == 200


def test_metrics_count_requests_by_status(server: Server) -> None:
    post(server, json.dumps(request()))
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.request("GET", "/metrics")
    text = connection.getresponse().read().decode()
    connection.close()
    assert 'oarlock_requests_total{model="net",status="200"}' in text
    assert (
        'oarlock_inference_seconds_count{model="net"}' in text
        and "oarlock_requests_in_hand 0.0" in text
    )


@pytest.mark.slow
def test_no_leaks_in_ten_thousand_requests(server: Server) -> None:
    good = json.dumps(request()).encode()
    bad = json.dumps(request(data=[1])).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)

    def ask(count: int) -> None:
        for n in range(count):
            connection.request("POST", "/v2/models/net/infer", bad if n % 10 == 0 else good)
            answer = connection.getresponse()
            answer.read()
            assert answer.status == (400 if n % 10 == 0 else 200)

    ask(1000)
    before, files = server.memory(), server.open_files()
    ask(10_000)
    connection.close()
    assert server.memory() < before + 4 and server.open_files() <= files


@pytest.mark.slow
def test_changed_model_files_do_not_affect_a_server(tmp_path: Path) -> None:
    layer = paddle.nn.Linear(64, 4096)  # large enough to be mapped
    prefix, spec = str(tmp_path / "wide"), [paddle.static.InputSpec([None, 64], "float32", "x")]

    def save() -> None:
        layer.eval()
        paddle.jit.save(layer, prefix, input_spec=spec)

    x = {"name": "x", "shape": [1, 64], "datatype": "FP32", "data": [1.0] * 64}
    save()
    serving_it = start_server([prefix])
    ask = lambda: post(serving_it, json.dumps({"inputs": [x]}), "/v2/models/wide/infer")
    first = ask()
    assert first[0] == 200
    layer.weight.set_value(layer.weight.numpy() * 2)
    save()
    assert ask() == first
    (tmp_path / "wide.pdiparams").write_bytes(b"")
    assert ask() == first
    for path in tmp_path.iterdir():
        path.unlink()
    assert ask() == first and stop_server(serving_it) == 0


@pytest.mark.slow
def test_shutdown_completes_running_requests(model: str) -> None:
    ending = start_server([model], "--request-timeout", "10")
    good = json.dumps(request()).encode()
    with socket.create_connection(("127.0.0.1", ending.port), timeout=20) as last:
        last.sendall(
            b"POST /v2/models/net/infer HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n"
            % len(good)
            + good[:5]
        )
        time.sleep(0.3)
        ending.process.terminate()
        time.sleep(0.5)
        last.sendall(good[5:])
        assert b" 200 " in last.recv(4096).split(b"\r\n")[0]
    ending.process.communicate(timeout=30)
    assert ending.process.returncode == 0


@pytest.mark.slow
def test_requests_that_never_end_get_503_at_shutdown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Loop(paddle.nn.Layer):
        def forward(self, x: paddle.Tensor) -> paddle.Tensor:
            while x.sum() > 1e6:
                x = x + 1
            return x

    prefix = str(tmp_path / "loop")
    spec = [paddle.static.InputSpec([None], "float32", "x")]
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(Loop(), prefix, input_spec=spec, format="paddle3")
    code = "from oarlock.serving import server; server._SHUTDOWN_TIMEOUT = 1; "
    code += "from oarlock.cli.main import app; app()"
    monkeypatch.setattr(conftest, "COMMAND", [sys.executable, "-u", "-c", code, "serve"])
    made = start_server([prefix], "--workers", "1")
    tensor = {"name": "x", "datatype": "FP32", "shape": [1], "data": [2e6]}
    body = json.dumps({"inputs": [tensor]})
    answers: list[Any] = []
    path = "/v2/models/loop/infer"
    # one runs, the other waits for the worker
    clients = [
        threading.Thread(target=lambda: answers.append(post(made, body, path))) for _ in "ab"
    ]
    for client in clients:
        client.start()
    time.sleep(1)
    made.process.terminate()
    _, log = made.process.communicate(timeout=30)
    for client in clients:
        client.join()
    assert made.process.returncode == 0
    assert [(status, answer["code"]) for status, answer in answers] == [(503, "shutting_down")] * 2
    assert "Traceback" not in log


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["{model}", "--host", "0.0.0.0"], "can be reached from other machines"),
        (["{model}", "other={model}", "net={model}"], "two models have the same name"),
        (["{model}-none"], "there is neither"),
    ],
)
def test_invalid_serve_arguments_are_rejected(
    arguments: list[str], words: str, model: str, tmp_path: Path
) -> None:
    said = subprocess.run(
        [*COMMAND, *(a.format(model=model) for a in arguments)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert said.returncode == 1 and words in said.stderr and "Traceback" not in said.stderr


@pytest.mark.slow
def test_port_in_use_is_reported(server: Server, model: str) -> None:
    said = subprocess.run(
        [*COMMAND, model, "--port", str(server.port)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (
        said.returncode == 1
        and "Address already in use" in said.stderr
        and "Traceback" not in said.stderr
    )


def test_missing_extra_is_reported(model: str) -> None:
    code = "import sys; sys.modules['uvicorn'] = None; from oarlock.cli.main import app; app()"
    said = subprocess.run(
        [sys.executable, "-c", code, "serve", model],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert said.returncode == 1 and "oarlock[serve]" in said.stderr


def test_model_that_rejects_generated_inputs_is_served(tmp_path: Path) -> None:
    class Sevens(paddle.nn.Layer):
        def forward(self, x: paddle.Tensor) -> paddle.Tensor:
            return x.reshape([-1, 7, 4]).sum(1)

    prefix = str(tmp_path / "sevens")
    spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(Sevens(), prefix, input_spec=spec, format="paddle3")
    made = start_server([prefix])
    try:
        tensor = {"name": "x", "datatype": "FP32", "shape": [7, 4], "data": [1] * 28}
        path = "/v2/models/sevens/infer"
        status, answer = post(made, json.dumps({"inputs": [tensor]}), path)
        assert status == 200 and answer["outputs"][0]["data"] == [7.0] * 4
        tensor |= {"shape": [1, 4], "data": [1] * 4}
        status, answer = post(made, json.dumps({"inputs": [tensor]}), path)
        # one line, without source lines of the model and of the server
        assert status == 500 and answer["error"].startswith("engine: reshape2, output")
        assert "\n" not in answer["error"]
    finally:
        assert stop_server(made) == 0


def test_sizes_of_named_dimensions_are_checked(tmp_path: Path) -> None:
    net = paddle.nn.Linear(4, 3)
    spec = [paddle.static.InputSpec([paddle.static.Dim("n", 2, 8), 4], "float32", "x")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    server = start_server([str(tmp_path / "net")])
    try:
        for rows in (2, 8, 9):
            x = {"name": "x", "shape": [rows, 4], "datatype": "FP32", "data": [1.0] * 4 * rows}
            status, said = post(server, json.dumps({"inputs": [x]}))
            assert status == (200 if rows <= 8 else 400)
        assert "dimension 0 ('n') is 9; it must be from 2 to 8" in said["error"]
    finally:
        stop_server(server)
