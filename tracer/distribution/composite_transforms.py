"""Transforms that are composed of other transforms, and transforms that reshape events."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..tensor.creation import zeros_like
from ..tensor.manipulation import stack, unbind
from .distribution import sum_rightmost
from .transform import Transform, Type, Variable, apply_transform


def _raise_unless(condition: bool, problem: str) -> None:
    if not condition:
        raise OpError(append_user_line(problem))


def _require_transform_list(name: str, transforms: Any) -> list[Transform]:
    is_valid = isinstance(transforms, Sequence) and all(
        isinstance(t, Transform) for t in transforms
    )
    _raise_unless(is_valid, f"{name}: transforms must be a list of Transforms")
    return list(transforms)


class ChainTransform(Transform):
    """Composition of transforms, which are applied one after the other.

    Parameters
    ----------
    transforms : sequence of Transform
        The first one is applied first.

    Attributes
    ----------
    transforms : list of Transform

    Raises
    ------
    OpError
        If `transforms` is not a sequence of Transforms.

    Examples
    --------
    >>> exp, tanh = paddle.distribution.ExpTransform(), paddle.distribution.TanhTransform()
    >>> chain = paddle.distribution.ChainTransform([exp, tanh])  # tanh(exp(x))
    >>> chain.forward(paddle.to_tensor([0.0])).numpy().round(4)
    array([0.7616], dtype=float32)
    >>> chain.forward_log_det_jacobian(paddle.to_tensor([0.0])).numpy().round(4)
    array([-0.8676], dtype=float32)
    """

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = _require_transform_list("ChainTransform", transforms)
        self._domain = Variable(
            _event_rank_at_chain_input_or_output(
                [(t._domain, t._codomain) for t in reversed(self.transforms)]
            )
        )
        self._codomain = Variable(
            _event_rank_at_chain_input_or_output(
                [(t._codomain, t._domain) for t in self.transforms]
            )
        )

    def _is_injective(self) -> bool:
        return all(t._is_injective() for t in self.transforms)

    def _forward(self, x: Tensor) -> Tensor:
        for transform in self.transforms:
            x = transform.forward(x)
        return x

    def _inverse(self, y: Tensor) -> Any:
        for transform in reversed(self.transforms):
            y = transform.inverse(y)
        return y

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        rank, total = self._domain.event_rank, None
        for transform in self.transforms:
            log_det = sum_rightmost(
                transform.forward_log_det_jacobian(x), rank - transform._domain.event_rank
            )
            total = log_det if total is None else total + log_det
            x = transform.forward(x)
            rank += transform._codomain.event_rank - transform._domain.event_rank
        return zeros_like(x) if total is None else total

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        for transform in self.transforms:
            shape = transform.forward_shape(shape)
        return shape

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        for transform in reversed(self.transforms):
            shape = transform.inverse_shape(shape)
        return shape


@apply_transform.register
def _(input: Transform, transform: Transform) -> ChainTransform:
    return ChainTransform([transform, input])


def _event_rank_at_chain_input_or_output(ends: list[tuple[Any, Any]]) -> int:
    """Return the number of event axes at one end (input or output) of a chain of transforms.

    ends: (this end, the other end) of each transform; this end of the chain is last
    """
    rank = 0
    for this_end, other_end in ends:
        rank = max(this_end.event_rank, rank + this_end.event_rank - other_end.event_rank)
    return rank


class IndependentTransform(Transform):
    """Transform that treats the last batch axes of another transform as event axes.

    The values are those of `base`; the log-determinant of the Jacobian is summed over these axes.

    Parameters
    ----------
    base : Transform
    reinterpreted_batch_rank : int
        Number of axes to treat as event axes, 1 or more.

    Raises
    ------
    OpError
        If `base` is not a Transform, or `reinterpreted_batch_rank` is not positive.

    Examples
    --------
    >>> exp = paddle.distribution.IndependentTransform(paddle.distribution.ExpTransform(), 1)
    >>> x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    >>> exp.forward_log_det_jacobian(x).tolist()
    [3.0, 7.0]
    """

    def __init__(self, base: Transform, reinterpreted_batch_rank: int) -> None:
        _raise_unless(
            isinstance(base, Transform),
            f"IndependentTransform: base must be a Transform, not {type(base).__name__}",
        )
        _raise_unless(
            reinterpreted_batch_rank > 0,
            f"IndependentTransform: reinterpreted_batch_rank={reinterpreted_batch_rank} "
            f"is not positive",
        )
        self._base = base
        self._reinterpreted_batch_rank = reinterpreted_batch_rank
        self._domain = Variable(base._domain.event_rank + reinterpreted_batch_rank)
        self._codomain = Variable(base._codomain.event_rank + reinterpreted_batch_rank)

    def _is_injective(self) -> bool:
        return self._base._is_injective()

    def _forward(self, x: Tensor) -> Tensor:
        return self._base.forward(x)

    def _inverse(self, y: Tensor) -> Any:
        return self._base.inverse(y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return sum_rightmost(self._base.forward_log_det_jacobian(x), self._reinterpreted_batch_rank)

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._base.forward_shape(shape)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return self._base.inverse_shape(shape)


class ReshapeTransform(Transform):
    """Transform that reshapes each event: [*, *in_event_shape] -> [*, *out_event_shape].

    Parameters
    ----------
    in_event_shape, out_event_shape : sequence of int
        Shapes with the same number of elements.

    Raises
    ------
    OpError
        If the numbers of elements differ; in a call, if the shape of the input does not end in
        the shape of an event.

    Examples
    --------
    >>> reshape = paddle.distribution.ReshapeTransform([2, 3], [6])
    >>> reshape.forward(paddle.zeros([5, 2, 3])).shape
    [5, 6]
    >>> reshape.inverse(paddle.zeros([5, 6])).shape
    [5, 2, 3]
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]) -> None:
        self._in_event_shape, self._out_event_shape = tuple(in_event_shape), tuple(out_event_shape)
        _raise_unless(
            math.prod(self._in_event_shape) == math.prod(self._out_event_shape),
            f"ReshapeTransform: {list(in_event_shape)} and {list(out_event_shape)} have "
            f"different numbers of elements",
        )
        self._domain, self._codomain = (
            Variable(len(self._in_event_shape)),
            Variable(len(self._out_event_shape)),
        )

    @property
    def in_event_shape(self) -> tuple[int, ...]:
        """The shape of an event before the transform, a tuple of int.

        Examples
        --------
        >>> paddle.distribution.ReshapeTransform([2, 3], [6]).in_event_shape
        (2, 3)
        """
        return self._in_event_shape

    @property
    def out_event_shape(self) -> tuple[int, ...]:
        """The shape of an event after the transform, a tuple of int.

        Examples
        --------
        >>> paddle.distribution.ReshapeTransform([2, 3], [6]).out_event_shape
        (6,)
        """
        return self._out_event_shape

    def _forward(self, x: Tensor) -> Tensor:
        return x.reshape(list(self._forward_shape(tuple(x.shape))))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(list(self._inverse_shape(tuple(y.shape))))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return sum_rightmost(zeros_like(x), len(self._in_event_shape))

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _replace_event_shape(shape, self._in_event_shape, self._out_event_shape)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _replace_event_shape(shape, self._out_event_shape, self._in_event_shape)


