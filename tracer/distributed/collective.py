"""Collectives of Tensors. Collectives do nothing in a rank that is not in the group."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from ..core import cuda
from ..core.communicator import REDUCE_OP_NAMES, CompletedWork, Work
from ..core.errors import OpError, append_user_line
from ..core.mode import reject_static_graph_mode
from ..core.tensor import Tensor
from .collective_call_check import check_same_collective_call
from .group import Group, group_or_world_group, require_rank_in_group
from .reduce_op import check_reduce_op_supports_dtype

_CAPTURE_HINT = "programs contain no collectives except those of layers"


class Task:
    """A started collective.

    on_completion: called once when the collective is finished
    """

    def __init__(self, work: Work, on_completion: Callable[[], None] | None = None) -> None:
        self._work, self._on_completion = work, on_completion

    def is_completed(self) -> bool:
        """Return whether the collective is finished."""
        if not self._work.is_completed():
            return False
        on_completion, self._on_completion = self._on_completion, None
        if on_completion is not None:
            on_completion()
        return True

    def wait(self, timeout: Any = None) -> bool:
        """Wait until the collective is finished and return True."""
        self._work.wait()
        return self.is_completed()

    def synchronize(self) -> None:
        """Wait until the collective is finished."""
        self.wait()


F = TypeVar("F", bound=Callable[..., Task])


def _wrap_to_skip_ranks_outside_group(collective: F) -> F:
    """Decorate a collective: replace its argument `group` by the group, None by the group of all
    ranks. In a rank that is not in the group, the decorated function does nothing and returns a
    completed task.
    """
    bind = inspect.signature(collective).bind

    @functools.wraps(collective)
    def wrapper(*args: Any, **kwargs: Any) -> Task:
        bound = bind(*args, **kwargs)
        group = group_or_world_group(bound.arguments.get("group"))
        bound.arguments["group"] = group
        return Task(CompletedWork()) if group.rank < 0 else collective(*bound.args, **bound.kwargs)

    return cast(F, wrapper)


def _wait_if_sync(task: Task, sync_op: bool) -> Task:
    if sync_op:
        task.wait()
    return task


def _require_same_on_all_ranks_if_sync(
    name: str, group: Group, array: Any, sync_op: bool, *arguments: Any
) -> Any:
    """Check that all ranks pass the same shape, dtype and arguments to the collective, and return
    `array`.

    Asynchronous collectives are not checked, because the check waits for all ranks.
    """
    if sync_op:
        texts = [f"{array.dtype}{list(array.shape)}", *map(str, arguments)]
        check_same_collective_call(group, name, ", ".join(texts))
    return array


def _copy_tensor_to_array(name: str, tensor: Any) -> Any:
    """Return a contiguous, writable copy of a tensor's array."""
    reject_static_graph_mode(name, _CAPTURE_HINT)
    if not isinstance(tensor, Tensor):
        raise OpError(
            append_user_line(f"{name}: the argument must be a Tensor, not {type(tensor).__name__}")
        )
    return cuda.contiguous_copy(tensor.array)


def _make_copy_callback(tensor: Tensor, array: Any) -> Callable[[], None]:
    """Return a callback that copies `array` to `tensor`."""

    def assign() -> None:
        tensor.set_value(array)

    return assign


def _stack_tensors(name: str, tensors: Sequence[Tensor], group: Group, like: Any = None) -> Any:
    """Stack one tensor per rank into an array [size, *]."""
    arrays = [_copy_tensor_to_array(name, t) for t in tensors]
    metas = {(a.shape, a.dtype) for a in arrays} | (
        {(like.shape, like.dtype)} if like is not None else set()
    )
    if len(arrays) != group.nranks or len(metas) != 1:
        metas_text = ", ".join(str(t.meta) for t in tensors)
        raise OpError(
            append_user_line(
                f"{name}: the list must have {group.nranks} tensors of one shape and dtype "
                f"({metas_text})"
            )
        )
    return np.stack(arrays)


