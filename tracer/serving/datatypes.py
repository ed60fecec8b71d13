"""The names that the Open Inference Protocol and Triton's configurations give dtypes."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.dtype import dtype_of
from ..core.errors import OpError


class Datatype(NamedTuple):
    """protocol: its name in requests; triton: in a config.pbtxt; in_json: whether numbers of it can
    be written as text
    """

    np: np.dtype[Any]
    protocol: str
    triton: str
    in_json: bool


_ROWS = [
    ("bool", "BOOL", "TYPE_BOOL", True),
    ("uint8", "UINT8", "TYPE_UINT8", True),
    ("int8", "INT8", "TYPE_INT8", True),
    ("int16", "INT16", "TYPE_INT16", True),
    ("int32", "INT32", "TYPE_INT32", True),
    ("int64", "INT64", "TYPE_INT64", True),
    ("float16", "FP16", "TYPE_FP16", False),
    ("bfloat16", "BF16", "TYPE_BF16", False),
    ("float32", "FP32", "TYPE_FP32", True),
    ("float64", "FP64", "TYPE_FP64", True),
]
DATATYPES = {
    name: Datatype(dtype_of(name).np, protocol, triton, json)
    for name, protocol, triton, json in _ROWS
}


def datatype_of(dtype: str, name: str) -> Datatype:
    """The names of a dtype.

    Raises OpError for those that the protocol does not have; name: of the tensor
    """
    if dtype not in DATATYPES:
        raise OpError(f"serving: '{name}' is {dtype}, which the protocol has no name for")
    return DATATYPES[dtype]
