"""Loops: a block that runs while a condition holds, and variables that go from round to round."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from ...core import pytree
from ...core.errors import TraceError, with_user_line
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ..modes import Static
from ..recorder import Inner
from ..symbolic_scalars import either_of, marked, stands_for, together
from ..undefined_checks import Late
from ..variable import Half, Variable
from .array_replacement import CarriedList, assign_all, differ, opened
from .block_ops import emit_while
from .branch import check_condition, put_back
from .branch_values import Undefined, as_meta, common, constant, meta_of, refuse, same, unset
from .loop_aliasing import Carried, Rounds
from .loop_containers import Apart
from .loop_locations import Placed
from .loop_state import TakenApart
from .may_alias import KINDS, EitherList, Gone, Unsaid, items_of, plain
from .maybe_undefined import ANYWHERE, WHY, HasValue, Unset, is_users
from .mutable_locations import Changes, Keeper, taken_back
from .optional_values import Nones
from .tensor_arrays import TensorArray

Values = list[Any]
# what goes from round to round, with what a round makes of it
Successors = list[tuple[Carried | CarriedList, Any]]
Test = Callable[[Values], tuple[Any, Values]]
BEFORE, AFTER = LABELS = ("before the loop", "after a round")


def record_loop(
    mode: Static, test: Test, body: Callable[[Values], Values], start: Values, names: Sequence[str]
) -> Values:
    """Record a loop over a list of values; gives them after it.

    Those that a round leaves alone stay what they are.

    test: gives the condition, and the values, which it may change as well.
    The body is recorded until it is known what changes in it, and how: a list that grows becomes a
    TensorArray, a number a tensor, a size that differs -1.
    """
    return Loop(mode, test, body, list(start), list(names)).record()


def _both_unset(a: Any, b: Any) -> bool:
    return isinstance(a, Undefined) and isinstance(b, Undefined)


DEEPEST = 10  # blocks around a loop
MOST_TRIES = 1000


class Loop(TakenApart):
    """One loop while it is recorded."""

    def __init__(
        self,
        mode: Static,
        test: Test,
        body: Callable[[Values], Values],
        start: Values,
        names: list[str],
    ) -> None:
        self.mode, self.recorder = mode, mode.recorder
        self.test, self.body = test, body
        self.values, self.names = start, names
        # of those that are taken apart; None for one that is a leaf
        self.nestings: list[Any] = [None] * len(start)
        self.carried: dict[int, Carried] = {}  # by position among the values
        self.tensors: dict[
            int, tuple[Variable, Carried]
        ] = {}  # by id: tensors from outside that a round changes in place
        self.named = len(start)  # values that the caller has names for; the others are in places
        self.placed = Placed(mode.recorder)
        # by position: lists of the program that a round replaces
        self.lists: dict[int, CarriedList] = {}
        # of the lists that a round is given, by position among the values
        self.lengths: dict[int, int] = {}
        self.grown: dict[int, Any] = {}  # lists that are to be lists of the program, by id
        self.tuples: list[int] = []  # the same of tuples, by position
        self.apart = Apart(mode.recorder)
        self.nones, self.unset = Nones(), Unset()
        self.rounds = Rounds(mode.recorder.aliases)
        # whether values have one after the last try, by position
        self._left_set: dict[int, Any] = {}
        self._first: Tensor | None = None  # the condition before the first round
        # in the last try: what is carried, or how it is taken apart
        self.changed = self.nestings_changed = False

    def record(self) -> Values:
        """See record_loop.

        Raises TraceError for loops in loops in loops ... : each is recorded several times for each
        try of the outer.
        """
        if self.depth() > DEEPEST:
            raise TraceError(
                with_user_line(
                    f"loops are nested more than {DEEPEST} deep; put the inner ones into ops"
                )
            )
        for _ in range(MOST_TRIES):
            self._lists_to_arrays()
            self._forget_gone()
            mark, early = self.recorder.mark(), self.recorder.early
            known = len(early)
            inner, after, condition = self._try()
            if not self.changed:
                break
            self.recorder.rewind(mark)
            del early[known:]
        else:
            why = (
                "what a round changes is another thing each time that its body is read; keep "
                "what changes in variables of the loop"
            )
            raise TraceError(with_user_line(why))
        if early and not self.recorder.loops:
            raise early[0]
        with self.recorder.aliases.unchecked():
            self._emit(inner, after, condition)
            found = self._results()
        self.rounds.begin(self._carried())  # after the loop is as before one more round
        return found

    # -- one try
    # --------------------------------------------------------------------------

    def _try(self) -> tuple[Inner, Successors, Any]:
        """Record the body once.

        Gives its block, each carried value with its successor, and the condition.
        """
        self.changed = self.nestings_changed = False
        with self.recorder.inner_block() as inner, self.recorder.in_loop():
            given = self._given(inner)
            self.rounds.begin(self._carried())
            condition, made = self._test(self._run(given))
            for i in self.lists:
                made[i] = opened(self.mode, self.names[i], made[i])
            self._left_set = self.unset.left(self.recorder, made)
        left: dict[Hashable, Any] = {i: made[i] for i in (*self.carried, *self.lists)}
        made = [v if v is g else self._left(inner, v) for v, g in zip(made, given, strict=True)]
        self._note_lengths(inner, made)
        changes = taken_back(inner)
        after = self._compared(given, made) + self._changed_in_place(inner)
        self._find_places(changes)
        self._look_at_empty()
        if not self.changed:
            self.changed = self.rounds.end(left)
        return inner, after, condition

    def _look_at_empty(self) -> None:
        """Try again where a list was read before the first write to it, which a later part of the
        round has.
        """
        found = [array for array in self.recorder.empty if array.element is not None]
        self.recorder.empty = [array for array in self.recorder.empty if array.element is None]
        self.changed = self.changed or bool(found)

    def _given(self, inner: Inner) -> Values:
        """The values as the body gets them: carried ones are variables."""
        values = list(self.values)
        for i, carried in self.carried.items():
            values[i] = self._declared(carried)
        for i, replaced in self.lists.items():
            values[i] = replaced.declare(self.mode, self.recorder.open[-2].block)
        for flag in (*self.nones.flags.values(), *self.unset.flags.values()):
            self._declared(flag)
        self.unset.say(values)
        self.nones.say(values, self.names, self.recorder.block.idx)
        for tensor, carried in self.tensors.values():
            variable = self._declared(carried)
            put_back(self.mode, tensor, variable.raw)
        self.lengths = {
            i: len(items_of(v)) for i, v in enumerate(values) if type(v) in (list, EitherList)
        }
        inner.lists = {id(values[i]): False for i in self.lengths}
        return values

    def _note_lengths(self, inner: Inner, made: Values) -> None:
        """See which lists a round made longer or shorter, or wrote to at a position that only a run
        knows.
        """
        for i, length in self.lengths.items():
            given, after = self.values[i], made[i]
            others = isinstance(after, TensorArray) or (
                type(after) in (list, EitherList) and len(items_of(after)) != length
            )
            if others or len(items_of(given)) != length or inner.lists[id(given)]:
                self.grown[id(given)] = given
                self.changed = True

    def _find_places(self, changes: Changes) -> None:
        """Let the places that a round changes for the first time be values of the loop."""
        count = len(self.grown)
        for label, before in self.placed.found(changes, self.grown):
            self.values.append(before)
            self.names.append(label)
            self.nestings.append(None)
            self.changed = True
        self.changed = self.changed or len(self.grown) != count

    def _declared(self, carried: Carried) -> Variable:
        recorder = self.recorder
        outer = recorder.open[-2].block
        made = recorder.variable(
            recorder.declare(recorder.namer.temporary("while"), carried.meta, outer)
        )
        made.where = carried.initial.where if isinstance(carried.initial, Variable) else ""
        carried.variable = made
        return marked(made, carried.stands)

    def _compared(self, given: Values, made: Values) -> Successors:
        found: Successors = []
        for i, (before, after) in enumerate(zip(given, made, strict=True)):
            if id(before) in self.grown or (type(before) in KINDS and after is before):
                continue  # its elements are places
            if isinstance(before, Unsaid):
                continue
            if i in self.lists:
                self.changed = self.lists[i].follow(after) or self.changed
                found.append((self.lists[i], after))
            elif isinstance(before, TensorArray) and before is not after and differ(before, after):
                self.lists[i] = CarriedList.of(self.names[i], before, after)
                self.changed = True
            elif i in self.carried:
                # One that was changed in place will be put back.
                self.changed = self.nones.admit(i, self.carried[i], after) or self.changed
                self.changed = (
                    self.unset.admit(i, self.names[i], self.carried[i].initial, after)
                    or self.changed
                )
                found += self.nones.after(i, after)
                found += self.unset.after(i, self._left_set)
                last = (
                    self.recorder.variable(before.raw)
                    if after is before or after is None
                    else after
                )
                self._widen(self.carried[i], last)
                found.append((self.carried[i], last))
            elif type(before) in KINDS or (
                not same(before, after) and not _both_unset(before, after)
            ):
                self._carry(i, plain(after))
                if self.nestings_changed:
                    return found
                if i in self.carried:
                    self.unset.admit(i, self.names[i], self.carried[i].initial, after)
        return found

    def _carry(self, i: int, after: Any) -> None:
        """Carry value `i` from now on."""
        name, initial = self.names[i], self.values[i]
        self.changed = True
        if isinstance(initial, Gone):
            initial.use()
        if isinstance(after, Gone):
            self.values[i] = after  # whoever reads it in any round, or afterwards, is refused
            return
        maybe = self.nones.carry(i, name, initial, after, LABELS)
        if maybe is not None:
            self.carried[i] = maybe
            return
        if isinstance(initial, Undefined):
            meta = meta_of(after)
            if isinstance(after, tuple):
                self._expand_unset(i, after)
                return
            if meta is None:
                # made in every round anew; what the last one made is not a value of the program
                self.values[i] = after
                return
            self.carried[i] = Carried(name, meta, Undefined(name), stands=stands_for(after))
            return
        if meta_of(initial) is None or meta_of(after) is None:
            self._carry_leaves(i, after)
            return
        self.carried[i] = Carried(
            name, common(name, initial, after, LABELS), initial, stands=either_of((initial, after))
        )

    def _carry_leaves(self, i: int, after: Any) -> None:
        """Carry the leaves of a container from now on."""
        before = self.apart.whole(self.values[i])
        if type(before) is tuple and differ(before, after):
            self.tuples.append(i)
            return
        if (
            isinstance(before, str)
            and isinstance(after, str)
            and (place := self._place_of(i)) is not None
        ):
            self.values[i] = Unsaid(self.names[i], after)
            self.recorder.unsaid.append(place)
            return
        if (
            isinstance(pytree.flatten(before)[1], int)
            or pytree.flatten(before)[1] != pytree.flatten(after)[1]
        ):
            refuse(
                self.names[i],
                before,
                after,
                LABELS,
                "only tensors and numbers can go from round to round",
            )
        self._expand(i)
        self.nestings_changed = True

    def _place_of(self, i: int) -> tuple[Keeper, Any] | None:
        """The place whose value, or a part of it, is leaf `i`; None for what the caller has a name
        for.
        """
        counts = [1 if nesting is None else pytree.num_leaves(nesting) for nesting in self.nestings]
        number = next(n for n in range(len(counts)) if i < sum(counts[: n + 1]))
        return None if number < self.named else self.placed.places[number - self.named]

    def _expand_unset(self, i: int, after: Any) -> None:
        """Take a tuple apart that has no value before the loop."""
        _, nesting = pytree.flatten(after)
        self.values[i] = pytree.unflatten(
            nesting, [Undefined(self.names[i] + p) for p in pytree.key_paths(nesting)]
        )
        self._expand(i)
        self.nestings_changed = True

    def _widen(self, carried: Carried, after: Any) -> None:
        """Let `carried` hold what a round made of it."""
        like = carried.variable if meta_of(carried.initial) is None else carried.initial
        if isinstance(after, Undefined):
            refuse(carried.name, like, after, LABELS, "a round takes its value away")
        found = common(carried.name, like, after, LABELS)
        stands = together((carried.stands, stands_for(after)))
        if stands != carried.stands:
            carried.stands, self.changed = stands, True
        shape = tuple(
            a if a == b else -1 for a, b in zip(carried.meta.shape, found.shape, strict=True)
        )
        if (shape, found.dtype) != (carried.meta.shape, carried.meta.dtype):
            carried.meta, self.changed = Meta(shape, found.dtype), True

    def _changed_in_place(self, inner: Inner) -> Successors:
        """Tensors from outside that the body changed in place, put back to what they were."""
        found: Successors = []
        for key, (tensor, before) in inner.changed.items():
            after = self.recorder.variable(tensor.raw)
            mine = self.tensors.get(key)
            if mine is None and self.recorder.var(before.name) is not before:
                continue  # it is of the body itself
            if mine is not None:
                self._widen(mine[1], after)
                found.append((mine[1], after))
            elif all(tensor is not v for v in self._variables()):
                start = self.recorder.variable(before)
                meta = common(before.name, start, after, LABELS)
                self.tensors[key] = (tensor, Carried(before.name, meta, start))
                self.changed = True
            put_back(self.mode, tensor, before if mine is None else mine[1].initial.raw)
        self._forget_unchanged(inner)
        return found

    def _forget_unchanged(self, inner: Inner) -> None:
        """Carry no tensor that the body changes no more, now that a variable of the loop holds what
        it made of it.
        """
        for key in [k for k in self.tensors if k not in inner.changed]:
            tensor, carried = self.tensors.pop(key)
            put_back(self.mode, tensor, carried.initial.raw)
            self.changed = True

    def _left(self, inner: Inner, value: Any) -> Any:
        """A value as a round left it: a tensor from outside that it changed in place will be put
        back.
        """
        return self.recorder.variable(value.raw) if id(value) in inner.changed else value

    def _carried(self) -> dict[Hashable, Carried | CarriedList]:
        """What goes from round to round."""
        found: dict[Hashable, Carried | CarriedList] = {}
        found.update({i: carried for i, carried in self.carried.items()})  # noqa: C416 - a dict[int, ...] is none of Hashable
        found.update({i: replaced for i, replaced in self.lists.items()})  # noqa: C416
        return found

    def _variables(self) -> list[Any]:
        return [c.variable for c in self.carried.values()]

    # -- lists
    # --------------------------------------------------------------------------

    def _forget_gone(self) -> None:
        """Carry nothing in lists and dicts that were taken away since it was found there."""
        gone, at = self.placed.gone(), 0
        for i, nesting in enumerate(self.nestings):
            found = gone[i - self.named] if i >= self.named and nesting is None else None
            if found is not None:
                self.values[at] = found
                self.carried.pop(at, None)
            at += 1 if nesting is None else pytree.num_leaves(nesting)

    def _lists_to_arrays(self) -> None:
        """Make TensorArrays of the lists that a round changes."""
        for i, value in enumerate(self.values):
            if id(value) in self.grown:
                self.placed.names.setdefault(id(value), self.names[i])
        for value in self.grown.values():
            array = TensorArray.replacing(self.mode, self.placed.names[id(value)], value)
            self.rounds.admit(array)
            self.values = [array if held is value else held for held in self.values]
        self.grown = {}
        for i in self.tuples:
            self.values[i] = TensorArray.of(self.mode, self.values[i])
            self.rounds.admit(self.values[i])
        self.tuples = []

    # -- writing it
    # ---------------------------------------------------------------------------------------------

    def _emit(self, inner: Inner, after: Successors, condition: Any) -> None:
        recorder = self.recorder
        for carried, _ in after:
            if isinstance(carried, CarriedList):
                carried.initial.assigned_to(carried.variable)
            else:
                self._assign(self._start_of(carried), carried)
        for tensor, carried in self.tensors.values():
            assert carried.variable is not None
            put_back(self.mode, tensor, carried.variable.raw)
        first = self._first = self._first_condition()
        flag = recorder.variable(recorder.declare(recorder.namer.temporary("while"), first.meta))
        recorder.emit("assign", {"X": [recorder.name_of(first)]}, {"Out": [flag.name]})
        with recorder.writing(inner):
            last = self._condition(condition)
            self._write_back(after)
            recorder.emit("assign", {"X": [recorder.name_of(last)]}, {"Out": [flag.name]})
        emit_while(recorder, inner.block, flag.name)

    def _first_condition(self) -> Tensor:
        """The condition before the first round.

        What the test itself changes is another first value.
        """
        start = self._start()
        found, values = self._test(list(start))
        after: Successors = [(carried, values[i]) for i, carried in self.carried.items()]
        after += [(replaced, values[i]) for i, replaced in self.lists.items()]
        after += [
            (carried, self.recorder.variable(tensor.raw))
            for tensor, carried in self.tensors.values()
        ]
        self._write_back(after)
        return self._condition(found)

    def _start(self) -> Values:
        values = list(self.values)
        for i, carried in self.carried.items():
            values[i] = carried.variable
        for i, replaced in self.lists.items():
            values[i] = replaced.variable
        return values

    def _condition(self, value: Any) -> Tensor:
        found = value if isinstance(value, Tensor) else constant(bool(value))
        check_condition("while", found)
        return found

    def _start_of(self, carried: Carried) -> Tensor:
        if isinstance(carried, HasValue):
            return as_meta(carried.start(self.recorder), carried.meta)
        if meta_of(carried.initial) is None:
            return unset(carried.meta)
        return as_meta(carried.initial, carried.meta)

    def _assign(self, value: Tensor, carried: Carried) -> None:
        assert carried.variable is not None
        other = (
            isinstance(value, Variable)
            and value.half is not None
            and value.half.name != carried.name
        )
        name = self.recorder.operand(value) if other else self.recorder.name_of(value)
        self.recorder.emit("assign", {"X": [name]}, {"Out": [carried.variable.name]})

    def _write_back(self, after: Successors) -> None:
        """The assigns at the end of a round, which happen at once: what another one overwrites is
        copied before.
        """
        assign_all([(c.variable, v) for c, v in after if isinstance(c, CarriedList)])
        names = {c.variable.name for c, _ in after if c.variable is not None}
        values = [(c, as_meta(v, c.meta)) for c, v in after if isinstance(c, Carried)]
        for i, (carried, value) in enumerate(values):
            if (
                carried.variable is not None
                and value.name != carried.variable.name
                and value.name in names
            ):
                values[i] = (carried, OPS["assign"](value))
        for carried, value in values:
            if (
                carried.variable is not None
                and self.recorder.name_of(value) != carried.variable.name
            ):
                self._assign(value, carried)

    def _results(self) -> Values:
        values = self._start()
        assert self._first is not None
        flag, where = self.recorder.name_of(self._first), self.recorder.block.ops[-1].where
        self.nones.say(values, self.names, self.recorder.block.idx)
        self.unset.say(values, where)
        for i, carried in self.carried.items():
            unset_before = (
                isinstance(carried.initial, Undefined)
                and i not in self.nones.flags
                and i not in self.unset.flags
            )
            if unset_before and is_users(carried.name) and carried.variable is not None:
                late = Late(carried.name, carried.variable.raw, flag, where)
                carried.variable.half = Half(carried.name, WHY, ANYWHERE, None, late)
        for tensor, carried in self.tensors.values():
            assert carried.variable is not None
            put_back(self.mode, tensor, carried.initial.raw)
            self.mode.rebind(tensor, carried.variable)
        found = self.apart.results(self._together(values))
        self.placed.put(found[self.named :])
        return found[: self.named]
