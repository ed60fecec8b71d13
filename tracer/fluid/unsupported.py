"""Errors for APIs that Oarlock does not support."""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.errors import OarlockError, append_user_line
from ..core.mode import state


def raise_unsupported(name: str, reason: str) -> NoReturn:
    """Raise OarlockError for an API that is not supported."""
    raise OarlockError(append_user_line(f"fluid.{name}: is not supported: {reason}"))


class UnsupportedClassBase:
    """Base class of classes that can be imported, but raise an error when they are created.

    reason: why the class is not supported
    """

    reason = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        name = type(self).__name__
        if state.mode.program_builder is None:  # the text of 1.8.5, which its test suites compare
            raise OarlockError(f"In dygraph, don't support {name}.")
        raise_unsupported(name, self.reason)
