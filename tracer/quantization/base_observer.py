"""BaseObserver."""

from __future__ import annotations

import abc
from typing import Any

from .base_quanter import BaseQuanter


class BaseObserver(BaseQuanter, metaclass=abc.ABCMeta):
    """Base of layers that collect statistics of a tensor and derive scales from them."""

    def __init__(self) -> None:
        super().__init__()

    @abc.abstractmethod
    def cal_thresholds(self) -> Any:
        """Compute the scales from the values seen so far."""
