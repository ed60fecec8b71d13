"""A Layer as ONNX, in one call."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from ..core.errors import OpError
from ..jit.save import check_path, save
from ..loader.model_files import read_model
from .writer import Wanted, write_onnx

# Options of Paddle2ONNX without effect: ops are never omitted, the check always runs.
IGNORED = (
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
    """Write `path`.onnx, and beside it `path`.pdmodel and `path`.pdiparams, whose weights it
    shares.

    opset_version: None: the lowest from 17 on that serves.
    inline=True: `path`.onnx alone, weights inside.
    target: as in
    `oarlock export --target`.
    enable_onnx_checker=False: the file is not judged.
    output_spec: outputs to keep. Raises what `jit.save` raises, and UnsupportedError with all ops
    that ONNX cannot say.
    """
    unknown = configs.keys() - {
        *IGNORED,
        "inline",
        "target",
        "enable_onnx_checker",
        "output_spec",
        "input_names_after_prune",
    }
    if unknown:
        raise OpError(f"onnx.export: there is no config {sorted(unknown)}")
    wanted = Wanted(
        opset_version,
        configs.get("target", ""),
        configs.get("inline", False),
        configs.get("enable_onnx_checker", True),
    )
    prefix = check_path(path).removesuffix(".onnx")
    outputs = (
        {"output_spec": configs["output_spec"]} if configs.get("output_spec") is not None else {}
    )
    target = Path(f"{prefix}.onnx")
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".oarlock-", dir=target.parent) as folder:
        scratch = Path(folder, target.stem)
        save(layer, str(scratch), input_spec, **outputs)
        write_onnx(read_model(str(scratch)), scratch.with_name(target.name), wanted)
        for made in sorted(Path(folder).iterdir()):
            if made.suffix == ".onnx" or not wanted.inline:
                os.replace(made, target.with_name(made.name))
