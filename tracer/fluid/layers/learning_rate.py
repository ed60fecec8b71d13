"""Learning rates that change with the runs of a program: as values of it.

In dygraph mode they are schedulers.
"""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

from ...core.errors import OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.tensor import Tensor
from ...ir.op_role import Role
from ...static.graph.mode import Writing
from ...tensor.convert import cast
from ...tensor.creation import full
from .helper import into, today
from .inputs import autoincreased_step_counter, create_global_var

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


def _schedule(eager: str, new: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate what makes a learning rate in a program; in dygraph mode `eager` of fluid.dygraph
    takes the same arguments.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def made(*args: Any, **kwargs: Any) -> Any:
            mode = state.mode
            if isinstance(mode, Writing):
                with mode.recorder.as_role(Role.LR_SCHEDULE):
                    return function(*args, **kwargs)
            from .. import dygraph  # noqa: PLC0415 - which stands beside layers

            # by name: the class has others between
            given = inspect.signature(function).bind(*args, **kwargs).arguments
            return getattr(dygraph, eager)(
                **given, **({"begin": 0} if eager == "PiecewiseDecay" else {})
            )

        return today(f"paddle.optimizer.lr.{new}")(made)

    return decorate


def _steps(begin: int = 0) -> Any:
    return cast(autoincreased_step_counter("@LR_DECAY_COUNTER@", begin), "float32")


def _rounds(steps: Any, decay_steps: Any, staircase: bool) -> Any:
    rounds = steps / decay_steps
    return OPS["floor"](rounds) if staircase else rounds


def _number(value: float) -> Any:
    return full([1], float(value), "float32")


@_schedule("NoamDecay", "NoamDecay")
def noam_decay(d_model: Any, warmup_steps: Any, learning_rate: Any = 1.0) -> Any:
    """learning_rate * d_model ** -0.5 * min(step ** -0.5, step * warmup_steps ** -1.5)

    (Vaswani et al. 2017).
    -> [1]
    """
    step = _steps(1)
    least = OPS["elementwise_min"](step**-0.5, step * float(warmup_steps) ** -1.5)
    return least * (float(d_model) ** -0.5) * learning_rate


@_schedule("ExponentialDecay", "ExponentialDecay")
def exponential_decay(
    learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Any:
    """learning_rate * decay_rate ** (step / decay_steps).   -> [1]"""
    rounds = _rounds(_steps(), decay_steps, staircase)
    return OPS["elementwise_pow"](_number(decay_rate), rounds) * learning_rate


@_schedule("NaturalExpDecay", "NaturalExpDecay")
def natural_exp_decay(
    learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Any:
    """learning_rate * exp(-decay_rate * step / decay_steps).   -> [1]"""
    return OPS["exp"](_rounds(_steps(), decay_steps, staircase) * (-1 * decay_rate)) * learning_rate


@_schedule("InverseTimeDecay", "InverseTimeDecay")
def inverse_time_decay(
    learning_rate: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False
) -> Any:
    """learning_rate / (1 + decay_rate * step / decay_steps).   -> [1]"""
    return (
        OPS["reciprocal"](_rounds(_steps(), decay_steps, staircase) * decay_rate + 1)
        * learning_rate
    )


@_schedule("PolynomialDecay", "PolynomialDecay")
def polynomial_decay(
    learning_rate: Any,
    decay_steps: Any,
    end_learning_rate: float = 0.0001,
    power: float = 1.0,
    cycle: bool = False,
) -> Any:
    """From learning_rate to end_learning_rate in decay_steps; cycle: again and again, ever longer.

    -> [1]
    """
    step = _steps()
    if cycle:
        rounds = OPS["elementwise_max"](
            OPS["ceil"](step / decay_steps), _number(1.0)
        )  # the first step belongs to iteration 1
        share = step / (rounds * decay_steps)
    else:
        share = OPS["elementwise_min"](step, _number(decay_steps)) / decay_steps
    return (1 - share) ** power * (learning_rate - end_learning_rate) + end_learning_rate


@_schedule("PiecewiseDecay", "PiecewiseDecay")
def piecewise_decay(boundaries: Any, values: Any) -> Any:
    """values[i] before step boundaries[i], the last one after all of them.   -> [1]"""
    if len(values) - len(boundaries) != 1:
        why = f"{len(boundaries)} boundaries take {len(boundaries) + 1} values, not {len(values)}"
        raise OpError(with_user_line(f"piecewise_decay: {why}"))
    step = _steps()
    rate = create_global_var([1], 0.0, "float32", persistable=True, name="learning_rate")
    made = _number(values[-1])
    for boundary, value in reversed(list(zip(boundaries, values, strict=False))):
        made = OPS["where"](OPS["less_than"](step, _number(boundary)), _number(value), made)
    return into(OPS["assign"](made), rate)


@_schedule("CosineDecay", "CosineAnnealingDecay")
def cosine_decay(learning_rate: Any, step_each_epoch: Any, epochs: Any) -> Any:
    """learning_rate * (cos(pi * epoch / epochs) + 1) / 2.   -> [1]"""
    epoch = OPS["floor"](_steps() / step_each_epoch)
    return (OPS["cos"](epoch * (math.pi / epochs)) + 1) * (0.5 * learning_rate)


@_schedule("LinearLrWarmup", "LinearWarmup")
def linear_lr_warmup(learning_rate: Any, warmup_steps: Any, start_lr: float, end_lr: float) -> Any:
    """From start_lr to end_lr in warmup_steps, then another learning rate, a number or a value of
    the program.

    -> [1]
    """
    rate = create_global_var([1], 0.0, "float32", persistable=True, name="learning_rate_warmup")
    step = _steps()
    slope = (float(end_lr) - float(start_lr)) / float(warmup_steps)
    later = learning_rate if isinstance(learning_rate, Tensor) else _number(learning_rate)
    made = OPS["where"](
        OPS["less_than"](step, _number(warmup_steps)), step * slope + float(start_lr), later
    )
    return into(OPS["assign"](made), rate)
