"""Optimizers around optimizers: fluid.optimizer.LookaheadOptimizer, RecomputeOptimizer; and those
that are not there.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.mode import use_mode
from ...core.op import OPS
from ...ir import program as data
from ...static import Program, default_startup_program
from ...static.graph.constants import value_of
from ...static.graph.mode import Writing
from ...static.graph.parameters import lasting
from ..framework import in_dygraph_mode

__all__ = ["LookaheadOptimizer", "RecomputeOptimizer"]


class RecomputeOptimizer:
    """An optimizer, as it is: nothing needs to be computed twice here, and what checkpoints would
    save is kept.
    """

    def __init__(self, optimizer: Any) -> None:
        if in_dygraph_mode():
            raise Exception("In dygraph, don't support RecomputeOptimizer.")
        self._optimizer = optimizer
        self._checkpoints: Any = None

    def load(self, state_dict: Any) -> None:
        """Not for it: raises NotImplementedError."""
        raise NotImplementedError("load function is not supported by Recompute Optimizer for now")

    def _set_checkpoints(self, checkpoints: Any) -> None:
        self._checkpoints = checkpoints

    def backward(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        callbacks: Any = None,
    ) -> Any:
        """Gradients; gives pairs of a parameter and its gradient."""
        return self._optimizer.backward(
            loss, startup_program, parameter_list, no_grad_set, callbacks
        )

    def apply_gradients(self, params_grads: Any) -> Any:
        """Steps with these gradients."""
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: Any) -> Any:
        """Steps with these gradients."""
        return self._optimizer.apply_gradients(params_grads)

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        grad_clip: Any = None,
    ) -> Any:
        """Gradients and steps."""
        if self._checkpoints is None:
            raise AssertionError("You should call _set_checkpoints first")
        clipped = () if grad_clip is None else (grad_clip,)  # an argument of optimizers of 1.x only
        return self._optimizer.minimize(
            loss, startup_program, parameter_list, no_grad_set, *clipped
        )


class LookaheadOptimizer:
    """Slow copies of parameters that go a part alpha of the way every k steps, and draw the
    parameters back

    (Zhang et al. 2019).
    """

    def __init__(self, inner_optimizer: Any, alpha: float = 0.5, k: int = 5) -> None:
        if in_dygraph_mode():
            raise Exception("In dygraph, don't support LookaheadOptimizer.")
        if inner_optimizer is None:
            raise AssertionError("inner optimizer can not be None")
        if not 0.0 <= alpha <= 1.0:
            raise AssertionError(
                "alpha should be larger or equal to 0.0, and less or equal than 1.0"
            )
        if not isinstance(k, int) or k <= 0:
            raise AssertionError("k should be a positive integer")
        self.inner_optimizer, self.alpha, self.k = inner_optimizer, alpha, k

    def minimize(self, loss: Any, startup_program: Any = None) -> Any:
        """Gradients, steps, and what goes on between parameters and their slow copies."""
        made = self.inner_optimizer.minimize(loss, startup_program=startup_program)
        program = loss.block.program
        startup = default_startup_program() if startup_program is None else startup_program
        with use_mode(Writing(program)):
            step = self._counter(program)
            late = OPS["cast"](
                OPS["equal"](OPS["elementwise_mod"](step, self._every()), self._zero()),
                in_dtype=0,
                out_dtype=5,
            )
            for parameter in program.all_parameters():
                self._draw(program, startup, parameter, late)
        return made

    @staticmethod
    def _counter(program: Program) -> Any:
        desc = data.VarDesc("lookahead_step", (1,), "int32", persistable=True, stop_gradient=True)
        step = lasting(program, desc, lambda: value_of(np.zeros([1], np.int32)))
        Writing(program).write(OPS["scale"](step, scale=1.0, bias=1.0), step)
        return step

    def _every(self) -> Any:
        return OPS["fill_constant"](shape=[1], value=float(self.k), dtype=2)

    @staticmethod
    def _zero() -> Any:
        return OPS["fill_constant"](shape=[1], value=0.0, dtype=2)

    def _draw(self, program: Program, startup: Program, parameter: Any, late: Any) -> None:
        """Where late is 1: slow += alpha * (parameter - slow), parameter = slow; where it is 0 both
        stay.
        """
        name, shape, dtype = f"{parameter.name}@SLOW", parameter.raw.shape, parameter.raw.dtype
        desc = data.VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
        slow = program.global_block().declare(desc)
        with use_mode(Writing(startup)):
            first = startup.global_block().declare(
                data.VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
            )
            Writing(startup).write(OPS["assign"](startup.global_block().var(parameter.name)), first)
        part = OPS["scale"](late, scale=float(self.alpha))
        moved = OPS["elementwise_add"](
            slow, OPS["elementwise_mul"](OPS["elementwise_sub"](parameter, slow), part, axis=-1)
        )
        drawn = OPS["elementwise_mul"](OPS["elementwise_sub"](moved, parameter), late, axis=-1)
        after = OPS["elementwise_add"](parameter, drawn)
        Writing(program).write(moved, slow)
        Writing(program).write(after, parameter)
