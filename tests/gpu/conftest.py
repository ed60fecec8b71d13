"""Fixture that replaces CuPy by the stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

from . import stand_in


@pytest.fixture
def cupy() -> Iterator[ModuleType]:
    """`import cupy` gives the stand-in; nobody has asked for a GPU yet."""
    with stand_in.installed() as found:
        yield found
