"""Read the `.json` programs of Paddle 3 (PIR): the C++ runtime converts them to a `.pdmodel`."""

from __future__ import annotations

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
    with translate_runtime_errors():
        pdmodel: bytes = runtime_module().pir_to_pdmodel(data, name)
    return pdmodel
