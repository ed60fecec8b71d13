"""Ops that are there for what they do: print a value, check one, call Python."""

from .print_assert import Assert, Print
from .py_func import py_func, static_pylayer

__all__ = ["Assert", "Print", "py_func", "static_pylayer"]
