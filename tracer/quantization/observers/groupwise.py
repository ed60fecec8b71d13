"""Observer of matrices with one scale per group of rows."""

from __future__ import annotations

from typing import Any

from ...core.errors import OpError, append_user_line
from ..base_quanter import UnsupportedLayerError
from ..factory import ObserverFactory
from .calibrated import CalibratedObserver

GROUP_SIZES = (64, 128)


class GroupWiseWeightObserver(ObserverFactory):
    """Factory of observers of matrices with one scale per group of rows of a column.

    scale[g, j] = max |weight[i, j]| over the rows i of group g

    Parameters
    ----------
    quant_bits : int, default 8
        From 2 to 16.
    group_size : 64 or 128, default 128
        Rows per group; the number of rows is a multiple of it. Paddle 2.6.2 ignores it.

    Raises
    ------
    OpError
        If `group_size` is neither 64 nor 128; when an observer is created.

    Notes
    -----
    A layer whose weight is not a matrix with a multiple of `group_size` rows stays float, with a
    warning.

    Examples
    --------
    >>> from oarlock.quantization.observers import GroupWiseWeightObserver
    >>> observer = GroupWiseWeightObserver(group_size=64)._instance(nn.Linear(128, 3))
    >>> _ = observer(paddle.ones([128, 3]))
    >>> observer.scales().shape
    [2, 3]
    """

    def __init__(self, quant_bits: int = 8, group_size: int = 128) -> None:
        super().__init__(quant_bits=quant_bits, group_size=group_size)

    def _get_class(self) -> Any:
        return GroupWiseWeightObserverLayer


class GroupWiseWeightObserverLayer(CalibratedObserver):
    """The observer of `GroupWiseWeightObserver`."""

    def __init__(self, layer: Any, quant_bits: int = 8, group_size: int = 128) -> None:
        super().__init__(layer, quant_bits)
        if group_size not in GROUP_SIZES:
            raise OpError(
                append_user_line(
                    f"GroupWiseWeightObserver: group_size={group_size} is none of "
                    f"{list(GROUP_SIZES)}"
                )
            )
        shape = layer.weight.shape
        if len(shape) != 2 or shape[0] % group_size:
            raise UnsupportedLayerError(
                f"GroupWiseWeightObserver: the weight is not a matrix with a multiple of "
                f"{group_size} rows (weight={layer.weight.meta})"
            )
        self.group_size = group_size
        self._max: Any = None

    def _observe(self, values: Any) -> None:
        rows, columns = values.shape
        groups = values.reshape(rows // self.group_size, self.group_size, columns)
        self._max = groups.max(axis=1)

    def _compute_scale(self) -> Any:
        return self._max
