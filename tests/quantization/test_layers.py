"""QAT and PTQ of layers: configs, conversion, invalid input; `tests/interop` compares with real
Paddle.
"""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.loader.model_files import read_model
from oarlock.nn.quant.format import LinearQuanterDequanter
from oarlock.nn.quant.quant_layers import QuantizedLinear
from oarlock.onnx.writer import ExportOptions, write_onnx
from oarlock.quantization import (
    PTQ,
    QAT,
    AbsmaxQuantizer,
    BaseObserver,
    ImperativePTQ,
    ImperativeQuantAware,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    QuantConfig,
    quanter,
)
from oarlock.quantization.imperative.fuse_utils import fuse_conv_bn, fuse_layers
from oarlock.quantization.observers import (
    AbsMaxChannelWiseWeightObserver,
    AbsmaxObserver,
    AVGObserver,
    GroupWiseWeightObserver,
    HistObserver,
    KLObserver,
    MovingAverageAbsmaxObserver,
)
from oarlock.quantization.quanters import FakeQuanterWithAbsMaxObserver

RNG = np.random.default_rng(0)
DATA = [paddle.to_tensor(RNG.standard_normal((16, 8)).astype("f")) for _ in range(4)]
LEARNED = FakeQuanterWithAbsMaxObserver()
FROM_DATA = AbsmaxObserver()
SPEC = [paddle.static.InputSpec([None, 8], "float32", "x")]


def mlp() -> Any:
    paddle.seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Sequential(nn.Linear(16, 3)))


def types_of(net: Any) -> list[str]:
    return [type(layer).__name__ for layer in net.children()]


def calibrated(ptq: PTQ, net: Any, data: Any = DATA) -> Any:
    observed = ptq.quantize(net.eval())
    for x in data:
        observed(x)
    return observed


# -- configs
# ------------------------------------------------------------------------------


def test_priorities_of_configs() -> None:
    """By name before by pattern, by type, of the parent, global."""
    net = mlp()
    other = FakeQuanterWithAbsMaxObserver(bit_length=4)
    config = QuantConfig(LEARNED, LEARNED)
    config.add_type_config(nn.Sequential, weight=other)
    assert QAT(config).quantize(net)[2][0].weight_quanter.bit_length() == 4
    config.add_type_config([nn.Linear], weight=LEARNED)
    quantized = QAT(config).quantize(net)
    assert quantized[2][0].weight_quanter.bit_length() == 8
    assert quantized[0].activation_quanter is None
    config.add_name_config(re.compile(r"^2\."), weight=other)
    assert QAT(config).quantize(net)[2][0].weight_quanter.bit_length() == 4
    config.add_layer_config([net[2][0]], weight=FakeQuanterWithAbsMaxObserver(bit_length=3))
    assert QAT(config).quantize(net)[2][0].weight_quanter.bit_length() == 3
    assert types_of(net) == ["Linear", "ReLU", "Sequential"]  # a copy was quantized


def test_texts_of_configs() -> None:
    config = QuantConfig(None, None)
    assert str(config) == "Global config:\nNone\n"
    config.add_name_config("linear_7", weight=LEARNED)
    assert "Layer prefix config: \n{'linear_7'" in str(config)
    qat = QAT(QuantConfig(None, LEARNED))
    assert str(qat).startswith("Global config:")
    qat.quantize(nn.Sequential(nn.Linear(2, 2)))
    assert str(qat) == f"Sequential(\n  (0): Linear(), activation: None\nweight: {LEARNED}\n)"


def test_customized_leaf_and_mapping() -> None:
    class Twice(nn.quant.qat.QuantedLinear):
        def forward(self, input: Any) -> Any:
            return 2 * super().forward(input)

    config = QuantConfig(LEARNED, LEARNED)
    config.add_qat_layer_mapping(nn.Linear, Twice)
    config.add_customized_leaf(nn.LayerList)
    assert config.customized_leaves == [nn.LayerList]
    assert config.qat_layer_mappings[nn.Linear] is Twice
    assert config.default_qat_layer_mapping[nn.Linear] is nn.quant.qat.QuantedLinear
    assert types_of(QAT(config).quantize(mlp())) == ["Twice", "ObserveWrapper", "Sequential"]


