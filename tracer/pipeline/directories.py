"""`pipeline.load`: open model directories."""

from __future__ import annotations

import os
from typing import Any, overload

from ..core.errors import OpError
from ..loader.engine import check_engine_options
from ..loader.runtime import runtime_module
from .predictor import Pipeline
from .settings import STEP_OF_ARGUMENT
from .text_system import TextSystem


@overload
def load(directory: str | os.PathLike[str], rec: None = None, **arguments: Any) -> Pipeline: ...


@overload
def load(
    directory: str | os.PathLike[str], rec: str | os.PathLike[str], **arguments: Any
) -> TextSystem: ...


def load(
    directory: str | os.PathLike[str],
    rec: str | os.PathLike[str] | None = None,
    **arguments: Any,
) -> Pipeline | TextSystem:
    """Load a model directory of PaddleX, PaddleOCR 3 or PaddleDetection as a pipeline.

    The directory contains a model (`inference.json`, `.pdmodel`, ...) and `inference.yml` or
    `infer_cfg.yml`, which describes how images are processed. The results are those of PaddleX.
    Settings that are not given have the values of the file.

    Parameters
    ----------
    directory : str or path
        Image classification, multi-label classification, object detection, text detection or text
        recognition.
    rec : str or path, optional
        A directory for text recognition; `directory` is for text detection then.
    topk : int, optional
        Image classification: the number of classes in a result, at least 1.
    threshold : float, dict or list, optional
        Object detection: the score that an object must exceed, from 0 to 1. Multi-label
        classification: the score that a class must exceed; also a list by class, or a dict
        ``{"default": score, class: score}``.
    limit_side_len : int, optional
        Text detection: the limit of `limit_type`, from 1 to 65536 pixels.
    limit_type : {"min", "max", "resize_long"}, optional
        Text detection. min: enlarge images whose shorter side is less than `limit_side_len`; max:
        reduce images whose longer side is greater; resize_long: resize the longer side to it.
    max_side_limit : int, default 4000
        Text detection: the largest longer side after resizing, from 32 to 65536 pixels.
    thresh : float, optional
        Text detection: the probability of text that a pixel must exceed, from 0 to 1.
    box_thresh : float, optional
        Text detection: the least mean probability of a box, from 0 to 1.
    unclip_ratio : float, optional
        Text detection: how much boxes are enlarged, from 0 to 100: by area * unclip_ratio /
        perimeter on each side.
    **arguments
        All others are options of the engine, such as device and threads; see `oarlock.jit.load`.

    Returns
    -------
    Pipeline, or TextSystem if `rec` is given

    Raises
    ------
    FileError
        If a file is missing or invalid.
    UnsupportedError
        If the directory needs a transform, a setting or an op that is not supported. Lists all
        transforms, or all ops, that are not.
    OpError
        If an argument is unknown or out of range, or does not apply to the model; or if the
        directories are not for text detection and text recognition, with `rec`.
    OarlockError
        If PyYAML is not installed.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> from oarlock import nn, pipeline
    >>> folder = tempfile.mkdtemp()
    >>> net = nn.Sequential(nn.Flatten(), nn.Linear(3 * 8 * 8, 2), nn.Softmax())
    >>> spec = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "x")]
    >>> paddle.jit.save(net, folder + "/inference", input_spec=spec)
    >>> settings = '''
    ... PreProcess:
    ...   transform_ops:
    ...   - ResizeImage: {size: [8, 8]}
    ...   - NormalizeImage: {scale: 1./255.}
    ...   - ToCHWImage:
    ... PostProcess:
    ...   Topk: {topk: 1, label_list: [cat, dog]}
    ... '''
    >>> _ = Path(folder, "inference.yml").write_text(settings)
    >>> classifier = pipeline.load(folder)
    >>> (result,) = classifier.predict(np.zeros((20, 30, 3), "uint8"))
    >>> result["label_names"][0] in ("cat", "dog")
    True
    """
    settings = {name: arguments.pop(name) for name in STEP_OF_ARGUMENT if name in arguments}
    options = [name for name, *_ in runtime_module().session_option_infos()]
    for name in arguments:
        if name not in options:
            raise OpError(
                f"load: unknown argument {name!r}; settings are {', '.join(STEP_OF_ARGUMENT)}; "
                "engine options are in docs/options.md"
            )
    check_engine_options(arguments)
    if rec is None:
        return Pipeline(directory, settings, arguments)
    return TextSystem(Pipeline(directory, settings, arguments), Pipeline(rec, {}, arguments))
