"""Bodies of requests: read up to a size, within a time, and unpacked up to the same size."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import anyio
from starlette.requests import Request

from .protocol import RequestError

_WINDOWS = {"gzip": 31, "deflate": 15}  # zlib's numbers for these forms


@dataclass(frozen=True)
class Limits:
    """What clients may ask of a server.

    bytes: of one request, also unpacked; memory: bytes of all requests together; seconds: to send a body; idle:
    seconds between two pieces of a body; workers: requests that run at once; queue: complete requests that wait
    """

    bytes: int = 64 << 20
    memory: int = 512 << 20
    seconds: float = 30.0
    idle: float = 5.0
    workers: int = 2
    queue: int = 64


class MemoryBudget:
    """The bytes that the bodies of all requests in memory have together, and their limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.used = 0

    def take(self, count: int) -> None:
        """Count `count` bytes more.  Raises RequestError (503) where that is over the limit."""
        if self.used + count > self._limit:
            raise RequestError("too many bytes of requests are in memory already", 503)
        self.used += count

    def give_back(self, count: int) -> None:
        """Count `count` bytes less."""
        self.used -= count


@asynccontextmanager
async def body_of(request: Request, limits: Limits, budget: MemoryBudget) -> AsyncIterator[bytes]:
    """Read the body of a request as it was sent; its bytes count in `budget` until the block ends.

    Bytes count when they arrive, not when a header announces them: a client that sends nothing takes nothing.
    Raises RequestError for a body that is too large (413), too slow (408) or over the budget (503).
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limits.bytes:
        raise RequestError(f"a request may have {limits.bytes} bytes, this one has {declared[:20]}", 413)
    body = bytearray()
    counted = 0
    chunks = request.stream()
    try:
        with _timeout(limits.seconds):
            while True:
                with _timeout(limits.idle):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                if len(body) + len(chunk) > limits.bytes:
                    raise RequestError(f"a request may have {limits.bytes} bytes", 413)
                budget.take(len(chunk))
                counted += len(chunk)
                body += chunk
        yield bytes(body)
    finally:
        budget.give_back(counted)


@contextmanager
def _timeout(seconds: float) -> Iterator[None]:
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError:
        raise RequestError(f"no more of the request arrived within {seconds:g} s", 408) from None


def unpacked(body: bytes, form: str, most: int) -> bytes:
    """A body without its Content-Encoding.   Raises RequestError, also where it would be larger than `most`."""
    if form == "identity":
        return body
    if form not in _WINDOWS:
        raise RequestError(f"Content-Encoding {form[:20]} is none of {', '.join(_WINDOWS)}", 415)
    machine = zlib.decompressobj(_WINDOWS[form])
    try:
        found = machine.decompress(body, most + 1)
    except zlib.error:
        raise RequestError(f"the body is no {form} data") from None
    if len(found) > most:
        raise RequestError(f"a request may have {most} bytes unpacked", 413)
    if not machine.eof:
        raise RequestError(f"the {form} data end too early")
    return found
