"""`to_static`: functions and layers that run as programs; and the names that Paddle gave this
before 2.0.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any
from weakref import WeakValueDictionary

from ..core.errors import OpError, with_user_line
from ..ir.passes.prune import prune
from ..nn.layer import Layer
from ..static.graph.compiled_program import BuildStrategy
from ..static.graph.program import Program
from . import conversion_switches
from .concrete_program import ConcreteProgram
from .convert import converted_source, not_to_static
from .export_capture import Together
from .guards.user_code import ignore_module
from .model_writer import write_folder
from .operators.calls import convert_or_leave
from .program_cache import ProgramCache
from .save import chosen_names, inference_of
from .saved_methods import methods_of
from .sot import ENV_ENABLE_SOT
from .static_function import StaticFunction, built_last

TAKEN = frozenset(
    {"property", "full_graph", "is_prim_infer", "backend"}
)  # what Paddle takes besides; they change nothing here


def to_static(
    function: Any = None,
    input_spec: Any = None,
    build_strategy: Any = None,
    backend: Any = None,
    **kwargs: Any,
) -> Any:
    """Make a function, a method or the forward of a layer run as a program; as a decorator, with
    arguments or without.

    input_spec: the InputSpec of each argument, nested as they are; without one, every combination
    of shapes that a call brings is
    a program of its own.
    Control flow on values of tensors becomes part of the program.
    A layer is given back itself. full_graph: True raises an error for a call that cannot be
    recorded; False runs such calls as Python, with one warning that names the
    construct and its line.
    The default is False, as in Paddle 2.6, or True if the environment variable ENABLE_FALL_BACK is
    False. A function that trains (backward, optimizer steps) runs as Python in both cases.
    """
    unknown = kwargs.keys() - TAKEN
    if unknown:
        raise TypeError(with_user_line(f"to_static: there is no argument {sorted(unknown)}"))
    _check_spec(input_spec)
    if build_strategy and not isinstance(build_strategy, BuildStrategy):
        kind = type(build_strategy).__name__
        raise TypeError(
            with_user_line(f"to_static: build_strategy should be a BuildStrategy, not {kind}")
        )
    full_graph = kwargs.get("full_graph")
    whole = not ENV_ENABLE_SOT.get() if full_graph is None else bool(full_graph)
    if backend not in (None, "CINN"):
        raise OpError(with_user_line(f"to_static: backend={backend!r} is neither None nor 'CINN'"))
    if function is None:
        return lambda found: to_static(found, input_spec, build_strategy, backend, **kwargs)
    if isinstance(function, Layer):
        return _of_layer(function, input_spec, whole)
    if isinstance(function, StaticFunction):
        specs = input_spec if input_spec is not None else function._input_spec
        return StaticFunction(function._function, specs, function._owner, whole)
    if isinstance(function, staticmethod):
        return staticmethod(to_static(function.__func__, input_spec, full_graph=whole))
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            with_user_line(
                f"to_static: a function, a method or a Layer, not {type(function).__name__}"
            )
        )
    owner = function.__self__ if inspect.ismethod(function) else None
    made = StaticFunction(function, input_spec, owner, whole)
    made.is_property = bool(kwargs.get("property"))  # then it is none of the methods that are saved
    return made


def _of_layer(layer: Layer, input_spec: Any, full_graph: bool) -> Layer:
    forward = layer.forward
    plain = forward._function if isinstance(forward, StaticFunction) else forward
    layer.__dict__["forward"] = StaticFunction(plain, input_spec, layer, full_graph)
    return layer


def _check_spec(input_spec: Any) -> None:
    if input_spec is not None and not isinstance(input_spec, list | tuple):
        raise TypeError(
            with_user_line(
                f"to_static: input_spec should be a list or tuple, not {type(input_spec).__name__}"
            )
        )


declarative = to_static


class ProgramTranslator:
    """The one object through which Paddle 1.8 to 2.6 reach the conversion."""

    _instance: ProgramTranslator | None = None

    def __new__(cls) -> ProgramTranslator:
        """The object that there is."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """The object."""
        return cls()

    @classmethod
    def reset(cls) -> None:
        """As it was at the start."""
        conversion_switches.enable_to_static(True)

    @property
    def enable_to_static(self) -> bool:
        """Whether functions run as programs."""
        return conversion_switches.is_enabled()

    def enable(self, enable_to_static: bool) -> None:
        """Run functions of `to_static` as programs, or as Python."""
        conversion_switches.enable_to_static(enable_to_static)

    def get_output(self, dygraph_func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """What the function gives, run as a program."""
        return self._static(dygraph_func)(*args, **kwargs)

    def get_func(self, dygraph_func: Callable[..., Any]) -> Callable[..., Any]:
        """The converted function, to be called while a program is recorded; eagerly it does what
        the original does.
        """
        found: Callable[..., Any] = convert_or_leave(_plain(dygraph_func))
        return found

    def get_program(
        self, dygraph_func: Callable[..., Any], *args: Any, **kwargs: Any
    ) -> tuple[Program, Program, list[Any], list[Any]]:
        """The main program, the startup program, and the variables of inputs and outputs."""
        concrete, _ = self._static(dygraph_func).get_concrete_program(*args, **kwargs)
        return (
            concrete.main_program,
            concrete.startup_program,
            concrete.input_variables,
            list(concrete.outputs),
        )

    def get_code(self, dygraph_func: Callable[..., Any]) -> str:
        """The converted function as text."""
        return converted_source(_plain(dygraph_func))

    def get_program_cache(self) -> ProgramCache:
        """The programs of functions that were given to `get_output` and `get_program`."""
        found = ProgramCache()
        for function in _functions.values():
            for i, concrete in enumerate(function.program_cache.concrete_programs()):
                found.get((id(function), i), concrete.arguments, _constantly(concrete))
        return found

    def save_inference_model(
        self, dirname: str, feed: Sequence[int] | None = None, fetch: Sequence[int] | None = None
    ) -> None:
        """Write the program that was made last, of whichever function, as the folder `dirname`, as
        Paddle 1.8 did.

        feed, fetch: which inputs and outputs, by number; all of them unless given.
        Raises OpError where no program was made so far.
        """
        (method,) = methods_of(built_last(), None, False)
        recording = inference_of(method, Together(), None, None)
        feeds = chosen_names("feed", recording.program.feeds(), feed)
        fetches = chosen_names("fetch", recording.program.fetches(), fetch)
        recording.program = prune(recording.program, feeds, fetches)
        write_folder(recording, dirname)

    @staticmethod
    def _static(function: Callable[..., Any]) -> StaticFunction:
        if isinstance(function, StaticFunction):
            return function
        plain = getattr(function, "__func__", function)
        members = getattr(getattr(function, "__self__", plain), "__dict__", None)
        table = members.setdefault("_static_functions", {}) if isinstance(members, dict) else {}
        if plain not in table:
            table[plain] = _functions[next(_numbers)] = to_static(function)
        found: StaticFunction = table[plain]
        return found


# In the order of their first use; a function or the object of a method keeps its own, so that none
# outlives it.
_functions: WeakValueDictionary[int, StaticFunction] = WeakValueDictionary()
_numbers = count()


def _plain(function: Any) -> Any:
    return function.dygraph_function if isinstance(function, StaticFunction) else function


def _constantly(value: ConcreteProgram) -> Callable[[], ConcreteProgram]:
    return lambda: value


__all__ = [
    "ProgramTranslator",
    "StaticFunction",
    "declarative",
    "ignore_module",
    "not_to_static",
    "to_static",
]
