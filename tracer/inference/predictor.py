"""`inference.Predictor`: run a model through handles of its inputs and outputs."""

from __future__ import annotations

import operator
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from ..core import tensor as eager
from ..core.dtype import DTYPE_BY_NP
from ..core.errors import FileError, IndexRangeError, OperandError, OpError
from ..loader.engine import Array, Engine
from ..loader.model_files import read_model
from ..loader.pdmodel import read_program_file_bytes
from ..loader.program_engine import combined_params_path
from .config import Config
from .enums import DataType


class Tensor:
    """A handle of one input or output of a predictor, which reads or sets its value."""

    def __init__(self, name: str, dtype: str, shape: Sequence[int | str]) -> None:
        self._name, self._dtype = name, dtype
        self._declared_shape = [d if isinstance(d, int) else -1 for d in shape]
        self._requested_shape: list[int] | None = None
        self._array: Array | None = None
        self._lod_handle: Tensor | None = None

    def name(self) -> str:
        """Return the name of the input or output."""
        return self._name

    def reshape(self, shape: Sequence[int]) -> None:
        """Set the shape that `shape` returns until the handle has a value. `copy_from_cpu` replaces
        the shape by that of the ndarray.
        """
        try:
            self._requested_shape = list(map(operator.index, shape))
        except TypeError:
            raise OperandError(f"reshape: shape={shape!r:.80} must be a list of ints") from None

    def copy_from_cpu(self, data: Array) -> None:
        """Copy an ndarray into an input. The input gets the shape of the ndarray, whatever an
        earlier call of `reshape` set.
        """
        if not isinstance(data, np.ndarray):
            raise TypeError(
                f"copy_from_cpu: input '{self._name}' requires an ndarray, not "
                f"{type(data).__name__}"
            )
        self._array = np.array(data, order="C")

    def share_external_data(self, data: Any) -> None:
        """Use a Tensor or ndarray as the value of an input, without a copy if it is C-contiguous.
        The Tensor or ndarray must not change until the run has finished.
        """
        array = data.array if isinstance(data, eager.Tensor) else data
        self._array = np.asarray(array, order="C")

    def copy_to_cpu(self) -> Array:
        """Return the value as an ndarray, without a copy despite the name of the method. The value
        of an output is the result of the last run.
        """
        if self._array is None:
            raise OpError(f"copy_to_cpu: '{self._name}' has no content yet")
        return self._array

    def shape(self) -> list[int]:
        """Return the shape of the value. Before there is a value, return the declared shape, with
        -1 for dynamic dimensions.
        """
        if self._array is not None:
            return list(self._array.shape)
        return self._requested_shape if self._requested_shape is not None else self._declared_shape

    def type(self) -> DataType:
        """Return the element type.

        Raises OpError if the content has a type that a DataType does not exist for.
        """
        if self._array is None:
            return DataType(self._dtype)
        dtype = DTYPE_BY_NP.get(self._array.dtype.newbyteorder("="))
        if dtype is None or dtype.name not in {kind.value for kind in DataType}:
            raise OpError(
                f"type: '{self._name}' has elements of the unsupported type {self._array.dtype}"
            )
        return DataType(dtype.name)

    def lod(self) -> list[list[int]]:
        """Return the LoD (row splits of packed sequences): that passed to `set_lod` or, for an
        output, that of the last run. The LoD is empty for tensors without sequences.
        """
        return (
            []
            if self._lod_handle is None or self._lod_handle._array is None
            else [self._lod_handle._array.tolist()]
        )

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the LoD of an input: the row splits of its packed sequences, such as [[0, 3, 7]].

        Raises OpError for more than one level, and for an input without sequences.
        """
        if not len(lod) and self._lod_handle is None:
            return
        if self._lod_handle is None:
            raise OpError(
                f"set_lod: '{self._name}' has no packed sequences (LoD) in the model; pass padded "
                f"sequences and their lengths"
            )
        if len(lod) != 1:
            raise OpError(f"set_lod: '{self._name}' requires one level of LoD, not {len(lod)}")
        self._lod_handle._array = np.array(lod[0], "int64")


class Predictor:
    """Runs a model.

    A predictor and its handles belong to one thread; `clone` returns a predictor for another thread
    that shares the engine.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._inputs = {name: Tensor(name, dtype, shape) for name, dtype, shape in engine.inputs}
        self._outputs = {name: Tensor(name, dtype, shape) for name, dtype, shape in engine.outputs}
        # tuples, because `run` is called often and dict views are slower
        self._input_handles = tuple(self._inputs.values())
        self._output_handles = tuple(self._outputs.values())
        self._lod_names = engine.row_split_owners
        handles = self._inputs | self._outputs
        for lod_name, name in self._lod_names.items():
            handles[name]._lod_handle = handles[lod_name]

    def get_input_names(self) -> list[str]:
        """Return the names of the inputs in the model's order.

        The LoD of an input is set with `set_lod` of its handle, or through the handle `<name>.lod`.
        """
        return self._names_of_non_lod_handles(self._inputs)

    def get_output_names(self) -> list[str]:
        """Return the names of the outputs in the model's order."""
        return self._names_of_non_lod_handles(self._outputs)

    def _names_of_non_lod_handles(self, handles: dict[str, Tensor]) -> list[str]:
        return [name for name in handles if name not in self._lod_names]

    def get_input_handle(self, name: str) -> Tensor:
        """Return the handle of the input with this name. Raises OpError for an unknown name."""
        return _require_handle(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """Return the handle of the output with this name. Raises OpError for an unknown name."""
        return _require_handle(self._outputs, name, "output")

    def run(self, inputs: Sequence[Any] | None = None) -> Any:
        """Compute all outputs.

        inputs: Tensors or arrays in the model's order; then the outputs are returned as a list of
        Tensors. Without it, the inputs are read from the handles, the outputs are stored in the
        handles, and True is returned.

        Raises OpError for missing or incompatible inputs, GuardError for a violated guard.
        """
        if inputs is not None:
            if not isinstance(inputs, Sequence) or isinstance(inputs, str):
                raise OperandError(
                    f"run: inputs must be a list of Tensors or arrays in the model's order, not "
                    f"{type(inputs).__name__}"
                )
            arrays = [x.array if isinstance(x, eager.Tensor) else np.asarray(x) for x in inputs]
            fetch = self.get_output_names() if self._lod_names else None
            return [eager.Tensor(array) for array in self._engine.run(arrays, fetch)]
        arrays = []
        for handle in self._input_handles:
            if handle._array is None:
                raise OpError(f"run: {self._missing_input_message()}")
            arrays.append(handle._array)
        for handle, array in zip(self._output_handles, self._engine.run(arrays), strict=True):
            handle._array = array
        return True

    def _missing_input_message(self) -> str:
        """Return the error message for inputs that have no value before a run."""
        missing = [name for name, handle in self._inputs.items() if handle._array is None]
        if data := [name for name in missing if name not in self._lod_names]:
            return f"the inputs {', '.join(data)} have no content; call copy_from_cpu"
        packed = " and ".join(f"'{self._lod_names[name]}'" for name in missing)
        return f"the LoD of {packed} is missing; call set_lod"

    def clone(self, stream: Any = None) -> Predictor:
        """Return another predictor with the same engine and weights, but with its own handles."""
        return Predictor(self._engine)

    def clear_intermediate_tensor(self) -> None:
        """Accepted without effect, because the engine stores no intermediate tensors between
        runs.
        """

    def try_shrink_memory(self) -> int:
        """Return the number of bytes that were released: always 0, because the engine keeps nothing
        to release.
        """
        return 0


def _require_handle(handles: dict[str, Tensor], name: str, kind: str) -> Tensor:
    if name not in handles:
        raise OpError(f"get_{kind}_handle: no {kind} '{name}' (the model has {', '.join(handles)})")
    return handles[name]


def create_predictor(config: Config) -> Predictor:
    """Read the model of a Config and create a Predictor.

    Raises FileError, UnsupportedError (with all ops that the engine lacks) or EngineError.
    """
    options = config._options | (
        {"provider": config._provider} if config._provider and config.use_gpu() else {}
    )
    options["offsets"] = True
    with ExitStack() as temporary_files:
        prog, params, name = _load_program_and_locate_params(config, temporary_files)
        try:
            return Predictor(Engine(prog, params, name, **options))
        except FileError as error:
            missing = config.params_file()
            if params or not missing or config.model_from_memory():
                raise
            raise FileError(f"create_predictor: there is no file {missing} ({error})") from None


def _load_program_and_locate_params(
    config: Config, temporary_files: ExitStack
) -> tuple[bytes, str | None, str]:
    """Return three values: the bytes of the program, the path of the parameter file (None if the
    model has no parameters), and the name of the program.

    temporary_files: removes the files that parameters in memory, or in one file each, are written
        to
    """
    if config._buffers is not None:
        folder = temporary_files.enter_context(tempfile.TemporaryDirectory(prefix="oarlock-"))
        path = Path(folder, "model.pdiparams")
        path.write_bytes(config._buffers[1])
        return config._buffers[0], str(path) if config._buffers[1] else None, "model.pdmodel"
    if not config.prog_file():
        if not config.model_dir():
            raise OpError("create_predictor: the Config has no model; call set_model")
        files = read_model(config.model_dir())  # a folder of Paddle 1.x
        params_path = temporary_files.enter_context(combined_params_path(files))
        return files.pdmodel, params_path, files.name
    prog = Path(config.prog_file())
    if not prog.is_file():
        raise FileError(f"create_predictor: there is no file {prog}")
    params = config.params_file()
    return (
        read_program_file_bytes(prog),
        params if params and os.path.exists(params) else None,
        prog.name,
    )


class PredictorPool:
    """A list of predictors that share one engine. Each thread uses one of the predictors."""

    def __init__(self, config: Config, size: int = 1) -> None:
        if not isinstance(size, Integral) or size < 1:
            raise OpError(f"PredictorPool: size={size!r} must be an int of at least 1")
        first = create_predictor(config)
        self._predictors: list[Predictor] = [first, *(first.clone() for _ in range(size - 1))]

    def retrive(self, index: int) -> Predictor:
        """Return the predictor with this index in the pool. The name `retrive` is Paddle's
        spelling.

        Raises IndexRangeError for an index that does not exist.
        """
        if not 0 <= index < len(self._predictors):
            raise IndexRangeError(
                f"retrive: index {index} is out of range (the pool has {len(self._predictors)} "
                "predictors)"
            )
        return self._predictors[index]

    retrieve = retrive
