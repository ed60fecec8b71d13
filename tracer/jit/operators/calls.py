"""Calls in converted code: functions of the user are converted on the way, builtins know values of
the program.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, MethodType
from typing import Any

from ...capture.control.branch_values import as_meta, common
from ...capture.control.may_alias import current
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import static_mode
from ...capture.symbolic_scalars import (
    NATURAL,
    Stands,
    as_default,
    either_of,
    marked,
    stands_for,
    troubled,
)
from ...capture.variable import Variable
from ...core import pytree
from ...core.dtype import dtype_of
from ...core.errors import TraceError, warn, with_user_line
from ...core.function_source import NoSource
from ...core.mode import state
from ...core.op import OPS
from ...nn.layer import Layer
from ..guards.impure_calls import heard_of
from ..guards.snapshots import has_attributes
from ..guards.user_code import is_users
from . import python_scalars, sequences
from .dunder_methods import method_for
from .exceptions import print_
from .iterables import Enumerated, Range, Rows, Sequenced, Zipped, is_open, rows_of
from .nonlocal_writes import (
    changing,
    delete_attribute,
    in_a_block,
    new,
    noting,
    refuse_outer_iterators,
    set_attribute,
)
from .partial_dicts import OF_ONE_KEY, count_of, getting, is_unsure, whole
from .python_scalars import guarded, method_of
from .registry import get_operator
from .training_state import first_argument, is_training_step


def call(function: Any) -> Any:
    """What to call in place of `function`."""
    mode = static_mode(state.mode)
    if mode is None:
        return function
    if isinstance(function, type):
        _meet(function)
        return BUILTINS.get(function) or _constructing(function) or _making(guarded(function))
    if isinstance(function, functools.partial):
        return functools.partial(call(function.func), *function.args, **function.keywords)
    owner = getattr(function, "__self__", None)
    if is_training_step(mode, function, owner):
        return first_argument
    if mode.recorder.rollback is not None:
        mode.recorder.rollback.note(owner)
    if isinstance(owner, TensorArray):
        return array_method(owner, function.__name__)
    return (
        _of_container(function) if isinstance(owner, list | dict | set) else _of_function(function)
    )


def _of_function(function: Any) -> Any:
    try:
        known = BUILTINS.get(function)
    except TypeError:  # not hashable
        known = None
    if known is not None:
        return known
    heard = _heard_of(function)
    if heard is not None:
        return heard
    if isinstance(function, functools._lru_cache_wrapper):
        made: Any = _of_cache(function)
    elif getattr(function, "__code__", None) is _CHOOSING:
        made = _choosing(function)
    else:
        made = method_of(function) or convert_or_leave(function)
    return _reading(function) if made is function else made


def _heard_of(function: Any) -> Any:
    mode = static_mode(state.mode)
    return (
        None
        if mode is None or mode.recorder.looked is None
        else heard_of(function, mode.recorder.looked)
    )


def array_method(array: TensorArray, name: str) -> Any:
    """A method of a list of the program.   Raises TraceError where it has none of this name."""
    if not hasattr(array, name):
        raise TraceError(
            with_user_line(
                f"{name}(): a list of which only a run knows the length "
                f"('{array.name}') "
                f"does "
                f"not have it"
            )
        )
    return sequences.popping(array) if name == "pop" else getattr(array, name)


def _reading(function: Any) -> Any:
    """A function that is not the user's, which is given the lists of the program that its arguments
    have become.
    """
    if not callable(function) or isinstance(function, type | Layer):
        return function

    called = guarded(function)
    known = as_default if called is function else _itself

    @functools.wraps(function, updated=())
    def read(*args: Any, **kwargs: Any) -> Any:
        refuse_outer_iterators(*args, *kwargs.values())
        return called(
            *(known(whole(v)) for v in args),
            **{name: known(whole(v)) for name, v in kwargs.items()},
        )

    return read


def _of_cache(function: Any) -> Callable[..., Any]:
    """A function with a cache, which keeps no values of the program: other calls would
    find them.
    """

    def called(*args: Any, **kwargs: Any) -> Any:
        if not _holds_variable((args, kwargs)):
            found = function(*args, **kwargs)
            if not _holds_variable(found):
                return found
            function.cache_clear()
        return call(function.__wrapped__)(*args, **kwargs)

    return called


_CHOOSING = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def _choosing(function: Any) -> Callable[..., Any]:
    """A function of `functools.singledispatch`, whose ways are converted."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return call(function.dispatch(python_scalars.class_of(args[0]) if args else object))(
            *args, **kwargs
        )

    return called


def _holds_variable(value: Any) -> bool:
    return any(isinstance(leaf, Variable) for leaf in pytree.flatten(value)[0])


