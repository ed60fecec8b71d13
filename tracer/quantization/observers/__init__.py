"""Observers: layers that determine scales from calibration data."""

from .abs_max import AbsmaxObserver, AVGObserver, MovingAverageAbsmaxObserver
from .groupwise import GroupWiseWeightObserver
from .histogram import HistObserver, KLObserver
from .per_channel import AbsMaxChannelWiseWeightObserver

__all__ = [
    "AVGObserver",
    "AbsMaxChannelWiseWeightObserver",
    "AbsmaxObserver",
    "GroupWiseWeightObserver",
    "HistObserver",
    "KLObserver",
    "MovingAverageAbsmaxObserver",
]