def test_invalid_configs() -> None:
    config = QuantConfig(None, None)
    for call, words in (
        (lambda: QuantConfig(8, None), "activation is int, not a factory"),
        (lambda: QuantConfig(None, AbsmaxObserver), "weight is AbsmaxObserver, not a factory"),
        (lambda: config.add_layer_config("linear_0"), "str is not a Layer"),
        (lambda: config.add_name_config(3), "3 is neither a str nor a compiled pattern"),
        (lambda: config.add_type_config(nn.ReLU()), "is not a subclass of Layer"),
        (lambda: config.add_qat_layer_mapping(int, nn.ReLU), "is not a subclass of Layer"),
        (lambda: config.add_qat_layer_mapping(nn.ReLU, "x"), "target 'x' is not a class"),
        (lambda: QAT(None), "NoneType is not a QuantConfig"),
        (lambda: QAT(QuantConfig(LEARNED, LEARNED)).quantize(mlp().eval()), "in evaluation mode"),
        (lambda: PTQ(QuantConfig(FROM_DATA, None)).quantize(mlp()), "in training mode"),
    ):  # fmt: skip
        with pytest.raises(paddle.OpError, match=words):
            call()


@pytest.mark.parametrize("name", ["linear_999", re.compile("decoder")])
def test_unknown_layer(name: Any) -> None:
    config = QuantConfig(LEARNED, LEARNED)
    config.add_name_config(name)
    net = mlp()
    with pytest.raises(
        paddle.OpError, match=r"has the name '(linear_999|decoder)'; it has linear_"
    ):
        QAT(config).quantize(net, inplace=True)
    assert types_of(net) == ["Linear", "ReLU", "Sequential"]


def test_factory_of_a_custom_quanter() -> None:
    @quanter("CustomObserver")
    class CustomObserverLayer(BaseObserver):
        def __init__(self, layer: Any, factor: float = 1.0) -> None:
            super().__init__()
            self.factor = factor

        def forward(self, input: Any) -> Any:
            return input

        def cal_thresholds(self) -> None: ...

        def scales(self) -> Any:
            return np.float32(self.factor)

        def zero_points(self) -> None: ...

        def quant_axis(self) -> int:
            return -1

        def bit_length(self) -> int:
            return 8

    factory = globals()["CustomObserver"](factor=2.0)
    assert str(factory) == "CustomObserver(factor=2.0)"
    ptq = PTQ(QuantConfig(factory, factory))
    converted = ptq.convert(ptq.quantize(mlp().eval()))
    assert converted[0].activation_quanter._quanter._scales.item() == 2.0
    with pytest.raises(TypeError, match="abstract"):
        BaseObserver()  # type: ignore[abstract]


# -- conversion
# ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "activation",
    [AbsmaxObserver(), AVGObserver(), MovingAverageAbsmaxObserver(), HistObserver(), KLObserver()],
    ids=str,
)
@pytest.mark.parametrize("weight", [AbsmaxObserver(), AbsMaxChannelWiseWeightObserver()], ids=str)
def test_post_training_quantization(activation: Any, weight: Any, tmp_path: Path) -> None:
    """The quantized network is near the float one, and the engine computes it in int8."""
    net, ptq = mlp(), PTQ(QuantConfig(activation, weight))
    converted = ptq.convert(calibrated(ptq, net))
    x = DATA[0]
    wanted = net(x).numpy()
    assert 0 < np.abs(converted(x).numpy() - wanted).mean() < 0.07
    levels = converted[0].weight.numpy()
    assert np.array_equal(levels, np.rint(levels))
    assert np.abs(levels).max() == 127
    paddle.jit.save(converted, str(tmp_path / "net"), input_spec=SPEC)
    np.testing.assert_allclose(
        paddle.jit.load(str(tmp_path / "net"))(x.numpy()).numpy(), converted(x).numpy(), atol=2e-2
    )
    write_onnx(read_model(str(tmp_path / "net")), tmp_path / "net.onnx", ExportOptions(inline=True))
    graph = onnx.load(tmp_path / "net.onnx").graph
    # of three activations, two weights and two biases
    assert [n.op_type for n in graph.node].count("DequantizeLinear") == 7


