"""`inference.Predictor`: run a model through handles of its inputs and outputs."""

from __future__ import annotations

import operator
import os
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from numbers import Integral
from pathlib import Path
from typing import Any, overload

import numpy as np

from ..core import tensor as eager
from ..core.dtype import DTYPE_BY_NP
from ..core.errors import FileError, IndexRangeError, OperandError, OpError, append_user_line
from ..loader.engine import Array, Engine
from ..loader.model_files import read_model
from ..loader.pdmodel import read_program_file_bytes
from ..loader.program_engine import combined_params_path
from .config import Config
from .enums import DataType


class Tensor:
    """A handle of an input or output of a predictor, which reads or sets its value.

    Returned by `Predictor.get_input_handle` and `get_output_handle`.

    Parameters
    ----------
    name : str
    dtype : str
    shape : list of int or str
        The declared shape; a str is the name of a dynamic dimension.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
    >>> x = predictor.get_input_handle("x")
    >>> x.copy_from_cpu(np.ones([4, 2], "float32"))
    >>> x.shape(), x.type()
    ([4, 2], <DataType.FLOAT32: 'float32'>)
    """

    def __init__(self, name: str, dtype: str, shape: Sequence[int | str]) -> None:
        self._name, self._dtype = name, dtype
        self._declared_shape = [d if isinstance(d, int) else -1 for d in shape]
        self._requested_shape: list[int] | None = None
        self._array: Array | None = None
        self._lod_handle: Tensor | None = None

    def name(self) -> str:
        """Return the name of the input or output.

        Returns
        -------
        str

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.name()
        'x'
        """
        return self._name

    def reshape(self, shape: Sequence[int]) -> None:
        """Set the shape that `shape` returns until the handle has a value.

        `copy_from_cpu` replaces the shape by that of the ndarray.

        Parameters
        ----------
        shape : list of int

        Raises
        ------
        OperandError
            If `shape` is not a list of ints.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.reshape([4, 2])
        >>> x.shape()
        [4, 2]
        """
        try:
            self._requested_shape = list(map(operator.index, shape))
        except TypeError:
            raise OperandError(
                append_user_line(f"reshape: shape={shape!r:.80} must be a list of ints")
            ) from None

    def copy_from_cpu(self, data: Array) -> None:
        """Copy an ndarray into an input.

        The input gets the shape of the ndarray, whatever an earlier call of `reshape` set.
        `Predictor.run` checks shape and dtype.

        Parameters
        ----------
        data : ndarray

        Raises
        ------
        TypeError
            If `data` is not an ndarray.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.copy_from_cpu(np.ones([4, 2], "float32"))
        """
        if not isinstance(data, np.ndarray):
            raise TypeError(
                f"copy_from_cpu: input '{self._name}' requires an ndarray, not "
                f"{type(data).__name__}"
            )
        self._array = np.array(data, order="C")

    def share_external_data(self, data: eager.Tensor | Array) -> None:
        """Use a Tensor or ndarray as the value of an input, without a copy if it is C-contiguous.

        It must not change until the run has finished.

        Parameters
        ----------
        data : Tensor or ndarray

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.share_external_data(paddle.ones([4, 2]))
        >>> predictor.run()
        True
        """
        array = data.array if isinstance(data, eager.Tensor) else data
        self._array = np.asarray(array, order="C")

    def copy_to_cpu(self) -> Array:
        """Return the value, without a copy despite the name of the method.

        Returns
        -------
        ndarray
            For an output, the result of the last run.

        Raises
        ------
        OpError
            If there is no value yet.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.copy_from_cpu(np.ones([4, 2], "float32"))
        >>> predictor.run()
        True
        >>> predictor.get_output_handle("out").copy_to_cpu().shape
        (4, 3)
        """
        if self._array is None:
            raise OpError(append_user_line(f"copy_to_cpu: '{self._name}' has no content yet"))
        return self._array

    def shape(self) -> list[int]:
        """Return the shape of the value, or the declared shape if there is no value.

        Returns
        -------
        list of int
            The declared shape has -1 for dynamic dimensions.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.shape()
        [-1, 2]
        """
        if self._array is not None:
            return list(self._array.shape)
        return self._requested_shape if self._requested_shape is not None else self._declared_shape

    def type(self) -> DataType:
        """Return the dtype of the value, or the declared dtype if there is no value.

        Returns
        -------
        DataType

        Raises
        ------
        OpError
            If the value has a dtype that no DataType exists for.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.type()
        <DataType.FLOAT32: 'float32'>
        """
        if self._array is None:
            return DataType(self._dtype)
        dtype = DTYPE_BY_NP.get(self._array.dtype.newbyteorder("="))
        if dtype is None or dtype.name not in {kind.value for kind in DataType}:
            raise OpError(
                append_user_line(
                    f"type: '{self._name}' has elements of the unsupported type {self._array.dtype}"
                )
            )
        return DataType(dtype.name)

    def lod(self) -> list[list[int]]:
        """Return the LoD, the row splits of packed sequences.

        Returns
        -------
        list of list of int
            What was passed to `set_lod`; for an output, that of the last run. Empty without
            sequences.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.lod()
        []
        """
        return (
            []
            if self._lod_handle is None or self._lod_handle._array is None
            else [self._lod_handle._array.tolist()]
        )

    def set_lod(self, lod: Sequence[Sequence[int]]) -> None:
        """Set the LoD of an input, the row splits of its packed sequences.

        Parameters
        ----------
        lod : list of list of int
            One level, such as [[0, 3, 7]] for sequences of 3 and 4 rows.

        Raises
        ------
        OpError
            If there is more than one level, or if the input has no sequences in the model.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> x = predictor.get_input_handle("x")
        >>> x.set_lod([])
        >>> x.set_lod([[0, 1]])
        Traceback (most recent call last):
        oarlock.core.errors.OpError: set_lod: 'x' has no packed sequences (LoD) in the model...
        """
        if not len(lod) and self._lod_handle is None:
            return
        if self._lod_handle is None:
            raise OpError(
                append_user_line(
                    f"set_lod: '{self._name}' has no packed sequences (LoD) in the model; pass "
                    "padded sequences and their lengths"
                )
            )
        if len(lod) != 1:
            raise OpError(
                append_user_line(
                    f"set_lod: '{self._name}' requires one level of LoD, not {len(lod)}"
                )
            )
        self._lod_handle._array = np.array(lod[0], "int64")


