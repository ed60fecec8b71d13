"""Models on a GPU beside the CPU and beside ONNX Runtime's own Python package: results and times.

Called by benchmarks/gpu.sh.

    python benchmarks/gpu.py MODELS [--rounds N]

MODELS: a folder of NAME.pdmodel, NAME.pdiparams and NAME.npz with an input by its name, as
benchmarks/zoo.py writes it.
"""

from __future__ import annotations

import argparse
import statistics
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from oarlock.cli.model import export_model
from oarlock.loader.engine import Engine, library_info
from oarlock.loader.model_files import read_model
from oarlock.onnx.writer import ExportOptions

TIMED = ("resnet50", "mobilenet_v2", "bert_base")
BATCHES = (1, 8, 32)
Feeds = dict[str, np.ndarray[Any, Any]]


def engine(path: Path, **options: Any) -> Engine:
    """A model on a device."""
    files = read_model(str(path.with_suffix("")))
    return Engine(files.pdmodel, files.params_path, files.name, **options)


def worst(found: list[Any], wanted: list[Any]) -> float:
    """The largest difference, relative to the largest value."""
    apart = [
        float(np.abs(a.astype("f8") - b.astype("f8")).max(initial=0))
        / max(1.0, float(np.abs(b).max(initial=0)))
        for a, b in zip(found, wanted, strict=True)
    ]
    return max(apart, default=0.0)


def compare_with_model(path: Path) -> str:
    """One line: the GPU beside the CPU, products in full float32."""
    with np.load(path.with_suffix(".npz")) as given:
        feeds = {name: given[name] for name in given.files}
    wanted = engine(path).run(feeds)
    try:
        found = engine(path, device="cuda", tf32=False).run(feeds)
    except RuntimeError as error:
        found = engine(path, device="cuda", tf32=False, cpu_fallback=True).run(feeds)
        note = f"; {str(error).splitlines()[0].rpartition('left on the CPU: ')[2]}"
    else:
        note = ""
    shapes = all(a.shape == b.shape for a, b in zip(found, wanted, strict=True))
    return f"{path.stem:24} {worst(found, wanted):.1e}{'' if shapes else ' SHAPES DIFFER'}{note}"


def median(call: Callable[[], object], rounds: int) -> float:
    """Seconds per call."""
    for _ in range(5):
        call()
    times = []
    for _ in range(rounds):
        start = perf_counter()
        call()
        times.append(perf_counter() - start)
    return statistics.median(times)


def batched(feeds: Feeds, batch: int) -> Feeds:
    """The same rows again and again."""
    return {name: np.repeat(array[:1], batch, axis=0) for name, array in feeds.items()}


def fixed(path: Path, feeds: Feeds) -> Path:
    """The model with the sizes of these inputs, which a captured graph needs."""
    from oarlock.export.pdmodel import to_bytes

    files = read_model(str(path.with_suffix("")))
    for name, array in feeds.items():
        files.program.block.vars[name].shape = array.shape
    if files.program.contract is not None:
        files.program.contract = None
    made = path.with_name(f"{path.stem}.fixed.pdmodel")
    made.write_bytes(to_bytes(files.program))
    made.with_suffix(".pdiparams").unlink(missing_ok=True)
    made.with_suffix(".pdiparams").hardlink_to(path.with_suffix(".pdiparams"))
    return made


def raw(path: Path) -> Any:
    """ONNX Runtime's own session of the exported graph on the GPU."""
    import onnxruntime

    settings = {"cudnn_conv_algo_search": "HEURISTIC"}
    return onnxruntime.InferenceSession(str(path), providers=[("CUDAExecutionProvider", settings)])


def timed(path: Path, rounds: int) -> None:
    """Latency and throughput by batch, with and without a captured graph, beside ONNX Runtime's
    Python package.
    """
    with np.load(path.with_suffix(".npz")) as given:
        one = {name: given[name] for name in given.files}
    exported = path.with_suffix(".onnx")
    export_model(str(path.with_suffix("")), exported, "onnx", ExportOptions(check=False))
    for batch in BATCHES:
        print(line(path, exported, batched(one, batch), batch, rounds), flush=True)


def line(path: Path, exported: Path, feeds: Feeds, batch: int, rounds: int) -> str:
    """One model at one batch."""
    plain, session, captured = (
        engine(path, device="cuda"),
        raw(exported),
        engine(fixed(path, feeds), device="cuda", cuda_graph=True),
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
    """Results first, then times."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("models", type=Path)
    parser.add_argument("--rounds", type=int, default=50)
    args = parser.parse_args()
    info = library_info()
    print(f"ONNX Runtime {info['version']} ({', '.join(info['providers'])})")
    print("largest difference between CPU and GPU, relative to the largest value, TF32 off:")
    models = sorted(p for p in args.models.glob("*.pdmodel") if ".fixed" not in p.name)
    for path in models:
        print(compare_with_model(path), flush=True)
    for path in models:
        if path.stem in TIMED:
            timed(path, args.rounds)


if __name__ == "__main__":
    main()
