"""WeightNormParamAttr: a weight as a direction and a length, each learned

(Salimans and Kingma 2016).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...core.op import OPS
from ...nn.param_attr import ParamAttr


class WeightNormParamAttr(ParamAttr):
    """weight = g * v / |v|, the length over all axes but `dim`, or over all.

    The other settings are those of ParamAttr.
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
        """The weight as a value of the program.

        parameter: makes one of a name and a shape, which starts as a function says
        """
        v = parameter(f"{name}_v", list(shape), None)
        sizes = [
            n if self.dim is not None and i == self.dim % len(shape) else 1
            for i, n in enumerate(shape)
        ]
        g = parameter(f"{name}_g", sizes, lambda: self._length(v))
        return OPS["elementwise_mul"](v, OPS["elementwise_div"](g, self._length(v)))

    def _length(self, v: Any) -> Any:
        """|v|, with the axes that are summed over of size 1."""
        axes = [i for i in range(v.ndim) if self.dim is None or i != self.dim % v.ndim]
        squares = OPS["elementwise_mul"](v, v)
        return OPS["sqrt"](
            OPS["reduce_sum"](squares, dim=axes, keep_dim=True, reduce_all=len(axes) == v.ndim)
        )
