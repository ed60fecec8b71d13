"""The names that a pickle of weights may refer to, and what each constructs. Python objects of
these names are never imported or called.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ..core.dtype import MAX_RANK
from .escape_text import escape_text

_MAX_NAME = 200  # maximum length of a name in an error message
Spend = Callable[[int], None]

# dtypes without object references
_PLAIN_DTYPE = re.compile(r"[<>=|]?(b1|\?|[iu][1248]|f[248]|c8|c16|[SU]\d{1,8})")


class RejectedPickle(Exception):
    """Raised for a pickle that refers to code or objects which no file of weights needs."""


class UnresolvedName:
    """A name in a pickle; nothing is imported for it."""

    def __init__(self, name: str) -> None:
        self.name = escape_text(name[:_MAX_NAME])


class _DType(UnresolvedName):
    """A dtype in a pickle. It is separate from NumPy's dtype objects, because a BUILD instruction
    could modify those.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        super().__init__("numpy.dtype")
        self.dtype = dtype


class _Dict(dict[Any, Any]):
    """Stands for `collections.OrderedDict`, which may be built with an empty state."""


def describe(value: Any) -> str:
    """Format a value for an error message, briefly and without recursion."""
    if isinstance(value, UnresolvedName):
        return value.name
    if isinstance(value, tuple):
        more = ", ..." if len(value) > 3 else ""
        return f"({', '.join(_short(part) for part in value[:3])}{more})"
    return _short(value)


def _short(value: Any) -> str:
    if isinstance(value, UnresolvedName):
        return value.name
    if isinstance(value, (str, bytes)):
        return f"{value[:60]!r}"
    return (
        repr(value)
        if isinstance(value, (float, bool, type(None)))
        else (f"{_article(value)} {type(value).__name__}")
    )


def _article(value: Any) -> str:
    return "an" if type(value).__name__[0] in "aeiou" else "a"


def _require(good: bool, what: str) -> None:
    if not good:
        raise RejectedPickle(f"{what} in a way that no file of weights does")


def _raw(data: Any) -> bytes:
    """Return the bytes of an array or scalar; pickles of Python 2 hold them as text."""
    return data.encode("latin1") if isinstance(data, str) else data


def _dtype(args: tuple[Any, ...], _: Spend) -> _DType:
    _require(1 <= len(args) <= 3, "calls numpy.dtype")
    if isinstance(args[0], UnresolvedName) and args[0].name == "ml_dtypes.bfloat16":
        return _DType(np.dtype(ml_dtypes.bfloat16))
    text = args[0].decode("ascii") if isinstance(args[0], bytes) else args[0]
    _require(isinstance(text, str), "calls numpy.dtype")
    if text == "bfloat16":
        return _DType(np.dtype(ml_dtypes.bfloat16))
    if not _PLAIN_DTYPE.fullmatch(text):
        raise RejectedPickle(f"holds an array of {text[:60]!r}, which is not plain data")
    return _DType(np.dtype(text))


def _build_dtype(target: _DType, state: Any) -> None:
    _require(
        isinstance(state, tuple) and 5 <= len(state) <= 9 and state[2:5] == (None, None, None),
        "builds numpy.dtype",
    )
    order = state[1].decode("ascii") if isinstance(state[1], bytes) else state[1]
    _require(order in ("<", ">", "|", "="), "builds numpy.dtype")
    if order in ("<", ">") and target.dtype.kind in "iufcU":
        target.dtype = target.dtype.newbyteorder(">" if order == ">" else "<")


def _reconstruct(args: tuple[Any, ...], _: Spend) -> np.ndarray[Any, Any]:
    _require(len(args) == 3 and isinstance(args[0], UnresolvedName), "makes an array")
    _require(args[0].name == "numpy.ndarray", "makes an array")
    return np.empty(0, np.uint8)


def _array_bytes(dtype: np.dtype[Any], shape: Any, data: Any, spend: Spend) -> bytes:
    """Return the bytes of an array after checking that their number matches the shape."""
    _require(
        isinstance(shape, tuple)
        and len(shape) <= MAX_RANK
        and isinstance(data, (bytes, bytearray)),
        "fills an array",
    )
    _require(all(type(n) is int and n >= 0 for n in shape), "fills an array")
    if math.prod(n or 1 for n in shape) >= 1 << 48 or math.prod(shape) * dtype.itemsize != len(
        data
    ):
        raise RejectedPickle(f"holds {len(data)} bytes for {dtype}{list(shape)}")
    spend(len(data))
    return bytes(data)


