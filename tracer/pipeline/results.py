"""Results of pipelines: dicts with PaddleX's names that can be saved as JSON and as images."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import OpError
from ..export.atomic_files import write_files_atomically
from ..vision.image import import_pillow

Array = np.ndarray[Any, Any]
_COLORS = ((214, 39, 40), (31, 119, 180), (44, 160, 44), (148, 103, 189), (255, 127, 14))
_BLACK, _WHITE = (0, 0, 0), (255, 255, 255)
_FORMATS_WITHOUT_RGB = {"BLP", "BUFR", "GRIB", "HDF5", "MSP", "PALM", "WMF", "XBM"}
_MAX_FONT_SIZE = 200  # pixels
_MAX_DRAWN_CHARACTERS = 1000  # Pillow allocates memory in proportion to length and font size
_MAX_LINE_WIDTH = 20  # pixels


class Result(dict[str, Any]):
    """The result of a pipeline for one image, as a dict. The keys are `input_path` (None for an
    array or PIL image), `page_index` (None), and those of the task, which a subclass for each task
    describes. `Pipeline.predict` creates a Result. The values of the dict are strings, Python
    numbers, None, and lists and dicts of them.

    Parameters
    ----------
    pixels : ndarray
        The decoded image, uint8[height, width, 3] in RGB order.
    input_path : str or None
        The path of the image.
    fields : dict
        The fields of the task.

    Attributes
    ----------
    input_img : ndarray
        `pixels`.

    Examples
    --------
    >>> import numpy as np
    >>> from oarlock.pipeline import TextRecResult
    >>> pixels = np.zeros((48, 100, 3), "uint8")
    >>> result = TextRecResult(pixels, "lines/7.png", {"rec_text": "sum", "rec_score": 0.5})
    >>> result.print()
    {"res": {"input_path": "lines/7.png", "page_index": null, "rec_text": "sum", "rec_score": 0.5}}
    """

    def __init__(self, pixels: Array, input_path: str | None, fields: dict[str, Any]) -> None:
        super().__init__(input_path=input_path, page_index=None, **fields)
        self.input_img = pixels

    @property
    def json(self) -> dict[str, Any]:
        """The result in the form ``{"res": {...}}``, with values that JSON can represent."""
        return {"res": dict(self)}

    def print(self) -> None:
        """Print the result to standard output as one line of JSON."""
        print(json.dumps(self.json, ensure_ascii=False))

    def save_to_json(
        self, save_path: str | os.PathLike[str], indent: int = 4, ensure_ascii: bool = False
    ) -> Path:
        """Write the result as a JSON file and return the path of the file.

        save_path: a path that ends in .json, or a folder for STEM_res.json, where STEM is the name
        of the image. `input_path` is written without its folder, so that the file does not depend
        on where the image was.

        Raises OpError for a path with another suffix, unless it is a folder.
        """
        path = self._output_path("save_to_json", save_path, (".json",), ".json")
        image = self["input_path"]
        fields = {**self.json["res"], "input_path": image and os.path.basename(image)}
        text = json.dumps(fields, indent=indent, ensure_ascii=ensure_ascii)
        write_files_atomically({path: text.encode("utf-8", "surrogatepass")})
        return path

    def to_image(self, font: str | os.PathLike[str] | None = None) -> Any:
        """Return the annotated image as a PIL image.

        font: the path of a TrueType font; the default font has Latin letters only.
        """
        image = import_pillow().fromarray(self.input_img)
        canvas = _Canvas(image, font)
        self._annotate(canvas)
        return canvas.image

    def save_to_img(
        self, save_path: str | os.PathLike[str], font: str | os.PathLike[str] | None = None
    ) -> Path:
        """Write the annotated image to a file and return the path of the file.

        save_path: a path that ends in .png, .jpg, ..., or a folder for STEM_res with the suffix of
        the image. font: see `to_image`.

        Raises OpError for a path with the suffix of no image format, unless it is a folder, and for
        an image that is too large for the format.
        """
        library = import_pillow()
        formats = library.registered_extensions()
        writable = tuple(
            suffix
            for suffix, form in formats.items()
            if form in library.SAVE and form not in _FORMATS_WITHOUT_RGB
        )
        own = Path(self["input_path"] or "").suffix.lower()
        default = own if own in writable else ".png"
        path = self._output_path("save_to_img", save_path, writable, default)
        image = self.to_image(font)
        form = formats[path.suffix.lower()]
        encoded = io.BytesIO()
        try:
            image.save(encoded, format=form)
        except (OSError, ValueError) as error:
            raise OpError(
                f"save_to_img: an image of {image.width} x {image.height} pixels cannot be written "
                f"as {form} ({error})"
            ) from None
        write_files_atomically({path: encoded.getvalue()})
        return path

    def output_stem(self) -> str:
        """Return the common first part of the names of output files: the stem of the image's name
        followed by `_res`.
        """
        return f"{Path(self['input_path'] or 'image').stem}_res"

    def _output_path(
        self,
        method: str,
        save_path: str | os.PathLike[str],
        suffixes: tuple[str, ...],
        default: str,
    ) -> Path:
        path = Path(save_path)
        if path.is_dir() or not path.suffix:
            return path / f"{self.output_stem()}{default}"
        if path.suffix.lower() not in suffixes:
            raise OpError(
                f"{method}: {path.name!r} is neither an existing folder nor a file name that ends "
                f"in {', '.join(sorted(suffixes))}"
            )
        return path

    def _annotate(self, canvas: _Canvas) -> None:
        raise NotImplementedError


class TopkResult(Result):
    """The most probable classes of an image, best first. The arguments of `load` select how many
    and which.

    Its keys are `class_ids` (list of int), `scores` (list of float, five decimals) and
    `label_names` (list of str). Parameters: see `Result`.

    Examples
    --------
    >>> import numpy as np
    >>> from oarlock.pipeline import TopkResult
    >>> fields = {"class_ids": [1], "scores": [0.9], "label_names": ["dog"]}
    >>> TopkResult(np.zeros((48, 100, 3), "uint8"), "dog.png", fields).output_stem()
    'dog_res'
    """

    def _annotate(self, canvas: _Canvas) -> None:
        lines = zip(self["label_names"], self["scores"], strict=True)
        canvas.draw_label(
            (0, 0), "\n".join(f"{name} {score:.2f}" for name, score in lines), _COLORS[0]
        )


class DetResult(Result):
    """The objects that were detected in an image.

    Its key is `boxes`, a list of dicts with `cls_id` (int), `label` (str), `score` (float) and
    `coordinate` (list of float: x1, y1, x2, y2, or x and y of the four corners of a rotated box, in
    pixels). Parameters: see `Result`.

    Examples
    --------
    >>> import numpy as np
    >>> from oarlock.pipeline import DetResult
    >>> box = {"cls_id": 0, "label": "cat", "score": 0.9, "coordinate": [2.0, 3.0, 40.0, 30.0]}
    >>> DetResult(np.zeros((48, 100, 3), "uint8"), None, {"boxes": [box]}).to_image().size
    (100, 48)
    """

    def _annotate(self, canvas: _Canvas) -> None:
        for box in self["boxes"]:
            color = _COLORS[box["cls_id"] % len(_COLORS)]
            points = box["coordinate"]
            if len(points) == 4:
                left, top, right, bottom = points
                points = [left, top, right, top, right, bottom, left, bottom]
            canvas.draw_polygon(points, color)
            canvas.draw_label((points[0], points[1]), f"{box['label']} {box['score']:.2f}", color)


class TextDetResult(Result):
    """The boxes of text that were detected in an image.

    Its keys are `dt_polys` (list of four corners [x, y] as int, from the upper left clockwise, in
    pixels) and `dt_scores` (list of float). Parameters: see `Result`.

    Examples
    --------
    >>> import numpy as np
    >>> from oarlock.pipeline import TextDetResult
    >>> fields = {"dt_polys": [[[2, 3], [40, 3], [40, 30], [2, 30]]], "dt_scores": [0.9]}
    >>> TextDetResult(np.zeros((48, 100, 3), "uint8"), None, fields).to_image().size
    (100, 48)
    """

    def _annotate(self, canvas: _Canvas) -> None:
        for poly in self["dt_polys"]:
            canvas.draw_polygon(
                [coordinate for corner in poly for coordinate in corner], _COLORS[0]
            )


class TextRecResult(Result):
    """The text in an image of one line, and its score.

    Its keys are `rec_text` (str) and `rec_score` (float). Parameters and an example: see `Result`.
    """

    def _annotate(self, canvas: _Canvas) -> None:
        canvas.append_text_row_below(f"{self['rec_text']} ({self['rec_score']:.3f})")


class OCRResult(Result):
    """The lines of text in an image, in reading order.

    Its keys are `dt_polys` of all boxes, and for lines whose score is >= `score_thresh` `rec_texts`
    (list of str), `rec_scores` (list of float), `rec_polys` (as `dt_polys`) and `rec_boxes` (lists
    x1, y1, x2, y2 of int). Parameters: see `Result`.

    Examples
    --------
    >>> import numpy as np
    >>> from oarlock.pipeline import OCRResult
    >>> poly = [[2, 3], [40, 3], [40, 30], [2, 30]]
    >>> fields = {
    ...     "dt_polys": [poly], "rec_texts": ["sum"], "rec_scores": [0.9],
    ...     "rec_polys": [poly], "rec_boxes": [[2, 3, 40, 30]],
    ... }
    >>> OCRResult(np.zeros((48, 100, 3), "uint8"), None, fields).to_image().size  # and the texts
    (200, 48)
    """

    def _annotate(self, canvas: _Canvas) -> None:
        texts = _Canvas(import_pillow().new("RGB", canvas.image.size, _WHITE), canvas.font)
        for i, (poly, text) in enumerate(zip(self["rec_polys"], self["rec_texts"], strict=True)):
            points = [coordinate for corner in poly for coordinate in corner]
            color = _COLORS[i % len(_COLORS)]
            canvas.draw_polygon(points, color)
            texts.draw_polygon(points, color)
            texts.draw_text_in_box(self["rec_boxes"][i], text)
        canvas.append_image_right(texts.image)


RESULT_CLASSES: dict[str, type[Result]] = {
    "image_classification": TopkResult,
    "image_multilabel_classification": TopkResult,
    "object_detection": DetResult,
    "text_detection": TextDetResult,
    "text_recognition": TextRecResult,
}


class _Canvas:
    """An image to which boxes and texts are drawn."""

    def __init__(self, image: Any, font: str | os.PathLike[str] | None) -> None:
        from PIL import ImageDraw  # noqa: PLC0415 - optional; an image exists, so it is installed

        self.image, self.font = image, font
        self._draw = ImageDraw.Draw(image)
        self._size = min(max(10, max(image.size) // 50), _MAX_FONT_SIZE)

    def draw_polygon(self, points: list[float], color: tuple[int, int, int]) -> None:
        """Draw a closed polygon. points: x and y of the corners"""
        width = min(max(1, max(self.image.size) // 400), _MAX_LINE_WIDTH)
        self._draw.line([*points, *points[:2]], fill=color, width=width)

    def draw_label(
        self, position: tuple[float, float], text: str, color: tuple[int, int, int]
    ) -> None:
        """Draw text with a background above a position, but not beyond the top of the image."""
        font, text = self._load_font(self._size), text[:_MAX_DRAWN_CHARACTERS]
        left, top, right, bottom = self._draw.multiline_textbbox((0, 0), text, font)
        x, y = position[0], max(0, position[1] - (bottom - top) - 4)
        self._draw.rectangle((x, y, x + right - left + 4, y + bottom - top + 4), fill=color)
        self._draw.multiline_text((x + 2 - left, y + 2 - top), text, _WHITE, font)

    def draw_text_in_box(self, box: list[int], text: str) -> None:
        """Draw text so that it fits into a box (x1, y1, x2, y2)."""
        width, height = box[2] - box[0], box[3] - box[1]
        size = max(6, min(height * 3 // 4, _MAX_FONT_SIZE))
        text = text[:_MAX_DRAWN_CHARACTERS]
        length = self._draw.textlength(text, self._load_font(size))
        if length > width:
            size = max(6, int(size * width / length))
        self._draw.text((box[0], box[1]), text, _BLACK, self._load_font(size))

    def append_text_row_below(self, text: str) -> None:
        """Extend the image at the bottom by a row of text."""
        height = 2 * self._size
        self._extend(self.image.width, self.image.height + height)
        text = text[:_MAX_DRAWN_CHARACTERS]
        self._draw.text((2, self.image.height - height), text, _BLACK, self._load_font(self._size))

    def append_image_right(self, image: Any) -> None:
        """Extend the image by another image of the same height on the right."""
        width = self.image.width
        self._extend(width + image.width, self.image.height)
        self.image.paste(image, (width, 0))

    def _extend(self, width: int, height: int) -> None:
        from PIL import ImageDraw  # noqa: PLC0415

        extended = import_pillow().new("RGB", (width, height), _WHITE)
        extended.paste(self.image, (0, 0))
        self.image, self._draw = extended, ImageDraw.Draw(extended)

    def _load_font(self, size: int) -> Any:
        from PIL import ImageFont  # noqa: PLC0415

        if self.font is None:
            return ImageFont.load_default(size)
        try:
            return ImageFont.truetype(os.fspath(self.font), size)
        except OSError as error:
            raise OpError(f"pipeline: the font {self.font} cannot be used ({error})") from None
