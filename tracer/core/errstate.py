"""A fast `np.errstate(all="ignore")`: set NumPy's context variable directly."""

from __future__ import annotations

from contextvars import copy_context
from typing import Any, Protocol, cast

import numpy as np


class ErrstateVariableProtocol(Protocol):
    """The interface of a ContextVar."""

    def set(self, value: object) -> Any:
        """Set a value; return a token for `reset`."""
        ...

    def reset(self, token: Any) -> None:
        """Restore the previous value."""
        ...


class _SeterrFallback:
    """The same interface for NumPy versions without the context variable."""

    def set(self, value: object) -> dict[str, Any]:
        """Turn warnings off; return the previous setting."""
        return dict(np.seterr(all="ignore"))

    def reset(self, token: dict[str, Any]) -> None:
        """Restore the previous setting."""
        np.seterr(**token)


def _errstate_variable_and_ignore_value() -> tuple[ErrstateVariableProtocol, object]:
    with np.errstate(all="ignore"):
        for variable, value in copy_context().items():
            if variable.name == "numpy.ufunc.extobj":
                return cast(ErrstateVariableProtocol, variable), value
    return _SeterrFallback(), None


# The variable and value that np.errstate(all="ignore") sets in NumPy 2. Setting it directly takes a
# quarter of the time.
errstate_variable, IGNORE_ALL = _errstate_variable_and_ignore_value()
