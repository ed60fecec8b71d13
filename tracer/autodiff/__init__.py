"""Gradients of a program, as more ops of the program."""

from .append_backward import append_backward, differentiate, gradients

__all__ = ["append_backward", "differentiate", "gradients"]
