"""Names of dtypes in the Open Inference Protocol and in Triton's configuration files."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..core.dtype import parse_dtype
from ..core.errors import OpError


class TensorDatatype(NamedTuple):
    """A dtype.

    protocol: its name in requests.
    triton: its name in a config.pbtxt.
    in_json: whether the protocol allows its values as JSON numbers.
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
    name: TensorDatatype(parse_dtype(name).np, protocol, triton, json)
    for name, protocol, triton, json in _ROWS
}


def require_datatype(dtype: str, name: str) -> TensorDatatype:
    """Return the TensorDatatype of a dtype: its names in the protocol and in Triton's
    configuration.

    name: of the tensor, for the message. Raises OpError if the protocol lacks the dtype.
    """
    if dtype not in DATATYPES:
        raise OpError(f"serving: '{name}' is {dtype}, which the protocol does not support")
    return DATATYPES[dtype]
