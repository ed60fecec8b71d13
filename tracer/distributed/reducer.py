"""Average gradients over all ranks during the backward pass. The gradients are reduced in buckets,
those of the last layers first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.communicator import AVG, MAX, SUM, Communicator, Work
from ..core.errors import OarlockError, append_user_line
from ..core.grad_listeners import leaf_grad_after_hooks_and_accumulation, listeners
from ..core.tensor import Tensor

_MEGABYTE = 1 << 20


class Bucket:
    """Parameters of one dtype whose gradients are reduced together in one flat array."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        self._end_offsets = np.cumsum([p.array.size for p in parameters])
        self._flat_gradients: Any = None
        self._work: Work | None = None
        self.num_pending = 0

    def clear(self) -> None:
        """Prepare the bucket for a backward pass.

        Allocates a new array: the parameters' gradients are views of the previous one.
        """
        self.num_pending, self._work = len(self.parameters), None
        self._flat_gradients = np.empty_like(
            self.parameters[0].array, shape=(int(self._end_offsets[-1]),)
        )

    def gradient_view(self, index: int) -> Any:
        """Return the part of the flat array that holds the gradient of parameter number `index`, as
        a view in the shape of the parameter.
        """
        parameter, end = self.parameters[index], int(self._end_offsets[index])
        return self._flat_gradients[end - parameter.array.size : end].reshape(parameter.array.shape)

    def start_all_reduce(self, communicator: Communicator, op: int = SUM) -> Work:
        """Start to reduce the flat array of gradients over all ranks."""
        self._work = communicator.all_reduce(self._flat_gradients, op)
        return self._work

    def advance_all_reduce(self) -> None:
        """Advance a started reduction."""
        if self._work is not None:
            self._work.is_completed()

    def wait(self) -> None:
        """Wait until the reduction that was started is finished."""
        assert self._work is not None
        self._work.wait()


def build_buckets(parameters: Sequence[Tensor], megabytes: float, first: float) -> list[Bucket]:
    """Group parameters into buckets of about `megabytes` MB of gradients, in the order in which the
    backward pass computes the gradients.

    The bucket of the first parameters, which is sent last and overlaps no computation, has about
    `first` megabytes.
    """
    buckets: list[list[Tensor]] = []
    current: dict[Any, tuple[list[Tensor], float]] = {}  # by dtype: parameters and megabytes
    limit = first
    for parameter in parameters:
        dtype = parameter.array.dtype
        bucket, size = current.get(dtype, ([], 0.0))
        if not bucket:
            buckets.append(bucket)
        bucket.append(parameter)
        size += parameter.array.nbytes / _MEGABYTE
        if size >= limit:
            bucket, size, limit = [], 0.0, megabytes
        current[dtype] = (bucket, size)
    return [Bucket(parameters) for parameters in reversed(buckets)]


