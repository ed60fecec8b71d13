"""Layers and optimizers of Paddle 1.5 and 1.6: name scope first, sizes from the first inputs, no
parameter list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from oarlock import fluid

from .cases.common import integers, numbers

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
d = fluid.dygraph
PICTURE = numbers(2, 4, 5, 5)


@pytest.fixture(autouse=True)
def dygraph_mode() -> Iterator[None]:
    with fluid.dygraph.guard(), fluid.unique_name.guard():
        yield


def run_with_fixed_parameters(layer: Any, *arrays: Any) -> Any:
    """Return the results of a layer whose parameters depend only on their shapes."""
    inputs = [d.to_variable(a) for a in arrays]
    layer(*inputs)  # makes them
    for i, parameter in enumerate(layer.parameters()):
        parameter.set_value(numbers(*parameter.shape, seed=i, low=0.1, high=0.5))
    found = layer(*inputs)
    return [f.numpy() for f in (found if isinstance(found, tuple) else [found])]


# How 1.5 or 1.6 made a layer, how 1.8 does, what it is given.
PAIRS: dict[str, tuple[Callable[[], Any], Callable[[], Any], list[Any]]] = {
    "conv2d 1.5": (lambda: d.Conv2D("c", 4, 6, 3, 2, 1), lambda: d.Conv2D(4, 6, 3, 2, 1), [PICTURE]),
    "conv2d 1.5 by name": (lambda: d.Conv2D("c", num_channels=4, num_filters=6, filter_size=3, act="relu"), lambda: d.Conv2D(4, 6, 3, act="relu"), [PICTURE]),
    "conv2d 1.6": (lambda: d.Conv2D("c", 6, 3), lambda: d.Conv2D(4, 6, 3), [PICTURE]),
    "conv2d 1.6 by name": (lambda: d.Conv2D("c", num_filters=6, filter_size=3, stride=2), lambda: d.Conv2D(4, 6, 3, 2), [PICTURE]),
    "conv3d": (lambda: d.Conv3D("c", 3, 2), lambda: d.Conv3D(2, 3, 2), [numbers(1, 2, 3, 3, 3)]),
    "conv2d_transpose": (lambda: d.Conv2DTranspose("c", 3, filter_size=3), lambda: d.Conv2DTranspose(4, 3, 3), [PICTURE]),
    "conv2d_transpose by size": (lambda: d.Conv2DTranspose("c", 3, output_size=7), lambda: d.Conv2DTranspose(4, 3, 3, output_size=7), [PICTURE]),
    "pool2d": (lambda: d.Pool2D("p", 2, "avg", 2), lambda: d.Pool2D(2, "avg", 2), [PICTURE]),
    "batch_norm": (lambda: d.BatchNorm("b", 4, "relu"), lambda: d.BatchNorm(4, "relu"), [PICTURE]),
    "embedding": (lambda: d.Embedding("e", [10, 3]), lambda: d.Embedding([10, 3]), [integers(2, 4)]),
    "layer_norm": (lambda: d.LayerNorm("l", begin_norm_axis=2), lambda: d.LayerNorm([5, 5]), [PICTURE]),
    "group_norm": (lambda: d.GroupNorm("g", 2), lambda: d.GroupNorm(4, 2), [PICTURE]),
    "spectral_norm": (lambda: d.SpectralNorm("s", dim=1), lambda: d.SpectralNorm([4, 3], dim=1), [numbers(4, 3)]),
    "prelu": (lambda: d.PRelu("p", "channel"), lambda: d.PRelu("channel", channel=4), [PICTURE]),
    "prelu by name": (lambda: d.PRelu("p", mode="all"), lambda: d.PRelu("all"), [PICTURE]),
    "bilinear": (lambda: d.BilinearTensorProduct("b", 2), lambda: d.BilinearTensorProduct(3, 4, 2), [numbers(5, 3), numbers(5, 4)]),
    "gru_unit": (lambda: d.GRUUnit("g", 9), lambda: d.GRUUnit(9), [numbers(2, 9), numbers(2, 3)]),
    "fc": (lambda: d.FC("f", 4, act="tanh"), lambda: d.Linear(3, 4, act="tanh"), [numbers(2, 3)]),
    "sequential": (lambda: d.Sequential("s", ("a", d.Linear(3, 2))), lambda: d.Sequential(("a", d.Linear(3, 2))), [numbers(2, 3)]),
}  # fmt: skip


@pytest.mark.parametrize("name", PAIRS)
def test_name_scope_does_not_change_results(name: str) -> None:
    old, new, arrays = PAIRS[name]
    first, second = old(), new()
    for one, other in zip(
        run_with_fixed_parameters(first, *arrays),
        run_with_fixed_parameters(second, *arrays),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)
    assert list(first.state_dict()) == list(second.state_dict()) or name == "fc"


def test_names_contain_the_scope() -> None:
    conv = d.Conv2D("net_0", 1, 2, 3)
    assert conv.full_name() == "net_0/Conv2D_0"
    assert conv.weight.name == "net_0/Conv2D_0.w_0"
    late = d.LayerNorm("net_0")
    assert late.full_name() == "net_0/LayerNorm_0"
    late(d.to_variable(numbers(2, 3)))
    assert late.weight.name == "net_0/LayerNorm_0.w_0"


def test_embedding_of_ids_with_last_axis_one() -> None:
    assert d.Embedding("e", [10, 3])(d.to_variable(integers(2, 4, 1))).shape == [2, 4, 3]
    assert d.Embedding([10, 3])(d.to_variable(integers(2, 4, 1))).shape == [2, 4, 1, 3]


def test_fc_with_several_inputs() -> None:
    layer = d.FC("f", 4, num_flatten_dims=2)
    found = layer([d.to_variable(numbers(2, 3, 5)), d.to_variable(numbers(2, 3, 2, 2))])
    assert found.shape == [2, 3, 4]
    assert [w.shape for w in layer.weight] == [[5, 4], [4, 4]]
    assert layer.bias.shape == [4]


def test_optimizer_without_parameter_list() -> None:
    net = d.FC("f", 2)
    optimizer = fluid.optimizer.SGDOptimizer(learning_rate=0.5)
    x = d.to_variable(numbers(3, 4))
    loss = fluid.layers.reduce_sum(net(x))
    loss.backward(d.BackwardStrategy())
    before, slope = net.weight.numpy(), net.weight.gradient()
    optimizer.minimize(loss)
    np.testing.assert_allclose(net.weight.numpy(), before - 0.5 * slope, rtol=1e-6)
    net.clear_gradients()
    assert not net.weight.gradient().any()


def test_gradient_clip_of_minimize() -> None:
    from oarlock.fluid.dygraph_grad_clip import (
        GradClipByGlobalNorm,
        GradClipByNorm,
        GradClipByValue,
    )

    for clip, most in (
        (GradClipByGlobalNorm(0.1), 0.1),
        (GradClipByNorm(0.2), 0.2),
        (GradClipByValue(-0.1, 0.1), 0.1 * 8**0.5),
    ):
        net = d.Linear(4, 2, bias_attr=False)
        before = net.weight.numpy()
        loss = fluid.layers.reduce_sum(net(d.to_variable(np.ones([3, 4], np.float32))))
        loss.backward()
        fluid.optimizer.SGD(1.0, parameter_list=net.parameters()).minimize(loss, grad_clip=clip)
        assert np.linalg.norm(net.weight.numpy() - before) == pytest.approx(most, rel=1e-5)


def test_build_once() -> None:
    class Late(d.Layer):
        def __init__(self, name_scope: str) -> None:
            super().__init__(name_scope)
            self.seen = 0

        def _build_once(self, x: Any) -> None:
            self.seen += 1
            self.w = self.create_parameter(attr=None, shape=[x.shape[1], 2], dtype="float32")

        def forward(self, x: Any) -> Any:
            return fluid.layers.matmul(x, self.w)

    layer = Late("late")
    assert layer.full_name() == "late_0"
    assert layer.parameters() == []
    for _ in range(2):
        assert layer(d.to_variable(numbers(3, 4))).shape == [3, 2]
    assert layer.seen == 1
    assert [p.name for p in layer.parameters()] == ["late_0.w_0"]
