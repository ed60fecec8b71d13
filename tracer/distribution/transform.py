"""Transforms of random variables: forward, inverse, and log-determinant of the Jacobian."""

from __future__ import annotations

import enum
import math
from collections.abc import Sequence
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
    """Base class of transforms of random variables.

    A transform maps x to y = f(x). Its last axes may be events that are transformed as a whole,
    as the last axis of softmax.

    Notes
    -----
    Subclasses implement `_forward`, `_inverse`, and one of `_forward_log_det_jacobian` and
    `_inverse_log_det_jacobian`; transforms of events also define `_domain` and `_codomain`, and
    those that change shapes `_forward_shape` and `_inverse_shape`. A method that is not
    implemented raises NotImplementedError.

    Calling a transform with a Tensor is `forward`; with a Distribution it returns a
    `TransformedDistribution`; with another Transform it returns a `ChainTransform` that applies
    this transform first and then the other one.

    Examples
    --------
    >>> class Double(paddle.distribution.Transform):
    ...     def _forward(self, x):
    ...         return 2 * x
    ...     def _inverse(self, y):
    ...         return y / 2
    ...     def _forward_log_det_jacobian(self, x):
    ...         return paddle.full_like(x, np.log(2))
    >>> Double()(paddle.to_tensor([1.0, 3.0])).tolist()
    [2.0, 6.0]
    >>> Double()(paddle.distribution.Uniform(0.0, 1.0)).prob([0.5, 1.5]).tolist()
    [0.5, 0.5]
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
        """Return y = f(x).

        Parameters
        ----------
        x : Tensor [*, *event]

        Returns
        -------
        Tensor [*, *event]
            The shape of the event may differ from that of `x`; `forward_shape` returns it.

        Raises
        ------
        OpError
            If `x` is not a Tensor, or has fewer axes than an event.

        Examples
        --------
        >>> paddle.distribution.ExpTransform().forward(paddle.zeros([2])).tolist()
        [1.0, 1.0]
        """
        return self._forward(self._require_tensor_of_event_rank(x, "forward", self._domain))

    def inverse(self, y: Tensor) -> Any:
        """Return the value x that the transform maps to `y`.

        Parameters
        ----------
        y : Tensor [*, *event]

        Returns
        -------
        Tensor [*, *event], or a pair of Tensors
            `AbsTransform`, which maps two values to `y`, returns both.

        Raises
        ------
        OpError
            If `y` is not a Tensor, or has fewer axes than an event.

        Examples
        --------
        >>> paddle.distribution.ExpTransform().inverse(paddle.ones([2])).tolist()
        [0.0, 0.0]
        >>> paddle.distribution.AbsTransform().inverse(paddle.to_tensor([3.0]))[0].tolist()
        [-3.0]
        """
        return self._inverse(self._require_tensor_of_event_rank(y, "inverse", self._codomain))

    def forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        """Return log |det J(x)|, where J is the Jacobian of the forward transform.

        Parameters
        ----------
        x : Tensor [*, *event]

        Returns
        -------
        Tensor [*]
            One number for each event.

        Raises
        ------
        OpError
            If `x` is not a Tensor, or has fewer axes than an event.
        NotImplementedError
            If the transform is not injective, or does not implement a Jacobian.

        Examples
        --------
        >>> exp = paddle.distribution.ExpTransform()
        >>> exp.forward_log_det_jacobian(paddle.to_tensor([0.0, 2.0])).tolist()
        [0.0, 2.0]
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

        It is minus `forward_log_det_jacobian` at the inverse of `y`.

        Parameters
        ----------
        y : Tensor [*, *event]

        Returns
        -------
        Tensor [*], or a pair of Tensors
            One number for each event. `AbsTransform` returns a pair, as its `inverse`.

        Raises
        ------
        OpError
            If `y` is not a Tensor, or has fewer axes than an event.
        NotImplementedError
            If the transform does not implement a Jacobian.

        Examples
        --------
        >>> exp = paddle.distribution.ExpTransform()
        >>> exp.inverse_log_det_jacobian(paddle.to_tensor([2.0, 4.0])).numpy().round(4)
        array([-0.6931, -1.3863], dtype=float32)
        """
        self._require_tensor_of_event_rank(y, "inverse_log_det_jacobian", self._codomain)
        if _is_overridden(self, "_inverse_log_det_jacobian"):
            return self._inverse_log_det_jacobian(y)
        if _is_overridden(self, "_forward_log_det_jacobian"):
            return -self._forward_log_det_jacobian(self._inverse(y))
        raise NotImplementedError(f"{type(self).__name__} implements no log_det_jacobian")

    def forward_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the result of `forward` for an input of the given shape.

        Parameters
        ----------
        shape : sequence of int

        Returns
        -------
        tuple of int

        Examples
        --------
        >>> paddle.distribution.StickBreakingTransform().forward_shape([5, 2])
        (5, 3)
        """
        return tuple(self._forward_shape(tuple(shape)))

    def inverse_shape(self, shape: Sequence[int]) -> tuple[int, ...]:
        """Return the shape of the result of `inverse` for an input of the given shape.

        Parameters
        ----------
        shape : sequence of int

        Returns
        -------
        tuple of int

        Examples
        --------
        >>> paddle.distribution.StickBreakingTransform().inverse_shape([5, 3])
        (5, 2)
        """
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
    """Transform y = |x|.

    Notes
    -----
    The transform is not injective: `inverse` returns the pair (-y, y), and
    `inverse_log_det_jacobian` a pair of zeros; `forward_log_det_jacobian` raises
    NotImplementedError.

    Examples
    --------
    >>> absolute = paddle.distribution.AbsTransform()
    >>> absolute.forward(paddle.to_tensor([-1.0, 2.0])).tolist()
    [1.0, 2.0]
    >>> [x.tolist() for x in absolute.inverse(paddle.to_tensor([3.0]))]
    [[-3.0], [3.0]]
    """

    _type = Type.SURJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.abs()

    def _inverse(self, y: Tensor) -> tuple[Tensor, Tensor]:
        return -y, y

    def _inverse_log_det_jacobian(self, y: Tensor) -> tuple[Tensor, Tensor]:
        zeros = zeros_like(y)
        return zeros, zeros


