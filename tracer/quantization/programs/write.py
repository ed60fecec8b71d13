"""Write rewritten models: as Paddle's files, which are verified before files are replaced, and as
temporary files for exports.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ...core.errors import OpError
from ...export import pdiparams_info, pdiparams_writer, pdmodel
from ...export.atomic_files import (
    adding_missing_error_filename,
    stage_and_replace_files,
)
from ...ir.verifier import find_problems
from ...jit.model_writer import PADDLE2, PADDLE3, pdmodel_to_format, program_suffix
from ...jit.paddle_format_conversion import verify_files_against_interpreter
from ...loader.model_files import INFO, PADDLE3_MODEL, PARAMS, ModelFileContents, model_prefix
from ...loader.pir_conversion import program_file_to_pdmodel_bytes
from .model import ProgramWithValues


def write_and_verify_model(
    source: ModelFileContents,
    model: ProgramWithValues,
    target: str | os.PathLike[str],
    sample: Mapping[str, Any] | None = None,
    file_format: str = "",
) -> tuple[dict[str, int], str]:
    """Write a rewritten model, and verify it.

    target: the path prefix of the files.
    sample: inputs that the model accepts, by name.
    file_format: 'paddle2' or 'paddle3'; by default that of the source.

    Returns the sizes of the files and one line about the verification. Raises OpError for a prefix
    whose files are those of the source, UnsupportedError for ops without an equivalent in the
    format, and VerifyError if engine and interpreter return different results. No file changes if
    anything fails.
    """
    prefix = model_prefix(target)
    require_other_params_file_than_source(source, target)
    problems = find_problems(model.program)
    if problems:
        raise OpError("quantize: the rewritten program is not legal:\n  " + "\n  ".join(problems))
    if not file_format:
        file_format = PADDLE3 if source.name.endswith(PADDLE3_MODEL) else PADDLE2
    path = prefix + program_suffix(file_format)
    other_path = prefix + program_suffix(PADDLE2 if file_format == PADDLE3 else PADDLE3)

    def program_bytes() -> bytes:
        data = pdmodel.to_bytes(model.program)
        return pdmodel_to_format(data, file_format, os.path.basename(path))

    files: dict[Any, Any] = {
        path: program_bytes(),
        other_path: None,
        prefix + PARAMS: pdiparams_writer.iter_serialized_file_chunks(model.values)
        if model.values
        else None,
        prefix + INFO: pdiparams_info.to_bytes(_var_info_rows(source, model))
        if model.values
        else None,
    }
    with stage_and_replace_files(files) as staged:
        params = str(staged[prefix + PARAMS]) if model.values else None
        data = program_file_to_pdmodel_bytes(files[path], os.path.basename(path))
        written = as_model_file_contents(source, model, os.path.basename(path), data, params)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the report contains the text of the warnings
            report = verify_files_against_interpreter(written, data, params, sample)
        contract = model.program.contract
        if contract is not None:
            contract.verified = report
            with adding_missing_error_filename(path):
                Path(staged[path]).write_bytes(program_bytes())
    sizes = {p: os.path.getsize(p) for p, content in files.items() if content is not None}
    return sizes, report


def require_other_params_file_than_source(
    source: ModelFileContents, target: str | os.PathLike[str]
) -> None:
    """Raise OpError if the `.pdiparams` of `target` would replace that of the float model."""
    prefix = model_prefix(target)
    path = source.params_path
    if path and os.path.realpath(path) == os.path.realpath(prefix + PARAMS):
        raise OpError(
            f"quantize: {os.path.basename(prefix)} is the prefix of the float model; give another "
            "one with --output"
        )


def _var_info_rows(
    source: ModelFileContents, model: ProgramWithValues
) -> Sequence[pdiparams_info.VarInfo]:
    """Return the rows of the `.pdiparams.info` file: those of the parameters that remain, and new
    rows for new values.
    """
    rows = source.info or {}
    return [
        rows.get(name, pdiparams_info.VarInfo(name, name, stop_gradient=True))
        for name in model.values
    ]


def as_model_file_contents(
    source: ModelFileContents,
    model: ProgramWithValues,
    name: str,
    data: bytes,
    params: str | None,
) -> ModelFileContents:
    """Return a rewritten model as the contents of files."""
    info = {row.name: row for row in _var_info_rows(source, model)}
    return ModelFileContents(name, model.program, data, model.values, params, info)


@contextmanager
def model_with_temporary_parameter_file(
    source: ModelFileContents, model: ProgramWithValues
) -> Iterator[ModelFileContents]:
    """Provide a rewritten model with a temporary parameter file, for exports that store the weights
    in the exported file.
    """
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        params = None
        if model.values:
            params = os.path.join(folder, "model" + PARAMS)
            with open(params, "wb") as file:
                pdiparams_writer.write(model.values, file)
        data = pdmodel.to_bytes(model.program)
        yield as_model_file_contents(source, model, source.name, data, params)
