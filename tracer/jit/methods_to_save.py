"""The methods of a layer, or the function, that `jit.save` saves, with the arguments for which they
are captured.
"""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import pytree
from ..core.errors import OpError, append_user_line, warn
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec, to_input_spec
from ..loader.translated_layer import TranslatedLayer
from ..nn.layer import Layer
from .call_arguments import FlattenedArguments, FunctionParameters, is_input
from .static_function import StaticFunction


@dataclass
class MethodToSave:
    """A function to be saved.

    name: the method's name; 'forward' for the function whose file names contain no method name.
    owner: the layer whose parameters the function uses.
    function: the Python function.
    has_example_args: whether the arguments are examples, so that the batch size may become dynamic.
    """

    name: str
    function: Callable[..., Any]
    owner: Layer | None
    arguments: FlattenedArguments
    has_example_args: bool = False

    @property
    def parameters(self) -> FunctionParameters:
        """The parameters of the function."""
        return FunctionParameters(
            self.function.forward if isinstance(self.function, Layer) else self.function
        )

    @property
    def method_owner(self) -> Any:
        """The layer or object whose method is saved; None for a function."""
        return getattr(self.function, "__self__", None) if self.owner is None else self.owner

    def with_dynamic_batch_or_none(self) -> MethodToSave | None:
        """Return the method with a dynamic batch size; None if the arguments are not examples or
        have no batch dimension.
        """
        specs = [leaf for leaf in self.arguments.leaves if isinstance(leaf, InputSpec)]
        batch_size = next((s.shape[0] for s in specs if s.shape and s.shape != (1,)), -1)
        if not self.has_example_args or batch_size < 0:
            return None
        leaves = [
            _with_dynamic_first_dim_if_batch(leaf, batch_size) for leaf in self.arguments.leaves
        ]
        return replace(
            self, arguments=replace(self.arguments, leaves=leaves), has_example_args=False
        )

    def call_function(self, leaves: list[Any]) -> Any:
        """Call the Python function with its arguments, in which `leaves` replace the leaves."""
        return self.parameters.call_function(self.function, self.arguments.unflatten(leaves))

    @property
    def is_training(self) -> bool:
        """Whether the layer whose parameters the function uses is in train mode."""
        return self.owner is not None and self.owner.training


def methods_to_save(model: Any, input_spec: Any, skip_forward: bool) -> list[MethodToSave]:
    """Return the methods of `model` to be saved, forward first. Warns if `model` has no methods to
    save.

    Raises TypeError for objects that cannot be saved, OpError if a method has no input_spec.
    """
    if isinstance(model, Layer) and not isinstance(model.forward, StaticFunction):
        model = getattr(model, "_layer_to_save", model)  # the layer inside a wrapper
    if isinstance(model, TranslatedLayer):
        return list(_iter_methods_of_translated_layer(model, input_spec))
    if isinstance(model, Layer):
        methods = list(_iter_layer_methods(model, input_spec, skip_forward))
        if not methods:
            warn(
                "jit.save: skip_forward=True, and the layer has no methods of to_static; "
                "nothing is saved"
            )
        return methods
    if not callable(model) or isinstance(model, type):
        raise TypeError(f"jit.save: expected a Layer or a function, got {type(model).__name__}")
    owner = model._owner if isinstance(model, StaticFunction) else getattr(model, "__self__", None)
    layer = owner if isinstance(owner, Layer) else None
    if layer is not None and getattr(model, "__name__", "") == "forward":
        function = model if isinstance(model, StaticFunction) else layer.forward
        return [_create_method_to_save("forward", layer, layer, function, input_spec)]
    plain = model.dygraph_function if isinstance(model, StaticFunction) else model
    return [_create_method_to_save("forward", plain, layer, model, input_spec)]


def _iter_layer_methods(
    layer: Layer, input_spec: Any, skip_forward: bool
) -> Iterator[MethodToSave]:
    if isinstance(layer.forward, StaticFunction) or not skip_forward:
        yield _create_method_to_save("forward", layer, layer, layer.forward, input_spec)
    for name in to_static_method_names_except_forward(layer):
        function = getattr(layer, name)
        yield _create_method_to_save(name, function.dygraph_function, layer, function, None)


