"""What fleet is told: the settings that matter here, and that others are off."""

from __future__ import annotations

from typing import Any

from ...core.errors import OarlockError, with_user_line

# What Paddle's strategies can switch on and data parallelism does not have.
_OFF = (
    "amp",
    "recompute",
    "sharding",
    "pipeline",
    "tensor_parallel",
    "localsgd",
    "adaptive_localsgd",
    "dgc",
    "gradient_merge",
    "lars",
    "lamb",
    "a_sync",
    "elastic",
    "auto",
    "semi_auto",
    "fp16_allreduce",
    "heter_ccl_mode",
    "asp",
    "qat",
)


class DistributedStrategy:
    """Settings of data-parallel training, named as in Paddle.

    find_unused_parameters, fuse_grad_size_in_MB, last_comm_group_size_MB: those of DataParallel;
    other settings of numbers and names
    are kept and have no effect.
    Raises OarlockError where one is switched on that Oarlock has not.
    """

    def __init__(self) -> None:
        self.find_unused_parameters = False
        self.fuse_grad_size_in_MB = 32.0
        self.last_comm_group_size_MB = 1.0
        self.fuse_all_reduce_ops = self.sync_batch_norm = False
        self.hybrid_configs: dict[str, Any] = {}
        for name in _OFF:
            self.__dict__[name] = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OFF and value:
            raise OarlockError(
                with_user_line(
                    f"fleet: {name} is not there; data is shared among ranks, and nothing else"
                )
            )
        if name == "hybrid_configs":
            split = {
                k: v
                for k, v in value.items()
                if k.endswith("_degree") and k != "dp_degree" and v not in (1, -1)
            }
            if split:
                raise OarlockError(
                    with_user_line(
                        f"fleet: {split} is not there; data is shared among ranks, and nothing else"
                    )
                )
        super().__setattr__(name, value)


class PaddleCloudRoleMaker:
    """Roles as the environment says.   is_collective: every process trains"""

    def __init__(self, is_collective: bool = False, **kwargs: Any) -> None:
        self._is_collective = is_collective


UserDefinedRoleMaker = PaddleCloudRoleMaker
