"""Run model directories of PaddleX, PaddleOCR 3 and PaddleDetection as pipelines, which turn images
into results.

The directory's `inference.yml` or `infer_cfg.yml` describes preprocessing and postprocessing. Needs
the extra `pipeline`.
"""

from .directories import load
from .predictor import Pipeline
from .results import DetResult, OCRResult, Result, TextDetResult, TextRecResult, TopkResult
from .text_system import TextSystem

__all__ = [
    "DetResult",
    "OCRResult",
    "Pipeline",
    "Result",
    "TextDetResult",
    "TextRecResult",
    "TextSystem",
    "TopkResult",
    "load",
]
