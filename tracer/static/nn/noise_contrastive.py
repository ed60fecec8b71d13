"""Noise-contrastive estimation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...core.dtype import DType, dtype_of, float32, int64
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...nn.initializer import Assign
from ...nn.param_attr import ParamAttr
from .helper import Helper, known_size


def _cast(x: Any, dtype: DType) -> Any:
    return OPS["cast"](x, in_dtype=dtype_of(x.meta.dtype).proto, out_dtype=dtype.proto)


class Sampler:
    """The distribution of sampled classes.

    custom: a variable with the probabilities [C], or None
    """

    def __init__(self, kind: str, classes: int, custom: Any) -> None:
        if kind not in ("uniform", "log_uniform", "custom_dist"):
            raise OpError(
                with_user_line(
                    f"nce: sampler={kind!r} is not one of 'uniform', 'log_uniform', 'custom_dist'"
                )
            )
        self.kind, self.classes, self.custom = kind, classes, custom

    def draw(self, count: int) -> Any:
        """Sample `count` classes.   -> int64 [count]"""
        if self.kind == "custom_dist":
            return OPS["multinomial"](self.custom, num_samples=count, replacement=True)
        if self.kind == "uniform":
            return OPS["randint"](shape=[count], low=0, high=self.classes, dtype=3)
        numbers = OPS["uniform_random"](
            shape=[count], min=0.0, max=math.log(self.classes + 1.0), dtype=5
        )
        drawn = OPS["floor"](OPS["scale"](OPS["exp"](numbers), bias=-1.0))
        return _cast(OPS["clip"](drawn, min=0.0, max=float(self.classes - 1)), int64)

    def probability(self, classes: Any) -> Any:
        """The probability of classes.   classes int64 [*] -> float32 [*]"""
        if self.kind == "custom_dist":
            return OPS["gather_nd"](self.custom, OPS["unsqueeze2"](classes, axes=[-1]))
        place = _cast(classes, float32)
        if self.kind == "uniform":
            return OPS["fill_any_like"](place, value=1.0 / self.classes)
        ratio = OPS["elementwise_div"](OPS["scale"](place, bias=2.0), OPS["scale"](place, bias=1.0))
        return OPS["scale"](OPS["log"](ratio), scale=1.0 / math.log(self.classes + 1.0))


def nce(
    input: Any,
    label: Any,
    num_total_classes: int,
    sample_weight: Any = None,
    param_attr: Any = None,
    bias_attr: Any = None,
    num_neg_samples: int | None = None,
    name: str | None = None,
    sampler: str = "uniform",
    custom_dist: Any = None,
    seed: int = 0,
    is_sparse: bool = False,
) -> Any:
    """Noise-contrastive estimation: the cost of telling labels from sampled classes

    (Gutmann and Hyvarinen 2010).

    A run samples its classes once for all rows; Paddle samples them for each row.
    `seed` has no effect: `Program.random_seed` and `paddle.seed` do.

    Parameters
    ----------
    input : Variable, float [N, D]
    label : Variable, int [N, T]
    num_total_classes : int
    sample_weight : Variable [N, 1], optional
        Factor of each row's cost.
    num_neg_samples : int, default 10
        Number of sampled classes.
    sampler : "uniform", "log_uniform" or "custom_dist"
        How classes are sampled; `custom_dist` holds the probabilities for the last one.

    Returns
    -------
    Variable, float [N, 1]
    """
    helper = Helper("nce", name, input, label)
    count = 10 if num_neg_samples is None else int(num_neg_samples)
    with helper.writing():
        weight = helper.parameter(
            param_attr, [num_total_classes, known_size("nce", input, 1)], input.dtype
        )
        bias = helper.parameter(bias_attr, [num_total_classes, 1], input.dtype, is_bias=True)
        custom = None
        if custom_dist is not None:
            kept = ParamAttr(
                initializer=Assign(np.asarray(custom_dist, "float32")), trainable=False
            )
            custom = helper.parameter(kept, [num_total_classes], "float32")
        drawn = Sampler(sampler, num_total_classes, custom)
        yes = sampled_cost(input, weight, bias, label, drawn, count, True)
        no = sampled_cost(input, weight, bias, drawn.draw(count), drawn, count, False)
        total = OPS["elementwise_add"](yes, no)
        if sample_weight is not None:
            total = OPS["elementwise_mul"](total, sample_weight)
        return OPS["scale"](total, scale=1.0 / (count + 1))


def sampled_cost(
    x: Any, weight: Any, bias: Any, classes: Any, drawn: Sampler, count: int, own: bool
) -> Any:
    """The logistic loss of classes.

    classes int [N, T] (labels, own=True) or [S] (sampled, own=False) -> [N, 1]
    """
    places = OPS["unsqueeze2"](classes, axes=[-1])
    rows = OPS["gather_nd"](weight, places)
    scores = (
        OPS["reduce_sum"](OPS["elementwise_mul"](OPS["unsqueeze2"](x, axes=[1]), rows), dim=[-1])
        if own
        else OPS["matmul"](x, rows, transpose_Y=True)
    )
    if bias is not None:
        scores = OPS["elementwise_add"](
            scores, OPS["squeeze2"](OPS["gather_nd"](bias, places), axes=[-1])
        )
    likely, noise = (
        OPS["sigmoid"](scores),
        OPS["scale"](drawn.probability(classes), scale=float(count)),
    )
    both = OPS["elementwise_add"](likely, noise)
    part = OPS["elementwise_div"](likely if own else OPS["elementwise_sub"](both, likely), both)
    return OPS["scale"](OPS["reduce_sum"](OPS["log"](part), dim=[1], keep_dim=True), scale=-1.0)
