"""What this was built with, as programs ask before they choose a device."""

from __future__ import annotations

import importlib.util
import sys


def is_compiled_with_cuda() -> bool:
    """Whether eager ops can run on GPUs: CuPy is installed.

    What a saved model can run on says `oarlock doctor`.
    """
    return sys.modules.get("cupy") is not None or importlib.util.find_spec("cupy") is not None


def is_compiled_with_rocm() -> bool:
    """Likewise for GPUs of AMD."""
    return False


def is_compiled_with_xpu() -> bool:
    """Likewise for processors of Kunlun."""
    return False


def is_compiled_with_ipu() -> bool:
    """Likewise for processors of Graphcore."""
    return False


def is_compiled_with_cinn() -> bool:
    """Whether Paddle's compiler CINN is here: no."""
    return False


def is_compiled_with_distribute() -> bool:
    """Whether several processes can train one model: no."""
    return False


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Whether ops run on a device that a plug-in brings: no."""
    return False


def get_cudnn_version() -> int | None:
    """The version of cuDNN; None, as there is none."""
    return None
