"""`oarlock verify`, `export` and `run`."""

from __future__ import annotations

import itertools
import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..compiler.unsupported_ops import UnsupportedOpsError
from ..core.errors import FileError, OpError
from ..export.atomic_files import write_files_atomically
from ..ir.verifier import find_problems
from ..jit.model_writer import PADDLE2, PADDLE3
from ..jit.paddle_format_conversion import (
    convert_paddle_format,
    scope_and_interpreter_adding_contract,
)
from ..jit.verify import verify_files_against_reference
from ..loader.model_files import (
    INFO,
    MODEL,
    PADDLE3_MODEL,
    PARAMS,
    ModelFileContents,
    model_prefix,
    read_model,
)
from ..loader.npz import load_npz
from ..loader.program_engine import combined_params_path, create_engine_of_files
from ..onnx.ort_format import write_ort_and_operator_config
from ..onnx.writer import ExportOptions, ExportResult, write_onnx
from ..quantization.programs.calibration_data import synthetic_calibration_data
from ..quantization.programs.measure import min_snr_of_outputs
from ..quantization.programs.model import ProgramWithValues
from ..quantization.programs.quantize import HALF_METHODS, convert_to_half_precision_with_notes
from ..quantization.programs.write import (
    model_with_temporary_parameter_file,
    write_and_verify_model,
)
from ..utils.terminal import make_console
from .command_line import CommandLineError
from .progress import show_progress

_print = make_console(highlight=False, soft_wrap=True, markup=False).print


def verify_saved_model(prefix: str, quiet: bool = False) -> None:
    """Validate the files of a model, and compare the results of engine and interpreter.

    Raises FileError for an invalid program, and VerifyError if results differ.
    """
    files = read_model(prefix)
    problems = find_problems(files.program)
    if problems:
        raise FileError(f"{files.name}: the program is invalid:\n  " + "\n  ".join(problems))
    try:
        scope, interpret = scope_and_interpreter_adding_contract(files)
    except UnsupportedOpsError as error:
        create_engine_of_files(files)
        _print(
            f"{files.name}: the engine accepts the model; results were not compared because the "
            f"interpreter cannot run it: {str(error).splitlines()[0]}"
        )
        return

    runs = itertools.count(1)

    def interpret_and_show_run(*arguments: Any) -> Any:
        show(f"comparing engine and interpreter, run {next(runs)}", 0, 0)
        return interpret(*arguments)

    with (
        show_progress(quiet) as show,
        warnings.catch_warnings(),
        combined_params_path(files) as params,
    ):
        warnings.simplefilter("ignore")  # the report below contains the text of the warnings
        report = verify_files_against_reference(
            files.program, files.pdmodel, params, scope, interpret_and_show_run
        )
    agree = "" if report.startswith("not verified") else "engine and interpreter agree "
    _print(
        f"{files.name}: {len(files.program.block.ops)} ops, {len(files.values)} parameters and "
        f"buffers; {agree}{report}"
    )


def export_model(
    prefix: str,
    output: Path,
    to: str,
    options: ExportOptions,
    precision: str = "",
    quiet: bool = False,
) -> None:
    """Write ONNX, ORT format, a Triton model folder or the program format of Paddle 2 or 3, and
    check it.

    precision: 'fp16' or 'bf16' stores the weights in half precision; '' does not change them.

    Raises OpError if the file cannot reference the weights in the .pdiparams file.
    """
    with show_progress(quiet) as show:
        show(f"writing and checking {output.name}", 0, 0)
        _write_in_format(prefix, output, to, options, precision)


def _write_in_format(
    prefix: str, output: Path, to: str, options: ExportOptions, precision: str
) -> None:
    writers = {"onnx": write_onnx, "ort": write_ort_and_operator_config}
    if precision:
        _export_in_half_precision(prefix, output, to, options, precision, writers)
        return
    if to == "triton":
        from ..serving.triton import add_model_to_repository  # noqa: PLC0415

        folder = add_model_to_repository(prefix, output, options)
        _print(
            f"{folder}: for tritonserver --model-repository {output}; inference_service.yaml "
            f"is for KServe"
        )
        return
    if to in (PADDLE2, PADDLE3):
        target = model_prefix(output)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the report below contains the text of the warnings
            reports = convert_paddle_format(prefix, target, to)
        for path, report in reports.items():
            _print(f"{path}: {os.path.getsize(path):,} bytes, {report}")
        return
    if to not in writers:
        formats = ", ".join([*writers, PADDLE2, PADDLE3])
        raise CommandLineError(f"--to must be {formats} or triton, not {to!r}")
    _write_model_and_print_summary(read_model(prefix), output, to, options, writers[to])


