"""Which engine runs the models."""

from __future__ import annotations

from ..loader.engine import library_info


def get_version() -> str:
    """One line about the engine: its version, and the file it was opened from."""
    found = library_info()
    return f"version: ONNX Runtime {found['version']}\nlibrary: {found['path']}\n"


def get_trt_compile_version() -> tuple[int, int, int]:
    """(0, 0, 0): nothing is compiled against TensorRT; the engine opens it when it is asked for."""
    return (0, 0, 0)


def get_trt_runtime_version() -> tuple[int, int, int]:
    """(0, 0, 0), as above."""
    return (0, 0, 0)
