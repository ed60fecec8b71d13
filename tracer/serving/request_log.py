"""Request ids and the access log of the server."""

from __future__ import annotations

import logging
import re
import time
import uuid
from collections.abc import Mapping
from contextvars import ContextVar

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..core.log import log_with_fields, utc_timestamp

REQUEST_ID_HEADER = "X-Request-Id"
_VALID_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")  # others could forge log entries
_MAX_LOGGED_PATH = 500
_access_log = logging.getLogger("oarlock.access")
_server_log = logging.getLogger("oarlock.server")
_current_request_id: ContextVar[str] = ContextVar("oarlock_request_id", default="")


def request_id() -> str:
    """Return the id of the request that is being handled."""
    return _current_request_id.get() or new_request_id()


def new_request_id() -> str:
    """Return a random id."""
    return uuid.uuid4().hex


def log_access(
    method: str, path: str, status: int, seconds: float, size: int, client: str, id: str
) -> None:
    """Write one entry of the access log.  size: bytes of the response body"""
    took = f"{seconds * 1e3:.1f} ms"
    log_with_fields(
        _access_log,
        logging.INFO,
        f'{utc_timestamp()} {client} "{method} {path}" {status} {took} {size} bytes id={id}',
        client=client,
        method=method,
        path=path,
        status=status,
        duration_ms=round(seconds * 1e3, 3),
        bytes=size,
        request_id=id,
    )


class RequestLog:
    """ASGI application around another one: assigns an id to each request, returns the id in the
    header X-Request-Id, and writes the access log. The id is the one that the client sent in this
    header, or a random one.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle a request (ASGI)."""
        id = _valid_client_request_id(dict(scope["headers"])) or new_request_id()
        _current_request_id.set(id)
        started, status, size = time.perf_counter(), 0, 0

        async def send_with_id(message: Message) -> None:
            nonlocal status, size
            if message["type"] == "http.response.start":
                status = message["status"]
                header = (REQUEST_ID_HEADER.lower().encode(), id.encode())
                message = {**message, "headers": [*message.get("headers", ()), header]}
            elif message["type"] == "http.response.body":
                size += len(message.get("body", b""))
            await send(message)

        try:
            await self._app(scope, receive, send_with_id)
        except Exception:
            if not status:
                raise
            # Starlette raises an error again after it has sent the response with status 500.
            _server_log.exception("request %s failed", id)
        finally:
            if _access_log.isEnabledFor(logging.INFO):
                # not decoded: %0A in a path must not become a line break of the log
                path = scope.get("raw_path", b"").decode("ascii", "replace")[:_MAX_LOGGED_PATH]
                client = (scope.get("client") or ("-",))[0]
                seconds = time.perf_counter() - started
                log_access(scope["method"], path, status, seconds, size, client, id)


def _valid_client_request_id(headers: Mapping[bytes, bytes]) -> str:
    id = headers.get(REQUEST_ID_HEADER.lower().encode(), b"").decode("latin-1")
    return id if _VALID_REQUEST_ID.fullmatch(id) else ""
