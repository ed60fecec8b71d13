"""Read the settings of a model directory: its .yml file, with values replaced by arguments of
`load`, converted to JSON.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import FileError, OarlockError, OpError
from ..loader.runtime import runtime_module, translate_runtime_errors
from .yaml_reader import read_yaml

SETTINGS_FILES = ("inference.yml", "infer_cfg.yml")
# Argument of `load` -> the transform or postprocessing step whose setting it replaces.
STEP_OF_ARGUMENT = {
    "limit_side_len": "DetResizeForTest",
    "limit_type": "DetResizeForTest",
    "max_side_limit": "DetResizeForTest",
    "thresh": "DBPostProcess",
    "box_thresh": "DBPostProcess",
    "unclip_ratio": "DBPostProcess",
    "topk": "Topk",
    "threshold": "MultiLabelThreshOutput",
}


def require_settings_file(directory: str | os.PathLike[str]) -> Path:
    """Return the path of inference.yml or infer_cfg.yml in a directory.

    Raises FileError if there is neither.
    """
    for name in SETTINGS_FILES:
        path = Path(directory) / name
        if path.exists():
            return path
    raise FileError(
        f"{os.path.basename(os.path.abspath(directory))}: there is no {SETTINGS_FILES[0]} or "
        f"{SETTINGS_FILES[1]} in {os.fspath(directory)}, which describes the processing of images; "
        "run the network alone with oarlock.jit.load, or oarlock run --input"
    )


def read_overridden_settings_as_json(path: Path, arguments: Mapping[str, Any]) -> str:
    """Return the content of a settings file, with settings replaced by arguments, as JSON.

    arguments: settings that replace those of the file.

    Raises FileError for an invalid file, OpError for an argument that the file has no step for.
    """
    settings = read_yaml(path)
    for name, value in arguments.items():
        _replace_setting(settings, name, _to_json_value(name, value), path.name)
    try:
        return json.dumps(settings, allow_nan=False)
    except ValueError:
        raise FileError(f"{path.name}: contains a number that is not finite") from None


def _to_json_value(name: str, value: Any) -> Any:
    """Return the value of an argument with NumPy's numbers replaced by Python's."""

    def to_python(part: Any) -> Any:
        if isinstance(part, (np.generic, np.ndarray)):
            return part.tolist()
        raise TypeError

    try:
        return json.loads(json.dumps(value, allow_nan=False, default=to_python))
    except (TypeError, ValueError, RecursionError):
        raise OpError(
            f"load: {name}={value!r:.80} must be a finite number, text, or a list or dict of them"
        ) from None


def make_image_processor(path: Path, arguments: Mapping[str, Any]) -> Any:
    """Return the image processor of the C++ runtime for a settings file; see
    `read_overridden_settings_as_json`.

    Raises FileError or UnsupportedError for the file, OpError for an argument.
    """
    text = read_overridden_settings_as_json(path, arguments)
    try:
        with translate_runtime_errors():
            return runtime_module().ImageProcessor.from_json(text, path.name)
    except OarlockError as error:
        # If the invalid field was replaced by an argument of `load`, name the argument instead of
        # the file in the message.
        names = "|".join(arguments)
        found = re.search(rf"[. ](?:draw_)?((?:{names})\b.*)", str(error), re.DOTALL)
        if not names or found is None:
            raise
        raise OpError(f"load: {found[1]}") from None


def _replace_setting(settings: Any, name: str, value: Any, file: str) -> None:
    found = _find_step_settings_of_argument(settings, name)
    if found is None:
        applicable = [
            other for other in STEP_OF_ARGUMENT if _find_step_settings_of_argument(settings, other)
        ]
        raise OpError(
            f"load: {name!r} does not apply to this model: {file} has no {STEP_OF_ARGUMENT[name]} "
            f"step; settings that apply: {', '.join(applicable) or 'none'}"
        )
    is_detection = found is settings
    found["draw_threshold" if is_detection else name] = value


def _find_step_settings_of_argument(settings: Any, argument: str) -> dict[str, Any] | None:
    """Return the dict of settings, to be changed in place, that an argument of `load` belongs to:
    those of a transform or postprocessing step. For `threshold` of object detection return all
    settings.
    """
    if not isinstance(settings, dict):
        return None
    owner = STEP_OF_ARGUMENT[argument]
    if argument == "threshold" and "Preprocess" in settings:
        return settings
    post = settings.get("PostProcess")
    pre = settings.get("PreProcess")
    steps = pre.get("transform_ops") if isinstance(pre, dict) else None
    if isinstance(post, dict) and post.get("name") == owner:
        return post
    for step in [post, *(steps if isinstance(steps, list) else [])]:
        if isinstance(step, dict) and owner in step:
            if not isinstance(step[owner], dict):
                step[owner] = {}
            found: dict[str, Any] = step[owner]
            return found
    return None
