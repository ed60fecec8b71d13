"""`DataParallel`: train a layer in several processes, each with a part of the batch."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

from ..core import cuda
from ..core.autograd import is_grad_enabled
from ..core.errors import OpError, append_user_line
from ..core.mode import state
from ..core.tensor import Tensor
from ..core.type_aliases import TensorLike
from ..nn.layer import Layer
from .environment import ParallelEnv  # noqa: F401 - as in Paddle
from .group import Group, group_or_world_group
from .object_collectives import gather_objects
from .reducer import Reducer


class ParallelMode:
    """Names of Paddle's kinds of parallelism; Oarlock supports data parallelism only.

    Attributes
    ----------
    DATA_PARALLEL, TENSOR_PARALLEL, PIPELINE_PARALLEL, SHARDING_PARALLEL, SEGMENT_PARALLEL : int
        0 to 4.

    Examples
    --------
    >>> paddle.distributed.ParallelMode.DATA_PARALLEL
    0
    """

    DATA_PARALLEL = 0
    TENSOR_PARALLEL = 1
    PIPELINE_PARALLEL = 2
    SHARDING_PARALLEL = 3
    SEGMENT_PARALLEL = 4


class DataParallel(Layer):
    """Layer that averages the gradients of a wrapped layer over all processes during `backward()`.

    Each process runs the whole layer with its part of the batch. Parameters and buffers of rank 0
    are copied to all ranks when the object is created.

    Parameters
    ----------
    layers : Layer
        The layer to train.
    strategy : object, optional
        Not used.
    comm_buffer_size : float, default 25
        Megabytes of gradients that are sent in one message.
    last_comm_buffer_size : float, default 1
        Megabytes of the last message, that of the first parameters.
    find_unused_parameters : bool, default False
        Allow a loss that does not depend on all parameters.
    group : Group, optional
        Default: the group of all ranks.

    Shape
    -----
    inputs, returns : those of `layers`

    Raises
    ------
    OpError
        If this rank is not in the group, no parameter requires a gradient, or names, shapes or
        dtypes of parameters differ between ranks. A group of one rank is not checked.
    OarlockError
        In `backward()`, if the loss does not depend on a parameter and `find_unused_parameters` is
        False, or parameters were added after the object was created.

    Notes
    -----
    The reductions overlap with `backward()`. A program that runs as a single process works without
    changes.

    Examples
    --------
    >>> model = paddle.DataParallel(nn.Linear(4, 2))
    >>> loss = model(paddle.ones([8, 4])).sum()
    >>> loss.backward()
    >>> model.parameters()[1].grad.tolist()
    [8.0, 8.0]
    """

    def __init__(
        self,
        layers: Layer,
        strategy: object = None,
        comm_buffer_size: float = 25,
        last_comm_buffer_size: float = 1,
        find_unused_parameters: bool = False,
        group: Group | None = None,
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
        """Call the wrapped layer.

        Parameters
        ----------
        *inputs, **kwargs
            Arguments of the wrapped layer.

        Returns
        -------
        object
            What the wrapped layer returns.

        Examples
        --------
        >>> model = paddle.DataParallel(nn.Linear(4, 2))
        >>> model(paddle.ones([8, 4])).shape
        [8, 2]
        """
        outputs = self._layers(*inputs, **kwargs)
        recording = not state.mode.is_eager
        if self._reducer is not None and (recording or is_grad_enabled()):
            self._reducer.enabled = self.grad_need_sync
            self._recorded = self._recorded or recording
        return outputs

    @contextlib.contextmanager
    def no_sync(self) -> Iterator[None]:
        """Return a context manager in which backward passes do not average gradients.

        Each process accumulates its own gradients. The next backward pass after the body averages
        the accumulated gradients over the processes.

        Yields
        ------
        None

        Examples
        --------
        >>> model = paddle.DataParallel(nn.Linear(4, 2))
        >>> with model.no_sync():
        ...     model(paddle.ones([8, 4])).sum().backward()
        >>> model(paddle.ones([8, 4])).sum().backward()
        >>> model.parameters()[1].grad.tolist()
        [16.0, 16.0]
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

    def scale_loss(self, loss: Tensor) -> Tensor:
        """Return the loss itself; `backward()` already averages the gradients.

        Parameters
        ----------
        loss : Tensor

        Returns
        -------
        Tensor
            `loss` itself.

        Examples
        --------
        >>> model = paddle.DataParallel(nn.Linear(4, 2))
        >>> model.scale_loss(paddle.to_tensor(3.0)).item()
        3.0
        """
        return loss

    def apply_collective_grads(self) -> None:
        """Do nothing; `backward()` already averages the gradients.

        Examples
        --------
        >>> model = paddle.DataParallel(nn.Linear(4, 2))
        >>> model(paddle.ones([8, 4])).sum().backward()
        >>> model.apply_collective_grads()
        """

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Tensor]:
        """Return the state dict of the wrapped layer, with its names.

        Parameters
        ----------
        *args, **kwargs
            Arguments of `Layer.state_dict`.

        Returns
        -------
        dict of str to Tensor

        Examples
        --------
        >>> list(paddle.DataParallel(nn.Linear(4, 2)).state_dict())
        ['weight', 'bias']
        """
        return self._layers.state_dict(*args, **kwargs)

    def set_state_dict(
        self, state_dict: Mapping[str, TensorLike], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Set the parameters and buffers of the wrapped layer from a state dict.

        Parameters
        ----------
        state_dict : dict of str to Tensor or ndarray
        use_structured_name : bool, default True
            Whether the keys are names of the layer's attributes, such as "0.weight", or names of
            parameters.

        Returns
        -------
        missing, unexpected : list of str
            As `Layer.set_state_dict`.

        Notes
        -----
        `set_dict` and `load_dict` are other names of this method.

        Examples
        --------
        >>> fc = nn.Linear(4, 2)
        >>> paddle.DataParallel(nn.Linear(4, 2)).set_state_dict(fc.state_dict())
        ([], [])
        """
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
