"""A function called on names only, once: what a program that goes on from call to call and one in a
file are both made of.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..capture.control.escape_analysis import born
from ..capture.control.may_alias import Gone, is_moved, put_items, said
from ..capture.control.optional_values import none_flag
from ..capture.modes import Static
from ..capture.recorder import Recorder
from ..capture.undefined_checks import NOT_RETURNED, WHY
from ..capture.variable import Variable
from ..core import pytree
from ..core.errors import TraceError, warn, with_user_line
from ..core.mode import replace_base_mode
from ..core.op import OPS
from ..ir.input_spec import InputSpec
from ..nn.layer import Layer
from .call_arguments import Arguments, Parameters, is_input, leaf_meta
from .guards.guard_set import Assumed
from .guards.side_effects import Attributes, Effect, mark_shared, taken_from
from .guards.user_code import is_users
from .layer_capture import named_layers
from .operators.calls import call, convert_or_leave
from .operators.dunder_methods import Special
from .operators.exceptions import check

TOO_DEEP = (
    "calls go deeper than Python allows; a recursion that ends by the value of a tensor "
    "has no end while a program is made: "
    "write it as a loop, or count its depth in Python"
)


class Recorded:
    """One call of a function, in a mode that writes a program.

    owner: the layer or object whose method it is.

    bound: the arguments, with variables for tensors; inputs: these, `fed` their names before the
    call; effects: attributes that were given values of the program, and hold what they held before;
    assumed: what else of Python the call may have read or changed. What becomes of the last two is
    for those who make a program of it to say.
    """

    def __init__(self, mode: Static, arguments: Arguments, owner: Any) -> None:
        self.mode, self.recorder, self.owner = mode, mode.recorder, owner
        leaves, self.inputs = inputs_of(mode.recorder, arguments)
        self.bound = arguments.rebuilt(leaves)
        _know(mode.recorder, self.bound)
        self.fed = [v.name for v in self.inputs]
        self.effects: list[Effect] = []
        self._attributes, self.assumed = Attributes(owner), Assumed(owner)
        self.recorder.saw, self.recorder.looked = self.assumed.saw, self.assumed.reads
        self.recorder.special = Special(is_users, call)
        for name, leaf in zip(arguments.names, arguments.leaves, strict=True):
            self.assumed.given(name, leaf)

    @classmethod
    def by(cls, recorder: Recorder, arguments: Arguments, owner: Any) -> Recorded:
        """One in the plain mode, which raises the first error."""
        return cls(Static(recorder, convert_or_leave, True), arguments, owner)

    def call(self, function: Callable[..., Any], parameters: Parameters) -> Any:
        """What the converted function gives, in the mode; ops of sublayers carry their names.

        Raises TraceError for a recursion without end, and where it gives or leaves behind what is
        out of date.
        """
        try:
            self.recorder.special.meet(self.owner, self.bound, function)
            made = self._called(convert_or_leave(function), parameters)
            if self.recorder.side_effect is not None and not self.mode.continues:
                raise self.recorder.side_effect
            return self._checked(made)
        finally:
            self.recorder.special.leave()
            for moved in self.recorder.moved:
                if is_moved(moved):
                    put_items(moved, [])
            # to Python the texts are those of the recording
            for keeper, key in self.recorder.unsaid:
                keeper.put(key, said(keeper.read().get(key)))

    def _checked(self, found: Any) -> Any:
        for leaf in pytree.flatten(found)[0]:
            if isinstance(leaf, Gone):
                leaf.use()
            if none_flag(leaf) is not False and leaf is not None:
                self._refuse_none(leaf)
        self.recorder.aliases.check_outside(())
        return found

    def _refuse_none(self, leaf: Variable) -> None:
        """Record an assert that a result is not None, because a program returns tensors."""
        assert leaf.half is not None
        if self.recorder.strict:
            raise TraceError(
                f"'{leaf.half.name}' may be None, but a program must return tensors\n "
                f" "
                f"at "
                f"{leaf.where}"
            )
        with replace_base_mode(self.mode):
            holds = OPS["logical_not"](leaf.half.none)
            said = leaf.half.late is not None and leaf.half.late.kind == NOT_RETURNED
            why = WHY[NOT_RETURNED] if said else "is None, where a program gives a tensor"
            check(self.mode, holds, f"'{leaf.half.name}' {why}", leaf.where)
        leaf.half = None

    def _called(self, converted: Callable[..., Any], parameters: Parameters) -> Any:
        try:
            if not isinstance(self.owner, Layer):
                return parameters.call(converted, self.bound)
            with named_layers(self.owner, self.recorder):
                return parameters.call(converted, self.bound)
        except RecursionError as error:
            raise TraceError(with_user_line(f"{parameters.name}: {TOO_DEEP}")) from error
        finally:
            self.effects = self._attributes.taken() + taken_from(self.recorder)
            mark_shared(self.effects, self.assumed.held())

    def changed_inputs(self) -> list[int]:
        """The inputs that were changed in place, by number."""
        self.recorder.aliases.check_outside(self.inputs)
        return [i for i, v in enumerate(self.inputs) if v.name != self.fed[i]]


def _know(recorder: Recorder, value: Any) -> None:
    """Say of lists and dicts that they are copies, which only the call has."""
    if isinstance(value, dict | list | tuple):
        born(recorder, value)
        for inner in value.values() if isinstance(value, dict) else value:
            _know(recorder, inner)


def inputs_of(recorder: Recorder, arguments: Arguments) -> tuple[list[Any], list[Variable]]:
    """The leaves of a call with a variable in place of each tensor, and these variables."""
    leaves, inputs = list(arguments.leaves), []
    for i, (leaf, name, path) in enumerate(
        zip(arguments.leaves, arguments.names, arguments.paths, strict=True)
    ):
        if is_input(leaf):
            meta = leaf_meta(leaf)
            assert meta is not None
            own = isinstance(leaf, InputSpec) and leaf.name
            feed = recorder.feed(leaf.name if own else name, meta, path)
            if own and feed.name != leaf.name:
                warn(
                    f"two inputs are named '{leaf.name}'; the input at '{path}' is "
                    f"renamed to '{feed.name}' in the program"
                )
            leaves[i] = recorder.variable(feed)
            leaves[i].stop_gradient = False  # a call says which of its tensors want gradients
            inputs.append(leaves[i])
    if arguments.same:
        leaves = [leaves[first] for first in arguments.same]
    return leaves, inputs
