"""Write model repositories for Triton Inference Server, with manifests for KServe.

https://github.com/triton-inference-server/server/blob/main/docs/user_guide/model_configuration.md
"""

from __future__ import annotations

import json
import math
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import GuardError, OpError
from ..export.atomic_files import write_files_atomically
from ..loader.engine import Engine
from ..loader.model_files import ModelFileContents, model_name, read_model
from ..loader.program_engine import create_engine_of_files
from ..loader.runtime import EngineError
from ..onnx.synthetic_inputs import filter_terminating_input_sets, iter_terminating_input_sets
from ..onnx.writer import ExportOptions, write_onnx
from .datatypes import require_datatype

_MAX_BATCH_SIZE = 8
_MAX_NAME_LENGTH = 63  # largest length of a name in Kubernetes
_WARM_UP_SIZE = 1  # size of a dynamic dimension in the warm-up
_MAX_WARM_UP_ELEMENTS = 1 << 27  # of all inputs
_TOLERANCE = 1e-2  # for half precision, where another order of sums changes results


class EnumName(str):
    """The name of an enum value. A config.pbtxt contains the name of an enum value without
    quotes.
    """

    __slots__ = ()


def _symbolic_dims_to_minus_one(shape: list[int | str]) -> list[int]:
    return [d if isinstance(d, int) else -1 for d in shape]


def can_batch(engine: Engine, files: ModelFileContents) -> bool:
    """Whether several requests can be concatenated along the first axis to one batch. The first
    axis must be dynamic in every input and output, and allow every size from 1 to its maximum. The
    results of a sample must not depend on the other samples.
    """
    shapes = [shape for _, _, shape in (*engine.inputs, *engine.outputs)]
    is_dynamic = all(shape and _symbolic_dims_to_minus_one(shape)[0] < 0 for shape in shapes)
    has_any_size = all(
        dim.smallest_size <= 1 and dim.multiple == 1
        for _, axis, dim in engine.named_dims
        if axis == 0
    )
    return (
        not engine.row_split_owners
        and is_dynamic
        and has_any_size
        and _has_equal_results_in_batched_run(engine, files)
    )


def _has_equal_results_in_batched_run(engine: Engine, files: ModelFileContents) -> bool:
    """Whether running a batch of two synthetic requests returns the same results as running the two
    requests separately; False if the model rejects all synthetic inputs.

    Shapes are not sufficient: `nonzero`, or a softmax over the first axis, mixes samples.
    """
    for first in iter_terminating_input_sets(engine, files):
        rows = {len(array) for array in first}
        if len(rows) != 1:
            return False
        for second in filter_terminating_input_sets(files, _iter_perturbed_inputs(first)):
            both = [np.concatenate(pair) for pair in zip(first, second, strict=True)]
            try:
                separate = engine.run(first), engine.run(second)
                batched = engine.run(both)
            except (OpError, GuardError, EngineError):
                continue
            return all(map(partial(_is_close_to_concatenation, rows.pop()), *separate, batched))
    return False


def _iter_perturbed_inputs(arrays: list[Any]) -> Iterator[list[Any]]:
    """Yield inputs with changed values: first with changed values in all arrays, then only in
    floating-point arrays, because the integers of a model may have no other valid values (indices
    or lengths).
    """
    yield [_perturb(array) for array in arrays]
    if any(_is_float(array) for array in arrays):
        yield [_perturb(array) if _is_float(array) else array for array in arrays]


def _is_float(array: Any) -> bool:
    return array.dtype.kind in "fV"  # "V": bfloat16


def _perturb(array: Any) -> Any:
    """Return an array with other values. Synthetic integers and bools are 0 or 1, so 0 becomes 1
    and 1 becomes 0.
    """
    if not _is_float(array):
        return (1 - array.astype("int64")).astype(array.dtype)
    return array + np.linspace(0.1, 0.9, array.size).reshape(array.shape).astype(array.dtype)


def _is_close_to_concatenation(rows: int, first: Any, second: Any, batched: Any) -> bool:
    """Whether `batched` is the concatenation of the results `first` and `second`, each with `rows`
    rows.
    """
    if len(first) != rows or len(second) != rows or len(batched) != 2 * rows:
        return False
    expected = np.concatenate([first, second])
    if _is_float(expected):
        expected, batched = expected.astype("float64"), batched.astype("float64")
        return np.allclose(expected, batched, rtol=_TOLERANCE, atol=_TOLERANCE, equal_nan=True)
    return np.array_equal(expected, batched)


