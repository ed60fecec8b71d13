"""`paddle.utils.cpp_extension`: its names, for packages that may build ops of their own against
Paddle; to build or load one is refused.
"""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.errors import OarlockError, with_user_line

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


def _refuse(name: str) -> NoReturn:
    why = (
        f"cpp_extension.{name}: ops in C++ are built against PaddlePaddle itself; here one is "
        f"a PyLayer or a function of Python"
    )
    raise OarlockError(with_user_line(why))


class BuildExtension:
    """Refused: a build of ops."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _refuse(type(self).__name__)


def CppExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: sources of ops."""
    _refuse("CppExtension")


def CUDAExtension(sources: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Refused: sources of ops."""
    _refuse("CUDAExtension")


def load(name: str, sources: Any, **kwargs: Any) -> NoReturn:
    """Refused: to build ops and load them."""
    _refuse("load")


def setup(**attr: Any) -> NoReturn:
    """Refused: to build a package of ops."""
    _refuse("setup")


def load_op_meta_info_and_register_op(lib_filename: str) -> NoReturn:
    """Refused: to load ops."""
    _refuse("load_op_meta_info_and_register_op")


def get_build_directory(verbose: bool = False) -> NoReturn:
    """Refused: there are no builds."""
    _refuse("get_build_directory")


def _import_module_from_library(
    module_name: str, build_directory: str, verbose: bool = False
) -> NoReturn:
    _refuse("_import_module_from_library")


def _jit_compile(file_path: str, verbose: bool = False) -> NoReturn:
    _refuse("_jit_compile")
