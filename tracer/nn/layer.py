"""Layer: parameters, buffers and sublayers under names, and a forward that uses them."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

import numpy as np

from ..core import cuda, unique_name
from ..core.dtype import default_float, dtype_of, is_float, is_half
from ..core.errors import OperandError, OpError, with_user_line
from ..core.legacy_importer import legacy_module
from ..core.mode import state
from ..core.parameter import Parameter
from ..core.place import check_gpu_index, parse_place
from ..core.tensor import RemovableHook, Tensor
from .create_parameter import made_parameter
from .initializer import Initializer
from .param_attr import ParamAttr
from .state_dict import collect_state, set_values

__all__ = ["Layer"]

_FIRST = re.compile("(.)([A-Z][a-z]+)")
_REST = re.compile("([a-z])([A-Z])")


def snake_case(name: str) -> str:
    """`BatchNorm2D` -> `batch_norm2d`: Paddle's names for layers."""
    return _REST.sub(r"\1_\2", _FIRST.sub(r"\1_\2", name)).lower()


# how many attributes of layers were set so far: whoever remembers some need not look while it stays
changes = [0]


def _next_change() -> int:
    changes[0] += 1
    return changes[0]


class Hooks(dict[int, Callable[..., Any]]):
    """The hooks of a layer by number.

    changed_at: the number of the last change of them, which counts as one of the layer.
    """

    changed_at = 0

    def __setitem__(self, number: int, hook: Callable[..., Any]) -> None:
        self.changed_at = _next_change()
        super().__setitem__(number, hook)

    def __delitem__(self, number: int) -> None:
        self.changed_at = _next_change()
        super().__delitem__(number)

    def clear(self) -> None:
        """Take all away."""
        self.changed_at = _next_change()
        super().clear()

    def add(self, hook: Callable[..., Any]) -> RemovableLayerHook:
        """Add one, last."""
        made = RemovableLayerHook(self)
        self[made._hook_id] = hook
        return made


