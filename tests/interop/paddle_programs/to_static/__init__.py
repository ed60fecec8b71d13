"""Programs for `to_static`, `jit.save` and `jit.load`."""

from . import (
    api,
    branches,
    containers,
    functions,
    layers,
    loops,
    returns,
    saving,
    steps,
    tensors,
    training,
)
