"""Capture one call of a function without running its ops. `to_static` uses this capture for
programs that are called repeatedly, and `jit.save` for programs that are saved.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..capture.control.container_aliasing import (
    InvalidatedMarker,
    is_replaced_by_array,
    restore_loop_strings,
    set_items_without_alias_check,
)
from ..capture.control.escape_analysis import register_local_object
from ..capture.control.optional_values import none_flag_or_constant
from ..capture.modes import Static
from ..capture.recorder import Recorder
from ..capture.undefined_checks import MESSAGE_BY_PREFIX, NOT_RETURNED_PREFIX
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError, append_user_line, warn
from ..core.mode import use_base_mode
from ..core.op import OPS
from ..ir.input_spec import InputSpec
from ..nn.layer import Layer
from .call_arguments import FlattenedArguments, FunctionParameters, find_input_meta, is_input
from .guards.guard_set import GuardSet
from .guards.side_effects import (
    InitialAttributesSnapshot,
    SideEffect,
    mark_effects_whose_previous_tensor_is_aliased,
    restore_and_return_location_effects,
)
from .guards.user_code import is_convertible_function
from .layer_capture import recording_ops_with_layer_paths
from .operators.calls import call, convert_if_user_code
from .operators.dunder_and_property_conversion import DunderAndPropertyConversion
from .operators.raise_assert_and_print import emit_assert

RECURSION_MESSAGE = (
    "the recursion is deeper than Python allows; a recursion that the value of a tensor ends does "
    "not end while a program is recorded: write it as a loop, or count its depth in Python"
)


class StaticCallCapture:
    """One captured call of a function.

    owner: the layer or object whose method the function is.
    bound_arguments: the arguments, with variables in place of tensors.
    inputs: the variables of the inputs.
    input_names: the names that the variables in `inputs` had before the call.
    side_effects: the attributes to which the call assigned tensors; their previous values are
    restored.
    guards: all other Python state that the call read or changed.

    The caller decides how effects and guards are used.
    """

    def __init__(self, mode: Static, arguments: FlattenedArguments, owner: Any) -> None:
        self.mode, self.recorder, self.owner = mode, mode.recorder, owner
        leaves, self.inputs = declare_call_inputs(mode.recorder, arguments)
        self.bound_arguments = arguments.unflatten(leaves)
        _register_containers_as_local(mode.recorder, self.bound_arguments)
        self.input_names = [v.name for v in self.inputs]
        self.side_effects: list[SideEffect] = []
        self._attribute_tracker, self.guards = InitialAttributesSnapshot(owner), GuardSet(owner)
        self.recorder.on_function_call, self.recorder.read_tracker = (
            self.guards.guard_names_of_function,
            self.guards.read_tracker,
        )
        self.recorder.dunder_methods = DunderAndPropertyConversion(is_convertible_function, call)
        for name, leaf in zip(arguments.leaf_input_names, arguments.leaves, strict=True):
            self.guards.guard_argument_contents(name, leaf)

    @classmethod
    def create(
        cls, recorder: Recorder, arguments: FlattenedArguments, owner: Any
    ) -> StaticCallCapture:
        """Return a capture of a call with `arguments`. The capture raises the first error that
        occurs.
        """
        return cls(Static(recorder, convert_if_user_code, True), arguments, owner)

    def call_function(self, function: Callable[..., Any], parameters: FunctionParameters) -> Any:
        """Call the converted function, and return its result. Each op stores the path of the
        sublayer that recorded it.

        Raises TraceError for infinite recursion, and for results or side effects that are
        invalidated.
        """
        try:
            self.recorder.dunder_methods.convert_classes_of_values(
                self.owner, self.bound_arguments, function
            )
            results = self._call_converted_and_collect_side_effects(
                convert_if_user_code(function), parameters
            )
            if self.recorder.side_effect is not None and not self.mode.continues:
                raise self.recorder.side_effect
            return self._reject_invalid_results_and_emit_asserts(results)
        finally:
            self.recorder.dunder_methods.restore_classes()
            for replaced in self.recorder.replaced_lists:
                if is_replaced_by_array(replaced):
                    set_items_without_alias_check(replaced, [])
            # Replace each LoopStringPlaceholder in Python objects by the string that it stands for.
            for location, key in self.recorder.loop_string_locations:
                location.write_item(key, restore_loop_strings(location.read().get(key)))

    def _reject_invalid_results_and_emit_asserts(self, results: Any) -> Any:
        for leaf in pytree.flatten(results)[0]:
            if isinstance(leaf, InvalidatedMarker):
                leaf.raise_error()
            if none_flag_or_constant(leaf) is not False and leaf is not None:
                self._reject_or_emit_not_none_check(leaf)
        self.recorder.aliases.reject_invalidated_results_and_externals(())
        return results

    def _reject_or_emit_not_none_check(self, leaf: Variable) -> None:
        """If a leaf of the result may be None, record an assert that it is not None, because a
        program must return tensors. If the recorder is strict, raise TraceError instead.
        """
        assert leaf.maybe_undefined is not None
        if self.recorder.strict:
            raise TraceError(
                f"'{leaf.maybe_undefined.name}' may be None, but a program must return tensors\n  "
                f"at {leaf.user_line}"
            )
        with use_base_mode(self.mode):
            holds = OPS["logical_not"](leaf.maybe_undefined.none_flag)
            missing_return = (
                leaf.maybe_undefined.check is not None
                and leaf.maybe_undefined.check.message_prefix == NOT_RETURNED_PREFIX
            )
            why = (
                MESSAGE_BY_PREFIX[NOT_RETURNED_PREFIX]
                if missing_return
                else "is None, but a program must return tensors"
            )
            emit_assert(self.mode, holds, f"'{leaf.maybe_undefined.name}' {why}", leaf.user_line)
        leaf.maybe_undefined = None

    def _call_converted_and_collect_side_effects(
        self, converted: Callable[..., Any], parameters: FunctionParameters
    ) -> Any:
        try:
            if not isinstance(self.owner, Layer):
                return parameters.call_function(converted, self.bound_arguments)
            with recording_ops_with_layer_paths(self.owner, self.recorder):
                return parameters.call_function(converted, self.bound_arguments)
        except RecursionError as error:
            raise TraceError(append_user_line(f"{parameters.name}: {RECURSION_MESSAGE}")) from error
        finally:
            self.side_effects = (
                self._attribute_tracker.restore_and_return_side_effects()
                + restore_and_return_location_effects(self.recorder)
            )
            mark_effects_whose_previous_tensor_is_aliased(
                self.side_effects, self.guards.iter_holders_keys_and_initial_values()
            )

    def changed_input_indices(self) -> list[int]:
        """Return the indices of the inputs that were changed in place."""
        self.recorder.aliases.reject_invalidated_results_and_externals(self.inputs)
        return [i for i, v in enumerate(self.inputs) if v.name != self.input_names[i]]


def _register_containers_as_local(recorder: Recorder, value: Any) -> None:
    """Mark lists and dicts among the arguments as created by the recorded code: they are copies, so
    mutating them is not a side effect.
    """
    if isinstance(value, dict | list | tuple):
        register_local_object(recorder, value)
        for inner in value.values() if isinstance(value, dict) else value:
            _register_containers_as_local(recorder, inner)


def declare_call_inputs(
    recorder: Recorder, arguments: FlattenedArguments
) -> tuple[list[Any], list[Variable]]:
    """Declare the inputs of a call in the program. Returns the leaves of its arguments, with
    Variables in place of tensors, and the Variables.
    """
    leaves, inputs = list(arguments.leaves), []
    arguments.named_dimensions()  # raises an error if dimensions of one name have different ranges
    for i, (leaf, name, path) in enumerate(
        zip(arguments.leaves, arguments.leaf_input_names, arguments.leaf_paths, strict=True)
    ):
        if is_input(leaf):
            meta = find_input_meta(leaf)
            assert meta is not None
            has_spec_name = isinstance(leaf, InputSpec) and leaf.name
            dims = leaf.dims if isinstance(leaf, InputSpec) else ()
            feed = recorder.feed(leaf.name if has_spec_name else name, meta, path, dims)
            if has_spec_name and feed.name != leaf.name:
                warn(
                    f"two inputs are named '{leaf.name}'; the input at '{path}' is "
                    f"renamed to '{feed.name}' in the program"
                )
            leaves[i] = recorder.create_variable(feed)
            # False, because each call determines which inputs require gradients
            leaves[i].stop_gradient = False
            inputs.append(leaves[i])
    if arguments.first_same_tensor_leaf_indices_or_empty:
        leaves = [leaves[first] for first in arguments.first_same_tensor_leaf_indices_or_empty]
    return leaves, inputs
