"""Layers, and what they are made of."""

from typing import TYPE_CHECKING, Any

from . import functional, initializer
from .activation import CLASSES as _ACTIVATIONS
from .activation import PReLU
from .clip import ClipGradByGlobalNorm, ClipGradByNorm, ClipGradByValue
from .common import CosineSimilarity, Dropout, Dropout2D, Embedding, Flatten, Identity, Linear, Pad2D
from .container import LayerDict, LayerList, ParameterList, Sequential
from .conv import Conv1D, Conv2D, Conv2DTranspose
from .layer import Layer
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    KLDivLoss,
    L1Loss,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
)
from .norm import BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, GroupNorm, InstanceNorm2D, LayerNorm
from .param_attr import ParamAttr
from .pooling import (
    AdaptiveAvgPool1D,
    AdaptiveAvgPool2D,
    AdaptiveMaxPool2D,
    AvgPool1D,
    AvgPool2D,
    MaxPool1D,
    MaxPool2D,
)
from .transformer import MultiHeadAttention, TransformerEncoder, TransformerEncoderLayer

globals().update(_ACTIVATIONS)
if TYPE_CHECKING:  # the activations, which come from a table

    def __getattr__(name: str) -> Any: ...


__all__ = [
    "AdaptiveAvgPool1D", "AdaptiveAvgPool2D", "AdaptiveMaxPool2D", "AvgPool1D", "AvgPool2D", "BCELoss", "BCEWithLogitsLoss",
    "BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue",
    "Conv1D", "Conv2D", "Conv2DTranspose", "CosineSimilarity", "CrossEntropyLoss", "Dropout", "Dropout2D", "Embedding", "Flatten",
    "GroupNorm", "Identity", "InstanceNorm2D", "KLDivLoss", "L1Loss", "Layer", "LayerDict", "LayerList", "LayerNorm", "Linear",
    "MSELoss", "MaxPool1D", "MaxPool2D", "MultiHeadAttention", "NLLLoss", "PReLU", "Pad2D", "ParamAttr", "ParameterList",
    "Sequential", "SmoothL1Loss", "TransformerEncoder", "TransformerEncoderLayer", "functional", "initializer", *_ACTIVATIONS,
]  # fmt: skip
