"""Noise-contrastive estimation: `fluid.dygraph.NCE`."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.op import OPS
from ...nn.initializer import Assign
from ...nn.param_attr import ParamAttr
from ...static.nn.noise_contrastive import Sampler, nce_loss_of_classes
from .layers import OptionalNameScopeLayer, with_optional_name_scope_argument

__all__ = ["NCE"]


def _infer_dim_argument(args: dict[str, Any], x: Any, *others: Any) -> dict[str, Any]:
    return {"dim": x.meta.shape[1]}


@with_optional_name_scope_argument(
    "num_total_classes",
    "sample_weight",
    "param_attr",
    "bias_attr",
    "num_neg_samples",
    "sampler",
    "custom_dist",
    "seed",
    "is_sparse",
    infer_arguments=_infer_dim_argument,
)
class NCE(OptionalNameScopeLayer):
    """Noise-contrastive estimation: loss of distinguishing labels from sampled classes (Gutmann and
    Hyvarinen 2010).

    x: [N, dim].
    label: int64 [N, T].
    Returns [N, 1].

    As in 1.8, a bias is created only if bias_attr is given. As in `fluid.layers.nce`, classes are
    sampled once for all rows.

    The newer name is `paddle.static.nn.nce`.
    """

    def __init__(
        self,
        num_total_classes: int,
        dim: int,
        sample_weight: Any = None,
        param_attr: Any = None,
        bias_attr: Any = None,
        num_neg_samples: int | None = None,
        sampler: str = "uniform",
        custom_dist: Any = None,
        seed: int = 0,
        is_sparse: bool = False,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._sample_count, self._sample_weight = (
            10 if num_neg_samples is None else int(num_neg_samples),
            sample_weight,
        )
        probabilities = None
        if custom_dist is not None:
            attr = ParamAttr(
                initializer=Assign(np.asarray(custom_dist, "float32")), trainable=False
            )
            probabilities = self.create_parameter([num_total_classes], attr)
        self._sampler = Sampler(sampler, num_total_classes, probabilities)
        self.weight: Any = self.create_parameter([num_total_classes, dim], param_attr, dtype)
        self.bias: Any = self.create_parameter(
            [num_total_classes, 1], bias_attr or False, dtype, is_bias=True
        )

    def forward(self, input: Any, label: Any, sample_weight: Any = None) -> Any:
        """Compute the loss. sample_weight: factor of each row, [N, 1]"""
        count = self._sample_count
        if sample_weight is None:
            sample_weight = self._sample_weight
        label_loss = nce_loss_of_classes(
            input, self.weight, self.bias, label, self._sampler, count, True
        )
        noise_loss = nce_loss_of_classes(
            input, self.weight, self.bias, self._sampler.sample(count), self._sampler, count, False
        )
        total = OPS["elementwise_add"](label_loss, noise_loss)
        if sample_weight is not None:
            total = OPS["elementwise_mul"](total, sample_weight)
        return OPS["scale"](total, scale=1.0 / (count + 1))
