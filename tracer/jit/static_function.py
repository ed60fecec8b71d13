"""StaticFunction: a function that is captured at its first call with each call signature, and then
runs as a program.
"""

from __future__ import annotations

import functools
import inspect
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from ..capture.control.branch_values import is_python_or_numpy_scalar
from ..capture.modes import find_static_base_mode
from ..core import pytree
from ..core.dtype import get_default_dtype
from ..core.errors import (
    ArgumentsError,
    InvalidOperationError,
    OpError,
    append_user_line,
    warn,
)
from ..core.garbage_collection import without_full_collections
from ..core.mode import Mode, state
from ..core.tensor import RemovableHookHandle, Tensor
from ..ir.program import Guard
from ..nn.layer import Layer
from ..static.graph.program import Program
from .call_arguments import (
    FlattenedArguments,
    FunctionParameters,
    first_same_tensor_leaf_indices_or_empty,
    is_input,
)
from .concrete_program import ConcreteProgram, capture_concrete_program
from .conversion_switches import is_to_static_enabled, print_requested_conversion_info
from .convert import converted_source
from .fallback import PythonFallback
from .function_spec import FunctionSpec
from .input_specs import (
    adapt_specs_to_arguments,
    check_named_dimensions,
    has_fewer_specs_than_declared,
    has_named_dimensions,
    input_spec_with_declared_dynamic_sizes,
    merge_specs_into_declared_in_order,
    reject_specs_contradicting_declared,
    try_merge_specs_into_declared_by_name,
)
from .layer_capture import CapturedProgram
from .operators.calls import convert_if_user_code
from .program_cache import MAX_PROGRAMS_PER_SIGNATURE, ProgramCache
from .type_aliases import InputSpecs

_last_captured_function: list[
    weakref.ref[StaticFunction]
] = []  # the function that was captured last


def require_last_captured_function() -> StaticFunction:
    """Return the function that was captured last. Raises OpError if no function was captured
    yet.
    """
    found = _last_captured_function[0]() if _last_captured_function else None
    if found is None:
        raise OpError(
            append_user_line(
                "ProgramTranslator: no program was captured yet, or its function was deleted"
            )
        )
    return found


