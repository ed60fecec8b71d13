"""What `oarlock bench` does: time a model through the Python binding."""

from __future__ import annotations

import json as json_module
from time import perf_counter
from typing import Any

import numpy as np
from rich.table import Table

from ..core.errors import GuardError, OpError
from ..loader.engine import Engine, EngineError
from ..loader.model_files import read_model
from ..utils.terminal import console

PERCENTILES = (50, 90, 99)


def parse_shapes(texts: list[str]) -> dict[str, list[int]]:
    """`x=1,3,8,8` for each input.   Raises OpError for anything else."""
    shapes = {}
    for text in texts:
        name, equals, sizes = text.partition("=")
        try:
            shapes[name] = [int(d) for d in sizes.split(",")] if equals else []
        except ValueError:
            equals = ""
        if not equals:
            raise OpError(f"bench: --shape requires NAME=1,3,224,224, not {text!r}")
    return shapes


def fitting_inputs(engine: Engine, shapes: dict[str, list[int]]) -> tuple[list[Any], float]:
    """Made-up inputs that the engine runs on, and the seconds of that run.

    Raises OpError where none of them fits.
    """
    why = ""
    for arrays in engine.made_up_inputs(shapes):
        start = perf_counter()
        try:
            engine.run(arrays)
        except (EngineError, GuardError, OpError) as error:
            why = why or str(error).splitlines()[0]
        else:
            return arrays, perf_counter() - start
    raise OpError(
        f"bench: made-up inputs do not fit this model; give sizes by --shape, or time it "
        f"yourself ({why})"
    )


def measure(
    prefix: str, shape: list[str], warmup: int, repeat: int, **options: Any
) -> dict[str, float]:
    """Milliseconds of load and first run, and of the runs after `warmup` more.

    options: of the engine.
    """
    start = perf_counter()
    files = read_model(prefix)
    engine = Engine(files.pdmodel, files.params_path, files.name, **options)
    load = perf_counter() - start
    arrays, first = fitting_inputs(engine, parse_shapes(shape))
    times = []
    for _ in range(warmup + max(repeat, 1)):
        start = perf_counter()
        engine.run(arrays)
        times.append(perf_counter() - start)
    counted = np.array(times[warmup:])
    found = {"load": load, "first_run": first, "mean": counted.mean(), "min": counted.min()}
    found |= {f"p{q}": float(np.percentile(counted, q)) for q in PERCENTILES}
    return {f"{key}_ms": 1e3 * float(value) for key, value in found.items()}


def bench_model(
    prefix: str, shape: list[str], warmup: int, repeat: int, json: bool, **options: Any
) -> None:
    """Print the times as a table, or as JSON."""
    found = measure(prefix, shape, warmup, repeat, **options)
    if json:
        print(json_module.dumps(found))
        return
    table = Table("", "ms")
    for key, value in found.items():
        table.add_row(key.removesuffix("_ms"), f"{value:.4f}")
    console().print(table)
