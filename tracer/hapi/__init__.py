"""Training with few words: Model, and what a network consists of."""

from .dynamic_flops import flops
from .model import Model
from .model_summary import summary

__all__ = ["Model", "flops", "summary"]
