"""LBFGS: quasi-Newton steps with an inverse Hessian estimated from the last gradient
differences.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core import cuda
from ..core.errors import OpError, append_user_line
from ..core.mode import state, use_mode
from ..core.tensor import Tensor
from ..ops import optimizer
from .optimizer import Array, Optimizer
from .type_aliases import GradientClip, Parameters, WeightDecay

__all__ = ["LBFGS"]


class _LineSearchPoint(NamedTuple):
    """A point of the line search: the step length, and at this point the loss, the gradient, and
    the derivative along the line.
    """

    t: float
    loss: float
    gradient: Array
    slope: float


class LBFGS(Optimizer):
    """L-BFGS, a quasi-Newton method for small, smooth problems.

    All parameters are one vector. A step moves it along -H * gradient, where the inverse Hessian H
    is estimated from the last differences of parameters and gradients (Nocedal and Wright,
    Numerical Optimization, 7.2). The loss must be deterministic.

    Parameters
    ----------
    learning_rate : float, default 1.0
        The step length, or the first one that the line search tries. Shorter in the first
        iteration.
    max_iter : int, default 20
        Largest number of iterations of one call of `step`.
    max_eval : int, default max_iter * 5 // 4
        No further iteration starts after this number of evaluations of the loss in one call of
        `step`. The line search of an iteration may exceed it.
    tolerance_grad : float, default 1e-7
        Stop if no element of the gradient is larger.
    tolerance_change : float, default 1e-9
        Stop if the loss or all parameters change by less.
    history_size : int, default 100
        Number of stored differences, at least 1.
    line_search_fn : "strong_wolfe" or None, default None
        None: steps of length `learning_rate`. "strong_wolfe": find a length that satisfies the
        strong Wolfe conditions.
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
        If `line_search_fn` or `history_size` is invalid or `parameters` is missing.

    Notes
    -----
    It is not available in static graph programs. `minimize` does not work, because `step` requires
    a closure.

    Examples
    --------
    >>> x = paddle.create_parameter([2], "float32")
    >>> lbfgs = paddle.optimizer.LBFGS(parameters=[x], line_search_fn="strong_wolfe")
    >>> def closure():
    ...     lbfgs.clear_grad()
    ...     loss = ((x - paddle.to_tensor([1.0, 2.0])) ** 2).sum()
    ...     loss.backward()
    ...     return loss
    >>> loss = lbfgs.step(closure)
    >>> x.numpy().round(3)
    array([1., 2.], dtype=float32)
    """

    _op = optimizer.sgd

    # L-BFGS evaluates the loss repeatedly, which a program cannot contain
    _supports_programs = False

    def __init__(
        self,
        learning_rate: float = 1.0,
        max_iter: int = 20,
        max_eval: int | None = None,
        tolerance_grad: float = 1e-07,
        tolerance_change: float = 1e-09,
        history_size: int = 100,
        line_search_fn: str | None = None,
        parameters: Parameters | None = None,
        weight_decay: WeightDecay | None = None,
        grad_clip: GradientClip | None = None,
        name: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise OpError(
                append_user_line(
                    f"LBFGS: line_search_fn={line_search_fn!r} is neither None nor 'strong_wolfe'"
                )
            )
        if history_size < 1:
            raise OpError(append_user_line(f"LBFGS: history_size={history_size} is not positive"))
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._limits = (max_iter, max_iter * 5 // 4 if max_eval is None else max_eval)
        self._tolerance = (tolerance_grad, tolerance_change)
        self._history_size = history_size
        self._line_search = line_search_fn
        # differences of the parameters and of the gradient
        self._curvature_pairs: list[tuple[Array, Array]] = []
        self._evaluations = self._iterations = 0  # totals of all steps
        self._last_gradient_and_step: tuple[Array, Array] | None = (
            None  # gradient and step of the previous iteration
        )

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor:  # type: ignore[override]
        """Run up to `max_iter` iterations.

        Parameters
        ----------
        closure : callable
            Clears the gradients, computes the loss, calls ``loss.backward()`` and returns the loss.
            It is called several times.

        Returns
        -------
        Tensor of one element
            The loss before the first iteration.

        Raises
        ------
        OpError
            If `closure` is missing.

        Examples
        --------
        >>> three = nn.initializer.Constant(3.0)
        >>> x = paddle.create_parameter([1], "float32", default_initializer=three)
        >>> lbfgs = paddle.optimizer.LBFGS(parameters=[x], line_search_fn="strong_wolfe")
        >>> def closure():
        ...     lbfgs.clear_grad()
        ...     loss = (x * x).sum()
        ...     loss.backward()
        ...     return loss
        >>> lbfgs.step(closure).item()
        9.0
        """
        if closure is None:
            raise OpError(
                append_user_line(
                    "LBFGS.step: a closure that computes the loss and its gradients is required"
                )
            )
        start_evaluations = self._evaluations
        first, loss, gradient = self._evaluate_loss_and_gradient(closure)
        for num_left in reversed(range(self._limits[0])):
            if np.abs(gradient).max(initial=0.0) <= self._tolerance[0]:
                break
            self._iterations += 1
            step = self._store_pair_and_find_direction(gradient)
            slope = float(gradient @ step)
            if slope > -self._tolerance[1]:
                # the pair up to this gradient is stored; no step follows it
                self._last_gradient_and_step = (gradient, np.zeros_like(gradient))
                break
            point = self._take_step(
                closure,
                step,
                _LineSearchPoint(0.0, loss, gradient, slope),
                last=not num_left,
            )
            self._last_gradient_and_step = (gradient, point.t * step)
            is_converged = (
                np.abs(point.t * step).max() <= self._tolerance[1]
                or abs(point.loss - loss) < self._tolerance[1]
            )
            loss, gradient = point.loss, point.gradient
            if is_converged or self._evaluations - start_evaluations >= self._limits[1]:
                break
        return first

    def state_dict(self) -> dict[str, Any]:
        """Return the counters and the stored differences, by Paddle's names.

        Returns
        -------
        dict
            The only key is "state". Its value is a dict, empty before the first iteration, with
            "func_evals" and "n_iter" (int), "old_sk" and "old_yk" (lists of Tensor, differences of
            parameters and of gradients), and "prev_flat_grad", "d" and "alpha" (the last gradient
            and step).

        Examples
        --------
        >>> x = paddle.create_parameter([1], "float32")
        >>> paddle.optimizer.LBFGS(parameters=[x]).state_dict()
        {'state': {}}
        """
        result: dict[str, Any] = {"func_evals": self._evaluations, "n_iter": self._iterations}
        result["old_sk"] = [Tensor(s) for s, _ in self._curvature_pairs]
        result["old_yk"] = [Tensor(y) for _, y in self._curvature_pairs]
        if self._last_gradient_and_step is not None:
            result["prev_flat_grad"], result["d"], result["alpha"] = (
                Tensor(self._last_gradient_and_step[0]),
                Tensor(self._last_gradient_and_step[1]),
                1.0,
            )
        return {"state": result if self._iterations else {}}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Set the counters and the stored differences.

        Parameters
        ----------
        state_dict : dict
            What `state_dict()` of an LBFGS for parameters of the same sizes returned.

        Raises
        ------
        OpError
            If the differences have another number of elements than the parameters.

        Examples
        --------
        >>> x = paddle.create_parameter([1], "float32")
        >>> lbfgs = paddle.optimizer.LBFGS(parameters=[x])
        >>> lbfgs.set_state_dict(paddle.optimizer.LBFGS(parameters=[x]).state_dict())
        """
        saved = state_dict.get("state", {})
        size = self._parameters_as_vector().size
        self._curvature_pairs = [
            (_require_saved_vector(s, size), _require_saved_vector(y, size))
            for s, y in zip(saved.get("old_sk", []), saved.get("old_yk", []), strict=True)
        ]
        self._last_gradient_and_step = None
        if "d" in saved:
            self._last_gradient_and_step = (
                _require_saved_vector(saved["prev_flat_grad"], size),
                _require_saved_vector(saved["d"], size) * float(saved["alpha"]),
            )
        self._evaluations, self._iterations = (
            int(saved.get("func_evals", 0)),
            int(saved.get("n_iter", 0)),
        )

    # -- parameters as one vector
    # -------------------------------------------------------------------------------

    def _parameters_as_vector(self) -> Array:
        return np.concatenate(
            [cuda.to_host(p.array).ravel().astype(np.float64) for p in self._parameter_list]
        )

    def _set_parameters_from_vector(self, vector: Array) -> None:
        offset = 0
        for p in self._parameter_list:
            size = p.array.size
            p.array = cuda.copy_with_dtype_and_device_of(
                vector[offset : offset + size].reshape(p.array.shape), p.array
            )
            offset += size

    def _evaluate_loss_and_gradient(
        self, closure: Callable[[], Tensor]
    ) -> tuple[Tensor, float, Array]:
        """Evaluate the closure with gradients; return the loss as a tensor, the loss as a number,
        and the gradient as a vector.
        """
        with use_mode(state.mode.mode_with_tape_set(True)):
            loss = closure()
        self._evaluations += 1
        grads = [
            (
                p,
                cuda.zeros_like(p.array)
                if p.grad is None
                else self._add_weight_decay_to_gradient(p, p.grad.array),
            )
            for p in self._parameter_list
        ]
        if self._grad_clip is not None:
            grads = self._grad_clip(grads)
        return (
            loss,
            float(loss.array),
            np.concatenate([cuda.to_host(g).ravel().astype(np.float64) for _, g in grads]),
        )

    # -- search direction and step length
    # --------------------------------------------------------------------------------------------

    def _store_pair_and_find_direction(self, gradient: Array) -> Array:
        """Return the negative gradient times the inverse Hessian estimate, by the two-loop
        recursion.
        """
        self._store_curvature_pair(gradient)
        q = -gradient
        rows = []
        for s, y in reversed(self._curvature_pairs):
            a = (s @ q) / (y @ s)
            q = q - a * y
            rows.append((a, s, y))
        if self._curvature_pairs:
            s, y = self._curvature_pairs[-1]
            q = q * ((y @ s) / (y @ y))
        for a, s, y in reversed(rows):
            q = q + s * (a - (y @ q) / (y @ s))
        return q

    def _store_curvature_pair(self, gradient: Array) -> None:
        if self._last_gradient_and_step is None:
            return
        previous, s = self._last_gradient_and_step
        y = gradient - previous
        if y @ s > 1e-10:
            self._curvature_pairs = [*self._curvature_pairs, (s, y)][-self._history_size :]

    def _take_step(
        self, closure: Callable[[], Tensor], step: Array, start_point: _LineSearchPoint, last: bool
    ) -> _LineSearchPoint:
        """Move the parameters along `step` and return the point. Without a line search the step
        length is the learning rate, and the loss is not evaluated after the last iteration.
        """
        origin, lr = self._parameters_as_vector(), self.get_lr()
        length = (
            lr
            if self._iterations > 1
            else min(1.0, 1.0 / float(np.abs(start_point.gradient).sum())) * lr
        )

        def set_parameters_and_evaluate_at(t: float) -> _LineSearchPoint:
            self._set_parameters_from_vector(origin + t * step)
            _, loss, gradient = self._evaluate_loss_and_gradient(closure)
            return _LineSearchPoint(t, loss, gradient, float(gradient @ step))

        if length == 0.0:  # the learning rate is 0
            return start_point
        if self._line_search is None and last:
            self._set_parameters_from_vector(origin + length * step)
            return start_point._replace(t=length)
        if self._line_search is None:
            return set_parameters_and_evaluate_at(length)
        point = strong_wolfe(
            set_parameters_and_evaluate_at,
            start_point,
            length,
            tolerance=self._tolerance[1] / max(float(np.abs(step).max()), 1e-300),
        )
        self._set_parameters_from_vector(origin + point.t * step)
        return point


