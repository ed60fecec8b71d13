"""fluid.core.ops and paddle._legacy_C_ops: ops with the calling convention of Paddle's generated
functions.

The arguments are the inputs in the order of the op's slots; then, for outputs that the caller
passes, the tensors to write; then names and values of attributes. `relu_` is `relu` in place. For
list outputs, the length of the list is an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..core.autograd import no_grad
from ..core.errors import OpError, append_user_line
from ..core.op import OPS, Op
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..static.graph.program_recorder import OPS_WITH_XSHAPE_OUTPUT
from ..tensor.creation import zeros
from ..tensor.manipulation import apply_in_place

# Ops whose function in Paddle 1.x has inputs or outputs in another order than Oarlock's op.
# INPUT_ORDER contains the order of the inputs in Paddle 1.x.
INPUT_ORDER = {
    "lookup_table_v2": "Ids W",
    "multiplex": "X Ids",
    "lars_momentum": "Param Grad Velocity LearningRate MasterParam",
    "strided_slice": "Input StartsTensor StartsTensorList EndsTensor EndsTensorList StridesTensor "
    "StridesTensorList",
    "set_value": "Input ValueTensor StartsTensorList EndsTensorList StepsTensorList",
}
OUTPUT_ORDER = {"huber_loss": "Out Residual", "rnn": "Out DropoutState State Reserve"}
MASTER = "MasterParam"  # an input for which Oarlock's ops return no output


def __getattr__(name: str) -> Callable[..., Any]:
    """Return the function `core.ops.NAME`, which runs the op NAME. Raises AttributeError for an
    unknown op.
    """
    is_inplace = name not in OPS and name.endswith("_")
    op_type = name[:-1] if is_inplace else name
    if op_type not in OPS:
        raise AttributeError(f"module 'paddle.fluid.core.ops' has no attribute {name!r}")
    op = OPS[op_type]

    def call(*args: Any) -> Any:
        inputs, outputs, attrs = _split_into_inputs_outputs_attrs(name, op, args)
        if not is_inplace:
            return _assign_and_order_results(op, op(*inputs, **attrs), inputs, outputs)
        xshape = _make_xshape_output(inputs[0]) if op_type in OPS_WITH_XSHAPE_OUTPUT else None
        result = apply_in_place(inputs[0], lambda x: _first_output(op(x, *inputs[1:], **attrs)))
        return result if xshape is None else [result, xshape]

    call.__name__ = name
    return call


def _split_into_inputs_outputs_attrs(
    name: str, op: Op, args: tuple[Any, ...]
) -> tuple[list[Any], list[Any], dict[str, Any]]:
    """Split the arguments of an op function into inputs, output tensors and the attributes that the
    op has.

    Raises OpError if attribute names and values are not paired.
    """
    num_tensors = next((i for i, value in enumerate(args) if isinstance(value, str)), len(args))
    names, values = args[num_tensors::2], args[num_tensors + 1 :: 2]
    if len(names) != len(values):
        raise OpError(append_user_line(f"{name}: the attribute {names[-1]!r} has no value"))
    # Integers among the arguments are the lengths of outputs that are lists.
    inputs = [
        value
        for value in args[:num_tensors]
        if not isinstance(value, int) or isinstance(value, bool)
    ]
    attrs = {key: value for key, value in zip(names, values, strict=True) if key in op.attrs}
    slots = [slot.name for slot in op.ins if not slot.values_slot_of_lod_slot]
    if op.type in INPUT_ORDER and not compat.is_paddle1:
        by_slot = dict(zip(INPUT_ORDER[op.type].split(), inputs, strict=False))
        inputs = [*(by_slot.get(slot) for slot in slots), *inputs[len(slots) :]]
    if len(inputs) > len(slots):
        return inputs[: len(slots)], inputs[len(slots) :], attrs
    num_overwritten = sum(bool(slot.overwrites) for slot in op.outs)
    if not num_overwritten or len(inputs) <= num_overwritten:
        return inputs, [], attrs
    num_outputs = len(op.outs) + (MASTER in slots)
    num_required = sum(not slot.is_optional for slot in op.ins)
    if len(inputs) - num_outputs < num_required:
        return inputs, [], attrs
    return inputs[:-num_outputs], inputs[-num_outputs:], attrs


def _first_output(result: Any) -> Tensor:
    tensor: Tensor = result[0] if isinstance(result, list | tuple) else result
    return tensor


def _make_xshape_output(x: Tensor) -> Tensor:
    return zeros([0, *x.shape], "float32")


def _assign_and_order_results(op: Op, result: Any, inputs: list[Any], outputs: list[Any]) -> Any:
    """Assign the results of an op to the output tensors that the caller passed, and return the
    results in Paddle's order.
    """
    if op.type in OPS_WITH_XSHAPE_OUTPUT:
        return [result, _make_xshape_output(inputs[0])]
    result = list(result) if isinstance(result, tuple) else result
    if op.type in OUTPUT_ORDER:
        by_slot = dict(zip((slot.name for slot in op.outs), result, strict=True))
        result = [by_slot[name] for name in OUTPUT_ORDER[op.type].split()]
    values = result if isinstance(result, list) else [result]
    for target, value in zip(outputs, values, strict=False):
        _assign_result(target, value)
    if not outputs:
        return result
    return [*values, *[None] * (len(outputs) - len(op.outs))]


def _assign_result(target: Any, value: Any) -> None:
    """Assign a result to a tensor, or the items of a result to a list of tensors."""
    if isinstance(target, list | tuple):
        for target_item, value_item in zip(target, value, strict=True):
            _assign_result(target_item, value_item)
    elif target is not None:
        with no_grad():
            apply_in_place(target, lambda _: value)
