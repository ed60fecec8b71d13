"""Convert between the `.json` programs of Paddle 3 (PIR) and `.pdmodel`, in the C++ runtime."""

from __future__ import annotations

from ..core.errors import warn
from .runtime import runtime_module, translate_runtime_errors


def is_pir(data: bytes) -> bool:
    """Whether a program file is JSON (PIR), given its bytes. A `.pdmodel` never starts with a
    brace.
    """
    return data[:64].lstrip()[:1] == b"{"


def convert_pir_to_pdmodel(data: bytes, name: str = "model.json") -> bytes:
    """Convert the bytes of a `.json` program (PIR) to the bytes of a `.pdmodel` with the same ops.

    name: the name of the file, for errors.

    Raises FileError with the JSON path of the error, UnsupportedError for operations without an
    equivalent.
    """
    pdmodel: bytes
    with translate_runtime_errors():
        pdmodel, is_newer = runtime_module().pir_to_pdmodel(data, name)
    if is_newer:
        warn(
            f"{name}: the file was written by a version of Paddle that is newer than 3.3, with "
            f"which this reader was tested; an operation may have changed"
        )
    return pdmodel


def program_file_to_pdmodel_bytes(data: bytes, name: str) -> bytes:
    """Return the bytes of the `.pdmodel` that is equivalent to a program file, which is a `.json`
    (PIR) or already a `.pdmodel`.
    """
    return convert_pir_to_pdmodel(data, name) if is_pir(data) else data


def convert_pdmodel_to_pir(data: bytes, name: str = "model.pdmodel") -> bytes:
    """Convert the bytes of a `.pdmodel` to the bytes of a `.json` program (PIR) with the same ops,
    which PaddlePaddle 3.0 to 3.3 read.

    name: the name of the file, for errors.

    Raises UnsupportedError that lists all ops without an equivalent.
    """
    with translate_runtime_errors():
        json: bytes = runtime_module().pdmodel_to_pir(data, name)
    return json