def _require_saved_vector(value: Any, size: int) -> Array:
    vector = np.asarray(value, np.float64).ravel()
    if vector.size != size:
        raise OpError(
            append_user_line(
                f"LBFGS.set_state_dict: differences of {vector.size} elements for parameters "
                f"of {size}"
            )
        )
    return vector


def strong_wolfe(
    set_parameters_and_evaluate_at: Callable[[float], _LineSearchPoint],
    start: _LineSearchPoint,
    length: float,
    tolerance: float,
    max_evaluations: int = 25,
) -> _LineSearchPoint:
    """Find a point that satisfies the strong Wolfe conditions: sufficient decrease of the loss (c1
    = 1e-4) and a small slope (c2 = 0.9).

    Nocedal and Wright, algorithms 3.5 and 3.6.
    """
    previous, point = start, set_parameters_and_evaluate_at(length)
    for count in range(max_evaluations):
        if _violates_sufficient_decrease(point, start) or (count and point.loss >= previous.loss):
            return _zoom(
                set_parameters_and_evaluate_at,
                start,
                previous,
                point,
                tolerance,
                max_evaluations - count,
            )
        if abs(point.slope) <= -0.9 * start.slope:
            return point
        if point.slope >= 0:
            return _zoom(
                set_parameters_and_evaluate_at,
                start,
                point,
                previous,
                tolerance,
                max_evaluations - count,
            )
        previous, point = (
            point,
            set_parameters_and_evaluate_at(
                min(max(_cubic_minimum(previous, point), point.t * 1.1), point.t * 10)
            ),
        )
    return point


