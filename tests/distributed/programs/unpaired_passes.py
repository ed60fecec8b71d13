"""Train with forward and backward passes that do not come in pairs; rank 0 saves the weights."""

import sys

import numpy as np

import oarlock as paddle
import oarlock.distributed as dist
from oarlock import nn

ROWS, STEPS = 8, 3


def net(out=2):
    paddle.seed(3)
    return nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, out))


def mine(step):
    x = np.random.RandomState(step).randn(ROWS, 4)
    return paddle.to_tensor(np.split(x, dist.get_world_size())[dist.get_rank()])


def two_walks(model, step):
    found = model(mine(step))
    found.mean().backward(retain_graph=True)
    (found**2).mean().backward()


def two_and_two(model, step):
    first, second = model(mine(step)), model(mine(step + 10))
    (first**2).mean().backward()
    (second**2).mean().backward()


def looked_at_between(model, step):
    loss = (model(mine(step)) ** 2).mean()
    with paddle.no_grad():
        model(mine(step))
    loss.backward()


def accumulated(model, step):
    wrapped = model if isinstance(model, paddle.DataParallel) else model.forward
    with wrapped.no_sync():
        (model(mine(step)) ** 2).mean().backward()
    (model(mine(step + 10)) ** 2).mean().backward()


def steps(way, converted=False):
    model = paddle.DataParallel(net())
    if converted:
        model = paddle.jit.to_static(model)
    update = paddle.optimizer.SGD(0.1, parameters=model.parameters())
    for step in range(STEPS):
        way(model, step)
        update.step()
        update.clear_grad()
    return model.state_dict()


class Data(paddle.io.Dataset):
    def __len__(self):
        return 2 * ROWS

    def __getitem__(self, index):
        return np.random.RandomState(index).randn(4), np.zeros(2)


def fitted(folder):
    network = net()
    model = paddle.Model(network)
    model.prepare(
        paddle.optimizer.SGD(0.1, parameters=network.parameters()),
        nn.MSELoss(),
        paddle.metric.Accuracy(),
    )
    model.fit(
        Data(),
        batch_size=ROWS // dist.get_world_size(),
        epochs=2,
        shuffle=False,
        verbose=2,
        save_dir=folder,
    )
    return network.state_dict()


def main(out):
    dist.init_parallel_env()
    paddle.set_default_dtype("float64")
    found = {
        "two_walks": steps(two_walks),
        "two_and_two": steps(two_and_two),
        "looked_at_between": steps(looked_at_between),
        "accumulated": steps(accumulated),
        "converted": steps(two_and_two, converted=True),
        "converted_accumulated": steps(accumulated, converted=True),
        "fitted": fitted(out + ".saved"),
    }
    if dist.get_rank() == 0:
        np.savez(
            out,
            **{
                f"{w}/{key}": value.numpy()
                for w, state in found.items()
                for key, value in state.items()
            },
        )


if __name__ == "__main__":
    main(sys.argv[1])
