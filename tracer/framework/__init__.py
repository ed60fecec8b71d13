"""What Paddle calls its framework: saving and loading of state, and a few names that are elsewhere as well."""

from ..core.dtype import get_default_dtype, set_default_dtype
from ..core.place import CPUPlace, CUDAPinnedPlace, CUDAPlace
from ..nn.param_attr import ParamAttr

__all__ = ["CPUPlace", "CUDAPinnedPlace", "CUDAPlace", "ParamAttr", "get_default_dtype", "set_default_dtype"]
