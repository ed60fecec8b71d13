"""Capture a layer by running it (`trace_layer`), and record the state of a layer before and after a
capture.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..capture import output_tree
from ..capture.control.defined_flags import ANY_BLOCK
from ..capture.dynamic_shapes import program_with_dynamic_unguarded_dims
from ..capture.modes import Trace, raise_maybe_undefined
from ..capture.recorder import Recorder
from ..capture.undefined_checks import find_check_variable_message
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError
from ..core.mode import use_base_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.version import VERSION
from ..ir.input_spec import InputSpec
from ..ir.program import Attr, AttrType, Contract, ContractInputOrOutput, Guard, OpDesc, Program
from ..nn.layer import Layer
from .guards.snapshots import snapshot_global_random_generators

PRODUCER_NAME = f"oarlock {VERSION}"
CHECK, DROP = "check", "drop"  # values of the config `guards`


@dataclass
class CapturedProgram:
    """A captured program with the tensors that it reads.

    scope: the tensors, by name in the program.
    structured_names: by name in the program, the name of the tensor in the layer.
    inputs: the tensors with which a trace was called.
    changed_state_names: parameters, buffers and random generators that forward changed, but that
    runs of the program do not change.
    dropped_guards: guards that are not enforced.
    has_assert_statements: whether the function asserts on values.
    constrained_dims: variables and axes whose sizes Python code compared or converted.
    accepted_input_shapes: input shapes for which the layer is known to work.
    assigned_buffers: buffers that a run assigns, with the line.
    forced_training_op: an op that is in train mode although its layer is in eval mode; in the file
    it is set to inference.
    differs_from_eager: whether the program is expected to return other values than the layer, so
    that they are not compared.
    restore_python_state: function that restores the Python state which a call of the captured
    function changes.
    """

    program: Program
    scope: dict[str, Tensor]
    structured_names: dict[str, str] = field(default_factory=dict)
    inputs: list[Tensor] = field(default_factory=list)
    changed_state_names: list[str] = field(default_factory=list)
    dropped_guards: list[Guard] = field(default_factory=list)
    has_assert_statements: bool = False
    constrained_dims: set[tuple[str, int]] = field(default_factory=set)
    accepted_input_shapes: list[tuple[int, ...]] = field(default_factory=list)
    assigned_buffers: dict[str, str] = field(default_factory=dict)
    forced_training_op: OpDesc | None = None
    differs_from_eager: bool = False
    restore_python_state: Callable[[], object] = bool  # by default a function that does nothing

    @property
    def contract(self) -> Contract:
        """The contract of the program: its guards, and the names of its inputs and outputs."""
        assert self.program.contract is not None
        return self.program.contract


def positional_argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the first `count` positional arguments of forward, without `self`;
    `input_<i>` for `*args`.
    """
    names: list[str] = []
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    return [names[i] if i < len(names) else f"input_{i}" for i in range(count)]


def iter_named_inputs(
    function: Callable[..., Any], inputs: Sequence[Any]
) -> Iterator[tuple[str, Any]]:
    """Yield each leaf of the inputs with its name: `x` for an argument, `y_0` for an element of a
    list, the key for a value of a dict.
    """
    for name, value in zip(positional_argument_names(function, len(inputs)), inputs, strict=True):
        leaves, spec = pytree.flatten(value, sort_keys=True)
        yield from zip(pytree.leaf_input_names(name, spec), leaves, strict=True)


class LayerTensorsSnapshot:
    """Saves the tensors of a layer, to find out later which of them forward changed."""

    def __init__(self, layer: Layer) -> None:
        self.layers = layer.sublayers(include_self=True)
        self.structured_name_by_id = structured_names_by_id(layer)
        self.saved_arrays = [
            (owner, key, t, None if isinstance(t, Variable) else t.array)
            for owner, key, t in self._iter_owners_keys_and_tensors()
        ]

    def _iter_owners_keys_and_tensors(self) -> Iterator[tuple[Layer, str, Tensor]]:
        for owner in self.layers:
            for table in (owner._parameters, owner._buffers):
                yield from ((owner, key, t) for key, t in table.items() if t is not None)

    def names_of_changed_tensors(self, ignored_ids: set[int]) -> list[str]:
        """Return the names of the tensors that were replaced or changed.

        ignored_ids: the ids of tensors that the program itself updates, whose names are left out.
        """
        return [
            self.structured_name_by_id[id(t)]
            for owner, key, t, array in self.saved_arrays
            if id(t) not in ignored_ids
            and (owner.__dict__.get(key) is not t or t.array is not array)
        ]


