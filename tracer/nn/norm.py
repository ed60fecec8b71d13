"""Normalization layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.communicator import process_groups
from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.operand_checks import check_tensors
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from . import functional as F
from .functional.sync_norm import sync_batch_norm
from .initializer import Constant, Normal
from .layer import Layer, NoHalfPrecisionLayer
from .param_attr import ParamAttr

__all__ = [
    "BatchNorm",
    "BatchNorm1D",
    "BatchNorm2D",
    "BatchNorm3D",
    "GroupNorm",
    "InstanceNorm1D",
    "InstanceNorm2D",
    "InstanceNorm3D",
    "LayerNorm",
    "SpectralNorm",
    "SyncBatchNorm",
]


def _check_rank(layer: Layer, x: Tensor, ranks: Sequence[int]) -> None:
    check_tensors(x)
    if x.ndim not in ranks:
        raise OpError(
            append_user_line(f"{type(layer).__name__}: expected a rank of {ranks} (X={x.meta})")
        )


def _create_frozen_constant_parameter(layer: Layer, size: int, value: float) -> Parameter:
    """Create a constant parameter: some layers of Paddle have one where weight or bias is
    disabled.
    """
    parameter: Parameter = layer.create_parameter(
        [size], is_bias=value == 0.0, default_initializer=Constant(value)
    )
    parameter.stop_gradient = True
    return parameter


class _BatchNorm(NoHalfPrecisionLayer):
    """Batch normalization (Ioffe and Szegedy 2015).

    x [N, C, *] -> [N, C, *]

    weight, bias, _mean, _variance: [C]. `functional.batch_norm` has the formula.
    """

    _ranks: tuple[int, ...] = ()
    # The names of the running mean and variance; None for generated names.
    _statistic_names: tuple[str | None, str | None] = (None, None)
    _mean: Parameter
    _variance: Parameter

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._momentum, self._epsilon = momentum, epsilon
        self._data_format, self._use_global_stats = data_format, use_global_stats
        self._num_features, self._name = num_features, name
        self._weight_attr, self._bias_attr = weight_attr, bias_attr
        self.weight: Any = self._create_optional_affine_parameter(weight_attr, 1.0)
        self.bias: Any = self._create_optional_affine_parameter(bias_attr, 0.0)
        self._mean = self._create_running_statistic(0.0, self._statistic_names[0])
        self._variance = self._create_running_statistic(1.0, self._statistic_names[1])

    def _create_optional_affine_parameter(self, attr: Any, value: float) -> Parameter | None:
        """Create weight or bias; None if `attr` is False."""
        default = Constant(value)
        return self.create_parameter(
            [self._num_features], attr, is_bias=value == 0.0, default_initializer=default
        )

    def _create_running_statistic(self, value: float, name: str | None) -> Parameter:
        """Create a running statistic: as in Paddle a parameter that is not trained."""
        parameter: Parameter = self.create_parameter(
            [self._num_features], ParamAttr(name, initializer=Constant(value), trainable=False)
        )
        return parameter

    def forward(self, input: Tensor) -> Tensor:
        if self._ranks:
            _check_rank(self, input, self._ranks)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )

    def extra_repr(self) -> str:
        text = (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )
        # Paddle omits the default
        layout = "" if self._data_format == "NCHW" else f", data_format={self._data_format}"
        return text + layout + (f", name={self._name}" if self._name else "")


class BatchNorm1D(_BatchNorm):
    """Batch normalization.

    x [N, C] or [N, C, L] -> like x
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm2D(_BatchNorm):
    """Batch normalization of images.

    x [N, C, H, W] -> like x
    """

    _ranks = (4,)


class BatchNorm3D(_BatchNorm):
    """Batch normalization of volumes.

    x [N, C, D, H, W] -> like x
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features,
            momentum,
            epsilon,
            weight_attr,
            bias_attr,
            data_format,
            use_global_stats,
            name,
        )


class BatchNorm(_BatchNorm):
    """Batch normalization of inputs of any rank, followed by an optional activation.

    x [N, C, *] -> like x

    trainable_statistics: in evaluation too, normalize by the statistics of the batch and update the
    running statistics
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
        dtype: str = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ) -> None:
        self._dtype_argument, self._statistic_names = (
            dtype,
            (moving_mean_name, moving_variance_name),
        )
        super().__init__(
            num_channels, momentum, epsilon, param_attr, bias_attr, data_layout, use_global_stats
        )
        self._act, self._data_layout, self._param_attr = act, data_layout, param_attr
        self._is_test, self._trainable_statistics = is_test, trainable_statistics

    def _choose_parameter_dtype(self, dtype: Any) -> np.dtype[Any]:
        """Return the dtype of the parameters: for the argument "float32" always float32, while
        other layers take it as the default dtype.
        """
        return (
            np.dtype(np.float32)
            if self._dtype_argument == "float32"
            else super()._choose_parameter_dtype(self._dtype_argument)
        )

    def forward(self, input: Tensor) -> Tensor:
        out = F.norm.batch_norm_with_chosen_statistics(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            use_global_stats=bool(self._use_global_stats),
            trainable_statistics=self._trainable_statistics,
        )
        return out if self._act is None else getattr(F, self._act)(out)

    def extra_repr(self) -> str:
        return ""


