"""Automatic mixed precision: casts, loss scaling and decorated models."""

from . import amp_lists, debugging
from .amp_lists import black_list, white_list
from .auto_cast import (
    amp_decorate,
    amp_guard,
    auto_cast,
    decorate,
    is_bfloat16_supported,
    is_float16_supported,
)
from .grad_scaler import AmpScaler, GradScaler

__all__ = ["GradScaler", "auto_cast", "decorate", "is_bfloat16_supported", "is_float16_supported"]