class RemovableLayerHook:
    """A handle that takes a hook of a layer away again."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks, self._hook_id = hooks, _next_change()

    def remove(self) -> bool:
        """Take the hook away; False when it was gone already."""
        if self._hook_id not in self._hooks:
            return False
        del self._hooks[self._hook_id]
        return True


def changed_at(layer: Layer) -> int:
    """The number among all `changes` that the last one of a layer itself has: of its attributes,
    tables and hooks.
    """
    members = layer.__dict__
    return max(
        members.get("_changed_at", 0),
        layer._forward_pre_hooks.changed_at,
        layer._forward_post_hooks.changed_at,
    )


class _Helper:
    """`layer._helper`: what layers written against the inside of Paddle add ops with. An attribute
    of the layer's own goes before it.
    """

    def __get__(self, layer: Layer | None, owner: type) -> Any:
        if layer is None:
            return self
        return legacy_module("dygraph.layer_object_helper").HelperOfToday(layer._full_name)


class Layer:
    """Base of all layers.

    Assigned Parameters, Layers and registered buffers are found by name; `forward` computes.
    """

    training: bool
    _helper = _Helper()

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32") -> None:
        self.training = True
        self._full_name = unique_name.generate(name_scope or snake_case(type(self).__name__))
        self._dtype = self._dtype_for(dtype)
        self._parameters: dict[str, Parameter | None] = OrderedDict()
        self._buffers: dict[str, Tensor | None] = OrderedDict()
        self._sub_layers: dict[str, Layer | None] = OrderedDict()
        self._non_persistable: set[str] = set()
        self._forward_pre_hooks = Hooks()
        self._forward_post_hooks = Hooks()
        self._state_hooks: list[Callable[..., Any]] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes; to be written by each layer."""
        raise NotImplementedError(f"{type(self).__name__} has no forward")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        """What forward gives, hooks included."""
        forward = self.forward if state.mode.is_eager else state.mode.convert_forward(self.forward)
        if not self._forward_pre_hooks and not self._forward_post_hooks:
            return forward(*inputs, **kwargs)
        for hook in list(self._forward_pre_hooks.values()):
            changed = hook(self, inputs)
            if changed is not None:
                inputs = changed if isinstance(changed, tuple) else (changed,)
        outputs = forward(*inputs, **kwargs)
        for hook in list(self._forward_post_hooks.values()):
            changed = hook(self, inputs, outputs)
            outputs = outputs if changed is None else changed
        return outputs

    # -- members
    # ------------------------------------------------------------------------------------- NOTE:
    # Members are both in their table (for traversal) and in __dict__ (so that reading one does not
    # call __getattr__).

    def __setattr__(self, name: str, value: Any) -> None:
        members = self.__dict__
        changes[0] = members["_changed_at"] = changes[0] + 1
        if isinstance(value, Parameter):
            self._own("_parameters", name)[name] = value
        elif isinstance(value, Layer):
            self._own("_sub_layers", name)[name] = value
        elif "_sub_layers" in members:  # the last of the tables: they are all there
            self._replace(name, value)
        members[name] = value

    def _own(self, table: str, name: str) -> dict[str, Any]:
        if table not in self.__dict__:
            raise OpError(
                f"{type(self).__name__}.{name}: call super().__init__() before assigning "
                f"parameters or layers"
            )
        for other in ("_parameters", "_buffers", "_sub_layers"):
            if other != table:
                self.__dict__[other].pop(name, None)
        found: dict[str, Any] = self.__dict__[table]
        return found

    def _replace(self, name: str, value: Any) -> None:
        """Keep the tables right when something that is no Parameter or Layer is assigned over a
        member.
        """
        if name in self._buffers and (value is None or isinstance(value, Tensor)):
            self._buffers[name] = value
            return
        for table in (self._parameters, self._sub_layers):
            if name in table:
                if value is not None:
                    raise OperandError(
                        f"{type(self).__name__}.{name}: a parameter or layer cannot "
                        f"become {type(value).__name__}"
                    )
                table[name] = None
        self._buffers.pop(name, None)

    def __delattr__(self, name: str) -> None:
        self.__dict__["_changed_at"] = _next_change()
        for table in (self._parameters, self._buffers, self._sub_layers):
            table.pop(name, None)
        object.__delattr__(self, name)

    def __dir__(self) -> Iterable[str]:
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._sub_layers})

    def _dtype_for(self, said: Any) -> np.dtype[Any]:
        """The dtype of its parameters: float32, which nobody has to say, stands for the default
        dtype.
        """
        dtype = default_float() if said is None else dtype_of(said).np
        return default_float() if dtype == np.float32 else dtype

    def create_parameter(
        self,
        shape: Any,
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """A new parameter, named like Paddle's.

        -> [*shape], or None when attr is False.

        Starts as attr says, else as default_initializer, else zeros for a bias and Xavier uniform
        for a weight.
        """
        spec = ParamAttr.of(attr)
        if spec is None:
            return None
        dtype = self._dtype if dtype is None else dtype_of(dtype).np
        return made_parameter(spec, shape, dtype, is_bias, default_initializer, self._full_name)

    def create_tensor(
        self, name: str | None = None, persistable: bool = False, dtype: Any = None
    ) -> Tensor:
        """An empty tensor of the layer's dtype, for a buffer."""
        made = Tensor(
            cuda.to_default_device(
                np.zeros([0], self._dtype if dtype is None else dtype_of(dtype).np)
            ),
            name=name,
        )
        made.persistable = persistable
        return made

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Register a parameter under `name`; None leaves a place for one."""
        if parameter is None:
            self._parameters[name] = None
            self.__dict__.update({name: None, "_changed_at": _next_change()})
        elif not isinstance(parameter, Parameter):
            raise OperandError(
                with_user_line(
                    f"add_parameter: {name} is a {type(parameter).__name__}, not a Parameter"
                )
            )
        else:
            setattr(self, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: Any) -> Any:
        """Register a layer under `name`; None keeps the place."""
        if sublayer is None:
            self._sub_layers[str(name)] = None
        elif not callable(sublayer):
            raise OperandError(
                with_user_line(f"add_sublayer: {name} is a {type(sublayer).__name__}, not a Layer")
            )
        setattr(self, str(name), sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Register a tensor that is state but no parameter.

        persistable: part of state_dict.
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise OperandError(
                with_user_line(
                    f"register_buffer: {name} is a {type(tensor).__name__}, not a Tensor"
                )
            )
        builder = state.mode.builder
        if tensor is not None and builder is not None:
            tensor = builder.buffer(tensor)
        self._buffers[name] = tensor
        if persistable:
            self._non_persistable.discard(name)
        else:
            self._non_persistable.add(name)
        self.__dict__.update({name: tensor, "_changed_at": _next_change()})

    # -- walks
    # --------------------------------------------------------------------------

    def full_name(self) -> str:
        """The unique name of this layer, e.g. `linear_0`."""
        return self._full_name

    def children(self) -> Iterator[Layer]:
        """The direct sublayers."""
        return (layer for _, layer in self.named_children())

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """The direct sublayers with their names."""
        return ((name, layer) for name, layer in self._sub_layers.items() if layer is not None)

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """All sublayers, however deep."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, layers_set: set[int] | None = None
    ) -> Iterator[tuple[str, Layer]]:
        """All sublayers with their dotted names, each once."""
        seen = set() if layers_set is None else layers_set
        if id(self) in seen:
            return
        seen.add(id(self))
        if include_self:
            yield prefix, self
        for name, layer in self.named_children():
            yield from layer.named_sublayers(
                prefix=f"{prefix}.{name}".lstrip("."), include_self=True, layers_set=seen
            )

    def _members(self, table: str, prefix: str, deep: bool) -> Iterator[tuple[str, Any]]:
        seen: set[int] = set()
        layers = (
            self.named_sublayers(prefix=prefix, include_self=True) if deep else [(prefix, self)]
        )
        for path, layer in layers:
            for name, tensor in getattr(layer, table).items():
                if tensor is not None and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield (f"{path}.{name}" if path else name), tensor

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """All parameters, each once."""
        return [p for _, p in self.named_parameters(include_sublayers=include_sublayers)]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their structured names, each once."""
        return self._members("_parameters", prefix, include_sublayers)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """All buffers, each once."""
        return [b for _, b in self.named_buffers(include_sublayers=include_sublayers)]

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their structured names, each once."""
        return self._members("_buffers", prefix, include_sublayers)

    def apply(self, fn: Callable[[Layer], Any]) -> Self:
        """Call `fn` with every sublayer and with this layer."""
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # -- state
    # --------------------------------------------------------------------------

    def state_dict(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Tensor]:
        """Parameters and persistable buffers by structured name: the live tensors, not copies."""
        return self._state_dict_impl(
            destination, include_sublayers, structured_name_prefix, False, use_hook
        )

    def to_static_state_dict(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Tensor]:
        """All parameters and buffers, persistable or not, by structured name; `jit.save` stores
        these names.
        """
        return self._state_dict_impl(
            destination, include_sublayers, structured_name_prefix, True, use_hook
        )

    def _state_dict_impl(
        self,
        destination: Any = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        include_non_persistable_buffer: bool = False,
        use_hook: bool = True,
    ) -> dict[str, Tensor]:
        """The state of this layer and its sublayers, whatever subclasses return from
        `state_dict`.
        """
        found: dict[str, Tensor] = OrderedDict() if destination is None else destination
        collect_state(
            self,
            found,
            include_sublayers,
            structured_name_prefix,
            include_non_persistable_buffer,
            use_hook,
        )
        for hook in self._state_hooks if use_hook else ():
            changed = hook(found)
            found = found if changed is None else changed
        return found

    def set_state_dict(
        self, state_dict: dict[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Set parameters and persistable buffers from a dict.

        Parameters
        ----------
        state_dict : dict of str to Tensor or ndarray
        use_structured_name : bool, default True
            Whether the keys are structured names (`fc.weight`) or names of tensors
            (`linear_0.w_0`).

        Returns
        -------
        missing_keys : list of str
            Names without a value of the right shape. Each is warned about, and its tensor keeps its
            value.
        unexpected_keys : list of str
            Keys of `state_dict` that were not used, those with a wrong shape included.
        """
        return set_values(self._state_dict_impl(use_hook=False), state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict

    def train(self) -> Self:
        """Training behaviour for this layer and all below."""
        layers: list[Layer] = [self, *self.sublayers()]
        for layer in layers:
            layer.training = True
        return self

    def eval(self) -> Self:
        """Inference behaviour for this layer and all below."""
        layers: list[Layer] = [self, *self.sublayers()]
        for layer in layers:
            layer.training = False
        return self

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        for parameter in self.parameters():
            parameter.clear_gradient(set_to_zero)

    def to(self, device: Any = None, dtype: Any = None, blocking: Any = None) -> Self:
        """Change the dtype of all floating parameters and buffers, and where all are.

        device: a Place, 'cpu', 'gpu', 'gpu:1'
        """
        if device is not None:
            self._move(check_gpu_index(parse_place(device, "to"), f"to: {str(device)!r}"))
        if dtype is not None:
            for layer in self.sublayers(include_self=True):
                layer._cast_own(dtype)
        return self

    def _move(self, index: int | None) -> None:
        """Put all parameters and buffers on one device.

        index: of a GPU, None for the processor
        """
        for layer in self.sublayers(include_self=True):
            for tensor in (*layer._parameters.values(), *layer._buffers.values()):
                if tensor is not None:
                    tensor.array = cuda.to_device(tensor.array, index)

    def astype(self, dtype: Any) -> Self:
        """Change the dtype of all floating parameters and buffers."""
        return self.to(dtype=dtype)

    def _cast_but(self, dtype: Any, excluded: Any) -> Self:
        kinds = tuple(excluded) if isinstance(excluded, list | tuple) else (excluded,)
        for layer in self.sublayers(include_self=True):
            if not isinstance(layer, kinds):
                layer._cast_own(dtype)
        return self

    def _cast_own(self, dtype: Any) -> None:
        """Change the dtype of this layer's own floating parameters and buffers."""
        self._dtype = dtype_of(dtype).np
        for tensor in (*self._parameters.values(), *self._buffers.values()):
            if tensor is not None and is_float(tensor.array.dtype):
                tensor.array = tensor.array.astype(self._dtype)

    def float(self, excluded_layers: Any = None) -> Self:
        """All floating parameters and buffers in float32, but those of the layers of excluded
        types.
        """
        return self._cast_but("float32", excluded_layers or ())

    def float16(self, excluded_layers: Any = None) -> Self:
        """All floating parameters and buffers in float16, but those of the layers of excluded
        types; None: batch norms.
        """
        return self._cast_but(
            "float16", KeepsFloat32 if excluded_layers is None else excluded_layers
        )

    def bfloat16(self, excluded_layers: Any = None) -> Self:
        """All floating parameters and buffers in bfloat16, but those of the layers of excluded
        types; None: batch norms.
        """
        return self._cast_but(
            "bfloat16", KeepsFloat32 if excluded_layers is None else excluded_layers
        )

    half = float16

    # -- hooks
    # --------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable[[Layer, Any], Any]) -> RemovableLayerHook:
        """Call `hook(layer, inputs)` before forward; what it returns, if not None, replaces the
        inputs.
        """
        return self._forward_pre_hooks.add(hook)

    def register_forward_post_hook(
        self, hook: Callable[[Layer, Any, Any], Any]
    ) -> RemovableLayerHook:
        """Call `hook(layer, inputs, outputs)` after forward; what it returns, if not None, replaces
        the outputs.
        """
        return self._forward_post_hooks.add(hook)

    def register_state_dict_hook(self, hook: Callable[[Any], Any]) -> RemovableHook:
        """Call `hook(state_dict)` when state_dict() is made; what it returns, if not None, replaces
        it.
        """
        self._state_hooks.append(hook)
        return RemovableHook(self._state_hooks, hook)

    # -- text
    # --------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """What `print` shows of the layer's settings."""
        return ""

    def __repr__(self) -> str:
        lines = [
            f"({name}): " + repr(layer).replace("\n", "\n  ")
            for name, layer in self.named_children()
        ]
        if not lines:
            return f"{type(self).__name__}({self.extra_repr()})"
        inner = "\n  ".join(lines)
        return f"{type(self).__name__}({self.extra_repr()}\n  {inner}\n)"


class KeepsFloat32(Layer):
    """Base of the layers whose statistics half precision could not hold: float16() and bfloat16()
    leave them alone.
    """

    def _dtype_for(self, said: Any) -> np.dtype[Any]:
        """Half precision is no default for them either."""
        dtype = super()._dtype_for(said)
        return np.dtype(np.float32) if is_half(dtype) else dtype
