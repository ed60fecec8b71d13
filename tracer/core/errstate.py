"""A fast replacement of `np.errstate(all="ignore")`, which sets the context variable of NumPy
directly.
"""

from __future__ import annotations

from contextvars import copy_context
from typing import Any, Protocol, cast

import numpy as np


class ErrstateVariableProtocol(Protocol):
    """The part of the interface of `contextvars.ContextVar` that this module uses."""

    def set(self, value: object) -> Any:
        """Set the value of the variable; return a token for `reset`."""
        ...

    def reset(self, token: Any) -> None:
        """Restore the previous value."""
        ...


class _SeterrFallback:
    """Replacement of the context variable for versions of NumPy that have none: calls np.seterr."""

    def set(self, value: object) -> dict[str, Any]:
        """Turn floating-point warnings off; return the previous setting, which `reset` takes."""
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


# NumPy's context variable for floating-point errors, and the value that np.errstate(all="ignore")
# sets. Setting the variable directly takes a quarter of the time of np.errstate.
errstate_variable, IGNORE_ALL = _errstate_variable_and_ignore_value()
