"""Fixture: static mode with its own programs, scope and unique names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import oarlock
from oarlock import static


@pytest.fixture
def static_mode() -> Iterator[Any]:
    oarlock.enable_static()
    try:
        with (
            static.scope_guard(static.Scope()),
            oarlock.unique_name.guard(),
            static.program_guard(static.Program(), static.Program()),
        ):
            yield static
    finally:
        oarlock.disable_static()
