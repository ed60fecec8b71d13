"""Which Paddle a program was written for, where that changes what plain Python shows: before 2.5 no
tensor was without axes.

`oarlock.fluid` sets it: in `dygraph.guard`, between `enable_dygraph` and `disable_dygraph`, and for
programs that it began.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


class Era(threading.local):
    """old: whether Paddle 1.x is spoken, in this thread; dynamic: whether a program of 2.0 - 2.4 is
    run, which asks fluid for its mode.
    """

    old = False
    dynamic = False


era = Era()

# How tensors and variables are printed then; given by oarlock.fluid.
texts: dict[str, Callable[[Any], str]] = {}


@contextmanager
def spoken(old: bool = True) -> Iterator[None]:
    """Speak Paddle 1.x, or not, in the body."""
    before, era.old = era.old, old
    try:
        yield
    finally:
        era.old = before
