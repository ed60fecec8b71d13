"""What stands in fluid.framework with an underscore, or undocumented: Paddle's own tests, and
programs written by them, take it from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, NamedTuple

from ..capture.variable import GRADIENT
from ..core.dtype import DType, dtype_of
from ..core.mode import state
from ..core.op import OPS
from ..core.place import CPUPlace, Place
from ..ir.program import AttrType
from ..static.graph.mode import in_dynamic_mode, writing

# -- modes
# ------------------------------------------------------------------------------


@contextmanager
def _test_eager_guard(place: Any = None) -> Iterator[None]:
    """Nothing: there is one eager mode."""
    yield


def _non_static_mode() -> bool:
    """Whether ops run when they are called."""
    return in_dynamic_mode()


def _in_legacy_dygraph() -> bool:
    """False: there is one eager mode, the new one."""
    return False


def _in_eager_mode_() -> bool:
    """True: there is one eager mode, the new one."""
    return True


def _in_eager_without_dygraph_check() -> bool:
    """True: there is one eager mode, the new one."""
    return True


def _enable_legacy_dygraph() -> None:
    """Nothing: there is one eager mode."""


_disable_legacy_dygraph = _enable_legacy_dygraph


def _dygraph_tracer() -> Any:
    """The mode that runs ops; None where a program is written."""
    return None if writing() else state.mode


def dygraph_only(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that may be called only where ops run when they are called, else
    AssertionError.
    """
    return _only(function, in_dynamic_mode, "dygraph")


def _dygraph_not_support_(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a function that may be called only where a program is written, else
    AssertionError.
    """
    return _only(function, writing, "static")


def _only(function: Callable[..., Any], holds: Callable[[], bool], mode: str) -> Callable[..., Any]:
    @wraps(function)
    def asking(*args: Any, **kwargs: Any) -> Any:
        assert holds(), f"We only support '{function.__name__}()' in {mode} mode"
        return function(*args, **kwargs)

    return asking


# -- devices
# ------------------------------------------------------------------------------


def _current_expected_place() -> Place:
    """The processor."""
    return CPUPlace()


@contextmanager
def _dygraph_place_guard(place: Any) -> Iterator[None]:
    """Nothing: ops run on the processor."""
    yield


def _set_expected_place(place: Any) -> None:
    """Nothing: ops run on the processor."""


def _get_paddle_place(place: Any) -> Any:
    """A place, of its name where it is a text."""
    return CPUPlace() if isinstance(place, str) else place


def _cpu_num() -> int:
    """One: ops run on one processor."""
    return 1


# -- names, dtypes
# --------------------------------------------------------------------------------------------------


def convert_np_dtype_to_dtype_(np_dtype: Any) -> DType:
    """The dtype that NumPy's, or its name, stands for."""
    return dtype_of(np_dtype)


def grad_var_name(var_name: str) -> str:
    """The name of the gradient of a variable."""
    return var_name + GRADIENT


# -- facts about ops
# -------------------------------------------------------------------------------------------


class SlotProto(NamedTuple):
    """A slot of an op."""

    name: str
    duplicable: bool
    dispensable: bool
    intermediate: bool = False


class AttrProto(NamedTuple):
    """An attribute of an op."""

    name: str
    type: int


class OpProto(NamedTuple):
    """What is known of an op: slots of operands and results, attributes."""

    type: str
    inputs: list[SlotProto]
    outputs: list[SlotProto]
    attrs: list[AttrProto]


def get_all_op_protos() -> list[OpProto]:
    """What is known of each op."""
    return [_proto(type) for type in sorted(OPS)]


def _proto(type: str) -> OpProto:
    op = OPS[type]
    ins = [SlotProto(s.name, s.many, s.optional) for s in op.ins if "@LOD" not in s.name]
    outs = [SlotProto(s.name, s.many, s.optional, s.intermediate) for s in op.outs]
    return OpProto(
        type, ins, outs, [AttrProto(n, int(AttrType[s.type])) for n, s in op.attrs.items()]
    )


class OpProtoHolder:
    """The ops that are known, by type."""

    _one: OpProtoHolder | None = None

    @classmethod
    def instance(cls) -> OpProtoHolder:
        """The only one."""
        cls._one = cls._one or cls()
        return cls._one

    def get_op_proto(self, type: str) -> OpProto:
        """What is known of an op.   Raises ValueError for one that is not known."""
        if type not in OPS:
            raise ValueError(f'Operator "{type}" has not been registered.')
        return _proto(type)

    @staticmethod
    def generated_op_attr_names() -> set[str]:
        """The attributes that any op may have."""
        return {"op_role", "op_role_var", "op_namescope", "op_callstack", "op_device"}
