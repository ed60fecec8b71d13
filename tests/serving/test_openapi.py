"""The OpenAPI document, the pages, the errors and the access log of the server."""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import json
import logging
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from openapi_spec_validator import validate

import oarlock as paddle
from oarlock.core.log import configure_logging
from oarlock.serving.app import _MAX_CONNECTIONS, App
from oarlock.serving.protocol import ERROR_CODES
from oarlock.serving.request_body import RequestLimits
from oarlock.serving.served_model import ServedModel

from . import conftest
from .conftest import Server, start_server, stop_server

NAMES = ("net", "a model~1")
LIMITS = RequestLimits(bytes=2000)


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


def call(
    app: Any,
    path: str,
    method: str = "GET",
    body: bytes = b"",
    headers: Mapping[str, str] = MappingProxyType({}),
) -> Answer:
    """The answer of an ASGI application."""
    sent: list[Any] = []
    parts = iter([{"type": "http.request", "body": body}])

    async def receive() -> Any:
        return next(parts)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "scheme": "http",
        "http_version": "1.1",
        "server": ("127.0.0.1", 80),
        "client": ("10.0.0.1", 1),
        "headers": [(k.lower().encode(), v.encode()) for k, v in headers.items()],
    }
    asyncio.run(app(scope, receive, send))
    names = {k.decode(): v.decode() for k, v in sent[0]["headers"]}
    return Answer(sent[0]["status"], names, b"".join(m.get("body", b"") for m in sent[1:]))


@pytest.fixture(scope="module")
def app_of_models(model: str, tmp_path_factory: pytest.TempPathFactory) -> App:
    """Two models; `second` has a named dimension, a scalar-like input and dtypes without JSON."""

    class Second(paddle.nn.Layer):
        def forward(self, x: Any, flag: Any, half: Any) -> Any:
            return x * 2, paddle.logical_not(flag), half + 1

    prefix = str(tmp_path_factory.mktemp("second") / "net")
    batch = paddle.static.Dim("batch", 2, 8, multiple=2)
    spec = [
        paddle.static.InputSpec([batch, 3], "float32", "x"),
        paddle.static.InputSpec([2], "bool", "flag"),
        paddle.static.InputSpec([None], "float16", "half"),
    ]
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(Second(), prefix, input_spec=spec)
    models = [ServedModel(model, NAMES[0]), ServedModel(prefix, NAMES[1])]
    return App({m.name: m for m in models}, LIMITS)


@pytest.fixture(scope="module")
def app(app_of_models: App) -> Any:
    return app_of_models.make_asgi_app()


@pytest.fixture(scope="module")
def document(app: Any) -> Any:
    return call(app, "/openapi.json").json


def validator(document: Any, schema: Any) -> Draft202012Validator:
    return Draft202012Validator({**document, **schema})


def infer_schema(document: Any, kind: str, name: str) -> Any:
    return document["components"]["schemas"][f"{kind}.{name}"]


def test_document_is_valid_openapi(document: Any) -> None:
    validate(document)
    assert document["openapi"].startswith("3.1")
    ids = [o["operationId"] for path in document["paths"].values() for o in path.values()]
    assert len(set(ids)) == len(ids)


def test_document_describes_every_route(app_of_models: App, document: Any) -> None:
    known = {(path, m.upper()) for path, entry in document["paths"].items() for m in entry}
    routes = {
        (route.path.replace("{name}", name).replace("{version}", "1"), method)
        for route in app_of_models.make_routes()
        for method in (route.methods or {"GET"}) - {"HEAD"}
        for name in ("net", "a%20model~1")
    }
    assert routes == known


def test_get_responses_match_their_schemas(app: Any, document: Any) -> None:
    checked = 0
    for path, entry in document["paths"].items():
        if "get" not in entry:
            continue
        answer = call(app, path.replace("%20", " "))
        assert answer.status == 200, path
        content = entry["get"]["responses"]["200"].get("content", {})
        if "application/json" in content:
            validator(document, content["application/json"]["schema"]).validate(answer.json)
            checked += 1
    assert checked >= 10


def good_request() -> dict[str, Any]:
    return {
        "id": "7",
        "inputs": [
            {"name": "n", "shape": [1], "datatype": "INT64", "data": [5]},
            {"name": "x", "shape": [1, 4], "datatype": "FP32", "data": [[1, 2, 3, 4]]},
        ],
        "outputs": [{"name": "out_0"}],
    }


