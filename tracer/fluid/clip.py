"""Clipping of gradients in the words of Paddle 1.x: fluid.clip."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..capture.variable import Variable
from ..core.errors import OperandError, with_user_line
from ..nn import clip as today
from ..static import default_main_program
from .deprecated import instead

__all__ = [
    "ErrorClipByValue",
    "GradientClipByGlobalNorm",
    "GradientClipByNorm",
    "GradientClipByValue",
    "set_gradient_clip",
]

Pairs = list[tuple[Any, Any]]


class GradientClipBase:
    """Clips of the parameters that need_clip(parameter) likes; all of them for None."""

    _need_clip: Callable[[Any], bool] | None = None

    def _takes(self, need_clip: Any) -> None:
        if need_clip is not None and not callable(need_clip):
            raise TypeError(f"need_clip is {type(need_clip).__name__}, not a function")
        self._need_clip = need_clip

    def _split(self, pairs: Pairs, clip: Callable[[Pairs], Pairs]) -> Pairs:
        """The pairs in their order, those that are to be clipped clipped."""
        if self._need_clip is None:
            return clip(pairs)
        made = {id(p): g for p, g in clip([(p, g) for p, g in pairs if self._need_clip(p)])}
        return [(p, made.get(id(p), g)) for p, g in pairs]

    def __call__(self, pairs: Pairs) -> Pairs:
        """The pairs with gradients clipped, those without a gradient left out; ops of it where
        gradients are variables of a program.
        """
        given = [(p, g) for p, g in pairs if g is not None]
        if given and isinstance(given[0][1], Variable):
            return self.clip_variables(given)
        return self._split(given, super().__call__)  # type: ignore[misc]

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """The same of gradients that are variables of a program."""
        return self._split(pairs, super().clip_variables)  # type: ignore[misc]


@instead("fluid.clip.GradientClipByValue", "paddle.nn.ClipGradByValue")
class GradientClipByValue(GradientClipBase, today.ClipGradByValue):
    """Every element limited to [min, max]; min is -max unless given."""

    def __init__(self, max: float, min: float | None = None, need_clip: Any = None) -> None:
        if not isinstance(max, float | int | np.number):
            raise OperandError(with_user_line(f"GradientClipByValue: max is {max!r}, no number"))
        super().__init__(max, min)
        self._takes(need_clip)

    def __str__(self) -> str:
        return f"Gradient Clip By Value, min = {self.min:f}, max={self.max:f}"


@instead("fluid.clip.GradientClipByNorm", "paddle.nn.ClipGradByNorm")
class GradientClipByNorm(GradientClipBase, today.ClipGradByNorm):
    """Every gradient scaled so that its norm is at most clip_norm."""

    def __init__(self, clip_norm: float, need_clip: Any = None) -> None:
        super().__init__(clip_norm)
        self._takes(need_clip)

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


@instead("fluid.clip.GradientClipByGlobalNorm", "paddle.nn.ClipGradByGlobalNorm")
class GradientClipByGlobalNorm(GradientClipBase, today.ClipGradByGlobalNorm):
    """All gradients scaled by one factor so that the norm of all together is at most clip_norm.

    group_name: of set_gradient_clip
    """

    def __init__(
        self, clip_norm: float, group_name: str = "default_group", need_clip: Any = None
    ) -> None:
        super().__init__(clip_norm)
        self.group_name = group_name
        self._takes(need_clip)

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


class ByParameter:
    """Clips every parameter of a program as its own gradient_clip_attr says, those of a group
    together.
    """

    def __call__(self, pairs: Pairs) -> Pairs:
        """The pairs as they are: only programs know such settings."""
        return pairs

    def clip_variables(self, pairs: Pairs) -> Pairs:
        """The pairs with gradients clipped."""
        groups: dict[Any, Pairs] = {}
        for pair in pairs:
            clip = getattr(pair[0], "gradient_clip_attr", None)
            groups.setdefault(
                getattr(clip, "group_name", id(clip)) if clip is not None else None, []
            ).append(pair)
        made: dict[int, Any] = {}
        for key, group in groups.items():
            clipped = group if key is None else group[0][0].gradient_clip_attr.clip_variables(group)
            made.update({id(p): g for p, g in clipped})
        return [(p, made[id(p)]) for p, _ in pairs]


@instead("fluid.clip.set_gradient_clip", "grad_clip= of an optimizer")
def set_gradient_clip(clip: Any, param_list: Any = None, program: Any = None) -> None:
    """Let the parameters of a program, all that are there unless given, be clipped by every
    optimizer that is told nothing else.

    In 1.8 itself nothing was clipped unless all parameters were listed; here, as in 1.5, those that
    are listed are.
    """
    if not hasattr(clip, "clip_variables"):
        raise TypeError("'clip' should be an instance of GradientClipBase's derived class")
    wanted = default_main_program() if program is None else program
    for item in wanted.global_block().all_parameters() if param_list is None else param_list:
        parameter: Any = wanted.global_block().var(item) if isinstance(item, str) else item
        parameter.gradient_clip_attr = clip


def append_gradient_clip_ops(param_grads: Pairs) -> Pairs:
    """The pairs clipped as `set_gradient_clip` said."""
    return ByParameter().clip_variables([(p, g) for p, g in param_grads if g is not None])


def _allow_pure_fp16_global_norm_clip(*args: Any) -> bool:
    """False: norms are taken in float32."""
    return False


class BaseErrorClipAttr:
    """Base of what `variable.error_clip` may be."""


class ErrorClipByValue(BaseErrorClipAttr):
    """For `variable.error_clip`: the gradient of the variable limited to [min, max] on its way
    back.
    """

    def __init__(self, max: float, min: float | None = None) -> None:
        self.max = float(max)
        self.min = -self.max if min is None else float(min)

    def __str__(self) -> str:
        return f"ByValue, min={self.min:f}, max={self.max:f}"
