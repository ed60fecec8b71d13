"""What is shown of a conversion, under Paddle's names."""

from ..conversion_switches import set_code_level, set_verbosity

__all__ = ["set_code_level", "set_verbosity"]
