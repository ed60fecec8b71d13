"""Capture a layer by running it (`trace`), and record the state of a layer before and after a
capture.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..capture import output_tree
from ..capture.control.maybe_undefined import ANY_BLOCK
from ..capture.dynamic_shapes import with_dynamic_dims
from ..capture.modes import Trace, raise_maybe_undefined
from ..capture.recorder import Recorder
from ..capture.undefined_checks import undefined_message
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError
from ..core.mode import replace_base_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.version import VERSION
from ..ir.program import Arg, Attr, AttrType, Contract, Guard, OpDesc, Program
from ..nn.layer import Layer
from .guards.snapshots import random_states

PRODUCER = f"oarlock {VERSION}"
CHECK, DROP = "check", "drop"  # values of the config `guards`


@dataclass
class CapturedProgram:
    """A captured program with the tensors that it reads.

    scope: the tensors, by name in the program.
    structured_names: by name in the program, the names in the layer.
    inputs: the tensors with which a trace was called.
    changed_state: parameters, buffers and random generators that forward changed, but that runs of
    the program do not change.
    dropped_guards: guards that are not enforced.
    has_asserts: whether the function asserts on values.
    decided_dims: variables and axes whose sizes Python code compared or converted.
    known_shapes: input shapes for which the layer is known to work.
    assigned_buffers: buffers that a run assigns, with the line.
    training_op: an op that is in train mode although its layer is in eval mode; in the file it is
    set to inference.
    differs_from_eager: whether the program is expected to return other values than the layer, so
    that they are not compared.
    undo: function that restores the Python state which a call of the captured function changes.
    """

    program: Program
    scope: dict[str, Tensor]
    structured_names: dict[str, str] = field(default_factory=dict)
    inputs: list[Tensor] = field(default_factory=list)
    changed_state: list[str] = field(default_factory=list)
    dropped_guards: list[Guard] = field(default_factory=list)
    has_asserts: bool = False
    decided_dims: set[tuple[str, int]] = field(default_factory=set)
    known_shapes: list[tuple[int, ...]] = field(default_factory=list)
    assigned_buffers: dict[str, str] = field(default_factory=dict)
    training_op: OpDesc | None = None
    differs_from_eager: bool = False
    undo: Callable[[], object] = bool  # does nothing

    @property
    def contract(self) -> Contract:
        """The guards, and the names of inputs and outputs."""
        assert self.program.contract is not None
        return self.program.contract


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """Return the names of the first `count` positional arguments of forward, without `self`;
    `input_<i>` for `*args`.
    """
    names: list[str] = []
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    return [names[i] if i < len(names) else f"input_{i}" for i in range(count)]


def named_inputs(function: Callable[..., Any], inputs: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Yield each leaf of the inputs with its name: `x`, `y_0` for an element of a list, the key for
    a value of a dict.
    """
    for name, value in zip(argument_names(function, len(inputs)), inputs, strict=True):
        leaves, spec = pytree.flatten(value, sort_keys=True)
        yield from zip(pytree.leaf_names(name, spec), leaves, strict=True)


class LayerState:
    """The tensors of a layer, to find those that forward changes."""

    def __init__(self, layer: Layer) -> None:
        self.layers = layer.sublayers(include_self=True)
        self.names = structured_names(layer)
        self.saved_state = [
            (owner, key, t, None if isinstance(t, Variable) else t.array)
            for owner, key, t in self._walk()
        ]

    def _walk(self) -> Iterator[tuple[Layer, str, Tensor]]:
        for owner in self.layers:
            for table in (owner._parameters, owner._buffers):
                yield from ((owner, key, t) for key, t in table.items() if t is not None)

    def changed(self, kept: set[int]) -> list[str]:
        """Return the names of the tensors that were replaced or changed.

        kept: the ids of tensors that the program itself updates; they are omitted.
        """
        return [
            self.names[id(t)]
            for owner, key, t, array in self.saved_state
            if id(t) not in kept and (owner.__dict__.get(key) is not t or t.array is not array)
        ]


def structured_names(layer: Layer) -> dict[int, str]:
    """Return the structured name of every parameter and buffer, by id; from `to_static_state_dict`
    if a subclass overrides it.
    """
    names = {id(t): n for n, t in (*layer.named_buffers(), *layer.named_parameters())}
    if type(layer).to_static_state_dict is not Layer.to_static_state_dict:
        names.update({id(t): n for n, t in layer.to_static_state_dict().items()})
    return names


