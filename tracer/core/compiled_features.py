"""Functions that return the features of this build of Oarlock. User programs call these functions
before they choose a device.
"""

from __future__ import annotations

import importlib.util
import sys


def is_compiled_with_cuda() -> bool:
    """Whether eager ops can run on GPUs: CuPy is installed.

    `oarlock doctor` lists the devices for saved models.

    Returns
    -------
    bool

    Examples
    --------
    >>> device = "gpu" if paddle.is_compiled_with_cuda() else "cpu"
    """
    return sys.modules.get("cupy") is not None or importlib.util.find_spec("cupy") is not None


def is_compiled_with_rocm() -> bool:
    """Return False: Oarlock does not support AMD GPUs (ROCm).

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.is_compiled_with_rocm()
    False
    """
    return False


def is_compiled_with_xpu() -> bool:
    """Return False: Oarlock does not support XPUs.

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.is_compiled_with_xpu()
    False
    """
    return False


def is_compiled_with_ipu() -> bool:
    """Return False: Oarlock does not support IPUs.

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.device.is_compiled_with_ipu()
    False
    """
    return False


def is_compiled_with_cinn() -> bool:
    """Return False: Oarlock does not use the compiler CINN.

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.is_compiled_with_cinn()
    False
    """
    return False


def is_compiled_with_distribute() -> bool:
    """Return False: ops are not compiled with Paddle's distributed runtime.

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.device.is_compiled_with_distribute()
    False
    """
    return False


def is_compiled_with_custom_device(device_type: str) -> bool:
    """Return False: Oarlock supports no plug-in devices.

    Parameters
    ----------
    device_type : str
        The type of the plug-in device, such as "npu".

    Returns
    -------
    bool

    Examples
    --------
    >>> paddle.device.is_compiled_with_custom_device("npu")
    False
    """
    return False


def get_cudnn_version() -> int | None:
    """Return None: Oarlock does not use cuDNN.

    Returns
    -------
    None
        Paddle returns an int, such as 8600, if it uses cuDNN.

    Examples
    --------
    >>> paddle.device.get_cudnn_version() is None
    True
    """
    return None
