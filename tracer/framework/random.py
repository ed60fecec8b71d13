"""The state of random numbers, under the name that Paddle has for the module."""

from ..core.compat import get_cuda_rng_state, set_cuda_rng_state
from ..core.rng import get_rng_state, seed, set_rng_state

__all__ = ["get_cuda_rng_state", "get_rng_state", "seed", "set_cuda_rng_state", "set_rng_state"]
