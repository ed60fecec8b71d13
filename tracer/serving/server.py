"""The HTTP server: uvicorn with timeouts for idle connections and stalled clients."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..core.errors import OpError
from ..core.log import writes_json
from .app import App, invalid_http_response_parts
from .request_body import RequestLimits
from .request_log import log_access
from .served_model import ServedModel

_IDLE_TIMEOUT = 15.0  # seconds that a connection may stay open without a complete request head
_WRITE_TIMEOUT = 15.0  # seconds in which a client must accept a chunk of its response
_SHUTDOWN_TIMEOUT = 30  # seconds in which running requests may finish after a stop signal
_MAX_HEADER_BYTES = 64 << 10


class TimeoutProtocol(H11Protocol):
    """The HTTP connection of uvicorn with two more timeouts: for the head of a request, and for the
    client to accept the response.
    """

    _idle_timer: asyncio.TimerHandle | None = None
    _write_timer: asyncio.TimerHandle | None = None
    _half_closed = False  # the client closed its side and waits for the response

    def connection_made(self, transport: Any) -> None:
        """Start the timer that closes an idle connection."""
        super().connection_made(transport)
        self._start_idle_timer()

    def on_response_complete(self) -> None:
        """Start the timer for idle connections again; close the connection if the client has closed
        its side.
        """
        self._start_idle_timer()  # first: the base class may start a pipelined request
        super().on_response_complete()
        if self._half_closed and self.cycle.response_complete and not self.transport.is_closing():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Send an error as JSON for a request that is not valid HTTP, and close the connection."""
        headers, body, id = invalid_http_response_parts()
        events = [h11.Response(status_code=400, headers=headers), h11.Data(body)]
        for event in [*events, h11.EndOfMessage()]:
            self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
        log_access("-", "-", 400, 0.0, len(body), (self.client or ("-",))[0], id)

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay, uvicorn always goes
        """Return True, which keeps the connection open, if the client closed its side after a
        complete request that is being answered.
        """
        busy = self.cycle is not None and not self.cycle.response_complete
        self._half_closed = busy and self.conn.their_state in (h11.DONE, h11.MUST_CLOSE)
        return self._half_closed or None

    def _start_idle_timer(self) -> None:
        self._cancel_idle_timer()
        self._idle_timer = self.loop.call_later(_IDLE_TIMEOUT, self._close_if_idle)

    def _cancel_idle_timer(self) -> None:
        if self._idle_timer is not None:
            self._idle_timer.cancel()

    def _close_if_idle(self) -> None:
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel all timers."""
        self._cancel_idle_timer()
        self._cancel_write_timer()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Called when the write buffer is full: start a timer, which closes the connection if the
        client does not accept the buffered response in time.
        """
        super().pause_writing()
        self._cancel_write_timer()
        self._write_timer = self.loop.call_later(_WRITE_TIMEOUT, self.transport.abort)

    def resume_writing(self) -> None:
        """Cancel the write timer."""
        self._cancel_write_timer()
        super().resume_writing()

    def _cancel_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()


class _ServerWithoutSignalReraise(uvicorn.Server):
    """The server of uvicorn, which does not raise SIGINT and SIGTERM again after the shutdown."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Context manager that handles SIGINT and SIGTERM in the body."""
        signals = (signal.SIGINT, signal.SIGTERM)
        previous = [signal.signal(number, self.handle_exit) for number in signals]
        try:
            yield
        finally:
            for number, handler in zip(signals, previous, strict=True):
                signal.signal(number, handler)


def check_bind_address_is_local_or_allowed(host: str, allow_remote: bool) -> None:
    """Raise OpError if other machines can reach the address `host` and `allow_remote` is False."""
    try:
        is_local = ipaddress.ip_address(host).is_loopback
    except ValueError:
        is_local = host == "localhost"
    if not is_local and not allow_remote:
        raise OpError(
            f"serve: {host} can be reached from other machines, and the server does not "
            f"authenticate clients; use --allow-remote to allow this"
        )


def serve(models: list[ServedModel], host: str, port: int, limits: RequestLimits) -> int:
    """Run the server until SIGINT or SIGTERM.  Returns the exit code."""
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise OpError(f"serve: two models have the same name ({', '.join(names)})")
    for model in models:
        model.warm_up()
    app = App({model.name: model for model in models}, limits).make_asgi_app(
        lambda: len(server.server_state.connections)
    )
    uvicorn_log = logging.getLogger("uvicorn")
    uvicorn_log.handlers, uvicorn_log.propagate = logging.getLogger("oarlock").handlers, False
    server = _ServerWithoutSignalReraise(
        uvicorn.Config(
            app,
            http=TimeoutProtocol,
            ws="none",
            lifespan="off",
            access_log=False,
            log_config=None,
            log_level="warning",
            server_header=False,
            timeout_keep_alive=int(_IDLE_TIMEOUT),
            timeout_graceful_shutdown=_SHUTDOWN_TIMEOUT,
            h11_max_incomplete_event_size=_MAX_HEADER_BYTES,
        )
    )
    with _bind_socket(host, port) as listener:
        url = f"http://{host}:{listener.getsockname()[1]}/v2"
        message = f"serving {', '.join(names)} at {url}"
        if writes_json():  # every line of standard error is JSON
            logging.getLogger("oarlock.server").info(message)
        else:
            print(message, file=sys.stderr, flush=True)
        server.run(sockets=[listener])
    for model in models:
        # requests that exceeded the shutdown timeout would keep the process alive
        model.engine.stop()
    return 0


def _bind_socket(host: str, port: int) -> socket.socket:
    """Return a socket that is bound to the address and port. Raises OSError with the address in the
    message if the socket cannot be bound.
    """
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, proto)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise OSError(f"serve: cannot listen at {host}:{port}: {error.strerror}") from None
    return listener
