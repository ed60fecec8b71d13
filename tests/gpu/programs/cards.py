"""Ranks with a GPU each, which a stand-in plays: collectives, and training.

Ends with `fine` on each rank.
"""

import os

import collectives
import numpy as np

import oarlock as paddle
import oarlock.distributed as dist
from oarlock.core import cuda
from tests.gpu import stand_in, stand_in_nccl

BY_MPI = os.environ.get("OARLOCK_DISTRIBUTED_BACKEND") == "mpi"


def everything_travels_by(n, r):
    assert dist.get_backend() == ("MPI" if BY_MPI else "NCCL")
    x = paddle.to_tensor([[1.0, 2.0], [3.0, float(r)]])
    stand_in_nccl.log.clear()
    stand_in.Stream.log.clear()
    dist.all_reduce(x, dist.ReduceOp.AVG)
    assert cuda.gpu_index_of(x.array) == 0 and x.numpy()[1, 1] == sum(range(n)) / n
    one = [("allReduce", 4, "FLOAT32", "SUM", 1234)]
    assert stand_in_nccl.log == ([] if BY_MPI else one), stand_in_nccl.log
    order = [("recorded", 0), ("waits for 0", 1234), ("recorded", 1234)]
    assert stand_in.Stream.log == ([] if BY_MPI else order), stand_in.Stream.log
    c = paddle.complex(x[0], x[0])
    dist.all_reduce(c)
    assert np.allclose(c.numpy(), np.array([1 + 1j, 2 + 2j]) * n)


def training(n, r):
    def net():
        paddle.seed(5)
        return paddle.nn.Sequential(
            paddle.nn.Linear(3, 4), paddle.nn.Tanh(), paddle.nn.Linear(4, 1)
        )

    def steps(model, x):
        optimizer = paddle.optimizer.Momentum(0.1, parameters=model.parameters())
        for _ in range(3):
            (model(x) ** 2).mean().backward()
            optimizer.step()
            optimizer.clear_grad()

    batch = np.random.RandomState(0).rand(2 * n, 3).astype("float32")
    shared, alone = net(), net()
    steps(
        paddle.DataParallel(shared, comm_buffer_size=0.00001),
        paddle.to_tensor(batch[2 * r : 2 * r + 2]),
    )
    alone.to("cpu")
    steps(alone, paddle.to_tensor(batch, place="cpu"))
    for there, here in zip(shared.parameters(), alone.parameters(), strict=True):
        assert cuda.gpu_index_of(there.array) == 0 and cuda.gpu_index_of(here.array) is None
        np.testing.assert_allclose(there.numpy(), here.numpy(), rtol=1e-5, atol=1e-6)


def norms(n, r):
    norm = paddle.nn.SyncBatchNorm(2)
    x = paddle.to_tensor(np.random.RandomState(r).rand(4, 2).astype("float32"))
    whole = np.concatenate([np.random.RandomState(k).rand(4, 2) for k in range(n)]).astype(
        "float32"
    )
    want = (whole - whole.mean(0)) / np.sqrt(whole.var(0) + 1e-5)
    np.testing.assert_allclose(norm(x).numpy(), want[4 * r : 4 * r + 4], rtol=1e-4, atol=1e-5)


def main():
    with stand_in.installed():
        paddle.set_device("gpu")
        dist.init_parallel_env()
        n, r = dist.get_world_size(), dist.get_rank()
        everything_travels_by(n, r)
        if BY_MPI:  # which also compares what messages hold
            collectives.disagreements(n, r)
        else:
            collectives.DTYPES.remove("complex64")  # NCCL multiplies none
        for part in (collectives.reductions, collectives.moves, collectives.more, training, norms):
            part(n, r)
        dist.barrier()
        print("fine")


if __name__ == "__main__":
    main()
