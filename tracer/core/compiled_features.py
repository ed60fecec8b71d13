"""Functions that return the features of this build of Oarlock. User programs call these functions
before they choose a device.
"""

from __future__ import annotations

import importlib.util
import sys


def is_compiled_with_cuda() -> bool:
    """Whether eager ops can run on GPUs: CuPy is installed. `oarlock doctor` lists the devices for
    saved models.
    """
    return sys.modules.get("cupy") is not None or importlib.util.find_spec("cupy") is not None


def is_compiled_with_rocm() -> bool:
    """Return False: Oarlock does not support AMD GPUs (ROCm)."""
    return False


def is_compiled_with_xpu() -> bool:
    """Return False: Oarlock does not support XPUs."""
    return False


def is_compiled_with_ipu() -> bool:
    """Return False: Oarlock does not support IPUs."""
    return False


def is_compiled_with_cinn() -> bool:
    """Return False: Oarlock does not use the compiler CINN."""
    return False


def is_compiled_with_distribute() -> bool:
    """Return False: ops are not compiled with Paddle's distributed runtime."""
    return False


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Return False: Oarlock supports no plug-in devices."""
    return False


def get_cudnn_version() -> int | None:
    """Return None: Oarlock does not use cuDNN."""
    return None
