"""Weights made anew before every call of their layer, from other parameters."""

from __future__ import annotations

from typing import Any

from ...core.autograd import no_grad
from ...core.errors import OpError, with_user_line
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
from ..layer import Layer

__all__ = ["remove_weight_norm", "spectral_norm", "weight_norm"]


class _Made:
    """A hook that makes the weight `name` of a layer."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, layer: Layer, inputs: Any) -> None:
        setattr(layer, self.name, self.weight(layer))

    def weight(self, layer: Any) -> Tensor:
        """The weight as it is now."""
        raise NotImplementedError

    def attach(self, layer: Any) -> None:
        """From now on the layer's weight is made."""
        kind = type(self)
        if any(
            isinstance(h, kind) and h.name == self.name for h in layer._forward_pre_hooks.values()
        ):
            raise OpError(
                with_user_line(
                    f"{type(layer).__name__}.{self.name} is made by {kind.__name__} already"
                )
            )
        layer.register_forward_pre_hook(self)
        setattr(layer, self.name, self.weight(layer))


# -- weight_norm
# --------------------------------------------------------------------------------------------------


def _size(v: Tensor, dim: int) -> Tensor:
    """The norm of v over all axes but dim, those staying; over all with dim -1."""
    axes = None if dim == -1 else [i for i in range(v.ndim) if i != dim]
    return sqrt(add(sum_of(square(v), axes, keepdim=True), 1e-12))


class WeightNorm(_Made):
    """weight = g * v / |v|, |v| taken over all axes but dim (Salimans and Kingma 2016)."""

    def __init__(self, name: str, dim: int) -> None:
        super().__init__(name)
        self.dim = dim

    def weight(self, layer: Any) -> Tensor:
        """Implement `weight` as the class describes."""
        g, v = getattr(layer, self.name + "_g"), getattr(layer, self.name + "_v")
        shape = (
            [1] * v.ndim if self.dim == -1 else [-1 if i == self.dim else 1 for i in range(v.ndim)]
        )
        return multiply(divide(v, _size(v, self.dim)), reshape(g, shape))


def _parameter(layer: Any, name: str) -> Parameter:
    weight = layer._parameters.get(name)
    if weight is None:
        raise OpError(with_user_line(f"{type(layer).__name__} has no parameter {name!r}"))
    found: Parameter = weight
    return found


def weight_norm(layer: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Make a weight the product of a length `name_g` and a direction `name_v` (Salimans and Kingma
    2016);

    gives the layer.

    dim: the axis whose slices have a length each; None or -1: one length for all.
    """
    weight = _parameter(layer, name)
    rank = weight.ndim
    if dim is not None and not -rank <= dim < rank:
        raise OpError(
            with_user_line(f"weight_norm: dim={dim} is not an axis of {name} ({weight.meta})")
        )
    at = -1 if dim in (None, -1) else dim % rank
    with no_grad():
        length = reshape(_size(weight, at), [-1] if at >= 0 else [])
    delattr(layer, name)
    for part, value in (("_v", weight), ("_g", length)):
        made = layer.create_parameter(value.meta.shape, dtype=value.dtype)
        made.set_value(value)
        layer.add_parameter(name + part, made)
    WeightNorm(name, at).attach(layer)
    return layer


def remove_weight_norm(layer: Any, name: str = "weight") -> Any:
    """Make the weight a parameter again; gives the layer."""
    for number, hook in layer._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            with no_grad():
                weight = hook.weight(layer)
            del layer._forward_pre_hooks[number]
            for part in ("", "_g", "_v"):
                delattr(layer, name + part)
            made = layer.create_parameter(weight.meta.shape, dtype=weight.dtype)
            made.set_value(weight)
            layer.add_parameter(name, made)
            return layer
    raise OpError(
        with_user_line(f"remove_weight_norm: {name!r} of {type(layer).__name__} has none")
    )


# -- spectral_norm
# ------------------------------------------------------------------------------------------------


class SpectralNorm(_Made):
    """weight = weight_orig / its largest singular value, seen as a matrix with axis dim in front
    (Miyato et al. 2018).
    """

    def __init__(self, name: str, iterations: int, dim: int, eps: float) -> None:
        super().__init__(name)
        self.iterations, self.dim, self.eps = iterations, dim, eps

    def matrix(self, weight: Tensor) -> Tensor:
        """[*, H, *] as [H, rest]."""
        front = [self.dim, *(i for i in range(weight.ndim) if i != self.dim)]
        return reshape(
            transpose(weight, front) if self.dim else weight, [weight.meta.shape[self.dim], -1]
        )

    def weight(self, layer: Any) -> Tensor:
        """See the class.

        In training the directions u and v move on.
        """
        matrix, u, v = self.matrix(getattr(layer, self.name + "_orig")), *self._directions(layer)
        if layer.training:
            with no_grad():
                for _ in range(self.iterations):
                    v = F.normalize(matmul(matrix, u, transpose_x=True), axis=0, epsilon=self.eps)
                    u = F.normalize(matmul(matrix, v), axis=0, epsilon=self.eps)
            for part, value in (("_u", u), ("_v", v)):
                setattr(layer, self.name + part, value.detach())
        return divide(getattr(layer, self.name + "_orig"), dot(u.detach(), mv(matrix, v.detach())))

    def _directions(self, layer: Any) -> tuple[Tensor, Tensor]:
        return getattr(layer, self.name + "_u"), getattr(layer, self.name + "_v")


def spectral_norm(
    layer: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Divide a weight by its largest singular value (Miyato et al. 2018); gives the layer.

    dim: the axis of the results, 1 for Linear and transposed convolutions, else 0, unless given.
    """
    if n_power_iterations <= 0:
        raise OpError(
            with_user_line(
                f"spectral_norm: n_power_iterations={n_power_iterations} is not positive"
            )
        )
    if dim is None:
        dim = int(isinstance(layer, Conv1DTranspose | Conv2DTranspose | Conv3DTranspose | Linear))
    weight, hook = _parameter(layer, name), SpectralNorm(name, n_power_iterations, dim, eps)
    with no_grad():
        sizes = hook.matrix(weight).meta.shape
        u, v = (F.normalize(randn([n]), axis=0, epsilon=eps) for n in sizes)
    delattr(layer, name)
    layer.add_parameter(name + "_orig", weight)
    layer.register_buffer(name + "_u", u)
    layer.register_buffer(name + "_v", v)
    training, layer.training = layer.training, False
    hook.attach(layer)
    layer.training = training
    return layer
