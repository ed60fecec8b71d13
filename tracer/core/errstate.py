"""NumPy without its warnings of numbers that overflow or are none."""

from __future__ import annotations

from contextvars import copy_context
from typing import Any, Protocol, cast

import numpy as np


class ErrstateVariable(Protocol):
    """What a ContextVar does."""

    def set(self, value: object) -> Any:
        """Set it; gives what `reset` asks for."""
        ...

    def reset(self, token: Any) -> None:
        """Set it to what it was."""
        ...


class _SeterrFallback:
    """The same for a NumPy that keeps its setting elsewhere."""

    def set(self, value: object) -> dict[str, Any]:
        """Turn warnings off; gives how they were."""
        return dict(np.seterr(all="ignore"))

    def reset(self, token: dict[str, Any]) -> None:
        """Turn them on again."""
        np.seterr(**token)


def _find_variable() -> tuple[ErrstateVariable, object]:
    with np.errstate(all="ignore"):
        for variable, value in copy_context().items():
            if variable.name == "numpy.ufunc.extobj":
                return cast(ErrstateVariable, variable), value
    return _SeterrFallback(), None


# What np.errstate(all="ignore") sets and to what, since NumPy 2: setting it costs a quarter of
# entering that.
errstate_variable, IGNORE_ALL = _find_variable()
