"""Text detection and recognition: lines of text with boxes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from numbers import Real
from typing import Any, Literal, overload

from ..core.errors import OpError
from ..loader.engine import Array
from ..loader.runtime import runtime_module, translate_runtime_errors
from .images import as_image_iterable, load_as_rgb_array
from .predictor import IMAGE_ERRORS, Pipeline, check_batch_size, iter_results_raising_exceptions
from .results import OCRResult


class TextSystem:
    """Text detection followed by text recognition. `load` creates a pipeline of this class;
    docs/pipelines.md has an example.

    The boxes are sorted from top to bottom and, in a row, from left to right; upper left corners
    in a row differ by less than 10 pixels in y. Each box is cut out and straightened; lines at
    least 1.5 times as high as wide are rotated by 90 degrees counterclockwise.

    Parameters
    ----------
    detection : Pipeline
        For text detection.
    recognition : Pipeline
        For text recognition.

    Attributes
    ----------
    task : str
        ocr.
    detection, recognition : Pipeline
        The parameters.

    Raises
    ------
    OpError
        If a pipeline is for another task.
    """

    task = "ocr"

    def __init__(self, detection: Pipeline, recognition: Pipeline) -> None:
        tasks = (detection.task, recognition.task)
        if tasks != ("text_detection", "text_recognition"):
            raise OpError(
                f"pipeline: the directories are for {tasks[0]} and {tasks[1]}; expected "
                "text_detection and text_recognition"
            )
        self.detection, self.recognition = detection, recognition

    @overload
    def predict(
        self,
        images: Any,
        batch_size: int = 6,
        score_thresh: float = 0.0,
        return_exceptions: Literal[False] = False,
    ) -> Iterator[OCRResult]: ...

    @overload
    def predict(
        self,
        images: Any,
        batch_size: int = 6,
        score_thresh: float = 0.0,
        *,
        return_exceptions: bool,
    ) -> Iterator[OCRResult | Exception]: ...

    def predict(
        self,
        images: Any,
        batch_size: int = 6,
        score_thresh: float = 0.0,
        return_exceptions: bool = False,
    ) -> Iterator[Any]:
        """Detect and recognize the text in images; yield the lines of text of each image.

        Parameters
        ----------
        images : str, path, PIL image, ndarray, or an iterable of them
            See `Pipeline.predict`.
        batch_size : int, default 6
            Lines per run of the recognition network, sorted by width / height.
        score_thresh : float, default 0
            Lines whose score is lower are left out of `rec_texts`, `rec_scores`, `rec_polys` and
            `rec_boxes`. `dt_polys` has all boxes.
        return_exceptions : bool, default False
            See `Pipeline.predict`.

        Returns
        -------
        iterator of OCRResult, or of OCRResult and Exception
            In the order of the images. Errors of images are raised while it is iterated.

        Raises
        ------
        FileNotFoundError, FileError, OpError, OarlockError
            See `Pipeline.predict`.
        """
        check_batch_size(batch_size)
        if not isinstance(score_thresh, Real):
            raise OpError(f"predict: score_thresh={score_thresh!r} must be a number")
        results = (
            self._detect_and_recognize_or_return_error(image, batch_size, float(score_thresh))
            for image in as_image_iterable(images)
        )
        return iter_results_raising_exceptions(return_exceptions, results)

    def _detect_and_recognize_or_return_error(
        self, image: Any, batch_size: int, score_thresh: float
    ) -> OCRResult | Exception:
        try:
            return self._detect_and_recognize(image, batch_size, score_thresh)
        except IMAGE_ERRORS as error:
            return error

    def _detect_and_recognize(self, image: Any, batch_size: int, score_thresh: float) -> OCRResult:
        path = os.fspath(image) if isinstance(image, (str, os.PathLike)) else None
        pixels = load_as_rgb_array(image)
        (detected,) = self.detection.predict(pixels[:, :, ::-1])
        order = runtime_module().reading_order(detected["dt_polys"])
        polys, crops = [], []
        for i in order:
            with translate_runtime_errors():
                crop = runtime_module().crop_text(pixels, detected["dt_polys"][i])
            if crop.size:
                polys.append(detected["dt_polys"][i])
                crops.append(crop)
        texts = self._recognize(crops, batch_size)
        return OCRResult(pixels, path, _to_ocr_fields(polys, texts, score_thresh))

    def _recognize(self, crops: list[Array], batch_size: int) -> list[tuple[str, float]]:
        """Return the text and the score of each image of one line."""
        # Lines with similar ratios of width to height are recognized in one batch, because all
        # images of a batch are padded to the width of the widest.
        order = sorted(range(len(crops)), key=lambda i: crops[i].shape[1] / crops[i].shape[0])
        results = self.recognition.predict((crops[i][:, :, ::-1] for i in order), batch_size)
        by_line = {
            i: (result["rec_text"], result["rec_score"])
            for i, result in zip(order, results, strict=True)
        }
        return [by_line[i] for i in range(len(crops))]


def _to_ocr_fields(
    polys: list[Any], texts: list[tuple[str, float]], score_thresh: float
) -> dict[str, Any]:
    kept = [i for i, (_, score) in enumerate(texts) if score >= score_thresh]
    return {
        "dt_polys": polys,
        "rec_texts": [texts[i][0] for i in kept],
        "rec_scores": [texts[i][1] for i in kept],
        "rec_polys": [polys[i] for i in kept],
        "rec_boxes": [_enclosing_box(polys[i]) for i in kept],
    }


def _enclosing_box(poly: list[list[int]]) -> list[int]:
    columns, rows = zip(*poly, strict=True)
    return [min(columns), min(rows), max(columns), max(rows)]
