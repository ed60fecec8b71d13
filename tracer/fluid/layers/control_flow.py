"""Branches, loops and lists of tensors: fluid.layers.While and its kin."""

from __future__ import annotations

from ...static.control import array_length, array_read, array_write, case, cond, create_array, switch_case, while_loop
from ...static.control.bodies import Switch, While
from ...static.control.dynamic_rnn import DynamicRNN
from ...static.control.static_rnn import StaticRNN
from .branches import IfElse

__all__ = [
    "DynamicRNN", "IfElse", "StaticRNN", "Switch", "While", "array_length", "array_read", "array_write", "case", "cond", "create_array",
    "switch_case", "while_loop",
]  # fmt: skip
