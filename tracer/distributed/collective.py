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
    """Decorate a collective: in a rank that is not in the argument `group`, the decorated function
    does nothing and returns a completed task.
    """
    bind = inspect.signature(collective).bind

    @functools.wraps(collective)
    def wrapper(*args: Any, **kwargs: Any) -> Task:
        group = group_or_world_group(bind(*args, **kwargs).arguments.get("group"))
        return Task(CompletedWork()) if group.rank < 0 else collective(*args, **kwargs)

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
def all_reduce(
    tensor: Tensor, op: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task:
    """Reduce the tensors of all ranks, and store the result in `tensor` of every rank.

    Parameters
    ----------
    tensor : Tensor
        Changed in place. All ranks pass the same shape and dtype.
    op : int, default ReduceOp.SUM
        ReduceOp.SUM, MAX, MIN, PROD or AVG.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `tensor` is not a Tensor, `op` is unknown or does not support the dtype, or the calls of
        the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    AVG supports floating-point and complex dtypes only; MAX and MIN support no complex numbers;
    bool supports MAX and MIN only.

    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    In a program that runs as a single process, the tensor keeps its value.

    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> task = paddle.distributed.all_reduce(x)
    >>> x.tolist()
    [1.0, 2.0]
    """
    group = group_or_world_group(group)
    array = _copy_tensor_to_array("all_reduce", tensor)
    check_reduce_op_supports_dtype(array, op)
    _require_same_on_all_ranks_if_sync("all_reduce", group, array, sync_op, REDUCE_OP_NAMES[op])
    return _wait_if_sync(
        Task(group.communicator.all_reduce(array, op), _make_copy_callback(tensor, array)), sync_op
    )


@_wrap_to_skip_ranks_outside_group
def reduce(
    tensor: Tensor, dst: int, op: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task:
    """Reduce the tensors of all ranks, and store the result in `tensor` of rank `dst`.

    Parameters
    ----------
    tensor : Tensor
        Changed in place on rank `dst`; the tensors of other ranks do not change. All ranks pass the
        same shape and dtype.
    dst : int
        Global rank of the receiver, a member of the group.
    op : int, default ReduceOp.SUM
        ReduceOp.SUM, MAX, MIN, PROD or AVG.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `dst` is not in the group, `op` is unknown or does not support the dtype, or the calls of
        the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> task = paddle.distributed.reduce(x, dst=0, op=paddle.distributed.ReduceOp.MAX)
    >>> x.tolist()
    [1.0, 2.0]
    """
    group = group_or_world_group(group)
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
def broadcast(tensor: Tensor, src: int, group: Group | None = None, sync_op: bool = True) -> Task:
    """Copy the tensor of rank `src` to `tensor` of all ranks.

    Parameters
    ----------
    tensor : Tensor
        Changed in place. All ranks pass the same shape and dtype.
    src : int
        Global rank of the sender, a member of the group.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `src` is not in the group, or the calls of the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> task = paddle.distributed.broadcast(x, src=0)
    >>> x.tolist()
    [1.0, 2.0]
    """
    group = group_or_world_group(group)
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
    tensor_list: list[Tensor], tensor: Tensor, group: Group | None = None, sync_op: bool = True
) -> Task:
    """Gather the tensors of all ranks into a list on every rank.

    Parameters
    ----------
    tensor_list : list of Tensor
        Changed in place: element i receives the tensor of rank i. Empty, or one tensor per rank.
    tensor : Tensor
        All ranks pass the same shape and dtype.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `tensor_list` is not empty and does not fit, or the calls of the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> gathered = []
    >>> task = paddle.distributed.all_gather(gathered, paddle.to_tensor([1.0, 2.0]))
    >>> [x.tolist() for x in gathered]
    [[1.0, 2.0]]
    """
    group = group_or_world_group(group)
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
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Gather the tensors of all ranks into a list on rank `dst`.

    Parameters
    ----------
    tensor : Tensor
        All ranks pass the same shape and dtype.
    gather_list : list of Tensor, optional
        Changed in place: element i receives the tensor of rank i. Empty, or one tensor per rank.
        Required on rank `dst`; the other ranks pass None.
    dst : int, default 0
        Global rank of the receiver, a member of the group.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `dst` is not in the group or passes no `gather_list`, the list does not fit, or the calls
        of the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> gathered = []
    >>> task = paddle.distributed.gather(paddle.to_tensor([1.0, 2.0]), gathered, dst=0)
    >>> [x.tolist() for x in gathered]
    [[1.0, 2.0]]
    """
    group = group_or_world_group(group)
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
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Copy element i of `tensor_list` of rank `src` to `tensor` of rank i.

    Parameters
    ----------
    tensor : Tensor
        Changed in place. All ranks pass the same shape and dtype.
    tensor_list : sequence of Tensor, optional
        One tensor per rank, with shape and dtype of `tensor`. Used on rank `src` only.
    src : int, default 0
        Global rank of the sender, a member of the group.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `src` is not in the group, its `tensor_list` does not fit, or the calls of the ranks
        differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> x = paddle.zeros([2])
    >>> task = paddle.distributed.scatter(x, [paddle.to_tensor([1.0, 2.0])], src=0)
    >>> x.tolist()
    [1.0, 2.0]
    """
    group = group_or_world_group(group)
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
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Send element i of `in_tensor_list` to rank i, and receive one tensor from every rank.

    Parameters
    ----------
    in_tensor_list : sequence of Tensor, or Tensor [size, *]
        One tensor per rank, all with one shape and dtype; of a Tensor, the slices along the first
        axis.
    out_tensor_list : list of Tensor, or Tensor
        Changed in place: element i receives the tensor that rank i sent to this rank. A list is
        empty or has one tensor per rank; a Tensor has the number of elements of all tensors.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If a list does not fit, or the calls of the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> received = []
    >>> task = paddle.distributed.alltoall([paddle.to_tensor([1.0, 2.0])], received)
    >>> [x.tolist() for x in received]
    [[1.0, 2.0]]
    """
    group = group_or_world_group(group)
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
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Split `in_tensor` along its first axis and send part i to rank i.

    `out_tensor` receives the parts that the ranks sent to this rank, concatenated in the order of
    the ranks.

    Parameters
    ----------
    in_tensor : Tensor [N, *]
    out_tensor : Tensor [M, *]
        Changed in place.
    in_split_sizes : sequence of int, optional
        Rows sent to each rank, with the sum N. Default: equal parts.
    out_split_sizes : sequence of int, optional
        Rows received from each rank, with the sum M. Default: equal parts.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If the split sizes do not fit the rows and the number of ranks.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.

    Examples
    --------
    >>> received = paddle.zeros([2])
    >>> task = paddle.distributed.alltoall_single(paddle.to_tensor([1.0, 2.0]), received)
    >>> received.tolist()
    [1.0, 2.0]
    """
    group = group_or_world_group(group)
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
    group: Group | None = None,
    sync_op: bool = True,
) -> Task:
    """Reduce element i of `tensor_list` over all ranks, and store the result in `tensor` of rank i.

    Parameters
    ----------
    tensor : Tensor
        Changed in place.
    tensor_list : sequence of Tensor, or Tensor [size, *]
        One tensor per rank, with shape and dtype of `tensor`; of a Tensor, the slices along the
        first axis.
    op : int, default ReduceOp.SUM
        ReduceOp.SUM, MAX, MIN, PROD or AVG.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the collective is finished. If False, the tensors must not be used before
        `wait()` of the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `tensor_list` does not fit, `op` is unknown or does not support the dtype, or the calls
        of the ranks differ.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.
    With ``sync_op=True`` the ranks first compare the collective, shape, dtype and arguments.

    Examples
    --------
    >>> x = paddle.zeros([2])
    >>> task = paddle.distributed.reduce_scatter(x, [paddle.to_tensor([1.0, 2.0])])
    >>> x.tolist()
    [1.0, 2.0]
    """
    group = group_or_world_group(group)
    parts = _stack_tensors(
        "reduce_scatter", list(tensor_list), group, _copy_tensor_to_array("reduce_scatter", tensor)
    )
    check_reduce_op_supports_dtype(parts, op)
    _require_same_on_all_ranks_if_sync("reduce_scatter", group, parts, sync_op, REDUCE_OP_NAMES[op])
    mine = parts[group.rank]
    return _wait_if_sync(
        Task(group.communicator.all_reduce(parts, op), _make_copy_callback(tensor, mine)), sync_op
    )


