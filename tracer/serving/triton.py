"""Model repositories for Triton Inference Server, and manifests for KServe.

https://github.com/triton-inference-server/server/blob/main/docs/user_guide/model_configuration.md
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import GuardError, OpError
from ..export.save import atomic_write
from ..loader.engine import Engine
from ..loader.model_files import ModelFiles, read_model
from ..onnx.writer import Wanted, write_onnx
from .datatypes import datatype_of

_BATCH = 8
_MOST_LETTERS = 63  # of a name in Kubernetes
_WARM_SIZE = 1  # of a size that is not known
_ROUNDING = 1e-2  # of half precision, when sums are in another order


class Word(str):
    """A word of a config.pbtxt that stands without quotes: an enumerator."""

    __slots__ = ()


def _dims(shape: list[int | str]) -> list[int]:
    return [d if isinstance(d, int) else -1 for d in shape]


def can_batch(engine: Engine) -> bool:
    """Whether requests can be put together along the first axis: that of every input and output is
    open, and no sample changes another.
    """
    shapes = [shape for _, _, shape in (*engine.inputs, *engine.outputs)]
    is_open = all(shape and not isinstance(shape[0], int) for shape in shapes)
    return not engine.offsets and is_open and _apart_as_together(engine)


def _apart_as_together(engine: Engine) -> bool:
    """Whether two made-up requests give together what each gives by itself; not where no made-up
    input runs.

    Shapes do not say it: of `nonzero`, or of a softmax over the first axis.
    """
    for first in engine.made_up_inputs():
        rows = {len(array) for array in first}
        if len(rows) != 1:
            return False
        second = [_varied(array) for array in first]
        both = [np.concatenate(pair) for pair in zip(first, second, strict=True)]
        try:
            one, other, joint = engine.run(first), engine.run(second), engine.run(both)
        except (OpError, GuardError):
            continue
        return all(map(partial(_joined, rows.pop()), one, other, joint))
    return False


def _varied(array: Any) -> Any:
    """Other values of the same kind, where numbers may be anything."""
    if array.dtype.kind != "f":
        return array
    return array + np.linspace(0.1, 0.9, array.size).reshape(array.shape).astype(array.dtype)


def _joined(rows: int, one: Any, other: Any, joint: Any) -> bool:
    """Whether `joint` is the rows of one result and then those of the other."""
    if len(one) != rows or len(other) != rows or len(joint) != 2 * rows:
        return False
    apart = np.concatenate([one, other])
    if apart.dtype.kind in "fV":
        apart, joint = apart.astype("float64"), joint.astype("float64")
        return np.allclose(apart, joint, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True)
    return np.array_equal(apart, joint)


def config_of(name: str, engine: Engine) -> dict[str, Any]:
    """What Triton is told of a model: its config.pbtxt as a tree."""
    batches = can_batch(engine)

    def tensors(of: list[tuple[str, str, list[int | str]]]) -> list[dict[str, Any]]:
        return [
            {
                "name": n,
                "data_type": Word(datatype_of(dtype, n).triton),
                "dims": _dims(shape)[batches:] or [1],
            }
            | ({"reshape": {"shape": []}} if not _dims(shape)[batches:] else {})
            for n, dtype, shape in of
        ]

    found = {
        "name": name,
        "platform": "onnxruntime_onnx",
        "max_batch_size": _BATCH if batches else 0,
        "input": tensors(engine.inputs),
        "output": tensors(engine.outputs),
        "instance_group": [{"count": 1, "kind": Word("KIND_AUTO")}],
        "model_warmup": [_warm_up(engine, batches)],
    }
    return found | ({"dynamic_batching": {}} if batches else {})


def _warm_up(engine: Engine, batches: bool) -> dict[str, Any]:
    inputs = [
        {
            "key": n,
            "value": {
                "data_type": Word(datatype_of(dtype, n).triton),
                "dims": [d if d >= 0 else _WARM_SIZE for d in _dims(shape)[batches:]] or [1],
                "zero_data": True,
            },
        }
        for n, dtype, shape in engine.inputs
    ]
    return {"name": "zeros", "batch_size": 1, "inputs": inputs}


def as_text(tree: dict[str, Any], indent: str = "") -> str:
    """A tree in protobuf's text form."""
    lines = []
    for key, value in tree.items():
        for item in (
            value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
        ):
            if isinstance(item, dict):
                lines.append(f"{indent}{key} {{\n{as_text(item, indent + '  ')}{indent}}}\n")
            else:
                lines.append(f"{indent}{key}: {_value(item)}\n")
    return "".join(lines)


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Word):
        return str(value)
    return json.dumps(value)  # strings, numbers and lists of numbers are written alike


def manifest_of(name: str) -> str:
    """A KServe InferenceService that has Triton run the repository; where it lies is to be filled
    in.

    Its name has what Kubernetes allows.
    """
    known = (
        re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MOST_LETTERS].strip("-") or "model"
    )
    return (
        "apiVersion: serving.kserve.io/v1beta1\n"
        "kind: InferenceService\n"
        "metadata:\n"
        f"  name: {known}\n"
        "spec:\n"
        "  predictor:\n"
        "    triton:\n"
        "      protocolVersion: v2\n"
        '      storageUri: "pvc://models/repository"  # the folder that holds this '
        "model's folder\n"
        "      resources:\n"
        "        limits:\n"
        '          cpu: "2"\n'
        "          memory: 2Gi\n"
    )


def write_repository(prefix: str, repository: Path, wanted: Wanted, name: str = "") -> Path:
    """Write REPOSITORY/name/config.pbtxt and version 1 of the model with its weights.

    Gives the model's folder.

    Raises OpError where there is one of that name already.
    Nothing is left behind when anything goes wrong.
    """
    files = read_model(prefix)
    name = name or Path(prefix).name.removesuffix(".pdmodel")
    folder = repository / name
    if folder.exists():
        raise OpError(f"export: {folder} exists already")
    repository.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=repository))
    try:
        _fill(draft, files, name, wanted)
        draft.chmod(0o755)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return folder


def _fill(draft: Path, files: ModelFiles, name: str, wanted: Wanted) -> None:
    version = draft / "1"
    version.mkdir()
    if files.params_path and Path(files.params_path).is_file() and not wanted.inline:
        weights = version / "model.pdiparams"
        shutil.copyfile(files.params_path, weights)
        moved = replace(files, params_path=str(weights))
        write_onnx(moved, version / "model.onnx", wanted)
    else:
        write_onnx(files, version / "model.onnx", wanted._replace(inline=True))
    engine = Engine(files.pdmodel, files.params_path, files.name)
    atomic_write({str(draft / "config.pbtxt"): as_text(config_of(name, engine)).encode()})
    atomic_write({str(draft / "inference_service.yaml"): manifest_of(name).encode()})