def _export_in_half_precision(
    prefix: str,
    output: Path,
    to: str,
    options: ExportOptions,
    precision: str,
    writers: Mapping[str, Callable[..., ExportResult]],
) -> None:
    if precision not in HALF_METHODS:
        raise CommandLineError(
            f"--precision must be {' or '.join(HALF_METHODS)}, not {precision!r}"
        )
    files = read_model(prefix)
    original = ProgramWithValues(files.program, dict(files.values))
    data = None
    try:
        data = synthetic_calibration_data(create_engine_of_files(files), files)
    except OpError as error:
        _print(f"note: not compared with the float model: {str(error).removeprefix('quantize: ')}")
    model, notes = convert_to_half_precision_with_notes(original, precision, data)
    for note in notes:
        _print(f"note: {note}")
    if data is not None:
        snr = min_snr_of_outputs(original, model, data)
        _print(f"signal-to-noise ratio of the outputs beside the float model: {snr:.1f} dB")
    if to in writers:
        with model_with_temporary_parameter_file(files, model) as half:
            _write_model_and_print_summary(
                half, output, to, options._replace(inline=True), writers[to]
            )
        return
    if to not in (PADDLE2, PADDLE3):
        formats = ", ".join([*writers, PADDLE2])
        raise CommandLineError(f"--precision needs --to {formats} or {PADDLE3}, not {to!r}")
    sizes, report = write_and_verify_model(files, model, output, file_format=to)
    for path, size in sizes.items():
        _print(f"{path}: {size:,} bytes")
    _print(report)


def _write_model_and_print_summary(
    files: ModelFileContents,
    output: Path,
    to: str,
    options: ExportOptions,
    writer: Callable[..., ExportResult],
) -> None:
    result = writer(files, output, options)
    weights = (
        ""
        if options.inline or to == "ort" or not files.params_path
        else f", weights in {os.path.basename(files.params_path)}"
    )
    _print(f"{output}: {result.size:,} bytes, opset {result.opset}{weights}\n{result.check_report}")


def run_model(prefix: str, input: Path, output: Path, **options: Any) -> None:
    """Run a model on the arrays of one .npz file and write another.  options: of the engine

    Raises OpError if the output would replace the input or a file of the model.
    """
    files = read_model(prefix)
    _reject_output_overwriting_input(output, [input, *_possible_model_file_paths(prefix, files)])
    engine = create_engine_of_files(files, **options)
    arrays = load_npz(input)
    names = [name for name, _, _ in engine.inputs]
    feeds = {name: arrays.get(name, arrays.get(f"in{i}")) for i, name in enumerate(names)}
    missing = [name for name, array in feeds.items() if array is None]
    if missing:
        raise OpError(
            f"run: {input.name} lacks the inputs {missing} (it holds {sorted(arrays)}, the model "
            f"has the inputs {names})"
        )
    used = {name if name in arrays else f"in{i}" for i, name in enumerate(names)}
    if extra := sorted(arrays.keys() - used):
        raise OpError(
            f"run: {input.name} contains arrays that are no inputs: {extra} (inputs: {names})"
        )
    results = engine.run(feeds)  # type: ignore[arg-type]
    by_name = dict(zip([name for name, _, _ in engine.outputs], results, strict=True))
    write_files_atomically({str(output): lambda file: np.savez(file, **by_name)})  # type: ignore[arg-type]
    for name, array in by_name.items():
        _print(f"{name}: {array.dtype}{list(array.shape)}")


def _possible_model_file_paths(prefix: str, files: ModelFileContents) -> list[str]:
    stem = model_prefix(prefix)
    return [
        os.path.join(prefix, files.name),  # in a folder of Paddle 1.x
        *(stem + suffix for suffix in (MODEL, PADDLE3_MODEL, PARAMS, INFO)),
        *([files.params_path] if files.params_path else []),
    ]


def _reject_output_overwriting_input(output: Path, inputs: Iterable[str | Path]) -> None:
    for path in inputs:
        if output.exists() and os.path.exists(path) and output.samefile(path):
            raise OpError(f"run: --output {output} would be written over {path}")
