"""`PTQConfig`: the quantizers of `ImperativePTQ`."""

from __future__ import annotations

import copy
from typing import Any

from ...core.errors import ArgumentAssertionError, append_user_line
from .ptq_quantizer import (
    SUPPORT_ACT_QUANTIZERS,
    SUPPORT_WT_QUANTIZERS,
    BaseQuantizer,
    KLQuantizer,
    PerChannelAbsmaxQuantizer,
)


class PTQConfig:
    """The quantizers of `ImperativePTQ`.

    Parameters
    ----------
    activation_quantizer : AbsmaxQuantizer, HistQuantizer or KLQuantizer
        Copied for the input and for the output of each layer.
    weight_quantizer : AbsmaxQuantizer or PerChannelAbsmaxQuantizer

    Raises
    ------
    OpError
        If a quantizer is of another class.

    Examples
    --------
    >>> from oarlock.quantization import AbsmaxQuantizer, PTQConfig
    >>> PTQConfig(AbsmaxQuantizer(), AbsmaxQuantizer(quant_bits=4)).wt_quantizer.quant_bits
    4
    """

    def __init__(
        self, activation_quantizer: BaseQuantizer, weight_quantizer: BaseQuantizer
    ) -> None:
        for name, value, classes in (
            ("activation_quantizer", activation_quantizer, SUPPORT_ACT_QUANTIZERS),
            ("weight_quantizer", weight_quantizer, SUPPORT_WT_QUANTIZERS),
        ):
            if not isinstance(value, tuple(classes)):
                raise ArgumentAssertionError(
                    append_user_line(
                        f"PTQConfig: {name} is a {type(value).__name__}, not one of "
                        f"{', '.join(c.__name__ for c in classes)}"
                    )
                )
        self.in_act_quantizer = copy.deepcopy(activation_quantizer)
        self.out_act_quantizer = copy.deepcopy(activation_quantizer)
        self.wt_quantizer = copy.deepcopy(weight_quantizer)
        self.quant_hook_handle: Any = None
        self.enable_in_act_quantizer = False


default_ptq_config = PTQConfig(KLQuantizer(), PerChannelAbsmaxQuantizer())
