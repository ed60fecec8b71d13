"""`DataParallel`: train a layer in several processes, each with a part of the batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ..core import cuda
from ..core.autograd import is_grad_enabled
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..nn.layer import Layer
from .environment import ParallelEnv  # noqa: F401 - as in Paddle
from .group import Group, group_or_world_group
from .object_collectives import gather_objects
from .reducer import Reducer


class ParallelMode:
    """Names for Paddle's kinds of parallelism; Oarlock supports only data parallelism."""

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


class DataParallel(Layer):
    """Wraps the layer `layers` so that the gradients of its parameters are averaged over all
    processes during backward().

    Parameters and buffers are copied from rank 0 first. comm_buffer_size, last_comm_buffer_size:
    megabytes of gradients in a message, and in the last one; find_unused_parameters: allow a loss
    that does not depend on all parameters. In `no_sync()`, gradients are accumulated locally until
    the next backward pass outside of it. `state_dict` is that of `layers`.
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
        self.find_unused_parameters, self.group = (
            find_unused_parameters,
            group_or_world_group(group),
        )
        self.grad_need_sync = True
        self._reducer: Reducer | None = None
        self._recorded = False  # in a program, whose runs do not call `forward`
        if self.group.nranks > 1:
            self._reducer = self._sync_parameters_and_create_reducer(
                comm_buffer_size, last_comm_buffer_size
            )

    @property
    def _layer_to_save(self) -> Layer:
        """The wrapped layer, which `jit.save` writes in place of this one."""
        layer: Layer = self._layers
        return layer

    def _sync_parameters_and_create_reducer(self, megabytes: float, first: float) -> Reducer:
        if self.group.communicator is None:
            raise OpError(
                append_user_line(
                    f"DataParallel: this rank is not in the group of ranks {self.group.ranks}"
                )
            )
        # The reducer gets its own communicator, because its reductions may interleave with the
        # user's collectives.
        communicator = self.group.communicator.split(range(self.group.nranks))
        assert communicator is not None
        if all(p.stop_gradient for p in self._layers.parameters()):
            raise OpError(
                append_user_line(
                    "DataParallel: the layer has no parameter that requires a gradient"
                )
            )
        check_same_parameter_metas(self._layers, self.group)
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
        """Call the layer."""
        outputs = self._layers(*inputs, **kwargs)
        recording = not state.mode.is_eager
        if self._reducer is not None and (recording or is_grad_enabled()):
            self._reducer.enabled = self.grad_need_sync
            self._recorded = self._recorded or recording
        return outputs

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Context manager: gradients of backward passes in the body are not averaged over the
        processes.
        """
        before, self.grad_need_sync = self.grad_need_sync, False
        self._set_reducer_enabled_if_recorded(False)
        try:
            yield
        finally:
            self.grad_need_sync = before
            self._set_reducer_enabled_if_recorded(before)

    def _set_reducer_enabled_if_recorded(self, enabled: bool) -> None:
        """Turn the reducer on or off if the wrapped layer was recorded as a program, because runs
        of the program do not call `forward`.
        """
        if self._reducer is not None and self._recorded:
            self._reducer.enabled = enabled

    def scale_loss(self, loss: Any) -> Any:
        """Return the loss itself. Scaling is not needed, because backward() already averages the
        gradients.
        """
        return loss

    def apply_collective_grads(self) -> None:
        """Do nothing: the function is accepted for compatibility, and backward() already averages
        the gradients.
        """

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        """Return the state dict of the wrapped layer."""
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(self, state_dict: Any, use_structured_name: bool = True) -> Any:
        """Set the parameters and buffers of the wrapped layer from a state dict."""
        return self._layers.set_state_dict(state_dict, use_structured_name)

    set_dict = load_dict = set_state_dict


def check_same_parameter_metas(layer: Layer, group: Group) -> None:
    """Raise OpError if names, shapes or dtypes of the parameters and buffers differ between
    ranks.
    """
    mine = [(name, str(t.meta)) for name, t in layer.state_dict().items()]
    for rank, theirs in zip(group.ranks, gather_objects(group, mine), strict=True):
        if theirs != mine:
            this, other = next(
                ((a, b) for a, b in zip(mine, theirs, strict=False) if a != b),
                (len(mine), len(theirs)),
            )
            raise OpError(
                append_user_line(
                    f"DataParallel: rank {rank} has other parameters or buffers: {other} where "
                    f"this rank has {this}"
                )
            )
