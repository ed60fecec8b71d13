"""Gradients that travel while the walk back goes on: in buckets, the last layers first."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..core.communicator import AVG, MAX, SUM, Communicator, Work
from ..core.errors import OarlockError, with_user_line
from ..core.grad_hooks import accumulated_grad, listeners
from ..core.tensor import Tensor

_MEGABYTE = 1 << 20


class Bucket:
    """Parameters of one dtype whose gradients travel together."""

    def __init__(self, parameters: Sequence[Tensor]) -> None:
        self.parameters = list(parameters)
        self._ends = np.cumsum([p.array.size for p in parameters])
        self._flat: Any = None
        self._work: Work | None = None
        self.missing = 0

    def clear(self) -> None:
        """Get ready for a walk back.

        The memory is new: the gradients of the last one are parts of theirs.
        """
        self.missing, self._work = len(self.parameters), None
        self._flat = np.empty_like(self.parameters[0].array, shape=(int(self._ends[-1]),))

    def part(self, index: int) -> Any:
        """The gradient of parameter number `index`."""
        parameter, end = self.parameters[index], int(self._ends[index])
        return self._flat[end - parameter.array.size : end].reshape(parameter.array.shape)

    def send(self, communicator: Communicator, op: int = SUM) -> Work:
        """Begin to add up over all ranks."""
        self._work = communicator.all_reduce(self._flat, op)
        return self._work

    def push(self) -> None:
        """Let what was begun go on."""
        if self._work is not None:
            self._work.is_completed()

    def receive(self) -> None:
        """Wait for it."""
        assert self._work is not None
        self._work.wait()


def buckets_of(parameters: Sequence[Tensor], megabytes: float, first: float) -> list[Bucket]:
    """Parameters in buckets of about `megabytes` in the order in which gradients arrive; the first
    parameters, which are the last to arrive and which nothing hides, in one of `first`.
    """
    filled: list[list[Tensor]] = []
    open_ones: dict[Any, tuple[list[Tensor], float]] = {}
    limit = first
    for parameter in parameters:
        dtype = parameter.array.dtype
        bucket, size = open_ones.get(dtype, ([], 0.0))
        if not bucket:
            filled.append(bucket)
        bucket.append(parameter)
        size += parameter.array.nbytes / _MEGABYTE
        if size >= limit:
            bucket, size, limit = [], 0.0, megabytes
        open_ones[dtype] = (bucket, size)
    return [Bucket(parameters) for parameters in reversed(filled)]


class Reducer:
    """Makes the gradients of parameters the means over all ranks.

    named: gives the parameters by name, as they are now.
    armed: walks back are followed; each forward pass says so.
    unused: parameters that a walk back does not reach are no error; they get a gradient if another
    rank has one.
    """

    def __init__(
        self,
        named: Callable[[], Sequence[tuple[str, Tensor]]],
        communicator: Communicator,
        megabytes: float,
        first: float,
        unused: bool,
    ) -> None:
        self._communicator, self._unused = communicator, unused
        self._named = named
        known = [(name, p) for name, p in named() if not p.stop_gradient]
        self._names = {id(p): name for name, p in known}
        self.buckets = buckets_of([p for _, p in known], megabytes, first)
        self._place = {id(p): (b, i) for b in self.buckets for i, p in enumerate(b.parameters)}
        self.armed = False
        self._sent = 0
        self._used: set[int] = set()
        listeners.add(self)

    def is_active(self) -> bool:
        """Handle a gradient that is final."""
        return self.armed

    def begin(self, reached: dict[int, Tensor]) -> bool:
        """See core.grad_hooks.GradListener.

        Raises OarlockError for parameters that are not reached, unless that is allowed.
        """
        self._check_known(reached)
        self._used = self._place.keys() & reached.keys()
        if not self._used:
            return False
        left = [id(p) for b in self.buckets for p in b.parameters if id(p) not in self._used]
        if left and not self._unused:
            names = ", ".join(self._names[key] for key in left)
            why = (
                f"DataParallel: the loss does not depend on {names}; "
                f"find_unused_parameters=True allows that"
            )
            raise OarlockError(with_user_line(why))
        self._sent = 0
        for bucket in self.buckets:
            bucket.clear()
        for key in left:
            bucket, index = self._place[key]
            self.on_gradient(bucket.parameters[index], None)
        return True

    def _check_known(self, reached: dict[int, Tensor]) -> None:
        """Raise OarlockError for a parameter that has come later, or wants a gradient since: nobody
        would exchange its gradient.
        """
        others = reached.keys() - self._place.keys()
        late = (
            [name for name, p in self._named() if id(p) in others and not p.stop_gradient]
            if others
            else []
        )
        if late:
            why = (
                f"DataParallel: {', '.join(late)} came, or got stop_gradient=False, after "
                f"DataParallel was made; make it after that"
            )
            raise OarlockError(with_user_line(why))

    def owns(self, leaf: Tensor) -> bool:
        """Handle a gradient that is final."""
        return id(leaf) in self._place

    def on_gradient(self, leaf: Tensor, gradient: Tensor | None) -> None:
        """Handle a gradient that is final."""
        bucket, index = self._place[id(leaf)]
        if gradient is None and self._unused:
            self._used.discard(id(leaf))
        total = leaf.grad if gradient is None else accumulated_grad(leaf, gradient)
        bucket.part(index)[...] = 0 if total is None else total.array
        bucket.missing -= 1
        while self._sent < len(self.buckets) and not self.buckets[self._sent].missing:
            # In one order, which is that of all ranks.  Means: a sum in half precision could be too
            # large.
            self.buckets[self._sent].send(self._communicator, AVG)
            self._sent += 1
        for sent in self.buckets[: self._sent]:
            sent.push()

    def finish(self) -> None:
        """Handle a gradient that is final."""
        used = self._used_anywhere()
        for bucket in self.buckets:
            bucket.receive()
            for index, parameter in enumerate(bucket.parameters):
                if id(parameter) in used:
                    parameter.grad = Tensor(bucket.part(index))

    def _used_anywhere(self) -> set[int]:
        """The parameters that some rank has a gradient of."""
        if not self._unused:
            return self._used
        keys = list(self._place)
        flags = np.array([key in self._used for key in keys], dtype=np.int32)
        self._communicator.all_reduce(flags, MAX).wait()
        return {key for key, flag in zip(keys, flags, strict=True) if flag}
