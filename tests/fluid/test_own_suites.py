"""Internals of programs, blocks, scopes and optimizers that Paddle's own tests of 1.8 to 2.4 use."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import oarlock
from oarlock import fluid
from oarlock.core.errors import OpError
from oarlock.core.paddle1_compat import temporarily_emulate_paddle1

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def test_block_create_parameter() -> None:
    program = fluid.Program()
    block = program.global_block()
    start = fluid.initializer.ConstantInitializer(1.0625)
    for _ in range(2):
        made = block.create_parameter(
            name="fc.w", shape=[784, 100], dtype="float32", lod_level=0, initializer=start
        )
    assert (made.name, tuple(made.shape), made.lod_level, made.optimize_attr) == (
        "fc.w",
        (784, 100),
        0,
        {"learning_rate": 1.0},
    )
    assert [(op.type, op.attr("value")) for op in block.ops] == [("fill_constant", 1.0625)]
    with fluid.scope_guard(fluid.Scope()):
        (found,) = fluid.Executor(fluid.CPUPlace()).run(program, fetch_list=[made])
    assert (found == 1.0625).all()
    with pytest.raises(ValueError, match="sizes must be positive"):
        block.create_parameter(name="none", shape=[0, 3], dtype="float32")


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("detach", []),
        ("numpy", []),
        ("backward", []),
        ("gradient", []),
        ("clear_gradient", []),
        ("set_value", [np.zeros(2)]),
    ],
)
def test_tensor_methods_are_rejected_for_variables(method: str, given: list[np.ndarray]) -> None:
    with fluid.program_guard(fluid.Program()):
        made = fluid.layers.relu(fluid.data("x", [2]))
    with (
        temporarily_emulate_paddle1(),
        pytest.raises(AssertionError, match=f"'{method}' is a method of eager tensors"),
    ):
        getattr(made, method)(*given)


@pytest.mark.parametrize(
    "given", [{"name": 3}, {"learning_rate": "a"}, {"trainable": 1}, {"do_model_average": None}]
)
def test_param_attr_types(given: dict[str, object]) -> None:
    with pytest.raises(TypeError, match=f"ParamAttr: {next(iter(given))}="):
        fluid.ParamAttr(**given)


def test_assertion_errors() -> None:
    with fluid.dygraph.guard():
        x = fluid.dygraph.to_variable(np.ones(2, "float32"))
        for read in (float, int, bool):
            with pytest.raises(AssertionError, match="only a tensor of one element"):
                read(x)
        with pytest.raises(AssertionError, match="a Tensor or a list of Tensors"):
            fluid.dygraph.grad("a", [x])
    with pytest.raises(TypeError, match="max='a' is not a number"):
        fluid.clip.GradientClipByValue("a")


def test_rename_variable() -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        x = fluid.data("x", [2])
        y = fluid.layers.scale(x, 2.0)
        total = fluid.layers.cond(fluid.layers.reduce_sum(y) > 0, lambda: y + 1.0, lambda: y - 1.0)
        x.name, y.name = "given", "doubled"
        after = fluid.layers.relu(y)
        block = main.global_block()
        assert (block.ops[0].input_arg_names, block.ops[0].output_arg_names) == (
            ["given"],
            ["doubled"],
        )
        assert block.var("doubled") is y and y.desc.name() == "doubled" and not block.has_var("x")
        assert after.op.input_arg_names == ["doubled"]
        with pytest.raises(OpError, match="'given' is the name of another variable"):
            y.name = "given"
        found = fluid.Executor().run(
            main, feed={"given": np.array([1, 3], "f")}, fetch_list=[total, "doubled"]
        )
    assert [f.tolist() for f in found] == [[3, 7], [2, 6]]


def test_create_existing_variable() -> None:
    block = fluid.Program().current_block()
    made = block.create_var(name="fc.w", dtype="float64", shape=[784, 100], lod_level=0)
    assert block.create_var(name="fc.w") is made
    assert (
        str(made.type) == "VarType.LOD_TENSOR"
        and made.type == fluid.core.VarDesc.VarType.LOD_TENSOR
    )
    assert not made.desc.need_check_feed()
    for other in ({"shape": [3]}, {"dtype": "float32"}, {"lod_level": 1}):
        with pytest.raises(ValueError, match="already declared"):
            block.create_var(name="fc.w", **other)


def matmul_program() -> tuple[fluid.Program, fluid.Variable]:
    """Return a hand-written program with a parameter that has its own learning rate."""
    program = fluid.Program()
    block = program.global_block()
    x = block.create_parameter(
        dtype="float32", shape=[5, 10], name="mul.x", optimize_attr={"learning_rate": 1.1}
    )
    y = block.create_var(dtype="float32", shape=[10, 8], name="mul.y")
    out = block.create_var(dtype="float32", shape=[5, 8], name="mul.out")
    mean = block.create_var(dtype="float32", shape=[1], name="mean.out")
    block.append_op(
        type="mul", inputs={"X": x, "Y": y}, outputs={"Out": out}, attrs={"x_num_col_dims": 1}
    )
    block.append_op(type="mean", inputs={"X": out}, outputs={"Out": mean})
    return program, mean


@pytest.mark.parametrize(
    ("kind", "kept"),
    [
        ("SGD", []),
        ("Momentum", ["velocity"]),
        ("Adam", ["moment1", "moment2", "beta1_pow_acc", "beta2_pow_acc"]),
        ("Ftrl", ["squared", "linear"]),
        ("DecayedAdagrad", ["moment"]),
    ],
)
def test_optimizer_ops_and_accumulators(kind: str, kept: list[str]) -> None:
    program, mean = matmul_program()
    startup = fluid.Program()
    optimizer = getattr(fluid.optimizer, kind)(0.01, *([0.2] if kind == "Momentum" else []))
    with fluid.program_guard(program, startup):
        steps, _ = optimizer.minimize(mean, startup)
    assert [op.type for op in steps] == ["scale", fluid.core.kEmptyVarName() and optimizer._op.type]
    assert {k: list(v) for k, v in optimizer._accumulators.items()} == {k: ["mul.x"] for k in kept}
    first = startup.global_block().ops
    assert [op.type for op in first] == ["fill_constant"] * (1 + len(kept))
    assert first[0].attr("value") == pytest.approx(0.01)
    for name in kept:
        assert getattr(optimizer, f"_{name.removesuffix('_acc')}_acc_str") == name
        assert optimizer._get_accumulator(
            name, program.global_block().var("mul.x")
        ).name.startswith(f"mul.x_{name}")


def test_blocks_of_clones() -> None:
    program = fluid.Program()
    with fluid.program_guard(program, fluid.Program()):
        x = fluid.data("x", [2, 3])
        half = fluid.layers.dropout(fluid.layers.fc(x, 3), 0.5)
        fluid.layers.fc(x, 2)
        fluid.optimizer.SGD(0.1).minimize(fluid.layers.mean(half))
    assert [op.type for op in program._prune([half]).global_block().ops] == [
        "mul",
        "elementwise_add",
        "dropout",
    ]
    tested = program._inference_optimize().global_block().ops
    assert [op.attr("is_test") for op in tested if op.type == "dropout"] == [True]
    inner = program._create_block()
    assert (inner.idx, inner.parent_idx, program.current_block().idx) == (
        program.num_blocks - 1,
        0,
        inner.idx,
    )
    program._rollback()
    assert program.current_block().idx == 0


def test_operator_runs_on_a_scope() -> None:
    from oarlock.fluid.op import Operator

    scope = fluid.core.Scope()
    for name, value in (("p", [[1.0, 2.0]]), ("g", [[1.0, 1.0]]), ("rate", [0.5])):
        scope.var(name).get_tensor().set(np.array(value, "float32"), fluid.CPUPlace())
    Operator("sgd", Param="p", Grad="g", LearningRate="rate", ParamOut="p").run(
        scope, fluid.CPUPlace()
    )
    assert np.array(scope.find_var("p").get_tensor()).tolist() == [[0.5, 1.5]]
    with pytest.raises(OpError, match=r"has no \['Gard'\]"):
        Operator("sgd", Gard="g")


def test_program_graphs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program, _ = matmul_program()
    path = tmp_path / "net.dot"
    fluid.debugger.draw_block_graphviz(program.global_block(), highlights=["mul.y"], path=str(path))
    assert path.read_text().count("->") == 5 and "mul.y" in path.read_text()
    fluid.debugger.pprint_program_codes(program)
    assert "mul" in capsys.readouterr().out
    assert "mean" in fluid.net_drawer.draw_graph(fluid.Program(), program).code()


def test_data_feeder() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        feeder = fluid.DataFeeder([fluid.data("x", [None, 4])], fluid.CPUPlace())
    fed = feeder.feed([(np.ones(4),), (np.ones(4),)])["x"]
    assert (fed.lod(), fed.shape(), np.array(fed).shape) == ([], [2, 4], (2, 4))
    assert feeder.feed([])["x"].shape() == [0, 4]
    with pytest.raises(AssertionError, match="number of fields"):
        feeder.feed([(np.ones(4), 1)])


def test_data_feeder_leaves_rows_of_unknown_size_unchanged() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [None, 3, None], lod_level=1)
    rows = [np.ones((3, 2))] * 3
    fed = fluid.DataFeeder([x], fluid.CPUPlace()).feed([(rows[:2],), (rows[2:],)])["x"]
    assert (fed.lod(), fed.shape()) == ([[0, 2, 3]], [3, 3, 2])


def initial_values(seed: int) -> dict[str, np.ndarray]:
    """First values of a small network that runs at once."""
    with fluid.dygraph.guard():
        fluid.default_startup_program().random_seed = fluid.default_main_program().random_seed = (
            seed
        )
        net = fluid.dygraph.Sequential(fluid.dygraph.Linear(3, 4), fluid.dygraph.Conv2D(1, 2, 3))
        return {p.name: p.numpy() for p in net.parameters()}


def test_guard_resets_names_and_seed() -> None:
    found, again = initial_values(33), initial_values(33)
    assert (
        list(found)
        == list(again)
        == ["linear_0.w_0", "linear_0.b_0", "conv2d_0.w_0", "conv2d_0.b_0"]
    )
    assert all((found[n] == again[n]).all() for n in found)
    assert (initial_values(34)["linear_0.w_0"] != found["linear_0.w_0"]).all()
    main, startup, scope = fluid.Program(), fluid.Program(), fluid.Scope()
    startup.random_seed = main.random_seed = 33
    with fluid.program_guard(main, startup), fluid.unique_name.guard(), fluid.scope_guard(scope):
        fluid.dygraph.Linear(3, 4), fluid.dygraph.Conv2D(1, 2, 3)
        fluid.Executor(fluid.CPUPlace()).run(startup)
    for name, value in found.items():
        np.testing.assert_array_equal(np.array(scope.find_var(name).get_tensor()), value)


def test_parameter_name_is_unique_in_dygraph_mode() -> None:
    for _ in range(2):
        with fluid.dygraph.guard():
            fluid.dygraph.Linear(2, 2, param_attr="mine")
            with pytest.raises(ValueError, match="has been used already"):
                fluid.dygraph.Linear(2, 2, param_attr="mine")


def test_profiler_options() -> None:
    with pytest.raises(ValueError, match="state='X'"):
        fluid.profiler.start_profiler("X")
    with (
        pytest.raises(ValueError, match="tracer_option='X'"),
        fluid.profiler.profiler("CPU", tracer_option="X"),
    ):
        pass
    with pytest.raises(ValueError, match="sorted_key='X'"):
        fluid.profiler.stop_profiler("X")


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_profiler_prints_and_writes_ops(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(tmp_path / "profile")
    with fluid.dygraph.guard(), fluid.profiler.profiler("CPU", "total", path):
        fluid.layers.exp(fluid.dygraph.to_variable(np.ones(3, "float32")))
        fluid.profiler.reset_profiler()
        fluid.layers.tanh(fluid.dygraph.to_variable(np.ones(3, "float32")))
    names = {event.name for event in oarlock.profiler.load_profiler_result(path).events}
    assert "tanh" in names and "exp" not in names
    assert "tanh" in capsys.readouterr().out


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_profiler_records_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main = fluid.Program()
    with fluid.program_guard(main, fluid.Program()):
        y = fluid.layers.tanh(fluid.data("x", [None, 2]))
    executor = fluid.Executor(fluid.CPUPlace())
    with fluid.profiler.profiler("CPU", profile_path=str(tmp_path / "profile")):
        executor.run(main, {"x": np.ones((1, 2), "float32")}, [y])
    assert "Executor.run" in capsys.readouterr().out


def test_mode_functions_of_2_x() -> None:
    from oarlock.fluid import framework

    with framework._test_eager_guard():
        assert framework._non_static_mode() and not framework._in_legacy_dygraph()
    assert framework.convert_np_dtype_to_dtype_(np.float32) == fluid.core.VarDesc.VarType.FP32
    assert int(fluid.core.VarDesc.VarType.FP32) == 5
    proto = framework.OpProtoHolder.instance().get_op_proto("mul")
    assert [s.name for s in proto.inputs] == ["X", "Y"]
    with pytest.raises(ValueError, match="has not been registered"):
        framework.OpProtoHolder.instance().get_op_proto("nothing")


def test_initializer_seed() -> None:
    start = fluid.initializer.UniformInitializer(-4.2, 3.1, 123)
    block = fluid.Program().global_block()
    block.create_parameter(name="p", shape=[5, 10], dtype="float32", initializer=start)
    (op,) = block.ops
    assert (op.type, op.attr("seed")) == ("uniform_random", 123)
    assert (op.attr("min"), op.attr("max")) == (pytest.approx(-4.2), pytest.approx(3.1))
    for made in (
        start,
        fluid.initializer.Normal(seed=5),
        fluid.initializer.Xavier(seed=6),
        fluid.initializer.MSRA(False, seed=7),
    ):
        first, again = (made.compute([3, 4], np.dtype("float32")) for _ in range(2))
        np.testing.assert_array_equal(first, again)
    assert (
        fluid.initializer.Normal().compute([9], np.dtype("f4"))
        != fluid.initializer.Normal().compute([9], np.dtype("f4"))
    ).all()


def test_lod_tensor_elements() -> None:
    tensor = fluid.core.Scope().var("t").get_tensor()
    tensor._set_dims([2, 3])
    tensor._alloc_float(fluid.CPUPlace())
    tensor._set_float_element(4, 2.5)
    assert (
        np.array(tensor).tolist() == [[0, 0, 0], [0, 2.5, 0]]
        and tensor._get_float_element(4) == 2.5
    )
    lod = fluid.create_lod_tensor(np.arange(6).reshape(3, 2), [[1, 2]], fluid.CPUPlace())
    assert np.array(lod[1]).tolist() == [2, 3] and isinstance(lod[0:2], fluid.LoDTensor)
    number = fluid.core.Scope().var("n")
    number.set_int(10)
    assert number.is_int() and number.get_int() == 10


def test_error_types() -> None:
    with pytest.raises(AssertionError):
        fluid.create_lod_tensor([[1, 2], [3]], [[3, 3]], fluid.CPUPlace())
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(2, 3)
        for wrong in (np.ones((3, 3), "float32"), np.ones((2, 3), "float64")):
            with pytest.raises(AssertionError, match="differ"):
                layer.weight.set_value(wrong)
        with pytest.raises(TypeError, match="cannot become str"):
            layer.weight = "text"
        with pytest.raises(TypeError, match="cannot contain text"):
            fluid.dygraph.to_variable("text")
        with pytest.raises(TypeError, match="not a number"):
            fluid.dygraph.ReduceLROnPlateau("text")
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        doubled = fluid.data("x", [None, 1], lod_level=1) * 2.0
        fed = fluid.create_lod_tensor(np.ones((3, 1), "float32"), [[1, 2]], fluid.CPUPlace())
        with pytest.raises(RuntimeError, match="return_numpy=False"):
            fluid.Executor(fluid.CPUPlace()).run(feed={"x": fed}, fetch_list=[doubled])
        with pytest.raises(ValueError, match='Operator "no_such_op" has not been registered'):
            fluid.default_main_program().global_block().append_op(type="no_such_op")
        with pytest.raises(TypeError, match="is not a Program"):
            fluid.default_main_program()._copy_param_info_from("program")


def increment_or_decrement(x: fluid.Variable) -> fluid.Variable:
    """With a branch on a value."""
    if fluid.layers.mean(x).numpy()[0] > 5:
        x = x - 1
    else:
        x = x + 1
    return x


def test_dygraph_to_static_func() -> None:
    program = fluid.Program()
    with fluid.program_guard(program):
        made = fluid.dygraph.dygraph_to_static_func(increment_or_decrement)(
            fluid.layers.assign(np.ones((2, 3), "float32"))
        )
        assert {"cond" in op.type for op in program.global_block().ops} == {True, False}
        (found,) = fluid.Executor(fluid.CPUPlace()).run(program, fetch_list=[made])
    assert (found == 2).all()


def test_names_imported_by_2_x_tests() -> None:
    with oarlock.compat.as_paddle("2.4"):
        from paddle.base.layer_helper import LayerHelper
        from paddle.fluid.dygraph.base import switch_to_static_graph
        from paddle.fluid.framework import EagerParamBase, _test_eager_guard, in_dygraph_mode

        assert LayerHelper is fluid.layer_helper.LayerHelper and in_dygraph_mode()
        with _test_eager_guard():
            assert isinstance(oarlock.nn.Linear(1, 1).weight, EagerParamBase)
        assert switch_to_static_graph(in_dygraph_mode)() is False
    assert fluid.core.eager.Tensor is oarlock.Tensor and fluid.CPUPlace().is_cpu_place()
    x = oarlock.to_tensor([1.0], stop_gradient=False)
    with pytest.raises(ValueError, match="do not depend on an input"):
        oarlock.grad(x * 2.0, oarlock.to_tensor([1.0], stop_gradient=False))


def test_selected_rows_in_scope() -> None:
    scope = fluid.core.Scope()
    rows = scope.var("table").get_selected_rows()
    assert rows.rows() == []
    rows.set_height(10)
    rows.set_rows([1, 3])
    rows.get_tensor().set(np.ones((2, 4), np.float32), fluid.CPUPlace())
    held = scope.find_var("table")
    assert held is not None
    found = held.get_selected_rows()
    assert (found.rows(), found.height(), found.numel()) == ([1, 3], 10, 8)
    scope.var("dense").get_tensor().set(np.ones(3, np.float32))
    with pytest.raises(OpError, match="holds a tensor, not selected rows"):
        scope.var("dense").get_selected_rows()


def test_load_program_state_without_file(tmp_path: Path) -> None:
    assert fluid.load_program_state(str(tmp_path / "none")) == {}
    program = fluid.Program()
    program.global_block().create_parameter(shape=[2], dtype="float32", name="w")
    with pytest.raises(ValueError, match="neither .* exists"):
        oarlock.static.load(program, str(tmp_path / "none"))


@pytest.mark.parametrize(
    "name",
    ["relu", "relu6", "leaky_relu", "hardtanh", "hardshrink", "softshrink", "thresholded_relu"],
)
def test_activations_reject_integers(name: str) -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        for dtype in ("int32", "int64"):
            with pytest.raises(TypeError, match="not a floating-point tensor"):
                getattr(oarlock.nn.functional, name)(fluid.data(f"of_{dtype}", [3], dtype))
        assert getattr(oarlock.nn.functional, name)(fluid.data("x", [3])).dtype == oarlock.float32


def test_program_of_loaded_layer(tmp_path: Path) -> None:
    layer = oarlock.nn.Linear(3, 2)
    spec = [oarlock.static.InputSpec([None, 3], name="x")]
    oarlock.jit.save(oarlock.jit.to_static(layer, input_spec=spec), str(tmp_path / "linear"))
    program = oarlock.jit.load(str(tmp_path / "linear")).program()
    assert isinstance(program, oarlock.static.Program)
    assert program.num_blocks == 1 and program.feed_names() == ["x"]
    ops = [op.type for op in program.global_block().ops if op.type not in ("feed", "fetch")]
    assert ops == ["matmul_v2", "elementwise_add"]
    assert [op.desc.type() for op in program.global_block().ops if op.type in ops] == ops


def test_protobuf_messages() -> None:
    from oarlock.fluid.proto import framework_pb2 as messages

    program, mean = matmul_program()
    block = program.global_block()
    op = messages.OpDesc.FromString(block.ops[0].desc.serialize_to_string())
    assert (op.type, op.outputs[0].arguments[0]) == ("mul", "mul.out")
    assert {a.name: a.type for a in op.attrs}["x_num_col_dims"] == messages.INT
    assert messages.VarDesc.FromString(mean.desc.serialize_to_string()).name == "mean.out"
    assert [
        o.type for o in messages.BlockDesc.FromString(block.desc.serialize_to_string()).ops
    ] == ["mul", "mean"]
    assert len(messages.ProgramDesc.FromString(program.desc.serialize_to_string()).blocks) == 1


def test_to_string_and_numpy_of_variables() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.data("x", [2, 3])
        for wrong in (
            lambda: x.to_string("yes"),
            lambda: fluid.default_main_program().to_string(True, 1),
        ):
            with pytest.raises(AssertionError, match="is not a bool"):
                wrong()
        for method in (x.numpy, x.gradient, x.clear_gradient):
            with pytest.raises(AssertionError, match="is a variable of a program"):
                method()
        assert x.to_string(True, True).endswith("error_clip: None\nstop_gradient: True\n")
        with pytest.raises(ValueError, match="can only be Variable or Operator, not int"):
            fluid.default_main_program()._prune([1])


def test_need_check_feed_is_cloned() -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()):
        x = fluid.layers.data("x", [4])
        assert not x.desc.need_check_feed()
        copied = fluid.default_main_program().clone().global_block().var("x")
        assert (copied.to_string(True), copied.desc.need_check_feed()) == (x.to_string(True), False)
        assert fluid.data("y", [None, 4]).desc.need_check_feed()
        with pytest.raises(TypeError, match="int is not a variable of a static graph program"):
            fluid.backward.append_backward(1)
