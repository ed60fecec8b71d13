"""`fleet.DistributedStrategy`: settings of data parallelism; unsupported settings must stay off.
`PaddleCloudRoleMaker` and `UserDefinedRoleMaker`: the rank of this process.
"""

from __future__ import annotations

from typing import Any

from ...core.errors import OarlockError, append_user_line

# Switches of Paddle's strategies that Oarlock does not support.
_UNSUPPORTED = (
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

    find_unused_parameters, fuse_grad_size_in_MB, last_comm_group_size_MB: options of DataParallel.
    Other settings are stored and have no effect. Setting an unsupported switch to a true value
    raises OarlockError.
    """

    def __init__(self) -> None:
        self.find_unused_parameters = False
        self.fuse_grad_size_in_MB = 32.0
        self.last_comm_group_size_MB = 1.0
        self.fuse_all_reduce_ops = self.sync_batch_norm = False
        self.hybrid_configs: dict[str, Any] = {}
        for name in _UNSUPPORTED:
            self.__dict__[name] = False

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _UNSUPPORTED and value:
            raise OarlockError(
                append_user_line(
                    f"fleet: {name} is not supported; only data parallelism is available"
                )
            )
        if name == "hybrid_configs":
            degrees = {
                k: v
                for k, v in value.items()
                if k.endswith("_degree") and k != "dp_degree" and v not in (1, -1)
            }
            if degrees:
                raise OarlockError(
                    append_user_line(
                        f"fleet: hybrid_configs={degrees} is not supported; only data parallelism "
                        f"is available"
                    )
                )
        super().__setattr__(name, value)


class PaddleCloudRoleMaker:
    """Stands for Paddle's class, which states the role of this process in a job. is_collective:
    every process trains
    """

    def __init__(self, is_collective: bool = False, **kwargs: Any) -> None:
        self._is_collective = is_collective


UserDefinedRoleMaker = PaddleCloudRoleMaker
