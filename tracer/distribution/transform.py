"""Transforms of random variables: forward, inverse, and log-determinant of the Jacobian."""

from __future__ import annotations

import enum
import math
from functools import singledispatch
from typing import Any, NamedTuple

from ..core.errors import OpError, append_user_line
from ..core.op import OPS
from ..core.tensor import Tensor
from ..tensor.creation import ones_like, zeros_like
from ..tensor.manipulation import concat


class Type(enum.Enum):
    """The kind of mapping of a transform: bijection, injection, surjection or other."""

    BIJECTION = "bijection"
    INJECTION = "injection"
    SURJECTION = "surjection"
    OTHER = "other"

    @classmethod
    def is_injective(cls, kind: Type) -> bool:
        """Return whether at most one value maps to each result."""
        return kind in (cls.BIJECTION, cls.INJECTION)


class Variable(NamedTuple):
    """Description of the domain or the codomain of a transform.

    event_rank: number of axes of an event
    """

    event_rank: int = 0
    is_discrete: bool = False


@singledispatch
def apply_transform(input: Any, transform: Transform) -> Any:
    """Apply a transform to a Tensor, or to an input of another type for which an implementation is
    registered. The modules of other input types, such as distributions, register their own
    implementation.
    """
    return transform.forward(input)


class Transform:
    """Base of transforms.

    Subclasses implement _forward, _inverse, one of _forward_log_det_jacobian and
    _inverse_log_det_jacobian, _domain and _codomain; if shapes change, also _forward_shape and
    _inverse_shape.
    """

    _type = Type.INJECTION
    _domain: Any = Variable()
    _codomain: Any = Variable()

    def __call__(self, input: Any) -> Any:
        """Apply the transform to a Tensor; or compose it with a distribution or another
        transform.
        """
        return apply_transform(input, self)

    def forward(self, x: Tensor) -> Tensor:
        """Return the result of the transform for x."""
        return self._forward(self._require_tensor_of_event_rank(x, "forward", self._domain))

    def inverse(self, y: Tensor) -> Any:
        """Return the value x that the transform maps to y; a pair of Tensors if two values are
        mapped to y.
        """
        return self._inverse(self._require_tensor_of_event_rank(y, "inverse", self._codomain))

    def forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        """Return log |det J(x)|, where J is the Jacobian of the forward transform.

        x [*, *event] -> [*]
        """
        self._require_tensor_of_event_rank(x, "forward_log_det_jacobian", self._domain)
        if not self._is_injective():
            raise NotImplementedError(
                f"{type(self).__name__}: forward_log_det_jacobian requires an injective transform"
            )
        if _is_overridden(self, "_forward_log_det_jacobian"):
            return self._forward_log_det_jacobian(x)
        if _is_overridden(self, "_inverse_log_det_jacobian"):
            return -self._inverse_log_det_jacobian(self.forward(x))
        raise NotImplementedError(f"{type(self).__name__} implements no log_det_jacobian")

    def inverse_log_det_jacobian(self, y: Tensor) -> Any:
        """Return log |det J(y)|, where J is the Jacobian of the inverse transform.

        y [*, *event] -> [*]
        """
        self._require_tensor_of_event_rank(y, "inverse_log_det_jacobian", self._codomain)
        if _is_overridden(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        if _is_overridden(self, "_forward_log_det_jacobian"):
            return -self._forward_log_det_jacobian(self._inverse(y))
        raise NotImplementedError(f"{type(self).__name__} implements no log_det_jacobian")

    def forward_shape(self, shape: Any) -> tuple[Any, ...]:
        """Return the shape of the output of the transform for an input of the given shape."""
        return tuple(self._forward_shape(tuple(shape)))

    def inverse_shape(self, shape: Any) -> tuple[Any, ...]:
        """Return the shape of the input of the transform for an output of the given shape."""
        return tuple(self._inverse_shape(tuple(shape)))

    def _is_injective(self) -> bool:
        return Type.is_injective(self._type)

    def _require_tensor_of_event_rank(self, value: Any, method: str, variable: Any) -> Tensor:
        name = type(self).__name__
        if not isinstance(value, Tensor):
            raise OpError(
                append_user_line(f"{name}.{method}: expected a Tensor, got {type(value).__name__}")
            )
        if value.ndim < variable.event_rank:
            raise OpError(
                append_user_line(
                    f"{name}.{method}: the rank must be at least {variable.event_rank} "
                    f"(X={value.meta})"
                )
            )
        return value

    def _forward(self, x: Tensor) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} does not implement _forward")

    def _inverse(self, y: Tensor) -> Any:
        raise NotImplementedError(f"{type(self).__name__} does not implement _inverse")

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        raise NotImplementedError

    def _inverse_log_det_jacobian(self, y: Tensor) -> Any:
        """Hook for subclasses. If a subclass does not override it, `inverse_log_det_jacobian`
        negates the result of `_forward_log_det_jacobian` at the inverse of y.
        """
        raise NotImplementedError

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return shape

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return shape


