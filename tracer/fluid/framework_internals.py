"""Private and undocumented names of fluid.framework, which Paddle's own tests and programs derived
from them use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from ..capture.variable import GRADIENT_SUFFIX
from ..core.dtype import DType, parse_dtype
from ..core.mode import state
from ..core.op import OPS
from ..core.place import CPUPlace, Place
from ..ir.program import AttrType
from ..static.graph.mode import in_dynamic_mode, is_recording_static_graph

# -- modes
# ------------------------------------------------------------------------------


@contextmanager
def _test_eager_guard(place: Any = None) -> Iterator[None]:
    """Do nothing, because Oarlock has only one eager mode."""
    yield


def _non_static_mode() -> bool:
    """Whether ops run eagerly."""
    return in_dynamic_mode()


def _in_legacy_dygraph() -> bool:
    """Return False, because Oarlock does not have Paddle's legacy eager mode."""
    return False


def _in_eager_mode_() -> bool:
    """Return True, because Oarlock's only eager mode corresponds to Paddle's newer one."""
    return True


def _in_eager_without_dygraph_check() -> bool:
    """Return True, because Oarlock's only eager mode corresponds to Paddle's newer one."""
    return True


def _enable_legacy_dygraph() -> None:
    """Do nothing, because Oarlock has only one eager mode."""


_disable_legacy_dygraph = _enable_legacy_dygraph


def _dygraph_tracer() -> Any:
    """Return the dispatch mode that runs ops; None in static graph mode."""
    return None if is_recording_static_graph() else state.mode


def dygraph_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that raises AssertionError outside of eager mode."""
    return _wrap_with_mode_assertion(function, in_dynamic_mode, "dygraph")


def _dygraph_not_support_(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that raises AssertionError outside of static graph mode."""
    return _wrap_with_mode_assertion(function, is_recording_static_graph, "static")


def _wrap_with_mode_assertion(
    function: Callable[..., Any], is_active: Callable[[], bool], mode: str
) -> Callable[..., Any]:
    @wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        assert is_active(), f"We only support '{function.__name__}()' in {mode} mode"
        return function(*args, **kwargs)

    return wrapper


# -- devices
# ------------------------------------------------------------------------------


def _current_expected_place() -> Place:
    """Return the CPU."""
    return CPUPlace()


@contextmanager
def _dygraph_place_guard(place: Any) -> Iterator[None]:
    """Do nothing: ops run on the CPU."""
    yield


def _set_expected_place(place: Any) -> None:
    """Do nothing: ops run on the CPU."""


def _get_paddle_place(place: Any) -> Any:
    """Return a place unchanged; for a str, return the CPU."""
    return CPUPlace() if isinstance(place, str) else place


def _cpu_num() -> int:
    """Return 1."""
    return 1


# -- names, dtypes
# --------------------------------------------------------------------------------------------------


def convert_np_dtype_to_dtype_(np_dtype: Any) -> DType:
    """Return the dtype for a NumPy dtype or its name."""
    return parse_dtype(np_dtype)


def grad_var_name(var_name: str) -> str:
    """Return the name of the gradient of a variable."""
    return var_name + GRADIENT_SUFFIX


# -- definitions of ops
# -------------------------------------------------------------------------------------------


class SlotProto(NamedTuple):
    """The definition of an input or output slot of an op."""

    name: str
    duplicable: bool
    dispensable: bool
    intermediate: bool = False


class AttrProto(NamedTuple):
    """The definition of an attribute of an op."""

    name: str
    type: int


class OpProto(NamedTuple):
    """The definition of an op: its slots and attributes."""

    type: str
    inputs: list[SlotProto]
    outputs: list[SlotProto]
    attrs: list[AttrProto]


def get_all_op_protos() -> list[OpProto]:
    """Return the slots and attributes of all ops."""
    return [_create_op_proto(type) for type in sorted(OPS)]


def _create_op_proto(type: str) -> OpProto:
    op = OPS[type]
    ins = [SlotProto(s.name, s.is_list, s.is_optional) for s in op.ins if "@LOD" not in s.name]
    outs = [SlotProto(s.name, s.is_list, s.is_optional, s.is_intermediate) for s in op.outs]
    return OpProto(
        type, ins, outs, [AttrProto(n, int(AttrType[s.type])) for n, s in op.attrs.items()]
    )


class OpProtoHolder:
    """Registry of ops, which returns the definition of an op by its type."""

    _instance: OpProtoHolder | None = None

    @classmethod
    def instance(cls) -> OpProtoHolder:
        """Return the singleton."""
        cls._instance = cls._instance or cls()
        return cls._instance

    def get_op_proto(self, type: str) -> OpProto:
        """Return the slots and attributes of an op. Raises ValueError for an unknown op."""
        if type not in OPS:
            raise ValueError(f'Operator "{type}" has not been registered.')
        return _create_op_proto(type)

    @staticmethod
    def generated_op_attr_names() -> set[str]:
        """Return the names of the attributes that every op may have."""
        return {"op_role", "op_role_var", "op_namescope", "op_callstack", "op_device"}
