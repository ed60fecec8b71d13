"""Replacements of the classes of fluid.dygraph in Paddle 2, for deprecation warnings."""

from __future__ import annotations

from typing import Any

from ..deprecated import warn_deprecated_on_first_use

REPLACEMENT_BY_NAME = {
    "BCELoss": "nn.BCELoss",
    "BatchNorm": "nn.BatchNorm",
    "BilinearTensorProduct": "nn.Bilinear",
    "Conv2D": "nn.Conv2D",
    "Conv2DTranspose": "nn.Conv2DTranspose",
    "Conv3D": "nn.Conv3D",
    "Conv3DTranspose": "nn.Conv3DTranspose",
    "CosineDecay": "optimizer.lr.CosineAnnealingDecay",
    "DataParallel": "DataParallel",
    "Dropout": "nn.Dropout",
    "Embedding": "nn.Embedding",
    "ExponentialDecay": "optimizer.lr.ExponentialDecay",
    "GRUUnit": "nn.GRUCell",
    "GroupNorm": "nn.GroupNorm",
    "InstanceNorm": "nn.InstanceNorm2D",
    "InverseTimeDecay": "optimizer.lr.InverseTimeDecay",
    "L1Loss": "nn.L1Loss",
    "LambdaDecay": "optimizer.lr.LambdaDecay",
    "LayerNorm": "nn.LayerNorm",
    "Linear": "nn.Linear",
    "LinearLrWarmup": "optimizer.lr.LinearWarmup",
    "MSELoss": "nn.MSELoss",
    "MultiStepDecay": "optimizer.lr.MultiStepDecay",
    "NLLLoss": "nn.NLLLoss",
    "NaturalExpDecay": "optimizer.lr.NaturalExpDecay",
    "NoamDecay": "optimizer.lr.NoamDecay",
    "PRelu": "nn.PReLU",
    "PiecewiseDecay": "optimizer.lr.PiecewiseDecay",
    "PolynomialDecay": "optimizer.lr.PolynomialDecay",
    "Pool2D": "nn.MaxPool2D",
    "ReduceLROnPlateau": "optimizer.lr.ReduceOnPlateau",
    "SpectralNorm": "nn.SpectralNorm",
    "StepDecay": "optimizer.lr.StepDecay",
}


def deprecate_replaced_classes(members: dict[str, Any]) -> None:
    """Decorate the classes of fluid.dygraph so that their first use warns."""
    for old, new in REPLACEMENT_BY_NAME.items():
        warn_deprecated_on_first_use(f"fluid.dygraph.{old}", f"paddle.{new}")(members[old])
