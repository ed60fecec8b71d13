"""FunctionSpec: the arguments of a function and their InputSpecs, with Paddle's names."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core import pytree
from ..core.errors import append_user_line
from ..ir.input_spec import InputSpec, to_input_spec
from .call_arguments import FunctionParameters, is_input


class FunctionSpec:
    """A function and the specs of its arguments.

    Raises TypeError for specs that are not a list or tuple.
    """

    def __init__(self, function: Callable[..., Any], input_spec: Any = None) -> None:
        if input_spec is not None and not isinstance(input_spec, list | tuple):
            kind = type(input_spec).__name__
            raise TypeError(
                append_user_line(f"FunctionSpec: input_spec should be a list or tuple, not {kind}")
            )
        self.dygraph_function, self.input_spec = (
            function,
            None if input_spec is None else tuple(input_spec),
        )
        self.flat_input_spec = None if input_spec is None else pytree.flatten(self.input_spec)[0]
        self._function_parameters = FunctionParameters(function)

    @property
    def args_name(self) -> list[str]:
        """The names of the positional arguments, without `self`."""
        return [
            name
            for name, parameter in self._function_parameters.signature.parameters.items()
            if name != "self"
            and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
        ]

    def unified_args_and_kwargs(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Merge keyword arguments and defaults into the positional arguments. Return the merged
        positional arguments, and the keyword arguments that remain.

        Raises ValueError for a missing argument.
        """
        remaining, merged = dict(kwargs), list(args)
        names = self.args_name
        if len(merged) > len(names):
            raise ValueError(
                append_user_line(
                    f"{self._function_parameters.name}: got {len(merged)} arguments, "
                    f"but takes {names}"
                )
            )
        for name in names[len(merged) :]:
            default = self._function_parameters.signature.parameters[name].default
            if name not in remaining and default is inspect.Parameter.empty:
                raise ValueError(
                    append_user_line(
                        f"{self._function_parameters.name}: '{name}' is missing (got "
                        f"{sorted(kwargs)})"
                    )
                )
            merged.append(remaining.pop(name, default))
        return tuple(merged), remaining

    def args_to_input_spec(
        self, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Return the InputSpecs of the arguments: those of `input_spec`, or else specs made from
        the tensors and arrays.
        """
        if self.input_spec is not None:
            name, specs = self._function_parameters.name, len(self.input_spec)
            if kwargs:
                raise ValueError(
                    append_user_line(
                        f"{name}: arguments by name ({sorted(kwargs)}) cannot be combined "
                        f"with an input_spec"
                    )
                )
            if len(args) < specs:
                raise ValueError(
                    append_user_line(f"{name}: {specs} specs for {len(args)} arguments")
                )
            return (*self.input_spec, *args[len(self.input_spec) :]), dict(kwargs)
        leaves, nesting = pytree.flatten((tuple(args), dict(kwargs)))
        result: tuple[Any, dict[str, Any]] = pytree.unflatten(
            nesting, [_as_input_spec_if_tensor(leaf) for leaf in leaves]
        )
        return result


def _as_input_spec_if_tensor(leaf: Any) -> Any:
    return leaf if isinstance(leaf, InputSpec) or not is_input(leaf) else to_input_spec(leaf)
