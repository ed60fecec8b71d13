"""Ops that are there for what they do: print a value, check one, call Python."""

from .calls import py_func, static_pylayer
from .showing import Assert, Print

__all__ = ["Assert", "Print", "py_func", "static_pylayer"]
