"""Versions of the engine."""

from __future__ import annotations

from ..loader.engine import ort_library_info


def get_version() -> str:
    """Return the version of ONNX Runtime and the path of its library.

    Returns
    -------
    str

    Examples
    --------
    >>> print(paddle.inference.get_version())
    version: ONNX Runtime ...
    library: ...
    """
    info = ort_library_info()
    return f"version: ONNX Runtime {info['version']}\nlibrary: {info['path']}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """Return (0, 0, 0): the package is not compiled against TensorRT.

    Returns
    -------
    (int, int, int)

    Examples
    --------
    >>> paddle.inference.get_trt_compile_version()
    (0, 0, 0)
    """
    return (0, 0, 0)


def get_trt_runtime_version() -> tuple[int, int, int]:
    """Return (0, 0, 0): the version of TensorRT is not known.

    Returns
    -------
    (int, int, int)

    Examples
    --------
    >>> paddle.inference.get_trt_runtime_version()
    (0, 0, 0)
    """
    return (0, 0, 0)