def test_remaining_weights_give_the_same_results() -> None:
    ptq = PTQ(QuantConfig(FROM_DATA, AbsMaxChannelWiseWeightObserver()))
    observed = calibrated(ptq, mlp())
    kept, levels = ptq.convert(observed, remain_weight=True), ptq.convert(observed)
    assert np.array_equal(kept[0].weight.numpy(), observed[0].weight.numpy())
    np.testing.assert_allclose(kept(DATA[0]).numpy(), levels(DATA[0]).numpy(), atol=1e-6)


def test_weights_by_group(tmp_path: Path) -> None:
    net = nn.Sequential(nn.Linear(128, 6))
    ptq = PTQ(QuantConfig(None, GroupWiseWeightObserver(quant_bits=4, group_size=64)))
    x = paddle.to_tensor(RNG.standard_normal((3, 128)).astype("f"))
    observed = calibrated(ptq, net, [x])
    converted = ptq.convert(observed)
    weight = net[0].weight.numpy()
    scale = np.abs(weight.reshape(2, 64, 6)).max(1).repeat(64, 0)
    levels = weight / scale * 7
    levels = np.trunc(levels + np.copysign(0.5, levels))
    assert np.array_equal(converted[0].weight.numpy(), levels)
    wanted = x.numpy() @ (levels / 7 * scale) + net[0].bias.numpy()
    np.testing.assert_allclose(converted(x).numpy(), wanted, rtol=1e-4, atol=1e-5)
    spec = [paddle.static.InputSpec([None, 128], "float32", "x")]
    paddle.jit.save(converted, str(tmp_path / "net"), input_spec=spec)
    found = paddle.jit.load(str(tmp_path / "net"))(x.numpy()).numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_conversion_before_calibration_is_rejected() -> None:
    ptq = PTQ(QuantConfig(FROM_DATA, FROM_DATA))
    observed = ptq.quantize(mlp().eval())
    with pytest.raises(paddle.OpError, match=r"no data has passed through 0.weight_quanter, 0.act"):
        ptq.convert(observed, inplace=True)
    observed[0](DATA[0])
    with pytest.raises(
        paddle.OpError, match=r"no data has passed through 1._observer, 2.0.weight_q"
    ):
        ptq.convert(observed, inplace=True)
    assert observed[0].activation_quanter.scales().item() > 1  # nothing was changed
    assert not observed[0].converted


def test_conversion_before_training_warns() -> None:
    qat = QAT(QuantConfig(LEARNED, LEARNED))
    with pytest.warns(
        UserWarning, match=r"through 0.weight_quanter, .* the scale is the initial one"
    ):
        qat.convert(qat.quantize(mlp()))


def test_second_conversion_is_rejected() -> None:
    ptq = PTQ(QuantConfig(FROM_DATA, FROM_DATA))
    converted = ptq.convert(calibrated(ptq, mlp()))
    with pytest.raises(RuntimeError, match=r"PTQ.convert: Sequential was converted before"):
        ptq.convert(converted)


