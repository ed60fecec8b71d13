"""Recognize digits on several devices with DataParallel of Paddle 2.0.

oarlock run-script digits_cards_2_0.py
- one process
oarlock run-script -m paddle.distributed.launch --nproc_per_node 2 digits_cards_2_0.py
- two processes
"""

import numpy as np
import paddle
import paddle.distributed as dist
import paddle.nn.functional as F
from digits import reader
from paddle import nn


class Digits(paddle.io.Dataset):
    """Images float32 [1, 12, 12] and labels int64 [1]."""

    def __init__(self, count, seed):
        super().__init__()
        self.rows = list(reader(count, seed)())

    def __getitem__(self, index):
        image, label = self.rows[index]
        return image, np.array([label], "int64")

    def __len__(self):
        return len(self.rows)


def network():
    """Return a network of a convolution, batch norm over all devices, and two linear layers.

    [N, 1, 12, 12] -> [N, 10]
    """
    layers = nn.Sequential(
        nn.Conv2D(1, 8, 3, padding=1),
        nn.BatchNorm2D(8),
        nn.ReLU(),
        nn.MaxPool2D(2, 2),
        nn.Flatten(),
        nn.Linear(8 * 6 * 6, 32),
        nn.ReLU(),
        nn.Linear(32, 10),
    )
    return nn.SyncBatchNorm.convert_sync_batchnorm(layers)


def main():
    """Train; the first process tests."""
    dist.init_parallel_env()
    paddle.seed(7)
    model = paddle.DataParallel(network())
    adam = paddle.optimizer.Adam(learning_rate=0.01, parameters=model.parameters())
    digits = Digits(600, seed=0)
    sampler = paddle.io.DistributedBatchSampler(
        digits, batch_size=40 // dist.get_world_size(), shuffle=True
    )
    for epoch in range(8):
        sampler.set_epoch(epoch)
        for images, labels in paddle.io.DataLoader(digits, batch_sampler=sampler):
            loss = F.cross_entropy(model(images), labels)
            loss.backward()
            adam.step()
            adam.clear_grad()
        dist.all_reduce(loss, op=dist.ReduceOp.AVG)
        print(f"epoch {epoch}: loss {float(loss):.3f}")
    if dist.get_rank() == 0:
        model.eval()
        tests = Digits(200, seed=1)
        logits = model(paddle.to_tensor(np.stack([image for image, _ in tests.rows])))
        accuracy = (logits.numpy().argmax(1) == np.array([label for _, label in tests.rows])).mean()
        print(f"accuracy: {accuracy:.2f}")
        assert accuracy > 0.9


if __name__ == "__main__":
    main()
