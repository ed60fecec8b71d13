"""Gradient clipping. The optimizer calls a clip object with (parameter, gradient) pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..core.op import OPS
from ..core.tensor import Tensor

__all__ = ["ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]

Pairs = list[tuple[Any, Any]]  # Parameter; gradient: an array, a tensor or a variable


def _has_non_array_gradients(pairs: Pairs) -> bool:
    """Return whether the gradients are tensors or variables of a program, not arrays."""
    return bool(pairs) and isinstance(pairs[0][1], Tensor)


def _sum_of_squares(g: Any) -> float:
    """Return the sum of squares of `g`, accumulated in float32 if `g` is half precision."""
    g32 = g.astype(np.float32) if g.dtype.itemsize == 2 else g
    return float(np.vdot(g32, g32))


class ClipGradByValue:
    """Clip each element of a gradient to [min, max], for the argument `grad_clip` of an optimizer.

    Parameters
    ----------
    max : float
    min : float, optional
        By default -max.

    Notes
    -----
    Gradients of parameters with ``need_clip=False`` in their ParamAttr stay as they are.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> clip = nn.ClipGradByValue(max=1.0)
    >>> sgd = paddle.optimizer.SGD(0.1, layer.parameters(), grad_clip=clip)
    >>> clip([(layer.weight, paddle.to_tensor([[3.0], [-0.5]]))])[0][1].tolist()
    [[1.0], [-0.5]]
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs with clipped gradients."""
        if _has_non_array_gradients(pairs):
            return self.clip_variables(pairs)
        return [(p, np.clip(g, self.min, self.max) if p.need_clip else g) for p, g in pairs]

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """Clip gradients that are tensors or variables of a program; a call of the object does so.

        Parameters
        ----------
        pairs : list of (Parameter, Tensor)

        Returns
        -------
        list of (Parameter, Tensor)

        Examples
        --------
        >>> weight = nn.Linear(1, 1).weight
        >>> clip = nn.ClipGradByValue(1.0)
        >>> clip.clip_variables([(weight, paddle.to_tensor([[4.0]]))])[0][1].tolist()
        [[1.0]]
        """
        return [
            (p, OPS["clip"](g, min=self.min, max=self.max) if getattr(p, "need_clip", True) else g)
            for p, g in pairs
        ]


class ClipGradByNorm:
    """Scale each gradient so that its L2 norm is at most `clip_norm`.

    For the argument `grad_clip` of an optimizer.

    Parameters
    ----------
    clip_norm : float

    Notes
    -----
    Gradients of parameters with ``need_clip=False`` in their ParamAttr stay as they are.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> clip = nn.ClipGradByNorm(1.0)
    >>> sgd = paddle.optimizer.SGD(0.1, layer.parameters(), grad_clip=clip)
    >>> clip([(layer.weight, paddle.to_tensor([[3.0], [4.0]]))])[0][1].numpy().round(3)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, clip_norm: float) -> None:
        self.clip_norm = float(clip_norm)

    def _clip_array(self, g: Any) -> Any:
        norm = math.sqrt(_sum_of_squares(g))
        return g * g.dtype.type(self.clip_norm / norm) if norm > self.clip_norm else g

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs with clipped gradients."""
        if _has_non_array_gradients(pairs):
            return self.clip_variables(pairs)
        return [(p, self._clip_array(g) if p.need_clip else g) for p, g in pairs]

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """Clip gradients that are tensors or variables of a program; a call of the object does so.

        Parameters
        ----------
        pairs : list of (Parameter, Tensor)

        Returns
        -------
        list of (Parameter, Tensor)

        Examples
        --------
        >>> weight = nn.Linear(1, 1).weight
        >>> clip = nn.ClipGradByNorm(1.0)
        >>> clip.clip_variables([(weight, paddle.to_tensor([[4.0]]))])[0][1].tolist()
        [[1.0]]
        """
        return [
            (
                p,
                _record_gradient_clipped_by_norm(g, _record_global_norm([g]), self.clip_norm)
                if getattr(p, "need_clip", True)
                else g,
            )
            for p, g in pairs
        ]


class ClipGradByGlobalNorm:
    """Scale all gradients by one factor so that their joint L2 norm is at most `clip_norm`.

    factor = clip_norm / max(norm, clip_norm) with norm = sqrt(sum of the squares of all elements).
    For the argument `grad_clip` of an optimizer.

    Parameters
    ----------
    clip_norm : float
    group_name : str, default "default_group"
        Not used.
    auto_skip_clip : bool, default False
        Not used.

    Notes
    -----
    Gradients of parameters with ``need_clip=False`` in their ParamAttr stay as they are and do not
    count in the norm.

    Examples
    --------
    >>> layer = nn.Linear(1, 1)
    >>> clip = nn.ClipGradByGlobalNorm(1.0)
    >>> sgd = paddle.optimizer.SGD(0.1, layer.parameters(), grad_clip=clip)
    >>> gradients = [paddle.to_tensor([[3.0]]), paddle.to_tensor([4.0])]
    >>> [round(g.item(), 3) for _, g in clip(list(zip(layer.parameters(), gradients)))]
    [0.6, 0.8]
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False
    ) -> None:
        self.clip_norm = float(clip_norm)

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs with clipped gradients."""
        if _has_non_array_gradients(pairs):
            return self.clip_variables(pairs)
        norm = math.sqrt(sum(_sum_of_squares(g) for p, g in pairs if p.need_clip))
        factor = self.clip_norm / max(norm, self.clip_norm)
        if factor == 1.0:
            return pairs
        return [(p, g * g.dtype.type(factor) if p.need_clip else g) for p, g in pairs]

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """Clip gradients that are tensors or variables of a program; a call of the object does so.

        Parameters
        ----------
        pairs : list of (Parameter, Tensor)

        Returns
        -------
        list of (Parameter, Tensor)

        Examples
        --------
        >>> weight = nn.Linear(1, 1).weight
        >>> clip = nn.ClipGradByGlobalNorm(1.0)
        >>> clip.clip_variables([(weight, paddle.to_tensor([[4.0]]))])[0][1].tolist()
        [[1.0]]
        """
        clipped = [g for p, g in pairs if getattr(p, "need_clip", True)]
        if not clipped:
            return pairs
        norm = _record_global_norm(clipped)
        return [
            (
                p,
                _record_gradient_clipped_by_norm(g, norm, self.clip_norm)
                if getattr(p, "need_clip", True)
                else g,
            )
            for p, g in pairs
        ]


def _record_global_norm(gradients: list[Any]) -> Any:
    """Record the joint L2 norm of gradients that are variables.

    -> float32 []
    """
    grads32 = [g.astype("float32") if g.meta.dtype.itemsize == 2 else g for g in gradients]
    return OPS["sqrt"](OPS["sum"]([(g * g).sum() for g in grads32]))


def _record_gradient_clipped_by_norm(gradient: Any, norm: Any, max_norm: float) -> Any:
    """Record gradient * max_norm / max(norm, max_norm)."""
    limit = OPS["fill_any_like"](norm, value=max_norm, dtype=-1)
    factor = limit / OPS["elementwise_max"](norm, limit)
    return gradient * factor.astype(gradient.dtype)
