"""Noise-contrastive estimation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...capture.variable import Variable
from ...core.dtype import DType, float32, int64, parse_dtype
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...core.type_aliases import Array
from ...nn.initializer import Assign
from ...nn.param_attr import ParamAttr
from ...nn.type_aliases import ParamAttrLike
from .helper import LayerHelper, require_static_size


def _emit_cast_to_dtype(x: Any, dtype: DType) -> Any:
    return OPS["cast"](x, in_dtype=parse_dtype(x.meta.dtype).proto, out_dtype=dtype.proto)


class Sampler:
    """A distribution from which classes are sampled.

    distribution_kind: "uniform", "log_uniform" or "custom_dist"
    probabilities: variable [C] for "custom_dist", or None
    """

    def __init__(self, kind: str, num_classes: int, probabilities: Any) -> None:
        if kind not in ("uniform", "log_uniform", "custom_dist"):
            raise OpError(
                append_user_line(
                    f"nce: sampler={kind!r} is not one of 'uniform', 'log_uniform', 'custom_dist'"
                )
            )
        self.distribution_kind, self.num_classes, self.probabilities = (
            kind,
            num_classes,
            probabilities,
        )

    def sample(self, count: int) -> Any:
        """Draw `count` classes at random; return int64 [count]."""
        if self.distribution_kind == "custom_dist":
            return OPS["multinomial"](self.probabilities, num_samples=count, replacement=True)
        if self.distribution_kind == "uniform":
            return OPS["randint"](shape=[count], low=0, high=self.num_classes, dtype=3)
        uniform = OPS["uniform_random"](
            shape=[count], min=0.0, max=math.log(self.num_classes + 1.0), dtype=5
        )
        samples = OPS["floor"](OPS["scale"](OPS["exp"](uniform), bias=-1.0))
        return _emit_cast_to_dtype(
            OPS["clip"](samples, min=0.0, max=float(self.num_classes - 1)), int64
        )

    def class_probabilities(self, classes: Any) -> Any:
        """Return the probabilities with which classes are drawn: int64 [*] -> float32 [*]."""
        if self.distribution_kind == "custom_dist":
            return OPS["gather_nd"](self.probabilities, OPS["unsqueeze2"](classes, axes=[-1]))
        x = _emit_cast_to_dtype(classes, float32)
        if self.distribution_kind == "uniform":
            return OPS["fill_any_like"](x, value=1.0 / self.num_classes)
        ratio = OPS["elementwise_div"](OPS["scale"](x, bias=2.0), OPS["scale"](x, bias=1.0))
        return OPS["scale"](OPS["log"](ratio), scale=1.0 / math.log(self.num_classes + 1.0))


def nce(
    input: Tensor,
    label: Tensor,
    num_total_classes: int,
    sample_weight: Tensor | None = None,
    param_attr: ParamAttrLike | None = None,
    bias_attr: ParamAttrLike | None = None,
    num_neg_samples: int | None = None,
    name: str | None = None,
    sampler: str = "uniform",
    custom_dist: Sequence[float] | Array | None = None,
    seed: int = 0,
    is_sparse: bool = False,
) -> Variable:
    """Noise-contrastive estimation: the loss of distinguishing labels from sampled classes.

    loss = -sum over labels of log(s / (s + k q)) - sum over samples of log(k q / (s + k q)),
    divided by k + 1, with s = sigmoid(input @ weight[class] + bias[class]), the probability q that
    the class is sampled, and k = num_neg_samples (Gutmann and Hyvarinen 2010). The function creates
    the parameters of a static graph program.

    Parameters
    ----------
    input : Variable [N, D], float
    label : Variable [N, T], int32 | int64
    num_total_classes : int
    sample_weight : Variable [N, 1], optional
        Factor of each row's loss.
    param_attr, bias_attr : ParamAttr, Initializer, str or False, optional
        Initialization, name and regularizer of the weight [num_total_classes, D] and the bias
        [num_total_classes, 1]. ``bias_attr=False``: no bias.
    num_neg_samples : int, default 10
        Number of sampled classes.
    name : str, optional
        Prefix of the names of parameters and outputs.
    sampler : "uniform", "log_uniform" or "custom_dist", default "uniform"
        How classes are sampled.
    custom_dist : list of float [num_total_classes], optional
        The probabilities of the classes for ``sampler="custom_dist"``.
    seed : int, default 0
        Has no effect: `Program.random_seed` and `paddle.seed` do.
    is_sparse : bool, default False
        Has no effect.

    Returns
    -------
    Variable [N, 1], dtype of input

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `input` or `label` is not a Variable.
    OpError
        If `sampler` is unknown, or D is dynamic.

    Notes
    -----
    A run samples its classes once for all rows; Paddle samples them for each row.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 8])
    ...     label = paddle.static.data("label", [None, 1], "int64")
    ...     loss = paddle.static.nn.nce(x, label, num_total_classes=100)
    >>> loss.shape
    (-1, 1)
    >>> paddle.disable_static()
    """
    helper = LayerHelper("nce", name, input, label)
    count = 10 if num_neg_samples is None else int(num_neg_samples)
    with helper.prefixing_output_names():
        weight = helper.create_parameter(
            param_attr, [num_total_classes, require_static_size("nce", input, 1)], input.dtype
        )
        bias = helper.create_parameter(bias_attr, [num_total_classes, 1], input.dtype, is_bias=True)
        probabilities = None
        if custom_dist is not None:
            attr = ParamAttr(
                initializer=Assign(np.asarray(custom_dist, "float32")), trainable=False
            )
            probabilities = helper.create_parameter(attr, [num_total_classes], "float32")
        distribution = Sampler(sampler, num_total_classes, probabilities)
        label_loss = nce_loss_of_classes(input, weight, bias, label, distribution, count, True)
        noise = distribution.sample(count)
        noise_loss = nce_loss_of_classes(input, weight, bias, noise, distribution, count, False)
        total = OPS["elementwise_add"](label_loss, noise_loss)
        if sample_weight is not None:
            total = OPS["elementwise_mul"](total, sample_weight)
        return OPS["scale"](total, scale=1.0 / (count + 1))


def nce_loss_of_classes(
    x: Any, weight: Any, bias: Any, classes: Any, sampler: Sampler, count: int, is_label: bool
) -> Any:
    """Return the sum of the logistic losses of classes for each row, [N, 1].

    classes: int [N, T] with is_label=True, else int [S], sampled for all rows
    """
    indices = OPS["unsqueeze2"](classes, axes=[-1])
    rows = OPS["gather_nd"](weight, indices)
    scores = (
        OPS["reduce_sum"](OPS["elementwise_mul"](OPS["unsqueeze2"](x, axes=[1]), rows), dim=[-1])
        if is_label
        else OPS["matmul"](x, rows, transpose_Y=True)
    )
    if bias is not None:
        scores = OPS["elementwise_add"](
            scores, OPS["squeeze2"](OPS["gather_nd"](bias, indices), axes=[-1])
        )
    likelihood, noise = (
        OPS["sigmoid"](scores),
        OPS["scale"](sampler.class_probabilities(classes), scale=float(count)),
    )
    total = OPS["elementwise_add"](likelihood, noise)
    numerator = likelihood if is_label else OPS["elementwise_sub"](total, likelihood)
    log = OPS["log"](OPS["elementwise_div"](numerator, total))
    return OPS["scale"](OPS["reduce_sum"](log, dim=[1], keep_dim=True), scale=-1.0)
