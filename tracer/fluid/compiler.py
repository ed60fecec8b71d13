"""Compiled programs: `fluid.CompiledProgram` and `fluid.ParallelExecutor`, on one device."""

from __future__ import annotations

from typing import Any, Self

from ..static import BuildStrategy, ExecutionStrategy, Executor, default_main_program
from ..static import CompiledProgram as _CompiledProgram
from .deprecated import warn_deprecated_on_first_use

__all__ = ["BuildStrategy", "CompiledProgram", "ExecutionStrategy", "ParallelExecutor"]


class CompiledProgram(_CompiledProgram):
    """A program with a build strategy, which has no effect; `Executor.run` accepts it in place of
    the program.

    The newer name is `paddle.static.CompiledProgram`.
    """

    def with_data_parallel(
        self,
        loss_name: str | None = None,
        build_strategy: Any = None,
        exec_strategy: Any = None,
        share_vars_from: Any = None,
        places: Any = None,
    ) -> Self:
        """Return self: programs run on one device, which gets the whole batch."""
        return self

    def with_inference_optimize(self, config: Any) -> Self:
        """Return self."""
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "program":
            raise AttributeError(name)
        return getattr(self.program, name)


@warn_deprecated_on_first_use("fluid.ParallelExecutor", "paddle.static.CompiledProgram")
class ParallelExecutor:
    """Runs a program on one device, with the API of Paddle's multi-device executor."""

    def __init__(
        self,
        use_cuda: bool,
        loss_name: str | None = None,
        main_program: Any = None,
        share_vars_from: Any = None,
        exec_strategy: Any = None,
        build_strategy: Any = None,
        num_trainers: int = 1,
        trainer_id: int = 0,
        scope: Any = None,
    ) -> None:
        self._program = default_main_program() if main_program is None else main_program
        self._scope, self._executor = scope, Executor()

    @property
    def device_count(self) -> int:
        """The number of devices, which is 1."""
        return 1

    def run(
        self, fetch_list: Any, feed: Any = None, feed_dict: Any = None, return_numpy: bool = True
    ) -> list[Any]:
        """Run the program and return the values of fetch_list. feed: a dict, or a list of one
        dict.
        """
        feed = feed if feed is not None else feed_dict
        return self._executor.run(
            self._program, feed, fetch_list, scope=self._scope, return_numpy=return_numpy
        )

    def drop_local_exe_scopes(self) -> None:
        """Do nothing, because one device needs no local scopes."""
