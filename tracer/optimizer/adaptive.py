"""Optimizers with updates scaled by the running size of the gradient: Adagrad, Adadelta,
RMSProp.
"""

from __future__ import annotations

from typing import ClassVar

from ..core.errors import OpError, append_user_line
from ..ops import optimizer
from .lr_base import LRScheduler
from .optimizer import AccumulatorSpec, Optimizer
from .type_aliases import GradientClip, Parameters, WeightDecay

__all__ = ["Adadelta", "Adagrad", "RMSProp"]


class Adagrad(Optimizer):
    """Adagrad: each element's step shrinks with the sum of its squared gradients.

    moment += g^2

    parameter -= lr * g / (sqrt(moment) + epsilon)

    with gradient g (Duchi et al. 2011).

    Parameters
    ----------
    learning_rate : float or LRScheduler
    epsilon : float, default 1e-6
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    name : str, optional
        Not used.
    initial_accumulator_value : float, default 0.0
        Initial value of `moment`.

    Raises
    ------
    OpError
        If `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> adagrad = paddle.optimizer.Adagrad(learning_rate=0.1, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> adagrad.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.9, 0.9]
    """

    _op = optimizer.adagrad

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        epsilon: float = 1e-06,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        name: str | None = None,
        initial_accumulator_value: float = 0.0,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {"epsilon": float(epsilon)}
        self._initial_value = float(initial_accumulator_value)

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (AccumulatorSpec("moment", "Moment", self._initial_value),)


class Adadelta(Optimizer):
    """Adadelta: steps scaled by the ratio of the running RMS of updates and of gradients.

    mean_square = rho * mean_square + (1 - rho) * g^2

    u = g * sqrt((mean_square_u + epsilon) / (mean_square + epsilon))

    mean_square_u = rho * mean_square_u + (1 - rho) * u^2

    parameter -= lr * u

    with gradient g (Zeiler 2012).

    Parameters
    ----------
    learning_rate : float or LRScheduler, default 0.001
    epsilon : float, default 1e-6
    rho : float, default 0.95
        Decay rate of the means.
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> adadelta = paddle.optimizer.Adadelta(learning_rate=1.0, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> adadelta.step()
    >>> [round(w, 4) for w in net.weight.flatten().tolist()]
    [0.9955, 0.9955]
    """

    _op = optimizer.adadelta

    def __init__(
        self,
        learning_rate: float | LRScheduler = 0.001,
        epsilon: float = 1e-06,
        rho: float = 0.95,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {"epsilon": float(epsilon), "rho": float(rho)}

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        return (
            AccumulatorSpec("_avg_squared_grad", "AvgSquaredGrad"),
            AccumulatorSpec("_avg_squared_update", "AvgSquaredUpdate"),
        )


class RMSProp(Optimizer):
    """RMSProp: steps scaled by the running RMS of the gradient, with momentum.

    mean_square = rho * mean_square + (1 - rho) * g^2

    velocity = momentum * velocity + lr * g / sqrt(mean_square + epsilon)

    parameter -= velocity

    with gradient g (Hinton 2012). With `centered`, the square of the running mean of g is
    subtracted from mean_square under the root.

    Parameters
    ----------
    learning_rate : float or LRScheduler
    rho : float, default 0.95
        Decay rate of the means, >= 0. In a parameter group, it may be called `rho` or `decay`.
    epsilon : float, default 1e-6
        Not negative.
    momentum : float, default 0.0
        Not negative.
    centered : bool, default False
    parameters : list of Parameter, or list of dict
        Required, except in static graph mode; a dict is a group with own options, see `Optimizer`.
    weight_decay : float, L1Decay or L2Decay, optional
        Added to the gradient; a float is the factor of `L2Decay`.
    grad_clip : ClipGradByValue, ClipGradByNorm or ClipGradByGlobalNorm, optional
    name : str, optional
        Not used.

    Raises
    ------
    OpError
        If `rho`, `epsilon` or `momentum` is negative or `parameters` is missing.

    Examples
    --------
    >>> net = nn.Linear(2, 1, weight_attr=nn.initializer.Constant(1.0))
    >>> rmsprop = paddle.optimizer.RMSProp(learning_rate=0.1, parameters=net.parameters())
    >>> net(paddle.to_tensor([[1.0, 20.0]])).sum().backward()
    >>> rmsprop.step()
    >>> [round(w, 3) for w in net.weight.flatten().tolist()]
    [0.553, 0.553]
    """

    _op = optimizer.rmsprop
    _group_names: ClassVar[dict[str, str]] = {"rho": "decay"}

    def __init__(
        self,
        learning_rate: float | LRScheduler,
        rho: float = 0.95,
        epsilon: float = 1e-06,
        momentum: float = 0.0,
        centered: bool = False,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        name: str | None = None,
    ) -> None:
        for argument, value in (("rho", rho), ("epsilon", epsilon), ("momentum", momentum)):
            if float(value) < 0:
                raise OpError(append_user_line(f"RMSProp: {argument}={value} is negative"))
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._attrs = {
            "decay": float(rho),
            "epsilon": float(epsilon),
            "momentum": float(momentum),
            "centered": centered,
        }

    def _accumulator_specs(self) -> tuple[AccumulatorSpec, ...]:
        names = (("momentum", "Moment"), ("mean_square", "MeanSquare"), ("mean_grad", "MeanGrad"))
        return tuple(AccumulatorSpec(*row) for row in names)
