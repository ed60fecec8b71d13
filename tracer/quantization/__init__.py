"""Quantization of layers (`paddle.quantization`) and of saved models.

`QAT` (quantization-aware training) and `PTQ` (post-training quantization) replace layers of a
network by quantized ones; `QuantConfig` selects the layers and the quanters or observers.
`quant_post_static` and `quant_post_dynamic` quantize saved models. `ImperativeQuantAware` and
`ImperativePTQ` are the interfaces of Paddle 2.0 to 2.4.
"""

from ..core.lazy_import import make_lazy_getattr
from . import observers, quanters
from .base_observer import BaseObserver
from .base_quanter import BaseQuanter
from .config import QuantConfig
from .factory import quanter
from .imperative import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    ImperativePTQ,
    ImperativeQuantAware,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    PTQRegistry,
    default_ptq_config,
)
from .ptq import PTQ
from .qat import QAT

# PaddleSlim's functions for saved models are imported at first use: layers do not need their
# modules.
__getattr__ = make_lazy_getattr(
    globals(), dict.fromkeys(("quant_post_dynamic", "quant_post_static"), ".programs.quant_post")
)

__all__ = ["PTQ", "QAT", "BaseObserver", "BaseQuanter", "QuantConfig", "quanter"]
