"""Write the files of captured programs: check the programs, write to a staging folder, verify, and
replace the previous files atomically.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..core.errors import OpError
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..export import pdiparams_info, pdiparams_writer, pdmodel
from ..export.atomic_files import (
    adding_missing_error_filename,
    overwrite_staged_file,
    stage_and_replace_files,
    write_files_atomically,
)
from ..ir.program import Program
from ..ir.verifier import find_problems
from ..loader.model_files import MODEL, PADDLE3_MODEL, find_non_forward_method_prefixes
from ..loader.pir_conversion import convert_pdmodel_to_pir, program_file_to_pdmodel_bytes
from .layer_capture import CapturedProgram
from .verify import ReferenceFunction, verify_files_against_reference

FileContents = dict[str | os.PathLike[str], Any]
PADDLE2, PADDLE3 = "paddle2", "paddle3"
_log = logging.getLogger("oarlock.jit")
_SUFFIX_BY_FORMAT = {PADDLE2: MODEL, PADDLE3: PADDLE3_MODEL}


@dataclass
class ModelToWrite:
    """A program to be written.

    prefix: the path prefix of the files.
    reference: a function that computes the results with which those of the files are compared; None
    for no comparison.
    format: the format of the program file: 'paddle2' (`.pdmodel`) or 'paddle3' (`.json`).
    """

    prefix: str
    recording: CapturedProgram
    reference: ReferenceFunction | None
    format: str = PADDLE2

    @property
    def program(self) -> Program:
        """The program to be written."""
        return self.recording.program

    @property
    def program_path(self) -> str:
        """The path of the program file."""
        return self.prefix + _SUFFIX_BY_FORMAT[self.format]

    @property
    def other_format_path(self) -> str:
        """The path that the program file would have in the format that is not written. An old
        program file at this path would use the new parameters.
        """
        return self.prefix + _SUFFIX_BY_FORMAT[PADDLE2 if self.format == PADDLE3 else PADDLE3]

    def program_bytes(self) -> bytes:
        """Return the content of the program file."""
        data = pdmodel.to_bytes(self.program)
        return pdmodel_to_format(data, self.format, os.path.basename(self.prefix))


def write_and_verify_model_files(
    models: Sequence[ModelToWrite], prefix: str, combined: bool, parameters: bool = True
) -> None:
    """Write and verify the programs of one model. If writing or verification fails, no existing
    file changes.

    combined: write all values to `prefix`.pdiparams.
    parameters: also write `prefix`.pdiparams.info.

    Files of other methods that a previous model at `prefix` had are removed.
    """
    for model in models:
        _check_program_and_drop_unused_values(model)
    if combined:
        _declare_all_values_in_every_program(models)
    previous_methods = [
        at
        for at in find_non_forward_method_prefixes(prefix).values()
        if os.path.exists(at + ".pdiparams")
    ]
    files: FileContents = {
        at + end: None for at in previous_methods for end in (MODEL, PADDLE3_MODEL, ".pdiparams")
    }
    sources = {model.prefix: prefix if combined else model.prefix for model in models}
    for model in models:
        values = {name: t.array for name, t in model.recording.scope.items()}
        files[model.prefix + ".pdiparams"] = None
        files[sources[model.prefix] + ".pdiparams"] = (
            pdiparams_writer.iter_serialized_file_chunks(values) if values else None
        )
        files[model.program_path] = model.program_bytes()
        files[model.other_format_path] = None
    infos = {row.name: row for model in models for row in parameter_infos(model.recording)}
    files[prefix + ".pdiparams.info"] = (
        pdiparams_info.to_bytes(infos.values()) if infos and parameters else None
    )
    if not infos:
        warnings.warn(
            f"{os.path.basename(prefix)}: there are no parameters; only the program is written",
            stacklevel=4,
        )
    with stage_and_replace_files(files) as staged_paths:
        for model in models:
            _verify_and_mark_staged_model(
                model, staged_paths.get(sources[model.prefix] + ".pdiparams"), staged_paths, files
            )
    for model in models:
        verified = model.recording.contract.verified or "not verified"
        _log.info("%s: saved; %s", model.program_path, verified)


def write_paddle1_folder(recording: CapturedProgram, folder: str) -> None:
    """Write a model in the layout of Paddle 1.x: the program as `folder`/__model__, and one file
    per value.
    """
    _check_program_and_drop_unused_values(ModelToWrite(folder, recording, None))
    values = {name: t.array for name, t in recording.scope.items()}
    files = {
        os.path.join(folder, name): pdiparams_writer.iter_serialized_record_chunks(name, array)
        for name, array in values.items()
    }
    write_files_atomically(
        {**files, os.path.join(folder, "__model__"): pdmodel.to_bytes(recording.program)}
    )


def _check_program_and_drop_unused_values(model: ModelToWrite) -> None:
    """Raise OpError for an invalid program. Remove from the scope the values that the program does
    not declare as persistable.
    """
    persistable_names = {v.name for v in model.program.persistables()}
    model.recording.scope = {
        name: t for name, t in model.recording.scope.items() if name in persistable_names
    }
    problems = find_problems(model.program)
    if problems:
        raise OpError("the recorded program is invalid:\n  " + "\n  ".join(problems))


def _declare_all_values_in_every_program(models: Sequence[ModelToWrite]) -> None:
    """Declare the values of all programs in every program, so that one parameter file serves all of
    them.
    """
    scope = {name: t for model in models for name, t in model.recording.scope.items()}
    declared = {v.name: v for model in models for v in model.program.persistables()}
    for model in models:
        block = model.program.block
        block.vars.update(
            {name: replace(v) for name, v in declared.items() if name not in block.vars}
        )
        model.recording.scope = dict(scope)


def _verify_and_mark_staged_model(
    model: ModelToWrite, params: Path | None, staged_paths: dict[str, Path], files: FileContents
) -> None:
    """Compare the written files with the reference, and store the result in the program."""
    if model.reference is None:
        return
    path = model.program_path
    data = program_file_to_pdmodel_bytes(files[path], os.path.basename(path))
    model.recording.contract.verified = verify_files_against_reference(
        model.program,
        data,
        None if params is None else str(params),
        model.recording.scope,
        model.reference,
        model.recording.inputs,
        model.recording.accepted_input_shapes,
    )
    data = pdmodel.with_verification_result(data, model.recording.contract.verified)
    with adding_missing_error_filename(path):
        overwrite_staged_file(
            staged_paths[path],
            pdmodel_to_format(data, model.format, os.path.basename(model.prefix)),
        )


def program_suffix(file_format: str) -> str:
    """Return the file name suffix of programs in a format: `.pdmodel` or `.json`."""
    return _SUFFIX_BY_FORMAT[file_format]


def pdmodel_to_format(data: bytes, file_format: str, name: str) -> bytes:
    """Convert the content of a `.pdmodel` file to the content of a program file in the format
    `file_format`.
    """
    return data if file_format == PADDLE2 else convert_pdmodel_to_pir(data, name)


def require_program_format(what: str, name: Any) -> str:
    """Return `name` unchanged. Raises ValueError unless `name` is a program format, 'paddle2' or
    'paddle3'.
    """
    if name not in _SUFFIX_BY_FORMAT:
        raise ValueError(f"{what}: format should be 'paddle2' or 'paddle3', not {name!r}")
    return str(name)


def parameter_infos(recording: CapturedProgram) -> list[pdiparams_info.VarInfo]:
    """Return the entries of the file `.pdiparams.info`, which describe the parameters."""
    return [
        pdiparams_info.VarInfo(
            name,
            recording.structured_names.get(name, name),
            t.stop_gradient,
            _trainable_flag_or_none(t),
        )
        for name, t in recording.scope.items()
    ]


def _trainable_flag_or_none(tensor: Tensor) -> bool | None:
    return not tensor.stop_gradient if isinstance(tensor, Parameter) else None
