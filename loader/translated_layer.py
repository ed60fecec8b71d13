"""TranslatedLayer: a saved model as a Layer."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from ..core.dtype import dtype_of
from ..core.errors import GuardError, OpError, with_user_line
from ..core.mode import pushed, state
from ..core.parameter import Parameter
from ..core.tensor import Tensor
from ..export.info import VarInfo
from ..nn.layer import Layer
from ..static import tree
from ..static.input_spec import InputSpec
from ..static.program import Arg, Attr, AttrType, Contract, OpDesc, Program
from .engine import check_options, offset_inputs
from .model_files import ModelFiles, read_model
from .program_runner import ProgramRunner


def load(path: str | os.PathLike[str], **configs: Any) -> TranslatedLayer:
    """The model saved at `path` - by Oarlock or by PaddlePaddle - as a Layer, in eval mode.

    path: prefix of `.pdmodel` and `.pdiparams`, or a folder of Paddle 1.x (then model_filename and params_filename may be given).
    Further configs are options of the engine: device ('cpu', 'cuda', 'tensorrt'), device_id, threads, inter_threads, optimize,
    spinning, arena, mem_pattern, tuned, deterministic, copy_weights, tf32, fp16, profile, ort_library; cache_dir, a folder for
    optimised graphs; warmup, a list of shapes by input name to run once at the start.   The weights are mapped, not read.
    Raises FileError for files that are not what they claim to be, OpError for configs that are not known and for the option offsets:
    where the packed sequences of outputs begin is said by the handles of oarlock.inference.
    """
    if configs.get("offsets"):
        raise OpError(
            "jit.load: a layer gives no offsets of its outputs; the handles of oarlock.inference do, by lod()"
        )
    names = {key: configs.pop(key) for key in ("model_filename", "params_filename") if key in configs}
    check_options(configs)
    return TranslatedLayer(read_model(path, **names), configs)


class TranslatedLayer(Layer):
    """A saved model as a Layer: parameters and buffers under the names they had in the layer that was saved.

    In eval mode the engine runs it; in train mode, or when an input wants a gradient, it is run op by op and gradients flow to
    its parameters.   Called with its inputs by position or by name (Tensors or ndarrays), behind them the offsets of packed
    sequences; gives what the saved forward gave, nesting included.
    """

    def __init__(self, files: ModelFiles, options: Mapping[str, Any] | None = None) -> None:
        super().__init__("translated_layer")
        self._program = files.program
        self._scope = self._adopt(files)
        contract = files.program.contract or Contract()
        self._inputs = contract.inputs or [_arg(files.program, n) for n in files.program.feeds()]
        self._taken = self._inputs + offset_inputs(files)
        self._outputs = contract.outputs or [_arg(files.program, n) for n in files.program.fetches()]
        self._nest = tree.builder(contract.output_tree, len(self._outputs))
        self._guards = contract.guards
        name, pdmodel = files.name, files.pdmodel
        on_disk = (pdmodel, files.params_path) if files.params_path or not files.values else None
        self._runner = ProgramRunner(self._program, self._scope, on_disk, options, name)
        self._trainer: ProgramRunner | None = None
        self.eval()

    def _adopt(self, files: ModelFiles) -> dict[str, Tensor]:
        """A parameter or buffer for every value of the files."""
        scope: dict[str, Tensor] = {}
        for name, array in files.values.items():
            row = (files.info or {}).get(name) or _guess(files.program, name)
            structured = row.structured_name or name
            if row.trainable is None:
                scope[name] = Tensor(array, name=name)
                self.register_buffer(structured, scope[name])
            else:
                made = scope[name] = Parameter(array, trainable=row.trainable and not row.stop_gradient, name=name)
                self.add_parameter(structured, made)
        return scope

    # -- calling ------------------------------------------------------------------------------------------------

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """See the class.   Raises OpError for wrong inputs, GuardError for one the trace had assumed to be otherwise."""
        given = self._in_order(inputs, named) if named else inputs
        without_offsets = len(given) == len(self._inputs) and not state.mode.silent
        if len(given) != len(self._taken) and not without_offsets:
            raise OpError(with_user_line(f"{self._runner._name}: takes {self._input_names()}, got {len(given)} inputs"))
        if self._wants_gradient(given):
            return self._nest(self._interpreted(given))
        if self._runner.missing is not None:
            with pushed(state.mode.with_tape(False)):
                return self._nest(self._interpreted(given))
        arrays = [_array(g, a) for g, a in zip(given, self._taken, strict=True)]
        return self._nest([Tensor(a) for a in self._runner.infer(arrays)])

    def _wants_gradient(self, given: Any) -> bool:
        mode = state.mode
        if not mode.silent:
            return True
        if not self.training and not (mode.tape and any(isinstance(g, Tensor) and not g.stop_gradient for g in given)):
            return False
        return self.training or mode.tape

    def _interpreted(self, given: Any) -> list[Tensor]:
        tensors = [
            g if isinstance(g, Tensor) else Tensor(_array(g, a)) for g, a in zip(given, self._taken, strict=False)
        ]
        self._check(tensors)
        runner = self._runner
        if self.training and state.mode.silent:
            if self._trainer is None:
                self._trainer = ProgramRunner(with_training(self._program), self._scope)
            runner = self._trainer
        return runner.interpret(tensors)

    def _check(self, tensors: list[Tensor]) -> None:
        """What the engine checks of inputs, for the interpreter."""
        for arg, tensor in zip(self._taken, tensors, strict=False):
            meta = tensor.meta
            fits = len(meta.shape) == len(arg.shape) and all(
                a in (-1, b) or b < 0 for a, b in zip(arg.shape, meta.shape, strict=True)
            )
            if not fits or meta.dtype.name != arg.dtype:
                self._refuse_dim(arg, meta)
                wanted = f"{arg.dtype}[{','.join('?' if d < 0 else str(d) for d in arg.shape)}]"
                raise OpError(
                    with_user_line(f"{self._runner._name}: input '{arg.name}' should be {wanted} (got {meta})")
                )
        others = [g for g in self._guards if g.kind != "dim" or g.var not in {a.name for a in self._inputs}]
        if others and state.mode.silent:
            g = others[0]
            why = f"a trace that read values cannot be run for gradients: {g.reader} at {g.where}: {g.text}"
            raise GuardError(with_user_line(f"{self._runner._name}: {why}"))

    def _refuse_dim(self, arg: Arg, meta: Any) -> None:
        for g in self._guards:
            if (
                g.kind == "dim"
                and g.var == arg.name
                and g.axis < len(meta.shape)
                and str(meta.shape[g.axis]) != g.expected
            ):
                why = f"{g.reader} of '{g.var}' was {g.expected} when traced, is {meta.shape[g.axis]} ({g.where}: {g.text})"
                raise GuardError(with_user_line(f"{self._runner._name}: {why}"))

    def _in_order(self, inputs: Any, named: dict[str, Any]) -> list[Any]:
        names = self._input_names()
        given = dict(zip(names, inputs, strict=False))
        unknown = [n for n in named if n not in names or n in given]
        if unknown:
            raise OpError(with_user_line(f"{self._runner._name}: no input {unknown}; it takes {names}"))
        given.update(named)
        missing = [n for n in names if n not in given]
        if missing:
            raise OpError(with_user_line(f"{self._runner._name}: inputs {missing} are missing"))
        return [given[n] for n in names]

    def _input_names(self) -> list[str]:
        return [a.name for a in self._taken]

    # -- what it is ---------------------------------------------------------------------------------------------

    def program(self, method_name: str = "forward") -> Program:
        """The program.   Raises ValueError for another method than forward."""
        if method_name != "forward":
            raise ValueError(f"The method `{method_name}` does not exist in loaded TranslatedLayer.")
        return self._program

    @property
    def assumptions(self) -> list[Any]:
        """What the trace assumed; see TracedLayer.assumptions."""
        return list(self._guards)

    def _input_spec(self, method_name: str = "forward") -> list[InputSpec]:
        return [InputSpec(list(a.shape), a.dtype, a.name) for a in self._inputs]

    def _output_spec(self, method_name: str = "forward") -> list[InputSpec]:
        return [InputSpec(list(a.shape), a.dtype, a.name) for a in self._outputs]

    def extra_repr(self) -> str:
        """Inputs and outputs."""
        return f"inputs={self._input_names()}, outputs={[a.name for a in self._outputs]}"


def _array(given: Any, arg: Arg) -> Any:
    """An input as an ndarray; lists and numbers have no dtype of their own and take that of the input."""
    if isinstance(given, Tensor):
        return given.array
    return given if isinstance(given, np.ndarray) else np.asarray(given, dtype_of(arg.dtype).np)


def _arg(program: Program, name: str) -> Arg:
    var = program.block.vars[name]
    return Arg(name, var.dtype, var.shape, name)


def _guess(program: Program, name: str) -> VarInfo:
    """What `.pdiparams.info` would say, where it is missing: what no op writes is a parameter, as real Paddle has it."""
    written = any(name in op.output_names() for b in program.blocks for op in b.ops)
    return VarInfo(name, "", written, None if written else True)


def with_training(program: Program) -> Program:
    """The program with every op that has a training behaviour set to training."""

    def training(op: OpDesc) -> OpDesc:
        if "is_test" not in op.attrs:
            return op
        return replace(op, attrs={**op.attrs, "is_test": Attr(AttrType.BOOLEAN, False)})

    return replace(program, blocks=[replace(b, ops=[training(op) for op in b.ops]) for b in program.blocks])
