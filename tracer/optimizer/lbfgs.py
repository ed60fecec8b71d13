"""LBFGS: steps along the inverse of a Hessian guessed from the last changes of the gradient."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core import cuda
from ..core.errors import OpError, with_user_line
from ..core.mode import state, use_mode
from ..core.tensor import Tensor
from ..ops import optimizer
from .optimizer import Array, Optimizer

__all__ = ["LBFGS"]


class _Point(NamedTuple):
    """A place along a line: how far, the loss, its gradient, its slope along the line."""

    t: float
    loss: float
    gradient: Array
    slope: float


class LBFGS(Optimizer):
    """Quasi-Newton steps for few, smooth problems, all parameters as one vector

    (Nocedal and Wright, Numerical Optimization, 7.2).

    step(closure) makes up to max_iter of them, calling closure - which clears the gradients,
    computes the loss and goes backward - up to max_eval times; history_size: pairs of changes kept;
    line_search_fn: None for steps of learning_rate, or 'strong_wolfe'.
    """

    _op = optimizer.sgd

    _in_programs = False  # it evaluates the loss repeatedly

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
        super().__init__(learning_rate, parameters, weight_decay, grad_clip, name)
        self._most = (max_iter, max_iter * 5 // 4 if max_eval is None else max_eval)
        self._tolerance = (tolerance_grad, tolerance_change)
        self._history_size = history_size
        self._search = line_search_fn
        # changes of the parameters, and of the gradient
        self._pairs: list[tuple[Array, Array]] = []
        self._evaluations = self._iterations = 0  # of all steps
        self._last: tuple[Array, Array] | None = None  # gradient and step of the iteration before

    def step(self, closure: Callable[[], Tensor] | None = None) -> Tensor:  # type: ignore[override]
        """Up to max_iter iterations; gives the loss that closure gave first."""
        if closure is None:
            raise OpError(
                with_user_line(
                    "LBFGS.step: a closure that computes the loss and its gradients is needed"
                )
            )
        evaluated = self._evaluations
        first, loss, gradient = self._evaluate(closure)
        for left in reversed(range(self._most[0])):
            if np.abs(gradient).max(initial=0.0) <= self._tolerance[0]:
                break
            self._iterations += 1
            step = self._direction(gradient)
            slope = float(gradient @ step)
            if slope > -self._tolerance[1]:
                break
            point = self._move(closure, step, _Point(0.0, loss, gradient, slope), last=not left)
            self._last = (gradient, point.t * step)
            settled = (
                np.abs(point.t * step).max() <= self._tolerance[1]
                or abs(point.loss - loss) < self._tolerance[1]
            )
            loss, gradient = point.loss, point.gradient
            if settled or self._evaluations - evaluated >= self._most[1]:
                break
        return first

    def state_dict(self) -> dict[str, Any]:
        """What the next step goes on from, under 'state': how often (n_iter, func_evals) and the
        last changes, as Paddle names them.
        """
        found: dict[str, Any] = {"func_evals": self._evaluations, "n_iter": self._iterations}
        found["old_sk"] = [Tensor(s) for s, _ in self._pairs]
        found["old_yk"] = [Tensor(y) for _, y in self._pairs]
        if self._last is not None:
            found["prev_flat_grad"], found["d"], found["alpha"] = (
                Tensor(self._last[0]),
                Tensor(self._last[1]),
                1.0,
            )
        return {"state": found if self._iterations else {}}

    def set_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from what state_dict() gave.

        Raises OpError for changes of another number of elements than the parameters have.
        """
        given = state_dict.get("state", {})
        size = self._vector().size
        self._pairs = [
            (_vector(s, size), _vector(y, size))
            for s, y in zip(given.get("old_sk", []), given.get("old_yk", []), strict=True)
        ]
        self._last = None
        if "d" in given:
            self._last = (
                _vector(given["prev_flat_grad"], size),
                _vector(given["d"], size) * float(given["alpha"]),
            )
        self._evaluations, self._iterations = (
            int(given.get("func_evals", 0)),
            int(given.get("n_iter", 0)),
        )

    # -- parameters as one vector
    # -------------------------------------------------------------------------------

    def _vector(self) -> Array:
        return np.concatenate(
            [cuda.to_host(p.array).ravel().astype(np.float64) for p in self._parameter_list]
        )

    def _put(self, vector: Array) -> None:
        at = 0
        for p in self._parameter_list:
            size = p.array.size
            p.array = cuda.copy_like(vector[at : at + size].reshape(p.array.shape), p.array)
            at += size

    def _evaluate(self, closure: Callable[[], Tensor]) -> tuple[Tensor, float, Array]:
        """The loss, as closure gives it and as a number, and its gradient."""
        with use_mode(state.mode.with_tape(True)):
            loss = closure()
        self._evaluations += 1
        grads = [
            (p, cuda.zeros_like(p.array) if p.grad is None else self._decayed(p, p.grad.array))
            for p in self._parameter_list
        ]
        if self._grad_clip is not None:
            grads = self._grad_clip(grads)
        return (
            loss,
            float(loss.array),
            np.concatenate([cuda.to_host(g).ravel().astype(np.float64) for _, g in grads]),
        )

    # -- where to go
    # --------------------------------------------------------------------------------------------

    def _direction(self, gradient: Array) -> Array:
        """Minus the gradient times the guessed inverse Hessian, by the two loops over the last
        changes.
        """
        self._remember(gradient)
        q = -gradient
        rows = []
        for s, y in reversed(self._pairs):
            a = (s @ q) / (y @ s)
            q = q - a * y
            rows.append((a, s, y))
        if self._pairs:
            s, y = self._pairs[-1]
            q = q * ((y @ s) / (y @ y))
        for a, s, y in reversed(rows):
            q = q + s * (a - (y @ q) / (y @ s))
        return q

    def _remember(self, gradient: Array) -> None:
        if self._last is None:
            return
        before, s = self._last
        y = gradient - before
        if y @ s > 1e-10:
            self._pairs = [*self._pairs, (s, y)][-self._history_size :]

    def _move(self, closure: Callable[[], Tensor], step: Array, here: _Point, last: bool) -> _Point:
        """Go along the step: as far as the learning rate says, which asks for no loss after the
        last one, or as the line search finds.
        """
        start, lr = self._vector(), self.get_lr()
        length = (
            lr if self._iterations > 1 else min(1.0, 1.0 / float(np.abs(here.gradient).sum())) * lr
        )

        def at(t: float) -> _Point:
            self._put(start + t * step)
            _, loss, gradient = self._evaluate(closure)
            return _Point(t, loss, gradient, float(gradient @ step))

        if self._search is None and last:
            self._put(start + length * step)
            return here._replace(t=length)
        if self._search is None:
            return at(length)
        found = strong_wolfe(
            at, here, length, tolerance=self._tolerance[1] / max(float(np.abs(step).max()), 1e-300)
        )
        self._put(start + found.t * step)
        return found


