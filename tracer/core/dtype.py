"""Data types: NumPy dtypes with Paddle's names and file codes."""

from __future__ import annotations

from typing import Any, TypeAlias

import ml_dtypes
import numpy as np

from .errors import OperandError, OpError
from .paddle1_compat import compat

MAX_RANK = 32  # limit of NumPy 1


class DType:
    """The dtype of the elements of a Tensor, such as paddle.float32.

    Functions accept a dtype, its name ("float32", "paddle.float32") or a NumPy dtype. A dtype
    equals all of these. The dtypes are attributes of `paddle`: bool, int8, int16, int32, int64,
    uint8, float16, bfloat16, float32, float64, complex64, complex128; users do not create others.

    Parameters
    ----------
    name : str
        Paddle's name.
    np_type : NumPy type
    proto : int
        The number in files: `VarType.Type` of a `.pdmodel`.

    Attributes
    ----------
    name : str
    np : NumPy dtype
    proto : int

    Examples
    --------
    >>> paddle.float32.name, paddle.float32.np
    ('float32', dtype('float32'))
    >>> paddle.to_tensor([1, 2]).dtype == paddle.int64
    True
    """

    __slots__ = ("name", "np", "proto")

    def __init__(self, name: str, np_type: type[Any] | np.dtype[Any], proto: int) -> None:
        self.name = name
        self.np: np.dtype[Any] = np.dtype(np_type)
        self.proto = proto

    def __repr__(self) -> str:
        return compat.rules.format_dtype(self)

    def __int__(self) -> int:
        return self.proto

    def __eq__(self, other: object) -> bool:
        if isinstance(other, DType):
            return self is other
        try:
            return self is parse_dtype(other)
        except OpError:
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self.name)


DTypeLike: TypeAlias = DType | str | np.dtype[Any] | type[Any]


bool_ = DType("bool", np.bool_, 0)
int16 = DType("int16", np.int16, 1)
int32 = DType("int32", np.int32, 2)
int64 = DType("int64", np.int64, 3)
float16 = DType("float16", np.float16, 4)
float32 = DType("float32", np.float32, 5)
float64 = DType("float64", np.float64, 6)
uint8 = DType("uint8", np.uint8, 20)
int8 = DType("int8", np.int8, 21)
bfloat16 = DType("bfloat16", ml_dtypes.bfloat16, 22)
complex64 = DType("complex64", np.complex64, 23)
complex128 = DType("complex128", np.complex128, 24)

ALL_DTYPES = (
    bool_,
    int16,
    int32,
    int64,
    float16,
    float32,
    float64,
    uint8,
    int8,
    bfloat16,
    complex64,
    complex128,
)
DTYPE_BY_NP: dict[np.dtype[Any], DType] = {d.np: d for d in ALL_DTYPES}
DTYPE_BY_PROTO: dict[int, DType] = {d.proto: d for d in ALL_DTYPES}
_DTYPE_BY_NAME: dict[str, DType] = {d.name: d for d in ALL_DTYPES}

_default_dtype = float32


# Python type names that NumPy accepts
_PYTHON_TYPE_NAMES = {"int": "int64", "float": "float64", "double": "float64"}


def parse_dtype(spec: Any) -> DType:
    """The DType of a specification: a DType, `'float32'`, `'paddle.float32'`, a NumPy dtype or
    type, or a proto number.

    Raises OperandError for other values.
    """
    if isinstance(spec, DType):
        return spec
    if isinstance(spec, str):
        name = spec.removeprefix("paddle.")
        found = _DTYPE_BY_NAME.get(_PYTHON_TYPE_NAMES.get(name, name))
    elif isinstance(spec, int) and not isinstance(spec, bool):
        found = DTYPE_BY_PROTO.get(spec)
    else:
        try:
            found = None if spec is None else DTYPE_BY_NP.get(np.dtype(spec))
        except TypeError:
            found = None
    if found is None:
        import difflib  # noqa: PLC0415 - slow to import, used only here

        similar = difflib.get_close_matches(str(spec), _DTYPE_BY_NAME, 1)
        guess = f"; did you mean {similar[0]!r}?" if similar else ""
        raise OperandError(f"dtype: {spec!r} is not one of {', '.join(_DTYPE_BY_NAME)}{guess}")
    return found


HALF_DTYPES = frozenset((float16.np, bfloat16.np))  # the NumPy kind of bfloat16 is "V"


def is_half(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype in HALF_DTYPES


def is_real(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is a real floating type, bfloat16 included."""
    return dtype.kind == "f" or dtype == bfloat16.np


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is complex."""
    return dtype.kind == "c"


def is_inexact(dtype: np.dtype[Any]) -> bool:
    """Whether `dtype` is a real or complex floating type, bfloat16 included. Only tensors of these
    dtypes have gradients.
    """
    kind = dtype.kind
    return kind in "fc" or (kind == "V" and dtype == bfloat16.np)


def numeric_type_rank(dtype: np.dtype[Any]) -> int:
    """Return the position of a dtype in the order bool, integer, real, complex, as a number."""
    return 3 if is_complex(dtype) else 2 if is_real(dtype) else int(dtype.kind != "b")


def compute_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """The dtype for computing and for statistics: float32 for half precision, else `dtype`."""
    return float32.np if is_half(dtype) else dtype


def promote_dtypes(a: np.dtype[Any], b: np.dtype[Any]) -> np.dtype[Any]:
    """Return the common dtype of two inputs by NumPy's rule; float32 for the pair float16 and
    bfloat16, which NumPy's rule does not cover.
    """
    if a == b:
        return a
    return float32.np if is_half(a) and is_half(b) else np.promote_types(a, b)


def set_default_dtype(d: DTypeLike) -> None:
    """Set the dtype of new floating tensors for which no dtype is given.

    Parameters
    ----------
    d : str or dtype
        "float16", "bfloat16", "float32" or "float64".

    Raises
    ------
    OpError
        If it is another dtype.

    Examples
    --------
    >>> paddle.set_default_dtype("float64")
    >>> paddle.zeros([2]).dtype
    paddle.float64
    >>> paddle.set_default_dtype("float32")
    """
    global _default_dtype  # noqa: PLW0603 - one process-wide setting, as in Paddle
    found = parse_dtype(d)
    if found.np.kind != "f" and found is not bfloat16:
        raise OperandError(f"set_default_dtype: {found.name} is not a floating type")
    _default_dtype = found


def get_default_dtype() -> str:
    """Return the name of the dtype of new floating tensors; "float32" unless it was set.

    Returns
    -------
    str

    Examples
    --------
    >>> paddle.get_default_dtype()
    'float32'
    """
    return _default_dtype.name


def default_float_np_dtype() -> np.dtype[Any]:
    """The NumPy dtype of new floating tensors."""
    return _default_dtype.np
