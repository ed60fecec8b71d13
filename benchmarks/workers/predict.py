"""Run models with Paddle's inference API: the same code for real Paddle and for Oarlock.
`oarlock_openvino` runs them in Oarlock with ONNX Runtime's execution provider OpenVINO,
`onnxruntime` runs the graphs that Oarlock exported, `openvino` the models of Paddle that OpenVINO
runs correctly, otherwise the exported graphs.

predict.py PEER FOLDER THREADS (0: the default of the peer)
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from serve import Case, serve

peer, folder, threads = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])


def predictor(name: str) -> Case:
    """Return a function that copies the inputs, runs the model and copies the outputs."""
    if peer == "paddle":
        from paddle import inference
    else:
        from oarlock import inference

    config = inference.Config(str(folder / f"{name}.pdmodel"), str(folder / f"{name}.pdiparams"))
    if threads:
        config.set_cpu_math_library_num_threads(threads)
    elif peer == "paddle":  # the default of Paddle is one thread
        config.set_cpu_math_library_num_threads(len(os.sched_getaffinity(0)))
    config.enable_memory_optim()
    if peer == "paddle":
        config.disable_glog_info()
        config.enable_mkldnn()
    session = inference.create_predictor(config)
    arrays = np.load(folder / f"{name}.npz")
    inputs = [(session.get_input_handle(key), arrays[key]) for key in session.get_input_names()]
    outputs = [session.get_output_handle(key) for key in session.get_output_names()]

    def run() -> list[Any]:
        for handle, array in inputs:
            handle.reshape(array.shape)
            handle.copy_from_cpu(array)
        session.run()
        return [handle.copy_to_cpu() for handle in outputs]

    return run


def onnx_session(name: str) -> Case:
    """Return a function that runs the exported graph in ONNX Runtime's Python package."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        str(folder / f"{name}.onnx"), options, providers=["CPUExecutionProvider"]
    )
    arrays = np.load(folder / f"{name}.npz")
    feeds = {i.name: arrays[i.name] for i in session.get_inputs()}
    return lambda: session.run(None, feeds)


def openvino_execution_provider(name: str) -> Case:
    """Return a function that runs the model in Oarlock's engine with the provider OpenVINO."""
    from oarlock.loader.engine import Engine

    (library,) = (
        Path(os.environ["OARLOCK_ORT_OPENVINO"])
        .parents[1]
        .glob("lib/python3*/site-packages/onnxruntime/capi/libonnxruntime.so*")
    )
    # by default, a processor with bfloat16 instructions computes float layers in bfloat16
    provider = {"device_type": "CPU", "precision": "FP32"}
    if threads:
        provider["num_of_threads"] = str(threads)
    engine = Engine(
        (folder / f"{name}.pdmodel").read_bytes(),
        str(folder / f"{name}.pdiparams"),
        threads=threads,
        ort_library=str(library),
        execution_provider="OpenVINO",
        provider=provider,
    )
    arrays = np.load(folder / f"{name}.npz")
    feeds = {key: arrays[key] for key, _, _ in engine.inputs}
    return require_correct(name, lambda: engine.run(feeds))


def openvino_request(name: str) -> Case:
    """Return a function that runs the model in OpenVINO."""
    errors = []
    for suffix in (".pdmodel", ".onnx"):
        try:
            return require_correct(name, compile_in_openvino(folder / f"{name}{suffix}"))
        except Exception as error:  # OpenVINO raises many types
            errors.append(f"{suffix}: {error}")
    raise ValueError("; ".join(errors))


def compile_in_openvino(path: Path) -> Case:
    """Return a function that runs a file in OpenVINO."""
    import openvino

    core = openvino.Core()
    # by default, a processor with bfloat16 instructions computes float layers in bfloat16
    options = {"INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    if threads:
        options["INFERENCE_NUM_THREADS"] = str(threads)
    request = core.compile_model(core.read_model(path), "CPU", options).create_infer_request()
    arrays = np.load(path.with_suffix(".npz"))
    feeds = {key: arrays[key] for key in arrays.files}
    return lambda: list(request.infer(feeds, share_inputs=True).values())


def require_correct(name: str, run: Case) -> Case:
    """Return `run`, or raise ValueError if its results differ from those of Paddle Inference."""
    with np.load(folder / f"{name}.out.npz") as wanted:
        check_results(run(), [wanted[f"out{i}"] for i in range(len(wanted.files))])
    return run


def check_results(results: object, wanted: Sequence[Any]) -> None:
    """Raise ValueError if results differ by more than rounding."""
    assert isinstance(results, list)
    if len(results) != len(wanted):
        raise ValueError(f"{len(results)} results instead of {len(wanted)}")
    for i, (result, expected) in enumerate(zip(results, wanted, strict=True)):
        if result.shape != expected.shape:
            raise ValueError(f"result {i}: shape {result.shape} instead of {expected.shape}")
        scale = max(1.0, float(np.abs(expected).max(initial=0)))
        if not np.allclose(result / scale, expected / scale, rtol=1e-3, atol=1e-4):
            raise ValueError(f"result {i} differs from Paddle's")


functions = {
    "onnxruntime": onnx_session,
    "openvino": openvino_request,
    "oarlock_openvino": openvino_execution_provider,
}
names = sorted(p.stem for p in folder.glob("*.pdmodel"))
serve({name: partial(functions.get(peer, predictor), name) for name in names}, peer)
