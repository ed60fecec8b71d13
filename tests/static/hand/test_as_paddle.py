"""Gradient names and errors of hand-written programs, as in Paddle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn, static

ONES = np.ones([2, 4], "float32")


def run(fetch: Any, **feed: Any) -> list[Any]:
    exe = static.Executor()
    exe.run(static.default_startup_program())
    found: list[Any] = exe.run(feed=feed, fetch_list=fetch)
    return found


def test_gradient_names_of_intermediate_variables(static_mode: Any) -> None:
    x = static.data("x", [4])
    x.stop_gradient = False
    y = x + paddle.ones([4])  # hands its gradient on as it is
    static.append_backward((y * y).sum())
    one, two = run([x.grad_name, y.grad_name], x=np.full(4, 2, "float32"))
    assert one.tolist() == two.tolist() == [6, 6, 6, 6]


def test_gradients_of_loop_inputs(static_mode: Any) -> None:
    i, x = static.data("i", [1]), static.data("x", [1])
    i.stop_gradient = x.stop_gradient = False
    _, out = static.nn.while_loop(lambda i, x: i < 3, lambda i, x: [i + 1, x * i], [i, x])
    static.append_backward(paddle.mean(out))
    one = np.ones(1, "float32")
    assert [v.item() for v in run([out, i.grad_name, x.grad_name], i=one, x=one)] == [2, 3, 2]


def test_gradients_of_constants(static_mode: Any) -> None:
    a, b = paddle.full([1], 1.23), paddle.full([1], 1.25)
    a.stop_gradient = False
    static.append_backward((a * b).sum())
    assert run([a.grad_name])[0].item() == pytest.approx(1.25)
    assert not static.default_main_program().global_block().has_var(b.grad_name)


@pytest.mark.parametrize(
    "clip", [nn.ClipGradByGlobalNorm(0.1), nn.ClipGradByNorm(0.1), nn.ClipGradByValue(0.05)]
)
def test_clip_called_on_pairs(static_mode: Any, clip: Any) -> None:
    loss = static.nn.fc(static.data("x", [None, 4]), 3).sum()
    pairs = clip(static.append_backward(loss))
    found = run([g for _, g in pairs], x=ONES)
    if isinstance(clip, nn.ClipGradByGlobalNorm):
        assert np.sqrt(sum((g**2).sum() for g in found)) == pytest.approx(0.1, rel=1e-5)
    elif isinstance(clip, nn.ClipGradByNorm):
        assert [np.linalg.norm(g) for g in found] == pytest.approx([0.1, 0.1], rel=1e-5)
    else:
        assert all((g == np.float32(0.05)).all() for g in found)


def test_clip_of_tensors() -> None:
    parameter = paddle.create_parameter([2], "float32")
    ((_, clipped),) = nn.ClipGradByGlobalNorm(1.0)([(parameter, paddle.to_tensor([3.0, 4.0]))])
    assert clipped.tolist() == pytest.approx([0.6, 0.8])


def test_repeated_name_scope(static_mode: Any) -> None:
    x = static.data("x", [1])
    for _ in range(2):
        with static.name_scope("one"), static.name_scope("in"):
            x = x + 1
    scopes = [op.attr("op_namescope") for op in static.default_main_program().global_block().ops]
    assert scopes == ["/one/in/", "/one_1/in/"]


def test_dtype_attributes(static_mode: Any) -> None:
    block = static.default_main_program().global_block()
    made = block.create_var(name="made", shape=[2], dtype="float64")
    attrs = {"shape": [2], "dtype": made.dtype, "value": 1.5}
    block.append_op(type="fill_constant", outputs={"Out": made}, attrs=attrs)
    assert run([made])[0].tolist() == [1.5, 1.5]


def test_argument_types(static_mode: Any) -> None:
    x = static.data("x", [1])
    never, nothing = paddle.full([1], False, "bool"), lambda *_: None
    wrong = {
        "cond": lambda: static.nn.cond(never, x, nothing),
        "case: the pairs": lambda: static.nn.case(never),
        "switch_case: branch_fns": lambda: static.nn.switch_case(
            paddle.full([1], 1, "int32"), nothing
        ),
        "switch_case: a branch": lambda: static.nn.switch_case(
            paddle.full([1], 1, "int32"), [(2.2, nothing)]
        ),
        "switch_case: default": lambda: static.nn.switch_case(
            paddle.full([1], 1, "int32"), [nothing], default=1
        ),
        "switch_case: branch_index": lambda: static.nn.switch_case(x, [nothing]),
        "while_loop: loop_vars": lambda: static.nn.while_loop(nothing, nothing, x),
        "while_loop: cond returns": lambda: static.nn.while_loop(lambda _: 1, nothing, [x]),
        "the condition": lambda: static.nn.while_loop(lambda v: v, nothing, [x]),
        "program_guard": lambda: static.program_guard("main").__enter__(),  # type: ignore[arg-type]
        "data: name=1 is not a str": lambda: static.data(1, [1]),  # type: ignore[arg-type]
        "py_func: func": lambda: static.py_func(1, x, None),  # type: ignore[arg-type]
    }
    for said, call in wrong.items():
        with pytest.raises(TypeError, match=said):
            call()


@pytest.mark.parametrize(
    "given",
    [
        {"parameter_list": "w"},
        {"parameter_list": ["w", 3]},
        {"no_grad_set": "x"},
        {"no_grad_set": [3]},
    ],
)
def test_name_list_arguments(static_mode: Any, given: dict[str, Any]) -> None:
    loss = paddle.mean(static.nn.fc(static.data("x", [2, 4]), 3))
    with pytest.raises(
        TypeError, match=f"append_backward: {next(iter(given))} (is|contains) (no|neither)"
    ):
        static.append_backward(loss, **given)


def test_loss_without_parameters(static_mode: Any) -> None:
    x = static.data("x", [2, 4])
    x.stop_gradient = False
    loss = paddle.mean(x * x)
    with pytest.warns(UserWarning, match=f"SGD.minimize: '{loss.name}' depends on no parameter"):
        assert paddle.optimizer.SGD(0.1).minimize(loss) == ([], [])
    assert run([x.grad_name], x=ONES)[0].tolist() == np.full([2, 4], 0.25).tolist()


def test_gradients_of_variables_without_op(static_mode: Any) -> None:
    block = static.default_main_program().global_block()
    w, x = (block.create_var(name=n, shape=[2, 2], dtype="float32") for n in ("w", "x"))
    (loss := paddle.mean(paddle.matmul(w, x))).persistable = False
    static.append_backward(loss)
    assert [block.has_var(f"{n}@GRAD") for n in ("w", "x")] == [True, True]


def test_names_of_operator_results(static_mode: Any) -> None:
    x = static.data("x", [2, 4])
    with paddle.utils.unique_name.guard():
        names = [
            v.name
            for v in (x * x, 1.0 / x, -x, x > 1.0, paddle.multiply(x, x), static.nn.fc(x, 2) + 1.0)
        ]
    assert names == ["tmp_0", "tmp_2", "tmp_3", "tmp_5", "elementwise_mul_0.tmp_0", "tmp_6"]
