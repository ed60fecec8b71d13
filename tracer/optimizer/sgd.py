"""Stochastic gradient descent, plain and with momentum."""

from __future__ import annotations

from typing import ClassVar

from ..core import native
from ..ops import optimizer
from .lr_base import LRScheduler
from .optimizer import (
    AccumulatorSpec,
    Optimizer,
    ParameterUpdate,
    assign_arrays_unless_not_implemented,
)
from .type_aliases import GradientClip, Parameters, WeightDecay

__all__ = ["SGD", "Momentum"]

_MOMENTUM = native.compiled_function_or_placeholder("momentum")


class SGD(Optimizer):
    """Stochastic gradient descent.

    parameter -= lr * gradient

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    multi_precision : bool, default False
        Update float32 copies of float16 and bfloat16 parameters.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> sgd = paddle.optimizer.SGD(learning_rate=0.1, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 2.0]])).sum().backward()
    >>> sgd.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.9, 0.8]
    """

    _op = optimizer.sgd

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        multi_precision: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._multi_precision = multi_precision

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        rows = [(p.array, g, lr) for p, g, lr in updates]
        return assign_arrays_unless_not_implemented(updates, _MOMENTUM(rows, False, 0.0, False))


class Momentum(Optimizer):
    """Gradient descent with momentum.

    velocity = momentum * velocity + gradient

    parameter -= lr * velocity, or lr * (gradient + momentum * velocity) with `use_nesterov`

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    momentum : float, default 0.9
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    use_nesterov : bool, default False
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    multi_precision : bool, default False
        Update float32 copies of float16 and bfloat16 parameters.
    rescale_grad : float, default 1.0
        A factor of the gradient.
    use_multi_tensor : bool, default False
        Not used: all parameters are updated by one call of a kernel where that is possible.
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> momentum = paddle.optimizer.Momentum(0.1, momentum=0.5, parameters=net.parameters())
    >>> for _ in range(2):
    ...     net(paddle.to_tensor([[1.0, 2.0]])).sum().backward()
    ...     momentum.step()
    ...     momentum.clear_grad()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.75, 0.5]
    """

    _op = optimizer.momentum
    _group_names: ClassVar[dict[str, str]] = {"momentum": "mu"}

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        momentum: float = 0.9,
        parameters: Parameters | None = None,
        use_nesterov: bool = False,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        multi_precision: bool = False,
        rescale_grad: float = 1.0,
        use_multi_tensor: bool = False,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {
            "mu": float(momentum),
            "use_nesterov": use_nesterov,
            "rescale_grad": float(rescale_grad),
        }
        self._multi_precision = multi_precision

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (AccumulatorSpec("velocity", "Velocity"),)

    def _update_all_by_one_kernel_if_possible(self, updates: list[ParameterUpdate]) -> bool:
        if self._attrs["rescale_grad"] != 1.0 or self._group_options:
            return False
        rows = [
            (p.array, g, self._get_or_create_accumulators(p)["velocity"], lr)
            for p, g, lr in updates
        ]
        return assign_arrays_unless_not_implemented(
            updates, _MOMENTUM(rows, True, self._attrs["mu"], self._attrs["use_nesterov"])
        )
