"""Find, read and validate the files of a model: the program, its parameters, and their names in the
layer.
"""

from __future__ import annotations

import difflib
import glob
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..core.errors import FileError
from ..export.pdiparams_info import VarInfo
from ..ir.program import Program
from .foreign_files import NUM_FIRST_BYTES, describe_foreign_file
from .pdiparams import load_params, load_params_folder
from .pdiparams_info import load_info
from .pdmodel import parse_program, read_program_file_bytes
from .pir_conversion import program_file_to_pdmodel_bytes
from .regular_files import open_regular

MODEL, PARAMS, INFO = ".pdmodel", ".pdiparams", ".pdiparams.info"
PADDLE3_MODEL = ".json"
_NUM_HEADER_BYTES = 4096
_MAX_SUGGESTED_FILES = 10_000  # of a folder, whose names are compared with a misspelled one
_DIRECTORY_STEMS = ("inference", "model")  # file names of published model directories


@dataclass
class ModelFileContents:
    """The contents of the files of one program.

    pdmodel: the bytes of the program.
    params_path: the path of the parameters; None if there are none.
    info: the rows of the `.pdiparams.info`; None if there is no such file.
    """

    name: str
    program: Program
    pdmodel: bytes
    values: Mapping[str, Any]
    params_path: str | None
    info: dict[str, VarInfo] | None


def model_prefix(path: str | os.PathLike[str]) -> str:
    """Return the path prefix of a model, given the prefix, the path of one of its files, or a
    directory that contains `inference.json`, `inference.pdmodel`, `model.json` or `model.pdmodel`.
    """
    text = os.fspath(path)
    for suffix in (INFO, PARAMS, MODEL, PADDLE3_MODEL):
        if text.endswith(suffix):
            return text[: -len(suffix)]
    if os.path.isdir(text) and not _has_program_file_at_prefix(text):
        for stem in _DIRECTORY_STEMS:
            if _has_program_file_at_prefix(os.path.join(text, stem)):
                return os.path.join(text, stem)
    return text


