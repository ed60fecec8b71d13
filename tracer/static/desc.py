"""Base classes of the descriptions of ops, variables, blocks and programs: views of Paddle's C++
classes on the data of a program.
"""

from __future__ import annotations

from typing import Any


class Desc:
    """A view of a part of a program; two views of the same data are equal."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._of.raw is self._of.raw

    def __hash__(self) -> int:
        return id(self._of.raw)

    def serialize_to_string(self) -> bytes:
        """Return the protobuf bytes of the data."""
        data: bytes = self._of.raw.serialize_to_string()
        return data


class Identified(Desc):
    """A description with an identity."""

    def id(self) -> int:
        """Return a number that is unique in the process."""
        return id(self._of.raw)

    original_id = id
