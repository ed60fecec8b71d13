"""`paddle.framework.random`: state of the random number generators."""

from ..core.rng import get_rng_state, seed, set_rng_state
from ..core.top_level_functions import get_cuda_rng_state, set_cuda_rng_state
from ..static import default_main_program, default_startup_program

__all__ = ["get_cuda_rng_state", "get_rng_state", "seed", "set_cuda_rng_state", "set_rng_state"]


def _manual_program_seed(seed: int) -> None:
    """Set `random_seed` of the default main and startup program. Test suites of Paddle 2.0 - 2.4
    call this function before each test case.
    """
    default_main_program().random_seed = default_startup_program().random_seed = seed
