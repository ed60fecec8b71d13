"""A loss over many classes, of which only some are looked at: fluid.dygraph.NCE."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core.op import OPS
from ...nn.initializer import Assign
from ...nn.param_attr import ParamAttr
from ...static.nn.noise_contrastive import Sampler, sampled_cost
from .layers import Scoped, scoped

__all__ = ["NCE"]


def _width(given: dict[str, Any], x: Any, *others: Any) -> dict[str, Any]:
    return {"dim": x.meta.shape[1]}


@scoped(
    "num_total_classes",
    "sample_weight",
    "param_attr",
    "bias_attr",
    "num_neg_samples",
    "sampler",
    "custom_dist",
    "seed",
    "is_sparse",
    later=_width,
)
class NCE(Scoped):
    """The labels told from classes that are drawn

    (Gutmann and Hyvarinen 2010).
    x [N, dim], label int64 [N, T] -> [N, 1]

    As in 1.8, there is a bias only where bias_attr is given; as in fluid.layers.nce, classes are
    drawn once for all rows.
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
        self._count, self._sample_weight = (
            10 if num_neg_samples is None else int(num_neg_samples),
            sample_weight,
        )
        custom = None
        if custom_dist is not None:
            kept = ParamAttr(
                initializer=Assign(np.asarray(custom_dist, "float32")), trainable=False
            )
            custom = self.create_parameter([num_total_classes], kept)
        self._sampler = Sampler(sampler, num_total_classes, custom)
        self.weight: Any = self.create_parameter([num_total_classes, dim], param_attr, dtype)
        self.bias: Any = self.create_parameter(
            [num_total_classes, 1], bias_attr or False, dtype, is_bias=True
        )

    def forward(self, input: Any, label: Any, sample_weight: Any = None) -> Any:
        """See the class.   sample_weight: of every row, [N, 1]"""
        count, weight = self._count, self._sample_weight if sample_weight is None else sample_weight
        yes = sampled_cost(input, self.weight, self.bias, label, self._sampler, count, True)
        no = sampled_cost(
            input, self.weight, self.bias, self._sampler.draw(count), self._sampler, count, False
        )
        total = OPS["elementwise_add"](yes, no)
        total = total if weight is None else OPS["elementwise_mul"](total, weight)
        return OPS["scale"](total, scale=1.0 / (count + 1))
