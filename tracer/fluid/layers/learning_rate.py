"""Learning-rate schedules: functions that return a variable of the program, or a scheduler in
dygraph mode.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...ir.op_role import OpRole
from ...static.graph.mode import StaticGraphMode
from ...tensor.convert import cast
from ...tensor.creation import full
from .data_and_variables import autoincreased_step_counter, create_global_var
from .layer_utils import assign_to, deprecated_layer

__all__ = [
    "cosine_decay",
    "exponential_decay",
    "inverse_time_decay",
    "linear_lr_warmup",
    "natural_exp_decay",
    "noam_decay",
    "piecewise_decay",
    "polynomial_decay",
]


def _dispatch_to_scheduler_in_dygraph_mode(
    dygraph_class: str, paddle2_name: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function that computes a learning rate in a program. In dygraph mode, the
    decorated function returns a scheduler, an object of a class of fluid.dygraph, that is created
    with the same arguments.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            mode = state.mode
            if isinstance(mode, StaticGraphMode):
                with mode.recorder.setting_op_role(OpRole.LR_SCHEDULE):
                    return function(*args, **kwargs)
            from .. import dygraph  # noqa: PLC0415 - imports of sibling packages are lazy

            # The arguments are passed by name, because the scheduler class has further parameters
            # between those of the function.
            arguments = inspect.signature(function).bind(*args, **kwargs).arguments
            return getattr(dygraph, dygraph_class)(
                **arguments, **({"begin": 0} if dygraph_class == "PiecewiseDecay" else {})
            )

        return deprecated_layer(f"paddle.optimizer.lr.{paddle2_name}")(wrapper)

    return decorate


def _emit_float_step_counter(begin: int = 0) -> Any:
    return cast(autoincreased_step_counter("@LR_DECAY_COUNTER@", begin), "float32")


def _num_periods(step: Any, decay_steps: Any, staircase: bool) -> Any:
    periods = step / decay_steps
    return OPS["floor"](periods) if staircase else periods


def _emit_one_element_constant(value: float) -> Any:
    return full([1], float(value), "float32")


@_dispatch_to_scheduler_in_dygraph_mode("NoamDecay", "NoamDecay")
def noam_decay(d_model: Any, warmup_steps: Any, learning_rate: Any = 1.0) -> Any:
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5), [1]

    (Vaswani et al. 2017).
    """
    step = _emit_float_step_counter(1)
    factor = OPS["elementwise_min"](step**-0.5, step * float(warmup_steps) ** -1.5)
    return factor * (float(d_model) ** -0.5) * learning_rate


@_dispatch_to_scheduler_in_dygraph_mode("ExponentialDecay", "ExponentialDecay")
def exponential_decay(
    learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Any:
    """learning_rate * decay_rate ** (step / decay_steps), [1]; staircase: floor of the exponent."""
    periods = _num_periods(_emit_float_step_counter(), decay_steps, staircase)
    return OPS["elementwise_pow"](_emit_one_element_constant(decay_rate), periods) * learning_rate


@_dispatch_to_scheduler_in_dygraph_mode("NaturalExpDecay", "NaturalExpDecay")
def natural_exp_decay(
    learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Any:
    """learning_rate * exp(-decay_rate * step / decay_steps), [1]; staircase: floor of the ratio."""
    periods = _num_periods(_emit_float_step_counter(), decay_steps, staircase)
    return OPS["exp"](periods * (-1 * decay_rate)) * learning_rate


@_dispatch_to_scheduler_in_dygraph_mode("InverseTimeDecay", "InverseTimeDecay")
def inverse_time_decay(
    learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Any:
    """learning_rate / (1 + decay_rate * step / decay_steps), [1]; staircase: floor of the ratio."""
    periods = _num_periods(_emit_float_step_counter(), decay_steps, staircase)
    return OPS["reciprocal"](periods * decay_rate + 1) * learning_rate


@_dispatch_to_scheduler_in_dygraph_mode("PolynomialDecay", "PolynomialDecay")
def polynomial_decay(
    learning_rate: Any,
    decay_steps: Any,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
) -> Any:
    """Polynomial decay from learning_rate to end_learning_rate over decay_steps steps, [1].

    cycle: multiply decay_steps by the number of times that it was reached
    """
    step = _emit_float_step_counter()
    if cycle:
        # The number of cycles is at least 1, so that step 0 belongs to the first cycle.
        cycles = OPS["elementwise_max"](
            OPS["ceil"](step / decay_steps), _emit_one_element_constant(1.0)
        )
        fraction = step / (cycles * decay_steps)
    else:
        fraction = (
            OPS["elementwise_min"](step, _emit_one_element_constant(decay_steps)) / decay_steps
        )
    return (1 - fraction) ** power * (learning_rate - end_learning_rate) + end_learning_rate


@_dispatch_to_scheduler_in_dygraph_mode("PiecewiseDecay", "PiecewiseDecay")
def piecewise_decay(boundaries: Any, values: Any) -> Any:
    """values[i] before step boundaries[i]; the last value after all boundaries, [1]."""
    if len(values) - len(boundaries) != 1:
        raise OpError(
            append_user_line(
                f"piecewise_decay: {len(boundaries)} boundaries require {len(boundaries) + 1} "
                f"values, not {len(values)}"
            )
        )
    step = _emit_float_step_counter()
    rate = create_global_var([1], 0.0, "float32", persistable=True, name="learning_rate")
    value_now = _emit_one_element_constant(values[-1])
    for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
        is_before = OPS["less_than"](step, _emit_one_element_constant(boundary))
        value_now = OPS["where"](is_before, _emit_one_element_constant(value), value_now)
    return assign_to(OPS["assign"](value_now), rate)


@_dispatch_to_scheduler_in_dygraph_mode("CosineDecay", "CosineAnnealingDecay")
def cosine_decay(learning_rate: Any, step_each_epoch: Any, epochs: Any) -> Any:
    """learning_rate * (cos(pi * epoch / epochs) + 1) / 2, [1]."""
    epoch = OPS["floor"](_emit_float_step_counter() / step_each_epoch)
    return (OPS["cos"](epoch * (math.pi / epochs)) + 1) * (0.5 * learning_rate)


@_dispatch_to_scheduler_in_dygraph_mode("LinearLrWarmup", "LinearWarmup")
def linear_lr_warmup(learning_rate: Any, warmup_steps: Any, start_lr: float, end_lr: float) -> Any:
    """Linear warm-up from start_lr to end_lr over warmup_steps steps, then `learning_rate`, [1].

    learning_rate: a number or a variable of the program
    """
    rate = create_global_var([1], 0.0, "float32", persistable=True, name="learning_rate_warmup")
    step = _emit_float_step_counter()
    slope = (float(end_lr) - float(start_lr)) / float(warmup_steps)
    final_rate = (
        learning_rate
        if isinstance(learning_rate, Tensor)
        else _emit_one_element_constant(learning_rate)
    )
    current_rate = OPS["where"](
        OPS["less_than"](step, _emit_one_element_constant(warmup_steps)),
        step * slope + float(start_lr),
        final_rate,
    )
    return assign_to(OPS["assign"](current_rate), rate)