def model_config(name: str, engine: Engine, files: ModelFileContents) -> dict[str, Any]:
    """Return Triton's configuration of a model (the content of config.pbtxt) as nested dicts."""
    batches = can_batch(engine, files)

    def describe_tensors(tensors: list[tuple[str, str, list[int | str]]]) -> list[dict[str, Any]]:
        return [
            {
                "name": n,
                "data_type": EnumName(require_datatype(dtype, n).triton),
                "dims": _symbolic_dims_to_minus_one(shape)[batches:] or [1],
            }
            | (
                {"reshape": {"shape": []}}
                if not _symbolic_dims_to_minus_one(shape)[batches:]
                else {}
            )
            for n, dtype, shape in tensors
        ]

    config = {
        "name": name,
        "platform": "onnxruntime_onnx",
        "max_batch_size": _max_batch_size(engine) if batches else 0,
        "input": describe_tensors(engine.inputs),
        "output": describe_tensors(engine.outputs),
        "instance_group": [{"count": 1, "kind": EnumName("KIND_AUTO")}],
    }
    warm_up = _warm_up_entries(engine, files, batches)
    return (
        config
        | ({"model_warmup": warm_up} if warm_up else {})
        | ({"dynamic_batching": {}} if batches else {})
    )


def _max_batch_size(engine: Engine) -> int:
    """Return the largest batch size that Triton may use: _MAX_BATCH_SIZE, or the maximum of a named
    batch dimension if that is smaller.
    """
    largest = (dim.largest_size for _, axis, dim in engine.named_dims if axis == 0)
    return min([_MAX_BATCH_SIZE, *(size for size in largest if size is not None)])


def _warm_up_entries(
    engine: Engine, files: ModelFileContents, batches: bool
) -> list[dict[str, Any]]:
    """Return the configuration of a warm-up on zeros. Return none if the model rejects zeros or
    does not finish, because Triton does not load a model whose warm-up fails.
    """
    smallest = {(name, axis): dim.smallest_size for name, axis, dim in engine.named_dims}
    shapes = {
        n: [
            d if d >= 0 else max(smallest.get((n, axis), 0), _WARM_UP_SIZE)
            for axis, d in enumerate(_symbolic_dims_to_minus_one(shape))
        ]
        for n, _, shape in engine.inputs
    }
    inputs = [
        {
            "key": n,
            "value": {
                "data_type": EnumName(require_datatype(dtype, n).triton),
                "dims": shapes[n][batches:] or [1],
                "zero_data": True,
            },
        }
        for n, dtype, _ in engine.inputs
    ]
    if not inputs or sum(map(math.prod, shapes.values())) > _MAX_WARM_UP_ELEMENTS:
        return []
    zeros = [np.zeros(shapes[n], require_datatype(dtype, n).np) for n, dtype, _ in engine.inputs]
    for arrays in filter_terminating_input_sets(files, [zeros]):
        with suppress(OpError, GuardError, EngineError):
            engine.run(arrays)
            return [{"name": "zeros", "batch_size": 1, "inputs": inputs}]
    return []


def to_pbtxt(tree: dict[str, Any], indent: str = "") -> str:
    """Format nested dicts in protobuf's text format."""
    lines = []
    for key, value in tree.items():
        for item in (
            value if isinstance(value, list) and value and isinstance(value[0], dict) else [value]
        ):
            if isinstance(item, dict):
                lines.append(f"{indent}{key} {{\n{to_pbtxt(item, indent + '  ')}{indent}}}\n")
            else:
                lines.append(f"{indent}{key}: {_format_value(item)}\n")
    return "".join(lines)


def _format_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, EnumName):
        return str(value)
    return json.dumps(value)  # same syntax for strings, numbers and lists of numbers


def kserve_manifest(name: str) -> str:
    """Return the manifest of a KServe InferenceService that runs the repository with Triton.

    The user fills in `storageUri`. Characters that Kubernetes does not allow in names are replaced.
    """
    service_name = (
        re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:_MAX_NAME_LENGTH].strip("-") or "model"
    )
    return (
        "apiVersion: serving.kserve.io/v1beta1\n"
        "kind: InferenceService\n"
        "metadata:\n"
        f"  name: {service_name}\n"
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


def add_model_to_repository(
    prefix: str, repository: Path, options: ExportOptions, name: str = ""
) -> Path:
    """Add one model to a repository: write REPOSITORY/name/ with config.pbtxt,
    inference_service.yaml (KServe) and version 1 of the model. Return the path of the folder
    REPOSITORY/name.

    Raises OpError if the folder exists already. On an error, nothing is left in the repository.
    """
    files = read_model(prefix)
    name = name or model_name(prefix)
    folder = repository / name
    if folder.exists():
        raise OpError(f"export: {folder} exists already")
    repository.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=repository))
    try:
        _write_model_folder(draft, files, name, options)
        draft.chmod(0o755)
        draft.rename(folder)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return folder


def _write_model_folder(
    draft: Path, files: ModelFileContents, name: str, options: ExportOptions
) -> None:
    version = draft / "1"
    version.mkdir()
    if files.params_path and Path(files.params_path).is_file() and not options.inline:
        weights = version / "model.pdiparams"
        shutil.copyfile(files.params_path, weights)
        moved = replace(files, params_path=str(weights))
        write_onnx(moved, version / "model.onnx", options)
    else:
        write_onnx(files, version / "model.onnx", options._replace(inline=True))
    engine = create_engine_of_files(files)
    write_files_atomically(
        {str(draft / "config.pbtxt"): to_pbtxt(model_config(name, engine, files)).encode()}
    )
    write_files_atomically({str(draft / "inference_service.yaml"): kserve_manifest(name).encode()})
