"""jit.save: a layer as Paddle's files, verified before they take their place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..capture import output_tree
from ..compiler import CompiledProgram
from ..core import cuda, pytree
from ..core.autograd import set_grad_enabled
from ..core.dtype import dtype_of
from ..core.errors import OarlockError, OperandError, OpError, VerifyError, warn
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec
from ..ir.passes.prune import prune
from ..ir.program import Arg, OpDesc, Program
from ..loader.translated_layer import TranslatedLayer
from .conversion_switches import as_python
from .export_capture import Together, record, refuse_assigned
from .layer_capture import CHECK, DROP, Recording, for_inference
from .model_writer import Model, write_all
from .save_hooks import _run_save_pre_hooks
from .saved_methods import Method, methods_of
from .verify import Reference, run_compiled

CONFIGS = (
    "verify",
    "output_spec",
    "with_hook",
    "combine_params",
    "clip_extra",
    "skip_forward",
    "guards",
    "input_names_after_prune",
    "skip_prune_program",
)


@_run_save_pre_hooks
def save(layer: Any, path: str | os.PathLike[str], input_spec: Any = None, **configs: Any) -> None:
    """Write `layer` as `path`.pdmodel, `path`.pdiparams and `path`.pdiparams.info, which
    PaddlePaddle reads as well.

    input_spec: one InputSpec per argument of forward, or a Tensor like the argument; None in a
    shape is a size that may
    differ from call to call.
    Not needed where to_static has one, or where a function of to_static was called before: then it
    is
    that of the call.
    Of a Tensor or a call any number of rows is taken, if Python does not need it.
    Every other method of to_static is written as `path`.METHOD.pdmodel and .pdiparams.
    verify=False leaves out the comparison of the
    files with the layer, at two sizes of every size that is free.
    output_spec: a list of the outputs to keep: what a call gave, variables, or names.
    guards='drop': asserts on values are not in the files; with 'check' a call that breaks one is
    refused.
    combine_params: all values in `path`.pdiparams, none in files of methods.
    skip_forward: leave out a forward that is not of to_static.
    Hooks of the layer are part of it, and nothing extra is written, whatever with_hook and
    clip_extra say.
    Raises TraceError where Python control flow depends on a value, or a call on the one before,
    VerifyError where the files would not give what the layer gives; then nothing is written.
    """
    unknown = configs.keys() - set(CONFIGS)
    if unknown:
        raise ValueError(
            f"jit.save: there is no config {sorted(unknown)}; there are {', '.join(CONFIGS)}"
        )
    prefix = checked_path(path)
    methods = methods_of(layer, input_spec, bool(configs.get("skip_forward")))
    if not methods:
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        return
    together = Together()
    models = []
    for method in methods:
        at = prefix if method.name == "forward" else f"{prefix}.{method.name}"
        outputs, inputs = configs.get("output_spec"), configs.get("input_names_after_prune")
        recording = inference_of(
            method,
            together,
            outputs,
            inputs,
            checked_guards("jit.save", configs.get("guards", CHECK)),
        )
        whole = outputs is None and inputs is None and method.arguments.kept is None
        reference = reference_of(method, recording, whole) if configs.get("verify", True) else None
        models.append(Model(at, recording, reference))
    write_all(models, prefix, bool(configs.get("combine_params")))


def checked_guards(what: str, guards: Any) -> str:
    """The config `guards`.   Raises ValueError for one that is neither 'check' nor 'drop'."""
    if guards not in (CHECK, DROP):
        raise ValueError(f"{what}: guards should be 'check' or 'drop', not {guards!r}")
    return str(guards)


def checked_path(path: str | os.PathLike[str]) -> str:
    """`path` as a prefix of files.   Raises ValueError for one that ends in a folder."""
    if not isinstance(path, str | os.PathLike):
        raise OperandError(f"path should be a str, not {type(path).__name__}")
    text = os.fspath(path)
    if not os.path.basename(text):
        raise ValueError(
            f"the path should be folder/file_prefix, but the prefix of {text!r} is empty"
        )
    folders = [end for end in (".pdmodel", ".pdiparams") if os.path.isdir(text + end)]
    if folders:
        raise ValueError(
            f"{os.path.basename(text)}{folders[0]} is a folder, no file can take its place"
        )
    return text


def chosen_names(what: str, names: list[str], numbers: Sequence[int] | None) -> list[str]:
    """The inputs or outputs of these numbers, or all.   Raises TypeError, OpError."""
    if numbers is None:
        return names
    if not isinstance(numbers, list | tuple) or not all(isinstance(n, int) for n in numbers):
        raise TypeError(f"save_inference_model: {what} should be a list of ints, not {numbers!r}")
    wrong = [n for n in numbers if not 0 <= n < len(names)]
    if wrong:
        raise OpError(
            f"save_inference_model: {what} {wrong} is out of range; there are {len(names)}: {names}"
        )
    return [names[n] for n in numbers]


def inference_of(
    method: Method, together: Together, output_spec: Any, input_names: Any, guards: str = CHECK
) -> Recording:
    """A recording for inference.

    output_spec: the outputs that are kept, or None; input_names: the inputs that are, or None.
    Raises OpError.
    """
    recording = record(method, together, guards)
    program = for_inference(recording.program)
    turned = next(iter(_turned(recording.program, program)), None)
    if method.training:
        recording.differs |= turned is not None  # an op is training, and does not in the file
    else:
        recording.tested = turned
    fetches = program.fetches()
    if output_spec is not None:
        fetches = _output_names(program, output_spec)
    wanted = method.arguments.kept if input_names is None else input_names
    feeds = program.feeds() if wanted is None else list(wanted)
    # an input that nothing needs is given all the same
    recording.program = prune(program, feeds, fetches, spare=True)
    refuse_assigned(recording)
    return recording


def _turned(program: Program, tested: Program) -> Iterator[OpDesc]:
    """The ops that do something else since `for_inference`; such with blocks only lead to
    others.
    """
    pairs = zip(program.ops(), tested.ops(), strict=True)
    return (op for op, other in pairs if op.attrs != other.attrs and "sub_block" not in op.attrs)


def _output_names(program: Program, output_spec: Any) -> list[str]:
    """The outputs that are kept.

    Where as many are meant as there are, others are warned of, as in Paddle: all are kept.
    Raises OpError.
    """
    found = [_output_name(program, o) for o in output_spec]
    missing = [
        str(getattr(o, "name", o))
        for o, name in zip(output_spec, found, strict=True)
        if name is None
    ]
    names = program.fetches()
    if not missing:
        return [name for name in found if name is not None]
    why = (
        f"jit.save: output_spec: there is no output {', '.join(map(repr, missing))}; there "
        f"are {names}"
    )
    if len(found) != len(names):
        raise OpError(why)
    warn(f"{why}, which are all kept")
    return names


def _output_name(program: Program, output: Any) -> str | None:
    """The output that is meant: by name, or as what a call gave, or as a variable of the program
    that to_static made, where outputs have numbers.

    None: there is none.
    """
    name = (
        output
        if isinstance(output, str)
        else str(getattr(output, "_given_as", "") or getattr(output, "name", ""))
    )
    names = program.fetches()
    number = (
        re.fullmatch(r"out_(\d+)", name)
        if isinstance(output, Tensor) and name not in names
        else None
    )
    if number and int(number[1]) < len(names):
        return names[int(number[1])]
    return name if name in names else None


def reference_of(method: Method, recording: Recording, whole: bool) -> Reference:
    """The reference for verification: Python, or the recording if Python is expected to differ or
    the program is not `whole`.
    """
    leaves = method.arguments.leaves
    places = [i for i, leaf in enumerate(leaves) if isinstance(leaf, InputSpec)]
    if recording.tested is not None:
        op = recording.tested
        why = (
            f"'{op.type}'{f' at {op.where}' if op.where else ''} is told to train, though its "
            f"layer is not; the file has it as it is in a test, as in Paddle"
        )
        warn(f"jit.save: {why}. Give it training=self.training")
    if (
        recording.differs
        or recording.tested is not None
        or not whole
        or isinstance(method.owner, TranslatedLayer)
    ):
        return interpreted(recording)

    # the function asks for gradients
    goes_back = any(op.type.endswith("_grad") for op in recording.program.ops())

    def eager(tensors: list[Tensor]) -> list[Any]:
        # which it may change
        given = {i: Tensor(t.array.copy()) for i, t in zip(places, tensors, strict=True)}
        with set_grad_enabled(goes_back), as_python(), _one_call(recording):
            found = method.call([given.get(i, leaf) for i, leaf in enumerate(leaves)])
        output_tree.check_structure(recording.contract.output_tree, found)
        given_back = output_tree.outputs_among(
            recording.contract.output_tree, pytree.flatten(found)[0]
        )
        return [
            _array(leaf, out)
            for leaf, out in zip(given_back, recording.contract.outputs, strict=True)
        ]

    return _with_recording_fallback(eager, recording) if method.training else eager


def _with_recording_fallback(eager: Reference, recording: Recording) -> Reference:
    """Use Python as the reference, and the recording for inputs that Python rejects: a layer in
    train mode may need an enclosing program.
    """
    recorded = interpreted(recording)

    def run(tensors: list[Tensor]) -> Sequence[Any]:
        try:
            return eager(tensors)
        except VerifyError:
            raise
        except Exception:
            return recorded(tensors)

    return run


@contextmanager
def _one_call(recording: Recording) -> Iterator[None]:
    """A call that leaves Python as it was.

    What a method with asserts or of a number of rows that we chose raises says that made-up inputs
    do not fit; so does a variable without a value, as after a loop of no round.
    """
    try:
        yield
    except OarlockError:
        raise
    except Exception as error:
        if not (recording.asserts or recording.shapes or isinstance(error, NameError)):
            raise
        raise OpError(f"{type(error).__name__}: {error}") from error
    finally:
        recording.undo()


def _array(value: Any, output: Arg) -> Any:
    """A result of eager Python, where a condition, a length or a size is no tensor but a number."""
    if isinstance(value, Tensor):
        return value.array
    array = np.asarray(value, dtype_of(output.dtype).np)
    return array.reshape(output.shape) if output.shape == (1,) and array.size == 1 else array


def interpreted(recording: Recording) -> Reference:
    """The recording itself, op by op."""
    compiled = CompiledProgram(recording.program)

    def run(tensors: list[Tensor]) -> Sequence[Any]:
        return run_compiled(compiled, recording.scope, [cuda.to_host(t.array) for t in tensors])

    return run
