"""Helpers of the tests of guards."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import oarlock as paddle
from oarlock import nn


def x() -> Any:
    return paddle.to_tensor([1.0, 2.0, 3.0])


def check(value: Any, *wanted: float) -> None:
    np.testing.assert_allclose(value.numpy(), wanted, rtol=1e-6)


def constant_linear(value: float) -> nn.Linear:
    return nn.Linear(3, 3, weight_attr=paddle.ParamAttr(initializer=nn.initializer.Constant(value)))


@dataclass
class Factor:
    k: float
