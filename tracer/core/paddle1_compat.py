"""Hook for programs written for older Paddle versions.

The packages core, ops, ir, autodiff and compiler do not test for a version. They read
`compat.rules`, which `oarlock.fluid` replaces while a program of Paddle 1.x runs.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from .legacy_importer import import_legacy_module


class CompatRules:
    """Behavior that differs between Paddle versions. This class has the behavior of Paddle 2.6.

    temporary_name: the prefix of generated tensor names.
    keeps_result_gradients: backward() saves the gradients of all results, not only of leaves.
    set_value_checks_dtype: `Tensor.set_value` rejects a value with another dtype.
    writes_paddle1_gradients: gradient ops have the slots and attributes of Paddle 1.8.
    """

    temporary_name = "generated_tensor"
    keeps_result_gradients = False
    set_value_checks_dtype = False
    writes_paddle1_gradients = False

    def format_dtype(self, dtype: Any) -> str:
        """The repr of a DType."""
        return f"paddle.{dtype.name}"

    def format_tensor(self, tensor: Any) -> str | None:
        """The repr of a Tensor; None for the default."""
        return None

    def format_scope_value(self, value: Any) -> str | None:
        """The str of a value of a scope; None for the default."""
        return None

    def format_variable(self, variable: Any) -> str:
        """The repr of a variable of a program."""
        raise NotImplementedError

    def format_attributes_outside_declaration(self, variable: Any) -> str:
        """The attributes of a variable that are not part of its declaration."""
        raise NotImplementedError


_PADDLE2_RULES = CompatRules()


@functools.cache
def _paddle1_rules() -> CompatRules:
    rules: CompatRules = import_legacy_module("compat_rules").Paddle1Rules()
    return rules


class EmulatedVersion(threading.local):
    """The Paddle version for which the program that runs in this thread was written.

    is_paddle1: Paddle 1.x.
    follows_fluid_mode: Paddle 2.0 - 2.4, where `fluid` decides between eager and static mode.
    """

    is_paddle1 = False
    follows_fluid_mode = False

    @property
    def rules(self) -> CompatRules:
        """The rules of that version."""
        return _paddle1_rules() if self.is_paddle1 else _PADDLE2_RULES


compat = EmulatedVersion()


@contextmanager
def temporarily_emulate_paddle1(on: bool = True) -> Iterator[None]:
    """Run the body as a program of Paddle 1.x, or of Paddle 2."""
    before, compat.is_paddle1 = compat.is_paddle1, on
    try:
        yield
    finally:
        compat.is_paddle1 = before
