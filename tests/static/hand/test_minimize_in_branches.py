"""`minimize`, `append_backward` and `gradients` inside of `cond`, `case`, `switch_case` and
`While`, compared with real Paddle.
"""

from __future__ import annotations

import inspect
import json
import os
import subprocess
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.core.errors import OarlockError

PADDLE = os.environ.get("OARLOCK_PADDLE", "")
VALUES = np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3], [4, 4, 4]], np.float32)
OPTIMIZERS = ("SGD", "Momentum", "Adam")
KINDS = ("cond", "case", "switch_case")


def train(paddle: Any, kind: str, optimizer: str, loss_inside: bool) -> list[list[float]]:
    """The loss and the sum of the weights after each of four runs, which take the
    branches in turn.
    """
    static = paddle.static
    main, start = static.Program(), static.Program()
    with static.program_guard(main, start):
        x, i = static.data("x", [None, 3], "float32"), static.data("i", [1], "int32")
        first = paddle.nn.initializer.Constant(0.5)
        h = static.nn.fc(
            x, 2, weight_attr=paddle.ParamAttr(name="w", initializer=first), bias_attr=False
        )
        outer = paddle.mean(h)
        one, two = (getattr(paddle.optimizer, optimizer)(rate) for rate in (0.1, 0.2))

        def plain() -> Any:
            loss = paddle.mean(h) if loss_inside else outer
            one.minimize(loss)
            return loss

        def squared() -> Any:
            loss = 2 * paddle.mean(paddle.square(h)) if loss_inside else outer
            two.minimize(loss)
            return loss

        if kind == "cond":
            out = static.nn.cond(i < 1, plain, squared)
        elif kind == "case":
            out = static.nn.case([(i < 1, plain)], squared)
        else:
            out = static.nn.switch_case(i, {0: plain, 1: squared})
    executor, scope, found = static.Executor(), static.Scope(), []
    with static.scope_guard(scope):
        executor.run(start)
        for k in (0, 1, 0, 1):
            feed = {
                "x": np.repeat([[1.0], [2.0], [3.0], [4.0]], 3, 1).astype("float32"),
                "i": np.array([k], "int32"),
            }
            (loss,) = executor.run(main, feed=feed, fetch_list=[out])
            weights = np.array(scope.find_var("w").get_tensor())
            found.append([float(np.asarray(loss).reshape(-1)[0]), float(weights.sum())])
    return found


@pytest.fixture(autouse=True)
def static_graph() -> Any:
    paddle.enable_static()
    yield
    paddle.disable_static()


@pytest.fixture(scope="module")
def paddle_results() -> Any:
    """What real Paddle computes, by kind, optimizer and where the loss is."""
    if not PADDLE:
        pytest.skip("OARLOCK_PADDLE is not set")
    rows = [(k, o, inside) for k in KINDS for o in OPTIMIZERS for inside in (True, False)]
    code = "\n".join(
        [
            "from __future__ import annotations",
            "import json, paddle",
            "import numpy as np",
            "from typing import Any",
            "paddle.enable_static()",
            inspect.getsource(train),
            f"print('found', json.dumps([train(paddle, *row) for row in {rows!r}]))",
        ]
    )
    out = subprocess.run(
        [PADDLE, "-c", code], capture_output=True, text=True, timeout=300, check=True
    ).stdout
    line = next(line for line in out.splitlines() if line.startswith("found "))
    return dict(zip(rows, json.loads(line.removeprefix("found ")), strict=True))


@pytest.mark.parametrize("loss_inside", [True, False])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("kind", KINDS)
def test_executed_branch_trains_as_in_paddle(
    paddle_results: Any, kind: str, optimizer: str, loss_inside: bool
) -> None:
    found = train(paddle, kind, optimizer, loss_inside)
    np.testing.assert_allclose(
        found, paddle_results[kind, optimizer, loss_inside], rtol=1e-4, atol=1e-5
    )


def net(x: Any) -> Any:
    hidden = static.nn.fc(
        x, 2, weight_attr=constant(0.5), bias_attr=constant(0.1), activation="relu"
    )
    return static.nn.fc(hidden, 1, weight_attr=constant(0.3), bias_attr=constant(0.0))


def constant(value: float) -> Any:
    return paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(value))


def build_in_one_block(x: Any, i: Any, optimizer: Any) -> Any:
    loss = paddle.mean(net(x))
    optimizer.minimize(loss)
    return loss


def build_in_branch(x: Any, i: Any, optimizer: Any) -> Any:
    h = net(x)

    def train() -> Any:
        loss = paddle.mean(h)
        optimizer.minimize(loss)
        return loss

    return static.nn.cond(i < 1, train, lambda: paddle.mean(h))


