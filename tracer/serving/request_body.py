"""Read and decompress request bodies within limits of size and time."""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import anyio
from starlette.requests import Request

from .protocol import RequestError

_WINDOW_BITS = {"gzip": 31, "deflate": 15}  # zlib's wbits of these formats
# Number of bytes of a gzip member that are decompressed first; each further slice of the member is
# twice as large. At the end of a member, zlib copies the rest of the slice. If every slice were the
# whole rest of the body, many small members would take quadratic time.
_FIRST_SLICE = 512


@dataclass(frozen=True)
class RequestLimits:
    """Limits on the requests that a server accepts.

    bytes: of one request body, also after decompression.
    memory: bytes of all request bodies and responses together.
    seconds: time to send a body.
    idle: seconds between two chunks of a body.
    workers: requests that run at once.
    queue: complete requests that wait.
    """

    bytes: int = 64 << 20
    memory: int = 512 << 20
    seconds: float = 30.0
    idle: float = 5.0
    workers: int = 2
    queue: int = 64


class RequestMemoryBudget:
    """Counts the bytes of all request bodies and responses in memory, and limits their sum."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.used = 0

    def reserve(self, count: int) -> None:
        """Reserve `count` bytes. Raises RequestError (503) if the sum of all reserved bytes would
        exceed the limit.
        """
        if self.used + count > self._limit:
            raise RequestError(
                "the memory limit for requests and responses is reached; try again later", 503
            )
        self.used += count

    def release(self, count: int) -> None:
        """Release `count` bytes."""
        self.used -= count


@asynccontextmanager
async def raw_body_reserved_in_budget(
    request: Request, limits: RequestLimits, budget: RequestMemoryBudget
) -> AsyncIterator[bytes]:
    """Read the raw body of a request; its bytes are reserved in `budget` until the block ends.

    Bytes are reserved when they arrive, not when the Content-Length header announces them.
    Raises RequestError for a body that is too large (413), too slow (408) or over the budget (503).
    """
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared) > limits.bytes:
        raise RequestError(
            f"the request has {declared[:20]} bytes; the limit is {limits.bytes} bytes", 413
        )
    body = bytearray()
    reserved = 0
    chunks = request.stream()
    try:
        with _failing_with_408_after(limits.seconds):
            while True:
                with _failing_with_408_after(limits.idle):
                    chunk = await anext(chunks, None)
                if chunk is None:
                    break
                if len(body) + len(chunk) > limits.bytes:
                    raise RequestError(
                        f"the request exceeds the limit of {limits.bytes} bytes", 413
                    )
                budget.reserve(len(chunk))
                reserved += len(chunk)
                body += chunk
        yield bytes(body)
    finally:
        budget.release(reserved)


@contextmanager
def _failing_with_408_after(seconds: float) -> Iterator[None]:
    try:
        with anyio.fail_after(seconds):
            yield
    except TimeoutError:
        raise RequestError(
            f"the request body did not arrive in time (limit {seconds:g} s)", 408
        ) from None


def decompress(body: bytes, encoding: str, max_bytes: int) -> bytes:
    """Decompress a request body by its Content-Encoding.

    Raises RequestError for invalid data, and if the result has more than `max_bytes` bytes.
    """
    encoding = encoding.strip().lower()
    if encoding == "identity":
        return body
    if encoding not in _WINDOW_BITS:
        raise RequestError(
            f"Content-Encoding {encoding[:20]} is not one of {', '.join(_WINDOW_BITS)}", 415
        )
    view, position, data = memoryview(body), 0, bytearray()
    while True:  # gzip data may have several members
        decompressor = zlib.decompressobj(_WINDOW_BITS[encoding])
        size = _FIRST_SLICE
        while not decompressor.eof:
            part = view[position : position + size]
            if not part:
                raise RequestError(f"the {encoding} data are truncated")
            try:
                data += decompressor.decompress(part, max_bytes + 1 - len(data))
            except zlib.error:
                raise RequestError(f"the body is not valid {encoding} data") from None
            if len(data) > max_bytes:
                raise RequestError(
                    f"the decompressed request exceeds the limit of {max_bytes} bytes", 413
                )
            position += len(part) - len(decompressor.unused_data)
            size *= 2
        if position == len(body):
            return bytes(data)