def model_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a model: the last part of its path prefix, or the name of the folder if
    `path` is a folder with a model of one of the fixed names `inference` and `model`.
    """
    prefix = model_prefix(path)
    is_directory = os.path.isdir(path) and prefix != os.fspath(path)
    return os.path.basename(os.path.abspath(path if is_directory else prefix))


def _suggest_prefix(prefix: str) -> str:
    """Return `, did you mean X?` for the model in the same folder with the most similar name, or
    ''.
    """
    folder, name = os.path.split(prefix)
    try:
        files = sorted(os.listdir(folder or "."))
    except OSError:
        return ""
    stems = (os.path.splitext(file) for file in files[:_MAX_SUGGESTED_FILES])
    names = [stem for stem, suffix in stems if suffix in (MODEL, PADDLE3_MODEL)]
    close = difflib.get_close_matches(name, names, n=1)
    return f", did you mean {os.path.join(folder, close[0])}?" if close else ""


def _has_program_file_at_prefix(prefix: str) -> bool:
    return os.path.exists(prefix + MODEL) or os.path.exists(prefix + PADDLE3_MODEL)


def existing_program_suffix(path: str | os.PathLike[str], prefix: str) -> str:
    """Return the suffix of the program file at a path prefix: the suffix of `path` if `path` ends
    with one. If `path` has no suffix, return `.json` if only the `.json` exists, else
    `.pdmodel`.
    """
    text = os.fspath(path)
    if text.endswith(PADDLE3_MODEL) or (
        not os.path.exists(prefix + MODEL)
        and not text.endswith(MODEL)
        and os.path.exists(prefix + PADDLE3_MODEL)
    ):
        return PADDLE3_MODEL
    return MODEL


def _read_pdmodel_bytes_and_program(path: str) -> tuple[bytes, Program]:
    """Read the program file at `path`; return the bytes of the equivalent `.pdmodel` and the parsed
    program.
    """
    name = os.path.basename(path)
    data = program_file_to_pdmodel_bytes(read_program_file_bytes(path), name)
    return data, parse_program(data, name)


def read_model(
    path: str | os.PathLike[str],
    model_filename: str | None = None,
    params_filename: str | None = None,
) -> ModelFileContents:
    """Read the model at a prefix (`path`.pdmodel, ...), or in a folder of Paddle 1.x
    (`path`/__model__, ...). Raises FileError.

    model_filename, params_filename: of a folder; without params_filename each parameter has a file.
    """
    if not os.fspath(path):
        raise FileError("the path of a model is empty")
    prefix = model_prefix(path)
    if os.path.isdir(path) and not (
        _has_program_file_at_prefix(prefix)
        and _are_file_names_of_prefix(prefix, model_filename, params_filename)
    ):
        return _read_paddle1_folder(Path(path), model_filename or "__model__", params_filename)
    file = prefix + existing_program_suffix(path, prefix)
    if not os.path.exists(file):
        if os.path.isfile(path):
            with open_regular(path) as opened:
                foreign = describe_foreign_file(opened.read(NUM_FIRST_BYTES), os.fspath(path))
            name = os.path.basename(path)
            raise FileError(f"{name} {foreign or 'is not a model of Paddle'}")
        if _has_program_file_at_prefix(prefix):  # with the other suffix
            other = prefix + existing_program_suffix(prefix, prefix)
            raise FileError(
                f"{os.path.basename(file)}: there is no file {file}, did you mean {other}?"
            )
        raise FileError(
            f"{os.path.basename(prefix)}: there is neither {prefix + MODEL} nor "
            f"{prefix + PADDLE3_MODEL} nor a folder of that name{_suggest_prefix(prefix)}"
        )
    pdmodel, program = _read_pdmodel_bytes_and_program(file)
    return _load_params_and_make_contents(
        os.path.basename(file),
        program,
        pdmodel,
        prefix + PARAMS,
        _load_params_info_if_exists(prefix),
    )


def _are_file_names_of_prefix(
    prefix: str, model_filename: str | None, params_filename: str | None
) -> bool:
    """Whether the file names that a caller requests are those of the model at the path prefix
    `prefix`; None requests the default name.
    """
    stem = os.path.basename(prefix)
    return model_filename in (None, stem + MODEL, stem + PADDLE3_MODEL) and params_filename in (
        None,
        stem + PARAMS,
    )


def _load_params_and_make_contents(
    name: str, program: Program, pdmodel: bytes, params: str, rows: dict[str, VarInfo] | None
) -> ModelFileContents:
    names = [v.name for v in program.persistables()]
    if not names:
        return ModelFileContents(name, program, pdmodel, {}, None, rows)
    if not os.path.exists(params):
        raise FileError(
            f"{name}: the program has {len(names)} parameters, but {params} is not there"
        )
    return ModelFileContents(name, program, pdmodel, load_params(params, names), params, rows)


def find_non_forward_method_prefixes(prefix: str) -> dict[str, str]:
    """Return the saved methods besides forward of the model at a prefix, sorted by name, each with
    the prefix of its files: `prefix`.METHOD.pdmodel or `prefix`.METHOD.json.

    A `.pdmodel` with a `.pdiparams.info` of the same prefix is a separate model, not a method. A
    `.json` that is no program, such as other JSON settings, is not one either.
    """
    folder, stem = os.path.split(prefix)
    prefixes = {}
    for suffix in (MODEL, PADDLE3_MODEL):
        for path in sorted(Path(folder or ".").glob(f"{glob.escape(stem)}.*{suffix}")):
            method = path.name[len(stem) + 1 : -len(suffix)]
            is_model = path.with_name(f"{stem}.{method}{INFO}").exists()
            is_foreign = suffix == PADDLE3_MODEL and not _is_paddle3_program(path)
            if method.isidentifier() and not is_model and not is_foreign:
                prefixes[method] = f"{prefix}.{method}"
    return dict(sorted(prefixes.items()))


def _is_paddle3_program(path: Path) -> bool:
    """Whether a `.json` file is a program of Paddle 3. Paddle writes the key `base_code`, which
    contains the version, at the start of a program file.
    """
    if not path.is_file():
        return False
    with open_regular(path) as file:
        return b'"base_code"' in file.read(_NUM_HEADER_BYTES)


def has_forward_program_or_is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a program file for `forward` exists at the path, or the path is a folder. In a
    folder, `read_model` expects the files of Paddle 1.x.
    """
    prefix = model_prefix(path)
    return _has_program_file_at_prefix(prefix) or os.path.isdir(prefix)


def read_non_forward_methods(path: str | os.PathLike[str]) -> dict[str, ModelFileContents]:
    """Read the methods besides forward of the model at a prefix. A method without a parameter file
    uses `prefix`.pdiparams. Raises FileError.
    """
    prefix = model_prefix(path)
    if os.path.isdir(prefix) and not _has_program_file_at_prefix(prefix):
        return {}
    methods, rows = {}, _load_params_info_if_exists(prefix)
    for method, method_prefix in find_non_forward_method_prefixes(prefix).items():
        file = method_prefix + existing_program_suffix(method_prefix, method_prefix)
        pdmodel, program = _read_pdmodel_bytes_and_program(file)
        params = (
            method_prefix + PARAMS if os.path.exists(method_prefix + PARAMS) else prefix + PARAMS
        )
        methods[method] = _load_params_and_make_contents(
            os.path.basename(file), program, pdmodel, params, rows
        )
    return methods


def _load_params_info_if_exists(prefix: str) -> dict[str, VarInfo] | None:
    return load_info(prefix + INFO) if os.path.exists(prefix + INFO) else None


def _read_paddle1_folder(folder: Path, model: str, params: str | None) -> ModelFileContents:
    if not (folder / model).exists():
        files = [stem + suffix for stem in _DIRECTORY_STEMS for suffix in (PADDLE3_MODEL, MODEL)]
        name = folder.name or folder
        raise FileError(f"{name}: the folder holds neither {model} nor one of {', '.join(files)}")
    pdmodel, program = _read_pdmodel_bytes_and_program(str(folder / model))
    names = [v.name for v in program.persistables()]
    if params is None and names:
        return ModelFileContents(
            model, program, pdmodel, load_params_folder(folder, names), None, None
        )
    path = str(folder / params) if params and names else None
    return ModelFileContents(
        model, program, pdmodel, load_params(path, names) if path else {}, path, None
    )
