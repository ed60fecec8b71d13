"""Metric layers."""

import numpy as np

from .common import family, integers, numbers, static

X = {
    "x": numbers(6, 4, low=0.0),
    "label": integers(6, 1, below=4),
    "p": np.stack([1 - numbers(6, low=0.0), numbers(6, low=0.0)], 1),
    "two": integers(6, 1, below=2),
    "m": integers(8, below=3).astype("int32"),
    "n": integers(8, below=3, seed=9).astype("int32"),
}
family(
    globals(),
    [
        (
            "accuracy",
            lambda f, v: [f.accuracy(v["x"], v["label"]), f.accuracy(v["x"], v["label"], k=2)],
        ),
        ("mean_iou", lambda f, v: f.mean_iou(v["m"], v["n"], 4)),
    ],
    X,
    (),
)


def case_counts(fluid):
    def build(v):
        correct, total = fluid.layers.create_tensor("int32"), fluid.layers.create_tensor("int32")
        return [
            fluid.layers.accuracy(v["x"], v["label"], correct=correct, total=total),
            correct,
            total,
        ]

    return static(fluid, build, X)


def case_auc(fluid):
    return static(
        fluid, lambda v: fluid.layers.auc(v["p"], v["two"], num_thresholds=100)[:2], X, steps=3
    )
