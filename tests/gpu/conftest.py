"""Fixture that replaces CuPy by the stand-in."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

import pytest

from . import stand_in


@pytest.fixture
def cupy() -> Iterator[ModuleType]:
    """Make `import cupy` return the stand-in, with no GPU selected."""
    with stand_in.installed() as found:
        yield found
