"""Mixed precision in programs: which ops run in half precision, the factor of the loss, steps that
are left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.core.errors import OarlockError, OpError

amp = static.amp
F = paddle.nn.functional


def network() -> Any:
    """The loss of a small network of x [?, 4] and y [?, 1]."""
    x, y = static.data("x", [None, 4]), static.data("y", [None, 1], "int64")
    h = static.nn.batch_norm(F.relu(static.nn.fc(x, 8)))
    return F.cross_entropy(static.nn.fc(h, 3), y).mean()


def batch(i: int) -> dict[str, Any]:
    x = np.random.default_rng(i).normal(size=(6, 4)).astype("float32")
    return {"x": x, "y": (x.sum(1, keepdims=True) > 0).astype("int64")}


def dtypes(program: Any, type: str) -> set[str]:
    """Return the output dtypes of the ops of one type."""
    block = program.global_block()
    return {block.var(op.output("Out")[0]).dtype.name for op in block.ops if op.type == type}


def train(optimizer: Any, loss: Any, runs: int = 8, fetch: Any = ()) -> list[list[float]]:
    paddle.seed(1)
    optimizer.minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    fetches = [loss, *(f() for f in fetch)]
    return [
        [float(a.reshape(-1)[0]) for a in exe.run(feed=batch(i), fetch_list=fetches)]
        for i in range(runs)
    ]


def in_new_programs(run: Any) -> Any:
    with (
        static.scope_guard(static.Scope()),
        paddle.utils.unique_name.guard(),
        static.program_guard(static.Program(), static.Program()),
    ):
        return run()


@pytest.mark.parametrize(
    ("settings", "tolerance"),
    [
        ({"level": "O0"}, 1e-5),
        ({"init_loss_scaling": 8.0}, 1e-2),
        ({"level": "O2", "init_loss_scaling": 8.0}, 1e-2),
        ({"level": "OD", "init_loss_scaling": 1.0, "use_dynamic_loss_scaling": False}, 1e-2),
        ({"dtype": "bfloat16"}, 6e-2),
        ({"use_bf16": True}, 6e-2),
    ],
)
def test_losses_are_close_to_float32(
    settings: dict[str, Any], tolerance: float, static_mode: Any
) -> None:
    plain = in_new_programs(lambda: train(paddle.optimizer.Adam(0.05), network()))
    mixed = in_new_programs(
        lambda: train(amp.decorate(paddle.optimizer.Adam(0.05), **settings), network())
    )
    np.testing.assert_allclose(mixed, plain, rtol=tolerance, atol=tolerance)
    assert (mixed == plain) == (settings.get("level") == "O0")


def test_ops_in_half_precision(static_mode: Any) -> None:
    loss = network()
    amp.decorate(paddle.optimizer.SGD(0.1)).minimize(loss)
    program = static.default_main_program()
    assert dtypes(program, "mul") == {"float16"}
    assert dtypes(program, "reduce_mean") == {"float32"}
    assert loss.dtype.name == "float32"
    assert {p.dtype.name for p in program.all_parameters()} == {"float32"}


def test_custom_op_lists(static_mode: Any) -> None:
    lists = amp.CustomOpLists(custom_white_list=["reduce_mean"], custom_black_list=["mul"])
    amp.decorate(paddle.optimizer.SGD(0.1), lists).minimize(network())
    program = static.default_main_program()
    assert dtypes(program, "mul") == {"float32"}
    assert "float16" in dtypes(program, "reduce_mean")
    with pytest.raises(OpError, match="are in both custom lists"):
        amp.CustomOpLists(["mul"], ["mul"])
    with pytest.raises(OpError, match="neither float16 nor bfloat16"):
        amp.AutoMixedPrecisionLists(dtype="float64")


def test_float32_variable_list(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    w = static.create_parameter([4, 2], "float32", name="kept")
    loss = (
        paddle.matmul(x, w) + paddle.matmul(x, static.create_parameter([4, 2], "float32"))
    ).mean()
    amp.decorate(
        paddle.optimizer.SGD(0.1), amp.CustomOpLists(custom_black_varnames=["kept"])
    ).minimize(loss)
    assert dtypes(static.default_main_program(), "matmul_v2") >= {"float16", "float32"}


def test_fp16_guard(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    h = static.nn.fc(x, 3)
    with amp.fp16_guard():
        loss = static.nn.fc(h, 3).mean()
    amp.decorate(paddle.optimizer.SGD(0.1), use_pure_fp16=True).minimize(loss)
    assert dtypes(static.default_main_program(), "mul") == {"float16", "float32"}


def test_loss_scaling_and_skipped_steps(static_mode: Any) -> None:
    x = static.data("x", [2])
    w = static.create_parameter(
        [2], "float32", default_initializer=paddle.nn.initializer.Constant(1.0)
    )
    optimizer = amp.decorate(
        paddle.optimizer.Adam(0.5),
        init_loss_scaling=8.0,
        incr_every_n_steps=2,
        decr_every_n_nan_or_inf=2,
    )
    optimizer.minimize((w * x).sum())
    exe = static.Executor()
    exe.run(static.default_startup_program())
    fetches = [optimizer.get_loss_scaling(), w, optimizer.get_scaled_loss()]
    seen = []
    for good in (True, True, False, True, False, False):
        feed = np.array([1.0, 1.0 if good else np.inf], "float32")
        scale, value, _ = exe.run(feed={"x": feed}, fetch_list=fetches)
        seen.append((float(scale[0]), round(float(value[0]), 3)))
    assert seen == [(8.0, 0.5), (16.0, 0.0), (16.0, 0.0), (16.0, -0.5), (16.0, -0.5), (8.0, -0.5)]
    test = static.default_main_program().clone(for_test=True)
    assert not {"check_finite_and_unscale", "conditional_block", "adam"} & {
        op.type for op in test.global_block().ops
    }


def test_control_flow_keeps_float32(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    h = static.nn.fc(x, 4)
    i = paddle.zeros([1], "int64")
    h = static.nn.while_loop(lambda i, h: i < 2, lambda i, h: [i + 1, paddle.tanh(h)], [i, h])[1]
    loss = static.nn.fc(h, 2).mean()
    amp.decorate(paddle.optimizer.SGD(0.1), init_loss_scaling=2.0).minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    values = [
        exe.run(feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])[0].item()
        for _ in range(2)
    ]
    assert values[1] < values[0]


def test_invalid_arguments_are_rejected(static_mode: Any) -> None:
    with pytest.raises(OpError, match="level='O3'"):
        amp.decorate(paddle.optimizer.SGD(0.1), level="O3")
    optimizer = amp.decorate(paddle.optimizer.SGD(0.1))
    with pytest.raises(OarlockError, match="call minimize"):
        optimizer.get_loss_scaling()
    with pytest.raises(OarlockError, match="call minimize"):
        optimizer.amp_init(None)


def test_older_bfloat16_names(static_mode: Any) -> None:
    loss = static.nn.fc(static.nn.fc(static.data("x", [None, 4]), 4), 2).square().mean()
    lists = amp.bf16.AutoMixedPrecisionListsBF16(custom_fp32_list=["square"])
    assert "square" in lists.fp32_list
    amp.bf16.decorate_bf16(paddle.optimizer.SGD(0.1), lists).minimize(loss)
    assert "check_finite_and_unscale" not in {
        op.type for op in static.default_main_program().global_block().ops
    }
    exe = static.Executor()
    exe.run(static.default_startup_program())
    values = [
        exe.run(feed={"x": np.ones((2, 4), "float32")}, fetch_list=[loss])[0].item()
        for _ in range(2)
    ]
    assert values[1] < values[0]
    assert amp.bf16.convert_float_to_uint16([1.00390625, 1.01171875, -0.1]).tolist() == [
        16256,
        16257,
        48588,
    ]


def scales(steps: int, **settings: Any) -> list[float]:
    """Return the loss scale after each step of a training whose gradients are not finite."""

    def run() -> list[float]:
        x = static.data("x", [None, 4])
        loss = static.nn.fc(x, 1).mean()
        rule = amp.decorate(paddle.optimizer.SGD(0.1), **settings)
        rule.minimize(loss)
        exe = static.Executor()
        exe.run(static.default_startup_program())
        feed = {"x": np.full((2, 4), np.inf, "float32")}
        return [
            float(exe.run(feed=feed, fetch_list=[rule.get_loss_scaling()])[0][0])
            for _ in range(steps)
        ]

    found: list[float] = in_new_programs(run)
    return found


def test_scale_is_at_least_one(static_mode: Any) -> None:
    settings = {"init_loss_scaling": 3.0, "decr_every_n_nan_or_inf": 1, "decr_ratio": 0.5}
    assert scales(3, **settings, use_dynamic_loss_scaling=True) == [1.5, 1.0, 1.0]


def test_named_arguments_of_the_older_signature(static_mode: Any) -> None:
    assert scales(1, level=8.0, use_dynamic_loss_scaling=False) == [8.0]
    assert scales(1, level=8.0, decr_every_n_nan_or_inf=1, decr_ratio=0.25) == [2.0]
    assert scales(1, level=8.0, incr_every_n_steps=5, decr_every_n_nan_or_inf=1) == pytest.approx(
        [6.4]
    )