def _replace_event_shape(
    shape: tuple[Any, ...], old: tuple[int, ...], new: tuple[int, ...]
) -> tuple[Any, ...]:
    batch = len(shape) - len(old)
    _raise_unless(
        batch >= 0 and shape[batch:] == old,
        f"ReshapeTransform: the shape {list(shape)} does not end in {list(old)}",
    )
    return shape[:batch] + new


class StackTransform(Transform):
    """Transform that applies one transform to each slice along an axis.

    Parameters
    ----------
    transforms : sequence of Transform
        One for each slice, at least one.
    axis : int, default 0
        The axis that is sliced; a negative axis counts from the end.

    Raises
    ------
    OpError
        If `transforms` is empty or not a sequence of Transforms, or `axis` is not an int; in a
        call, if the axis is out of range, or its size differs from the number of transforms.

    Examples
    --------
    >>> exp, tanh = paddle.distribution.ExpTransform(), paddle.distribution.TanhTransform()
    >>> stacked = paddle.distribution.StackTransform([exp, tanh], axis=1)
    >>> stacked.forward(paddle.zeros([3, 2])).tolist()
    [[1.0, 0.0], [1.0, 0.0], [1.0, 0.0]]
    """

    def __init__(self, transforms: Sequence[Transform], axis: int = 0) -> None:
        self._transforms = _require_transform_list("StackTransform", transforms)
        _raise_unless(bool(self._transforms), "StackTransform: transforms must not be empty")
        _raise_unless(
            isinstance(axis, int), f"StackTransform: axis must be an int, not {type(axis).__name__}"
        )
        self._axis = axis
        self._domain = Variable(_stacked_event_rank([t._domain for t in self._transforms], axis))
        self._codomain = Variable(
            _stacked_event_rank([t._codomain for t in self._transforms], axis)
        )

    @property
    def transforms(self) -> list[Transform]:
        """The transforms, one for each slice along the axis, a list of Transform.

        Examples
        --------
        >>> exp = paddle.distribution.ExpTransform()
        >>> len(paddle.distribution.StackTransform([exp, exp]).transforms)
        2
        """
        return self._transforms

    @property
    def axis(self) -> int:
        """The axis along which the input is split into slices, an int.

        Examples
        --------
        >>> exp = paddle.distribution.ExpTransform()
        >>> paddle.distribution.StackTransform([exp, exp], axis=-1).axis
        -1
        """
        return self._axis

    def _is_injective(self) -> bool:
        return all(t._is_injective() for t in self._transforms)

    def _unbind_slices(self, value: Tensor) -> list[Tensor]:
        _raise_unless(
            -value.ndim <= self._axis < value.ndim,
            f"StackTransform: axis={self._axis} is out of range (X={value.meta})",
        )
        slices = unbind(value, self._axis)
        _raise_unless(
            len(slices) == len(self._transforms),
            f"StackTransform: {len(self._transforms)} transforms, {len(slices)} slices "
            f"(X={value.meta})",
        )
        return slices

    def _apply_to_slices(self, method: str, value: Tensor) -> Tensor:
        pairs = zip(self._transforms, self._unbind_slices(value), strict=True)
        return stack([getattr(t, method)(slice_) for t, slice_ in pairs], self._axis)

    def _forward(self, x: Tensor) -> Tensor:
        return self._apply_to_slices("forward", x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._apply_to_slices("inverse", y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self._apply_to_slices("forward_log_det_jacobian", x)


def _stacked_event_rank(ends: list[Any], axis: int) -> int:
    """Return the number of event axes of the stacked transform: one more if the new axis `axis` is
    among the event axes.
    """
    rank: int = max(end.event_rank for end in ends)
    return rank + 1 if axis + rank < 0 else rank
