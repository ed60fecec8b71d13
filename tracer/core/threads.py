"""Set the number of threads of NumPy's linear algebra and of the compiled kernels.

NumPy: one thread unless the user sets another number, as in Paddle. Small products in eager
training gain little from threads, and BLAS threads wait busily, which slows other processes down by
up to a factor of ten. Compiled kernels: OARLOCK_NUM_THREADS, else OMP_NUM_THREADS, else the number
of processors; their threads sleep when idle.
"""

from __future__ import annotations

import os

from threadpoolctl import ThreadpoolController

from .native import compiled_function_or_placeholder

THREAD_COUNT_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def set_num_threads(count: int) -> None:
    """Set the number of threads of NumPy's linear algebra and of the compiled kernels in this
    process.
    """
    compiled_function_or_placeholder("set_thread_count")(count)
    _set_blas_threads(count)


def _set_blas_threads(count: int) -> None:
    for library in ThreadpoolController().select(user_api="blas").lib_controllers:
        library.set_num_threads(count)


def limit_blas_to_one_thread_by_default() -> None:
    """Make NumPy's linear algebra (BLAS) use one thread, unless an environment variable sets a
    number of threads.
    """
    if not any(name in os.environ for name in THREAD_COUNT_VARIABLES):
        _set_blas_threads(1)
