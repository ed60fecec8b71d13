"""Data-parallel training with the API of Paddle 1.x: the program divides the loss and sums the
gradients explicitly.

`python -m paddle.distributed.launch --nproc_per_node 2 train.py` starts such a program, see
`oarlock.distributed`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...core import cuda
from ...core.communicator import MAX, SUM, process_groups
from ...core.errors import OarlockError, append_user_line
from ...core.paddle1_compat import compat
from ...core.tensor import Tensor
from ...distributed import parallel as paddle2_parallel
from ...distributed.environment import ParallelEnv
from ...distributed.group import get_group
from ...distributed.process_group import init_parallel_env
from ...distributed.reducer import build_buckets
from ...nn.layer import Layer as _Layer
from .layers import Layer

__all__ = ["DataParallel", "ParallelEnv", "prepare_context"]

Env = ParallelEnv
_BUCKET_MEGABYTES = 128  # size of the gradient buckets, as in Paddle 1.x


class ParallelStrategy:
    """The number of processes, the rank of this one, and their endpoints."""

    def __init__(self) -> None:
        env = ParallelEnv()
        self.nranks, self.local_rank = env.nranks, env.local_rank
        self.trainer_endpoints, self.current_endpoint = env.trainer_endpoints, env.current_endpoint


def prepare_context(strategy: Any = None) -> Any:
    """Connect to the other processes of a data-parallel training. Returns the strategy to pass to
    DataParallel.

    The newer name is `paddle.distributed.init_parallel_env`.
    """
    init_parallel_env()
    return ParallelStrategy() if strategy is None else strategy


class DataParallel(Layer):
    """A layer whose gradients are summed over all processes: `scale_loss`, `backward`,
    `apply_collective_grads`.

    Programs of Paddle 2 get `oarlock.DataParallel`, which sums gradients during the backward pass.
    At the start all processes get the parameters of rank 0.
    """

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Create a DataParallel with the API of Paddle 1.x or, if Paddle 2 is emulated, that of
        Paddle 2.
        """
        return (
            super().__new__(cls)
            if compat.is_paddle1
            else paddle2_parallel.DataParallel(*args, **kwargs)
        )

    def __init__(self, layers: Any, strategy: Any = None) -> None:
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers, self._strategy = (
            layers,
            strategy if strategy is not None else ParallelStrategy(),
        )
        self._synchronized_ids: set[int] = set()
        self._broadcast_from_rank_0(layers.state_dict().values())

    @property
    def _layer_to_save(self) -> Layer:
        """The wrapped layer, which `jit.save` writes."""
        layer: Layer = self._layers
        return layer

    def _broadcast_from_rank_0(self, tensors: Any) -> None:
        if process_groups.global_communicator.size == 1:
            return
        paddle2_parallel.check_same_parameter_metas(self._layers, get_group(0))
        for tensor in tensors:
            array = cuda.contiguous_copy(tensor.array)
            process_groups.global_communicator.broadcast(array, 0).wait()
            tensor.set_value(array)
            self._synchronized_ids.add(id(tensor))

    def _synchronize_new_parameters(self) -> None:
        """Broadcast the values of rank 0 of parameters that were created at the first call, as
        layers of Paddle 1.5 do.

        Raises OarlockError if they differ between ranks.
        """
        new = [
            (n, t)
            for n, t in self._layers.state_dict().items()
            if id(t) not in self._synchronized_ids
        ]
        before = [t.array for _, t in new]
        self._broadcast_from_rank_0(t for _, t in new)
        different = [
            n
            for (n, t), array in zip(new, before, strict=True)
            if not np.array_equal(t.array, array)
        ]
        if different:
            why = (
                f"DataParallel: parameters {', '.join(different)}, which the first call created, "
                f"differ from those of rank 0; use the same seed on all ranks"
            )
            raise OarlockError(append_user_line(why))

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """Call the layer."""
        outputs = self._layers(*inputs, **kwargs)
        if process_groups.global_communicator.size > 1 and len(self._synchronized_ids) < len(
            self._layers.state_dict()
        ):
            self._synchronize_new_parameters()
        return outputs

    def scale_loss(self, loss: Any) -> Any:
        """Divide the loss by the number of processes, so that the sum of the gradients is a
        mean.
        """
        return (
            loss / float(process_groups.global_communicator.size)
            if process_groups.global_communicator.size > 1
            else loss
        )

    def apply_collective_grads(self) -> None:
        """Sum the gradients over all processes. Parameters that have no gradient on any rank are
        skipped.
        """
        world = process_groups.global_communicator
        if world.size == 1:
            return
        parameters = self._layers.parameters()
        flags = np.array([p.grad is not None for p in parameters], dtype=np.int32)
        world.all_reduce(flags, MAX).wait()
        for bucket in build_buckets(
            [p for p, flag in zip(parameters, flags, strict=True) if flag],
            _BUCKET_MEGABYTES,
            _BUCKET_MEGABYTES,
        ):
            bucket.clear()
            for index, parameter in enumerate(bucket.parameters):
                bucket.gradient_view(index)[...] = (
                    0 if parameter.grad is None else parameter.grad.array
                )
            bucket.start_all_reduce(world, SUM).wait()
            for index, parameter in enumerate(bucket.parameters):
                parameter.grad = Tensor(bucket.gradient_view(index))

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the state dict of the wrapped layer."""
        layers: _Layer = self._layers
        return layers.state_dict(*args, **kwargs)

    def set_dict(  # type: ignore[override]
        self, stat_dict: Any, include_sublayers: bool = True, use_structured_name: bool = True
    ) -> None:
        """Set the parameters and buffers of the wrapped layer to those of a state dict."""
        self._layers.set_dict(stat_dict, use_structured_name=use_structured_name)

    load_dict = set_dict