def build_in_nested_branches(x: Any, i: Any, optimizer: Any) -> Any:
    h = net(x)

    def train() -> Any:
        loss = paddle.mean(h)
        optimizer.minimize(loss)
        return loss

    return static.nn.cond(
        i < 1,
        lambda: static.nn.cond(paddle.sum(x) > 0, train, lambda: paddle.mean(h) * 5),
        lambda: paddle.mean(h),
    )


def build_with_net_in_branch(x: Any, i: Any, optimizer: Any) -> Any:
    def train() -> Any:
        loss = paddle.mean(net(x))
        optimizer.minimize(loss)
        return loss

    return static.nn.cond(i < 1, train, lambda: paddle.mean(x))


def build_after_branch(x: Any, i: Any, optimizer: Any) -> Any:
    h = net(x)
    h = static.nn.cond(i < 5, lambda: h * 1, lambda: h * h)

    def train() -> Any:
        loss = paddle.mean(h)
        optimizer.minimize(loss)
        return loss

    return static.nn.cond(i < 1, train, lambda: paddle.mean(h))


def build_in_while(x: Any, i: Any, optimizer: Any) -> Any:
    count, kept = paddle.full([1], 0, "int64"), paddle.zeros([])
    going = count < 1
    loop = static.nn.control_flow.While(going)
    with loop.block():
        loss = paddle.mean(net(x))
        optimizer.minimize(loss)
        paddle.assign(loss, kept)
        paddle.increment(count)
        paddle.assign(count < 1, going)
    return kept


def steps(build: Any, optimizer: Any, runs: int = 3) -> list[Any]:
    main, start = static.Program(), static.Program()
    with static.program_guard(main, start):
        out = build(
            static.data("x", [None, 3], "float32"), static.data("i", [1], "int32"), optimizer()
        )
    executor, scope, found = static.Executor(), static.Scope(), []
    with static.scope_guard(scope):
        executor.run(start)
        for _ in range(runs):
            feed = {"x": VALUES / 10, "i": np.array([0], np.int32)}
            (loss,) = executor.run(main, feed=feed, fetch_list=[out])
            found.append(float(loss))
            found += [np.array(scope.find_var(p.name).get_tensor()) for p in main.all_parameters()]
    return found


OF_ALL = [
    lambda: paddle.optimizer.Adam(0.1, weight_decay=0.01),
    lambda: paddle.optimizer.Momentum(0.1, grad_clip=paddle.nn.ClipGradByGlobalNorm(0.1)),
    lambda: paddle.optimizer.SGD(paddle.optimizer.lr.ExponentialDecay(0.1, 0.5)),
]


@pytest.mark.parametrize("optimizer", range(len(OF_ALL)))
@pytest.mark.parametrize(
    "build",
    [
        build_in_branch,
        build_in_nested_branches,
        build_with_net_in_branch,
        build_after_branch,
        build_in_while,
    ],
)
def test_step_in_sub_block_equals_step_in_main_block(build: Any, optimizer: int) -> None:
    for found, want in zip(
        steps(build, OF_ALL[optimizer]), steps(build_in_one_block, OF_ALL[optimizer]), strict=True
    ):
        np.testing.assert_allclose(found, want, rtol=1e-6)


def test_gradients_in_a_branch() -> None:
    def build(x: Any, i: Any, optimizer: Any) -> Any:
        h = net(x)

        def summed() -> Any:
            pairs = static.append_backward(paddle.mean(h))
            (again,) = static.gradients([paddle.sum(h)], [pairs[0][0]])
            return paddle.add_n([paddle.sum(g) for _, g in pairs]) + paddle.sum(again)

        return static.nn.cond(i < 1, summed, lambda: paddle.mean(h))

    def outside(x: Any, i: Any, optimizer: Any) -> Any:
        h = net(x)
        pairs = static.append_backward(paddle.mean(h))
        (again,) = static.gradients([paddle.sum(h)], [pairs[0][0]])
        return paddle.add_n([paddle.sum(g) for _, g in pairs]) + paddle.sum(again)

    assert steps(build, OF_ALL[0], 1)[0] == pytest.approx(steps(outside, OF_ALL[0], 1)[0], rel=1e-6)


def test_loss_from_outside_of_a_loop_is_rejected() -> None:
    def build(x: Any, i: Any, optimizer: Any) -> Any:
        loss = paddle.mean(net(x))
        going = paddle.full([1], 0, "int64") < 1
        loop = static.nn.control_flow.While(going)
        with loop.block():
            optimizer.minimize(loss)
        return loss

    with pytest.raises(
        OarlockError, match="outside of the loop; compute it in the body of the loop"
    ):
        steps(build, OF_ALL[0])
