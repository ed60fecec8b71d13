"""LBFGS: quasi-Newton steps with an inverse Hessian estimated from the last gradient
differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core import cuda
from ..core.errors import OpError, append_user_line
from ..core.mode import state, use_mode
from ..core.tensor import Tensor
from ..ops import optimizer
from .optimizer import Array, Optimizer

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
    """L-BFGS, a quasi-Newton method for small, smooth problems. All parameters are treated as one
    vector (Nocedal and Wright, Numerical Optimization, 7.2).

    step(closure) runs up to max_iter iterations and calls `closure`, which clears the gradients,
    computes the loss and calls backward(), about max_eval times: the limit is checked after each
    iteration, whose line search may exceed it.
    history_size: number of stored differences.
    line_search_fn: None for steps of length learning_rate, or 'strong_wolfe'.
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
        parameters: Iterable[Any] | None = None,
        weight_decay: Any = None,
        grad_clip: Any = None,
        name: str | None = None,
    ) -> None:
        if line_search_fn not in (None, "strong_wolfe"):
            raise OpError(
                f"LBFGS: line_search_fn={line_search_fn!r} is neither None nor 'strong_wolfe'"
            )
        if history_size < 1:
            raise OpError(f"LBFGS: history_size={history_size} is not positive")
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
        """Run up to max_iter iterations; return the first loss of `closure`."""
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
        """Return the counters and the last parameter and gradient differences, under the key
        'state' and with Paddle's names.
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
        """Restore the state that state_dict() returned.

        Raises OpError if the differences have another number of elements than the parameters.
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
