"""Python functions as ops: `py_func`, and `static_pylayer` with a separate backward function.

An op refers to its function by a number, so the program runs only in the process that recorded it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import cuda
from ...core.eager import EAGER_MODE
from ...core.errors import OarlockError, OpError, append_user_line
from ...core.mode import state, use_mode
from ...core.tensor import Tensor
from ...ir.program import Attr, AttrType, OpDesc
from ..modes import Static, find_static_base_mode
from ..variable import Variable

PythonFunction = Callable[..., Any]


@dataclass
class RegisteredFunction:
    """A Python function that programs call.

    backward: the Python function that computes the gradients.
    skipped_backward_inputs: inputs and outputs that are not passed to `backward`.
    """

    function: PythonFunction
    backward: PythonFunction | None = None
    skipped_backward_inputs: frozenset[str] = field(default_factory=frozenset)


REGISTERED_FUNCTIONS: list[RegisteredFunction] = []


def _register_function(call: RegisteredFunction) -> int:
    REGISTERED_FUNCTIONS.append(call)
    return len(REGISTERED_FUNCTIONS) - 1


def registered_function_by_number(number: int) -> RegisteredFunction:
    """Return the Python function that was registered with this number. Raises OarlockError if this
    process did not register a function with this number.
    """
    if not 0 <= number < len(REGISTERED_FUNCTIONS):
        raise OarlockError(
            append_user_line(
                f"py_func: function number {number} is not registered in this process; functions "
                f"are not saved with a program"
            )
        )
    return REGISTERED_FUNCTIONS[number]


def to_list(value: Any) -> list[Any]:
    """Convert to a list: the items of a list or tuple, a single value as the only item, None to an
    empty list.
    """
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _require_static_mode(what: str) -> Static:
    mode = find_static_base_mode(state.mode)
    if mode is None:
        raise OarlockError(
            append_user_line(f"{what}: requires static mode; call enable_static() first")
        )
    return mode


# -- py_func
# ------------------------------------------------------------------------------


def py_func(
    func: PythonFunction,
    x: Tensor | Sequence[Tensor] | None,
    out: Tensor | Sequence[Tensor] | None,
    backward_func: PythonFunction | None = None,
    skip_vars_in_backward_input: Tensor | Sequence[Tensor] | None = None,
) -> Any:
    """Call a Python function on the values of variables in each run of a program.

    Parameters
    ----------
    func : callable
        Called with the values of `x` as ndarrays; returns an array, or a list or tuple with one
        array per variable of `out`.
    x : Variable, list or tuple of Variable, or None
    out : Variable, list or tuple of Variable, or None
        Variables that get the results, with their shapes and dtypes declared, for example by
        `create_var` of a block. None: results are ignored.
    backward_func : callable, optional
        Computes the gradients of `x`: called with the values of `x`, the values of `out` and the
        gradients of `out` as ndarrays, returns one gradient per variable of `x`. By default no
        gradient flows.
    skip_vars_in_backward_input : Variable or list of Variable, optional
        Variables of `x` and `out` whose values `backward_func` is not called with.

    Returns
    -------
    Variable, list or tuple of Variable, or None
        `out`.

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `func` is not callable, or `x` or `out` contains a value that is not a Variable.
    OpError
        If `skip_vars_in_backward_input` has a variable that is neither in `x` nor in `out`. A run
        raises it if the number of results is wrong.

    Notes
    -----
    The program refers to the function by a number, so it runs only in the process that built it.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [2])
    ...     y = main.current_block().create_var(name="y", shape=[2], dtype="float32")
    ...     _ = paddle.static.py_func(np.cumsum, x, y)
    >>> feed = {"x": np.array([1.0, 2.0], np.float32)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].tolist()
    [1.0, 3.0]
    >>> paddle.disable_static()
    """
    recorder = _require_static_mode("py_func").recorder
    if not callable(func):
        raise TypeError(
            append_user_line(f"py_func: func should be a function, not {type(func).__name__}")
        )
    operands, results = to_list(x), to_list(out)
    for variable in (*operands, *results):
        if not isinstance(variable, Variable):
            raise TypeError(
                append_user_line(f"py_func: x and out are variables, not {type(variable).__name__}")
            )
    skipped = [v.name for v in to_list(skip_vars_in_backward_input)]
    unknown = set(skipped) - {v.name for v in (*operands, *results)}
    if unknown:
        raise OpError(
            append_user_line(
                f"py_func: skip_vars_in_backward_input contains {sorted(unknown)}, "
                "which are neither in x nor in out"
            )
        )
    call = RegisteredFunction(func, backward_func, frozenset(skipped))
    attrs = {
        "forward_callable_id": Attr(AttrType.INT, _register_function(call)),
        "backward_callable_id": Attr(AttrType.INT, -1),
    }
    attrs["backward_skip_vars"] = Attr(AttrType.STRINGS, skipped)
    names = [recorder.find_name_or_declare_persistable(v) for v in operands]
    recorder.append_op(
        "py_func",
        {"X": names},
        {"Out": [recorder.find_name_or_declare_persistable(v) for v in results]},
        attrs,
    )
    return out


class PyFuncKernel:
    """The kernel of the op `py_func`.

    dtypes: the dtypes of its results.
    """

    def __init__(self, number: int, dtypes: Sequence[Any]) -> None:
        self._function = registered_function_by_number(number).function
        self._dtypes = list(dtypes)

    def __call__(self, *arrays: Any) -> list[Any]:
        """Call the Python function and return its results in the declared dtypes. Raises OpError if
        the number of results is not the declared one.
        """
        with use_mode(EAGER_MODE):
            results = self._function(*(None if a is None else np.asarray(a) for a in arrays))
        result = to_list(results)
        if not self._dtypes:
            return []
        if len(result) != len(self._dtypes):
            name = getattr(self._function, "__name__", "the function")
            raise OpError(
                append_user_line(
                    f"py_func: {name} returns {len(result)} results, not {len(self._dtypes)}"
                )
            )
        return [_to_host_result_array(m, d) for m, d in zip(result, self._dtypes, strict=True)]


def _to_host_result_array(value: Any, dtype: Any) -> Any:
    return np.asarray(cuda.to_host(value.array if isinstance(value, Tensor) else value)).astype(
        dtype, copy=False
    )


def register_py_func_backward(
    number: int, operands: list[str], results: list[str], gradients: list[str], needed: list[int]
) -> tuple[int, list[str]]:
    """Register a Python function that computes the gradients of an op py_func; return the number of
    the function and the names of its input variables.

    needed: the indices of the operands whose gradients are needed.
    """
    call = registered_function_by_number(number)
    assert call.backward is not None
    forward_names = [n for n in (*operands, *results) if n not in call.skipped_backward_inputs]
    backward = call.backward

    def run_backward(*arrays: Any) -> list[Any]:
        given = to_list(backward(*arrays))
        if len(given) < len(operands):
            raise OpError(
                append_user_line(
                    f"py_func: backward_func returns {len(given)} gradients, not {len(operands)}"
                )
            )
        return [given[i] for i in needed]

    return _register_function(RegisteredFunction(run_backward)), [*forward_names, *gradients]


# -- static_pylayer
# -------------------------------------------------------------------------------------------------


def static_pylayer(
    forward_fn: PythonFunction,
    inputs: Sequence[Tensor],
    backward_fn: PythonFunction | None = None,
    name: str | None = None,
) -> Any:
    """Record the ops of a function, with another function for its gradients.

    The gradients of the inputs are computed by `backward_fn` from the gradients of the results, not
    by differentiating the ops of `forward_fn`.

    Parameters
    ----------
    forward_fn : callable
        Called once with the inputs; returns a Variable, or a list or tuple of them.
    inputs : list of Variable
    backward_fn : callable, optional
        Called with the gradients of the results when gradients are appended; returns one gradient
        per input. By default no gradient flows.
    name : str, optional
        Not used.

    Returns
    -------
    Variable, or list or tuple of Variable
        As `forward_fn` returns them.

    Raises
    ------
    OarlockError
        In eager mode.
    OpError
        When gradients are appended, if `backward_fn` returns another number of gradients.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [1])
    ...     x.stop_gradient = False
    ...     y = paddle.static.nn.static_pylayer(lambda v: v * 2, [x], lambda grad: grad * 10)
    ...     (x_grad,) = paddle.static.gradients([y], [x])
    >>> feed = {"x": np.array([1.0], np.float32)}
    >>> results = paddle.static.Executor().run(main, feed, fetch_list=[y, x_grad])
    >>> [array.tolist() for array in results]
    [[2.0], [10.0]]
    >>> paddle.disable_static()
    """
    recorder = _require_static_mode("static_pylayer").recorder
    operands = to_list(inputs)
    made = forward_fn(*operands)
    results = to_list(made)
    if backward_fn is None or all(v.stop_gradient for v in operands):
        for result in results:
            result.stop_gradient = True
        return made
    attrs = {
        "forward_callable_id": Attr(
            AttrType.INT, _register_function(RegisteredFunction(forward_fn, backward_fn))
        )
    }
    outs = []
    for result in results:
        desc = recorder.declare(recorder.namer.generate_temporary_name("pylayer"), result.meta)
        outs.append(recorder.create_variable(desc))
    names = {
        "X": [recorder.find_name_or_declare_persistable(v) for v in operands],
        "Y": [recorder.find_name_or_declare_persistable(v) for v in results],
    }
    recorder.append_op("pylayer", names, {"Out": [v.name for v in outs]}, attrs)
    return outs[0] if isinstance(made, Variable) else type(made)(outs)


def call_static_pylayer_backward(desc: OpDesc, gradients: Sequence[Tensor]) -> list[Any]:
    """Call the backward function of an op `pylayer`, which records ops, and return the gradients
    that it returns, one per operand.

    Raises OpError for another number of gradients.
    """
    call = registered_function_by_number(desc.attr("forward_callable_id"))
    assert call.backward is not None
    gradients_of_inputs = to_list(call.backward(*gradients))
    if len(gradients_of_inputs) != len(desc.inputs["X"]):
        count = len(desc.inputs["X"])
        raise OpError(
            append_user_line(
                f"static_pylayer: backward_fn returns {len(gradients_of_inputs)} gradients "
                f"for {count} inputs"
            )
        )
    return gradients_of_inputs
