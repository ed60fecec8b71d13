"""Programs: what a model is when it is written down - data, text, checks, recording, and running it op by op."""

from .input_spec import InputSpec
from .program import Program

__all__ = ["InputSpec", "Program"]
