"""The base class Layer of Paddle 1.x, and layers that accept a name scope as first argument, as in
1.5.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

import numpy as np

from ...core import unique_name
from ...core.errors import ArgumentAssertionError, OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...nn.layer import Layer as _Layer
from ...static import default_main_program
from ..training_mode import TRAINING_MODE
from .layer_object_helper import LayerObjectHelper

__all__ = ["Layer"]

L = TypeVar("L", bound="type[OptionalNameScopeLayer]")

# The parameters of all layers of the process; an optimizer of Paddle 1.5 without a parameter list
# updates them.
_parameters: list[weakref.ref[Parameter]] = []


def all_parameters() -> list[Parameter]:
    """Return all parameters of layers that still exist, in the order of their creation."""
    _parameters[:] = [r for r in _parameters if r() is not None]
    return [p for p in (r() for r in _parameters) if p is not None]


class Layer(_Layer):
    """Base class of the layers of Paddle 1.x.

    name_scope: prefix of its full name

    `_build_once` is called before the first forward.

    The newer name is `paddle.nn.Layer`.
    """

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32") -> None:
        scope = self.__dict__.pop("_name_scope_given", None)
        super().__init__(name_scope, dtype)
        if scope is not None:
            self._full_name = scope
        self._built = False

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        """Create the parameters that depend on the inputs of the first call; called before it."""

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call forward and its hooks; the first call runs `_build_once` before."""
        if not self._built:
            self._build_once(*inputs, **kwargs)
            self._built = True
        return super().__call__(*inputs, **kwargs)

    def create_parameter(
        self,
        shape: Any,
        attr: Any = None,
        dtype: Any = "float32",
        is_bias: bool = False,
        default_initializer: Any = None,
    ) -> Any:
        """Create a parameter [*shape]; returns None if attr is False.

        shape and attr may be swapped, as in 1.5.
        """
        if isinstance(attr, list | tuple):
            shape, attr = attr, shape
        name = attr if isinstance(attr, str) else getattr(attr, "name", None)
        if (
            name
            and state.mode.program_builder is None
            and unique_name.register_user_name_and_report_if_known(name)
        ):
            why = (
                f"parameter name [{name}] has been used already; in dygraph mode "
                f"parameter names must be unique"
            )
            raise OpError(append_user_line(f"create_parameter: {why}"))
        parameter = super().create_parameter(
            shape, attr or None if attr == "" else attr, dtype, is_bias, default_initializer
        )
        if parameter is not None:
            _parameters.append(weakref.ref(parameter))
        return parameter

    @property
    def _helper(self) -> Any:
        """The LayerObjectHelper with which user-defined layers add ops."""
        return LayerObjectHelper(self._full_name)

    def create_variable(
        self,
        name: str | None = None,
        persistable: bool | None = None,
        dtype: Any = None,
        type: Any = None,
    ) -> Any:
        """Create an empty tensor whose name starts with that of the layer."""
        full_name = (
            unique_name.generate(f"{self._full_name}._generated_var")
            if name is None
            else f"{self._full_name}.{name}"
        )
        if state.mode.program_builder is not None:
            return (
                default_main_program()
                .current_block()
                .create_var(full_name, dtype=dtype, persistable=persistable)
            )
        return self.create_tensor(full_name, bool(persistable), dtype)

    def backward(self, *inputs: Any) -> None:
        """Raise ValueError, as in Paddle 1: a layer must not define its own backward."""
        raise ValueError("Layer shouldn't implement backward")

    # -- traversal: the second parameter has another name than in Paddle 2
    # ------------------------------------------------------------------

    def sublayers(self, include_sublayers: bool = True, include_self: bool = False) -> list[Any]:  # type: ignore[override]
        """Return the sublayers, recursively if include_sublayers."""
        return [layer for _, layer in self.named_sublayers("", include_sublayers, include_self)]

    def named_sublayers(  # type: ignore[override]
        self,
        prefix: str = "",
        include_sublayers: bool = True,
        include_self: bool = False,
        layers_set: Any = None,
    ) -> Iterator[tuple[str, Any]]:
        """Yield the sublayers with their dotted names, each once."""
        if include_sublayers:
            yield from super().named_sublayers(
                prefix, include_self=include_self, layers_set=layers_set
            )
        elif include_self:
            yield prefix, self

    # -- mode: global, because functions read it too
    # ---------------------------------------------

    def train(self) -> Self:
        """Set training mode for this layer, its sublayers and the functions of fluid.layers."""
        TRAINING_MODE.training = True
        return super().train()

    def eval(self) -> Self:
        """Set evaluation mode for this layer, its sublayers and the functions of fluid.layers."""
        TRAINING_MODE.training = False
        return super().eval()

    # -- state
    # --------------------------------------------------------------------------

    def _state_dict_impl(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        include_non_persistable_buffer: bool = False,
        use_hook: bool = True,
    ) -> dict[str, Any]:
        """Return the state of this layer, with the results of each sublayer's `state_dict`, as in
        Paddle 1.x.
        """
        state: dict[str, Any] = super()._state_dict_impl(
            destination, False, structured_name_prefix, include_non_persistable_buffer, use_hook
        )
        for name, layer in self._sub_layers.items() if include_sublayers else ():
            if layer is not None:
                state.update(layer.state_dict(state, True, f"{structured_name_prefix}{name}."))
        return state

    def set_dict(  # type: ignore[override]
        self, stat_dict: Any, include_sublayers: bool = True, use_structured_name: bool = True
    ) -> None:
        """Set values by name. Raises RuntimeError if a parameter has no value."""
        own = self.state_dict(include_sublayers=include_sublayers)
        names = {key if use_structured_name else tensor.name for key, tensor in own.items()}
        missing = sorted(names - set(stat_dict))
        if missing:
            raise RuntimeError(
                append_user_line(f"Parameter not found, Can't not find {missing} in stat_dict")
            )
        for key, tensor in own.items():
            value = stat_dict[key if use_structured_name else tensor.name]
            shape = tuple(np.shape(value.array if isinstance(value, Tensor) else value))
            if shape != tensor.meta.shape:
                raise ArgumentAssertionError(
                    append_user_line(f"set_dict: {key} gets shape {list(shape)} (X={tensor.meta})")
                )
        self.set_state_dict(stat_dict, use_structured_name)

    load_dict = set_dict  # type: ignore[assignment]


