"""Write plain data as a pickle with deterministic bytes.

The memo of the pickle format is not used, so that bytes do not depend on the identity of equal
strings. Arrays refer to `numpy.core.multiarray`, which every version of NumPy can read; NumPy
before 1.26 cannot read pickles that NumPy 2 writes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..core.cuda import to_host
from ..core.dtype import bfloat16
from ..core.errors import OpError

Chunk = bytes | memoryview

MAX_DEPTH = 100  # largest depth of nested containers
_PLAIN_DTYPE_KINDS = "biufcSU"  # kinds of dtypes without object references
_RECONSTRUCT_OPCODES = b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\n"


def is_tensor(obj: Any) -> bool:
    """Whether `obj` is a tensor. The function tests attributes instead of the class, so that this
    module does not import the eager runtime.
    """
    return (
        hasattr(obj, "array") and hasattr(obj, "name") and not isinstance(obj, (np.ndarray, type))
    )


def iter_pickle_chunks(obj: Any, protocol: int = 4) -> Iterator[Chunk]:
    """Yield a pickle of `obj` in chunks. Raises OpError for an unsupported value; the message
    states where in `obj` the value is.

    protocol: 2, 3 or 4.

    Supported are None, bool, int, float, complex, str, bytes, list, tuple, dict, NumPy arrays and
    scalars, and tensors. A tensor is written as a call of `tuple` with its name and array, as in
    Paddle; bfloat16 is written as uint16.
    """
    if protocol not in (2, 3, 4):
        raise OpError(f"save: protocol must be 2, 3 or 4, not {protocol!r}")
    yield b"\x80" + bytes([protocol])
    yield from _PickleEncoder(protocol).iter_value_chunks(obj, "", 0)
    yield b"."


def dumps(obj: Any, protocol: int = 4) -> bytes:
    """Return a pickle of `obj`; see `iter_pickle_chunks`."""
    return b"".join(iter_pickle_chunks(obj, protocol))


def _encode_str(value: str) -> bytes:
    data = value.encode("utf-8", "surrogatepass")
    return b"X" + struct.pack("<I", len(data)) + data


def _encode_int(value: int) -> bytes:
    if -(1 << 31) <= value < 1 << 31:
        if 0 <= value < 256:
            return b"K" + bytes([value])
        return b"J" + struct.pack("<i", value)
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return (
        b"\x8a" + bytes([len(data)]) if len(data) < 256 else b"\x8b" + struct.pack("<i", len(data))
    ) + data


def _encode_float(value: float) -> bytes:
    return b"G" + struct.pack(">d", value)


class _PickleEncoder:
    """Encodes values as opcodes; each kind of value has a generator of chunks.

    location: of the current value, for errors.
    """

    def __init__(self, protocol: int) -> None:
        self.protocol = protocol

    def iter_value_chunks(self, obj: Any, location: str, depth: int) -> Iterator[Chunk]:
        if depth > MAX_DEPTH:
            raise OpError(
                f"save: {location[:80]}... is nested more than {MAX_DEPTH} deep, or holds itself"
            )
        if isinstance(obj, dict):
            yield from self._iter_dict_chunks(obj, location, depth)
        elif isinstance(obj, (list, tuple)):
            yield from self._iter_sequence_chunks(obj, location, depth)
        elif isinstance(obj, np.ndarray):
            yield from self._iter_array_chunks(obj, location)
        elif isinstance(obj, np.generic) and not isinstance(obj, (str, bytes, float)):
            yield from self._iter_numpy_scalar_chunks(obj, location)
        elif is_tensor(obj):
            yield b"cbuiltins\ntuple\n" if self.protocol > 2 else b"c__builtin__\ntuple\n"
            yield _encode_str(obj.name)
            yield from self._iter_array_chunks(np.asarray(to_host(obj.array)), location)
            yield b"\x86\x85R"
        else:
            yield from self._iter_plain_value_chunks(obj, location)

    def _iter_plain_value_chunks(self, obj: Any, location: str) -> Iterator[Chunk]:
        if obj is None:
            yield b"N"
        elif isinstance(obj, bool):
            yield b"\x88" if obj else b"\x89"
        elif isinstance(obj, int):
            yield _encode_int(int(obj))
        elif isinstance(obj, float):
            yield _encode_float(obj)
        elif isinstance(obj, complex):
            name = b"builtins" if self.protocol > 2 else b"__builtin__"
            yield (
                b"c"
                + name
                + b"\ncomplex\n"
                + _encode_float(obj.real)
                + _encode_float(obj.imag)
                + b"\x86R"
            )
        elif isinstance(obj, str):
            yield _encode_str(obj)
        elif isinstance(obj, bytes):
            yield from self._iter_bytes_chunks(memoryview(obj))
        else:
            kind = type(obj)
            hint = "; save its state_dict() instead" if hasattr(obj, "state_dict") else ""
            type_name = f"{kind.__module__}.{kind.__qualname__}"
            raise OpError(
                f"save: {location or 'the object'} is a {type_name}, which is not plain data{hint}"
            )

    def _iter_bytes_chunks(self, data: memoryview) -> Iterator[Chunk]:
        if (
            self.protocol == 2
        ):  # protocol 2 has no bytes: Python 3 reads this as bytes, Python 2 as str
            yield (
                b"c_codecs\nencode\n"
                + _encode_str(str(data, "latin1"))
                + _encode_str("latin1")
                + b"\x86R"
            )
            return
        if data.nbytes < 1 << 32:
            yield b"B" + struct.pack("<I", data.nbytes)
        elif self.protocol >= 4:
            yield b"\x8e" + struct.pack("<Q", data.nbytes)
        else:
            raise OpError(f"save: {data.nbytes} bytes in one piece need protocol 4")
        yield data

    def _iter_dict_chunks(self, obj: dict[Any, Any], location: str, depth: int) -> Iterator[Chunk]:
        yield b"}("
        for key, value in obj.items():
            inner = f"{location}[{key!r}]"
            if not isinstance(key, (str, int, float, bytes, tuple, type(None))):
                raise OpError(f"save: the key of {inner} is not plain data")
            yield from self.iter_value_chunks(key, f"the key of {inner}", depth + 1)
            yield from self.iter_value_chunks(value, inner, depth + 1)
        yield b"u"

    def _iter_sequence_chunks(
        self, obj: list[Any] | tuple[Any, ...], location: str, depth: int
    ) -> Iterator[Chunk]:
        yield b"](" if isinstance(obj, list) else b"("
        for i, value in enumerate(obj):
            yield from self.iter_value_chunks(value, f"{location}[{i}]", depth + 1)
        yield b"e" if isinstance(obj, list) else b"t"

    def _encode_dtype(self, dtype: np.dtype[Any], location: str) -> bytes:
        if dtype.kind not in _PLAIN_DTYPE_KINDS:
            raise OpError(
                f"save: {location or 'the object'} is an array of {dtype}, which is not plain data"
            )
        order = "|" if dtype.itemsize == 1 or dtype.kind == "S" else "<"
        size = dtype.itemsize if dtype.kind in "SU" else -1
        align = {"S": 1, "U": 4}.get(dtype.kind, -1)
        result = b"cnumpy\ndtype\n" + _encode_str(dtype.str[1:]) + b"\x89\x88\x87R"
        return (
            result
            + b"(K\x03"
            + _encode_str(order)
            + b"NNN"
            + _encode_int(size)
            + _encode_int(align)
            + b"K\x00tb"
        )

    def _iter_array_chunks(self, array: np.ndarray[Any, Any], location: str) -> Iterator[Chunk]:
        if array.dtype == bfloat16.np:
            array = array.view(np.uint16)
        shape, kind = array.shape, self._encode_dtype(array.dtype, location)
        array = np.asarray(array, order="C")
        if array.dtype.byteorder == ">":
            array = array.astype(array.dtype.newbyteorder("<"))
        flat = array.reshape(-1)
        yield _RECONSTRUCT_OPCODES + b"K\x00\x85"
        yield from self._iter_bytes_chunks(memoryview(b"b"))
        yield b"\x87R(K\x01(" + b"".join(map(_encode_int, shape)) + b"t" + kind + b"\x89"
        yield from self._iter_bytes_chunks(
            flat.view(np.uint8).data if flat.nbytes else memoryview(b"")
        )
        yield b"tb"

    def _iter_numpy_scalar_chunks(self, scalar: np.generic, location: str) -> Iterator[Chunk]:
        if scalar.dtype == bfloat16.np:
            scalar = scalar.view(np.uint16)
        yield b"cnumpy.core.multiarray\nscalar\n" + self._encode_dtype(scalar.dtype, location)
        yield from self._iter_bytes_chunks(memoryview(scalar.tobytes()))
        yield b"\x86R"
