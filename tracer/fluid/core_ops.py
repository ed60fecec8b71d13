"""fluid.core.ops and paddle._legacy_C_ops: ops with the calling convention of Paddle's generated
functions.

Operands come first, in the order of the op's slots; then, for the slots of results that the caller
has, the tensors to write; then
names of attributes and their values.
`relu_` is `relu` in place.
An op whose result is a list is told its length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.autograd import no_grad
from ..core.errors import OpError, with_user_line
from ..core.op import OPS, Op
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..tensor.creation import zeros
from ..tensor.manipulation import apply_in_place

# Ops whose function also returns XShape, a tensor without elements that holds the shape of the
# input.
WITH_SHAPE = frozenset(
    {"reshape2", "transpose2", "squeeze2", "unsqueeze2", "flatten2", "flatten_contiguous_range"}
)
# Ops whose function has inputs or outputs in a different order than Oarlock's op. Functions of 1.x
# have the inputs in this order.
OPERANDS = {
    "lookup_table_v2": "Ids W",
    "multiplex": "X Ids",
    "lars_momentum": "Param Grad Velocity LearningRate MasterParam",
    "strided_slice": "Input StartsTensor StartsTensorList EndsTensor EndsTensorList StridesTensor "
    "StridesTensorList",
    "set_value": "Input ValueTensor StartsTensorList EndsTensorList StepsTensorList",
}
RESULTS = {"huber_loss": "Out Residual", "rnn": "Out DropoutState State Reserve"}
MASTER = "MasterParam"  # an operand for which Oarlock's ops return no result


def __getattr__(name: str) -> Callable[..., Any]:
    """The function of an op.   Raises AttributeError for a type that Oarlock does not have."""
    inside = name not in OPS and name.endswith("_")
    type_ = name[:-1] if inside else name
    if type_ not in OPS:
        raise AttributeError(f"module 'paddle.fluid.core.ops' has no attribute {name!r}")
    op = OPS[type_]

    def call(*given: Any) -> Any:
        operands, outputs, attrs = _arguments(name, op, given)
        if not inside:
            return _results(op, op(*operands, **attrs), operands, outputs)
        before = _shape_of(operands[0]) if type_ in WITH_SHAPE else None
        found = apply_in_place(operands[0], lambda now: _first(op(now, *operands[1:], **attrs)))
        return found if before is None else [found, before]

    call.__name__ = name
    return call


def _arguments(
    name: str, op: Op, given: tuple[Any, ...]
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Split the arguments into operands, output tensors and known attributes.

    Raises OpError if attribute names and values are not paired.
    """
    first = next((at for at, value in enumerate(given) if isinstance(value, str)), len(given))
    names, values = given[first::2], given[first + 1 :: 2]
    if len(names) != len(values):
        raise OpError(with_user_line(f"{name}: the attribute {names[-1]!r} has no value"))
    # numbers of items of list outputs
    operands = [
        value for value in given[:first] if not isinstance(value, int) or isinstance(value, bool)
    ]
    attrs = {key: value for key, value in zip(names, values, strict=True) if key in op.attrs}
    slots = [slot.name for slot in op.ins if not slot.lod_of]
    if op.type in OPERANDS and not compat.is_paddle1:
        by_slot = dict(zip(OPERANDS[op.type].split(), operands, strict=False))
        operands = [*(by_slot.get(slot) for slot in slots), *operands[len(slots) :]]
    if len(operands) > len(slots):
        return operands[: len(slots)], operands[len(slots) :], attrs
    overwriting = sum(bool(slot.over) for slot in op.outs)
    if not overwriting or len(operands) <= overwriting:
        return operands, [], attrs
    count = len(op.outs) + (MASTER in slots)
    required = sum(not slot.optional for slot in op.ins)
    if len(operands) - count < required:
        return operands, [], attrs
    return operands[:-count], operands[-count:], attrs


def _first(made: Any) -> Tensor:
    found: Tensor = made[0] if isinstance(made, list | tuple) else made
    return found


def _shape_of(x: Tensor) -> Tensor:
    return zeros([0, *x.shape], "float32")


def _results(op: Op, made: Any, operands: list[Any], outputs: list[Any]) -> Any:
    """Write the results to the tensors that the caller passed, and return them."""
    if op.type in WITH_SHAPE:
        return [made, _shape_of(operands[0])]
    found = list(made) if isinstance(made, tuple) else made
    if op.type in RESULTS:
        by_slot = dict(zip((slot.name for slot in op.outs), found, strict=True))
        found = [by_slot[name] for name in RESULTS[op.type].split()]
    for target, value in zip(outputs, found if isinstance(found, list) else [found], strict=False):
        _write(target, value)
    if not outputs:
        return found
    return [
        *(found if isinstance(found, list) else [found]),
        *[None] * (len(outputs) - len(op.outs)),
    ]


def _write(target: Any, value: Any) -> None:
    """Assign a result to a tensor, or the items of a result to a list of tensors."""
    if isinstance(target, list | tuple):
        for each, one in zip(target, value, strict=True):
            _write(each, one)
    elif target is not None:
        with no_grad():
            apply_in_place(target, lambda _: value)