def _violates_sufficient_decrease(point: _LineSearchPoint, start: _LineSearchPoint) -> bool:
    """Return whether a point violates the condition of sufficient decrease (Armijo)."""
    return not point.loss <= start.loss + 1e-4 * point.t * start.slope


def _zoom(
    set_parameters_and_evaluate_at: Callable[[float], _LineSearchPoint],
    start: _LineSearchPoint,
    low: _LineSearchPoint,
    high: _LineSearchPoint,
    tolerance: float,
    max_evaluations: int,
) -> _LineSearchPoint:
    """Find a point that satisfies the strong Wolfe conditions between two points, of which `low`
    has the lower loss.
    """
    for _ in range(max_evaluations):
        width = abs(high.t - low.t)
        if width * abs(low.slope) < tolerance or width < 1e-12:
            break
        left, right = sorted((low.t, high.t))
        t = min(max(_cubic_minimum(low, high), left + 0.1 * width), right - 0.1 * width)
        point = set_parameters_and_evaluate_at(t)
        if _violates_sufficient_decrease(point, start) or point.loss >= low.loss:
            high = point
            continue
        if abs(point.slope) <= -0.9 * start.slope:
            return point
        if point.slope * (high.t - low.t) >= 0:
            high = low
        low = point
    return low


def _cubic_minimum(a: _LineSearchPoint, b: _LineSearchPoint) -> float:
    """Return the step length at the minimum of the cubic that has the losses and slopes of two
    points; the midpoint if the cubic has no minimum.
    """
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    discriminant = d1 * d1 - a.slope * b.slope
    if not discriminant >= 0:
        return (a.t + b.t) / 2
    d2 = float(np.copysign(np.sqrt(discriminant), b.t - a.t))
    denominator = b.slope - a.slope + 2 * d2
    return b.t - (b.t - a.t) * (b.slope + d2 - d1) / denominator if denominator else (a.t + b.t) / 2
