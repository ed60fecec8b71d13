"""Gradient clipping with the API of Paddle 1.x: `fluid.clip`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core.errors import OperandError, append_user_line
from ..nn import clip as paddle2
from ..static import default_main_program
from .deprecated import warn_deprecated_on_first_use

__all__ = [
    "ErrorClipByValue",
    "GradientClipByGlobalNorm",
    "GradientClipByNorm",
    "GradientClipByValue",
    "set_gradient_clip",
]

Pairs = list[tuple[Any, Any]]


class GradientClipBase:
    """Base class of gradient clipping. An instance clips the gradients of the parameters for which
    need_clip(parameter) is true, or of all parameters if need_clip is None.
    """

    _need_clip: Callable[[Any], bool] | None = None

    def _set_need_clip_predicate(self, need_clip: Any) -> None:
        if need_clip is not None and not callable(need_clip):
            raise TypeError(f"need_clip is {type(need_clip).__name__}, not callable")
        self._need_clip = need_clip

    def _clip_selected(self, pairs: Pairs, clip: Callable[[Pairs], Pairs]) -> Pairs:
        """Clip the gradients of the parameters that need_clip selects; returns all (parameter,
        gradient) pairs in their order.
        """
        if self._need_clip is None:
            return clip(pairs)
        clipped = {id(p): g for p, g in clip([(p, g) for p, g in pairs if self._need_clip(p)])}
        return [(p, clipped.get(id(p), g)) for p, g in pairs]

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs (parameter, gradient) with clipped gradients; in a program, ops that
        clip are appended. Pairs whose gradient is None are removed.
        """
        pairs = [(p, g) for p, g in pairs if g is not None]
        if pairs and isinstance(pairs[0][1], Variable):
            return self.clip_variables(pairs)
        return self._clip_selected(pairs, super().__call__)  # type: ignore[misc]

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """Append ops that clip the gradients of the parameters that need_clip selects; returns the
        pairs (parameter, clipped gradient).
        """
        return self._clip_selected(pairs, super().clip_variables)  # type: ignore[misc]


@warn_deprecated_on_first_use("fluid.clip.GradientClipByValue", "paddle.nn.ClipGradByValue")
class GradientClipByValue(GradientClipBase, paddle2.ClipGradByValue):
    """Clip every element to [min, max]; min is -max by default."""

    def __init__(self, max: float, min: float | None = None, need_clip: Any = None) -> None:
        if not isinstance(max, float | int | np.number):
            raise OperandError(
                append_user_line(f"GradientClipByValue: max={max!r} is not a number")
            )
        super().__init__(max, min)
        self._set_need_clip_predicate(need_clip)

    def __str__(self) -> str:
        return f"Gradient Clip By Value, min = {self.min:f}, max={self.max:f}"


@warn_deprecated_on_first_use("fluid.clip.GradientClipByNorm", "paddle.nn.ClipGradByNorm")
class GradientClipByNorm(GradientClipBase, paddle2.ClipGradByNorm):
    """Scale every gradient so that its norm is at most clip_norm."""

    def __init__(self, clip_norm: float, need_clip: Any = None) -> None:
        super().__init__(clip_norm)
        self._set_need_clip_predicate(need_clip)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


@warn_deprecated_on_first_use(
    "fluid.clip.GradientClipByGlobalNorm", "paddle.nn.ClipGradByGlobalNorm"
)
class GradientClipByGlobalNorm(GradientClipBase, paddle2.ClipGradByGlobalNorm):
    """Scale all gradients by one factor so that their global norm is at most clip_norm.

    group_name: with set_gradient_clip, parameters with the same name are clipped together
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", need_clip: Any = None
    ) -> None:
        super().__init__(clip_norm)
        self.group_name = group_name
        self._set_need_clip_predicate(need_clip)

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


class ClipByParameterAttr:
    """Clip the gradient of each parameter of a program by its gradient_clip_attr; the gradients of
    parameters with the same group_name are clipped by their common norm.
    """

    def __call__(self, pairs: Pairs) -> Pairs:
        """Return the pairs (parameter, gradient) unchanged, because set_gradient_clip applies to
        programs only.
        """
        return pairs

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """Append ops that clip the gradient of each parameter by its gradient_clip_attr; returns
        the pairs (parameter, clipped gradient).
        """
        groups: dict[Any, Pairs] = {}
        for pair in pairs:
            clip = getattr(pair[0], "gradient_clip_attr", None)
            groups.setdefault(
                getattr(clip, "group_name", id(clip)) if clip is not None else None, []
            ).append(pair)
        clipped: dict[int, Any] = {}
        for key, group in groups.items():
            pairs_of_group = (
                group if key is None else group[0][0].gradient_clip_attr.clip_variables(group)
            )
            clipped.update({id(p): g for p, g in pairs_of_group})
        return [(p, clipped[id(p)]) for p, _ in pairs]


@warn_deprecated_on_first_use("fluid.clip.set_gradient_clip", "grad_clip= of an optimizer")
def set_gradient_clip(clip: Any, param_list: Any = None, program: Any = None) -> None:
    """Set the gradient clipping of parameters of a program, by default of all, for optimizers that
    have no grad_clip of their own.

    Paddle 1.8 does not clip unless all parameters are listed; here, as in 1.5, the listed ones are
    clipped.
    """
    if not hasattr(clip, "clip_variables"):
        raise TypeError("'clip' should be an instance of GradientClipBase's derived class")
    program = default_main_program() if program is None else program
    block = program.global_block()
    for item in block.all_parameters() if param_list is None else param_list:
        parameter: Any = block.var(item) if isinstance(item, str) else item
        parameter.gradient_clip_attr = clip


def append_gradient_clip_ops(param_grads: Pairs) -> Pairs:
    """Append ops that clip gradients according to set_gradient_clip."""
    return ClipByParameterAttr().clip_variables([(p, g) for p, g in param_grads if g is not None])


def _allow_pure_fp16_global_norm_clip(*args: Any) -> bool:
    """Return False for all arguments, because norms are always computed in float32. In Paddle, a
    call of this function with an argument sets the returned flag.
    """
    return False


class BaseErrorClipAttr:
    """Base class of the values of `variable.error_clip`."""


class ErrorClipByValue(BaseErrorClipAttr):
    """A value of `variable.error_clip`: clips the gradient of the variable to [min, max] during the
    backward pass.
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def __str__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"
