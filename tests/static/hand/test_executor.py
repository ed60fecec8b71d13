"""Executor, scopes and feeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import static
from oarlock.capture.side_effects import Assert
from oarlock.core.errors import OarlockError, OpError

ONES = np.ones([2, 4], "float32")


@pytest.fixture
def fc_program(static_mode: Any) -> tuple[Any, Any]:
    """y = fc(x), and its executor, started."""
    y = static.nn.fc(static.data("x", [None, 4]), 1)
    exe = static.Executor(paddle.CPUPlace())
    exe.run(static.default_startup_program())
    return y, exe


def test_all_feed_errors_are_reported_together(static_mode: Any) -> None:
    x, y = static.data("x", [None, 4]), static.data("y", [None, 1], "int64")
    z = x + y.astype("float32")
    with pytest.raises(OpError) as caught:
        static.Executor().run(feed={"x": np.ones([2, 5], "float32"), "w": 1}, fetch_list=[z])
    lines = str(caught.value).splitlines()
    assert lines[0] == (
        "Executor.run: 'y' is not fed, pass feed={'y': array} (int64[?,1]); 'x' is float32[?,4], fed float32[2, 5]"
    )
    assert "test_executor.py" in lines[1]
    with pytest.raises(OpError, match=r"'y' is int64\[\?,1\], fed int32\[2, 1\]"):
        static.Executor().run(feed={"x": ONES, "y": np.ones([2, 1], "int32")}, fetch_list=[z])


def test_unknown_feed_warns(static_mode: Any) -> None:
    z = static.data("x", [None, 4]) * 2
    with pytest.warns(UserWarning, match=r"the program has no variables \['w'\] to feed"):
        (found,) = static.Executor().run(feed={"x": ONES, "w": 1}, fetch_list={z})
    assert found.tolist() == (ONES * 2).tolist()


def test_fed_lists_get_the_declared_dtype(static_mode: Any) -> None:
    x, n = static.data("x", [None, 2]), static.data("n", [1], "int64")
    y = x * n.astype("float32")
    assert static.Executor().run(feed={"x": [[1, 2], [3, 4]], "n": 3}, fetch_list=[y])[
        0
    ].tolist() == [[3, 6], [9, 12]]
    with pytest.raises(OpError, match="a fed list cannot be converted to an array"):
        static.Executor().run(feed={"x": [[1], [2, 3]], "n": 3}, fetch_list=[y])


def test_feed_from_data_loader(static_mode: Any) -> None:
    class Rows(paddle.io.Dataset):
        def __getitem__(self, index: int) -> Any:
            return np.full(2, index, "float32"), np.array([index])

        def __len__(self) -> int:
            return 4

    x, n = static.data("x", [None, 2]), static.data("n", [None, 1], "int64")
    y = x * n.astype("float32")
    exe, loader = (
        static.Executor(),
        paddle.io.DataLoader(Rows(), feed_list=[x, n], batch_size=2, return_list=False),
    )
    before = len(static.default_main_program().global_block().ops)
    found = [exe.run(feed=batch, fetch_list=[y])[0].tolist() for batch in loader]
    assert found == [[[0, 0], [1, 1]], [[4, 4], [9, 9]]]
    assert len(static.default_main_program().global_block().ops) == before


def test_missing_values_are_listed(static_mode: Any) -> None:
    y = static.nn.fc(static.data("x", [None, 4]), 1)
    with pytest.raises(
        OpError, match=r"\['fc_0.b_0', 'fc_0.w_0'\] have no value; run the startup program first"
    ):
        static.Executor().run(feed={"x": ONES}, fetch_list=[y])


def test_fetch_list(fc_program: tuple[Any, Any]) -> None:
    y, exe = fc_program
    feed = {"x": ONES}
    (a,), (b,), (c,) = (
        exe.run(feed=feed, fetch_list=[y]),
        exe.run(feed=feed, fetch_list=y.name),
        exe.run(feed=[feed], fetch_list=(y,)),
    )
    assert a.tolist() == b.tolist() == c.tolist()
    x, w = exe.run(feed=feed, fetch_list=["x", "fc_0.w_0"])
    assert x.tolist() == ONES.tolist()
    assert w.shape == (4, 1)
    assert exe.run(feed=feed) == []
    (tensor,) = exe.run(feed=feed, fetch_list=[y], return_numpy=False)
    assert isinstance(tensor, paddle.Tensor)
    assert np.array(tensor).tolist() == a.tolist()
    with pytest.raises(OpError, match="no variables .'nothing'. to fetch"):
        exe.run(feed=feed, fetch_list=["nothing"])
    with pytest.raises(TypeError, match="fetch_list contains int"):
        exe.run(feed=feed, fetch_list=[3])
    with pytest.raises(TypeError, match="feed is int, not a dict"):
        exe.run(feed=3, fetch_list=[y])


def test_fetch_of_unused_variable(static_mode: Any) -> None:
    static.data("x", [None, 4])
    kept = static.create_global_var([1], 2.0, "float32", persistable=True)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    x, count = exe.run(feed={"x": ONES}, fetch_list=["x", kept])
    assert x.tolist() == ONES.tolist()
    assert count.tolist() == [2.0]


def test_fetched_values_are_copies(fc_program: tuple[Any, Any]) -> None:
    _, exe = fc_program
    (weight,) = exe.run(feed={"x": ONES}, fetch_list=["fc_0.w_0"])
    weight[:] = 100
    assert np.abs(static.global_scope().value("fc_0.w_0").numpy()).max() < 100


def test_scopes(fc_program: tuple[Any, Any]) -> None:
    y, exe = fc_program
    other = static.Scope()
    exe.run(static.default_startup_program(), scope=other)
    other.find_var("fc_0.w_0").get_tensor().set(np.zeros([4, 1], "float32"), paddle.CPUPlace())
    assert exe.run(feed={"x": ONES}, fetch_list=[y], scope=other)[0].tolist() == [[0], [0]]
    assert exe.run(feed={"x": ONES}, fetch_list=[y])[0].tolist() != [[0], [0]]
    with static.scope_guard(other):
        assert static.global_scope() is other
        assert y.block.var("fc_0.w_0").get_value().numpy().tolist() == [[0]] * 4
    inner = other.new_scope()
    assert inner.find_var("fc_0.w_0").get_tensor().shape() == [4, 1]
    inner.var("mine").set(np.ones(2))
    assert other.find_var("mine") is None
    assert inner.local_var_names() == ["mine"]
    assert other.new_scope().find_var("fc_0.w_0").is_initialized()
    assert not inner.var("fc_0.w_0").is_initialized()  # a new variable, which hides that of other
    assert other.find_var("fc_0.w_0").is_initialized()
    assert not other.var("empty").is_initialized()
    with pytest.raises(OpError, match="'empty' has no value"):
        np.array(other.find_var("empty").get_tensor())


def test_set_value_checks_shape_and_dtype(fc_program: tuple[Any, Any]) -> None:
    y, _ = fc_program
    weight = y.block.var("fc_0.w_0")
    weight.set_value(np.ones([4, 1]))
    assert weight.get_value().dtype == paddle.float32
    with pytest.raises(
        OpError, match=r"the shapes differ \(fc_0.w_0=float32\[4,1\], value=float64\[3,1\]\)"
    ):
        weight.set_value(np.ones([3, 1]))


def test_state_dicts(fc_program: tuple[Any, Any]) -> None:
    main = static.default_main_program()
    assert sorted(main.state_dict("param")) == ["fc_0.b_0", "fc_0.w_0"]
    assert main.state_dict("opt") == {}
    values = {"fc_0.w_0": np.full([4, 1], 3.0, "float32"), "other": np.ones(1)}
    with pytest.warns(UserWarning, match="'other' not in the program"):
        main.set_state_dict(values)
    assert main.state_dict()["fc_0.w_0"].numpy().tolist() == [[3.0]] * 4
    with pytest.warns(UserWarning, match=r"fc_0.w_0 expected a shape \[4, 1\]"):
        main.set_state_dict({"fc_0.w_0": np.ones([4, 2], "float32")})
    assert main.state_dict()["fc_0.w_0"].numpy().tolist() == [[3.0]] * 4
    with pytest.raises(OpError, match="mode='all of it'"):
        main.state_dict("all of it")


def test_changed_program_is_recompiled(fc_program: tuple[Any, Any]) -> None:
    y, exe = fc_program
    (before,) = exe.run(feed={"x": ONES}, fetch_list=[y])
    main = static.default_main_program()
    assert len(main.executable_cache) == 1
    exe.run(feed={"x": ONES}, fetch_list=[y])
    assert len(main.executable_cache) == 1
    z = y * 2.0
    (after,) = exe.run(feed={"x": ONES}, fetch_list=[z])
    np.testing.assert_allclose(after, before * 2)
    assert len(main.executable_cache) == 1


def test_pruned_run(static_mode: Any) -> None:
    x, z = static.data("x", [None, 4]), static.data("z", [None, 4])
    y, count = x * 2.0, static.create_global_var([1], 0.0, "float32", persistable=True)
    paddle.increment(count)
    w = y + z
    exe = static.Executor()
    exe.run(static.default_startup_program())
    assert (
        exe.run(feed={"x": ONES}, fetch_list=[y], use_prune=True)[0].tolist() == (ONES * 2).tolist()
    )
    assert count.get_value().numpy().tolist() == [0.0]
    exe.run(feed={"x": ONES, "z": ONES}, fetch_list=[w])
    assert count.get_value().numpy().tolist() == [1.0]
    with pytest.raises(OpError, match="'z' is not fed"):
        exe.run(feed={"x": ONES}, fetch_list=[w])


def test_compiled_programs_and_strategies(fc_program: tuple[Any, Any]) -> None:
    y, exe = fc_program
    strategy = static.BuildStrategy()
    strategy.fuse_bn_act_ops = True
    strategy.reduce_strategy = static.BuildStrategy.ReduceStrategy.Reduce
    static.ExecutionStrategy().num_threads = 4
    compiled = static.CompiledProgram(static.default_main_program(), strategy)
    assert exe.run(compiled, feed={"x": ONES}, fetch_list=[y])[0].shape == (2, 1)
    with pytest.raises(OpError, match="int is not a Program"):
        static.CompiledProgram(3)
    with pytest.raises(TypeError, match="str is not a Program"):
        exe.run("program")


def test_unsupported_methods_and_close(fc_program: tuple[Any, Any]) -> None:
    _, exe = fc_program
    for name in ("train_from_dataset", "infer_from_dataset"):
        with pytest.raises(OarlockError, match=f"{name}: is not supported"):
            getattr(exe, name)()
    exe.close()
    with pytest.raises(OarlockError, match="the executor is closed"):
        exe.run(feed={"x": ONES})


def test_run_time_errors_name_the_line(static_mode: Any) -> None:
    x, y = static.data("x", [None, 4]), static.data("y", [None, 4])
    z = x + y
    with pytest.raises(OpError, match=r"add: .*float32\[2,4\].*float32\[3,4\]") as caught:
        static.Executor().run(feed={"x": ONES, "y": np.ones([3, 4], "float32")}, fetch_list=[z])
    assert "z = x + y" in str(caught.value)


def test_print_and_assert(static_mode: Any, capsys: Any) -> None:
    x = static.data("x", [None, 4])
    x.stop_gradient = False
    y = static.Print(x * 2.0, message="seen", summarize=3, first_n=2)
    (g,) = static.gradients(y.sum(), x)
    Assert(y.sum() > 0, [y], summarize=2)
    exe = static.Executor()
    for _ in range(3):
        exe.run(feed={"x": ONES}, fetch_list=[y, g])
    said = capsys.readouterr().out
    assert said.count("seen") == 4  # twice each way
    assert "data: [2.0 2.0 2.0]" in said
    assert "shape: [2, 4]" in said
    with pytest.raises(
        OpError, match=r"assert: the condition does not hold; data: \[-2.0, -2.0\]"
    ) as caught:
        exe.run(feed={"x": -ONES}, fetch_list=[y])
    assert "test_executor.py" in str(caught.value)


def test_py_func(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    seen = []
    static.py_func(lambda v: seen.append(v.shape), x, None)
    out = (
        static.default_main_program()
        .global_block()
        .create_var(name="out", dtype="int32", shape=[-1])
    )
    static.py_func(lambda v: np.argmax(v, 1), x, out)
    exe = static.Executor()
    assert exe.run(feed={"x": np.eye(4, dtype="float32")}, fetch_list=[out])[0].tolist() == [
        0,
        1,
        2,
        3,
    ]
    assert seen == [(4, 4)]
    static.py_func(lambda v: (v, v), x, out)
    with pytest.raises(OpError, match="returns 2 results, not 1"):
        exe.run(feed={"x": ONES}, fetch_list=[out])
    with pytest.raises(OpError, match="py_func calls a Python function, which cannot be saved"):
        static.normalize_program(static.default_main_program(), [x], [out])


def test_static_pylayer_is_saved_without_backward(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    x.stop_gradient = False
    y = static.nn.static_pylayer(lambda v: v * 3.0, [x], lambda g: g * 100.0)
    program = static.normalize_program(static.default_main_program(), [x], [y])
    assert "pylayer" not in [op.type for op in program.global_block().ops]
    assert (
        static.Executor().run(program, feed={"x": ONES}, fetch_list=[y.name])[0].tolist()
        == (ONES * 3).tolist()
    )


def test_data_feeder(static_mode: Any) -> None:
    x, _ = static.data("x", [None, 2, 2]), static.data("y", [None, 1], "int64")
    feeder = static.DataFeeder([x, "y"], paddle.CPUPlace())
    found = feeder.feed([([1, 2, 3, 4], 0), (np.ones((2, 2)), [7])])
    assert {k: (v.shape, v.dtype.name) for k, v in found.items()} == {
        "x": ((2, 2, 2), "float32"),
        "y": ((2, 1), "int64"),
    }
    assert found["y"].tolist() == [[0], [7]]
    assert [f["y"].tolist() for f in feeder.decorate_reader(lambda: iter([[([1] * 4, 2)]]))()] == [
        [[2]]
    ]
    with pytest.raises(OpError, match="sample 1 has 1 values; feed_list has .'x', 'y'."):
        feeder.feed([([1] * 4, 0), ([1] * 4,)])
    with pytest.raises(
        OpError, match=r"'x' is float32\[\?,2,2\], samples have the shapes \[\(3,\)\]"
    ):
        feeder.feed([([1] * 3, 0)])
    assert {k: v.shape for k, v in feeder.feed([]).items()} == {"x": (0, 2, 2), "y": (0, 1)}
    for shape in ([None], [None, None, None]):
        z = static.data(f"z{len(shape)}", shape)
        with pytest.raises(
            OpError, match=rf"'{z.name}' is .*samples have the shapes \[\(2,\), \(3,\)\]"
        ):
            static.DataFeeder([z], paddle.CPUPlace()).feed([([1, 2],), ([1, 2, 3],)])


def test_learning_rates(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    loss = static.nn.fc(x, 1, bias_attr=False).mean()
    optimizer = paddle.optimizer.SGD(0.5)
    optimizer.minimize(loss)
    exe = static.Executor()
    exe.run(static.default_startup_program())
    weight = loss.block.var("fc_0.w_0")

    def step() -> float:
        before = weight.get_value().numpy()
        exe.run(feed={"x": ONES})
        return float((before - weight.get_value().numpy()).mean())

    assert step() == pytest.approx(0.5, rel=1e-5)
    optimizer.set_lr(0.25)
    assert optimizer.get_lr() == 0.25
    assert step() == pytest.approx(0.25, rel=1e-5)


def test_optimizer_state(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    loss = static.nn.fc(x, 1, bias_attr=False).mean()
    optimizer = paddle.optimizer.Adam(0.5)
    ops, pairs = optimizer.minimize(loss)
    assert [op.type for op in ops] == ["adam"]
    assert [(p.name, g.name) for p, g in pairs] == [("fc_0.w_0", "fc_0.w_0@GRAD")]
    exe = static.Executor()
    exe.run(static.default_startup_program())
    exe.run(feed={"x": ONES})
    state = {name: value.numpy() for name, value in optimizer.state_dict().items()}
    assert sorted(state) == sorted(
        f"fc_0.w_0_{k}_0" for k in ("beta1_pow_acc", "beta2_pow_acc", "moment1", "moment2")
    )
    assert state["fc_0.w_0_beta1_pow_acc_0"] == pytest.approx([0.81])
    exe.run(static.default_startup_program())
    optimizer.set_state_dict(state)
    assert (
        optimizer.state_dict()["fc_0.w_0_moment1_0"].numpy().tolist()
        == state["fc_0.w_0_moment1_0"].tolist()
    )


def test_unsupported_optimizers(static_mode: Any) -> None:
    loss = static.nn.fc(static.data("x", [None, 4]), 1).mean()
    with pytest.raises(OarlockError, match="LBFGS"):
        paddle.optimizer.LBFGS(0.1).minimize(loss)


def test_save_is_verified(fc_program: tuple[Any, Any], tmp_path: Any) -> None:
    y, exe = fc_program
    x = y.block.var("x")
    static.save_inference_model(tmp_path / "m", [x], [y], exe)
    program, _, _ = static.load_inference_model(tmp_path / "m", exe)
    assert program.raw.contract.verified
    y.block.var("fc_0.w_0").raw.shape = (4, 2)
    with pytest.raises(OpError, match=r"'fc_0.w_0' is float32\[4,2\], the value float32\[4,1\]"):
        static.save_inference_model(tmp_path / "n", [x], [y], exe)
    assert not list(tmp_path.glob("n*"))
    with pytest.raises(TypeError, match="feed_vars must be a Variable or a list of them, not str"):
        static.save_inference_model(tmp_path / "n", ["x"], [y], exe)
    with pytest.raises(
        OpError, match="'x' is needed by the outputs but is neither fed nor computed"
    ):
        static.save_inference_model(tmp_path / "n", [], [y], exe)


def test_program_random_seed(
    static_mode: Any,
) -> None:
    def drawn(seed: int) -> list[list[float]]:
        program = static.Program()
        program.random_seed = seed
        with static.program_guard(program, static.Program()):
            found = [
                paddle.uniform([3]),
                paddle.nn.functional.dropout(paddle.ones([8]), 0.5),
                paddle.uniform([3]),
            ]
        runs = [static.Executor().run(program, fetch_list=found) for _ in range(2)]
        return [a.tolist() for run in runs for a in run]

    first, again, other = drawn(7), drawn(7), drawn(8)
    assert first == again
    assert first[0] != other[0]
    assert first[0] != first[2]  # ops of one shape
    assert first[:3] != first[3:]
