"""Quantization of saved programs: results beside NumPy, fusion in ONNX Runtime, selection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import OpError
from oarlock.loader.engine import Engine
from oarlock.loader.model_files import read_model
from oarlock.loader.runtime import runtime_module
from oarlock.onnx.writer import ExportOptions, open_session, session_options, write_onnx
from oarlock.quantization import PTQ, QuantConfig
from oarlock.quantization.observers import AbsMaxChannelWiseWeightObserver, AbsmaxObserver
from oarlock.quantization.programs.calibration_data import CalibrationData
from oarlock.quantization.programs.engine_session import EngineSession
from oarlock.quantization.programs.fold_batch_norm import fold_batch_norms
from oarlock.quantization.programs.measure import (
    SignalToNoiseAccumulator,
    max_abs_of_activations,
    min_snr_of_outputs,
)
from oarlock.quantization.programs.model import ProgramWithValues
from oarlock.quantization.programs.quantize import (
    QuantizationResult,
    QuantizationSettings,
    quantize_model,
)
from oarlock.quantization.programs.write import (
    model_with_temporary_parameter_file,
    write_and_verify_model,
)

from .networks import (
    LargeActivations,
    attention_model,
    images,
    residual_model,
    save,
    sequences,
    token_model,
    tokens,
)

pytestmark = pytest.mark.slow


def quantize(prefix: str, feeds: Any, labels: Any = None, **settings: Any) -> QuantizationResult:
    """Quantize without selection by speed, which differs between machines."""
    data = CalibrationData(
        {"x": feeds[:1]}, [{"x": feeds}], [] if labels is None else [np.asarray(labels)]
    )
    given = QuantizationSettings(**{"selects_by_speed": False, **settings})
    return quantize_model(read_model(prefix), data, given, lambda *_: None)


def run(model: ProgramWithValues, feeds: Any) -> Any:
    return EngineSession(model).run({"x": feeds})[0]


def load(prefix: str) -> ProgramWithValues:
    files = read_model(prefix)
    return ProgramWithValues(files.program, dict(files.values))


def fused_ops(prefix: str, model: ProgramWithValues, folder: Path) -> Counter[str]:
    """The op types of ONNX Runtime's optimized graph."""
    import onnxruntime

    with model_with_temporary_parameter_file(read_model(prefix), model) as files:
        data = runtime_module().to_onnx(files.pdmodel, files.params_path, opset=17, inline=True)
    graph = onnx.load_from_string(data).graph
    dtypes = {i.name: i.data_type for i in graph.initializer}
    for node in graph.node:  # int8 weights reach DequantizeLinear without a Cast
        if node.op_type == "DequantizeLinear" and node.input[0].endswith(".quantized"):
            assert dtypes.get(node.input[0], onnx.TensorProto.INT8) == onnx.TensorProto.INT8
    options = session_options()
    options.optimized_model_filepath = str(folder / "optimized.onnx")
    onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    nodes = onnx.load(folder / "optimized.onnx", load_external_data=False).graph.node
    return Counter(node.op_type for node in nodes)


def test_linear_equals_numpy(tmp_path: Path) -> None:
    """Weights and activation of a Linear, quantized by NumPy."""
    paddle.seed(0)
    net = nn.Sequential(nn.Linear(12, 5))
    x = np.random.default_rng(0).standard_normal((8, 12)).astype("float32")
    result = quantize(save(net, tmp_path, [None, 12]), x)
    weight, bias = (p.numpy().astype(np.float64) for p in net.parameters())
    scale = np.abs(weight).max(0)
    levels = np.rint(weight / scale * 127)
    step = np.abs(x).max() / 127
    product = np.clip(np.rint(x / step), -128, 127) @ levels * step * scale / 127
    np.testing.assert_allclose(run(result.model, x), product + bias, atol=2e-5)
    stored = result.model.values["linear_0.w_0.quantized"]
    assert stored.dtype == np.int8
    np.testing.assert_array_equal(stored, levels)


def test_batch_norms_are_folded(tmp_path: Path) -> None:
    model = load(residual_model(tmp_path))
    folded = fold_batch_norms(model)
    types = Counter(op.type for op in folded.program.ops())
    assert types["batch_norm"] == 0
    assert types["elementwise_add"] == 5  # three biases, a Linear, the residual
    np.testing.assert_allclose(run(folded, images()), run(model, images()), rtol=1e-4, atol=1e-5)


