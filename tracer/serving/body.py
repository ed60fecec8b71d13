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
    """Limits on the requests that a server accepts.

    bytes: of one request body, also after decompression; memory: bytes of all request bodies
    together; seconds: time to send a body; idle: seconds between two chunks of a body; workers:
    requests that run at once; queue: complete requests that wait.
    """

    bytes: int = 64 << 20
    memory: int = 512 << 20
    seconds: float = 30.0
    idle: float = 5.0
    workers: int = 2
    queue: int = 64


class MemoryBudget:
    """The total size of all request bodies in memory, and its limit in bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.used = 0

    def take(self, count: int) -> None:
        """Reserve `count` bytes.  Raises RequestError (503) if the total would exceed the limit."""
        if self.used + count > self._limit:
            raise RequestError(
                "the memory limit for request bodies is reached; try again later", 503
            )
        self.used += count

    def give_back(self, count: int) -> None:
        """Release `count` bytes."""
        self.used -= count


@asynccontextmanager
async def body_of(request: Request, limits: Limits, budget: MemoryBudget) -> AsyncIterator[bytes]:
    """Read the raw body of a request; its bytes are reserved in `budget` until the block ends.

    Bytes are reserved when they arrive, not when the Content-Length header announces them.
    Raises RequestError for a body that is too large (413), too slow (408) or over the budget (503).
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limits.bytes:
        raise RequestError(
            f"a request may have {limits.bytes} bytes, this one has {declared[:20]}", 413
        )
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
        raise RequestError(
            f"the request body did not arrive in time (limit {seconds:g} s)", 408
        ) from None


def unpacked(body: bytes, form: str, most: int) -> bytes:
    """A body without its Content-Encoding.

    Raises RequestError, also where it would be larger than `most`.
    """
    if form == "identity":
        return body
    if form not in _WINDOWS:
        raise RequestError(f"Content-Encoding {form[:20]} is not one of {', '.join(_WINDOWS)}", 415)
    machine = zlib.decompressobj(_WINDOWS[form])
    try:
        found = machine.decompress(body, most + 1)
    except zlib.error:
        raise RequestError(f"the body is not a {form} data") from None
    if len(found) > most:
        raise RequestError(f"a request may have {most} bytes unpacked", 413)
    if not machine.eof:
        raise RequestError(f"the {form} data end too early")
    return found
