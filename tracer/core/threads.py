"""How many threads NumPy's linear algebra and the compiled kernels use.

NumPy: one, unless the user says otherwise, as in Paddle.  On the small products of eager training
more threads gain little, and where other processes want the cores as well their busy waiting costs
a factor of ten and more. Compiled kernels, whose threads soon sleep: OARLOCK_NUM_THREADS, or
OMP_NUM_THREADS, or as many as there are processors to use.
"""

from __future__ import annotations

import os

from threadpoolctl import ThreadpoolController

from .native import kernel

VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def set_num_threads(count: int) -> None:
    """Let NumPy's linear algebra, and each compiled kernel, use `count` threads, in all of this
    process.
    """
    kernel("set_thread_count")(count)
    _set_blas_threads(count)


def _set_blas_threads(count: int) -> None:
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(count)


def set_default() -> None:
    """One thread, unless an environment variable says otherwise.

    Compiled kernels have a default of their own.
    """
    if not any(name in os.environ for name in VARIABLES):
        _set_blas_threads(1)
