"""Reparameterized weights: a pre-forward hook computes them from other parameters."""

from __future__ import annotations

from typing import Any

from ...core.autograd import no_grad
from ...core.errors import OpError, append_user_line
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...tensor.creation import randn
from ...tensor.linalg import dot, matmul, mv
from ...tensor.manipulation import reshape, transpose
from ...tensor.math import add, divide, multiply, sqrt, square
from ...tensor.math import sum as sum_of
from .. import functional as F
from ..common import Linear
from ..conv import Conv1DTranspose, Conv2DTranspose, Conv3DTranspose
from ..layer import Layer, LayerT

__all__ = ["remove_weight_norm", "spectral_norm", "weight_norm"]


class _WeightComputingHook:
    """Pre-forward hook that computes the weight `name` of a layer."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, layer: Layer, inputs: Any) -> None:
        setattr(layer, self.name, self.weight(layer))

    def weight(self, layer: Any) -> Tensor:
        """Return the weight for the current parameters."""
        raise NotImplementedError

    def attach(self, layer: Any) -> None:
        """Register the hook and compute the weight once."""
        hook_type = type(self)
        if any(
            isinstance(h, hook_type) and h.name == self.name
            for h in layer._forward_pre_hooks.values()
        ):
            raise OpError(
                append_user_line(
                    f"{type(layer).__name__}.{self.name} already has a {hook_type.__name__}"
                )
            )
        layer.register_forward_pre_hook(self)
        setattr(layer, self.name, self.weight(layer))


# -- weight_norm
# --------------------------------------------------------------------------------------------------


def _norm_except_dim(v: Tensor, dim: int) -> Tensor:
    """Return the L2 norm of v over all axes except `dim`, with kept axes; over all axes if dim is
    -1.
    """
    axes = None if dim == -1 else [i for i in range(v.ndim) if i != dim]
    return sqrt(add(sum_of(square(v), axes, keepdim=True), 1e-12))


class WeightNorm(_WeightComputingHook):
    """weight = g * v / |v|, with |v| over all axes except `dim` (Salimans and Kingma 2016)."""

    def __init__(self, name: str, dim: int) -> None:
        super().__init__(name)
        self.dim = dim

    def weight(self, layer: Any) -> Tensor:
        """Return g * v / |v|."""
        g, v = getattr(layer, self.name + "_g"), getattr(layer, self.name + "_v")
        shape = (
            [1] * v.ndim if self.dim == -1 else [-1 if i == self.dim else 1 for i in range(v.ndim)]
        )
        return multiply(divide(v, _norm_except_dim(v, self.dim)), reshape(g, shape))


def _require_parameter(layer: Any, name: str) -> Parameter:
    weight = layer._parameters.get(name)
    if weight is None:
        raise OpError(append_user_line(f"{type(layer).__name__} has no parameter {name!r}"))
    parameter: Parameter = weight
    return parameter


def weight_norm(layer: LayerT, name: str = "weight", dim: int | None = 0) -> LayerT:
    """Split a weight of a layer into a magnitude g and a direction v (Salimans and Kingma 2016).

    weight = g * v / |v|, with the norm over all axes except `dim`. The layer gets the parameters
    `name_g` and `name_v` in place of `name`, which each call of the layer computes.

    Parameters
    ----------
    layer : Layer
    name : str, default "weight"
    dim : int, optional, default 0
        The axis whose slices have their own magnitude; None or -1: one magnitude for the whole
        weight.

    Returns
    -------
    Layer
        `layer`.

    Raises
    ------
    OpError
        If the layer has no parameter `name`, or the weight no axis `dim`.

    See Also
    --------
    remove_weight_norm : The inverse.

    Examples
    --------
    >>> layer = nn.utils.weight_norm(nn.Linear(2, 3), dim=1)
    >>> {name: p.shape for name, p in layer.named_parameters()}
    {'bias': [3], 'weight_v': [2, 3], 'weight_g': [3]}
    """
    weight = _require_parameter(layer, name)
    rank = weight.ndim
    if dim is not None and not -rank <= dim < rank:
        raise OpError(
            append_user_line(f"weight_norm: dim={dim} is not an axis of {name} ({weight.meta})")
        )
    axis = -1 if dim in (None, -1) else dim % rank
    with no_grad():
        magnitude = reshape(_norm_except_dim(weight, axis), [-1] if axis >= 0 else [])
    delattr(layer, name)
    for suffix, value in (("_v", weight), ("_g", magnitude)):
        parameter = layer.create_parameter(value.meta.shape, dtype=value.dtype)
        parameter.set_value(value)
        layer.add_parameter(name + suffix, parameter)
    WeightNorm(name, axis).attach(layer)
    return layer


def remove_weight_norm(layer: LayerT, name: str = "weight") -> LayerT:
    """Replace a weight with weight normalization by an ordinary parameter of the same value.

    Parameters
    ----------
    layer : Layer
    name : str, default "weight"

    Returns
    -------
    Layer
        `layer`.

    Raises
    ------
    OpError
        If the weight has no weight normalization.

    Examples
    --------
    >>> layer = nn.utils.weight_norm(nn.Linear(2, 3))
    >>> [name for name, _ in nn.utils.remove_weight_norm(layer).named_parameters()]
    ['bias', 'weight']
    """
    for hook_id, hook in layer._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            with no_grad():
                weight = hook.weight(layer)
            del layer._forward_pre_hooks[hook_id]
            for suffix in ("", "_g", "_v"):
                delattr(layer, name + suffix)
            parameter = layer.create_parameter(weight.meta.shape, dtype=weight.dtype)
            parameter.set_value(weight)
            layer.add_parameter(name, parameter)
            return layer
    raise OpError(
        append_user_line(
            f"remove_weight_norm: {type(layer).__name__}.{name} has no weight normalization"
        )
    )


# -- spectral_norm
# ------------------------------------------------------------------------------------------------


class SpectralNorm(_WeightComputingHook):
    """weight = weight_orig / its largest singular value (Miyato et al. 2018).

    The weight is treated as a matrix [size of axis dim, product of the other axes]. Power iteration
    updates the singular vectors u and v in training.
    """

    def __init__(self, name: str, iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.iterations, self.dim, self.eps = iterations, dim, eps

    def reshape_to_matrix(self, weight: Tensor) -> Tensor:
        """Reshape [*, H, *] to [H, product of the other axes]."""
        permutation = [self.dim, *(i for i in range(weight.ndim) if i != self.dim)]
        return reshape(
            transpose(weight, permutation) if self.dim else weight,
            [weight.meta.shape[self.dim], -1],
        )

    def weight(self, layer: Any) -> Tensor:
        """Return the normalized weight. In training mode, the vectors u and v of the power
        iteration are updated first.
        """
        matrix, u, v = (
            self.reshape_to_matrix(getattr(layer, self.name + "_orig")),
            *self._stored_singular_vectors(layer),
        )
        if layer.training:
            with no_grad():
                for _ in range(self.iterations):
                    v = F.normalize(matmul(matrix, u, transpose_x=True), axis=0, epsilon=self.eps)
                    u = F.normalize(matmul(matrix, v), axis=0, epsilon=self.eps)
            for suffix, value in (("_u", u), ("_v", v)):
                setattr(layer, self.name + suffix, value.detach())
        return divide(getattr(layer, self.name + "_orig"), dot(u.detach(), mv(matrix, v.detach())))

    def _stored_singular_vectors(self, layer: Any) -> tuple[Tensor, Tensor]:
        return getattr(layer, self.name + "_u"), getattr(layer, self.name + "_v")


def spectral_norm(
    layer: LayerT,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> LayerT:
    """Divide a weight of a layer by its largest singular value (Miyato et al. 2018).

    The layer gets the parameter `name_orig` and the buffers `name_u` and `name_v`, the singular
    vectors. In training each call improves the vectors by power iteration and computes `name` from
    them; in evaluation it keeps the vectors. They count as constants in the gradient.

    Parameters
    ----------
    layer : Layer
    name : str, default "weight"
    n_power_iterations : int, default 1
        Iterations per call in training.
    eps : float, default 1e-12
        Lower limit of the norms of the vectors.
    dim : int, optional
        The axis that becomes the rows of the matrix; by default 1 for Linear and transposed
        convolutions, otherwise 0.

    Returns
    -------
    Layer
        `layer`.

    Raises
    ------
    OpError
        If the layer has no parameter `name`, or `n_power_iterations` is not positive.

    Examples
    --------
    >>> layer = nn.utils.spectral_norm(nn.Linear(4, 3), n_power_iterations=50)
    >>> _ = layer(paddle.ones([1, 4]))
    >>> round(float(np.linalg.norm(layer.weight.numpy(), 2)), 2)
    1.0
    """
    if n_power_iterations <= 0:
        raise OpError(
            append_user_line(
                f"spectral_norm: n_power_iterations={n_power_iterations} is not positive"
            )
        )
    if dim is None:
        dim = int(isinstance(layer, Conv1DTranspose | Conv2DTranspose | Conv3DTranspose | Linear))
    weight, hook = _require_parameter(layer, name), SpectralNorm(name, n_power_iterations, dim, eps)
    with no_grad():
        shape = hook.reshape_to_matrix(weight).meta.shape
        u, v = (F.normalize(randn([n]), axis=0, epsilon=eps) for n in shape)
    delattr(layer, name)
    layer.add_parameter(name + "_orig", weight)
    layer.register_buffer(name + "_u", u)
    layer.register_buffer(name + "_v", v)
    training, layer.training = layer.training, False
    hook.attach(layer)
    layer.training = training
    return layer
