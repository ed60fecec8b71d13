"""paddle.jit under the name of the file that has it in Paddle."""

from ..loader.translated_layer import TranslatedLayer, load
from .save import save
from .switches import enable_to_static
from .to_static import declarative, ignore_module, not_to_static, to_static
from .traced_layer import TracedLayer

__all__ = [
    "TracedLayer", "TranslatedLayer", "declarative", "enable_to_static", "ignore_module", "load", "not_to_static", "save", "to_static",
]  # fmt: skip
