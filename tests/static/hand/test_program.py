"""Hand-written programs: blocks, ops, variables and errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import fluid, static
from oarlock.core.errors import OpError, TraceError


def classifier() -> tuple[Any, Any, Any]:
    x, labels = static.data("x", [None, 4]), static.data("labels", [None, 1], "int64")
    hidden = paddle.nn.functional.dropout(static.nn.batch_norm(static.nn.fc(x, 3)), 0.5)
    scores = static.nn.fc(hidden, 2)
    return x, scores, paddle.mean(paddle.nn.functional.cross_entropy(scores, labels))


def test_enable_and_disable_static() -> None:
    assert paddle.in_dynamic_mode()
    paddle.enable_static()
    paddle.enable_static()
    assert not paddle.in_dynamic_mode()
    paddle.disable_static()
    paddle.disable_static()
    assert paddle.in_dynamic_mode()
    assert paddle.to_tensor([1.0]).numpy().tolist() == [1.0]


def test_ops_are_appended_to_the_current_program(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    other = static.Program()
    with static.program_guard(other):
        y = static.data("y", [2])
        y + 1.0
        assert static.default_main_program() is other
    x * 2.0
    assert [op.type for op in other.global_block().ops] == ["scale"]
    assert [op.type for op in static.default_main_program().global_block().ops] == ["scale"]
    assert y.block is other.global_block()


def test_variable_attributes(static_mode: Any) -> None:
    x = static.data("x", [None, 4], "float32", lod_level=1)
    assert (x.name, x.shape, x.dtype, x.ndim, x.lod_level) == ("x", (-1, 4), paddle.float32, 2, 1)
    assert x.stop_gradient
    assert x.is_data
    assert not x.persistable
    assert x.grad_name == "x@GRAD"
    assert x.op is None
    y = paddle.tanh(x)
    assert y.stop_gradient
    assert y.op.type == "tanh"
    assert y.op.input_arg_names == ["x"]
    assert y.block.var(y.name) is y
    assert "float32[?,4]" in y.to_string(True)
    x.stop_gradient = False
    assert not paddle.tanh(x).stop_gradient
    assert paddle.argmax(x).stop_gradient


def test_variable_lookup(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    block = static.default_main_program().global_block()
    assert block.var("x") is x
    assert block.vars["x"] is x
    assert [v for v in static.default_main_program().list_vars() if v.name == "x"] == [x]
    with pytest.raises(ValueError, match="var y not in this block"):
        block.var("y")


def test_layers_create_parameters_in_both_programs(static_mode: Any) -> None:
    layer = paddle.nn.Linear(4, 3)
    assert isinstance(layer.weight, static.Variable)
    assert isinstance(layer.weight, paddle.Parameter)
    assert [p.name for p in static.default_main_program().all_parameters()] == [
        "linear_0.w_0",
        "linear_0.b_0",
    ]
    started = {
        op.output("Out")[0]: op.type for op in static.default_startup_program().global_block().ops
    }
    assert started == {"linear_0.w_0": "uniform_random", "linear_0.b_0": "fill_constant"}
    assert layer.weight.trainable
    assert layer.state_dict()["weight"] is layer.weight


def test_existing_tensors_keep_their_values() -> None:
    layer = paddle.nn.BatchNorm1D(3)
    layer._mean.set_value(np.array([1.0, 2.0, 3.0], "float32"))
    held = paddle.to_tensor(np.arange(3, dtype="int16"))
    paddle.enable_static()
    try:
        with (
            static.scope_guard(static.Scope()),
            static.program_guard(static.Program(), static.Program()),
        ):
            x = static.data("x", [None, 3])
            layer.eval()
            y = layer(x) + held.astype("float32")
            exe = static.Executor()
            exe.run(static.default_startup_program())
            (found,) = exe.run(feed={"x": np.ones([1, 3], "float32")}, fetch_list=[y])
    finally:
        paddle.disable_static()
    np.testing.assert_allclose(found, [[0.0, -1 + 1, -2 + 2]], atol=1e-4)


def test_initializer_ops(static_mode: Any) -> None:
    init = paddle.nn.initializer
    makers = [
        init.Constant(2.0), init.Uniform(-3, -2), init.Normal(5.0, 0.1), init.TruncatedNormal(0.0, 1.0), init.XavierNormal(),
        init.KaimingUniform(), init.Assign(np.full((4, 6), 7.0, "float32")), init.Orthogonal(), init.XavierUniform(),
    ]  # fmt: skip
    made = [static.create_parameter([4, 6], "float32", default_initializer=m) for m in makers]
    exe = static.Executor()
    exe.run(static.default_startup_program())
    values = [p.get_value().numpy() for p in made]
    assert (values[0] == 2).all()
    assert ((values[1] >= -3) & (values[1] < -2)).all()
    assert abs(values[2].mean() - 5) < 0.2
    assert np.abs(values[3]).max() <= 2
    assert (values[6] == 7).all()
    np.testing.assert_allclose(values[7] @ values[7].T, np.eye(4), atol=1e-5)


def test_seeds(static_mode: Any) -> None:
    static.default_startup_program().random_seed = 5
    weights = [static.create_parameter([3, 3], "float32") for _ in range(2)]
    exe = static.Executor()
    found = []
    for _ in range(2):
        exe.run(static.default_startup_program())
        found.append([w.get_value().numpy() for w in weights])
    np.testing.assert_array_equal(found[0], found[1])
    # each starts from the seed, as in Paddle
    np.testing.assert_array_equal(found[0][0], found[0][1])


def test_parameters_are_shared_by_name(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    for _ in range(2):
        static.nn.fc(x, 3, weight_attr="w", bias_attr=False)
    assert [p.name for p in static.default_main_program().all_parameters()] == ["w"]
    assert len(static.default_startup_program().global_block().ops) == 1
    with pytest.raises(
        OpError, match=r"'w' is already declared as float32\[4,3\], not float32\[4,5\]"
    ):
        static.nn.fc(x, 5, weight_attr="w")


def test_append_op(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    block = static.default_main_program().global_block()
    out = block.create_var(name="out", dtype="float32")
    op = block.append_op(
        type="leaky_relu", inputs={"X": x}, outputs={"Out": [out]}, attrs={"alpha": 0.5}
    )
    assert out.shape == (-1, 4)
    assert (op.type, op.idx, op.attr("alpha"), op.input("X"), op.output("Out")) == (
        "leaky_relu",
        0,
        0.5,
        ["x"],
        ["out"],
    )
    assert op.attr_names[0] == "alpha" and op.attr("op_role") == 0
    assert op.all_attrs() == {"alpha": 0.5}
    op._set_attr("alpha", 0.25)
    (found,) = static.Executor().run(
        feed={"x": np.full([1, 4], -4.0, "float32")}, fetch_list=["out"]
    )
    assert found.tolist() == [[-1.0] * 4]
    with pytest.raises(OpError, match="variables .'missing'. are not declared"):
        block.append_op(type="relu", inputs={"X": ["missing"]}, outputs={"Out": [out]})
    with pytest.raises(OpError, match="alpha: FLOAT is a float"):
        op._set_attr("alpha", "much")
    with pytest.raises(OpError, match="no input 'Y'"):
        op.input("Y")


def test_insert_and_remove_ops(static_mode: Any) -> None:
    x = static.data("x", [None, 2])
    y = paddle.tanh(x)
    block = static.default_main_program().global_block()
    before = block.create_var(name="before", dtype="float32")
    block._insert_op(0, type="relu", inputs={"X": x}, outputs={"Out": before})
    block.ops[1]._rename_input("x", "before")
    exe = static.Executor()
    feed = {"x": np.array([[-1.0, 1.0]], "float32")}
    np.testing.assert_allclose(exe.run(feed=feed, fetch_list=[y])[0], np.tanh([[0, 1]]), rtol=1e-6)
    block._remove_op(0)
    block.ops[0]._rename_input("before", "x")
    np.testing.assert_allclose(exe.run(feed=feed, fetch_list=[y])[0], np.tanh([[-1, 1]]), rtol=1e-6)


def test_clone_for_test(static_mode: Any) -> None:
    _, scores, loss = classifier()
    paddle.optimizer.Adam(0.1).minimize(loss)
    main = static.default_main_program()
    test, copy = main.clone(for_test=True), main.clone()
    types = [op.type for op in test.global_block().ops]
    assert "adam" not in types
    assert len(types) < len(copy.global_block().ops) == len(main.global_block().ops)
    assert not [v.name for v in test.list_vars() if "@GRAD" in v.name or "moment" in v.name]
    assert [op.attr("is_test") for op in test.global_block().ops if op.has_attr("is_test")] == [
        True,
        True,
    ]
    # their gradients as well
    kept = [op.attr("is_test") for op in main.global_block().ops if op.has_attr("is_test")]
    assert kept == [False] * 4
    assert str(copy) == str(main)
    test.global_block().ops[0]._set_attr("x_num_col_dims", 1)
    assert test.global_block().var(scores.name) is not scores


def test_clones_share_values(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    y = static.nn.fc(
        x,
        1,
        weight_attr=paddle.ParamAttr(
            learning_rate=0.5, regularizer=paddle.regularizer.L2Decay(0.1)
        ),
    )
    copy = static.default_main_program().clone()
    made = copy.global_block().var("fc_0.w_0")
    assert made.optimize_attr == {"learning_rate": 0.5}
    assert made.regularizer.coeff == 0.1
    exe = static.Executor()
    exe.run(static.default_startup_program())
    feed = {"x": np.ones([2, 4], "float32")}
    assert (
        exe.run(feed=feed, fetch_list=[y])[0].tolist()
        == exe.run(copy, feed=feed, fetch_list=[y.name])[0].tolist()
    )


def test_name_scope_and_device_guard(static_mode: Any) -> None:
    x = static.data("x", [2])
    with static.name_scope("outer"), static.name_scope("inner"), static.device_guard("gpu:0"):
        y = x + 1.0
    z = x + 2.0
    assert y.op.attr("op_namescope") == "/outer/inner/"
    assert y.op.attr("op_device") == "gpu:0"
    assert (z.op.attr("op_device"), z.op.attr("op_namescope")) == ("", "/")
    with pytest.raises(OpError, match="'fpga' is not one of"), static.device_guard("fpga"):
        pass


def test_variables_have_no_values(static_mode: Any) -> None:
    x = static.data("x", [None, 4])
    with pytest.raises(TraceError, match="the value of 'x' is not known"):
        x.numpy()
    with pytest.raises(TraceError, match="cannot depend on it"):
        bool(x.sum() > 0)


def test_eager_methods_are_rejected(static_mode: Any) -> None:
    layer = paddle.nn.Linear(4, 1)
    loss = layer(static.data("x", [None, 4])).mean()
    optimizer = paddle.optimizer.SGD(0.1, parameters=layer.parameters())
    rows = [
        (loss.backward, "backward: .*; use an optimizer's minimize"),
        (lambda: paddle.grad(loss, [layer.weight]), "grad: .*; use static.gradients"),
        (optimizer.step, "SGD.step: .*; use minimize"),
        (lambda: loss.register_hook(print), "register_hook: .*; hooks are not supported there"),
        (lambda: paddle.Model(layer), "Model: .*; call disable_static"),
    ]
    for call, why in rows:
        with pytest.raises(paddle.OarlockError, match=why):
            call()


def test_ops_follow_the_program_of_operands(static_mode: Any) -> None:
    other = static.Program()
    y = other.global_block().create_var(name="y", shape=[None, 4])
    z = y + 1.0
    assert z.block is other.global_block()
    assert [op.type for op in other.global_block().ops] == ["scale"]
    assert not static.default_main_program().global_block().ops
    x = static.data("x", [None, 4])
    with pytest.raises(TraceError, match="'x' is a variable of another program"):
        paddle.concat([y, x])


def test_global_seed(static_mode: Any) -> None:
    try:
        static.default_main_program().global_seed(7)
        assert static.default_main_program().random_seed == static.Program().random_seed == 7
    finally:
        static.default_main_program().global_seed(0)


def test_serialization(static_mode: Any) -> None:
    static.nn.fc(static.data("x", [None, 4]), 1)
    main = static.default_main_program()
    read = static.Program.parse_from_string(main.desc.serialize_to_string())
    assert [op.type for op in read.global_block().ops] == ["mul", "elementwise_add"]
    assert read.global_block()._to_readable_code().startswith("block 0:")


def test_blocks(static_mode: Any) -> None:
    x = static.data("x", [1])
    y = static.nn.cond(x.sum() > 0, lambda: x * 2.0, lambda: x - 1.0)
    main = static.default_main_program()
    assert main.num_blocks == 3
    assert [b.parent_idx for b in main.blocks] == [-1, 0, 0]
    assert main.current_block() is main.global_block()
    run = next(op for op in main.global_block().ops if op.type == "conditional_block")
    assert run.all_attrs()["sub_block"] is main.block(run.attr("sub_block"))
    assert main.block(1)._var_recursive("x") is x
    exe = static.Executor()
    found = [
        exe.run(feed={"x": np.array([v], "float32")}, fetch_list=[y])[0].item() for v in (3, -3)
    ]
    assert found == [6.0, -4.0]


def test_text_round_trip_of_training_program(static_mode: Any) -> None:
    _, _, loss = classifier()
    paddle.optimizer.Momentum(0.1).minimize(loss)
    main = static.default_main_program()
    read = static.Program.parse_from_text(main.to_string())
    assert str(read) == str(main)
    exe = static.Executor()
    feed = {"x": np.ones([4, 4], "float32"), "labels": np.ones([4, 1], "int64")}
    found = []
    for program in (main, read):
        paddle.seed(3)
        exe.run(static.default_startup_program())
        found.append(
            [exe.run(program, feed=feed, fetch_list=[loss.name])[0].item() for _ in range(3)]
        )
    assert found[0] == found[1]


def test_no_grad_in_programs(static_mode: Any) -> None:
    x = static.data("x", [2])
    x.stop_gradient = False
    with paddle.no_grad():
        y = x * 2.0
    z = x * 3.0
    (g,) = static.gradients((x * y * z.detach()).sum(), x)
    assert static.Executor().run(feed={"x": np.ones(2, "float32")}, fetch_list=[g])[0].tolist() == [
        6.0,
        6.0,
    ]


def test_save_and_load_program(static_mode: Any, tmp_path: Any) -> None:
    static.nn.fc(static.data("x", [None, 4]), 1)
    main = static.default_main_program()
    paddle.save(main, tmp_path / "m.pdmodel")
    read = paddle.load(tmp_path / "m.pdmodel")
    assert isinstance(read, static.Program)
    assert [op.type for op in read.global_block().ops] == ["mul", "elementwise_add"]


def test_in_place_methods(static_mode: Any) -> None:
    x = static.data("x", [2, 2])
    y = x * 1.0
    kept = y + 0.0
    y[0] = 5.0
    y.add_(paddle.ones([2, 2]))
    exe = static.Executor()
    a, b = exe.run(feed={"x": np.ones([2, 2], "float32")}, fetch_list=[kept, y])
    assert a.tolist() == [[1, 1], [1, 1]]
    assert b.tolist() == [[6, 6], [2, 2]]


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (
            lambda x: static.nn.fc(x, 3, num_flatten_dims=2),
            r"num_flatten_dims=2 is not in \[1, 1\]",
        ),
        (lambda x: static.nn.fc(x, 3, activation="whistle"), "act='whistle' is not an activation"),
        (lambda x: static.nn.prelu(x, "some"), "mode='some' is not one of"),
        (lambda x: static.nn.conv2d(x, 3, 3), r"X must have 4 axes \(X=float32\[\?,4\]\)"),
        (
            lambda x: static.nn.batch_norm(x, data_layout="NHWC", act="sum"),
            "act='sum' is not an activation",
        ),
        (
            lambda x: static.data("x", [None, 5]),
            r"'x' is already declared as float32\[\?,4\], not float32\[\?,5\]",
        ),
        (
            lambda x: static.gradients(np.ones(1), x),
            "gradients: ndarray is not a variable of a static graph program",
        ),
        (
            lambda x: paddle.optimizer.SGD(0.1).minimize(static.nn.fc(x, 3)),
            "The number of elements of loss should be 1",
        ),
        (lambda x: static.program_guard(3).__enter__(), "main_program is int, not a Program"),
        (lambda x: static.name_scope("").__enter__(), "prefix=''; must be a non-empty string"),
        (
            lambda x: static.append_backward(x.sum(), checkpoints=[x]),
            r"checkpoints \(recomputation\) are not supported",
        ),
        (lambda x: static.set_ipu_shard(x), "Graphcore"),
        (lambda x: static.ctr_metric_bundle(x, x), "parameter servers"),
    ],
)
def test_invalid_calls_are_rejected(static_mode: Any, wrong: Any, why: str) -> None:
    x = static.data("x", [None, 4])
    with pytest.raises((paddle.OarlockError, TypeError), match=why):
        wrong(x)


def test_static_functions_require_static_mode() -> None:
    with pytest.raises(
        paddle.OarlockError,
        match="fc: creates parameters of a static graph program; call enable_static",
    ):
        static.nn.fc(paddle.ones([2, 3]), 4)
    with pytest.raises(paddle.OarlockError, match="supported in static programs only"):
        paddle.nn.Linear(2, 3, weight_attr=static.WeightNormParamAttr())
    with pytest.raises(OpError, match="parameters are required"):
        paddle.optimizer.SGD(0.1)


@pytest.mark.parametrize("for_test", [False, True])
def test_clone_can_be_trained(for_test: bool, static_mode: Any) -> None:
    x = static.data("x", [2, 2])
    loss = static.nn.fc(x, 1).mean()
    original = static.default_main_program()
    copied = original.clone(for_test)
    before = str(original)
    with static.program_guard(copied):
        _, pairs = paddle.optimizer.SGD(1.0).minimize(copied.global_block().var(loss.name))
    assert [op.type for op in copied.global_block().ops][-2:] == ["sgd", "sgd"]
    assert all(p.block.program is copied and g.block.program is copied for p, g in pairs)
    assert str(original) == before


def test_replacing_the_description_keeps_the_attributes(static_mode: Any) -> None:
    first, second = static.Program(), static.Program()
    first.random_seed = 7
    with static.program_guard(second, static.Program()):
        static.data("x", [2])
    first.desc = second.desc
    assert first.random_seed == 7
    assert first.global_block().has_var("x")


def test_initializer_in_global_block_while_loop_is_recorded(static_mode: Any) -> None:
    main, startup = static.Program(), static.Program()
    with static.program_guard(main, startup):
        i, end = paddle.full([1], 0, "int64"), paddle.full([1], 3, "int64")
        condition = i < end
        with fluid.layers.While(condition).block():
            main.global_block().create_parameter(
                shape=[2],
                dtype="float32",
                name="w",
                initializer=paddle.nn.initializer.Constant(2.0),
            )
            paddle.increment(i)
            paddle.assign(i < end, condition)
    assert any("w" in op.output_arg_names for op in main.global_block().ops)
    assert not any("w" in op.output_arg_names for op in main.block(1).ops)


@pytest.mark.parametrize("slot", ["StartsTensor", "StartsTensorList"])
def test_element_of_a_tensor_array_at_a_computed_position(static_mode: Any, slot: str) -> None:
    main = static.Program()
    with static.program_guard(main, static.Program()):
        x, position = static.data("x", [2], "float32"), static.data("i", [1], "int64")
        array = paddle.tensor.array_write(x, paddle.full([1], 0, "int64"))
        paddle.tensor.array_write(x * 2, paddle.full([1], 1, "int64"), array)
        block = main.global_block()
        out = block.create_var(name="out", shape=[2], dtype="float32")
        attrs = {"axes": [0], "starts": [0], "ends": [1], "decrease_axis": [0]}
        inputs = {"Input": [array], slot: [position]}
        block.append_op(type="slice", inputs=inputs, outputs={"Out": [out]}, attrs=attrs)
    for k in (0, 1):
        feed = {"x": np.array([1, 2], "float32"), "i": np.array([k])}
        (result,) = static.Executor().run(main, feed=feed, fetch_list=[out])
        assert result.tolist() == [1 + k, 2 * (1 + k)]


@pytest.mark.parametrize("rank", [2, 3])
@pytest.mark.parametrize("suffix", ["", "_transpose"])
def test_convolutions_reject_filters_that_groups_do_not_divide(
    static_mode: Any, rank: int, suffix: str
) -> None:
    x = static.data("x", [1, 2] + [3] * rank)
    convolve = getattr(static.nn, f"conv{rank}d{suffix}")
    with pytest.raises(paddle.OpError, match="groups=2 does not divide num_filters=3"):
        convolve(x, num_filters=3, filter_size=2, groups=2, bias_attr=False)
