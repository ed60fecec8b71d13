"""Calls of a `to_static` function that run as Python because their capture failed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from ..core.errors import OarlockError, SideEffectError, TraceError, warn
from .call_arguments import Arguments

MAX_SIGNATURES = 4  # after this many failed signatures, all calls of the function run as Python


class Fallback:
    """The call signatures of one function whose capture failed.

    full_graph: if True, only training steps run as Python; other failures raise.
    arguments: the arguments of the last failed call, as InputSpecs.
    """

    def __init__(self, full_graph: bool) -> None:
        self.full_graph = full_graph
        self.arguments: Arguments | None = None
        self._keys: set[Hashable] = set()
        self._warned = False
        self._message = ""  # a warning that is issued once the call succeeds

    @property
    def is_used(self) -> bool:
        """Whether any call runs as Python."""
        return bool(self._keys)

    def applies_to(self, key: Hashable) -> bool:
        """Whether calls with this signature run as Python."""
        return len(self._keys) >= MAX_SIGNATURES or key in self._keys

    def allows(self, error: Exception) -> bool:
        """Whether a call whose capture failed with `error` runs as Python."""
        return not self.full_graph or isinstance(error, SideEffectError)

    def add(
        self,
        name: str,
        key: Hashable,
        arguments: Arguments,
        error: Exception,
        succeeded: bool = False,
    ) -> None:
        """Run calls with this signature as Python from now on, and warn once per function.

        succeeded: whether Python already ran the call successfully.
        """
        self._keys.add(key)
        self.arguments = arguments.as_specs()
        if self._warned:
            return
        self._warned = True
        why, *rest = str(error).splitlines() or [""]
        if not isinstance(error, OarlockError):
            why = f"{type(error).__name__}: {why}"
        hint = "" if isinstance(error, SideEffectError) else "; full_graph=True makes this an error"
        place = f"\n{rest[-1]}" if rest and "at " in rest[-1] else ""
        self._message = (
            f"{name} runs as Python, because it cannot be recorded as a program: {why}{hint}{place}"
        )
        if succeeded or isinstance(error, TraceError):
            self._warn()

    def run(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Call the function as Python, then issue the pending warning. If Python raises the same
        error as the capture, no warning is issued.
        """
        result = function(*args, **kwargs)
        if self._message:
            self._warn()
        return result

    def _warn(self) -> None:
        message, self._message = self._message, ""
        warn(message)
