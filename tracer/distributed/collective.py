"""What ranks do together with Tensors.   A rank that is not in the group does nothing."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from ..core import cuda
from ..core.communicator import REDUCE_OP_NAMES, CompletedWork, Work
from ..core.errors import OpError, with_user_line
from ..core.mode import require_eager
from ..core.tensor import Tensor
from .agree import check_agreed
from .group import Group, chosen, member
from .kinds import check_op

_IN_A_PROGRAM = "collectives have no place in it but those of layers"


class Task:
    """What a collective gives back: `wait()` until it is done; `is_completed()`."""

    def __init__(self, work: Work, after: Callable[[], None] | None = None) -> None:
        self._work, self._after = work, after

    def is_completed(self) -> bool:
        """Whether it is done."""
        if not self._work.is_completed():
            return False
        after, self._after = self._after, None
        if after is not None:
            after()
        return True

    def wait(self, timeout: Any = None) -> bool:
        """Come back when it is done: True."""
        self._work.wait()
        return self.is_completed()

    def synchronize(self) -> None:
        """The same."""
        self.wait()


F = TypeVar("F", bound=Callable[..., Task])


def _of_members(collective: F) -> F:
    """The collective with its `group` found; done at once in a rank that is not in it."""
    bind = inspect.signature(collective).bind

    @functools.wraps(collective)
    def called(*args: Any, **kwargs: Any) -> Task:
        given = bind(*args, **kwargs)
        group = chosen(given.arguments.get("group"))
        given.arguments["group"] = group
        return Task(CompletedWork()) if group.rank < 0 else collective(*given.args, **given.kwargs)

    return cast(F, called)


def _given(task: Task, sync_op: bool) -> Task:
    if sync_op:
        task.wait()
    return task


def _agreed(what: str, group: Group, array: Any, sync_op: bool, *more: Any) -> Any:
    """`array`, when all ranks have one like it.

    Work that goes on meanwhile is not held up for that.
    """
    if sync_op:
        check_agreed(group, what, ", ".join([f"{array.dtype}{list(array.shape)}", *map(str, more)]))
    return array


def _held(what: str, tensor: Any) -> Any:
    """The array of a tensor, contiguous and to be written to; a copy."""
    require_eager(what, _IN_A_PROGRAM)
    if not isinstance(tensor, Tensor):
        raise OpError(with_user_line(f"{what}: a Tensor is wanted, not {type(tensor).__name__}"))
    return cuda.contiguous_copy(tensor.array)


def _into(tensor: Tensor, array: Any) -> Callable[[], None]:
    def after() -> None:
        tensor.set_value(array)

    return after


def _each(what: str, tensors: Sequence[Tensor], group: Group, like: Any = None) -> Any:
    """The arrays of one tensor per rank as one array [size, *]."""
    arrays = [_held(what, t) for t in tensors]
    metas = {(a.shape, a.dtype) for a in arrays} | (
        {(like.shape, like.dtype)} if like is not None else set()
    )
    if len(arrays) != group.nranks or len(metas) != 1:
        said = ", ".join(str(t.meta) for t in tensors)
        raise OpError(
            with_user_line(
                f"{what}: {group.nranks} tensors of one shape and dtype are wanted ({said})"
            )
        )
    return np.stack(arrays)


@_of_members
def all_reduce(tensor: Tensor, op: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Make `tensor` the sum, or what ReduceOp `op` says, of those of all ranks.

    [*], of one shape and dtype on all
    """
    array = _held("all_reduce", tensor)
    check_op(array, op)
    _agreed("all_reduce", group, array, sync_op, REDUCE_OP_NAMES[op])
    return _given(Task(group.communicator.all_reduce(array, op), _into(tensor, array)), sync_op)


