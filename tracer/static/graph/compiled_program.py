"""CompiledProgram and its strategies, which are accepted for compatibility and have no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ...core.errors import OperandError, append_user_line
from .program import Program


class _IgnoredSettings:
    """Base of Paddle's strategy classes: attributes with Paddle's names. Any value may be assigned
    to these attributes without effect.
    """

    def __init__(self) -> None:
        self.__dict__.update(
            {
                k: v
                for c in reversed(type(self).__mro__)
                for k, v in getattr(c, "SETTINGS", {}).items()
            }
        )

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...
        def __setattr__(self, name: str, value: Any) -> None: ...

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items())})"


class BuildStrategy(_IgnoredSettings):
    """Settings of Paddle's graph passes, which have no effect in Oarlock.

    The attributes have Paddle's names and defaults; any value may be assigned.

    Examples
    --------
    >>> strategy = paddle.static.BuildStrategy()
    >>> strategy.fuse_bn_act_ops = True
    >>> net = paddle.jit.to_static(nn.Linear(2, 3), build_strategy=strategy)
    """

    class ReduceStrategy:
        """Names of the ways in which Paddle reduces the gradients of several devices."""

        AllReduce = 0
        Reduce = 1
        _NoReduce = 2

    class GradientScaleStrategy:
        """Names of the ways in which Paddle scales the gradient of the loss on several devices."""

        CoeffNumDevice = 0
        One = 1
        Customized = 2

    SETTINGS: ClassVar[dict[str, Any]] = {
        "reduce_strategy": ReduceStrategy.AllReduce,
        "gradient_scale_strategy": GradientScaleStrategy.CoeffNumDevice,
        "debug_graphviz_path": "",
        "enable_sequential_execution": False,
        "remove_unnecessary_lock": True,
        "num_trainers": 1,
        "fuse_elewise_add_act_ops": False,
        "fuse_bn_act_ops": False,
        "fuse_bn_add_act_ops": True,
        "fuse_relu_depthwise_conv": False,
        "fuse_broadcast_ops": False,
        "fuse_all_optimizer_ops": False,
        "fuse_all_reduce_ops": False,
        "fuse_gemm_epilogue": False,
        "enable_inplace": False,
        "enable_addto": False,
        "memory_optimize": False,
        "sync_batch_norm": False,
        "build_cinn_pass": False,
        "enable_auto_fusion": False,
        "allow_cuda_graph_capture": False,
    }


class ExecutionStrategy(_IgnoredSettings):
    """Settings of Paddle's executors, which have no effect in Oarlock.

    The attributes have Paddle's names and defaults; any value may be assigned.

    Examples
    --------
    >>> paddle.static.ExecutionStrategy().num_threads
    1
    """

    SETTINGS: ClassVar[dict[str, Any]] = {
        "num_threads": 1,
        "num_iteration_per_drop_scope": 100,
        "num_iteration_per_run": 1,
        "use_thread_barrier": False,
    }


class CompiledProgram:
    """A program with a build strategy; an Executor runs it like the program.

    Parameters
    ----------
    program_or_graph : Program
    build_strategy : BuildStrategy, optional
        No effect.

    Raises
    ------
    OperandError
        If `program_or_graph` is not a Program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     y = 2 * paddle.ones([2])
    >>> compiled = paddle.static.CompiledProgram(main)
    >>> paddle.static.Executor().run(compiled, fetch_list=[y])
    [array([2., 2.], dtype=float32)]
    >>> paddle.disable_static()
    """

    def __init__(
        self, program_or_graph: Program, build_strategy: BuildStrategy | None = None
    ) -> None:
        if not isinstance(program_or_graph, Program):
            kind = type(program_or_graph).__name__
            raise OperandError(append_user_line(f"CompiledProgram: {kind} is not a Program"))
        self.program = self._program = program_or_graph
        self._build_strategy = build_strategy
