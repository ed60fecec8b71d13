"""Gradients of a program, as more ops of the program."""

from . import emit_grad_ops, side_effects, sub_blocks  # imported because each registers its rules in `backward_pass`
from .append_backward import append_backward, differentiate, gradients

__all__ = ["append_backward", "differentiate", "gradients"]
