"""Write `.pdiparams.info`: properties of variables that the program does not contain, such as their
names in the layer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .pickles import dumps


@dataclass(slots=True)
class VarInfo:
    """A row of a `.pdiparams.info` file: the properties of one variable.

    structured_name: the key in state_dict; '' if there is none.
    trainable: None for a buffer.
    """

    name: str
    structured_name: str = ""
    stop_gradient: bool = False
    trainable: bool | None = None


def to_bytes(rows: Iterable[VarInfo]) -> bytes:
    """Return the `.pdiparams.info` of some variables: a pickle of protocol 2, sorted by name."""
    table: dict[str, dict[str, str | bool]] = {}
    for row in sorted(rows, key=lambda row: row.name):
        entry: dict[str, str | bool] = (
            {"structured_name": row.structured_name} if row.structured_name else {}
        )
        entry["stop_gradient"] = row.stop_gradient
        if row.trainable is not None:  # Paddle creates a Parameter if the key `trainable` exists
            entry["trainable"] = row.trainable
        table[row.name] = entry
    return dumps(table, protocol=2)
