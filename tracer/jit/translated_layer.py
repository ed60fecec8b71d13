"""The public names of `paddle.jit.translated_layer`."""

from ..loader.translated_layer import TranslatedLayer

INFER_MODEL_SUFFIX, INFER_PARAMS_SUFFIX, INFER_PARAMS_INFO_SUFFIX = (
    ".pdmodel",
    ".pdiparams",
    ".pdiparams.info",
)
INFER_PROPERTY_SUFFIX = ".meta"

__all__ = [
    "INFER_MODEL_SUFFIX",
    "INFER_PARAMS_INFO_SUFFIX",
    "INFER_PARAMS_SUFFIX",
    "INFER_PROPERTY_SUFFIX",
    "TranslatedLayer",
]