def _build_array(target: np.ndarray[Any, Any], state: Any, spend: Spend) -> None:
    _require(isinstance(state, tuple) and len(state) in (4, 5), "fills an array")
    shape, dtype, fortran, data = state[-4:]
    _require(isinstance(dtype, _DType), "fills an array")
    found = dtype.dtype
    data = _array_bytes(found, shape, _raw(data), spend)
    # The state is validated, so that NumPy's own method can use it: the array stays
    # the same object, to which other values of the pickle may refer.
    native = (
        np.frombuffer(data, found).astype(found.newbyteorder("=")).tobytes()
        if found.str[0] == ">"
        else data
    )
    state = (1, shape, found.newbyteorder("="), bool(fortran), native)
    target.__setstate__(state)


def _frombuffer(args: tuple[Any, ...], spend: Spend) -> np.ndarray[Any, Any]:
    _require(
        len(args) == 4 and isinstance(args[1], _DType) and args[3] in ("C", "F"), "makes an array"
    )
    data = _array_bytes(args[1].dtype, args[2], args[0], spend)
    found = np.frombuffer(data, args[1].dtype).reshape(args[2], order=args[3])
    return found.astype(args[1].dtype.newbyteorder("="), order="K")


def _scalar(args: tuple[Any, ...], spend: Spend) -> Any:
    _require(len(args) == 2 and isinstance(args[0], _DType), "makes a scalar")
    data = _array_bytes(args[0].dtype, (), _raw(args[1]), spend)
    return np.frombuffer(data, args[0].dtype)[0]


def _encode(args: tuple[Any, ...], spend: Spend) -> bytes:
    """Return the result of `_codecs.encode(text, 'latin1')`, with which protocol 2 of Python 3
    represents bytes.
    """
    _require(1 <= len(args) <= 2 and all(isinstance(arg, str) for arg in args), "encodes text")
    _require(args[1:] in ((), ("latin1",), ("latin-1",)), "encodes text")
    spend(len(args[0]))
    encoded: bytes = args[0].encode("latin1" if len(args) == 2 else "utf-8")
    return encoded


def _tuple(args: tuple[Any, ...], spend: Spend) -> tuple[Any, ...]:
    """Return a tuple of name and array, which represents a Paddle tensor."""
    _require(len(args) == 1 and isinstance(args[0], (tuple, list)), "makes a tuple")
    spend(len(args[0]))
    return tuple(args[0])


def _eval(args: tuple[Any, ...], _: Spend) -> Any:
    """Return the array of `eval('data', {'data': array})`, which represents a LoDTensor of Paddle.
    Only this exact call is accepted; nothing is evaluated.
    """
    if (
        len(args) == 2
        and args[0] == "data"
        and isinstance(args[1], dict)
        and list(args[1]) == ["data"]
    ):
        return args[1]["data"]
    raise RejectedPickle(f"would run eval{describe(args)} on being unpickled")


def _bytes(args: tuple[Any, ...], spend: Spend) -> bytes:
    _require(
        args == () or (len(args) == 1 and isinstance(args[0], (bytes, bytearray))), "makes bytes"
    )
    spend(len(args[0]) if args else 0)
    return bytes(*args)


def _complex(args: tuple[Any, ...], _: Spend) -> complex:
    _require(len(args) == 2 and all(type(arg) in (int, float) for arg in args), "makes a number")
    return complex(*args)


def _ordered_dict(args: tuple[Any, ...], spend: Spend) -> _Dict:
    """Return an OrderedDict; Python 2 stores its items as a list of pairs."""
    pairs = args[0] if len(args) == 1 else []
    _require(len(args) <= 1 and isinstance(pairs, list), "makes a dict")
    _require(
        all(isinstance(p, (list, tuple)) and len(p) == 2 and isinstance(p[0], str) for p in pairs),
        "makes a dict",
    )
    spend(len(pairs))
    return _Dict((key, value) for key, value in pairs)


# name -> constructor
ALLOWED_CALLS: dict[str, Callable[[tuple[Any, ...], Spend], Any]] = {
    "numpy.dtype": _dtype,
    "numpy.core.multiarray._reconstruct": _reconstruct,
    "numpy._core.multiarray._reconstruct": _reconstruct,
    "numpy.core.multiarray.scalar": _scalar,
    "numpy._core.multiarray.scalar": _scalar,
    "numpy.core.numeric._frombuffer": _frombuffer,
    "numpy._core.numeric._frombuffer": _frombuffer,
    "_codecs.encode": _encode,
    "builtins.tuple": _tuple,
    "__builtin__.tuple": _tuple,
    "builtins.eval": _eval,
    "__builtin__.eval": _eval,
    "builtins.bytes": _bytes,
    "__builtin__.bytes": _bytes,
    "builtins.complex": _complex,
    "__builtin__.complex": _complex,
    "collections.OrderedDict": _ordered_dict,
}


def build(target: Any, state: Any, spend: Spend) -> None:
    """Set the state of an array or dtype."""
    if isinstance(target, _DType):
        _build_dtype(target, state)
    elif type(target) is np.ndarray:
        _build_array(target, state, spend)
    elif not (isinstance(target, _Dict) and state in ({}, None)):
        raise RejectedPickle(f"sets the state of {describe(target)}")
