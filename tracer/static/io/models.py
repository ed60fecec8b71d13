"""Inference models: `.pdmodel` and `.pdiparams`, as files and as bytes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...compiler.executable import Executable
from ...core import cuda
from ...core.dtype import parse_dtype
from ...core.errors import OpError, append_user_line, warn
from ...core.op import Meta
from ...core.tensor import Tensor
from ...core.type_aliases import PathLike
from ...export import pdiparams_writer, pdmodel
from ...export.atomic_files import write_files_atomically
from ...ir import program as data
from ...ir.passes.normalize import build_inference_program
from ...ir.passes.upgrade_ops import upgrade_program
from ...ir.scope import Scope, current_scope
from ...jit.layer_capture import PRODUCER_NAME, CapturedProgram
from ...jit.model_writer import (
    PADDLE2,
    ModelToWrite,
    require_program_format,
    write_and_verify_model_files,
)
from ...jit.save import require_path_prefix
from ...loader.model_files import read_model
from ...loader.pdiparams import parse_params
from ...loader.pdmodel import parse_program
from ..executor import Executor
from ..graph.compiled_program import CompiledProgram
from ..graph.default_programs import default_main_program
from ..graph.program import Program
from .normalize import require_variables_and_get_names


def _get_valid_program(program: Any = None) -> Program:
    """Return the program of the argument, which is a Program or a CompiledProgram; the main program
    for None.

    Raises TypeError for other objects.
    """
    program = default_main_program() if program is None else program
    program = program._program if isinstance(program, CompiledProgram) else program
    if not isinstance(program, Program):
        raise TypeError(append_user_line(f"program is {type(program).__name__}, not a Program"))
    return program


def _program_from_kwargs(kwargs: dict[str, Any], known: tuple[str, ...], caller: str) -> Program:
    """Return the keyword argument `program`; the main program by default.

    Raises ValueError for unknown arguments.
    """
    program = _get_valid_program(kwargs.pop("program", None))
    unknown = kwargs.keys() - set(known)
    if unknown:
        raise ValueError(append_user_line(f"{caller}: unknown arguments {sorted(unknown)}"))
    return program


def save_inference_model(
    path_prefix: PathLike,
    feed_vars: Tensor | Sequence[Tensor],
    fetch_vars: Tensor | Sequence[Tensor],
    executor: Executor,
    **kwargs: Any,
) -> None:
    """Save the program that computes outputs from inputs, and its parameters; verify the files.

    Parameters
    ----------
    path_prefix : str
        The files are `path_prefix`.pdmodel and `path_prefix`.pdiparams.
    feed_vars : Variable, or list of Variable
        The inputs.
    fetch_vars : Variable, or list of Variable
        The outputs.
    executor : Executor
        Not used; the values are those of the current scope.
    **kwargs
        - program : Program or CompiledProgram. Default: the main program.
        - format : "paddle2" or "paddle3", default "paddle2". "paddle3" writes `path_prefix`.json,
          the program format of Paddle 3, instead of `path_prefix`.pdmodel.
        - verify : bool, default True. Compare the files with the program.
        - clip_extra, legacy_format: no effect.

    Raises
    ------
    OpError
        If there are no outputs, or if a variable has no value or one of another shape or dtype.
    OperandError
        If inputs or outputs are not Variables; it is a TypeError.
    ValueError
        If an argument is unknown.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> paddle.static.save_inference_model("net", [x], [y], executor, program=main)
    >>> paddle.disable_static()
    >>> paddle.jit.load("net")(paddle.ones([4, 2])).shape
    [4, 3]
    """
    verify = kwargs.pop("verify", True)
    file_format = require_program_format("save_inference_model", kwargs.pop("format", PADDLE2))
    program = _program_from_kwargs(kwargs, ("clip_extra", "legacy_format"), "save_inference_model")
    prefix = require_path_prefix(path_prefix)
    fetches = require_variables_and_get_names("fetch_vars", fetch_vars)
    if not fetches:
        raise OpError(append_user_line("save_inference_model: fetch_vars is empty"))
    desc = build_inference_program(
        program.raw, require_variables_and_get_names("feed_vars", feed_vars), fetches
    )
    desc.contract = _make_contract(desc)
    if any(op.type == "auc" for op in desc.ops()):
        # Paddle's text
        warn("Be sure that you have set auc states to 0 before saving inference model.")
    values = {v.name: current_scope().value(v.name) for v in desc.persistables()}
    check_values_match_declarations(
        desc, {name: tensor.array for name, tensor in values.items()}, "save_inference_model"
    )
    for name, tensor in values.items():
        tensor.stop_gradient = desc.block.vars[name].stop_gradient
    capture = CapturedProgram(desc, values)
    write_and_verify_model_files(
        [
            ModelToWrite(
                prefix, capture, _make_reference_runner(desc) if verify else None, file_format
            )
        ],
        prefix,
        False,
        parameters=False,
    )


def _make_contract(desc: data.Program) -> data.Contract:
    """Return the contract of a model: names of inputs and outputs, and the producer."""

    declared, feeds, fetches = desc.block.vars, desc.feed_names(), desc.fetch_names()
    return data.Contract(
        [declared[n].to_contract_input(n) for n in feeds],
        [data.ContractInputOrOutput(n, declared[n].dtype, declared[n].shape, n) for n in fetches],
        "" if len(fetches) == 1 else str(list(range(len(fetches)))),
        producer=PRODUCER_NAME,
    )


def _make_reference_runner(desc: data.Program) -> Any:
    """Return a function that runs the program in memory. The results of the function are compared
    with the results of the written files.
    """
    feeds = desc.feed_names()
    executable, scope = Executable(desc, feeds, desc.fetch_names()), current_scope()

    def run(tensors: list[Tensor]) -> list[Any]:
        return executable.run(
            scope,
            {n: np.asarray(cuda.to_host(t.array)) for n, t in zip(feeds, tensors, strict=True)},
        )

    return run


def load_inference_model(
    path_prefix: PathLike | None, executor: Executor, **kwargs: Any
) -> list[Any]:
    """Read a saved model, and set its parameters in the current scope.

    Parameters
    ----------
    path_prefix : str or None
        The prefix of the files, or a folder of Paddle 1.x; None if the next arguments are bytes.
    executor : Executor
        Not used; the values are those of the current scope.
    **kwargs
        - model_filename, params_filename : str, or bytes. Names of the files in the folder; if
          `path_prefix` is None, the contents of the files.

    Returns
    -------
    list
        [program, names of the inputs, output Variables]

    Raises
    ------
    FileError
        If a file is missing or invalid.
    OpError
        If values do not fit the program.
    ValueError
        If an argument is unknown, or if `path_prefix` is None without bytes.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> paddle.static.save_inference_model("net", [x], [y], executor, program=main)
    >>> program, feeds, fetches = paddle.static.load_inference_model("net", executor)
    >>> executor.run(program, {feeds[0]: np.ones([4, 2], "float32")}, fetches)[0].shape
    (4, 3)
    >>> paddle.disable_static()
    """
    model, params = kwargs.pop("model_filename", None), kwargs.pop("params_filename", None)
    if kwargs:
        raise ValueError(
            append_user_line(f"load_inference_model: unknown arguments {sorted(kwargs)}")
        )
    if path_prefix is None:
        if not isinstance(model, bytes):
            raise ValueError(
                append_user_line(
                    "load_inference_model: path_prefix is None, so model_filename must be the "
                    "bytes of the program"
                )
            )
        desc = parse_program(model)
        names = [v.name for v in desc.persistables()]
        values: Any = parse_params(params or b"", names) if names else {}
    else:
        files = read_model(
            path_prefix, *_add_missing_suffixes_to_file_names(path_prefix, model, params)
        )
        desc, values = files.program, files.values
    desc = upgrade_program(desc)
    program = Program.view_of_raw(desc)
    check_and_assign_persistables(program, values, current_scope())
    return [
        program,
        desc.feed_names(),
        [program.global_block().var(name) for name in desc.fetch_names()],
    ]


def _add_missing_suffixes_to_file_names(
    path: Any, model: str | None, params: str | None
) -> tuple[str | None, str | None]:
    """Return the file names of the program and of the parameters. If a folder has no file of the
    given name, add the suffix, which Paddle lets users omit.
    """
    if not os.path.isdir(path):
        return model, params
    return tuple(  # type: ignore[return-value]
        name if name is None or (Path(path) / name).exists() else name + suffix
        for name, suffix in ((model, ".pdmodel"), (params, ".pdiparams"))
    )


def check_values_match_declarations(desc: data.Program, values: Any, caller: str) -> None:
    """Raise OpError, listing all values whose shape or dtype differs from that of their
    variable.
    """
    problems = []
    for var in desc.persistables():
        array, declared = values[var.name], Meta(var.shape, parse_dtype(var.dtype).np)
        if tuple(array.shape) != var.shape or array.dtype != declared.dtype:
            problems.append(
                f"'{var.name}' is {declared}, the value {Meta(array.shape, array.dtype)}"
            )
    if problems:
        raise OpError(append_user_line(f"{caller}: {'; '.join(problems)}"))


def check_and_assign_persistables(program: Program, values: Any, scope: Scope) -> None:
    """Assign values to all persistable variables in a scope.

    Raises OpError, listing the values with another shape or dtype.
    """
    check_values_match_declarations(program.raw, values, "load")
    for variable in program.persistables():
        scope.find_or_create(variable.name).array = values[variable.name]


# -- bytes
# ------------------------------------------------------------------------------


def serialize_program(
    feed_vars: Tensor | Sequence[Tensor], fetch_vars: Tensor | Sequence[Tensor], **kwargs: Any
) -> bytes:
    """Return the bytes of the `.pdmodel` of an inference model, without the contract of Oarlock.

    Parameters
    ----------
    feed_vars : Variable, or list of Variable
        The inputs.
    fetch_vars : Variable, or list of Variable
        The outputs.
    **kwargs
        - program : Program or CompiledProgram. Default: the main program.
        - legacy_format: no effect.

    Returns
    -------
    bytes

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> content = paddle.static.serialize_program([x], [y], program=main)
    >>> paddle.static.deserialize_program(content).num_blocks
    1
    >>> paddle.disable_static()
    """
    program = _program_from_kwargs(kwargs, ("legacy_format",), "serialize_program")
    feeds, fetches = (
        require_variables_and_get_names("feed_vars", feed_vars),
        require_variables_and_get_names("fetch_vars", fetch_vars),
    )
    return pdmodel.to_bytes(build_inference_program(program.raw, feeds, fetches))


def serialize_persistables(
    feed_vars: Tensor | Sequence[Tensor],
    fetch_vars: Tensor | Sequence[Tensor],
    executor: Executor,
    **kwargs: Any,
) -> Any:
    """Return the bytes of the `.pdiparams` of an inference model.

    Parameters
    ----------
    feed_vars : Variable, or list of Variable
        The inputs.
    fetch_vars : Variable, or list of Variable
        The outputs.
    executor : Executor
        Not used; the values are those of the current scope.
    **kwargs
        - program : Program or CompiledProgram. Default: the main program.

    Returns
    -------
    bytes or None
        None if the program has no values.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> content = paddle.static.serialize_persistables([x], [y], executor, program=main)
    >>> len(content) > 2 * 3 * 4
    True
    >>> paddle.disable_static()
    """
    program = _program_from_kwargs(kwargs, (), "serialize_persistables")
    feeds, fetches = (
        require_variables_and_get_names("feed_vars", feed_vars),
        require_variables_and_get_names("fetch_vars", fetch_vars),
    )
    desc = build_inference_program(program.raw, feeds, fetches)
    values = {v.name: current_scope().value(v.name).array for v in desc.persistables()}
    return pdiparams_writer.to_bytes(values) if values else None


def deserialize_program(data: bytes) -> Program:
    """Return the program in the bytes of a `.pdmodel` file.

    Parameters
    ----------
    data : bytes

    Returns
    -------
    Program

    Raises
    ------
    FileError
        If the bytes are not a valid program.

    Examples
    --------
    >>> spec = paddle.static.InputSpec([None, 2], "float32", "x")
    >>> paddle.jit.save(nn.Linear(2, 3), "net", input_spec=[spec])
    >>> program = paddle.static.deserialize_program(paddle.static.load_from_file("net.pdmodel"))
    >>> [op.type for op in program.global_block().ops]
    ['feed', 'matmul_v2', 'elementwise_add', 'fetch']
    """
    return Program.view_of_raw(parse_program(data))


def deserialize_persistables(program: Program, data: bytes, executor: Executor) -> None:
    """Set persistable variables in the current scope to the values in the bytes of a `.pdiparams`.

    Parameters
    ----------
    program : Program
    data : bytes
    executor : Executor
        Not used; the values are those of the current scope.

    Raises
    ------
    FileError
        If the bytes are not those of such a file.
    OpError
        If shapes or dtypes do not fit the program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     y = paddle.static.nn.fc(x, 3, bias_attr=False)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> content = paddle.static.serialize_persistables([x], [y], executor, program=main)
    >>> paddle.static.deserialize_persistables(main, content, executor)
    >>> paddle.disable_static()
    """
    names = [v.name for v in program.persistables()]
    check_and_assign_persistables(program, parse_params(data, names), current_scope())


def save_to_file(path: str, content: bytes) -> None:
    """Write bytes to a file. Folders are created.

    Parameters
    ----------
    path : str
    content : bytes

    Raises
    ------
    ValueError
        If `content` is not bytes.

    Examples
    --------
    >>> paddle.static.save_to_file("folder/data", b"abc")
    >>> paddle.static.load_from_file("folder/data")
    b'abc'
    """
    if not isinstance(content, bytes):
        raise ValueError(
            append_user_line(f"save_to_file: content is {type(content).__name__}, not bytes")
        )
    write_files_atomically({path: content})


def load_from_file(path: str) -> bytes:
    """Return the bytes of a file.

    Parameters
    ----------
    path : str

    Returns
    -------
    bytes

    Raises
    ------
    FileNotFoundError
        If the file does not exist.

    Examples
    --------
    >>> paddle.static.save_to_file("data", b"abc")
    >>> paddle.static.load_from_file("data")
    b'abc'
    """
    return Path(path).read_bytes()
