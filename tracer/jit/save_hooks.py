"""Hooks that run before `jit.save` writes files, for extensions of Paddle."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ..core.tensor import RemovableHookHandle

Save = TypeVar("Save", bound=Callable[..., Any])
_save_pre_hooks: list[Callable[..., None]] = []


def _register_save_pre_hook(hook: Callable[..., None]) -> RemovableHookHandle:
    """Call `hook(layer, input_spec, configs)` before each `jit.save`. Registering the same hook
    twice has no further effect.
    """
    if hook not in _save_pre_hooks:
        _save_pre_hooks.append(hook)
    return RemovableHookHandle(_save_pre_hooks, hook)


def _clear_save_pre_hooks() -> None:
    """Remove all hooks."""
    _save_pre_hooks.clear()


def _run_save_pre_hooks(save: Save) -> Save:
    """Decorator for `save`: run the registered hooks before it."""

    @functools.wraps(save)
    def wrapped(layer: Any, path: Any, input_spec: Any = None, **configs: Any) -> Any:
        for hook in list(_save_pre_hooks):
            hook(layer, input_spec, configs)
        return save(layer, path, input_spec, **configs)

    return cast(Save, wrapped)
