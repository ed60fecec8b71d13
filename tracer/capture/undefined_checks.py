"""Run-time checks of maybe-undefined variables: variables that are assigned only on some paths,
such as in a loop iteration or in one branch. Reading a maybe-undefined variable after a path that
does not assign it raises an error.

A check uses only ops that every engine has: it stacks the value to a list of one element, and reads
element 0 if the variable has a value, otherwise element 1, which does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from ..core.dtype import parse_dtype
from ..core.op import Meta
from ..ir.program import Attr, AttrType, OpDesc, Program, VarDesc
from .recorder import Recorder

# Prefixes of the names of variables that a check creates.  Saved models contain such names, and
# `cpp_runtime/src/runtime/error_location.cpp` looks for them, so the prefixes must not change.
NO_ITERATION_PREFIX = "undefined_after_zero_iterations_"
PATH_NOT_TAKEN_PREFIX, IS_NONE_PREFIX, NOT_RETURNED_PREFIX = (
    "undefined_on_path_",
    "is_none_here_",
    "no_return_in_",
)
# Error messages by prefix; the C++ runtime uses the same texts.
MESSAGE_BY_PREFIX = {
    NO_ITERATION_PREFIX: (
        "has no value: the loop that assigns it ran zero iterations; assign it before the loop"
    ),
    PATH_NOT_TAKEN_PREFIX: (
        "has no value: the branch that assigns it was not taken; assign it before, or use it under "
        "the same condition"
    ),
    IS_NONE_PREFIX: "is None here; check `is not None` first",
    NOT_RETURNED_PREFIX: (
        "ended without a `return`, so its result is None here; return a value on every path, or "
        "check `is not None` first"
    ),
}
# An attribute of the `assert` ops that check maybe-undefined variables: the value of the checked
# bool flag if the variable has a value.
EXPECTED_FLAG_ATTR = "expected_flag"
INT64, BOOL = 3, 0  # numbers of dtypes in VarType.Type of framework.proto


@dataclass
class UndefinedCheck:
    """A check that the user's variable `name` has a value: the bool `flag_name` must equal
    `expected`.

    desc: the declaration of the variable.
    where: the line that error messages name; by default the line of the read.
    checked_descs: variables that hold the checked value.
    message_prefix: one of the keys of MESSAGE_BY_PREFIX.
    """

    name: str
    desc: VarDesc
    flag_name: str
    where: str
    checked_descs: list[VarDesc] = field(default_factory=list)
    expected: bool = True
    message_prefix: str = NO_ITERATION_PREFIX

    def get_or_emit_checked_variable_name(self, recorder: Recorder) -> str:
        """Return the name of the variable that holds the checked value, to be read instead of the
        maybe-undefined one. Write the ops of the check unless an earlier check is visible.
        """
        for known in self.checked_descs:
            if recorder.var(known.name) is known:
                return known.name
        meta = Meta(self.desc.shape, parse_dtype(self.desc.dtype).np)
        one = Meta((1, *meta.shape), meta.dtype)
        index = self._emit_index_zero_if_defined(recorder)
        stacked = self._emit_check_op(
            recorder, "stack", {"X": [self.desc.name]}, one, axis=Attr(AttrType.INT, 0)
        )
        checked = self._emit_check_op(
            recorder,
            "gather",
            {"X": [stacked], "Index": [index]},
            meta,
            self.message_prefix + self.name,
        )
        self.checked_descs.append(recorder.block.vars[checked])
        return checked

    def _emit_index_zero_if_defined(self, recorder: Recorder) -> str:
        """Emit ops that compute the index which the check gathers: 0 if the variable has a value,
        otherwise 1. Return the name of the index.
        """
        bool_meta, int64_meta = Meta((), np.dtype(bool)), Meta((), np.dtype(np.int64))
        condition, desc = self.flag_name, recorder.var(self.flag_name)
        if desc is None or desc.shape:
            condition = self._emit_check_op(
                recorder, "reshape2", {"X": [condition]}, bool_meta, shape=Attr(AttrType.INTS, [])
            )
        if self.expected:
            condition = self._emit_check_op(recorder, "logical_not", {"X": [condition]}, bool_meta)
        types = {"in_dtype": Attr(AttrType.INT, BOOL), "out_dtype": Attr(AttrType.INT, INT64)}
        return self._emit_check_op(
            recorder,
            "cast",
            {"X": [condition]},
            int64_meta,
            self.message_prefix + self.name,
            **types,
        )

    def _emit_check_op(
        self,
        recorder: Recorder,
        type: str,
        operands: dict[str, list[str]],
        meta: Meta,
        name: str = "",
        **attrs: Attr,
    ) -> str:
        """Append one op of the check to the current block, and return the name of its output."""
        name = name.replace("'", '"') or type  # ONNX Runtime quotes names with '
        result = recorder.declare(
            recorder.namer.generate_temporary_name(name),
            meta,
            stop_gradient=self.desc.stop_gradient,
        )
        op = recorder.append_op(
            type, operands, {"Y" if type == "stack" else "Out": [result.name]}, attrs
        )
        op.user_line = self.where or op.user_line
        return result.name


def replace_checks_by_asserts(program: Program) -> Program:
    """Return the program with the ops of each check replaced by an `assert` op. The interpreter
    runs the `assert`, which copies no value and needs no gradient.
    """
    if not any(
        find_check_variable_message(name)
        for op in program.ops()
        if op.type == "gather"
        for name in op.outputs["Out"]
    ):
        return program
    return replace(
        program,
        blocks=[
            replace(block, ops=_ops_with_checks_lowered_to_asserts(block.ops))
            for block in program.blocks
        ],
    )


def _ops_with_checks_lowered_to_asserts(ops: list[OpDesc]) -> list[OpDesc]:
    """Return the ops of a block with the last op (`gather`) of each check replaced by `assert` and
    `assign`.
    """
    producers = {name: op for op in ops for name in op.output_names()}

    def producer_of_input(op: OpDesc, slot: str = "X") -> OpDesc:
        return producers[op.inputs[slot][0]]

    lowered: list[OpDesc] = []
    for op in ops:
        message = find_check_variable_message(op.outputs["Out"][0]) if op.type == "gather" else None
        if message is None:
            lowered.append(op)
            continue
        condition = producer_of_input(op, "Index").inputs["X"]
        negated = condition[0] in producers and producers[condition[0]].type == "logical_not"
        flag = producers[condition[0]].inputs["X"] if negated else condition
        attrs = {
            "message": Attr(AttrType.STRING, message),
            EXPECTED_FLAG_ATTR: Attr(AttrType.BOOLEAN, negated),
        }
        lowered.append(OpDesc("assert", {"Cond": flag}, {}, attrs, op.user_line))
        lowered.append(
            OpDesc(
                "assign",
                {"X": producer_of_input(op).inputs["X"]},
                {"Out": op.outputs["Out"]},
                {},
                op.user_line,
            )
        )
    return lowered


def find_check_variable_message(name: str) -> str | None:
    """Return the error message for the check whose output variable is called `name`; None if `name`
    is not that of a check.
    """
    for kind, why in MESSAGE_BY_PREFIX.items():
        if name.startswith(kind):
            variable = name.removeprefix(kind).rpartition(".")[0].rpartition("_")[0]
            return f"'{variable}' {why}"
    return None
