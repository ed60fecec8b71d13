"""Inference as products of Paddle 1.x had it: AnalysisConfig, create_paddle_predictor and their
tensors, of fluid.core.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import numpy as np

from ..core.errors import OperandError, with_user_line
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
    """The element types of PaddleTensor."""

    FLOAT32 = 0
    INT64 = 1
    INT32 = 2


_KINDS = {PaddleDType.FLOAT32: np.float32, PaddleDType.INT64: np.int64, PaddleDType.INT32: np.int32}


class PaddleBuf:
    """Elements without a shape, of a list or an array."""

    def __init__(self, data: Any = ()) -> None:
        given = np.asarray(data)
        self._array = (given.astype(np.float32) if given.dtype == np.float64 else given).reshape(-1)

    def length(self) -> int:
        """How many bytes there are."""
        return int(self._array.nbytes)

    def empty(self) -> bool:
        """Whether there is nothing."""
        return not self._array.size

    def float_data(self) -> list[float]:
        """The elements as floats."""
        return list(self._array.astype(np.float32).tolist())

    def int64_data(self) -> list[int]:
        """The elements as ints."""
        return list(self._array.astype(np.int64).tolist())

    int32_data = int64_data


class PaddleTensor:
    """What `run` takes and gives.   data: an array, whose copy is taken"""

    def __init__(self, data: Any = None, name: str = "") -> None:
        given = np.zeros(0, np.float32) if data is None else np.array(data)
        kinds = [kind for kind, of in _KINDS.items() if of == given.dtype]
        if not kinds:
            raise OperandError(
                with_user_line(f"PaddleTensor: {given.dtype} is not one of float32, int64, int32")
            )
        self.name, self.shape, self.dtype = name, list(given.shape), kinds[0]
        self.lod: list[list[int]] = []
        self.data = PaddleBuf(given)

    def as_ndarray(self) -> Any:
        """The elements in their shape."""
        return self.data._array.astype(_KINDS[PaddleDType(self.dtype)]).reshape(self.shape)


class AnalysisConfig(Config):
    """What to run, a folder or two files, and how; see inference.Config."""

    Precision = PrecisionType

    def __init__(self, model: str | None = None, params: str | None = None) -> None:
        super().__init__(model, params)
        self._feeds_by_op, self._named = True, False

    def switch_use_feed_fetch_ops(self, x: bool = True) -> None:
        """Taken, and nothing changes by it."""
        self._feeds_by_op = bool(x)

    def use_feed_fetch_ops_enabled(self) -> bool:
        """What was said last."""
        return self._feeds_by_op

    def switch_specify_input_names(self, x: bool = True) -> None:
        """Whether `run` finds its inputs by their names."""
        self._named = bool(x)

    def specify_input_name(self) -> bool:
        """What was said last."""
        return self._named


class NativeConfig:
    """The same in the words of 1.0: attributes."""

    def __init__(self) -> None:
        self.model_dir = self.prog_file = self.param_file = ""
        self.use_gpu, self.device, self.fraction_of_gpu_memory, self.specify_input_name = (
            False,
            0,
            -1.0,
            False,
        )


class AnalysisPredictor:
    """Runs a model.   Made by `create_paddle_predictor`."""

    def __init__(self, today: Any, named: bool) -> None:
        self._today, self._named = today, named

    def get_input_names(self) -> list[str]:
        """In the order of the model."""
        return list(self._today.get_input_names())

    def get_output_names(self) -> list[str]:
        """In the order of the model."""
        return list(self._today.get_output_names())

    def get_input_tensor(self, name: str) -> ZeroCopyTensor:
        """The input of that name, to copy into."""
        found: ZeroCopyTensor = self._today.get_input_handle(name)
        return found

    def get_output_tensor(self, name: str) -> ZeroCopyTensor:
        """The output of that name, to copy from."""
        found: ZeroCopyTensor = self._today.get_output_handle(name)
        return found

    def get_input_tensor_shape(self) -> dict[str, list[int]]:
        """The sizes that inputs are declared with, by name."""
        return {name: list(self.get_input_tensor(name).shape()) for name in self.get_input_names()}

    def zero_copy_run(self) -> bool:
        """Compute the outputs of what was copied into the inputs."""
        return bool(self._today.run())

    def run(self, inputs: Sequence[PaddleTensor]) -> list[PaddleTensor]:
        """The outputs for inputs in the order of the model, or by their names where the config said
        so.
        """
        names = [t.name for t in inputs] if self._named else self.get_input_names()
        if len(names) != len(inputs):
            raise OperandError(
                with_user_line(f"run: the model takes {len(names)} inputs, got {len(inputs)}")
            )
        for name, given in zip(names, inputs, strict=True):
            handle = self.get_input_tensor(name)
            handle.copy_from_cpu(given.as_ndarray())
            if given.lod:
                handle.set_lod(given.lod)
        self._today.run()
        return [self._given(name) for name in self.get_output_names()]

    def _given(self, name: str) -> PaddleTensor:
        handle = self.get_output_tensor(name)
        made = PaddleTensor(handle.copy_to_cpu(), name)
        made.lod = [list(level) for level in handle.lod()]
        return made

    def clone(self) -> AnalysisPredictor:
        """Another one of the same model and weights."""
        return AnalysisPredictor(self._today.clone(), self._named)


def create_paddle_predictor(config: AnalysisConfig | NativeConfig) -> AnalysisPredictor:
    """What runs the model that the config names."""
    if isinstance(config, NativeConfig):
        files = (config.prog_file, config.param_file) if config.prog_file else (config.model_dir,)
        native, config = config, AnalysisConfig(*files)
        config.switch_specify_input_names(native.specify_input_name)
    return AnalysisPredictor(create_predictor(config), config.specify_input_name())
