"""The inference API of Paddle 1.x: AnalysisConfig, create_paddle_predictor and their tensors, of
fluid.core.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from ..core.errors import OperandError, append_user_line
from ..inference import Config, PrecisionType, create_predictor
from ..inference import Tensor as ZeroCopyTensor

__all__ = [
    "AnalysisConfig",
    "AnalysisPredictor",
    "NativeConfig",
    "PaddleBuf",
    "PaddleDType",
    "PaddleTensor",
    "ZeroCopyTensor",
    "create_paddle_predictor",
]


class PaddleDType(IntEnum):
    """The dtypes of PaddleTensor."""

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2


_DTYPES = {
    PaddleDType.FLOAT32: np.float32,
    PaddleDType.INT64: np.int64,
    PaddleDType.INT32: np.int32,
}


class PaddleBuf:
    """PaddleBuf: a flat buffer with the elements of a list or an array."""

    def __init__(self, data: Any = ()) -> None:
        array = np.asarray(data)
        self._array = (array.astype(np.float32) if array.dtype == np.float64 else array).reshape(-1)

    def length(self) -> int:
        """Return the size of the buffer in bytes."""
        return int(self._array.nbytes)

    def empty(self) -> bool:
        """Whether the buffer has no elements."""
        return not self._array.size

    def float_data(self) -> list[float]:
        """Return the elements of the buffer as floats."""
        return list(self._array.astype(np.float32).tolist())

    def int64_data(self) -> list[int]:
        """Return the elements of the buffer as ints."""
        return list(self._array.astype(np.int64).tolist())

    int32_data = int64_data


class PaddleTensor:
    """A named tensor that is passed to the `run` of a predictor or returned by it. data: an array,
    which is copied
    """

    def __init__(self, data: Any = None, name: str = "") -> None:
        array = np.zeros(0, np.float32) if data is None else np.array(data)
        dtypes = [dtype for dtype, np_dtype in _DTYPES.items() if np_dtype == array.dtype]
        if not dtypes:
            raise OperandError(
                append_user_line(f"PaddleTensor: {array.dtype} is not one of float32, int64, int32")
            )
        self.name, self.shape, self.dtype = name, list(array.shape), dtypes[0]
        self.lod: list[list[int]] = []
        self.data = PaddleBuf(array)

    def as_ndarray(self) -> Any:
        """Return the elements of the tensor as an array."""
        return self.data._array.astype(_DTYPES[PaddleDType(self.dtype)]).reshape(self.shape)


class AnalysisConfig(Config):
    """Configuration of a predictor, as `inference.Config`: the model, which is a folder or two
    files, and options.
    """

    Precision = PrecisionType

    def __init__(self, model: str | None = None, params: str | None = None) -> None:
        super().__init__(model, params)
        self._uses_feed_fetch_ops, self._specifies_input_names = True, False

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Set an option that has no effect."""
        self._uses_feed_fetch_ops = bool(x)

    def use_feed_fetch_ops_enabled(self) -> bool:
        """Return the value of switch_use_feed_fetch_ops."""
        return self._uses_feed_fetch_ops

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Set whether `run` identifies its inputs by name."""
        self._specifies_input_names = bool(x)

    def specify_input_name(self) -> bool:
        """Whether `run` identifies its inputs by name."""
        return self._specifies_input_names


class NativeConfig:
    """Configuration of a predictor as in Paddle 1.0, whose options are attributes."""

    def __init__(self) -> None:
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu, self.device, self.fraction_of_gpu_memory, self.specify_input_name = (
            False,
            0,
            -1.0,
            False,
        )


class AnalysisPredictor:
    """Runs a model. Created by `create_paddle_predictor`."""

    def __init__(self, predictor: Any, specifies_input_names: bool) -> None:
        self._predictor, self._specifies_input_names = predictor, specifies_input_names

    def get_input_names(self) -> list[str]:
        """Return the names of the inputs."""
        return list(self._predictor.get_input_names())

    def get_output_names(self) -> list[str]:
        """Return the names of the outputs."""
        return list(self._predictor.get_output_names())

    def get_input_tensor(self, name: str) -> ZeroCopyTensor:
        """Return the handle of an input, to which values are copied before a run."""
        handle: ZeroCopyTensor = self._predictor.get_input_handle(name)
        return handle

    def get_output_tensor(self, name: str) -> ZeroCopyTensor:
        """Return the handle of an output, from which values are copied after a run."""
        handle: ZeroCopyTensor = self._predictor.get_output_handle(name)
        return handle

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """Return the declared shapes of the inputs by name."""
        return {name: list(self.get_input_tensor(name).shape()) for name in self.get_input_names()}

    def zero_copy_run(self) -> bool:
        """Run the model on the values that were copied to the input handles."""
        return bool(self._predictor.run())

    def run(self, inputs: Sequence[PaddleTensor]) -> list[PaddleTensor]:
        """Run the model and return its outputs. The inputs are in the order of the model's inputs
        or, with specify_input_name, are identified by name.
        """
        names = [t.name for t in inputs] if self._specifies_input_names else self.get_input_names()
        if len(names) != len(inputs):
            raise OperandError(
                append_user_line(f"run: the model takes {len(names)} inputs, got {len(inputs)}")
            )
        for name, tensor in zip(names, inputs, strict=True):
            handle = self.get_input_tensor(name)
            handle.copy_from_cpu(tensor.as_ndarray())
            if tensor.lod:
                handle.set_lod(tensor.lod)
        self._predictor.run()
        return [self._copy_output_to_paddle_tensor(name) for name in self.get_output_names()]

    def _copy_output_to_paddle_tensor(self, name: str) -> PaddleTensor:
        handle = self.get_output_tensor(name)
        tensor = PaddleTensor(handle.copy_to_cpu(), name)
        tensor.lod = [list(level) for level in handle.lod()]
        return tensor

    def clone(self) -> AnalysisPredictor:
        """Return another predictor for the same model and weights."""
        return AnalysisPredictor(self._predictor.clone(), self._specifies_input_names)


def create_paddle_predictor(config: AnalysisConfig | NativeConfig) -> AnalysisPredictor:
    """Create a predictor for the model of the config."""
    if isinstance(config, NativeConfig):
        files = (config.prog_file, config.param_file) if config.prog_file else (config.model_dir,)
        native, config = config, AnalysisConfig(*files)
        config.switch_specify_input_names(native.specify_input_name)
    return AnalysisPredictor(create_predictor(config), config.specify_input_name())
