"""Run an ONNX file in OpenVINO, in OpenVINO's own environment.

    $OARLOCK_OPENVINO tests/interop/run_in_openvino.py MODEL.onnx INPUTS.npz OUTPUTS.npz

OUTPUTS.npz gets the outputs out0, out1, ...; standard output is JSON with the executed layers:
[[TYPE, PRECISION, [DTYPE OF EACH INPUT, ...]], ...].
"""

from __future__ import annotations

import json
import sys

import numpy as np
import openvino


def main() -> None:
    """Run the model."""
    model, inputs, outputs = sys.argv[1:]
    # by default, a processor with bfloat16 instructions computes float layers in bfloat16
    options = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}
    compiled = openvino.Core().compile_model(model, "CPU", options)
    with np.load(inputs) as arrays:
        found = compiled({name: arrays[name] for name in arrays.files})
    np.savez(outputs, **{f"out{i}": found[i] for i in range(len(compiled.outputs))})
    layers = []
    for op in compiled.get_runtime_model().get_ordered_ops():
        info = op.get_rt_info()
        dtypes = [value.get_element_type().get_type_name() for value in op.inputs()]
        layers.append([info["layerType"].astype(str), info["runtimePrecision"].astype(str), dtypes])
    print(json.dumps(layers))


if __name__ == "__main__":
    main()
