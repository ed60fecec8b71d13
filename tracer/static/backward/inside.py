"""`grad` in a function that is recorded: gradients that are part of what it computes."""

from __future__ import annotations

from typing import Any

from ...core.errors import TraceError, with_user_line
from ..record import Recorder
from ..variable import Variable
from .backward import differentiate


def gradients_inside(
    recorder: Recorder, roots: list[Any], wanted: list[Any], given: list[Any], barred: list[Any], again: bool
) -> list[Any]:  # fmt: skip
    """Write the gradients of the sum of `roots` as ops like others; one per wanted, None for what plays no part.

    given: what each root is multiplied by, None for ones; barred: what counts as constant; again: whether they have gradients themselves.
    Raises TraceError inside of a branch or loop of the program: its block sees only a part of the way.
    """
    if len(recorder.open) > 1:
        why = "gradients inside of a branch or loop on values are not there; take them outside of it"
        raise TraceError(with_user_line(f"grad: {why}"))
    names = [recorder.name_of(t) for t in wanted]
    targets = {recorder.name_of(r): g for r, g in zip(roots, given, strict=True)}
    start = len(recorder.block.ops)
    found = differentiate(recorder, targets, names, [recorder.name_of(t) for t in barred])
    for op in recorder.block.ops[start:]:
        op.attrs.pop("op_role", None)  # for the way back of the whole these are ops as others
    return [_result(recorder, found.get(name), again) for name in names]


def _result(recorder: Recorder, gradient: Variable | None, again: bool) -> Variable | None:
    if gradient is not None and not again:
        gradient.stop_gradient = True
    return gradient
