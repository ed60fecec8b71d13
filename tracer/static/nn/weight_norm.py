"""WeightNormParamAttr: a weight with a learned direction and a learned norm (Salimans and
Kingma 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.op import OPS
from ...core.type_aliases import Regularizer
from ...nn.initializer import Initializer
from ...nn.param_attr import ParamAttr


class WeightNormParamAttr(ParamAttr):
    """Options of a weight that is the product of a norm and a direction (Salimans and Kingma 2016).

    weight = g * v / |v|, with the norm over all axes except `dim`, or over all axes if `dim` is
    None. The parameters are g (name with the suffix `_g`) and v (`_v`). For static graph programs
    only.

    Parameters
    ----------
    dim : int, optional
    name : str, optional
        Prefix of the names of g and v.
    initializer : Initializer, optional
        Initializes v; g is initialized with |v|.
    learning_rate : float, default 1.0
        Factor of the optimizer's learning rate for g and v.
    regularizer : WeightDecayRegularizer, optional
        Used instead of the `weight_decay` of the optimizer.
    trainable : bool, default True
    do_model_average : bool, default False
        Whether a model average includes g and v.
    need_clip : bool, default True
        Whether the gradient clipping of the optimizer includes their gradients.

    Raises
    ------
    TypeError
        If an argument of `ParamAttr` has a wrong type.
    OarlockError
        When a parameter is created in eager mode.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2])
    ...     attr = paddle.static.WeightNormParamAttr(dim=1, name="w")
    ...     y = paddle.static.nn.fc(x, 3, weight_attr=attr, bias_attr=False)
    >>> [(p.name, p.shape) for p in main.all_parameters()]
    [('w_v', (2, 3)), ('w_g', (1, 3))]
    >>> paddle.disable_static()
    """

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Initializer | None = None,
        learning_rate: float = 1.0,
        regularizer: Regularizer | None = None,
        trainable: bool = True,
        do_model_average: bool = False,
        need_clip: bool = True,
    ) -> None:
        super().__init__(
            name, initializer, learning_rate, regularizer, trainable, do_model_average, need_clip
        )
        self.dim = dim

    def reparameterize(
        self, name: str, shape: Sequence[int], parameter: Callable[[str, Any, Any], Any]
    ) -> Any:
        """Emit the ops that compute the weight from its direction and its norm.

        Layer functions call it.

        Parameters
        ----------
        name : str
            Prefix of the names of g and v.
        shape : list of int
        parameter : callable
            Creates a parameter from a name, a shape and a function for its initial value, or None.

        Returns
        -------
        Variable [*shape]

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     attr = paddle.static.WeightNormParamAttr()
        ...     w = attr.reparameterize(
        ...         "w",
        ...         [2, 3],
        ...         lambda name, shape, _: paddle.static.create_parameter(shape, "float32", name),
        ...     )
        >>> w.shape, [p.name for p in main.all_parameters()]
        ((2, 3), ['w_v', 'w_g'])
        >>> paddle.disable_static()
        """
        v = parameter(f"{name}_v", list(shape), None)
        sizes = [
            n if self.dim is not None and i == self.dim % len(shape) else 1
            for i, n in enumerate(shape)
        ]
        g = parameter(f"{name}_g", sizes, lambda: self._norm_over_other_axes(v))
        return OPS["elementwise_mul"](v, OPS["elementwise_div"](g, self._norm_over_other_axes(v)))

    def _norm_over_other_axes(self, v: Any) -> Any:
        """Return the norm of v over all axes except `dim`, with size 1 along the reduced axes."""
        axes = [i for i in range(v.ndim) if self.dim is None or i != self.dim % v.ndim]
        squares = OPS["elementwise_mul"](v, v)
        return OPS["sqrt"](
            OPS["reduce_sum"](squares, dim=axes, keep_dim=True, reduce_all=len(axes) == v.ndim)
        )