def _making(function: Any) -> Any:
    """What to call in place of something that gives a new list, dict or object."""

    @functools.wraps(function, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        return _made_by(
            function, *map(whole, args), **{name: whole(v) for name, v in kwargs.items()}
        )

    return make


def _constructing(kind: Any) -> Any:
    """What to call in place of a plain class of the user's, whose `__init__` is converted; None for
    any other.
    """
    init = getattr(kind, "__init__", None)
    plain = kind.__new__ is object.__new__ and type(kind) is type and not issubclass(kind, Layer)
    plain = plain and bool(kind.__dictoffset__)  # attributes in slots are not followed
    if (
        not plain
        or not isinstance(init, FunctionType)
        or not is_users(init)
        or init.__code__.co_filename == "<string>"
    ):
        return None  # a dataclass has its code from a string

    @functools.wraps(kind, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        made = new(object.__new__(kind))
        call(MethodType(init, made))(*args, **kwargs)
        return made

    return make


def _made_by(function: Any, *args: Any, **kwargs: Any) -> Any:
    """A new object, and the lists that it made for itself."""
    made = new(function(*args, **kwargs))
    if has_attributes(made) and not isinstance(made, type):
        given = {id(v) for v in (*args, *kwargs.values())}
        for held in vars(made).values():
            if type(held) is list and id(held) not in given and not held:
                new(held)
    return made


def _of_container(function: Any) -> Any:
    """What to call in place of a method of a list, dict or set: what it holds may change."""
    array = (current if function.__name__ in OF_ONE_KEY else whole)(function.__self__)
    if array is not function.__self__:
        return array_method(array, function.__name__)
    if function.__name__ == "get" and is_unsure(array):
        return getting(array)
    changing(function.__self__, "a list or dict")
    made = method_of(function) or guarded(function)
    return _making(made) if function.__name__ == "copy" else made


def convert_or_leave(function: Any) -> Any:
    """The converted function, if it is one of the user's whose source is there."""
    if isinstance(function, functools.partial):
        return functools.partial(
            convert_or_leave(function.func), *function.args, **function.keywords
        )
    plain = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(plain, FunctionType):
        if not is_users(plain):
            return _making(function) if plain.__module__ == "copy" else function
        _tell(plain)
        try:
            made = get_operator("convert")(function)
        except NoSource as error:
            _warn(plain, error)
            made = function
        recorder = in_a_block(state.mode)
        return made if recorder is None else noting(recorder, function, made)
    if isinstance(function, Layer) or not callable(function) or hasattr(plain, "_no_conversion"):
        return function
    method = vars(type(function)).get("__call__")
    if isinstance(method, FunctionType) and is_users(method):
        return convert_or_leave(MethodType(method, function))
    return function


def _tell(function: FunctionType) -> None:
    """Say to the recording, if there is one, whose names it is going to read."""
    mode = static_mode(state.mode)
    if mode is not None and mode.recorder.saw is not None:
        mode.recorder.saw(function)
    _meet(*_names_of(function))


def _meet(*values: Any) -> None:
    """Let the operators of what is among some values be converted, where a recording asks
    for that.
    """
    mode = static_mode(state.mode)
    if mode is not None and mode.recorder.special is not None:
        mode.recorder.special.meet(*values)


def _names_of(function: FunctionType) -> Iterator[Any]:
    """What the names of a function's module and of the functions around it stand for."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # nothing so far
            yield cell.cell_contents


_WARNED: set[tuple[str, CodeType]] = set()


def _warn(function: FunctionType, error: NoSource) -> None:
    """Say once of a function that it is not converted."""
    at = function.__code__.co_filename, function.__code__
    if at not in _WARNED:
        _WARNED.add(at)
        warn(f"{function.__qualname__} is not converted, control flow in it is Python's: {error}")


# -- builtins
# ------------------------------------------------------------------------------


def _cast(dtype: Any, python: type) -> Callable[..., Any]:
    def convert(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or not isinstance(args[0], Variable):
            return python(*args, **kwargs)
        wanted = dtype_of(dtype)
        made = OPS["cast"](
            args[0], in_dtype=dtype_of(args[0].meta.dtype).proto, out_dtype=wanted.proto
        )
        made.stop_gradient = True  # as of the number that Python would have
        before = stands_for(args[0])
        return marked(
            made,
            Stands(frozenset({python}), before is not None and before.natural and python is int),
        )

    return convert


def _bool(*args: Any) -> Any:
    return _cast("bool", bool)(*(asked(value) for value in args))


def asked(value: Any) -> Any:
    """A value of which the truth counts: of a list that the program carries, whether it holds
    anything; of the user's objects what they say.
    """
    value = current(value)
    if isinstance(value, TensorArray):
        return marked(OPS["reshape2"](value.length(), shape=[]), NATURAL) > 0
    method = method_for(value, "__bool__")
    if method is not None:
        return call(method)()
    if is_unsure(value):
        return count_of(value) > 0
    return _len(value) > 0 if method_for(value, "__len__") is not None else value


def _len(value: Any) -> Any:
    value = current(value)
    method = method_for(value, "__len__")
    if method is not None and static_mode(state.mode) is not None and is_users(method.__func__):
        return call(method)()
    if isinstance(value, TensorArray):
        return marked(OPS["reshape2"](value.length(), shape=[]), NATURAL)
    if isinstance(value, Variable):
        if not value.meta.shape:
            raise TypeError(with_user_line("len() of a 0-D tensor"))
        return value.shape[0]
    if is_unsure(value):
        return count_of(value)
    if is_open(value):
        return (
            value.count
            if stands_for(value.count) == NATURAL
            else op_of_two("elementwise_max", value.count, 0)
        )
    return len(value)


def _range(*bounds: Any) -> Any:
    return Range(*bounds) if any(isinstance(b, Variable) for b in bounds) else range(*bounds)


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    rows = rows_of(iterable)
    return Enumerated(rows, start) if is_open(rows) else enumerate(iterable, start)


def _zip(*iterables: Any, strict: bool = False) -> Any:
    rows = [rows_of(i) for i in iterables]
    if not any(map(is_open, rows)):
        return zip(*iterables, strict=strict)
    return Zipped([r if isinstance(r, Rows) else Sequenced(list(r)) for r in rows])


def _map(function: Any, *iterables: Any) -> Any:
    return map(call(function), *iterables)


def _any_of(op: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*args: Any, **kwargs: Any) -> Any:
        farthest = (
            sequences.farthest(args[0], functools.partial(op_of_two, op))
            if len(args) == 1 and not kwargs
            else None
        )
        if farthest is not None:
            return farthest
        values = (
            list(args[0]) if len(args) == 1 and isinstance(args[0], list | tuple) else list(args)
        )
        if kwargs or not any(isinstance(v, Variable) for v in values) or len(values) < 2:
            return python(*args, **kwargs)
        found = values[0]
        for value in values[1:]:
            found = op_of_two(op, found, value)
        mode = static_mode(state.mode)
        assert mode is not None
        mode.recorder.aliases.join([(found, tuple(values))])
        return found

    return choose


def op_of_two(op: str, a: Any, b: Any) -> Any:
    """The larger or smaller of two values, of which one may be a number."""
    meta = common(op, a, b, ("one value", "the other"))
    return marked(OPS[op](as_meta(a, meta), as_meta(b, meta)), either_of((a, b)))


def _quantified(stops: bool) -> Callable[..., Any]:
    def over(values: Any) -> Any:
        if isinstance(values, Variable):
            op = "reduce_any" if stops else "reduce_all"
            return OPS[op](_cast("bool", bool)(values), reduce_all=True, dim=[], keep_dim=False)

        def both(found: Any, value: Any) -> Any:
            return get_operator("or_" if stops else "and_")(
                found, functools.partial(BUILTINS[bool], value)
            )

        together = sequences.quantified(values, not stops, both)
        if together is not None:
            return together
        found: Any = not stops
        for value in values:
            truth = BUILTINS[bool](value)
            if isinstance(truth, Variable):
                found = both(found, truth)
            elif truth is stops:  # Python asks for no more of them
                return stops
        return found

    return over


def _itself(value: Any) -> Any:
    return value


def _iter(value: Any, *sentinel: Any) -> Any:
    rows = rows_of(value)
    if is_open(rows):
        why = "iter(): only a run knows how many items there are; use a `for` statement"
        return troubled(TraceError(with_user_line(why)), (rows.item(i) for i in range(1)))
    return iter(value, *sentinel)


def _of_whole(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that goes through what it is given."""

    def called(*args: Any, **kwargs: Any) -> Any:
        refuse_outer_iterators(*args)
        return function(*map(whole, args), **kwargs)

    return called


THROUGH: dict[Any, Any] = {
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.map: _map,
    builtins.max: _any_of("elementwise_max", max),
    builtins.min: _any_of("elementwise_min", min),
    builtins.any: _quantified(True),
    builtins.all: _quantified(False),
    builtins.iter: _iter,
    **sequences.BUILTINS,
}
BUILTINS: dict[Any, Any] = {
    builtins.len: _len,
    builtins.range: _range,
    builtins.print: print_,
    builtins.int: _cast("int64", int),
    builtins.float: _cast("float64", float),
    builtins.bool: _bool,
    **python_scalars.BUILTINS,
    **{of: _of_whole(function) for of, function in THROUGH.items()},
    builtins.setattr: set_attribute,
    builtins.delattr: delete_attribute,
}
