"""Function calls in converted code. User functions are converted at their first call; builtins are
replaced by versions that accept values of the program.
"""

from __future__ import annotations

import builtins
import functools
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, MethodType
from typing import Any

from ...capture.control.branch_values import cast_to, merge_metas
from ...capture.control.may_alias import resolve_replaced_list
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import static_mode
from ...capture.symbolic_scalars import (
    NONNEGATIVE_INT,
    ScalarKind,
    cast_to_default_float,
    mark_symbolic_scalar,
    merge_kinds_of_values,
    raise_or_collect,
    scalar_kind,
)
from ...capture.variable import Variable
from ...core import pytree
from ...core.dtype import dtype_of
from ...core.errors import TraceError, warn, with_user_line
from ...core.function_source import NoSource
from ...core.mode import state
from ...core.op import OPS
from ...nn.layer import Layer
from ..guards.impure_calls import wrap_impure
from ..guards.user_code import is_user_object, is_users
from . import python_scalars, sequences
from .dunder_methods import python_method
from .exceptions import print_
from .iterables import (
    DynamicIterable,
    EnumeratedIterable,
    PythonSequenceIterable,
    SymbolicRange,
    ZippedIterable,
    as_dynamic_iterable,
    has_dynamic_length,
)
from .nonlocal_writes import (
    before_write,
    delete_attribute,
    recorder_in_block,
    reject_outer_iterators,
    set_attribute,
    track_before_call,
    track_new,
)
from .partial_dicts import (
    SINGLE_KEY_METHODS,
    conditional_get,
    has_partial_keys,
    num_keys,
    require_complete,
)
from .python_scalars import method_of, wrap_builtin_errors
from .registry import get_operator
from .training_state import first_argument, is_training_step


def call(function: Any) -> Any:
    """Return the function that converted code calls in place of `function`."""
    mode = static_mode(state.mode)
    if mode is None:
        return function
    if isinstance(function, type):
        _convert_classes_of(function)
        return (
            BUILTINS.get(function)
            or _convert_constructor(function)
            or _tracking_constructor(wrap_builtin_errors(function))
        )
    if isinstance(function, functools.partial):
        return functools.partial(call(function.func), *function.args, **function.keywords)
    owner = getattr(function, "__self__", None)
    if is_training_step(mode, function, owner):
        return first_argument
    if mode.recorder.rollback is not None:
        mode.recorder.rollback.save(owner)
    if isinstance(owner, TensorArray):
        return array_method(owner, function.__name__)
    return (
        _container_method(function)
        if isinstance(owner, list | dict | set)
        else _convert_function(function)
    )


def _convert_function(function: Any) -> Any:
    try:
        known = BUILTINS.get(function)
    except TypeError:  # not hashable
        known = None
    if known is not None:
        return known
    heard = _wrap_impure(function)
    if heard is not None:
        return heard
    if isinstance(function, functools._lru_cache_wrapper):
        result: Any = _wrap_cached(function)
    elif getattr(function, "__code__", None) is _SINGLEDISPATCH_CODE:
        result = _wrap_singledispatch(function)
    else:
        result = method_of(function) or convert_if_user_code(function)
    return _wrap_library_function(function) if result is function else result


def _wrap_impure(function: Any) -> Any:
    mode = static_mode(state.mode)
    return (
        None
        if mode is None or mode.recorder.read_tracker is None
        else wrap_impure(function, mode.recorder.read_tracker)
    )


def array_method(array: TensorArray, name: str) -> Any:
    """Return a method of a TensorArray. Raises TraceError if it has none of this name."""
    if not hasattr(array, name):
        raise TraceError(
            with_user_line(
                f"{name}(): a list whose length is known only at run time ('{array.name}') does "
                "not have it"
            )
        )
    return sequences.array_pop(array) if name == "pop" else getattr(array, name)


def _wrap_library_function(function: Any) -> Any:
    """Wrap a library function. If a list argument became a TensorArray, the wrapper passes the
    TensorArray.
    """
    if not callable(function) or isinstance(function, type | Layer):
        return function

    called = wrap_builtin_errors(function)
    known = cast_to_default_float if called is function else _identity

    @functools.wraps(function, updated=())
    def read(*args: Any, **kwargs: Any) -> Any:
        reject_outer_iterators(*args, *kwargs.values())
        return called(
            *(known(require_complete(v)) for v in args),
            **{name: known(require_complete(v)) for name, v in kwargs.items()},
        )

    return read


def _wrap_cached(function: Any) -> Callable[..., Any]:
    """Wrap a function with an `lru_cache`, so that the cache holds no values of a program."""

    def called(*args: Any, **kwargs: Any) -> Any:
        if not _holds_variable((args, kwargs)):
            found = function(*args, **kwargs)
            if not _holds_variable(found):
                return found
            function.cache_clear()
        return call(function.__wrapped__)(*args, **kwargs)

    return called