class Predictor:
    """Runs a model. Created by `create_predictor`.

    A predictor and its handles belong to one thread; `clone` returns a predictor for another thread
    that shares the engine.

    Parameters
    ----------
    engine : Engine

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
    >>> predictor.get_input_handle("x").copy_from_cpu(np.ones([4, 2], "float32"))
    >>> predictor.run()
    True
    >>> predictor.get_output_handle("out").copy_to_cpu().shape
    (4, 3)
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

        Returns
        -------
        list of str

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.get_input_names()
        ['x']
        """
        return self._names_of_non_lod_handles(self._inputs)

    def get_output_names(self) -> list[str]:
        """Return the names of the outputs in the model's order.

        Returns
        -------
        list of str

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.get_output_names()
        ['out']
        """
        return self._names_of_non_lod_handles(self._outputs)

    def _names_of_non_lod_handles(self, handles: dict[str, Tensor]) -> list[str]:
        return [name for name in handles if name not in self._lod_names]

    def get_input_handle(self, name: str) -> Tensor:
        """Return the handle of an input.

        Parameters
        ----------
        name : str

        Returns
        -------
        inference.Tensor

        Raises
        ------
        OpError
            If there is no input of this name.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.get_input_handle("x").shape()
        [-1, 2]
        """
        return _require_handle(self._inputs, name, "input")

    def get_output_handle(self, name: str) -> Tensor:
        """Return the handle of an output.

        Parameters
        ----------
        name : str

        Returns
        -------
        inference.Tensor

        Raises
        ------
        OpError
            If there is no output of this name.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.get_output_handle("out").shape()
        [-1, 3]
        """
        return _require_handle(self._outputs, name, "output")

    @overload
    def run(self, inputs: None = None) -> bool: ...
    @overload
    def run(self, inputs: Sequence[eager.Tensor | Array]) -> list[eager.Tensor]: ...
    def run(self, inputs: Sequence[eager.Tensor | Array] | None = None) -> Any:
        """Compute all outputs.

        Parameters
        ----------
        inputs : list of Tensor or ndarray, optional
            The inputs in the model's order. Default: the values of the input handles.

        Returns
        -------
        list of Tensor, or True
            The outputs if `inputs` is given; else the outputs are stored in their handles, and True
            is returned.

        Raises
        ------
        OpError
            If inputs are missing, or if shapes or dtypes do not fit.
        GuardError
            If a guard of the model is violated.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> (y,) = predictor.run([np.ones([4, 2], "float32")])
        >>> y.shape
        [4, 3]
        """
        if inputs is not None:
            if not isinstance(inputs, Sequence) or isinstance(inputs, str):
                raise OperandError(
                    append_user_line(
                        "run: inputs must be a list of Tensors or arrays in the model's order, "
                        f"not {type(inputs).__name__}"
                    )
                )
            arrays = [x.array if isinstance(x, eager.Tensor) else np.asarray(x) for x in inputs]
            fetch = self.get_output_names() if self._lod_names else None
            return [eager.Tensor(array) for array in self._engine.run(arrays, fetch)]
        arrays = []
        for handle in self._input_handles:
            if handle._array is None:
                raise OpError(append_user_line(f"run: {self._missing_input_message()}"))
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

    def clone(self, stream: object = None) -> Predictor:
        """Return another predictor with the same engine and weights, but with its own handles.

        Parameters
        ----------
        stream : optional
            Not used.

        Returns
        -------
        Predictor

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.clone().get_input_names()
        ['x']
        """
        return Predictor(self._engine)

    def clear_intermediate_tensor(self) -> None:
        """Do nothing: the engine stores no intermediate tensors between runs.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.clear_intermediate_tensor()
        """

    def try_shrink_memory(self) -> int:
        """Return the number of released bytes, which is 0: the engine keeps nothing to release.

        Returns
        -------
        int
            0.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
        >>> predictor.try_shrink_memory()
        0
        """
        return 0


