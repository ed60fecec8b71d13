"""Requests and responses of the Open Inference Protocol v2: JSON that contains tensors, or is
followed by binary tensors.

https://github.com/kserve/open-inference-protocol and Triton's binary tensor data extension.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..core.errors import OarlockError
from .datatypes import TensorDatatype

Array = np.ndarray[Any, Any]
_MAX_RANK = 32
_MAX_DIGITS = 18  # largest number of digits of the header Inference-Header-Content-Length
_NUMBER_TYPES = {list, int, float, bool}
_CHUNK_SIZE = 10_000  # numbers per call of json.dumps


# The codes of errors that the server returns, and what they mean. Clients may depend on them.
ERROR_CODES = {
    "invalid_request": "The request is not valid HTTP, JSON or tensors for the model.",
    "guard_violated": "The inputs violate an assumption under which the model was saved.",
    "not_found": "The path does not exist.",
    "model_not_found": "The server has no model of this name and version.",
    "method_not_allowed": "The path does not support the HTTP method; see the header Allow.",
    "request_timeout": "The request body did not arrive in time.",
    "request_too_large": "The request body exceeds the limit of the server.",
    "unsupported_encoding": "The server does not support the Content-Encoding of the request.",
    "model_failed": "The model could not compute the outputs.",
    "internal_error": "The server has an error; its log contains the request id.",
    "not_supported": "The server does not support this extension of the protocol.",
    "overloaded": "The server has too many requests; repeat the request later.",
    "shutting_down": "The server is shutting down.",
}
_CODE_OF_STATUS = {
    400: "invalid_request",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    413: "request_too_large",
    415: "unsupported_encoding",
    501: "not_supported",
    503: "overloaded",
}
_FOLDERS_OF_PATH = re.compile(r"(?<![\w.])/(?:[^\s/:'\"]+/)+")


class RequestError(OarlockError, ValueError):
    """Raised for a request that is invalid, or that the server does not accept.

    status: the HTTP status.
    code: a key of ERROR_CODES; by default the most general one for the status.
    """

    def __init__(self, message: str, status: int = 400, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code or _CODE_OF_STATUS.get(status, "internal_error")


def first_line_of_error(error: OarlockError) -> str:
    """Return the first line of an error message, with absolute paths shortened to file names. The
    further lines name source lines of the server and of the model, which clients must not see.
    """
    return _FOLDERS_OF_PATH.sub("", str(error).split("\n", 1)[0])


@dataclass
class Request:
    """A parsed inference request.

    outputs: name -> whether in binary form; empty: all outputs, in binary form if `binary`
    """

    id: str
    feeds: dict[str, Array]
    outputs: dict[str, bool] = field(default_factory=dict)
    binary: bool = False


@dataclass
class BinaryDataCursor:
    """Reads the binary tensors that follow the JSON in a request body, one after the other."""

    data: memoryview
    offset: int = 0

    def read(self, size: int, name: str) -> memoryview:
        """Return the next `size` bytes of the request body, which are the data of the input
        `name`.
        """
        if size > len(self.data) - self.offset:
            raise RequestError(
                f"input '{name}': binary_data_size is {size} bytes, but only "
                f"{len(self.data) - self.offset} bytes are left"
            )
        data = self.data[self.offset : self.offset + size]
        self.offset += size
        return data


def parse_request(
    body: bytes, header_length: str | None, inputs: Mapping[str, TensorDatatype]
) -> Request:
    """Parse and validate a request body.  Raises RequestError.

    header_length: value of the header Inference-Header-Content-Length.
    inputs: of the model.
    """
    size = _require_json_size_in_body(header_length, len(body))
    message = _parse_json(body[:size])
    cursor = BinaryDataCursor(memoryview(body)[size:])
    feeds: dict[str, Array] = {}
    for item in _require_object_list(message, "inputs"):
        name = _require_string_value(item, "name")
        if name not in inputs or name in feeds:
            raise RequestError(
                f"input '{name}' occurs twice"
                if name in feeds
                else f"input '{name}' is not one of {list(inputs)}"
            )
        feeds[name] = _parse_tensor(item, name, inputs[name], cursor)
    missing = [name for name in inputs if name not in feeds]
    if missing:
        raise RequestError(f"the inputs {missing} are missing")
    if cursor.offset != len(cursor.data):
        raise RequestError(
            f"{len(cursor.data) - cursor.offset} extra bytes follow the data of the inputs"
        )
    outputs = {
        _require_string_value(o, "name"): _is_parameter_true(
            _require_supported_output_request(o), "binary_data"
        )
        for o in _require_object_list(message, "outputs", required=False)
    }
    binary = _is_parameter_true(message, "binary_data_output")
    request_id = _require_string_value(message, "id") if message.get("id") is not None else ""
    return Request(request_id, feeds, outputs, binary)


def _require_supported_output_request(output: dict[str, Any]) -> dict[str, Any]:
    """Return a requested output. Raises RequestError for protocol extensions that the server does
    not support.
    """
    for parameter, extension in (
        ("shared_memory_region", "shared memory"),
        ("classification", "classification"),
    ):
        if _get_parameters(output).get(parameter):
            name = _require_string_value(output, "name")
            raise RequestError(f"output '{name}': {extension} is not supported", 501)
    return output


def _require_json_size_in_body(length: str | None, size: int) -> int:
    if length is None:
        return size
    if not length.isdecimal() or len(length) > _MAX_DIGITS or int(length) > size:
        raise RequestError(
            f"Inference-Header-Content-Length is {length[:40]}, but the body has {size} bytes"
        )
    return int(length)


def _parse_json(text: bytes) -> dict[str, Any]:
    try:
        message = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RequestError(f"the body is not valid JSON: {str(error)[:200]}") from None
    if not isinstance(message, dict):
        raise RequestError("the body is not a JSON object")
    return message


def _require_object_list(
    message: Mapping[str, Any], name: str, required: bool = True
) -> list[dict[str, Any]]:
    items = message.get(name, None if required else [])
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise RequestError(f"'{name}' must be a list of objects")
    return items


def _require_string_value(item: Mapping[str, Any], key: str) -> str:
    value = item.get(key)
    if not isinstance(value, str):
        raise RequestError(f"'{key}' must be a string")
    return value


def _get_parameters(item: Mapping[str, Any]) -> dict[str, Any]:
    parameters = item.get("parameters", {})
    if not isinstance(parameters, dict):
        raise RequestError("'parameters' must be an object")
    return parameters


def _is_parameter_true(item: Mapping[str, Any], name: str) -> bool:
    return _get_parameters(item).get(name, False) is True


def _require_valid_shape(item: Mapping[str, Any], name: str) -> list[int]:
    shape = item.get("shape")
    valid = isinstance(shape, list) and all(type(d) is int and 0 <= d < 2**63 for d in shape)
    if not valid or len(shape) > _MAX_RANK:  # type: ignore[arg-type]
        raise RequestError(f"input '{name}': the shape must be a list of at most {_MAX_RANK} sizes")
    return list(shape)  # type: ignore[arg-type]


def _parse_tensor(
    item: Mapping[str, Any], name: str, datatype: TensorDatatype, cursor: BinaryDataCursor
) -> Array:
    if item.get("datatype") != datatype.protocol:
        raise RequestError(
            f"input '{name}': datatype {str(item.get('datatype'))[:20]}, the model requires "
            f"{datatype.protocol}"
        )
    shape = _require_valid_shape(item, name)
    if "shared_memory_region" in _get_parameters(item):
        raise RequestError(f"input '{name}': shared memory is not supported", 501)
    size = _get_parameters(item).get("binary_data_size")
    if size is not None:
        return _parse_binary_data(size, name, datatype, shape, cursor)
    return _parse_json_data(item.get("data"), name, datatype, shape)


def _parse_binary_data(
    size: Any, name: str, datatype: TensorDatatype, shape: list[int], cursor: BinaryDataCursor
) -> Array:
    if type(size) is not int or size < 0 or size != math.prod(shape) * datatype.np.itemsize:
        raise RequestError(
            f"input '{name}': binary_data_size {str(size)[:20]} does not fit "
            f"{datatype.protocol}{shape}"
        )
    data = cursor.read(size, name)
    if datatype.np.kind == "b":  # Bytes other than 0 and 1 would be invalid bools.
        return _reshape(np.frombuffer(data, np.uint8) != 0, shape, name)
    return _reshape(np.frombuffer(data, dtype=datatype.np), shape, name)


def _reshape(array: Array, shape: list[int], name: str) -> Array:
    """Return an array reshaped to `shape`, which has the same number of elements.

    Raises RequestError for an empty array whose other sizes are too large for NumPy.
    """
    try:
        return array.reshape(shape)
    except ValueError:
        raise RequestError(f"input '{name}': the shape {shape} is too large") from None


def _parse_json_data(data: Any, name: str, datatype: TensorDatatype, shape: list[int]) -> Array:
    """Convert JSON numbers, in one list or nested lists, to an array.

    Raises RequestError for numbers that the dtype cannot represent.
    """
    if not datatype.in_json:
        raise RequestError(f"input '{name}': {datatype.protocol} requires the binary form")
    # The types are checked before the conversion, because NumPy would pad strings to the length of
    # the longest one.
    kinds = {"b": "b", "f": "iuf"}.get(datatype.np.kind, "iu")
    is_numeric = isinstance(data, list) and _has_only_numbers(data)
    try:
        parsed = np.array(data if is_numeric else None)
    except ValueError:
        raise RequestError(f"input '{name}': the rows of its data differ in length") from None
    if not is_numeric or (parsed.size and parsed.dtype.kind not in kinds):
        raise RequestError(f"input '{name}': its data are not numbers of {datatype.protocol}")
    if parsed.size != math.prod(shape):
        raise RequestError(f"input '{name}': {parsed.size} numbers for the shape {shape}")
    with np.errstate(over="ignore"):
        array = parsed.astype(datatype.np)
    is_exact = (
        np.array_equal(np.isinf(array), np.isinf(parsed))
        if datatype.np.kind == "f"
        else np.array_equal(array, parsed)
    )
    if not is_exact:
        raise RequestError(f"input '{name}': a number is too large for {datatype.protocol}")
    return _reshape(array, shape, name)


def _has_only_numbers(data: list[Any]) -> bool:
    """Return whether a list, nested or not, contains only numbers and bools."""
    stack = [data]
    while stack:
        types = set(map(type, row := stack.pop()))
        if not types <= _NUMBER_TYPES:
            return False
        if list in types:
            stack.extend(item for item in row if type(item) is list)
    return True


def encode_response(
    model: str, request: Request, results: Sequence[tuple[str, TensorDatatype, Array]]
) -> tuple[bytes, int | None]:
    """Encode a response. Returns the body of the response. If binary tensors follow the JSON in the
    body, also returns the length of the JSON, otherwise None.

    results: name, dtype and values of each output
    """
    entries: list[str] = []
    binary: list[bytes] = []
    for name, datatype, array in results:
        entry: dict[str, Any] = {
            "name": name,
            "datatype": datatype.protocol,
            "shape": list(array.shape),
        }
        if request.outputs.get(name, request.binary):
            data = np.ascontiguousarray(array, dtype=datatype.np).tobytes()
            entry["parameters"] = {"binary_data_size": len(data)}
            binary.append(data)
            entries.append(_to_compact_json(entry))
        else:
            numbers = _format_as_json_numbers(array, name, datatype)
            entries.append(f'{_to_compact_json(entry)[:-1]},"data":[{numbers}]}}')
    message = {"id": request.id} if request.id else {}
    message |= {"model_name": model, "model_version": "1"}
    text = f'{_to_compact_json(message)[:-1]},"outputs":[{",".join(entries)}]}}'.encode()
    return (text + b"".join(binary), len(text)) if binary else (text, None)


def _to_compact_json(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def _format_as_json_numbers(array: Array, name: str, datatype: TensorDatatype) -> str:
    """Format the elements as comma-separated JSON numbers. Raise RequestError for NaN, infinity and
    dtypes that the protocol does not allow in JSON.

    Conversion in chunks lets other threads run, and is five times faster for millions of numbers.
    """
    if not datatype.in_json:
        raise RequestError(f"output '{name}': {datatype.protocol} requires the binary form")
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        raise RequestError(
            f"output '{name}' contains NaN or infinity, which JSON lacks; request the binary form"
        )
    flat = array.reshape(-1)
    return ",".join(
        _to_compact_json(flat[i : i + _CHUNK_SIZE].tolist())[1:-1]
        for i in range(0, flat.size, _CHUNK_SIZE)
    )
