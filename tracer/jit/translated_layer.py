"""TranslatedLayer under the name of the file that has it in Paddle."""

from ..loader.translated_layer import TranslatedLayer

__all__ = ["TranslatedLayer"]
