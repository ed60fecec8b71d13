"""WeightNormParamAttr: a weight with a learned direction and a learned norm (Salimans and
Kingma 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.op import OPS
from ...nn.param_attr import ParamAttr


class WeightNormParamAttr(ParamAttr):
    """Weight normalization: weight = g * v / |v|; the norm is taken over all axes except `dim`, or
    over all axes if `dim` is None.

    The other arguments are those of ParamAttr.
    """

    def __init__(
        self,
        dim: int | None = None,
        name: str | None = None,
        initializer: Any = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
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
        """Emit the ops that compute the weight from its direction and its norm, and return the
        weight.

        parameter: creates a parameter from a name, a shape and a function for its initial value
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
