"""Programs as Paddle 1.x wrote them: what is written by hand goes to a program, whether or not
somebody switched to that.

Paddle 1.x was static unless a guard said otherwise.  Here the mode turns static with the first
thing that only makes sense in a program - `program_guard` for its body, `data` and `layers.data`
for good - unless one of `dygraph.guard` and `enable_dygraph` is in force.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core import unique_name
from ..core.build_info import is_compiled_with_cuda
from ..core.eager import EAGER
from ..core.flags import get_flags, set_flags
from ..core.mode import Mode, state, use_mode
from ..core.paddle1_compat import compat, use_paddle1
from ..framework import use_pir_api
from ..static import (
    Program,
    cpu_places,
    cuda_places,
    default_main_program,
    default_startup_program,
    device_guard,
    name_scope,
)
from ..static import data as _data
from ..static import program_guard as _program_guard
from ..static.graph.block import Block
from ..static.graph.default_programs import switch_main_program, switch_startup_program
from ..static.graph.mode import Writing, enable_static, writing
from ..static.graph.operator import Operator
from .complex_variable import ComplexVariable
from .inside import (
    OpProtoHolder,
    _cpu_num,
    _current_expected_place,
    _disable_legacy_dygraph,
    _dygraph_not_support_,
    _dygraph_place_guard,
    _dygraph_tracer,
    _enable_legacy_dygraph,
    _get_paddle_place,
    _in_eager_mode_,
    _in_eager_without_dygraph_check,
    _in_legacy_dygraph,
    _non_static_mode,
    _set_expected_place,
    _test_eager_guard,
    convert_np_dtype_to_dtype_,
    dygraph_only,
    get_all_op_protos,
    grad_var_name,
)
from .refused import refuse
from .variables import ParamBase, Parameter, Variable

EagerParamBase = ParamBase
__all__ = [
    "Block",
    "ComplexVariable",
    "EagerParamBase",
    "OpProtoHolder",
    "Operator",
    "ParamBase",
    "Parameter",
    "Program",
    "Variable",
    "_cpu_num",
    "_current_expected_place",
    "_disable_legacy_dygraph",
    "_dygraph_not_support_",
    "_dygraph_place_guard",
    "_dygraph_tracer",
    "_enable_legacy_dygraph",
    "_get_paddle_place",
    "_in_eager_mode_",
    "_in_eager_without_dygraph_check",
    "_in_legacy_dygraph",
    "_non_static_mode",
    "_set_expected_place",
    "_test_eager_guard",
    "convert_np_dtype_to_dtype_",
    "cpu_places",
    "cuda_pinned_places",
    "cuda_places",
    "data",
    "default_main_program",
    "default_startup_program",
    "device_guard",
    "dygraph_only",
    "get_all_op_protos",
    "get_flags",
    "grad_var_name",
    "in_dygraph_mode",
    "is_compiled_with_cuda",
    "load_op_library",
    "name_scope",
    "program_guard",
    "require_version",
    "set_flags",
    "switch_main_program",
    "switch_startup_program",
    "unique_name",
    "use_pir_api",
]  # fmt: skip


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """Write what the body says to these programs; the mode is static, as it always was outside of
    `dygraph.guard`, and stays dygraph inside.
    """
    runs = state.mode.builder is not None or (compat.is_paddle1 and not writing())
    with (
        use_paddle1(),
        use_mode(state.mode if runs else Writing()),
        _program_guard(main_program, startup_program),
    ):
        yield


def begin_program() -> None:
    """Turn static for good, where nobody has said how to run."""
    if state.mode.builder is None and not compat.is_paddle1:
        compat.is_paddle1 = True
        enable_static()


def data(name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0) -> Any:
    """An input of the program: a Variable [*shape], -1 or None where only a run knows."""
    begin_program()
    return _data(name, shape, dtype, lod_level)


def in_dygraph_mode() -> bool:
    """Whether ops run when they are called: in `dygraph.guard`, and after `enable_dygraph`; by
    itself in programs of 2.0 - 2.4 only.
    """
    return (compat.is_paddle1 or compat.follows_fluid_mode) and not writing()


_entered: list[tuple[Mode, bool]] = []


def enable_dygraph(place: Any = None) -> None:
    """From now on ops run when they are called."""
    if not in_dygraph_mode():
        _entered.append((state.mode, compat.is_paddle1))
        state.mode, compat.is_paddle1 = EAGER, True


def disable_dygraph() -> None:
    """Undo enable_dygraph; what runs by the mode before it is written to programs again."""
    if _entered:
        state.mode, compat.is_paddle1 = _entered.pop()


def cuda_pinned_places(device_count: int | None = None) -> list[Any]:
    """The processor, as often as asked for."""
    found: list[Any] = cpu_places(device_count)
    return found


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Nothing: what Oarlock offers are the names of all versions.

    Raises TypeError for what is no text.
    """
    for what, value in (("min_version", min_version), ("max_version", max_version)):
        if not isinstance(value, str) and (value is not None or what == "min_version"):
            raise TypeError(f"require_version: {what} is {type(value).__name__}, not a str")


def load_op_library(lib_filename: str) -> None:
    """Not there: raises OarlockError; ops compiled for Paddle's own headers need Paddle."""
    refuse("load_op_library", "ops that were compiled for Paddle's own headers need Paddle itself")
