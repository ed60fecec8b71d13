"""Helpers of the functions of fluid.layers: results of shape [1], assignment to given variables,
stop_gradient, deprecation warnings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from ...core.mode import state
from ...core.op import OPS
from ...ir.passes.scalar_result_predicates import may_reduce_to_scalar
from ...static.graph.mode import StaticGraphMode
from ..deprecated import warn_deprecated_on_first_use

F = TypeVar("F", bound=Callable[..., Any])


def ensure_at_least_1d(x: Any) -> Any:
    """Convert a 0-D result to shape [1], which it had before Paddle 2.5.

    In programs the shape is only declared, as in Paddle 1.x: the executor adds the axis.
    """
    if x.meta.shape:
        return x
    mode = state.mode
    if isinstance(mode, StaticGraphMode):
        last_op = mode.recorder.block.ops[-1]
        if last_op.outputs.get("Out") == [x.name] and may_reduce_to_scalar(
            last_op.type, last_op.attrs
        ):
            x.raw.shape = (1,)
            return x
    return OPS["reshape2"](x, shape=[1])


def deprecated_layer(new: str) -> Callable[[F], F]:
    """Decorate a function of fluid.layers so that its first use warns and names the replacement.

    new: such as `paddle.nn.functional.relu`
    """
    return lambda function: warn_deprecated_on_first_use(f"fluid.layers.{function.__name__}", new)(
        function
    )


def assign_to(value: Any, target: Any) -> Any:
    """Assign a value to a variable and return the variable; if target is None return the value.

    In a program, the op that computed the value writes the variable, also in sub-blocks.
    """
    if target is None:
        return value
    mode = state.mode
    if isinstance(mode, StaticGraphMode):
        # variables of `create_tensor` have no shape yet
        if not target.raw.shape and not target.persistable:
            target.raw.shape, target.raw.dtype = value.raw.shape, value.raw.dtype
        mode.redirect_last_output_or_assign(value, target)
        mode.recorder.aliases.invalidate_tensor_aliases(target)
    else:
        mode.assign_inplace(target, value)
    return target


def set_stop_gradient(x: Any) -> Any:
    """Set stop_gradient, and return the variable."""
    x.stop_gradient = True
    return x


def to_list(value: Any) -> list[Any]:
    """Return a list with the value, or the items of a list or tuple."""
    return list(value) if isinstance(value, list | tuple) else [value]
