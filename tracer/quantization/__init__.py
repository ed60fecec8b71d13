"""Quantization of layers and saved models.

`QAT` and `PTQ` replace layers of a network by quantized ones; `QuantConfig` says which.
`ImperativeQuantAware` and `ImperativePTQ` are the interfaces of Paddle 2.0 to 2.4.
"""

from . import observers, quanters
from .base_observer import BaseObserver
from .base_quanter import BaseQuanter
from .config import QuantConfig
from .factory import quanter
from .imperative.ptq import ImperativePTQ
from .imperative.ptq_config import PTQConfig, default_ptq_config
from .imperative.ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)
from .imperative.ptq_registry import PTQRegistry
from .imperative.qat import ImperativeQuantAware
from .ptq import PTQ
from .qat import QAT

__all__ = ["PTQ", "QAT", "BaseObserver", "BaseQuanter", "QuantConfig", "quanter"]
