"""A layer that trains in several processes: each has a part of the batch, and all have the same
weights.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..core import cuda
from ..core.autograd import is_grad_enabled
from ..core.errors import OpError, with_user_line
from ..core.mode import state
from ..nn.layer import Layer
from .environment import ParallelEnv  # noqa: F401 - as in Paddle
from .group import Group, chosen
from .objects import gathered_objects
from .reducer import Reducer


class ParallelMode:
    """The ways of sharing work that Paddle has; data is shared here."""

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


class DataParallel(Layer):
    """`layers` with gradients that are the means over all processes, which travel while the
    backward pass goes on.

    Parameters and buffers are those of rank 0 from the start on.  comm_buffer_size,
    last_comm_buffer_size: megabytes of gradients that
    travel together, and that travel last; find_unused_parameters: a loss need not depend on all
    parameters.  `no_sync()` adds gradients up
    here until the next pass outside of it.  state_dict is that of `layers`.
    """

    def __init__(
        self,
        layers: Layer,
        strategy: Any = None,
        comm_buffer_size: float = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Any = None,
    ) -> None:
        super().__init__(layers.full_name() + "_data_parallel")
        self._layers, self._strategy = layers, strategy
        self.find_unused_parameters, self.group = find_unused_parameters, chosen(group)
        self.grad_need_sync = True
        self._reducer: Reducer | None = None
        self._recorded = False  # as a program, whose later runs do not execute this Python code
        if self.group.nranks > 1:
            self._reducer = self._joined(comm_buffer_size, last_comm_buffer_size)

    @property
    def _saved_layer(self) -> Layer:
        """What `jit.save` writes."""
        found: Layer = self._layers
        return found

    def _joined(self, megabytes: float, first: float) -> Reducer:
        if self.group.communicator is None:
            raise OpError(
                with_user_line(
                    f"DataParallel: this process is not in the group of ranks {self.group.ranks}"
                )
            )
        # Gradients have an order of their own, which other collectives may not get between.
        communicator = self.group.communicator.split(range(self.group.nranks))
        assert communicator is not None
        if all(p.stop_gradient for p in self._layers.parameters()):
            raise OpError(
                with_user_line("DataParallel: the layer has no parameter that requires a gradient")
            )
        check_alike(self._layers, self.group)
        for tensor in self._layers.state_dict().values():
            array = cuda.contiguous_copy(tensor.array)
            communicator.broadcast(array, 0).wait()
            tensor.set_value(array)
        return Reducer(
            lambda: list(self._layers.named_parameters()),
            communicator,
            megabytes,
            first,
            self.find_unused_parameters,
        )

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer gives."""
        found = self._layers(*inputs, **kwargs)
        recording = not state.mode.is_eager
        if self._reducer is not None and (recording or is_grad_enabled()):
            self._reducer.armed = self.grad_need_sync
            self._recorded = self._recorded or recording
        return found

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Passes in the body add gradients up here alone."""
        before, self.grad_need_sync = self.grad_need_sync, False
        self._arm(False)
        try:
            yield
        finally:
            self.grad_need_sync = before
            self._arm(before)

    def _arm(self, armed: bool) -> None:
        """What a forward pass says to the reducer, for a program that does not say it."""
        if self._reducer is not None and self._recorded:
            self._reducer.armed = armed

    def scale_loss(self, loss: Any) -> Any:
        """The loss: gradients are means as they are."""
        return loss

    def apply_collective_grads(self) -> None:
        """Nothing: gradients have been exchanged by the backward pass."""

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """That of the layer."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """Restore the state of the layer."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict


def check_alike(layer: Layer, group: Group) -> None:
    """Raise OpError where ranks have other parameters than this one."""
    mine = [(name, str(t.meta)) for name, t in layer.state_dict().items()]
    for rank, theirs in zip(group.ranks, gathered_objects(group, mine), strict=True):
        if theirs != mine:
            here, there = next(
                ((a, b) for a, b in zip(mine, theirs, strict=False) if a != b),
                (len(mine), len(theirs)),
            )
            raise OpError(
                with_user_line(
                    f"DataParallel: rank {rank} has other parameters: {there} where this one has "
                    f"{here}"
                )
            )
