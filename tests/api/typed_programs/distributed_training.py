"""Train in several processes, and use distributions for a variational loss."""

import oarlock as paddle
import oarlock.distributed as dist
from oarlock import nn
from oarlock.distributed import fleet
from oarlock.distribution import Categorical, Distribution, Normal, kl_divergence, register_kl


class Point(Distribution):
    """A distribution with one possible value."""

    def __init__(self, value: paddle.Tensor) -> None:
        super().__init__(batch_shape=value.shape)
        self.value = value

    def log_prob(self, value: paddle.Tensor) -> paddle.Tensor:
        return paddle.where(value == self.value, 0.0, float("-inf"))


@register_kl(Point, Normal)
def kl_of_point(p: Point, q: Normal) -> paddle.Tensor:
    return -q.log_prob(p.value)


def variational_loss(mean: paddle.Tensor, deviation: paddle.Tensor) -> paddle.Tensor:
    posterior, prior = Normal(mean, deviation), Normal(0.0, [1.0, 1.0])
    sample = posterior.rsample([3])
    draws = Categorical(logits=[0.1, 0.9]).sample([2, 2])
    return kl_divergence(posterior, prior).sum() + sample.mean() + draws.astype("float32").sum()


def average(x: paddle.Tensor, group: dist.Group | None = None) -> list[float]:
    dist.all_reduce(x, dist.ReduceOp.SUM, group=group).wait()
    parts: list[paddle.Tensor] = []
    dist.all_gather(parts, x / dist.get_world_size(), sync_op=True)
    names: list[str] = []
    dist.all_gather_object(names, f"rank {dist.get_rank()}")
    return [float(part.sum()) for part in parts]


def train(epochs: int) -> None:
    dist.init_parallel_env()
    strategy = fleet.DistributedStrategy()
    fleet.init(is_collective=True, strategy=strategy)
    net = paddle.DataParallel(nn.Linear(4, 2), find_unused_parameters=True)
    optimizer = fleet.distributed_optimizer(
        paddle.optimizer.AdamW(1e-3, parameters=net.parameters())
    )
    data = paddle.io.TensorDataset([paddle.rand([8, 4]), paddle.rand([8, 2])])
    sampler = paddle.io.DistributedBatchSampler(data, batch_size=2, shuffle=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in paddle.io.DataLoader(data, batch_sampler=sampler):
            loss = paddle.nn.functional.mse_loss(net(x), y)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
    if dist.get_rank() == 0:
        paddle.save(net.state_dict(), "net.pdparams")


if __name__ == "__main__":
    dist.spawn(train, args=(2,), nprocs=2)
