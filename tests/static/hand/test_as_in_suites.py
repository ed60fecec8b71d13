"""Behavior of programs and the Executor that Paddle's own test suites require."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.base.framework import program_guard
from oarlock.core.paddle1_compat import compat

X = np.linspace(-1, 1, 24).reshape(6, 4).astype("float32")
LOOKING = [1.50813, 0.8897, 0.52915, 0.68673, 0.40967]


@pytest.fixture
def losses(static_mode: Any) -> Any:
    """Two losses of two layers, and the parameters."""
    x1, x2 = static.data("x1", [None, 4]), static.data("x2", [None, 4])
    made = [static.nn.fc(x, 2).square().mean() for x in (x1, x2)]
    static.Executor().run(static.default_startup_program())
    return made


def weight(i: int) -> Any:
    return np.array(static.global_scope().find_var(f"fc_{i}.w_0").get_tensor())


def test_pruning_keeps_optimizer_ops(losses: Any) -> None:
    paddle.optimizer.SGD(0.1).minimize(losses[0])
    exe, before = static.Executor(), weight(0)
    exe.run(static.default_startup_program())
    exe.run(feed={"x1": X}, fetch_list=[losses[0]], use_prune=True)
    assert not np.array_equal(before, weight(0))
    with pytest.raises(paddle.OpError, match="'x1' is needed"):
        exe.run(feed={"x2": X}, fetch_list=[losses[1]], use_prune=True)


def test_fetched_optimizer_ops_run_alone(losses: Any) -> None:
    first = paddle.optimizer.SGD(0.1).minimize(losses[0])
    paddle.optimizer.SGD(0.1).minimize(losses[1])
    exe = static.Executor()
    exe.run(static.default_startup_program())
    before = weight(0), weight(1)
    for asked in (first, first[0]):
        found = exe.run(feed={"x1": X}, fetch_list=[asked, losses[0]])
        assert len(found) == 1
    assert not np.array_equal(before[0], weight(0))
    assert np.array_equal(before[1], weight(1))
    with pytest.raises(TypeError, match="fetch_list contains int"):
        exe.run(fetch_list=[3])


def test_prune_can_be_replaced(losses: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def prune(self: Any, program: Any, feed: Any, fetch: Any, steps: Any) -> Any:
        calls.append(fetch)
        return program

    monkeypatch.setattr(static.Executor, "_prune_program", prune)
    for _ in range(3):
        static.Executor().run(feed={"x1": X, "x2": X}, fetch_list=[losses[0]], use_prune=True)
    assert calls == [[losses[0].name]]


def test_base_program_guard_keeps_the_version(static_mode: Any) -> None:
    with program_guard(static.Program(), static.Program()):
        assert not compat.is_paddle1


def test_desc_need_update(static_mode: Any) -> None:
    program = static.default_main_program()
    static.nn.fc(static.data("x", [3, 4]), 2)
    assert program.desc.need_update()
    first = program.desc.cached_hash_str()
    assert not program.desc.need_update()
    assert program.clone().desc.cached_hash_str() == first
    program.global_block().ops[0]._set_attr("extra", 2)
    assert program.desc.need_update()
    assert program.desc.cached_hash_str() != first
    program.global_block().ops[0]._remove_attr("extra")
    assert program.desc.cached_hash_str() == first


def test_append_backward_of_a_vector(static_mode: Any) -> None:
    x = static.data("x", [3, 2])
    x.stop_gradient = False
    static.append_backward(x * x)
    (made,) = static.Executor().run(
        feed={"x": np.ones((3, 2), "float32")}, fetch_list=[x.grad_name]
    )
    np.testing.assert_array_equal(made, np.full((3, 2), 2))


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (TypeError, lambda y, x: static.gradients(y, x.name)),
        (TypeError, lambda y, x: static.gradients(y, x, target_gradients=y.name)),
        (ValueError, lambda y, x: static.gradients(y, x, target_gradients=[y, y])),
        (TypeError, lambda y, x: static.nn.cond(1, lambda: x, lambda: x)),
        (TypeError, lambda y, x: static.nn.switch_case(1, {1: lambda: x})),
        (ValueError, lambda y, x: static.nn.cond(paddle.ones([1]) > 0, lambda: x, lambda: None)),
        (TypeError, lambda y, x: static.Print([1])),
        (TypeError, lambda y, x: x.get_value("scope")),
        (TypeError, lambda y, x: static.default_main_program().set_state_dict(3)),
        (AssertionError, lambda y, x: paddle.optimizer.SGD(0.1).minimize(y)),
    ],
)
def test_error_types(static_mode: Any, kind: Any, wrong: Any) -> None:
    x = static.data("x", [2])
    with pytest.raises(kind):
        wrong(x * 2, x)


def test_string_variables(static_mode: Any) -> None:
    kinds = (
        static.default_main_program()
        .global_block()
        .create_var(name="x", shape=[1], dtype="float32")
        .desc.VarType
    )
    made = (
        static.default_main_program()
        .global_block()
        .create_var(name="s", dtype=kinds.STRINGS, shape=[1])
    )
    assert made.dtype == made.type == kinds.STRINGS


def test_save_of_scope_values(losses: Any, tmp_path: Path) -> None:
    paddle.save(static.global_scope().find_var("fc_0.w_0").get_tensor(), tmp_path / "w")
    np.testing.assert_array_equal(
        np.asarray(paddle.load(tmp_path / "w", return_numpy=True)), weight(0)
    )
    before = weight(1)
    paddle.distributed.io.save_persistables(static.Executor(), str(tmp_path / "all"))
    static.global_scope().find_var("fc_1.w_0").get_tensor().set(
        np.zeros_like(before), paddle.CPUPlace()
    )
    paddle.distributed.io.load_persistables(static.Executor(), str(tmp_path / "all"))
    np.testing.assert_array_equal(weight(1), before)


def test_folder_instead_of_model_file(losses: Any, tmp_path: Path) -> None:
    (tmp_path / "m.pdmodel").mkdir()
    block = static.default_main_program().global_block()
    with pytest.raises(ValueError, match=r"m\.pdmodel is a folder"):
        static.save_inference_model(
            str(tmp_path / "m"), [block.var("x1")], [losses[0]], static.Executor()
        )


def test_amp_decorate_argument_orders() -> None:
    made = static.amp.decorate(paddle.optimizer.SGD(0.1, parameters=[]), None, 8.0, 10, 3)
    assert (made._initial_scale, made._increase_limit_and_ratio[0]) == (8.0, 10)


@pytest.mark.parametrize("written", [False, True])
def test_look_ahead_and_model_average(written: bool, request: pytest.FixtureRequest) -> None:
    """Recorded results of real Paddle 2.6.2."""
    start = paddle.nn.initializer.Constant(0.3)
    attr = paddle.ParamAttr(initializer=start)
    if written:
        request.getfixturevalue("static_mode")
        loss = (static.nn.fc(static.data("x", [6, 4]), 1, weight_attr=attr) - 1).square().mean()
        paddle.incubate.LookAhead(paddle.optimizer.SGD(0.1), alpha=0.3, k=3).minimize(loss)
        exe = static.Executor()
        exe.run(static.default_startup_program())
        found = [float(exe.run(feed={"x": X}, fetch_list=[loss])[0]) for _ in range(5)]
    else:
        net = paddle.nn.Linear(4, 1, weight_attr=attr)
        ahead = paddle.incubate.LookAhead(
            paddle.optimizer.SGD(0.1, parameters=net.parameters()), alpha=0.3, k=3
        )
        found = []
        for _ in range(5):
            loss = (net(paddle.to_tensor(X)) - 1).square().mean()
            loss.backward()
            ahead.step()
            ahead.clear_grad()
            found.append(float(loss))
    np.testing.assert_allclose(found, LOOKING, rtol=1e-4)


def test_model_average_of_a_layer() -> None:
    net = paddle.nn.Linear(4, 1)
    mean = paddle.incubate.ModelAverage(
        0.15, net.parameters(), min_average_window=2, max_average_window=4
    )
    initial = net.weight.numpy()
    mean.restore()  # without a call of `apply` before, nothing changes
    np.testing.assert_array_equal(net.weight.numpy(), initial)
    seen = []
    for i in range(3):
        net.weight.set_value(np.full([4, 1], i, "float32"))
        seen.append(i)
        mean.step()
    with mean.apply():
        np.testing.assert_allclose(net.weight.numpy(), np.full([4, 1], np.mean(seen)))
    np.testing.assert_array_equal(net.weight.numpy(), np.full([4, 1], 2))


def op_types(program: Any) -> list[list[str]]:
    return [[op.type for op in block.ops] for block in program.blocks]


def loop_branch(h: Any) -> Any:
    count = paddle.zeros([1], "int64")
    return static.nn.while_loop(lambda k, h: k < 2, lambda k, h: [k + 1, h * 0.5], [count, h])[1]


@pytest.mark.parametrize(
    "inner", [loop_branch, lambda h: static.nn.cond(h.mean() > 0, lambda: h * 2, lambda: h + 1)]
)
def test_clone_for_test_after_minimize(inner: Any, static_mode: Any) -> None:
    loss = inner(static.nn.fc(static.data("x", [None, 4]), 3)).mean()
    main = static.default_main_program()
    before = main.clone(for_test=True)
    paddle.optimizer.Adam(0.1).minimize(loss)
    after = main.clone(for_test=True)
    assert op_types(after) == op_types(before)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    found = [exe.run(p, feed={"x": X}, fetch_list=[loss.name])[0] for p in (before, after)]
    assert found[0] == found[1]


def test_no_gradient_variables(static_mode: Any) -> None:
    x = static.data("x", [2])
    x.stop_gradient = False
    y = x * x
    to_y, to_x = static.gradients([y.sum()], [y, x], no_grad_set={x.name})
    assert to_y is not None
    assert to_x is None


def test_scope_value_dtype() -> None:
    held = static.Scope().var("x").get_tensor()
    held.set(np.ones(2, "int64"), paddle.CPUPlace())
    assert held._dtype() == paddle.int64


def test_as_lodtensor() -> None:
    from oarlock.fluid.executor import _as_lodtensor

    place = paddle.CPUPlace()
    assert _as_lodtensor([1, 2], place, "float64")._dtype() == paddle.float64
    assert np.array(_as_lodtensor(np.ones(2), place)).tolist() == [1, 1]
    with pytest.raises(TypeError, match="cannot convert dict to an array"):
        _as_lodtensor({"a": 1}, place, "int32")
    with pytest.raises(AssertionError, match="dtype is required"):
        _as_lodtensor(1, place)


def test_detach_of_non_tensor_is_rejected(static_mode: Any) -> None:
    block = static.default_main_program().global_block()
    kinds = block.create_var(name="x", shape=[1], dtype="float32").desc.VarType
    with pytest.raises(AssertionError, match="is not a tensor"):
        block.create_var(name="scopes", type=kinds.STEP_SCOPES).detach()
    assert block.create_var(name="text", dtype=kinds.STRINGS).lod_level is None


def test_with_quant_attr(static_mode: Any) -> None:
    op = static.data("x", [2]).tanh().op
    assert op.has_attr("with_quant_attr")
    assert op.attr("with_quant_attr") is False


def test_fed_persistable_variable_keeps_its_value(static_mode: Any) -> None:
    x = static.data("x", [2])
    x.persistable = True
    exe, y = static.Executor(), x * 2
    fed = np.array([1, 3], "float32")
    exe.run(feed={"x": fed}, fetch_list=[y])
    np.testing.assert_array_equal(exe.run(fetch_list=[y])[0], fed * 2)


def test_embedding_padding_idx(static_mode: Any) -> None:
    y = paddle.nn.Embedding(4, 2, padding_idx=1)(static.data("x", [3], "int64"))
    exe = static.Executor()
    exe.run(static.default_startup_program())
    (found,) = exe.run(feed={"x": np.array([0, 1, 2])}, fetch_list=[y])
    assert (found == 0).all(axis=1).tolist() == [False, True, False]
    with pytest.raises(ValueError, match="padding_idx=4 is not a row"):
        paddle.nn.Embedding(4, 2, padding_idx=4)


@pytest.mark.parametrize(
    ("kind", "wrong"),
    [
        (TypeError, lambda: paddle.ParamAttr(name=1)),
        (TypeError, lambda: paddle.ParamAttr(trainable=1)),
        (TypeError, lambda: paddle.ParamAttr(initializer=1)),
        (TypeError, lambda: static.CompiledProgram(1)),
        (TypeError, lambda: static.Program().global_block().var(1)),
        (
            ValueError,
            lambda: static.save_inference_model("/tmp/m", ["x"], ["y"], static.Executor()),
        ),
        (ValueError, lambda: paddle.optimizer.lr.PiecewiseDecay([1], [1])),
        (ValueError, lambda: paddle.optimizer.lr.StepDecay(0.1, 1, 2.0)),
        (ValueError, lambda: paddle.optimizer.lr.MultiStepDecay(0.1, [3, 2])),
        (ValueError, lambda: paddle.optimizer.lr.CyclicLR(0.1, 0.2, -1)),
        (TypeError, lambda: paddle.optimizer.lr.LinearWarmup("a", 1, 0, 1)),
        (TypeError, lambda: paddle.optimizer.lr.CosineAnnealingDecay("a", 1)),
        (TypeError, lambda: static.auc(1, 2)),
        (TypeError, lambda: static.nn.fc(static.data("i", [2, 3], "int32"), 3)),
        (TypeError, lambda: static.nn.conv2d(static.data("i", [2, 3, 8, 8], "int32"), 3, 3)),
        (IndexError, lambda: static.data("i", [2, 3])["a"]),
        (ValueError, lambda: paddle.jit.to_static(lambda x: x, backend="other")),
    ],
)
def test_argument_error_types(static_mode: Any, kind: Any, wrong: Any) -> None:
    with pytest.raises(kind):
        wrong()


def test_stop_gradient_set_after_use(static_mode: Any) -> None:
    x = static.data("x", [2, 3])
    hidden = static.nn.fc(x, 2)
    assert not hidden.stop_gradient
    loss = paddle.mean(hidden)
    found = static.gradients(loss, [x, hidden])
    assert found[0] is None
    assert found[1] is not None
    assert static.append_backward(loss, parameter_list=["x"]) == []


def test_stop_gradient_is_propagated(static_mode: Any) -> None:
    x = static.data("x", [2])
    squares = x * x
    x.stop_gradient = False
    assert squares.stop_gradient
    assert not (squares + x).stop_gradient
    (gradient,) = static.gradients((squares + x).sum(), x)
    assert static.Executor().run(feed={"x": np.float32([3, 4])}, fetch_list=[gradient])[
        0
    ].tolist() == [1, 1]


def test_float_labels(static_mode: Any) -> None:
    label, logits = static.data("label", [None, 1]), static.data("logits", [None, 3])
    label.desc.set_need_check_feed(False)
    loss = paddle.nn.functional.cross_entropy(logits, label)
    given = {"logits": np.float32([[1, 2, 3], [3, 1, 2]])}
    exe = static.Executor()
    runs = [
        exe.run(feed={**given, "label": np.array([[2], [0]], kind)}, fetch_list=[loss])[0]
        for kind in ("f4", "i8")
    ]
    np.testing.assert_array_equal(*runs)
    np.testing.assert_allclose(runs[0], 0.40760595, rtol=1e-6)


def test_nested_fetch_list(losses: Any) -> None:
    exe = static.Executor()
    found = exe.run(feed={"x1": X, "x2": X}, fetch_list=[(losses[0],), [losses[1], losses[0].name]])
    assert len(found) == 3
    assert found[0] == found[2]


@pytest.mark.parametrize(
    ("callbacks", "kind"), [(print, TypeError), ([print], paddle.OarlockError)]
)
def test_callbacks_are_checked(losses: Any, callbacks: Any, kind: Any) -> None:
    with pytest.raises(kind, match=r"append_backward: callbacks .*\n.*test_as_in_suites"):
        static.append_backward(losses[0], callbacks=callbacks)


def test_save_without_outputs_is_rejected(losses: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="fetch_vars is empty"):
        static.save_inference_model(tmp_path / "m", [], [], static.Executor())
    assert not list(tmp_path.iterdir())


def test_base_guard_keeps_static_mode() -> None:
    paddle.enable_static()
    try:
        with paddle.base.dygraph.guard():
            tensor = paddle.base.dygraph.to_variable(np.float32(2))
            assert (tensor.shape, str(tensor.dtype), paddle.in_dynamic_mode()) == (
                [],
                "paddle.float32",
                True,
            )
        assert not paddle.in_dynamic_mode()
    finally:
        paddle.disable_static()


def test_one_of_two_optimizers_of_a_parameter(static_mode: Any) -> None:
    hidden = static.nn.fc(static.data("x", [None, 4]), 2)
    losses = [hidden.square().mean(), hidden.abs().mean()]
    program, step = static.default_main_program(), paddle.optimizer.SGD(0.1)
    first = step.minimize(losses[0])
    alone = program.clone()
    step.minimize(losses[1])
    found = []
    for which, fetches, prune in (
        (alone, losses[:1], False),
        (program, [losses[0], first], True),
        (program, losses[:1], True),
    ):
        with static.scope_guard(static.Scope()):
            static.Executor().run(static.default_startup_program())
            static.global_scope().find_var("fc_0.w_0").get_tensor().set(
                np.eye(4, 2, dtype="float32"), paddle.CPUPlace()
            )
            static.Executor().run(which, feed={"x": X}, fetch_list=fetches, use_prune=prune)
            found.append(weight(0))
    np.testing.assert_array_equal(found[0], found[1])
    assert not np.array_equal(found[0], found[2])  # both steps
