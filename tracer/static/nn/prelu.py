"""The parametric ReLU."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...nn.initializer import Constant
from .helper import LayerHelper, require_static_size


def prelu(
    x: Variable,
    mode: str,
    param_attr: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Parametric ReLU: x if x > 0, else alpha * x, with a learned alpha (He et al. 2015).

    mode: one alpha for "all" elements, for each "channel", or for each "element"
    """
    helper = LayerHelper("prelu", name, x)
    channels_last = data_format[-1] == "C"
    shape = [1]
    if mode == "channel":
        size = require_static_size("prelu", x, -1 if channels_last else 1)
        shape = [1] * (x.ndim - 1) + [size] if channels_last else [1, size] + [1] * (x.ndim - 2)
    elif mode == "element":
        shape = [1, *(require_static_size("prelu", x, i) for i in range(1, x.ndim))]
    elif mode != "all":
        raise OpError(
            append_user_line(f"prelu: mode={mode!r} is not one of 'all', 'channel', 'element'")
        )
    with helper.prefixing_output_names():
        alpha = helper.create_parameter(
            param_attr, shape, x.dtype, default_initializer=Constant(0.25)
        )
        data_format = "NHWC" if channels_last else "NCHW"
        result: Variable = OPS["prelu"](x, alpha, mode=mode, data_format=data_format)
    return result
