"""Recordings: a layer run once, by values or by names only, and what came of it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from ..capture import output_tree
from ..capture.control.maybe_undefined import ANYWHERE
from ..capture.dynamic_shapes import freed
from ..capture.modes import Trace, refuse_half
from ..capture.recorder import Recorder
from ..capture.undefined_checks import missing
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError
from ..core.mode import replace_base_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..core.version import VERSION
from ..ir.program import Arg, Attr, AttrType, Contract, Guard, OpDesc, Program
from ..nn.layer import Layer
from .guards.reads import dice

PRODUCER = f"oarlock {VERSION}"
CHECK, DROP = "check", "drop"  # what becomes of assumptions


@dataclass
class Recording:
    """A program with the tensors it needs.

    scope: by name in the program; structured: their names in the layer; given: the inputs, where
    there were values; changed: parameters, buffers and Python's sources of random numbers that
    forward changed and the program does not;
    dropped: what was assumed and is not enforced; asserts: whether there are asserts on values, in
    the program or left out of it; decided: variables and axes whose sizes Python did more with than
    compute, where that was watched; shapes: of inputs that are known to work, without values;
    assigned: buffers that a run writes, and where; tested: an op that trains whatever the mode of
    its layer, and does not in the file; differs: whether the program is meant to differ from a call
    of the layer, so that the two are not compared; undo: puts back what a call of the function
    changes in Python.
    """

    program: Program
    scope: dict[str, Tensor]
    structured: dict[str, str] = field(default_factory=dict)
    given: list[Tensor] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    dropped: list[Guard] = field(default_factory=list)
    asserts: bool = False
    decided: set[tuple[str, int]] = field(default_factory=set)
    shapes: list[tuple[int, ...]] = field(default_factory=list)
    assigned: dict[str, str] = field(default_factory=dict)
    tested: OpDesc | None = None
    differs: bool = False
    undo: Callable[[], object] = bool  # nothing

    @property
    def contract(self) -> Contract:
        """What was assumed, and how inputs and outputs are called."""
        assert self.program.contract is not None
        return self.program.contract


def argument_names(function: Callable[..., Any], count: int) -> list[str]:
    """The names of the first `count` positional arguments of forward, `self` left out; made up
    behind *args.
    """
    names: list[str] = []
    for p in inspect.signature(function).parameters.values():
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    return [names[i] if i < len(names) else f"input_{i}" for i in range(count)]


def named_inputs(function: Callable[..., Any], inputs: Sequence[Any]) -> Iterator[tuple[str, Any]]:
    """Every leaf of the inputs with its name: `x`, `y_0` inside a list, the key inside a dict."""
    for name, value in zip(argument_names(function, len(inputs)), inputs, strict=True):
        leaves, nesting = pytree.flatten(value, sort_keys=True)
        yield from zip(pytree.leaf_names(name, nesting), leaves, strict=True)


class State:
    """The tensors that a layer holds, to find out what a run of forward does to them."""

    def __init__(self, layer: Layer) -> None:
        self.layers = layer.sublayers(include_self=True)
        self.names = structured_names(layer)
        self.held = [
            (owner, key, t, None if isinstance(t, Variable) else t.array)
            for owner, key, t in self._walk()
        ]

    def _walk(self) -> Iterator[tuple[Layer, str, Tensor]]:
        for owner in self.layers:
            for table in (owner._parameters, owner._buffers):
                yield from ((owner, key, t) for key, t in table.items() if t is not None)

    def changed(self, kept: set[int]) -> list[str]:
        """The names of those that are another tensor or have another value now.

        kept: ids of those a program updates.
        """
        return [
            self.names[id(t)]
            for owner, key, t, array in self.held
            if id(t) not in kept and (owner.__dict__.get(key) is not t or t.array is not array)
        ]


def structured_names(layer: Layer) -> dict[int, str]:
    """The structured name of every parameter and buffer, by id; from `to_static_state_dict` if a
    subclass overrides it.
    """
    names = {id(t): n for n, t in (*layer.named_buffers(), *layer.named_parameters())}
    if type(layer).to_static_state_dict is not Layer.to_static_state_dict:
        names.update({id(t): n for n, t in layer.to_static_state_dict().items()})
    return names


@contextmanager
def named_layers(layer: Layer, recorder: Recorder) -> Iterator[None]:
    """Ops that are recorded inside a sublayer carry its path."""
    hooks = []
    for path, inner in layer.named_sublayers():
        scope = f"/{path.replace('.', '/')}/"

        def enter(inner: Layer, inputs: Any, scope: str = scope) -> None:
            recorder.layers.append(scope)

        def leave(inner: Layer, inputs: Any, outputs: Any, scope: str = scope) -> None:
            # one that raised did not leave by itself
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
) -> tuple[Any, Recording]:
    """Run `layer` on tensors, and record it.

    Sizes that Python did not look at stay free, with guards='drop' the others too.

    watches: note which sizes Python decides on.
    """
    recorder, given = Recorder(), list[Tensor]()
    for name, tensor in named_inputs(layer.forward, inputs):
        if not isinstance(tensor, Tensor):
            raise TypeError(
                f"TracedLayer.trace: the input '{name}' is {type(tensor).__name__}, not a Tensor"
            )
        recorder.bind(tensor, recorder.feed(name, tensor.meta).name)
        given.append(Tensor(tensor.array))
    state, sources = State(layer), dice()
    mode = Trace(recorder, decided=set() if watches else None)
    with replace_base_mode(mode), named_layers(layer, recorder):
        outputs = layer(*inputs)
        contract = finish(recorder, some(outputs))
    held = {
        (b.var, b.axis)
        for a, b in zip(recorder.guards, contract.guards, strict=True)
        if (a.var, a.axis) in (mode.decided or ())
    }
    dropped, contract.guards = (contract.guards, []) if guards == DROP else ([], contract.guards)
    recording = recording_of(
        layer, recorder, described(freed(recorder.program, contract.guards), contract)
    )
    recording.given, recording.dropped, recording.decided = given, dropped, held
    written = recording.program.written()
    recording.changed = state.changed(
        {id(t) for name, t in recording.scope.items() if name in written}
    )
    recording.changed += [name for name, was in sources if not was.same(was.value)]
    return outputs, recording


def some(outputs: Any) -> Any:
    """The outputs.

    Raises TraceError where no tensor is among them: a file without outputs is of no use.
    """
    if not output_tree.flatten(outputs, "out")[0]:
        raise TraceError("the layer gives no tensor; there is nothing to record")
    return outputs


def finish(recorder: Recorder, outputs: Any) -> Contract:
    """Name the outputs after their place in what forward gave, and fetch them."""
    flat, nesting = output_tree.flatten(outputs, "out")
    for _, tensor in flat:
        if (
            isinstance(tensor, Variable)
            and tensor.half is not None
            and tensor.half.block != ANYWHERE
        ):
            refuse_half(tensor.half)
    fetched = [
        (path, _fetchable(recorder, tensor, seen=[t for _, t in flat[:i]]))
        for i, (path, tensor) in enumerate(flat)
    ]
    renamed = {name: recorder.namer.fresh(path) for path, name in fetched}
    rename(recorder.program, renamed)
    guards = [replace(g, var=renamed.get(g.var, g.var)) for g in recorder.guards]
    for _, name in fetched:
        recorder.fetch(renamed[name])
    inputs = [Arg(name, "", (), path) for name, path in recorder.paths.items()]
    return Contract(
        inputs, [Arg(renamed[n], "", (), p) for p, n in fetched], nesting, guards, PRODUCER
    )


def _fetchable(recorder: Recorder, tensor: Tensor, seen: list[Tensor]) -> str:
    """The variable of an output; a copy where it is an input, a parameter, or an output already."""
    name = recorder.operand(tensor)
    made_here = any(
        name in op.output_names() for op in recorder.program.block.ops if op.type != "feed"
    )
    asked = missing(name) is not None  # whose name an error tells
    if (
        made_here
        and not asked
        and name not in recorder.scope
        and all(t is not tensor for t in seen)
    ):
        return name
    return recorder.name_of(OPS["assign"](tensor))


def rename(program: Program, renamed: dict[str, str]) -> None:
    """Give variables other names."""

    def all_of(slots: dict[str, list[str]]) -> dict[str, list[str]]:
        return {slot: [renamed.get(n, n) for n in names] for slot, names in slots.items()}

    for block in program.blocks:
        block.vars = {renamed.get(n, n): v for n, v in block.vars.items()}
        for name, var in block.vars.items():
            var.name = name
        block.ops = [
            replace(op, inputs=all_of(op.inputs), outputs=all_of(op.outputs)) for op in block.ops
        ]


def described(program: Program, contract: Contract) -> Program:
    """The program with its contract, which says the dtype and shape of inputs and outputs."""

    def arg(name: str, path: str) -> Arg:
        var = program.block.vars[name]
        return Arg(name, var.dtype, var.shape, path)

    paths = {a.name: a.path for a in contract.inputs}
    contract.inputs = [arg(name, paths.get(name, name)) for name in program.feeds()]
    contract.outputs = [arg(a.name, a.path) for a in contract.outputs]
    program.contract = contract
    return program


def recording_of(layer: Layer | None, recorder: Recorder, program: Program) -> Recording:
    """The recording of a program that is finished.

    layer: whose parameters are called by their names in it.
    """
    names = {} if layer is None else structured_names(layer)
    structured = {name: names[id(t)] for name, t in recorder.scope.items() if id(t) in names}
    has_no_eager_form = any(op.type == "recurrent" for op in program.ops())  # a StaticRNN
    return Recording(
        program, recorder.scope, structured, differs=recorder.merges_ranks or has_no_eager_form
    )


def for_inference(program: Program) -> Program:
    """The program with every op that has a training behaviour set to inference."""

    def tested(op: OpDesc) -> OpDesc:
        if "is_test" not in op.attrs:
            return op
        return replace(op, attrs={**op.attrs, "is_test": Attr(AttrType.BOOLEAN, True)})

    blocks = [replace(b, ops=[tested(op) for op in b.ops]) for b in program.blocks]
    return replace(program, blocks=blocks)
