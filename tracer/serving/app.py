"""The ASGI application: the routes of the Open Inference Protocol v2 and of Triton's extensions,
and pages that describe them.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..core.errors import OarlockError
from ..core.version import VERSION
from .docs_page import index_page, openapi_page
from .metrics import Metrics
from .openapi import openapi_document
from .protocol import RequestError, first_line_of_error, parse_request
from .request_body import (
    RequestLimits,
    RequestMemoryBudget,
    decompress,
    raw_body_reserved_in_budget,
)
from .request_log import REQUEST_ID_HEADER, RequestLog, new_request_id, request_id
from .served_model import ServedModel, num_samples

_EXTENSIONS = ["binary_tensor_data", "model_configuration", "model_repository", "statistics"]
_HEADER_LENGTH_HEADER = "Inference-Header-Content-Length"
_CLIENT_CLOSED_REQUEST = 499  # the status that web servers log if the client closed the connection
_RESPONSE_PART_SIZE = 256 << 10
_MAX_ERROR_LENGTH = 2000  # characters of an error message: it may repeat parts of the request
_MAX_CONNECTIONS = 512
# The pages contain no scripts and load nothing; the browser enforces this.
_PAGE_HEADERS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'"}


class App:
    """The request handlers of one server, and the state that they share. models: by name"""

    def __init__(self, models: Mapping[str, ServedModel], limits: RequestLimits) -> None:
        self._models, self._limits = dict(models), limits
        self._metrics = Metrics()
        self._budget = RequestMemoryBudget(limits.memory)
        self._num_active = 0  # complete requests that wait or run
        self._workers: anyio.CapacityLimiter | None = None  # used in the event loop only

    def make_asgi_app(self, num_connections: Callable[[], int] = lambda: 0) -> ASGIApp:
        """Return the ASGI application.

        num_connections: returns the number of open connections of the server. If it exceeds
        _MAX_CONNECTIONS, requests are rejected with status 503.
        """
        application = Starlette(
            routes=self.make_routes(),
            middleware=[
                Middleware(_LimitConnections, num_connections),
                Middleware(_RejectAmbiguousLength),
            ],
            exception_handlers={
                HTTPException: _handle_http_exception,
                Exception: _handle_internal_error,
            },
        )
        # A redirect from `/docs/` to `/docs` would repeat the header `Host` of the request.
        application.router.redirect_slashes = False
        return RequestLog(application)

    def make_routes(self) -> list[Route]:
        """Return the routes of the server. `openapi.openapi_document` describes each of them."""
        model = "/v2/models/{name}"
        routes = [
            Route("/", self._wrap_with_error_responses(self._index_response)),
            Route("/docs", self._wrap_with_error_responses(self._docs_response)),
            Route("/openapi.json", self._wrap_with_error_responses(self._openapi_response)),
            Route("/v2", self._wrap_with_error_responses(self._server_metadata_response)),
            Route("/v2/health/live", self._wrap_with_error_responses(self._health_response)),
            Route("/v2/health/ready", self._wrap_with_error_responses(self._health_response)),
            Route(
                "/v2/repository/index",
                self._wrap_with_error_responses(self._repository_index_response),
                methods=["POST"],
            ),
            Route(
                "/v2/models/stats",
                self._wrap_with_error_responses(self._all_statistics_response),
            ),
            Route("/metrics", self._wrap_with_error_responses(self._metrics_response)),
        ]
        for path in (model, model + "/versions/{version}"):
            routes += [
                Route(path, self._wrap_with_error_responses(self._metadata_response)),
                Route(
                    path + "/ready",
                    self._wrap_with_error_responses(self._readiness_response),
                ),
                Route(
                    path + "/config",
                    self._wrap_with_error_responses(self._config_response),
                ),
                Route(
                    path + "/stats",
                    self._wrap_with_error_responses(self._statistics_response),
                ),
                Route(path + "/infer", self._infer, methods=["POST"]),
            ]
        return routes

    @staticmethod
    def _wrap_with_error_responses(
        handler: Callable[[Request], Response | Awaitable[Response]],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def handle_with_error_response(request: Request) -> Response:
            try:
                response = handler(request)
                return response if isinstance(response, Response) else await response
            except RequestError as error:
                return _error_response(error)

        return handle_with_error_response

    # -- pages
    # -------------------------------------------------------------------------------

    def _index_response(self, request: Request) -> Response:
        index = {
            "name": "oarlock",
            "version": VERSION,
            "models": list(self._models),
            "links": {
                "documentation": "/docs",
                "openapi": "/openapi.json",
                "server": "/v2",
                "ready": "/v2/health/ready",
                "metrics": "/metrics",
            },
        }
        if "text/html" in request.headers.get("accept", ""):
            return HTMLResponse(index_page(index), headers=_PAGE_HEADERS)
        return JSONResponse(index)

    @cached_property
    def _openapi_document(self) -> dict[str, Any]:
        return openapi_document(list(self._models.values()))

    def _openapi_response(self, request: Request) -> Response:
        return JSONResponse(self._openapi_document)

    def _docs_response(self, request: Request) -> Response:
        return HTMLResponse(openapi_page(self._openapi_document), headers=_PAGE_HEADERS)

    # -- server metadata
    # -------------------------------------------------------------------------------

    def _server_metadata_response(self, request: Request) -> Response:
        return JSONResponse({"name": "oarlock", "version": VERSION, "extensions": _EXTENSIONS})

    def _health_response(self, request: Request) -> Response:
        return Response()

    def _repository_index_response(self, request: Request) -> Response:
        return JSONResponse(
            [{"name": name, "version": "1", "state": "READY"} for name in self._models]
        )

    def _metrics_response(self, request: Request) -> Response:
        self._metrics.body_bytes.set(self._budget.used)
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    # -- model metadata
    # ------------------------------------------------------------------------------------

    def _get_model(self, request: Request) -> ServedModel:
        name, version = request.path_params["name"], request.path_params.get("version", "1")
        if name not in self._models:
            raise RequestError(f"there is no model '{name[:100]}'", 404, "model_not_found")
        if version != "1":
            raise RequestError(f"model '{name}' has the version 1 only", 404, "model_not_found")
        return self._models[name]

    def _metadata_response(self, request: Request) -> Response:
        return JSONResponse(self._get_model(request).metadata())

    def _readiness_response(self, request: Request) -> Response:
        self._get_model(request)
        return Response()

    async def _config_response(self, request: Request) -> Response:
        model = self._get_model(request)
        # the first read of `config` runs the model once
        return JSONResponse(await self._run_in_worker(lambda: model.config))

    def _statistics_response(self, request: Request) -> Response:
        return JSONResponse({"model_stats": [_model_statistics(self._get_model(request))]})

    def _all_statistics_response(self, request: Request) -> Response:
        return JSONResponse({"model_stats": [_model_statistics(m) for m in self._models.values()]})

    # -- inference
    # --------------------------------------------------------------------------

    async def _infer(self, request: Request) -> Response:
        started, status, rows = time.perf_counter(), 500, 1
        model: ServedModel | None = None
        seconds: float | None = None
        try:
            model = self._get_model(request)
            self._check_queue_not_full()  # before reading a body that would be rejected
            async with raw_body_reserved_in_budget(request, self._limits, self._budget) as body:
                with self._occupied_queue_slot():
                    call = partial(self._run_model_on_request_body, model, body, request.headers)
                    (text, size), rows, seconds = await self._run_in_worker(call)
            response = _InferenceResponse(text, size, self._budget)
            status = 200
            return response
        except RequestError as error:
            status = error.status
            return _error_response(error)
        except ClientDisconnect:
            status = _CLIENT_CLOSED_REQUEST
            return Response(status_code=_CLIENT_CLOSED_REQUEST)
        except asyncio.CancelledError:  # the server shuts down; the time to finish is over
            status = 503
            return _error_response(
                RequestError("the server is shutting down", 503, "shutting_down")
            )
        except OarlockError as error:
            return _error_response(RequestError(first_line_of_error(error), 500, "model_failed"))
        finally:
            if model is not None:
                model.statistics.add(status == 200, time.perf_counter() - started, rows)
                self._metrics.add(model.name, status, seconds)

    def _check_queue_not_full(self) -> None:
        if self._num_active >= self._limits.workers + self._limits.queue:
            raise RequestError("the request queue is full", 503)

    @contextmanager
    def _occupied_queue_slot(self) -> Iterator[None]:
        """Context manager that occupies a slot of the queue while a request waits for the model and
        runs. A request occupies no slot while its body is still being received.
        """
        self._check_queue_not_full()
        self._num_active += 1
        self._metrics.waiting.set(self._num_active)
        try:
            yield
        finally:
            self._num_active -= 1
            self._metrics.waiting.set(self._num_active)

    def _run_model_on_request_body(
        self, model: ServedModel, body: bytes, headers: Mapping[str, str]
    ) -> tuple[Any, int, float]:
        """Decode a request body, run the model, and encode the response. Returns the response, the
        number of samples, and the seconds that the model ran.
        """
        body = decompress(body, headers.get("content-encoding", "identity"), self._limits.bytes)
        request = parse_request(body, headers.get(_HEADER_LENGTH_HEADER), model.inputs)
        started = time.perf_counter()
        return (
            model.infer_and_encode_response(request),
            num_samples(request),
            time.perf_counter() - started,
        )

    async def _run_in_worker(self, call: Callable[[], Any]) -> Any:
        """Run a call in a worker thread, so that it does not block the event loop."""
        if self._workers is None:
            self._workers = anyio.CapacityLimiter(self._limits.workers)
        return await anyio.to_thread.run_sync(call, limiter=self._workers)


class _LimitConnections:
    """Middleware that rejects requests while the server has too many connections."""

    def __init__(self, app: ASGIApp, num_connections: Callable[[], int]) -> None:
        self._app, self._num_connections = app, num_connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        app = self._app
        if self._num_connections() > _MAX_CONNECTIONS:
            app = _error_response(RequestError("the server has too many connections", 503))
            app.headers["Connection"] = "close"
        await app(scope, receive, send)


class _RejectAmbiguousLength:
    """Middleware that rejects a request with both Content-Length and Transfer-Encoding, because a
    proxy may take another length for such a request (request smuggling).
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        app = self._app
        if {b"content-length", b"transfer-encoding"} <= {
            name for name, _ in scope.get("headers", ())
        }:
            app = _error_response(
                RequestError("the request has both Content-Length and Transfer-Encoding")
            )
            app.headers["Connection"] = "close"
        await app(scope, receive, send)


