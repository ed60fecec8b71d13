"""Paddle's folder for what is new: the names that Oarlock has under their final place as well."""

from . import autograd

__all__ = ["autograd"]
