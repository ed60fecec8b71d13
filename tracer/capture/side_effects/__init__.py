"""Ops with side effects: Print, Assert, and calls of Python functions."""

from .print_assert import Assert, Print
from .py_func_and_static_pylayer import py_func, static_pylayer

__all__ = ["Assert", "Print", "py_func", "static_pylayer"]
