"""High-level API: Model, summaries and operation counts of networks."""

from .dynamic_flops import flops
from .model import Model
from .model_summary import summary

__all__ = ["Model", "flops", "summary"]
