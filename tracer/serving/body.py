"""Bodies of requests: read up to a size, within a time, and unpacked up to the same size."""

from __future__ import annotations

import zlib

import anyio
from starlette.requests import Request

from .protocol import RequestError

_WINDOWS = {"gzip": 31, "deflate": 15}  # zlib's numbers for these forms


async def read_body(request: Request, most: int, seconds: float) -> bytes:
    """The whole body, as it was sent.   Raises RequestError for one that is too large (413) or too slow (408)."""
    said = request.headers.get("content-length", "")
    if said.isdecimal() and int(said) > most:
        raise RequestError(f"a request may have {most} bytes, this one has {said[:20]}", 413)
    found = bytearray()
    try:
        with anyio.fail_after(seconds):
            async for chunk in request.stream():
                found += chunk
                if len(found) > most:
                    raise RequestError(f"a request may have {most} bytes", 413)
    except TimeoutError:
        raise RequestError(f"the request was not here after {seconds:g} s", 408) from None
    return bytes(found)


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
