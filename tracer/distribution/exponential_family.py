"""Distributions of the form h(x) e ** (eta t(x) - A(eta)), whose entropy and divergence come from A
alone.
"""

from __future__ import annotations

from typing import Any

from ..core.autograd import enable_grad, grad
from ..core.tensor import Tensor
from .distribution import Distribution, sum_rightmost
from .kl import register_kl


class ExponentialFamily(Distribution):
    """Base of such distributions, which give their natural parameters eta, their log-normalizer A
    and E[log h].
    """

    @property
    def _natural_parameters(self) -> tuple[Tensor, ...]:
        raise self._missing("_natural_parameters")

    def _log_normalizer(self, *natural: Any) -> Tensor:
        raise self._missing("_log_normalizer")

    @property
    def _mean_carrier_measure(self) -> Any:
        raise self._missing("_mean_carrier_measure")

    def entropy(self) -> Tensor:
        """A(eta) - eta A'(eta) - E[log h] (Nielsen and Nock 2010).

        -> [*batch_shape]
        """
        natural, value, slopes = _normalizer(self)
        found = value - self._mean_carrier_measure
        for eta, slope in zip(natural, slopes, strict=True):
            found = found - sum_rightmost(eta * slope, len(self._event_shape))
        return found


def _normalizer(of: ExponentialFamily) -> tuple[tuple[Tensor, ...], Tensor, list[Tensor]]:
    """eta, A(eta) and A'(eta)."""
    with enable_grad():
        natural = of._natural_parameters
        if all(eta.stop_gradient for eta in natural):
            natural = tuple(_leaf(eta) for eta in natural)
        value = of._log_normalizer(*natural)
        slopes = grad([value.sum()], list(natural), create_graph=True)
    return natural, value, [slope for slope in slopes if slope is not None]


def _leaf(eta: Tensor) -> Tensor:
    made = eta.detach()
    made.stop_gradient = False
    return made


@register_kl(ExponentialFamily, ExponentialFamily)
def _(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """The divergence of Bregman of A, between eta of q and eta of p (Nielsen and Nock 2010)."""
    if type(p) is not type(q):
        raise NotImplementedError(
            f"kl_divergence: no rule for {type(p).__name__} and {type(q).__name__}"
        )
    natural, value, slopes = _normalizer(p)
    others = q._natural_parameters
    found = q._log_normalizer(*others) - value
    for ours, theirs, slope in zip(natural, others, slopes, strict=True):
        found = found - sum_rightmost((theirs - ours) * slope, len(p._event_shape))
    return found
