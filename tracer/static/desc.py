"""What the descriptions of ops, variables, blocks and programs share: each is a face of something
that a program holds.
"""

from __future__ import annotations

from typing import Any


class Desc:
    """What a program says of something; two are equal that speak of the same thing."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and other._of.raw is self._of.raw

    def __hash__(self) -> int:
        return id(self._of.raw)

    def serialize_to_string(self) -> bytes:
        """What a file says of it."""
        made: bytes = self._of.raw.serialize_to_string()
        return made


class Identified(Desc):
    """One of many, with a number."""

    def id(self) -> int:
        """A number that no other of the process has."""
        return id(self._of.raw)

    original_id = id
