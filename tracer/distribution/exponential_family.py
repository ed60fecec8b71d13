"""Exponential families, whose densities have the form h(x) exp(eta t(x) - A(eta)). Entropy and
divergence are computed from A.
"""

from __future__ import annotations

from typing import Any

from ..core.autograd import enable_grad, grad
from ..core.tensor import Tensor
from .distribution import Distribution, sum_rightmost
from .kl import register_kl


class ExponentialFamily(Distribution):
    """Base class of exponential families.

    density(x) = h(x) exp(eta t(x) - A(eta))

    A subclass defines the property `_natural_parameters`, a tuple of the Tensors eta; the method
    `_log_normalizer(*eta)`, which returns A(eta) as a Tensor [*batch_shape]; and
    `_mean_carrier_measure`, E[log h(x)]. Entropy and divergence follow from the gradient of A.

    Parameters
    ----------
    batch_shape, event_shape : sequence of int, default ()
        As for `Distribution`.

    Notes
    -----
    The divergence of two objects of one subclass is the Bregman divergence of A (Nielsen and Nock
    2010). For different subclasses `kl_divergence` raises NotImplementedError, unless a rule is
    registered for them.

    Examples
    --------
    >>> class Exponential(paddle.distribution.ExponentialFamily):
    ...     def __init__(self, rate):
    ...         self.rate = paddle.to_tensor(rate)
    ...         super().__init__(self.rate.shape)
    ...     _natural_parameters = property(lambda self: (-self.rate,))
    ...     _mean_carrier_measure = 0
    ...     def _log_normalizer(self, eta):
    ...         return -(-eta).log()
    >>> Exponential([1.0, 2.0]).entropy().numpy().round(4)
    array([1.    , 0.3069], dtype=float32)
    >>> Exponential([1.0]).kl_divergence(Exponential([2.0])).numpy().round(4)
    array([0.3069], dtype=float32)
    """

    @property
    def _natural_parameters(self) -> tuple[Tensor, ...]:
        raise self._make_not_implemented_error("_natural_parameters")

    def _log_normalizer(self, *natural: Any) -> Tensor:
        raise self._make_not_implemented_error("_log_normalizer")

    @property
    def _mean_carrier_measure(self) -> Any:
        raise self._make_not_implemented_error("_mean_carrier_measure")

    def entropy(self) -> Tensor:
        """Return the entropy A(eta) - eta A'(eta) - E[log h], in nats (Nielsen and Nock 2010).

        Returns
        -------
        Tensor [*batch_shape]

        Raises
        ------
        NotImplementedError
            If the subclass does not define eta, A and E[log h].

        Examples
        --------
        >>> class Exponential(paddle.distribution.ExponentialFamily):
        ...     _natural_parameters = (paddle.to_tensor(-2.0),)
        ...     _mean_carrier_measure = 0
        ...     def _log_normalizer(self, eta):
        ...         return -(-eta).log()
        >>> round(Exponential().entropy().item(), 4)  # 1 - log 2
        0.3069
        """
        etas, value, gradients = _etas_log_normalizer_and_grads(self)
        out = value - self._mean_carrier_measure
        for eta, gradient in zip(etas, gradients, strict=True):
            out = out - sum_rightmost(eta * gradient, len(self._event_shape))
        return out


def _etas_log_normalizer_and_grads(
    family: ExponentialFamily,
) -> tuple[tuple[Tensor, ...], Tensor, list[Tensor]]:
    """Return the natural parameters of a distribution, the log normalizer, and its gradients with
    respect to these parameters.
    """
    with enable_grad():
        etas = family._natural_parameters
        if all(eta.stop_gradient for eta in etas):
            etas = tuple(_as_leaf(eta) for eta in etas)
        value = family._log_normalizer(*etas)
        gradients = grad([value.sum()], list(etas), create_graph=True)
    return etas, value, [gradient for gradient in gradients if gradient is not None]


def _as_leaf(eta: Tensor) -> Tensor:
    leaf = eta.detach()
    leaf.stop_gradient = False
    return leaf


@register_kl(ExponentialFamily, ExponentialFamily)
def _(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """Return the divergence KL(p || q): the Bregman divergence of A, between eta of q and eta of p
    (Nielsen and Nock 2010).
    """
    if type(p) is not type(q):
        raise NotImplementedError(
            f"kl_divergence: no rule for {type(p).__name__} and {type(q).__name__}"
        )
    natural, value, slopes = _etas_log_normalizer_and_grads(p)
    others = q._natural_parameters
    divergence = q._log_normalizer(*others) - value
    for ours, theirs, slope in zip(natural, others, slopes, strict=True):
        divergence = divergence - sum_rightmost((theirs - ours) * slope, len(p._event_shape))
    return divergence
