"""Synthetic inputs for which all loops of a model terminate, so that runs need no time limit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..core.tensor import Tensor
from ..jit.verify import LoopTerminationCheck
from ..loader.engine import Array, Engine
from ..loader.model_files import ModelFileContents


def iter_terminating_input_sets(engine: Engine, files: ModelFileContents) -> Iterator[list[Array]]:
    """Yield the engine's sets of synthetic inputs, without those for which a loop of the model does
    not terminate.
    """
    return filter_terminating_input_sets(files, engine.iter_synthetic_input_sets())


def filter_terminating_input_sets(
    files: ModelFileContents, input_sets: Iterable[list[Array]]
) -> Iterator[list[Array]]:
    """Yield those of the given input sets for which all loops of the model terminate."""
    limiter = LoopTerminationCheck(
        files.program, {name: Tensor(np.asarray(a)) for name, a in files.values.items()}
    )
    for arrays in input_sets:
        if limiter.do_loops_terminate([Tensor(a) for a in arrays]):
            yield arrays
