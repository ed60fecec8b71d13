"""One rank of the scaling benchmark: train for some seconds, then time sums over all ranks.

Rank 0 prints one line of JSON.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np

import oarlock as paddle
import oarlock.distributed as dist

WARM_UP, BATCH = 5, 64


def steps_per_second(seconds: float) -> float:
    """Train a LeNet, each rank with its own batch of 64, and return the steps per second."""
    paddle.seed(0)
    model = paddle.DataParallel(paddle.vision.models.LeNet())
    adam = paddle.optimizer.Adam(0.001, parameters=model.parameters())
    rng = np.random.RandomState(dist.get_rank())
    x = paddle.to_tensor(rng.rand(BATCH, 1, 28, 28).astype("float32"))
    y = paddle.to_tensor(rng.randint(0, 10, [BATCH, 1]))

    def step() -> None:
        paddle.nn.functional.cross_entropy(model(x), y).backward()
        adam.step()
        adam.clear_grad()

    for _ in range(WARM_UP):
        step()
    dist.barrier()
    started = time.perf_counter()
    step()
    step_count = paddle.to_tensor([max(1, int(seconds / (time.perf_counter() - started)))])
    dist.broadcast(step_count, 0)
    dist.barrier()
    started = time.perf_counter()
    for _ in range(int(step_count)):
        step()
    dist.barrier()
    return int(step_count) / (time.perf_counter() - started)


def seconds_of_sum(megabytes: float, times: int = 20) -> float:
    """Return the median seconds of an asynchronous all_reduce of so many megabytes and its wait."""
    x = paddle.zeros([int(megabytes * (1 << 18))])
    durations = []
    for _ in range(times):
        dist.barrier()
        started = time.perf_counter()
        dist.all_reduce(x, sync_op=False).wait()
        durations.append(time.perf_counter() - started)
    return float(np.median(durations))


if __name__ == "__main__":
    dist.init_parallel_env()
    measurements = {
        "samples_per_s": steps_per_second(float(sys.argv[1])) * BATCH * dist.get_world_size(),
        "sum_1KB_s": seconds_of_sum(1 / 1024),
        "sum_25MB_s": seconds_of_sum(25),
    }
    if dist.get_rank() == 0:
        print(json.dumps(measurements))