class AffineTransform(Transform):
    """Transform y = loc + scale x.

    Parameters
    ----------
    loc, scale : Tensor
        They broadcast with the input; `scale` is not 0.

    Raises
    ------
    OpError
        If `loc` or `scale` is not a Tensor.

    Notes
    -----
    `forward_log_det_jacobian` has the shape of the input, broadcast with `scale`; in Paddle it has
    the shape of `scale`.

    Examples
    --------
    >>> affine = paddle.distribution.AffineTransform(paddle.to_tensor(1.0), paddle.to_tensor(2.0))
    >>> affine.forward(paddle.to_tensor([0.0, 3.0])).tolist()
    [1.0, 7.0]
    >>> affine.inverse(paddle.to_tensor([1.0, 7.0])).tolist()
    [0.0, 3.0]
    """

    _type = Type.BIJECTION

    def __init__(self, loc: Tensor, scale: Tensor) -> None:
        self._loc = _require_tensor("AffineTransform: loc", loc)
        self._scale = _require_tensor("AffineTransform: scale", scale)

    @property
    def loc(self) -> Tensor:
        """The offset, a Tensor.

        Examples
        --------
        >>> loc, scale = paddle.to_tensor([1.0, 2.0])
        >>> paddle.distribution.AffineTransform(loc, scale).loc.item()
        1.0
        """
        return self._loc

    @property
    def scale(self) -> Tensor:
        """The factor, a Tensor.

        Examples
        --------
        >>> loc, scale = paddle.to_tensor([1.0, 2.0])
        >>> paddle.distribution.AffineTransform(loc, scale).scale.item()
        2.0
        """
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
    """Transform y = exp(x), from the real numbers to the positive numbers.

    Examples
    --------
    >>> exp = paddle.distribution.ExpTransform()
    >>> exp.forward(paddle.to_tensor([0.0, 1.0])).numpy().round(4)
    array([1.    , 2.7183], dtype=float32)
    >>> exp(paddle.distribution.Normal(0.0, 1.0)).prob([1.0]).numpy().round(4)
    array([0.3989], dtype=float32)
    """

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.exp()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return x


