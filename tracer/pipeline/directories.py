"""`pipeline.load`: open model directories."""

from __future__ import annotations

import os
from typing import Any, overload

from ..core.errors import OpError
from ..loader.engine import check_engine_options
from .predictor import Pipeline
from .settings import ARGUMENT_OWNERS
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

    Parameters
    ----------
    directory : str or path
        Image classification, multi-label classification, object detection, text detection or text
        recognition.
    rec : str or path, optional
        A directory for text recognition; `directory` is for text detection then.
    **arguments
        Settings that replace those of the file: topk (classification), threshold (multi-label
        classification, object detection), limit_side_len, limit_type, max_side_limit, thresh,
        box_thresh, unclip_ratio (text detection). All others are options of the engine, such as
        device and threads; see `oarlock.jit.load`.

    Returns
    -------
    Pipeline, or TextSystem if `rec` is given

    Raises
    ------
    FileError
        If a file is missing or invalid.
    UnsupportedError
        If the directory needs a transform or an op that is not supported; lists all of them.
    OpError
        If an argument has no meaning for the model.

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
    settings = {name: arguments.pop(name) for name in ARGUMENT_OWNERS if name in arguments}
    check_engine_options(arguments)
    if rec is None:
        return Pipeline(directory, settings, arguments)
    if "topk" in settings or "threshold" in settings:
        raise OpError("pipeline: topk and threshold have no meaning for text")
    return TextSystem(Pipeline(directory, settings, arguments), Pipeline(rec, {}, arguments))
