"""One rank of the scaling benchmark: trains for some seconds, then times sums over all ranks.

Rank 0 prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import oarlock as paddle
import oarlock.distributed as dist

WARM, BATCH = 5, 64


def steps_per_second(seconds: float) -> float:
    """Steps of a LeNet, each rank with its own batch of 64."""
    paddle.seed(0)
    model = paddle.DataParallel(paddle.vision.models.LeNet())
    adam = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    numbers = np.random.RandomState(dist.get_rank())
    x = paddle.to_tensor(numbers.rand(BATCH, 1, 28, 28).astype("float32"))
    y = paddle.to_tensor(numbers.randint(0, 10, [BATCH, 1]))

    def step() -> None:
        paddle.nn.functional.cross_entropy(model(x), y).backward()
        adam.step()
        adam.clear_grad()

    for _ in range(WARM):
        step()
    dist.barrier()
    started = time.perf_counter()
    step()
    counted = paddle.to_tensor([max(1, int(seconds / (time.perf_counter() - started)))])
    dist.broadcast(counted, 0)
    dist.barrier()
    started = time.perf_counter()
    for _ in range(int(counted)):
        step()
    dist.barrier()
    return int(counted) / (time.perf_counter() - started)


def seconds_of_sum(megabytes: float, times: int = 20) -> float:
    """One all_reduce of so many megabytes, begun and waited for as gradients are."""
    x = paddle.zeros([int(megabytes * (1 << 18))])
    took = []
    for _ in range(times):
        dist.barrier()
        started = time.perf_counter()
        dist.all_reduce(x, sync_op=False).wait()
        took.append(time.perf_counter() - started)
    return float(np.median(took))


if __name__ == "__main__":
    dist.init_parallel_env()
    found = {
        "samples_per_s": steps_per_second(float(sys.argv[1])) * BATCH * dist.get_world_size(),
        "sum_1KB_s": seconds_of_sum(1 / 1024),
        "sum_25MB_s": seconds_of_sum(25),
    }
    if dist.get_rank() == 0:
        print(json.dumps(found))