def test_inference_matches_the_schemas(app: Any, document: Any) -> None:
    request = good_request()
    validator(document, infer_schema(document, "InferRequest", "net")).validate(request)
    answer = call(app, "/v2/models/net/infer", "POST", json.dumps(request).encode())
    assert answer.status == 200, answer.body
    validator(document, infer_schema(document, "InferResponse", "net")).validate(answer.json)


@pytest.mark.parametrize(
    ("entry", "value"),
    [("name", "y"), ("datatype", "FP64"), ("shape", [1, 5]), ("shape", [1]), ("data", 3)],
)
def test_request_schema_rejects_what_the_server_rejects(
    entry: str, value: Any, app: Any, document: Any
) -> None:
    request = good_request()
    request["inputs"][1][entry] = value
    with pytest.raises(ValidationError):
        validator(document, infer_schema(document, "InferRequest", "net")).validate(request)
    answer = call(app, "/v2/models/net/infer", "POST", json.dumps(request).encode())
    assert (answer.status, answer.json["code"]) == (400, "invalid_request")


def test_schema_has_ranges_of_named_dimensions(document: Any) -> None:
    inputs = infer_schema(document, "InferRequest", "a_20model_1")["properties"]["inputs"]
    x, flag, half = (one["properties"] for one in inputs["items"]["oneOf"])
    assert x["shape"]["prefixItems"] == [
        {"type": "integer", "title": "batch", "minimum": 2, "maximum": 8, "multipleOf": 2},
        {"const": 3},
    ]
    assert flag["datatype"] == {"const": "BOOL"}
    assert "data" not in half  # JSON has no float16


def test_example_of_the_document_is_a_valid_request(app: Any, document: Any) -> None:
    content = document["paths"]["/v2/models/net/infer"]["post"]["requestBody"]["content"]
    body = json.dumps(content["application/json"]["example"]).encode()
    assert call(app, "/v2/models/net/infer", "POST", body).status == 200


# -- pages
# ------------------------------------------------------------------------------------------


def test_index_has_json_and_html(app: Any) -> None:
    index = call(app, "/").json
    assert (index["name"], index["version"]) == ("oarlock", paddle.__version__)
    assert index["models"] == list(NAMES)
    page = call(app, "/", headers={"Accept": "text/html,*/*;q=0.8"})
    assert page.headers["content-type"].startswith("text/html")
    for path in index["links"].values():
        assert call(app, path).status == 200
        assert f"href='{path}'" in page.body.decode()


def test_pages_load_nothing_and_show_every_operation(app: Any, document: Any) -> None:
    answer = call(app, "/docs")
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    text = answer.body.decode()
    assert not re.search(r"<script|<link|<img|src=|href='http|@import|url\(", text)
    for path in document["paths"]:
        assert f"<code>{path}</code>" in text
    assert "FP32[?,4]" in text
    for code in ERROR_CODES:
        assert f"<code>{code}</code>" in text


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
def test_browser_shows_the_documentation(app: Any, tmp_path: Path) -> None:
    (tmp_path / "docs.html").write_bytes(call(app, "/docs").body)
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    found = subprocess.run(
        [*command, str(tmp_path / "docs.html")], capture_output=True, text=True, check=True
    ).stdout
    assert found.count("<details") == call(app, "/docs").body.decode().count("<details")


def test_names_are_escaped_in_pages(model: str) -> None:
    name = "<b>&'\""
    app = App({name: ServedModel(model, name)}, LIMITS).make_asgi_app()
    for path, accept in (("/docs", "*/*"), ("/", "text/html")):
        text = call(app, path, headers={"Accept": accept}).body.decode()
        assert "<b>" not in text
        assert "&lt;b&gt;&amp;&#x27;&quot;" in text


# -- errors
# ------------------------------------------------------------------------------------------

BROKEN = b'{"inputs": ['


@pytest.mark.parametrize(
    ("path", "method", "body", "status", "code"),
    [
        ("/nothing", "GET", b"", 404, "not_found"),
        ("/v2/models/other", "GET", b"", 404, "model_not_found"),
        ("/v2/models/net/versions/3", "GET", b"", 404, "model_not_found"),
        ("/v2/models/other/infer", "POST", b"{}", 404, "model_not_found"),
        ("/v2/models/net/infer", "GET", b"", 405, "method_not_allowed"),
        ("/docs", "DELETE", b"", 405, "method_not_allowed"),
        ("/v2/models/net/infer", "POST", BROKEN, 400, "invalid_request"),
        ("/v2/models/net/infer", "POST", b" " * 3000, 413, "request_too_large"),
    ],
)
def test_errors_are_structured(
    path: str, method: str, body: bytes, status: int, code: str, app: Any, document: Any
) -> None:
    answer = call(app, path, method, body, {"X-Request-Id": "job-1:2"})
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["x-request-id"] == "job-1:2"
    assert (answer.json["code"], answer.json["request_id"]) == (code, "job-1:2")
    validator(document, document["components"]["schemas"]["Error"]).validate(answer.json)
    if status == 405:
        assert answer.headers["allow"]


