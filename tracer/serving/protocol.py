"""Requests and answers of the Open Inference Protocol v2: JSON, with tensors in it or in binary
form behind it.

https://github.com/kserve/open-inference-protocol and Triton's extension for binary tensors.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import OarlockError
from .datatypes import Datatype

Array = np.ndarray[Any, Any]
_MOST_AXES = 32
_MOST_DIGITS = 18  # of a size
_NUMBERS = {list, int, float, bool}
_AT_ONCE = 10_000  # numbers that become text


class RequestError(OarlockError, ValueError):
    """A request that makes no sense, or that this server does not take.   status: of HTTP"""

    def __init__(self, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.status = status


@dataclass
class Request:
    """What a client wants.

    outputs: name -> whether in binary form; all of them, in the form `binary`, for none
    """

    id: str
    feeds: dict[str, Array]
    outputs: dict[str, bool] = field(default_factory=dict)
    binary: bool = False


@dataclass
class Cursor:
    """Binary tensors behind the JSON, taken one after the other."""

    data: memoryview
    at: int = 0

    def take(self, size: int, name: str) -> memoryview:
        """The next `size` bytes."""
        if size > len(self.data) - self.at:
            raise RequestError(
                f"input '{name}': {size} bytes of data are announced, "
                f"{len(self.data) - self.at} are left"
            )
        found = self.data[self.at : self.at + size]
        self.at += size
        return found


def request_of(body: bytes, header_length: str | None, inputs: Mapping[str, Datatype]) -> Request:
    """A body as a request.

    header_length: Inference-Header-Content-Length; inputs: those of the model.
    Raises RequestError.
    """
    size = _header_size(header_length, len(body))
    said = _parsed(body[:size])
    cursor = Cursor(memoryview(body)[size:])
    feeds: dict[str, Array] = {}
    for item in _list(said, "inputs"):
        name = _text(item, "name")
        if name not in inputs or name in feeds:
            raise RequestError(
                f"input '{name}' is given twice"
                if name in feeds
                else f"input '{name}' is not one of {list(inputs)}"
            )
        feeds[name] = _tensor(item, name, inputs[name], cursor)
    missing = [name for name in inputs if name not in feeds]
    if missing:
        raise RequestError(f"inputs {missing} are missing")
    if cursor.at != len(cursor.data):
        raise RequestError(f"{len(cursor.data) - cursor.at} bytes are left behind the inputs")
    wanted = {
        _text(o, "name"): _flag(_offered(o), "binary_data")
        for o in _list(said, "outputs", needed=False)
    }
    return Request(str(said.get("id") or ""), feeds, wanted, _flag(said, "binary_data_output"))


def _offered(output: dict[str, Any]) -> dict[str, Any]:
    """An output that is asked for.

    Raises RequestError for a form of it that this server has not.
    """
    for form, what in (
        ("shared_memory_region", "shared memory"),
        ("classification", "classification"),
    ):
        if _parameters(output).get(form):
            raise RequestError(f"output '{_text(output, 'name')}': there is no {what} here", 501)
    return output


def _header_size(said: str | None, size: int) -> int:
    if said is None:
        return size
    if not said.isdecimal() or len(said) > _MOST_DIGITS or int(said) > size:
        raise RequestError(
            f"Inference-Header-Content-Length: {said[:40]} for a body of {size} bytes"
        )
    return int(said)


def _parsed(text: bytes) -> dict[str, Any]:
    try:
        said = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body is not valid JSON: {str(error)[:200]}") from None
    if not isinstance(said, dict):
        raise RequestError("the body is not a JSON object")
    return said


def _list(said: Mapping[str, Any], name: str, needed: bool = True) -> list[dict[str, Any]]:
    found = said.get(name, None if needed else [])
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise RequestError(f"'{name}' has to be a list of objects")
    return found


def _text(item: Mapping[str, Any], key: str) -> str:
    found = item.get(key)
    if not isinstance(found, str):
        raise RequestError(f"'{key}' has to be a string")
    return found


def _parameters(item: Mapping[str, Any]) -> dict[str, Any]:
    found = item.get("parameters", {})
    if not isinstance(found, dict):
        raise RequestError("'parameters' has to be an object")
    return found


def _flag(item: Mapping[str, Any], name: str) -> bool:
    return _parameters(item).get(name, False) is True


def _shape(item: Mapping[str, Any], name: str) -> list[int]:
    shape = item.get("shape")
    whole = isinstance(shape, list) and all(type(d) is int and 0 <= d < 2**63 for d in shape)
    if not whole or len(shape) > _MOST_AXES:  # type: ignore[arg-type]
        raise RequestError(f"input '{name}': the shape has to be a list of sizes")
    return list(shape)  # type: ignore[arg-type]


def _tensor(item: Mapping[str, Any], name: str, wanted: Datatype, cursor: Cursor) -> Array:
    if item.get("datatype") != wanted.protocol:
        raise RequestError(
            f"input '{name}': datatype {str(item.get('datatype'))[:20]}, the model requires "
            f"{wanted.protocol}"
        )
    shape = _shape(item, name)
    if "shared_memory_region" in _parameters(item):
        raise RequestError(f"input '{name}': there is no shared memory here", 501)
    size = _parameters(item).get("binary_data_size")
    if size is not None:
        return _binary(size, name, wanted, shape, cursor)
    return _numbers(item.get("data"), name, wanted, shape)


def _binary(size: Any, name: str, wanted: Datatype, shape: list[int], cursor: Cursor) -> Array:
    if type(size) is not int or size < 0 or size != math.prod(shape) * wanted.np.itemsize:
        raise RequestError(
            f"input '{name}': binary_data_size {str(size)[:20]} for {wanted.protocol}{shape}"
        )
    data = cursor.take(size, name)
    if wanted.np.kind == "b":  # Bytes other than 0 and 1 would be invalid bools.
        return _shaped(np.frombuffer(data, np.uint8) != 0, shape, name)
    return _shaped(np.frombuffer(data, dtype=wanted.np), shape, name)


def _shaped(array: Array, shape: list[int], name: str) -> Array:
    """Numbers of the right count in a shape.

    Raises RequestError for one of no numbers that no array can have.
    """
    try:
        return array.reshape(shape)
    except ValueError:
        raise RequestError(f"input '{name}': no array has the shape {shape}") from None


def _numbers(data: Any, name: str, wanted: Datatype, shape: list[int]) -> Array:
    """A tensor of JSON's numbers, in rows or in one list.

    Raises RequestError for numbers that the dtype does not hold.
    """
    if not wanted.in_json:
        raise RequestError(f"input '{name}': {wanted.protocol} travels in binary form only")
    # NumPy would make every text as long as the longest of them.
    kinds = {"b": "b", "f": "iuf"}.get(wanted.np.kind, "iu")
    numbers = isinstance(data, list) and _only_numbers(data)
    try:
        held = np.array(data if numbers else None)
    except ValueError:
        raise RequestError(f"input '{name}': the rows of its data differ in length") from None
    if not numbers or (held.size and held.dtype.kind not in kinds):
        raise RequestError(f"input '{name}': its data are no numbers of {wanted.protocol}")
    if held.size != math.prod(shape):
        raise RequestError(f"input '{name}': {held.size} numbers for the shape {shape}")
    with np.errstate(over="ignore"):
        made = held.astype(wanted.np)
    kept = (
        np.array_equal(np.isinf(made), np.isinf(held))
        if wanted.np.kind == "f"
        else np.array_equal(made, held)
    )
    if not kept:
        raise RequestError(f"input '{name}': a number is too large for {wanted.protocol}")
    return _shaped(made, shape, name)


def _only_numbers(data: list[Any]) -> bool:
    """Whether nested lists hold nothing but numbers and truth values."""
    todo = [data]
    while todo:
        kinds = set(map(type, row := todo.pop()))
        if not kinds <= _NUMBERS:
            return False
        if list in kinds:
            todo.extend(item for item in row if type(item) is list)
    return True


def answer(
    model: str, request: Request, results: Sequence[tuple[str, Datatype, Array]]
) -> tuple[bytes, int | None]:
    """The body of an answer, and how long its JSON is where binary tensors follow.

    results: name, dtype, values.
    """
    described: list[str] = []
    behind: list[bytes] = []
    for name, datatype, array in results:
        entry: dict[str, Any] = {
            "name": name,
            "datatype": datatype.protocol,
            "shape": list(array.shape),
        }
        if request.outputs.get(name, request.binary):
            data = np.ascontiguousarray(array, dtype=datatype.np).tobytes()
            entry["parameters"] = {"binary_data_size": len(data)}
            behind.append(data)
            described.append(_text_of(entry))
        else:
            described.append(f'{_text_of(entry)[:-1]},"data":[{_listed(array, name, datatype)}]}}')
    said = ({"id": request.id} if request.id else {}) | {"model_name": model, "model_version": "1"}
    text = f'{_text_of(said)[:-1]},"outputs":[{",".join(described)}]}}'.encode()
    return (text + b"".join(behind), len(text)) if behind else (text, None)


def _text_of(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _listed(array: Array, name: str, datatype: Datatype) -> str:
    """Numbers with commas between them, some after the other: other threads have their turn, and a
    list of millions takes a fifth of the time.
    """
    if not datatype.in_json:
        raise RequestError(f"output '{name}': {datatype.protocol} travels in binary form only")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise RequestError(
            f"output '{name}' holds numbers that JSON has not; ask for it in binary form"
        )
    flat = array.reshape(-1)
    return ",".join(
        _text_of(flat[i : i + _AT_ONCE].tolist())[1:-1] for i in range(0, flat.size, _AT_ONCE)
    )
