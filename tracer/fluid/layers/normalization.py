"""Normalization, dropout, and activations with parameters."""

from __future__ import annotations

from typing import Any

from ...core.mode import state
from ...core.op import OPS
from ...nn.initializer import Constant
from ...nn.param_attr import ParamAttr
from ...static import default_main_program, nn
from ...static.nn.helper import LayerHelper, apply_activation, require_static_size
from ..training_mode import TRAINING_MODE
from .layer_utils import deprecated_layer

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

batch_norm = deprecated_layer("paddle.static.nn.batch_norm")(nn.batch_norm)
layer_norm = deprecated_layer("paddle.static.nn.layer_norm")(nn.layer_norm)
group_norm = deprecated_layer("paddle.static.nn.group_norm")(nn.group_norm)
spectral_norm = deprecated_layer("paddle.static.nn.spectral_norm")(nn.spectral_norm)


@deprecated_layer("paddle.static.nn.instance_norm")
def instance_norm(
    input: Any,
    epsilon: float = 1e-05,
    param_attr: Any = None,
    bias_attr: Any = None,
    name: str | None = None,
) -> Any:
    """Normalization per image and channel, with weight and bias (Ulyanov et al. 2017).

    input: [N, C, *].
    Returns the same shape.
    """
    return nn.instance_norm(input, epsilon, ParamAttr.of(param_attr), ParamAttr.of(bias_attr), name)


@deprecated_layer("paddle.static.nn.batch_norm")
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
    """Batch normalization followed by an activation: None, "identity", "leaky_relu" or "elu".

    input: [N, C, *].
    Returns the same shape.
    """
    out = nn.batch_norm(
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
    return out if act in (None, "identity") else OPS[act](out, alpha=float(act_alpha))


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
    """(input - mean) / deviation, computed from sums over all data. Oarlock never updates these
    sums; in Paddle, a parameter server does.

    input: [N, C].
    param_attr: dict with the initial sums "batch_size", "batch_sum" and "batch_square"
    Returns [N, C].

    The newer name is `paddle.nn.BatchNorm1D`.
    """
    initial = param_attr if isinstance(param_attr, dict) else {}
    helper = LayerHelper("data_norm", None, input)
    size = [require_static_size("data_norm", input, 1 if data_layout == "NCHW" else -1)]

    def create_constant_parameter(suffix: str, value: float) -> Any:
        spec = ParamAttr(name=f"{name or 'dn'}.{suffix}", initializer=Constant(float(value)))
        return helper.create_parameter(spec, size, input.dtype)

    with helper.prefixing_output_names():
        weights = (
            [
                create_constant_parameter("scale_w", initial.get("scale_w", 1.0)),
                create_constant_parameter("bias", initial.get("bias", 0.0)),
            ]
            if enable_scale_and_shift
            else []
        )
        count, total, squares = (
            create_constant_parameter(suffix, initial.get(key, default))
            for suffix, key, default in (
                ("batch_size", "batch_size", 1e4),
                ("batch_sum", "batch_sum", 0.0),
                ("batch_square_sum", "batch_square", 1e4),
            )
        )
        scale = OPS["sqrt"](OPS["elementwise_div"](count, squares))
        mean = OPS["elementwise_div"](total, count)
        out = OPS["elementwise_mul"](OPS["elementwise_sub"](input, mean), scale)
        if weights:
            out = OPS["elementwise_add"](OPS["elementwise_mul"](out, weights[0]), weights[1])
        return helper.activate(out, act)


@deprecated_layer("paddle.nn.functional.dropout")
def dropout(
    x: Any,
    dropout_prob: float,
    is_test: bool = False,
    seed: int | None = None,
    name: str | None = None,
    dropout_implementation: str = "downgrade_in_infer",
) -> Any:
    """Set each element to zero with probability dropout_prob; dropout_implementation selects the
    scaling.

    In dygraph mode the input is unchanged after `eval` of any Layer.
    seed: drop the same elements at each call; a `random_seed` of the program has the same effect
    """
    is_test = is_test or (state.mode.program_builder is None and not TRAINING_MODE.training)
    seed = seed or default_main_program().random_seed or seed
    return OPS["dropout"](
        x,
        dropout_prob=float(dropout_prob),
        is_test=is_test,
        dropout_implementation=dropout_implementation,
        fix_seed=seed is not None,
        seed=int(seed or 0),
    )[0]


@deprecated_layer("paddle.nn.functional.normalize")
def l2_normalize(x: Any, axis: int | None, epsilon: float = 1e-12, name: str | None = None) -> Any:
    """x / sqrt(sum(x ** 2) + epsilon) along an axis."""
    axis = 0 if x.ndim == 1 else 1 if axis is None else axis
    return OPS["norm"](x, axis=axis, epsilon=float(epsilon))[0]


@deprecated_layer("paddle.nn.functional.local_response_norm")
def lrn(
    input: Any,
    n: int = 5,
    k: float = 1.0,
    alpha: float = 0.0001,
    beta: float = 0.75,
    name: str | None = None,
    data_format: str = "NCHW",
) -> Any:
    """input / (k + alpha * sum of squares over n neighboring channels) ** beta (Krizhevsky et al.
    2012).

    input: [N, C, H, W].
    Returns the same shape.
    """
    return OPS["lrn"](
        input, n=n, k=float(k), alpha=float(alpha), beta=float(beta), data_format=data_format
    )[0]


@deprecated_layer("paddle.static.nn.prelu")
def prelu(x: Any, mode: str, param_attr: Any = None, name: str | None = None) -> Any:
    """x if x > 0, else alpha * x (He et al. 2015).

    mode: one alpha for "all" elements, for each "channel", or for each "element"
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
    """act(scale * x + bias) per channel: x [N, C, *], scale and bias [C]."""
    return apply_activation(
        "affine_channel", OPS["affine_channel"](x, scale, bias, data_layout=data_layout), act
    )
