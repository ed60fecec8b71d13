"""Function calls in converted code. User functions are converted at their first call; builtins are
replaced by versions that accept symbolic values.
"""

from __future__ import annotations

import builtins
import functools
import itertools
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import CodeType, FunctionType, MethodType
from typing import Any

from ...capture.control.branch_values import cast_or_fill_like, require_common_meta_of_values
from ...capture.control.container_aliasing import resolve_replaced_list_and_reject_invalidated
from ...capture.control.tensor_arrays import TensorArray
from ...capture.modes import find_static_base_mode
from ...capture.symbolic_scalars import (
    NONNEGATIVE_INT,
    PossibleScalarTypes,
    cast_symbolic_float_to_default_dtype,
    mark_symbolic_scalar,
    merge_scalar_kinds_of_values,
    raise_or_collect_error,
    scalar_kind,
)
from ...capture.variable import Variable
from ...core import pytree
from ...core.dtype import parse_dtype
from ...core.errors import TraceError, append_user_line, warn
from ...core.function_syntax_tree import SourceError
from ...core.mode import state
from ...core.op import OPS
from ...nn.layer import Layer
from ..guards.impure_calls import guarded_or_recorded_impure_function_or_none
from ..guards.user_code import is_convertible_function, is_non_oarlock_object_with_attributes
from . import python_scalars, sequences
from .dunder_and_property_conversion import find_python_dunder_method
from .iterables import (
    EnumeratedIterable,
    IndexedIterable,
    SequenceIterable,
    SymbolicRange,
    ZippedIterable,
    as_indexed_iterable_if_possible,
    has_dynamic_length,
)
from .nonlocal_writes import (
    find_recorder_if_in_branch_or_loop,
    operator_delattr,
    operator_setattr,
    register_new_object,
    reject_or_note_preexisting_iterators,
    save_and_wrap_before_write,
    wrap_to_save_locations_before_call,
)
from .partial_dicts import (
    SINGLE_KEY_DICT_METHODS,
    has_partial_keys,
    make_partial_dict_get,
    num_dict_keys,
    resolve_replaced_list_and_reject_incomplete,
)
from .python_scalars import find_method_handling_symbolic_scalars, wrap_to_name_scalar_in_errors
from .raise_assert_and_print import assert_, print_
from .registry import get_operator
from .training_step_rejection import (
    reject_or_must_skip_training_call,
    return_first_argument_of_skipped_call,
)


def call(function: Any) -> Any:
    """Return the function that converted code calls in place of `function`."""
    mode = find_static_base_mode(state.mode)
    if mode is None:
        return function
    if isinstance(function, type):
        _convert_dunder_methods_of_value_classes(function)
        return (
            BUILTIN_REPLACEMENTS.get(function)
            or _convert_constructor_if_plain_class(function)
            or _wrap_to_register_created_object(wrap_to_name_scalar_in_errors(function))
        )
    if isinstance(function, functools.partial):
        return functools.partial(call(function.func), *function.args, **function.keywords)
    owner = getattr(function, "__self__", None)
    if reject_or_must_skip_training_call(mode, function, owner):
        return return_first_argument_of_skipped_call
    if mode.recorder.rollback is not None:
        mode.recorder.rollback.save_before_mutation(owner)
    if isinstance(owner, TensorArray):
        return require_tensor_array_method(owner, function.__name__)
    return (
        _get_container_method_after_saving(function)
        if isinstance(owner, list | dict | set)
        else _select_replacement_for_callee(function)
    )


def _select_replacement_for_callee(function: Any) -> Any:
    try:
        known = BUILTIN_REPLACEMENTS.get(function)
    except TypeError:  # the function object is not hashable
        known = None
    if known is not None:
        return known
    impure = _find_replacement_if_impure(function)
    if impure is not None:
        return impure
    if isinstance(function, functools._lru_cache_wrapper):
        result: Any = _wrap_to_keep_variables_out_of_lru_cache(function)
    elif isinstance(getattr(function, "__func__", None), functools._lru_cache_wrapper):
        result = functools.partial(
            _wrap_to_keep_variables_out_of_lru_cache(function.__func__), function.__self__
        )
    elif getattr(function, "__code__", None) is _SINGLEDISPATCH_WRAPPER_CODE:
        result = _wrap_singledispatch_to_convert_implementations(function)
    else:
        result = find_method_handling_symbolic_scalars(function) or convert_if_user_code(function)
    return _wrap_to_adapt_library_arguments(function) if result is function else result


