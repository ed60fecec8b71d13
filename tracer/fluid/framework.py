"""The modes of Paddle 1.x.

Paddle 1.x was in static graph mode outside of `dygraph.guard`. Here the mode becomes static with
the first call that requires it - `program_guard` for its body, `data` and `layers.data` permanently
- unless `dygraph.guard` or `enable_dygraph` is active.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..core import unique_name
from ..core.compiled_features import is_compiled_with_cuda
from ..core.eager import EAGER_MODE
from ..core.flags import get_flags, set_flags
from ..core.mode import Mode, state, use_mode
from ..core.paddle1_compat import compat, temporarily_emulate_paddle1
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
from ..static import program_guard as _program_guard
from ..static.graph.block import Block
from ..static.graph.declared_variables import declare_data_input
from ..static.graph.default_programs import switch_main_program, switch_startup_program
from ..static.graph.mode import StaticGraphMode, enable_static, is_recording_static_graph
from ..static.graph.operator import Operator
from .complex_variable import ComplexVariable
from .framework_internals import (
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
from .unsupported import raise_unsupported
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
]


@contextmanager
def program_guard(main_program: Program, startup_program: Program | None = None) -> Iterator[None]:
    """In the body of `with program_guard(...)`, record ops in the given programs. Outside of
    `dygraph.guard`, the body runs in static mode, as in Paddle 1.x; inside of it, the mode stays
    eager.

    The newer name is `paddle.static.program_guard`.
    """
    keeps_mode = state.mode.program_builder is not None or (
        compat.is_paddle1 and not is_recording_static_graph()
    )
    with (
        temporarily_emulate_paddle1(),
        use_mode(state.mode if keeps_mode else StaticGraphMode()),
        _program_guard(main_program, startup_program),
    ):
        yield


def enter_paddle1_static_mode_unless_active_or_recording() -> None:
    """Enter static graph mode permanently, unless a program is being recorded or the behavior of
    Paddle 1.x is active already.
    """
    if state.mode.program_builder is None and not compat.is_paddle1:
        compat.is_paddle1 = True
        enable_static()


def data(name: str, shape: Any, dtype: Any = "float32", lod_level: int = 0) -> Any:
    """Declare an input of the program, [*shape], with -1 or None for dynamic dimensions.

    The newer name is `paddle.static.data`.
    """
    enter_paddle1_static_mode_unless_active_or_recording()
    return declare_data_input(name, shape, dtype, lod_level)


def in_dygraph_mode() -> bool:
    """Return whether `dygraph.guard` or enable_dygraph is active. If Paddle 2.0 to 2.4 is emulated,
    return whether no program is being recorded.

    The newer name is `paddle.in_dynamic_mode`.
    """
    return (compat.is_paddle1 or compat.follows_fluid_mode) and not is_recording_static_graph()


_previous_modes: list[tuple[Mode, bool]] = []


def enable_dygraph(place: Any = None) -> None:
    """Enter eager mode.

    The newer name is `paddle.disable_static`.
    """
    if not in_dygraph_mode():
        _previous_modes.append((state.mode, compat.is_paddle1))
        state.mode, compat.is_paddle1 = EAGER_MODE, True


def disable_dygraph() -> None:
    """Return to the mode that was active before the last enable_dygraph.

    The newer name is `paddle.enable_static`.
    """
    if _previous_modes:
        state.mode, compat.is_paddle1 = _previous_modes.pop()


def cuda_pinned_places(device_count: int | None = None) -> list[Any]:
    """Return `device_count` places on the CPU.

    The newer name is `paddle.CUDAPinnedPlace`.
    """
    places: list[Any] = cpu_places(device_count)
    return places


def require_version(min_version: str, max_version: str | None = None) -> None:
    """Check only that the versions are str, because Oarlock provides the API of all versions of
    Paddle.

    Raises TypeError for other types than str.
    """
    for name, value in (("min_version", min_version), ("max_version", max_version)):
        if not isinstance(value, str) and (value is not None or name == "min_version"):
            raise TypeError(f"require_version: {name} is {type(value).__name__}, not a str")


def load_op_library(lib_filename: str) -> None:
    """Not supported: raises OarlockError; compiled ops require Paddle."""
    raise_unsupported(
        "load_op_library", "ops that are compiled with Paddle's headers require Paddle itself"
    )
