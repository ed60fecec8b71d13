"""What the functions of fluid.layers share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...core.mode import state
from ...core.op import OPS
from ...ir.passes.legalize_scalars import may_reduce_to_scalar
from ...static.graph.mode import Writing
from ..deprecated import instead

F = TypeVar("F", bound=Callable[..., Any])


def one(x: Any) -> Any:
    """A result without axes as one of shape [1], as it was before Paddle 2.5.

    In programs it is declared so, as in those of Paddle 1.x: whoever runs it gives it its axis.
    """
    if x.meta.shape:
        return x
    mode = state.mode
    if isinstance(mode, Writing):
        last = mode.recorder.block.ops[-1]
        if last.outputs.get("Out") == [x.name] and may_reduce_to_scalar(last.type, last.attrs):
            x.raw.shape = (1,)
            return x
    return OPS["reshape2"](x, shape=[1])


def today(new: str) -> Callable[[F], F]:
    """Decorate a layer: its first use says what Paddle 2 calls it.

    new: `paddle.nn.functional.relu`
    """
    return lambda function: instead(f"fluid.layers.{function.__name__}", new)(function)


def into(made: Any, target: Any) -> Any:
    """Let a variable hold what an op gave, where there is one; gives it.

    In a program the op writes it, in loops and branches too.
    """
    if target is None:
        return made
    mode = state.mode
    if isinstance(mode, Writing):
        # of `create_tensor`, which does not know
        if not target.raw.shape and not target.persistable:
            target.raw.shape, target.raw.dtype = made.raw.shape, made.raw.dtype
        mode.write(made, target)
        mode.recorder.aliases.written(target)
    else:
        mode.assign_inplace(target, made)
    return target


def stopped(x: Any) -> Any:
    """A result that no gradient flows through."""
    x.stop_gradient = True
    return x


def listed(value: Any) -> list[Any]:
    """One or several, as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]
