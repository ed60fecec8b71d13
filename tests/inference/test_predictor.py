"""Paddle's inference API on the engine."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import inference, nn
from oarlock.core.errors import FileError, GuardError, OpError
from oarlock.loader.model_files import read_model


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Linear(4, 3)

    def forward(self, x: Any, scale: Any) -> Any:
        return {"y": self.fc(x) * scale, "sum": x.sum()}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Net]:
    prefix = str(tmp_path_factory.mktemp("model") / "net")
    net = Net()
    net.eval()
    spec = [
        paddle.static.InputSpec([None, 4], "float32", "x"),
        paddle.static.InputSpec([1], "float32", "scale"),
    ]
    paddle.jit.save(net, prefix, spec)
    return prefix, net


def make_predictor(prefix: str) -> inference.Predictor:
    return inference.create_predictor(inference.Config(f"{prefix}.pdmodel", f"{prefix}.pdiparams"))


def run(made: inference.Predictor, x: np.ndarray[Any, Any], scale: float) -> Any:
    made.get_input_handle("x").copy_from_cpu(x)
    made.get_input_handle("scale").copy_from_cpu(np.array([scale], "float32"))
    assert made.run()
    return made.get_output_handle("y").copy_to_cpu()


@pytest.mark.parametrize("form", ["prefix", "program file", "both files", "directory"])
def test_paddle_3_model(form: str, model: tuple[str, Net], tmp_path: Path) -> None:
    _, net = model
    prefix = str(tmp_path / "inference")
    spec = [
        paddle.static.InputSpec([None, 4], "float32", "x"),
        paddle.static.InputSpec([1], "float32", "scale"),
    ]
    paddle.jit.save(net, prefix, spec, format="paddle3")
    paths = {
        "prefix": [prefix],
        "program file": [f"{prefix}.json"],
        "both files": [f"{prefix}.json", f"{prefix}.pdiparams"],
        "directory": [str(tmp_path)],
    }[form]
    made = inference.create_predictor(inference.Config(*paths))
    x = np.random.default_rng(0).random((5, 4)).astype("float32")
    expected = net(paddle.to_tensor(x), paddle.to_tensor([2.0]))["y"].numpy()
    np.testing.assert_allclose(run(made, x, 2.0), expected, rtol=1e-5)


def test_folder_and_prefix_of_paddle_3(model: tuple[str, Net], tmp_path: Path) -> None:
    _, net = model
    spec = [paddle.static.InputSpec([None, 4], "float32", "x"), paddle.static.InputSpec([1])]
    paddle.jit.save(net, str(tmp_path / "a"), spec, format="paddle3")
    paddle.jit.save(net, str(tmp_path / "b"), spec)
    for name, suffix in (("a", ".json"), ("b", ".pdmodel")):
        config = inference.Config(str(tmp_path), name)
        assert config.prog_file() == str(tmp_path / f"{name}{suffix}")
        assert config.params_file() == str(tmp_path / f"{name}.pdiparams")
        assert config.model_dir() == ""
        assert inference.create_predictor(config).get_input_names()[0] == "x"
    (tmp_path / "a.pdiparams").unlink()
    with pytest.raises(FileError, match=r"there is no .*a\.pdiparams \(a\.json: has 2 weights"):
        inference.create_predictor(inference.Config(str(tmp_path), "a"))


def test_folder_maps_its_weights(
    model: tuple[str, Net], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = [paddle.static.InputSpec([None, 4], "float32", "x"), paddle.static.InputSpec([1])]
    paddle.jit.save(model[1], str(tmp_path / "inference"), spec, format="paddle3")

    def fail(*_: Any) -> None:
        raise AssertionError

    monkeypatch.setattr("oarlock.loader.program_engine.pdiparams_writer.write", fail)
    made = inference.create_predictor(inference.Config(str(tmp_path)))
    assert made.get_input_names()[0] == "x"


def test_wrong_arguments_are_reported(model: tuple[str, Net]) -> None:
    made = make_predictor(model[0])
    x = made.get_input_handle("x")
    for shape in ("ab", None, 3, [1.5]):
        with pytest.raises(OpError, match=r"^reshape: shape=.* must be a list of ints"):
            x.reshape(shape)  # type: ignore[arg-type]
    for inputs in ({"x": 1}, np.zeros((2, 4), "float32")):
        with pytest.raises(OpError, match="^run: inputs must be a list of Tensors or arrays"):
            made.run(inputs)
    for dtype in ("uint32", "complex64"):
        x.copy_from_cpu(np.zeros((2, 4), dtype))
        with pytest.raises(
            OpError, match=f"^type: 'x' has elements of the unsupported type {dtype}"
        ):
            x.type()
    x.copy_from_cpu(np.zeros((2, 4), ">f4"))
    assert x.type() == inference.DataType.FLOAT32
    config = inference.Config(f"{model[0]}.pdmodel", f"{model[0]}.pdiparams")
    with pytest.raises(OpError, match="^PredictorPool: size=0 must be"):
        inference.PredictorPool(config, 0)
    with pytest.raises(IndexError, match="^retrive: index 2 is out of range"):
        inference.PredictorPool(config, 2).retrive(2)


def test_input_and_output_handles(model: tuple[str, Net]) -> None:
    prefix, net = model
    made = make_predictor(prefix)
    x = np.random.default_rng(0).random((5, 4)).astype("float32")
    handle = made.get_input_handle("x")
    assert made.get_input_names() == ["x", "scale"]
    assert handle.shape() == [-1, 4]
    assert handle.type() == inference.DataType.FLOAT32
    wanted = net(paddle.to_tensor(x), paddle.to_tensor([2.0]))["y"].numpy()
    np.testing.assert_allclose(run(made, x, 2.0), wanted, rtol=1e-5)
    assert handle.shape() == [5, 4]
    assert made.get_output_handle("y").shape() == [5, 3]


def test_run_with_tensors(model: tuple[str, Net]) -> None:
    prefix, net = model
    x, scale = paddle.ones([2, 4]), paddle.to_tensor([1.0])
    total, y = make_predictor(prefix).run(
        [x, scale]
    )  # in the order of the sorted keys, as in Paddle
    np.testing.assert_allclose(y.numpy(), net(x, scale)["y"].numpy(), rtol=1e-5)
    assert total.numpy() == 8


def test_inputs_are_copied_unless_shared(model: tuple[str, Net]) -> None:
    made = make_predictor(model[0])
    x = np.ones((2, 4), "float32")
    before = run(made, x, 1.0).copy()
    x[:] = 5
    made.run()
    np.testing.assert_array_equal(made.get_output_handle("y").copy_to_cpu(), before)
    made.get_input_handle("x").share_external_data(x)
    made.run()
    assert not np.array_equal(made.get_output_handle("y").copy_to_cpu(), before)


def test_shared_scalar_keeps_its_rank(model: tuple[str, Net]) -> None:
    handle = make_predictor(model[0]).get_input_handle("x")
    handle.share_external_data(np.array(2.0, "float32"))
    assert handle.shape() == []


def test_copied_array_determines_shape_despite_reshape(model: tuple[str, Net]) -> None:
    predictor = make_predictor(model[0])
    handle = predictor.get_input_handle("x")
    handle.reshape([1, 4])
    assert handle.shape() == [1, 4]
    assert run(predictor, np.ones((8, 4), "float32"), 1.0).shape == (8, 3)
    assert handle.shape() == [8, 4]


def test_model_from_bytes_prefix_or_paddle1_folder(model: tuple[str, Net], tmp_path: Path) -> None:
    prefix, _ = model
    x = np.ones((2, 4), "float32")
    wanted = run(make_predictor(prefix), x, 1.0)
    pdmodel, params = (
        Path(f"{prefix}.pdmodel").read_bytes(),
        Path(f"{prefix}.pdiparams").read_bytes(),
    )
    memory = inference.Config()
    memory.set_model_buffer(pdmodel, len(pdmodel), params, len(params))
    assert memory.model_from_memory()
    (tmp_path / "__model__").write_bytes(pdmodel)
    for name, array in read_model(prefix).values.items():
        (tmp_path / name).write_bytes(_record(np.asarray(array)))
    for config in (memory, inference.Config(prefix), inference.Config(str(tmp_path))):
        np.testing.assert_array_equal(run(inference.create_predictor(config), x, 1.0), wanted)


def _record(array: np.ndarray[Any, Any]) -> bytes:
    from oarlock.export.pdiparams_writer import iter_serialized_record_chunks

    return b"".join(bytes(part) for part in iter_serialized_record_chunks("", array))


def test_clones_share_only_the_engine(model: tuple[str, Net]) -> None:
    pool = inference.PredictorPool(inference.Config(model[0]), 4)
    results: dict[int, Any] = {}

    def work(i: int) -> None:
        for _ in range(20):
            results[i] = run(pool.retrive(i), np.full((i + 1, 4), i, "float32"), 1.0)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = make_predictor(model[0])
    for i in range(4):
        np.testing.assert_array_equal(
            results[i], run(alone, np.full((i + 1, 4), i, "float32"), 1.0)
        )


def test_invalid_inputs_are_rejected(model: tuple[str, Net], tmp_path: Path) -> None:
    made = make_predictor(model[0])
    with pytest.raises(OpError, match="the inputs x, scale have no content"):
        made.run()
    with pytest.raises(OpError, match="no input 'z' \\(the model has x, scale\\)"):
        made.get_input_handle("z")
    with pytest.raises(OpError, match="'x' is float64"):
        run(made, np.ones((2, 4)), 1.0)
    with pytest.raises(TypeError, match="requires an ndarray"):
        made.get_input_handle("x").copy_from_cpu([1.0])  # type: ignore[arg-type]
    with pytest.raises(FileError, match="there is no"):
        inference.create_predictor(inference.Config(str(tmp_path / "nothing")))
    with pytest.raises(OpError, match="has no model"):
        inference.create_predictor(inference.Config())
    with pytest.raises(OpError, match="packed sequences"):
        made.get_input_handle("x").set_lod([[0, 1]])


def test_guards_are_checked(tmp_path: Path) -> None:
    class Branch(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return self.fc(x) if x.sum() > 0 else x

    traced = paddle.jit.TracedLayer.trace(Branch(), [paddle.ones([1, 2])])[1]
    traced.save_inference_model(str(tmp_path / "branch"))
    made = inference.create_predictor(inference.Config(str(tmp_path / "branch")))
    handle = made.get_input_handle(made.get_input_names()[0])
    handle.copy_from_cpu(-np.ones((1, 2), "float32"))
    with pytest.raises(GuardError):
        made.run()


def test_config_summary() -> None:
    config = inference.Config("a.pdmodel", "a.pdiparams")
    config.set_cpu_math_library_num_threads(3)
    config.switch_ir_optim(False)
    config.enable_memory_optim()
    config.delete_pass("fuse")
    text = config.summary()
    assert "| cpu_math_thread | 3 " in text
    assert "| ir_optim        | false" in text
    assert not config.use_gpu()
    config.enable_use_gpu(100, 1)
    config.enable_tensorrt_engine(1 << 20, 1, 5, inference.PrecisionType.Half)
    config.set_trt_dynamic_shape_info({"x": [1, 4]}, {"x": [8, 4]}, {"x": [2, 4]})
    assert (config.use_gpu(), config.gpu_device_id(), config.tensorrt_engine_enabled()) == (
        True,
        1,
        True,
    )
    assert config._provider["trt_profile_opt_shapes"] == "x:2x4"
    with pytest.raises(OpError, match="not supported"):
        config.enable_xpu()
    with pytest.raises(OpError, match="must be Float32 or Half, not Int8"):
        config.enable_tensorrt_engine(precision_mode=inference.PrecisionType.Int8)


def test_missing_gpu_is_an_error(model: tuple[str, Net]) -> None:
    config = inference.Config(model[0])
    config.enable_use_gpu(100, 0)
    with pytest.raises(RuntimeError, match="cuda"):
        inference.create_predictor(config)


def test_set_model_replaces_folder(tmp_path: Path) -> None:
    config = inference.Config(str(tmp_path))
    assert config.model_dir() == str(tmp_path)
    config.set_model("net.pdmodel", "net.pdiparams")
    assert (config.model_dir(), config.prog_file()) == ("", "net.pdmodel")
