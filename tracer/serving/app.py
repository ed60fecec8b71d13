"""The routes of the Open Inference Protocol v2, with Triton's additions that its clients
ask for.
"""

from __future__ import annotations

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from ..core.errors import OarlockError
from ..core.version import VERSION
from .body import Limits, MemoryBudget, body_of, unpacked
from .metrics import Metrics
from .protocol import RequestError, request_of
from .served_model import Served, rows_of

_EXTENSIONS = ["binary_tensor_data", "model_configuration", "model_repository", "statistics"]
_HEADER = "Inference-Header-Content-Length"
_GONE = 499  # the status that web servers log if the client closed the connection
_MOST_WORDS = 2000  # characters of an error: it may list what the client sent


class App:
    """The answers.   models: by name"""

    def __init__(self, models: Mapping[str, Served], limits: Limits) -> None:
        self._models, self._limits = dict(models), limits
        self._metrics = Metrics()
        self._budget = MemoryBudget(limits.memory)
        self._in_hand = 0  # complete requests that wait or run
        self._workers: anyio.CapacityLimiter | None = None  # used in the event loop only

    def asgi(self) -> Starlette:
        """What a server of ASGI runs."""
        model = "/v2/models/{name}"
        routes = [
            Route("/v2", self._refusing(self._server)),
            Route("/v2/health/live", self._refusing(self._well)),
            Route("/v2/health/ready", self._refusing(self._well)),
            Route("/v2/repository/index", self._refusing(self._index), methods=["POST"]),
            Route("/v2/models/stats", self._refusing(self._all_statistics)),
            Route("/metrics", self._refusing(self._text)),
        ]
        for path in (model, model + "/versions/{version}"):
            routes += [
                Route(path, self._refusing(self._metadata)),
                Route(path + "/ready", self._refusing(self._is_ready)),
                Route(path + "/config", self._refusing(self._config)),
                Route(path + "/stats", self._refusing(self._statistics)),
                Route(path + "/infer", self._infer, methods=["POST"]),
            ]
        return Starlette(
            routes=routes,
            middleware=[Middleware(_OneLength)],
            exception_handlers={HTTPException: _no_route, Exception: _broken},
        )

    @staticmethod
    def _refusing(
        handler: Callable[[Request], Response],
    ) -> Callable[[Request], Awaitable[Response]]:
        async def guarded(request: Request) -> Response:
            try:
                return handler(request)
            except RequestError as error:
                return _refused(error)

        return guarded

    # -- server metadata
    # -------------------------------------------------------------------------------

    def _server(self, request: Request) -> Response:
        return JSONResponse({"name": "oarlock", "version": VERSION, "extensions": _EXTENSIONS})

    def _well(self, request: Request) -> Response:
        return Response()

    def _index(self, request: Request) -> Response:
        return JSONResponse(
            [{"name": name, "version": "1", "state": "READY"} for name in self._models]
        )

    def _text(self, request: Request) -> Response:
        self._metrics.body_bytes.set(self._budget.used)
        return Response(self._metrics.text(), media_type="text/plain; version=0.0.4")

    # -- model metadata
    # ------------------------------------------------------------------------------------

    def _model(self, request: Request) -> Served:
        name, version = request.path_params["name"], request.path_params.get("version", "1")
        if name not in self._models:
            raise RequestError(f"there is no model '{name[:100]}'", 404)
        if version != "1":
            raise RequestError(f"model '{name}' has the version 1 only", 404)
        return self._models[name]

    def _metadata(self, request: Request) -> Response:
        return JSONResponse(self._model(request).metadata())

    def _is_ready(self, request: Request) -> Response:
        self._model(request)
        return Response()

    def _config(self, request: Request) -> Response:
        return JSONResponse(self._model(request).config)

    def _statistics(self, request: Request) -> Response:
        return JSONResponse({"model_stats": [_statistics_of(self._model(request))]})

    def _all_statistics(self, request: Request) -> Response:
        return JSONResponse({"model_stats": [_statistics_of(m) for m in self._models.values()]})

    # -- inference
    # --------------------------------------------------------------------------

    async def _infer(self, request: Request) -> Response:
        started, status, rows = time.perf_counter(), 500, 1
        model: Served | None = None
        seconds: float | None = None
        try:
            model = self._model(request)
            self._check_queue()  # before reading a body that would be rejected
            async with body_of(request, self._limits, self._budget) as body:
                with self._queue_slot():
                    call = partial(self._answer, model, body, request.headers)
                    (text, size), rows, seconds = await self._run(call)
            status = 200
            return _answered(text, size)
        except RequestError as error:
            status = error.status
            return _refused(error)
        except ClientDisconnect:
            status = _GONE
            return Response(status_code=_GONE)
        except OarlockError as error:
            return _refused(RequestError(str(error), 500))
        finally:
            if model is not None:
                model.counts.add(status == 200, time.perf_counter() - started, rows)
                self._metrics.add(model.name, status, seconds)

    def _check_queue(self) -> None:
        if self._in_hand >= self._limits.workers + self._limits.queue:
            raise RequestError("the request queue is full", 503)

    @contextmanager
    def _queue_slot(self) -> Iterator[None]:
        """Occupy a queue slot while a request waits and runs. A request whose body is incomplete
        occupies no slot.
        """
        self._check_queue()
        self._in_hand += 1
        self._metrics.waiting.set(self._in_hand)
        try:
            yield
        finally:
            self._in_hand -= 1
            self._metrics.waiting.set(self._in_hand)

    def _answer(
        self, model: Served, body: bytes, headers: Mapping[str, str]
    ) -> tuple[Any, int, float]:
        """What a model says to a body: the answer, how many samples it was asked for, and its
        seconds.
        """
        whole = unpacked(body, headers.get("content-encoding", "identity"), self._limits.bytes)
        asked = request_of(whole, headers.get(_HEADER), model.inputs)
        started = time.perf_counter()
        return model.infer(asked), rows_of(asked), time.perf_counter() - started

    async def _run(self, call: Callable[[], Any]) -> Any:
        """What a call gives, in one of the threads that are there for it: nobody else waits while
        it computes.
        """
        if self._workers is None:
            self._workers = anyio.CapacityLimiter(self._limits.workers)
        return await anyio.to_thread.run_sync(call, limiter=self._workers)


