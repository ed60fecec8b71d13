"""`onnx.export`: write a Layer as an ONNX file."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from ..core.errors import OpError
from ..jit.save import require_path_prefix, save
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
    layer: Any, path: str, input_spec: Any = None, opset_version: int | None = None, **configs: Any
) -> None:
    """Write `path`.onnx, `path`.pdmodel and `path`.pdiparams; the ONNX file references the weights
    in the .pdiparams file.

    opset_version: default: the lowest opset >= 17 that has all operators of the model.
    inline=True: write only `path`.onnx, with the weights inside.
    target: as in `oarlock export --target`.
    enable_onnx_checker=False: write the file without checking and running it.
    output_spec: the outputs to export.
    Raises the errors of `jit.save`, and UnsupportedError with all ops that have no ONNX equivalent.
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
