"""`onnx.export`: write a Layer as an ONNX file."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..core.errors import OpError
from ..jit.save import require_path_prefix, save
from ..jit.type_aliases import InputSpecs
from ..loader.model_files import read_model
from .writer import ExportOptions, write_onnx

# Options of Paddle2ONNX that are accepted and have no effect.
IGNORED_OPTIONS = (
    "auto_upgrade_opset",
    "deploy_backend",
    "enable_dev_version",
    "enable_optimize",
    "export_fp16_model",
    "custom_ops",
)


def export(
    layer: Callable[..., Any],
    path: str,
    input_spec: InputSpecs | None = None,
    opset_version: int | None = None,
    **configs: Any,
) -> None:
    """Write a layer as an ONNX file, and as Paddle's files of a saved model.

    Writes `path`.onnx, `path`.pdmodel and `path`.pdiparams. The ONNX file references the weights in
    the .pdiparams file; keep both in one folder.

    Parameters
    ----------
    layer : Layer or function converted by `jit.to_static`
    path : str
        Prefix of the files; an ending ".onnx" is removed.
    input_spec : list of InputSpec, Tensor or nested structure of them, optional
        The inputs of `forward`; not needed if `jit.to_static` got them.
    opset_version : int, optional
        By default the lowest opset >= 17 that has all operators of the model.
    **configs : Any
        inline (bool): write only `path`.onnx, with the weights inside.
        target (str): as in `oarlock export --target`.
        enable_onnx_checker (bool): False writes the file without checking and running it.
        output_spec (list of Tensor): the outputs to export.
        Other options of Paddle2ONNX are accepted and have no effect.

    Raises
    ------
    OpError
        If an option is unknown; and the errors of `jit.save`.
    UnsupportedError
        If ops have no ONNX equivalent; the message lists them.

    Examples
    --------
    >>> layer = nn.Linear(2, 1)
    >>> spec = [paddle.static.InputSpec([None, 2], "float32", "x")]
    >>> paddle.onnx.export(layer, "model", input_spec=spec, inline=True, enable_onnx_checker=False)
    >>> import os
    >>> os.path.exists("model.onnx"), os.path.exists("model.pdiparams")
    (True, False)
    """
    unknown = configs.keys() - {
        *IGNORED_OPTIONS,
        "inline",
        "target",
        "enable_onnx_checker",
        "output_spec",
        "input_names_after_prune",
    }
    if unknown:
        raise OpError(f"onnx.export: unknown options {sorted(unknown)}")
    options = ExportOptions(
        opset_version,
        configs.get("target", ""),
        configs.get("inline", False),
        configs.get("enable_onnx_checker", True),
    )
    prefix = require_path_prefix(path).removesuffix(".onnx")
    outputs = (
        {"output_spec": configs["output_spec"]} if configs.get("output_spec") is not None else {}
    )
    target = Path(f"{prefix}.onnx")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".oarlock-", dir=target.parent) as folder:
        scratch = Path(folder, target.stem)
        save(layer, str(scratch), input_spec, **outputs)
        write_onnx(read_model(str(scratch)), scratch.with_name(target.name), options)
        for file in sorted(Path(folder).iterdir()):
            if file.suffix == ".onnx" or not options.inline:
                os.replace(file, target.with_name(file.name))
