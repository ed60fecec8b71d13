"""Read `.pdiparams.info`: properties of variables that the program does not contain."""

from __future__ import annotations

import os
from typing import Any

from ..core.errors import FileError
from ..export.pdiparams_info import VarInfo
from .pickle_constructors import describe_value
from .pickles import loads
from .regular_files import read_file

MAX_INFO_BYTES = 1 << 28
_FIELD_TYPES: dict[str, type] = {"structured_name": str, "stop_gradient": bool, "trainable": bool}


def load_info(path: str | os.PathLike[str]) -> dict[str, VarInfo]:
    """Read a `.pdiparams.info` file and return its rows by variable name. Raises FileError,
    OSError.
    """
    return parse_info(read_file(path, MAX_INFO_BYTES, "table of variables"), os.path.basename(path))


def parse_info(data: bytes, name: str = "info") -> dict[str, VarInfo]:
    """Return the rows of a `.pdiparams.info`, by the name of the variable.

    Raises FileError for other content.
    """
    table = loads(data, name)
    if not isinstance(table, dict):
        raise FileError(f"{name}: holds a {type(table).__name__}, not a dict of variables")
    return {key: _parse_row(key, fields, name) for key, fields in table.items()}


def _parse_row(key: Any, fields: Any, name: str) -> VarInfo:
    if not isinstance(key, str) or not isinstance(fields, dict):
        raise FileError(f"{name}: the row of {describe_value(key)} is not a dict")
    for field, kind in _FIELD_TYPES.items():
        if field in fields and type(fields[field]) is not kind:
            raise FileError(f"{name}: {field} of {key!r:.80} is not a {kind.__name__}")
    return VarInfo(
        key,
        fields.get("structured_name", ""),
        fields.get("stop_gradient", False),
        fields.get("trainable"),
    )
