"""`paddle.utils.cpp_extension`: names for packages that can build custom ops for Paddle. All
functions raise OarlockError.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.errors import OarlockError, append_user_line

__all__ = [
    "BuildExtension",
    "CUDAExtension",
    "CppExtension",
    "get_build_directory",
    "load",
    "setup",
]

CUDA_HOME = None  # no search for a CUDA compiler
ROCM_HOME = None


def _raise_unsupported(name: str) -> NoReturn:
    message = (
        f"cpp_extension.{name}: custom ops in C++ require PaddlePaddle; write a PyLayer "
        f"or a Python function instead"
    )
    raise OarlockError(append_user_line(message))


class BuildExtension:
    """Unsupported: raises OarlockError."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _raise_unsupported(type(self).__name__)


def CppExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("CppExtension")


def CUDAExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("CUDAExtension")


def load(name: str, sources: Any, **kwargs: Any) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("load")


def setup(**attr: Any) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("setup")


def load_op_meta_info_and_register_op(lib_filename: str) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("load_op_meta_info_and_register_op")


def get_build_directory(verbose: bool = False) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("get_build_directory")


def _import_module_from_library(
    module_name: str, build_directory: str, verbose: bool = False
) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("_import_module_from_library")


def _jit_compile(file_path: str, verbose: bool = False) -> NoReturn:
    """Unsupported: raises OarlockError."""
    _raise_unsupported("_jit_compile")
