"""Repeated calls of `to_static` take a fast path, which makes the same checks as the first call."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OpError
from oarlock.ir.work_estimate import is_too_small_for_threads
from oarlock.static import Dim, InputSpec

SPECS = [None, [InputSpec([None, 4], "float32", "x")]]
SCALE = 1.0


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)
        self.drop = nn.Dropout(0.5)
        self.factor = 2.0

    def forward(self, x: Any, bias: float = 0.0) -> Any:
        return self.drop(self.fc(x)) * self.factor * SCALE + bias


def expected(net: Net, x: Any, factor: float = 2.0) -> Any:
    weight, bias = net.fc.weight.numpy(), net.fc.bias.numpy()
    return (x.numpy() @ weight + bias) * factor


@pytest.fixture(params=SPECS, ids=["no spec", "input_spec"])
def converted_net_and_input(request: pytest.FixtureRequest) -> tuple[Net, Any]:
    """A converted layer in eval mode that was called twice without gradients."""
    net = Net()
    net.eval()
    paddle.jit.to_static(net, input_spec=request.param)
    x = paddle.randn([2, 4])
    with paddle.no_grad():
        for _ in range(2):
            np.testing.assert_allclose(net(x).numpy(), expected(net, x), rtol=1e-5, atol=1e-6)
    assert net.forward.program_cache.fast_cache  # the fast path exists
    return net, x


def num_programs(net: Net) -> int:
    return len(net.forward.program_cache)


def test_changed_parameter(converted_net_and_input: tuple[Net, Any]) -> None:
    net, x = converted_net_and_input
    for _ in range(3):
        net.fc.weight.set_value(net.fc.weight * 1.5)
        with paddle.no_grad():
            for _ in range(3):
                np.testing.assert_allclose(net(x).numpy(), expected(net, x), rtol=1e-5, atol=1e-6)
    assert num_programs(net) == 1


def test_changed_attribute(converted_net_and_input: tuple[Net, Any]) -> None:
    net, x = converted_net_and_input
    net.factor = 5.0
    with paddle.no_grad():
        np.testing.assert_allclose(net(x).numpy(), expected(net, x, 5.0), rtol=1e-5, atol=1e-6)
    net.factor = 2.0
    with paddle.no_grad():
        np.testing.assert_allclose(net(x).numpy(), expected(net, x, 2.0), rtol=1e-5, atol=1e-6)
    assert num_programs(net) == 2


def test_changed_global(
    converted_net_and_input: tuple[Net, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    net, x = converted_net_and_input
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    with paddle.no_grad():
        np.testing.assert_allclose(net(x).numpy(), expected(net, x, 6.0), rtol=1e-5, atol=1e-6)


def test_replaced_sublayer(converted_net_and_input: tuple[Net, Any]) -> None:
    net, x = converted_net_and_input
    net.fc = nn.Linear(4, 3)
    with paddle.no_grad():
        np.testing.assert_allclose(net(x).numpy(), expected(net, x), rtol=1e-5, atol=1e-6)


def test_training_mode(converted_net_and_input: tuple[Net, Any]) -> None:
    net, x = converted_net_and_input
    net.train()
    with paddle.no_grad():
        assert any((net(x).numpy() == 0).any() for _ in range(20))  # dropout
    net.eval()
    with paddle.no_grad():
        np.testing.assert_allclose(net(x).numpy(), expected(net, x), rtol=1e-5, atol=1e-6)


def test_gradients(converted_net_and_input: tuple[Net, Any]) -> None:
    net, x = converted_net_and_input
    net(x).sum().backward()
    want = np.tile(2 * x.numpy().sum(0)[:, None], (1, 3))
    np.testing.assert_allclose(net.fc.weight.grad.numpy(), want, rtol=1e-5, atol=1e-6)
    with paddle.no_grad():
        assert net(x).stop_gradient


def test_automatic_mixed_precision(converted_net_and_input: tuple[Net, Any]) -> None:
    net, x = converted_net_and_input
    with paddle.no_grad(), paddle.amp.auto_cast(dtype="float16", level="O1"):
        half = net(x).numpy()
    with paddle.no_grad():
        full = net(x).numpy()
    np.testing.assert_allclose(full, expected(net, x), rtol=1e-5, atol=1e-6)
    assert not np.array_equal(np.asarray(half, "float32"), full)


def test_check_for_nan(converted_net_and_input: tuple[Net, Any]) -> None:
    net, _ = converted_net_and_input
    x = paddle.full([2, 4], float("nan"))
    with paddle.no_grad():
        net(x)
        paddle.set_flags({"FLAGS_check_nan_inf": True})
        try:
            with pytest.raises(RuntimeError, match="(?i)nan"):
                net(x)
        finally:
            paddle.set_flags({"FLAGS_check_nan_inf": False})


@pytest.mark.filterwarnings("ignore:.*as input_spec says")
def test_other_shapes_dtypes_and_arguments(converted_net_and_input: tuple[Net, Any]) -> None:
    net, _ = converted_net_and_input
    with paddle.no_grad():
        for rows in (1, 5, 2):
            x = paddle.randn([rows, 4])
            np.testing.assert_allclose(net(x).numpy(), expected(net, x), rtol=1e-5, atol=1e-6)
        x = paddle.randn([2, 4])
        with pytest.raises(OpError):
            net(x.astype("float64"))
        with pytest.raises(OpError):
            net(paddle.randn([2, 5]))


def test_other_values_of_python_arguments() -> None:
    net = Net()
    net.eval()
    paddle.jit.to_static(net)
    x = paddle.randn([2, 4])
    with paddle.no_grad():
        for bias in (0.0, 1.0, 0.0, 2.0):
            want = expected(net, x) + bias
            np.testing.assert_allclose(net(x, bias).numpy(), want, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(net(x).numpy(), want - bias, rtol=1e-5, atol=1e-6)


def test_each_call_with_a_contradicting_shape_warns() -> None:
    function = paddle.jit.to_static(lambda x: x * 2, input_spec=[InputSpec([3], "float32", "x")])
    for _ in range(3):
        with pytest.warns(UserWarning, match="should be float32"):
            assert function(paddle.ones([2])).shape == [2]


def test_named_dimension_is_checked_at_each_call() -> None:
    spec = [InputSpec([Dim("n", 1, 4)], "float32", "x")]
    function = paddle.jit.to_static(lambda x: x * 2, input_spec=spec)
    for _ in range(3):
        assert function(paddle.ones([4])).shape == [4]
        with pytest.raises(OpError, match="n"):
            function(paddle.ones([5]))


def test_same_tensor_twice() -> None:
    def swap_in_place(x: Any, y: Any) -> Any:
        return paddle.assign(x).add_(y) + x

    function = paddle.jit.to_static(swap_in_place)
    x, y = paddle.ones([2]), paddle.full([2], 5.0)
    with paddle.no_grad():
        for _ in range(2):
            assert function(x, y).tolist() == [7.0, 7.0]
            assert function(x, x).tolist() == [3.0, 3.0]


@pytest.mark.parametrize(
    ("width", "rows", "is_small"),
    [(100, 1, True), (100, 4, True), (100, 64, False), (2000, 1, False)],
)
def test_small_programs_run_with_one_thread(width: int, rows: int, is_small: bool) -> None:
    net = nn.Sequential(nn.Linear(784, width), nn.ReLU(), nn.Linear(width, 10))
    net.eval()
    paddle.jit.to_static(net)
    with paddle.no_grad():
        net(paddle.randn([rows, 784]))
    program = net.forward.program_cache.latest_program.captured_program.program
    assert is_too_small_for_threads(program) == is_small


def test_programs_of_unknown_work_use_the_default_number_of_threads() -> None:
    spec = [InputSpec([None, 4], "float32", "x")]
    matmul = paddle.jit.to_static(nn.Linear(4, 4), input_spec=spec).forward
    convolution = paddle.jit.to_static(
        nn.Conv2D(1, 1, 1), input_spec=[InputSpec([1, 1, 2, 2], "float32", "x")]
    ).forward
    for function in (matmul, convolution):
        assert not is_too_small_for_threads(function.concrete_program.captured_program.program)


def test_lazily_imported_packages_provide_the_names_that_they_add_to_others() -> None:
    """In a child process, because this one has imported everything."""
    code = """
import sys
import oarlock as paddle
assert not {"oarlock.nn", "oarlock.static", "oarlock.jit", "numpy.random"} & sys.modules.keys()
x = paddle.ones([2])
assert x.block is paddle.static.default_main_program().global_block()
assert paddle.tensor.array_length(paddle.tensor.create_array("float32")) == 0
with paddle.static.program_guard(paddle.static.Program()):
    program = paddle.static.default_main_program()
    data = program.desc.serialize_to_string()
assert paddle.static.Program.parse_from_string(data).raw == program.raw
assert {*paddle.__all__} <= {*dir(paddle)}
"""
    subprocess.run([sys.executable, "-c", code], check=True)
