"""`fleet.meta_parallel`: sources of random numbers under names. Layers that are cut over several
ranks are refused: here each rank has a whole model.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ...core import rng
from ...core.errors import OarlockError, OpError, with_user_line
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


class _Cut:
    """What has one part of a model on each rank.   instead: what has all of it"""

    instead = "layers of nn, whole on each rank"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        name = type(self).__name__
        why = (
            f"{name}: there is no model that is cut over several ranks here, only "
            f"DataParallel; use {self.instead}"
        )
        raise OarlockError(with_user_line(why))


class ColumnParallelLinear(_Cut, Layer):
    """Refused: nn.Linear."""

    instead = "nn.Linear"


class RowParallelLinear(_Cut, Layer):
    """Refused: nn.Linear."""

    instead = "nn.Linear"


class VocabParallelEmbedding(_Cut, Layer):
    """Refused: nn.Embedding."""

    instead = "nn.Embedding"


class ParallelCrossEntropy(_Cut, Layer):
    """Refused: nn.CrossEntropyLoss."""

    instead = "nn.CrossEntropyLoss"


class PipelineLayer(_Cut, Layer):
    """Refused: nn.Sequential."""

    instead = "nn.Sequential"


class LayerDesc(_Cut):
    """Refused: a layer itself."""


class SharedLayerDesc(LayerDesc):
    """Refused: a layer itself."""


class RNGStatesTracker:
    """Random numbers under names: `with tracker.rng_state(name)` draws from that one, and goes on
    from there the next time.
    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget all names."""
        self.states_: dict[str, Any] = {}
        self.seeds_: set[int] = set()

    def add(self, name: str, seed: int) -> None:
        """Begin a source.   OpError for a name or a seed that there is."""
        if name in self.states_ or seed in self.seeds_:
            raise OpError(
                with_user_line(
                    f"RNGStatesTracker: there is a state {name!r}, or one of seed {seed}, already"
                )
            )
        before = rng.get_rng_state()
        rng.seed(seed)
        self.seeds_.add(seed)
        self.states_[name] = rng.get_rng_state()
        rng.set_rng_state(before)

    def get_states_tracker(self) -> dict[str, Any]:
        """The states by their names."""
        return dict(self.states_)

    def set_states_tracker(self, states: dict[str, Any]) -> None:
        """Go back to what get_states_tracker gave."""
        self.states_ = states

    @contextmanager
    def rng_state(self, name: str = MODEL_PARALLEL_RNG) -> Iterator[None]:
        """In the body random numbers come from the source of this name.

        OpError for one that there is not.
        """
        if name not in self.states_:
            raise OpError(
                with_user_line(f"RNGStatesTracker: there is no state {name!r}; add it first")
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
    """The one of this process."""
    return _TRACKER


def model_parallel_random_seed(seed: int | None = None) -> None:
    """Begin all sources anew from `seed`: as of one rank, the common one and that of
    `model_parallel_rng`.
    """
    start = 2048 if seed is None else seed
    _TRACKER.reset()
    rng.seed(start)
    _TRACKER.add(MODEL_PARALLEL_RNG, start + 1024)
