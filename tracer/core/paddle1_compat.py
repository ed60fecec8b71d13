"""Hook through which the core behaves like an older Paddle version, for programs that were written
for it.

Only this module and the packages of Paddle 1.x (`fluid`, `base`, `compat`, `dataset`, `reader`)
test for a version. All others read `compat.rules`, which `oarlock.fluid` replaces while a program
of Paddle 1.x runs.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from .legacy_importer import import_legacy_module


class CompatRules:
    """Behavior that differs between Paddle versions, as attributes and methods. The base class has
    the behavior of Paddle 2.6; subclasses have that of older versions.

    temporary_name_prefix: the prefix of generated tensor names.
    keeps_result_gradients: backward() saves the gradients of all results, not only of leaves.
    set_value_checks_dtype: `Tensor.set_value` rejects a value with another dtype.
    writes_paddle1_gradients: gradient ops have the slots and attributes of Paddle 1.8.
    scalars_have_one_axis: an index that selects one element returns shape [1].
    promotes_dtypes: ops of two tensors accept some combinations of dtypes.
    checks_param_attr: ParamAttr checks the types of its arguments.
    creates_parameters_in_eager_mode: functions of `static.nn` create parameters at each call.
    outputs_require_gradients: variables of a program require gradients even if no input does.
    batch_norm_has_reserve_space: batch_norm has the output ReserveSpace in training.
    extra_attr_defaults: attributes that every op has, besides those of all versions.
    rejects_eager_methods: variables of a program reject methods of eager tensors.
    rejects_set_value_and_detach: variables of a program reject `set_value` and `detach`, too.
    fetches_lod_tensors: `Executor.run` returns LoDTensors if it does not return arrays.
    """

    temporary_name_prefix = "generated_tensor"
    keeps_result_gradients = False
    set_value_checks_dtype = False
    writes_paddle1_gradients = False
    scalars_have_one_axis = False
    promotes_dtypes = True
    checks_param_attr = True
    creates_parameters_in_eager_mode = False
    outputs_require_gradients = False
    batch_norm_has_reserve_space = True
    extra_attr_defaults: Mapping[str, Any] = {"with_quant_attr": False}
    rejects_eager_methods = False
    rejects_set_value_and_detach = False
    fetches_lod_tensors = False

    def format_dtype(self, dtype: Any) -> str:
        """Return the repr of a DType."""
        return f"paddle.{dtype.name}"

    def format_tensor(self, tensor: Any) -> str | None:
        """Return the repr of a Tensor; None for the default repr."""
        return None

    def format_scope_value(self, value: Any) -> str | None:
        """Return the str of a value of a scope; None for the default str."""
        return None

    def format_variable(self, variable: Any, with_details: bool = False) -> str | None:
        """Return the repr of a variable of a program; None for the default repr.

        with_details: also the attributes that are not part of its declaration.
        """
        return None


class FluidModeRules(CompatRules):
    """Behavior of Paddle 2.0 - 2.4 for programs that import `fluid`."""

    fetches_lod_tensors = True


_PADDLE2_RULES = CompatRules()
_FLUID_MODE_RULES = FluidModeRules()


@functools.cache
def _paddle1_rules(follows_fluid_mode: bool) -> CompatRules:
    rules: CompatRules = import_legacy_module("compat_rules").Paddle1Rules(follows_fluid_mode)
    return rules


class EmulatedVersion(threading.local):
    """The Paddle version that Oarlock emulates for the program that runs in this thread.

    is_paddle1: Paddle 1.x.
    follows_fluid_mode: Paddle 2.0 - 2.4, where `fluid` decides between eager and static mode.
    """

    is_paddle1 = False
    follows_fluid_mode = False

    @property
    def rules(self) -> CompatRules:
        """The CompatRules of the emulated version."""
        if self.is_paddle1:
            return _paddle1_rules(self.follows_fluid_mode)
        return _FLUID_MODE_RULES if self.follows_fluid_mode else _PADDLE2_RULES


compat = EmulatedVersion()


@contextmanager
def temporarily_emulate_paddle1(on: bool = True) -> Iterator[None]:
    """Context manager: run the body as a program of Paddle 1.x if `on` is True, otherwise as a
    program of Paddle 2.
    """
    before, compat.is_paddle1 = compat.is_paddle1, on
    try:
        yield
    finally:
        compat.is_paddle1 = before
