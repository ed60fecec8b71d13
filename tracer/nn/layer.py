"""Layer: base class with parameters, buffers, sublayers and a `forward` method."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import (
    TYPE_CHECKING,
    Any,
    Literal,
    ParamSpec,
    Protocol,
    Self,
    TypeAlias,
    TypeVar,
    overload,
)

import numpy as np

from ..core import cuda, unique_name
from ..core.dtype import default_float_np_dtype, is_half, is_inexact, parse_dtype
from ..core.errors import OperandError, OpError, append_user_line
from ..core.legacy_importer import import_legacy_module
from ..core.mode import state
from ..core.name_hints import LAYER_ATTRIBUTES, suggest_alternatives
from ..core.parameter import Parameter
from ..core.place import parse_place, require_usable_gpu_index_unless_cpu
from ..core.tensor import RemovableHookHandle, Tensor
from ..core.type_aliases import DTypeLike, PlaceLike, Shape, TensorLike
from .create_parameter import create_parameter_from_param_attr
from .initializer import Initializer
from .param_attr import ParamAttr
from .state_dict import add_parameters_and_buffers_to_state, assign_matching_state_dict_values
from .type_aliases import ParamAttrLike

__all__ = ["Layer"]

_CAPITALIZED_WORD = re.compile("(.)([A-Z][a-z]+)")
_LOWER_UPPER = re.compile("([a-z])([A-Z])")


def to_snake_case(name: str) -> str:
    """Convert a class name to snake case: `BatchNorm2D` -> `batch_norm2d`, as Paddle does."""
    return _LOWER_UPPER.sub(r"\1_\2", _CAPITALIZED_WORD.sub(r"\1_\2", name)).lower()


# The number of mutations of all layers. While this counter is unchanged, guards on layers need no
# check.
version_counter = [0]


def _increment_and_get_global_version() -> int:
    version_counter[0] += 1
    return version_counter[0]


class _VersionedHooks(dict[int, Callable[..., Any]]):
    """The hooks of a layer by id, with a version that increases at each change.

    `version` is the value of `version_counter` at the last mutation.
    """

    version = 0

    def __setitem__(self, hook_id: int, hook: Callable[..., Any]) -> None:
        self.version = _increment_and_get_global_version()
        super().__setitem__(hook_id, hook)

    def __delitem__(self, hook_id: int) -> None:
        self.version = _increment_and_get_global_version()
        super().__delitem__(hook_id)

    def clear(self) -> None:
        """Remove all hooks."""
        self.version = _increment_and_get_global_version()
        super().clear()

    def add(self, hook: Callable[..., Any]) -> LayerHookHandle:
        """Append a hook."""
        handle = LayerHookHandle(self)
        self[handle._hook_id] = hook
        return handle


class LayerHookHandle:
    """A handle that removes a hook of a layer."""

    def __init__(self, hooks: _VersionedHooks) -> None:
        self._hooks, self._hook_id = hooks, _increment_and_get_global_version()

    def remove(self) -> bool:
        """Remove the hook; return False if it was removed before."""
        if self._hook_id not in self._hooks:
            return False
        del self._hooks[self._hook_id]
        return True


def version_of_last_own_mutation(layer: Layer) -> int:
    """Return the version of a layer: the value of `version_counter` at its last mutation.

    Mutations of its attributes, members and hooks count, those of its sublayers do not.
    """
    members = layer.__dict__
    return max(
        members.get("_layer_version", 0),
        layer._forward_pre_hooks.version,
        layer._forward_post_hooks.version,
    )


class _LayerHelperDescriptor:
    """Descriptor of `layer._helper`, which layers written against Paddle's internals use to append
    ops. An attribute `_helper` of the instance takes precedence over the descriptor.
    """

    def __get__(self, layer: Layer | None, owner: type) -> Any:
        if layer is None:
            return self
        return import_legacy_module("dygraph.layer_object_helper").Paddle2LayerHelper(
            layer._full_name
        )


Parameters = ParamSpec("Parameters")
ResultT_co = TypeVar("ResultT_co", covariant=True)


class HasForward(Protocol[Parameters, ResultT_co]):
    """A layer, for type checkers: calling it takes the arguments of `forward`."""

    def forward(self, *inputs: Parameters.args, **kwargs: Parameters.kwargs) -> ResultT_co:
        """Compute the outputs."""


SublayerT = TypeVar("SublayerT", bound=Callable[..., Any] | None)  # usually a layer


@suggest_alternatives(LAYER_ATTRIBUTES)
class Layer:
    """Base class of all layers: parameters, buffers, sublayers and a `forward` method.

    Assigning a Parameter or a Layer to an attribute registers it under a structured name, such as
    `fc.weight`. Subclasses call ``super().__init__()`` first, create their members in `__init__`
    and compute in `forward`. A call of the layer runs the pre-forward hooks, `forward` and the
    post-forward hooks.

    Parameters
    ----------
    name_scope : str, optional
        Start of the layer's unique name and of the names of its parameters; by default the name of
        the class in snake case.
    dtype : dtype or str, default "float32"
        Dtype of the parameters. "float32" and None stand for `paddle.get_default_dtype()`.

    Attributes
    ----------
    training : bool
        True until `eval` is called; layers such as Dropout and BatchNorm depend on it.

    Raises
    ------
    OpError
        If a parameter or layer is assigned before ``super().__init__()``, or a number or another
        value (other than None) to the name of a parameter or layer.

    Examples
    --------
    >>> class Block(nn.Layer):
    ...     def __init__(self, size):
    ...         super().__init__()
    ...         self.fc = nn.Linear(size, size)
    ...     def forward(self, x):
    ...         return x + F.relu(self.fc(x))
    >>> block = Block(4)
    >>> block(paddle.zeros([2, 4])).shape
    [2, 4]
    >>> [name for name, _ in block.named_parameters()]
    ['fc.weight', 'fc.bias']
    """

    training: bool
    _helper = _LayerHelperDescriptor()

    def __init__(self, name_scope: str | None = None, dtype: DTypeLike = "float32") -> None:
        self.training = True
        self._full_name = unique_name.generate(name_scope or to_snake_case(type(self).__name__))
        self._dtype = self._choose_parameter_dtype(dtype)
        self._parameters: dict[str, Parameter | None] = OrderedDict()
        self._buffers: dict[str, Tensor | None] = OrderedDict()
        self._sub_layers: dict[str, Layer | None] = OrderedDict()
        self._non_persistable: set[str] = set()
        self._forward_pre_hooks = _VersionedHooks()
        self._forward_post_hooks = _VersionedHooks()
        self._state_hooks: list[Callable[..., Any]] = []

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Compute the outputs of the layer; subclasses override this method.

        Call the layer itself, not `forward`: only a call of the layer runs its hooks.

        Parameters
        ----------
        *inputs : Any
            Arguments of the call, usually tensors.
        **kwargs : Any
            Keyword arguments of the call.

        Returns
        -------
        Any
            The outputs, usually a tensor or a nested structure of tensors.

        Raises
        ------
        NotImplementedError
            If the class does not override `forward`.

        Examples
        --------
        >>> class Twice(nn.Layer):
        ...     def forward(self, x):
        ...         return x + x
        >>> Twice()(paddle.to_tensor([1, 2])).tolist()
        [2, 4]
        """
        raise NotImplementedError(
            f"{type(self).__name__} has no method forward; define forward(self, x), which runs "
            "when the layer is called"
        )

    if TYPE_CHECKING:

        def __call__(
            self: HasForward[Parameters, ResultT_co],
            *inputs: Parameters.args,
            **kwargs: Parameters.kwargs,
        ) -> ResultT_co:
            raise NotImplementedError

    else:

        def __call__(self, *inputs, **kwargs):
            """Call the pre-forward hooks, `forward` and the post-forward hooks; return the
            outputs.
            """
            mode = state.mode
            forward = mode.convert_forward(self.forward) if mode.converts_forward else self.forward
            if not self._forward_pre_hooks and not self._forward_post_hooks:
                return forward(*inputs, **kwargs)
            for hook in list(self._forward_pre_hooks.values()):
                replacement = hook(self, inputs)
                if replacement is not None:
                    inputs = replacement if isinstance(replacement, tuple) else (replacement,)
            outputs = forward(*inputs, **kwargs)
            for hook in list(self._forward_post_hooks.values()):
                replacement = hook(self, inputs, outputs)
                outputs = outputs if replacement is None else replacement
            return outputs

    # -- members
    # ------------------------------------------------------------------------------------- NOTE:
    # Members are both in their table (for traversal) and in __dict__ (so that reading one does not
    # call __getattr__).

    def __setattr__(self, name: str, value: Any) -> None:
        members = self.__dict__
        version_counter[0] = members["_layer_version"] = version_counter[0] + 1
        if isinstance(value, Parameter):
            self._get_table_and_clear_name_in_others("_parameters", name)[name] = value
        elif isinstance(value, Layer):
            self._get_table_and_clear_name_in_others("_sub_layers", name)[name] = value
        elif "_sub_layers" in members:  # __init__ has created all tables
            self._update_members_for_plain_value(name, value)
        members[name] = value

    def _get_table_and_clear_name_in_others(self, table: str, name: str) -> dict[str, Any]:
        """Prepare the assignment of a member: return the table `table` (such as `_parameters`),
        after removing `name` from the other tables of members.
        """
        if table not in self.__dict__:
            raise OpError(
                append_user_line(
                    f"{type(self).__name__}.{name}: call super().__init__() before assigning "
                    f"parameters or layers"
                )
            )
        for other in ("_parameters", "_buffers", "_sub_layers"):
            if other != table:
                self.__dict__[other].pop(name, None)
        members: dict[str, Any] = self.__dict__[table]
        return members

    def _update_members_for_plain_value(self, name: str, value: Any) -> None:
        """Update the tables of members if a value that is neither a Parameter nor a Layer is
        assigned to the name of a member.
        """
        if name in self._buffers and (value is None or isinstance(value, Tensor)):
            self._buffers[name] = value
            return
        for table in (self._parameters, self._sub_layers):
            if name in table:
                if value is not None:
                    raise OperandError(
                        append_user_line(
                            f"{type(self).__name__}.{name}: a parameter or layer cannot "
                            f"become {type(value).__name__}"
                        )
                    )
                table[name] = None
        self._buffers.pop(name, None)

    def __delattr__(self, name: str) -> None:
        self.__dict__["_layer_version"] = _increment_and_get_global_version()
        for table in (self._parameters, self._buffers, self._sub_layers):
            table.pop(name, None)
        object.__delattr__(self, name)

    def __dir__(self) -> Iterable[str]:
        return sorted({*object.__dir__(self), *self._parameters, *self._buffers, *self._sub_layers})

    def _choose_parameter_dtype(self, dtype: Any) -> np.dtype[Any]:
        """Return the dtype of the parameters; float32 (the default argument) selects the default
        dtype.
        """
        resolved = default_float_np_dtype() if dtype is None else parse_dtype(dtype).np
        return default_float_np_dtype() if resolved == np.float32 else resolved

    @overload
    def create_parameter(
        self,
        shape: Shape,
        attr: Literal[False],
        dtype: DTypeLike | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> None: ...
    @overload
    def create_parameter(
        self,
        shape: Shape,
        attr: ParamAttr | Initializer | str | Literal[True] | None = None,
        dtype: DTypeLike | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Parameter: ...
    @overload
    def create_parameter(
        self,
        shape: Shape,
        attr: ParamAttrLike | None,
        dtype: DTypeLike | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any: ...
    def create_parameter(
        self,
        shape: Shape,
        attr: ParamAttrLike | None = None,
        dtype: DTypeLike | None = None,
        is_bias: bool = False,
        default_initializer: Initializer | None = None,
    ) -> Any:
        """Create a parameter that is initialized as `attr` specifies; None if `attr` is False.

        The first of these that is set initializes it: the initializer of `attr`, the global
        initializer (`nn.initializer.set_global_initializer`), `default_initializer`, zeros for a
        bias, Xavier uniform for a weight. The parameter belongs to the layer once it is assigned to
        an attribute.

        Parameters
        ----------
        shape : list of int or tuple of int
        attr : ParamAttr, Initializer, str or bool, optional
            A str is the name of the parameter. False: create nothing.
        dtype : dtype or str, optional
            By default the dtype of the layer.
        is_bias : bool, default False
            Whether the default initial value is 0, and the generated name ends with `b_0`, not
            `w_0`.
        default_initializer : Initializer, optional

        Returns
        -------
        Parameter [*shape], or None

        Raises
        ------
        OpError
            If `attr` has another type, or the dtype is unknown.

        Examples
        --------
        >>> class Scale(nn.Layer):
        ...     def __init__(self, size):
        ...         super().__init__()
        ...         self.weight = self.create_parameter(
        ...             [size], default_initializer=nn.initializer.Constant(2.0)
        ...         )
        ...     def forward(self, x):
        ...         return x * self.weight
        >>> Scale(2)(paddle.ones([1, 2])).tolist()
        [[2.0, 2.0]]
        """
        spec = ParamAttr.of(attr)
        if spec is None:
            return None
        dtype = self._dtype if dtype is None else parse_dtype(dtype).np
        return create_parameter_from_param_attr(
            spec, shape, dtype, is_bias, default_initializer, self._full_name
        )

    def create_tensor(
        self, name: str | None = None, persistable: bool = False, dtype: DTypeLike | None = None
    ) -> Tensor:
        """Create an empty tensor, to be filled and registered as a buffer.

        Parameters
        ----------
        name : str, optional
            Name of the tensor; generated by default.
        persistable : bool, default False
            Value of the attribute `persistable` of the tensor.
        dtype : dtype or str, optional
            By default the dtype of the layer.

        Returns
        -------
        Tensor [0], `dtype`

        Examples
        --------
        >>> nn.Layer().create_tensor(dtype="int64").shape
        [0]
        """
        tensor = Tensor(
            cuda.to_default_device(
                np.zeros([0], self._dtype if dtype is None else parse_dtype(dtype).np)
            ),
            name=name,
        )
        tensor.persistable = persistable
        return tensor

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Register a parameter under a name, like an assignment to the attribute `name`.

        Parameters
        ----------
        name : str
        parameter : Parameter or None
            With None, the attribute `name` is None until a parameter is assigned.

        Returns
        -------
        Parameter or None
            `parameter`.

        Raises
        ------
        OpError
            If `parameter` is neither a Parameter nor None.

        Examples
        --------
        >>> layer = nn.Layer()
        >>> weight = layer.add_parameter("weight", layer.create_parameter([2, 3]))
        >>> layer.weight is weight, [name for name, _ in layer.named_parameters()]
        (True, ['weight'])
        """
        if parameter is None:
            self._parameters[name] = None
            self.__dict__.update(
                {name: None, "_layer_version": _increment_and_get_global_version()}
            )
        elif not isinstance(parameter, Parameter):
            raise OperandError(
                append_user_line(
                    f"add_parameter: {name} is a {type(parameter).__name__}, not a Parameter"
                )
            )
        else:
            setattr(self, name, parameter)
        return parameter

    def add_sublayer(self, name: str, sublayer: SublayerT) -> SublayerT:
        """Register a layer under a name, like an assignment to the attribute `name`.

        Parameters
        ----------
        name : str
        sublayer : Layer or None
            With None, the attribute `name` is None until a layer is assigned. Another callable
            becomes a plain attribute.

        Returns
        -------
        Layer or None
            `sublayer`.

        Raises
        ------
        OpError
            If `sublayer` is neither callable nor None.

        Examples
        --------
        >>> net = nn.Layer()
        >>> fc = net.add_sublayer("fc", nn.Linear(2, 3))
        >>> net.fc is fc, len(net.parameters())
        (True, 2)
        """
        if sublayer is None:
            self._sub_layers[str(name)] = None
        elif not callable(sublayer):
            raise OperandError(
                append_user_line(
                    f"add_sublayer: {name} is a {type(sublayer).__name__}, not a Layer"
                )
            )
        setattr(self, str(name), sublayer)
        return sublayer

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Register a tensor that is state of the layer but not a parameter, such as a running mean.

        A later assignment of a tensor to the attribute replaces the buffer.

        Parameters
        ----------
        name : str
        tensor : Tensor or None
            With None, the attribute `name` is None until a tensor is assigned.
        persistable : bool, default True
            Whether `state_dict` contains the buffer.

        Raises
        ------
        OpError
            If `tensor` is neither a Tensor nor None.

        Examples
        --------
        >>> layer = nn.Layer()
        >>> layer.register_buffer("count", paddle.zeros([1]))
        >>> layer.count = layer.count + 1
        >>> layer.state_dict()["count"].tolist()
        [1.0]
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise OperandError(
                append_user_line(
                    f"register_buffer: {name} is a {type(tensor).__name__}, not a Tensor"
                )
            )
        if name in self._parameters or name in self._sub_layers:
            raise OpError(
                append_user_line(f"register_buffer: {name} is the name of a parameter or layer")
            )
        builder = state.mode.program_builder
        if tensor is not None and builder is not None:
            tensor = builder.get_or_declare_buffer(tensor)
        self._buffers[name] = tensor
        if persistable:
            self._non_persistable.discard(name)
        else:
            self._non_persistable.add(name)
        self.__dict__.update({name: tensor, "_layer_version": _increment_and_get_global_version()})

    # -- traversal
    # --------------------------------------------------------------------------

    def full_name(self) -> str:
        """Return the unique name of this layer; the names of its parameters start with it.

        Returns
        -------
        str
            The name scope and a number, such as `linear_0`.

        Examples
        --------
        >>> layer = nn.Linear(2, 3)
        >>> layer.weight.name == layer.full_name() + ".w_0"
        True
        """
        return self._full_name

    def children(self) -> Iterator[Layer]:
        """Iterate over the direct sublayers.

        Returns
        -------
        iterator of Layer

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU()))
        >>> [type(layer).__name__ for layer in net.children()]
        ['Linear', 'Sequential']
        """
        return (layer for _, layer in self.named_children())

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """Iterate over the direct sublayers with the names of their attributes.

        Returns
        -------
        iterator of (str, Layer)

        Examples
        --------
        >>> net = nn.Sequential(("fc", nn.Linear(2, 3)), ("act", nn.ReLU()))
        >>> [name for name, _ in net.named_children()]
        ['fc', 'act']
        """
        return ((name, layer) for name, layer in self._sub_layers.items() if layer is not None)

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """Return all sublayers at any depth, each one once; a layer comes before its own sublayers.

        Parameters
        ----------
        include_self : bool, default False
            Whether the list starts with this layer.

        Returns
        -------
        list of Layer

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU()))
        >>> [type(layer).__name__ for layer in net.sublayers()]
        ['Linear', 'Sequential', 'ReLU']
        """
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_sublayers(
        self, prefix: str = "", include_self: bool = False, layers_set: set[int] | None = None
    ) -> Iterator[tuple[str, Layer]]:
        """Iterate over all sublayers at any depth with their structured names, each one once.

        Parameters
        ----------
        prefix : str, default ""
            Name of this layer, in front of the names.
        include_self : bool, default False
            Whether to start with this layer, under the name `prefix`.
        layers_set : set of int, optional
            The `id` of layers to skip; the visited ones are added.

        Yields
        ------
        (str, Layer)

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Sequential(nn.ReLU()))
        >>> [name for name, _ in net.named_sublayers(prefix="net", include_self=True)]
        ['net', 'net.0', 'net.1', 'net.1.0']
        """
        visited = set() if layers_set is None else layers_set
        if id(self) in visited:
            return
        visited.add(id(self))
        if include_self:
            yield prefix, self
        for name, layer in self.named_children():
            yield from layer.named_sublayers(
                prefix=f"{prefix}.{name}".lstrip("."), include_self=True, layers_set=visited
            )

    def _named_members(self, table: str, prefix: str, deep: bool) -> Iterator[tuple[str, Any]]:
        """Iterate over the members of a table, such as `_parameters`, with their structured names;
        yields each member once.
        """
        visited: set[int] = set()
        layers = (
            self.named_sublayers(prefix=prefix, include_self=True) if deep else [(prefix, self)]
        )
        for path, layer in layers:
            for name, tensor in getattr(layer, table).items():
                if tensor is not None and id(tensor) not in visited:
                    visited.add(id(tensor))
                    yield (f"{path}.{name}" if path else name), tensor

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """Return all parameters, each one once.

        Parameters
        ----------
        include_sublayers : bool, default True
            Whether to include the parameters of sublayers at any depth.

        Returns
        -------
        list of Parameter

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
        >>> [p.shape for p in net.parameters()]
        [[2, 3], [3], [3, 1], [1]]
        """
        return [p for _, p in self.named_parameters(include_sublayers=include_sublayers)]

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Iterate over all parameters with their structured names, each one once.

        Parameters
        ----------
        prefix : str, default ""
            Name of this layer, in front of the names.
        include_sublayers : bool, default True
            Whether to include the parameters of sublayers at any depth.

        Returns
        -------
        iterator of (str, Parameter)

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3))
        >>> [name for name, _ in net.named_parameters(prefix="net")]
        ['net.0.weight', 'net.0.bias']
        """
        return self._named_members("_parameters", prefix, include_sublayers)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """Return all buffers, each one once.

        Parameters
        ----------
        include_sublayers : bool, default True
            Whether to include the buffers of sublayers at any depth.

        Returns
        -------
        list of Tensor

        Examples
        --------
        >>> layer = nn.Layer()
        >>> layer.register_buffer("mean", paddle.zeros([3]))
        >>> [b.shape for b in layer.buffers()]
        [[3]]
        """
        return [b for _, b in self.named_buffers(include_sublayers=include_sublayers)]

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Iterate over all buffers, persistable or not, with their structured names, each one once.

        Parameters
        ----------
        prefix : str, default ""
            Name of this layer, in front of the names.
        include_sublayers : bool, default True
            Whether to include the buffers of sublayers at any depth.

        Returns
        -------
        iterator of (str, Tensor)

        Examples
        --------
        >>> layer = nn.Layer()
        >>> layer.register_buffer("mean", paddle.zeros([3]))
        >>> [name for name, _ in nn.Sequential(layer).named_buffers()]
        ['0.mean']
        """
        return self._named_members("_buffers", prefix, include_sublayers)

    def apply(self, fn: Callable[[Layer], Any]) -> Self:
        """Call a function with every sublayer, and then with this layer.

        Parameters
        ----------
        fn : callable
            Takes a Layer; its result is ignored. The sublayers of a layer come before the layer.

        Returns
        -------
        Layer
            This layer.

        Examples
        --------
        >>> def fill(layer):
        ...     if isinstance(layer, nn.Linear):
        ...         layer.weight.set_value(paddle.ones(layer.weight.shape))
        >>> net = nn.Sequential(nn.Linear(2, 1), nn.ReLU()).apply(fill)
        >>> net(paddle.to_tensor([[1.0, 2.0]])).tolist()
        [[3.0]]
        """
        for layer in self.children():
            layer.apply(fn)
        fn(self)
        return self

    # -- state
    # --------------------------------------------------------------------------

    def state_dict(
        self,
        destination: dict[str, Tensor] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Tensor]:
        """Return parameters and persistable buffers by structured name, without copying them.

        Parameters
        ----------
        destination : dict, optional
            Where to add the tensors; by default a new dict.
        include_sublayers : bool, default True
            Whether to include the state of sublayers at any depth.
        structured_name_prefix : str, default ""
            Text in front of all names; it ends with the dot.
        use_hook : bool, default True
            Whether to call the hooks of `register_state_dict_hook`.

        Returns
        -------
        dict of str to Tensor
            The tensors of the layer themselves: later changes of the layer are visible in them.

        See Also
        --------
        set_state_dict : Set the values.
        paddle.save : Write them to a file.

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3))
        >>> list(net.state_dict())
        ['0.weight', '0.bias', '1.weight', '1.bias', '1._mean', '1._variance']
        >>> list(net[0].state_dict(structured_name_prefix="fc."))
        ['fc.weight', 'fc.bias']
        """
        return self._state_dict_impl(
            destination, include_sublayers, structured_name_prefix, False, use_hook
        )

    def to_static_state_dict(
        self,
        destination: dict[str, Tensor] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
    ) -> dict[str, Tensor]:
        """Return parameters and all buffers, persistable or not, by structured name.

        `jit.save` stores these names.

        Parameters
        ----------
        destination : dict, optional
            Where to add the tensors; by default a new dict.
        include_sublayers : bool, default True
            Whether to include the state of sublayers at any depth.
        structured_name_prefix : str, default ""
            Text in front of all names; it ends with the dot.
        use_hook : bool, default True
            Whether to call the hooks of `register_state_dict_hook`.

        Returns
        -------
        dict of str to Tensor
            The tensors of the layer themselves, not copies.

        Examples
        --------
        >>> layer = nn.Layer()
        >>> layer.register_buffer("cache", paddle.zeros([2]), persistable=False)
        >>> list(layer.state_dict()), list(layer.to_static_state_dict())
        ([], ['cache'])
        """
        return self._state_dict_impl(
            destination, include_sublayers, structured_name_prefix, True, use_hook
        )

    def _state_dict_impl(
        self,
        destination: dict[str, Tensor] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        include_non_persistable_buffer: bool = False,
        use_hook: bool = True,
    ) -> dict[str, Tensor]:
        """Collect the state of this layer and its sublayers; ignores overridden `state_dict`
        methods.
        """
        state: dict[str, Tensor] = OrderedDict() if destination is None else destination
        add_parameters_and_buffers_to_state(
            self,
            state,
            include_sublayers,
            structured_name_prefix,
            include_non_persistable_buffer,
            use_hook,
        )
        for hook in self._state_hooks if use_hook else ():
            replacement = hook(state)
            state = state if replacement is None else replacement
        return state

    def set_state_dict(
        self, state_dict: Mapping[str, TensorLike], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Set parameters and persistable buffers from a dict, such as the result of `paddle.load`.

        `set_dict` and `load_dict` are other names of this method.

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

        Examples
        --------
        >>> source, target = nn.Linear(2, 3), nn.Linear(2, 3)
        >>> target.set_state_dict(source.state_dict())
        ([], [])
        >>> bool((target.weight == source.weight).all())
        True
        """
        return assign_matching_state_dict_values(
            self._state_dict_impl(use_hook=False), state_dict, use_structured_name
        )

    set_dict = load_dict = set_state_dict

    def train(self) -> Self:
        """Set this layer and all sublayers to training mode.

        Returns
        -------
        Layer
            This layer. (Paddle returns None.)

        Examples
        --------
        >>> net = nn.Sequential(nn.Dropout(0.5)).eval()
        >>> net.train().training, net[0].training
        (True, True)
        """
        layers: list[Layer] = [self, *self.sublayers()]
        for layer in layers:
            layer.training = True
        return self

    def eval(self) -> Self:
        """Set this layer and all sublayers to evaluation mode.

        In this mode Dropout returns its input, and batch normalizations use their running
        statistics.

        Returns
        -------
        Layer
            This layer. (Paddle returns None.)

        Examples
        --------
        >>> net = nn.Sequential(nn.Dropout(0.5))
        >>> net.eval()(paddle.ones([3])).tolist()
        [1.0, 1.0, 1.0]
        """
        layers: list[Layer] = [self, *self.sublayers()]
        for layer in layers:
            layer.training = False
        return self

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all parameters, those of sublayers included, to zero or to None.

        Parameters
        ----------
        set_to_zero : bool, default True
            False removes the gradients: the attribute `grad` of each parameter becomes None.

        Examples
        --------
        >>> layer = nn.Linear(2, 1)
        >>> layer(paddle.ones([1, 2])).sum().backward()
        >>> layer.clear_gradients()
        >>> layer.weight.grad.tolist()
        [[0.0], [0.0]]
        """
        for parameter in self.parameters():
            parameter.clear_gradient(set_to_zero)

    def to(
        self,
        device: PlaceLike | None = None,
        dtype: DTypeLike | None = None,
        blocking: bool | None = None,
    ) -> Self:
        """Move parameters and buffers to a device, or cast those of floating-point dtype, in place.

        Parameters
        ----------
        device : str or Place, optional
            "cpu", "gpu", "gpu:N" or a Place.
        dtype : dtype or str, optional
            New dtype of the floating-point and complex parameters and buffers, and of later
            parameters.
        blocking : bool, optional
            Not used.

        Returns
        -------
        Layer
            This layer.

        Raises
        ------
        OpError
            If the dtype is unknown.
        OarlockError
            If the device is unknown or cannot be used.

        Notes
        -----
        Gradients that exist already are neither moved nor cast.

        Examples
        --------
        >>> layer = nn.Linear(2, 3).to("cpu", dtype="float64")
        >>> layer.weight.dtype
        paddle.float64
        """
        if device is not None:
            self._to_device(
                require_usable_gpu_index_unless_cpu(
                    parse_place(device, "to"), f"to: {str(device)!r}"
                )
            )
        if dtype is not None:
            for layer in self.sublayers(include_self=True):
                layer._cast_own_tensors(dtype)
        return self

    def _to_device(self, index: int | None) -> None:
        """Move all parameters and buffers to a device.

        index: of a GPU; None for the CPU
        """
        for layer in self.sublayers(include_self=True):
            for tensor in (*layer._parameters.values(), *layer._buffers.values()):
                if tensor is not None:
                    tensor.array = cuda.to_device(tensor.array, index)

    def astype(self, dtype: DTypeLike) -> Self:
        """Cast all floating-point parameters and buffers in place, those of sublayers included.

        Parameters
        ----------
        dtype : dtype or str

        Returns
        -------
        Layer
            This layer.

        Raises
        ------
        OpError
            If the dtype is unknown.

        Examples
        --------
        >>> nn.Linear(2, 3).astype("float64").weight.dtype
        paddle.float64
        """
        return self.to(dtype=dtype)

    def _cast_layers_except(self, dtype: Any, excluded: Any) -> Self:
        """Cast all layers but those of the excluded types."""
        types = tuple(excluded) if isinstance(excluded, list | tuple) else (excluded,)
        for layer in self.sublayers(include_self=True):
            if not isinstance(layer, types):
                layer._cast_own_tensors(dtype)
        return self

    def _cast_own_tensors(self, dtype: Any) -> None:
        """Change the dtype of this layer's own floating-point parameters and buffers."""
        self._dtype = parse_dtype(dtype).np
        for tensor in (*self._parameters.values(), *self._buffers.values()):
            if tensor is not None and is_inexact(tensor.array.dtype):
                tensor.array = tensor.array.astype(self._dtype)

    def float(self, excluded_layers: ExcludedLayers = None) -> Self:
        """Cast floating-point parameters and buffers to float32 in place.

        Parameters
        ----------
        excluded_layers : type or list of type, optional
            Layers of these types keep their dtypes.

        Returns
        -------
        Layer
            This layer.

        Examples
        --------
        >>> nn.Linear(2, 3).astype("float64").float().weight.dtype
        paddle.float32
        """
        return self._cast_layers_except("float32", excluded_layers or ())

    def float16(self, excluded_layers: ExcludedLayers = None) -> Self:
        """Cast floating-point parameters and buffers to float16 in place.

        `half` is another name of this method.

        Parameters
        ----------
        excluded_layers : type or list of type, optional
            Layers of these types keep their dtypes; None excludes the batch normalizations.

        Returns
        -------
        Layer
            This layer.

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3)).float16()
        >>> net[0].weight.dtype, net[1].weight.dtype
        (paddle.float16, paddle.float32)
        """
        return self._cast_layers_except(
            "float16", NoHalfPrecisionLayer if excluded_layers is None else excluded_layers
        )

    def bfloat16(self, excluded_layers: ExcludedLayers = None) -> Self:
        """Cast floating-point parameters and buffers to bfloat16 in place.

        Parameters
        ----------
        excluded_layers : type or list of type, optional
            Layers of these types keep their dtypes; None excludes the batch normalizations.

        Returns
        -------
        Layer
            This layer.

        Examples
        --------
        >>> net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1D(3)).bfloat16()
        >>> net[0].weight.dtype, net[1].weight.dtype
        (paddle.bfloat16, paddle.float32)
        """
        return self._cast_layers_except(
            "bfloat16", NoHalfPrecisionLayer if excluded_layers is None else excluded_layers
        )

    half = float16

    # -- hooks
    # --------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable[[Layer, Any], Any]) -> LayerHookHandle:
        """Register a function that runs before `forward` in each call of this layer.

        Parameters
        ----------
        hook : callable
            Called as ``hook(layer, inputs)`` with the tuple of positional arguments. A result other
            than None replaces it: a tuple all of them, another value the only one.

        Returns
        -------
        LayerHookHandle
            ``handle.remove()`` removes the hook.

        Examples
        --------
        >>> layer = nn.ReLU()
        >>> handle = layer.register_forward_pre_hook(lambda layer, inputs: inputs[0] + 10)
        >>> layer(paddle.to_tensor([-1.0])).tolist()
        [9.0]
        >>> handle.remove()
        True
        >>> layer(paddle.to_tensor([-1.0])).tolist()
        [0.0]
        """
        return self._forward_pre_hooks.add(hook)

    def register_forward_post_hook(self, hook: Callable[[Layer, Any, Any], Any]) -> LayerHookHandle:
        """Register a function that runs after `forward` in each call of this layer.

        Parameters
        ----------
        hook : callable
            Called as ``hook(layer, inputs, outputs)`` with the tuple of positional arguments. A
            result other than None replaces the outputs.

        Returns
        -------
        LayerHookHandle
            ``handle.remove()`` removes the hook.

        Examples
        --------
        >>> layer, shapes = nn.Linear(2, 3), []
        >>> handle = layer.register_forward_post_hook(lambda layer, x, y: shapes.append(y.shape))
        >>> _ = layer(paddle.zeros([5, 2]))
        >>> shapes
        [[5, 3]]
        """
        return self._forward_post_hooks.add(hook)

    def register_state_dict_hook(self, hook: Callable[[Any], Any]) -> RemovableHookHandle:
        """Register a function that `state_dict` calls with its result.

        Parameters
        ----------
        hook : callable
            Called as ``hook(state_dict)``. A result other than None replaces the state dict.

        Returns
        -------
        RemovableHookHandle
            ``handle.remove()`` removes the hook.

        Notes
        -----
        `set_state_dict` does not call the hooks.

        Examples
        --------
        >>> layer = nn.Linear(2, 3)
        >>> handle = layer.register_state_dict_hook(lambda state: {"weight": state["weight"]})
        >>> list(layer.state_dict())
        ['weight']
        """
        self._state_hooks.append(hook)
        return RemovableHookHandle(self._state_hooks, hook)

    # -- text
    # --------------------------------------------------------------------------

    def extra_repr(self) -> str:
        """Return the arguments that `repr` shows in parentheses; subclasses override this method.

        Returns
        -------
        str
            An empty text for Layer.

        Examples
        --------
        >>> nn.Linear(2, 3).extra_repr()
        'in_features=2, out_features=3, dtype=float32'
        """
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


LayerT = TypeVar("LayerT", bound=Layer)
# Layers, and classes of layers, that keep their dtype.
ExcludedLayers: TypeAlias = (
    Layer | type[Layer] | list[Layer | type[Layer]] | tuple[Layer | type[Layer], ...] | None
)


class NoHalfPrecisionLayer(Layer):
    """Base of layers whose statistics need float32: `float16()` and `bfloat16()` skip them."""

    def _choose_parameter_dtype(self, dtype: Any) -> np.dtype[Any]:
        """Return the dtype of the parameters, float32 if it would be half precision."""
        resolved = super()._choose_parameter_dtype(dtype)
        return np.dtype(np.float32) if is_half(resolved) else resolved
