"""Names and error types that Paddle's own tests of 1.8 to 2.4 use."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import compat, fluid
from oarlock.core.errors import OarlockError
from oarlock.core.paddle1_compat import temporarily_emulate_paddle1
from oarlock.fluid import core

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
layers = fluid.layers


def ones_variable(*shape: int) -> Any:
    return fluid.dygraph.to_variable(np.ones(shape, np.float32))


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("fluid.wrapped_decorator", "wrap_decorator signature_safe_contextmanager"),
        ("fluid.layers.device", "get_places"),
        ("fluid.layers.control_flow", "While increment less_than"),
        ("fluid.layers.detection", "yolo_box generate_proposals"),
        (
            "fluid.layers.utils",
            "map_structure flatten pack_sequence_as is_sequence assert_same_structure convert_to_list",
        ),
        ("fluid.data_feeder", "check_type check_dtype check_variable_and_dtype convert_dtype"),
        ("fluid.dygraph.dygraph_to_static", "ProgramTranslator"),
        ("fluid.dygraph.dygraph_to_static.convert_call_func", "convert_call"),
        ("fluid.contrib.mixed_precision.decorator", "decorate"),
        ("fluid.data", "data"),
        ("fluid.dataloader.collate", "default_collate_fn"),
        ("fluid.dataloader", "Dataset BatchSampler"),
        ("fluid.executor", "as_numpy global_scope"),
        ("fluid.initializer", "set_global_initializer"),
        ("fluid.clip", "GradientClipBase BaseErrorClipAttr _allow_pure_fp16_global_norm_clip"),
        ("fluid.optimizer", "DGCMomentumOptimizer PipelineOptimizer Optimizer"),
        ("fluid.layer_helper_base", "LayerHelperBase"),
        ("fluid.log_helper", "get_logger"),
        ("fluid.annotations", "deprecated"),
        ("fluid.reader", "keep_data_loader_order use_pinned_memory"),
        ("fluid.framework", "_in_eager_without_dygraph_check _dygraph_place_guard"),
        ("fluid.core", "AnalysisConfig create_paddle_predictor PaddleTensor ops"),
        ("compat", "to_text to_bytes get_exception_message long_type"),
        ("incubate.hapi.model", "Model"),
    ],
)
def test_names_can_be_imported(module: str, names: str) -> None:
    with compat.as_paddle("2.4"):
        found = importlib.import_module(f"paddle.{module}")
        assert [name for name in names.split() if not hasattr(found, name)] == []


def test_missing_module_is_imported_from_its_parent() -> None:
    with compat.as_paddle("2.4"):
        space: dict[str, Any] = {}
        exec(
            "from paddle.tensor import random\nfrom paddle.fluid.layers import nn\nimport paddle.fluid.layers.nn as same",
            space,
        )
        assert space["random"].uniform is oarlock.uniform
        assert space["nn"] is space["same"]
    assert not hasattr(oarlock.tensor, "random")


def test_program_guard_in_dygraph_mode() -> None:
    with fluid.dygraph.guard(), fluid.program_guard(fluid.Program()):
        assert layers.reduce_sum(ones_variable(2, 3)).numpy() == 6


def test_program_seed_in_dygraph_mode() -> None:
    feed = np.ones((2, 3), np.float32)
    found = []
    for _ in range(2):
        with (
            fluid.program_guard(fluid.Program(), fluid.Program()),
            fluid.scope_guard(fluid.Scope()),
        ):
            oarlock.framework.random._manual_program_seed(7)
            out = layers.dropout(layers.fc(fluid.data("x", [None, 3]), 4), 0.5)
            executor = fluid.Executor(fluid.CPUPlace())
            executor.run(fluid.default_startup_program())
            found += [executor.run(feed={"x": feed}, fetch_list=[out])[0] for _ in range(2)]
    with fluid.dygraph.guard():
        oarlock.framework.random._manual_program_seed(7)
        found.append(layers.dropout(layers.fc(ones_variable(2, 3), 4), 0.5, seed=7).numpy())
    for other in found[1:]:
        np.testing.assert_allclose(other, found[0], rtol=1e-6)


def test_custom_layer_appends_ops() -> None:
    class Twice(fluid.dygraph.Layer):
        def forward(self, x: Any) -> Any:
            made = self.create_variable(dtype=self._dtype)
            self._helper.append_op(
                type="scale", inputs={"X": x}, outputs={"Out": made}, attrs={"scale": 2.0}
            )
            return self._helper.append_activation(made, act="relu")

    with fluid.dygraph.guard():
        assert Twice()(ones_variable(2)).numpy().tolist() == [2, 2]
    with fluid.program_guard(fluid.Program()):
        out = Twice()(fluid.data("x", [2]))
        (found,) = fluid.Executor().run(feed={"x": np.ones(2, np.float32)}, fetch_list=[out])
    assert found.tolist() == [2, 2]


def test_gradients_of_unused_parameters() -> None:
    with fluid.dygraph.guard():
        used, unused = fluid.dygraph.Linear(3, 4), fluid.dygraph.Linear(3, 4)
        first, second = layers.split(used(ones_variable(2, 3)), 2, dim=1)
        loss = layers.reduce_mean(first)
        loss.backward()
        assert (second.gradient() == 0).all()
        before = used.weight.gradient()
        loss.backward()  # 1.8.5 says nothing, and does nothing
        assert (used.weight.gradient() == before).all()
        sgd = fluid.optimizer.SGD(0.1, parameter_list=used.parameters() + unused.parameters())
        ops, pairs = sgd.minimize(loss)
        assert (ops, [p.name for p, _ in pairs]) == ([], [p.name for p in used.parameters()])


def test_names_of_operator_results() -> None:
    with fluid.unique_name.guard(), fluid.program_guard(fluid.Program()):
        x = fluid.data("x", [2, 2])
        made = [x[0], x[0:1], x[::2], x[0][1], x.astype("int64"), x @ x]
        assert [m.name for m in made] == [
            "x_slice_0",
            "x_slice_1",
            "x_strided_slice_0",
            "x_slice_2_slice_0",
            "tmp_0",
            "tmp_1",
        ]
        assert made[3].shape == (1,)
        layers.one_hot(fluid.data("i", [3, 1], "int64"), 4)
        assert fluid.default_main_program().global_block().ops[-1].type == "one_hot"


GIVEN = [
    (TypeError, lambda: fluid.ParamAttr._to_attr(3)),
    (TypeError, lambda: fluid.optimizer.SGD(0.1, grad_clip="test")),
    (TypeError, lambda: fluid.data("a", [2]).astype("no")),
    (AssertionError, lambda: fluid.name_scope("").__enter__()),
    (IndexError, lambda: fluid.data("b", [2])[[True, False, True]]),
    (IndexError, lambda: fluid.data("c", [2])[0, 0]),
    (TypeError, lambda: layers.While(3)),
    (TypeError, lambda: layers.array_length(fluid.data("d", [2]))),
    (TypeError, lambda: layers.cond(fluid.data("e", [1], "bool"), lambda: 1, lambda: (1, 2))),
    (ValueError, lambda: layers.cond(fluid.data("f", [1], "bool"), lambda: 1, lambda: (1, 2))),
    (OarlockError, lambda: fluid.optimizer.PipelineOptimizer(fluid.optimizer.SGD(0.1))),
]


@pytest.mark.parametrize(("kind", "call"), GIVEN)
def test_error_types_in_programs(kind: type[Exception], call: Any) -> None:
    with fluid.program_guard(fluid.Program()), pytest.raises(kind):
        call()


AT_ONCE = [
    (KeyError, lambda: fluid.dygraph.LayerList([fluid.dygraph.Linear(2, 2)])[9]),
    (KeyError, lambda: fluid.dygraph.ParameterList()[9]),
    (TypeError, lambda: fluid.dygraph.Conv2D("a")),
    (AssertionError, lambda: fluid.dygraph.grad(None, None)),
    (
        AssertionError,
        lambda: fluid.dygraph.grad(
            [ones_variable(2), ones_variable(2)], [ones_variable(2)], [ones_variable(2)]
        ),
    ),
    (
        AssertionError,
        lambda: fluid.dygraph.Linear(2, 1).set_dict(
            {"weight": np.ones((7, 7)), "bias": np.ones(1)}
        ),
    ),
    (Exception, lambda: fluid.optimizer.DGCMomentumOptimizer(0.1, 0.9, 1)),
]


@pytest.mark.parametrize(("kind", "call"), AT_ONCE)
def test_error_types_in_dygraph_mode(kind: type[Exception], call: Any) -> None:
    with fluid.dygraph.guard(), pytest.raises(kind):
        call()


def test_second_backward_error_of_2_4() -> None:
    x = oarlock.to_tensor(5.0, stop_gradient=False)
    y = x * x
    y.backward()
    with pytest.raises(RuntimeError, match="freed by an earlier backward"):
        y.backward()


def test_gradient_clip_in_programs() -> None:
    with fluid.program_guard(fluid.Program()):
        block = fluid.default_main_program().global_block()
        x, y = (block.create_parameter(name=name, shape=[2], dtype="float32") for name in "xy")
        assert len(fluid.clip.GradientClipByGlobalNorm(0.2)([(x, None), (x, y), (y, x)])) == 2
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByValue(0.5))
        ((_, clipped),) = fluid.clip.append_gradient_clip_ops([(x, y)])
        assert clipped is not y


def test_serialized_models(tmp_path: Path) -> None:
    feed, scope = {"x": np.ones((2, 3), np.float32)}, fluid.Scope()
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(scope):
        out = layers.fc(fluid.data("x", [None, 3]), 2)
        fluid.optimizer.SGD(0.1).minimize(layers.mean(out))
        executor = fluid.Executor()
        executor.run(fluid.default_startup_program())
        program = fluid.default_main_program()
        fluid.io.save_inference_model(str(tmp_path), ["x"], [out], executor, model_filename="model")
        pruned = program.clone()._prune_with_input(["x"], [out])
        values = fluid.io.save_persistables(executor, None, pruned, None)
        (wanted,) = executor.run(pruned, feed=feed, fetch_list=[out.name])
    with fluid.scope_guard(fluid.Scope()), temporarily_emulate_paddle1():
        read = fluid.io.load_inference_model(
            None, executor, (tmp_path / "model").read_bytes(), values
        )
        (found,) = executor.run(read[0], feed=feed, fetch_list=read[2])
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_inference_api_of_1_8(tmp_path: Path) -> None:
    with fluid.program_guard(fluid.Program(), fluid.Program()), fluid.scope_guard(fluid.Scope()):
        out = layers.fc(fluid.data("x", [None, 3]), 2, param_attr=fluid.initializer.Constant(0.5))
        executor = fluid.Executor()
        executor.run(fluid.default_startup_program())
        fluid.io.save_inference_model(str(tmp_path), ["x"], [out], executor)
    config = core.AnalysisConfig(str(tmp_path))
    config.disable_gpu()
    config.switch_use_feed_fetch_ops(False)
    predictor = core.create_paddle_predictor(config)
    (name,) = predictor.get_input_names()
    predictor.get_input_tensor(name).copy_from_cpu(np.ones((2, 3), np.float32))
    assert predictor.zero_copy_run()
    (handle,) = (predictor.get_output_tensor(n) for n in predictor.get_output_names())
    assert handle.copy_to_cpu().tolist() == [[1.5, 1.5], [1.5, 1.5]]
    (given,) = predictor.run([core.PaddleTensor(np.ones((1, 3), np.float32))])
    assert (given.shape, given.data.float_data(), given.data.length()) == ([1, 2], [1.5, 1.5], 8)
    with pytest.raises(TypeError, match="one of float32, int64, int32"):
        core.PaddleTensor(np.ones(2, bool))


def test_utils_functions() -> None:
    nest = {"b": [1, (2, 3)], "a": 4}
    utils = importlib.import_module("oarlock.fluid.layers.utils")
    assert utils.flatten(nest) == [4, 1, 2, 3]
    assert utils.map_structure(lambda v: v * 2, nest) == {"b": [2, (4, 6)], "a": 8}
    with pytest.raises(ValueError, match="has 4 values"):
        utils.pack_sequence_as(nest, [1])
    with pytest.raises(ValueError, match="different structures"):
        utils.assert_same_structure([1], [1, 2])
    assert (compat.round(2.5), compat.round(-0.5), compat.to_text([b"a", {"b": b"c"}])) == (
        3.0,
        -1.0,
        ["a", {"b": "c"}],
    )
    with fluid.dygraph.guard():
        assert core.ops.scale(ones_variable(2), "scale", 3.0, "bias", 1.0).numpy().tolist() == [
            4,
            4,
        ]
        assert core.Layer().forward([]) == []


LINEAR = oarlock.nn.Linear(2, 2)
TODAY = [
    (ValueError, lambda: oarlock.optimizer.Adam(0.1, epsilon=-1.0, parameters=LINEAR.parameters())),
    (TypeError, lambda: oarlock.optimizer.Adam(0.1, parameters=LINEAR.weight)),
    (TypeError, lambda: oarlock.optimizer.Adam("a", parameters=LINEAR.parameters())),
    (TypeError, lambda: oarlock.optimizer.Adam(0.1, parameters=LINEAR.parameters(), grad_clip="a")),
    (AssertionError, lambda: oarlock.io.BatchSampler()),
    (AssertionError, lambda: oarlock.io.BatchSampler([1, 2], batch_size=0)),
    (AssertionError, lambda: oarlock.io.BatchSampler([1, 2], shuffle="a")),
    (AssertionError, lambda: oarlock.io.ComposeDataset([])),
    (AssertionError, lambda: oarlock.io.TensorDataset([oarlock.ones([2]), oarlock.ones([3])])),
]


@pytest.mark.parametrize(("kind", "call"), TODAY)
def test_error_types_of_2_6(kind: type[Exception], call: Any) -> None:
    with pytest.raises(kind):
        call()


def double(x: Any) -> Any:
    helper = fluid.layer_helper.LayerHelper("scale")
    made = helper.create_variable_for_type_inference(dtype="float32")
    helper.append_op(type="scale", inputs={"X": [x]}, outputs={"Out": [made]}, attrs={"scale": 2.0})
    if x.sum() > 0:
        return made + 1.0
    return made


def test_layer_helper_in_to_static() -> None:
    with compat.as_paddle("2.4"):
        program = oarlock.jit.to_static(double)
        for sign in (1.0, -1.0):
            x = oarlock.to_tensor([sign, 2.0 * sign], stop_gradient=False)
            found = program(x)
            found.sum().backward()
            assert (
                found.tolist()
                == double(x).tolist()
                == [sign * 2 + (sign > 0), sign * 4 + (sign > 0)]
            )
            assert x.grad.tolist() == [2.0, 2.0]


def test_create_global_var_in_eager_mode() -> None:
    kept = oarlock.static.create_global_var([2], 3.0, "float32", persistable=True)
    assert (kept.tolist(), kept.persistable, kept.stop_gradient) == ([3.0, 3.0], True, True)
    oarlock.assign(np.ones(2, np.float32), kept)
    assert (kept * 2.0).tolist() == [2.0, 2.0]


def test_yolo_loss_equals_1_8() -> None:
    rng = np.random.default_rng(0)
    x = oarlock.to_tensor(rng.standard_normal((2, 16, 3, 3)).astype("float32"), stop_gradient=False)
    boxes, kinds = (
        oarlock.to_tensor(rng.random((2, 2, 4)).astype("float32") * 0.5),
        oarlock.to_tensor([[0, 1], [2, 0]], "int32"),
    )
    given = (x, boxes, kinds, [10, 13, 16, 30], [0, 1], 3, 0.7, 32)
    loss = oarlock.vision.ops.yolo_loss(*given)
    assert loss.tolist() == layers.yolov3_loss(*given).tolist()
    loss.sum().backward()
    assert x.grad.abs().sum() > 0


def test_core_globals() -> None:
    held = core.globals()
    before = held["FLAGS_sort_sum_gradient"]
    held["FLAGS_sort_sum_gradient"] = True
    assert oarlock.get_flags("FLAGS_sort_sum_gradient") == {"FLAGS_sort_sum_gradient": True}
    held["FLAGS_sort_sum_gradient"] = before
    assert "FLAGS_paddle_num_threads" in held
    assert "FLAGS_nope" not in held
    assert set(held.keys()) >= {"FLAGS_benchmark", "FLAGS_sort_sum_gradient"}


def test_core_constants() -> None:
    assert (core.grad_var_suffix(), core.empty_var_name()) == ("@GRAD", "@EMPTY@")
    assert [core.size_of_dtype(t) for t in ("float64", core.VarDesc.VarType.INT32)] == [8, 4]


def test_no_grad_vars_as_set() -> None:
    with fluid.dygraph.guard():
        x, y = ones_variable(2), ones_variable(2)
        x.stop_gradient = y.stop_gradient = False
        (found,) = fluid.dygraph.grad([x * y * 3.0], [x], no_grad_vars={y}, create_graph=True)
        np.testing.assert_array_equal(found.numpy(), [3.0, 3.0])


def test_save_to_a_folder_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="is a folder"):
        fluid.save(fluid.Program(), f"{tmp_path}/")


def test_case_requires_tensor_conditions() -> None:
    one = lambda: layers.fill_constant([1], "float32", 1.0)
    with (
        fluid.program_guard(fluid.Program()),
        pytest.raises(TypeError, match="a condition should be a Tensor, not bool"),
    ):
        layers.case([(True, one), (False, one)])


def test_traced_layer_inputs_are_checked() -> None:
    with fluid.dygraph.guard():
        layer = fluid.dygraph.Linear(3, 2)
        for inputs in (3, [1]):
            with pytest.raises(TypeError, match="must be variables"):
                fluid.dygraph.TracedLayer.trace(layer, inputs)
        _, traced = fluid.dygraph.TracedLayer.trace(layer, [ones_variable(2, 3)])
        assert traced([ones_variable(4, 3)])[0].shape == (4, 2)
        with pytest.raises(AssertionError, match="got 2 inputs"):
            traced([ones_variable(2, 3), ones_variable(2, 3)])


def test_legacy_c_ops_of_2_4() -> None:
    with compat.as_paddle("2.4"), fluid.dygraph.guard():
        space: dict[str, Any] = {}
        exec("from paddle import _legacy_C_ops as ops", space)
        assert fluid._non_static_mode()
        out, *_ = space["ops"].instance_norm(
            ones_variable(1, 2, 3), ones_variable(2), ones_variable(2), "epsilon", 1e-5
        )
        np.testing.assert_array_equal(out.numpy(), np.ones((1, 2, 3)))
