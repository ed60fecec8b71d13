"""StaticFunction: a function that becomes a program the first time it is called with arguments of a
kind.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..capture.control.branch_values import is_number
from ..capture.modes import static_mode
from ..core import pytree
from ..core.dtype import get_default_dtype
from ..core.errors import OpError, RuleError, warn, with_user_line
from ..core.mode import Mode, state
from ..core.tensor import RemovableHook, Tensor
from ..ir.program import Guard
from ..nn.layer import Layer
from ..static.graph.program import Program
from .call_arguments import Arguments, Parameters, is_input, shared
from .concrete_program import ConcreteProgram, build
from .conversion_switches import is_enabled, show_code
from .convert import converted_source
from .fallback import Fallback
from .function_spec import FunctionSpec
from .input_specs import by_names, fewer, fitted, in_places, opened, refuse_conflict
from .layer_capture import Recording
from .operators.calls import convert_or_leave
from .program_cache import MOST, ProgramCache

_built: list[weakref.ref[StaticFunction]] = []  # that a program was made of last


def built_last() -> StaticFunction:
    """The function that a program was made of last.   Raises OpError where there is none."""
    found = _built[0]() if _built else None
    if found is None:
        raise OpError(
            with_user_line("ProgramTranslator: no program was made so far, or its function is gone")
        )
    return found


class StaticFunction:
    """A function or method, or the forward of a layer, that runs as a program.

    Called with Tensors or ndarrays and any other values, nested: for every combination of shapes,
    dtypes and other values
    one program is recorded, and kept.
    With `input_spec` the shapes and dtypes are those of the specs, and a call has to fit them.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        input_spec: Any = None,
        owner: Any = None,
        full_graph: bool = True,
        **_: Any,
    ) -> None:
        self._function = function
        self._fallback = Fallback(full_graph)
        self._input_spec = input_spec
        self._owner = owner
        self._cache = ProgramCache()
        self._of_classes: dict[type, StaticFunction] = {}
        self._training: bool | None = None
        self.is_property = False
        self._warned = False
        self._hooks: list[RemovableHook] = []
        # those that programs were made for, by the rest of the call
        self._numbers: dict[Any, set[Any]] = {}
        functools.update_wrapper(self, function)

    @property
    def class_instance(self) -> Any:
        """The object of which the function is a method; None for a plain function."""
        return self._owner

    @property
    def function_spec(self) -> FunctionSpec:
        """The function with the specs of its arguments."""
        return FunctionSpec(self._function, self._input_spec)

    @property
    def dygraph_function(self) -> Callable[..., Any]:
        """The function as it was, bound to its object."""
        owner = self._owner
        if owner is None or inspect.ismethod(self._function):
            return self._function
        found: Callable[..., Any] = self._function.__get__(owner)
        return found

    def __get__(self, instance: Any, owner: Any = None) -> StaticFunction:
        if instance is None:
            return self
        if isinstance(instance, type):  # below `classmethod`
            return self._of_classes.setdefault(instance, self._bound_to(instance))
        if not hasattr(instance, "__dict__"):
            return self._bound_to(instance)
        table = instance.__dict__.setdefault("_static_functions", {})
        found: StaticFunction | None = table.get(self._function.__name__)
        if found is None or found._function is not self._function:
            found = table[self._function.__name__] = self._bound_to(instance)
        return found

    def _bound_to(self, owner: Any) -> StaticFunction:
        """The same as a method of `owner`."""
        return StaticFunction(self._function, self._input_spec, owner, self._fallback.full_graph)

    # -- calling
    # --------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function gives, by its program."""
        mode = state.mode
        if not mode.is_eager or not is_enabled():
            return self._function_in(mode)(*args, **kwargs)
        plain = None if kwargs or self._input_spec is not None else self._plain_key(args, mode)
        concrete = self._cache.plain.get(plain)
        if concrete is not None and concrete.assumed.hold():
            self._cache.latest = concrete
            try:
                return concrete(args)
            except Exception as error:
                return self._rerun_as_python(concrete, args, kwargs, error)
        arguments = self._parameters.bind(args, kwargs)
        concrete = self._concrete(arguments)
        tensors = [_tensor(t) for t in arguments.tensors()]
        if concrete is None or self._lacks_gradients(concrete, tensors):
            found = self._fallback.run(self.dygraph_function, args, kwargs)
            return found if concrete is None else concrete.labelled(found)
        if (
            plain is not None
            and len(tensors) == len(args)
            and self._parameters.settled
            and not concrete.cuts
        ):
            self._cache.plain[plain] = concrete
        try:
            return concrete(tensors)
        except Exception as error:
            return self._rerun_as_python(concrete, args, kwargs, error)

    def _rerun_as_python(
        self, concrete: ConcreteProgram, args: Any, kwargs: Any, error: Exception
    ) -> Any:
        """Run a call as Python after its program failed. Raises the error of the program if this is
        impossible, and that of Python if Python fails too.
        """
        if self._fallback.full_graph or concrete.prints:
            raise error
        found = self.dygraph_function(*args, **kwargs)
        arguments = self._parameters.bind(args, kwargs)
        self._cache.plain.clear()
        self._fallback.add(
            self._parameters.name, self._key(arguments), arguments, error, succeeded=True
        )
        return found

    def _lacks_gradients(self, concrete: ConcreteProgram, tensors: list[Tensor]) -> bool:
        """Whether a call wants gradients that its program does not give; warns of the first."""
        if not concrete.lacks_gradients(tensors):
            return False
        self._take_hooks_away()
        if not self._warned:
            self._warned = True
            why = f"a program has no place for {' and '.join(dict.fromkeys(concrete.cuts))}"
            warn(f"{self._parameters.name}: {why}; calls that want gradients run as Python")
        return True

    def _function_in(self, mode: Mode) -> Callable[..., Any]:
        """What stands for the function where no program of its own is run: converted where it
        becomes a part of another.
        """
        return (
            convert_or_leave(self.dygraph_function)
            if static_mode(mode) is not None
            else self.dygraph_function
        )

    def _plain_key(self, args: tuple[Any, ...], mode: Mode) -> Any:
        """What such calls share, where all arguments are tensors; else None."""
        kinds: list[Any] = []
        for arg in args:
            if not isinstance(arg, Tensor):
                return None
            array = arg.array
            kinds += array.shape, array.dtype.num  # a dtype is slow to hash
        if len(args) > 1 and shared(args):
            return None
        training = self._is_training()
        return *kinds, training, mode.tape and training, mode.cache_key(), get_default_dtype()

    @functools.cached_property
    def _parameters(self) -> Parameters:
        return Parameters(self.dygraph_function)

    def _concrete(self, arguments: Arguments) -> ConcreteProgram | None:
        if self._fallback.is_used and self._fallback.applies_to(self._key(arguments)):
            return None
        try:
            wanted = self._with_specs(arguments)
            key = self._key(wanted)
            found = self._cache.few(
                key, wanted, lambda: self._build(wanted, not self._fallback.full_graph)
            )
        except Exception as error:
            if not self._fallback.allows(error):
                raise
            self._fallback.add(self._parameters.name, self._key(arguments), arguments, error)
            return None
        if found is None and not self._warned:
            self._warned = True
            last = self._cache.of(key)[-1]
            assumed, name = last.assumed, last.assumed.broken() or last.arguments.other_than(wanted)
            why = (
                f"'{name}' is another at each call, and no part of a program; such calls run "
                f"as Python"
            )
            if not assumed.restless:
                why = (
                    f"'{name}' is another at each call; {MOST} programs were made, from "
                    f"now on such calls run as Python"
                )
            warn(
                f"{self._parameters.name}: {why}. Give it as a tensor, or change it outside "
                f"of the function"
            )
        return found

    def _with_specs(self, arguments: Arguments) -> Arguments:
        """The arguments as the `input_spec` describes them."""
        if self._input_spec is None:
            return arguments
        wanted = self._parameters.with_specs(self._input_spec, arguments)
        wanted.leaves = fitted(self._parameters.name, wanted, arguments)
        wanted.same = arguments.same if len(wanted.leaves) == len(arguments.leaves) else ()
        return wanted

    def _key(self, arguments: Arguments) -> tuple[Any, ...]:
        """What calls share that one program serves, as far as arguments and modes say."""
        training = self._is_training()
        return (
            arguments.key(),
            training,
            state.mode.tape and training,
            state.mode.cache_key(),
            get_default_dtype(),
        )

    def _made_for(self, arguments: Arguments) -> ConcreteProgram:
        """The program for some arguments, made if there is none, however many there are."""
        return self._cache.get(self._key(arguments), arguments, lambda: self._build(arguments))

    def _build(self, arguments: Arguments, strict: bool = False) -> ConcreteProgram:
        function = self.dygraph_function
        show_code(function)
        self._count_numbers(arguments)
        made = build(function, self._parameters, arguments, self._owner, strict)
        if made.hooks:
            self._take_hooks_away()
            self._hooks = made.hooks
        made.training = self._is_training()
        _built[:] = [weakref.ref(self)]
        return made

    def _take_hooks_away(self) -> None:
        """Take away the hooks that tensors from outside were given when a program was made: each
        call means them once, not each program.
        """
        for handle in self._hooks:
            handle.remove()
        self._hooks = []

    def _count_numbers(self, arguments: Arguments) -> None:
        """Warn once where programs are made for one number after the other."""
        nesting, keys = arguments.key()
        for i, leaf in enumerate(arguments.leaves):
            if is_number(leaf):
                numbers = self._numbers.setdefault((nesting, i, keys[:i], keys[i + 1 :]), set())
                numbers.add(keys[i])
                if len(numbers) == MOST:
                    why = (
                        f"{MOST} programs were made that differ in the number "
                        f"'{arguments.names[i]}' only"
                    )
                    warn(
                        f"{self._parameters.name}: {why}, and each further one makes another. "
                        f"Give it as a tensor"
                    )

    def _is_training(self) -> bool:
        if self._training is not None:
            return self._training
        owner = self._owner
        return owner.training if isinstance(owner, Layer) else True

    def train(self) -> None:
        """Record programs for training, where the function is no method of a layer.

        Raises RuleError for one of a layer that is not training.
        """
        self._set_training(True)

    def eval(self) -> None:
        """Record programs for inference, where the function is no method of a layer.

        Raises RuleError for one of a layer that is training.
        """
        self._set_training(False)

    def _set_training(self, training: bool) -> None:
        if not isinstance(self._owner, Layer):
            self._training = training
        elif self._owner.training != training:
            name, what = type(self._owner).__name__, "train" if training else "eval"
            why = (
                f"it is a method of the layer {name}, which says whether it trains; call "
                f"{what}() of that"
            )
            raise RuleError(with_user_line(f"{self._parameters.name}: {why}"))

    # -- what it became
    # -----------------------------------------------------------------------------------------

    def get_concrete_program(self, *args: Any, **kwargs: Any) -> tuple[ConcreteProgram, Recording]:
        """The program for such arguments, Tensors or InputSpecs, and its recording."""
        concrete = self._made_for(self._parameters.bind(args, kwargs))
        return concrete, concrete.recording

    def concrete_program_specify_input_spec(
        self, input_spec: Any = None, with_hook: bool = False
    ) -> ConcreteProgram:
        """The program for `input_spec`, by default the spec it was made with, else the program of
        the last call.
        """
        specs = self._input_spec if input_spec is None else input_spec
        return self._last() if specs is None else self._made_for(self._parameters.with_specs(specs))

    @property
    def has_spec(self) -> bool:
        """Whether it was made with an input_spec."""
        return self._input_spec is not None

    def spec_arguments(self, input_spec: Any = None) -> Arguments:
        """The arguments, tensors as InputSpecs: of `input_spec`, else of the spec it was made with,
        else of the last call.
        """
        specs = self._input_spec if input_spec is None else input_spec
        if specs is not None and self._input_spec is not None and fewer(specs, self._input_spec):
            return self._some(specs)
        if input_spec is not None and self._input_spec is not None:
            refuse_conflict(self._parameters.name, input_spec, self._input_spec)
        if specs is not None:
            return self._parameters.with_specs(specs)
        return (
            self._fallback.arguments
            if self._fallback.arguments is not None
            else self._last().arguments
        )

    def opened(self, input_spec: Any) -> Any:
        """`input_spec`, where a tensor stands for any that the function's own spec allows in its
        place.
        """
        return input_spec if self._input_spec is None else opened(input_spec, self._input_spec)

    def _last(self) -> ConcreteProgram:
        """The program of the last call."""
        if not len(self._cache):
            why = "it was not called so far, and has no input_spec; give one, or call it first"
            raise OpError(with_user_line(f"{self._parameters.name}: {why}"))
        return self._cache.last()[1][0]

    def _some(self, specs: Any) -> Arguments:
        """The arguments where `specs` name some of those that it was made with: the others are no
        inputs of what is saved.
        """
        own = list(self._input_spec)
        merged = by_names(specs, own) or in_places(list(specs), own)
        found = self._parameters.with_specs(merged)
        refuse_conflict(self._parameters.name, merged, own)
        chosen = {id(spec) for spec in pytree.flatten(list(specs))[0]}
        labelled = zip(found.names, found.leaves, strict=True)
        found.kept = [
            getattr(leaf, "name", None) or name
            for name, leaf in labelled
            if id(leaf) in chosen and is_input(leaf)
        ]
        return found

    @property
    def concrete_program(self) -> ConcreteProgram:
        """The program for the input_spec, or that of the last call."""
        return self.concrete_program_specify_input_spec()

    @property
    def main_program(self) -> Program:
        """That of concrete_program."""
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[Any]:
        """The input variables of concrete_program."""
        return self.concrete_program.input_variables

    @property
    def outputs(self) -> list[Any]:
        """The output variables of concrete_program."""
        return list(self.concrete_program.outputs)

    @property
    def program_cache(self) -> ProgramCache:
        """All programs made so far."""
        return self._cache

    @property
    def code(self) -> str:
        """The converted function as text."""
        return converted_source(self.dygraph_function)

    @property
    def assumptions(self) -> list[Guard]:
        """What concrete_program took from Python besides its arguments; a call with another value
        makes another program.
        """
        return self.concrete_program.assumed.guards()

    def get_traced_count(self) -> int:
        """How many programs were made so far."""
        return len(self._cache)

    def rollback(self) -> Callable[..., Any]:
        """The function as it was, which takes the place of this one in its layer."""
        function = self.dygraph_function
        owner = self._owner
        if isinstance(owner, Layer):
            name = self._function.__name__
            owner.__dict__.pop(name, None)
            if isinstance(inspect.getattr_static(type(owner), name, None), StaticFunction):
                owner.__dict__[name] = function
        return function

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """The same function of the copied object: it has tensors of its own, so programs are made
        anew.

        A function of no object as it was, as in Paddle.
        """
        if self._owner is None:
            return self._function
        function = getattr(self._function, "__func__", self._function)
        return StaticFunction(
            function,
            self._input_spec,
            memo.get(id(self._owner), self._owner),
            self._fallback.full_graph,
        )


def _tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(np.asarray(value))
