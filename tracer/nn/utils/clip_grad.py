"""In-place gradient clipping, to be called before an optimizer step."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...core.autograd import no_grad
from ...core.errors import OarlockError, OpError, append_user_line
from ...core.tensor import Tensor
from ...tensor.convert import to_tensor
from ...tensor.linalg import norm
from ...tensor.manipulation import reshape, stack
from ...tensor.math import abs as abs_of
from ...tensor.math import add, clip, divide, isfinite, multiply
from ...tensor.math import max as max_of

__all__ = ["clip_grad_norm_", "clip_grad_value_"]


def _parameters_with_gradient(parameters: Any) -> list[Tensor]:
    """Return the parameters that have a gradient."""
    return [
        p
        for p in ([parameters] if isinstance(parameters, Tensor) else parameters)
        if p.grad is not None
    ]


def _total_norm(grads: list[Tensor], order: float) -> Tensor:
    """Return the norm of the norms of the gradients.

    For order 1, 2 and inf this is the norm of all gradients concatenated; for order 0 it is the
    number of gradients that are not all zero.
    """
    if order == float("inf"):
        return max_of(stack([max_of(abs_of(g)) for g in grads]))
    return norm(stack([norm(reshape(g, [-1]), order) for g in grads]), order)


@no_grad()
def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale the gradients of parameters in place so that their joint norm is at most `max_norm`.

    factor = min(1, max_norm / (norm + 1e-6))

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient are skipped.
    max_norm : float
    norm_type : float, default 2.0
        1, 2 or inf: the norm of all gradients as one vector. 0: the number of gradients that are
        not all zero.
    error_if_nonfinite : bool, default False
        Raise an error if the norm is NaN or infinite.

    Returns
    -------
    Tensor []
        The norm before.

    Raises
    ------
    OpError
        If `norm_type` is another number.
    OarlockError
        If the norm is not finite and `error_if_nonfinite` is set.

    Examples
    --------
    >>> layer = nn.Linear(2, 1, bias_attr=False)
    >>> layer(paddle.to_tensor([[3.0, 4.0]])).sum().backward()
    >>> nn.utils.clip_grad_norm_(layer.parameters(), max_norm=1.0).item()
    5.0
    >>> layer.weight.grad.flatten().numpy().round(3)
    array([0.6, 0.8], dtype=float32)
    """
    if norm_type not in (float("inf"), 0, 1, 2):
        raise OpError(
            append_user_line(f"clip_grad_norm_: norm_type={norm_type} is not one of 0, 1, 2, inf")
        )
    params = _parameters_with_gradient(parameters)
    if not params:
        return to_tensor(0.0)
    total = _total_norm([p.grad for p in params if p.grad is not None], float(norm_type))
    if error_if_nonfinite and not bool(isfinite(total)):
        raise OarlockError(
            append_user_line("clip_grad_norm_: the norm of the gradients is not finite")
        )
    factor = clip(divide(float(max_norm), add(total, 1e-6)), max=1.0)
    for p in params:
        p.grad = multiply(p.grad, factor)
    return total


@no_grad()
def clip_grad_value_(parameters: Tensor | Iterable[Tensor], clip_value: float) -> None:
    """Limit every element of the gradients of parameters to [-clip_value, clip_value] in place.

    Parameters
    ----------
    parameters : Tensor or iterable of Tensor
        Those without a gradient are skipped.
    clip_value : float
        Not negative.

    Raises
    ------
    OpError
        If `clip_value` is negative.

    Examples
    --------
    >>> layer = nn.Linear(2, 1, bias_attr=False)
    >>> layer(paddle.to_tensor([[3.0, -0.5]])).sum().backward()
    >>> nn.utils.clip_grad_value_(layer.parameters(), 1.0)
    >>> layer.weight.grad.tolist()
    [[1.0], [-0.5]]
    """
    if clip_value < 0:
        raise OpError(append_user_line(f"clip_grad_value_: clip_value={clip_value} is negative"))
    for p in _parameters_with_gradient(parameters):
        if p.grad is not None:
            p.grad = clip(p.grad, -float(clip_value), float(clip_value))
