"""`jit.save`: write a layer as Paddle's files, verified before they replace older files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..capture import output_tree
from ..compiler import CompiledProgram
from ..core import cuda, pytree
from ..core.autograd import set_grad_enabled
from ..core.dtype import parse_dtype
from ..core.errors import OarlockError, OperandError, OpError, VerifyError, append_user_line, warn
from ..core.garbage_collection import without_full_collections
from ..core.tensor import Tensor
from ..ir.input_spec import InputSpec
from ..ir.passes.prune import prune
from ..ir.program import ContractInputOrOutput, OpDesc, Program
from ..loader.translated_layer import TranslatedLayer
from .conversion_switches import temporarily_disable_to_static
from .export_capture import SharedParameterNames, capture_method, reject_reads_of_assigned_buffers
from .layer_capture import CHECK, DROP, CapturedProgram, copy_with_ops_in_inference_mode
from .methods_to_save import MethodToSave, methods_to_save
from .model_writer import (
    PADDLE2,
    ModelToWrite,
    require_program_format,
    write_and_verify_model_files,
)
from .save_hooks import _run_save_pre_hooks
from .type_aliases import InputSpecs
from .verify import ReferenceFunction, run_compiled_program

SAVE_CONFIGS = (
    "verify",
    "output_spec",
    "with_hook",
    "combine_params",
    "format",
    "clip_extra",
    "skip_forward",
    "guards",
    "input_names_after_prune",
    "skip_prune_program",
)


@_run_save_pre_hooks
def save(
    layer: Callable[..., Any],
    path: str | os.PathLike[str],
    input_spec: InputSpecs | None = None,
    **configs: Any,
) -> None:
    """Save a layer or function in Paddle's file formats, and verify the files.

    The files are `path`.pdmodel (program), `path`.pdiparams (values) and `path`.pdiparams.info
    (names of the parameters in the layer). They are for inference: dropout is off and batch norm
    uses its running statistics, also if the layer is in train mode. Each other method decorated
    with `to_static` is written as `path`.METHOD.pdmodel and .pdiparams.

    Parameters
    ----------
    layer : Layer or callable
        A layer, or a function (also one of `to_static`).
    path : str or os.PathLike
        The prefix of the files. Folders are created.
    input_spec : list, optional
        One InputSpec or example Tensor per argument of `forward`, nested as the arguments. None in
        a shape is a dynamic size; a str or Dim is a dynamic size with a name, whose range each call
        of the loaded model checks. Default: the spec given to `to_static`, else the arguments of
        the last call of a `to_static` function. With an example Tensor or a call, the batch size
        becomes dynamic unless Python code needs its value.
    **configs
        - verify : bool, default True. Run the written files at two sizes of each dynamic dimension
          (with a name: the smallest, a middle and the largest) and compare the results with the
          layer.
        - output_spec : list. The outputs to save: results of a call, variables, or names.
        - guards : "check" or "drop", default "check". "check" saves asserts on values as guards,
          which each call must meet; "drop" omits them.
        - combine_params : bool, default False. Write all values to `path`.pdiparams, and no
          parameter files of methods.
        - format : "paddle2" or "paddle3", default "paddle2". "paddle3" writes `path`.json, the
          program format of Paddle 3, instead of `path`.pdmodel. Paddle 3.0 to 3.3 read both.
        - skip_forward : bool, default False. Omit `forward` if it is not a function of `to_static`.
        - input_names_after_prune : list of str. The inputs to save.
        - with_hook, clip_extra, skip_prune_program: accepted without effect; hooks of the layer are
          always saved.

    Raises
    ------
    TraceError
        If Python control flow depends on a tensor value and cannot be converted, or if a call
        depends on state that the previous call changed.
    VerifyError
        If the files return other values than the layer, or if a size that the range of a named
        dimension allows is rejected.
    OpError
        If there is no `input_spec` and no call, or if specs and arguments do not fit.
    TypeError
        If `layer` is neither a layer nor a function.
    ValueError
        If a config is unknown or the prefix is empty.

    Notes
    -----
    No file changes if an error is raised.

    See Also
    --------
    load : Load the files as a layer.
    to_static : Declare the inputs, or run a function as a program.

    Examples
    --------
    >>> net = nn.Linear(2, 3)
    >>> spec = paddle.static.InputSpec(["batch", 2], "float32", "x")
    >>> paddle.jit.save(net, "net", input_spec=[spec])
    >>> x = paddle.ones([4, 2])
    >>> bool(paddle.allclose(paddle.jit.load("net")(x), net(x)))
    True
    """
    unknown = configs.keys() - set(SAVE_CONFIGS)
    if unknown:
        raise ValueError(
            f"jit.save: unknown configs {sorted(unknown)}; supported are {', '.join(SAVE_CONFIGS)}"
        )
    prefix = require_path_prefix(path)
    file_format = require_program_format("jit.save", configs.get("format", PADDLE2))
    methods = methods_to_save(layer, input_spec, bool(configs.get("skip_forward")))
    if not methods:
        os.makedirs(os.path.dirname(prefix) or ".", exist_ok=True)
        return
    with without_full_collections():
        shared = SharedParameterNames()
        models = []
        for method in methods:
            at = prefix if method.name == "forward" else f"{prefix}.{method.name}"
            outputs, inputs = configs.get("output_spec"), configs.get("input_names_after_prune")
            recording = capture_for_inference(
                method,
                shared,
                outputs,
                inputs,
                require_guards_config("jit.save", configs.get("guards", CHECK)),
            )
            whole = (
                outputs is None and inputs is None and method.arguments.saved_input_names is None
            )
            reference = (
                create_eager_or_interpreter_reference(method, recording, whole)
                if configs.get("verify", True)
                else None
            )
            models.append(ModelToWrite(at, recording, reference, file_format))
        write_and_verify_model_files(models, prefix, bool(configs.get("combine_params")))


def require_guards_config(what: str, guards: Any) -> str:
    """Return `guards` unchanged. Raises ValueError if the value is neither 'check' nor 'drop'."""
    if guards not in (CHECK, DROP):
        raise ValueError(f"{what}: guards should be 'check' or 'drop', not {guards!r}")
    return str(guards)


def require_path_prefix(path: str | os.PathLike[str]) -> str:
    """Return `path` as a prefix of files. Raises OperandError if `path` is neither a str nor a path
    object, and ValueError if the prefix is empty or a file of the model would replace a folder.
    """
    if not isinstance(path, str | os.PathLike):
        raise OperandError(append_user_line(f"path should be a str, not {type(path).__name__}"))
    text = os.fspath(path)
    if not os.path.basename(text):
        raise ValueError(
            f"the path should be folder/file_prefix, but the prefix of {text!r} is empty"
        )
    folders = [end for end in (".pdmodel", ".pdiparams") if os.path.isdir(text + end)]
    if folders:
        raise ValueError(
            f"{os.path.basename(text)}{folders[0]} is a folder, which a file cannot replace"
        )
    return text


def select_names_by_index(what: str, names: list[str], numbers: Sequence[int] | None) -> list[str]:
    """Return the names of the inputs or outputs with the given indices; all names if there are no
    indices. Raises TypeError if `numbers` is no list of ints, and OpError for an index out of
    range.
    """
    if numbers is None:
        return names
    if not isinstance(numbers, list | tuple) or not all(isinstance(n, int) for n in numbers):
        raise TypeError(f"save_inference_model: {what} should be a list of ints, not {numbers!r}")
    wrong = [n for n in numbers if not 0 <= n < len(names)]
    if wrong:
        raise OpError(
            append_user_line(
                f"save_inference_model: {what} {wrong} is out of range; there are {len(names)}: "
                f"{names}"
            )
        )
    return [names[n] for n in numbers]


def capture_for_inference(
    method: MethodToSave,
    shared: SharedParameterNames,
    output_spec: Any,
    input_names: Any,
    guards: str = CHECK,
) -> CapturedProgram:
    """Capture a method for inference.

    output_spec: the outputs that are saved; None for all outputs.
    input_names: the inputs that are saved; None for all inputs.

    Raises OpError if the method cannot be captured, or for unknown outputs and inputs.
    """
    recording = capture_method(method, shared, guards)
    program = copy_with_ops_in_inference_mode(recording.program)
    changed_op = next(iter(_iter_ops_changed_for_inference(recording.program, program)), None)
    if method.is_training:
        recording.differs_from_eager |= (
            changed_op is not None
        )  # an op is in train mode, but in the file it is in inference mode
    else:
        recording.forced_training_op = changed_op
    fetches = program.fetch_names()
    if output_spec is not None:
        fetches = _select_output_names(program, output_spec)
    selected_inputs = method.arguments.saved_input_names if input_names is None else input_names
    feeds = program.feed_names() if selected_inputs is None else list(selected_inputs)
    # `spare` keeps inputs that no output needs
    recording.program = prune(program, feeds, fetches, spare=True)
    reject_reads_of_assigned_buffers(recording)
    return recording


def _iter_ops_changed_for_inference(
    program: Program, inference_program: Program
) -> Iterator[OpDesc]:
    """Yield the ops of `program` that `copy_with_ops_in_inference_mode` changed, except ops that
    run blocks.
    """
    pairs = zip(program.ops(), inference_program.ops(), strict=True)
    return (op for op, other in pairs if op.attrs != other.attrs and "sub_block" not in op.attrs)


def _select_output_names(program: Program, output_spec: Any) -> list[str]:
    """Return the names of the outputs that `output_spec` selects. Raises OpError for outputs that
    the program does not have.

    If output_spec has as many elements as the program has outputs, unknown names only cause a
    warning, and all outputs are saved, as in Paddle.
    """
    found = [_find_output_name(program, o) for o in output_spec]
    missing = [
        str(getattr(o, "name", o))
        for o, name in zip(output_spec, found, strict=True)
        if name is None
    ]
    names = program.fetch_names()
    if not missing:
        return [name for name in found if name is not None]
    why = (
        f"jit.save: output_spec: there is no output {', '.join(map(repr, missing))}; the "
        f"outputs are {names}"
    )
    if len(found) != len(names):
        raise OpError(why)
    warn(f"{why}, which are all saved")
    return names


def _find_output_name(program: Program, output: Any) -> str | None:
    """Return the name of a program output. `output` is the name, a tensor that a call returned, or
    a variable of the `to_static` program. Return None if the program does not have the output.
    """
    name = (
        output
        if isinstance(output, str)
        else str(getattr(output, "_program_output_name", "") or getattr(output, "name", ""))
    )
    names = program.fetch_names()
    number = (
        re.fullmatch(r"out_(\d+)", name)
        if isinstance(output, Tensor) and name not in names
        else None
    )
    if number and int(number[1]) < len(names):
        return names[int(number[1])]
    return name if name in names else None


def create_eager_or_interpreter_reference(
    method: MethodToSave, recording: CapturedProgram, is_complete: bool
) -> ReferenceFunction:
    """Return the function whose results those of the files are compared with: normally the Python
    function. If Python is expected to return other values than the file, or only a part of the
    program is saved, return the interpreter of the captured program instead.
    """
    leaves = method.arguments.leaves
    input_indices = [i for i, leaf in enumerate(leaves) if isinstance(leaf, InputSpec)]
    if recording.forced_training_op is not None:
        op = recording.forced_training_op
        why = (
            f"'{op.type}'{f' at {op.user_line}' if op.user_line else ''} is in train mode, but its "
            f"layer is not; in the file the op is in inference mode, as in Paddle"
        )
        warn(f"jit.save: {why}. Pass training=self.training to it")
    if (
        recording.differs_from_eager
        or recording.forced_training_op is not None
        or not is_complete
        or isinstance(method.owner, TranslatedLayer)
    ):
        return create_interpreter_reference(recording)

    # Gradient ops in the program show that the function computes gradients.
    has_gradients = any(op.type.endswith("_grad") for op in recording.program.ops())

    def run_eagerly(tensors: list[Tensor]) -> list[Any]:
        # copies, because the function may change its inputs
        given = {i: Tensor(t.array.copy()) for i, t in zip(input_indices, tensors, strict=True)}
        with (
            set_grad_enabled(has_gradients),
            temporarily_disable_to_static(),
            _restoring_state_and_converting_errors(recording),
        ):
            found = method.call_function([given.get(i, leaf) for i, leaf in enumerate(leaves)])
        output_tree.require_structure_of_output_tree(recording.contract.output_tree, found)
        given_back = output_tree.select_outputs_checking_constants(
            recording.contract.output_tree, pytree.flatten(found)[0]
        )
        return [
            _result_to_array(leaf, out)
            for leaf, out in zip(given_back, recording.contract.outputs, strict=True)
        ]

    return (
        _reference_with_interpreter_fallback(run_eagerly, recording)
        if method.is_training
        else run_eagerly
    )


def _reference_with_interpreter_fallback(
    eager: ReferenceFunction, recording: CapturedProgram
) -> ReferenceFunction:
    """Return a reference that runs the Python function, or, for inputs that it rejects, the
    captured program. A layer in train mode may raise an error in Python, because it needs an
    enclosing program.
    """
    recorded = create_interpreter_reference(recording)

    def run_reference(tensors: list[Tensor]) -> Sequence[Any]:
        try:
            return eager(tensors)
        except VerifyError:
            raise
        except Exception:
            return recorded(tensors)

    return run_reference


@contextmanager
def _restoring_state_and_converting_errors(recording: CapturedProgram) -> Iterator[None]:
    """Context manager around a call of the Python function. The context manager restores the Python
    state after the call. Errors of user code that mean that the random inputs are unsuitable become
    OpError: an assert fails, the batch size does not fit, or a variable is undefined after a loop
    without iterations.
    """
    try:
        yield
    except OarlockError:
        raise
    except Exception as error:
        if not (
            recording.has_assert_statements
            or recording.accepted_input_shapes
            or isinstance(error, NameError)
        ):
            raise
        raise OpError(append_user_line(f"{type(error).__name__}: {error}")) from error
    finally:
        recording.restore_python_state()


def _result_to_array(value: Any, output: ContractInputOrOutput) -> Any:
    """Return a result of the Python function as an array of the output's dtype. The result may be a
    Python number where the program returns a tensor.
    """
    if isinstance(value, Tensor):
        return value.array
    array = np.asarray(value, parse_dtype(output.dtype).np)
    return array.reshape(output.shape) if output.shape == (1,) and array.size == 1 else array


def create_interpreter_reference(recording: CapturedProgram) -> ReferenceFunction:
    """Return a reference that runs the captured program with the interpreter."""
    compiled = CompiledProgram(recording.program)

    def run_interpreter(tensors: list[Tensor]) -> Sequence[Any]:
        return run_compiled_program(
            compiled, recording.scope, [cuda.to_host(t.array) for t in tensors]
        )

    return run_interpreter
