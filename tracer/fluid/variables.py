"""Classes for isinstance: Variable and Parameter accept eager tensors and variables of programs,
VarBase and ParamBase eager tensors only.
"""

from __future__ import annotations

# ruff: noqa: ARG004 - signatures are Paddle's
from typing import Any

import numpy as np

from ..capture.modes import find_static_base_mode
from ..capture.variable import Variable as _ProgramVariable
from ..core import unique_name
from ..core.dtype import parse_dtype
from ..core.mode import state
from ..core.parameter import Parameter as _Parameter
from ..core.tensor import Tensor
from ..ir.program import VarKind

__all__ = ["ParamBase", "Parameter", "VarBase", "Variable"]


class _InstanceCheckMeta(type):
    """Metaclass of classes whose instances are those of another class."""

    _accepted_type: type

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls._accepted_type)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls._accepted_type)


class _EagerInstanceCheckMeta(_InstanceCheckMeta):
    """Metaclass of classes that do not accept variables of programs, except while a function is
    recorded that follows its eager execution.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        if not super().__instancecheck__(instance):
            return False
        if not isinstance(instance, _ProgramVariable):
            return True
        mode = find_static_base_mode(state.mode)
        return mode is not None and mode.recorder.strict

    def __subclasscheck__(cls, subclass: type) -> bool:
        return super().__subclasscheck__(subclass) and not issubclass(subclass, _ProgramVariable)


class Variable(metaclass=_InstanceCheckMeta):
    """A variable or tensor; a call declares a variable in a block of a program.

    The newer name is `paddle.static.Variable`.
    """

    _accepted_type = Tensor

    def __new__(
        cls,
        block: Any,
        type: Any = VarKind.DENSE,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        lod_level: int | None = None,
        capacity: Any = None,
        persistable: bool | None = None,
        error_clip: Any = None,
        stop_gradient: bool = False,
        is_data: bool = False,
        need_check_feed: bool = False,
        belong_to_optimizer: bool = False,
        **kwargs: Any,
    ) -> Any:
        """Declare a variable, as `Block.create_var`."""
        variable = block.create_var(
            name=name,
            shape=shape,
            dtype=dtype,
            lod_level=lod_level,
            persistable=persistable,
            stop_gradient=stop_gradient,
            type=type,
            is_data=is_data,
            need_check_feed=need_check_feed,
        )
        variable.error_clip = error_clip
        return variable


class Parameter(metaclass=_InstanceCheckMeta):
    """A parameter; a call creates one in a block of a program."""

    _accepted_type = _Parameter

    def __new__(
        cls,
        block: Any,
        shape: Any,
        dtype: Any,
        type: Any = VarKind.DENSE,
        name: str = "",
        **kwargs: Any,
    ) -> Any:
        """Create a parameter, as `Block.create_parameter`."""
        return block.create_parameter(shape, dtype, type, name or None, **kwargs)


class VarBase(metaclass=_EagerInstanceCheckMeta):
    """A tensor of dygraph mode; a call creates one from an array.

    The newer name is `paddle.Tensor`.
    """

    _accepted_type = Tensor

    def __new__(
        cls,
        value: Any = None,
        place: Any = None,
        persistable: bool = False,
        zero_copy: bool = False,
        name: str | None = None,
        stop_gradient: bool = True,
        **kwargs: Any,
    ) -> Any:
        """Create a tensor with a copy of value."""
        tensor = Tensor(np.array(value), name=name or unique_name.generate("generated_var"))
        tensor.persistable, tensor.stop_gradient = persistable, stop_gradient
        return tensor


class ParamBase(metaclass=_EagerInstanceCheckMeta):
    """A parameter of dygraph mode; a call creates one with zeros [*shape]."""

    _accepted_type = _Parameter

    def __new__(
        cls,
        shape: Any,
        dtype: Any,
        name: str | None = None,
        trainable: bool = True,
        **settings: Any,
    ) -> Any:
        """Create a parameter. settings: attributes such as optimize_attr, regularizer and
        need_clip
        """
        parameter = _Parameter(
            np.zeros(tuple(shape), parse_dtype(dtype).np),
            trainable=trainable,
            name=name or unique_name.generate("_eager_param_base"),
        )
        for key, value in settings.items():
            setattr(parameter, key, value)
        return parameter

    @classmethod
    def from_tensor(cls, tensor: Tensor, **settings: Any) -> Any:
        """Create a parameter with the value of a tensor."""
        parameter = cls(tensor.shape, tensor.dtype, **settings)
        parameter.set_value(tensor)
        return parameter
