"""What is known of the arguments of a function, under Paddle's names."""

from ..function_spec import FunctionSpec

__all__ = ["FunctionSpec"]
