"""The categorical distribution."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.convert import cast, to_tensor
from ..tensor.manipulation import expand, take_along_axis, transpose
from ..tensor.sampling import multinomial
from .distribution import Distribution, Shape, parameters
from .kl import register_kl


class Categorical(Distribution):
    """Categorical distribution of K categories.

    logits [*batch_shape, K]

    As in Paddle, samples, entropy and divergence use softmax(logits), but probs and log_prob use
    logits / sum(logits).
    """

    def __init__(self, logits: Any, name: str | None = None) -> None:
        self.name = name or "Categorical"
        (self.logits,) = parameters("Categorical", logits)
        if not self.logits.ndim:
            raise OpError(
                append_user_line(
                    f"Categorical: logits must have rank 1 or more (logits={self.logits.meta})"
                )
            )
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draw category indices.

        -> int64 [*shape, *batch_shape]
        """
        num_categories, out_shape = self.logits.shape[-1], [*shape, *self._batch_shape]
        count = 1
        for size in shape:
            count = count * size
        probs = OPS["softmax"](self.logits.detach(), axis=-1).reshape([-1, num_categories])
        samples = multinomial(probs, count, replacement=True)
        return transpose(samples, [1, 0]).reshape(out_shape)

    def entropy(self) -> Tensor:
        """Entropy of softmax(logits).

        -> [*batch_shape]
        """
        logs = OPS["log_softmax"](self.logits, axis=-1)
        return -(logs.exp() * logs).sum(-1)

    def probs(self, value: Any) -> Tensor:
        """Return the probabilities logits / sum(logits) of the categories in `value`.

        value int [V] or [*batch_shape, V] -> [*batch_shape, V]
        """
        probs = self.logits / self.logits.sum(-1, keepdim=True)
        index = cast(value, "int64") if isinstance(value, Tensor) else to_tensor(value, "int64")
        if probs.ndim == 1:
            return take_along_axis(probs, index.reshape([-1]), 0).reshape(index.shape)
        index = expand(index, [*probs.shape[:-1], index.shape[-1]])
        return take_along_axis(probs, index, -1)

    prob = probs

    def log_prob(self, value: Any) -> Tensor:
        """Logarithm of probs."""
        return self.probs(value).log()


@register_kl(Categorical, Categorical)
def _(p: Categorical, q: Categorical) -> Tensor:
    """Return the divergence KL(p || q). The axis of the categories remains with size 1, as in
    Paddle.
    """
    ours, theirs = (OPS["log_softmax"](d.logits, axis=-1) for d in (p, q))
    return (ours.exp() * (ours - theirs)).sum(-1, keepdim=True)
