"""Data-parallel training by fleet's names: `fleet.init`, `distributed_model`,
`distributed_optimizer`.
"""

from __future__ import annotations

from typing import Any

from ...core.communicator import world
from ...core.errors import OarlockError, with_user_line
from ..collective import barrier
from ..environment import ParallelEnv
from ..parallel import DataParallel
from ..start import init_parallel_env
from . import meta_parallel, utils
from .strategy import DistributedStrategy, PaddleCloudRoleMaker, UserDefinedRoleMaker

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
    """What Paddle's functions of this module are methods of.

    Nothing here is one: optimizers are told from it by isinstance.
    """


_used: dict[str, DistributedStrategy] = {}


def init(
    role_maker: Any = None,
    is_collective: bool = False,
    strategy: Any = None,
    log_level: Any = "INFO",
) -> None:
    """Join the other processes.

    is_collective: anything else is a parameter server, which Oarlock has not.
    """
    if not is_collective and not getattr(role_maker, "_is_collective", False):
        raise OarlockError(
            with_user_line(
                "fleet.init: there are no parameter servers here; give is_collective=True"
            )
        )
    _used["strategy"] = strategy if strategy is not None else DistributedStrategy()
    init_parallel_env()


def distributed_model(model: Any) -> Any:
    """`model` as a DataParallel with the strategy of `init`; itself in a world of one."""
    strategy = _strategy("distributed_model")
    if world.everybody.size == 1:
        return model
    return DataParallel(
        model,
        comm_buffer_size=strategy.fuse_grad_size_in_MB,
        last_comm_buffer_size=strategy.last_comm_group_size_MB,
        find_unused_parameters=strategy.find_unused_parameters,
    )


def distributed_optimizer(optimizer: Any, strategy: Any = None) -> Any:
    """`optimizer`: gradients are the same on all ranks when it sees them."""
    if strategy is not None:
        _used["strategy"] = strategy
    _strategy("distributed_optimizer")
    return optimizer


def distributed_scaler(scaler: Any) -> Any:
    """`scaler`: what overflows on one rank does on all."""
    return scaler


def _strategy(what: str) -> DistributedStrategy:
    if "strategy" not in _used:
        raise OarlockError(
            with_user_line(f"fleet.{what}: call fleet.init(is_collective=True) first")
        )
    return _used["strategy"]


def get_hybrid_communicate_group() -> Any:
    """Refused, OarlockError: there is one group, of all ranks.

    Model libraries take the error for a model that is whole.
    """
    raise OarlockError(
        with_user_line(
            "fleet.get_hybrid_communicate_group: data is shared among ranks, and nothing else"
        )
    )


def worker_index() -> int:
    """The number of this process."""
    return ParallelEnv().rank


def worker_num() -> int:
    """How many processes there are."""
    return ParallelEnv().world_size


rank, nranks, world_size, local_rank = worker_index, worker_num, worker_num, worker_index


def node_num() -> int:
    """How many machines the launcher knows of."""
    return len({endpoint.rpartition(":")[0] for endpoint in ParallelEnv().trainer_endpoints})


def worker_endpoints(to_string: bool = False) -> Any:
    """The addresses of all processes."""
    found = ParallelEnv().trainer_endpoints
    return ",".join(found) if to_string else found


def is_first_worker() -> bool:
    """Whether this is rank 0."""
    return worker_index() == 0


def is_worker() -> bool:
    """Every process is one."""
    return True


def is_server() -> bool:
    """None is."""
    return False


def server_num() -> int:
    """None."""
    return 0


def barrier_worker() -> None:
    """Wait for all."""
    barrier()


def stop_worker() -> None:
    """Nothing: a world ends with its programs."""
