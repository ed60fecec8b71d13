"""Collectives of several ranks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import oarlock as paddle
import oarlock.distributed as dist

from .launched import PROGRAMS, launch


@pytest.mark.slow
@pytest.mark.parametrize("ranks", [2, 3])
def test_collectives_equal_numpy(ranks: int, tmp_path: Path) -> None:
    done = launch(PROGRAMS / "collectives.py", ranks, tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    for rank in range(ranks):
        assert (tmp_path / f"workerlog.{rank}").read_text().endswith("fine\n")


def test_collectives_in_one_process() -> None:
    x = paddle.to_tensor([1.0, 2.0])
    dist.all_reduce(x)
    dist.broadcast(x, 0)
    dist.barrier()
    found: list[paddle.Tensor] = []
    dist.all_gather(found, x)
    assert len(found) == 1 and np.array_equal(found[0].numpy(), [1, 2])
    dist.scatter(x, [paddle.to_tensor([3.0, 4.0])])
    assert np.array_equal(x.numpy(), [3, 4])
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)
    things: list[object] = []
    dist.all_gather_object(things, {"a": 1})
    assert things == [{"a": 1}]


def test_destroyed_groups_are_unknown() -> None:
    first, second = dist.new_group([0]), dist.new_group([0])
    dist.destroy_process_group(first)
    with pytest.raises(paddle.OpError, match=f"there is no group {first.id}"):
        dist.get_group(first.id)
    assert dist.get_group(second.id) is second
    dist.destroy_process_group()
    with pytest.raises(paddle.OpError, match=f"there is no group {second.id}"):
        dist.get_group(second.id)
    assert dist.get_group().nranks == 1 and dist.new_group([0]).id > second.id


def test_processes_without_launcher_are_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PADDLE_TRAINERS_NUM", "2")
    with pytest.raises(
        paddle.OarlockError, match="MPI did not start this process; start all processes with"
    ):
        dist.init_parallel_env()


def test_communicators_implement_the_protocol() -> None:
    from oarlock.core.communicator import Communicator, SingleProcessCommunicator
    from oarlock.distributed.mpi import MpiCommunicator

    wanted = {n for n in vars(Communicator) if not n.startswith("_")}
    from oarlock.distributed.mpi_or_nccl_communicator import MpiOrNcclCommunicator
    from oarlock.distributed.nccl import NcclCommunicator

    assert all(
        wanted <= set(dir(kind))
        for kind in (
            SingleProcessCommunicator,
            MpiCommunicator,
            MpiOrNcclCommunicator,
            NcclCommunicator,
        )
    )
