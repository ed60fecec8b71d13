"""Names of `paddle.quantization` under the path that they have in Paddle 2.0 to 2.4."""

from ....quantization.imperative import (
    AbsmaxQuantizer,
    HistQuantizer,
    ImperativePTQ,
    ImperativeQuantAware,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
    PTQConfig,
    default_ptq_config,
)

__all__ = [
    "AbsmaxQuantizer",
    "HistQuantizer",
    "ImperativePTQ",
    "ImperativeQuantAware",
    "KLQuantizer",
    "PTQConfig",
    "PerChannelAbsmaxQuantizer",
    "default_ptq_config",
]
