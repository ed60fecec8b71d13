"""Transforms of random variables: there, back, and the logarithm of how much they stretch."""

from __future__ import annotations

import enum
import math
from functools import singledispatch
from typing import Any, NamedTuple

from ..core.errors import OpError, with_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.creation import ones_like, zeros_like
from ..tensor.manipulation import concat


class Type(enum.Enum):
    """What is known of the way back."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, kind: Type) -> bool:
        """Whether one value leads to each result."""
        return kind in (cls.BIJECTION, cls.INJECTION)


class Variable(NamedTuple):
    """What a transform takes or gives.

    event_rank: the number of axes that belong together
    """

    event_rank: int = 0
    is_discrete: bool = False


@singledispatch
def apply_transform(input: Any, transform: Transform) -> Any:
    """`transform(input)` for a Tensor. Modules of other input types register their own
    implementation.
    """
    return transform.forward(input)


class Transform:
    """Base of transforms: _forward, _inverse, _forward_log_det_jacobian or
    _inverse_log_det_jacobian, _domain and _codomain are to be written; _forward_shape and
    _inverse_shape where shapes change.
    """

    _type = Type.INJECTION
    _domain: Any = Variable()
    _codomain: Any = Variable()

    def __call__(self, input: Any) -> Any:
        """A Tensor transformed; a distribution or a transform with this one behind it."""
        return apply_transform(input, self)

    def forward(self, x: Tensor) -> Tensor:
        """What becomes of x."""
        return self._forward(self._checked(x, "forward", self._domain))

    def inverse(self, y: Tensor) -> Any:
        """What became y; two Tensors where it may be either."""
        return self._inverse(self._checked(y, "inverse", self._codomain))

    def forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        """ln |det of the slopes at x|.

        x [*, *event] -> [*]
        """
        self._checked(x, "forward_log_det_jacobian", self._domain)
        if not self._is_injective():
            raise NotImplementedError(
                f"{type(self).__name__}: only where there is one way back are there slopes"
            )
        if _writes(self, "_forward_log_det_jacobian"):
            return self._forward_log_det_jacobian(x)
        if _writes(self, "_inverse_log_det_jacobian"):
            return -self._inverse_log_det_jacobian(self.forward(x))
        raise NotImplementedError(f"{type(self).__name__} has neither log_det_jacobian")

    def inverse_log_det_jacobian(self, y: Tensor) -> Any:
        """ln |det of the slopes of the way back at y|.

        y [*, *event] -> [*]
        """
        self._checked(y, "inverse_log_det_jacobian", self._codomain)
        if _writes(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        if _writes(self, "_forward_log_det_jacobian"):
            return -self._forward_log_det_jacobian(self._inverse(y))
        raise NotImplementedError(f"{type(self).__name__} has neither log_det_jacobian")

    def forward_shape(self, shape: Any) -> tuple[Any, ...]:
        """What becomes of a shape."""
        return tuple(self._forward_shape(tuple(shape)))

    def inverse_shape(self, shape: Any) -> tuple[Any, ...]:
        """The shape that became `shape`."""
        return tuple(self._inverse_shape(tuple(shape)))

    def _is_injective(self) -> bool:
        return Type.is_injective(self._type)

    def _checked(self, value: Any, what: str, of: Any) -> Tensor:
        name = type(self).__name__
        if not isinstance(value, Tensor):
            raise OpError(
                with_user_line(f"{name}.{what}: wants a Tensor, got {type(value).__name__}")
            )
        if value.ndim < of.event_rank:
            raise OpError(
                with_user_line(
                    f"{name}.{what}: wants at least {of.event_rank} axes (X={value.meta})"
                )
            )
        return value

    def _forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} has no _forward")

    def _inverse(self, y: Tensor) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no _inverse")

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse_log_det_jacobian(self, y: Tensor) -> Any:
        raise NotImplementedError

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return shape

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return shape


def _writes(transform: Transform, method: str) -> bool:
    return getattr(type(transform), method) is not getattr(Transform, method)


def _parameter(name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise OpError(with_user_line(f"{name} is {type(value).__name__}, not a Tensor"))
    return value


class AbsTransform(Transform):
    """|x|; the way back gives both -y and y."""

    _type = Type.SURJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> tuple[Tensor, Tensor]:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Tensor) -> tuple[Tensor, Tensor]:
        flat = zeros_like(y)
        return flat, flat


class AffineTransform(Transform):
    """loc + scale x."""

    _type = Type.BIJECTION

    def __init__(self, loc: Tensor, scale: Tensor) -> None:
        self._loc = _parameter("AffineTransform: loc", loc)
        self._scale = _parameter("AffineTransform: scale", scale)

    @property
    def loc(self) -> Tensor:
        """What is added."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """What x is multiplied by."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        return self._loc + self._scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self._scale.abs().log() + zeros_like(x)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _broadcast(_broadcast(shape, self._loc.shape), self._scale.shape)

    _inverse_shape = _forward_shape


def _broadcast(a: Any, b: Any) -> tuple[Any, ...]:
    """The shape that two shapes have together."""
    a, b = tuple(a), tuple(b)
    width = max(len(a), len(b))
    pairs = zip((1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b, strict=True)
    return tuple(n if m == 1 else m for m, n in pairs)


class ExpTransform(Transform):
    """e ** x."""

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """x ** power, x positive."""

    _type = Type.BIJECTION

    def __init__(self, power: Tensor) -> None:
        self._power = _parameter("PowerTransform: power", power)

    @property
    def power(self) -> Tensor:
        """The exponent."""
        return self._power

    def _forward(self, x: Tensor) -> Tensor:
        return x.pow(self._power)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(self._power.reciprocal())

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return (self._power * x.pow(self._power - 1)).abs().log()

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _broadcast(shape, self._power.shape)

    _inverse_shape = _forward_shape


def _softplus(x: Tensor) -> Tensor:
    return OPS["softplus"](x)


class SigmoidTransform(Transform):
    """1 / (1 + e ** -x)."""

    def _forward(self, x: Tensor) -> Tensor:
        return OPS["sigmoid"](x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -_softplus(-x) - _softplus(x)


class TanhTransform(Transform):
    """tanh(x)."""

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - _softplus(-2 * x))


class SoftmaxTransform(Transform):
    """softmax along the last axis; the way back is one of many."""

    _type = Type.OTHER
    _domain = _codomain = Variable(1)

    def _forward(self, x: Tensor) -> Tensor:
        return OPS["softmax"](x, axis=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """K numbers to K + 1 shares of 1: each number says how much of what is left is broken off.

    [*, K] -> [*, K + 1]
    """

    _type = Type.BIJECTION
    _domain = _codomain = Variable(1)

    def _centred(self, x: Tensor) -> Tensor:
        """x less what would break off equal shares at 0."""
        ones = ones_like(x)
        return x - (ones.sum(-1, keepdim=True) + 1 - ones.cumsum(-1)).log()

    def _forward(self, x: Tensor) -> Tensor:
        broken = OPS["sigmoid"](self._centred(x))
        end = ones_like(broken[..., :1])
        return concat([broken, end], -1) * concat([end, (1 - broken).cumprod(-1)], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        shares = y[..., :-1]
        return (shares / (1 - shares.cumsum(-1))).log() - self._centred(zeros_like(shares))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._centred(x)
        left = concat([zeros_like(x[..., :1]), (-_softplus(x)).cumsum(-1)[..., :-1]], -1)
        return (left - _softplus(x) - _softplus(-x)).sum(-1)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*shape[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*shape[:-1], shape[-1] - 1)
