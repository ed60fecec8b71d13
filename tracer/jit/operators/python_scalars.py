"""Operations whose result depends on whether a value is a Python number: class, identity,
formatting, dict lookup. For a symbolic scalar they return what they return for the number, or raise
an error.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...capture.control.branch import cond
from ...capture.control.branch_values import is_number, to_bool
from ...capture.control.maybe_undefined import value_defined_flag
from ...capture.control.optional_values import none_flag
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import static_mode
from ...capture.symbolic_scalars import (
    BOOL,
    ScalarKind,
    mark_symbolic_scalar,
    number_required_error,
    reject_scalar,
)
from ...capture.variable import Variable
from ...core.errors import OarlockError, user_line, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from .exceptions import emit_check
from .training_state import reject_training_state

COMPARE_HINT = "ask for its value (`==`, `<`, if/elif), or have one kind of number on all paths"
FORMAT_HINT = "print(x) shows it in each run; for a choice, compare it"


def kind_of(value: Any) -> ScalarKind | None:
    """Return the kind of a symbolic scalar; None for other values."""
    return value.python if isinstance(value, Variable) else None


def isinstance_(value: Any, classes: Any) -> bool:
    """Operator for `isinstance`."""
    if isinstance(value, TensorArray):
        return issubclass(tuple if value.is_tuple else list, classes)
    stands = kind_of(value)
    if stands is None:
        return isinstance(value, classes)
    answers = {
        isinstance(value, classes) if t is Tensor else issubclass(t, classes) for t in stands.types
    }
    if len(answers) > 1:
        return bool(reject_scalar(value, "isinstance()", COMPARE_HINT, True))
    return answers.pop()


def type_(*args: Any, **kwargs: Any) -> Any:
    """Operator for `type`."""
    stands = kind_of(args[0]) if len(args) == 1 else None
    if stands is None:
        return type(*args, **kwargs)
    if len(stands.types) > 1:
        reject_scalar(args[0], "type()", COMPARE_HINT, None)
    return next(iter(stands.types))


def get_class(value: Any) -> Any:
    """Operator for `value.__class__`."""
    return value.__class__ if kind_of(value) is None else type_(value)


def is_(a: Any, b: Any) -> Any:
    """Operator for `a is b`."""
    if a is b:
        return True
    if kind_of(a) is None and not isinstance(a, Variable):
        a, b = b, a
    if b is None and none_flag(a) is not False:
        return none_flag(a)
    stands = kind_of(a)
    if stands is None or not (is_number(b) or isinstance(b, Tensor)):
        return a is b
    if isinstance(b, bool) and bool not in stands.types:
        return False
    if isinstance(b, bool) and stands.types == {bool}:
        return mark_symbolic_scalar(to_bool(a) if b else OPS["logical_not"](to_bool(a)), BOOL)
    return reject_scalar(a, "is", "compare with `==`", False)


def reject_formatting(values: Any, what: str) -> None:
    """Raise TraceError for a symbolic scalar that is converted to a string."""
    for value in (
        values
        if isinstance(values, tuple | list)
        else values.values()
        if isinstance(values, dict)
        else [values]
    ):
        if kind_of(value) is not None:
            reject_scalar(value, what, FORMAT_HINT, None)
        if isinstance(value, tuple | list | dict) and value is not values:
            reject_formatting(value, what)


def check_format(value: Any) -> Any:
    """Operator for a value in an f-string."""
    reject_formatting(value, "f-string")
    return value


def mod(a: Any, b: Any) -> Any:
    """Operator for `a % b`, of numbers or of a string."""
    if isinstance(a, str | bytes):
        reject_formatting(b, "%")
    return a % b


def check_match(value: Any) -> Any:
    """Operator for the subject of `match`."""
    reject_pattern(value)
    return value


def reject_pattern(value: Any) -> None:
    """Raise TraceError for a symbolic scalar that a pattern would compare."""
    if kind_of(value) is not None:
        reject_scalar(value, "match", "write if/elif/else", None)
    if isinstance(value, tuple | list):
        for inner in value:
            reject_pattern(inner)


def _formatting_function(name: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def made(*args: Any, **kwargs: Any) -> Any:
        reject_formatting((args, kwargs), f"{name}()")
        return python(*args, **kwargs)

    return made


def is_present(held: Variable) -> Any:
    """Whether a maybe-undefined value of an attribute or dict is defined: True, or a bool of the
    program.
    """
    mode = static_mode(state.mode)
    return True if mode is None else value_defined_flag(mode.recorder, held)


def record_attribute_read(value: Any, name: Any) -> None:
    """Record that an attribute is about to be read."""
    mode = static_mode(state.mode)
    if mode is not None:
        reject_training_state(mode, value, name)
    if mode is not None and mode.recorder.read_tracker is not None:
        mode.recorder.read_tracker.record_attribute(value, name)


def _has(value: Any, name: str) -> Any:
    stands = kind_of(value)
    if stands is None:
        held = getattr(value, "__dict__", {}).get(name)
        return is_present(held) if isinstance(held, Variable) else hasattr(value, name)
    answers = {hasattr(value if t is Tensor else t, name) for t in stands.types}
    if len(answers) > 1:
        return bool(reject_scalar(value, "hasattr()", COMPARE_HINT, False))
    return answers.pop()


def _get(value: Any, name: str, *default: Any) -> Any:
    if default and kind_of(value) is not None and not _has(value, name):
        return default[0]
    record_attribute_read(value, name)
    return getattr(value, name, *default)


# -- dicts
# ------------------------------------------------------------------------------


def get_entry(held: dict[Any, Any], key: Any, missing: Callable[[], Any] | None = None) -> Any:
    """Return `held[key]` for a symbolic scalar as the key, or `missing()` if no key of the dict
    equals it.
    """
    found = [(k, v) for k, v in dict.items(held) if is_number(k)]
    if not found:
        if missing is None:
            raise KeyError(
                with_user_line(
                    f"there is no key that is a number (key={key.meta}{key.creation_site})"
                )
            )
        return missing()
    rest = missing
    if rest is None:
        _check_key(key, [k for k, _ in found])
        rest = _constantly(found.pop()[1])
    for k, v in reversed(found):
        rest = _lookup_chain(key, k, v, rest)
    return rest()


def _lookup_chain(key: Any, wanted: Any, value: Any, rest: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: cond(key == wanted, _constantly(value), rest)


def _constantly(value: Any) -> Callable[[], Any]:
    return lambda: value


def _check_key(key: Any, keys: list[Any]) -> None:
    mode = static_mode(state.mode)
    assert mode is not None
    known: Any = key == keys[0]
    for other in keys[1:]:
        known = OPS["logical_or"](known, key == other)
    emit_check(
        mode, known, f"KeyError: the number is not one of the keys {keys}", str(user_line() or "")
    )


def method_of(function: Any) -> Any:
    """Return a method of a dict or string that accepts symbolic scalars; None for other
    functions.
    """
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, dict) and name == "get":
        return lambda key, default=None: (
            function(key, default)
            if kind_of(key) is None
            else get_entry(owner, key, _constantly(default))
        )
    if kind_of(owner) is not None and name in ("__str__", "__repr__", "__format__"):
        return _formatting_function(name, lambda *_: owner)(owner)
    if isinstance(owner, str | bytes) and name in ("format", "join", "format_map"):
        return _formatting_function(name, function)
    return None


CAUGHT_ERRORS = (TypeError, ValueError, AttributeError, KeyError, IndexError)
PLAIN_MODULES = sys.stdlib_module_names | {"numpy"}


def wrap_builtin_errors(function: Any) -> Any:
    """Wrap a function of Python or its standard library. If it cannot handle a symbolic scalar, its
    error names the scalar.
    """
    owner = function if isinstance(function, type) else getattr(function, "__self__", None)
    module = getattr(function, "__module__", None) or type(owner).__module__
    if not isinstance(module, str) or module.partition(".")[0] not in PLAIN_MODULES:
        return function
    if isinstance(function, type) and issubclass(function, BaseException):
        return function

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except CAUGHT_ERRORS as error:
            number = next(
                (v for v in (*args, *kwargs.values(), owner) if kind_of(v) is not None), None
            )
            if number is None or isinstance(error, OarlockError):
                raise
            name = getattr(function, "__name__", "a function of Python")
            raise number_required_error(
                number, f"{name}()", "compute it with paddle's functions"
            ) from error

    return called


def _pow(base: Any, exponent: Any, *modulus: Any) -> Any:
    if modulus and any(isinstance(v, Variable) for v in (base, exponent, *modulus)):
        return (base**exponent) % modulus[0]
    return pow(base, exponent, *modulus)


def _rejecting_function(python: Callable[..., Any], what: str) -> Callable[..., Any]:
    def call_method(value: Any, *rest: Any) -> Any:
        if kind_of(value) is not None:
            return reject_scalar(value, what, "compute it with paddle's functions", 0)
        return python(value, *rest)

    return call_method


BUILTINS: dict[Any, Any] = {
    builtins.isinstance: isinstance_,
    builtins.type: type_,
    builtins.str: _formatting_function("str", str),
    builtins.repr: _formatting_function("repr", repr),
    builtins.ascii: _formatting_function("ascii", ascii),
    builtins.format: _formatting_function("format", format),
    builtins.hasattr: _has,
    builtins.getattr: _get,
    builtins.pow: _pow,
    builtins.id: _rejecting_function(id, "id()"),
    np.isscalar: lambda value: kind_of(value) is not None or np.isscalar(value),
    builtins.complex: _rejecting_function(complex, "complex()"),
    builtins.callable: lambda value: kind_of(value) is None and callable(value),
}
