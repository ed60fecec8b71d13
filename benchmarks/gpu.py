"""Compare models on a GPU with the CPU (results) and with ONNX Runtime's Python package (times).

Called by benchmarks/gpu.sh.

    python benchmarks/gpu.py MODELS [--rounds N]

MODELS: a folder with NAME.pdmodel, NAME.pdiparams and NAME.npz (the inputs by name), as written by
benchmarks/zoo.py.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from oarlock.cli.model import export_model
from oarlock.loader.engine import Engine, ort_library_info
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions

TIMED = ("resnet50", "mobilenet_v2", "bert_base")
BATCHES = (1, 8, 32)
Feeds = dict[str, np.ndarray[Any, Any]]


def load_engine(path: Path, **options: Any) -> Engine:
    """Load a model on a device."""
    files = read_model(str(path.with_suffix("")))
    return Engine(files.pdmodel, files.params_path, files.name, **options)


def max_difference(actual: list[Any], expected: list[Any]) -> float:
    """Return the largest difference, relative to the largest value."""
    differences = [
        float(np.abs(a.astype("f8") - b.astype("f8")).max(initial=0))
        / (float(np.abs(b).max(initial=0)) or 1.0)
        for a, b in zip(actual, expected, strict=True)
    ]
    return max(differences, default=0.0)


def compare_with_cpu(path: Path) -> str:
    """Return a line of text that compares the GPU with the CPU, with products in full float32."""
    with np.load(path.with_suffix(".npz")) as arrays:
        feeds = {name: arrays[name] for name in arrays.files}
    expected = load_engine(path).run(feeds)
    try:
        actual = load_engine(path, device="cuda", tf32=False).run(feeds)
    except RuntimeError as error:
        actual = load_engine(path, device="cuda", tf32=False, cpu_fallback=True).run(feeds)
        note = f"; {str(error).splitlines()[0].rpartition('left on the CPU: ')[2]}"
    else:
        note = ""
    if any(a.shape != b.shape for a, b in zip(actual, expected, strict=True)):
        note = f" SHAPES DIFFER{note}"
    return f"{path.stem:24} {max_difference(actual, expected):.1e}{note}"


def median(call: Callable[[], object], rounds: int) -> float:
    """Return the median seconds per call."""
    for _ in range(5):
        call()
    times = []
    for _ in range(rounds):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return statistics.median(times)


def batched(feeds: Feeds, batch: int) -> Feeds:
    """Repeat the first row `batch` times."""
    return {name: np.repeat(array[:1], batch, axis=0) for name, array in feeds.items()}


def with_static_shapes(path: Path, feeds: Feeds) -> Path:
    """Save the model with the shapes of these inputs, which a captured graph needs."""
    from oarlock.export.pdmodel import to_bytes

    files = read_model(str(path.with_suffix("")))
    for name, array in feeds.items():
        files.program.block.vars[name].shape = array.shape
    if files.program.contract is not None:
        files.program.contract = None
    static_path = path.with_name(f"{path.stem}.fixed.pdmodel")
    static_path.write_bytes(to_bytes(files.program))
    static_path.with_suffix(".pdiparams").unlink(missing_ok=True)
    static_path.with_suffix(".pdiparams").hardlink_to(path.with_suffix(".pdiparams"))
    return static_path


def ort_session(path: Path) -> Any:
    """Create a session of ONNX Runtime's Python package for the exported graph on the GPU."""
    import onnxruntime

    settings = {"cudnn_conv_algo_search": "HEURISTIC"}
    return onnxruntime.InferenceSession(str(path), providers=[("CUDAExecutionProvider", settings)])


def print_times(path: Path, rounds: int) -> None:
    """Print latency and throughput by batch size, with and without a captured graph, compared with
    ONNX Runtime's Python package.
    """
    with np.load(path.with_suffix(".npz")) as arrays:
        single = {name: arrays[name] for name in arrays.files}
    exported = path.with_suffix(".onnx")
    export_model(str(path.with_suffix("")), exported, "onnx", ExportOptions(check=False))
    for batch in BATCHES:
        print(line(path, exported, batched(single, batch), batch, rounds), flush=True)


def line(path: Path, exported: Path, feeds: Feeds, batch: int, rounds: int) -> str:
    """Measure one model at one batch size and return a line of text."""
    plain, session, captured = (
        load_engine(path, device="cuda"),
        ort_session(exported),
        load_engine(with_static_shapes(path, feeds), device="cuda", cuda_graph=True),
    )
    ours, theirs = (
        median(lambda: plain.run(feeds), rounds),
        median(lambda: session.run(None, feeds), rounds),
    )
    launched = median(lambda: captured.run(feeds), rounds)
    return (
        f"{path.stem:16} batch {batch:3}: {1e3 * ours:8.3f} ms, {batch / ours:9.0f}/s, "
        f"{ours / theirs:.2f}x onnxruntime; "
        f"captured {1e3 * launched:8.3f} ms"
    )


def main() -> None:
    """Compare results, then times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path)
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    info = ort_library_info()
    print(f"ONNX Runtime {info['version']} ({', '.join(info['providers'])})")
    print("largest difference between CPU and GPU, relative to the largest value, TF32 off:")
    models = sorted(p for p in args.models.glob("*.pdmodel") if ".fixed" not in p.name)
    failed = 0
    for path in models:
        try:
            print(compare_with_cpu(path), flush=True)
        except RuntimeError as error:
            failed += 1
            print(f"{path.stem}: {error}", file=sys.stderr, flush=True)
    for path in models:
        if path.stem in TIMED:
            print_times(path, args.rounds)
    if failed:
        sys.exit(f"{failed} of {len(models)} models failed")


if __name__ == "__main__":
    main()
