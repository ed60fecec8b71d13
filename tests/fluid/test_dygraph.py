"""Guards and modes, files, programs of layers and readers with the names of Paddle 1.8."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import fluid
from oarlock.core.errors import OarlockError
from oarlock.core.paddle1_compat import compat

from .cases.common import integers, numbers

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
d = fluid.dygraph


@pytest.fixture(autouse=True)
def isolated_state() -> Iterator[None]:
    with (
        fluid.unique_name.guard(),
        fluid.scope_guard(fluid.Scope()),
        oarlock.static.program_guard(fluid.Program(), fluid.Program()),
    ):
        yield


@pytest.fixture
def restore_dynamic_mode() -> Iterator[None]:
    """What turns static for good is turned back."""
    yield
    oarlock.disable_static()
    compat.is_paddle1 = False


def net() -> Any:
    return d.Sequential(d.Linear(3, 4, act="tanh"), d.BatchNorm(4), d.Linear(4, 2))


# -- modes
# ------------------------------------------------------------------------------


def test_static_mode_is_the_default() -> None:
    assert not fluid.in_dygraph_mode()
    with fluid.dygraph.guard():
        assert fluid.in_dygraph_mode()
        assert d.enabled()
        with fluid.program_guard(fluid.Program()):
            # as in 1.8.5: it says where programs are written to, not whether
            assert fluid.in_dygraph_mode()
    with fluid.program_guard(fluid.Program()):
        assert not fluid.in_dygraph_mode()
    fluid.enable_dygraph()
    assert fluid.in_dygraph_mode()
    fluid.disable_dygraph()
    assert not fluid.in_dygraph_mode()


def test_data_without_guard(restore_dynamic_mode: None) -> None:
    x = fluid.data("x", [None, 3])
    out = fluid.layers.fc(x, 2)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(fluid.default_startup_program())
    (found,) = executor.run(feed={"x": numbers(4, 3)}, fetch_list=[out])
    assert found.shape == (4, 2)
    with d.guard():
        assert d.to_variable(numbers(2)).numpy().shape == (2,)
    assert isinstance(fluid.layers.fc(x, 2), fluid.framework.Variable)


def test_classes_of_eager_tensors_reject_program_variables(restore_dynamic_mode: None) -> None:
    x = fluid.data("x", [None, 2])
    weight = fluid.layers.create_parameter([2, 2], "float32")
    assert isinstance(x, fluid.Variable) and isinstance(weight, fluid.framework.Parameter)
    for class_ in (fluid.core.VarBase, fluid.framework.ParamBase):
        assert not isinstance(x, class_) and not isinstance(weight, class_)
        assert not issubclass(type(x), class_) and not issubclass(type(weight), class_)
    with d.guard():
        assert isinstance(d.to_variable(numbers(2)), fluid.core.VarBase)
        assert isinstance(d.Linear(2, 2).weight, fluid.framework.ParamBase)


def test_data_in_dygraph_guard() -> None:
    with fluid.dygraph.guard():
        fluid.data("x", [None, 3])
        assert fluid.in_dygraph_mode()


def test_vector_element_shape_in_guard() -> None:
    x = oarlock.to_tensor(numbers(3))
    assert x[0].shape == []
    with d.guard():
        assert x[0].shape == [1]
        assert "lod: {}" in str(x)
    assert "lod" not in str(x)


def test_variable_types() -> None:
    with d.guard():
        assert isinstance(d.to_variable(numbers(2)), fluid.Variable)
        assert isinstance(d.Linear(2, 2).weight, fluid.framework.Parameter)
    made = fluid.Variable(
        fluid.Program().global_block(), name="mine", shape=[2, 3], dtype="float32"
    )
    assert made.name == "mine"
    assert isinstance(made, fluid.Variable)
    assert not isinstance(numbers(2), fluid.Variable)


def test_complex_variables() -> None:
    with d.guard():
        value = d.to_variable(np.array([1 + 2j, 3 - 1j], np.complex64))
        assert isinstance(value, fluid.ComplexVariable)
        np.testing.assert_array_equal(value.numpy(), [1 + 2j, 3 - 1j])
        assert (value.shape, value.dtype) == ([2], "complex64")


def test_no_grad() -> None:
    with d.guard():
        layer = d.Linear(2, 2)
        x = d.to_variable(numbers(1, 2))
        with d.no_grad():
            assert layer(x).stop_gradient
        assert d.no_grad(lambda: layer(x))().stop_gradient
        assert not layer(x).stop_gradient


def test_second_order_gradient() -> None:
    with d.guard():
        x = d.to_variable(np.array([3.0], np.float32))
        x.stop_gradient = False
        (slope,) = d.grad(outputs=x * x * x, inputs=x, create_graph=True)
        (curve,) = d.grad(slope, x)
        assert (slope.numpy()[0], curve.numpy()[0]) == (27.0, 18.0)


# -- state and files
# ------------------------------------------------------------------------------------------------


def train(optimizer_of: Any) -> tuple[Any, Any]:
    model = net()
    optimizer = optimizer_of(model)
    for i in range(2):
        loss = fluid.layers.reduce_mean(model(d.to_variable(numbers(5, 3, seed=i))))
        loss.backward()
        optimizer.minimize(loss)
        model.clear_gradients()
    return model, optimizer


def adam(model: Any) -> Any:
    return fluid.optimizer.Adam(d.NoamDecay(64, 3), parameter_list=model.parameters())


def test_training_resumes_from_files(tmp_path: Path) -> None:
    prefix = str(tmp_path / "deep" / "model")
    with d.guard(), fluid.unique_name.guard():
        model, optimizer = train(adam)
        fluid.save_dygraph(model.state_dict(), prefix)
        fluid.save_dygraph(optimizer.state_dict(), prefix)
    assert sorted(os.listdir(tmp_path / "deep")) == ["model.pdopt", "model.pdparams"]
    with d.guard(), fluid.unique_name.guard():
        again = net()
        parameters, kept = fluid.load_dygraph(prefix + ".pdparams")
        assert all(isinstance(v, np.ndarray) for v in parameters.values())
        assert kept is not None
        assert kept["global_step"].tolist() == [3]
        again.set_dict(parameters)
        other = adam(again)
        other.set_dict(kept)
        assert other.current_step_lr() == pytest.approx(optimizer._learning_rate.last_lr)
        for one, two in ((model, optimizer), (again, other)):
            loss = fluid.layers.reduce_mean(one(d.to_variable(numbers(5, 3, seed=9))))
            loss.backward()
            two.minimize(loss)
        for p, q in zip(model.parameters(), again.parameters(), strict=True):
            np.testing.assert_array_equal(p.numpy(), q.numpy())


def test_missing_files_are_reported(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="not exists"):
        fluid.load_dygraph(str(tmp_path / "none"))
    with pytest.raises(AssertionError, match="empty"):
        fluid.save_dygraph({}, str(tmp_path / "none"))
    with d.guard():
        model = net()
        with pytest.raises(RuntimeError, match="weight"):
            model.set_dict({"0.bias": numbers(4)})


def test_state_of_another_decay_is_rejected() -> None:
    with pytest.raises(RuntimeError, match="epoch_num"):
        d.StepDecay(0.5, 2).set_dict({"step_num": 3})


def test_data_parallel_in_one_process() -> None:
    with d.guard():
        model = d.DataParallel(d.Linear(3, 2), d.prepare_context())
        x = d.to_variable(numbers(4, 3))
        assert list(model.state_dict()) == ["weight", "bias"]
        loss = model.scale_loss(fluid.layers.reduce_mean(model(x)))
        loss.backward()
        model.apply_collective_grads()
        assert model.parameters()[0].gradient() is not None
        model.set_dict(model.state_dict())
    assert d.ParallelEnv().nranks == 1


# -- programs of layers
# ---------------------------------------------------------------------------------------------


def test_traced_layer_in_1_8_files(tmp_path: Path) -> None:
    with d.guard(), fluid.unique_name.guard():
        model = net()
        model.eval()
        x = d.to_variable(numbers(5, 3))
        out, traced = d.TracedLayer.trace(model, inputs=[x])
        traced.set_strategy(fluid.BuildStrategy(), fluid.ExecutionStrategy())
        np.testing.assert_allclose(traced([x])[0], out.numpy(), rtol=1e-5, atol=1e-6)
        traced.save_inference_model(str(tmp_path), feed=[0], fetch=[0])
    assert "__model__" in os.listdir(tmp_path)
    assert "linear_0.w_0" in os.listdir(tmp_path)
    executor = fluid.Executor(fluid.CPUPlace())
    program, feeds, fetches = fluid.io.load_inference_model(str(tmp_path), executor)
    (found,) = executor.run(program, feed={feeds[0]: numbers(5, 3)}, fetch_list=fetches)
    np.testing.assert_allclose(found, out.numpy(), rtol=1e-5, atol=1e-6)


def test_traced_layer_in_2_x_files(tmp_path: Path) -> None:
    with d.guard(), fluid.unique_name.guard():
        model, x = net(), d.to_variable(numbers(5, 3))
        model.eval()
        out, traced = d.TracedLayer.trace(model, [x])
        names = {p.name for p in model.parameters()}
        assert names <= {v.name for v in traced.program.list_vars() if v.persistable}
        traced.save_inference_model(path=str(tmp_path / "net"))
        assert {"net.pdmodel", "net.pdiparams"} <= set(os.listdir(tmp_path))
        np.testing.assert_allclose(
            oarlock.jit.load(str(tmp_path / "net"))(x).numpy(), out.numpy(), rtol=1e-5, atol=1e-6
        )
        with pytest.raises(TypeError, match=r"inputs must be variables, not 3"):
            d.TracedLayer.trace(model, 3)
        with pytest.raises(TypeError, match=r"dirname must be a str, not \[0\]"):
            traced.save_inference_model([0])
        with pytest.raises(ValueError, match="dirname is empty"):
            traced.save_inference_model("")
        with pytest.raises(TypeError, match="either dirname or path"):
            traced.save_inference_model()
        for wrong in ([None], False):
            with pytest.raises(TypeError, match="fetch should be a list of ints"):
                traced.save_inference_model(str(tmp_path / "no"), [0], wrong)
    assert not (tmp_path / "no").exists()


def signed(x: Any) -> Any:
    if fluid.layers.reduce_mean(x) > 0:
        return x + 1.0
    return x - 1.0


def test_declarative_branches() -> None:
    called = d.declarative(signed)
    with d.guard():
        for value in (2.0, -2.0):
            found = called(d.to_variable(np.full([2], value, np.float32)))
            np.testing.assert_array_equal(found.numpy(), np.full([2], value + np.sign(value)))


def test_dygraph_layers_in_programs() -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        out = net()(fluid.data("x", [None, 3]))
        loss = fluid.layers.mean(out)
        fluid.optimizer.SGD(0.1).minimize(loss)
    assert [p.name for p in main.all_parameters()][:2] == ["linear_0.w_0", "linear_0.b_0"]
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup)
    (found,) = executor.run(main, feed={"x": numbers(4, 3)}, fetch_list=[loss])
    assert found.shape == (1,)


# -- readers
# ------------------------------------------------------------------------------


def samples() -> Iterator[tuple[Any, int]]:
    for i in range(5):
        yield numbers(3, seed=i), i


def inputs() -> list[Any]:
    return [fluid.layers.data("image", [3]), fluid.layers.data("label", [1], dtype="int64")]


def test_sample_loader_in_both_modes() -> None:
    with d.guard():
        loader = fluid.io.DataLoader.from_generator(capacity=4)
        loader.set_sample_generator(samples, batch_size=2, drop_last=False)
        batches = [[v.shape for v in batch] for batch in loader]
    assert batches == [[[2, 3], [2]], [[2, 3], [2]], [[1, 3], [1]]]
    with fluid.program_guard(fluid.Program()):
        loader = fluid.io.DataLoader.from_generator(feed_list=inputs(), capacity=4)
        loader.set_sample_list_generator(fluid.io.batch(samples, 2), places=fluid.cpu_places())
        fed = [batch[0] for batch in loader()]
    assert [{k: np.asarray(v).shape for k, v in f.items()} for f in fed][-1] == {
        "image": (1, 3),
        "label": (1, 1),
    }


@pytest.mark.parametrize("kind", [fluid.io.PyReader, fluid.io.DataLoader.from_generator])
def test_program_reads_batches_until_eof(kind: Any) -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        image, label = inputs()
        reader = kind(feed_list=[image, label], capacity=4, iterable=False)
        total = fluid.layers.reduce_sum(label)
        source = (
            getattr(reader, "decorate_sample_list_generator", None)
            or reader.set_sample_list_generator
        )
        source(fluid.io.batch(samples, 2))
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup)
    for _ in range(2):
        reader.start()
        found = [executor.run(main, fetch_list=[total])[0].item() for _ in range(3)]
        with pytest.raises(fluid.core.EOFException):
            executor.run(main, fetch_list=[total])
        reader.reset()
        assert found == [1, 5, 4]


def test_compiled_program_and_parallel_executor() -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 3]), 2))
        fluid.optimizer.SGD(0.1).minimize(loss)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup)
    compiled = fluid.CompiledProgram(main).with_data_parallel(
        loss_name=loss.name, places=fluid.cpu_places(1)
    )
    feed = {"x": numbers(4, 3)}
    first = executor.run(compiled, feed=feed, fetch_list=[loss.name])[0]
    parallel = fluid.ParallelExecutor(use_cuda=False, loss_name=loss.name, main_program=main)
    second = parallel.run([loss.name], feed=[feed])[0]
    assert second[0] < first[0]
    assert parallel.device_count == 1


def test_mixed_precision_trains() -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup):
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 3]), 2))
        optimizer = fluid.contrib.mixed_precision.decorate(
            fluid.optimizer.SGD(0.1), init_loss_scaling=8.0
        )
        optimizer.minimize(loss)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup)
    losses = [
        float(
            np.asarray(executor.run(main, feed={"x": numbers(4, 3)}, fetch_list=[loss])[0]).item()
        )
        for _ in range(3)
    ]
    assert losses[2] < losses[0]


def test_gradient_clip_per_parameter() -> None:
    main, startup = fluid.Program(), fluid.Program()
    with fluid.program_guard(main, startup), fluid.unique_name.guard():
        loss = fluid.layers.mean(fluid.layers.fc(fluid.data("x", [None, 3]), 2))
        fluid.clip.set_gradient_clip(fluid.clip.GradientClipByValue(1e-3), param_list=["fc_0.w_0"])
        fluid.optimizer.SGD(1.0).minimize(loss)
    executor = fluid.Executor(fluid.CPUPlace())
    executor.run(startup)
    places = {n: fluid.global_scope().find_var(n).get_tensor() for n in ("fc_0.w_0", "fc_0.b_0")}
    before = {n: np.array(v) for n, v in places.items()}
    executor.run(main, feed={"x": np.ones([4, 3], np.float32)})
    moved = {n: np.abs(np.array(v) - before[n]).max() for n, v in places.items()}
    assert moved["fc_0.w_0"] == pytest.approx(1e-3, rel=1e-3)
    assert moved["fc_0.b_0"] == pytest.approx(0.5, rel=1e-3)


def test_nce_training() -> None:
    oarlock.seed(3)
    with d.guard():
        layer = d.NCE(
            20, 4, num_neg_samples=5, sampler="log_uniform", param_attr="w", bias_attr="b"
        )
        optimizer = fluid.optimizer.Adam(0.1, parameter_list=layer.parameters())
        x, label = d.to_variable(numbers(8, 4)), d.to_variable(integers(8, 1, below=20))
        losses = []
        for _ in range(30):
            loss = fluid.layers.reduce_mean(layer(x, label))
            loss.backward()
            optimizer.minimize(loss)
            layer.clear_gradients()
            losses.append(loss.numpy()[0])
        assert layer(x, label).shape == [8, 1]
        assert np.mean(losses[-5:]) < np.mean(losses[:5])


def test_multi_process_features_are_rejected() -> None:
    transpiler = fluid.DistributeTranspiler()
    transpiler.transpile(0, program=fluid.Program(), trainers=1)
    with pytest.raises(OarlockError, match="2 trainers"):
        transpiler.transpile(0, trainers=2)
    names = ["a", "b", "c"]
    assert fluid.RoundRobin(["x", "y"]).dispatch(names) == ["x", "y", "x"]
    assert set(fluid.HashName(["x", "y"]).dispatch(names)) <= {"x", "y"}


def test_install_check(capsys: Any) -> None:
    fluid.install_check.run_check()
    assert "successfully" in capsys.readouterr().out
