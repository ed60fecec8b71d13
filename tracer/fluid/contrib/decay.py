"""Decoupled weight decay: `fluid.contrib.extend_with_decoupled_weight_decay`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.mode import use_mode
from ...core.op import OPS
from ...static.graph.mode import StaticGraphMode

__all__ = ["extend_with_decoupled_weight_decay"]


def extend_with_decoupled_weight_decay(base_optimizer: Any) -> Any:
    """Return a subclass of base_optimizer whose first argument is `weight_decay`, a float.

    new parameter = update of base_optimizer - parameter * weight_decay (Loshchilov and Hutter 2017)

    The newer name is `paddle.optimizer.AdamW`.
    """

    class OptimizerWithDecoupledWeightDecay(base_optimizer):  # type: ignore[misc]
        """The optimizer with decoupled weight decay that extend_with_decoupled_weight_decay
        returns.
        """

        def __init__(
            self,
            weight_decay: Any,
            *args: Any,
            apply_decay_param_fun: Callable[[str], bool] | None = None,
            **kwargs: Any,
        ) -> None:
            super().__init__(*args, **kwargs)
            self._coefficient, self._decay_filter = float(weight_decay), apply_decay_param_fun

        def _is_decayed(self, parameter: Any) -> bool:
            return self._decay_filter is None or self._decay_filter(parameter.name)

        def _clip_and_update(self, pairs: Any) -> None:
            before = [(p, p.array) for p, _ in pairs if self._is_decayed(p)]
            super()._clip_and_update(pairs)
            for parameter, array in before:
                parameter.array = parameter.array - array * array.dtype.type(self._coefficient)

        def minimize(
            self,
            loss: Any,
            startup_program: Any = None,
            parameter_list: Any = None,
            no_grad_set: Any = None,
            grad_clip: Any = None,
        ) -> Any:
            """Update the parameters by an optimizer step with weight decay; in a program, append
            the ops of the step.
            """
            program = getattr(loss.block, "program", None) if hasattr(loss, "raw") else None
            if program is None:
                return super().minimize(
                    loss, startup_program, parameter_list, no_grad_set, grad_clip
                )
            mode = StaticGraphMode(program)
            with use_mode(mode):
                decays = [
                    (p, OPS["scale"](p, scale=self._coefficient))
                    for p in program.all_parameters()
                    if p.trainable and self._is_decayed(p)
                ]
                result = super().minimize(
                    loss, startup_program, parameter_list, no_grad_set, grad_clip
                )
                for parameter, decay in decays:
                    mode.redirect_last_output_or_assign(
                        OPS["elementwise_sub"](parameter, decay), parameter
                    )
            return result

    return OptimizerWithDecoupledWeightDecay
