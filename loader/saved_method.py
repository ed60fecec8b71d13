"""One method of a saved model: its program, inputs and outputs, and the code that runs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..capture import output_tree
from ..capture.dynamic_shapes import program_without_guards_and_fixed_dims
from ..capture.modes import recorder_of_mode
from ..core import pytree
from ..core.dtype import parse_dtype
from ..core.errors import OpError, append_user_line
from ..core.mode import state, use_mode
from ..core.numerics_check import is_enabled as checks_numerics
from ..core.tensor import Tensor
from ..export import pdmodel
from ..ir.block_captures import program_draws_random
from ..ir.dim import NamedDimensions, format_shape
from ..ir.guards import check_guard
from ..ir.input_spec import InputSpec
from ..ir.program import Attr, AttrType, Contract, ContractInputOrOutput, OpDesc, Program
from .engine import make_row_splits_input_specs
from .model_files import ModelFileContents
from .named_dimension_asserts import emit_asserts_on_unknown_sizes
from .program_runner import ProgramRunner


class SavedMethod:
    """One method of a saved model: its program, with the parameters and buffers that all methods of
    the model share.

    scope: the values, by name.
    inputs, outputs: the inputs and outputs as they were saved.
    guards: all guards, also those that are not enforced. A call that violates an enforced guard
    raises GuardError.
    """

    def __init__(
        self,
        files: ModelFileContents,
        scope: Mapping[str, Tensor],
        options: Mapping[str, Any] | None,
        enforces_guards: bool = True,
    ) -> None:
        self.name, self.program = (
            files.name,
            files.program
            if enforces_guards
            else program_without_guards_and_fixed_dims(files.program),
        )
        contract = self.program.contract or Contract()
        self.inputs = contract.inputs or [
            _contract_input_or_output_of_variable(files.program, n)
            for n in files.program.feed_names()
        ]
        self.outputs = contract.outputs or [
            _contract_input_or_output_of_variable(files.program, n)
            for n in files.program.fetch_names()
        ]
        self._enforced_guards = contract.guards
        self.guards = list(files.program.contract.guards) if files.program.contract else []
        self._call_inputs = self.inputs + make_row_splits_input_specs(files)
        self._named_dimensions = NamedDimensions((arg.name, arg.dims) for arg in self.inputs)
        self._rebuild_outputs = output_tree.make_result_unflattener(
            contract.output_tree, len(self.outputs)
        )
        self._scope = {name: scope[name] for name in files.values}
        bytes_ = files.pdmodel if self.program is files.program else pdmodel.to_bytes(self.program)
        on_disk = (bytes_, files.params_path) if files.params_path or not files.values else None
        self.runner = ProgramRunner(self.program, self._scope, on_disk, options, self.name)

    @cached_property
    def _training_runner(self) -> ProgramRunner:
        """The runner of the program in training mode: every op with a different behavior in
        training, such as dropout, is set to training mode.
        """
        return ProgramRunner(with_ops_in_training_mode(self.program), self._scope, name=self.name)

    @cached_property
    def _needs_kernels_for_random_numbers(self) -> bool:
        """Whether Oarlock's own kernels must run the program, because the program draws random
        numbers, and the engine ignores `paddle.seed`.
        """
        return (
            program_draws_random(self.program)
            and self.runner.is_supported_by_kernels
            and not self.runner.options_require_engine
        )

    # -- calling
    # --------------------------------------------------------------------------

    def call(self, training: bool, inputs: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Run the method, and return its results, nested as in the saved function.

        Raises OpError for invalid inputs, GuardError for a violated guard.
        """
        if any(map(pytree.is_dict_or_sequence_holding_tensors, (*inputs, *named.values()))):
            inputs, named = (), self._flatten_arguments_by_input_name(inputs, named)
        given = self._merge_positional_and_named_inputs(inputs, named) if named else inputs
        without_offsets = len(given) == len(self.inputs) and not state.mode.is_eager
        if len(given) != len(self._call_inputs) and not without_offsets:
            raise OpError(
                append_user_line(
                    f"{self.name}: takes {self.input_names()}, got {len(given)} inputs"
                )
            )
        if _needs_kernels_for_capture_training_or_gradients(training, given):
            return self._rebuild_outputs(self._run_with_kernels(training, given))
        checks = checks_numerics() and self.runner.is_supported_by_kernels  # which run op by op
        if self.runner.engine_error is not None or self._needs_kernels_for_random_numbers or checks:
            with use_mode(state.mode.mode_with_tape_set(False)):
                return self._rebuild_outputs(self._run_with_kernels(training, given))
        arrays = [
            self._convert_input_to_array(g, a)
            for g, a in zip(given, self._call_inputs, strict=True)
        ]
        return self._rebuild_outputs([Tensor(a) for a in self.runner.infer(arrays)])

    def _run_with_kernels(self, training: bool, inputs: Sequence[Any]) -> list[Tensor]:
        tensors = [
            g if isinstance(g, Tensor) else Tensor(self._convert_input_to_array(g, a))
            for g, a in zip(inputs, self._call_inputs, strict=False)
        ]
        self._check_inputs(tensors)
        recorder = recorder_of_mode(state.mode)
        if recorder is not None and self._named_dimensions:
            emit_asserts_on_unknown_sizes(recorder, self.name, self._named_dimensions, tensors)
        runner = self._training_runner if training else self.runner
        return runner.run_with_kernels(tensors)

    def _convert_input_to_array(self, value: Any, arg: ContractInputOrOutput) -> Any:
        """Return an input value as an ndarray. Lists and numbers are converted to the dtype that
        the program declares for the input.
        """
        if isinstance(value, Tensor):
            return value.array
        if isinstance(value, np.ndarray):
            return value
        try:
            if value is None:  # NumPy would convert None to NaN
                raise TypeError("there is nothing")
            return np.asarray(value, parse_dtype(arg.dtype).np)
        except (TypeError, ValueError, OverflowError) as error:
            why = (
                f"input '{arg.name}' should be a tensor, an array, or numbers of one (got "
                f"{type(value).__name__}: {error})"
            )
            raise OpError(append_user_line(f"{self.name}: {why}")) from None

    def _check_inputs(self, tensors: Sequence[Tensor]) -> None:
        """Check the shapes and dtypes of inputs before a run on Oarlock's kernels, as the engine
        does before its runs.
        """
        for arg, tensor in zip(self._call_inputs, tensors, strict=False):
            meta = tensor.meta
            fits = len(meta.shape) == len(arg.shape) and all(
                a in (-1, b) or b < 0 for a, b in zip(arg.shape, meta.shape, strict=True)
            )
            if not fits or meta.dtype.name != arg.dtype:
                self._check_dim_guards_of_input(arg, meta)
                wanted = f"{arg.dtype}{format_shape(arg.shape, arg.dims)}"
                raise OpError(
                    append_user_line(
                        f"{self.name}: input '{arg.name}' should be {wanted} (got {meta})"
                    )
                )

        if self._named_dimensions:
            problem = self._named_dimensions.describe_violation([tensor.meta for tensor in tensors])
            if problem:
                raise OpError(append_user_line(f"{self.name}: {problem}"))

    def _check_dim_guards_of_input(self, arg: ContractInputOrOutput, meta: Any) -> None:
        """Raise GuardError if the size of an input violates a guard on one of its dimensions."""
        for g in self._enforced_guards:
            if g.kind == "dim" and g.var == arg.name and g.axis < len(meta.shape):
                check_guard(g, np.empty(0), meta.shape, self.name)

    def _merge_positional_and_named_inputs(
        self, inputs: Sequence[Any], named: Mapping[str, Any]
    ) -> list[Any]:
        names = self.input_names()
        values = dict(zip(names, inputs, strict=False))
        self._reject_inputs_given_twice([*values, *named])
        unknown = [n for n in named if n not in names]
        if unknown:
            raise OpError(append_user_line(f"{self.name}: no input {unknown}; it takes {names}"))
        values.update(named)
        missing = [n for n in names if n not in values]
        if missing:
            raise OpError(append_user_line(f"{self.name}: inputs {missing} are missing"))
        return [values[n] for n in names]

    def _flatten_arguments_by_input_name(
        self, inputs: Sequence[Any], named: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Flatten nested arguments, and return the leaves by the names of the inputs."""
        arguments = list(dict.fromkeys(a.path.split(".")[0] for a in self._call_inputs))
        if len(inputs) > len(arguments):
            why = f"takes the arguments {arguments}, got {len(inputs)}"
            raise OpError(append_user_line(f"{self.name}: {why}"))
        values = dict(zip(arguments, inputs, strict=False))
        self._reject_inputs_given_twice([*values, *named])
        leaves, nesting = pytree.flatten({**values, **named})
        at = {a.path: a.name for a in self._call_inputs}
        names = [at.get(path, path) for path in pytree.dotted_paths(nesting)]
        self._reject_inputs_given_twice(names)
        return dict(zip(names, leaves, strict=True))

    def _reject_inputs_given_twice(self, names: Sequence[str]) -> None:
        twice = [name for name, count in Counter(names).items() if count > 1]
        if twice:
            raise OpError(
                append_user_line(
                    f"{self.name}: {twice} {'is' if len(twice) == 1 else 'are'} given twice"
                )
            )

    # -- properties
    # ---------------------------------------------------------------------------------------------

    def input_names(self) -> list[str]:
        """Return the names of all inputs, including the inputs that hold the row splits of
        sequences.
        """
        return [a.name for a in self._call_inputs]

    def input_spec(self) -> list[InputSpec]:
        """Return the InputSpecs of the inputs."""
        return [_contract_input_or_output_to_spec(a) for a in self.inputs]

    def output_spec(self) -> list[InputSpec]:
        """Return the InputSpecs of the outputs."""
        return [_contract_input_or_output_to_spec(a) for a in self.outputs]


def _needs_kernels_for_capture_training_or_gradients(training: bool, inputs: Sequence[Any]) -> bool:
    mode = state.mode
    if not mode.is_eager:
        return True
    if training:
        return True
    return mode.tape and any(isinstance(g, Tensor) and not g.stop_gradient for g in inputs)


def _contract_input_or_output_of_variable(program: Program, name: str) -> ContractInputOrOutput:
    var = program.block.vars[name]
    return ContractInputOrOutput(name, var.dtype, var.shape, name)


def _contract_input_or_output_to_spec(arg: ContractInputOrOutput) -> InputSpec:
    return InputSpec(
        [size if dim is None else dim for size, dim in arg.iter_sizes_and_dims()],
        arg.dtype,
        arg.name,
    )


def with_ops_in_training_mode(program: Program) -> Program:
    """Return a copy of the program in which every op with a different behavior in training, such as
    dropout, is set to training mode.
    """

    def op_with_training_behavior(op: OpDesc) -> OpDesc:
        if "is_test" not in op.attrs:
            return op
        return replace(op, attrs={**op.attrs, "is_test": Attr(AttrType.BOOLEAN, False)})

    return replace(
        program,
        blocks=[
            replace(b, ops=[op_with_training_behavior(op) for op in b.ops]) for b in program.blocks
        ],
    )
