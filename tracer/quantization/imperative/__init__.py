"""Quantization of layers with the interfaces of Paddle 2.0 to 2.4."""

from . import fuse_utils, ptq, ptq_config, ptq_quantizer, ptq_registry, qat
from .ptq import ImperativePTQ
from .ptq_config import PTQConfig, default_ptq_config
from .ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)
from .ptq_registry import PTQRegistry
from .qat import ImperativeQuantAware

__all__ = [
    "SUPPORT_ACT_QUANTIZERS",
    "SUPPORT_WT_QUANTIZERS",
    "AbsmaxQuantizer",
    "BaseQuantizer",
    "HistQuantizer",
    "ImperativePTQ",
    "ImperativeQuantAware",
    "KLQuantizer",
    "PTQConfig",
    "PTQRegistry",
    "PerChannelAbsmaxQuantizer",
    "default_ptq_config",
]
