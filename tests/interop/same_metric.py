"""The same code for Oarlock and for real Paddle: metrics of two classes, and which samples a
process gets; see same_code.py.
"""

import numpy as np

CHANCES = np.array([0.1, 0.5, 0.6, 0.7, 0.49, 0.9], "float32")
LABELS = np.array([0, 1, 1, 0, 1, 1])


def two_classes(name, both=False):
    """Return the values of a metric after none, one and two batches, and after a reset."""

    def run(P):
        metric = getattr(P.metric, name)()
        found = [metric.accumulate()]
        for k in (1, 2):
            chances, labels = CHANCES[::k], LABELS[::k]
            preds = np.stack([1 - chances, chances], 1) if both else chances
            metric.update(P.to_tensor(preds), P.to_tensor(labels[:, None] if k == 1 else labels))
            found.append(metric.accumulate())
        metric.reset()
        return {"found": np.array([*found, metric.accumulate()]), "name": np.array(metric.name())}

    return run


def areas(P):
    """AUC with ties, with one class only, and with few thresholds."""
    draw = np.random.default_rng(2)
    chances = np.round(draw.uniform(0, 1, 300), 2).astype("float32")
    labels = (draw.uniform(0, 1, 300) < chances).astype("int64")
    found = []
    for steps, truth in ((4095, labels), (10, labels), (4095, labels * 0), (4095, labels * 0 + 1)):
        metric = P.metric.Auc(num_thresholds=steps)
        metric.update(np.stack([1 - chances, chances], 1), truth)
        found.append(metric.accumulate())
    return {"found": np.array(found)}


class Rows:
    """Something of a length."""

    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count


def shares(P):
    """The batches of each process."""
    found = {}
    for count, size, ranks, shuffle, drop in (
        (11, 4, 2, False, False),
        (11, 4, 2, True, False),
        (11, 4, 2, True, True),
        (11, 4, 3, False, False),
        (12, 4, 3, True, False),
        (7, 2, 1, True, True),
    ):
        for rank in range(ranks):
            sampler = P.io.DistributedBatchSampler(Rows(count), size, ranks, rank, shuffle, drop)
            passes = [len(sampler), list(sampler), list(sampler)]
            sampler.set_epoch(7)
            found[f"{count} {size} {ranks} {shuffle} {drop} {rank}"] = np.array(
                str([*passes, list(sampler)])
            )
    return found


CASES = {
    "metric.precision": two_classes("Precision"),
    "metric.recall": two_classes("Recall"),
    "metric.auc": two_classes("Auc", both=True),
    "metric.areas": areas,
    "io.shares": shares,
}
