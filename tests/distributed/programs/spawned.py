"""Train with `spawn` and fleet in two processes."""

import sys
from pathlib import Path

import numpy as np

import oarlock as paddle
import oarlock.distributed as dist
from oarlock.distributed import fleet


def train(out, wrong):
    fleet.init(is_collective=True)
    assert (fleet.worker_index(), fleet.worker_num()) == (dist.get_rank(), 2)
    if wrong and fleet.worker_index() == 1:
        raise ValueError("the reason")
    model = fleet.distributed_model(paddle.nn.Linear(2, 1))
    optimizer = fleet.distributed_optimizer(
        paddle.optimizer.SGD(0.1, parameters=model.parameters())
    )
    model(paddle.ones([1, 2]) * (fleet.worker_index() + 1)).sum().backward()
    assert np.allclose(model.parameters()[0].grad.numpy(), 1.5)
    optimizer.step()
    if fleet.is_first_worker():
        Path(out).write_text("trained")


if __name__ == "__main__":
    dist.spawn(train, args=(sys.argv[1], sys.argv[2] == "wrong"), nprocs=2)
