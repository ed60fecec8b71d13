"""What is not there, said in one voice."""

from __future__ import annotations

from typing import NoReturn

from ..core.errors import OarlockError, with_user_line


def refuse(name: str, why: str) -> NoReturn:
    """Raise OarlockError: `name` is not there, and why."""
    raise OarlockError(with_user_line(f"fluid.{name}: {why}"))
