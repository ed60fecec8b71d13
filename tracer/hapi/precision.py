"""What `amp_configs` of Model.prepare asks for: mixed precision in the steps of a Model."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..amp import GradScaler, auto_cast, decorate
from ..core.errors import OpError
from ..core.tensor import Tensor
from ..nn import ClipGradByGlobalNorm, ClipGradByNorm

LEVELS = ("O0", "O1", "O2")
LISTS = ("custom_white_list", "custom_black_list")
OF_SCALER = (
    "init_loss_scaling",
    "incr_ratio",
    "decr_ratio",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "use_dynamic_loss_scaling",
)


class Precision:
    """Mixed precision at a level of auto_cast, in float16, with loss scaling; level O0: none.

    configs: a level or a dict
    """

    def __init__(self, configs: Any = None) -> None:
        given: dict[str, Any] = (
            {"level": configs} if isinstance(configs, str) else dict(configs or {"level": "O0"})
        )
        self.level = given.pop("level", "O1")
        if self.level not in LEVELS:
            raise OpError(
                f"Model.prepare: the level {self.level!r} of amp_configs is not one of "
                f"{', '.join(LEVELS)}"
            )
        unknown = given.keys() - {*LISTS, *OF_SCALER}
        if unknown:
            raise OpError(
                f"Model.prepare: amp_configs has {sorted(unknown)}; known are "
                f"{sorted({*LISTS, *OF_SCALER})}"
            )
        self._lists = {name: given[name] for name in LISTS if name in given}
        settings = {name: given[name] for name in OF_SCALER if name in given}
        self._scaler = GradScaler(enable=self.level != "O0", **settings)

    def prepare(self, network: Any, optimizer: Any) -> None:
        """At O2, parameters in float16 and an optimizer that keeps float32 copies."""
        if self.level != "O2" or optimizer is None:
            return
        clip = optimizer._grad_clip
        if clip is not None and not isinstance(clip, ClipGradByGlobalNorm | ClipGradByNorm):
            raise OpError(
                f"Model.prepare: with level O2 gradients are clipped by norm, not by "
                f"{type(clip).__name__}"
            )
        decorate(network, optimizer, level="O2")

    def casting(self, training: bool) -> AbstractContextManager[None]:
        """What the network is to be called in: at O1 only training is mixed, as in Paddle."""
        if self.level == "O0" or (self.level == "O1" and not training):
            return nullcontext()
        return auto_cast(level=self.level, **self._lists)

    def backward(self, loss: Tensor) -> None:
        """The gradients of a loss, scaled."""
        self._scaler.scale(loss).backward()

    def step(self, optimizer: Any) -> None:
        """A step of the optimizer, left out where a gradient is not finite."""
        self._scaler.step(optimizer)
        self._scaler.update()
