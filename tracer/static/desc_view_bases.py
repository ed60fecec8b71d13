"""Base classes of the descriptions of ops, variables, blocks and programs: views of Paddle's C++
classes on the data of a program.
"""

from __future__ import annotations

from typing import Any

from ..export.pdmodel import block_op_or_var_to_bytes, to_bytes
from ..ir.program import Program


class ProtoDescView:
    """A view of a part of a program under the API of Paddle's C++ classes. Two views of the same
    part are equal.
    """

    def __init__(self, view: Any) -> None:
        self._view = view

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._view.raw is self._view.raw

    def __hash__(self) -> int:
        return id(self._view.raw)

    def serialize_to_string(self) -> bytes:
        """Return the protobuf bytes of the data."""
        raw = self._view.raw
        return to_bytes(raw) if isinstance(raw, Program) else block_op_or_var_to_bytes(raw)


class IdentifiedDescView(ProtoDescView):
    """A ProtoDescView whose method `id` returns a number that is unique in the process."""

    def id(self) -> int:
        """Return a number that is unique in the process."""
        return id(self._view.raw)

    original_id = id