def test_batch_norm_of_a_shared_output_is_not_folded(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.conv, self.norm = nn.Conv2D(3, 4, 1), nn.BatchNorm2D(4)

        def forward(self, x: Any) -> Any:
            y = self.conv(x)
            return self.norm(y) + y

    net = Net()
    net.eval()
    folded = fold_batch_norms(load(save(net, tmp_path, [None, 3, 4, 4])))
    assert any(op.type == "batch_norm" for op in folded.program.ops())


def test_int8_graph_is_fused(tmp_path: Path) -> None:
    """All convolutions, the residual, the pools and the Linear compute in eight bits."""
    prefix = residual_model(tmp_path)
    result = quantize(prefix, images())
    assert not result.no_gain_reason
    ops = fused_ops(prefix, result.model, tmp_path)
    assert ops["QLinearConv"] == 3
    assert ops["QLinearAdd"] == 1
    assert ops["QLinearGlobalAveragePool"] == 1
    assert ops["QGemm"] == 1
    assert not {"Conv", "Gemm", "MatMul", "Add", "Relu", "Cast"} & ops.keys()
    assert ops["QuantizeLinear"] == 1  # the input


def test_products_that_share_an_activation_are_fused(tmp_path: Path) -> None:
    prefix = attention_model(tmp_path)
    result = quantize(prefix, sequences())
    ops = fused_ops(prefix, result.model, tmp_path)
    assert ops["MatMulIntegerToFloat"] == 3
    assert ops["QGemm"] == 1
    assert ops["MatMul"] + ops["FusedMatMul"] == 2  # of two activations


@pytest.mark.parametrize(("target", "dtypes"), [("", {"UINT8"}), ("trt>=8.6", {"INT8"})])
def test_dtype_of_activations(target: str, dtypes: set[str], tmp_path: Path) -> None:
    """TensorRT rejects uint8, so a model with symmetric levels has int8 there."""
    prefix = residual_model(tmp_path)
    result = quantize(prefix, images(), has_symmetric_activations=True)
    output = tmp_path / "q.onnx"
    with model_with_temporary_parameter_file(read_model(prefix), result.model) as files:
        write_onnx(files, output, ExportOptions(inline=True, target=target))
    graph = onnx.load(output).graph
    stored = {i.name: i.data_type for i in graph.initializer}
    zero_points = [n.input[2] for n in graph.node if n.op_type == "QuantizeLinear"]
    assert {onnx.TensorProto.DataType.Name(stored[name]) for name in zero_points} == dtypes
    (found,) = open_session(output).run(None, {"x": images()})
    np.testing.assert_allclose(found, run(result.model, images()), atol=2e-2 * np.abs(found).max())


def test_dynamic_graph_multiplies_integers(tmp_path: Path) -> None:
    prefix = attention_model(tmp_path)
    result = quantize(prefix, sequences(), method="dynamic")
    ops = fused_ops(prefix, result.model, tmp_path)
    assert ops["DynamicQuantizeMatMul"] == 1
    assert ops["MatMulIntegerToFloat"] == 3  # share their quantized input
    assert ops["DequantizeLinear"] == 0


def test_dynamic_quantization_of_special_inputs(tmp_path: Path) -> None:
    """Zeros, values of one sign, and no rows: the results stay within the levels of the input."""
    paddle.seed(0)
    prefix = save(nn.Linear(12, 5), tmp_path, [None, 12])
    x = np.random.default_rng(0).standard_normal((8, 12)).astype("float32")
    model = quantize(prefix, x, method="dynamic").model
    for feeds in (np.zeros_like(x), np.abs(x), -np.abs(x), x[:0], x * 1e-30):
        expected = run(load(prefix), feeds)
        limit = 12 * 2 / 127 * np.abs(feeds).max(initial=0)
        np.testing.assert_allclose(run(model, feeds), expected, atol=limit)


def test_sum_of_quantized_activations_is_quantized(tmp_path: Path) -> None:
    """No Add in float, although the next op is not computed in eight bits; its result is a mean of
    values that are never negative, for which uint8 needs no zero point.
    """

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Conv2D(3, 4, 1), nn.Conv2D(3, 4, 1)
            self.out = nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.out(nn.functional.relu(self.a(x) + self.b(x)).mean([2, 3]))

    paddle.seed(0)
    prefix = save(Net(), tmp_path, [None, 3, 8, 8])
    model = quantize(prefix, images()[:, :, :8, :8]).model
    ops = fused_ops(prefix, model, tmp_path)
    assert ops["QLinearAdd"] == 1
    assert not {"Add", "Relu"} & ops.keys()
    lengths = [op.attr("bit_length") for op in model.program.ops() if op.type == "quantize_linear"]
    assert sorted(lengths) == [8, 8, 8, 9, 9]  # the input and two products; the sum and its mean


@pytest.mark.parametrize("method", ["ptq", "dynamic", "weight-only"])
def test_embeddings_and_recurrent_layers_have_int8_weights(method: str, tmp_path: Path) -> None:
    """They compute in float32. The table, which three ops share, is stored once per form."""
    prefix = token_model(tmp_path)
    result = quantize(prefix, tokens(), method=method)
    forms = {
        at.name: at.form for at in result.report.layers if at.type in ("rnn", "lookup_table_v2")
    }
    assert len(forms) == 5  # two embeddings with one name, four matrices of the recurrent layer
    assert set(forms.values()) == {"int8 weights"}
    assert result.report.sizes[1] < 0.4 * result.report.sizes[0]
    assert result.report.output_snr > 25
    ops = fused_ops(prefix, result.model, tmp_path)
    assert ops["DequantizeLinear"] == ops["Cast"] == 0
    assert ops["LSTM"] == 1
    tables = [name for name in result.model.values if "embedding" in name and "quantized" in name]
    assert len(tables) == 2  # the other one is transposed
    write_and_verify_model(read_model(prefix), result.model, tmp_path / "q", {"x": tokens(1)})


def test_weights_of_slow_layers_are_int8(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model whose convolutions take longer in eight bits keeps them in float."""
    from oarlock.quantization.programs import quantize as module

    def times(models: Any, _: Any) -> dict[str, float]:
        slow = {name: bool(count_quantized(model)) for name, model in models.items()}
        return {name: 2.0 if is_slow else 1.0 for name, is_slow in slow.items()}

    def count_quantized(model: ProgramWithValues) -> int:
        quantized = {
            op.outputs["Y"][0] for op in model.program.ops() if op.type == "dequantize_linear"
        }
        convolutions = [op for op in model.program.ops() if op.type == "conv2d"]
        return sum(op.inputs["Input"][0] in quantized for op in convolutions)

    monkeypatch.setattr(module, "median_run_milliseconds", times)
    monkeypatch.setattr(module, "_MIN_SAVED_BYTES", 1000)
    result = quantize(residual_model(tmp_path), images(), selects_by_speed=True)
    forms = {at.name: (at.form, at.reason[:21]) for at in result.report.layers}
    assert forms["stem.0"] == ("float", "with quantized conv2d")  # 216 weights
    assert forms["a.0"] == ("int8 weights", "with quantized conv2d")  # 576 weights
    assert forms["out"] == ("int8", "")


def test_model_without_integer_layers_is_not_written(tmp_path: Path) -> None:
    """The purpose of ptq is speed; another method makes files smaller."""
    result = quantize(token_model(tmp_path), tokens(), keep="mix|matmul")
    assert "--method weight-only makes the files smaller" in result.no_gain_reason


@pytest.mark.parametrize(
    ("method", "smallest"),
    [("ptq", 25), ("dynamic", 25), ("weight-only", 30), ("fp16", 55), ("bf16", 40)],
)
@pytest.mark.parametrize(
    ("make", "feeds"),
    [(residual_model, images()), (attention_model, sequences())],
    ids=["residual", "attention"],
)
def test_error_and_size(
    method: str, smallest: float, make: Callable[[Path], str], feeds: Any, tmp_path: Path
) -> None:
    prefix = make(tmp_path)
    result = quantize(prefix, feeds, method=method)
    assert not result.no_gain_reason
    report = result.report
    assert report.output_snr > smallest
    total = SignalToNoiseAccumulator()
    total.add(run(load(prefix), feeds), run(result.model, feeds))
    assert report.output_snr == pytest.approx(total.decibels(), abs=0.5)
    assert report.sizes[1] < report.sizes[0]


@pytest.mark.parametrize("method", ["ptq", "dynamic", "weight-only", "fp16", "bf16"])
@pytest.mark.parametrize("suffix", [".pdmodel", ".json"])
def test_written_files_return_the_same(method: str, suffix: str, tmp_path: Path) -> None:
    prefix = residual_model(tmp_path, suffix)
    result = quantize(prefix + suffix, images(), method=method)
    expected = run(result.model, images())
    sizes, report = write_and_verify_model(
        read_model(prefix), result.model, tmp_path / "q", {"x": images(1)}
    )
    assert "largest difference" in report
    assert str(tmp_path / "q") + suffix in sizes
    np.testing.assert_array_equal(paddle.jit.load(str(tmp_path / "q"))(images()).numpy(), expected)


def test_files_are_deterministic(tmp_path: Path) -> None:
    files = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        prefix = residual_model(folder)
        write_and_verify_model(read_model(prefix), quantize(prefix, images()).model, folder / "q")
        files.append([(folder / f"q{s}").read_bytes() for s in (".pdmodel", ".pdiparams")])
    assert files[0] == files[1]


def test_float_form_has_the_same_results(tmp_path: Path) -> None:
    prefix = residual_model(tmp_path)
    whole, small = (
        quantize(prefix, images(), weight_storage=form).model for form in ("float32", "int8")
    )
    np.testing.assert_array_equal(run(whole, images()), run(small, images()))
    assert whole.num_value_bytes() > 3 * small.num_value_bytes()


def test_symmetric_form_has_int8_levels_only(tmp_path: Path) -> None:
    result = quantize(residual_model(tmp_path), images(), has_symmetric_activations=True)
    bits = {
        op.attr("bit_length") for op in result.model.program.ops() if op.type == "quantize_linear"
    }
    assert bits == {8}
    assert result.report.output_snr > 20


def test_transposed_weights_are_stored_untransposed(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.weight = self.create_parameter([5, 12])

        def forward(self, x: Any) -> Any:
            return paddle.matmul(x, self.weight, transpose_y=True)

    prefix = save(Net(), tmp_path, [None, 12])
    x = np.random.default_rng(0).standard_normal((8, 12)).astype("float32")
    result = quantize(prefix, x)
    assert result.report.output_snr > 30
    assert fused_ops(prefix, result.model, tmp_path)["Transpose"] == 0


class Conv1DNet(nn.Layer):
    """Two convolutions with the weights of one, which `unsqueeze2` moves before each."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = nn.Conv1D(4, 8, 3, padding=1), nn.Conv1D(8, 8, 3, padding=1)

    def forward(self, x: Any) -> Any:
        x = nn.functional.relu(self.b(self.a(x)))
        return self.b(x) + paddle.sum(self.a.weight)


def test_conv1d(tmp_path: Path) -> None:
    prefix = save(Conv1DNet(), tmp_path, [None, 4, 8])
    x = np.random.default_rng(0).standard_normal((8, 4, 8)).astype("float32")
    np.testing.assert_allclose(
        run(fold_batch_norms(load(prefix)), x), run(load(prefix), x), rtol=1e-5, atol=1e-5
    )
    for method in ("ptq", "weight-only"):
        result = quantize(prefix, x, method=method)
        assert len(result.report.layers) == 3
        assert not [at.reason for at in result.report.layers if at.reason]
        assert result.report.output_snr > 25
        int8 = [name for name, a in result.model.values.items() if a.dtype == np.int8]
        assert len(int8) == 2
        write_and_verify_model(read_model(prefix), result.model, tmp_path / method, {"x": x[:1]})


def test_weights_outside_of_layers_are_named(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.volume, self.out = nn.Conv3D(1, 64, 3, padding=1), nn.Linear(4, 4)

        def forward(self, x: Any) -> Any:
            return self.out(self.volume(x))

    prefix = save(Net(), tmp_path, [None, 1, 4, 4, 4])
    x = np.random.default_rng(0).standard_normal((4, 1, 4, 4, 4)).astype("float32")
    notes = quantize(prefix, x).report.notes
    assert notes == ["'conv3d_0.w_0' remains float32: it is read by conv3d"]


def test_keep_matches_names_outputs_and_types(tmp_path: Path) -> None:
    prefix = residual_model(tmp_path)
    layers = quantize(prefix, images(), keep=r"^a\.0$|matmul").report.layers
    assert [(at.name, bool(at.reason)) for at in layers] == [
        ("stem.0", False),
        ("a.0", True),
        ("b.0", False),
        ("out", True),
    ]
    assert all("--keep" in at.reason for at in layers if at.reason)


def test_max_drop_of_the_output_error(tmp_path: Path) -> None:
    """The error in percent is 100 * 10 ** (-SNR / 20); layers return to float until it is met."""
    prefix = residual_model(tmp_path)
    free = quantize(prefix, images())
    percent = 100 * 10 ** (-free.report.output_snr / 20)
    limited = quantize(prefix, images(), max_drop=percent / 2)
    reasons = [at.reason for at in limited.report.layers]
    assert any("--max-drop is" in reason for reason in reasons)
    assert limited.no_gain_reason or 100 * 10 ** (-limited.report.output_snr / 20) <= percent / 2


def test_accuracy_with_labels(tmp_path: Path) -> None:
    """Labels that the float model predicts: its accuracy is 100 %, the drop at most the limit."""
    prefix = residual_model(tmp_path)
    labels = run(load(prefix), images(64)).argmax(1)
    result = quantize(prefix, images(64), labels, max_drop=5.0)
    assert result.report.accuracies is not None
    exact, rounded = result.report.accuracies
    assert exact == 100
    predicted = run(result.model, images(64)).argmax(1)
    assert rounded == pytest.approx(100 * (predicted == labels).mean())
    assert rounded >= 95


@pytest.mark.parametrize("label", [-1, 5])
def test_labels_that_are_no_class_are_rejected(label: int, tmp_path: Path) -> None:
    """They would never match, so no loss of accuracy would be measured."""
    labels = np.full(16, label)
    with pytest.raises(OpError, match=rf"the label {label} is not a class index from 0 to 4"):
        quantize(residual_model(tmp_path), images(), labels)


def test_accuracy_of_one_score_per_sample_is_rejected(tmp_path: Path) -> None:
    """The largest of one score has always the index 0."""
    prefix = save(nn.Sequential(nn.Linear(12, 1), nn.Sigmoid()), tmp_path, [None, 12])
    x = np.random.default_rng(0).standard_normal((8, 12)).astype("float32")
    with pytest.raises(OpError, match=r"needs one score per class .* float32\[8, 1\]"):
        quantize(prefix, x, np.zeros(8, "int64"))


def test_one_large_sample_does_not_hide_the_error_of_others(tmp_path: Path) -> None:
    """With its threshold, all other samples have the level 0."""
    prefix = save(nn.Sequential(nn.Linear(12, 5)), tmp_path, [None, 12])
    x = np.random.default_rng(0).standard_normal((16, 12)).astype("float32")
    x[3] *= 1e5
    result = quantize(prefix, x)
    (layer,) = result.report.layers
    assert layer.form == "float"
    assert "signal-to-noise ratio" in layer.reason
    assert result.no_gain_reason


@pytest.mark.parametrize("calibration", ["absmax", "percentile", "kl"])
def test_calibration_methods(calibration: str, tmp_path: Path) -> None:
    result = quantize(residual_model(tmp_path), images(), calibration=calibration)
    largest = float(np.abs(images()).max())
    threshold = float(result.model.values["x.scale"][0])
    assert threshold == pytest.approx(largest) if calibration == "absmax" else threshold <= largest
    assert result.report.output_snr > 15


def test_layers_without_signal_remain_float(tmp_path: Path) -> None:
    result = quantize(residual_model(tmp_path), np.zeros((4, 3, 16, 16), "float32"))
    reasons = {at.name: at.reason for at in result.report.layers}
    assert "'x' is always 0 for the calibration data" in reasons["stem.0"]
    assert not reasons["a.0"]


def test_layers_with_nan_remain_float(tmp_path: Path) -> None:
    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, x: Any) -> Any:
            return self.a(paddle.log(x - 10)), self.b(x)

    x = np.ones((4, 4), "float32")
    result = quantize(save(Net(), tmp_path, [None, 4]), x)
    reasons = {at.name: at.reason for at in result.report.layers}
    assert "contains NaN or infinity" in reasons["a"]
    assert not reasons["b"]


def test_model_without_layers_is_rejected(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="there are no parameters"):
        paddle.jit.save(
            lambda x: x * 2,
            str(tmp_path / "m"),
            [paddle.static.InputSpec([None, 4], "float32", "x")],
        )
    with pytest.raises(OpError, match="no layer that can be quantized"):
        quantize(str(tmp_path / "m"), np.ones((2, 4), "float32"))


def test_quantized_model_is_rejected(tmp_path: Path) -> None:
    prefix = residual_model(tmp_path)
    write_and_verify_model(read_model(prefix), quantize(prefix, images()).model, tmp_path / "q")
    with pytest.raises(OpError, match="no layer that can be quantized"):
        quantize(str(tmp_path / "q"), images())


@pytest.mark.parametrize("is_float", [False, True], ids=["all", "some"])
def test_levels_of_quantized_layers_become_int8(is_float: bool, tmp_path: Path) -> None:
    """`jit.save` stores the levels of converted layers as float32, as Paddle does."""
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 5))
    net.eval()
    config = QuantConfig(AbsmaxObserver(), AbsMaxChannelWiseWeightObserver())
    if is_float:
        config.add_layer_config(net[2])
    ptq = PTQ(config)
    observed = ptq.quantize(net)
    x = np.random.default_rng(0).standard_normal((8, 12)).astype("float32")
    observed(paddle.to_tensor(x))
    prefix = save(ptq.convert(observed), tmp_path, [None, 12])
    result = quantize(prefix, x, method="weight-only")
    assert not result.no_gain_reason
    assert result.report.notes[0].startswith("weights that were quantized before")
    assert result.report.notes[0].endswith(f": {2 - is_float}")
    matrices = [a for a in result.model.values.values() if np.ndim(a) > 1]
    assert [a.dtype.name for a in matrices] == ["int8", "int8"]
    found, expected = run(result.model, x), run(load(prefix), x)
    np.testing.assert_allclose(found, expected, atol=0.02 if is_float else 1e-6)
    write_and_verify_model(read_model(prefix), result.model, tmp_path / "q", {"x": x[:1]})
    nodes = fused_ops(prefix, result.model, tmp_path)
    assert nodes["Cast"] == 0


