"""Layer as Paddle 1.x had it, and how layers take a name scope before everything else, as
in 1.5.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any, Self, TypeVar

import numpy as np

from ...core import unique_name
from ...core.errors import MisfitError, OpError, with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...core.parameter import Parameter
from ...core.tensor import Tensor
from ...nn.layer import Layer as _Layer
from ...static import default_main_program
from ..phase import PHASE
from .layer_object_helper import LayerObjectHelper

__all__ = ["Layer"]

L = TypeVar("L", bound="type[Scoped]")

# All layers: an optimizer of 1.5 without a parameter list updates their parameters.
_made: list[weakref.ref[Parameter]] = []


def all_parameters() -> list[Parameter]:
    """The parameters of all layers that are still there, in the order in which they were made."""
    _made[:] = [r for r in _made if r() is not None]
    return [p for p in (r() for r in _made) if p is not None]


class Layer(_Layer):
    """Base of the layers of Paddle 1.x.

    name_scope: what its full name begins with; `_build_once` is called before the first forward.
    """

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32") -> None:
        scope = self.__dict__.pop("_name_scope_given", None)
        super().__init__(name_scope, dtype)
        if scope is not None:
            self._full_name = scope
        self._built = False

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        """What can only be made when the first inputs are known."""

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """What forward gives, hooks included."""
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
        """A new parameter [*shape], None when attr is False.

        In 1.5 attr came first, which is understood.
        """
        if isinstance(attr, list | tuple):
            shape, attr = attr, shape
        name = attr if isinstance(attr, str) else getattr(attr, "name", None)
        if name and state.mode.builder is None and unique_name.register_user_name(name):
            why = (
                f"parameter name [{name}] has been used already; in dygraph mode each "
                f"parameter has a name of its own"
            )
            raise OpError(with_user_line(f"create_parameter: {why}"))
        made = super().create_parameter(
            shape, attr or None if attr == "" else attr, dtype, is_bias, default_initializer
        )
        if made is not None:
            _made.append(weakref.ref(made))
        return made

    @property
    def _helper(self) -> Any:
        """What layers of one's own add ops with."""
        return LayerObjectHelper(self._full_name)

    def create_variable(
        self,
        name: str | None = None,
        persistable: bool | None = None,
        dtype: Any = None,
        type: Any = None,
    ) -> Any:
        """An empty tensor, named after the layer."""
        full = (
            unique_name.generate(f"{self._full_name}._generated_var")
            if name is None
            else f"{self._full_name}.{name}"
        )
        if state.mode.builder is not None:
            return (
                default_main_program()
                .current_block()
                .create_var(full, dtype=dtype, persistable=persistable)
            )
        return self.create_tensor(full, bool(persistable), dtype)

    def backward(self, *inputs: Any) -> None:
        """Not for layers: raises ValueError."""
        raise ValueError("Layer shouldn't implement backward")

    # -- traversal: the second parameter had another name
    # ------------------------------------------------------------------

    def sublayers(self, include_sublayers: bool = True, include_self: bool = False) -> list[Any]:  # type: ignore[override]
        """The layers in this one, those below them too unless told otherwise."""
        return [layer for _, layer in self.named_sublayers("", include_sublayers, include_self)]

    def named_sublayers(  # type: ignore[override]
        self,
        prefix: str = "",
        include_sublayers: bool = True,
        include_self: bool = False,
        layers_set: Any = None,
    ) -> Iterator[tuple[str, Any]]:
        """The layers in this one with their dotted names, each once."""
        if include_sublayers:
            yield from super().named_sublayers(
                prefix, include_self=include_self, layers_set=layers_set
            )
        elif include_self:
            yield prefix, self

    # -- mode: one for all layers at once, which functions read as well
    # ---------------------------------------------

    def train(self) -> Self:
        """Training behaviour for this layer and all below, and for functions."""
        PHASE.training = True
        return super().train()

    def eval(self) -> Self:
        """Inference behaviour for this layer and all below, and for functions."""
        PHASE.training = False
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
        """The state of this layer and the results of each sublayer's `state_dict`, which Paddle 1.x
        called.
        """
        found: dict[str, Any] = super()._state_dict_impl(
            destination, False, structured_name_prefix, include_non_persistable_buffer, use_hook
        )
        for name, layer in self._sub_layers.items() if include_sublayers else ():
            if layer is not None:
                found.update(layer.state_dict(found, True, f"{structured_name_prefix}{name}."))
        return found

    def set_dict(  # type: ignore[override]
        self, stat_dict: Any, include_sublayers: bool = True, use_structured_name: bool = True
    ) -> None:
        """Take over values by name.   Raises RuntimeError for a parameter without one."""
        own = self.state_dict(include_sublayers=include_sublayers)
        names = {key if use_structured_name else tensor.name for key, tensor in own.items()}
        missing = sorted(names - set(stat_dict))
        if missing:
            raise RuntimeError(
                with_user_line(f"Parameter not found, Can't not find {missing} in stat_dict")
            )
        for key, tensor in own.items():
            given = stat_dict[key if use_structured_name else tensor.name]
            if (
                shape := tuple(np.shape(given.array if isinstance(given, Tensor) else given))
            ) != tensor.meta.shape:
                raise MisfitError(
                    with_user_line(f"set_dict: {key} is given {list(shape)} (X={tensor.meta})")
                )
        self.set_state_dict(stat_dict, use_structured_name)

    load_dict = set_dict  # type: ignore[assignment]


