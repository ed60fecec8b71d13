"""Training in several processes: of one there is only itself."""

from __future__ import annotations

import os
from typing import Any

from ...nn.layer import Layer as _Layer
from ..refused import refuse
from .layers import Layer

__all__ = ["DataParallel", "ParallelEnv", "prepare_context"]


class ParallelEnv:
    """Which of how many processes this is, as the environment says."""

    def __init__(self) -> None:
        self.nranks = int(os.getenv("PADDLE_TRAINERS_NUM", "1"))
        self.local_rank = int(os.getenv("PADDLE_TRAINER_ID", "0"))
        self.dev_id = int(os.getenv("FLAGS_selected_gpus", "0"))  # noqa: SIM112 - Paddle's name
        self.trainer_endpoints = os.getenv("PADDLE_TRAINER_ENDPOINTS", "").split(",")
        self.current_endpoint = os.getenv("PADDLE_CURRENT_ENDPOINT", "")


Env = ParallelEnv


def prepare_context(strategy: Any = None) -> None:
    """Nothing for one process.   Raises OarlockError for more."""
    ranks = ParallelEnv().nranks if strategy is None else strategy.nranks
    if ranks > 1:
        refuse("dygraph.prepare_context", f"{ranks} processes; only one trains here")


class DataParallel(Layer):
    """A layer, as it is: one process has nothing to share.   state_dict has no `_layers.` before its names"""

    def __init__(self, layers: Any, strategy: Any = None) -> None:
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers, self._strategy = layers, strategy

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer gives."""
        return self._layers(*inputs, **kwargs)

    def scale_loss(self, loss: Any) -> Any:
        """The loss."""
        return loss

    def apply_collective_grads(self) -> None:
        """Nothing."""

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """That of the layer."""
        layers: _Layer = self._layers
        return layers.state_dict(*args, **kwargs)

    def set_dict(  # type: ignore[override]
        self, stat_dict: Any, include_sublayers: bool = True, use_structured_name: bool = True
    ) -> None:
        """See Layer.set_dict."""
        self._layers.set_dict(stat_dict, use_structured_name=use_structured_name)

    load_dict = set_dict