def _require_handle(handles: dict[str, Tensor], name: str, kind: str) -> Tensor:
    if name not in handles:
        raise OpError(
            append_user_line(
                f"get_{kind}_handle: no {kind} '{name}' (the model has {', '.join(handles)})"
            )
        )
    return handles[name]


def create_predictor(config: Config) -> Predictor:
    """Read the model of a Config and create a Predictor.

    Parameters
    ----------
    config : Config

    Returns
    -------
    Predictor

    Raises
    ------
    OpError
        If the Config has no model.
    FileError
        If a file is missing or invalid.
    UnsupportedError
        If the engine lacks ops of the model; the message lists all of them.
    EngineError
        If the engine fails, for example because the device is not available.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> predictor = paddle.inference.create_predictor(paddle.inference.Config("net"))
    >>> predictor.get_input_names(), predictor.get_output_names()
    (['x'], ['out'])
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
            raise OpError(
                append_user_line("create_predictor: the Config has no model; call set_model")
            )
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
    """A list of predictors that share one engine, for several threads.

    Parameters
    ----------
    config : Config
    size : int, default 1
        Number of predictors, at least 1.

    Raises
    ------
    OpError
        If `size` is not an int of at least 1. The errors of `create_predictor` are raised as well.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> pool = paddle.inference.PredictorPool(paddle.inference.Config("net"), size=2)
    >>> pool.retrive(1).run([np.ones([4, 2], "float32")])[0].shape
    [4, 3]
    """

    def __init__(self, config: Config, size: int = 1) -> None:
        if not isinstance(size, Integral) or size < 1:
            raise OpError(
                append_user_line(f"PredictorPool: size={size!r} must be an int of at least 1")
            )
        first = create_predictor(config)
        self._predictors: list[Predictor] = [first, *(first.clone() for _ in range(size - 1))]

    def retrive(self, index: int) -> Predictor:
        """Return a predictor of the pool.

        The name is Paddle's spelling; `retrieve` is the same method.

        Parameters
        ----------
        index : int
            From 0 to size - 1.

        Returns
        -------
        Predictor

        Raises
        ------
        IndexRangeError
            If the index does not exist; it is an IndexError.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
        >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
        >>> pool = paddle.inference.PredictorPool(paddle.inference.Config("net"))
        >>> pool.retrive(0).get_input_names()
        ['x']
        """
        if not 0 <= index < len(self._predictors):
            raise IndexRangeError(
                append_user_line(
                    f"retrive: index {index} is out of range (the pool has {len(self._predictors)} "
                    "predictors)"
                )
            )
        return self._predictors[index]

    retrieve = retrive