@_wrap_to_skip_ranks_outside_group
def send(tensor: Tensor, dst: int = 0, group: Group | None = None, sync_op: bool = True) -> Task:
    """Send `tensor` to rank `dst`, which calls `recv` with the same shape and dtype.

    Parameters
    ----------
    tensor : Tensor
    dst : int, default 0
        Global rank of the receiver, a member of the group but not the calling process.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the tensor is sent. If False, the tensor must not be changed before `wait()` of
        the returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `dst` is the calling process or not in the group.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.

    Examples
    --------
    A program of several processes does, after ``dist = paddle.distributed``::

        if dist.get_rank() == 0:
            dist.send(x, dst=1)
        else:
            dist.recv(x, src=0)

    A process cannot send to itself:

    >>> paddle.distributed.send(paddle.zeros([2]), dst=0)
    Traceback (most recent call last):
        ...
    oarlock.core.errors.OpError: send: rank 0 is the calling process...
    """
    group = group_or_world_group(group)
    array, target = _copy_tensor_to_array("send", tensor), require_rank_in_group("send", group, dst)
    _reject_own_rank("send", group, target)
    return _wait_if_sync(Task(group.communicator.send(array, target)), sync_op)


@_wrap_to_skip_ranks_outside_group
def recv(tensor: Tensor, src: int = 0, group: Group | None = None, sync_op: bool = True) -> Task:
    """Receive `tensor` from rank `src`, which calls `send` with the same shape and dtype.

    Parameters
    ----------
    tensor : Tensor
        Changed in place.
    src : int, default 0
        Global rank of the sender, a member of the group but not the calling process.
    group : Group, optional
        Default: the group of all ranks.
    sync_op : bool, default True
        Wait until the tensor is received. If False, it must not be used before `wait()` of the
        returned task.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `src` is the calling process or not in the group.
    OarlockError
        While a program is recorded.

    Notes
    -----
    A rank that is not in the group does nothing and gets a completed task.

    Examples
    --------
    A program of several processes does, after ``dist = paddle.distributed``::

        if dist.get_rank() == 0:
            dist.send(x, dst=1)
        else:
            dist.recv(x, src=0)

    A process cannot receive from itself:

    >>> paddle.distributed.recv(paddle.zeros([2]), src=0)
    Traceback (most recent call last):
        ...
    oarlock.core.errors.OpError: recv: rank 0 is the calling process...
    """
    group = group_or_world_group(group)
    array, source = _copy_tensor_to_array("recv", tensor), require_rank_in_group("recv", group, src)
    _reject_own_rank("recv", group, source)
    return _wait_if_sync(
        Task(group.communicator.recv(array, source), _make_copy_callback(tensor, array)), sync_op
    )


