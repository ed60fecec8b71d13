"""Factories of quanters and observers: a class with its arguments, without the layer."""

from __future__ import annotations

import abc
import sys
from collections.abc import Callable
from typing import Any, TypeVar

from ..core.errors import OperandError, append_user_line
from ..nn.layer import Layer

C = TypeVar("C", bound=type)


class ClassWithArguments(metaclass=abc.ABCMeta):
    """Base of the factories: a class and the arguments with which it is instantiated."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._args = args
        self._kwargs = kwargs

    @property
    def args(self) -> tuple[Any, ...]:
        """The positional arguments."""
        return self._args

    @property
    def kwargs(self) -> dict[str, Any]:
        """The keyword arguments."""
        return self._kwargs

    @abc.abstractmethod
    def _get_class(self) -> Any:
        """Return the class."""

    def __str__(self) -> str:
        arguments = [*map(str, self._args), *(f"{k}={v}" for k, v in self._kwargs.items())]
        return f"{type(self).__name__}({','.join(arguments)})"

    __repr__ = __str__


class QuanterFactory(ClassWithArguments):
    """Creates a quanter or observer for each layer, with the same arguments; `QuantConfig` takes
    it.
    """

    def _instance(self, layer: Layer | None) -> Any:
        """Create the quanter or observer of a layer."""
        return self._get_class()(layer, *self._args, **self._kwargs)


ObserverFactory = QuanterFactory


def require_factory_or_none(owner: str, name: str, value: Any) -> None:
    """Raise OperandError unless the value is a factory or None."""
    is_factory = hasattr(value, "_instance") and not isinstance(value, type)
    if value is not None and not is_factory:
        kind = value.__name__ if isinstance(value, type) else type(value).__name__
        raise OperandError(
            append_user_line(
                f"{owner}: {name} is {kind}, not a factory of quanters such as "
                f"FakeQuanterWithAbsMaxObserver()"
            )
        )


def quanter(class_name: str) -> Callable[[C], C]:
    """Return a class decorator that defines the factory of a quanter or observer class.

    The factory is added to the module of the class, and to its `__all__` if there is one. It takes
    the arguments of the class except for the first one, the layer.

    Parameters
    ----------
    class_name : str
        Name of the factory.

    Returns
    -------
    callable
        Takes and returns the class.

    Examples
    --------
    >>> from oarlock.quantization import BaseQuanter, quanter
    >>> @quanter("NoQuanter")
    ... class NoQuanterLayer(BaseQuanter):
    ...     def __init__(self, layer, bits=8):
    ...         super().__init__()
    ...         self.bits = bits
    ...
    ...     def forward(self, input):
    ...         return input
    ...
    ...     def scales(self):
    ...         return None
    ...
    ...     zero_points = quant_axis = scales
    ...
    ...     def bit_length(self):
    ...         return self.bits
    >>> import sys
    >>> sys.modules[NoQuanterLayer.__module__].NoQuanter(bits=4)
    NoQuanter(bits=4)
    """

    def decorate(target_class: C) -> C:
        module = sys.modules[target_class.__module__]
        members = {
            "_get_class": lambda _: target_class,
            "__module__": target_class.__module__,
            "__doc__": f"Factory of {target_class.__name__}.",
        }
        setattr(module, class_name, type(class_name, (QuanterFactory,), members))
        if hasattr(module, "__all__"):
            module.__all__.append(class_name)
        return target_class

    return decorate
