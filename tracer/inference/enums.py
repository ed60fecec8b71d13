"""The enumerations of the inference API, with Paddle's names."""

from __future__ import annotations

from enum import Enum

from ..core.dtype import parse_dtype


class DataType(Enum):
    """Element types of tensors; the values are the names of dtypes.

    Examples
    --------
    >>> paddle.inference.DataType.INT64.value
    'int64'
    """

    FLOAT32 = "float32"
    INT64 = "int64"
    INT32 = "int32"
    UINT8 = "uint8"
    INT8 = "int8"
    FLOAT16 = "float16"
    BOOL = "bool"
    FLOAT64 = "float64"
    INT16 = "int16"
    BFLOAT16 = "bfloat16"


class PlaceType(Enum):
    """Kinds of devices: UNK (unknown), CPU, GPU, XPU, CUSTOM.

    Examples
    --------
    >>> paddle.inference.PlaceType.GPU.value
    1
    """

    UNK = -1
    CPU = 0
    GPU = 1
    XPU = 2
    CUSTOM = 3


class PrecisionType(Enum):
    """Precisions in which a model can run: Float32, Int8, Half, Bfloat16.

    `Config.enable_use_gpu` accepts Float32 only; `Config.enable_tensorrt_engine` accepts Float32
    and Half.

    Examples
    --------
    >>> paddle.inference.PrecisionType.Half.name
    'Half'
    """

    Float32 = 0
    Int8 = 1
    Half = 2
    Bfloat16 = 3


def get_num_bytes_of_data_type(dtype: DataType) -> int:
    """Return the size of an element in bytes.

    Parameters
    ----------
    dtype : DataType

    Returns
    -------
    int

    Examples
    --------
    >>> paddle.inference.get_num_bytes_of_data_type(paddle.inference.DataType.INT64)
    8
    """
    return parse_dtype(dtype.value).np.itemsize
