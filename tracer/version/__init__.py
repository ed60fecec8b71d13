"""`oarlock.__version__` in parts; while `oarlock.compat` emulates Paddle, the emulated version."""

from __future__ import annotations

import re
from typing import Any

from ..core.version import VERSION

istaged = True
commit = "oarlock"
with_mkl = "OFF"
__all__ = ["cinn", "cuda", "cudnn", "show", "xpu", "xpu_xccl"]

reported_version = VERSION  # replaced while `oarlock.compat` emulates a version of Paddle


def __getattr__(name: str) -> Any:
    major, minor, patch = (re.findall(r"\d+", reported_version) + ["0", "0"])[:3]
    parts = {
        "full_version": reported_version,
        "major": major,
        "minor": minor,
        "patch": patch,
        "rc": "0",
    }
    if name not in parts:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return parts[name]


def cuda() -> str:
    """Return 'False': ops are not compiled with CUDA."""
    return "False"


def cudnn() -> str:
    """Return 'False': ops are not compiled with cuDNN."""
    return "False"


def xpu() -> str:
    """Return 'False': ops are not compiled for XPU."""
    return "False"


def xpu_xccl() -> str:
    """Return 'False': ops are not compiled with XCCL, XPU's library of collectives."""
    return "False"


def cinn() -> str:
    """Return 'False': ops are not compiled with CINN."""
    return "False"


def show() -> None:
    """Print the version and its parts, and 'False' for each library with which Paddle can be
    compiled, because Oarlock uses none of them.
    """
    for name in ("full_version", "major", "minor", "patch", "rc"):
        print(f"{name}: {__getattr__(name)}")
    for function in (cuda, cudnn, xpu, xpu_xccl, cinn):
        print(f"{function.__name__}: {function()}")
