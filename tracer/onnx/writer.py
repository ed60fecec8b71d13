"""`.onnx` files: written beside the `.pdiparams` that they share, judged by onnx.checker,
and run.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.errors import FileError, OpError, VerifyError
from ..core.tensor import Tensor
from ..export.save import atomic_write
from ..ir.block_captures import draws_random
from ..jit.verify import LoopLimiter, describe_difference, difference, tolerance
from ..loader.engine import Engine, EngineError, runtime, translate_errors
from ..loader.model_files import ModelFiles
from ..loader.regular_files import read_file
from .dim_names import with_named_outputs
from .targets import DEFAULT_OPSET, newest_opset, parse_targets


class Wanted(NamedTuple):
    """What the file shall be.

    opset: None: the lowest from 17 on that serves; inline: weights inside the file
    """

    opset: int | None = None
    target: str = ""
    inline: bool = False
    check: bool = True


class Written(NamedTuple):
    """What was written.   checked: how it was judged"""

    path: Path
    size: int
    opset: int
    checked: str


def write_onnx(files: ModelFiles, output: Path, wanted: Wanted) -> Written:
    """Write the model as ONNX.

    Raises UnsupportedError with all ops that ONNX cannot say, VerifyError where the file gives
    something else.

    Then nothing is left at `output` that was not there before.
    """
    not_an_input(files, output)
    opset = opset_for(files, wanted)
    data = with_named_outputs(onnx_bytes(files, output, wanted.inline, opset))
    held = read_file(output) if output.exists() else None
    atomic_write({str(output): data})
    try:
        checked = judged(files, output) if wanted.check else "not checked"
    except BaseException:  # Ctrl-C as well: what was not judged does not stay
        output.unlink() if held is None else atomic_write({str(output): held})
        raise
    return Written(output, len(data), opset, checked)


def not_an_input(files: ModelFiles, output: Path) -> None:
    """Raise OpError where the output would be written over the model."""
    if output.suffix in (".pdmodel", ".pdiparams", ".info") or output.name == "__model__":
        raise OpError(f"export: {output.name} is a name of Paddle's files; end it in .onnx or .ort")
    if files.params_path and output.exists() and os.path.samefile(output, files.params_path):
        raise OpError(f"export: {output.name} is the file of the model's weights")


def opset_for(files: ModelFiles, wanted: Wanted) -> int:
    """The opset that was asked for, or the lowest that serves: not below 17 unless a target reads
    no newer one.
    """
    most = newest_opset(parse_targets(wanted.target))
    if wanted.opset is not None:
        if wanted.opset > most:
            reader = wanted.target or "any engine that is supported"
            raise OpError(f"export: opset {wanted.opset} is newer than what {reader} reads, {most}")
        return wanted.opset
    with translate_errors():
        found: int = runtime().lowest_opset(
            files.pdmodel, files.params_path, min(DEFAULT_OPSET, most), most, files.name
        )
    return found


def onnx_bytes(files: ModelFiles, output: Path, inline: bool, opset: int) -> bytes:
    """The ModelProto to lie at `output`."""
    shared = files.params_path is not None and not inline
    if shared and os.path.realpath(output.parent) != os.path.realpath(
        os.path.dirname(files.params_path or "")
    ):
        folder = os.path.dirname(files.params_path or "") or "."
        raise OpError(
            f"export: ONNX finds shared weights only beside itself; write into {folder}, or use "
            "--inline"
        )
    with translate_errors():
        made: bytes = runtime().to_onnx(
            files.pdmodel, files.params_path, opset=opset, inline=inline, name=files.name
        )
    return made


def judged(files: ModelFiles, path: Path) -> str:
    """Let onnx judge the file, where it is installed, and run it beside the model.

    One line on what was found
    """
    ran = compared(files, path)
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        return f"onnx is not installed, so its checker did not see it; {ran}"
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise FileError(f"{path.name}: onnx.checker refuses the file: {error}") from None
    return f"onnx.checker accepts it; {ran}"


def session_options() -> Any:
    """Quiet; products with eight-bit weights keep the other side as it is."""
    import onnxruntime  # noqa: PLC0415 - a second engine in the process, for this alone

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    if runtime().byte_products_saturate():
        options.add_session_config_entry("session.disable_quant_qdq", "1")
    return options


def session(path: Path) -> Any:
    """The file in ONNX Runtime's own Python package.   Raises EngineError where it refuses."""
    import onnxruntime  # noqa: PLC0415

    options = session_options()
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EngineError(f"{path.name}: ONNX Runtime refuses the file: {error}") from None


def compared(files: ModelFiles, path: Path) -> str:
    """Run the file and the model on the same made-up inputs."""
    raw = session(path)
    if draws_random(files.program):
        return "it loads; it draws random numbers, so results were not compared"
    engine = Engine(files.pdmodel, files.params_path, files.name)
    names = [name for name, _, _ in engine.inputs]
    ending = LoopLimiter(
        files.program, {name: Tensor(np.asarray(a)) for name, a in files.values.items()}
    )
    for arrays in engine.made_up_inputs():
        if not ending.terminates([Tensor(a) for a in arrays]):
            continue  # an endless loop
        try:
            wanted = engine.run(arrays)
        except (OpError, EngineError, RuntimeError):
            continue  # sizes that do not fit each other, or that the trace had assumed otherwise
        return _differ(raw.run(None, dict(zip(names, arrays, strict=True))), wanted, files, path)
    return "it loads; none of the made-up inputs fits, so it was not run"


def _differ(found: list[Any], wanted: list[Any], files: ModelFiles, path: Path) -> str:
    worst = 0.0
    for name, got, want in zip(files.program.fetches(), found, wanted, strict=True):
        apart = difference(np.asarray(got), want)
        if apart > tolerance(want.dtype, files.program):
            raise VerifyError(
                f"{path.name}: beside the model, '{name}' "
                f"{describe_difference(np.asarray(got), want)}"
            )
        worst = max(worst, apart)
    return f"it gives what the model gives, largest difference {worst:.1e}"
