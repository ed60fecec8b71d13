"""Paddle's folder for what is new: the names that Oarlock has under their final place as well, and further optimizers."""

from importlib import import_module as _import_module
from typing import Any as _Any

from . import autograd

# What stands above programs and layers: imported when it is asked for.   Name -> module
_LATER = {
    "optimizer": ".optimizer",
    "operators": ".operators",
    "LookAhead": ".optimizer",
    "ModelAverage": ".optimizer",
    **dict.fromkeys(
        (
            "graph_send_recv",
            "identity_loss",
            "segment_max",
            "segment_mean",
            "segment_min",
            "segment_sum",
            "softmax_mask_fuse",
            "softmax_mask_fuse_upper_triangle",
        ),
        ".operators",
    ),
}


def __getattr__(name: str) -> _Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = _import_module(_LATER[name], __name__)
    return module if _LATER[name] == f".{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = ["autograd", *_LATER]