def test_layer_that_saw_only_zeros_stays_float() -> None:
    class Dead(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(8, 3), nn.Linear(8, 3)

        def forward(self, x: Any) -> Any:
            return self.a(x) + self.b(x * 0)

    net, ptq = Dead(), PTQ(QuantConfig(FROM_DATA, FROM_DATA))
    observed = calibrated(ptq, net)
    with pytest.warns(UserWarning, match=r"PTQ: b \(QuantedLinear\) stays float: all inputs"):
        converted = ptq.convert(observed)
    assert converted.b.activation_quanter is None
    assert np.array_equal(converted.b.weight.numpy(), net.b.weight.numpy())
    x = paddle.ones([2, 8])
    assert np.array_equal(converted.b(x).numpy(), net.b(x).numpy())  # it did not clip to 1e-7


def test_nan_in_calibration_data() -> None:
    ptq = PTQ(QuantConfig(FROM_DATA, FROM_DATA))
    observed = calibrated(ptq, mlp())
    scale = observed[0].activation_quanter.scales().item()
    with pytest.raises(paddle.OpError, match=r"the values of linear_\d+ contain NaN or infinity"):
        observed(paddle.full([2, 8], float("nan")))
    assert observed[0].activation_quanter.scales().item() == scale


def test_layers_that_cannot_be_quantized_stay_float() -> None:
    net = nn.Sequential(nn.Conv2DTranspose(3, 4, 3), nn.Conv2D(4, 4, 3), nn.Linear(100, 2))
    with pytest.warns(
        UserWarning, match=r"0 \(Conv2DTranspose\) stays float: there is no quantized"
    ):
        quantized = QAT(QuantConfig(None, LEARNED)).quantize(net)
    assert types_of(quantized) == ["Conv2DTranspose", "QuantedConv2D", "QuantedLinear"]
    ptq = PTQ(QuantConfig(None, GroupWiseWeightObserver()))
    not_a_matrix = r"1 \(Conv2D\) stays float: GroupWiseWeightObserver: the weight is not a matrix"
    with (
        pytest.warns(UserWarning, match=r"0 \(Conv2DTranspose\) stays float"),
        pytest.warns(UserWarning, match=not_a_matrix),
        pytest.warns(UserWarning, match=r"2 \(Linear\) stays float"),
        pytest.warns(UserWarning, match=r"no layer inside of Sequential"),
    ):
        quantized = ptq.quantize(net.eval())
    assert types_of(quantized) == ["Conv2DTranspose", "Conv2D", "Linear"]


def test_layer_with_hooks_stays_float() -> None:
    net = mlp()
    nn.utils.weight_norm(net[0])
    with pytest.warns(UserWarning, match=r"0 \(Linear\) stays float: it has forward hooks"):
        quantized = QAT(QuantConfig(LEARNED, LEARNED)).quantize(net)
    assert types_of(quantized) == ["Linear", "ObserveWrapper", "Sequential"]


def test_second_quantization_is_rejected() -> None:
    qat = QAT(QuantConfig(LEARNED, LEARNED))
    with pytest.raises(RuntimeError, match=r"QAT.quantize: Sequential was quantized before"):
        qat.quantize(qat.quantize(mlp()))


def test_infinite_scales_are_rejected() -> None:
    qat = QAT(QuantConfig(LEARNED, LEARNED))
    quantized = qat.quantize(mlp())
    quantized(DATA[0])
    quantized[2](paddle.full([2, 16], float("inf")))
    with pytest.raises(
        paddle.OpError, match=r"scales of 2.0.activation_quanter are NaN or infinite"
    ):
        qat.convert(quantized, inplace=True)
    assert not quantized[0].converted


def test_stub_with_its_own_observer() -> None:
    net = nn.Sequential(nn.quant.Stub(HistObserver()), nn.quant.Stub())
    ptq = PTQ(QuantConfig(FROM_DATA, None))
    observed = calibrated(ptq, net)
    assert [type(stub._observer).__name__ for stub in observed] == [
        "PercentHistObserverLayer",
        "AbsmaxObserverLayer",
    ]
    converted = ptq.convert(observed)
    assert 0 < abs(converted(DATA[0]) - DATA[0]).max().item() < 0.5


def test_integer_inputs_are_not_quantized() -> None:
    class Words(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.words, self.norm = nn.Embedding(50, 8), nn.LayerNorm(8)
            self.fc = nn.Linear(8, 3)

        def forward(self, ids: Any) -> Any:
            return self.fc(self.norm(input=self.words(ids)))

    net, ids = Words(), paddle.to_tensor([[3, 49, 17]])
    ptq = PTQ(QuantConfig(FROM_DATA, None))
    observed = calibrated(ptq, net, [ids])
    assert type(observed.words).__name__ == "ObserveWrapper"
    with (
        pytest.warns(UserWarning, match=r"words._observer .* one of its inputs was not a floating"),
        pytest.warns(UserWarning, match=r"norm._observer"),
    ):
        converted = ptq.convert(observed)
    assert np.abs(converted(ids).numpy() - net(ids).numpy()).max() < 0.05


def test_nothing_to_quantize() -> None:
    with pytest.warns(UserWarning, match=r"no layer inside of Linear is quantized"):
        QAT(QuantConfig(LEARNED, LEARNED)).quantize(nn.Linear(2, 2))


def test_layer_with_two_parents_and_shared_weight() -> None:
    class Shared(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.one = self.same = nn.Linear(8, 8)
            self.tied = nn.Linear(8, 8)
            self.tied.weight = self.one.weight

        def forward(self, x: Any) -> Any:
            return self.tied(self.same(self.one(x)))

    net, ptq = Shared(), PTQ(QuantConfig(FROM_DATA, FROM_DATA))
    observed = calibrated(ptq, net)
    assert observed.one is observed.same
    converted = ptq.convert(observed)
    assert np.abs(converted(DATA[0]).numpy() - net(DATA[0]).numpy()).max() < 0.1


def test_activations_without_weights_are_converted() -> None:
    ptq = PTQ(QuantConfig(FROM_DATA, None))
    converted = ptq.convert(calibrated(ptq, mlp()))
    assert isinstance(converted[0].activation_quanter, LinearQuanterDequanter)
    assert converted[0].weight_quanter is None


@pytest.mark.parametrize("to_static", [False, True])
def test_training_lowers_the_loss(to_static: bool, tmp_path: Path) -> None:
    """The captured program updates the scales as the eager mode does."""
    net, qat = mlp(), QAT(QuantConfig(LEARNED, LEARNED))
    quantized = qat.quantize(net)
    run = paddle.jit.to_static(quantized) if to_static else quantized
    adam = paddle.optimizer.Adam(0.02, parameters=quantized.parameters())
    losses = []
    for k in range(60):
        x = DATA[k % len(DATA)]
        loss = nn.functional.mse_loss(run(x), x[:, :3])
        loss.backward()
        adam.step()
        adam.clear_grad()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
    assert quantized[0].activation_quanter._state.item() > 5
    quantized.eval()
    converted = qat.convert(quantized)
    wanted = quantized(DATA[0]).numpy()
    np.testing.assert_allclose(converted(DATA[0]).numpy(), wanted, atol=0.05)
    paddle.jit.save(converted, str(tmp_path / "net"), input_spec=SPEC)


# -- folding of batch normalization
# ------------------------------------------------------------------------------


class Block(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.bn, self.relu = (
            nn.Conv2D(3, 4, 3, bias_attr=False),
            nn.BatchNorm2D(4),
            nn.ReLU(),
        )
        self.deep = nn.Sequential(nn.Conv2D(4, 4, 3, groups=4), nn.BatchNorm2D(4))
        self.fc, self.norm = nn.Linear(64, 5), nn.BatchNorm1D(5)

    def forward(self, x: Any) -> Any:
        y = self.deep(self.relu(self.bn(self.conv(x))))
        return self.norm(self.fc(y.flatten(1)))


def block() -> Any:
    paddle.seed(0)
    net = Block()
    for norm in (net.bn, net.deep[1], net.norm):
        size = norm._num_features
        for parameter, low in (
            (norm.weight, -1),
            (norm.bias, -1),
            (norm._mean, -1),
            (norm._variance, 0.5),
        ):
            parameter.set_value(RNG.uniform(low, 2, size).astype("f"))
    return net.eval()


IMAGES = paddle.to_tensor(RNG.standard_normal((3, 3, 8, 8)).astype("f"))


def test_folding_keeps_the_results() -> None:
    net = block()
    wanted = net(IMAGES).numpy()
    folded = fuse_layers(net, [["fc", "norm"], ["deep.0", "deep.1"]])
    assert isinstance(folded.norm, nn.Identity)
    assert isinstance(net.norm, nn.BatchNorm1D)
    np.testing.assert_allclose(folded(IMAGES).numpy(), wanted, rtol=1e-4, atol=1e-4)
    assert fuse_conv_bn(net) is net
    assert isinstance(net.bn, nn.Identity)
    assert isinstance(net.deep[1], nn.Identity)
    np.testing.assert_allclose(net(IMAGES).numpy(), wanted, rtol=1e-4, atol=1e-4)


def test_folding_in_an_unclear_order_is_left_out() -> None:
    """The normalization after `conv2` in the order of assignment is the one of `conv1`."""

    class Net(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.conv1, self.conv2 = nn.Conv2D(3, 3, 1), nn.Conv2D(3, 3, 1)
            self.bn1, self.bn2 = nn.BatchNorm2D(3), nn.BatchNorm2D(3)
            self.inner = nn.Sequential(nn.Conv2D(3, 3, 1), nn.BatchNorm2D(3))

        def forward(self, x: Any) -> Any:
            return self.inner(self.bn2(self.conv2(self.bn1(self.conv1(x)))))

    net = Net()
    net(IMAGES)
    net.eval()
    wanted = net(IMAGES).numpy()
    with pytest.warns(UserWarning, match="the order of the layers of Net does not show"):
        fuse_conv_bn(net)
    assert isinstance(net.bn1, nn.BatchNorm2D)
    assert isinstance(net.inner[1], nn.Identity)
    np.testing.assert_allclose(net(IMAGES).numpy(), wanted, rtol=1e-4, atol=1e-4)


def test_invalid_folding_changes_nothing() -> None:
    net = block()
    wanted = net(IMAGES).numpy()
    for pairs, words in (
        ([["conv", "bn"], ["fc", "nothing"]], "has no sublayer 'nothing'"),
        ([["conv", "bn"], ["conv", "relu"]], "cannot fold Conv2D and ReLU"),
        ([["conv", "bn"], ["conv"]], "cannot fold Conv2D"),
        ([["conv", "bn"], ["conv", "bn"]], "two pairs have the same normalization"),
    ):  # fmt: skip
        with pytest.raises(paddle.OpError, match=words):
            fuse_layers(net, pairs, inplace=True)
    assert np.array_equal(net(IMAGES).numpy(), wanted)


@pytest.mark.parametrize("shares_layer", [True, False])
def test_shared_convolutions_are_not_folded(shares_layer: bool) -> None:
    first = nn.Conv2D(3, 3, 1)
    second = first if shares_layer else nn.Conv2D(3, 3, 1)
    second.weight = first.weight
    net = nn.Sequential(first, nn.BatchNorm2D(3), second)
    net(IMAGES)
    net.eval()
    wanted = net(IMAGES).numpy()
    with pytest.warns(UserWarning, match="0 is not folded, because the network has it"):
        fuse_conv_bn(net)
    with pytest.raises(paddle.OpError, match="cannot fold 0: the network has it under several"):
        fuse_layers(net, [["0", "1"]], inplace=True)
    assert np.array_equal(net(IMAGES).numpy(), wanted)


def test_post_training_quantization_after_folding(tmp_path: Path) -> None:
    net = block()
    wanted = net(IMAGES).numpy()
    ptq = PTQ(QuantConfig(FROM_DATA, AbsMaxChannelWiseWeightObserver()))
    converted = ptq.convert(calibrated(ptq, fuse_conv_bn(net), [IMAGES]))
    assert np.abs(converted(IMAGES).numpy() - wanted).max() < 0.1 * np.abs(wanted).max()
    spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    paddle.jit.save(converted, str(tmp_path / "net"), input_spec=spec)


# -- the older interface
# ------------------------------------------------------------------------------


class Identical(nn.Layer):
    calls = 0

    def forward(self, x: Any) -> Any:
        type(self).calls += 1
        return x


def test_older_training_interface(tmp_path: Path) -> None:
    net = mlp()
    net[0].skip_quant = True
    aware = ImperativeQuantAware(weight_quantize_type="channel_wise_abs_max", onnx_format=True)
    assert aware.quantize(net) is net
    assert isinstance(net[0], nn.Linear)
    assert isinstance(net[2][0]._layer, QuantizedLinear)
    for x in DATA:
        net(x).mean().backward()
    state = {k: v.numpy() for k, v in net.state_dict().items()}
    aware.save_quantized_model(net, str(tmp_path / "net"), SPEC)
    assert net.training
    assert all(np.array_equal(v, net.state_dict()[k].numpy()) for k, v in state.items())
    ops = [op.type for op in read_model(str(tmp_path / "net")).program.ops()]
    assert (ops.count("quantize_linear"), ops.count("dequantize_linear")) == (1, 2)
    assert not any(op.startswith("fake_") for op in ops)
    net.eval()
    found = paddle.jit.load(str(tmp_path / "net"))(DATA[0].numpy()).numpy()
    np.testing.assert_allclose(found, net(DATA[0]).numpy(), atol=2e-2)


class SharedConvolution(nn.Layer):
    """One convolution with two names, and another one with its weight."""

    def __init__(self) -> None:
        super().__init__()
        self.a = nn.Conv2D(3, 3, 3, padding=1)
        self.same = self.a
        self.b = nn.Conv2D(3, 3, 3, padding=1)
        self.b.weight = self.a.weight

    def forward(self, x: Any) -> Any:
        return self.b(self.same(self.a(x)))


def test_older_training_interface_with_shared_weights(tmp_path: Path) -> None:
    """Whole numbers would be read as floats by the other layer, or be quantized again."""
    aware = ImperativeQuantAware(onnx_format=True)
    net = aware.quantize(SharedConvolution())
    net(IMAGES)
    net.eval()
    wanted = net(IMAGES).numpy()
    spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    aware.save_quantized_model(net, str(tmp_path / "net"), spec)
    found = paddle.jit.load(str(tmp_path / "net"))(IMAGES).numpy()
    np.testing.assert_allclose(found, wanted, atol=0.05 * np.abs(wanted).max())


def test_older_training_interface_without_training_warns(tmp_path: Path) -> None:
    aware = ImperativeQuantAware()
    net = aware.quantize(mlp())
    with pytest.warns(UserWarning, match=r"no data has passed through .*_fake_quant_input"):
        aware.save_quantized_model(net, str(tmp_path / "net"), SPEC)


def test_older_post_training_interface_rejects_a_second_quantization() -> None:
    ptq = ImperativePTQ()
    with pytest.raises(RuntimeError, match="was quantized before"):
        ptq.quantize(ptq.quantize(mlp().eval()))


def test_older_training_interface_with_own_layers() -> None:
    aware = ImperativeQuantAware(
        ["Linear"], act_preprocess_layer=Identical, weight_quantize_layer=Identical
    )
    net = aware.quantize(mlp())
    Identical.calls = 0
    net(DATA[0])
    assert Identical.calls == 4
    for arguments, words in (
        ({"quantizable_layer_type": ["ReLU"]}, "'ReLU' is none of"),
        ({"weight_quantize_type": "moving_average_abs_max"}, "weight_quantize_type"),
        ({"activation_quantize_type": "lsq_act"}, "activation_quantize_type='lsq_act'"),
        ({"act_quantize_layer": 3}, "3 is not a subclass of Layer"),
    ):
        with pytest.raises(paddle.OpError, match=words):
            ImperativeQuantAware(**arguments)
    with pytest.raises(paddle.OpError, match="int is not a Layer"):
        aware.quantize(3)  # type: ignore[arg-type]


def test_older_training_interface_quantizes_functions() -> None:
    class Sum(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.add = nn.quant.add()

        def forward(self, x: Any) -> Any:
            return self.add(x, x)

    net = ImperativeQuantAware().quantize(Sum())
    y = net(DATA[0])
    assert abs(y - 2 * DATA[0]).max().item() > 0
    assert net.add._fake_quant_output._state.item() > 1


def test_older_post_training_interface(tmp_path: Path) -> None:
    config = PTQConfig(AbsmaxQuantizer(), PerChannelAbsmaxQuantizer())
    ptq, net = ImperativePTQ(config), mlp().eval()
    observed = ptq.quantize(net)
    with pytest.raises(paddle.OpError, match=r"no data has passed through 0, 2.0"):
        ptq.save_quantized_model(observed, str(tmp_path / "net"), SPEC)
    assert not list(tmp_path.iterdir())
    for x in DATA:
        observed(x)
    ptq.save_quantized_model(observed, str(tmp_path / "net"), SPEC)
    found = paddle.jit.load(str(tmp_path / "net"))(DATA[0].numpy()).numpy()
    assert 0 < np.abs(found - net(DATA[0]).numpy()).max() < 0.1


def test_older_post_training_interface_with_zeros_and_folding(tmp_path: Path) -> None:
    ptq = ImperativePTQ()
    observed = ptq.quantize(block(), fuse=True, fuse_list=[["conv", "bn"]])
    assert isinstance(observed.bn, nn.Identity)
    observed(IMAGES * 0)
    with pytest.warns(UserWarning, match=r"ImperativePTQ: conv \(Conv2D\) stays float"):
        ptq._convert(observed)
    assert isinstance(observed.conv, nn.Conv2D)
    with pytest.raises(paddle.OpError, match="needs a fuse_list"):
        ptq.quantize(block(), fuse=True)
    with pytest.raises(paddle.OpError, match="is not a PTQConfig"):
        ImperativePTQ(FROM_DATA)  # type: ignore[arg-type]
    with pytest.raises(paddle.OpError, match="str is not a Layer"):
        ptq.quantize("net")  # type: ignore[arg-type]


def test_older_post_training_interface_with_nan_in_a_weight_changes_nothing(tmp_path: Path) -> None:
    ptq, net = ImperativePTQ(), mlp().eval()
    observed = ptq.quantize(net)
    observed(DATA[0])
    weights = observed[2][0].weight
    values = weights.numpy()
    weights.set_value(np.where(values == values.max(), np.nan, values).astype("float32"))
    with pytest.raises(paddle.OpError, match="contain NaN or infinity"):
        ptq.save_quantized_model(observed, str(tmp_path / "net"), SPEC)
    assert isinstance(observed[0], nn.Linear)
    weights.set_value(values)
    ptq.save_quantized_model(observed, str(tmp_path / "net"), SPEC)
    assert isinstance(observed[0], paddle.nn.quant.quant_layers.QuantizedLinear)


def test_path_of_older_releases() -> None:
    from oarlock.fluid.contrib.slim.quantization import ImperativeQuantAware as Older

    assert Older is ImperativeQuantAware


def test_import_as_paddle_names() -> None:
    assert paddle.quantization.QAT is QAT
    assert paddle.nn.quant.Stub().__class__.__module__ == "oarlock.nn.quant.stub"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert paddle.nn.quant.QuantStub is paddle.nn.quant.quant_layers.MovingAverageAbsMaxScale
