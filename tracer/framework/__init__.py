"""What Paddle calls its framework: saving and loading of state, and a few names that are elsewhere as well."""

from ..core.dtype import get_default_dtype, set_default_dtype
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace

__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "get_default_dtype", "set_default_dtype"]
