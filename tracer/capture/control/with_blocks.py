"""Loops and branches of Paddle 1.x whose bodies are `with` blocks: While, ConditionalBlock,
Switch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Any

from ...core.errors import OarlockError, OpError, append_user_line
from ...core.mode import state
from ...core.op import OPS
from ...ir.block_captures import outer_names_written_by_block
from ...ir.program import Block
from ..modes import Static, find_static_base_mode
from ..variable import Variable
from .block_ops import emit_conditional_block, emit_while
from .branch import check_one_element_bool_condition, rebind_tensor_to_declaration


def require_static_mode(what: str) -> Static:
    """Return the current dispatch mode, which must record a program without running it; otherwise
    raise OarlockError.
    """
    mode = find_static_base_mode(state.mode)
    if mode is None:
        raise OarlockError(
            append_user_line(
                f"{what}: requires a program under construction; call enable_static() first"
            )
        )
    return mode


@contextmanager
def _record_with_body_and_assign_outer_variables(
    mode: Static, repeats: bool = False
) -> Iterator[Block]:
    """Context manager: record the `with` body in a new block. At the end of the block, append
    assignments of the new values to the outer variables that the body changed in place.

    repeats: whether the body is a loop body.
    """
    recorder = mode.recorder
    with recorder.enter_new_block() as inner:
        inner.is_loop_body = repeats
        yield inner.block
    for tensor, before in inner.inplace_writes.values():
        after = tensor.raw
        if recorder.var(before.name) is not before:  # the tensor was created in the body
            continue
        if after is not before:
            with recorder.enter_block(inner):
                recorder.append_op("assign", {"X": [after.name]}, {"Out": [before.name]})
            before.stop_gradient = before.stop_gradient and after.stop_gradient
        rebind_tensor_to_declaration(mode, tensor, before)


class While:
    """A loop: `with While(cond).block():` runs its body while `cond`, a bool [1], is true.

    The body must write its results to variables that were created before the loop (`assign(value,
    output=x)`, `increment`), and must write `cond`.
    """

    def __init__(self, cond: Variable, is_test: bool = False, name: str | None = None) -> None:
        check_one_element_bool_condition("While", cond)
        self.cond_var, self.is_test = cond, is_test

    @contextmanager
    def block(self) -> Iterator[None]:
        """Return the context manager whose `with` body is the body of the loop."""
        mode = require_static_mode("While")
        flag = mode.recorder.find_name_or_declare_persistable(self.cond_var)
        with _record_with_body_and_assign_outer_variables(mode, repeats=True) as block:
            yield
        if flag not in outer_names_written_by_block(mode.recorder.program, block):
            why = f"the body does not write its condition '{flag}', and would never end"
            raise OpError(append_user_line(f"While: {why}; use assign(value, output=cond)"))
        emit_while(mode.recorder, block, flag, self.is_test)


class ConditionalBlock:
    """A branch: `with ConditionalBlock([cond], is_scalar_condition=True).block():` runs its body if
    `cond`, a bool [1], is true.

    Without is_scalar_condition the body runs if none of the outer variables that it reads is empty,
    whatever `inputs` are, as in Paddle.
    """

    def __init__(
        self, inputs: Sequence[Variable], is_scalar_condition: bool = False, name: str | None = None
    ) -> None:
        for given in inputs:
            if not isinstance(given, Variable):
                raise TypeError(
                    append_user_line(f"ConditionalBlock: {type(given).__name__} is not a Variable")
                )
        self.inputs, self.is_scalar_condition = list(inputs), is_scalar_condition

    @contextmanager
    def block(self) -> Iterator[None]:
        """Return the context manager whose `with` body runs if the condition is true."""
        mode = require_static_mode("ConditionalBlock")
        recorder = mode.recorder
        names = [recorder.find_name_or_declare_persistable(given) for given in self.inputs]
        with _record_with_body_and_assign_outer_variables(mode) as block:
            yield
        outs = outer_names_written_by_block(recorder.program, block)
        emit_conditional_block(recorder, block, names, outs, self.is_scalar_condition)


class Switch:
    """Several branches; the first whose condition is true runs. Usage: `with Switch() as switch:`,
    and in its body `with switch.case(cond):` and `with switch.default():`.
    """

    def __init__(self, name: str | None = None) -> None:
        self._is_entered = False
        self._no_previous_condition: Any = None  # whether no condition held so far, bool [1]

    def __enter__(self) -> Switch:
        self._is_entered = True
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._is_entered = False

    def case(self, condition: Variable) -> AbstractContextManager[None]:
        """Return the context manager of a body that runs if `condition`, a bool [1], is true and
        the conditions of all previous cases are false.
        """
        if not self._is_entered:
            raise OpError(append_user_line("Switch.case: call it in the `with` body of the Switch"))
        check_one_element_bool_condition("Switch.case", condition)
        before, fails = self._no_previous_condition, OPS["logical_not"](condition)
        self._no_previous_condition = fails if before is None else OPS["logical_and"](before, fails)
        chosen = condition if before is None else OPS["logical_and"](before, condition)
        return ConditionalBlock([chosen], is_scalar_condition=True).block()

    def default(self) -> AbstractContextManager[None]:
        """Return the context manager of a body that runs if the conditions of all cases are
        false.
        """
        if self._no_previous_condition is None:
            raise OpError(append_user_line("Switch.default: there is no case before it"))
        return ConditionalBlock([self._no_previous_condition], is_scalar_condition=True).block()
