"""Normalization, dropout and PRelu: `fluid.dygraph.BatchNorm`, LayerNorm, GroupNorm, InstanceNorm,
SpectralNorm, Dropout, PRelu.
"""

from __future__ import annotations

import math
from typing import Any

from ...core import rng
from ...core.errors import OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...nn.initializer import Constant, Normal
from ...nn.param_attr import ParamAttr
from .layers import OptionalNameScopeLayer, apply_activation, with_optional_name_scope_argument

__all__ = [
    "BatchNorm",
    "Dropout",
    "GroupNorm",
    "InstanceNorm",
    "LayerNorm",
    "PRelu",
    "SpectralNorm",
]


@with_optional_name_scope_argument(
    "num_channels",
    "act",
    "is_test",
    "momentum",
    "epsilon",
    "param_attr",
    "bias_attr",
    "dtype",
    "data_layout",
    "in_place",
    "moving_mean_name",
    "moving_variance_name",
    "do_model_average_for_mean_and_var",
    "fuse_with_relu",
    "use_global_stats",
    "trainable_statistics",
)
class BatchNorm(OptionalNameScopeLayer):
    """Batch normalization (Ioffe and Szegedy 2015) with an activation: [N, C, *] -> [N, C, *].

    Parameters: weight, bias, and the moving averages _mean and _variance, which are not trained:
    [C].
    """

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        super().__init__()
        self._act, self._is_test, self._trainable = act, is_test, trainable_statistics
        self._attrs = {
            "momentum": momentum,
            "epsilon": epsilon,
            "data_layout": data_layout,
            "use_global_stats": use_global_stats,
            "trainable_statistics": trainable_statistics,
        }
        size, param_dtype = [num_channels], "float32" if dtype == "float16" else dtype
        self.weight: Any = self.create_parameter(
            size, param_attr, param_dtype, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter(size, bias_attr, param_dtype, is_bias=True)
        self._mean: Any = self._create_statistic(size, moving_mean_name, param_dtype, 0.0)
        self._variance: Any = self._create_statistic(size, moving_variance_name, param_dtype, 1.0)

    def _create_statistic(self, size: list[int], name: str | None, dtype: Any, value: float) -> Any:
        attr = ParamAttr(name, Constant(value), trainable=False, do_model_average=False)
        return self.create_parameter(size, attr, dtype)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        is_test = self._is_test or not self.training
        out, mean, variance, *_ = OPS["batch_norm"](
            input,
            self.weight,
            self.bias,
            self._mean,
            self._variance,
            is_test=is_test,
            **self._attrs,
        )
        if not is_test and not state.mode.static:  # in a program the op writes them
            self._mean.array, self._variance.array = mean.array, variance.array
        return apply_activation("BatchNorm", out, self._act)


def _infer_normalized_shape_argument(args: dict[str, Any], x: Any) -> dict[str, Any]:
    return {"normalized_shape": list(x.meta.shape[args.get("begin_norm_axis", 1) :])}


@with_optional_name_scope_argument(
    "scale",
    "shift",
    "begin_norm_axis",
    "epsilon",
    "param_attr",
    "bias_attr",
    "act",
    infer_arguments=_infer_normalized_shape_argument,
)
class LayerNorm(OptionalNameScopeLayer):
    """Layer normalization over the last axes (Ba et al. 2016) with an activation.

    x: [*, *normalized_shape].
    Returns the same shape.
    """

    def __init__(
        self,
        normalized_shape: Any,
        scale: bool = True,
        shift: bool = True,
        epsilon: float = 1e-05,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._normalized_shape = (
            [normalized_shape]
            if isinstance(normalized_shape, int)
            else [int(d) for d in normalized_shape]
        )
        self._epsilon, self._act = epsilon, act
        size = [math.prod(self._normalized_shape)]
        self.weight: Any = self.create_parameter(
            size, param_attr if scale else False, dtype, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter(
            size, bias_attr if shift else False, dtype, is_bias=True
        )

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        axis = len(input.meta.shape) - len(self._normalized_shape)
        if axis < 0 or list(input.meta.shape[axis:]) != self._normalized_shape:
            raise OpError(
                append_user_line(
                    f"LayerNorm: normalized_shape={self._normalized_shape} does not fit "
                    f"(X={input.meta})"
                )
            )
        out, *_ = OPS["layer_norm"](
            input, self.weight, self.bias, epsilon=self._epsilon, begin_norm_axis=axis
        )
        return apply_activation("LayerNorm", out, self._act)


def _infer_channels_argument(args: dict[str, Any], x: Any) -> dict[str, Any]:
    return {"channels": x.meta.shape[1]}


@with_optional_name_scope_argument(
    "groups",
    "epsilon",
    "param_attr",
    "bias_attr",
    "act",
    "data_layout",
    infer_arguments=_infer_channels_argument,
)
class GroupNorm(OptionalNameScopeLayer):
    """Normalization over groups of channels (Wu and He 2018) with an activation.

    x: [N, C, *].
    Returns the same shape. As in 1.8, weight and bias are created only if param_attr and bias_attr
    are given.
    """

    def __init__(
        self,
        channels: int,
        groups: int,
        epsilon: float = 1e-05,
        param_attr: Any = None,
        bias_attr: Any = None,
        act: str | None = None,
        data_layout: str = "NCHW",
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        if data_layout != "NCHW":
            raise ValueError(
                append_user_line(f"GroupNorm: data_layout={data_layout!r} is not 'NCHW'")
            )
        self._attrs, self._act = {"epsilon": epsilon, "groups": groups}, act
        self.weight: Any = self.create_parameter(
            [channels], param_attr or False, dtype, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter([channels], bias_attr or False, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out, *_ = OPS["group_norm"](input, self.weight, self.bias, **self._attrs)
        return apply_activation("GroupNorm", out, self._act)


class InstanceNorm(OptionalNameScopeLayer):
    """Normalization per image and channel (Ulyanov et al. 2016): [N, C, *] -> [N, C, *]."""

    def __init__(
        self,
        num_channels: int,
        epsilon: float = 1e-05,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        self._epsilon = epsilon
        self.scale: Any = self.create_parameter(
            [num_channels], param_attr, dtype, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter([num_channels], bias_attr, dtype, is_bias=True)

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return OPS["instance_norm"](input, self.scale, self.bias, epsilon=self._epsilon)[0]


def _infer_weight_shape_argument(args: dict[str, Any], x: Any) -> dict[str, Any]:
    return {"weight_shape": list(x.meta.shape)}


@with_optional_name_scope_argument(
    "dim", "power_iters", "eps", "name", infer_arguments=_infer_weight_shape_argument
)
class SpectralNorm(OptionalNameScopeLayer):
    """Divide a weight by its largest singular value (Miyato et al. 2018).

    weight: [*weight_shape].
    Returns the same shape.
    """

    def __init__(
        self,
        weight_shape: Any,
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: Any = "float32",
    ) -> None:
        super().__init__()
        sizes = [int(d) for d in weight_shape]
        self._attrs = {"dim": dim, "power_iters": power_iters, "eps": float(eps)}
        self.weight_u: Any = self._create_random_vector(sizes[dim], dtype)
        self.weight_v: Any = self._create_random_vector(math.prod(sizes) // sizes[dim], dtype)

    def _create_random_vector(self, size: int, dtype: Any) -> Any:
        vector = self.create_parameter([size], None, dtype, default_initializer=Normal(0.0, 1.0))
        vector.stop_gradient = True
        return vector

    def forward(self, weight: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return OPS["spectral_norm"](weight, self.weight_u, self.weight_v, **self._attrs)


class Dropout(OptionalNameScopeLayer):
    """Set each element to zero with probability p during training: [*S] -> [*S].

    dropout_implementation: "downgrade_in_infer" (multiply by 1 - p in evaluation) or
    "upscale_in_train" (divide by 1 - p in training)
    """

    def __init__(
        self,
        p: float = 0.5,
        seed: int | None = None,
        dropout_implementation: str = "downgrade_in_infer",
        is_test: bool = False,
    ) -> None:
        super().__init__()
        if not 0 <= p <= 1:
            raise AssertionError("p argument should between 0 and 1")
        self._attrs = {"dropout_prob": float(p), "dropout_implementation": dropout_implementation}
        seed = seed or rng.main_program_seed_hook() or seed
        self._attrs |= {"fix_seed": seed is not None, "seed": int(seed or 0)}
        self._is_test = is_test

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        out, *_ = OPS["dropout"](
            input, None, is_test=self._is_test or not self.training, **self._attrs
        )
        return out


def _infer_channel_and_input_shape_arguments(args: dict[str, Any], x: Any) -> dict[str, Any]:
    return {
        "channel": x.meta.shape[1] if len(x.meta.shape) > 1 else 1,
        "input_shape": list(x.meta.shape),
    }


@with_optional_name_scope_argument(
    "mode", "param_attr", infer_arguments=_infer_channel_and_input_shape_arguments
)
class PRelu(OptionalNameScopeLayer):
    """x if x > 0, else weight * x (He et al. 2015): [*S] -> [*S].

    mode: "all" for one weight, "channel" for one per channel, "element" for one per element of a
    sample
    """

    required_arguments = frozenset({"mode", "channel", "input_shape"})

    def __init__(
        self,
        mode: str,
        channel: int | None = None,
        input_shape: Any = None,
        param_attr: Any = None,
        dtype: Any = "float32",
    ) -> None:
        super().__init__("prelu")
        shapes = {
            "all": [1],
            "channel": [1, channel, 1, 1],
            "element": [1, *(input_shape or [1])[1:]],
        }
        if mode not in shapes or (mode == "channel" and channel is None):
            raise ValueError(
                append_user_line(
                    f"PRelu: mode={mode!r} is not one of 'all', 'channel' (with channel), 'element'"
                )
            )
        self._mode = mode
        self.weight: Any = self.create_parameter(
            shapes[mode], param_attr, dtype, default_initializer=Constant(1.0)
        )

    @classmethod
    def is_leading_str_name_scope(cls, args: tuple[Any, ...]) -> bool:
        """Whether the first argument of PRelu, a str, is a name scope: it is not a mode, or the
        second argument is the mode.
        """
        return args[0] not in ("all", "channel", "element") or (
            len(args) > 1 and isinstance(args[1], str)
        )

    def forward(self, input: Any) -> Any:
        """Compute the output of the layer; the docstring of its class describes the shapes."""
        return OPS["prelu"](input, self.weight, mode=self._mode)
