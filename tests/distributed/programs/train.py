"""Train a network with several optimizers, each rank on its part of the batch; rank 0 saves the
weights.
"""

import sys
from contextlib import nullcontext

import numpy as np

import oarlock as paddle
import oarlock.distributed as dist
from oarlock import nn

ROWS, STEPS = 8, 4


class Net(nn.Layer):
    """A convolution, a normalization, two linear layers; a third that only `extra` uses."""

    def __init__(self, norm):
        super().__init__()
        # A normalization takes a bias back out: its gradient would be rounding alone, of which Adam
        # makes whole steps.
        self.conv = nn.Conv2D(
            2, 3, 3, bias_attr=False if isinstance(norm, nn.SyncBatchNorm) else None
        )
        self.norm = norm
        self.first, self.second, self.spare = nn.Linear(12, 5), nn.Linear(5, 3), nn.Linear(3, 3)

    def forward(self, x, extra=False):
        x = paddle.nn.functional.relu(self.norm(self.conv(x))).flatten(1)
        x = self.second(paddle.tanh(self.first(x)))
        return self.spare(x) if extra else x


def no_norm():
    return nn.Identity()


def sync_norm():
    return nn.SyncBatchNorm(3)


def sgd(p):
    return paddle.optimizer.SGD(0.1, parameters=p)


def momentum(p):
    return paddle.optimizer.Momentum(0.1, 0.9, parameters=p, grad_clip=nn.ClipGradByGlobalNorm(1.0))


def adam(p):
    return paddle.optimizer.Adam(0.01, parameters=p)


# name -> normalization, optimizer, whether some parameters are not used (on some ranks, in some
# steps), how many passes make a step
CASES = {
    "sgd": (no_norm, sgd, "all", 1),
    "momentum": (no_norm, momentum, "all", 1),
    "adam": (no_norm, adam, "all", 1),
    "sgd_sync": (sync_norm, sgd, "all", 1),
    "adam_sync": (sync_norm, adam, "all", 1),
    "unused": (no_norm, sgd, "none", 1),
    "unused_at_times": (no_norm, adam, "odd steps", 1),
    "accumulated": (no_norm, momentum, "all", 2),
    "accumulated_unused": (no_norm, sgd, "none", 2),
}


def batch(step, part):
    numbers = np.random.RandomState(10 * step + part)
    return numbers.randn(ROWS, 2, 4, 4), numbers.randn(ROWS, 3)


def mine(array):
    rank, size = dist.get_rank(), dist.get_world_size()
    return paddle.to_tensor(np.split(array, size)[rank])


def loss_of(model, step, part, extra):
    x, y = map(mine, batch(step, part))
    return ((model(x, extra) - y) ** 2).mean()


def trained(norm, optimizer, used, parts):
    paddle.seed(3)
    net = Net(norm())
    if dist.get_rank():  # what other ranks start with does not matter
        for p in net.parameters():
            p.set_value(p.numpy() + 1)
    model = paddle.DataParallel(
        net,
        comm_buffer_size=0.0005,
        last_comm_buffer_size=0.0001,
        find_unused_parameters=used != "all",
    )
    update = optimizer(model.parameters())
    for step in range(STEPS):
        extra = used == "all" or (used == "odd steps" and step % 2 == 1)
        for part in range(parts):
            with nullcontext() if part == parts - 1 else model.no_sync():
                (loss_of(model, step, part, extra) / parts).backward()
        update.step()
        update.clear_grad()
    return model.state_dict()


def main(out):
    dist.init_parallel_env()
    paddle.set_default_dtype("float64")
    found = {}
    for name, case in CASES.items():
        for key, value in trained(*case).items():
            found[f"{name}/{key}"] = value.numpy()
    if dist.get_rank() == 0:
        np.savez(out, **found)


if __name__ == "__main__":
    main(sys.argv[1])
