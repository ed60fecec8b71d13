"""The eager mode: run kernels at once and record nodes on the tape if gradients may be
requested.
"""

from __future__ import annotations

from operator import is_
from typing import Any, NoReturn

from . import cuda
from ._tape import Node, limited
from .dtype import is_inexact
from .errors import DeviceMismatchError, OperandError, OpError, append_user_line, op_error_like
from .mode import Mode
from .op import Meta, Op, Slot
from .operand_checks import argument_name, not_a_tensor_message
from .result_size_limit import out_of_memory_error
from .tensor import Tensor, save_value_for_backward_before_change, snapshot_with_gradient_history


def unwrap_tensors(arg: Any) -> Any:
    """Replace the Tensors of an op argument by their arrays; None stays None."""
    if isinstance(arg, Tensor):
        return arg.array
    return None if arg is None else [t.array for t in arg]


def requires_grad(arg: Any) -> bool:
    """Whether a tensor of an argument requires a gradient."""
    if arg is None:
        return False
    if isinstance(arg, Tensor):
        return not arg.stop_gradient
    return any(not t.stop_gradient for t in arg)


def args_with_tuples_unwrapped_or_none(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...] | None:
    """Return the arguments of an op in which each tuple passed for a single-tensor slot is replaced
    by its first tensor, as in Paddle. Returns None if no tuple was passed for a single-tensor
    slot.
    """
    found = tuple(
        arg[0]
        if isinstance(arg, tuple) and not slot.is_list and arg and isinstance(arg[0], Tensor)
        else arg
        for slot, arg in zip(op.ins, args, strict=False)
    )
    return None if all(map(is_, found, args)) else found


MAX_REASON_LENGTH = 2000  # largest length of an error message


class EagerMode(Mode):
    """Run ops at once.

    tape: record nodes for gradients.
    """

    allows_bare_arrays = True
    allows_fused_ops = True

    def __init__(self, tape: bool) -> None:
        self.tape = tape

    def mode_with_tape_set(self, tape: bool) -> EagerMode:
        """Return the eager mode with tape (recording gradients) or without."""
        return EAGER_MODE if tape else NO_TAPE_MODE

    def make_inplace_op_input(self, tensor: Tensor) -> Tensor:
        """A copy of `tensor` with its current value and node, which an in-place op takes as
        input.
        """
        return snapshot_with_gradient_history(tensor)

    def assign_inplace(self, tensor: Tensor, result: Tensor) -> None:
        """Replace the value of a tensor; recorded ops keep the previous value.

        Raises OpError for a leaf that requires a gradient while gradients are recorded.
        """
        if self.tape and not tensor.stop_gradient and tensor.node is None:
            why = (
                "a leaf that requires a gradient cannot be changed while gradients are recorded; "
                "use no_grad()"
            )
            raise OpError(append_user_line(f"in place: {why} (X={tensor.meta})"))
        save_value_for_backward_before_change(tensor)
        tensor.inplace_version += 1
        tensor.array = result.array
        if self.tape:  # without tape, the gradient history is not changed
            tensor.stop_gradient, tensor.node, tensor.index = (
                result.stop_gradient,
                result.node,
                result.index,
            )

    def run(self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any]) -> Any:
        """Run the kernel of an op, and record a node on the tape if a gradient may be requested.

        C++ (`_tape`) runs ops with one output without this method, and calls it only for unusual
        arguments.
        """
        try:
            arrays = [unwrap_tensors(arg) for arg in args]
            if op.same_dtype or op.floating:
                op.check_dtype_constraints_of_slots(arrays)
            outs = limited(op.kernel, *arrays, **attrs)
        except Exception as error:
            taken = args_with_tuples_unwrapped_or_none(op, args)
            if taken is None:
                raise_op_error(op, args, attrs, error)
            return self.run(op, taken, attrs)
        result = wrap_result_arrays(op, outs)
        if self.tape and op.has_vjp and any(map(requires_grad, args)):
            node = Node(op, args, attrs, outs)
            for i, tensor in indexed_differentiable_results(op, result):
                if is_inexact(tensor.array.dtype):
                    tensor.stop_gradient, tensor.node, tensor.index = False, node, i
        return result


def wrap_result_arrays(op: Op, outs: Any) -> Any:
    """Wrap the arrays that the kernel of an op returned in Tensors, in the same structure."""
    if len(op.outs) == 1:
        return [Tensor(a) for a in outs] if op.outs[0].is_list else Tensor(outs)
    return tuple(
        [Tensor(a) for a in o] if s.is_list else Tensor(o)
        for s, o in zip(op.outs, outs, strict=True)
    )


