"""The server: uvicorn, with an end to every kind of waiting."""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import signal
import socket
import sys
from collections.abc import Iterator
from typing import Any

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..core.errors import OpError
from .app import App
from .body import Limits
from .served_model import Served

_MOST_CONNECTIONS = 512
_IDLE = 15.0  # seconds that a connection may stay open without a request
_STALLED = 15.0  # seconds in which a client must accept a chunk of its response
_FAREWELL = 30  # seconds that requests in progress get when the server is asked to stop
_HEADER_BYTES = 64 << 10


class Patient(H11Protocol):
    """uvicorn's connection, which also ends when the head of a request does not come in time, or
    when nobody takes the answer.
    """

    _head: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None
    _no_more = False  # the client has closed its side, and waits for the answer

    def connection_made(self, transport: Any) -> None:
        """Begin to wait."""
        super().connection_made(transport)
        self._await_head()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._await_head()  # before a request that is here already has its turn
        super().on_response_complete()
        if self._no_more and self.cycle.response_complete and not self.transport.is_closing():
            self.transport.close()

    def eof_received(self) -> bool | None:  # type: ignore[override]  # asyncio asks whether to stay, uvicorn always goes
        """The client sends no more: stay for the answer to a request that is here as a whole."""
        busy = self.cycle is not None and not self.cycle.response_complete
        self._no_more = busy and self.conn.their_state in (h11.DONE, h11.MUST_CLOSE)
        return self._no_more or None

    def _await_head(self) -> None:
        self._wait_no_longer()
        self._head = self.loop.call_later(_IDLE, self._too_late)

    def _wait_no_longer(self) -> None:
        if self._head is not None:
            self._head.cancel()

    def _too_late(self) -> None:
        if (self.cycle is None or self.cycle.response_complete) and not self.transport.is_closing():
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no longer."""
        self._wait_no_longer()
        self._taken()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """Close the connection if the client does not accept its response in time."""
        super().pause_writing()
        self._look_again(self.transport.get_write_buffer_size())

    def resume_writing(self) -> None:
        """It has."""
        self._taken()
        super().resume_writing()

    def _look_again(self, left: int) -> None:
        self._taken()
        self._taking = self.loop.call_later(_STALLED, self._look, left)

    def _look(self, before: int) -> None:
        left = self.transport.get_write_buffer_size()
        if left < before:
            self._look_again(left)
        else:
            self.transport.abort()

    def _taken(self) -> None:
        if self._taking is not None:
            self._taking.cancel()


class _Ending(uvicorn.Server):
    """uvicorn's server, for which the signal to end is the wish to end well: it is not raised again
    afterwards.
    """

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGINT and SIGTERM in the body."""
        numbers = (signal.SIGINT, signal.SIGTERM)
        before = [signal.signal(number, self.handle_exit) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)


def check_host(host: str, allow_remote: bool) -> None:
    """Raise OpError for an address that others can reach, unless that is wanted."""
    try:
        here = ipaddress.ip_address(host).is_loopback
    except ValueError:
        here = host == "localhost"
    if not here and not allow_remote:
        raise OpError(
            f"serve: {host} can be reached from other machines, and nothing here asks who "
            f"calls; --allow-remote says that this is meant"
        )


def serve(models: list[Served], host: str, port: int, limits: Limits) -> int:
    """Answer until a signal says to end.   Gives the exit code."""
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise OpError(f"serve: two models have one name ({', '.join(names)})")
    for model in models:
        model.warm_up()
    app = App({model.name: model for model in models}, limits).asgi()
    server = _Ending(
        uvicorn.Config(
            app,
            http=Patient,
            ws="none",
            lifespan="off",
            access_log=False,
            log_level="warning",
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_keep_alive=int(_IDLE),
            timeout_graceful_shutdown=_FAREWELL,
            h11_max_incomplete_event_size=_HEADER_BYTES,
        )
    )
    with _bound(host, port) as listening:
        here = f"http://{host}:{listening.getsockname()[1]}/v2"
        print(f"serving {', '.join(names)} at {here}", file=sys.stderr, flush=True)
        server.run(sockets=[listening])
    for model in models:
        # requests that did not finish in that time would keep the process alive
        model.engine.stop()
    return 0


def _bound(host: str, port: int) -> socket.socket:
    """A socket at an address.   Raises OSError, with the address, where that cannot be had."""
    try:
        family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        made = socket.socket(family, kind, proto)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(address)
    except OSError as error:
        raise OSError(f"serve: no listening at {host}:{port}: {error.strerror}") from None
    return made
