"""Read the `.json` programs of Paddle 3 (PIR): the C++ runtime converts them to a `.pdmodel`."""

from __future__ import annotations

from ..core.errors import warn
from .runtime import runtime_module, translate_runtime_errors


def is_pir(data: bytes) -> bool:
    """Whether the bytes of a program file are JSON. A `.pdmodel` never starts with a brace."""
    return data[:64].lstrip()[:1] == b"{"


def convert_pir_to_pdmodel(data: bytes, name: str = "model.json") -> bytes:
    """Return the bytes of the `.pdmodel` with the same ops.

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
