"""Programs with strategies: fluid.CompiledProgram and ParallelExecutor, on one device."""

from __future__ import annotations

from typing import Any, Self

from ..static import BuildStrategy, ExecutionStrategy, Executor, default_main_program
from ..static import CompiledProgram as _CompiledProgram
from .deprecated import instead

__all__ = ["BuildStrategy", "CompiledProgram", "ExecutionStrategy", "ParallelExecutor"]


class CompiledProgram(_CompiledProgram):
    """A program with a strategy; an Executor runs it as it runs the program."""

    def with_data_parallel(
        self,
        loss_name: str | None = None,
        build_strategy: Any = None,
        exec_strategy: Any = None,
        share_vars_from: Any = None,
        places: Any = None,
    ) -> Self:
        """Itself: there is one device, which gets all of every batch."""
        return self

    def with_inference_optimize(self, config: Any) -> Self:
        """Itself."""
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "program":
            raise AttributeError(name)
        return getattr(self.program, name)


@instead("fluid.ParallelExecutor", "paddle.static.CompiledProgram")
class ParallelExecutor:
    """Runs a program on all devices, which is one."""

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
        """One."""
        return 1

    def run(
        self, fetch_list: Any, feed: Any = None, feed_dict: Any = None, return_numpy: bool = True
    ) -> list[Any]:
        """What fetch_list names after a run; feed: a dict, or a list of one.   See Executor.run"""
        given = feed if feed is not None else feed_dict
        return self._executor.run(
            self._program, given, fetch_list, scope=self._scope, return_numpy=return_numpy
        )

    def drop_local_exe_scopes(self) -> None:
        """Nothing: there are none."""
