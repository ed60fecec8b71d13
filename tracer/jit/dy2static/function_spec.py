"""The public names of `paddle.jit.dy2static.function_spec`."""

from ..function_spec import FunctionSpec

__all__ = ["FunctionSpec"]
