"""Operations whose result depends on whether a value is a Python number: class, identity,
formatting, dict lookup. For a symbolic scalar, these operations return what they return for the
Python number, or raise an error.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...capture.control.branch import cond
from ...capture.control.branch_values import cast_variable_to_bool, is_python_or_numpy_scalar
from ...capture.control.defined_flags import value_defined_flag
from ...capture.control.optional_values import none_flag_or_constant
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import find_static_base_mode
from ...capture.symbolic_scalars import (
    BOOL,
    PossibleScalarTypes,
    make_concrete_number_error,
    mark_symbolic_scalar,
    raise_or_collect_concrete_number_error,
)
from ...capture.variable import Variable
from ...core.errors import OarlockError, append_user_line, user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ..guards.snapshots import MISSING
from ..guards.source import lookup_attribute_or_missing
from .raise_assert_and_print import emit_assert
from .training_step_rejection import reject_or_must_skip_training_state_access

COMPARISON_FIX_HINT = (
    "compare its value (`==`, `<`, if/elif), or use one kind of number on all paths"
)
FORMATTING_FIX_HINT = "use print(x) to show it in each run, or compare it to choose a text"


def symbolic_scalar_kind(value: Any) -> PossibleScalarTypes | None:
    """Return the PossibleScalarTypes of a symbolic scalar; None for other values."""
    return value.scalar_kind if isinstance(value, Variable) else None


def isinstance_(value: Any, classes: Any) -> bool:
    """Operator for `isinstance`, which treats a symbolic scalar as a Python number and a
    TensorArray as a list or tuple.
    """
    if isinstance(value, TensorArray):
        return issubclass(_python_type_of_tensor_array(value), classes)
    kind = symbolic_scalar_kind(value)
    if kind is None:
        return isinstance(value, classes)
    results = {
        isinstance(value, classes) if t is Tensor else issubclass(t, classes) for t in kind.types
    }
    if len(results) > 1:
        return bool(
            raise_or_collect_concrete_number_error(value, "isinstance()", COMPARISON_FIX_HINT, True)
        )
    return results.pop()


def _python_type_of_tensor_array(array: TensorArray) -> type:
    """Return the type of the Python object that a TensorArray stands for."""
    return tuple if array.is_tuple else list


def type_(*args: Any, **kwargs: Any) -> Any:
    """Operator for `type`, which returns the class of the Python number or list that a value stands
    for.
    """
    if len(args) == 1 and isinstance(args[0], TensorArray):
        return _python_type_of_tensor_array(args[0])
    kind = symbolic_scalar_kind(args[0]) if len(args) == 1 else None
    if kind is None:
        return type(*args, **kwargs)
    if len(kind.types) > 1:
        raise_or_collect_concrete_number_error(args[0], "type()", COMPARISON_FIX_HINT, None)
    return next(iter(kind.types))


def get_class(value: Any) -> Any:
    """Operator for `value.__class__`."""
    stands_for_object = isinstance(value, TensorArray) or symbolic_scalar_kind(value) is not None
    return type_(value) if stands_for_object else value.__class__


def is_(a: Any, b: Any) -> Any:
    """Operator for `a is b`."""
    if a is b:
        return True
    if symbolic_scalar_kind(a) is None and not isinstance(a, Variable):
        a, b = b, a
    if b is None and none_flag_or_constant(a) is not False:
        return none_flag_or_constant(a)
    kind = symbolic_scalar_kind(a)
    if kind is None or not (is_python_or_numpy_scalar(b) or isinstance(b, Tensor)):
        return a is b
    if isinstance(b, bool) and bool not in kind.types:
        return False
    if isinstance(b, bool) and kind.types == {bool}:
        return mark_symbolic_scalar(
            cast_variable_to_bool(a) if b else OPS["logical_not"](cast_variable_to_bool(a)), BOOL
        )
    return raise_or_collect_concrete_number_error(a, "is", "compare with `==`", False)


def reject_symbolic_scalar_formatting(values: Any, what: str) -> None:
    """Raise TraceError for a symbolic scalar that is converted to a string."""
    for value in (
        values
        if isinstance(values, tuple | list)
        else values.values()
        if isinstance(values, dict)
        else [values]
    ):
        if symbolic_scalar_kind(value) is not None:
            raise_or_collect_concrete_number_error(value, what, FORMATTING_FIX_HINT, None)
        if isinstance(value, tuple | list | dict) and value is not values:
            reject_symbolic_scalar_formatting(value, what)


def reject_symbolic_value_in_f_string(value: Any) -> Any:
    """Operator for a value in an f-string: return it, or raise TraceError for a symbolic scalar."""
    reject_symbolic_scalar_formatting(value, "f-string")
    return value


def mod(a: Any, b: Any) -> Any:
    """Operator for `a % b`, the remainder of numbers or the formatting of a string."""
    if isinstance(a, str | bytes):
        reject_symbolic_scalar_formatting(b, "%")
    return a % b


def check_and_track_match_subject(
    value: Any, attributes: tuple[str, ...] = (), depth: int = 0
) -> Any:
    """Operator for the subject of `match`: reject symbolic scalars, guard the attributes that
    patterns may read, and return the subject.

    attributes: the names of attributes in its class patterns.
    depth: how deep the class patterns are nested.
    """
    reject_scalar_in_pattern(value)
    _record_reads_of_class_patterns(value, attributes, depth)
    return value


def _record_reads_of_class_patterns(value: Any, attributes: tuple[str, ...], depth: int) -> None:
    """Add guards for the attributes of a value, and of the values in it, that class patterns may
    read.
    """
    if not depth or isinstance(value, Tensor):
        return
    if isinstance(value, list | tuple | dict):
        for item in value.values() if isinstance(value, dict) else value:
            _record_reads_of_class_patterns(item, attributes, depth - 1)
    positional = getattr(type(value), "__match_args__", ())
    for name in dict.fromkeys((*attributes, *positional)):
        found = lookup_attribute_or_missing(value, name)
        if found is not MISSING:
            guard_or_reject_attribute_read(value, name)
            _record_reads_of_class_patterns(found, attributes, depth - 1)


def reject_scalar_in_pattern(value: Any) -> None:
    """Raise TraceError if a value that a pattern compares is a symbolic scalar."""
    if symbolic_scalar_kind(value) is not None:
        raise_or_collect_concrete_number_error(value, "match", "write if/elif/else", None)
    if isinstance(value, tuple | list):
        for inner in value:
            reject_scalar_in_pattern(inner)


def _wrap_to_reject_symbolic_scalar_formatting(
    name: str, python: Callable[..., Any]
) -> Callable[..., Any]:
    def checked_function(*args: Any, **kwargs: Any) -> Any:
        reject_symbolic_scalar_formatting((args, kwargs), f"{name}()")
        return python(*args, **kwargs)

    return checked_function


def entry_defined_flag(variable: Variable) -> Any:
    """Whether a value that an attribute or dict holds on some paths only is defined: True, or a
    bool Variable.
    """
    mode = find_static_base_mode(state.mode)
    return True if mode is None else value_defined_flag(mode.recorder, variable)


def guard_or_reject_attribute_read(value: Any, name: Any) -> None:
    """Add a guard for an attribute that is about to be read. Raises SideEffectError if the
    attribute belongs to a training step, such as the gradient of a tensor.
    """
    mode = find_static_base_mode(state.mode)
    if mode is not None:
        reject_or_must_skip_training_state_access(mode, value, name)
    if mode is not None and mode.recorder.read_tracker is not None:
        mode.recorder.read_tracker.guard_attribute_read(value, name)


def _operator_hasattr(value: Any, name: str) -> Any:
    kind = symbolic_scalar_kind(value)
    if kind is None:
        attribute = getattr(value, "__dict__", {}).get(name)
        return (
            entry_defined_flag(attribute)
            if isinstance(attribute, Variable)
            else hasattr(value, name)
        )
    results = {hasattr(value if t is Tensor else t, name) for t in kind.types}
    if len(results) > 1:
        return bool(
            raise_or_collect_concrete_number_error(value, "hasattr()", COMPARISON_FIX_HINT, False)
        )
    return results.pop()


def _operator_getattr(value: Any, name: str, *default: Any) -> Any:
    if default and symbolic_scalar_kind(value) is not None and not _operator_hasattr(value, name):
        return default[0]
    guard_or_reject_attribute_read(value, name)
    return getattr(value, name, *default)


# -- dicts
# ------------------------------------------------------------------------------


def select_dict_entry_by_symbolic_key(
    lookup_dict: dict[Any, Any], key: Any, missing: Callable[[], Any] | None = None
) -> Any:
    """Return `lookup_dict[key]` for a symbolic scalar `key`, selected in each run, or `missing()`
    if no key of the dict equals it. Without `missing`, emit a check that the key exists.
    """
    number_items = [(k, v) for k, v in dict.items(lookup_dict) if is_python_or_numpy_scalar(k)]
    if not number_items:
        if missing is None:
            raise KeyError(
                append_user_line(
                    "the dict has no key that is a number "
                    f"(key={key.meta}{key.creation_site_message_suffix})"
                )
            )
        return missing()
    fallback = missing
    if fallback is None:
        _emit_key_check(key, [k for k, _ in number_items])
        fallback = _make_constant_function(number_items.pop()[1])
    for k, v in reversed(number_items):
        fallback = _make_select_if_key_equals(key, k, v, fallback)
    return fallback()


def _make_select_if_key_equals(
    key: Any, candidate: Any, value: Any, fallback: Callable[[], Any]
) -> Callable[[], Any]:
    return lambda: cond(key == candidate, _make_constant_function(value), fallback)


def _make_constant_function(value: Any) -> Callable[[], Any]:
    return lambda: value


def _emit_key_check(key: Any, keys: list[Any]) -> None:
    mode = find_static_base_mode(state.mode)
    assert mode is not None
    is_known: Any = key == keys[0]
    for other in keys[1:]:
        is_known = OPS["logical_or"](is_known, key == other)
    emit_assert(
        mode,
        is_known,
        f"KeyError: the number is not one of the keys {keys}",
        str(user_line() or ""),
    )


def find_method_handling_symbolic_scalars(function: Any) -> Any:
    """Return the replacement of a dict's or string's method that accepts symbolic scalars, or
    rejects them with a TraceError; None for other functions.
    """
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, dict) and name == "get":
        return lambda key, default=None: (
            function(key, default)
            if symbolic_scalar_kind(key) is None
            else select_dict_entry_by_symbolic_key(owner, key, _make_constant_function(default))
        )
    if symbolic_scalar_kind(owner) is not None and name in ("__str__", "__repr__", "__format__"):
        return _wrap_to_reject_symbolic_scalar_formatting(name, lambda *_: owner)(owner)
    if isinstance(owner, str | bytes) and name in ("format", "join", "format_map"):
        return _wrap_to_reject_symbolic_scalar_formatting(name, function)
    return None


WRAPPED_ERRORS = (TypeError, ValueError, AttributeError, KeyError, IndexError)
MODULES_WITH_WRAPPED_ERRORS = sys.stdlib_module_names | {"numpy"}


def wrap_to_name_scalar_in_errors(function: Any) -> Any:
    """Wrap a function of Python's standard library so that an error caused by a symbolic scalar
    names this scalar.
    """
    owner = function if isinstance(function, type) else getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    if not isinstance(module, str) or module.partition(".")[0] not in MODULES_WITH_WRAPPED_ERRORS:
        return function
    if isinstance(function, type) and issubclass(function, BaseException):
        return function

    def call_function(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except WRAPPED_ERRORS as error:
            number = next(
                (
                    v
                    for v in (*args, *kwargs.values(), owner)
                    if symbolic_scalar_kind(v) is not None
                ),
                None,
            )
            if number is None or isinstance(error, OarlockError):
                raise
            name = getattr(function, "__name__", "a function of Python")
            raise make_concrete_number_error(
                number, f"{name}()", "compute it with paddle's functions"
            ) from error

    return call_function


def _operator_pow(base: Any, exponent: Any, *modulus: Any) -> Any:
    if modulus and any(isinstance(v, Variable) for v in (base, exponent, *modulus)):
        return (base**exponent) % modulus[0]
    return pow(base, exponent, *modulus)


def _wrap_to_reject_symbolic_scalar(python: Callable[..., Any], what: str) -> Callable[..., Any]:
    def checked_function(value: Any, *rest: Any) -> Any:
        if symbolic_scalar_kind(value) is not None:
            return raise_or_collect_concrete_number_error(
                value, what, "compute it with paddle's functions", 0
            )
        return python(value, *rest)

    return checked_function


BUILTIN_REPLACEMENTS: dict[Any, Any] = {
    builtins.isinstance: isinstance_,
    builtins.type: type_,
    builtins.str: _wrap_to_reject_symbolic_scalar_formatting("str", str),
    builtins.repr: _wrap_to_reject_symbolic_scalar_formatting("repr", repr),
    builtins.ascii: _wrap_to_reject_symbolic_scalar_formatting("ascii", ascii),
    builtins.format: _wrap_to_reject_symbolic_scalar_formatting("format", format),
    builtins.hasattr: _operator_hasattr,
    builtins.getattr: _operator_getattr,
    builtins.pow: _operator_pow,
    builtins.id: _wrap_to_reject_symbolic_scalar(id, "id()"),
    np.isscalar: lambda value: symbolic_scalar_kind(value) is not None or np.isscalar(value),
    builtins.complex: _wrap_to_reject_symbolic_scalar(complex, "complex()"),
    builtins.callable: lambda value: symbolic_scalar_kind(value) is None and callable(value),
}
