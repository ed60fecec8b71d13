"""The public names of `paddle.jit.dy2static.logging_utils`."""

from ..conversion_switches import set_code_level, set_verbosity

__all__ = ["set_code_level", "set_verbosity"]
