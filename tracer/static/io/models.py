"""Models for inference: `.pdmodel` and `.pdiparams`, as files and as bytes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np

from ...compiler.executable import Executable
from ...core import cuda
from ...core.dtype import dtype_of
from ...core.errors import OpError, warn, with_user_line
from ...core.op import Meta
from ...core.tensor import Tensor
from ...export import pdiparams, pdmodel
from ...export.save import atomic_write
from ...ir import program as data
from ...ir.passes.normalize import normalize
from ...ir.passes.upgrade_attrs import upgrade_attrs
from ...ir.scope import Scope, current_scope
from ...jit.layer_capture import PRODUCER, CapturedProgram
from ...jit.model_writer import Model, write_all
from ...jit.save import check_path
from ...loader.files import program_from_bytes
from ...loader.model_files import read_model
from ...loader.params import params_from_bytes
from ..graph.compiled_program import CompiledProgram
from ..graph.default_programs import default_main_program
from ..graph.program import Program
from .normalize import names_of


def _get_valid_program(program: Any = None) -> Program:
    """A program, that of a CompiledProgram, or the main one.

    Raises TypeError for anything else.
    """
    found = default_main_program() if program is None else program
    found = found._program if isinstance(found, CompiledProgram) else found
    if not isinstance(found, Program):
        raise TypeError(with_user_line(f"the program is {type(found).__name__}, no Program"))
    return found


def _program(kwargs: dict[str, Any], known: tuple[str, ...], what: str) -> Program:
    """The program among the configs, the main one unless given.

    Raises ValueError for configs that are not known.
    """
    program = kwargs.pop("program", None) or default_main_program()
    unknown = kwargs.keys() - set(known)
    if unknown:
        raise ValueError(with_user_line(f"{what}: there is no config {sorted(unknown)}"))
    if not isinstance(program, Program):
        program = getattr(program, "program", program)
    return program


def save_inference_model(
    path_prefix: Any, feed_vars: Any, fetch_vars: Any, executor: Any, **kwargs: Any
) -> None:
    """Write `path_prefix`.pdmodel and `path_prefix`.pdiparams: what computes fetch_vars from
    feed_vars, and its values; verified.

    program: the main one unless given; verify=False leaves out the comparison; clip_extra,
    legacy_format are taken and change nothing.
    """
    wanted = kwargs.pop("verify", True)
    program = _program(kwargs, ("clip_extra", "legacy_format"), "save_inference_model")
    prefix = check_path(path_prefix)
    fetches = names_of("fetch_vars", fetch_vars)
    if not fetches:
        raise OpError(
            with_user_line(
                "save_inference_model: fetch_vars names nothing that the model would give"
            )
        )
    desc = normalize(program.raw, names_of("feed_vars", feed_vars), fetches)
    desc.contract = _contract(desc)
    if any(op.type == "auc" for op in desc.ops()):
        # Paddle's words
        warn("Be sure that you have set auc states to 0 before saving inference model.")
    scope = {v.name: current_scope().value(v.name) for v in desc.persistables()}
    judge(desc, {name: tensor.array for name, tensor in scope.items()}, "save_inference_model")
    for name, tensor in scope.items():
        tensor.stop_gradient = desc.block.vars[name].stop_gradient
    recording = CapturedProgram(desc, scope)
    write_all(
        [Model(prefix, recording, _reference(desc) if wanted else None)],
        prefix,
        False,
        parameters=False,
    )


def _contract(desc: data.Program) -> data.Contract:
    """Names of inputs and outputs, and who wrote them."""

    def args(names: list[str]) -> list[data.Arg]:
        return [data.Arg(n, desc.block.vars[n].dtype, desc.block.vars[n].shape, n) for n in names]

    tree = "" if len(desc.fetches()) == 1 else str(list(range(len(desc.fetches()))))
    return data.Contract(args(desc.feeds()), args(desc.fetches()), tree, producer=PRODUCER)


def _reference(desc: data.Program) -> Any:
    """What the files are compared with: a run of the program."""
    ready, scope, feeds = (
        Executable(desc, desc.feeds(), desc.fetches()),
        current_scope(),
        desc.feeds(),
    )

    def run(tensors: list[Tensor]) -> list[Any]:
        return ready.run(
            scope,
            {n: np.asarray(cuda.to_host(t.array)) for n, t in zip(feeds, tensors, strict=True)},
        )

    return run


def load_inference_model(path_prefix: Any, executor: Any, **kwargs: Any) -> list[Any]:
    """[program, names of the inputs, output variables] of a saved model; its values go to the scope
    in force.

    path_prefix: of the files; a folder, with model_filename and params_filename; or None, and these
    are the bytes of the files.
    """
    model, params = kwargs.pop("model_filename", None), kwargs.pop("params_filename", None)
    if kwargs:
        raise ValueError(
            with_user_line(f"load_inference_model: there is no config {sorted(kwargs)}")
        )
    if path_prefix is None:
        if not isinstance(model, bytes):
            raise ValueError(
                with_user_line(
                    "load_inference_model: without path_prefix, model_filename is the bytes of "
                    "the program"
                )
            )
        desc = program_from_bytes(model)
        names = [v.name for v in desc.persistables()]
        values: Any = params_from_bytes(params or b"", names) if names else {}
    else:
        files = read_model(path_prefix, *_names_in(path_prefix, model, params))
        desc, values = files.program, files.values
    desc = upgrade_attrs(desc)
    program = Program.of(desc)
    fill(program, values, current_scope())
    return [program, desc.feeds(), [program.global_block().var(name) for name in desc.fetches()]]


def _names_in(path: Any, model: str | None, params: str | None) -> tuple[str | None, str | None]:
    """The names of the files in a folder, with the endings that Paddle leaves out."""
    if not os.path.isdir(path):
        return model, params
    return tuple(  # type: ignore[return-value]
        name if name is None or (Path(path) / name).exists() else name + end
        for name, end in ((model, ".pdmodel"), (params, ".pdiparams"))
    )


def judge(desc: data.Program, values: Any, what: str) -> None:
    """Raise OpError, listing all values that have another shape or dtype than their variables."""
    problems = []
    for var in desc.persistables():
        array, wanted = values[var.name], Meta(var.shape, dtype_of(var.dtype).np)
        if tuple(array.shape) != var.shape or array.dtype != wanted.dtype:
            problems.append(f"'{var.name}' is {wanted}, the value {Meta(array.shape, array.dtype)}")
    if problems:
        raise OpError(with_user_line(f"{what}: {'; '.join(problems)}"))


def fill(program: Program, values: Any, scope: Scope) -> None:
    """Put the values of all persistable variables into a scope.

    Raises OpError, listing those of another shape or dtype.
    """
    judge(program.raw, values, "load")
    for variable in program.persistables():
        scope.place_of(variable.name).array = values[variable.name]


# -- as bytes
# ------------------------------------------------------------------------------


def serialize_program(feed_vars: Any, fetch_vars: Any, **kwargs: Any) -> bytes:
    """The bytes of the `.pdmodel` that save_inference_model would write.

    program: the main one unless given
    """
    program = _program(kwargs, ("legacy_format",), "serialize_program")
    return pdmodel.to_bytes(
        normalize(program.raw, names_of("feed_vars", feed_vars), names_of("fetch_vars", fetch_vars))
    )


def serialize_persistables(
    feed_vars: Any, fetch_vars: Any, executor: Any, **kwargs: Any
) -> bytes | None:
    """The bytes of the `.pdiparams` that save_inference_model would write, None for a program
    without values.
    """
    program = _program(kwargs, (), "serialize_persistables")
    desc = normalize(
        program.raw, names_of("feed_vars", feed_vars), names_of("fetch_vars", fetch_vars)
    )
    values = {v.name: current_scope().value(v.name).array for v in desc.persistables()}
    return pdiparams.to_bytes(values) if values else None


def deserialize_program(data: bytes) -> Program:
    """The program of such bytes.   Raises FileError for others."""
    return Program.of(program_from_bytes(data))


def deserialize_persistables(program: Program, data: bytes, executor: Any) -> None:
    """Put the values of such bytes into the scope in force.

    Raises FileError where they do not fit the program.
    """
    names = [v.name for v in program.persistables()]
    fill(program, params_from_bytes(data, names), current_scope())


def save_to_file(path: str, content: bytes) -> None:
    """Write bytes to a file, whose folders are created."""
    if not isinstance(content, bytes):
        raise ValueError(
            with_user_line(f"save_to_file: content is {type(content).__name__}, not bytes")
        )
    atomic_write({path: content})


def load_from_file(path: str) -> bytes:
    """The bytes of a file."""
    return Path(path).read_bytes()