def activated(layer: str, x: Any, act: str | None) -> Any:
    """An activation of x by the type of its op.   Raises OpError for one that is none."""
    if act is None:
        return x
    op = OPS.get(act)
    if op is None:
        raise OpError(with_user_line(f"{layer}: act={act!r} is not an activation"))
    return op(x)


def scoped(*names: str, later: Callable[..., dict[str, Any]] | None = None) -> Callable[[L], L]:
    """Decorate a layer: with a name scope first, its arguments are those of 1.5.

    names: of those arguments, without the scope; later: from the given ones and the first inputs,
    what today's layer wants besides.
    """

    def decorate(made: L) -> L:
        start = made.__init__

        @functools.wraps(start)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            if not (
                "name_scope" in kwargs
                or (args and isinstance(args[0], str) and made.takes_scope(args))
            ):
                start(self, *args, **kwargs)
                return
            scope = kwargs.pop("name_scope", None)
            scope, args = (args[0], args[1:]) if scope is None else (scope, args)
            given = dict(zip(names, args, strict=False)) | kwargs
            full = unique_name.generate(f"{scope}/{made.__name__}")
            self.__dict__["_name_scope_given"] = full
            missing = made.wanted - given.keys()
            if missing & {*names} and not given:
                raise TypeError(
                    with_user_line(
                        f"{made.__name__}: a name scope comes first, and nothing behind it"
                    )
                )
            if later is None or not missing:
                start(self, **_known(given, made))
            else:
                Layer.__init__(self)
                self._waiting = (full, start, given, later)

        made.__init__ = __init__  # type: ignore[method-assign]
        return made

    return decorate


def _known(given: dict[str, Any], made: Any) -> dict[str, Any]:
    """What today's layer takes."""
    return {k: v for k, v in given.items() if k in made.taken}


class Scoped(Layer):
    """Base of the layers that may wait for their first inputs."""

    taken: frozenset[str] = frozenset()  # parameters of __init__
    wanted: frozenset[str] = frozenset()  # required parameters
    _waiting: Any = None

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = cls.__dict__.get("__init__")
        if own is None or hasattr(own, "__wrapped__"):
            return
        code, defaults = own.__code__, len(own.__defaults__ or ())
        names = code.co_varnames[1 : code.co_argcount]
        cls.taken = frozenset(names)
        if "wanted" not in cls.__dict__:
            cls.wanted = frozenset(names[: len(names) - defaults])

    @classmethod
    def takes_scope(cls, args: tuple[Any, ...]) -> bool:
        """Whether a str that comes first is a name scope."""
        return bool(args)

    def _build_once(self, *inputs: Any, **kwargs: Any) -> None:
        """Make what waited for the first inputs."""
        if self._waiting is None:
            return
        full, start, given, later = self._waiting
        kept = {
            k: self.__dict__[k] for k in ("training", "_forward_pre_hooks", "_forward_post_hooks")
        }
        self.__dict__["_name_scope_given"] = full
        start(self, **_known(given | later(given, *inputs), type(self)))
        self.__dict__.update(kept)
        self._waiting = None
