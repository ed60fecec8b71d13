"""The names that a pickle of weights may refer to, and what each constructs. The reader imports and
calls no Python object that a pickle names.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

from ..core.dtype import MAX_RANK
from .escape_control_characters import escape_control_characters

_MAX_NAME_LENGTH = 200  # maximum length of a name in an error message
SpendBudget = Callable[[int], None]

# dtypes without object references
_PLAIN_DTYPE_NAME = re.compile(r"[<>=|]?(b1|\?|[iu][1248]|f[248]|c8|c16|[SU]\d{1,8})")


class RejectedPickleError(Exception):
    """Raised for a pickle that refers to code or objects which no file of weights needs."""


class PickledName:
    """A module and attribute name in a pickle. Nothing is imported for the name."""

    def __init__(self, name: str) -> None:
        self.name = escape_control_characters(name[:_MAX_NAME_LENGTH])


class _PickledDType(PickledName):
    """A NumPy dtype that a pickle contains. The wrapper around the dtype keeps a BUILD instruction
    of the pickle from modifying NumPy's own dtype object.
    """

    def __init__(self, dtype: np.dtype[Any]) -> None:
        super().__init__("numpy.dtype")
        self.dtype = dtype


class _PickledOrderedDict(dict[Any, Any]):
    """Stands for `collections.OrderedDict`, which may be built with an empty state."""


def describe_value(value: Any) -> str:
    """Format a value for an error message, briefly and without recursion."""
    if isinstance(value, PickledName):
        return value.name
    if isinstance(value, tuple):
        more = ", ..." if len(value) > 3 else ""
        return f"({', '.join(_describe_item(part) for part in value[:3])}{more})"
    return _describe_item(value)


def _describe_item(value: Any) -> str:
    if isinstance(value, PickledName):
        return value.name
    if isinstance(value, (str, bytes)):
        return f"{value[:60]!r}"
    return (
        repr(value)
        if isinstance(value, (float, bool, type(None)))
        else (f"{_indefinite_article(value)} {type(value).__name__}")
    )


def _indefinite_article(value: Any) -> str:
    return "an" if type(value).__name__[0] in "aeiou" else "a"


def _reject_pickle_unless(good: bool, what: str) -> None:
    if not good:
        raise RejectedPickleError(f"{what} in a way that no file of weights does")


def _as_bytes(data: Any) -> bytes:
    """Return the bytes of an array or scalar; pickles of Python 2 hold them as text."""
    return data.encode("latin1") if isinstance(data, str) else data


def _construct_dtype(args: tuple[Any, ...], _: SpendBudget) -> _PickledDType:
    _reject_pickle_unless(1 <= len(args) <= 3, "calls numpy.dtype")
    if isinstance(args[0], PickledName) and args[0].name == "ml_dtypes.bfloat16":
        return _PickledDType(np.dtype(ml_dtypes.bfloat16))
    text = args[0].decode("ascii") if isinstance(args[0], bytes) else args[0]
    _reject_pickle_unless(isinstance(text, str), "calls numpy.dtype")
    if text == "bfloat16":
        return _PickledDType(np.dtype(ml_dtypes.bfloat16))
    if not _PLAIN_DTYPE_NAME.fullmatch(text):
        raise RejectedPickleError(f"holds an array of {text[:60]!r}, which is not plain data")
    return _PickledDType(np.dtype(text))


def _set_dtype_state(target: _PickledDType, state: Any) -> None:
    _reject_pickle_unless(
        isinstance(state, tuple) and 5 <= len(state) <= 9 and state[2:5] == (None, None, None),
        "builds numpy.dtype",
    )
    order = state[1].decode("ascii") if isinstance(state[1], bytes) else state[1]
    _reject_pickle_unless(order in ("<", ">", "|", "="), "builds numpy.dtype")
    if order in ("<", ">") and target.dtype.kind in "iufcU":
        target.dtype = target.dtype.newbyteorder(">" if order == ">" else "<")


def _construct_empty_array(args: tuple[Any, ...], _: SpendBudget) -> np.ndarray[Any, Any]:
    _reject_pickle_unless(len(args) == 3 and isinstance(args[0], PickledName), "makes an array")
    _reject_pickle_unless(args[0].name == "numpy.ndarray", "makes an array")
    return np.empty(0, np.uint8)


def _checked_array_bytes(dtype: np.dtype[Any], shape: Any, data: Any, spend: SpendBudget) -> bytes:
    """Return the bytes of an array after checking that their number matches the shape."""
    _reject_pickle_unless(
        isinstance(shape, tuple)
        and len(shape) <= MAX_RANK
        and isinstance(data, (bytes, bytearray)),
        "fills an array",
    )
    _reject_pickle_unless(all(type(n) is int and n >= 0 for n in shape), "fills an array")
    if math.prod(n or 1 for n in shape) >= 1 << 48 or math.prod(shape) * dtype.itemsize != len(
        data
    ):
        raise RejectedPickleError(f"holds {len(data)} bytes for the array {dtype}{list(shape)}")
    spend(len(data))
    return bytes(data)


def _set_array_state(target: np.ndarray[Any, Any], state: Any, spend: SpendBudget) -> None:
    _reject_pickle_unless(isinstance(state, tuple) and len(state) in (4, 5), "fills an array")
    shape, dtype, fortran, data = state[-4:]
    _reject_pickle_unless(isinstance(dtype, _PickledDType), "fills an array")
    element_dtype = dtype.dtype
    data = _checked_array_bytes(element_dtype, shape, _as_bytes(data), spend)
    # The state is validated, so that NumPy's own method can use it: the array stays
    # the same object, to which other values of the pickle may refer.
    native = (
        np.frombuffer(data, element_dtype).astype(element_dtype.newbyteorder("=")).tobytes()
        if element_dtype.str[0] == ">"
        else data
    )
    state = (1, shape, element_dtype.newbyteorder("="), bool(fortran), native)
    target.__setstate__(state)


def _construct_array(args: tuple[Any, ...], spend: SpendBudget) -> np.ndarray[Any, Any]:
    _reject_pickle_unless(
        len(args) == 4 and isinstance(args[1], _PickledDType) and args[3] in ("C", "F"),
        "makes an array",
    )
    data = _checked_array_bytes(args[1].dtype, args[2], args[0], spend)
    array = np.frombuffer(data, args[1].dtype).reshape(args[2], order=args[3])
    return array.astype(args[1].dtype.newbyteorder("="), order="K")


def _construct_scalar(args: tuple[Any, ...], spend: SpendBudget) -> Any:
    _reject_pickle_unless(len(args) == 2 and isinstance(args[0], _PickledDType), "makes a scalar")
    data = _checked_array_bytes(args[0].dtype, (), _as_bytes(args[1]), spend)
    return np.frombuffer(data, args[0].dtype)[0]


def _construct_encoded_bytes(args: tuple[Any, ...], spend: SpendBudget) -> bytes:
    """Return the bytes that `_codecs.encode(text, 'latin1')` returns. Protocol 2 of Python 3
    represents bytes by a call of `_codecs.encode`.
    """
    _reject_pickle_unless(
        1 <= len(args) <= 2 and all(isinstance(arg, str) for arg in args), "encodes text"
    )
    _reject_pickle_unless(args[1:] in ((), ("latin1",), ("latin-1",)), "encodes text")
    spend(len(args[0]))
    encoded: bytes = args[0].encode("latin1" if len(args) == 2 else "utf-8")
    return encoded


def _construct_tuple(args: tuple[Any, ...], spend: SpendBudget) -> tuple[Any, ...]:
    """Return a tuple of name and array, which represents a Paddle tensor."""
    _reject_pickle_unless(len(args) == 1 and isinstance(args[0], (tuple, list)), "makes a tuple")
    spend(len(args[0]))
    return tuple(args[0])


def _construct_array_of_eval_call(args: tuple[Any, ...], _: SpendBudget) -> Any:
    """Return `array` for the pickled call `eval('data', {'data': array})`, which represents a
    LoDTensor of Paddle. Only this exact call of `eval` is accepted, and nothing is evaluated.
    """
    if (
        len(args) == 2
        and args[0] == "data"
        and isinstance(args[1], dict)
        and list(args[1]) == ["data"]
    ):
        return args[1]["data"]
    raise RejectedPickleError(f"would run eval{describe_value(args)} when it is unpickled")


def _construct_bytes(args: tuple[Any, ...], spend: SpendBudget) -> bytes:
    _reject_pickle_unless(
        args == () or (len(args) == 1 and isinstance(args[0], (bytes, bytearray))), "makes bytes"
    )
    spend(len(args[0]) if args else 0)
    return bytes(*args)


def _construct_complex(args: tuple[Any, ...], _: SpendBudget) -> complex:
    _reject_pickle_unless(
        len(args) == 2 and all(type(arg) in (int, float) for arg in args), "makes a number"
    )
    return complex(*args)


def _construct_ordered_dict(args: tuple[Any, ...], spend: SpendBudget) -> _PickledOrderedDict:
    """Return an OrderedDict; Python 2 stores its items as a list of pairs."""
    pairs = args[0] if len(args) == 1 else []
    _reject_pickle_unless(len(args) <= 1 and isinstance(pairs, list), "makes a dict")
    _reject_pickle_unless(
        all(isinstance(p, (list, tuple)) and len(p) == 2 and isinstance(p[0], str) for p in pairs),
        "makes a dict",
    )
    spend(len(pairs))
    return _PickledOrderedDict((key, value) for key, value in pairs)


# name -> constructor
ALLOWED_CONSTRUCTORS: dict[str, Callable[[tuple[Any, ...], SpendBudget], Any]] = {
    "numpy.dtype": _construct_dtype,
    "numpy.core.multiarray._reconstruct": _construct_empty_array,
    "numpy._core.multiarray._reconstruct": _construct_empty_array,
    "numpy.core.multiarray.scalar": _construct_scalar,
    "numpy._core.multiarray.scalar": _construct_scalar,
    "numpy.core.numeric._frombuffer": _construct_array,
    "numpy._core.numeric._frombuffer": _construct_array,
    "_codecs.encode": _construct_encoded_bytes,
    "builtins.tuple": _construct_tuple,
    "__builtin__.tuple": _construct_tuple,
    "builtins.eval": _construct_array_of_eval_call,
    "__builtin__.eval": _construct_array_of_eval_call,
    "builtins.bytes": _construct_bytes,
    "__builtin__.bytes": _construct_bytes,
    "builtins.complex": _construct_complex,
    "__builtin__.complex": _construct_complex,
    "collections.OrderedDict": _construct_ordered_dict,
}


def set_state(target: Any, state: Any, spend: SpendBudget) -> None:
    """Set the state of an array or dtype."""
    if isinstance(target, _PickledDType):
        _set_dtype_state(target, state)
    elif type(target) is np.ndarray:
        _set_array_state(target, state, spend)
    elif not (isinstance(target, _PickledOrderedDict) and state in ({}, None)):
        raise RejectedPickleError(f"sets the state of {describe_value(target)}, which has none")