def structured_names_by_id(layer: Layer) -> dict[int, str]:
    """Return the structured name of every parameter and buffer, by id. If a subclass overrides
    `to_static_state_dict`, the names are those that it returns.
    """
    names = {id(t): n for n, t in (*layer.named_buffers(), *layer.named_parameters())}
    if type(layer).to_static_state_dict is not Layer.to_static_state_dict:
        names.update({id(t): n for n, t in layer.to_static_state_dict().items()})
    return names


@contextmanager
def recording_ops_with_layer_paths(layer: Layer, recorder: Recorder) -> Iterator[None]:
    """Context manager: ops that are recorded while the `forward` of a sublayer runs store the path
    of this sublayer.
    """
    hooks = []
    for path, inner in layer.named_sublayers():
        scope = f"/{path.replace('.', '/')}/"

        def push_path(inner: Layer, inputs: Any, scope: str = scope) -> None:
            recorder.layers.append(scope)

        def pop_path(inner: Layer, inputs: Any, outputs: Any, scope: str = scope) -> None:
            # If `forward` of a sublayer raised an error, its hook that removes the path did not
            # run.
            while recorder.layers and recorder.layers.pop() != scope:
                pass

        hooks += [
            inner.register_forward_pre_hook(push_path),
            inner.register_forward_post_hook(pop_path),
        ]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def trace_layer(
    layer: Layer, inputs: Sequence[Any], guards: str = CHECK, tracks_constrained_dims: bool = False
) -> tuple[Any, CapturedProgram]:
    """Run `layer` on tensors and record it. Dimensions whose size Python code did not read become
    dynamic; with guards='drop', the other dimensions do, too.

    tracks_constrained_dims: whether to record the sizes that Python code compares or converts.
    """
    recorder, input_copies = Recorder(), list[Tensor]()
    for name, tensor in iter_named_inputs(layer.forward, inputs):
        if not isinstance(tensor, Tensor):
            fix = "; jit.save takes InputSpecs" if isinstance(tensor, InputSpec) else ""
            kind = type(tensor).__name__
            raise TypeError(f"TracedLayer.trace: the input '{name}' is {kind}, not a Tensor{fix}")
        recorder.bind(tensor, recorder.feed(name, tensor.meta).name)
        input_copies.append(Tensor(tensor.array))
    state, sources = LayerTensorsSnapshot(layer), snapshot_global_random_generators()
    mode = Trace(recorder, constrained_dims=set() if tracks_constrained_dims else None)
    with use_base_mode(mode), recording_ops_with_layer_paths(layer, recorder):
        outputs = layer(*inputs)
        contract = rename_and_fetch_outputs_and_make_contract(
            recorder, require_any_tensor_output(outputs)
        )
    constrained = {
        (b.var, b.axis)
        for a, b in zip(recorder.guards, contract.guards, strict=True)
        if (a.var, a.axis) in (mode.constrained_dims or ())
    }
    dropped, contract.guards = (contract.guards, []) if guards == DROP else ([], contract.guards)
    recording = create_captured_program(
        layer,
        recorder,
        complete_and_store_contract(
            program_with_dynamic_unguarded_dims(recorder.program, contract.guards), contract
        ),
    )
    recording.inputs, recording.dropped_guards, recording.constrained_dims = (
        input_copies,
        dropped,
        constrained,
    )
    written = recording.program.written_names()
    recording.changed_state_names = state.names_of_changed_tensors(
        {id(t) for name, t in recording.scope.items() if name in written}
    )
    recording.changed_state_names += [name for name, was in sources if not was.matches(was.value)]
    return outputs, recording


def require_any_tensor_output(outputs: Any) -> Any:
    """Return `outputs` unchanged. Raises TraceError if `outputs` contains no tensor."""
    if not output_tree.flatten(outputs, "out")[0]:
        raise TraceError("the layer returns no tensor; there is nothing to record")
    return outputs


