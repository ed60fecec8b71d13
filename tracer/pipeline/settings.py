"""The settings of a model directory: its .yml, changed by arguments of `load`, as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..core.errors import FileError, OpError
from ..loader.runtime import runtime_module, translate_runtime_errors
from .yaml_reader import read_yaml

SETTINGS_FILES = ("inference.yml", "infer_cfg.yml")
# Argument of `load` -> the transform or postprocessing step whose setting it replaces.
ARGUMENT_OWNERS = {
    "limit_side_len": "DetResizeForTest",
    "limit_type": "DetResizeForTest",
    "max_side_limit": "DetResizeForTest",
    "thresh": "DBPostProcess",
    "box_thresh": "DBPostProcess",
    "unclip_ratio": "DBPostProcess",
    "topk": "Topk",
    "threshold": "MultiLabelThreshOutput",
}


def find_settings_file(directory: str | os.PathLike[str]) -> Path:
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


def read_settings_as_json(path: Path, arguments: Mapping[str, Any]) -> str:
    """Return the content of a settings file as JSON.

    arguments: settings that replace those of the file.

    Raises FileError for an invalid file, OpError for an argument that the file has no step for.
    """
    settings = read_yaml(path)
    for name, value in arguments.items():
        _replace_setting(settings, name, value, path.name)
    try:
        return json.dumps(settings, allow_nan=False)
    except ValueError:
        raise FileError(f"{path.name}: contains a number that is not finite") from None
    except TypeError as error:
        raise OpError(f"pipeline: invalid argument ({error})") from None


def make_image_processor(path: Path, arguments: Mapping[str, Any]) -> Any:
    """Return the image processor of the C++ runtime for a settings file; see
    `read_settings_as_json`.
    """
    text = read_settings_as_json(path, arguments)
    with translate_runtime_errors():
        return runtime_module().ImageProcessor.from_json(text, path.name)


def _replace_setting(settings: Any, name: str, value: Any, file: str) -> None:
    owner = ARGUMENT_OWNERS.get(name)
    found = _find_step(settings, owner) if owner else None
    if name == "threshold" and found is None and isinstance(settings, dict):
        found = settings if "Preprocess" in settings else None
        name = "draw_threshold"
    if found is None:
        raise OpError(
            f"pipeline: the argument {name!r} has no meaning for this model: {file} has no "
            f"{owner or 'such setting'}; arguments are {', '.join(ARGUMENT_OWNERS)}, and options "
            "of the engine"
        )
    found[name] = value


def _find_step(settings: Any, owner: str) -> dict[str, Any] | None:
    """Return the settings of a transform or postprocessing step, which may be changed."""
    if not isinstance(settings, dict):
        return None
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