@contextmanager
def named_layers(layer: Layer, recorder: Recorder) -> Iterator[None]:
    """Make ops that are recorded in a sublayer store the path of the sublayer."""
    hooks = []
    for path, inner in layer.named_sublayers():
        scope = f"/{path.replace('.', '/')}/"

        def enter(inner: Layer, inputs: Any, scope: str = scope) -> None:
            recorder.layers.append(scope)

        def leave(inner: Layer, inputs: Any, outputs: Any, scope: str = scope) -> None:
            # A layer that raised has no post hook.
            while recorder.layers and recorder.layers.pop() != scope:
                pass

        hooks += [inner.register_forward_pre_hook(enter), inner.register_forward_post_hook(leave)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def trace(
    layer: Layer, inputs: Sequence[Any], guards: str = CHECK, watches: bool = False
) -> tuple[Any, CapturedProgram]:
    """Run `layer` on tensors and record it. Dimensions whose size Python code did not read become
    dynamic; with guards='drop', the other dimensions too.

    watches: whether to record the sizes that Python code compares or converts.
    """
    recorder, given = Recorder(), list[Tensor]()
    for name, tensor in named_inputs(layer.forward, inputs):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"TracedLayer.trace: the input '{name}' is {type(tensor).__name__}, not a Tensor"
            )
        recorder.bind(tensor, recorder.feed(name, tensor.meta).name)
        given.append(Tensor(tensor.array))
    state, sources = LayerState(layer), random_states()
    mode = Trace(recorder, constrained_dims=set() if watches else None)
    with replace_base_mode(mode), named_layers(layer, recorder):
        outputs = layer(*inputs)
        contract = write_outputs(recorder, require_outputs(outputs))
    held = {
        (b.var, b.axis)
        for a, b in zip(recorder.guards, contract.guards, strict=True)
        if (a.var, a.axis) in (mode.constrained_dims or ())
    }
    dropped, contract.guards = (contract.guards, []) if guards == DROP else ([], contract.guards)
    recording = create_captured_program(
        layer,
        recorder,
        with_contract(with_dynamic_dims(recorder.program, contract.guards), contract),
    )
    recording.inputs, recording.dropped_guards, recording.decided_dims = given, dropped, held
    written = recording.program.written()
    recording.changed_state = state.changed(
        {id(t) for name, t in recording.scope.items() if name in written}
    )
    recording.changed_state += [name for name, was in sources if not was.matches(was.value)]
    return outputs, recording


def require_outputs(outputs: Any) -> Any:
    """Return the outputs. Raises TraceError if there is no tensor among them."""
    if not output_tree.flatten(outputs, "out")[0]:
        raise TraceError("the layer returns no tensor; there is nothing to record")
    return outputs


def write_outputs(recorder: Recorder, outputs: Any) -> Contract:
    """Name the outputs after their paths, and append the fetch ops."""
    flat, spec = output_tree.flatten(outputs, "out")
    for _, tensor in flat:
        if (
            isinstance(tensor, Variable)
            and tensor.maybe_undefined is not None
            and tensor.maybe_undefined.block != ANY_BLOCK
        ):
            raise_maybe_undefined(tensor.maybe_undefined)
    fetched = [
        (path, _fetchable(recorder, tensor, seen=[t for _, t in flat[:i]]))
        for i, (path, tensor) in enumerate(flat)
    ]
    renamed = {name: recorder.namer.fresh(path) for path, name in fetched}
    rename_variables(recorder.program, renamed)
    guards = [replace(g, var=renamed.get(g.var, g.var)) for g in recorder.guards]
    for _, name in fetched:
        recorder.fetch(renamed[name])
    inputs = [Arg(name, "", (), path) for name, path in recorder.input_paths.items()]
    return Contract(
        inputs, [Arg(renamed[n], "", (), p) for p, n in fetched], spec, guards, PRODUCER
    )


def _fetchable(recorder: Recorder, tensor: Tensor, seen: list[Tensor]) -> str:
    """Return the name of a variable that can be fetched as an output: a copy if the tensor is an
    input, a parameter or another output.
    """
    name = recorder.operand_name(tensor)
    made_here = any(
        name in op.output_names() for op in recorder.program.block.ops if op.type != "feed"
    )
    asked = undefined_message(name) is not None  # the name is part of an error message
    if (
        made_here
        and not asked
        and name not in recorder.scope
        and all(t is not tensor for t in seen)
    ):
        return name
    return recorder.name_of(OPS["assign"](tensor))


def rename_variables(program: Program, renamed: dict[str, str]) -> None:
    """Rename variables in all blocks and ops."""

    def all_of(slots: dict[str, list[str]]) -> dict[str, list[str]]:
        return {slot: [renamed.get(n, n) for n in names] for slot, names in slots.items()}

    for block in program.blocks:
        block.vars = {renamed.get(n, n): v for n, v in block.vars.items()}
        for name, var in block.vars.items():
            var.name = name
        block.ops = [
            replace(op, inputs=all_of(op.inputs), outputs=all_of(op.outputs)) for op in block.ops
        ]


def with_contract(program: Program, contract: Contract) -> Program:
    """Store the contract in a program, with the dtypes and shapes of inputs and outputs."""

    def arg(name: str, path: str) -> Arg:
        var = program.block.vars[name]
        return Arg(name, var.dtype, var.shape, path)

    paths = {a.name: a.path for a in contract.inputs}
    contract.inputs = [arg(name, paths.get(name, name)) for name in program.feeds()]
    contract.outputs = [arg(a.name, a.path) for a in contract.outputs]
    program.contract = contract
    return program


def create_captured_program(
    layer: Layer | None, recorder: Recorder, program: Program
) -> CapturedProgram:
    """Return the captured program of a finished recording.

    layer: the layer whose structured names the parameters have.
    """
    names = {} if layer is None else structured_names(layer)
    structured = {name: names[id(t)] for name, t in recorder.scope.items() if id(t) in names}
    has_no_eager_form = any(
        op.type == "recurrent" for op in program.ops()
    )  # eager execution does not support StaticRNN
    return CapturedProgram(
        program,
        recorder.scope,
        structured,
        differs_from_eager=recorder.has_merged_ranks or has_no_eager_form,
    )


def for_inference(program: Program) -> Program:
    """Return the program with every op that has a training behavior set to inference."""

    def tested(op: OpDesc) -> OpDesc:
        if "is_test" not in op.attrs:
            return op
        return replace(op, attrs={**op.attrs, "is_test": Attr(AttrType.BOOLEAN, True)})

    blocks = [replace(b, ops=[tested(op) for op in b.ops]) for b in program.blocks]
    return replace(program, blocks=blocks)