def _is_overridden(transform: Transform, method: str) -> bool:
    return getattr(type(transform), method) is not getattr(Transform, method)


def _require_tensor(name: str, value: Any) -> Tensor:
    if not isinstance(value, Tensor):
        raise OpError(append_user_line(f"{name} must be a Tensor, not {type(value).__name__}"))
    return value


class AbsTransform(Transform):
    """Transform y = |x|; the inverse returns -y and y."""

    _type = Type.SURJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> tuple[Tensor, Tensor]:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Tensor) -> tuple[Tensor, Tensor]:
        zeros = zeros_like(y)
        return zeros, zeros


class AffineTransform(Transform):
    """Transform y = loc + scale x."""

    _type = Type.BIJECTION

    def __init__(self, loc: Tensor, scale: Tensor) -> None:
        self._loc = _require_tensor("AffineTransform: loc", loc)
        self._scale = _require_tensor("AffineTransform: scale", scale)

    @property
    def loc(self) -> Tensor:
        """The offset loc of the transform loc + scale x."""
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The factor scale of the transform loc + scale x."""
        return self._scale

    def _forward(self, x: Tensor) -> Tensor:
        return self._loc + self._scale * x

    def _inverse(self, y: Tensor) -> Tensor:
        return (y - self._loc) / self._scale

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self._scale.abs().log() + zeros_like(x)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _broadcast_two_shapes(
            _broadcast_two_shapes(shape, self._loc.shape), self._scale.shape
        )

    _inverse_shape = _forward_shape


def _broadcast_two_shapes(a: Any, b: Any) -> tuple[Any, ...]:
    """Return the broadcast shape of two shapes."""
    a, b = tuple(a), tuple(b)
    width = max(len(a), len(b))
    pairs = zip((1,) * (width - len(a)) + a, (1,) * (width - len(b)) + b, strict=True)
    return tuple(n if m == 1 else m for m, n in pairs)


class ExpTransform(Transform):
    """Transform y = exp(x)."""

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """Transform y = x^power for positive x."""

    _type = Type.BIJECTION

    def __init__(self, power: Tensor) -> None:
        self._power = _require_tensor("PowerTransform: power", power)

    @property
    def power(self) -> Tensor:
        """The exponent of the transform x^power."""
        return self._power

    def _forward(self, x: Tensor) -> Tensor:
        return x.pow(self._power)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.pow(self._power.reciprocal())

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return (self._power * x.pow(self._power - 1)).abs().log()

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _broadcast_two_shapes(shape, self._power.shape)

    _inverse_shape = _forward_shape


def _softplus(x: Tensor) -> Tensor:
    return OPS["softplus"](x)


class SigmoidTransform(Transform):
    """Transform y = 1 / (1 + exp(-x))."""

    def _forward(self, x: Tensor) -> Tensor:
        return OPS["sigmoid"](x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -_softplus(-x) - _softplus(x)


class TanhTransform(Transform):
    """Transform y = tanh(x)."""

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - _softplus(-2 * x))


class SoftmaxTransform(Transform):
    """Softmax along the last axis; its inverse is not unique."""

    _type = Type.OTHER
    _domain = _codomain = Variable(1)

    def _forward(self, x: Tensor) -> Tensor:
        return OPS["softmax"](x, axis=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """Stick breaking: maps K numbers to K + 1 probabilities; each number determines the part of the
    remaining stick that is broken off.

    [*, K] -> [*, K + 1]
    """

    _type = Type.BIJECTION
    _domain = _codomain = Variable(1)

    def _subtract_equal_probability_offset(self, x: Tensor) -> Tensor:
        """Shift x by offsets with which x = 0 is mapped to K + 1 equal probabilities."""
        ones = ones_like(x)
        return x - (ones.sum(-1, keepdim=True) + 1 - ones.cumsum(-1)).log()

    def _forward(self, x: Tensor) -> Tensor:
        fraction = OPS["sigmoid"](self._subtract_equal_probability_offset(x))
        one = ones_like(fraction[..., :1])
        return concat([fraction, one], -1) * concat([one, (1 - fraction).cumprod(-1)], -1)

    def _inverse(self, y: Tensor) -> Tensor:
        probs = y[..., :-1]
        return (probs / (1 - probs.cumsum(-1))).log() - self._subtract_equal_probability_offset(
            zeros_like(probs)
        )

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        x = self._subtract_equal_probability_offset(x)
        log_remaining = concat([zeros_like(x[..., :1]), (-_softplus(x)).cumsum(-1)[..., :-1]], -1)
        return (log_remaining - _softplus(x) - _softplus(-x)).sum(-1)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*shape[:-1], shape[-1] + 1)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return (*shape[:-1], shape[-1] - 1)