@_wrap_to_skip_ranks_outside_group
def all_reduce(tensor: Tensor, op: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Reduce `tensor` over all ranks with the ReduceOp `op` (default: sum), and store the result in
    `tensor` of every rank.

    tensor: the same shape and dtype on all ranks
    """
    array = _copy_tensor_to_array("all_reduce", tensor)
    check_reduce_op_supports_dtype(array, op)
    _require_same_on_all_ranks_if_sync("all_reduce", group, array, sync_op, REDUCE_OP_NAMES[op])
    return _wait_if_sync(
        Task(group.communicator.all_reduce(array, op), _make_copy_callback(tensor, array)), sync_op
    )


@_wrap_to_skip_ranks_outside_group
def reduce(tensor: Tensor, dst: int, op: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Reduce `tensor` over all ranks with the ReduceOp `op`, and store the result in `tensor` of
    rank `dst`.

    The tensors of other ranks do not change.
    """
    array, root = (
        _copy_tensor_to_array("reduce", tensor),
        require_rank_in_group("reduce", group, dst),
    )
    check_reduce_op_supports_dtype(array, op)
    _require_same_on_all_ranks_if_sync(
        "reduce", group, array, sync_op, REDUCE_OP_NAMES[op], f"dst={dst}"
    )
    assign = _make_copy_callback(tensor, array) if group.rank == root else None
    return _wait_if_sync(Task(group.communicator.reduce(array, root, op), assign), sync_op)


@_wrap_to_skip_ranks_outside_group
def broadcast(tensor: Tensor, src: int, group: Any = None, sync_op: bool = True) -> Task:
    """Copy the tensor of rank `src` to `tensor` of all ranks."""
    array, root = (
        _copy_tensor_to_array("broadcast", tensor),
        require_rank_in_group("broadcast", group, src),
    )
    _require_same_on_all_ranks_if_sync("broadcast", group, array, sync_op, f"src={src}")
    return _wait_if_sync(
        Task(group.communicator.broadcast(array, root), _make_copy_callback(tensor, array)), sync_op
    )


@_wrap_to_skip_ranks_outside_group
def all_gather(
    tensor_list: list[Tensor], tensor: Tensor, group: Any = None, sync_op: bool = True
) -> Task:
    """Gather `tensor` of every rank into the list `tensor_list` of every rank.

    tensor_list: empty, or one tensor per rank
    """
    array = _require_same_on_all_ranks_if_sync(
        "all_gather", group, _copy_tensor_to_array("all_gather", tensor), sync_op
    )
    gathered = np.empty_like(array, shape=(group.nranks, *array.shape))
    assign = _make_list_assignment_callback("all_gather", tensor_list, gathered)
    return _wait_if_sync(Task(group.communicator.all_gather(array, gathered), assign), sync_op)


def _make_list_assignment_callback(
    name: str, tensors: list[Tensor], arrays: Any
) -> Callable[[], None]:
    """Return a callback that copies `arrays` [size, *] to the tensors of a list; new tensors are
    appended if the list is empty.
    """
    if tensors and len(tensors) != len(arrays):
        raise OpError(
            append_user_line(f"{name}: the list has {len(tensors)} tensors for {len(arrays)} ranks")
        )

    def assign() -> None:
        if not tensors:
            tensors.extend(Tensor(array.copy()) for array in arrays)
            return
        for tensor, array in zip(tensors, arrays, strict=True):
            tensor.set_value(array)

    return assign


@_wrap_to_skip_ranks_outside_group
def gather(
    tensor: Tensor,
    gather_list: list[Tensor] | None = None,
    dst: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Gather `tensor` of every rank into the list `gather_list` of rank `dst`; the other ranks pass
    None for it.
    """
    array, root = (
        _copy_tensor_to_array("gather", tensor),
        require_rank_in_group("gather", group, dst),
    )
    _require_same_on_all_ranks_if_sync("gather", group, array, sync_op, f"dst={dst}")
    if group.rank == root and gather_list is None:
        raise OpError(append_user_line(f"gather: rank {dst} (dst) must pass a gather_list"))
    gathered = np.empty_like(array, shape=(group.nranks, *array.shape))
    assign = (
        _make_list_assignment_callback("gather", gather_list, gathered)
        if group.rank == root and gather_list is not None
        else None
    )
    return _wait_if_sync(Task(group.communicator.all_gather(array, gathered), assign), sync_op)


@_wrap_to_skip_ranks_outside_group
def scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | None = None,
    src: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Copy element i of `tensor_list` of rank `src` to `tensor` of rank i."""
    array, root = (
        _copy_tensor_to_array("scatter", tensor),
        require_rank_in_group("scatter", group, src),
    )
    parts = (
        _stack_tensors("scatter", tensor_list or (), group, array) if group.rank == root else None
    )
    _require_same_on_all_ranks_if_sync("scatter", group, array, sync_op, f"src={src}")
    return _wait_if_sync(
        Task(group.communicator.scatter(parts, array, root), _make_copy_callback(tensor, array)),
        sync_op,
    )


@_wrap_to_skip_ranks_outside_group
def alltoall(
    in_tensor_list: Sequence[Tensor] | Tensor,
    out_tensor_list: list[Tensor] | Tensor,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Send element i of `in_tensor_list` to rank i, and store the tensor received from rank i in
    element i of `out_tensor_list`.

    out_tensor_list: empty, or one tensor per rank
    """
    parts = _stack_tensors("alltoall", list(in_tensor_list), group)
    _require_same_on_all_ranks_if_sync("alltoall", group, parts, sync_op)
    received = np.empty_like(parts)
    if isinstance(out_tensor_list, Tensor):
        assign = _make_copy_callback(out_tensor_list, received.reshape(out_tensor_list.array.shape))
    else:
        assign = _make_list_assignment_callback("alltoall", out_tensor_list, received)
    return _wait_if_sync(Task(group.communicator.all_to_all(parts, received), assign), sync_op)


@_wrap_to_skip_ranks_outside_group
def alltoall_single(
    in_tensor: Tensor,
    out_tensor: Tensor,
    in_split_sizes: Sequence[int] | None = None,
    out_split_sizes: Sequence[int] | None = None,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Split `in_tensor` along its first axis and send part i to rank i. `out_tensor` receives the
    parts that the ranks sent to this rank, concatenated in the order of the ranks.

    in_split_sizes, out_split_sizes: rows of each part; None: equal parts
    """
    in_array = _copy_tensor_to_array("alltoall_single", in_tensor)
    out_array = _copy_tensor_to_array("alltoall_single", out_tensor)
    sent = _split_for_ranks(in_array, in_split_sizes, group)
    received = _split_for_ranks(out_array, out_split_sizes, group)
    received[group.rank][...] = sent[group.rank]
    others = [n for n in range(group.nranks) if n != group.rank]
    work = group.communicator.batch_send_recv(
        [(n, cuda.contiguous_copy(sent[n])) for n in others], [(n, received[n]) for n in others]
    )
    return _wait_if_sync(Task(work, _make_copy_callback(out_tensor, out_array)), sync_op)


def _split_for_ranks(array: Any, sizes: Sequence[int] | None, group: Group) -> list[Any]:
    """Split an array along its first axis into one part per rank."""
    rows = [len(array) // group.nranks] * group.nranks if sizes is None else [int(n) for n in sizes]
    if len(rows) != group.nranks or sum(rows) != len(array):
        raise OpError(
            append_user_line(
                f"alltoall_single: the split sizes {rows} do not fit {len(array)} rows and "
                f"{group.nranks} ranks"
            )
        )
    return np.split(array, np.cumsum(rows)[:-1].tolist())


@_wrap_to_skip_ranks_outside_group
def reduce_scatter(
    tensor: Tensor,
    tensor_list: Sequence[Tensor] | Tensor,
    op: int = 0,
    group: Any = None,
    sync_op: bool = True,
) -> Task:
    """Reduce element i of `tensor_list` over all ranks with the ReduceOp `op`, and store the result
    in `tensor` of rank i.
    """
    parts = _stack_tensors(
        "reduce_scatter", list(tensor_list), group, _copy_tensor_to_array("reduce_scatter", tensor)
    )
    check_reduce_op_supports_dtype(parts, op)
    _require_same_on_all_ranks_if_sync("reduce_scatter", group, parts, sync_op, REDUCE_OP_NAMES[op])
    mine = parts[group.rank]
    return _wait_if_sync(
        Task(group.communicator.all_reduce(parts, op), _make_copy_callback(tensor, mine)), sync_op
    )


def send(tensor: Tensor, dst: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Send `tensor` to rank `dst`, which must receive the same shape and dtype."""
    group = group_or_world_group(group)
    array, target = _copy_tensor_to_array("send", tensor), require_rank_in_group("send", group, dst)
    _reject_own_rank("send", group, target)
    return _wait_if_sync(Task(group.communicator.send(array, target)), sync_op)


def recv(tensor: Tensor, src: int = 0, group: Any = None, sync_op: bool = True) -> Task:
    """Receive `tensor` from rank `src`."""
    group = group_or_world_group(group)
    array, source = _copy_tensor_to_array("recv", tensor), require_rank_in_group("recv", group, src)
    _reject_own_rank("recv", group, source)
    return _wait_if_sync(
        Task(group.communicator.recv(array, source), _make_copy_callback(tensor, array)), sync_op
    )


def _reject_own_rank(name: str, group: Group, rank: int) -> None:
    if rank == group.rank:
        raise OpError(append_user_line(f"{name}: rank {group.ranks[rank]} is the calling process"))


def isend(tensor: Tensor, dst: int, group: Any = None) -> Task:
    """Start to send `tensor` and return the task. The caller must not change `tensor` until the
    task is finished.
    """
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor: Tensor, src: int = 0, group: Any = None) -> Task:
    """Start to receive `tensor` and return the task."""
    return recv(tensor, 0 if src is None else src, group, sync_op=False)


def barrier(group: Any = None) -> None:
    """Wait until all ranks have called `barrier`."""
    group = group_or_world_group(group)
    if group.rank >= 0:
        check_same_collective_call(group, "barrier", "")


def wait(tensor: Tensor, group: Any = None, use_calc_stream: bool = True) -> None:
    """Do nothing. Oarlock accepts `wait` for compatibility; call the method `wait` of the
    collective's task instead.
    """
