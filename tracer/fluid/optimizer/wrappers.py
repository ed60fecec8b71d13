"""Optimizers that wrap another optimizer: `fluid.optimizer.LookaheadOptimizer`,
RecomputeOptimizer.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.mode import use_mode
from ...core.op import OPS
from ...ir import program as data
from ...static import Program, default_startup_program
from ...static.graph.constants import emit_constant
from ...static.graph.mode import StaticGraphMode
from ...static.graph.parameters import declare_persistable_and_emit_initializer
from ..framework import in_dygraph_mode

__all__ = ["LookaheadOptimizer", "RecomputeOptimizer"]


class RecomputeOptimizer:
    """Forwards to the wrapped optimizer: checkpoints have no effect, because nothing is
    recomputed.
    """

    def __init__(self, optimizer: Any) -> None:
        if in_dygraph_mode():
            raise Exception("In dygraph, don't support RecomputeOptimizer.")
        self._optimizer = optimizer
        self._checkpoints: Any = None

    def load(self, state_dict: Any) -> None:
        """Not supported: raises NotImplementedError."""
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
        """Append gradients; returns pairs of a parameter and its gradient."""
        return self._optimizer.backward(
            loss, startup_program, parameter_list, no_grad_set, callbacks
        )

    def apply_gradients(self, params_grads: Any) -> Any:
        """Append optimizer ops for the gradients in params_grads."""
        return self._optimizer.apply_gradients(params_grads)

    def apply_optimize(self, loss: Any, startup_program: Any, params_grads: Any) -> Any:
        """Append optimizer ops for the gradients in params_grads."""
        return self._optimizer.apply_gradients(params_grads)

    def minimize(
        self,
        loss: Any,
        startup_program: Any = None,
        parameter_list: Any = None,
        no_grad_set: Any = None,
        grad_clip: Any = None,
    ) -> Any:
        """Append gradients and optimizer ops."""
        if self._checkpoints is None:
            raise AssertionError("You should call _set_checkpoints first")
        extra_args = () if grad_clip is None else (grad_clip,)  # of optimizers of 1.x only
        return self._optimizer.minimize(
            loss, startup_program, parameter_list, no_grad_set, *extra_args
        )


class LookaheadOptimizer:
    """Lookahead: every k steps, slow copies move towards the parameters by alpha, and the
    parameters are set to them (Zhang et al. 2019).

    The newer name is `paddle.incubate.LookAhead`.
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
        """Append gradients, optimizer ops and the update of the slow copies."""
        result = self.inner_optimizer.minimize(loss, startup_program=startup_program)
        program = loss.block.program
        startup = default_startup_program() if startup_program is None else startup_program
        with use_mode(StaticGraphMode(program)):
            step = self._emit_incremented_step_counter(program)
            is_due = OPS["cast"](
                OPS["equal"](
                    OPS["elementwise_mod"](step, self._emit_period_constant()),
                    self._emit_zero_constant(),
                ),
                in_dtype=0,
                out_dtype=5,
            )
            for parameter in program.all_parameters():
                self._append_lookahead_update_ops(program, startup, parameter, is_due)
        return result

    @staticmethod
    def _emit_incremented_step_counter(program: Program) -> Any:
        """Declare the persistable variable lookahead_step, add 1 to it, and return it."""
        desc = data.VarDesc("lookahead_step", (1,), "int32", persistable=True, stop_gradient=True)
        step = declare_persistable_and_emit_initializer(
            program, desc, lambda: emit_constant(np.zeros([1], np.int32))
        )
        StaticGraphMode(program).redirect_last_output_or_assign(
            OPS["scale"](step, scale=1.0, bias=1.0), step
        )
        return step

    def _emit_period_constant(self) -> Any:
        return OPS["fill_constant"](shape=[1], value=float(self.k), dtype=2)

    @staticmethod
    def _emit_zero_constant() -> Any:
        return OPS["fill_constant"](shape=[1], value=0.0, dtype=2)

    def _append_lookahead_update_ops(
        self, program: Program, startup: Program, parameter: Any, is_due: Any
    ) -> None:
        """If is_due is 1: slow += alpha * (parameter - slow), parameter = slow; if 0, change
        nothing.
        """
        name, shape, dtype = f"{parameter.name}@SLOW", parameter.raw.shape, parameter.raw.dtype
        desc = data.VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
        slow = program.global_block().declare_or_get(desc)
        with use_mode(StaticGraphMode(startup)):
            initial = startup.global_block().declare_or_get(
                data.VarDesc(name, shape, dtype, persistable=True, stop_gradient=True)
            )
            StaticGraphMode(startup).redirect_last_output_or_assign(
                OPS["assign"](startup.global_block().var(parameter.name)), initial
            )
        factor = OPS["scale"](is_due, scale=float(self.alpha))
        difference = OPS["elementwise_sub"](parameter, slow)
        new_slow = OPS["elementwise_add"](slow, OPS["elementwise_mul"](difference, factor, axis=-1))
        correction = OPS["elementwise_mul"](
            OPS["elementwise_sub"](new_slow, parameter), is_due, axis=-1
        )
        new_parameter = OPS["elementwise_add"](parameter, correction)
        StaticGraphMode(program).redirect_last_output_or_assign(new_slow, slow)
        StaticGraphMode(program).redirect_last_output_or_assign(new_parameter, parameter)
