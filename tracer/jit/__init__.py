"""From layers to programs and files, and back."""

from ..loader.translated_layer import TranslatedLayer, load
from .save import save
from .traced_layer import TracedLayer

__all__ = ["TracedLayer", "TranslatedLayer", "load", "save"]
