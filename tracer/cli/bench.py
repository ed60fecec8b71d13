"""`oarlock bench`: time a model with the engine's Python binding."""

from __future__ import annotations

import json as json_module
import re
from time import perf_counter
from typing import Any

import numpy as np
from rich.table import Table

from ..core.errors import GuardError, OpError
from ..loader.engine import Engine
from ..loader.model_files import read_model
from ..loader.program_engine import create_engine_of_files
from ..loader.runtime import EngineError
from ..utils.terminal import make_console
from .command_line import CommandLineError

PERCENTILES = (50, 90, 99)


def parse_shapes(texts: list[str]) -> dict[str, list[int]]:
    """Parse shapes of the form `NAME=1,3,8,8` or `NAME=1x3x8x8`, one per input, to a dict by name.
    Raises CommandLineError for a text of another form.
    """
    shapes = {}
    for text in texts:
        name, equals, sizes = text.partition("=")
        try:
            shapes[name] = [int(d) for d in re.split("[,x]", sizes)] if equals else []
        except ValueError:
            equals = ""
        if not equals:
            raise CommandLineError(f"--shape requires NAME=1,3,224,224, not {text!r}")
    return shapes


def try_synthetic_inputs_and_time_accepted_run(
    engine: Engine, shapes: dict[str, list[int]]
) -> tuple[list[Any], float]:
    """Run the engine on synthetic inputs until it accepts some. Return the accepted inputs, and the
    seconds of the run with them.

    Raises OpError if it accepts none.
    """
    reason = ""
    for arrays in engine.iter_synthetic_input_sets(shapes):
        start = perf_counter()
        try:
            engine.run(arrays)
        except (EngineError, GuardError, OpError) as error:
            reason = reason or str(error).splitlines()[0]
        else:
            return arrays, perf_counter() - start
    reason = reason or "the inputs would have too many elements"
    raise OpError(
        f"bench: generated inputs do not fit this model ({reason}); give sizes with --shape, or "
        f"time it in a script"
    )


def measure_model_times(
    prefix: str, shape: list[str], warmup: int, repeat: int, **options: Any
) -> dict[str, float]:
    """Return the times in milliseconds of loading the model, of the first run, and of `repeat` runs
    after `warmup` runs.

    options: of the engine
    """
    start = perf_counter()
    files = read_model(prefix)
    engine = create_engine_of_files(files, **options)
    load = perf_counter() - start
    arrays, first = try_synthetic_inputs_and_time_accepted_run(engine, parse_shapes(shape))
    times = []
    for _ in range(warmup + repeat):
        start = perf_counter()
        engine.run(arrays)
        times.append(perf_counter() - start)
    measured = np.array(times[warmup:])
    seconds = {"load": load, "first_run": first, "mean": measured.mean(), "min": measured.min()}
    seconds |= {f"p{q}": float(np.percentile(measured, q)) for q in PERCENTILES}
    return {f"{key}_ms": 1e3 * float(value) for key, value in seconds.items()}


def measure_and_print_model_times(
    prefix: str, shape: list[str], warmup: int, repeat: int, json: bool, **options: Any
) -> None:
    """Time a model and print the times as a table or as JSON."""
    times = measure_model_times(prefix, shape, warmup, repeat, **options)
    if json:
        print(json_module.dumps(times))
        return
    table = Table("", "ms")
    for key, value in times.items():
        table.add_row(key.removesuffix("_ms"), f"{value:.4f}")
    make_console().print(table)
