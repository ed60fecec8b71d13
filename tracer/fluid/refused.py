"""What is not there, said in one voice."""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.errors import OarlockError, with_user_line
from ..core.mode import state


def refuse(name: str, why: str) -> NoReturn:
    """Raise OarlockError: `name` is not there, and why."""
    raise OarlockError(with_user_line(f"fluid.{name}: {why}"))


class Refused:
    """Base of the classes whose names can be imported, because a file may name many and use few;
    making one is refused.

    absent: why
    """

    absent = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        name = type(self).__name__
        if state.mode.builder is None:  # the text of 1.8.5, which its suites compare
            raise OarlockError(f"In dygraph, don't support {name}.")
        refuse(name, self.absent)