class LayerNorm(Layer):
    """Layer normalization: over the last axes (Ba et al. 2016).

    x [*, *normalized_shape] -> like x
    """

    def __init__(
        self,
        normalized_shape: Any,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._normalized_shape = (
            [normalized_shape] if isinstance(normalized_shape, int) else list(normalized_shape)
        )
        self._epsilon, self._weight_attr, self._bias_attr = epsilon, weight_attr, bias_attr
        size = [int(np.prod(self._normalized_shape))]
        self.weight: Any = self.create_parameter(
            size, weight_attr, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter(size, bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    """Group normalization: over groups of channels (Wu and He 2018).

    x [N, C, *] -> like x
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        self._num_groups, self._epsilon, self._data_format = num_groups, epsilon, data_format
        self._num_channels, self._weight_attr, self._bias_attr = (
            num_channels,
            weight_attr,
            bias_attr,
        )
        if weight_attr is False:
            self.weight: Any = _create_frozen_constant_parameter(self, num_channels, 1.0)
        else:
            self.weight = self.create_parameter(
                [num_channels], weight_attr, default_initializer=Constant(1.0)
            )
        if bias_attr is False:
            self.bias: Any = _create_frozen_constant_parameter(self, num_channels, 0.0)
        else:
            self.bias = self.create_parameter([num_channels], bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        return F.group_norm(
            input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format
        )

    def extra_repr(self) -> str:
        return (
            f"num_groups={self._num_groups}, num_channels={self._num_channels}, "
            f"epsilon={self._epsilon}"
        )


class _InstanceNorm(Layer):
    """Instance normalization: over each channel of each sample (Ulyanov et al. 2016).

    x [N, C, *] -> like x
    """

    _ranks: tuple[int, ...] = ()

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise OpError(
                f"{type(self).__name__}: weight_attr and bias_attr must both be False, or neither"
            )
        self._num_features, self._epsilon, self._data_format = num_features, epsilon, data_format
        self._momentum, self._weight_attr, self._bias_attr = momentum, weight_attr, bias_attr
        self.scale: Any = self.create_parameter(
            [num_features], weight_attr, default_initializer=Constant(1.0)
        )
        self.bias: Any = self.create_parameter([num_features], bias_attr, is_bias=True)

    def forward(self, input: Tensor) -> Tensor:
        _check_rank(self, input, self._ranks)
        return F.instance_norm(
            input,
            weight=self.scale,
            bias=self.bias,
            eps=self._epsilon,
            data_format=self._data_format,
        )

    def extra_repr(self) -> str:
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNorm):
    """Instance normalization.

    x [N, C, L] -> like x
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
        name: str | None = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class InstanceNorm2D(_InstanceNorm):
    """Instance normalization of images.

    x [N, C, H, W] -> like x
    """

    _ranks = (4,)


class InstanceNorm3D(_InstanceNorm):
    """Instance normalization of volumes.

    x [N, C, D, H, W] -> like x
    """

    _ranks = (5,)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-05,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ) -> None:
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format, name)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all ranks in training.

    x [N, C, *] -> like x

    With one rank it is BatchNorm. `distributed.init_parallel_env` starts several.
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-05,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ) -> None:
        super().__init__(
            num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name
        )
        if weight_attr is False:
            self.weight = _create_frozen_constant_parameter(self, num_features, 1.0)
        if bias_attr is False:
            self.bias = _create_frozen_constant_parameter(self, num_features, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or process_groups.global_communicator.size == 1:
            return super().forward(x)
        return sync_batch_norm(
            x,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self._momentum,
            self._epsilon,
            self._data_format,
        )

    def extra_repr(self) -> str:
        return (
            f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        )

    @classmethod
    def convert_sync_batchnorm(cls, layer: Layer) -> Layer:
        """Replace every batch normalization in a layer, itself included, by a SyncBatchNorm with
        the same parameters.
        """
        result = layer
        if isinstance(layer, _BatchNorm) and not isinstance(layer, SyncBatchNorm):
            weight, bias = (False if p is None else None for p in (layer.weight, layer.bias))
            result = sync_norm = cls(
                layer._num_features,
                layer._momentum,
                layer._epsilon,
                weight,
                bias,
                layer._data_format,
            )
            sync_norm._mean, sync_norm._variance, sync_norm.training = (
                layer._mean,
                layer._variance,
                layer.training,
            )
            for name in ("weight", "bias"):
                if getattr(layer, name) is not None:
                    setattr(sync_norm, name, getattr(layer, name))
        for name, sublayer in list(layer.named_children()):
            result.add_sublayer(name, cls.convert_sync_batchnorm(sublayer))
        return result


class SpectralNorm(Layer):
    """Divide a weight by its largest singular value (Miyato et al. 2018).

    x [*weight_shape] -> like x
    """

    def __init__(
        self,
        weight_shape: Any,
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: Any = "float32",
    ) -> None:
        super().__init__(dtype=dtype)
        self._dtype_argument = dtype
        shape = [int(d) for d in weight_shape]
        if min(shape, default=0) <= 0 or not 0 <= dim < len(shape):
            raise OpError(f"SpectralNorm: dim={dim} does not fit weight_shape={shape}")
        self._dim, self._power_iters, self._eps = dim, power_iters, eps
        self.weight_u: Any = self._create_singular_vector_parameter(shape[dim])
        self.weight_v: Any = self._create_singular_vector_parameter(
            int(np.prod(shape)) // shape[dim]
        )

    def _create_singular_vector_parameter(self, size: int) -> Parameter:
        vector: Parameter = self.create_parameter(
            [size], dtype=self._dtype_argument, default_initializer=Normal(0.0, 1.0)
        )
        vector.stop_gradient = True
        return vector

    def forward(self, x: Tensor) -> Tensor:
        return OPS["spectral_norm"](
            x,
            self.weight_u,
            self.weight_v,
            dim=self._dim,
            power_iters=self._power_iters,
            eps=float(self._eps),
        )
