"""Run a model in ONNX Runtime, and measure time and memory of each op."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import GuardError, OpError
from ..ir.dim import format_shape
from ..loader.engine import Engine
from ..loader.model_files import ModelFileContents
from ..loader.program_engine import create_engine_of_files
from ..loader.runtime import EngineError, first_reason_of_error
from ..onnx.writer import session_options
from .data_flow import DataFlow
from .graph import GraphOp, ModelGraph

_KERNEL_SUFFIX = "_kernel_time"
# Suffix of the nodes that ONNX Runtime replaces by nodes for blocked memory layouts.
_LAYOUT_SUFFIX = "_nchwc"
# Prefix of the nodes into which ONNX Runtime has fused an activation.
_ACTIVATION_FUSION_PREFIX = "fused "
# ONNX operator -> a part of the types of the ops whose work a fused kernel of it mostly does
_MAIN_OP_OF_FUSED_KERNEL = {
    "Conv": "conv",
    "FusedConv": "conv",
    "ConvTranspose": "conv",
    "Gemm": "mul",
    "FusedGemm": "mul",
    "MatMul": "mul",
    "FusedMatMul": "mul",
}
_MAX_FUSED_OPS = 30
_CONTROL_FLOW_OPERATORS = ("Loop", "If", "Scan")

Array = np.ndarray[Any, Any]


@dataclass
class KernelProfile:
    """Means per run of one node of ONNX Runtime.

    output_bytes: the size of the outputs. input_bytes, parameter_bytes: of what the node reads.
    """

    node: str
    operator: str
    milliseconds: float = 0.0
    calls: float = 0.0
    output_bytes: int = 0
    input_bytes: int = 0
    parameter_bytes: int = 0
    output_types: str = ""


@dataclass
class ModelProfile:
    """The profile of a model.

    kernels: of each op, by the number of the op.
    other_kernels: kernels that belong to no op, such as conversions of the memory layout.
    """

    runs: int
    milliseconds: float
    inputs: list[str]
    kernels: dict[int, list[KernelProfile]] = field(default_factory=dict)
    other_kernels: list[KernelProfile] = field(default_factory=list)


def profile_model(
    files: ModelFileContents,
    graph: ModelGraph,
    flow: DataFlow,
    feeds: Mapping[str, Array] | None,
    shapes: Mapping[str, Sequence[int]],
    runs: int,
) -> ModelProfile:
    """Run a model of Paddle, and return its profile.

    feeds: the inputs by name; None for generated inputs.
    shapes: the shapes of some generated inputs.
    """
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        engine = create_engine_of_files(files, profile=str(Path(folder) / "profile"))
        names = [name for name, _, _ in engine.inputs]
        arrays = _run_first(engine, names, feeds, shapes)
        for _ in range(runs):
            engine.run(arrays)
        events = json.loads(Path(engine.end_profile()).read_bytes())
    return _profile_of_events(events, graph, flow, runs, dict(zip(names, arrays, strict=True)))


def _run_first(
    engine: Engine,
    names: list[str],
    feeds: Mapping[str, Array] | None,
    shapes: Mapping[str, Sequence[int]],
) -> list[Array]:
    """Run the engine once, and return the inputs."""
    if feeds is not None:
        arrays = select_feeds(names, feeds)
        engine.run(arrays)
        return arrays
    reason = "the inputs would have too many elements"
    for arrays in engine.iter_synthetic_input_sets(shapes):
        try:
            engine.run(arrays)
        except (EngineError, GuardError, OpError) as error:
            reason = first_reason_of_error(error)
        else:
            return arrays
    raise OpError(
        f"view: generated inputs do not fit this model ({reason}); give sizes with --shape, or "
        "inputs with --input"
    )


def select_feeds(names: list[str], feeds: Mapping[str, Array]) -> list[Array]:
    """Return the arrays of an .npz file in the order of the inputs: arrays named as inputs, or in0,
    in1, ...
    """
    found = [feeds.get(name, feeds.get(f"in{i}")) for i, name in enumerate(names)]
    missing = [name for name, array in zip(names, found, strict=True) if array is None]
    if missing:
        raise OpError(f"view: --input lacks the inputs {missing} (it holds {sorted(feeds)})")
    return [array for array in found if array is not None]


def profile_onnx_file(
    path: Path,
    graph: ModelGraph,
    flow: DataFlow,
    feeds: Mapping[str, Array] | None,
    shapes: Mapping[str, Sequence[int]],
    runs: int,
) -> ModelProfile:
    """Run an `.onnx` file, and return its profile; see `profile_model`."""
    import onnxruntime  # noqa: PLC0415 - a second engine in the process, used only here

    names = [arg.name for arg in graph.inputs]
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        options = session_options()
        options.enable_profiling = True
        options.profile_file_prefix = str(Path(folder) / "profile")
        try:
            session = onnxruntime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
            arrays = select_feeds(names, feeds or _generate_inputs(graph, shapes))
            by_name = dict(zip(names, arrays, strict=True))
            for _ in range(runs + 1):
                session.run(None, by_name)
        except OpError:
            raise
        except Exception as error:  # its error classes have no common base class
            raise EngineError(f"{path.name}: {error}") from None
        events = json.loads(Path(session.end_profiling()).read_bytes())
    return _profile_of_events(events, graph, flow, runs, by_name)


def _generate_inputs(graph: ModelGraph, shapes: Mapping[str, Sequence[int]]) -> dict[str, Array]:
    """Return random inputs for an ONNX model; dynamic dimensions have the size 1."""
    unknown = shapes.keys() - {arg.name for arg in graph.inputs}
    if unknown:
        raise OpError(f"view: --shape: the model has no input {sorted(unknown)}")
    random = np.random.default_rng(0)
    arrays = {}
    for name, kind, _ in graph.inputs:
        sizes = [d if isinstance(d, int) and d >= 0 else 1 for d in kind.shape or ()]
        shape = tuple(shapes.get(name, sizes))
        try:
            dtype = np.dtype(kind.dtype)
        except TypeError:
            raise OpError(f"view: input '{name}' is {kind}; give inputs with --input") from None
        is_inexact = np.issubdtype(dtype, np.inexact)
        values = random.standard_normal(shape) if is_inexact else random.integers(0, 2, shape)
        arrays[name] = np.asarray(values).astype(dtype)
    return arrays


def _profile_of_events(
    events: Any, graph: ModelGraph, flow: DataFlow, runs: int, feeds: Mapping[str, Array]
) -> ModelProfile:
    """Return the means of the last `runs` runs in a profile of ONNX Runtime."""
    starts = sorted(event["ts"] for event in events if event["name"] == "model_run")
    first = starts[-runs]
    nodes: dict[str, KernelProfile] = {}
    total = 0.0
    for event in events:
        args = event.get("args", {})
        if event["ts"] < first:
            continue
        if event["name"] == "model_run":
            total += event["dur"] / 1e3 / runs
        if not event["name"].endswith(_KERNEL_SUFFIX) or "op_name" not in args:
            continue
        name = event["name"].removesuffix(_KERNEL_SUFFIX)
        kernel = nodes.setdefault(name, KernelProfile(name, args["op_name"]))
        kernel.milliseconds += event["dur"] / 1e3 / runs
        kernel.calls += 1 / runs
        for attribute, key in (
            ("output_bytes", "output_size"),
            ("input_bytes", "activation_size"),
            ("parameter_bytes", "parameter_size"),
        ):
            size = int(args.get(key, 0))
            setattr(kernel, attribute, max(size, getattr(kernel, attribute)))
        kernel.output_types = ", ".join(
            f"{dtype}{format_shape(shape)}"
            for item in args.get("output_type_shape", [])
            for dtype, shape in item.items()
        )
    inputs = [f"{name}: {a.dtype}{format_shape(a.shape)}" for name, a in feeds.items()]
    profile = ModelProfile(runs, total, inputs)
    _assign_kernels_to_ops(profile, list(nodes.values()), list(graph.ops()), flow)
    return profile


def _assign_kernels_to_ops(
    profile: ModelProfile, kernels: list[KernelProfile], ops: list[GraphOp], flow: DataFlow
) -> None:
    """Find the op of each kernel. A kernel has the name of a node, or of the output of an op; a
    fused kernel has the name of the last op that it computes.
    """
    numbers_of_name: dict[str, list[int]] = {}
    for number, op in enumerate(ops):
        for name in _kernel_names(op):
            numbers_of_name.setdefault(name, []).append(number)
    found: list[tuple[KernelProfile, int]] = []
    for kernel in kernels:
        numbers = next(
            (numbers_of_name[n] for n in _shorter_names(kernel.node) if n in numbers_of_name), []
        )
        # several ops may write a variable, such as an op before a loop and the loop
        is_control_flow = kernel.operator in _CONTROL_FLOW_OPERATORS
        best = [n for n in numbers if (n in flow.sub_blocks) == is_control_flow] or numbers
        if best:
            found.append((kernel, best[0]))
        else:
            profile.other_kernels.append(kernel)
    named = {number for _, number in found}
    for kernel, number in found:
        main = _main_op_of_kernel(kernel, number, named, ops, flow)
        profile.kernels.setdefault(main, []).append(kernel)


def _kernel_names(op: GraphOp) -> Iterator[str]:
    if op.node_name:
        yield op.node_name
    path = "/".join(op.layer)
    for name in op.output_names():
        yield name
        if path:
            yield f"{path}/{name}"


def _shorter_names(name: str) -> Iterator[str]:
    """Yield the name of a kernel, and shorter names: a node of an op has the name of its output,
    followed by `/` and more, or by `.` and a number.
    """
    name = name.removesuffix(_LAYOUT_SUFFIX).removeprefix(_ACTIVATION_FUSION_PREFIX)
    while name:
        yield name
        yield re.sub(r"\.\d+$", "", name)
        name = name.rpartition("/")[0]


def _main_op_of_kernel(
    kernel: KernelProfile, number: int, named: set[int], ops: list[GraphOp], flow: DataFlow
) -> int:
    """Return the number of the op that a fused kernel mostly computes: the convolution or product
    of matrices before the op whose name the kernel has.
    """
    wanted = _MAIN_OP_OF_FUSED_KERNEL.get(kernel.operator.rpartition(".")[2])
    if wanted is None:
        return number
    reached = [number]  # the op, and ops before it without a kernel, the closest first
    for at in reached:
        if wanted in ops[at].type.lower():
            return at
        producers = {s.op for sources in flow.inputs[at].values() for s in sources if s.op >= 0}
        reached += sorted(producers - named - set(reached))
        if len(reached) > _MAX_FUSED_OPS:
            break
    return number
