"""Paddle's folder for what is new: the names that Oarlock has under their final place as well, and
further optimizers.
"""

from ..core.lazy_import import lazy_attributes as _later
from . import autograd

# Packages above programs and layers: imported at first use.   Name -> module
_LATER = {
    "autotune": ".autotune",
    "optimizer": ".optimizer",
    "nn": ".nn",
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


__getattr__ = _later(globals(), _LATER)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})


__all__ = ["autograd", *_LATER]
