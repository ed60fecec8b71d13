"""Inputs for calibration and measurement: the arrays of `.npz` files, split into batches, or
generated arrays.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ...core.errors import OpError
from ...core.op import Meta
from ...jit.verify import MAX_GENERATED_ELEMENTS, MAX_ITERATIONS, describe_loops
from ...loader.engine import Engine
from ...loader.model_files import ModelFileContents
from ...loader.npz import load_npz
from ...onnx.synthetic_inputs import iter_terminating_input_sets
from .run_timeout import DEFAULT_RUN_TIMEOUT, RunTimeoutError, stopping_endless_runs

BATCH_SIZE = 32


@dataclass
class CalibrationData:
    """Batches of inputs, by name, with their labels.

    sample: the inputs with which times are measured and the written model is verified;
        `load_calibration_data` takes one sample if the batch size is dynamic, else one batch.
    labels: one array of class indices per batch; empty if there are none.
    run_timeout: seconds after which a run of a model with loops is an error.
    num_unused_samples: samples at the ends of files that do not fill a batch of the fixed size.
    """

    sample: dict[str, Any]
    batches: list[dict[str, Any]] = field(default_factory=list)
    labels: list[Any] = field(default_factory=list)
    run_timeout: float = DEFAULT_RUN_TIMEOUT
    num_unused_samples: int = 0

    def all_labels(self) -> Any:
        """The labels of all batches as one vector."""
        return np.concatenate([np.asarray(array).reshape(-1) for array in self.labels])


def load_calibration_data(
    path: str | os.PathLike[str],
    engine: Engine,
    files: ModelFileContents,
    labels: str | None = None,
    run_timeout: float = DEFAULT_RUN_TIMEOUT,
) -> CalibrationData:
    """Read an `.npz` file, or all `.npz` files of a folder.

    The arrays have the names of the inputs, or in0, in1, ... Their first axes are samples: if the
    batch size of the model is dynamic, files are split into batches of at most 32 samples.

    labels: the name of the array with the class index of each sample.

    Raises OpError for inputs that are missing, empty, contain NaN or infinity or that the model
    rejects, for labels that do not fit, and if a run of a model with loops exceeds `run_timeout`
    seconds; FileError for damaged files.
    """
    data = CalibrationData({}, run_timeout=run_timeout)
    loops = describe_loops(files.program)
    for file in _npz_files(path):
        arrays = load_npz(file)
        feeds = _require_finite_feeds_by_input_name(file.name, arrays, engine)
        target = None if labels is None else _select_labels(file.name, arrays, labels)
        size, is_dynamic = _samples_per_run_and_is_dynamic(feeds, engine)
        count = 1 if size is None else len(next(iter(feeds.values())))
        if target is not None and size is not None and len(target) != count:
            raise OpError(f"quantize: {file.name} has {len(target)} labels for {count} samples")
        for start in range(0, count, size or 1):
            if size is not None and not is_dynamic and start + size > count:
                data.num_unused_samples += count - start
                break
            rows = slice(start, None if size is None else start + size)
            batch = _slice_samples(feeds, rows)
            if not start or loops:  # other batches have the same shapes, but loops may not end
                origin = file.name
                if loops and size is not None:
                    origin += f", samples {start} to {min(start + size, count) - 1}"
                check_engine_accepts_batch(origin, batch, engine, loops, run_timeout)
            data.batches.append(batch)
            data.sample = data.sample or _slice_samples(feeds, slice(0, 1) if is_dynamic else rows)
            if target is not None:
                data.labels.append(target[rows])
    if not data.batches:
        raise OpError(f"quantize: {os.path.basename(path)} does not hold a batch of samples")
    return data


def synthetic_calibration_data(
    engine: Engine, files: ModelFileContents, run_timeout: float = DEFAULT_RUN_TIMEOUT
) -> CalibrationData:
    """Return one batch of generated inputs that the model accepts.

    Raises OpError if it accepts none.
    """
    loops = describe_loops(files.program)
    reason = (
        f"{loops} has more than {MAX_ITERATIONS} iterations"
        if loops
        else f"the inputs have more than {MAX_GENERATED_ELEMENTS} elements"
    )
    for arrays in iter_terminating_input_sets(engine, files):
        feeds = dict(zip([name for name, _, _ in engine.inputs], arrays, strict=True))
        try:
            engine.run(feeds)
        except (OpError, RuntimeError) as error:
            reason = str(error).splitlines()[0]
            continue
        return CalibrationData(feeds, [feeds], run_timeout=run_timeout)
    raise OpError(
        f"quantize: generated inputs do not fit this model ({reason}); give --data to oarlock "
        "quantize"
    )


def _npz_files(path: str | os.PathLike[str]) -> list[Path]:
    if not os.path.isdir(path):
        return [Path(path)]
    files = sorted(Path(path).glob("*.npz"))
    if not files:
        raise OpError(f"quantize: the folder {os.path.basename(os.path.abspath(path))} has no .npz")
    return files


def _require_finite_feeds_by_input_name(
    name: str, arrays: dict[str, Any], engine: Engine
) -> dict[str, Any]:
    names = [n for n, _, _ in engine.inputs]
    keys = {n: n if n in arrays else f"in{i}" for i, n in enumerate(names)}
    missing = [n for n, key in keys.items() if key not in arrays]
    if missing:
        raise OpError(
            f"quantize: {name} lacks the inputs {missing} (it holds {sorted(arrays)}, the model "
            f"has the inputs {names})"
        )
    feeds = {n: arrays[key] for n, key in keys.items()}
    check_is_finite(name, feeds)
    return feeds


def check_is_finite(origin: str, feeds: Mapping[str, Any]) -> None:
    """Raise OpError if an input contains NaN or infinity.

    origin: where the inputs come from, for the message.
    """
    for name, array in feeds.items():
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise OpError(f"quantize: {origin}: input '{name}' contains NaN or infinity")


def check_engine_accepts_batch(
    origin: str,
    feeds: Mapping[str, Any],
    engine: Engine,
    loops: str,
    run_timeout: float = DEFAULT_RUN_TIMEOUT,
) -> None:
    """Raise OpError if all inputs are empty, if the engine rejects them, or if a loop of the model
    does not end within `run_timeout` seconds.

    origin: where the inputs come from, for the message.
    loops: the description of the model's loops by `describe_loops`.
    """
    if feeds and not any(array.size for array in feeds.values()):
        described = ", ".join(f"'{n}' is {Meta(a.shape, a.dtype)}" for n, a in feeds.items())
        raise OpError(f"quantize: {origin}: the inputs have no elements ({described})")
    try:
        with stopping_endless_runs(engine, loops, run_timeout, origin):
            engine.run(feeds)
    except RunTimeoutError:
        raise
    except (OpError, RuntimeError) as error:
        raise OpError(f"quantize: {origin}: {str(error).removeprefix('run: ')}") from None


def _select_labels(name: str, arrays: dict[str, Any], labels: str) -> Any:
    if labels not in arrays:
        raise OpError(f"quantize: {name} lacks the labels '{labels}' (it holds {sorted(arrays)})")
    array = arrays[labels]
    if array.dtype.kind not in "iu":
        raise OpError(f"quantize: {name}: the labels '{labels}' are {array.dtype}, not integers")
    return array


def _samples_per_run_and_is_dynamic(
    feeds: dict[str, Any], engine: Engine
) -> tuple[int | None, bool]:
    """Return the number of samples per run, None if the inputs cannot be split into samples, and
    whether the model accepts other numbers of samples.
    """
    first = [shape[0] if shape else None for _, _, shape in engine.inputs]
    counts = {len(array) if array.ndim else None for array in feeds.values()}
    if engine.row_split_owners or None in first or None in counts or len(counts) != 1:
        return None, False
    static = {size for size in first if isinstance(size, int) and size >= 0}
    if not static:
        return BATCH_SIZE, True
    return max(static.pop(), 1), False


def _slice_samples(feeds: dict[str, Any], rows: slice) -> dict[str, Any]:
    return {name: array[rows] if array.ndim else array for name, array in feeds.items()}
