"""`to_static`, which makes functions and layers run as programs, and its names in Paddle 1.x."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, overload
from weakref import WeakValueDictionary

from ..core.errors import OpError, append_user_line
from ..ir.passes.prune import prune
from ..nn.layer import Layer
from ..static.graph.compiled_program import BuildStrategy
from ..static.graph.program import Program
from . import conversion_switches
from .concrete_program import ConcreteProgram
from .convert import Function, converted_source, not_to_static
from .export_capture import SharedParameterNames
from .guards.user_code import ignore_module
from .methods_to_save import methods_to_save
from .model_writer import write_paddle1_folder
from .operators.calls import convert_if_user_code
from .program_cache import ProgramCache
from .save import capture_for_inference, select_names_by_index
from .sot import ENV_ENABLE_SOT
from .static_function import StaticFunction, require_last_captured_function
from .type_aliases import InputSpecs

IGNORED_ARGUMENTS = frozenset(
    {"property", "full_graph", "is_prim_infer", "backend"}
)  # arguments of Paddle; only `full_graph` and `property` have an effect


@overload
def to_static(
    function: Function,
    input_spec: InputSpecs | None = None,
    build_strategy: BuildStrategy | None = None,
    backend: str | None = None,
    **kwargs: object,
) -> Function: ...
@overload
def to_static(
    function: None = None,
    input_spec: InputSpecs | None = None,
    build_strategy: BuildStrategy | None = None,
    backend: str | None = None,
    **kwargs: object,
) -> Callable[[Function], Function]: ...
def to_static(
    function: Any = None,
    input_spec: InputSpecs | None = None,
    build_strategy: BuildStrategy | None = None,
    backend: str | None = None,
    **kwargs: object,
) -> Any:
    """Make a function, a method or the forward of a layer run as a program.

    Usable as a decorator, with or without arguments. Control flow that depends on tensor values
    becomes part of the program. The program is captured at the first call with each combination of
    shapes, dtypes and other arguments.

    Parameters
    ----------
    function : callable or Layer, optional
        None: return a decorator. A layer is changed in place: its `forward` is replaced.
    input_spec : list or tuple, optional
        The InputSpec of each argument, nested like the arguments. One program serves all shapes
        that it allows. Without it, a program is captured for each combination of shapes.
    build_strategy : BuildStrategy, optional
        No effect.
    backend : "CINN" or None, default None
        No effect.
    **kwargs
        - full_graph : bool. True raises an error for a call that cannot be captured. False runs
          such calls as Python, with one warning that names the construct and its line. Default:
          False, as in Paddle 2.6, or True if the environment variable ENABLE_FALL_BACK is False.
        - property : bool, default False. True: `jit.save` does not save this method.
        - is_prim_infer: no effect.

    Returns
    -------
    StaticFunction, or the same Layer, or a decorator

    Raises
    ------
    TypeError
        If `function` is not callable, or if an argument has a wrong type or is unknown.
    OpError
        If `backend` is neither None nor "CINN".

    Notes
    -----
    A function that contains a training step (backward, optimizer steps) runs as Python for either
    value of `full_graph`.

    Examples
    --------
    >>> @paddle.jit.to_static(full_graph=True)
    ... def halve_until_small(x):
    ...     while x.sum() > 1:
    ...         x = x / 2
    ...     return x
    >>> halve_until_small(paddle.to_tensor([3.0, 5.0])).tolist()
    [0.375, 0.625]
    """
    unknown = kwargs.keys() - IGNORED_ARGUMENTS
    if unknown:
        raise TypeError(append_user_line(f"to_static: there is no argument {sorted(unknown)}"))
    _check_input_spec_is_sequence(input_spec)
    if build_strategy and not isinstance(build_strategy, BuildStrategy):
        kind = type(build_strategy).__name__
        raise TypeError(
            append_user_line(f"to_static: build_strategy should be a BuildStrategy, not {kind}")
        )
    full_graph = kwargs.get("full_graph")
    requires_full_graph = not ENV_ENABLE_SOT.get() if full_graph is None else bool(full_graph)
    if backend not in (None, "CINN"):
        raise OpError(
            append_user_line(f"to_static: backend={backend!r} is neither None nor 'CINN'")
        )
    if function is None:
        return lambda found: to_static(found, input_spec, build_strategy, backend, **kwargs)
    if isinstance(function, Layer):
        return _replace_forward_by_static_function(function, input_spec, requires_full_graph)
    if isinstance(function, StaticFunction):
        specs = input_spec if input_spec is not None else function._input_spec
        return StaticFunction(function._function, specs, function._owner, requires_full_graph)
    if isinstance(function, staticmethod):
        return staticmethod(
            to_static(function.__func__, input_spec, full_graph=requires_full_graph)
        )
    if not callable(function) or isinstance(function, type):
        raise TypeError(
            append_user_line(
                f"to_static: expected a function, a method or a Layer, "
                f"got {type(function).__name__}"
            )
        )
    owner = function.__self__ if inspect.ismethod(function) else None
    result = StaticFunction(function, input_spec, owner, requires_full_graph)
    result.is_property = bool(kwargs.get("property"))  # `jit.save` does not save such methods
    return result


def _replace_forward_by_static_function(
    layer: Layer, input_spec: InputSpecs | None, full_graph: bool
) -> Layer:
    forward = layer.forward
    plain = forward._function if isinstance(forward, StaticFunction) else forward
    layer.__dict__["forward"] = StaticFunction(plain, input_spec, layer, full_graph)
    return layer


def _check_input_spec_is_sequence(input_spec: InputSpecs | None) -> None:
    if input_spec is not None and not isinstance(input_spec, list | tuple):
        raise TypeError(
            append_user_line(
                f"to_static: input_spec should be a list or tuple, not {type(input_spec).__name__}"
            )
        )


declarative = to_static


class ProgramTranslator:
    """The singleton with which Paddle 1.8 to 2.6 control the conversion.

    ``ProgramTranslator()`` always returns the same object. New code uses `to_static`,
    `enable_to_static` and `save`.

    Examples
    --------
    >>> translator = paddle.jit.ProgramTranslator()
    >>> translator is paddle.jit.ProgramTranslator.get_instance()
    True
    """

    _instance: ProgramTranslator | None = None

    def __new__(cls) -> ProgramTranslator:
        """Return the only instance of the class."""
        if cls._instance is None:
            cls._instance = super().__new__(cls)
        return cls._instance

    @classmethod
    def get_instance(cls) -> ProgramTranslator:
        """Return the only instance of the class.

        Returns
        -------
        ProgramTranslator

        Examples
        --------
        >>> paddle.jit.ProgramTranslator.get_instance().enable_to_static
        True
        """
        return cls()

    @classmethod
    def reset(cls) -> None:
        """Turn the conversion on again, which is its initial state. Captured programs are kept.

        Examples
        --------
        >>> translator = paddle.jit.ProgramTranslator()
        >>> translator.enable(False)
        >>> translator.reset()
        >>> translator.enable_to_static
        True
        """
        conversion_switches.enable_to_static(True)

    @property
    def enable_to_static(self) -> bool:
        """Whether functions decorated with `to_static` run as programs, a bool.

        Examples
        --------
        >>> paddle.jit.ProgramTranslator().enable_to_static
        True
        """
        return conversion_switches.is_to_static_enabled()

    def enable(self, enable_to_static: bool) -> None:
        """Turn the conversion to programs on or off for the whole process.

        Parameters
        ----------
        enable_to_static : bool
            False: functions decorated with `to_static` run as Python.

        Raises
        ------
        TypeError
            If the argument is not a bool.

        Examples
        --------
        >>> translator = paddle.jit.ProgramTranslator()
        >>> translator.enable(False)
        >>> translator.enable_to_static
        False
        >>> translator.enable(True)
        """
        conversion_switches.enable_to_static(enable_to_static)

    def get_output(self, dygraph_func: Callable[..., Any], *args: Any, **kwargs: object) -> Any:
        """Run a function as a program and return its result.

        Parameters
        ----------
        dygraph_func : callable
            A function, also one of `to_static`. Its programs are kept for further calls.
        *args, **kwargs
            The arguments of the call.

        Returns
        -------
        object
            What the function returns.

        Examples
        --------
        >>> def double(x):
        ...     return 2 * x
        >>> paddle.jit.ProgramTranslator().get_output(double, paddle.to_tensor([1.0])).tolist()
        [2.0]
        """
        return self._get_or_create_static_function(dygraph_func)(*args, **kwargs)

    def get_func(self, dygraph_func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the converted function.

        It records control flow if it is called while a program is recorded. In eager mode, it
        returns what the original function returns.

        Parameters
        ----------
        dygraph_func : callable

        Returns
        -------
        callable

        Examples
        --------
        >>> def double(x):
        ...     return 2 * x
        >>> paddle.jit.ProgramTranslator().get_func(double)(paddle.to_tensor([1.0])).tolist()
        [2.0]
        """
        found: Callable[..., Any] = convert_if_user_code(_unwrap_static_function(dygraph_func))
        return found

    def get_program(
        self, dygraph_func: Callable[..., Any], *args: Any, **kwargs: object
    ) -> tuple[Program, Program, list[Any], list[Any]]:
        """Capture a function for some arguments and return its programs.

        Parameters
        ----------
        dygraph_func : callable
        *args, **kwargs
            Arguments of the function: Tensors, InputSpecs or other values.

        Returns
        -------
        main_program, startup_program : Program
        inputs, outputs : list of Variable

        Examples
        --------
        >>> def double(x):
        ...     return 2 * x
        >>> main, startup, inputs, outputs = paddle.jit.ProgramTranslator().get_program(
        ...     double, paddle.static.InputSpec([None, 4])
        ... )
        >>> inputs[0].shape, outputs[0].shape
        ((-1, 4), (-1, 4))
        """
        concrete, _ = self._get_or_create_static_function(dygraph_func).get_concrete_program(
            *args, **kwargs
        )
        return (
            concrete.main_program,
            concrete.startup_program,
            concrete.input_variables,
            list(concrete.outputs),
        )

    def get_code(self, dygraph_func: Callable[..., Any]) -> str:
        """Return the source of the converted function.

        Parameters
        ----------
        dygraph_func : callable

        Returns
        -------
        str

        Raises
        ------
        TypeError
            If it is not a Python function.
        OpError
            If its source is not available.

        Examples
        --------
        >>> def double(x):
        ...     return 2 * x
        >>> print(paddle.jit.ProgramTranslator().get_code(double))
        def double(x):
            return 2 * x
        """
        return converted_source(_unwrap_static_function(dygraph_func))

    def get_program_cache(self) -> ProgramCache:
        """Return the programs of the functions given to `get_output` and `get_program`.

        Returns
        -------
        ProgramCache
            `len` of it is the number of programs; `concrete_programs()` returns them as a list.

        Examples
        --------
        >>> def double(x):
        ...     return 2 * x
        >>> translator = paddle.jit.ProgramTranslator()
        >>> y = translator.get_output(double, paddle.to_tensor([1.0]))
        >>> len(translator.get_program_cache()) >= 1
        True
        """
        found = ProgramCache()
        for function in _translated_functions.values():
            for i, concrete in enumerate(function.program_cache.concrete_programs()):
                found.get_valid_or_create(
                    (id(function), i), concrete.arguments, _make_constant_function(concrete)
                )
        return found

    def save_inference_model(
        self, dirname: str, feed: Sequence[int] | None = None, fetch: Sequence[int] | None = None
    ) -> None:
        """Write the program that was captured last to a folder, in the layout of Paddle 1.8.

        Parameters
        ----------
        dirname : str
        feed, fetch : list of int, optional
            The indices of the inputs and outputs to save. Default: all.

        Raises
        ------
        OpError
            If no program was captured, or if an index is out of range.
        TypeError
            If `feed` or `fetch` is not a list of ints.

        Examples
        --------
        >>> def double(x):
        ...     return 2 * x
        >>> translator = paddle.jit.ProgramTranslator()
        >>> y = translator.get_output(double, paddle.to_tensor([1.0]))
        >>> translator.save_inference_model("folder")
        >>> paddle.jit.load("folder")(paddle.to_tensor([3.0])).tolist()
        [6.0]
        """
        (method,) = methods_to_save(require_last_captured_function(), None, False)
        recording = capture_for_inference(method, SharedParameterNames(), None, None)
        feeds = select_names_by_index("feed", recording.program.feed_names(), feed)
        fetches = select_names_by_index("fetch", recording.program.fetch_names(), fetch)
        recording.program = prune(recording.program, feeds, fetches)
        write_paddle1_folder(recording, dirname)

    @staticmethod
    def _get_or_create_static_function(function: Callable[..., Any]) -> StaticFunction:
        if isinstance(function, StaticFunction):
            return function
        plain = getattr(function, "__func__", function)
        members = getattr(getattr(function, "__self__", plain), "__dict__", None)
        table = members.setdefault("_static_functions", {}) if isinstance(members, dict) else {}
        if plain not in table:
            converted: Any = to_static(function)
            table[plain] = _translated_functions[next(_function_numbers)] = converted
        found: StaticFunction = table[plain]
        return found


# StaticFunctions in the order of first use. The references are weak, because a function, or the
# object of a method, owns its StaticFunction.
_translated_functions: WeakValueDictionary[int, StaticFunction] = WeakValueDictionary()
_function_numbers = count()


def _unwrap_static_function(function: Any) -> Any:
    return function.dygraph_function if isinstance(function, StaticFunction) else function


def _make_constant_function(value: ConcreteProgram) -> Callable[[], ConcreteProgram]:
    return lambda: value


__all__ = [
    "ProgramTranslator",
    "StaticFunction",
    "declarative",
    "ignore_module",
    "not_to_static",
    "to_static",
]
