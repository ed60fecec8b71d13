"""What Python asks of a value whether or not it is a number: its class, its identity, its text.

Where a variable stands for a number, the answer is that of the number, or a refusal.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ...capture.control.branch import cond
from ...capture.control.branch_values import as_condition, is_number
from ...capture.control.maybe_undefined import whether_set
from ...capture.control.optional_values import none_flag
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import static_mode
from ...capture.symbolic_scalars import BOOL, Stands, marked, number_error, refused
from ...capture.variable import Variable
from ...core.errors import OarlockError, user_line, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from .exceptions import check
from .training_state import refuse_training_state

COMPARE = "ask for its value (`==`, `<`, if/elif), or have one kind of number on all ways"
TEXT = "print(x) shows it in each run; for a choice, compare it"


def standing(value: Any) -> Stands | None:
    """What a variable stands for; None for anything else."""
    return value.python if isinstance(value, Variable) else None


def isinstance_(value: Any, classes: Any) -> bool:
    """`isinstance`."""
    if isinstance(value, TensorArray):
        return issubclass(tuple if value.is_tuple else list, classes)
    stands = standing(value)
    if stands is None:
        return isinstance(value, classes)
    answers = {
        isinstance(value, classes) if t is Tensor else issubclass(t, classes) for t in stands.types
    }
    if len(answers) > 1:
        return bool(refused(value, "isinstance()", COMPARE, True))
    return answers.pop()


def type_(*args: Any, **kwargs: Any) -> Any:
    """`type`."""
    stands = standing(args[0]) if len(args) == 1 else None
    if stands is None:
        return type(*args, **kwargs)
    if len(stands.types) > 1:
        refused(args[0], "type()", COMPARE, None)
    return next(iter(stands.types))


def class_of(value: Any) -> Any:
    """`value.__class__`."""
    return value.__class__ if standing(value) is None else type_(value)


def is_(a: Any, b: Any) -> Any:
    """`a is b`."""
    if a is b:
        return True
    if standing(a) is None and not isinstance(a, Variable):
        a, b = b, a
    if b is None and none_flag(a) is not False:
        return none_flag(a)
    stands = standing(a)
    if stands is None or not (is_number(b) or isinstance(b, Tensor)):
        return a is b
    if isinstance(b, bool) and bool not in stands.types:
        return False
    if isinstance(b, bool) and stands.types == {bool}:
        return marked(as_condition(a) if b else OPS["logical_not"](as_condition(a)), BOOL)
    return refused(a, "is", "compare with `==`", False)


def refuse_texts(values: Any, what: str) -> None:
    """Raise TraceError where a text is to be made of a number that only a run knows."""
    for value in (
        values
        if isinstance(values, tuple | list)
        else values.values()
        if isinstance(values, dict)
        else [values]
    ):
        if standing(value) is not None:
            refused(value, what, TEXT, None)
        if isinstance(value, tuple | list | dict) and value is not values:
            refuse_texts(value, what)


def shown(value: Any) -> Any:
    """A value that an f-string shows."""
    refuse_texts(value, "f-string")
    return value


def mod(a: Any, b: Any) -> Any:
    """`a % b`, of numbers or of a text."""
    if isinstance(a, str | bytes):
        refuse_texts(b, "%")
    return a % b


def matched(value: Any) -> Any:
    """What `match` looks at."""
    refuse_matched(value)
    return value


def refuse_matched(value: Any) -> None:
    """Raise TraceError where a pattern would look at a number that only a run knows."""
    if standing(value) is not None:
        refused(value, "match", "write if/elif/else", None)
    if isinstance(value, tuple | list):
        for inner in value:
            refuse_matched(inner)


def _of_text(name: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def made(*args: Any, **kwargs: Any) -> Any:
        refuse_texts((args, kwargs), f"{name}()")
        return python(*args, **kwargs)

    return made


def is_there(held: Variable) -> Any:
    """Whether a value that an attribute or dict has was given on the way that a run takes: True, or
    a truth value of the program.
    """
    mode = static_mode(state.mode)
    return True if mode is None else whether_set(mode.recorder, held)


def looks_at(value: Any, name: Any) -> None:
    """Say to the recording, if there is one, that an attribute is about to be read: at the next
    call it may be another.
    """
    mode = static_mode(state.mode)
    if mode is not None:
        refuse_training_state(mode, value, name)
    if mode is not None and mode.recorder.looked is not None:
        mode.recorder.looked.read(value, name, False)


def _has(value: Any, name: str) -> Any:
    stands = standing(value)
    if stands is None:
        held = getattr(value, "__dict__", {}).get(name)
        return is_there(held) if isinstance(held, Variable) else hasattr(value, name)
    answers = {hasattr(value if t is Tensor else t, name) for t in stands.types}
    if len(answers) > 1:
        return bool(refused(value, "hasattr()", COMPARE, False))
    return answers.pop()


def _get(value: Any, name: str, *default: Any) -> Any:
    if default and standing(value) is not None and not _has(value, name):
        return default[0]
    looks_at(value, name)
    return getattr(value, name, *default)


# -- dicts
# ------------------------------------------------------------------------------


def entry(held: dict[Any, Any], key: Any, missing: Callable[[], Any] | None = None) -> Any:
    """`held[key]`, with a number that only a run knows; what `missing` gives where no key is it."""
    found = [(k, v) for k, v in dict.items(held) if is_number(k)]
    if not found:
        if missing is None:
            raise KeyError(
                with_user_line(f"there is no key that is a number (key={key.meta}{key.made_at})")
            )
        return missing()
    rest = missing
    if rest is None:
        _refuse_other_keys(key, [k for k, _ in found])
        rest = _giving(found.pop()[1])
    for k, v in reversed(found):
        rest = _either(key, k, v, rest)
    return rest()


def _either(key: Any, wanted: Any, value: Any, rest: Callable[[], Any]) -> Callable[[], Any]:
    return lambda: cond(key == wanted, _giving(value), rest)


def _giving(value: Any) -> Callable[[], Any]:
    return lambda: value


def _refuse_other_keys(key: Any, keys: list[Any]) -> None:
    mode = static_mode(state.mode)
    assert mode is not None
    known: Any = key == keys[0]
    for other in keys[1:]:
        known = OPS["logical_or"](known, key == other)
    check(mode, known, f"KeyError: the number is none of the keys {keys}", str(user_line() or ""))


def method_of(function: Any) -> Any:
    """A method of a dict or a text that knows numbers which only a run knows; None for any other
    function.
    """
    owner, name = getattr(function, "__self__", None), getattr(function, "__name__", "")
    if isinstance(owner, dict) and name == "get":
        return lambda key, default=None: (
            function(key, default) if standing(key) is None else entry(owner, key, _giving(default))
        )
    if standing(owner) is not None and name in ("__str__", "__repr__", "__format__"):
        return _of_text(name, lambda *_: owner)(owner)
    if isinstance(owner, str | bytes) and name in ("format", "join", "format_map"):
        return _of_text(name, function)
    return None


RAISED = (TypeError, ValueError, AttributeError, KeyError, IndexError)
PLAIN_MODULES = sys.stdlib_module_names | {"numpy"}


def guarded(function: Any) -> Any:
    """A function of Python's own, or of its library, that says so where it cannot do with a number
    that only a run knows.
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
        except RAISED as error:
            number = next(
                (v for v in (*args, *kwargs.values(), owner) if standing(v) is not None), None
            )
            if number is None or isinstance(error, OarlockError):
                raise
            name = getattr(function, "__name__", "a function of Python")
            raise number_error(number, f"{name}()", "compute it with paddle's functions") from error

    return called


def _pow(base: Any, exponent: Any, *modulus: Any) -> Any:
    if modulus and any(isinstance(v, Variable) for v in (base, exponent, *modulus)):
        return (base**exponent) % modulus[0]
    return pow(base, exponent, *modulus)


def _number_of_one(python: Callable[..., Any], what: str) -> Callable[..., Any]:
    def asked(value: Any, *rest: Any) -> Any:
        if standing(value) is not None:
            return refused(value, what, "compute it with paddle's functions", 0)
        return python(value, *rest)

    return asked


BUILTINS: dict[Any, Any] = {
    builtins.isinstance: isinstance_,
    builtins.type: type_,
    builtins.str: _of_text("str", str),
    builtins.repr: _of_text("repr", repr),
    builtins.ascii: _of_text("ascii", ascii),
    builtins.format: _of_text("format", format),
    builtins.hasattr: _has,
    builtins.getattr: _get,
    builtins.pow: _pow,
    builtins.id: _number_of_one(id, "id()"),
    np.isscalar: lambda value: standing(value) is not None or np.isscalar(value),
    builtins.complex: _number_of_one(complex, "complex()"),
    builtins.callable: lambda value: standing(value) is None and callable(value),
}
