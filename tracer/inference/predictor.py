"""Running a model through handles of its inputs and outputs."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core import tensor as eager
from ..core.dtype import BY_NP
from ..core.errors import FileError, OpError
from ..export import pdiparams
from ..loader.engine import Array, Engine
from ..loader.files import program_bytes
from ..loader.model_files import read_model
from .config import Config
from .enums import DataType


class Tensor:
    """One input or output of a predictor."""

    def __init__(self, name: str, dtype: str, shape: Sequence[int | str]) -> None:
        self._name, self._dtype = name, dtype
        self._declared = [d if isinstance(d, int) else -1 for d in shape]
        self._wanted: list[int] | None = None
        self._array: Array | None = None
        self._offsets: Tensor | None = None

    def name(self) -> str:
        """Its name in the model."""
        return self._name

    def reshape(self, shape: Sequence[int]) -> None:
        """The shape that the next copy_from_cpu must have."""
        self._wanted = [int(d) for d in shape]

    def copy_from_cpu(self, data: Array) -> None:
        """Set an input to a copy of an ndarray."""
        if not isinstance(data, np.ndarray):
            raise TypeError(
                f"copy_from_cpu: input '{self._name}' requires an ndarray, not "
                f"{type(data).__name__}"
            )
        if self._wanted is not None and self._wanted != list(data.shape):
            if data.size != int(np.prod(self._wanted)):
                raise OpError(
                    f"copy_from_cpu: '{self._name}' was reshaped to {self._wanted}, the "
                    f"ndarray is {list(data.shape)}"
                )
            data = data.reshape(self._wanted)
        self._array = np.array(data, order="C")

    def share_external_data(self, data: Any) -> None:
        """Set an input to a Tensor or an ndarray without a copy: it must stay as it is until the
        run is over.
        """
        self._array = np.ascontiguousarray(data.array if isinstance(data, eager.Tensor) else data)

    def copy_to_cpu(self) -> Array:
        """The content.   For an output: of the last run"""
        if self._array is None:
            raise OpError(f"copy_to_cpu: '{self._name}' holds nothing yet")
        return self._array

    def shape(self) -> list[int]:
        """Its shape; what the model declares, -1 for open sizes, until it holds something."""
        if self._array is not None:
            return list(self._array.shape)
        return self._wanted if self._wanted is not None else self._declared

    def type(self) -> DataType:
        """Its element type."""
        return DataType(self._dtype if self._array is None else BY_NP[self._array.dtype].name)

    def lod(self) -> list[list[int]]:
        """Where its packed sequences begin: as `set_lod` was told, or of an output as the last run
        had it.

        Empty for others
        """
        return (
            []
            if self._offsets is None or self._offsets._array is None
            else [self._offsets._array.tolist()]
        )

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Say where the packed sequences of an input begin, and how many rows there are: [[0, 3,
        7]].

        Raises OpError for more than one level, and for what does not hold sequences in the model.
        """
        if not len(lod) and self._offsets is None:
            return
        if self._offsets is None:
            raise OpError(
                f"set_lod: '{self._name}' holds no packed sequences in the model; pad "
                f"them, and give their lengths"
            )
        if len(lod) != 1:
            raise OpError(f"set_lod: '{self._name}' takes one level of sequences, not {len(lod)}")
        self._offsets._array = np.array(lod[0], "int64")