def _find_replacement_if_impure(function: Any) -> Any:
    """Return what converted code calls in place of an impure function: the function itself, which
    is recorded, or a wrapper that guards its results. Return None for a pure function, or if the
    capture does not track reads.
    """
    mode = find_static_base_mode(state.mode)
    return (
        None
        if mode is None or mode.recorder.read_tracker is None
        else guarded_or_recorded_impure_function_or_none(function, mode.recorder.read_tracker)
    )


def require_tensor_array_method(array: TensorArray, name: str) -> Any:
    """Return the method `name` of a TensorArray, or raise TraceError if it has none."""
    if not hasattr(array, name):
        raise TraceError(
            append_user_line(
                f"{name}(): is not supported for a list whose length is known only at run time "
                f"('{array.name}')"
            )
        )
    return sequences.make_tensor_array_pop(array) if name == "pop" else getattr(array, name)


def _wrap_to_adapt_library_arguments(function: Any) -> Any:
    """Wrap a library function so that its arguments are adapted. The wrapper passes a TensorArray
    in place of a list that was moved to it, and casts symbolic floats to the default dtype (except
    for Python's standard library). The wrapper raises an error for dicts whose keys depend on the
    path, and for iterators created outside of the recorded function. Classes, layers and objects
    that are not callable are returned unchanged.
    """
    if not callable(function) or isinstance(function, type | Layer):
        return function

    called = wrap_to_name_scalar_in_errors(function)
    known = cast_symbolic_float_to_default_dtype if called is function else _return_unchanged

    @functools.wraps(function, updated=())
    def call_library_function(*args: Any, **kwargs: Any) -> Any:
        reject_or_note_preexisting_iterators(*args, *kwargs.values())
        return called(
            *(known(resolve_replaced_list_and_reject_incomplete(v)) for v in args),
            **{
                name: known(resolve_replaced_list_and_reject_incomplete(v))
                for name, v in kwargs.items()
            },
        )

    return call_library_function


def _wrap_to_keep_variables_out_of_lru_cache(function: Any) -> Callable[..., Any]:
    """Wrap a function that has an `lru_cache`, so that calls with Variables bypass the cache."""

    def call_cached_unless_variables(*args: Any, **kwargs: Any) -> Any:
        if not _contains_variable((args, kwargs)):
            found = function(*args, **kwargs)
            if not _contains_variable(found):
                return found
            function.cache_clear()
        return call(function.__wrapped__)(*args, **kwargs)

    return call_cached_unless_variables


_SINGLEDISPATCH_WRAPPER_CODE = functools.singledispatch(len).__code__  # type: ignore[attr-defined]


def _wrap_singledispatch_to_convert_implementations(function: Any) -> Callable[..., Any]:
    """Wrap a function of `functools.singledispatch`, so that its implementations are converted."""

    def call_implementation(*args: Any, **kwargs: Any) -> Any:
        return call(function.dispatch(python_scalars.get_class(args[0]) if args else object))(
            *args, **kwargs
        )

    return call_implementation


def _contains_variable(value: Any) -> bool:
    return any(isinstance(leaf, Variable) for leaf in pytree.flatten(value)[0])


def _wrap_to_register_created_object(function: Any) -> Any:
    """Wrap a function that creates a list, dict or object, so that the result is registered as
    created by the recorded code.
    """

    @functools.wraps(function, updated=())
    def construct(*args: Any, **kwargs: Any) -> Any:
        return _construct_and_register_as_local(
            function,
            *map(resolve_replaced_list_and_reject_incomplete, args),
            **{name: resolve_replaced_list_and_reject_incomplete(v) for name, v in kwargs.items()},
        )

    return construct


def _convert_constructor_if_plain_class(kind: Any) -> Any:
    """Return a function that constructs an object of a plain user class and converts its
    `__init__`; return None for other classes.
    """
    init = getattr(kind, "__init__", None)
    is_plain_class = (
        kind.__new__ is object.__new__ and type(kind) is type and not issubclass(kind, Layer)
    )
    is_plain_class = is_plain_class and bool(
        kind.__dictoffset__
    )  # attributes in slots are not tracked, so such classes are not converted
    if (
        not is_plain_class
        or not isinstance(init, FunctionType)
        or not is_convertible_function(init)
        or init.__code__.co_filename == "<string>"
    ):
        return None  # the code of a dataclass is generated

    @functools.wraps(kind, updated=())
    def construct(*args: Any, **kwargs: Any) -> Any:
        result = register_new_object(object.__new__(kind))
        call(MethodType(init, result))(*args, **kwargs)
        return result

    return construct