class _OneLength:
    """Refuses a request that says in two ways how long it is: what stands in front of this server
    may believe the other one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """What a server of ASGI calls."""
        app = self._app
        if {b"content-length", b"transfer-encoding"} <= {
            name for name, _ in scope.get("headers", ())
        }:
            app = _refused(
                RequestError("a request has a Content-Length or a Transfer-Encoding, not both")
            )
            app.headers["Connection"] = "close"
        await app(scope, receive, send)


def _answered(text: bytes, size: int | None) -> Response:
    if size is None:
        return Response(text, media_type="application/json")
    return Response(text, media_type="application/octet-stream", headers={_HEADER: str(size)})


def _refused(error: RequestError) -> Response:
    # After an incomplete body the connection cannot carry another request.
    headers = {503: {"Retry-After": "1"}, 408: {"Connection": "close"}}.get(error.status)
    # in ASCII: what a client calls its inputs need not be text
    text = json.dumps({"error": str(error)[:_MOST_WORDS]})
    return Response(text, error.status, headers, "application/json")


async def _no_route(request: Request, error: Exception) -> Response:
    """No such path or method, said as all else is."""
    assert isinstance(error, HTTPException)
    answer = _refused(RequestError(error.detail, error.status_code))
    answer.headers.update(error.headers or {})
    return answer


async def _broken(request: Request, error: Exception) -> Response:
    """What should not happen: the server tells its own log what it was."""
    return _refused(RequestError("the server failed; its log says why", 500))


def _statistics_of(model: Served) -> dict[str, Any]:
    counts = model.counts
    empty = {"count": 0, "ns": 0}
    success = {"count": counts.success, "ns": counts.success_ns}
    return {
        "name": model.name,
        "version": "1",
        "last_inference": counts.last_ms,
        "inference_count": counts.rows,
        "execution_count": counts.success,
        "inference_stats": {
            "success": success,
            "fail": {"count": counts.fail, "ns": counts.fail_ns},
            "queue": empty,
            "compute_input": empty,
            "compute_infer": success,
            "compute_output": empty,
            "cache_hit": empty,
            "cache_miss": empty,
        },
        "batch_stats": [],
    }
