"""Rows of random ops: shapes and dtypes are compared, and deterministic cases."""

from __future__ import annotations

import numpy as np

from .rows import Numbers, Row

n = Numbers(17)

I32 = np.int32


def all_of(shape, value):
    """The reference of numbers that have no choice."""
    return lambda *_: np.full(shape, value)


# fmt: off
ROWS = [
    Row("uniform_random", [], {"shape": [2, 3], "min": 0.0}, random=True),
    Row("uniform_random", [], {"shape": [], "dtype": 6, "seed": 1}, random=True),
    Row("uniform_random", [], {"shape": [2, 2], "min": 2.0, "max": 2.0, "seed": 1}, all_of((2, 2), 2)),
    Row("uniform_random", [], {"shape": [2, 3], "min": 2.0, "max": 2.0, "diag_num": 2, "diag_step": 3, "diag_val": 9.0},
        lambda *_: np.array([[9, 2, 2], [2, 9, 2]])),
    Row("uniform_random", [np.array([2, 1], I32)], {}, random=True),
    Row("uniform_random", [None, [np.array([2], I32), np.array(3, I32)]], {"shape": [-1, 3]}, random=True),
    Row("gaussian_random", [], {"shape": [2, 3], "seed": 3}, random=True),
    Row("gaussian_random", [], {"shape": [], "mean": 5.0, "std": 0.0}, all_of((), 5)),
    Row("gaussian_random", [], {"shape": [2], "mean": 5.0, "std": 0.0, "dtype": 6}, all_of(2, 5)),
    Row("gaussian_random", [None, [np.array([2], I32), np.array(3, I32)]], {"shape": [-1, 3]}, random=True),
    Row("truncated_gaussian_random", [], {"shape": [5, 3]}, random=True),
    Row("truncated_gaussian_random", [], {"shape": [2, 2], "mean": 5.0, "std": 0.0}, all_of((2, 2), 5)),
    Row("randint", [], {"shape": [2, 3], "low": -3, "high": 4}, random=True),
    Row("randint", [], {"shape": [2], "low": 3, "high": 4, "dtype": 2}, all_of(2, 3)),
    Row("randint", [], {"shape": [], "low": 3, "high": 4}, all_of((), 3)),
    Row("randint", [np.array([2, 1], I32)], {"low": 0, "high": 9}, random=True),
    Row("randperm", [], {"n": 5}, random=True),
    Row("randperm", [], {"n": 1, "dtype": 2}, all_of(1, 0)),
    Row("randperm", [], {"n": 3, "dtype": 5}, random=True),
    Row("bernoulli", [np.array([0, 1, 1, 0], np.float32)], {}, lambda x: x, grad=False),
    Row("bernoulli", [n.pos(3, 4)], {}, random=True),
]

ROWS += [
    Row("multinomial", [n.pos(4)], {"num_samples": 3}, random=True),
    Row("multinomial", [n.pos(2, 4)], {"num_samples": 6, "replacement": True}, random=True),
    Row("poisson", [n.pos(3, 4) * 5], random=True),
    Row("exponential", [n.pos(3, 4)], {"lambda": 2.0}, random=True),
    Row("dirichlet", [n.pos(3, 4)], random=True),
]  # fmt: skip