def rename_and_fetch_outputs_and_make_contract(recorder: Recorder, outputs: Any) -> Contract:
    """Append the fetch ops of the outputs, and return the contract, in which the outputs are named
    after their paths.
    """
    flat, spec = output_tree.flatten(outputs, "out")
    for _, tensor in flat:
        if (
            isinstance(tensor, Variable)
            and tensor.maybe_undefined is not None
            and tensor.maybe_undefined.block != ANY_BLOCK
        ):
            raise_maybe_undefined(tensor.maybe_undefined)
    fetched = [
        (
            path,
            _ensure_fetchable_and_get_name(
                recorder, tensor, previous_outputs=[t for _, t in flat[:i]]
            ),
        )
        for i, (path, tensor) in enumerate(flat)
    ]
    renamed = {name: recorder.namer.unique_name(path) for path, name in fetched}
    rename_variables(recorder.program, renamed)
    guards = [replace(g, var=renamed.get(g.var, g.var)) for g in recorder.guards]
    for _, name in fetched:
        recorder.fetch(renamed[name])
    inputs = [
        ContractInputOrOutput(name, "", (), path) for name, path in recorder.input_paths.items()
    ]
    return Contract(
        inputs,
        [ContractInputOrOutput(renamed[n], "", (), p) for p, n in fetched],
        spec,
        guards,
        PRODUCER_NAME,
    )


def _ensure_fetchable_and_get_name(
    recorder: Recorder, tensor: Tensor, previous_outputs: list[Tensor]
) -> str:
    """Return the name of a variable that can be fetched as an output. If the tensor is an input, a
    parameter or already another output, the variable is a copy of the tensor.
    """
    name = recorder.emit_undefined_check_and_get_name(tensor)
    made_here = any(
        name in op.output_names() for op in recorder.program.block.ops if op.type != "feed"
    )
    is_checked_value = (
        find_check_variable_message(name) is not None
    )  # copying a maybe-undefined value emits a check whose error message contains this name
    if (
        made_here
        and not is_checked_value
        and name not in recorder.scope
        and all(t is not tensor for t in previous_outputs)
    ):
        return name
    return recorder.find_name_or_declare_persistable(OPS["assign"](tensor))


def rename_variables(program: Program, renamed: dict[str, str]) -> None:
    """Rename variables in all blocks and ops."""

    def rename_variables_in_slots(slots: dict[str, list[str]]) -> dict[str, list[str]]:
        return {slot: [renamed.get(n, n) for n in names] for slot, names in slots.items()}

    for block in program.blocks:
        block.vars = {renamed.get(n, n): v for n, v in block.vars.items()}
        for name, var in block.vars.items():
            var.name = name
        block.ops = [
            replace(
                op,
                inputs=rename_variables_in_slots(op.inputs),
                outputs=rename_variables_in_slots(op.outputs),
            )
            for op in block.ops
        ]


def complete_and_store_contract(program: Program, contract: Contract) -> Program:
    """Store the contract in a program, with the dtypes and shapes of inputs and outputs."""

    declared = program.block.vars
    paths = {a.name: a.path for a in contract.inputs}
    contract.inputs = [
        declared[name].to_contract_input(paths.get(name, name)) for name in program.feed_names()
    ]
    contract.outputs = [
        replace(a, dtype=declared[a.name].dtype, shape=declared[a.name].shape)
        for a in contract.outputs
    ]
    program.contract = contract
    return program


def create_captured_program(
    layer: Layer | None, recorder: Recorder, program: Program
) -> CapturedProgram:
    """Return the captured program of a finished recording.

    layer: the layer whose structured names the parameters have.
    """
    names = {} if layer is None else structured_names_by_id(layer)
    structured = {name: names[id(t)] for name, t in recorder.scope.items() if id(t) in names}
    has_no_eager_form = any(
        op.type == "recurrent" for op in program.ops()
    )  # eager execution of the function would fail at StaticRNN
    return CapturedProgram(
        program,
        recorder.scope,
        structured,
        differs_from_eager=recorder.has_merged_ranks or has_no_eager_form,
    )


def copy_with_ops_in_inference_mode(program: Program) -> Program:
    """Return the program with inference mode set in every op that behaves differently in
    training.
    """

    def copy_op_with_is_test(op: OpDesc) -> OpDesc:
        if "is_test" not in op.attrs:
            return op
        return replace(op, attrs={**op.attrs, "is_test": Attr(AttrType.BOOLEAN, True)})

    blocks = [replace(b, ops=[copy_op_with_is_test(op) for op in b.ops]) for b in program.blocks]
    return replace(program, blocks=blocks)
