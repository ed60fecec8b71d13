"""Datasets, samplers, collate functions and DataLoader, without worker processes."""

# ruff: noqa - Python as its users write it

import numpy as np

from ..table import attempt, each, f32, paddle, raised, scenario

io = paddle.io


class Squares(io.Dataset):
    def __init__(self, n=7):
        self.n = n

    def __getitem__(self, i):
        return np.float32([i, i * i]), i

    def __len__(self):
        return self.n


class Stream(io.IterableDataset):
    def __iter__(self):
        for i in range(5):
            yield np.float32([i])


@scenario
def batches():
    found = {}
    for name, options in {
        "plain": {"batch_size": 3},
        "drop": {"batch_size": 3, "drop_last": True},
        "none": {"batch_size": None},
        "one": {},
        "list": {"batch_size": 2, "return_list": True},
    }.items():
        loader = io.DataLoader(Squares(), **options)
        found[name] = [attempt(lambda: len(loader)), attempt(lambda: [b for b in loader][-1])]
    return found


@scenario
def shuffled():
    loader = io.DataLoader(Squares(20), batch_size=5, shuffle=True)
    seen = [int(v) for _, b in loader for v in b]
    return sorted(seen) == list(range(20)), seen != list(range(20)), len(loader)


@scenario
def streams():
    return each(
        lambda: [b for b in io.DataLoader(Stream(), batch_size=2)],
        lambda: [b for b in io.DataLoader(Stream(), batch_size=2, drop_last=True)],
        lambda: raised(len, io.DataLoader(Stream(), batch_size=2)) != "no error",
        lambda: raised(io.DataLoader, Stream(), shuffle=True) != "no error",
        lambda: raised(lambda: Stream()[0]) != "no error",
        lambda: raised(len, Stream()) != "no error",
    )


class Things(io.Dataset):
    def __getitem__(self, i):
        return {
            "a": np.int64(i),
            "b": [float(i), np.ones(2, "float64") * i],
            "c": f"t{i}",
            "d": paddle.to_tensor([i]),
        }

    def __len__(self):
        return 4


@scenario
def nested_samples():
    return next(iter(io.DataLoader(Things(), batch_size=2))), [
        type(v).__name__ for v in next(iter(io.DataLoader(Things(), batch_size=2))).values()
    ] == []


@scenario
def collate_functions():
    loader = io.DataLoader(
        Squares(), batch_size=3, collate_fn=lambda rows: np.stack([r[0] for r in rows]).sum(0)
    )
    return [b for b in loader]


@scenario
def samplers():
    d = Squares(6)
    np.random.seed(3)
    r = list(io.RandomSampler(d))
    return each(
        lambda: list(io.SequenceSampler(d)),
        lambda: sorted(r),
        lambda: len(io.RandomSampler(d, True, 4)),
        lambda: len(list(io.RandomSampler(d, replacement=True, num_samples=9))),
        lambda: set(list(io.WeightedRandomSampler([0.0, 1.0, 0.0], 5))),
        lambda: len(io.WeightedRandomSampler([0.5, 0.5], 2, replacement=False)),
        lambda: list(io.BatchSampler(d, batch_size=4)),
        lambda: list(io.BatchSampler(d, batch_size=4, drop_last=True)),
        lambda: list(io.BatchSampler(sampler=io.SequenceSampler(d), batch_size=5)),
        lambda: len(io.BatchSampler(d, shuffle=True, batch_size=4)),
        lambda: sorted(sum(io.BatchSampler(d, shuffle=True, batch_size=4), [])),
        lambda: (
            sorted(io.SubsetRandomSampler([1, 3])) if hasattr(io, "SubsetRandomSampler") else None
        ),
        lambda: raised(io.BatchSampler) != "no error",
        lambda: raised(io.BatchSampler, d, batch_size=-1) != "no error",
        lambda: 1,
    )


@scenario
def distributed_batches():
    d = Squares(10)
    found = []
    for rank in (0, 1):
        s = io.DistributedBatchSampler(d, 3, num_replicas=2, rank=rank)
        found.append([list(s), len(s)])
    t = io.DistributedBatchSampler(d, 4, 2, 1, shuffle=True, drop_last=True)
    a = list(t)
    t.set_epoch(1)
    return found, a, list(t), raised(io.DistributedBatchSampler, d, 0) != "no error"


@scenario
def combined_datasets():
    a, b = Squares(3), Squares(5)
    t = io.TensorDataset([paddle.arange(6).reshape([3, 2]), paddle.arange(3)])
    parts = io.random_split(Squares(10), [7, 3])
    return each(
        lambda: [len(t), t[1]],
        lambda: len(io.ConcatDataset([a, b])),
        lambda: io.ConcatDataset([a, b])[4],
        lambda: io.ConcatDataset([a, b])[-1],
        lambda: io.ComposeDataset([a, a])[2],
        lambda: len(io.ComposeDataset([a, a])),
        lambda: [float(v.sum()) for v in io.ChainDataset([Stream(), Stream()])],
        lambda: io.Subset(b, [4, 0])[0],
        lambda: len(io.Subset(b, [4, 0])),
        lambda: [len(p) for p in parts],
        lambda: sorted(i for p in parts for _, i in [p[k] for k in range(len(p))]),
        lambda: raised(io.random_split, Squares(10), [3, 3]) != "no error",
        lambda: raised(io.TensorDataset, [paddle.ones([2]), paddle.ones([3])]) != "no error",
        lambda: raised(io.ComposeDataset, [a, b]) != "no error",
        lambda: raised(io.ConcatDataset, []) != "no error",
        lambda: [len(p) for p in io.random_split(Squares(10), [0.5, 0.5])],
    )


@scenario
def batch_samplers_of_users():
    class Mine(io.Sampler):
        def __iter__(self):
            return iter([2, 0, 1])

        def __len__(self):
            return 3

    loader = io.DataLoader(
        Squares(), batch_sampler=io.BatchSampler(sampler=Mine(Squares()), batch_size=2)
    )
    lists = io.DataLoader(Squares(), batch_sampler=[[0, 1], [5]])
    return each(
        lambda: [b[1] for b in loader],
        lambda: [b[1] for b in lists],
        lambda: raised(io.DataLoader, Squares(), batch_sampler=[[0]], batch_size=3) != "no error",
        lambda: raised(io.DataLoader, 3) != "no error",
        lambda: io.get_worker_info(),
    )


@scenario
def metrics():
    m = paddle.metric
    a, p, r, u = m.Accuracy(topk=(1, 2)), m.Precision(), m.Recall(), m.Auc()
    pred, label = f32([[0.1, 0.9], [0.8, 0.2], [0.3, 0.7]]), np.array([[1], [1], [0]])
    a.update(a.compute(paddle.to_tensor(pred), paddle.to_tensor(label)))
    p.update(pred[:, 1], label)
    r.update(pred[:, 1], label)
    u.update(pred, label)
    found = each(
        lambda: a.accumulate(),
        lambda: p.accumulate(),
        lambda: r.accumulate(),
        lambda: u.accumulate(),
        lambda: a.name(),
        lambda: p.name(),
    )
    a.reset(), p.reset(), r.reset(), u.reset()
    return each(
        lambda: found,
        lambda: a.accumulate(),
        lambda: p.accumulate(),
        lambda: r.accumulate(),
        lambda: m.accuracy(paddle.to_tensor(pred), paddle.to_tensor(label)),
    )
