"""Running programs: fluid.Executor and scopes."""

from ..static import Executor, Scope, global_scope, scope_guard

__all__ = ["Executor", "Scope", "global_scope", "scope_guard"]