def test_nothing_is_gained_if_all_layers_are_kept(tmp_path: Path) -> None:
    result = quantize(residual_model(tmp_path), images(), keep=".")
    assert "all layers remain float32" in result.no_gain_reason


def test_float_model_is_not_overwritten(tmp_path: Path) -> None:
    prefix = residual_model(tmp_path)
    before = {p.name: p.read_bytes() for p in tmp_path.iterdir()}
    with pytest.raises(OpError, match="prefix of the float model"):
        write_and_verify_model(read_model(prefix), quantize(prefix, images()).model, prefix)
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "int4"}, "--method must be"),
        ({"calibration": "mse"}, "--calibration must be"),
        ({"weight_storage": "int4"}, "--weight-storage must be"),
        ({"max_drop": float("nan")}, "--max-drop must be from 0 to 100"),
        ({"keep": "("}, "--keep is not a regular expression"),
        ({"keep": "a", "method": "fp16"}, "--keep has no effect with --method fp16"),
        (
            {"calibration": "kl", "method": "dynamic"},
            "--calibration has no effect with --method dynamic",
        ),
        (
            {"has_symmetric_activations": True, "method": "weight-only"},
            "--symmetric-activations has no effect with --method weight-only",
        ),
        (
            {"weight_storage": "float32", "method": "weight-only"},
            "--weight-storage has no effect with --method weight-only",
        ),
        ({"run_timeout": 0.0}, "--run-timeout must be above 0"),
        ({"run_timeout": float("nan")}, "--run-timeout must be above 0"),
    ],
)
def test_invalid_settings(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(OpError, match=message):
        QuantizationSettings(**settings).validate()


def test_groups_and_transposed_convolutions(tmp_path: Path) -> None:
    """Depthwise, grouped and transposed convolutions, and a bias along the width."""

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.depthwise = nn.Conv2D(4, 4, 3, padding=1, groups=4)
            self.grouped = nn.Conv2D(4, 8, 3, padding=1, groups=2, bias_attr=False)
            self.transposed = nn.Conv2DTranspose(8, 4, 2, stride=2, groups=2)
            self.width = self.create_parameter([8], default_initializer=nn.initializer.Uniform())

        def forward(self, x: Any) -> Any:
            x = nn.functional.relu6(self.depthwise(x))
            x = self.grouped(x) + self.width
            return self.transposed(x)

    paddle.seed(0)
    net = Net()
    net.eval()
    prefix = save(net, tmp_path, [None, 4, 8, 8])
    x = np.random.default_rng(0).standard_normal((8, 4, 8, 8)).astype("float32")
    for method in ("ptq", "weight-only"):
        result = quantize(prefix, x, method=method)
        assert not [at.reason for at in result.report.layers if at.reason]
        assert result.report.output_snr > 20
        write_and_verify_model(read_model(prefix), result.model, tmp_path / method, {"x": x[:1]})


def test_engine_equals_interpreter(tmp_path: Path) -> None:
    """At most a level of eight bits apart, in all outputs of the layers."""
    prefix = residual_model(tmp_path)
    files = read_model(prefix)
    model = quantize(prefix, images()).model
    write_and_verify_model(files, model, tmp_path / "q")
    layer = paddle.jit.load(str(tmp_path / "q"))
    layer.train()  # the interpreter
    found, expected = run(model, images()), layer(paddle.to_tensor(images())).numpy()
    assert np.abs(found - expected).max() <= 2e-2 * np.abs(expected).max()


class TransposedFeatures(nn.Layer):
    """Outputs: the scores of features, which a Linear reads transposed, and the features."""

    def __init__(self) -> None:
        super().__init__()
        self.out = nn.Linear(3, 4)

    def forward(self, x: Any) -> Any:
        """Return the scores [N, T, 4] and the features of [N, 3, T]."""
        features = nn.functional.sigmoid(x)
        return self.out(paddle.transpose(features, [0, 2, 1])), features


def test_float_output_with_a_quantized_transposition_is_exact(tmp_path: Path) -> None:
    """ONNX Runtime must not quantize the output together with its transposition."""
    prefix = save(TransposedFeatures(), tmp_path, [None, 3, 6])
    x = np.random.default_rng(1).standard_normal((16, 3, 6)).astype("float32")
    model = quantize(prefix, x).model
    scores, features = EngineSession(model).run({"x": x * 2})
    np.testing.assert_allclose(features, 1 / (1 + np.exp(-2 * x)), atol=1e-6)
    write_and_verify_model(read_model(prefix), model, tmp_path / "q")
    layer = paddle.jit.load(str(tmp_path / "q"))
    layer.train()  # the interpreter
    np.testing.assert_allclose(scores, layer(paddle.to_tensor(x * 2))[0].numpy(), atol=1e-5)


def test_weights_beyond_float16_remain_float32(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
    net[0].weight.set_value(np.full((4, 4), 1e5, "float32"))
    prefix = save(net, tmp_path, [None, 4])
    result = quantize(prefix, np.ones((2, 4), "float32") * 1e-5, method="fp16")
    assert any("exceeds the range of float16" in note for note in result.report.notes)
    assert result.report.output_snr > 40
    dtypes = {name: a.dtype.name for name, a in result.model.values.items()}
    assert dtypes["linear_0.w_0"] == "float32"
    assert dtypes["linear_1.w_0.float16"] == "float16"


def test_activations_beyond_float16_are_computed_in_float32(tmp_path: Path) -> None:
    """The interpreter rounds each result to float16, also where engines for CPUs do not."""
    prefix = save(LargeActivations(), tmp_path, [None, 16])
    x = np.random.default_rng(0).standard_normal((8, 16)).astype("float32")
    result = quantize(prefix, x, method="fp16")
    assert any("too large for float16" in note for note in result.report.notes)
    write_and_verify_model(read_model(prefix), result.model, tmp_path / "q", {"x": x[:1]})
    layer = paddle.jit.load(str(tmp_path / "q"))
    layer.train()  # the interpreter
    np.testing.assert_allclose(
        layer(paddle.to_tensor(x)).numpy(), run(load(prefix), x), rtol=1e-2, atol=1e-3
    )
    dtypes = {np.asarray(a).dtype.name for a in result.model.values.values() if np.ndim(a) > 1}
    assert dtypes == {"float16"}


def test_inputs_beyond_float16_are_read_in_float32(tmp_path: Path) -> None:
    prefix = save(nn.Sequential(nn.Linear(4, 4)), tmp_path, [None, 4])
    x = np.full((2, 4), 1e5, "float32")
    result = quantize(prefix, x, method="fp16")
    assert any("'x' reaches 1e+05" in note for note in result.report.notes)
    write_and_verify_model(read_model(prefix), result.model, tmp_path / "q", {"x": x})


class LoopAndBranch(nn.Layer):
    """Weights that are read in a loop, in a branch and outside of both."""

    def __init__(self) -> None:
        super().__init__()
        self.loop, self.branch, self.out = nn.Linear(16, 16), nn.Linear(16, 16), nn.Linear(16, 4)

    def forward(self, x: Any, count: Any) -> Any:
        i = paddle.zeros([], "int64")
        while i < count:
            x = paddle.tanh(self.loop(x))
            i = i + 1
        if x.sum() > 0:
            x = self.branch(x)
        else:
            x = self.loop(x)
        return self.out(x)


@pytest.mark.parametrize("method", ["fp16", "bf16"])
def test_half_of_all_matrices(method: str, tmp_path: Path) -> None:
    """Also of those that ops in float32, or ops of loops and branches, read."""
    prefixes = [token_model(tmp_path), str(tmp_path / "loop")]
    paddle.jit.save(
        paddle.jit.to_static(LoopAndBranch()),
        prefixes[1],
        [
            paddle.static.InputSpec([None, 16], "float32", "x"),
            paddle.static.InputSpec([], "int64", "count"),
        ],
    )
    x = np.random.default_rng(0).standard_normal((8, 16)).astype("float32")
    for prefix, feeds in (
        (prefixes[0], {"x": tokens()}),
        (prefixes[1], {"x": x, "count": np.array(2)}),
    ):
        data = CalibrationData(feeds, [feeds])
        settings = QuantizationSettings(method)
        result = quantize_model(read_model(prefix), data, settings, lambda *_: None)
        dtype = "float16" if method == "fp16" else "bfloat16"
        for name, array in result.model.values.items():
            assert np.ndim(array) == 1 or array.dtype.name == dtype, name
        assert result.report.output_snr > 40
        write_and_verify_model(read_model(prefix), result.model, tmp_path / "q", feeds)


def test_max_drop_of_half_precision(tmp_path: Path) -> None:
    """Half precision changes all weights, so a drop that is too large leaves nothing to write."""
    prefix = residual_model(tmp_path)
    assert not quantize(prefix, images(), method="bf16", max_drop=5).no_gain_reason
    result = quantize(prefix, images(), method="bf16", max_drop=1e-3)
    assert "% of the outputs, --max-drop is 0.001" in result.no_gain_reason


def test_max_drop_of_the_accuracy_of_half_precision(tmp_path: Path) -> None:
    """All labels are right in float32; a bias that only float32 represents decides for each."""

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.out = nn.Linear(4, 2)
            self.out.weight.set_value(np.zeros((4, 2), "float32"))
            self.out.bias.set_value(np.array([1, 1 + 1e-5], "float32"))

        def forward(self, x: Any) -> Any:
            return self.out(x)

    prefix = save(Net(), tmp_path, [None, 4])
    x = np.ones((8, 4), "float32")
    result = quantize(prefix, x, np.ones(8, "int64"), method="bf16")
    assert result.no_gain_reason == "it loses 100.00 points of accuracy, --max-drop is 1"


def test_sensitive_ops_compute_in_float32(tmp_path: Path) -> None:
    result = quantize(attention_model(tmp_path), sequences(), method="fp16")
    program = result.model.program
    dtypes = {
        op.type: program.var(next(op.input_names())).dtype  # type: ignore[union-attr]
        for op in program.ops()
        if op.type in ("softmax", "layer_norm", "reduce_mean", "matmul_v2")
    }
    assert dtypes["softmax"] == dtypes["layer_norm"] == dtypes["reduce_mean"] == "float32"
    assert dtypes["matmul_v2"] == "float16"


def test_large_errors_of_outputs_are_noted(tmp_path: Path) -> None:
    """The difference of two almost equal products has a large error, although each has a small
    one.
    """

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(8, 8), nn.Linear(8, 8)
            noise = np.random.default_rng(1).standard_normal((8, 8)).astype("float32")
            self.b.weight.set_value(self.a.weight + paddle.to_tensor(1e-3 * noise))

        def forward(self, x: Any) -> Any:
            return self.a(x) - self.b(x)

    x = np.random.default_rng(0).standard_normal((32, 8)).astype("float32")
    report = quantize(save(Net(), tmp_path, [None, 8]), x).report
    assert all((at.snr or 0) > 20 for at in report.layers)
    assert report.output_snr < 10
    assert any("the outputs differ much" in note for note in report.notes)


def test_snr_of_equal_models_is_infinite(tmp_path: Path) -> None:
    model = load(residual_model(tmp_path))
    data = CalibrationData({}, [{"x": images()}])
    assert min_snr_of_outputs(model, model, data) == float("inf")


def test_engine_dequantizes_weights_once(tmp_path: Path) -> None:
    """Without quantized activations the session holds float weights, so the graph has no
    DequantizeLinear.
    """
    prefix = residual_model(tmp_path)
    result = quantize(prefix, images(), method="weight-only")
    write_and_verify_model(read_model(prefix), result.model, tmp_path / "q")
    files = read_model(tmp_path / "q")
    cache = tmp_path / "cache"
    engine = Engine(files.pdmodel, files.params_path, cache_dir=str(cache))
    np.testing.assert_allclose(engine.run([images()])[0], run(result.model, images()), rtol=1e-5)
    (graph,) = cache.glob("*-??????")
    ops = {node.op_type for node in onnx.load(graph, load_external_data=False).graph.node}
    assert "DequantizeLinear" not in ops


def test_max_drop_needs_floating_outputs_without_labels(tmp_path: Path) -> None:
    class ClassOf(nn.Layer):
        """The index of the largest score only."""

        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(8, 4)

        def forward(self, x: Any) -> Any:
            return self.linear(x).argmax(-1)

    x = np.random.default_rng(0).standard_normal((32, 8)).astype("float32")
    prefix = save(ClassOf(), tmp_path, [None, 8])
    with pytest.raises(paddle.OarlockError, match="--max-drop limits the error of floating-point"):
        quantize(prefix, x, max_drop=1.0)
    assert quantize(prefix, x).report.output_snr == float("inf")


def test_ranges_of_half_precision_use_all_batches(tmp_path: Path) -> None:
    model = load(save(nn.Linear(4, 4), tmp_path, [None, 4]))
    batches: list[dict[str, Any]] = [{"x": np.ones((2, 4), "float32")} for _ in range(20)]
    batches[-1] = {"x": np.full((2, 4), 60_000, "float32")}
    found = max_abs_of_activations(model, CalibrationData({}, batches))
    assert found["x"] == 60_000


def test_results_of_other_shapes_are_an_infinite_error() -> None:
    total = SignalToNoiseAccumulator()
    total.add(np.ones((2, 3)), np.ones((2, 3)), 2)
    total.add(np.ones((2, 3)), np.ones((2, 2)), 2)
    assert total.decibels() == -float("inf")
