"""Paddle's inference API: a Predictor runs the model that a Config describes."""

from .config import Config
from .enums import DataType, PlaceType, PrecisionType, get_num_bytes_of_data_type
from .predictor import Predictor, PredictorPool, Tensor, create_predictor
from .version import get_trt_compile_version, get_trt_runtime_version, get_version

__all__ = [
    "Config",
    "DataType",
    "PlaceType",
    "PrecisionType",
    "Predictor",
    "PredictorPool",
    "Tensor",
    "create_predictor",
    "get_num_bytes_of_data_type",
    "get_trt_compile_version",
    "get_trt_runtime_version",
    "get_version",
]