class PowerTransform(Transform):
    """Transform y = x^power of positive numbers.

    Parameters
    ----------
    power : Tensor
        Exponent, not 0; it broadcasts with the input.

    Raises
    ------
    OpError
        If `power` is not a Tensor.

    Examples
    --------
    >>> square = paddle.distribution.PowerTransform(paddle.to_tensor(2.0))
    >>> square.forward(paddle.to_tensor([1.0, 3.0])).numpy().round(4)
    array([1., 9.], dtype=float32)
    >>> square.inverse(paddle.to_tensor([1.0, 9.0])).numpy().round(4)
    array([1., 3.], dtype=float32)
    """

    _type = Type.BIJECTION

    def __init__(self, power: Tensor) -> None:
        self._power = _require_tensor("PowerTransform: power", power)

    @property
    def power(self) -> Tensor:
        """The exponent, a Tensor.

        Examples
        --------
        >>> paddle.distribution.PowerTransform(paddle.to_tensor(2.0)).power.item()
        2.0
        """
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
    """Transform y = 1 / (1 + exp(-x)), from the real numbers to (0, 1).

    Examples
    --------
    >>> sigmoid = paddle.distribution.SigmoidTransform()
    >>> sigmoid.forward(paddle.to_tensor([0.0, 2.0])).numpy().round(4)
    array([0.5   , 0.8808], dtype=float32)
    >>> sigmoid.inverse(paddle.to_tensor([0.5])).tolist()
    [0.0]
    """

    def _forward(self, x: Tensor) -> Tensor:
        return OPS["sigmoid"](x)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log() - (-y).log1p()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return -_softplus(-x) - _softplus(x)


class TanhTransform(Transform):
    """Transform y = tanh(x), from the real numbers to (-1, 1).

    Examples
    --------
    >>> tanh = paddle.distribution.TanhTransform()
    >>> tanh.forward(paddle.to_tensor([0.0, 1.0])).numpy().round(4)
    array([0.    , 0.7616], dtype=float32)
    >>> tanh.inverse(paddle.to_tensor([0.5])).numpy().round(4)
    array([0.5493], dtype=float32)
    """

    _type = Type.BIJECTION

    def _forward(self, x: Tensor) -> Tensor:
        return x.tanh()

    def _inverse(self, y: Tensor) -> Tensor:
        return y.atanh()

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return 2 * (math.log(2) - x - _softplus(-2 * x))


class SoftmaxTransform(Transform):
    """Softmax along the last axis: y = exp(x) / sum(exp(x)).

    Notes
    -----
    The transform is not injective, because softmax(x) = softmax(x + c): `inverse` returns log(y),
    one of the values that are mapped to y, and the Jacobians raise NotImplementedError. Events
    have one axis.

    Examples
    --------
    >>> softmax = paddle.distribution.SoftmaxTransform()
    >>> y = softmax.forward(paddle.to_tensor([0.0, 0.0, 0.0, 0.0]))
    >>> y.tolist()
    [0.25, 0.25, 0.25, 0.25]
    >>> softmax.forward(softmax.inverse(y)).numpy().round(4)
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    """

    _type = Type.OTHER
    _domain = _codomain = Variable(1)

    def _forward(self, x: Tensor) -> Tensor:
        return OPS["softmax"](x, axis=-1)

    def _inverse(self, y: Tensor) -> Tensor:
        return y.log()


class StickBreakingTransform(Transform):
    """Stick breaking: map K numbers to K + 1 probabilities.

    fraction[k] = sigmoid(x[k] - log(K - k)) for k = 0 ... K - 1; y[k] is this fraction of what
    y[0] ... y[k - 1] leave of 1, and y[K] is the rest. Events have one axis: [*, K] -> [*, K + 1].

    Notes
    -----
    x = 0 is mapped to K + 1 equal probabilities.

    Examples
    --------
    >>> stick = paddle.distribution.StickBreakingTransform()
    >>> y = stick.forward(paddle.zeros([3]))
    >>> y.numpy().round(4)
    array([0.25, 0.25, 0.25, 0.25], dtype=float32)
    >>> stick.inverse(y).shape
    [3]
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
