"""`guard`, conversion of arrays to variables, and gradients."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ...core import autograd, rng, unique_name
from ...core.eager import EAGER_MODE
from ...core.errors import OpError, append_user_line
from ...core.mode import state, use_mode
from ...core.paddle1_compat import temporarily_emulate_paddle1
from ...core.tensor import Tensor
from ...static import Program, program_guard
from ...static.graph.mode import StaticGraphMode
from ...tensor.creation import to_tensor
from .. import framework
from ..backward_strategy import BackwardStrategy
from ..complex_variable import ComplexVariable
from ..deprecated import warn_deprecated_on_first_use, warn_deprecated_once
from ..training_mode import TRAINING_MODE

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
    """Run the body of the `with` statement in eager mode.

    Names are generated anew, and random numbers start from the `random_seed` of the default
    programs.

    Paddle 2 has dynamic mode, which is the default instead.
    """
    warn_deprecated_once("fluid.dygraph.guard", "that by itself, and paddle.disable_static()")
    previous, TRAINING_MODE.training = TRAINING_MODE.training, True
    main, startup = Program(), Program()
    try:
        with (
            temporarily_emulate_paddle1(),
            use_mode(EAGER_MODE),
            program_guard(main, startup),
            unique_name.guard(),
            rng.use_generator(lambda: main.generator or startup.generator),
        ):
            yield
    finally:
        TRAINING_MODE.training = previous


def switch_to_static_graph(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function so that its ops are recorded in the default programs, also if it is
    called in dygraph mode.
    """

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with use_mode(StaticGraphMode()):
            return function(*args, **kwargs)

    return wrapper


enable_dygraph = enable_imperative = framework.enable_dygraph
disable_dygraph = disable_imperative = framework.disable_dygraph
enabled = framework.in_dygraph_mode


@warn_deprecated_on_first_use("fluid.dygraph.to_variable", "paddle.to_tensor")
def to_variable(
    value: Any, name: str | None = None, zero_copy: bool | None = None, dtype: Any = None
) -> Any:
    """Convert an array to a tensor with stop_gradient=True, a scalar to shape [1]; returns a tensor
    unchanged.
    """
    if isinstance(value, Tensor | ComplexVariable):
        return value
    array = np.array(value)
    if array.dtype.kind == "c" and dtype is None:
        return ComplexVariable(*(to_variable(part, name) for part in (array.real, array.imag)))
    tensor = to_tensor(np.atleast_1d(array), dtype=dtype)
    tensor.name = unique_name.generate("generated_var") if name is None else name
    return tensor


def no_grad(func: Callable[..., Any] | None = None) -> Any:
    """Disable gradients in a function, or without `func` in the body of a `with` statement.

    The newer name is `paddle.no_grad`.
    """
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
    """Return the gradients of outputs with respect to inputs, like `paddle.grad`.

    Raises OpError in static graph mode, which has `fluid.gradients`.
    """
    if state.mode.program_builder is not None:
        raise OpError(
            append_user_line(
                "fluid.dygraph.grad: requires eager mode; use fluid.gradients in programs"
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
