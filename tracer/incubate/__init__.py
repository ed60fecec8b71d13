"""The names of `paddle.incubate`: aliases of functions that other modules define, and further
optimizers.
"""

from ..core.lazy_import import make_lazy_getattr as _lazy_attributes
from . import autograd

# Attribute -> module that defines it. The modules are imported at first use, because they import
# higher packages.
_LAZY_NAMES = {
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


__getattr__ = _lazy_attributes(globals(), _LAZY_NAMES)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY_NAMES})


__all__ = ["autograd", *_LAZY_NAMES]
