"""The parametric ReLU."""

from __future__ import annotations

from ...capture.variable import Variable
from ...core.errors import OpError, append_user_line
from ...core.op import OPS
from ...core.tensor import Tensor
from ...nn.initializer import Constant
from ...nn.type_aliases import ParamAttrLike
from .helper import LayerHelper, require_static_size


def prelu(
    x: Tensor,
    mode: str,
    param_attr: ParamAttrLike | None = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Variable:
    """Parametric ReLU in a static graph program, with an alpha that it creates (He et al. 2015).

    out = x if x > 0, else alpha * x

    Parameters
    ----------
    x : Variable [N, C, *] or [N, *, C], float32 | float64
    mode : "all", "channel" or "element"
        One alpha for all elements, for each channel, or for each element of a sample.
    param_attr : ParamAttr, Initializer or str, optional
        Initialization, name and regularizer of alpha. Default: 0.25.
    data_format : str, default "NCHW"
        Channels are the last axis if it ends in C, such as "NHWC", otherwise axis 1.
    name : str, optional
        Prefix of the names of parameters and outputs.

    Returns
    -------
    Variable, shape and dtype of x

    Raises
    ------
    OarlockError
        In eager mode.
    TypeError
        If `x` is not a Variable.
    OpError
        If `mode` is unknown, or a size of alpha is dynamic.

    See Also
    --------
    nn.PReLU : the layer.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2])
    ...     y = paddle.static.nn.prelu(x, "all")
    >>> exe = paddle.static.Executor()
    >>> _ = exe.run(startup)
    >>> feed = {"x": np.array([[-4, 2]], np.float32)}
    >>> exe.run(main, feed, fetch_list=[y])[0].tolist()
    [[-1.0, 2.0]]
    >>> paddle.disable_static()
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
