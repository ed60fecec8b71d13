"""Variable and Parameter as classes to ask with: what runs at once and what is written to a program are both."""

from __future__ import annotations

# ruff: noqa: ARG004 - signatures are Paddle's
from typing import Any

from ..core.parameter import Parameter as _Parameter
from ..core.tensor import Tensor
from ..static.program import Kind

__all__ = ["Parameter", "Variable"]


class _Asked(type):
    """Whose instances are those of another class."""

    _of: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._of)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._of)


class Variable(metaclass=_Asked):
    """A variable; called, it makes one in a block of a program."""

    _of = Tensor

    def __new__(
        cls, block: Any, type: Any = Kind.DENSE, name: str | None = None, shape: Any = None, dtype: Any = None, lod_level: int | None = None,
        capacity: Any = None, persistable: bool | None = None, error_clip: Any = None, stop_gradient: bool = False, is_data: bool = False,
        need_check_feed: bool = False, belong_to_optimizer: bool = False, **kwargs: Any,
    ) -> Any:  # fmt: skip
        """See Block.create_var."""
        made = block.create_var(
            name=name, shape=shape or (), dtype=dtype or "float32", lod_level=lod_level or 0, persistable=bool(persistable),
            stop_gradient=stop_gradient, type=type, is_data=is_data, need_check_feed=need_check_feed,
        )  # fmt: skip
        made.error_clip = error_clip
        return made


class Parameter(metaclass=_Asked):
    """A parameter; called, it makes one in a block of a program."""

    _of = _Parameter

    def __new__(cls, block: Any, shape: Any, dtype: Any, type: Any = Kind.DENSE, name: str = "", **kwargs: Any) -> Any:
        """See Block.create_parameter."""
        return block.create_parameter(name, shape, dtype, **kwargs)
