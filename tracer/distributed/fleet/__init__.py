"""Data-parallel training with fleet's API: `init`, `distributed_model`, `distributed_optimizer`."""

from __future__ import annotations

from typing import Any

from ...core.communicator import process_groups
from ...core.errors import OarlockError, append_user_line
from ..collective import barrier
from ..environment import ParallelEnv
from ..parallel import DataParallel
from ..process_group import init_parallel_env
from . import meta_parallel, utils
from .strategy_and_role_makers import (
    DistributedStrategy,
    PaddleCloudRoleMaker,
    UserDefinedRoleMaker,
)

__all__ = [
    "DistributedStrategy",
    "Fleet",
    "PaddleCloudRoleMaker",
    "UserDefinedRoleMaker",
    "barrier_worker",
    "distributed_model",
    "distributed_optimizer",
    "distributed_scaler",
    "get_hybrid_communicate_group",
    "init",
    "is_first_worker",
    "is_server",
    "is_worker",
    "local_rank",
    "meta_parallel",
    "node_num",
    "nranks",
    "rank",
    "server_num",
    "stop_worker",
    "utils",
    "worker_endpoints",
    "worker_index",
    "worker_num",
    "world_size",
]


class Fleet:
    """Stands for Paddle's class of the same name in isinstance checks; it has no instances."""


_state: dict[str, DistributedStrategy] = {}


def init(
    role_maker: Any = None,
    is_collective: bool = False,
    strategy: Any = None,
    log_level: Any = "INFO",
) -> None:
    """Connect to the other processes of the job.

    is_collective: must be True, because Oarlock has no parameter servers
    """
    if not is_collective and not getattr(role_maker, "_is_collective", False):
        raise OarlockError(
            append_user_line(
                "fleet.init: parameter servers are not supported; pass is_collective=True"
            )
        )
    _state["strategy"] = strategy if strategy is not None else DistributedStrategy()
    init_parallel_env()


def distributed_model(model: Any) -> Any:
    """Wrap `model` in a DataParallel with the strategy that was passed to `init`. If there is only
    one rank, return `model`.
    """
    strategy = _require_strategy("distributed_model")
    if process_groups.global_communicator.size == 1:
        return model
    return DataParallel(
        model,
        comm_buffer_size=strategy.fuse_grad_size_in_MB,
        last_comm_buffer_size=strategy.last_comm_group_size_MB,
        find_unused_parameters=strategy.find_unused_parameters,
    )


def distributed_optimizer(optimizer: Any, strategy: Any = None) -> Any:
    """Return `optimizer` itself, because DataParallel already averages the gradients."""
    if strategy is not None:
        _state["strategy"] = strategy
    _require_strategy("distributed_optimizer")
    return optimizer


def distributed_scaler(scaler: Any) -> Any:
    """Return `scaler` itself: after averaging, gradients overflow on all ranks or on none, so the
    ranks agree on skipped steps.
    """
    return scaler


def _require_strategy(function: str) -> DistributedStrategy:
    if "strategy" not in _state:
        raise OarlockError(
            append_user_line(f"fleet.{function}: call fleet.init(is_collective=True) first")
        )
    return _state["strategy"]


def get_hybrid_communicate_group() -> Any:
    """Raise OarlockError: hybrid parallelism is not supported.

    Model libraries conclude from the error that the model is not split over ranks.
    """
    raise OarlockError(
        append_user_line("fleet.get_hybrid_communicate_group: only data parallelism is supported")
    )


def worker_index() -> int:
    """Return the rank of this process."""
    return ParallelEnv().rank


def worker_num() -> int:
    """Return the number of processes."""
    return ParallelEnv().world_size


rank, nranks, world_size, local_rank = worker_index, worker_num, worker_num, worker_index


def node_num() -> int:
    """Return the number of machines in the launcher's list of addresses."""
    return len({endpoint.rpartition(":")[0] for endpoint in ParallelEnv().trainer_endpoints})


def worker_endpoints(to_string: bool = False) -> Any:
    """Return the addresses of all processes as a list, or as a comma-separated string."""
    endpoints = ParallelEnv().trainer_endpoints
    return ",".join(endpoints) if to_string else endpoints


def is_first_worker() -> bool:
    """Return whether this process is rank 0."""
    return worker_index() == 0


def is_worker() -> bool:
    """Return True: every process is a worker."""
    return True


def is_server() -> bool:
    """Return False, because Oarlock has no parameter servers."""
    return False


def server_num() -> int:
    """Return 0, because Oarlock has no parameter servers."""
    return 0


def barrier_worker() -> None:
    """Wait for all workers."""
    barrier()


def stop_worker() -> None:
    """Accepted without effect: a job ends when its processes end."""
