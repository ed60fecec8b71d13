"""What `oarlock verify`, `export`, `run` and `doctor` do."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from ..compiler import CompiledProgram
from ..compiler.unsupported_ops import Unsupported
from ..core.errors import FileError, OpError
from ..core.tensor import Tensor
from ..export.save import atomic_write
from ..ir.program import Contract
from ..ir.verifier import check
from ..jit.verify import run_compiled, verify
from ..loader.engine import Engine, library_info
from ..loader.model_files import read_model
from ..loader.npz import load_npz
from ..loader.translated_layer import TranslatedLayer
from ..onnx.writer import Wanted, write_onnx
from ..onnx.ort_format import write_ort
from ..utils.terminal import console

_print = console(highlight=False, soft_wrap=True, markup=False).print


def verify_files(prefix: str) -> None:
    """Judge the files, and compare engine and interpreter.   Raises what is wrong."""
    files = read_model(prefix)
    wrong = check(files.program)
    if wrong:
        raise FileError(f"{files.name}: the program is not legal:\n  " + "\n  ".join(wrong))
    layer = TranslatedLayer(files)
    if files.program.contract is None:
        method = layer._method("forward")
        files.program.contract = Contract(inputs=method.inputs, outputs=method.outputs)
    try:
        compiled = CompiledProgram(files.program)
    except Unsupported as error:
        Engine(files.pdmodel, files.params_path, files.name)
        _print(
            f"{files.name}: the engine takes it; nothing to compare it with: "
            f"{str(error).splitlines()[0]}"
        )
        return

    def interpreted(tensors: list[Tensor]) -> list[Any]:
        return run_compiled(compiled, layer._scope, [t.array for t in tensors])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # The output that it would print is printed.
        found = verify(files.program, files.pdmodel, files.params_path, layer._scope, interpreted)
    agree = "" if found.startswith("not verified") else "engine and interpreter agree "
    _print(
        f"{files.name}: {len(files.program.block.ops)} ops, {len(files.values)} values; "
        f"{agree}{found}"
    )


def export_model(prefix: str, output: Path, to: str, wanted: Wanted) -> None:
    """Write ONNX, ORT format or a folder for Triton, judged before it stays.

    Raises OpError where the weights cannot be shared.
    """
    writers = {"onnx": write_onnx, "ort": write_ort}
    if to == "triton":
        from ..serving.triton import write_repository  # noqa: PLC0415 - which stands above

        folder = write_repository(prefix, output, wanted)
        _print(
            f"{folder}: for tritonserver --model-repository {output}; inference_service.yaml "
            f"is for KServe"
        )
        return
    if to not in writers:
        raise OpError(f"export: --to {to} is not known; there are {', '.join(writers)}, triton")
    files = read_model(prefix)
    made = writers[to](files, output, wanted)
    shared = (
        ""
        if wanted.inline or to == "ort" or not files.params_path
        else f", weights in {os.path.basename(files.params_path)}"
    )
    _print(f"{output}: {made.size:,} bytes, opset {made.opset}{shared}\n{made.checked}")


def run_model(prefix: str, input: Path, output: Path, **options: Any) -> None:
    """Run on the arrays of an .npz, and write another.   options: of the engine."""
    files = read_model(prefix)
    engine = Engine(files.pdmodel, files.params_path, files.name, **options)
    arrays = load_npz(input)
    names = [name for name, _, _ in engine.inputs]
    feeds = {name: arrays.get(name, arrays.get(f"in{i}")) for i, name in enumerate(names)}
    missing = [name for name, array in feeds.items() if array is None]
    if missing:
        raise OpError(
            f"run: {input.name} holds {sorted(arrays)}, but the model takes {names}; "
            f"{missing} are missing"
        )
    results = engine.run(feeds)  # type: ignore[arg-type]
    by_name = dict(zip([name for name, _, _ in engine.outputs], results, strict=True))
    atomic_write({str(output): lambda file: np.savez(file, **by_name)})  # type: ignore[arg-type]
    for name, array in by_name.items():
        _print(f"{name}: {array.dtype}{list(array.shape)}")


def show_engine() -> None:
    """Print which library would be used, its version and its providers."""
    info = library_info()
    _print(
        f"ONNX Runtime {info['version']}: {info['path']}\nproviders: {', '.join(info['providers'])}"
    )
