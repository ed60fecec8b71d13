"""Normalisation, dropout, and activations with parameters."""

from __future__ import annotations

from typing import Any

from ...core.mode import state
from ...core.op import OPS
from ...nn.initializer import Constant
from ...nn.param_attr import ParamAttr
from ...static import default_main_program, nn
from ...static.nn.helper import Helper, activated, known_size
from ..phase import PHASE
from .helper import today

__all__ = [
    "affine_channel",
    "batch_norm",
    "data_norm",
    "dropout",
    "group_norm",
    "inplace_abn",
    "instance_norm",
    "l2_normalize",
    "layer_norm",
    "lrn",
    "prelu",
    "spectral_norm",
]

batch_norm = today("paddle.static.nn.batch_norm")(nn.batch_norm)
layer_norm = today("paddle.static.nn.layer_norm")(nn.layer_norm)
group_norm = today("paddle.static.nn.group_norm")(nn.group_norm)
spectral_norm = today("paddle.static.nn.spectral_norm")(nn.spectral_norm)


@today("paddle.static.nn.instance_norm")
def instance_norm(
    input: Any,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """Normalised per picture and channel, with weight and bias

    (Ulyanov et al. 2017).
    input [N, C, *] -> [N, C, *]
    """
    return nn.instance_norm(input, epsilon, ParamAttr.of(param_attr), ParamAttr.of(bias_attr), name)


@today("paddle.static.nn.batch_norm")
def inplace_abn(
    input: Any,
    act: str | None = None,
    is_test: bool = False,
    momentum: Any = 0.9,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    data_layout: str = "NCHW",
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    use_global_stats: bool = False,
    act_alpha: float = 1.0,
) -> Any:
    """batch_norm and then an activation: None, 'identity', 'leaky_relu' or 'elu'.

    input [N, C, *] -> [N, C, *]
    """
    made = nn.batch_norm(
        input,
        None,
        is_test,
        momentum,
        epsilon,
        param_attr,
        bias_attr,
        data_layout,
        False,
        name or None,
        moving_mean_name,
        moving_variance_name,
        do_model_average_for_mean_and_var,
        use_global_stats,
    )
    return made if act in (None, "identity") else OPS[act](made, alpha=float(act_alpha))


def data_norm(
    input: Any,
    act: str | None = None,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    data_layout: str = "NCHW",
    in_place: bool = False,
    name: str | None = None,
    moving_mean_name: str | None = None,
    moving_variance_name: str | None = None,
    do_model_average_for_mean_and_var: bool = True,
    slot_dim: int = -1,
    sync_stats: bool = False,
    summary_decay_rate: float = 0.9999999,
    enable_scale_and_shift: bool = False,
) -> Any:
    """(input - mean) / deviation by sums over all data that a server would keep, which stay here as
    they began.

    input [N, C] -> [N, C]

    param_attr: a dict of what the sums begin with, 'batch_size', 'batch_sum' and 'batch_square'.
    """
    given = param_attr if isinstance(param_attr, dict) else {}
    helper = Helper("data_norm", None, input)
    size = [known_size("data_norm", input, 1 if data_layout == "NCHW" else -1)]

    def kept(what: str, start: float) -> Any:
        spec = ParamAttr(name=f"{name or 'dn'}.{what}", initializer=Constant(float(start)))
        return helper.parameter(spec, size, input.dtype)

    with helper.writing():
        weights = (
            [kept("scale_w", given.get("scale_w", 1.0)), kept("bias", given.get("bias", 0.0))]
            if enable_scale_and_shift
            else []
        )
        count, total, squares = (
            kept(n, given.get(k, v))
            for n, k, v in (
                ("batch_size", "batch_size", 1e4),
                ("batch_sum", "batch_sum", 0.0),
                ("batch_square_sum", "batch_square", 1e4),
            )
        )
        deviation = OPS["sqrt"](OPS["elementwise_div"](count, squares))
        made = OPS["elementwise_mul"](
            OPS["elementwise_sub"](input, OPS["elementwise_div"](total, count)), deviation
        )
        if weights:
            made = OPS["elementwise_add"](OPS["elementwise_mul"](made, weights[0]), weights[1])
        return helper.activated(made, act)


@today("paddle.nn.functional.dropout")
def dropout(
    x: Any,
    dropout_prob: float,
    is_test: bool = False,
    seed: int | None = None,
    name: str | None = None,
    dropout_implementation: str = "downgrade_in_infer",
) -> Any:
    """Zero with probability dropout_prob; which way the rest is scaled says dropout_implementation.

    x [*] -> [*]

    In dygraph mode it drops nothing after the `eval` of a Layer either.
    seed: drop the same at each call; the `random_seed` of a program does
    """
    is_test = is_test or (state.mode.builder is None and not PHASE.training)
    seed = seed or default_main_program().random_seed or seed
    return OPS["dropout"](
        x,
        dropout_prob=float(dropout_prob),
        is_test=is_test,
        dropout_implementation=dropout_implementation,
        fix_seed=seed is not None,
        seed=int(seed or 0),
    )[0]


@today("paddle.nn.functional.normalize")
def l2_normalize(x: Any, axis: int | None, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x over the root of epsilon plus its sum of squares along an axis.   x [*] -> [*]"""
    at = 0 if x.ndim == 1 else 1 if axis is None else axis
    return OPS["norm"](x, axis=at, epsilon=float(epsilon))[0]


@today("paddle.nn.functional.local_response_norm")
def lrn(
    input: Any,
    n: int = 5,
    k: float = 1.0,
    alpha: float = 0.0001,
    beta: float = 0.75,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Any:
    """input / (k + alpha * the sum of squares over n channels around) ** beta

    (Krizhevsky et al. 2012).
    input [N, C, H, W] -> same
    """
    return OPS["lrn"](
        input, n=n, k=float(k), alpha=float(alpha), beta=float(beta), data_format=data_format
    )[0]


@today("paddle.static.nn.prelu")
def prelu(x: Any, mode: str, param_attr: Any = None, name: str | None = None) -> Any:
    """x where it is positive, alpha * x elsewhere

    (He et al. 2015).
    mode: one alpha for 'all', each 'channel', or each 'element'
    """
    return nn.prelu(x, mode, param_attr, name=name)


def affine_channel(
    x: Any,
    scale: Any = None,
    bias: Any = None,
    data_layout: str = "NCHW",
    name: str | None = None,
    act: str | None = None,
) -> Any:
    """act(scale * x + bias) for each channel.   x [N, C, *], scale, bias [C] -> [N, C, *]"""
    return activated(
        "affine_channel", OPS["affine_channel"](x, scale, bias, data_layout=data_layout), act
    )
