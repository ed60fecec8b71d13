"""Python functions as ops: `py_func`, and `static_pylayer` with a separate backward function.

An op refers to its function by a number, so the program runs only in the process that recorded it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ...core import cuda
from ...core.eager import EAGER
from ...core.errors import OarlockError, OpError, with_user_line
from ...core.mode import state, use_mode
from ...core.tensor import Tensor
from ...ir.program import Attr, AttrType, OpDesc
from ..modes import Static, static_mode
from ..variable import Variable

Function = Callable[..., Any]


@dataclass
class PythonCall:
    """A Python function that programs call.

    backward: its gradient function.
    skipped: inputs and outputs that are not passed to `backward`.
    """

    function: Function
    backward: Function | None = None
    skipped: frozenset[str] = field(default_factory=frozenset)


PYTHON_CALLS: list[PythonCall] = []


def _register_call(call: PythonCall) -> int:
    PYTHON_CALLS.append(call)
    return len(PYTHON_CALLS) - 1


def registered_call(number: int) -> PythonCall:
    """Return the function with a number. Raises OarlockError for a number that this process did not
    register.
    """
    if not 0 <= number < len(PYTHON_CALLS):
        raise OarlockError(
            f"py_func: function number {number} is not one of this process; it was not saved "
            f"with the program"
        )
    return PYTHON_CALLS[number]


def as_list(value: Any) -> list[Any]:
    """Convert to a list: a list or tuple, a single value, or None (an empty list)."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _require_mode(what: str) -> Static:
    mode = static_mode(state.mode)
    if mode is None:
        raise OarlockError(
            with_user_line(f"{what}: writes to a program; call enable_static() before")
        )
    return mode


# -- py_func
# ------------------------------------------------------------------------------


def py_func(
    func: Function,
    x: Any,
    out: Any,
    backward_func: Function | None = None,
    skip_vars_in_backward_input: Any = None,
) -> Any:
    """Call `func` on the values of x as ndarrays in each run; its results become `out`, which is
    returned.

    out: variables for the results, None for none.
    backward_func: called with operands, results and the gradients of the results, except those in
    skip_vars_in_backward_input; returns the gradients of the operands.
    """
    recorder = _require_mode("py_func").recorder
    if not callable(func):
        raise TypeError(
            with_user_line(f"py_func: func should be a function, not {type(func).__name__}")
        )
    operands, results = as_list(x), as_list(out)
    for variable in (*operands, *results):
        if not isinstance(variable, Variable):
            raise TypeError(
                with_user_line(f"py_func: x and out are variables, not {type(variable).__name__}")
            )
    skipped = [v.name for v in as_list(skip_vars_in_backward_input)]
    unknown = set(skipped) - {v.name for v in (*operands, *results)}
    if unknown:
        raise OpError(
            with_user_line(
                f"py_func: skip_vars_in_backward_input holds {sorted(unknown)}, neither x nor out"
            )
        )
    call = PythonCall(func, backward_func, frozenset(skipped))
    attrs = {
        "forward_callable_id": Attr(AttrType.INT, _register_call(call)),
        "backward_callable_id": Attr(AttrType.INT, -1),
    }
    attrs["backward_skip_vars"] = Attr(AttrType.STRINGS, skipped)
    names = [recorder.name_of(v) for v in operands]
    recorder.emit("py_func", {"X": names}, {"Out": [recorder.name_of(v) for v in results]}, attrs)
    return out


class PyFuncKernel:
    """The kernel of the op `py_func`.

    dtypes: the dtypes of its results.
    """

    def __init__(self, number: int, dtypes: Sequence[Any]) -> None:
        self._function = registered_call(number).function
        self._dtypes = list(dtypes)

    def __call__(self, *arrays: Any) -> list[Any]:
        """Return the results in the declared dtypes. Raises OpError for another number of
        results.
        """
        with use_mode(EAGER):
            given = self._function(*(None if a is None else np.asarray(a) for a in arrays))
        result = as_list(given)
        if not self._dtypes:
            return []
        if len(result) != len(self._dtypes):
            name = getattr(self._function, "__name__", "the function")
            raise OpError(f"py_func: {name} returns {len(result)} results, not {len(self._dtypes)}")
        return [_array(m, d) for m, d in zip(result, self._dtypes, strict=True)]


def _array(value: Any, dtype: Any) -> Any:
    return np.asarray(cuda.to_host(value.array if isinstance(value, Tensor) else value)).astype(
        dtype, copy=False
    )


def backward_call(
    number: int, operands: list[str], results: list[str], gradients: list[str], wanted: list[int]
) -> tuple[int, list[str]]:
    """Return the number of the function that computes the gradients of a py_func, and the names of
    its inputs.

    wanted: for each gradient, whether it is needed.
    """
    call = registered_call(number)
    assert call.backward is not None
    kept = [n for n in (*operands, *results) if n not in call.skipped]
    backward = call.backward

    def run(*arrays: Any) -> list[Any]:
        given = as_list(backward(*arrays))
        if len(given) < len(operands):
            raise OpError(
                f"py_func: backward_func returns {len(given)} gradients, not {len(operands)}"
            )
        return [given[i] for i in wanted]

    return _register_call(PythonCall(run)), [*kept, *gradients]


# -- static_pylayer
# -------------------------------------------------------------------------------------------------


def static_pylayer(
    forward_fn: Function,
    inputs: Sequence[Variable],
    backward_fn: Function | None = None,
    name: str | None = None,
) -> Any:
    """Return forward_fn(*inputs). Its gradients are computed by `backward_fn` from the gradients of
    the results, instead of by differentiating the ops of forward_fn.
    """
    recorder = _require_mode("static_pylayer").recorder
    operands = as_list(inputs)
    made = forward_fn(*operands)
    results = as_list(made)
    if backward_fn is None or all(v.stop_gradient for v in operands):
        for result in results:
            result.stop_gradient = True
        return made
    attrs = {
        "forward_callable_id": Attr(
            AttrType.INT, _register_call(PythonCall(forward_fn, backward_fn))
        )
    }
    outs = []
    for result in results:
        desc = recorder.declare(recorder.namer.temporary_name("pylayer"), result.meta)
        outs.append(recorder.variable(desc))
    names = {
        "X": [recorder.name_of(v) for v in operands],
        "Y": [recorder.name_of(v) for v in results],
    }
    recorder.emit("pylayer", names, {"Out": [v.name for v in outs]}, attrs)
    return outs[0] if isinstance(made, Variable) else type(made)(outs)


def pylayer_gradients(desc: OpDesc, gradients: list[Variable]) -> list[Any]:
    """Return the gradients that the backward function of an op `pylayer` records, one per operand.

    Raises OpError for another number of gradients.
    """
    call = registered_call(desc.attr("forward_callable_id"))
    assert call.backward is not None
    given = as_list(call.backward(*gradients))
    if len(given) != len(desc.inputs["X"]):
        count = len(desc.inputs["X"])
        raise OpError(
            f"static_pylayer: backward_fn returns {len(given)} gradients for {count} inputs"
        )
    return given
