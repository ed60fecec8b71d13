"""`fleet.meta_parallel`: named random states; model-parallel layers, which raise OarlockError."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core import rng
from ...core.errors import OarlockError, OpError, append_user_line
from ...nn.layer import Layer

__all__ = [
    "ColumnParallelLinear",
    "LayerDesc",
    "ParallelCrossEntropy",
    "PipelineLayer",
    "RNGStatesTracker",
    "RowParallelLinear",
    "SharedLayerDesc",
    "VocabParallelEmbedding",
    "get_rng_state_tracker",
    "model_parallel_random_seed",
]

MODEL_PARALLEL_RNG = "model_parallel_rng"


class _UnsupportedLayer:
    """Base of the layers that Paddle splits over ranks. Oarlock does not support such layers: the
    constructor raises OarlockError. replacement: what to use instead
    """

    replacement = "layers of nn"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        message = (
            f"{type(self).__name__}: model parallelism is not supported, only DataParallel; use "
            f"{self.replacement}"
        )
        raise OarlockError(append_user_line(message))


class ColumnParallelLinear(_UnsupportedLayer, Layer):
    """Not supported: raises OarlockError. Use nn.Linear."""

    replacement = "nn.Linear"


class RowParallelLinear(_UnsupportedLayer, Layer):
    """Not supported: raises OarlockError. Use nn.Linear."""

    replacement = "nn.Linear"


class VocabParallelEmbedding(_UnsupportedLayer, Layer):
    """Not supported: raises OarlockError. Use nn.Embedding."""

    replacement = "nn.Embedding"


class ParallelCrossEntropy(_UnsupportedLayer, Layer):
    """Not supported: raises OarlockError. Use nn.CrossEntropyLoss."""

    replacement = "nn.CrossEntropyLoss"


class PipelineLayer(_UnsupportedLayer, Layer):
    """Not supported: raises OarlockError. Use nn.Sequential."""

    replacement = "nn.Sequential"


class LayerDesc(_UnsupportedLayer):
    """Not supported: raises OarlockError. Use the layer itself."""


class SharedLayerDesc(LayerDesc):
    """Not supported: raises OarlockError. Use the layer itself."""


class RNGStatesTracker:
    """Named states of the random generator: in `with tracker.rng_state(name)`, random numbers
    continue the sequence of that name.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Remove all states."""
        self.states_: dict[str, Any] = {}
        self.seeds_: set[int] = set()

    def add(self, name: str, seed: int) -> None:
        """Add a state.  Raises OpError if the name or the seed exists already."""
        if name in self.states_ or seed in self.seeds_:
            raise OpError(
                append_user_line(
                    f"RNGStatesTracker: a state {name!r} or a state with seed {seed} exists already"
                )
            )
        before = rng.get_rng_state()
        rng.seed(seed)
        self.seeds_.add(seed)
        self.states_[name] = rng.get_rng_state()
        rng.set_rng_state(before)

    def get_states_tracker(self) -> dict[str, Any]:
        """Return the named random states as a dict."""
        return dict(self.states_)

    def set_states_tracker(self, states: dict[str, Any]) -> None:
        """Set the named random states to a dict that `get_states_tracker` returned."""
        self.states_ = states

    @contextmanager
    def rng_state(self, name: str = MODEL_PARALLEL_RNG) -> Iterator[None]:
        """Context manager: draw random numbers from the named state in the body.

        Raises OpError for an unknown name.
        """
        if name not in self.states_:
            raise OpError(
                append_user_line(f"RNGStatesTracker: there is no state {name!r}; call `add` first")
            )
        before = rng.get_rng_state()
        rng.set_rng_state(self.states_[name])
        try:
            yield
        finally:
            self.states_[name] = rng.get_rng_state()
            rng.set_rng_state(before)


_TRACKER = RNGStatesTracker()


def get_rng_state_tracker() -> RNGStatesTracker:
    """Return the tracker of named random states of this process."""
    return _TRACKER


def model_parallel_random_seed(seed: int | None = None) -> None:
    """Seed the global random state with `seed` and the state `model_parallel_rng` with
    `seed + 1024`.
    """
    start = 2048 if seed is None else seed
    _TRACKER.reset()
    rng.seed(start)
    _TRACKER.add(MODEL_PARALLEL_RNG, start + 1024)