def to_static_method_names_except_forward(layer: Layer) -> list[str]:
    """Return the sorted names of the layer's methods decorated with `to_static`, without
    `forward`.
    """
    names = {*dir(type(layer)), *layer.__dict__} - {"forward"}
    members = {name: inspect.getattr_static(layer, name, None) for name in names}
    return sorted(
        n for n, f in members.items() if isinstance(f, StaticFunction) and not f.is_property
    )


def _iter_methods_of_translated_layer(
    layer: TranslatedLayer, input_spec: Any
) -> Iterator[MethodToSave]:
    for name in layer.methods():
        specs = (
            input_spec if name == "forward" and input_spec is not None else layer._input_spec(name)
        )
        method = layer if name == "forward" else getattr(layer, name)
        arguments, inputs = (
            FunctionParameters(method).arguments_from_specs(
                pytree.map(_as_input_spec_if_tensor, specs)
            ),
            layer._saved_method(name).inputs,
        )
        # if the numbers differ, the capture raises an error
        if len(arguments.leaves) == len(inputs):
            arguments.leaf_paths = [arg.path for arg in inputs]
        yield MethodToSave(name, method, layer, arguments)


def _create_method_to_save(
    name: str,
    python_function: Callable[..., Any],
    owner: Layer | None,
    function: Any,
    input_spec: Any,
) -> MethodToSave:
    has_example_args = _contains_example_tensors(input_spec)
    if isinstance(function, StaticFunction):
        has_example_args = (has_example_args or input_spec is None) and not function.has_input_spec
    return MethodToSave(
        name,
        python_function,
        owner,
        _require_unique_input_paths(_arguments_to_save(function, input_spec)),
        has_example_args,
    )


def _require_unique_input_paths(arguments: FlattenedArguments) -> FlattenedArguments:
    """Return the arguments; raise OpError if two inputs have the same path."""
    inputs = [
        path
        for leaf, path in zip(arguments.leaves, arguments.leaf_paths, strict=True)
        if is_input(leaf)
    ]
    for path, count in Counter(inputs).items():
        if count > 1:
            why = (
                f"two inputs have the name {path!r}, which consists of the keys of nested dicts; "
                "rename a key that contains a dot"
            )
            raise OpError(append_user_line(f"jit.save: {why}"))
    return arguments


def _contains_example_tensors(input_spec: Any) -> bool:
    """Whether `input_spec` contains example tensors, so that the batch size may become dynamic."""
    leaves = pytree.flatten(input_spec)[0]
    return any(isinstance(leaf, Tensor | np.ndarray) for leaf in leaves)


def _with_dynamic_first_dim_if_batch(leaf: Any, batch_size: int) -> Any:
    """Return a leaf with a dynamic first dimension if the size of this dimension equals
    `batch_size`. A vector of one element is treated as a scalar and returned unchanged.
    """
    if not isinstance(leaf, InputSpec) or leaf.shape[:1] != (batch_size,) or leaf.shape == (1,):
        return leaf
    return InputSpec([None, *leaf.shape_with_dims()[1:]], leaf.dtype, leaf.name)


def _arguments_to_save(function: Any, input_spec: Any) -> FlattenedArguments:
    """Return the arguments with InputSpecs in place of tensors: those of `input_spec`, or else
    those of `to_static`, or else of the last call.
    """
    if isinstance(function, StaticFunction):
        return function.arguments_for_save(
            None
            if input_spec is None
            else pytree.map(
                _as_input_spec_if_tensor,
                function.input_spec_with_declared_dynamic_sizes(input_spec),
            )
        )
    if not isinstance(input_spec, list | tuple):
        raise OpError(
            append_user_line(
                f"jit.save: input_spec should be a list with an InputSpec for every argument "
                f"of forward, such as [paddle.static.InputSpec([None, 4], 'float32')], not "
                f"{type(input_spec).__name__}"
            )
        )
    return FunctionParameters(function).arguments_from_specs(
        pytree.map(_as_input_spec_if_tensor, input_spec)
    )


def _as_input_spec_if_tensor(value: Any) -> Any:
    return to_input_spec(value) if isinstance(value, InputSpec | Tensor | np.ndarray) else value
