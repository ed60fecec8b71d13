"""Activations with parameters."""

from __future__ import annotations

from typing import Any

from ...capture.variable import Variable
from ...core.errors import OpError, with_user_line
from ...core.op import OPS
from ...nn.initializer import Constant
from .helper import Helper, known_size


def prelu(
    x: Variable,
    mode: str,
    param_attr: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """x where it is positive, alpha * x elsewhere

    (He et al. 2015).
    mode: one alpha for 'all', each 'channel', or each 'element'
    """
    helper = Helper("prelu", name, x)
    last = data_format[-1] == "C"
    shape = [1]
    if mode == "channel":
        size = known_size("prelu", x, -1 if last else 1)
        shape = [1] * (x.ndim - 1) + [size] if last else [1, size] + [1] * (x.ndim - 2)
    elif mode == "element":
        shape = [1, *(known_size("prelu", x, i) for i in range(1, x.ndim))]
    elif mode != "all":
        raise OpError(
            with_user_line(f"prelu: mode={mode!r} is not one of 'all', 'channel', 'element'")
        )
    with helper.writing():
        alpha = helper.parameter(param_attr, shape, x.dtype, start=Constant(0.25))
        found: Variable = OPS["prelu"](x, alpha, mode=mode, data_format="NHWC" if last else "NCHW")
    return found
