"""The public names of this package, for type checkers."""

# Written by `python -m tests.tools.type_stubs`.

from oarlock.core.lazy_import import make_lazy_getattr
from oarlock.quantization import (
    abs_histogram,
    base_observer,
    base_quanter,
    config,
    factory,
    imperative,
    observers,
    ptq,
    qat,
    quanters,
    quantize,
    wrapper,
)
from oarlock.quantization.base_observer import BaseObserver
from oarlock.quantization.base_quanter import BaseQuanter
from oarlock.quantization.config import QuantConfig
from oarlock.quantization.factory import quanter
from oarlock.quantization.imperative.ptq import ImperativePTQ
from oarlock.quantization.imperative.ptq_config import PTQConfig
from oarlock.quantization.imperative.ptq_quantizer import (
    AbsmaxQuantizer,
    BaseQuantizer,
    HistQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)
from oarlock.quantization.imperative.ptq_registry import PTQRegistry
from oarlock.quantization.imperative.qat import ImperativeQuantAware
from oarlock.quantization.ptq import PTQ
from oarlock.quantization.qat import QAT

__all__ = [
    "PTQ",
    "QAT",
    "AbsmaxQuantizer",
    "BaseObserver",
    "BaseQuanter",
    "BaseQuantizer",
    "HistQuantizer",
    "ImperativePTQ",
    "ImperativeQuantAware",
    "KLQuantizer",
    "PTQConfig",
    "PTQRegistry",
    "PerChannelAbsmaxQuantizer",
    "QuantConfig",
    "abs_histogram",
    "base_observer",
    "base_quanter",
    "config",
    "default_ptq_config",
    "factory",
    "imperative",
    "make_lazy_getattr",
    "observers",
    "ptq",
    "qat",
    "quanter",
    "quanters",
    "quantize",
    "wrapper",
]

default_ptq_config: PTQConfig
