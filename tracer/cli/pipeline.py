"""`oarlock run DIR IMAGE` and `pipeline-config`."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from ..core.errors import OpError
from ..export.atomic_files import write_files_atomically
from ..loader.escape_control_characters import escape_control_characters
from ..pipeline import Result, load
from ..pipeline.settings import (
    make_image_processor,
    read_overridden_settings_as_json,
    require_settings_file,
)
from ..utils.terminal import make_console

_print = make_console(highlight=False, soft_wrap=True, markup=False).print
_print_error = make_console(stderr=True, highlight=False, soft_wrap=True, markup=False).print


def run_pipeline(
    directory: str,
    images: list[str],
    rec: str | None,
    output_folder: Path | None,
    as_json: bool,
    batch_size: int | None,
    **options: Any,
) -> None:
    """Run the pipeline of a model directory on images, and print or write the results. If an image
    fails, the error is printed and the other images are processed.

    Raises OpError if a file is missing, two images have the same stem, so that their output files
    would collide, or `output_folder` is not a folder; and at the end if images failed.
    """
    stems = Counter(Path(image).stem for image in images)
    repeated = [stem for stem, count in stems.items() if count > 1]
    if output_folder is not None and repeated:
        raise OpError(f"run: several images have the name {repeated[0]!r}; their outputs collide")
    if output_folder is not None and output_folder.exists() and not output_folder.is_dir():
        raise OpError(
            f"run: --output {output_folder} is not a folder; results are written into a folder"
        )
    missing = [image for image in images if not Path(image).exists()]
    if missing:
        raise OpError(f"run: there is no file {missing[0]!r}")
    pipeline = load(directory, rec, **options)
    arguments = {} if batch_size is None else {"batch_size": batch_size}
    failed = 0
    results = pipeline.predict(images, return_exceptions=True, **arguments)
    for image, result in zip(images, results, strict=True):
        if isinstance(result, Exception):
            failed += 1
            _report_failed_image(image, result, as_json)
        else:
            _print_and_save_result(result, output_folder, as_json)
    if failed:
        raise OpError(f"run: {failed} of {len(images)} images failed")


def _print_and_save_result(result: Result, output_folder: Path | None, as_json: bool) -> None:
    if as_json:
        print(json.dumps(result.json["res"], ensure_ascii=False))
    else:
        _print("\n".join(_summary_lines(result)))
    if output_folder is None:
        return
    output_folder.mkdir(parents=True, exist_ok=True)
    for path in (result.save_to_json(output_folder), result.save_to_img(output_folder)):
        if not as_json:
            _print(f"  wrote {path}")


def _report_failed_image(image: str, error: Exception, as_json: bool) -> None:
    reason = getattr(error, "strerror", None) or str(error).split("\n", 1)[0]
    if as_json:  # one object per image
        print(json.dumps({"input_path": image, "error": reason}, ensure_ascii=False))
    _print_error(f"{escape_control_characters(image)}: {escape_control_characters(reason)}")


def _summary_lines(result: Result) -> list[str]:
    """Return the lines of text that are printed for the result of one image; the first line is the
    path of the image.
    """
    if "rec_texts" in result:
        columns = [result["rec_scores"], result["rec_boxes"], result["rec_texts"]]
    elif "rec_text" in result:
        columns = [[result["rec_score"]], [result["rec_text"]]]
    elif "dt_polys" in result:
        columns = [result["dt_scores"], result["dt_polys"]]
    elif "boxes" in result:
        boxes = result["boxes"]
        corners = [[round(number, 1) for number in box["coordinate"]] for box in boxes]
        columns = [[box["score"] for box in boxes], corners, [box["label"] for box in boxes]]
    else:
        columns = [result["scores"], result["label_names"]]
    rows = zip(*columns, strict=True)
    return [
        escape_control_characters(str(result["input_path"])),
        *(
            f"  {score:.3f}  {'  '.join(escape_control_characters(str(v)) for v in values)}"
            for score, *values in rows
        ),
    ]


def write_pipeline_config(directory: str, output: Path | None) -> None:
    """Write the settings file of a model directory as JSON, after validating it."""
    source = require_settings_file(directory)
    make_image_processor(source, {})
    # The default name ends with `.config.json`, because Paddle 3 opens files NAME.METHOD.json
    # beside NAME.json as methods of a model, but not names with more parts.
    path = output or source.with_name(f"{source.name}.config.json")
    if path.exists() and path.samefile(source):
        raise OpError(f"pipeline-config: --output {path} would be written over the settings file")
    write_files_atomically({path: read_overridden_settings_as_json(source, {}).encode()})
    _print(f"{path}: {path.stat().st_size:,} bytes")