class StaticFunction:
    """A function, method or forward of a layer that runs as a program. Created by `to_static`.

    Arguments are Tensors, ndarrays and other values, possibly nested. A program is captured and
    cached for each combination of shapes, dtypes and other values. With `input_spec`, the program
    is captured for the shapes and dtypes of the specs; a call that contradicts them captures
    another program, with a warning. Sizes that a `Dim` does not allow raise OpError.

    Parameters
    ----------
    function : callable
    input_spec : list or tuple, optional
        The InputSpec of each argument.
    owner : object, optional
        The object to which the method belongs.
    full_graph : bool, default True
        Whether a call that cannot be captured raises an error; else it runs as Python.
    **_
        Not used.

    Examples
    --------
    >>> double = paddle.jit.to_static(lambda x: 2 * x)
    >>> type(double).__name__
    'StaticFunction'
    >>> double(paddle.to_tensor([1.0])).tolist()
    [2.0]
    >>> double.get_traced_count()
    1
    """

    def __init__(
        self,
        function: Callable[..., Any],
        input_spec: InputSpecs | None = None,
        owner: object = None,
        full_graph: bool = True,
        **_: object,
    ) -> None:
        self._function = function
        self._python_fallback = PythonFallback(full_graph)
        self._input_spec = input_spec
        self._owner = owner
        self._program_cache = ProgramCache()
        self._functions_by_class: dict[type, StaticFunction] = {}
        self._training_override: bool | None = None
        self.is_property = False
        self._has_warned_once = False
        self._captured_hooks: list[RemovableHookHandle] = []
        # By the cache key of the other arguments: the Python numbers for which programs were
        # captured.
        self._captured_numbers: dict[Any, set[Any]] = {}
        functools.update_wrapper(self, function)

    @property
    def class_instance(self) -> Any:
        """The object to which the method belongs; None for a function.

        Examples
        --------
        >>> net = paddle.jit.to_static(nn.ReLU())
        >>> net.forward.class_instance is net
        True
        """
        return self._owner

    @property
    def function_spec(self) -> FunctionSpec:
        """The function and the InputSpecs of its arguments, as a FunctionSpec.

        Examples
        --------
        >>> paddle.jit.to_static(lambda x, y: x + y).function_spec.args_name
        ['x', 'y']
        """
        return FunctionSpec(self._function, self._input_spec)

    @property
    def dygraph_function(self) -> Callable[..., Any]:
        """The original function, bound to its object.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> double.dygraph_function(3)
        6
        """
        owner = self._owner
        if owner is None or inspect.ismethod(self._function):
            return self._function
        found: Callable[..., Any] = self._function.__get__(owner)
        return found

    def __get__(self, instance: Any, owner: Any = None) -> StaticFunction:
        if instance is None:
            return self
        if isinstance(instance, type):  # decorated with `classmethod`
            return self._functions_by_class.setdefault(instance, self._make_bound_copy(instance))
        if not hasattr(instance, "__dict__"):
            return self._make_bound_copy(instance)
        table = instance.__dict__.setdefault("_static_functions", {})
        found: StaticFunction | None = table.get(self._function)
        if found is None:
            found = table[self._function] = self._make_bound_copy(instance)
        return found

    def _make_bound_copy(self, owner: Any) -> StaticFunction:
        """Return a copy of this StaticFunction that is a method of `owner`."""
        return StaticFunction(
            self._function, self._input_spec, owner, self._python_fallback.requires_full_graph
        )

    # -- calling
    # --------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function: run the program captured for such arguments, and return its
        results.
        """
        mode = state.mode
        if not mode.is_eager or not is_to_static_enabled():
            return self._converted_or_original_function(mode)(*args, **kwargs)
        fast_key = None if kwargs else self._fast_cache_key_or_none(args, mode)
        concrete = self._program_cache.fast_cache.get(fast_key)
        if concrete is not None and concrete.guards.are_satisfied():
            self._program_cache.latest_program = concrete
            self._python_fallback.last_arguments = None
            try:
                return concrete(args)
            except Exception as error:
                return self._run_failed_call_as_python_or_raise(concrete, args, kwargs, error)
        arguments = self._function_parameters.bind_arguments(args, kwargs)
        concrete = self._find_or_capture_unless_python_fallback(arguments)
        tensors = [_as_tensor(t) for t in arguments.input_leaves()]
        if concrete is None or self._warn_and_report_if_gradients_need_python(concrete, tensors):
            found = self._python_fallback.run_as_python(self.dygraph_function, args, kwargs)
            return found if concrete is None else concrete.tag_tensors_with_output_names(found)
        self._python_fallback.last_arguments = None
        if (
            fast_key is not None
            and len(tensors) == len(args)
            and self._function_parameters.has_fixed_defaults
            and not concrete.missing_gradient_reasons
            and self._fits_input_spec(arguments)
        ):
            self._program_cache.fast_cache[fast_key] = concrete
        try:
            return concrete(tensors)
        except Exception as error:
            return self._run_failed_call_as_python_or_raise(concrete, args, kwargs, error)

    def _run_failed_call_as_python_or_raise(
        self, concrete: ConcreteProgram, args: Any, kwargs: Any, error: Exception
    ) -> Any:
        """Run a call as Python after its program failed. If the call cannot run as Python, raise
        the error of the program. If the call fails as Python as well, raise Python's error.
        """
        if self._python_fallback.requires_full_graph or concrete.has_side_effect_calls:
            raise error
        found = self.dygraph_function(*args, **kwargs)
        arguments = self._function_parameters.bind_arguments(args, kwargs)
        self._program_cache.fast_cache.clear()
        self._python_fallback.add_failed_signature_and_warn(
            self._function_parameters.name,
            self._cache_key(arguments),
            arguments,
            error,
            succeeded=True,
        )
        return found

    def _warn_and_report_if_gradients_need_python(
        self, concrete: ConcreteProgram, tensors: list[Tensor]
    ) -> bool:
        """Return whether a call needs gradients that its program cannot provide, so that the call
        must run as Python. If the call must run as Python, also remove the hooks that the capture
        registered, and warn once.
        """
        if not concrete.call_lacks_needed_gradients(tensors):
            return False
        self._remove_hooks_of_last_capture()
        if not self._has_warned_once:
            self._has_warned_once = True
            why = (
                "a program cannot contain "
                f"{' and '.join(dict.fromkeys(concrete.missing_gradient_reasons))}"
            )
            warn(
                f"{self._function_parameters.name}: {why}; calls that need gradients run as Python"
            )
        return True

    def _converted_or_original_function(self, mode: Mode) -> Callable[..., Any]:
        """Return the function to call instead of running a program: the converted function while
        another program is recorded, otherwise the original function.
        """
        return (
            convert_if_user_code(self.dygraph_function)
            if find_static_base_mode(mode) is not None
            else self.dygraph_function
        )

    def _fast_cache_key_or_none(self, args: tuple[Any, ...], mode: Mode) -> Any:
        """Return the cache key of a call that has only positional tensors; None for other calls."""
        kinds: list[Any] = []
        for arg in args:
            if not isinstance(arg, Tensor):
                return None
            array = arg.array
            # the number of the dtype, because a dtype is slow to hash
            kinds += array.shape, array.dtype.num
        if len(args) > 1 and first_same_tensor_leaf_indices_or_empty(args):
            return None
        training = self._is_training()
        return *kinds, training, mode.tape and training, mode.cache_key(), get_default_dtype()

    @functools.cached_property
    def _function_parameters(self) -> FunctionParameters:
        return FunctionParameters(self.dygraph_function)

    def _find_or_capture_unless_python_fallback(
        self, arguments: FlattenedArguments
    ) -> ConcreteProgram | None:
        """Return the program for some arguments, captured if needed; None if the call runs as
        Python, because its capture failed or there are too many programs.
        """
        self._check_named_dimensions(arguments)
        if self._python_fallback.has_failed_signatures and self._python_fallback.runs_as_python(
            self._cache_key(arguments)
        ):
            return None
        try:
            bound = self._arguments_adapted_to_input_spec(arguments)
            key = self._cache_key(bound)
            program = self._program_cache.get_valid_or_create_within_limit(
                key,
                bound,
                lambda: self._capture_program(bound, not self._python_fallback.requires_full_graph),
            )
        except Exception as error:
            if not self._python_fallback.is_fallback_allowed_after(error):
                raise
            self._python_fallback.add_failed_signature_and_warn(
                self._function_parameters.name, self._cache_key(arguments), arguments, error
            )
            return None
        if program is None and not self._has_warned_once:
            self._has_warned_once = True
            last = self._program_cache.programs_with_key(key)[-1]
            guards, name = (
                last.guards,
                last.guards.label_of_broken_guard()
                or last.arguments.name_of_first_different_object(bound),
            )
            why = (
                f"'{name}' differs at each call, so a program cannot contain it; such calls run as "
                "Python"
            )
            if not guards.first_unstable_read_description:
                why = (
                    f"'{name}' differs at each call; {MAX_PROGRAMS_PER_SIGNATURE} programs "
                    "were made; from now on, such calls run as Python"
                )
            warn(
                f"{self._function_parameters.name}: {why}. Pass it as a tensor, or change it "
                "outside of the function"
            )
        return program

    def _check_named_dimensions(self, arguments: FlattenedArguments) -> None:
        """Raise OpError for sizes that the Dims of `input_spec` do not allow. The check includes
        calls that run as Python.
        """
        if not self._has_named_dimensions:
            return
        try:
            specs = self._function_parameters.arguments_from_specs(self._input_spec, arguments)
        except (OpError, ArgumentsError):
            return  # the capture raises an error for such arguments
        check_named_dimensions(self._function_parameters.name, specs, arguments)

    def _fits_input_spec(self, arguments: FlattenedArguments) -> bool:
        """Whether the shapes of the arguments are those that `input_spec` declares. Other arguments
        are not cached for fast calls, because each call with them warns.
        """
        if self._input_spec is None:
            return True
        specs = self._function_parameters.arguments_from_specs(self._input_spec, arguments)
        return all(
            len(spec.shape) == len(leaf.meta.shape)
            and all(a in (-1, b) for a, b in zip(spec.shape, leaf.meta.shape, strict=True))
            for spec, leaf in zip(specs.leaves, arguments.leaves, strict=True)
            if isinstance(leaf, Tensor)
        )

    @functools.cached_property
    def _has_named_dimensions(self) -> bool:
        return self._input_spec is not None and has_named_dimensions(self._input_spec)

    def _arguments_adapted_to_input_spec(self, arguments: FlattenedArguments) -> FlattenedArguments:
        """Return the arguments with the shapes and dtypes that `input_spec` declares; without
        `input_spec`, unchanged.
        """
        if self._input_spec is None:
            return arguments
        bound = self._function_parameters.arguments_from_specs(self._input_spec, arguments)
        bound.leaves = adapt_specs_to_arguments(self._function_parameters.name, bound, arguments)
        bound.first_same_tensor_leaf_indices_or_empty = (
            arguments.first_same_tensor_leaf_indices_or_empty
            if len(bound.leaves) == len(arguments.leaves)
            else ()
        )
        return bound

    def _cache_key(self, arguments: FlattenedArguments) -> tuple[Any, ...]:
        """Return the key of a call in the program cache: shapes, dtypes and values of the
        arguments, and the modes that affect the capture.
        """
        training = self._is_training()
        return (
            arguments.cache_key(),
            training,
            state.mode.tape and training,
            state.mode.cache_key(),
            get_default_dtype(),
        )

    def _get_or_capture_program(self, arguments: FlattenedArguments) -> ConcreteProgram:
        """Return the program for some arguments; capture it if needed. The number of programs is
        not limited.
        """
        return self._program_cache.get_valid_or_create(
            self._cache_key(arguments), arguments, lambda: self._capture_program(arguments)
        )

    def _capture_program(
        self, arguments: FlattenedArguments, strict: bool = False
    ) -> ConcreteProgram:
        function = self.dygraph_function
        print_requested_conversion_info(function)
        self._warn_if_number_causes_many_programs(arguments)
        with without_full_collections():
            result = capture_concrete_program(
                function, self._function_parameters, arguments, self._owner, strict
            )
        if result.captured_hooks:
            self._remove_hooks_of_last_capture()
            self._captured_hooks = result.captured_hooks
        result.is_training = self._is_training()
        _last_captured_function[:] = [weakref.ref(self)]
        return result

    def _remove_hooks_of_last_capture(self) -> None:
        """Remove the hooks that the last capture registered on external tensors, so that repeated
        captures do not register them several times.
        """
        for handle in self._captured_hooks:
            handle.remove()
        self._captured_hooks = []

    def _warn_if_number_causes_many_programs(self, arguments: FlattenedArguments) -> None:
        """Record the Python numbers of a new program, and warn when
        MAX_PROGRAMS_PER_SIGNATURE programs differ only in the value of one of them.
        """
        nesting, keys = arguments.cache_key()
        for i, leaf in enumerate(arguments.leaves):
            if is_python_or_numpy_scalar(leaf):
                numbers = self._captured_numbers.setdefault(
                    (nesting, i, keys[:i], keys[i + 1 :]), set()
                )
                numbers.add(keys[i])
                if len(numbers) == MAX_PROGRAMS_PER_SIGNATURE:
                    why = (
                        f"{MAX_PROGRAMS_PER_SIGNATURE} programs were made that differ only in the "
                        f"number '{arguments.leaf_input_names[i]}'"
                    )
                    warn(
                        f"{self._function_parameters.name}: {why}, and each further number makes "
                        "another program. Pass the number as a tensor"
                    )

    def _is_training(self) -> bool:
        if self._training_override is not None:
            return self._training_override
        owner = self._owner
        return owner.training if isinstance(owner, Layer) else True

    def train(self) -> None:
        """Capture programs for training, for a function that is not a method of a layer.

        This is the initial mode of a function. A method of a layer has the mode of the layer.

        Raises
        ------
        InvalidOperationError
            If it is a method of a layer in eval mode.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> double.train()
        """
        self._override_or_check_training(True)

    def eval(self) -> None:
        """Capture programs for inference, for a function that is not a method of a layer.

        A method of a layer has the mode of the layer.

        Raises
        ------
        InvalidOperationError
            If it is a method of a layer in train mode.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> double.eval()
        """
        self._override_or_check_training(False)

    def _override_or_check_training(self, training: bool) -> None:
        if not isinstance(self._owner, Layer):
            self._training_override = training
        elif self._owner.training != training:
            name, what = type(self._owner).__name__, "train" if training else "eval"
            why = (
                f"it is a method of the layer {name}, whose mode applies (train or eval); call "
                f"{what}() of the layer"
            )
            raise InvalidOperationError(
                append_user_line(f"{self._function_parameters.name}: {why}")
            )

    # -- captured programs
    # -----------------------------------------------------------------------------------------

    def get_concrete_program(
        self, *args: Any, **kwargs: Any
    ) -> tuple[ConcreteProgram, CapturedProgram]:
        """Return the program for some arguments; capture it if needed.

        Parameters
        ----------
        *args, **kwargs
            Arguments of the function: Tensors, InputSpecs or other values.

        Returns
        -------
        concrete : ConcreteProgram
            It has `main_program`, `startup_program`, `inputs`, `outputs` and `parameters`.
        captured : CapturedProgram
            It has the raw `program` and the `scope` with its values.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> concrete, _ = double.get_concrete_program(paddle.static.InputSpec([None, 4]))
        >>> concrete.outputs[0].shape
        (-1, 4)
        """
        concrete = self._get_or_capture_program(
            self._function_parameters.bind_arguments(args, kwargs)
        )
        return concrete, concrete.captured_program

    def concrete_program_specify_input_spec(
        self, input_spec: InputSpecs | None = None, with_hook: bool = False
    ) -> ConcreteProgram:
        """Return the program for an `input_spec`; capture it if needed.

        Parameters
        ----------
        input_spec : list or tuple, optional
            The InputSpec of each argument. Default: that of `to_static`; without it, the program of
            the last call is returned.
        with_hook : bool, default False
            Not used.

        Returns
        -------
        ConcreteProgram

        Raises
        ------
        OpError
            If there is neither an `input_spec` nor a call.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> spec = paddle.static.InputSpec([None, 4])
        >>> double.concrete_program_specify_input_spec([spec]).outputs[0].shape
        (-1, 4)
        """
        specs = self._input_spec if input_spec is None else input_spec
        return (
            self._require_program_of_last_call()
            if specs is None
            else self._get_or_capture_program(self._function_parameters.arguments_from_specs(specs))
        )

    @property
    def has_input_spec(self) -> bool:
        """Whether the function was given an `input_spec`, a bool.

        Examples
        --------
        >>> paddle.jit.to_static(lambda x: 2 * x).has_input_spec
        False
        """
        return self._input_spec is not None

    def arguments_for_save(self, input_spec: InputSpecs | None = None) -> FlattenedArguments:
        """Return the arguments for which `jit.save` writes a program, with InputSpecs for tensors.

        Parameters
        ----------
        input_spec : list or tuple, optional
            Default: that of `to_static`, else the arguments of the last call.

        Returns
        -------
        FlattenedArguments
            `leaves` is the flat list of specs and other values.

        Raises
        ------
        OpError
            If there is neither an `input_spec` nor a call, or if `input_spec` contradicts that of
            `to_static`.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> double.arguments_for_save([paddle.static.InputSpec([None, 4], name="x")]).leaves
        [InputSpec(shape=(-1, 4), dtype=paddle.float32, name=x, stop_gradient=False)]
        """
        specs = self._input_spec if input_spec is None else input_spec
        if (
            specs is not None
            and self._input_spec is not None
            and has_fewer_specs_than_declared(specs, self._input_spec)
        ):
            return self._arguments_with_saved_input_subset(specs)
        if input_spec is not None and self._input_spec is not None:
            reject_specs_contradicting_declared(
                self._function_parameters.name, input_spec, self._input_spec
            )
        if specs is not None:
            return self._function_parameters.arguments_from_specs(specs)
        return (
            self._python_fallback.last_arguments
            if self._python_fallback.last_arguments is not None
            else self._require_program_of_last_call().arguments
        )

    def input_spec_with_declared_dynamic_sizes(self, input_spec: Any) -> Any:
        """Return specs for example tensors, with the dynamic sizes that `to_static` declared.

        Parameters
        ----------
        input_spec : list or tuple
            InputSpecs and example tensors. Only tensors are replaced.

        Returns
        -------
        list or tuple
            `input_spec` itself if `to_static` has none.

        Examples
        --------
        >>> double = paddle.jit.to_static(
        ...     lambda x: 2 * x, input_spec=[paddle.static.InputSpec([None, 4], name="x")]
        ... )
        >>> double.input_spec_with_declared_dynamic_sizes([paddle.ones([3, 4])])[0].shape
        (-1, 4)
        """
        return (
            input_spec
            if self._input_spec is None
            else input_spec_with_declared_dynamic_sizes(input_spec, self._input_spec)
        )

    def _require_program_of_last_call(self) -> ConcreteProgram:
        """Return the program of the last call. Raises OpError if there was no call."""
        if not len(self._program_cache):
            why = "it was not called yet and has no input_spec; pass input_spec, or call it first"
            raise OpError(append_user_line(f"{self._function_parameters.name}: {why}"))
        return self._program_cache.last()[1][0]

    def _arguments_with_saved_input_subset(self, specs: Any) -> FlattenedArguments:
        """Return the arguments of the decorator's `input_spec` if `specs` select some of its
        inputs. Inputs that `specs` does not select are not inputs of the saved program.
        """
        own_specs: list[Any] = list(self._input_spec or [])
        merged = try_merge_specs_into_declared_by_name(
            specs, own_specs
        ) or merge_specs_into_declared_in_order(list(specs), own_specs)
        arguments = self._function_parameters.arguments_from_specs(merged)
        reject_specs_contradicting_declared(self._function_parameters.name, merged, own_specs)
        selected_ids = {id(spec) for spec in pytree.flatten(list(specs))[0]}
        labeled = zip(arguments.leaf_input_names, arguments.leaves, strict=True)
        arguments.saved_input_names = [
            getattr(leaf, "name", None) or name
            for name, leaf in labeled
            if id(leaf) in selected_ids and is_input(leaf)
        ]
        return arguments

    @property
    def concrete_program(self) -> ConcreteProgram:
        """The ConcreteProgram for the `input_spec` of `to_static`, or else that of the last call.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([4])
        >>> double = paddle.jit.to_static(lambda x: 2 * x, input_spec=[spec])
        >>> double.concrete_program.outputs[0].shape
        (4,)
        """
        return self.concrete_program_specify_input_spec()

    @property
    def main_program(self) -> Program:
        """The main Program of `concrete_program`.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([4])
        >>> double = paddle.jit.to_static(lambda x: 2 * x, input_spec=[spec])
        >>> [op.type for op in double.main_program.global_block().ops]
        ['scale']
        """
        return self.concrete_program.main_program

    @property
    def inputs(self) -> list[Any]:
        """The input Variables of `concrete_program`, a list.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([4])
        >>> double = paddle.jit.to_static(lambda x: 2 * x, input_spec=[spec])
        >>> double.inputs[0].name
        'x'
        """
        return self.concrete_program.input_variables

    @property
    def outputs(self) -> list[Any]:
        """The output Variables of `concrete_program`, a list.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([4])
        >>> double = paddle.jit.to_static(lambda x: 2 * x, input_spec=[spec])
        >>> double.outputs[0].shape
        (4,)
        """
        return list(self.concrete_program.outputs)

    @property
    def program_cache(self) -> ProgramCache:
        """The ProgramCache with the programs of this function.

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> y, z = double(paddle.ones([2])), double(paddle.ones([3]))
        >>> len(double.program_cache)
        2
        """
        return self._program_cache

    @property
    def code(self) -> str:
        """The source of the converted function, a str.

        Examples
        --------
        >>> print(paddle.jit.to_static(lambda x: 2 * x).code)
        def _ol_lambda(x):
            return 2 * x
        """
        return converted_source(self.dygraph_function)

    @property
    def guards(self) -> list[Guard]:
        """The guards of `concrete_program` on Python state, a list of Guard.

        A call for which a guard does not hold uses another program.

        Examples
        --------
        >>> factor = 2.0
        >>> scaled = paddle.jit.to_static(lambda x: factor * x)
        >>> y = scaled(paddle.ones([2]))
        >>> scaled.guards[0].var, scaled.guards[0].expected
        ('factor', '2.0')
        """
        return self.concrete_program.guards.to_user_guards()

    def get_traced_count(self) -> int:
        """Return the number of programs that were captured.

        Returns
        -------
        int

        Examples
        --------
        >>> double = paddle.jit.to_static(lambda x: 2 * x)
        >>> y, z = double(paddle.ones([2])), double(paddle.zeros([2]))
        >>> double.get_traced_count()
        1
        """
        return len(self._program_cache)

    def rollback(self) -> Callable[..., Any]:
        """Return the original function. A layer whose forward it is runs as Python again.

        Returns
        -------
        callable

        Examples
        --------
        >>> net = paddle.jit.to_static(nn.ReLU())
        >>> forward = net.forward.rollback()
        >>> type(net.forward).__name__
        'method'
        """
        function = self.dygraph_function
        owner = self._owner
        if isinstance(owner, Layer):
            name = self._function.__name__
            owner.__dict__.pop(name, None)
            if isinstance(inspect.getattr_static(type(owner), name, None), StaticFunction):
                owner.__dict__[name] = function
        return function

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Return a StaticFunction for the copied object, without captured programs. For a function
        that is not a method, return the original function, as in Paddle.
        """
        if self._owner is None:
            return self._function
        function = getattr(self._function, "__func__", self._function)
        return StaticFunction(
            function,
            self._input_spec,
            memo.get(id(self._owner), self._owner),
            self._python_fallback.requires_full_graph,
        )


def _as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(np.asarray(value))
