"""The guard around what runs at once, arrays made variables, gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core import autograd, rng, unique_name
from ...core.eager import EAGER
from ...core.errors import OpError, with_user_line
from ...core.mode import state, use_mode
from ...core.paddle1_compat import use_paddle1
from ...core.tensor import Tensor
from ...static import Program, program_guard
from ...static.graph.mode import Writing
from ...tensor.creation import to_tensor
from .. import framework
from ..complex_variable import ComplexVariable
from ..deprecated import instead, tell
from ..phase import PHASE
from ..strategy import BackwardStrategy

__all__ = [
    "BackwardStrategy",
    "disable_dygraph",
    "disable_imperative",
    "enable_dygraph",
    "enable_imperative",
    "enabled",
    "grad",
    "guard",
    "no_grad",
    "to_variable",
]


@contextmanager
def guard(place: Any = None) -> Iterator[None]:
    """Run what the body says at once.

    Names count anew, and random numbers start from the `random_seed` of the default programs.
    """
    tell("fluid.dygraph.guard", "that by itself, and paddle.disable_static()")
    before, PHASE.training = PHASE.training, True
    main, startup = Program(), Program()
    try:
        with (
            use_paddle1(),
            use_mode(EAGER),
            program_guard(main, startup),
            unique_name.guard(),
            rng.use_generator(lambda: main.source or startup.source),
        ):
            yield
    finally:
        PHASE.training = before


def switch_to_static_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function whose body writes to programs, whatever mode it is called in."""

    @functools.wraps(function)
    def writing(*args: Any, **kwargs: Any) -> Any:
        with use_mode(Writing()):
            return function(*args, **kwargs)

    return writing


enable_dygraph = enable_imperative = framework.enable_dygraph
disable_dygraph = disable_imperative = framework.disable_dygraph
enabled = framework.in_dygraph_mode


@instead("fluid.dygraph.to_variable", "paddle.to_tensor")
def to_variable(
    value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None
) -> Any:
    """A variable with the values of an array, [1] for a number; a variable itself.

    It takes no gradient unless told to.
    """
    if isinstance(value, Tensor | ComplexVariable):
        return value
    array = np.array(value)
    if array.dtype.kind == "c" and dtype is None:
        return ComplexVariable(*(to_variable(part, name) for part in (array.real, array.imag)))
    made = to_tensor(np.atleast_1d(array), dtype=dtype)
    made.name = unique_name.generate("generated_var") if name is None else name
    return made


def no_grad(func: Callable[..., Any] | None = None) -> Any:
    """Record no gradients in the body of a `with`, or in a function.   func: None for a context"""
    return autograd.no_grad() if func is None else autograd.no_grad()(func)


def grad(
    outputs: Any,
    inputs: Any,
    grad_outputs: Any = None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool = False,
    no_grad_vars: Any = None,
    backward_strategy: Any = None,
) -> Any:
    """The gradients of outputs by inputs; see paddle.grad.

    Raises OpError in a program, which has `fluid.gradients`.
    """
    if state.mode.builder is not None:
        raise OpError(
            with_user_line(
                "fluid.dygraph.grad: works on values; fluid.gradients writes gradients to a program"
            )
        )
    return autograd.grad(
        outputs,
        inputs,
        grad_outputs,
        retain_graph,
        create_graph,
        only_inputs,
        allow_unused,
        no_grad_vars,
    )