def _construct_and_register_as_local(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Create an object, and register it as created by the recorded code, together with those of its
    attributes that are empty lists and were not passed as arguments.
    """
    result = register_new_object(function(*args, **kwargs))
    if is_non_oarlock_object_with_attributes(result) and not isinstance(result, type):
        given = {id(v) for v in (*args, *kwargs.values())}
        for attribute in vars(result).values():
            if type(attribute) is list and id(attribute) not in given and not attribute:
                register_new_object(attribute)
    return result


def _get_container_method_after_saving(function: Any) -> Any:
    """Return a method of a list, dict or set, after saving the container, because the method may
    change it. For a list that was moved to a TensorArray, return the method of the TensorArray.
    """
    array = (
        resolve_replaced_list_and_reject_invalidated
        if function.__name__ in SINGLE_KEY_DICT_METHODS
        else resolve_replaced_list_and_reject_incomplete
    )(function.__self__)
    if array is not function.__self__:
        return require_tensor_array_method(array, function.__name__)
    if function.__name__ == "get" and has_partial_keys(array):
        return make_partial_dict_get(array)
    save_and_wrap_before_write(function.__self__, "a list or dict")
    result = find_method_handling_symbolic_scalars(function) or wrap_to_name_scalar_in_errors(
        function
    )
    return _wrap_to_register_created_object(result) if function.__name__ == "copy" else result


def convert_if_user_code(function: Any) -> Any:
    """Return the converted function if it is user code with available source. Functions of the
    module `copy` are wrapped so that the copy is registered as created by the recorded code; other
    functions are returned unchanged.
    """
    if isinstance(function, functools.partial):
        return functools.partial(
            convert_if_user_code(function.func), *function.args, **function.keywords
        )
    plain = function.__func__ if isinstance(function, MethodType) else function
    if isinstance(plain, FunctionType):
        if not is_convertible_function(plain):
            return (
                _wrap_to_register_created_object(function)
                if plain.__module__ == "copy"
                else function
            )
        _report_call_and_convert_classes_that_it_uses(plain)
        try:
            result = get_operator("convert")(function)
        except SourceError as error:
            _warn_function_unconverted(plain, error)
            result = function
        recorder = find_recorder_if_in_branch_or_loop(state.mode)
        return (
            result
            if recorder is None
            else wrap_to_save_locations_before_call(recorder, function, result)
        )
    if isinstance(function, Layer) or not callable(function) or hasattr(plain, "_no_conversion"):
        return function
    method = vars(type(function)).get("__call__")
    if isinstance(method, FunctionType) and is_convertible_function(method):
        return convert_if_user_code(MethodType(method, function))
    return function


def _report_call_and_convert_classes_that_it_uses(function: FunctionType) -> None:
    """Report to the capture that a function is about to be called, and convert the special methods
    of the classes of its globals and free variables.
    """
    mode = find_static_base_mode(state.mode)
    if mode is not None and mode.recorder.on_function_call is not None:
        mode.recorder.on_function_call(function)
    _convert_dunder_methods_of_value_classes(*_iter_referenced_values(function))


def _convert_dunder_methods_of_value_classes(*values: Any) -> None:
    """While a program is recorded, convert the special methods of the classes of the given
    values.
    """
    mode = find_static_base_mode(state.mode)
    if mode is not None and mode.recorder.dunder_methods is not None:
        mode.recorder.dunder_methods.convert_classes_of_values(*values)


def _iter_referenced_values(function: FunctionType) -> Iterator[Any]:
    """Yield the values of the globals and free variables of a function."""
    for name in function.__code__.co_names:
        if name in function.__globals__:
            yield function.__globals__[name]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty cell
            yield cell.cell_contents


_WARNED_FUNCTIONS: set[tuple[str, CodeType]] = set()


def _warn_function_unconverted(function: FunctionType, error: SourceError) -> None:
    """Warn once that a function is not converted."""
    at = function.__code__.co_filename, function.__code__
    if at not in _WARNED_FUNCTIONS:
        _WARNED_FUNCTIONS.add(at)
        warn(f"{function.__qualname__} is not converted, so Python runs its control flow: {error}")


# -- builtins
# ------------------------------------------------------------------------------


def _make_number_cast_operator(dtype: Any, python: type) -> Callable[..., Any]:
    def cast_value(*args: Any, **kwargs: Any) -> Any:
        if len(args) != 1 or not isinstance(args[0], Variable):
            return python(*args, **kwargs)
        wanted = parse_dtype(dtype)
        result = OPS["cast"](
            args[0], in_dtype=parse_dtype(args[0].meta.dtype).proto, out_dtype=wanted.proto
        )
        # because int() and float() return a number without gradient in eager execution
        result.stop_gradient = True
        before = scalar_kind(args[0])
        return mark_symbolic_scalar(
            result,
            PossibleScalarTypes(
                frozenset({python}), before is not None and before.is_nonnegative and python is int
            ),
        )

    return cast_value


def _operator_bool(*args: Any) -> Any:
    return _make_number_cast_operator("bool", bool)(
        *(value_deciding_truth(value) for value in args)
    )


def value_deciding_truth(value: Any) -> Any:
    """Return the value that decides the truth of an object: for a TensorArray, whether it is
    non-empty; for a user object, the result of `__bool__` or `__len__`; for other objects, the
    object itself.
    """
    value = resolve_replaced_list_and_reject_invalidated(value)
    if isinstance(value, TensorArray):
        return mark_symbolic_scalar(OPS["reshape2"](value.length(), shape=[]), NONNEGATIVE_INT) > 0
    method = find_python_dunder_method(value, "__bool__")
    if method is not None:
        return call(method)()
    if has_partial_keys(value):
        return num_dict_keys(value) > 0
    return (
        _operator_len(value) > 0
        if find_python_dunder_method(value, "__len__") is not None
        else value
    )


def _operator_len(value: Any) -> Any:
    value = resolve_replaced_list_and_reject_invalidated(value)
    method = find_python_dunder_method(value, "__len__")
    if (
        method is not None
        and find_static_base_mode(state.mode) is not None
        and is_convertible_function(method.__func__)
    ):
        return call(method)()
    if isinstance(value, TensorArray):
        return mark_symbolic_scalar(OPS["reshape2"](value.length(), shape=[]), NONNEGATIVE_INT)
    if isinstance(value, Variable):
        if not value.meta.shape:
            raise TypeError(append_user_line("len() of a 0-D tensor"))
        return value.shape[0]
    if has_partial_keys(value):
        return num_dict_keys(value)
    if has_dynamic_length(value):
        return (
            value.count
            if scalar_kind(value.count) == NONNEGATIVE_INT
            else binary_extremum("elementwise_max", value.count, 0)
        )
    return len(value)


def _operator_range(*bounds: Any) -> Any:
    return (
        SymbolicRange(*bounds) if any(isinstance(b, Variable) for b in bounds) else range(*bounds)
    )


def _operator_enumerate(iterable: Any, start: Any = 0) -> Any:
    rows = as_indexed_iterable_if_possible(iterable)
    return (
        EnumeratedIterable(rows, start) if has_dynamic_length(rows) else enumerate(iterable, start)
    )


def _operator_zip(*iterables: Any, strict: bool = False) -> Any:
    rows = [as_indexed_iterable_if_possible(i) for i in iterables]
    if not any(map(has_dynamic_length, rows)):
        return zip(*iterables, strict=strict)
    indexed = [
        r if isinstance(r, IndexedIterable) else SequenceIterable(_list_of_finite_iterable(r))
        for r in rows
    ]
    if strict:
        counts = [_operator_len(r) for r in indexed]
        for count in counts[1:]:
            assert_(counts[0] == count, lambda: "zip() has arguments of different lengths")
    return ZippedIterable(indexed)


MAX_ZIPPED_ITEMS = 1 << 16


def _list_of_finite_iterable(iterable: Any) -> list[Any]:
    """Return the items of a Python iterable as a list. Raise TraceError if there are more than
    MAX_ZIPPED_ITEMS, because the iterator may have no end, as `itertools.count()`.
    """
    if hasattr(iterable, "__len__"):
        return list(iterable)
    items = list(itertools.islice(iterable, MAX_ZIPPED_ITEMS + 1))
    if len(items) > MAX_ZIPPED_ITEMS:
        raise TraceError(
            append_user_line(
                f"zip(): an iterator has more than {MAX_ZIPPED_ITEMS} items, and the number of "
                "items of another argument is known only at run time; use enumerate"
            )
        )
    return items


def _operator_map(function: Any, *iterables: Any) -> Any:
    return map(call(function), *iterables)


def _make_extremum_operator(op: str, python: Callable[..., Any]) -> Callable[..., Any]:
    def extremum(*args: Any, **kwargs: Any) -> Any:
        farthest = (
            sequences.fold_extremum_or_none(args[0], functools.partial(binary_extremum, op))
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
        mode = find_static_base_mode(state.mode)
        assert mode is not None
        mode.recorder.aliases.record_merged_value_aliases([(found, tuple(values))])
        return found

    return extremum


def binary_extremum(op: str, a: Any, b: Any) -> Any:
    """Return the larger or the smaller of two values, by the op `op`; one of them may be a Python
    number.
    """
    meta = require_common_meta_of_values(op, a, b, ("one value", "the other"))
    return mark_symbolic_scalar(
        OPS[op](cast_or_fill_like(a, meta), cast_or_fill_like(b, meta)),
        merge_scalar_kinds_of_values((a, b)),
    )


def _make_quantifier_operator(stop_value: bool) -> Callable[..., Any]:
    def quantify(values: Any) -> Any:
        if isinstance(values, Variable):
            op = "reduce_any" if stop_value else "reduce_all"
            return OPS[op](
                _make_number_cast_operator("bool", bool)(values),
                reduce_all=True,
                dim=[],
                keep_dim=False,
            )

        def both(found: Any, value: Any) -> Any:
            return get_operator("or_" if stop_value else "and_")(
                found, functools.partial(BUILTIN_REPLACEMENTS[bool], value)
            )

        result = sequences.fold_quantifier_or_none(values, not stop_value, both)
        if result is not None:
            return result
        found: Any = not stop_value
        for value in values:
            truth = BUILTIN_REPLACEMENTS[bool](value)
            if isinstance(truth, Variable):
                found = both(found, truth)
            # the result is determined; like Python, do not evaluate further items
            elif truth is stop_value:
                return stop_value
        return found

    return quantify


def _return_unchanged(value: Any) -> Any:
    return value


def _operator_iter(value: Any, *sentinel: Any) -> Any:
    rows = as_indexed_iterable_if_possible(value)
    if has_dynamic_length(rows):
        why = "iter(): the number of items is known only at run time; use a `for` statement"
        return raise_or_collect_error(
            TraceError(append_user_line(why)), (rows.item(i) for i in range(1))
        )
    return iter(value, *sentinel)


def _wrap_to_check_iterated_arguments(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function that iterates over its arguments. The wrapper raises an error for dicts whose
    keys depend on the path, and for iterators created outside of the recorded function.
    """

    def call_after_argument_checks(*args: Any, **kwargs: Any) -> Any:
        reject_or_note_preexisting_iterators(*args)
        return function(*map(resolve_replaced_list_and_reject_incomplete, args), **kwargs)

    return call_after_argument_checks


ITERATING_BUILTINS: dict[Any, Any] = {
    builtins.enumerate: _operator_enumerate,
    builtins.zip: _operator_zip,
    builtins.map: _operator_map,
    builtins.max: _make_extremum_operator("elementwise_max", max),
    builtins.min: _make_extremum_operator("elementwise_min", min),
    builtins.any: _make_quantifier_operator(True),
    builtins.all: _make_quantifier_operator(False),
    builtins.iter: _operator_iter,
    **sequences.BUILTIN_REPLACEMENTS,
}
BUILTIN_REPLACEMENTS: dict[Any, Any] = {
    builtins.len: _operator_len,
    builtins.range: _operator_range,
    builtins.print: print_,
    builtins.int: _make_number_cast_operator("int64", int),
    builtins.float: _make_number_cast_operator("float64", float),
    builtins.bool: _operator_bool,
    **python_scalars.BUILTIN_REPLACEMENTS,
    **{
        of: _wrap_to_check_iterated_arguments(function)
        for of, function in ITERATING_BUILTINS.items()
    },
    builtins.setattr: operator_setattr,
    builtins.delattr: operator_delattr,
}