class Reducer:
    """Averages the gradients of parameters over all ranks. The class is a GradListener
    (core.grad_listeners).

    named_parameters: returns the current parameters by name
    enabled: whether the next backward pass averages gradients; each forward pass sets it
    allow_unused: parameters that a backward pass does not reach are allowed; they get a gradient if
    another rank has one
    """

    def __init__(
        self,
        named_parameters: Callable[[], Sequence[tuple[str, Tensor]]],
        communicator: Communicator,
        megabytes: float,
        first: float,
        allow_unused: bool,
    ) -> None:
        self._communicator, self._allow_unused = communicator, allow_unused
        self._named_parameters = named_parameters
        trainable = [(name, p) for name, p in named_parameters() if not p.stop_gradient]
        self._names = {id(p): name for name, p in trainable}
        self.buckets = build_buckets([p for _, p in trainable], megabytes, first)
        self._bucket_and_index_by_id = {
            id(p): (b, i) for b in self.buckets for i, p in enumerate(b.parameters)
        }
        self.enabled = False
        self._num_started = 0  # buckets whose reduction is started
        self._used_ids: set[int] = set()
        listeners.add(self)

    def is_active(self) -> bool:
        """Whether the reducer takes part in the next backward pass."""
        return self.enabled

    def begin(self, reached: dict[int, Tensor]) -> bool:
        """Called at the start of a backward pass that reaches the leaves in `reached`.

        Returns whether parameters are among them. Raises OarlockError for parameters that are not
        reached, unless they are allowed.
        """
        self._check_reached_parameters_in_buckets(reached)
        self._used_ids = self._bucket_and_index_by_id.keys() & reached.keys()
        if not self._used_ids:
            return False
        unused = [id(p) for b in self.buckets for p in b.parameters if id(p) not in self._used_ids]
        if unused and not self._allow_unused:
            names = ", ".join(self._names[key] for key in unused)
            message = (
                f"DataParallel: the loss does not depend on {names}; "
                f"find_unused_parameters=True allows that"
            )
            raise OarlockError(append_user_line(message))
        self._num_started = 0
        for bucket in self.buckets:
            bucket.clear()
        for key in unused:
            bucket, index = self._bucket_and_index_by_id[key]
            self.on_gradient(bucket.parameters[index], None)
        return True

    def _check_reached_parameters_in_buckets(self, reached: dict[int, Tensor]) -> None:
        """Raise OarlockError if the backward pass reaches a parameter that is in no bucket, because
        the gradient of such a parameter would not be averaged.
        """
        others = reached.keys() - self._bucket_and_index_by_id.keys()
        if not others:
            return
        new = [n for n, p in self._named_parameters() if id(p) in others and not p.stop_gradient]
        if new:
            message = (
                f"DataParallel: {', '.join(new)} were added, or got stop_gradient=False, after "
                f"DataParallel was created; create it after that"
            )
            raise OarlockError(append_user_line(message))

    def owns(self, leaf: Tensor) -> bool:
        """Return whether the leaf is one of the parameters of the reducer."""
        return id(leaf) in self._bucket_and_index_by_id

    def on_gradient(self, leaf: Tensor, gradient: Tensor | None) -> None:
        """Store the complete gradient of a parameter in its bucket, and start the reduction of
        buckets whose gradients are all complete.
        """
        bucket, index = self._bucket_and_index_by_id[id(leaf)]
        if gradient is None and self._allow_unused:
            self._used_ids.discard(id(leaf))
        total = (
            leaf.grad
            if gradient is None
            else leaf_grad_after_hooks_and_accumulation(leaf, gradient)
        )
        bucket.gradient_view(index)[...] = 0 if total is None else total.array
        bucket.num_pending -= 1
        while (
            self._num_started < len(self.buckets)
            and not self.buckets[self._num_started].num_pending
        ):
            # The buckets are reduced in the same order on all ranks. The operation is AVG, because
            # a sum could overflow in half precision.
            self.buckets[self._num_started].start_all_reduce(self._communicator, AVG)
            self._num_started += 1
        for started in self.buckets[: self._num_started]:
            started.advance_all_reduce()

    def finish(self) -> None:
        """Wait for all reductions and set the gradients of the parameters."""
        used = self._parameter_ids_used_on_any_rank()
        for bucket in self.buckets:
            bucket.wait()
            for index, parameter in enumerate(bucket.parameters):
                if id(parameter) in used:
                    parameter.grad = Tensor(bucket.gradient_view(index))

    def _parameter_ids_used_on_any_rank(self) -> set[int]:
        """Return the ids of the parameters that got a gradient on at least one rank."""
        if not self._allow_unused:
            return self._used_ids
        keys = list(self._bucket_and_index_by_id)
        flags = np.array([key in self._used_ids for key in keys], dtype=np.int32)
        self._communicator.all_reduce(flags, MAX).wait()
        return {key for key, flag in zip(keys, flags, strict=True) if flag}
