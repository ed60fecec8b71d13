"""What `oarlock verify`, `export`, `run` and `doctor` do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from ..core.autograd import no_grad
from ..core.errors import FileError, OpError
from ..core.tensor import Tensor
from ..export.save import atomic_write
from ..jit.verify import verify
from ..loader.engine import Engine, library_info, runtime, translated
from ..loader.model_files import ModelFiles, read_model
from ..loader.translated_layer import TranslatedLayer
from ..static.interpreter import Interpreter
from ..static.program import Contract
from ..static.verify import check

_print = Console(highlight=False, soft_wrap=True, markup=False).print


def verify_files(prefix: str) -> None:
    """Judge the files, and compare engine and interpreter.   Raises what is wrong."""
    files = read_model(prefix)
    wrong = check(files.program)
    if wrong:
        raise FileError(f"{files.name}: the program is not legal:\n  " + "\n  ".join(wrong))
    layer = TranslatedLayer(files)
    if files.program.contract is None:
        files.program.contract = Contract(inputs=layer._inputs, outputs=layer._outputs)
    runner = Interpreter(files.program, layer._scope)

    def interpreted(tensors: list[Tensor]) -> list[Any]:
        with no_grad():
            return [t.array for t in runner.run(dict(zip(runner.feeds, tensors, strict=True)))]

    found = verify(files.program, files.pdmodel, files.params_path, layer._scope, interpreted)
    _print(
        f"{files.name}: {len(files.program.block.ops)} ops, {len(files.values)} values; engine and interpreter agree {found}"
    )


def export_model(prefix: str, output: Path, to: str, inline: bool, opset: int) -> None:
    """Write ONNX.   Raises OpError where the weights cannot be shared, and what onnx.checker says where onnx is installed."""
    if to != "onnx":
        raise OpError(f"export: --to {to} is not known; there is onnx")
    files = read_model(prefix)
    data = onnx_bytes(files, output, inline, opset)
    atomic_write({str(output): data})
    _checked(output)
    shared = "" if inline or not files.params_path else f", weights in {os.path.basename(files.params_path)}"
    _print(f"{output}: {len(data):,} bytes, opset {opset}{shared}")


def onnx_bytes(files: ModelFiles, output: Path, inline: bool, opset: int) -> bytes:
    """The ModelProto to lie at `output`."""
    shared = files.params_path is not None and not inline
    if shared and os.path.realpath(output.parent) != os.path.realpath(os.path.dirname(files.params_path or "")):
        folder = os.path.dirname(files.params_path or "") or "."
        raise OpError(f"export: ONNX finds shared weights only beside itself; write into {folder}, or use --inline")
    with translated():
        made: bytes = runtime().to_onnx(files.pdmodel, files.params_path, opset=opset, inline=inline, name=files.name)
    return made


def _checked(path: Path) -> None:
    """Let onnx judge the file, where it is installed."""
    try:
        import onnx  # noqa: PLC0415
    except ImportError:
        return
    try:
        onnx.checker.check_model(str(path), full_check=True)
    except onnx.checker.ValidationError as error:
        path.unlink()
        raise FileError(f"{path.name}: onnx.checker refuses the file: {error}") from None


def run_model(prefix: str, input: Path, output: Path, device: str, threads: int) -> None:
    """Run on the arrays of an .npz, and write another."""
    files = read_model(prefix)
    engine = Engine(files.pdmodel, files.params_path, files.name, device=device, threads=threads)
    with np.load(input, allow_pickle=False) as given:
        arrays = {name: given[name] for name in given.files}
    names = [name for name, _, _ in engine.inputs]
    feeds = {name: arrays.get(name, arrays.get(f"in{i}")) for i, name in enumerate(names)}
    missing = [name for name, array in feeds.items() if array is None]
    if missing:
        raise OpError(f"run: {input.name} holds {sorted(arrays)}, but the model takes {names}; {missing} are missing")
    results = engine.run(feeds)  # type: ignore[arg-type]
    by_name = dict(zip([name for name, _, _ in engine.outputs], results, strict=True))
    atomic_write({str(output): lambda file: np.savez(file, **by_name)})  # type: ignore[arg-type]
    for name, array in by_name.items():
        _print(f"{name}: {array.dtype}{list(array.shape)}")


def show_engine() -> None:
    """Print which library would be used, its version and its providers."""
    info = library_info()
    _print(f"ONNX Runtime {info['version']}: {info['path']}\nproviders: {', '.join(info['providers'])}")
