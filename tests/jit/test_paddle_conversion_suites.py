"""Behavior that Paddle's own suites of the conversion test: results of either rank, truth of None,
excluded functions, invalid calls.
"""

from __future__ import annotations

import copy
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock.jit import load, save, to_static
from oarlock.jit.dy2static.convert_call_func import BUILTIN_LIKELY_MODULES
from oarlock.jit.dy2static.function_spec import FunctionSpec
from oarlock.nn import Layer, Linear
from oarlock.static import InputSpec

UP, DOWN = paddle.full([2, 3], 2.0), paddle.full([2, 3], -2.0)


class EitherRank(Layer):
    """The rows, or their sum."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = self.create_parameter([3])

    def forward(self, x: Any) -> Any:
        y = x * (self.scale * self.scale + 1)
        if x.sum() > 0:
            found = y + 1
        else:
            found = y.sum()
        return found


def test_result_of_two_ranks(tmp_path: Path) -> None:
    layer = EitherRank()
    save(layer, tmp_path / "m", input_spec=[InputSpec([None, 3])])
    loaded, static = load(tmp_path / "m"), to_static(EitherRank())
    static.set_state_dict(layer.state_dict())
    for x in (UP, DOWN):
        want = layer(x)
        for found in (static(x), loaded(x)):
            assert found.shape == want.shape
            np.testing.assert_allclose(found.numpy(), want.numpy(), rtol=1e-6)
        want.sum().backward()
        static(x).sum().backward()
        np.testing.assert_allclose(static.scale.grad.numpy(), layer.scale.grad.numpy(), rtol=1e-6)


def test_result_of_two_ranks_on_some_paths() -> None:
    def function(x: Any) -> Any:
        if x.sum() > 0:
            if x.max() > 1:
                y = x
        else:
            y = x.sum()
        return y

    static = to_static(function)
    with pytest.raises(paddle.OarlockError, match="'y'"):
        static(paddle.full([2], 0.5))


@pytest.mark.parametrize("last", [None, [], 0, "", "text", 3])
def test_non_tensor_operands_of_and(last: Any) -> None:
    def function(x: Any) -> Any:
        if x.mean() > 0 and (x is not None and paddle.shape(x)[0] > 1) and last:
            x = x + 1
        if x.mean() > 100 or (x.shape[0] > 1 and x.max() < 0) or last:
            x = x * 3
        return x

    for x in (UP, DOWN, UP[:1]):
        np.testing.assert_array_equal(to_static(function)(x).numpy(), function(x).numpy())


def test_function_named_super() -> None:
    class Other(Linear):
        def forward(self, x: Any) -> Any:
            def super() -> Any:
                return paddle.nn.ReLU()

            return super()(x)

    np.testing.assert_array_equal(to_static(Other(3, 3))(DOWN).numpy(), np.zeros((2, 3)))


def test_item_with_flat_index() -> None:
    x = paddle.arange(24, dtype="float32").reshape([2, 3, 4])
    for place in ((7,), (1, 0, 2), (-1,)):
        assert float(to_static(lambda x, place=place: x.item(*place) * 2)(x)) == x.item(*place) * 2


@pytest.mark.parametrize("static", [True, False])
@pytest.mark.parametrize(
    ("place", "error", "words"),
    [
        ((24,), ValueError, "index 24 is out of bounds for size 24"),
        ((0, 5, 0), ValueError, "index 5 is out of bounds for axis 1 with size 3"),
        ((0, 5, 0), IndexError, "index 5"),
        ((0, 1), ValueError, "incorrect number of indices for Tensor"),
        ((1.0,), TypeError, r"argument \(position 1\) must be long, but got float"),
        ((), ValueError, "only a tensor of one element"),
    ],
)
def test_item_index_errors(place: Any, error: Any, words: str, static: bool) -> None:
    def item(x: Any) -> Any:
        return x.item(*place)

    with pytest.raises(error, match=words):
        (to_static(item) if static else item)(paddle.zeros([2, 3, 4]))


def test_unexpected_arguments() -> None:
    def function(a: Any, b: Any, c: int = 1) -> Any:
        return a + b * c

    static = to_static(function)
    for error in (TypeError, ValueError):
        with pytest.raises(error, match="missing a required argument: 'b'"):
            static.get_concrete_program(InputSpec([2]))
        with pytest.raises(error, match="unexpected keyword argument 'd'"):
            static(paddle.ones([2]), paddle.ones([2]), d=1)


def test_save_uses_the_last_program(tmp_path: Path) -> None:
    layer = to_static(Linear(3, 3))
    layer(paddle.ones([2, 3]))
    first = layer.forward.program_cache.last()
    layer(paddle.ones([4, 2, 3]))
    assert layer.forward.program_cache.last() != first
    layer(paddle.ones([2, 3]))
    assert layer.forward.program_cache.last() == first
    layer.forward(input=paddle.ones([4, 2, 3]))
    assert layer.forward.program_cache.last() != first
    layer(paddle.ones([2, 3]))
    save(layer, tmp_path / "m")
    assert load(tmp_path / "m")._input_spec()[0].shape == (-1, 3)


def test_code_of_excluded_function() -> None:
    @paddle.jit.not_to_static
    def function(x: Any) -> Any:
        return x + 1 if x.shape[0] > 1 else x

    static = to_static(function)
    assert "x + 1 if x.shape[0] > 1 else x" in static.code
    np.testing.assert_array_equal(static(UP).numpy(), np.full((2, 3), 3.0))


def test_copy_of_static_function() -> None:
    def double(x: Any) -> Any:
        return x * 2

    static = to_static(double)
    assert copy.deepcopy(static) is double
    assert static.class_instance is None
    layer = to_static(Linear(3, 3))
    copied = copy.deepcopy(layer)
    assert copied.forward.class_instance is copied
    assert layer.forward.class_instance is layer


def test_ignore_module() -> None:
    paddle.jit.ignore_module([traceback])
    assert BUILTIN_LIKELY_MODULES[-1] is traceback


def test_mismatched_specs() -> None:
    spec = FunctionSpec(lambda a, b, c=1: a, [InputSpec([2]), InputSpec([2])])
    with pytest.raises(ValueError, match="arguments by name"):
        spec.args_to_input_spec((1, 2), {"c": 4})
    with pytest.raises(ValueError, match="2 specs for 1 arguments"):
        spec.args_to_input_spec((1,), {})


def test_engine_error_types() -> None:
    static = to_static(lambda x: paddle.reshape(x, [1, paddle.full([1], 2, "int32")]))
    for error in (ValueError, RuntimeError):
        with pytest.raises(error, match="cannot be reshaped"):
            static(UP)


def test_to_static_function_in_static_program() -> None:
    def function(x: Any) -> Any:
        if x.sum() > 0:
            x = x + 1
        return x

    converted = paddle.jit.api.dygraph_to_static_func(function)
    np.testing.assert_array_equal(converted(UP).numpy(), np.full((2, 3), 3.0))
    paddle.enable_static()
    try:
        program = paddle.static.Program()
        with paddle.static.program_guard(program):
            x = paddle.static.data("x", [2, 3])
            out = converted(x)
        for given, want in ((UP, 3.0), (DOWN, -2.0)):
            found = paddle.static.Executor().run(
                program, feed={"x": given.numpy()}, fetch_list=[out]
            )
            np.testing.assert_array_equal(found[0], np.full((2, 3), want))
    finally:
        paddle.disable_static()


ASKING = {
    "shape": lambda y: y.shape[0],
    "ndim": lambda y: y.ndim,
    "dim": lambda y: y.dim(),
    "size": lambda y: y.size,
    "len": len,
    "op": lambda y: y + 1,
}


@pytest.mark.parametrize("asked", ASKING)
def test_rank_of_two_rank_result_cannot_be_read(asked: str) -> None:
    def function(x: Any) -> Any:
        if x.sum() > 0:
            y = x
        else:
            y = x.sum()
        return x + ASKING[asked](y)

    with pytest.raises(
        paddle.TraceError, match=r"in each branch.*\n.*float32\[2,3\].*\n.*float32\[\]"
    ):
        to_static(function)(UP)


class Loss(Layer):
    """Returns a sum, or a list with one zero if there is nothing to sum, as losses of Paddle before
    2.5 do.
    """

    def __init__(self) -> None:
        super().__init__()
        self.linear = Linear(3, 2)

    def forward(self, x: Any) -> Any:
        y = self.linear(x)
        if x.sum() > 0:
            loss = y.sum()
        else:
            loss = paddle.zeros([1])
        return 2.5 * loss + y.mean()


def loss_and_gradients(net: Any, call: Any) -> list[Any]:
    """Return the loss and its gradient for an input of each path."""
    found = []
    for x in (UP, DOWN):
        loss = call(x)
        loss.backward()
        found += [float(loss), net.linear.weight.grad.numpy()]
        net.clear_gradients()
    return found


def test_0d_and_1d_results_are_merged_to_0d(
    tmp_path: Path,
) -> None:
    net, said = Loss(), "scale: an operand is 0-D in one branch and 1-D in the other"
    wanted = loss_and_gradients(net, net)
    with pytest.warns(UserWarning, match=said):
        got = loss_and_gradients(net, to_static(net.forward))
    for a, b in zip(got, wanted, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    with pytest.warns(UserWarning, match=said):
        save(net, str(tmp_path / "m"), [InputSpec([None, 3], "float32", "x")])
    loaded = load(str(tmp_path / "m"))
    for x, loss in zip((UP, DOWN), wanted[::2], strict=True):
        assert loaded(x).shape == []
        assert float(loaded(x)) == pytest.approx(loss, rel=1e-5)
