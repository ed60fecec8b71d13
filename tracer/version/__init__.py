"""The version that `oarlock.__version__` says, in parts; under `oarlock.compat` that of the Paddle
which is stood in for.
"""

from __future__ import annotations

import re
from typing import Any

from ..core.version import VERSION

istaged = True
commit = "oarlock"
with_mkl = "OFF"
__all__ = ["cinn", "cuda", "cudnn", "show", "xpu", "xpu_xccl"]

said = VERSION  # replaced while another is stood in for


def __getattr__(name: str) -> Any:
    major, minor, patch = (re.findall(r"\d+", said) + ["0", "0"])[:3]
    parts = {"full_version": said, "major": major, "minor": minor, "patch": patch, "rc": "0"}
    if name not in parts:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return parts[name]


def cuda() -> str:
    """The version of CUDA that ops run with: 'False', none."""
    return "False"


def cudnn() -> str:
    """Likewise of cuDNN."""
    return "False"


def xpu() -> str:
    """Likewise of Kunlun's library."""
    return "False"


def xpu_xccl() -> str:
    """Likewise of Kunlun's library of communication."""
    return "False"


def cinn() -> str:
    """Likewise of the compiler CINN."""
    return "False"


def show() -> None:
    """Print all of this."""
    for name in ("full_version", "major", "minor", "patch", "rc"):
        print(f"{name}: {__getattr__(name)}")
    for function in (cuda, cudnn, xpu, xpu_xccl, cinn):
        print(f"{function.__name__}: {function()}")