def indexed_differentiable_results(op: Op, result: Any) -> list[tuple[int, Tensor]]:
    """Return the differentiable results of an op call, each with the index of its gradient.

    A list slot is the last slot of its op; its elements have consecutive indices.
    """
    slots = [result] if len(op.outs) == 1 else list(result)
    found: list[tuple[int, Tensor]] = []
    for i in op.grad_out_indices:
        found += (
            [(i + k, t) for k, t in enumerate(slots[i])] if op.outs[i].is_list else [(i, slots[i])]
        )
    return found


def meta_of_input(slot: Slot, arg: Any) -> Any:
    """Return the Meta (shape and dtype) of an input of an op. None stays None, a list becomes a
    list of Metas.

    Raises OperandError for an argument that is not a Tensor.
    """
    if arg is None:
        return None
    if not slot.is_list:
        return _meta_of_tensor(arg, argument_name(arg, slot.name))
    if not isinstance(arg, list | tuple):
        raise OperandError(f"{slot.name} must be a list of Tensors, not {type(arg).__name__}")
    if slot.values_slot_of_lod_slot:
        return _metas_of_lod(arg)
    return [_meta_of_tensor(a, f"{slot.name}[{i}]") for i, a in enumerate(arg)]


def _metas_of_lod(offsets: Any) -> Any:
    """Return the Metas of LoD offsets: a list of levels, or a list of such lists."""
    return [_metas_of_lod(o) if isinstance(o, list) else o.meta for o in offsets]


def _meta_of_tensor(arg: Any, name: str) -> Meta:
    if not isinstance(arg, Tensor):
        raise OperandError(not_a_tensor_message(arg, name))
    return arg.meta


def metas_of_inputs(op: Op, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the Metas (shape and dtype) of all inputs of an op. Raises OpError for an input that
    is not a Tensor.
    """
    try:
        superfluous = (None,) * (len(args) - len(op.ins))  # `Op.infer` rejects them
        return (*map(meta_of_input, op.ins, args), *superfluous)
    except OpError as error:
        raise op_error_like(error, append_user_line(f"{op.public_name}: {error}")) from None


def raise_op_error(
    op: Op, args: tuple[Any, ...], attrs: dict[str, Any], error: Exception
) -> NoReturn:
    """Raise an OpError for an op whose kernel failed with `error`. The message is that of shape
    inference if shape inference rejects the inputs, otherwise that of the kernel's error.
    """
    if isinstance(error, DeviceMismatchError):
        raise DeviceMismatchError(
            append_user_line(f"{op.public_name}: {error} ({_format_inputs_with_devices(op, args)})")
        ) from None
    metas = metas_of_inputs(op, args)
    if isinstance(error, MemoryError) and not isinstance(error, OpError):
        error = out_of_memory_error(op, metas, attrs)
    why, kind = _reason_of_kernel_error(error), error
    cause = None if isinstance(error, OpError) else error  # an OpError says nothing else
    try:
        if not isinstance(error, MemoryError):
            op.infer(metas, attrs)
    except OpError as found:
        why, cause, kind = str(found).removeprefix(f"{op.public_name}: "), None, found
    except (TypeError, ValueError, IndexError, AttributeError):
        pass  # shape inference failed too: report the kernel's error
    # the user line is appended below
    why = why.partition("\n  at ")[0]
    if len(why) > MAX_REASON_LENGTH:  # an attribute of several megabytes may be part of the message
        why = f"{why[:MAX_REASON_LENGTH]} ..."
    message = f"{op.public_name}: {why} ({op.format_inputs(metas)})"
    raise op_error_like(kind, append_user_line(message)) from cause


def _reason_of_kernel_error(error: Exception) -> str:
    """Return the message of the error of a kernel, in the user's terms."""
    text = str(error)
    return "these dtypes are not supported" if text.startswith("ufunc '") else text


def _format_inputs_with_devices(op: Op, args: tuple[Any, ...]) -> str:
    """Format the inputs with their devices: `X=float32[2,3] on gpu:0, Y=float32[2,3] on cpu`."""

    def format_argument(arg: Any) -> str:
        if isinstance(arg, Tensor):
            return f"{arg.meta} on {cuda.format_device(cuda.gpu_index_of(arg.array))}"
        return "[" + ", ".join(map(format_argument, arg)) + "]"

    return ", ".join(
        f"{s.name}={format_argument(a)}"
        for s, a in zip(op.ins, args, strict=False)
        if a is not None
    )


EAGER_MODE = EagerMode(tape=True)
NO_TAPE_MODE = EagerMode(tape=False)
