"""Transpilers of Paddle 1.x: `fluid.transpiler`."""

from __future__ import annotations

import hashlib
from typing import Any

from ..static import default_main_program
from .unsupported import raise_unsupported

__all__ = [
    "DistributeTranspiler",
    "DistributeTranspilerConfig",
    "HashName",
    "RoundRobin",
    "memory_optimize",
    "release_memory",
]


def memory_optimize(
    input_program: Any,
    skip_opt_set: Any = None,
    print_log: bool = False,
    level: int = 0,
    skip_grads: bool = True,
) -> None:
    """Do nothing, as in 1.8: memory is freed after its last use anyway."""


def release_memory(input_program: Any, skip_opt_set: Any = None) -> None:
    """Do nothing, as release_memory of Paddle 1.8."""


class _ParameterServerDispatcher:
    """Assigns variables to parameter servers."""

    def __init__(self, pserver_endpoints: Any) -> None:
        self._eps, self._step = list(pserver_endpoints), 0

    @property
    def eps(self) -> list[Any]:
        """The endpoints of the servers."""
        return self._eps

    def reset(self) -> None:
        """Let the next call of dispatch start with the first server again."""
        self._step = 0


class RoundRobin(_ParameterServerDispatcher):
    """Assigns variables to the servers in turn."""

    def dispatch(self, varlist: Any) -> list[Any]:
        """Return the server of each variable."""
        start, self._step = self._step, (self._step + len(varlist)) % len(self._eps)
        return [self._eps[(start + i) % len(self._eps)] for i in range(len(varlist))]


class HashName(_ParameterServerDispatcher):
    """Assigns variables by a hash of their names."""

    def dispatch(self, varlist: Any) -> list[Any]:
        """Return the server of each variable."""
        return [
            self._eps[_stable_hash(v if isinstance(v, str) else v.name) % len(self._eps)]
            for v in varlist
        ]


def _stable_hash(name: str) -> int:
    """Return a hash that is the same in every process."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


class DistributeTranspilerConfig:
    """Settings of distributed training, which have no effect."""

    slice_var_up = True
    split_method: Any = None
    min_block_size = 8192
    enable_dc_asgd = False
    mode = "pserver"
    print_log = False
    wait_port = True


class DistributeTranspiler:
    """Returns programs unchanged for one trainer; several trainers are not supported."""

    def __init__(self, config: Any = None) -> None:
        self.config = DistributeTranspilerConfig() if config is None else config
        self._program: Any = None

    def transpile(
        self,
        trainer_id: int,
        program: Any = None,
        pservers: str = "127.0.0.1:6174",
        trainers: Any = 1,
        sync_mode: bool = True,
        startup_program: Any = None,
        current_endpoint: str = "127.0.0.1:6174",
    ) -> None:
        """Store the program. Raises OarlockError for several trainers."""
        count = len(trainers.split(",")) if isinstance(trainers, str) else int(trainers)
        if count > 1:
            raise_unsupported(
                "DistributeTranspiler.transpile", f"{count} trainers, only one process trains"
            )
        self._program = default_main_program() if program is None else program

    def get_trainer_program(self, wait_port: bool = True) -> Any:
        """Return the program."""
        return self._program

    def get_pserver_program(self, endpoint: str) -> Any:
        """Not supported: raises OarlockError."""
        raise_unsupported(
            "DistributeTranspiler.get_pserver_program", "there are no parameter servers"
        )