def _vector(given: Any, size: int) -> Array:
    found = np.asarray(given, np.float64).ravel()
    if found.size != size:
        raise OpError(
            with_user_line(
                f"LBFGS.set_state_dict: changes of {found.size} numbers for parameters of {size}"
            )
        )
    return found


def strong_wolfe(
    at: Callable[[float], _Point], start: _Point, length: float, tolerance: float, most: int = 25
) -> _Point:
    """A point that is lower by c1 = 1e-4 of the slope, and flatter by c2 = 0.9

    (Nocedal and Wright, algorithms 3.5 and 3.6).
    """
    before, point = start, at(length)
    for count in range(most):
        if _too_high(point, start) or (count and point.loss >= before.loss):
            return _zoom(at, start, before, point, tolerance, most - count)
        if abs(point.slope) <= -0.9 * start.slope:
            return point
        if point.slope >= 0:
            return _zoom(at, start, point, before, tolerance, most - count)
        before, point = point, at(min(max(_lowest(before, point), point.t * 1.1), point.t * 10))
    return point


def _too_high(point: _Point, start: _Point) -> bool:
    return not point.loss <= start.loss + 1e-4 * point.t * start.slope


def _zoom(
    at: Callable[[float], _Point],
    start: _Point,
    low: _Point,
    high: _Point,
    tolerance: float,
    most: int,
) -> _Point:
    """The point between two ends, of which `low` is the lower one."""
    for _ in range(most):
        width = abs(high.t - low.t)
        if width * abs(low.slope) < tolerance or width < 1e-12:
            break
        left, right = sorted((low.t, high.t))
        t = min(max(_lowest(low, high), left + 0.1 * width), right - 0.1 * width)
        point = at(t)
        if _too_high(point, start) or point.loss >= low.loss:
            high = point
            continue
        if abs(point.slope) <= -0.9 * start.slope:
            return point
        if point.slope * (high.t - low.t) >= 0:
            high = low
        low = point
    return low


def _lowest(a: _Point, b: _Point) -> float:
    """Where the cubic through both points, with their slopes, is lowest; the middle where it is
    nowhere.
    """
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t)
    under = d1 * d1 - a.slope * b.slope
    if not under >= 0:
        return (a.t + b.t) / 2
    d2 = float(np.copysign(np.sqrt(under), b.t - a.t))
    below = b.slope - a.slope + 2 * d2
    return b.t - (b.t - a.t) * (b.slope + d2 - d1) / below if below else (a.t + b.t) / 2
