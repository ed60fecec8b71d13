"""Remembers which calls of a `to_static` function run as Python because their capture failed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

from ..core.errors import OarlockError, SideEffectError, TraceError, warn
from .call_arguments import FlattenedArguments

MAX_FAILED_SIGNATURES = (
    # number of call signatures with a failed capture after which all calls of the function run as
    # Python
    4
)


class PythonFallback:
    """The call signatures of one function whose capture failed.

    requires_full_graph: if True, a call runs as Python only if its capture failed with a
    SideEffectError, for example that of a training step; other failed captures raise an error.
    last_arguments: the arguments of the last failed call, as InputSpecs; None if a later call ran
        as a program.
    """

    def __init__(self, full_graph: bool) -> None:
        self.requires_full_graph = full_graph
        self.last_arguments: FlattenedArguments | None = None
        self._failed_keys: set[Hashable] = set()
        self._has_warned = False
        self._pending_warning = ""  # a warning that is issued once the call succeeds

    @property
    def has_failed_signatures(self) -> bool:
        """Whether any call runs as Python."""
        return bool(self._failed_keys)

    def runs_as_python(self, key: Hashable) -> bool:
        """Whether calls with the signature `key` run as Python, because the capture of this
        signature or of too many other signatures failed.
        """
        return len(self._failed_keys) >= MAX_FAILED_SIGNATURES or key in self._failed_keys

    def is_fallback_allowed_after(self, error: Exception) -> bool:
        """Whether a call whose capture failed with `error` may run as Python instead of raising the
        error.
        """
        return not self.requires_full_graph or isinstance(error, SideEffectError)

    def add_failed_signature_and_warn(
        self,
        name: str,
        key: Hashable,
        arguments: FlattenedArguments,
        error: Exception,
        succeeded: bool = False,
    ) -> None:
        """Let calls with the signature `key` run as Python from now on, and warn about this once
        per function.

        succeeded: whether Python already ran the call successfully.
        """
        self._failed_keys.add(key)
        self.last_arguments = arguments.with_specs_for_tensors()
        if self._has_warned:
            return
        self._has_warned = True
        why, *rest = str(error).splitlines() or [""]
        if not isinstance(error, OarlockError):
            why = f"{type(error).__name__}: {why}"
        hint = "" if isinstance(error, SideEffectError) else "; full_graph=True makes this an error"
        location = f"\n{rest[-1]}" if rest and "at " in rest[-1] else ""
        self._pending_warning = (
            f"{name} runs as Python, because it cannot be recorded as a program: "
            f"{why}{hint}{location}"
        )
        if succeeded or isinstance(error, TraceError):
            self._emit_pending_warning()

    def run_as_python(
        self, function: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Call the function as Python, then issue the pending warning. If Python raises an error,
        the warning stays pending for the next call.
        """
        result = function(*args, **kwargs)
        if self._pending_warning:
            self._emit_pending_warning()
        return result

    def _emit_pending_warning(self) -> None:
        message, self._pending_warning = self._pending_warning, ""
        warn(message)
