"""The categorical distribution."""

from __future__ import annotations

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..tensor.convert import cast, to_tensor
from ..tensor.manipulation import expand, take_along_axis, transpose
from ..tensor.sampling import multinomial
from .distribution import Distribution, Shape, parameters
from .kl import register_kl


class Categorical(Distribution):
    """Categorical distribution: an index in [0, K).

    Parameters
    ----------
    logits : Tensor, list or ndarray [*batch_shape, K]
        Weights of the categories; the two uses below interpret them differently.
    name : str, optional
        Kept as the attribute `name`; default "Categorical".

    Attributes
    ----------
    logits : Tensor [*batch_shape, K]

    Raises
    ------
    OpError
        If `logits` has rank 0, or is neither a number, a list, an array nor a Tensor.

    Notes
    -----
    As in Paddle, `sample`, `entropy` and the divergence use the probabilities softmax(logits), but
    `probs` and `log_prob` use logits / sum(logits). The divergence of two Categoricals keeps the
    axis of the categories with size 1, as in Paddle. `rsample`, `mean` and `variance` raise
    NotImplementedError.

    Examples
    --------
    >>> weights = paddle.to_tensor([1.0, 1.0, 2.0])
    >>> categorical = paddle.distribution.Categorical(weights)
    >>> categorical.probs(paddle.to_tensor([0, 2])).tolist()
    [0.25, 0.5]
    >>> categorical.sample([5]).shape
    [5]
    """

    def __init__(self, logits: TensorLike, name: str | None = None) -> None:
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
        """Draw indices of categories, with the probabilities softmax(logits).

        Parameters
        ----------
        shape : sequence of int, default ()
            Number of independent samples, as a shape.

        Returns
        -------
        Tensor [*shape, *batch_shape], int64

        Examples
        --------
        >>> logits = paddle.to_tensor([0.0, 100.0, 0.0])
        >>> paddle.distribution.Categorical(logits).sample([3]).tolist()
        [1, 1, 1]
        """
        num_categories, out_shape = self.logits.shape[-1], [*shape, *self._batch_shape]
        count = 1
        for size in shape:
            count = count * size
        probs = OPS["softmax"](self.logits.detach(), axis=-1).reshape([-1, num_categories])
        samples = multinomial(probs, count, replacement=True)
        return transpose(samples, [1, 0]).reshape(out_shape)

    def entropy(self) -> Tensor:
        """Return the entropy of softmax(logits), in nats.

        Returns
        -------
        Tensor [*batch_shape], dtype of the logits

        Examples
        --------
        >>> categorical = paddle.distribution.Categorical([0.0, 0.0])
        >>> round(categorical.entropy().item(), 4)  # log 2
        0.6931
        """
        logs = OPS["log_softmax"](self.logits, axis=-1)
        return -(logs.exp() * logs).sum(-1)

    def probs(self, value: TensorLike) -> Tensor:
        """Return the probabilities logits / sum(logits) of given categories.

        Parameters
        ----------
        value : Tensor, int or list of int
            Indices of categories. Without a batch the shape is arbitrary; with one it is
            [*batch_shape, V], a row for each distribution, or [V], the same for all of them.

        Returns
        -------
        Tensor [*batch_shape, V], or the shape of `value` without a batch; dtype of the logits

        Raises
        ------
        OpError
            If an index is not in [0, K), or `value` is a scalar and there is a batch.

        Notes
        -----
        `prob` is a second name of this method.

        Examples
        --------
        >>> categorical = paddle.distribution.Categorical([[1.0, 3.0], [1.0, 1.0]])
        >>> categorical.probs([0, 1]).tolist()
        [[0.25, 0.75], [0.5, 0.5]]
        """
        probs = self.logits / self.logits.sum(-1, keepdim=True)
        index = cast(value, "int64") if isinstance(value, Tensor) else to_tensor(value, "int64")
        if probs.ndim == 1:
            return take_along_axis(probs, index.reshape([-1]), 0).reshape(index.shape)
        if not index.ndim:
            raise OpError(
                append_user_line(
                    f"Categorical: the value must have rank 1 or more (logits={self.logits.meta}, "
                    f"value={index.meta})"
                )
            )
        index = expand(index, [*probs.shape[:-1], index.shape[-1]])
        return take_along_axis(probs, index, -1)

    prob = probs

    def log_prob(self, value: TensorLike) -> Tensor:
        """Return the logarithm of `probs`: log(logits / sum(logits)) at given categories.

        Parameters
        ----------
        value : Tensor, int or list of int
            Indices of categories. Without a batch the shape is arbitrary; with one it is
            [*batch_shape, V], a row for each distribution, or [V], the same for all of them.

        Returns
        -------
        Tensor [*batch_shape, V], or the shape of `value` without a batch; dtype of the logits

        Raises
        ------
        OpError
            If an index is not in [0, K).

        Examples
        --------
        >>> categorical = paddle.distribution.Categorical([1.0, 1.0, 2.0])
        >>> categorical.log_prob([0, 2]).numpy().round(4)
        array([-1.3863, -0.6931], dtype=float32)
        """
        return self.probs(value).log()


@register_kl(Categorical, Categorical)
def _(p: Categorical, q: Categorical) -> Tensor:
    """Return the divergence KL(p || q). The axis of the categories remains with size 1, as in
    Paddle.
    """
    ours, theirs = (OPS["log_softmax"](d.logits, axis=-1) for d in (p, q))
    return (ours.exp() * (ours - theirs)).sum(-1, keepdim=True)