def test_unsupported_encoding_is_structured(app: Any) -> None:
    headers = {"Content-Encoding": "br"}
    answer = call(app, "/v2/models/net/infer", "POST", b"{}", headers)
    assert (answer.status, answer.json["code"]) == (415, "unsupported_encoding")


def test_full_queue_and_too_many_connections_are_structured(app_of_models: App) -> None:
    crowded = app_of_models.make_asgi_app(lambda: _MAX_CONNECTIONS + 1)
    answer = call(crowded, "/v2")
    assert (answer.status, answer.json["code"]) == (503, "overloaded")
    assert answer.headers["connection"] == "close"
    assert answer.headers["retry-after"] == "1"


@pytest.mark.parametrize("id", ["", "a b", "x\n[error] forged", "é", "a" * 200])
def test_invalid_request_ids_are_replaced(id: str, app: Any) -> None:
    answer = call(app, "/nothing", headers={"X-Request-Id": id})
    assert re.fullmatch("[0-9a-f]{32}", answer.headers["x-request-id"])
    assert answer.json["request_id"] == answer.headers["x-request-id"]


def test_internal_errors_hide_their_cause(
    app_of_models: App, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(self: App, request: Any) -> Any:
        raise RuntimeError("/srv/secret/models")

    monkeypatch.setattr(App, "_index_response", fail)
    answer = call(app_of_models.make_asgi_app(), "/", headers={"X-Request-Id": "r1"})
    assert (answer.status, answer.json["code"]) == (500, "internal_error")
    assert b"secret" not in answer.body
    (record,) = (r for r in caplog.records if r.name == "oarlock.server")
    assert record.getMessage() == "request r1 failed"
    assert record.exc_info is not None
    assert "secret" in str(record.exc_info[1])


def test_errors_of_models_name_no_folders(
    app_of_models: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: ServedModel, request: Any) -> Any:
        raise paddle.OpError("load: /srv/models/net.pdmodel is 3/4 read\n  File '/home/me/a.py'")

    model = app_of_models._models["net"]
    monkeypatch.setattr(model.engine, "run", lambda *_: fail(model, None))
    body = json.dumps(good_request()).encode()
    answer = call(app_of_models.make_asgi_app(), "/v2/models/net/infer", "POST", body)
    assert answer.json["error"] == "load: net.pdmodel is 3/4 read"


# -- access log
# ------------------------------------------------------------------------------------------


@pytest.fixture
def logging_to_stderr() -> Iterator[None]:
    """Restore the logger of the package after a test that configures it."""
    root = logging.getLogger("oarlock")
    before = (root.handlers, root.level, root.propagate)
    yield
    root.handlers, root.level, root.propagate = before


def test_access_log_as_json(
    app: Any,
    logging_to_stderr: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("OARLOCK_LOG", "json")
    configure_logging()
    answer = call(app, "/v2/%0A%22x", headers={"X-Request-Id": "r2"})
    entry = json.loads(capsys.readouterr().err)
    assert entry["duration_ms"] >= 0
    assert entry["time"].endswith("Z")
    expected = {"level": "info", "source": "oarlock.access", "client": "10.0.0.1"}
    expected |= {"method": "GET", "path": "/v2/%0A%22x", "status": 404, "request_id": "r2"}
    expected |= {"bytes": len(answer.body)}
    assert {key: entry[key] for key in expected} == expected


def test_access_log_as_text(
    app: Any,
    logging_to_stderr: None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.delenv("OARLOCK_LOG", raising=False)
    configure_logging(default="info")
    call(app, "/v2", headers={"X-Request-Id": "r3"})
    line = capsys.readouterr().err
    assert re.fullmatch(
        r'\[info\] oarlock\.access: \S+Z 10\.0\.0\.1 "GET /v2" 200 [\d.]+ ms \d+ bytes id=r3\n',
        line,
    )


# -- a server process
# ------------------------------------------------------------------------------------------


def malformed(port: int) -> tuple[bytes, Any]:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nbad header\r\n\r\n")
        text = b"".join(iter(lambda: connection.recv(4096), b""))
    head, _, body = text.partition(b"\r\n\r\n")
    return head, json.loads(body)


@pytest.mark.slow
def test_malformed_http_gets_a_structured_error(server: Server) -> None:
    head, body = malformed(server.port)
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"x-request-id: " + body["request_id"].encode() in head
    assert body["error"] == "the request is not valid HTTP"
    assert body["code"] == "invalid_request"


@pytest.mark.slow
@pytest.mark.parametrize("option", ["--access-log", "--no-access-log"])
def test_access_log_of_a_process(option: str, model: str) -> None:
    made = start_server([model], option)
    connection = http.client.HTTPConnection("127.0.0.1", made.port, timeout=20)
    connection.request("GET", "/v2", headers={"X-Request-Id": "r4"})
    assert connection.getresponse().status == 200
    connection.close()
    malformed(made.port)
    made.process.terminate()
    text = made.process.communicate(timeout=60)[1]
    logged = [line for line in text.splitlines() if "oarlock.access" in line]
    if option == "--no-access-log":
        assert logged == []
        return
    assert any('"GET /v2" 200 ' in line and line.endswith("id=r4") for line in logged)
    assert any('"- -" 400 ' in line for line in logged)


@pytest.mark.slow
def test_too_many_connections_get_a_structured_error(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "from oarlock.serving import app; app._MAX_CONNECTIONS = 3; "
    code += "from oarlock.cli.main import app; app()"
    monkeypatch.setattr(conftest, "COMMAND", [sys.executable, "-u", "-c", code, "serve"])
    made = start_server([model])
    address = ("127.0.0.1", made.port)
    with contextlib.ExitStack() as idle:
        for _ in range(3):
            idle.enter_context(socket.create_connection(address, timeout=20))
        connection = http.client.HTTPConnection(*address, timeout=20)
        connection.request("GET", "/v2")
        answer = connection.getresponse()
        assert (answer.status, answer.getheader("Connection")) == (503, "close")
        assert json.loads(answer.read())["code"] == "overloaded"
        connection.close()
    assert stop_server(made) == 0


@pytest.mark.slow
def test_log_of_a_process_as_json(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is JSON, also those of uvicorn and the C++ library."""
    monkeypatch.setenv("OARLOCK_LOG", "json")
    process = subprocess.Popen(
        [*conftest.COMMAND, model, "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    entries = []
    while not entries or not entries[-1]["message"].startswith("serving net at "):
        entries.append(json.loads(process.stderr.readline()))
    port = int(re.search(r":(\d+)/", entries[-1]["message"])[1])
    conftest.wait_for(port)
    malformed(port)
    process.terminate()
    entries += map(json.loads, process.communicate(timeout=60)[1].splitlines())
    sources = {entry["source"] for entry in entries}
    assert {"oarlock", "oarlock.access", "oarlock.server", "uvicorn.error"} <= sources


@pytest.mark.slow
def test_binary_request_keeps_working_with_a_request_id(server: Server) -> None:
    x, n = np.ones((1, 4), "float32"), np.ones(1, "int64")
    entries = [
        {
            "name": name,
            "shape": list(a.shape),
            "datatype": kind,
            "parameters": {"binary_data_size": a.nbytes},
        }
        for name, a, kind in (("x", x, "FP32"), ("n", n, "INT64"))
    ]
    text = json.dumps({"inputs": entries, "parameters": {"binary_data_output": True}}).encode()
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    headers = {"Inference-Header-Content-Length": str(len(text)), "X-Request-Id": "r5"}
    connection.request("POST", "/v2/models/net/infer", text + x.tobytes() + n.tobytes(), headers)
    answer = connection.getresponse()
    assert (answer.status, answer.getheader("X-Request-Id")) == (200, "r5")
    connection.close()


def test_config_of_the_server_has_no_dynamic_batching(app: Any) -> None:
    """The server does not combine requests; a Triton server with the exported model does."""
    config = call(app, "/v2/models/net/config").json
    assert config["max_batch_size"] == 8
    assert "dynamic_batching" not in config


@pytest.mark.parametrize("path", ["/docs/", "/v2/", "/v2/models/net/"])
def test_a_slash_at_the_end_is_an_unknown_path(path: str, app: Any) -> None:
    answer = call(app, path, headers={"Host": "other.example"})
    assert answer.status == 404
    assert answer.json["code"] == "not_found"
    assert "location" not in answer.headers
