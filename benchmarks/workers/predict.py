"""Run models with Paddle's inference API: the same code for real Paddle and for Oarlock;
`onnxruntime` runs the models that Oarlock exported.

predict.py PEER FOLDER THREADS
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

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
    config.set_cpu_math_library_num_threads(threads)
    config.enable_memory_optim()
    if peer == "paddle":
        config.disable_glog_info()
        config.enable_mkldnn()
    session = inference.create_predictor(config)
    arrays = np.load(folder / f"{name}.npz")
    inputs = [(session.get_input_handle(key), arrays[key]) for key in session.get_input_names()]
    outputs = [session.get_output_handle(key) for key in session.get_output_names()]

    def run() -> object:
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


suffix = ".onnx" if peer == "onnxruntime" else ".pdmodel"
names = sorted(p.stem for p in folder.glob(f"*{suffix}"))
serve(
    {name: partial(onnx_session if peer == "onnxruntime" else predictor, name) for name in names},
    peer,
)