@_of_members
def reduce(tensor: Tensor, dst: int, op: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Make `tensor` of rank `dst` the sum, or what `op` says, of those of all; others
    keep theirs.
    """
    array, root = _held("reduce", tensor), member("reduce", group, dst)
    check_op(array, op)
    _agreed("reduce", group, array, sync_op, REDUCE_OP_NAMES[op], f"dst={dst}")
    after = _into(tensor, array) if group.rank == root else None
    return _given(Task(group.communicator.reduce(array, root, op), after), sync_op)


@_of_members
def broadcast(tensor: Tensor, src: int, group: Any = None, sync_op: bool = True) -> Task:
    """Make `tensor` that of rank `src`."""
    array, root = _held("broadcast", tensor), member("broadcast", group, src)
    _agreed("broadcast", group, array, sync_op, f"src={src}")
    return _given(Task(group.communicator.broadcast(array, root), _into(tensor, array)), sync_op)


@_of_members
def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, sync_op: bool = True
) -> Task:
    """Put the tensors of all ranks into `tensor_list`: an empty list, or one of as many tensors."""
    array = _agreed("all_gather", group, _held("all_gather", tensor), sync_op)
    into = np.empty_like(array, shape=(group.nranks, *array.shape))
    after = _filling("all_gather", tensor_list, into)
    return _given(Task(group.communicator.all_gather(array, into), after), sync_op)


def _filling(what: str, tensors: list[Tensor], found: Any) -> Callable[[], None]:
    """What puts `found` [size, *] into a list, which is empty or has a tensor for each."""
    if tensors and len(tensors) != len(found):
        raise OpError(
            with_user_line(f"{what}: {len(tensors)} tensors in the list, for {len(found)} ranks")
        )

    def after() -> None:
        if not tensors:
            tensors.extend(Tensor(part.copy()) for part in found)
            return
        for tensor, part in zip(tensors, found, strict=True):
            tensor.set_value(part)

    return after


@_of_members
def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Put the tensors of all ranks into `gather_list` of rank `dst`; others give None for it."""
    array, root = _held("gather", tensor), member("gather", group, dst)
    _agreed("gather", group, array, sync_op, f"dst={dst}")
    if group.rank == root and gather_list is None:
        raise OpError(with_user_line(f"gather: rank {dst} gathers, and needs a gather_list"))
    into = np.empty_like(array, shape=(group.nranks, *array.shape))
    after = (
        _filling("gather", gather_list, into)
        if group.rank == root and gather_list is not None
        else None
    )
    return _given(Task(group.communicator.all_gather(array, into), after), sync_op)


@_of_members
def scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Make `tensor` part number `rank` of the `tensor_list` that rank `src` has."""
    array, root = _held("scatter", tensor), member("scatter", group, src)
    parts = _each("scatter", tensor_list or (), group, array) if group.rank == root else None
    _agreed("scatter", group, array, sync_op, f"src={src}")
    return _given(
        Task(group.communicator.scatter(parts, array, root), _into(tensor, array)), sync_op
    )


@_of_members
def alltoall(
    in_tensor_list: Sequence[Tensor] | Tensor,
    out_tensor_list: list[Tensor] | Tensor,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Send tensor number i to rank i; `out_tensor_list` gets what all sent: an empty list, or one
    of as many tensors.
    """
    parts = _agreed("alltoall", group, _each("alltoall", list(in_tensor_list), group), sync_op)
    into = np.empty_like(parts)
    if isinstance(out_tensor_list, Tensor):
        after = _into(out_tensor_list, into.reshape(out_tensor_list.array.shape))
    else:
        after = _filling("alltoall", out_tensor_list, into)
    return _given(Task(group.communicator.all_to_all(parts, into), after), sync_op)


@_of_members
def alltoall_single(
    in_tensor: Tensor,
    out_tensor: Tensor,
    in_split_sizes: Sequence[int] | None = None,
    out_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Send the parts of `in_tensor` along its first axis, part i to rank i; `out_tensor` gets what
    all sent, one behind the other.

    in_split_sizes, out_split_sizes: rows of each part; equal parts for None.
    """
    given, into = _held("alltoall_single", in_tensor), _held("alltoall_single", out_tensor)
    sent, got = _split(given, in_split_sizes, group), _split(into, out_split_sizes, group)
    got[group.rank][...] = sent[group.rank]
    others = [n for n in range(group.nranks) if n != group.rank]
    work = group.communicator.exchange(
        [(n, cuda.contiguous_copy(sent[n])) for n in others], [(n, got[n]) for n in others]
    )
    return _given(Task(work, _into(out_tensor, into)), sync_op)


def _split(array: Any, sizes: Sequence[int] | None, group: Group) -> list[Any]:
    """The parts of an array for, or from, each rank."""
    rows = [len(array) // group.nranks] * group.nranks if sizes is None else [int(n) for n in sizes]
    if len(rows) != group.nranks or sum(rows) != len(array):
        raise OpError(
            with_user_line(
                f"alltoall_single: {len(array)} rows in parts of {rows} for {group.nranks} ranks"
            )
        )
    return np.split(array, np.cumsum(rows)[:-1].tolist())


@_of_members
def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | Tensor,
    op: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Make `tensor` the sum, or what `op` says, of part number `rank` of the
    `tensor_list` of all.
    """
    parts = _each("reduce_scatter", list(tensor_list), group, _held("reduce_scatter", tensor))
    check_op(parts, op)
    _agreed("reduce_scatter", group, parts, sync_op, REDUCE_OP_NAMES[op])
    mine = parts[group.rank]
    return _given(Task(group.communicator.all_reduce(parts, op), _into(tensor, mine)), sync_op)


def send(tensor: Tensor, dst: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Send `tensor` to rank `dst`, which receives one of that shape and dtype."""
    group = chosen(group)
    array, to = _held("send", tensor), member("send", group, dst)
    _check_other("send", group, to)
    return _given(Task(group.communicator.send(array, to)), sync_op)


def recv(tensor: Tensor, src: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Make `tensor` what rank `src` sends."""
    group = chosen(group)
    array, source = _held("recv", tensor), member("recv", group, src)
    _check_other("recv", group, source)
    return _given(Task(group.communicator.recv(array, source), _into(tensor, array)), sync_op)


def _check_other(what: str, group: Group, rank: int) -> None:
    if rank == group.rank:
        raise OpError(with_user_line(f"{what}: rank {group.ranks[rank]} is this process itself"))


def isend(tensor: Tensor, dst: int, group: Any = None) -> Task:
    """`send` that comes back at once; keep `tensor` as it is until the task is done."""
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor: Tensor, src: int = 0, group: Any = None) -> Task:
    """`recv` that comes back at once."""
    return recv(tensor, 0 if src is None else src, group, sync_op=False)


def barrier(group: Any = None) -> None:
    """Wait until all ranks are here."""
    group = chosen(group)
    if group.rank >= 0:
        check_agreed(group, "barrier", "")


def wait(tensor: Tensor, group: Any = None, use_calc_stream: bool = True) -> None:
    """Nothing: what was begun on a tensor is waited for by its task."""