class Predictor:
    """A model ready to run.

    Handles belong to one thread; `clone` gives another thread its own, on the same engine.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._inputs = {name: Tensor(name, dtype, shape) for name, dtype, shape in engine.inputs}
        self._outputs = {name: Tensor(name, dtype, shape) for name, dtype, shape in engine.outputs}
        self._offsets = engine.offsets
        handles = self._inputs | self._outputs
        for offsets, name in self._offsets.items():
            handles[name]._offsets = handles[offsets]

    def get_input_names(self) -> list[str]:
        """In the order of the model.

        The offsets of packed sequences are given by `set_lod` of these, or as inputs `<name>.lod`
        """
        return self._without_offsets(self._inputs)

    def get_output_names(self) -> list[str]:
        """In the order of the model."""
        return self._without_offsets(self._outputs)

    def _without_offsets(self, handles: dict[str, Tensor]) -> list[str]:
        return [name for name in handles if name not in self._offsets]

    def get_input_handle(self, name: str) -> Tensor:
        """The input of that name.   Raises OpError where there is none."""
        return _named(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """The output of that name.   Raises OpError where there is none."""
        return _named(self._outputs, name, "output")

    def run(self, inputs: Sequence[Any] | None = None) -> Any:
        """Compute all outputs.

        inputs: Tensors in order, which makes them the result as well; else the handles hold them,
        and True comes back

        Raises OpError for inputs that are missing or do not fit, GuardError where a trace had
        assumed otherwise.
        """
        if inputs is not None:
            arrays = [x.array if isinstance(x, eager.Tensor) else np.asarray(x) for x in inputs]
            fetch = self.get_output_names() if self._offsets else None
            return [eager.Tensor(array) for array in self._engine.run(arrays, fetch)]
        arrays = [handle._array for handle in self._inputs.values()]
        if any(array is None for array in arrays):
            raise OpError(f"run: {self._missing()}")
        for handle, array in zip(self._outputs.values(), self._engine.run(arrays), strict=True):
            handle._array = array
        return True

    def _missing(self) -> str:
        """What the handles of the inputs lack."""
        missing = [name for name, handle in self._inputs.items() if handle._array is None]
        if data := [name for name in missing if name not in self._offsets]:
            return f"nothing was copied into {', '.join(data)}"
        packed = " and ".join(f"'{self._offsets[name]}'" for name in missing)
        return f"say by set_lod of {packed} where its sequences begin"

    def clone(self, stream: Any = None) -> Predictor:
        """Another predictor of the same engine and weights, with handles of its own."""
        return Predictor(self._engine)

    def clear_intermediate_tensor(self) -> None:
        """The engine keeps none."""

    def try_shrink_memory(self) -> int:
        """Nothing to give back.   0 bytes"""
        return 0


def _named(handles: dict[str, Tensor], name: str, what: str) -> Tensor:
    if name not in handles:
        raise OpError(f"get_{what}_handle: no {what} '{name}' (the model has {', '.join(handles)})")
    return handles[name]


def create_predictor(config: Config) -> Predictor:
    """Read the model and make the engine.

    Raises FileError, UnsupportedError with all ops that the engine does not have, EngineError.
    """
    options = config._options | (
        {"provider": config._provider} if config._provider and config.use_gpu() else {}
    )
    options["offsets"] = True
    with tempfile.TemporaryDirectory(prefix="oarlock-") as scratch:
        prog, params, name = _files(config, Path(scratch))
        return Predictor(Engine(prog, params, name, **options))


def _files(config: Config, scratch: Path) -> tuple[bytes, str | None, str]:
    """The program's bytes, the path of its values, its name.

    scratch: for what is in no file, and gone once the engine has it open
    """
    if config._buffers is not None:
        path = scratch / "model.pdiparams"
        path.write_bytes(config._buffers[1])
        return config._buffers[0], str(path) if config._buffers[1] else None, "model.pdmodel"
    if not config.prog_file():
        return _folder(config.model_dir(), scratch)
    prog = Path(config.prog_file())
    if not prog.is_file():
        raise FileError(f"create_predictor: there is no {prog}")
    params = config.params_file()
    return program_bytes(prog), params if params and os.path.exists(params) else None, prog.name


def _folder(folder: str, scratch: Path) -> tuple[bytes, str | None, str]:
    """A folder of 1.x: `__model__`, and one file for each value."""
    if not folder:
        raise OpError("create_predictor: the Config names no model")
    files = read_model(folder)
    path = scratch / "model.pdiparams"
    with path.open("wb") as file:
        pdiparams.write(files.values, file)
    return files.pdmodel, str(path) if files.values else None, files.name


class PredictorPool:
    """As many predictors as threads, on one engine."""

    def __init__(self, config: Config, size: int = 1) -> None:
        first = create_predictor(config)
        self._all = [first, *[first.clone() for _ in range(size - 1)]]

    def retrive(self, index: int) -> Predictor:
        """The predictor of that number; Paddle spells it so."""
        return self._all[index]

    retrieve = retrive
