"""Paddle 1.x code with tensors on a GPU."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest

import oarlock
from oarlock import fluid

pytestmark = pytest.mark.filterwarnings("ignore:.* is an old name")


def test_print_and_numpy(cupy: ModuleType) -> None:
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.array([[1.0, 2.0]], np.float32)).cuda()
        assert isinstance(x.array, cupy.ndarray)
        assert "data: [1 2]" in str(x) and x.numpy().tolist() == [[1.0, 2.0]]


def test_scope_values_are_copied_to_the_cpu(cupy: ModuleType) -> None:
    scope = oarlock.static.Scope()
    scope.find_or_create("w").array = oarlock.to_tensor([3.0], place=oarlock.CUDAPlace(0)).array
    assert type(scope.value("w").array) is np.ndarray and scope.value("w").numpy().tolist() == [3.0]


def test_step_counter_on_gpu(cupy: ModuleType) -> None:
    with fluid.dygraph.guard():
        linear = fluid.dygraph.Linear(2, 2)
        decay = fluid.dygraph.NoamDecay(16, 100)
        adam = fluid.optimizer.AdamOptimizer(decay, parameter_list=linear.parameters())
        adam.set_dict({"global_step": fluid.dygraph.to_variable(np.array([7], np.int64)).cuda()})
        assert decay.step_num == 7
