"""Transforms made of others, and of shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..core.errors import OpError, with_user_line
from ..core.tensor import Tensor
from ..tensor.creation import zeros_like
from ..tensor.manipulation import stack, unbind
from .distribution import sum_rightmost
from .transform import Transform, Type, Variable, apply_transform


def _check(ok: bool, why: str) -> None:
    if not ok:
        raise OpError(with_user_line(why))


def _all_transforms(name: str, transforms: Any) -> list[Transform]:
    fine = isinstance(transforms, Sequence) and all(isinstance(t, Transform) for t in transforms)
    _check(fine, f"{name}: transforms is not a list of Transforms")
    return list(transforms)


class ChainTransform(Transform):
    """Transforms one after the other."""

    def __init__(self, transforms: Sequence[Transform]) -> None:
        self.transforms = _all_transforms("ChainTransform", transforms)
        self._domain = Variable(
            _rank([(t._domain, t._codomain) for t in reversed(self.transforms)])
        )
        self._codomain = Variable(_rank([(t._codomain, t._domain) for t in self.transforms]))

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
        rank, found = self._domain.event_rank, None
        for transform in self.transforms:
            slope = sum_rightmost(
                transform.forward_log_det_jacobian(x), rank - transform._domain.event_rank
            )
            found = slope if found is None else found + slope
            x = transform.forward(x)
            rank += transform._codomain.event_rank - transform._domain.event_rank
        return zeros_like(x) if found is None else found

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


def _rank(ends: list[tuple[Any, Any]]) -> int:
    """How many axes belong together at one end of a chain.

    ends: (this end, the other end) of each, this end of the chain last
    """
    rank = 0
    for near, far in ends:
        rank = max(near.event_rank, rank + near.event_rank - far.event_rank)
    return rank


class IndependentTransform(Transform):
    """`base`, with the last axes of its batch taken as axes of the event.

    reinterpreted_batch_rank: how many
    """

    def __init__(self, base: Transform, reinterpreted_batch_rank: int) -> None:
        _check(
            isinstance(base, Transform),
            f"IndependentTransform: base is {type(base).__name__}, not a Transform",
        )
        _check(
            reinterpreted_batch_rank > 0,
            f"IndependentTransform: reinterpreted_batch_rank={reinterpreted_batch_rank} "
            f"is not above zero",
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
    """Another shape of the event.

    [*, *in_event_shape] -> [*, *out_event_shape]
    """

    _type = Type.BIJECTION

    def __init__(self, in_event_shape: Sequence[int], out_event_shape: Sequence[int]) -> None:
        self._in_event_shape, self._out_event_shape = tuple(in_event_shape), tuple(out_event_shape)
        _check(
            math.prod(self._in_event_shape) == math.prod(self._out_event_shape),
            f"ReshapeTransform: {list(in_event_shape)} and {list(out_event_shape)} hold "
            f"different numbers of elements",
        )
        self._domain, self._codomain = (
            Variable(len(self._in_event_shape)),
            Variable(len(self._out_event_shape)),
        )

    @property
    def in_event_shape(self) -> tuple[int, ...]:
        """The shape of the event before."""
        return self._in_event_shape

    @property
    def out_event_shape(self) -> tuple[int, ...]:
        """The shape of the event after."""
        return self._out_event_shape

    def _forward(self, x: Tensor) -> Tensor:
        return x.reshape(list(self._forward_shape(tuple(x.shape))))

    def _inverse(self, y: Tensor) -> Tensor:
        return y.reshape(list(self._inverse_shape(tuple(y.shape))))

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return sum_rightmost(zeros_like(x), len(self._in_event_shape))

    def _forward_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _swapped(shape, self._in_event_shape, self._out_event_shape)

    def _inverse_shape(self, shape: tuple[Any, ...]) -> tuple[Any, ...]:
        return _swapped(shape, self._out_event_shape, self._in_event_shape)


def _swapped(shape: tuple[Any, ...], old: tuple[int, ...], new: tuple[int, ...]) -> tuple[Any, ...]:
    batch = len(shape) - len(old)
    _check(
        batch >= 0 and shape[batch:] == old,
        f"ReshapeTransform: the shape {list(shape)} does not end in {list(old)}",
    )
    return shape[:batch] + new


class StackTransform(Transform):
    """The first slice by the first transform, the second by the second, and so on.

    axis: that is sliced
    """

    def __init__(self, transforms: Sequence[Transform], axis: int = 0) -> None:
        self._transforms = _all_transforms("StackTransform", transforms)
        _check(bool(self._transforms), "StackTransform: there are no transforms")
        _check(
            isinstance(axis, int), f"StackTransform: axis is {type(axis).__name__}, not a number"
        )
        self._axis = axis
        self._domain = Variable(_stacked([t._domain for t in self._transforms], axis))
        self._codomain = Variable(_stacked([t._codomain for t in self._transforms], axis))

    @property
    def transforms(self) -> list[Transform]:
        """Those of the slices."""
        return self._transforms

    @property
    def axis(self) -> int:
        """The axis that is sliced."""
        return self._axis

    def _is_injective(self) -> bool:
        return all(t._is_injective() for t in self._transforms)

    def _slices(self, value: Tensor) -> list[Tensor]:
        _check(
            -value.ndim <= self._axis < value.ndim,
            f"StackTransform: there is no axis {self._axis} (X={value.meta})",
        )
        found = unbind(value, self._axis)
        _check(
            len(found) == len(self._transforms),
            f"StackTransform: {len(self._transforms)} transforms, {len(found)} slices "
            f"(X={value.meta})",
        )
        return found

    def _each(self, method: str, value: Tensor) -> Tensor:
        pairs = zip(self._transforms, self._slices(value), strict=True)
        return stack([getattr(t, method)(part) for t, part in pairs], self._axis)

    def _forward(self, x: Tensor) -> Tensor:
        return self._each("forward", x)

    def _inverse(self, y: Tensor) -> Tensor:
        return self._each("inverse", y)

    def _forward_log_det_jacobian(self, x: Tensor) -> Tensor:
        return self._each("forward_log_det_jacobian", x)


def _stacked(ends: list[Any], axis: int) -> int:
    """How many axes belong together when events are stacked: one more where the new axis lies among
    theirs.
    """
    rank: int = max(end.event_rank for end in ends)
    return rank + 1 if axis + rank < 0 else rank
