"""Convert saved models between the formats of Paddle 2 (`.pdmodel`) and Paddle 3 (`.json`)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from ..compiler import CompiledProgram
from ..compiler.unsupported_ops import UnsupportedOpsError
from ..core.tensor import Tensor
from ..export import pdiparams_info, pdiparams_writer
from ..export.atomic_files import stage_and_replace_files
from ..ir.program import Contract
from ..loader.model_files import (
    INFO,
    PARAMS,
    ModelFileContents,
    read_model,
    read_non_forward_methods,
)
from ..loader.pir_conversion import program_file_to_pdmodel_bytes
from ..loader.translated_layer import TranslatedLayer
from .model_writer import pdmodel_to_format, program_suffix, require_program_format
from .verify import ReferenceFunction, run_compiled_program, verify_files_against_reference


def convert_paddle_format(
    source: str | os.PathLike[str], target: str | os.PathLike[str], to: str, verify: bool = True
) -> dict[str, str]:
    """Write a saved model, with all its methods, in another format.

    source: the path prefix of a model, one of its files, or its directory.
    target: the path prefix of the new files. If the prefix is that of `source`, only the programs
    are written, because both formats use the same `.pdiparams`.
    to: 'paddle2' (`.pdmodel`) or 'paddle3' (`.json`).
    verify: run the new files and compare the results with those of `source`.

    Returns a line about the verification for the path of each program. No file changes if anything
    fails. Raises FileError for invalid files, UnsupportedError that lists all ops without an
    equivalent, VerifyError if the results differ.
    """
    suffix = program_suffix(require_program_format("export", to))
    prefix = os.fspath(target)
    models = {"": read_model(source)}
    models |= {f".{name}": model for name, model in read_non_forward_methods(source).items()}
    files: dict[Any, Any] = {}
    for method, model in models.items():
        params_path = prefix + method + PARAMS
        files[prefix + method + suffix] = pdmodel_to_format(model.pdmodel, to, model.name)
        if model.values and not _is_same_file(model.params_path, params_path):
            files[params_path] = pdiparams_writer.iter_serialized_file_chunks(model.values)
    if models[""].info and not os.path.exists(prefix + INFO):
        files[prefix + INFO] = pdiparams_info.to_bytes(models[""].info.values())
    reports = {}
    with stage_and_replace_files(files) as staged:
        for method, model in models.items():
            path = prefix + method + suffix
            pdmodel = program_file_to_pdmodel_bytes(files[path], os.path.basename(path))
            params_path = prefix + method + PARAMS
            params = str(staged.get(params_path, params_path)) if model.values else None
            reports[path] = (
                verify_files_against_interpreter(model, pdmodel, params)
                if verify
                else "not verified"
            )
    return reports


def _is_same_file(one: str | None, other: str) -> bool:
    return one is not None and os.path.exists(other) and os.path.samefile(one, other)


def verify_files_against_interpreter(
    model: ModelFileContents,
    pdmodel: bytes,
    params: str | None,
    known_inputs: Mapping[str, Any] | None = None,
) -> str:
    """Compare the results of written files with those of the interpreter for `model`; return a
    one-line report.

    params: the path of the parameters.
    known_inputs: inputs that the model accepts, by name.
    """
    try:
        scope, interpret = scope_and_interpreter_adding_contract(model)
    except UnsupportedOpsError as error:
        return f"not verified: the interpreter cannot run it: {str(error).splitlines()[0]}"
    contract = model.program.contract
    names = [arg.name for arg in contract.inputs] if contract else []
    known = known_inputs or {}
    tensors = [Tensor(known[n]) for n in names] if known and all(n in known for n in names) else []
    return verify_files_against_reference(model.program, pdmodel, params, scope, interpret, tensors)


def scope_and_interpreter_adding_contract(
    model: ModelFileContents,
) -> tuple[dict[str, Tensor], ReferenceFunction]:
    """Return the values of a saved model, and a function that interprets its program. If the
    program has no contract, one is added to it.

    Raises UnsupportedOpsError for ops without a kernel.
    """
    layer = TranslatedLayer(model)
    if model.program.contract is None:
        method = layer._saved_method("forward")
        model.program.contract = Contract(inputs=method.inputs, outputs=method.outputs)
    compiled = CompiledProgram(model.program)

    def interpret(tensors: list[Tensor]) -> list[Any]:
        return run_compiled_program(compiled, layer._scope, [t.array for t in tensors])

    return layer._scope, interpret