class _InferenceResponse(Response):
    """A response that is sent in parts. The next part is sent after the client has accepted the
    previous one. The bytes of the response are reserved in the memory budget until the last part is
    sent.

    size: the length of the JSON if binary tensors follow. Raises RequestError (503) if the budget
    is exhausted.
    """

    def __init__(self, text: bytes, size: int | None, budget: RequestMemoryBudget) -> None:
        is_json = size is None
        super().__init__(
            text,
            media_type="application/json" if is_json else "application/octet-stream",
            headers={} if is_json else {_HEADER_LENGTH_HEADER: str(size)},
        )
        budget.reserve(len(text))
        self._budget = budget

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the response (ASGI)."""
        size = len(self.body)
        try:
            await send(
                {
                    "type": "http.response.start",
                    "status": self.status_code,
                    "headers": self.raw_headers,
                }
            )
            for start in range(0, max(size, 1), _RESPONSE_PART_SIZE):
                end = start + _RESPONSE_PART_SIZE
                part = bytes(self.body[start:end])
                await send({"type": "http.response.body", "body": part, "more_body": end < size})
                if end < size:
                    await asyncio.sleep(0)  # let other requests and a lost connection be handled
        finally:
            self._budget.release(size)


def error_body(error: RequestError, id: str) -> bytes:
    """Return the JSON body of an error response.  id: of the request"""
    # json.dumps escapes non-ASCII: input names of a client may contain lone surrogates
    message = {"error": str(error)[:_MAX_ERROR_LENGTH], "code": error.code, "request_id": id}
    return json.dumps(message).encode()


def invalid_http_response_parts() -> tuple[list[tuple[bytes, bytes]], bytes, str]:
    """Return headers and body of the response to a request that is not valid HTTP, and the id of
    the request.
    """
    id = new_request_id()
    body = error_body(RequestError("the request is not valid HTTP"), id)
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        (REQUEST_ID_HEADER.lower().encode(), id.encode()),
    ]
    return headers, body, id


def _error_response(error: RequestError) -> Response:
    # The connection is closed after an incomplete body, because it cannot carry another request.
    headers = {503: {"Retry-After": "1"}, 408: {"Connection": "close"}}.get(error.status)
    return Response(error_body(error, request_id()), error.status, headers, "application/json")


async def _handle_http_exception(request: Request, error: Exception) -> Response:
    """Return errors of routing (unknown path or method) in the form of other errors."""
    assert isinstance(error, HTTPException)
    path = request.url.path[:100]
    messages = {
        404: f"there is no path {path}",
        405: f"the path {path} does not support the method {request.method}",
    }
    text = messages.get(error.status_code, error.detail)
    response = _error_response(RequestError(text, error.status_code))
    response.headers.update(error.headers or {})
    return response


async def _handle_internal_error(request: Request, error: Exception) -> Response:
    """Return status 500 without details; the server logs the exception."""
    return _error_response(
        RequestError("internal server error; see the server's log", 500, "internal_error")
    )


def _model_statistics(model: ServedModel) -> dict[str, Any]:
    statistics = model.statistics
    empty = {"count": 0, "ns": 0}
    success = {"count": statistics.success, "ns": statistics.success_ns}
    return {
        "name": model.name,
        "version": "1",
        "last_inference": statistics.last_ms,
        "inference_count": statistics.rows,
        "execution_count": statistics.success,
        "inference_stats": {
            "success": success,
            "fail": {"count": statistics.fail, "ns": statistics.fail_ns},
            "queue": empty,
            "compute_input": empty,
            "compute_infer": success,
            "compute_output": empty,
            "cache_hit": empty,
            "cache_miss": empty,
        },
        "batch_stats": [],
    }
