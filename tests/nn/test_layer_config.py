"""Layers store their settings in Paddle's attributes, and forward reads them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import oarlock
from oarlock import nn

ACTIVATIONS = [
    (nn.LeakyReLU(0.2), {"_negative_slope": 0.2}),
    (nn.GELU(True), {"_approximate": True}),
    (nn.Softmax(1), {"_axis": 1}),
    (nn.Hardtanh(-2.0, 3.0), {"_min": -2.0, "_max": 3.0}),
    (nn.Softplus(2, 10), {"_beta": 2, "_threshold": 10}),
    (nn.Maxout(2), {"_groups": 2, "_axis": 1}),
]
POOLS = [
    (
        nn.MaxPool1D(3, 2, 1),
        {"kernel_size": 3, "stride": 2, "padding": 1, "ceil_mode": False, "return_mask": False},
    ),
    (
        nn.MaxPool2D(3, 2, 1),
        {"ksize": 3, "stride": 2, "padding": 1, "return_mask": False, "data_format": "NCHW"},
    ),
    (nn.AvgPool1D(3, 2), {"kernel_size": 3, "stride": 2, "exclusive": True}),
    (nn.AvgPool3D(3), {"ksize": 3, "stride": None, "divisor": None, "data_format": "NCDHW"}),
    (nn.MaxUnPool2D(2), {"ksize": 2, "output_size": None}),
    (nn.AdaptiveAvgPool1D(2), {"output_size": 2}),
    (
        nn.AdaptiveAvgPool2D((1, 2), name="mean"),
        {"_output_size": (1, 2), "_name": "mean", "_data_format": "NCHW"},
    ),
    (nn.AdaptiveMaxPool3D(2), {"_output_size": 2, "_return_mask": False}),
]
IMAGE_LAYERS = [
    (
        nn.Pad2D(1),
        {"_pad": [1, 1, 1, 1], "_mode": "constant", "_value": 0.0, "_data_format": "NCHW"},
    ),
    (nn.Upsample(scale_factor=2), {"scale_factor": 2, "size": None, "mode": "nearest"}),
    (nn.PixelShuffle(2), {"_upscale_factor": 2, "_data_format": "NCHW"}),
    (nn.Unfold(2), {"kernel_sizes": 2, "strides": 1}),
    (nn.Dropout2D(0.3), {"p": 0.3}),
    (nn.CosineSimilarity(), {"_axis": 1, "_eps": 1e-8}),
    (nn.LocalResponseNorm(3), {"size": 3, "beta": 0.75}),
]
LOSSES = [
    (nn.CrossEntropyLoss(ignore_index=3), {"ignore_index": 3, "reduction": "mean", "soft_label": False, "axis": -1, "weight": None}),
    (nn.NLLLoss(), {"_ignore_index": -100, "_reduction": "mean", "_weight": None}),
    (nn.BCEWithLogitsLoss(), {"reduction": "mean", "pos_weight": None}),
    (nn.TripletMarginLoss(), {"margin": 1.0, "p": 2.0, "swap": False}),
    (nn.PoissonNLLLoss(), {"_log_input": True, "_full": False}),
    (nn.L1Loss(), {"name": None}),
]  # fmt: skip
WEIGHTED = [
    (nn.Conv2D(2, 4, 3, bias_attr=False), {"_bias_attr": False, "_param_attr": None}),
    (nn.Linear(2, 3, bias_attr=False), {"_bias_attr": False, "_weight_attr": None}),
    (nn.Embedding(5, 6), {"_num_embeddings": 5, "_embedding_dim": 6, "_size": [5, 6]}),
    (nn.BatchNorm2D(4, bias_attr=False), {"_bias_attr": False, "_weight_attr": None}),
    (
        nn.BatchNorm(4),
        {
            "_param_attr": None,
            "_data_layout": "NCHW",
            "_is_test": False,
            "_trainable_statistics": False,
        },
    ),
    (nn.InstanceNorm2D(4), {"_momentum": 0.9}),
    (nn.GroupNorm(2, 4), {"_weight_attr": None}),
    (nn.LayerNorm(4), {"_bias_attr": None}),
    (nn.Bilinear(2, 3, 4), {"_in1_features": 2, "_in2_features": 3, "_out_features": 4}),
]
LAYERS = [*ACTIVATIONS, *POOLS, *IMAGE_LAYERS, *LOSSES, *WEIGHTED]


@pytest.mark.parametrize(
    ("layer", "settings"), LAYERS, ids=[type(layer).__name__ for layer, _ in LAYERS]
)
def test_settings_are_attributes(layer: nn.Layer, settings: dict[str, Any]) -> None:
    assert {name: getattr(layer, name) for name in settings} == settings


def image() -> oarlock.Tensor:
    return oarlock.to_tensor(np.arange(32, dtype="float32").reshape(1, 2, 4, 4) - 10)


def test_forward_uses_changed_attributes() -> None:
    pool = nn.MaxPool2D(2)
    pool.stride = 1
    assert pool(image()).shape == [1, 2, 3, 3]
    means = nn.AdaptiveAvgPool2D(1)
    means._output_size = 2
    assert means(image()).shape == [1, 2, 2, 2]
    leaky = nn.LeakyReLU()
    leaky._negative_slope = 0.5
    assert float(leaky(image())[0, 0, 0, 0]) == -5
    padded = nn.Pad2D(1)
    padded._pad = [0, 0, 1, 0]
    assert padded(image()).shape == [1, 2, 5, 4]
    loss = nn.CrossEntropyLoss()
    loss.reduction = "none"
    assert loss(oarlock.ones([3, 2]), oarlock.to_tensor([0, 1, 0])).shape == [3]


def test_trainable_statistics_use_batch_in_eval_mode() -> None:
    x = oarlock.to_tensor(np.arange(12, dtype="float32").reshape(3, 4) ** 2)
    norm = nn.BatchNorm(4, trainable_statistics=True)
    trained = norm(x).numpy()
    norm.eval()
    np.testing.assert_array_equal(norm(x).numpy(), trained)
    assert float(abs(norm._mean).max()) > 0


def test_initializer_called_on_a_parameter() -> None:
    linear = nn.Linear(2, 3)
    found = nn.initializer.Constant(2.0)(linear.weight, linear.weight.block)
    assert found is linear.weight and bool((linear.weight == 2).all())
    assert not oarlock.static.default_main_program().global_block().ops
