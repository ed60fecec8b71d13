"""Build the inference program for export: the ops between the given inputs and outputs, in
eval mode, with feed and fetch ops.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy

from ...core.errors import OpError, append_user_line
from .. import program as data
from .clone_for_test import convert_for_test_in_place
from .prune import prune


def build_inference_program(
    desc: data.Program,
    feeds: Sequence[str],
    fetches: Sequence[str],
    keep: bool = False,
    spare_feeds: bool = False,
) -> data.Program:
    """Return a copy of a program for inference: in test mode, pruned to the ops that `fetches` need
    given `feeds`, with feed and fetch ops.

    keep: do not remove ops that no output needs.
    spare_feeds: accept inputs that no output needs, as Paddle 1.x does.
    """
    tested = convert_for_test_in_place(deepcopy(desc))
    for block in tested.blocks:
        block.ops = [
            result for op in block.ops for result in _pylayer_to_assigns_reject_py_func(op)
        ]
    wanted = [
        *fetches,
        *(n for op in tested.block.ops for n in op.output_names() if keep and op.type != "feed"),
    ]
    found = prune(tested, feeds, list(dict.fromkeys(wanted)), spare=True)
    used = {name for op in found.ops() if op.type != "feed" for name in op.input_names()}
    for name in feeds:
        if name not in used and not spare_feeds:
            raise OpError(
                append_user_line(
                    f"'{name}' of feed_vars doesn't exist in pruned inference program: no output "
                    f"depends on it; remove it from feed_vars"
                )
            )
    if keep:
        found.block.ops = [
            op for op in found.block.ops if op.type != "fetch" or op.inputs["X"][0] in fetches
        ]
    found.version = desc.version
    return found


def _pylayer_to_assigns_reject_py_func(op: data.OpDesc) -> list[data.OpDesc]:
    """Replace `pylayer`, which needs a Python function of this process, by assign ops; return other
    ops unchanged.

    Raises OpError for py_func.
    """
    if op.type == "py_func":
        where = f"\n  at {op.user_line}" if op.user_line else ""
        raise OpError(f"py_func calls a Python function, which cannot be saved to a file{where}")
    if op.type != "pylayer":
        return [op]
    pairs = zip(op.inputs["Y"], op.outputs["Out"], strict=True)
    return [data.OpDesc("assign", {"X": [y]}, {"Out": [out]}, {}, op.user_line) for y, out in pairs]
