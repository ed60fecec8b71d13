"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from oarlock.core.tensor import Tensor
from oarlock.incubate import autograd, autotune, nn, operators, optimizer
from oarlock.incubate.operators import (
    graph_send_recv,
    identity_loss,
    softmax_mask_fuse,
    softmax_mask_fuse_upper_triangle,
)
from oarlock.incubate.optimizer import LookAhead, ModelAverage

__all__ = [
    "LookAhead",
    "ModelAverage",
    "autograd",
    "autotune",
    "graph_send_recv",
    "identity_loss",
    "nn",
    "operators",
    "optimizer",
    "segment_max",
    "segment_mean",
    "segment_min",
    "segment_sum",
    "softmax_mask_fuse",
    "softmax_mask_fuse_upper_triangle",
]

def segment_max(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Return the maximum of the rows of each segment, element by element."""

def segment_mean(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Return the mean of the rows of each segment."""

def segment_min(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Return the minimum of the rows of each segment, element by element."""

def segment_sum(data: Tensor, segment_ids: Tensor, name: str | None = None) -> Tensor:
    """Return the sum of the rows of each segment."""
