"""`create_parameter` for static graph programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ...core.type_aliases import DTypeLike
from ...nn import create_parameter as eager_parameters
from ...nn.initializer import Initializer
from ...nn.type_aliases import ParamAttrLike
from .helper import LayerHelper


def create_parameter(
    shape: Sequence[int],
    dtype: DTypeLike,
    name: str | None = None,
    attr: ParamAttrLike | None = None,
    is_bias: bool = False,
    default_initializer: Initializer | None = None,
) -> Any:
    """Create a parameter of a static graph program; the startup program initializes it.

    The first of these that is set initializes it: the initializer of `attr`, the global initializer
    (`nn.initializer.set_global_initializer`), `default_initializer`, zeros for a bias, Xavier
    uniform for a weight.

    Parameters
    ----------
    shape : list of int
    dtype : str or dtype
    name : str, optional
        The name of the parameter; not used if `attr` is given.
    attr : ParamAttr, Initializer, str or False, optional
        Name, initialization and regularizer.
    is_bias : bool, default False
        Selects the default initialization.
    default_initializer : Initializer, optional

    Returns
    -------
    Parameter [*shape] or None
        None if `attr` is False.

    Raises
    ------
    OarlockError
        In eager mode; use `paddle.create_parameter` there.
    OpError
        If `attr` has another type, or `dtype` is unknown.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     w = paddle.static.create_parameter([2, 3], "float32", name="w")
    >>> w
    Parameter(name=w, float32[2,3], trainable=True)
    >>> paddle.disable_static()
    """
    LayerHelper("create_parameter", "create_parameter")
    return eager_parameters.create_parameter(shape, dtype, name, attr, is_bias, default_initializer)
