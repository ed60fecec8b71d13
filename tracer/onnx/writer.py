"""Write `.onnx` files that reference the weights in a `.pdiparams` file. Check the files with
onnx.checker, and compare their results with those of the model.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.dtype import is_inexact
from ..core.errors import FileError, OpError, VerifyError
from ..export.atomic_files import write_files_atomically
from ..ir.block_captures import program_draws_random
from ..ir.program import Program
from ..jit.condition_number import is_quantization_op
from ..jit.verify import (
    MAX_ITERATIONS,
    describe_difference,
    describe_loops,
    largest_relative_difference,
    tolerance_for_dtype_in_program,
)
from ..loader.model_files import ModelFileContents
from ..loader.program_engine import combined_params_path, create_engine_of_files
from ..loader.regular_files import read_file
from ..loader.runtime import EngineError, runtime_module, translate_runtime_errors
from .output_dim_names import name_output_dims_after_input_dims
from .synthetic_inputs import iter_terminating_input_sets
from .target_engine_opsets import DEFAULT_OPSET, newest_common_opset, parse_target_engines

_QUANTIZED_TOLERANCE = 2e-2


class ExportOptions(NamedTuple):
    """Options of an export.

    opset: None selects the lowest opset >= 17 that has all operators of the model
    target: programs that must read the file, as in `ort>=1.15,trt>=8.6`
    inline: store the weights in the file
    check: run onnx.checker and compare results with the model's
    """

    opset: int | None = None
    target: str = ""
    inline: bool = False
    check: bool = True


class ExportResult(NamedTuple):
    """Describes an exported file: its size in bytes, its opset, and one line about its
    verification.
    """

    path: Path
    size: int
    opset: int
    check_report: str


def write_onnx(files: ModelFileContents, output: Path, options: ExportOptions) -> ExportResult:
    """Write the model as ONNX, and check the file with onnx.checker and by comparing its results
    with the model's.

    Raises UnsupportedError with all ops that have no ONNX equivalent, and VerifyError if the file
    returns other results than the model. On an error, `output` keeps its previous content.
    """
    check_output_is_not_model_file(files, output)
    opset = select_opset(files, options)
    needs_int8 = _needs_int8_activations(files, options.target)
    data = name_output_dims_after_input_dims(
        onnx_bytes(files, output, options.inline, opset, needs_int8)
    )
    previous = read_file(output) if output.exists() else None
    write_files_atomically({str(output): data})
    try:
        report = check_onnx_file_and_report(files, output) if options.check else "not checked"
    except BaseException:  # also after a KeyboardInterrupt, so that no unchecked file remains
        output.unlink() if previous is None else write_files_atomically({str(output): previous})
        raise
    return ExportResult(output, len(data), opset, report)


def _needs_int8_activations(files: ModelFileContents, target: str) -> bool:
    """Whether a target engine needs signed activations as int8: TensorRT reads no other type;
    OpenVINO 2026.4 pads average pools with 0, not with the zero point, which is 128 in uint8.
    """
    names = {engine.name for engine in parse_target_engines(target)}
    has_activations = any(op.type == "quantize_linear" for op in files.program.ops())
    return "trt" in names or ("openvino" in names and has_activations)


def check_output_is_not_model_file(files: ModelFileContents, output: Path) -> None:
    """Raise OpError if writing `output` would overwrite a file of the model."""
    is_model_suffix = output.suffix in (".pdmodel", ".json", ".pdiparams", ".info")
    if is_model_suffix or output.name == "__model__":
        raise OpError(
            f"export: {output.name} is a file name that Paddle uses; use the suffix .onnx or .ort"
        )
    if files.params_path and output.exists() and os.path.samefile(output, files.params_path):
        raise OpError(f"export: {output.name} is the file of the model's weights")


def select_opset(files: ModelFileContents, options: ExportOptions) -> int:
    """Return `options.opset`, or the lowest opset that has all operators of the model. The lowest
    opset is at least 17, unless a target engine reads only older opsets.
    """
    newest = newest_common_opset(parse_target_engines(options.target))
    if options.opset is not None:
        if options.opset > newest:
            reader = options.target or "the supported engines"
            raise OpError(
                f"export: opset {options.opset} is newer than {newest}, the newest that {reader} "
                f"can read"
            )
        return options.opset
    with combined_params_path(files) as params, translate_runtime_errors():
        opset: int = runtime_module().lowest_opset(
            files.pdmodel, params, min(DEFAULT_OPSET, newest), newest, files.name
        )
    return opset


def onnx_bytes(
    files: ModelFileContents,
    output: Path,
    inline: bool,
    opset: int,
    signed_activations: bool = False,
) -> bytes:
    """Convert the model and return the serialized ModelProto for a file at the path `output`.

    signed_activations: quantize activations to int8 instead of uint8 with the zero point 128, as
    TensorRT and OpenVINO require.
    """
    if not inline:
        _require_readable_external_weights(files, output)
    with combined_params_path(files) as params, translate_runtime_errors():
        data: bytes = runtime_module().to_onnx(
            files.pdmodel,
            params,
            opset=opset,
            inline=inline,
            signed_activations=signed_activations,
            name=files.name,
        )
    return data


def _require_readable_external_weights(files: ModelFileContents, output: Path) -> None:
    """Raise OpError if an ONNX file at `output` cannot refer to the parameter file of the model."""
    if not files.values:
        return
    if not files.params_path:
        raise OpError(
            f"export: {files.name}: each parameter has a file of its own, to which ONNX cannot "
            "refer; use --inline"
        )
    folder = os.path.dirname(files.params_path) or "."
    if os.path.realpath(output.parent) != os.path.realpath(folder):
        raise OpError(
            f"export: ONNX reads external weights only from its own folder; write into {folder}, "
            "or use --inline"
        )


def check_onnx_file_and_report(files: ModelFileContents, path: Path) -> str:
    """Compare the file's results with the model's and, if onnx is installed, run onnx.checker.

    Returns one line about both.
    """
    comparison = compare_with_model_and_report(files, path)
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        return f"not checked by onnx.checker (onnx is not installed); {comparison}"
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except (onnx.checker.ValidationError, onnx.shape_inference.InferenceError) as error:
        raise FileError(f"{path.name}: onnx.checker rejects the file: {error}") from None
    return f"onnx.checker accepts it; {comparison}"


def session_options() -> Any:
    """Return options for an ONNX Runtime session that writes no log, and in which products of 8-bit
    numbers are exact.
    """
    import onnxruntime  # noqa: PLC0415 - a second engine in the process, used only here

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    if runtime_module().byte_products_saturate():
        options.add_session_config_entry("session.disable_quant_qdq", "1")
    return options


def open_session(path: Path) -> Any:
    """Open an ONNX file with the Python package onnxruntime, and return the session. Raises
    EngineError if the package rejects the file.
    """
    import onnxruntime  # noqa: PLC0415

    options = session_options()
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise EngineError(f"{path.name}: ONNX Runtime rejects the file: {error}") from None


def compare_with_model_and_report(files: ModelFileContents, path: Path) -> str:
    """Run the exported file and the model on the same synthetic inputs, and compare their results.

    Returns one line about the comparison. Raises VerifyError if results differ.
    """
    session = open_session(path)
    if program_draws_random(files.program):
        return "it loads; results were not compared because the model draws random numbers"
    engine = create_engine_of_files(files)
    names = [name for name, _, _ in engine.inputs]
    for arrays in iter_terminating_input_sets(engine, files):
        try:
            expected = engine.run(arrays)
        except (OpError, EngineError, RuntimeError):
            continue  # incompatible sizes, or a violated guard
        outputs = session.run(None, dict(zip(names, arrays, strict=True)))
        return _compare_outputs_and_report(outputs, expected, files, path)
    loops = describe_loops(files.program)
    why = f", or {loops} has more than {MAX_ITERATIONS} iterations" if loops else ""
    return f"it loads; it was not run: none of the generated inputs fits the model{why}"


def _tolerance(dtype: np.dtype[Any], program: Program) -> float:
    """Return the largest accepted difference between results of the file and of the model. For a
    quantized model the tolerance is larger: another engine may round a value half-way between two
    quantization levels to the other level.
    """
    tolerance = tolerance_for_dtype_in_program(dtype, program)
    is_quantized = any(is_quantization_op(op.type) for op in program.ops())
    return max(tolerance, _QUANTIZED_TOLERANCE) if is_quantized and is_inexact(dtype) else tolerance


def _compare_outputs_and_report(
    outputs: list[Any], expected: list[Any], files: ModelFileContents, path: Path
) -> str:
    max_difference = 0.0
    for name, output, reference in zip(files.program.fetch_names(), outputs, expected, strict=True):
        array = np.asarray(output)
        distance = largest_relative_difference(array, reference)
        if distance > _tolerance(reference.dtype, files.program):
            raise VerifyError(
                f"{path.name}: compared with the model, output '{name}' "
                f"{describe_difference(array, reference)}"
            )
        max_difference = max(max_difference, distance)
    return f"its results agree with the model's, largest difference {max_difference:.1e}"
