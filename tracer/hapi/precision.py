"""Mixed precision of a Model (`amp_configs` of Model.prepare)."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..amp import GradScaler, auto_cast, decorate
from ..core.errors import OpError, append_user_line
from ..core.tensor import Tensor
from ..nn import ClipGradByGlobalNorm, ClipGradByNorm

LEVELS = ("O0", "O1", "O2")
LISTS = ("custom_white_list", "custom_black_list")
SCALER_OPTIONS = (
    "init_loss_scaling",
    "incr_ratio",
    "decr_ratio",
    "incr_every_n_steps",
    "decr_every_n_nan_or_inf",
    "use_dynamic_loss_scaling",
)


class Precision:
    """Mixed precision in float16 with loss scaling, at a level of auto_cast; level O0 disables it.

    configs: a level or a dict
    """

    def __init__(self, configs: Any = None) -> None:
        options: dict[str, Any] = (
            {"level": configs} if isinstance(configs, str) else dict(configs or {"level": "O0"})
        )
        self.level = options.pop("level", "O1")
        if self.level not in LEVELS:
            raise OpError(
                append_user_line(
                    f"Model.prepare: the level {self.level!r} of amp_configs is not one of "
                    f"{', '.join(LEVELS)}"
                )
            )
        unknown = options.keys() - {*LISTS, *SCALER_OPTIONS}
        if unknown:
            raise OpError(
                append_user_line(
                    f"Model.prepare: amp_configs has unknown keys {sorted(unknown)}; supported are "
                    f"{sorted({*LISTS, *SCALER_OPTIONS})}"
                )
            )
        self._lists = {name: options[name] for name in LISTS if name in options}
        scaler_options = {name: options[name] for name in SCALER_OPTIONS if name in options}
        self._scaler = GradScaler(enable=self.level != "O0", **scaler_options)

    def prepare(self, network: Any, optimizer: Any) -> None:
        """For level O2, cast the parameters to float16 and let the optimizer hold float32
        copies.
        """
        if self.level != "O2" or optimizer is None:
            return
        clip = optimizer._grad_clip
        if clip is not None and not isinstance(clip, ClipGradByGlobalNorm | ClipGradByNorm):
            raise OpError(
                append_user_line(
                    f"Model.prepare: level O2 supports gradient clipping by norm only, not "
                    f"{type(clip).__name__}"
                )
            )
        decorate(network, optimizer, level="O2")

    def autocast_context(self, training: bool) -> AbstractContextManager[None]:
        """Return the context manager in which a call of the network runs. At level O1 only training
        uses mixed precision, as in Paddle.
        """
        if self.level == "O0" or (self.level == "O1" and not training):
            return nullcontext()
        return auto_cast(level=self.level, **self._lists)

    def backward(self, loss: Tensor) -> None:
        """Compute the gradients of the scaled loss."""
        self._scaler.scale(loss).backward()

    def step(self, optimizer: Any) -> None:
        """Run an optimizer step; skip it if a gradient is not finite."""
        self._scaler.step(optimizer)
        self._scaler.update()
