from collections.abc import Callable
from typing import Any

from ._tensor_methods import TensorMethods

class TensorBase(TensorMethods):
    """The fields of a Tensor that every op touches."""

    array: Any
    stop_gradient: bool
    node: Any
    index: int
    grad: Any
    saved_for_backward: bool
    inplace_version: int
    _hooks: list[Callable[[Any], Any]] | None
    _history: tuple[tuple[int, Any], ...]
    _origin: Any
    _zeros: Any

class OpBase:
    """The fields of an Op that every call touches; calling it asks the mode in force."""

    kernel: Callable[..., Any]
    vjp_rule: Callable[..., Any] | None
    vjp_keyword_names: tuple[str, ...]
    vjp_attr_defaults: tuple[Any, ...]
    vjp_output_indices: tuple[int, ...]
    num_inputs: int
    same_dtype: int
    floating: int
    has_single_output: bool
    has_vjp: bool
    def __call__(self, *args: Any, **attrs: Any) -> Any: ...

class Node:
    """One recorded op.

    args: its inputs, None once the graph was freed; outs: its output arrays, if the rule reads
    them.
    """

    op: Any
    args: Any
    attrs: dict[str, Any]
    outs: Any
    hooks: dict[int, list[Any]] | None
    grads: dict[int, Any] | None
    seq: int
    def __init__(
        self, op: Any, args: tuple[Any, ...], attrs: dict[str, Any], outs: Any
    ) -> None: ...
    def free(self) -> None: ...
    def hooks_of(self, index: int) -> list[Any]: ...

class State:
    """The mode in force, by thread."""

    mode: Any

class Operator:
    """A binary operator of Tensor.

    `op` handles two eager tensors of one dtype, or a tensor and a number; `function` the rest.
    """

    def __init__(
        self, op: OpBase, function: Callable[..., Any], whole: bool, swapped: bool = False
    ) -> None: ...
    def __call__(self, x: Any, y: Any) -> Any: ...

class BackwardEngine:
    """The backward engine; its Python subclass handles rare cases."""

    active_tensors: Any
    nodes: set[int] | None
    watched: set[tuple[int, int]]
    last_uses: dict[int, list[Any]] | None
    sum: OpBase
    bare: bool
    calls_before_vjp_rule: bool
    def add(self, tensor: Any, gradient: Any) -> None: ...
    def run(self, retain: bool) -> None: ...
    def leaves(self) -> list[tuple[Any, Any]]: ...
    def leaf(self, tensor: Any) -> Any: ...

def configure(
    tensor: type, explain: Callable[..., Any], is_float: Callable[[Any], bool]
) -> None: ...
def set_modes(eager: Any, no_tape: Any, bare: Any) -> None: ...
def take_next_seq() -> int: ...
def oldest_seq() -> int: ...
def accumulate_grad(leaves: list[Any], gradients: list[Any]) -> list[tuple[Any, Any]]: ...
def zero_grads(tensors: list[Any]) -> list[Any]: ...
def are_leaves(tensors: Any) -> bool: ...
def arrays_of(tensors: list[Any]) -> list[Any]: ...
def tensors_hold_arrays(tensors: list[Any], arrays: list[Any]) -> bool: ...
def stop_gradients_of(tensors: list[Any]) -> tuple[bool, ...]: ...
def wrap_arrays(arrays: tuple[Any, ...]) -> list[Any]: ...
def record_program_call(
    op: OpBase,
    operands: list[Any],
    input_indices: list[int],
    attrs: dict[str, Any],
    outs: tuple[Any, ...],
    output_indices: list[int],
) -> list[Any]:
    """Wrap the arrays `outs` in tensors.

    Those whose indices are in `output_indices` are outputs of a new node, whose inputs are the
    operands with indices in `input_indices`.
    """
    ...

def limited(function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any: ...
def take_rejected_size() -> int: ...
