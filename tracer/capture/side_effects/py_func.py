"""Python functions as ops of a program: py_func, and static_pylayer with a backward pass of its
own.

A function is known by its number; a program that holds one runs only in the process that wrote it.
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
class Call:
    """A function that programs call.

    backward: its gradient; skipped: which operands and results that is not given
    """

    function: Function
    backward: Function | None = None
    skipped: frozenset[str] = field(default_factory=frozenset)


CALLS: list[Call] = []


def _number(call: Call) -> int:
    CALLS.append(call)
    return len(CALLS) - 1


def known(number: int) -> Call:
    """The function of a number.   Raises OarlockError for one of another process."""
    if not 0 <= number < len(CALLS):
        raise OarlockError(
            f"py_func: function number {number} is none of this process; it was not saved "
            f"with the program"
        )
    return CALLS[number]


def listed(value: Any) -> list[Any]:
    """What users give as one or several."""
    if value is None:
        return []
    return list(value) if isinstance(value, list | tuple) else [value]


def _mode(what: str) -> Static:
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
    """Call `func` on the values of x, ndarrays, whenever the program runs; what it gives becomes
    `out`, which it returns.

    out: variables that were made for it, None for none; backward_func: called with operands,
    results and their gradients, but those in skip_vars_in_backward_input; gives the gradients of
    the operands.
    """
    recorder = _mode("py_func").recorder
    if not callable(func):
        raise TypeError(
            with_user_line(f"py_func: func should be a function, not {type(func).__name__}")
        )
    operands, results = listed(x), listed(out)
    for variable in (*operands, *results):
        if not isinstance(variable, Variable):
            raise TypeError(
                with_user_line(f"py_func: x and out are variables, not {type(variable).__name__}")
            )
    skipped = [v.name for v in listed(skip_vars_in_backward_input)]
    unknown = set(skipped) - {v.name for v in (*operands, *results)}
    if unknown:
        raise OpError(
            with_user_line(
                f"py_func: skip_vars_in_backward_input holds {sorted(unknown)}, neither x nor out"
            )
        )
    call = Call(func, backward_func, frozenset(skipped))
    attrs = {
        "forward_callable_id": Attr(AttrType.INT, _number(call)),
        "backward_callable_id": Attr(AttrType.INT, -1),
    }
    attrs["backward_skip_vars"] = Attr(AttrType.STRINGS, skipped)
    names = [recorder.name_of(v) for v in operands]
    recorder.emit("py_func", {"X": names}, {"Out": [recorder.name_of(v) for v in results]}, attrs)
    return out


class Caller:
    """What the op `py_func` does.   dtypes: of its results"""

    def __init__(self, number: int, dtypes: Sequence[Any]) -> None:
        self._function = known(number).function
        self._dtypes = list(dtypes)

    def __call__(self, *arrays: Any) -> list[Any]:
        """The results, in the declared dtypes.   Raises OpError for another number of them."""
        with use_mode(EAGER):
            given = self._function(*(None if a is None else np.asarray(a) for a in arrays))
        made = listed(given)
        if not self._dtypes:
            return []
        if len(made) != len(self._dtypes):
            name = getattr(self._function, "__name__", "the function")
            raise OpError(f"py_func: {name} gives {len(made)} results, not {len(self._dtypes)}")
        return [_array(m, d) for m, d in zip(made, self._dtypes, strict=True)]


def _array(value: Any, dtype: Any) -> Any:
    return np.asarray(cuda.to_host(value.array if isinstance(value, Tensor) else value)).astype(
        dtype, copy=False
    )


def backward_call(
    number: int, operands: list[str], results: list[str], gradients: list[str], wanted: list[int]
) -> tuple[int, list[str]]:
    """The function that goes back through a py_func, by its number, and the names of its operands.

    wanted: of the gradients it gives
    """
    call = known(number)
    assert call.backward is not None
    kept = [n for n in (*operands, *results) if n not in call.skipped]
    backward = call.backward

    def run(*arrays: Any) -> list[Any]:
        given = listed(backward(*arrays))
        if len(given) < len(operands):
            raise OpError(
                f"py_func: backward_func gives {len(given)} gradients, not {len(operands)}"
            )
        return [given[i] for i in wanted]

    return _number(Call(run)), [*kept, *gradients]


# -- static_pylayer
# -------------------------------------------------------------------------------------------------


def static_pylayer(
    forward_fn: Function,
    inputs: Sequence[Variable],
    backward_fn: Function | None = None,
    name: str | None = None,
) -> Any:
    """What forward_fn makes of inputs; gradients go through backward_fn, which is given those of
    the results, and not through its ops.
    """
    recorder = _mode("static_pylayer").recorder
    operands = listed(inputs)
    made = forward_fn(*operands)
    results = listed(made)
    if backward_fn is None or all(v.stop_gradient for v in operands):
        for result in results:
            result.stop_gradient = True
        return made
    attrs = {"forward_callable_id": Attr(AttrType.INT, _number(Call(forward_fn, backward_fn)))}
    outs = []
    for result in results:
        desc = recorder.declare(recorder.namer.temporary("pylayer"), result.meta)
        outs.append(recorder.variable(desc))
    names = {
        "X": [recorder.name_of(v) for v in operands],
        "Y": [recorder.name_of(v) for v in results],
    }
    recorder.emit("pylayer", names, {"Out": [v.name for v in outs]}, attrs)
    return outs[0] if isinstance(made, Variable) else type(made)(outs)


def pylayer_gradients(desc: OpDesc, gradients: list[Variable]) -> list[Any]:
    """What the backward function of an op `pylayer` writes: a gradient per operand.

    Raises OpError for another number of them.
    """
    call = known(desc.attr("forward_callable_id"))
    assert call.backward is not None
    given = listed(call.backward(*gradients))
    if len(given) != len(desc.inputs["X"]):
        count = len(desc.inputs["X"])
        raise OpError(
            f"static_pylayer: backward_fn gives {len(given)} gradients for {count} inputs"
        )
    return given
