"""The distribution of one of several results."""

from __future__ import annotations

from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.convert import cast, to_tensor
from ..tensor.manipulation import expand, take_along_axis, transpose
from ..tensor.sampling import multinomial
from .distribution import Distribution, Shape, parameters
from .kl import register_kl


class Categorical(Distribution):
    """One of K results.

    logits [*batch_shape, K]

    As in Paddle, draws, entropy and divergence are those of softmax(logits), while probs and
    log_prob are those of logits / sum(logits). They agree where logits are log-probabilities up to
    a constant only for the former, and weights only for the latter.
    """

    def __init__(self, logits: Any, name: str | None = None) -> None:
        self.name = name or "Categorical"
        (self.logits,) = parameters("Categorical", logits)
        if not self.logits.ndim:
            raise OpError(
                with_user_line(
                    f"Categorical: logits has no axis of results (logits={self.logits.meta})"
                )
            )
        super().__init__(self.logits.shape[:-1])

    def sample(self, shape: Shape = ()) -> Tensor:
        """Draws.

        -> int64 [*shape, *batch_shape]
        """
        kinds, wanted = self.logits.shape[-1], [*shape, *self._batch_shape]
        count = 1
        for size in shape:
            count = count * size
        chances = OPS["softmax"](self.logits.detach(), axis=-1).reshape([-1, kinds])
        drawn = multinomial(chances, count, replacement=True)
        return transpose(drawn, [1, 0]).reshape(wanted)

    def entropy(self) -> Tensor:
        """The entropy of softmax(logits).

        -> [*batch_shape]
        """
        logs = OPS["log_softmax"](self.logits, axis=-1)
        return -(logs.exp() * logs).sum(-1)

    def probs(self, value: Any) -> Tensor:
        """The probabilities of results, as shares in the sum of logits.

        value int [V] or [*batch_shape, V] -> [*batch_shape, V]
        """
        shares = self.logits / self.logits.sum(-1, keepdim=True)
        index = cast(value, "int64") if isinstance(value, Tensor) else to_tensor(value, "int64")
        if shares.ndim == 1:
            return take_along_axis(shares, index.reshape([-1]), 0).reshape(index.shape)
        index = expand(index, [*shares.shape[:-1], index.shape[-1]])
        return take_along_axis(shares, index, -1)

    prob = probs

    def log_prob(self, value: Any) -> Tensor:
        """The logarithm of probs."""
        return self.probs(value).log()


@register_kl(Categorical, Categorical)
def _(p: Categorical, q: Categorical) -> Tensor:
    """The axis of results stays, with size 1, as in Paddle."""
    ours, theirs = (OPS["log_softmax"](d.logits, axis=-1) for d in (p, q))
    return (ours.exp() * (ours - theirs)).sum(-1, keepdim=True)
