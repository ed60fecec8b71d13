"""Mixed precision in static graph programs: `fluid.contrib.mixed_precision`."""

from __future__ import annotations

from typing import Any

from ...static.amp.decorate import OptimizerWithMixedPrecision
from ...static.amp.lists import AutoMixedPrecisionLists as _Lists
from ..deprecated import warn_deprecated_on_first_use

__all__ = ["AutoMixedPrecisionLists", "decorate"]


class AutoMixedPrecisionLists(_Lists):
    """The ops that run in half precision and in float32, as
    `static.amp.AutoMixedPrecisionLists`.

    Paddle 2 has the lists of paddle.amp.auto_cast instead.
    """

    def __init__(
        self,
        custom_white_list: Any = None,
        custom_black_list: Any = None,
        custom_black_varnames: Any = None,
    ) -> None:
        super().__init__(custom_white_list, custom_black_list, custom_black_varnames)


@warn_deprecated_on_first_use(
    "fluid.contrib.mixed_precision.decorate", "paddle.static.amp.decorate"
)
def decorate(
    optimizer: Any,
    amp_lists: Any = None,
    init_loss_scaling: float = 2**15,
    incr_every_n_steps: int = 1000,
    decr_every_n_nan_or_inf: int = 2,
    incr_ratio: float = 2.0,
    decr_ratio: float = 0.8,
    use_dynamic_loss_scaling: bool = True,
) -> OptimizerWithMixedPrecision:
    """Wrap an optimizer so that it trains in float16 with loss scaling, like
    `static.amp.decorate`.
    """
    return OptimizerWithMixedPrecision(
        optimizer,
        amp_lists or AutoMixedPrecisionLists(),
        "O1",
        "float16",
        init_loss_scaling,
        use_dynamic_loss_scaling,
        incr_every_n_steps,
        decr_every_n_nan_or_inf,
        incr_ratio,
        decr_ratio,
    )