_SINGLEDISPATCH_CODE = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def _wrap_singledispatch(function: Any) -> Callable[..., Any]:
    """Wrap a function of `functools.singledispatch`, so that its implementations are converted."""

    def called(*args: Any, **kwargs: Any) -> Any:
        return call(function.dispatch(python_scalars.get_class(args[0]) if args else object))(
            *args, **kwargs
        )

    return called


def _holds_variable(value: Any) -> bool:
    return any(isinstance(leaf, Variable) for leaf in pytree.flatten(value)[0])


def _tracking_constructor(function: Any) -> Any:
    """Wrap a function that creates a list, dict or object, so that the result is registered as
    local.
    """

    @functools.wraps(function, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        return _construct(
            function,
            *map(require_complete, args),
            **{name: require_complete(v) for name, v in kwargs.items()},
        )

    return make


def _convert_constructor(kind: Any) -> Any:
    """Return a constructor of a plain user class that converts `__init__`; None for other
    classes.
    """
    init = getattr(kind, "__init__", None)
    plain = kind.__new__ is object.__new__ and type(kind) is type and not issubclass(kind, Layer)
    plain = plain and bool(kind.__dictoffset__)  # attributes in slots are not tracked
    if (
        not plain
        or not isinstance(init, FunctionType)
        or not is_users(init)
        or init.__code__.co_filename == "<string>"
    ):
        return None  # the code of a dataclass is generated

    @functools.wraps(kind, updated=())
    def make(*args: Any, **kwargs: Any) -> Any:
        result = track_new(object.__new__(kind))
        call(MethodType(init, result))(*args, **kwargs)
        return result

    return make


def _construct(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Create an object, and register it and the lists that its constructor created as local."""
    result = track_new(function(*args, **kwargs))
    if is_user_object(result) and not isinstance(result, type):
        given = {id(v) for v in (*args, *kwargs.values())}
        for held in vars(result).values():
            if type(held) is list and id(held) not in given and not held:
                track_new(held)
    return result


def _container_method(function: Any) -> Any:
    """Return a method of a list, dict or set. If it may change the container, save the container
    first.
    """
    array = (
        resolve_replaced_list if function.__name__ in SINGLE_KEY_METHODS else require_complete
    )(function.__self__)
    if array is not function.__self__:
        return array_method(array, function.__name__)
    if function.__name__ == "get" and has_partial_keys(array):
        return conditional_get(array)
    before_write(function.__self__, "a list or dict")
    result = method_of(function) or wrap_builtin_errors(function)
    return _tracking_constructor(result) if function.__name__ == "copy" else result


def convert_if_user_code(function: Any) -> Any:
    """Return the converted function if it is user code with available source, otherwise the
    function itself.
    """
    if isinstance(function, functools.partial):
        return functools.partial(
            convert_if_user_code(function.func), *function.args, **function.keywords
        )
    plain = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(plain, FunctionType):
        if not is_users(plain):
            return _tracking_constructor(function) if plain.__module__ == "copy" else function
        _notify_capture(plain)
        try:
            result = get_operator("convert")(function)
        except NoSource as error:
            _warn_unconverted(plain, error)
            result = function
        recorder = recorder_in_block(state.mode)
        return result if recorder is None else track_before_call(recorder, function, result)
    if isinstance(function, Layer) or not callable(function) or hasattr(plain, "_no_conversion"):
        return function
    method = vars(type(function)).get("__call__")
    if isinstance(method, FunctionType) and is_users(method):
        return convert_if_user_code(MethodType(method, function))
    return function


def _notify_capture(function: FunctionType) -> None:
    """Report to the capture that a function is about to be called."""
    mode = static_mode(state.mode)
    if mode is not None and mode.recorder.on_function_call is not None:
        mode.recorder.on_function_call(function)
    _convert_classes_of(*_referenced_values(function))


def _convert_classes_of(*values: Any) -> None:
    """Convert the special methods of the classes of some values while a program is recorded."""
    mode = static_mode(state.mode)
    if mode is not None and mode.recorder.dunder_methods is not None:
        mode.recorder.dunder_methods.convert_classes_of(*values)


def _referenced_values(function: FunctionType) -> Iterator[Any]:
    """Yield the values of the globals and free variables of a function."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty cell
            yield cell.cell_contents


_WARNED: set[tuple[str, CodeType]] = set()


def _warn_unconverted(function: FunctionType, error: NoSource) -> None:
    """Warn once that a function is not converted."""
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
        result = OPS["cast"](
            args[0], in_dtype=dtype_of(args[0].meta.dtype).proto, out_dtype=wanted.proto
        )
        result.stop_gradient = True  # like the number in eager execution
        before = scalar_kind(args[0])
        return mark_symbolic_scalar(
            result,
            ScalarKind(
                frozenset({python}), before is not None and before.is_nonnegative and python is int
            ),
        )

    return convert


def _bool(*args: Any) -> Any:
    return _cast("bool", bool)(*(truth_value(value) for value in args))


def truth_value(value: Any) -> Any:
    """Return the value that decides the truth of an object: for a TensorArray whether it is
    non-empty, for a user object the result of `__bool__` or `__len__`.
    """
    value = resolve_replaced_list(value)
    if isinstance(value, TensorArray):
        return mark_symbolic_scalar(OPS["reshape2"](value.length(), shape=[]), NONNEGATIVE_INT) > 0
    method = python_method(value, "__bool__")
    if method is not None:
        return call(method)()
    if has_partial_keys(value):
        return num_keys(value) > 0
    return _len(value) > 0 if python_method(value, "__len__") is not None else value


def _len(value: Any) -> Any:
    value = resolve_replaced_list(value)
    method = python_method(value, "__len__")
    if method is not None and static_mode(state.mode) is not None and is_users(method.__func__):
        return call(method)()
    if isinstance(value, TensorArray):
        return mark_symbolic_scalar(OPS["reshape2"](value.length(), shape=[]), NONNEGATIVE_INT)
    if isinstance(value, Variable):
        if not value.meta.shape:
            raise TypeError(with_user_line("len() of a 0-D tensor"))
        return value.shape[0]
    if has_partial_keys(value):
        return num_keys(value)
    if has_dynamic_length(value):
        return (
            value.count
            if scalar_kind(value.count) == NONNEGATIVE_INT
            else binary_extremum("elementwise_max", value.count, 0)
        )
    return len(value)


def _range(*bounds: Any) -> Any:
    return (
        SymbolicRange(*bounds) if any(isinstance(b, Variable) for b in bounds) else range(*bounds)
    )


def _enumerate(iterable: Any, start: Any = 0) -> Any:
    rows = as_dynamic_iterable(iterable)
    return (
        EnumeratedIterable(rows, start) if has_dynamic_length(rows) else enumerate(iterable, start)
    )


def _zip(*iterables: Any, strict: bool = False) -> Any:
    rows = [as_dynamic_iterable(i) for i in iterables]
    if not any(map(has_dynamic_length, rows)):
        return zip(*iterables, strict=strict)
    return ZippedIterable(
        [r if isinstance(r, DynamicIterable) else PythonSequenceIterable(list(r)) for r in rows]
    )


def _map(function: Any, *iterables: Any) -> Any:
    return map(call(function), *iterables)


def _extremum(op: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def choose(*args: Any, **kwargs: Any) -> Any:
        farthest = (
            sequences.fold_extremum(args[0], functools.partial(binary_extremum, op))
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
            found = binary_extremum(op, found, value)
        mode = static_mode(state.mode)
        assert mode is not None
        mode.recorder.aliases.record_merge([(found, tuple(values))])
        return found

    return choose


def binary_extremum(op: str, a: Any, b: Any) -> Any:
    """Return the larger or the smaller of two values; one of them may be a number."""
    meta = merge_metas(op, a, b, ("one value", "the other"))
    return mark_symbolic_scalar(
        OPS[op](cast_to(a, meta), cast_to(b, meta)), merge_kinds_of_values((a, b))
    )


def _quantified(stops: bool) -> Callable[..., Any]:
    def over(values: Any) -> Any:
        if isinstance(values, Variable):
            op = "reduce_any" if stops else "reduce_all"
            return OPS[op](_cast("bool", bool)(values), reduce_all=True, dim=[], keep_dim=False)

        def both(found: Any, value: Any) -> Any:
            return get_operator("or_" if stops else "and_")(
                found, functools.partial(BUILTINS[bool], value)
            )

        result = sequences.fold_quantifier(values, not stops, both)
        if result is not None:
            return result
        found: Any = not stops
        for value in values:
            truth = BUILTINS[bool](value)
            if isinstance(truth, Variable):
                found = both(found, truth)
            elif truth is stops:  # Python does not evaluate further items
                return stops
        return found

    return over


def _identity(value: Any) -> Any:
    return value


def _iter(value: Any, *sentinel: Any) -> Any:
    rows = as_dynamic_iterable(value)
    if has_dynamic_length(rows):
        why = "iter(): the number of items is known only at run time; use a `for` statement"
        return raise_or_collect(TraceError(with_user_line(why)), (rows.item(i) for i in range(1)))
    return iter(value, *sentinel)


def _requiring_complete(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that iterates over its arguments. It raises an error for dicts whose keys
    depend on the path.
    """

    def called(*args: Any, **kwargs: Any) -> Any:
        reject_outer_iterators(*args)
        return function(*map(require_complete, args), **kwargs)

    return called


ITERATING_BUILTINS: dict[Any, Any] = {
    builtins.enumerate: _enumerate,
    builtins.zip: _zip,
    builtins.map: _map,
    builtins.max: _extremum("elementwise_max", max),
    builtins.min: _extremum("elementwise_min", min),
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
    **{of: _requiring_complete(function) for of, function in ITERATING_BUILTINS.items()},
    builtins.setattr: set_attribute,
    builtins.delattr: delete_attribute,
}
