"""Observers and quantizers: scales beside NumPy's, and calibration data that they reject."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import nn
from oarlock.quantization import (
    AbsmaxQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    observers,
    quanters,
)

RNG = np.random.default_rng(0)
BATCHES = [RNG.standard_normal((4, 128)).astype("f") * factor for factor in (1, 3, 2)]
ALL = [
    observers.AbsmaxObserver(),
    observers.AVGObserver(),
    observers.MovingAverageAbsmaxObserver(),
    observers.HistObserver(),
    observers.KLObserver(),
    observers.AbsMaxChannelWiseWeightObserver(),
    observers.GroupWiseWeightObserver(group_size=64),
]


def fed(factory: Any, batches: Any, layer: Any = None) -> Any:
    observer = factory._instance(layer or nn.Linear(128, 8))
    for batch in batches:
        assert np.array_equal(observer(paddle.to_tensor(batch)).numpy(), batch)
    return observer


def test_scales_from_batches() -> None:
    largest = [np.abs(b).max() for b in BATCHES]
    by_factory = {
        observers.AbsmaxObserver(): max(largest),
        observers.AVGObserver(): np.mean([np.abs(b).max(1).mean() for b in BATCHES]),
        observers.MovingAverageAbsmaxObserver(moving_rate=0.5): (
            (largest[0] / 4 + largest[1] / 2 + largest[2]) / 1.75
        ),
    }
    for factory, wanted in by_factory.items():
        observer = fed(factory, BATCHES)
        np.testing.assert_allclose(observer.scales().numpy(), wanted, rtol=1e-6)
        assert (observer.quant_axis(), observer.bit_length(), observer.zero_points()) == (
            -1,
            8,
            None,
        )


@pytest.mark.parametrize("percent", [0.5, 0.99, 1.0])
def test_percentile(percent: float) -> None:
    scale = fed(observers.HistObserver(percent=percent), BATCHES).scales().item()
    wanted = np.quantile(np.abs(BATCHES), percent, method="inverted_cdf")
    assert abs(scale - wanted) < np.abs(BATCHES).max() / 500


def test_kl_clips_outliers() -> None:
    values = RNG.standard_t(3, 100_000).astype("f")
    scale = fed(observers.KLObserver(), [values]).scales().item()
    assert 10 < scale < 0.7 * np.abs(values).max()


@pytest.mark.parametrize(
    ("layer", "axis"),
    [(nn.Linear(3, 5), 1), (nn.Conv2D(3, 5, 2), 0), (nn.Conv2DTranspose(3, 5, 2), 1)],
)
def test_scale_by_channel(layer: Any, axis: int) -> None:
    observer = fed(observers.AbsMaxChannelWiseWeightObserver(), [layer.weight.numpy()], layer)
    others = tuple(i for i in range(layer.weight.ndim) if i != axis)
    assert observer.quant_axis() == axis
    assert np.array_equal(observer.scales().numpy(), np.abs(layer.weight.numpy()).max(others))


def test_scale_by_group() -> None:
    weight = RNG.standard_normal((128, 8)).astype("f")
    observer = fed(observers.GroupWiseWeightObserver(group_size=64), [weight])
    wanted = [np.abs(weight[:64]).max(0), np.abs(weight[64:]).max(0)]
    assert np.array_equal(observer.scales().numpy(), wanted)


@pytest.mark.parametrize("factory", ALL, ids=str)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_nan_is_rejected_and_changes_nothing(factory: Any, bad: float) -> None:
    linear = nn.Linear(128, 8)
    weight = linear.weight.numpy()
    observer = fed(factory, [weight], linear)
    before = observer.scales().numpy()
    broken = weight.copy()
    broken[0, 0] = bad
    with pytest.raises(paddle.OpError, match=rf"{linear.full_name()} contain NaN or infinity"):
        observer(paddle.to_tensor(broken))
    assert np.array_equal(observer.scales().numpy(), before)


@pytest.mark.parametrize("factory", ALL, ids=str)
def test_scales_without_data_are_rejected(factory: Any) -> None:
    observer = fed(factory, [])
    with pytest.raises(paddle.OpError, match="no data has passed through linear_"):
        observer.scales()


@pytest.mark.parametrize("factory", ALL, ids=str)
def test_scale_of_zeros_is_positive(factory: Any) -> None:
    observer = fed(factory, [np.zeros((128, 8), "f")])
    assert observer.has_seen_only_zeros
    assert (observer.scales().numpy() > 0).all()
    observer(paddle.ones([128, 8]))
    assert not observer.has_seen_only_zeros


@pytest.mark.parametrize("bits", [1, 17, 0, -8, 8.0, True, "8", None])
def test_wrong_bits(bits: Any) -> None:
    for create in (
        lambda: observers.AbsmaxObserver(quant_bits=bits)._instance(None),
        lambda: quanters.FakeQuanterWithAbsMaxObserver(bit_length=bits)._instance(None),
        lambda: AbsmaxQuantizer(bits),
        lambda: paddle.quantization.ImperativeQuantAware(weight_bits=bits),
        lambda: nn.quant.format.LinearQuanter(1.0, bit_length=bits),
    ):
        with pytest.raises(paddle.OpError, match=r"not an integer in \[2, 16\]"):
            create()


def test_wrong_settings() -> None:
    for create, words in (
        (lambda: observers.HistObserver(percent=0)._instance(None), r"percent=0 is not in \(0, 1\]"),
        (lambda: observers.HistObserver(sign=False), "only signed"),
        (lambda: observers.KLObserver(bins_count=100)._instance(None), "power of two"),
        (lambda: observers.MovingAverageAbsmaxObserver(moving_rate=2)._instance(None), "moving_rate=2"),
        (lambda: quanters.FakeQuanterWithAbsMaxObserver(moving_rate=-1)._instance(None), "moving_rate=-1"),
        (lambda: observers.GroupWiseWeightObserver(group_size=3)._instance(nn.Linear(3, 3)), "group_size=3"),
        (lambda: HistQuantizer(hist_percent=1.5), "hist_percent=1.5"),
        (lambda: PTQConfig(PerChannelAbsmaxQuantizer(), AbsmaxQuantizer()), "activation_quantizer is a PerChannel"),
        (lambda: PTQConfig(KLQuantizer(), KLQuantizer()), "weight_quantizer is a KLQuantizer"),
        (lambda: nn.quant.format.LinearQuanter(float("nan")), "the scales contain NaN"),
    ):  # fmt: skip
        with pytest.raises(paddle.OpError, match=words):
            create()


@pytest.mark.parametrize("quantizer", [AbsmaxQuantizer, HistQuantizer, KLQuantizer])
def test_quantizers_of_the_older_interface(quantizer: Any) -> None:
    one = quantizer()
    for batch in BATCHES:
        one.sample_data(None, (paddle.to_tensor(batch),))
    with pytest.raises(paddle.OpError, match="NaN"):
        one.sample_data(None, (paddle.to_tensor([np.nan]),))
    one.cal_thresholds()
    largest = np.abs(BATCHES).max()
    assert one.abs_max_vals == [largest]
    assert 0.3 * largest < one.thresholds[0] <= largest
