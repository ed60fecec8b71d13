"""append_backward and gradients: append gradient ops to the program under construction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..capture.modes import Static, find_static_base_mode
from ..capture.recorder import Recorder
from ..capture.variable import Variable
from ..core.backward_pass import conjugate_complex_grad
from ..core.errors import OarlockError, OperandError, OpError, append_user_line
from ..core.mode import state, use_mode
from ..core.op import OPS
from ..core.tensor import Tensor
from ..ir.block_captures import outer_names_maybe_read_by_op_and_blocks
from ..ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from .activity_analysis import ActivityAnalysis, has_differentiable_type
from .backward_pass import ProgramBackwardPass
from .decompose_grad_ops import decompose_grad_ops_in_place
from .grad_op_replacements import GradOpReplacements
from .value_versions import ValueVersions

BACKWARD, LOSS_AND_BACKWARD = 1, 257  # values of Paddle's attribute op_role


def append_gradient_ops(
    recorder: Recorder,
    targets: Mapping[str, Variable | None],
    wanted: Iterable[str],
    barred: Collection[str] = (),
) -> dict[str, Variable]:
    """Append the ops that compute the gradients of the sum of `targets` with respect to `wanted`;
    return these gradients by name.

    targets: by name of a target, its initial gradient; None stands for ones.
    barred: names through which no gradient flows.
    """
    wanted, current = list(wanted), recorder.block
    if recorder.num_open_loops:
        why = (
            "gradients cannot be computed in the body of while_loop, which is recorded "
            "several times; use While"
        )
        raise OarlockError(append_user_line(f"backward: {why}, or compute them after the loop"))
    activity = _decompose_grad_ops_and_analyze_activity(recorder, targets, wanted, barred)
    start = len(current.ops)
    with use_mode(Static(recorder)):
        enclosing_blocks = [inner.block for inner in recorder.open_blocks[:-1]]
        backward = ProgramBackwardPass(
            recorder, activity, ValueVersions(recorder, current, around=enclosing_blocks), wanted
        )
        for name, gradient in targets.items():
            if activity.needs_grad(current.idx, name):
                backward.accumulate(
                    name,
                    _emit_initial_gradient(backward, name)
                    if gradient is None
                    else conjugate_complex_grad(gradient),
                )
        backward.run()
        gradients = {
            name: conjugate_complex_grad(backward.gradients[name])
            for name in wanted
            if name in backward.gradients
        }
    _mark_backward_ops(current, start)
    backward.value_versions.insert_copies()
    return gradients


def _decompose_grad_ops_and_analyze_activity(
    recorder: Recorder, targets: Iterable[str], wanted: list[str], barred: Collection[str]
) -> ActivityAnalysis:
    """Run the activity analysis. Paddle's gradient ops between `wanted` and `targets` are
    decomposed first, because they have no gradient rules.
    """
    within = [inner.block for inner in recorder.open_blocks[1:]]
    activity = ActivityAnalysis(recorder.program, wanted, barred, within)
    gradients = GradOpReplacements(recorder.program)
    paddle_grad_ops = [
        op
        for op in _ancestor_ops_last_first(recorder.program, targets)
        if gradients.find_replacement(op)
        and any(activity.needs_grad(0, n) for n in op.output_names())
    ]
    if not paddle_grad_ops:
        return activity
    decompose_grad_ops_in_place(recorder, gradients, paddle_grad_ops)
    return ActivityAnalysis(recorder.program, wanted, barred, within)


def _ancestor_ops_last_first(program: Program, names: Iterable[str]) -> list[OpDesc]:
    """The ops of the outermost block on which the variables `names` depend, last op first."""
    needed, ops = set(names), []
    for op in reversed(program.block.ops):
        if needed.intersection(op.output_names()):
            ops.append(op)
            needed |= outer_names_maybe_read_by_op_and_blocks(program, op)
    return ops


def _emit_initial_gradient(backward: ProgramBackwardPass, name: str) -> Variable:
    """Emit ones of the shape of a target, the default initial gradient of the backward pass."""
    target = backward.require_variable(name)
    has_known_shape = backward.recorder.policy.emits_grad_ops and -1 not in target.meta.shape
    attrs = {"shape": list(target.meta.shape), "value": 1.0, "dtype": target.dtype.proto}
    gradient: Variable = (
        OPS["fill_constant"](**attrs)
        if has_known_shape
        else OPS["fill_any_like"](target, value=1.0)
    )
    op = backward.recorder.block.ops[-1]
    op.attrs["op_role"] = Attr(AttrType.INT, LOSS_AND_BACKWARD)
    if backward.recorder.policy.emits_grad_ops:
        backward.cotangents.mark_renameable(gradient, op)
    return gradient


def _mark_backward_ops(block: Block, start: int) -> None:
    """Set op_role to backward in the ops of a block from index `start` on that have no op_role
    yet.
    """
    for op in block.ops[start:]:
        op.attrs.setdefault("op_role", Attr(AttrType.INT, BACKWARD))


def _require_recorder(what: str) -> Recorder:
    mode = find_static_base_mode(state.mode)
    if mode is None:
        raise OarlockError(
            append_user_line(
                f"{what}: requires a program under construction; call enable_static() first"
            )
        )
    return mode.recorder


def _as_list(values: Any) -> list[Any]:
    if values is None:
        return []
    return list(values) if isinstance(values, list | tuple | set | frozenset) else [values]


def _as_variable_list(values: Any, what: str) -> list[Any]:
    """`values` (one variable, several, or None) as a list. Raises OperandError if a value is a str,
    because names of variables are not accepted.
    """
    if isinstance(values, str):
        raise OperandError(
            append_user_line(f"gradients: {what} should be variables, not the name {values!r}")
        )
    return _as_list(values)


def _find_or_declare_names_of_variables(recorder: Recorder, values: Any, what: str) -> list[str]:
    """The names of `values`, a list of variables and names; a parameter that the program does not
    contain yet is declared in it.

    Raises OperandError if `values` is not a list of tensors and names.
    """
    if values is not None and not isinstance(values, list | tuple | set | frozenset):
        raise OperandError(append_user_line(f"{what} is not a list, but {type(values).__name__}"))
    wrong = [v for v in values or () if not isinstance(v, str | Tensor)]
    if wrong:
        raise OperandError(
            append_user_line(
                f"{what} contains neither a variable nor a name: {type(wrong[0]).__name__}"
            )
        )
    return [_find_or_declare_name_of_variable(recorder, v) for v in values or ()]


def _find_or_declare_name_of_variable(recorder: Recorder, value: Any) -> str:
    return value if isinstance(value, str) else recorder.find_name_or_declare_persistable(value)


def _require_tensor_by_name(recorder: Recorder, name: str) -> Tensor:
    """The parameter or variable of the program whose name is `name`."""
    found = recorder.scope.get(name)
    if found is not None:
        return found
    desc = recorder.program.var(name)
    if desc is None:
        raise OpError(
            append_user_line(f"append_backward: there is no variable '{name}' in the program")
        )
    return recorder.create_variable(desc)


def append_backward(
    loss: Variable,
    parameter_list: Sequence[Any] | None = None,
    no_grad_set: Any = None,
    callbacks: Any = None,
    checkpoints: Any = None,
) -> list[tuple[Tensor, Variable]]:
    """Append the gradients of the sum of `loss` with respect to the parameters; return pairs
    (parameter, gradient).

    parameter_list: parameters or names; by default all parameters that require a gradient.
    no_grad_set: variables or names that are treated as constants.
    """
    recorder = _require_recorder("append_backward")
    program = recorder.program
    barred = set(
        _find_or_declare_names_of_variables(recorder, no_grad_set, "append_backward: no_grad_set")
    )
    written_names = program.written_names()
    leaves = [
        v.name
        for v in program.block.vars.values()
        if _requires_grad(v)
        and (_is_input_or_persistable(program, v.name) or v.name not in written_names)
    ]
    leaves += _trainable_output_names_of_inputless_ops(program)
    if parameter_list is None:
        parameters = [n for n in leaves if program.block.vars[n].is_parameter]
    else:
        given_names = _find_or_declare_names_of_variables(
            recorder, parameter_list, "append_backward: parameter_list"
        )
        parameters = [n for n in given_names if not _has_stop_gradient(program, n)]
    requested_names = [n for n in dict.fromkeys([*parameters, *leaves]) if n not in barred]
    gradients_by_name = append_gradient_ops(recorder, {loss.name: None}, requested_names, barred)
    return [
        (_require_tensor_by_name(recorder, n), gradients_by_name[n])
        for n in parameters
        if n in gradients_by_name
    ]


def _trainable_output_names_of_inputless_ops(program: Program) -> list[str]:
    """The outputs of ops without inputs for which the user set stop_gradient=False. Outputs of such
    ops are leaves, so that gradients with respect to them may be requested.
    """
    made = [
        n
        for op in program.block.ops
        if op.type not in ("feed", "create_array") and not [*op.input_names()]
        for n in op.output_names()
    ]
    return [n for n in made if n in program.block.vars and _requires_grad(program.block.vars[n])]


def _requires_grad(var: VarDesc) -> bool:
    return not var.stop_gradient and has_differentiable_type(var)


def _has_stop_gradient(program: Program, name: str) -> bool:
    var = program.var(name)
    return var is not None and var.stop_gradient


def _is_input_or_persistable(program: Program, name: str) -> bool:
    """Whether a variable of the outermost block is an input or persistable."""
    var = program.block.vars[name]
    return var.persistable or var.checks_feed


def gradients(
    targets: Any, inputs: Any, target_gradients: Any = None, no_grad_set: Any = None
) -> list[Variable | None]:
    """Append the gradients of the sum of `targets` with respect to `inputs`. Returns a list of one
    gradient per input; the gradient is None if `targets` do not depend on the input or the input
    has stop_gradient=True.
    """
    recorder = _require_recorder("gradients")
    program = recorder.program
    roots, given = (
        _as_variable_list(targets, "targets"),
        _as_variable_list(target_gradients, "target_gradients"),
    )
    if given and len(given) != len(roots):
        counts = f"{len(given)} target_gradients for {len(roots)} targets"
        raise OpError(
            append_user_line(
                f"gradients: Should have the same number of target_gradients as targets: {counts}"
            )
        )
    given = given or [None] * len(roots)
    names = [
        _find_or_declare_name_of_variable(recorder, v) for v in _as_variable_list(inputs, "inputs")
    ]
    barred = set(
        _find_or_declare_names_of_variables(recorder, no_grad_set, "gradients: no_grad_set")
    )
    for root, gradient in zip(roots, given, strict=True):
        if gradient is not None and len(gradient.meta.shape) != len(root.meta.shape):
            raise OpError(
                append_user_line(
                    f"gradients: the gradient has another rank than the target "
                    f"(target={root.meta}, gradient={gradient.meta})"
                )
            )
    pairs = {
        _find_or_declare_name_of_variable(recorder, r): g for r, g in zip(roots, given, strict=True)
    }
    found = append_gradient_ops(
        recorder, pairs, [n for n in names if not _has_stop_gradient(program, n)], barred
    )
    return [
        None if name in barred or _has_stop_gradient(program, name) else found.get(name)
        for name in names
    ]


Static.emit_gradients = gradients
