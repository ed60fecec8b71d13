"""Decoders around a cell of states that users write: fluid.contrib.decoder."""

from . import beam_search_decoder
from .beam_search_decoder import *

__all__ = beam_search_decoder.__all__
