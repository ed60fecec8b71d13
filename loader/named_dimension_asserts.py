"""Asserts on the named dimensions of a saved model, for a program that calls the model with sizes
that are unknown while the program is captured. `jit.save` converts the asserts to guards.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

from ..capture.control.branch_values import emit_scalar_constant
from ..capture.modes import emit_axis_size
from ..capture.recorder import Recorder
from ..capture.variable import Variable
from ..core.op import OPS
from ..core.tensor import Tensor
from ..ir.dim import Dim, NamedDimensions


def emit_asserts_on_unknown_sizes(
    recorder: Recorder, model: str, dimensions: NamedDimensions, inputs: Sequence[Tensor]
) -> None:
    """Emit an assert for each named dimension of unknown size, unless the declared Dim of a program
    input implies it.

    model: its name, for messages.
    """
    declared = [_declared_dims(recorder, tensor) for tensor in inputs]
    for d, first in dimensions.iter_dims_with_first_of_same_name():
        dim, first_dim = declared[d.input_index][d.axis], declared[first.input_index][first.axis]
        where = f"{model}: input '{d.input_name}': dimension {d.axis} ('{d.dim.name}')"
        if inputs[d.input_index].meta.shape[d.axis] < 0:
            size = emit_axis_size(inputs[d.input_index], d.axis)
            if dim is None or not d.dim.allows_all_sizes_of(dim):
                holds = reduce(OPS["logical_and"], _emit_range_conditions(size, d.dim))
                message = f"{where} must be {d.dim.describe_sizes()}"
                recorder.emit_assert(holds, message, data=[size])
        elif inputs[first.input_index].meta.shape[first.axis] >= 0:
            continue  # both sizes are known and have been compared
        if d != first and (dim is None or dim != first_dim):
            size = emit_axis_size(inputs[d.input_index], d.axis)
            other = emit_axis_size(inputs[first.input_index], first.axis)
            message = f"{where} must equal {first}"
            recorder.emit_assert(OPS["equal"](size, other), message, data=[size, other])


def _declared_dims(recorder: Recorder, tensor: Tensor) -> Sequence[Dim | None]:
    """Return, for each axis of a tensor, the Dim that the program declares, or None for an axis
    without a declared Dim.
    """
    unnamed = (None,) * len(tensor.meta.shape)
    if not isinstance(tensor, Variable):
        return unnamed
    var = recorder.program.var(recorder.find_name_or_declare_persistable(tensor), 0)
    return (var.dims if var else ()) or unnamed


def _emit_range_conditions(size: Tensor, dim: Dim) -> Iterator[Tensor]:
    yield OPS["greater_equal"](size, emit_scalar_constant(dim.min, size.meta.dtype))
    if dim.max is not None:
        yield OPS["less_equal"](size, emit_scalar_constant(dim.max, size.meta.dtype))
    if dim.multiple > 1:
        remainder = OPS["elementwise_mod"](
            size, emit_scalar_constant(dim.multiple, size.meta.dtype)
        )
        yield OPS["equal"](remainder, emit_scalar_constant(0, size.meta.dtype))