def _reject_own_rank(name: str, group: Group, rank: int) -> None:
    if rank == group.rank:
        raise OpError(append_user_line(f"{name}: rank {group.ranks[rank]} is the calling process"))


def isend(tensor: Tensor, dst: int, group: Group | None = None) -> Task:
    """Start to send `tensor` to rank `dst`, and return at once.

    Parameters
    ----------
    tensor : Tensor
        It must not be changed until the task is finished.
    dst : int
        Global rank of the receiver, a member of the group but not the calling process.
    group : Group, optional
        Default: the group of all ranks.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `dst` is the calling process or not in the group.
    OarlockError
        While a program is recorded.

    Examples
    --------
    Two ranks exchange tensors::

        other = 1 - paddle.distributed.get_rank()
        sending = paddle.distributed.isend(x, other)
        paddle.distributed.irecv(y, other).wait()
        sending.wait()

    A process cannot send to itself:

    >>> paddle.distributed.isend(paddle.zeros([2]), dst=0)
    Traceback (most recent call last):
        ...
    oarlock.core.errors.OpError: send: rank 0 is the calling process...
    """
    return send(tensor, dst, group, sync_op=False)


def irecv(tensor: Tensor, src: int = 0, group: Group | None = None) -> Task:
    """Start to receive `tensor` from rank `src`, and return at once.

    Parameters
    ----------
    tensor : Tensor
        Changed in place when the task is finished, and not to be used before.
    src : int, default 0
        Global rank of the sender, a member of the group but not the calling process.
    group : Group, optional
        Default: the group of all ranks.

    Returns
    -------
    Task
        `task.wait()` waits until the collective is finished; `task.is_completed()` tests it.

    Raises
    ------
    OpError
        If `src` is the calling process or not in the group.
    OarlockError
        While a program is recorded.

    Examples
    --------
    Two ranks exchange tensors::

        other = 1 - paddle.distributed.get_rank()
        sending = paddle.distributed.isend(x, other)
        paddle.distributed.irecv(y, other).wait()
        sending.wait()

    A process cannot receive from itself:

    >>> paddle.distributed.irecv(paddle.zeros([2]), src=0)
    Traceback (most recent call last):
        ...
    oarlock.core.errors.OpError: recv: rank 0 is the calling process...
    """
    return recv(tensor, 0 if src is None else src, group, sync_op=False)


def barrier(group: Group | None = None) -> None:
    """Wait until all ranks of the group have called `barrier`.

    Parameters
    ----------
    group : Group, optional
        Default: the group of all ranks. A rank that is not in the group does not wait.

    Raises
    ------
    OpError
        If another rank calls a different collective.

    Examples
    --------
    In a program that runs as a single process, it returns at once.

    >>> paddle.distributed.barrier()
    """
    group = group_or_world_group(group)
    if group.rank >= 0:
        check_same_collective_call(group, "barrier", "")


def wait(tensor: Tensor, group: Group | None = None, use_calc_stream: bool = True) -> None:
    """Do nothing; Oarlock accepts `wait` for compatibility.

    To wait for a collective, call the method `wait` of its task.

    Parameters
    ----------
    tensor : Tensor
        Not used.
    group : Group, optional
        Not used.
    use_calc_stream : bool, default True
        Not used.

    Examples
    --------
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.distributed.all_reduce(x, sync_op=False).wait()
    True
    >>> paddle.distributed.wait(x)
    """
