"""How many threads NumPy's linear algebra uses.

One, unless the user says otherwise: as in Paddle.  On the small products of eager training more threads gain little, and where
other processes want the cores as well their busy waiting costs a factor of ten and more.
"""

from __future__ import annotations

import os

from threadpoolctl import ThreadpoolController

VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def set_num_threads(count: int) -> None:
    """Let NumPy's linear algebra use `count` threads, in all of this process."""
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(count)


def set_default() -> None:
    """One thread, unless an environment variable says otherwise."""
    if not any(name in os.environ for name in VARIABLES):
        set_num_threads(1)
