"""Name the dynamic dimensions of ONNX outputs after the input dimensions that they equal."""

from __future__ import annotations

MAX_BYTES = 1 << 29  # largest size of a file in bytes, because shape inference copies the file


def name_output_dims_after_input_dims(data: bytes) -> bytes:
    """Set the `dim_param` (such as `image.0`) of each output dimension that ONNX shape inference
    finds equal to an input dimension.

    Returns `data` itself if the package onnx is missing or its inference fails.
    """
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        return data
    if len(data) > MAX_BYTES:
        return data
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - slow to import

    try:
        model = onnx.load_from_string(data)
        inferred = onnx.shape_inference.infer_shapes(model)
    except (DecodeError, onnx.shape_inference.InferenceError, RuntimeError):
        # If shape inference fails, the data are returned unchanged; onnx.checker reports the reason
        # later. DecodeError means that the model is nested more deeply than protobuf reads.
        return data
    inputs = {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim}
    changed = False
    for output, inferred_output in zip(model.graph.output, inferred.graph.output, strict=True):
        for dim, inferred_dim in zip(
            output.type.tensor_type.shape.dim,
            inferred_output.type.tensor_type.shape.dim,
            strict=False,
        ):
            if not dim.WhichOneof("value") and inferred_dim.dim_param in inputs - {""}:
                dim.dim_param, changed = inferred_dim.dim_param, True
    return model.SerializeToString(deterministic=True) if changed else data