def apply_activation(layer: str, x: Any, act: str | None) -> Any:
    """Apply the activation whose op type is `act` to x; return x itself if `act` is None. Raises
    OpError for an unknown op.
    """
    if act is None:
        return x
    op = OPS.get(act)
    if op is None:
        raise OpError(append_user_line(f"{layer}: act={act!r} is not an activation"))
    return op(x)


def with_optional_name_scope_argument(
    *names: str, infer_arguments: Callable[..., dict[str, Any]] | None = None
) -> Callable[[L], L]:
    """Decorate a layer class, so that it also accepts the arguments of Paddle 1.5, which begin with
    a name scope.

    names: arguments of 1.5 after the name scope
    infer_arguments: infers required arguments from the others and the first inputs
    """

    def decorate(cls: L) -> L:
        init = cls.__init__

        @functools.wraps(init)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if not (
                "name_scope" in kwargs
                or (args and isinstance(args[0], str) and cls.is_leading_str_name_scope(args))
            ):
                init(self, *args, **kwargs)
                return
            scope = kwargs.pop("name_scope", None)
            scope, args = (args[0], args[1:]) if scope is None else (scope, args)
            named_args = dict(zip(names, args, strict=False)) | kwargs
            full_name = unique_name.generate(f"{scope}/{cls.__name__}")
            self.__dict__["_name_scope_given"] = full_name
            missing = cls.required_arguments - named_args.keys()
            if missing & {*names} and not named_args:
                raise TypeError(
                    append_user_line(f"{cls.__name__}: arguments are missing after the name scope")
                )
            if infer_arguments is None or not missing:
                init(self, **_filter_accepted_arguments(named_args, cls))
            else:
                Layer.__init__(self)
                self._deferred_init_args = (full_name, init, named_args, infer_arguments)

        cls.__init__ = __init__  # type: ignore[method-assign]
        return cls

    return decorate


def _filter_accepted_arguments(args: dict[str, Any], cls: Any) -> dict[str, Any]:
    """Return those of the arguments `args` that `__init__` of the layer class `cls` accepts."""
    return {k: v for k, v in args.items() if k in cls.arguments}


class OptionalNameScopeLayer(Layer):
    """Base class of layers that also accept the arguments of 1.5, which begin with a name scope.

    If required arguments are inferred from the first inputs, `__init__` runs at the first call.
    """

    arguments: frozenset[str] = frozenset()  # parameters of __init__
    required_arguments: frozenset[str] = frozenset()
    _deferred_init_args: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__init__")
        if own is None or hasattr(own, "__wrapped__"):
            return
        code, defaults = own.__code__, len(own.__defaults__ or ())
        names = code.co_varnames[1 : code.co_argcount]
        cls.arguments = frozenset(names)
        if "required_arguments" not in cls.__dict__:
            cls.required_arguments = frozenset(names[: len(names) - defaults])

    @classmethod
    def is_leading_str_name_scope(cls, args: tuple[Any, ...]) -> bool:
        """Whether the first of `args`, a str, is a name scope. Layers that accept another str first
        override this.
        """
        return bool(args)

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        """Run the `__init__` that was deferred until the first inputs are known, if there is
        one.
        """
        if self._deferred_init_args is None:
            return
        full_name, init, args, infer_arguments = self._deferred_init_args
        saved = {
            k: self.__dict__[k] for k in ("training", "_forward_pre_hooks", "_forward_post_hooks")
        }
        self.__dict__["_name_scope_given"] = full_name
        init(self, **_filter_accepted_arguments(args | infer_arguments(args, *inputs), type(self)))
        self.__dict__.update(saved)
        self._deferred_init_args = None
