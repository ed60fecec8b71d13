"""Sizes of outputs that only a run knows, named after the sizes of inputs that they are."""

from __future__ import annotations

MOST = 1 << 29  # maximal size of a file in bytes: inference copies it


def with_named_outputs(data: bytes) -> bytes:
    """A ModelProto whose outputs say `image.0` where a size is that of an input.

    As it was without the package onnx, or where its inference fails.
    """
    try:
        import onnx  # noqa: PLC0415 - an extra
    except ImportError:
        return data
    if len(data) > MOST:
        return data
    from google.protobuf.message import DecodeError  # noqa: PLC0415 - slow to import

    try:
        model = onnx.load_from_string(data)
        inferred = onnx.shape_inference.infer_shapes(model)
    except (DecodeError, onnx.shape_inference.InferenceError, RuntimeError):
        # The checker reports the reason. DecodeError: nested deeper than protobuf reads.
        return data
    inputs = {d.dim_param for i in model.graph.input for d in i.type.tensor_type.shape.dim}
    named = False
    for mine, found in zip(model.graph.output, inferred.graph.output, strict=True):
        for here, there in zip(
            mine.type.tensor_type.shape.dim, found.type.tensor_type.shape.dim, strict=False
        ):
            if not here.WhichOneof("value") and there.dim_param in inputs - {""}:
                here.dim_param, named = there.dim_param, True
    return model.SerializeToString(deterministic=True) if named else data
