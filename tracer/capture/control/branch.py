"""Record branches: two blocks of which one runs, and a select op for every result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core import pytree
from ...core.dtype import dtype_of
from ...core.errors import BranchesError, user_line, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.block_captures import block_writes
from ...ir.program import Kind, VarDesc
from ..aliasing import Stale
from ..modes import Static, static_mode
from ..recorder import Inner
from ..symbolic_scalars import either_of, marked, stands_for
from ..undefined_checks import NO_WAY, Late
from ..variable import Half, Variable
from .array_replacement import OtherLength, differ
from .block_ops import emit_conditional
from .branch_values import Undefined, as_meta, common, meta_of, same, shown, zeros
from .may_alias import Choice, Gone, Held, gone_for, held
from .maybe_undefined import ANYWHERE, flag_of, is_users
from .mutable_locations import (
    Change,
    Changes,
    Entries,
    Keeper,
    differs_by_way,
    refuse_length,
    taken_back,
)
from .optional_values import (
    BOOL,
    Facts,
    chosen_facts,
    facts_of,
    flag_after,
    implying,
    make_none,
    none_flag,
)
from .tensor_arrays import TensorArray

Branch = Callable[[], Any]


@dataclass
class Side:
    """A recorded branch.

    values: its results; changed: by id, outer tensors and their new versions.

    outside: mutable locations that it wrote; stale: tensors that a mutation invalidated.
    """

    inner: Inner
    values: list[Any]
    outside: Changes
    stale: dict[int, Stale]
    changed: dict[int, tuple[Variable, VarDesc]] = field(default_factory=dict)
    outs: list[str] = field(default_factory=list)
    where: str = ""


def cond(
    pred: Any,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    name: str | None = None,
    return_names: Sequence[str] | None = None,
) -> Any:
    """What `true_fn` gives where `pred` is true, else what `false_fn` gives.

    pred: bool of one element.

    Eagerly one of them is called; in a program both are recorded, and must give the same nesting,
    dtypes and numbers of axes.
    """
    true_fn, false_fn = (_nothing if f is None else f for f in (true_fn, false_fn))
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError(with_user_line("cond: true_fn and false_fn should be functions, or None"))
    mode = static_mode(state.mode)
    if mode is None or not isinstance(pred, Variable):
        refuse_plain("cond", "pred", pred)
        return true_fn() if pred else false_fn()
    paths: list[Any] = []
    made: list[Any] = []
    given: list[Held | None] = []

    def flat(branch: Branch) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            value = branch()
            made.append(value)
            if mode.recorder.by_hand and len({m is None for m in made}) > 1:
                raise BranchesError(with_user_line(f"{UNLIKE}: one of them returns None"))
            given.append(held(value))
            leaves, nesting = pytree.flatten(value)
            paths.append(nesting)
            return leaves

        return run

    found = record_branches(
        mode, pred, flat(true_fn), flat(false_fn), return_names or [], mixed=True
    )
    if paths[0] != paths[1]:
        if differ(*made) and not isinstance(made[0], tuple):
            raise OtherLength("the result")
        why = (
            f"the branches return different structures: {pytree.describe(paths[0])} and "
            f"{pytree.describe(paths[1])}"
        )
        raise BranchesError(with_user_line(f"{UNLIKE}: {why}"))
    choice = Choice()
    chosen = choice.of(pytree.unflatten(paths[0], found), *given)
    choice.finish()
    return chosen


# what programs for Paddle look for
UNLIKE = "cond: Incompatible return values of true_fn and false_fn in cond"


def refuse_plain(what: str, name: str, value: Any) -> None:
    """Raise TypeError for a plain number in a program that is written by hand, which would be of
    one way for good.
    """
    if state.mode.builder is not None and not isinstance(value, Tensor):
        raise TypeError(
            with_user_line(f"{what}: {name} should be a Variable, not {type(value).__name__}")
        )


def _nothing() -> None:
    return None


def record_branches(
    mode: Static,
    pred: Variable,
    then: Callable[[], list[Any]],
    other: Callable[[], list[Any]],
    names: Sequence[str],
    mixed: bool = False,
) -> list[Any]:
    """Record two branches that give lists, and the choice between them.

    names: of the results, for errors.

    mixed: tensors of different dtypes or numbers of axes are a result too, whose kind only a run
    knows.
    """
    pred = _check_one_element(mode, pred)
    check_condition("cond", pred)
    mode.recorder.aliases.check(pred)
    merge = Merge(
        mode,
        _record(mode, then, facts_of(pred, True)),
        _record(mode, other, facts_of(pred, False)),
        mixed,
        pred,
    )
    with mode.recorder.aliases.unchecked():
        chosen = _merged(mode, merge, pred, names)
    merge.join()
    return chosen


def _merged(mode: Static, merge: Merge, pred: Variable, names: Sequence[str]) -> list[Any]:
    """What two recorded branches give, and what they did, after the choice between them."""
    one, two = merge.sides
    merge.check_lengths()
    if len(one.values) != len(two.values):  # different structures: the caller says so
        return one.values
    labels = [*names, *(f"result {i}" for i in range(len(names), len(one.values)))]
    chosen = [merge.choice(n, a, b) for n, a, b in zip(labels, one.values, two.values, strict=True)]
    changed = {**two.changed, **one.changed}
    became = [merge.choice_of_changed(key, tensor) for key, (tensor, _) in changed.items()]
    outside = [(keeper, merge.choice_of_places(key)) for key, keeper in merge.keepers().items()]
    merge.emit(pred)
    for keeper, values in outside:
        keeper.write(values)
    merge.containers.finish()
    for (tensor, _), made in zip(changed.values(), became, strict=True):
        mode.rebind(tensor, made)
    return chosen


def _check_one_element(mode: Static, pred: Variable) -> Variable:
    """Check that a condition has one element. Inside a branch or loop, the check is an assert of
    the program, so that it fails only in runs that reach it.
    """
    shape = pred.meta.shape
    if len(mode.recorder.open) == 1 or pred.meta.dtype != bool or all(d in (1, -1) for d in shape):
        return pred
    never = OPS["fill_constant"](shape=[], value=0.0, str_value="0", dtype=dtype_of("bool").proto)
    mode.recorder.emit_assert(
        never, f"cond: the condition should have one element (pred={pred.meta})", []
    )
    found: Variable = OPS["reduce_all"](pred, reduce_all=True, dim=[], keep_dim=False)
    return found


def check_condition(what: str, pred: Tensor) -> None:
    """Raise TypeError unless `pred` is a bool tensor with one element."""
    if not isinstance(pred, Tensor):
        raise TypeError(
            with_user_line(f"{what}: the condition is {type(pred).__name__}, not a Tensor")
        )
    meta = pred.meta
    if meta.dtype != bool:
        raise TypeError(
            with_user_line(f"{what}: the condition should be of dtype bool (pred={meta})")
        )
    if any(d not in (1, -1) for d in meta.shape):
        raise TypeError(
            with_user_line(f"{what}: the condition should have one element (pred={meta})")
        )


def _record(mode: Static, branch: Callable[[], list[Any]], facts: Facts) -> Side:
    recorder, stale = mode.recorder, dict(mode.recorder.aliases.stale)
    with recorder.inner_block() as inner:
        inner.facts = facts
        values = list(branch())
    side = Side(inner, values, taken_back(inner), recorder.aliases.stale)
    recorder.aliases.stale = stale
    for key, (tensor, before) in inner.changed.items():
        if recorder.var(before.name) is before:  # else it is of the branch itself
            side.changed[key] = (tensor, tensor.raw)
            put_back(mode, tensor, before)
    return side


def put_back(mode: Static, tensor: Variable, desc: VarDesc) -> None:
    """Make a tensor that was changed in place what it was before."""
    tensor.raw, tensor._name = desc, desc.name
    if tensor._block is not None:  # of a program that is written by hand
        blocks = tensor._block.program.blocks
        tensor.block = next((b for b in blocks if b.raw.vars.get(desc.name) is desc), None)
    mode.recorder.bind(tensor, desc.name)


@dataclass
class Filler:
    """Stands for a value that a branch does not give: zeros."""

    meta: Meta


HOLDS, FAILS = LABELS = ("if the condition holds", "if it does not")


def _unlike(a: Tensor, b: Tensor) -> bool:
    """Whether no declaration holds both."""
    found = a.meta.dtype != b.meta.dtype or len(a.meta.shape) != len(b.meta.shape)
    return found or any(isinstance(v, Variable) and bool(v.mixed) for v in (a, b))


class Merge:
    """Two recorded branches becoming one.

    sides: what is taken where the condition holds, and where not; mixed: see record_branches.
    """

    def __init__(
        self, mode: Static, one: Side, two: Side, mixed: bool = False, pred: Any = None
    ) -> None:
        self.mode, self.mixed, self.pred = mode, mixed, pred
        self.recorder = mode.recorder
        self.sides = (one, two)
        self.containers = Choice()  # those of places
        # a result, and the variables that the sides write it to
        self.chosen: list[tuple[Variable, list[str]]] = []
        # a result that is another tensor on each side, and these
        self.made: list[tuple[Any, tuple[Any, Any]]] = []

    def choice(self, name: str, a: Any, b: Any) -> Any:
        """The value after the branches, of one that is `a` after the first and `b` after the
        second.
        """
        gone = [v for v in (a, b) if isinstance(v, Gone)]
        if gone or same(a, b) or (isinstance(a, Undefined) and isinstance(b, Undefined)):
            return gone[0] if gone else a
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return self._merge_maybe_undefined(name, a, b)
        if self.mode.converts and self._may_be_none(a, b):
            return self._maybe(name, a, b)
        if differ(a, b):
            return self._list(name, a, b)
        if meta_of(a) is None or meta_of(b) is None:
            found = self._containers(name, a, b)
            if found is not pytree.STRUCTURE_MISMATCH:
                return found
        return self._tensor(name, a, b)

    def _containers(self, name: str, a: Any, b: Any) -> Any:
        """Merge two containers with the same structure, or dicts with different keys; DIFFERENT for
        any other two values.
        """
        dicts = self.mode.converts and isinstance(a, dict) and isinstance(b, dict)
        if not dicts or a.keys() == b.keys():
            return pytree.map_pair(self.choice, name, a, b)
        labels = {key: f"{name}[{key!r}]" for key in dict.fromkeys((*a, *b))}
        found = {key: self._merge_entry(n, a, b, key) for key, n in labels.items()}
        return {key: gone_for(n, found[key]) for key, n in labels.items()}

    def _merge_entry(self, name: str, a: dict[Any, Any], b: dict[Any, Any], key: Any) -> Any:
        """Merge the values of one dict key after the branches. If one branch lacks the key, an
        error shows both dicts.
        """
        one, two = a.get(key, Undefined(name)), b.get(key, Undefined(name))
        if (
            isinstance(one, Undefined) is isinstance(two, Undefined)
            or isinstance(one, Gone)
            or isinstance(two, Gone)
        ):
            return self.choice(name, one, two)
        made = self._merge_maybe_undefined(name, one, two, is_entry=True)
        if isinstance(made, Variable) and made.half is not None:
            sides = "".join(
                f"\n  {side}: {shown(v)}{self.recorder.line_of(v)}"
                for side, v in zip(LABELS, (a, b), strict=True)
            )
            made.half = made.half._replace(sides=sides)
        return made

    def _tensor(self, name: str, a: Any, b: Any) -> Variable:
        """Merge a tensor or number that differs between the branches."""
        if (
            isinstance(a, Variable)
            and isinstance(b, Variable)
            and _unlike(a, b)
            and self._may_mix(name, a, b)
        ):
            return self._mixed(a, b)
        flags = tuple(
            self._is_set(name, v, side) for v, side in zip((a, b), self.sides, strict=True)
        )
        made = self._chosen((a, b), common(name, a, b, LABELS), wanted=name)
        marked(made, either_of((a, b)))
        if any(flag is not True for flag in flags):
            half = next(v.half for v, flag in zip((a, b), flags, strict=True) if flag is not True)
            self._make_half(made, name, half.why, self._chosen(flags, BOOL), True, half.block)
        if made.meta.dtype == bool:
            implying(
                made, chosen_facts(self.pred, a, b, True), chosen_facts(self.pred, a, b, False)
            )
        return made

    def _may_mix(self, name: str, a: Variable, b: Variable) -> bool:
        """Whether a run may give either of two that are unlike: it may be set anew before it is
        read, or be a result of the program.
        """
        in_a_place, whole = "[" in name or "." in name, a.half is None and b.half is None
        return self.mixed or (
            self.mode.converts and (in_a_place or (whole and a.meta.dtype == b.meta.dtype))
        )

    def _list(self, name: str, a: Any, b: Any) -> TensorArray:
        """A list that is one on the first side and another on the second."""
        if not isinstance(a, TensorArray) or not isinstance(b, TensorArray):
            raise OtherLength(name)
        made = TensorArray(self.mode).like(a, b)
        for value, side in zip((a, b), self.sides, strict=True):
            with self.recorder.writing(side.inner):
                value.assigned_to(made)
        self.made.append((made, (a, b)))
        return made

    def _is_set(self, name: str, value: Any, side: Side) -> Any:
        """Whether a variable has a value after a side: True, or a truth value of the side."""
        with self.recorder.writing(side.inner):
            return flag_of(self.recorder, name, value)

    def _make_half(
        self, made: Variable, name: str, why: str, flag: Variable, sense: bool, like: int = 0
    ) -> None:
        """Say of a variable that it has a value where `flag` is `sense`.

        like: the block of what it was made from.
        """
        late = Late(name, made.raw, flag.name, "", sense=sense, kind=NO_WAY)
        block = ANYWHERE if like == ANYWHERE else self.recorder.block.idx
        made.half = Half(name, why, block, None, late)

    @staticmethod
    def _may_be_none(a: Any, b: Any) -> bool:
        given = [v for v in (a, b) if v is not None]
        never = none_flag(a) is False and none_flag(b) is False
        return not never and all(meta_of(v) is not None for v in given)

    def _maybe(self, name: str, a: Any, b: Any) -> Any:
        """What is None on some ways, with the condition for it."""
        flags = flag_after(self.pred, True, a), flag_after(self.pred, False, b)
        given = [
            v for v, flag in zip((a, b), flags, strict=True) if flag is not True and v is not None
        ]
        if not given:
            return None
        meta = common(name, a, b, LABELS) if len(given) == 2 else meta_of(given[0])
        assert meta is not None
        pair = [
            v if flag is not True and v is not None else Filler(meta)
            for v, flag in zip((a, b), flags, strict=True)
        ]
        made = marked(self._chosen((pair[0], pair[1]), meta), either_of(given))
        if all(flag is False for flag in flags):
            return made
        where = next((v.where for v in given if isinstance(v, Variable)), "")
        return make_none(made, name, self._chosen(flags, BOOL), self.recorder.block.idx, where)

    def _mixed(self, a: Variable, b: Variable) -> Variable:
        """A choice between values that nothing but a run can describe; declared as Paddle does,
        like the first.
        """
        made = self._chosen((a, b), a.meta, metas=(a.meta, b.meta))
        made.mixed = "".join(
            v.mixed or f"\n  {side}: {shown(v)}" for side, v in zip(LABELS, (a, b), strict=True)
        )
        made.single = a.meta.dtype == b.meta.dtype and all(
            v.single or v.meta.shape in ((), (1,)) for v in (a, b)
        )
        return made

    def _merge_maybe_undefined(self, name: str, a: Any, b: Any, is_entry: bool = False) -> Any:
        """Merge a value that only one branch assigns. The other branch contributes zeros, which ops
        may read only under the same condition.

        is_entry: whether the value is a dict entry, which a result must also contain. Other values
        are guarded by flags.
        """
        if isinstance(a, Gone) or isinstance(b, Gone):
            return a if isinstance(a, Gone) else b
        given = b if isinstance(a, Undefined) else a
        why = f"has a value only if the condition {'holds' if given is a else 'does not hold'}"
        meta = meta_of(given)
        if isinstance(given, tuple):
            return pytree.map_pair(
                lambda n, v, _: self._merge_maybe_undefined(n, *((v, b) if given is a else (a, v))),
                name,
                given,
                given,
            )
        if given is None or meta is None:
            kept = (
                "of what only one way gives, tensors, numbers, None and tuples of these can "
                "be carried on"
            )
            return (
                None
                if given is None
                else Undefined(name, f"{why}, and is {shown(given)} there: {kept}")
            )
        filler = Filler(meta)
        made = marked(
            self._chosen((filler, b) if given is b else (a, filler), meta), stands_for(given)
        )
        if is_entry or is_users(name):
            side = self.sides[given is b]
            # else its line is of before
            here = isinstance(given, Variable) and given.name in side.inner.block.vars
            at = (given.where if here else "") or user_line()
            inner = self._is_set(name, given, side)
            ways = (inner, False) if given is a else (False, inner)
            flag, sense = (
                (self.pred, given is a) if inner is True else (self._chosen(ways, BOOL), True)
            )
            # `oarlock explain` lists the reader; a key is asked for by name
            listed = is_entry or self.mode.continues
            like = 0 if listed and "." not in name.partition("[")[0] else ANYWHERE
            self._make_half(made, name, f"{why}, at {at}" if at else why, flag, sense, like)
        return made

    def choice_of_changed(self, key: int, tensor: Variable) -> Variable:
        """The choice between what two branches made, in place, of a tensor from outside."""
        descs = (side.changed[key][1] if key in side.changed else tensor.raw for side in self.sides)
        one, two = (self.recorder.variable(desc) for desc in descs)
        return self._choose((one, two), common(tensor.name, one, two, LABELS))

    def keepers(self) -> dict[Any, Keeper]:
        """Those that a side wrote to."""
        return {key: change.keeper for side in self.sides for key, change in side.outside.items()}

    def check_lengths(self) -> None:
        """Raise Longer for a list that is no variable, of which only a run knows how long it is
        after the branches.
        """
        for key, keeper in self.keepers().items():
            before = next(side.outside[key].before for side in self.sides if key in side.outside)
            states = [
                side.outside[key].after if key in side.outside else before for side in self.sides
            ]
            refuse_length(keeper, states[0], states[1], "one of two branches")

    def choice_of_places(self, key: Any) -> dict[Any, Any]:
        """What a keeper holds after the branches."""
        changes = [side.outside[key] for side in self.sides if key in side.outside]
        keeper, before = changes[0].keeper, changes[0].before
        both = [side.outside.get(key, Change(keeper, before, before)) for side in self.sides]
        states = [change.after for change in both]
        found = dict(before)
        for place in dict.fromkeys(p for change in changes for p in change.places()):
            label = keeper.label(place)
            one, two = (state.get(place, keeper.absent(place)) for state in states)
            if differs_by_way(one) or differs_by_way(two):
                found[place] = self._choice_at(
                    label,
                    (one, two),
                    [c.container(place, v) for c, v in zip(both, (one, two), strict=True)],
                )
            else:
                found[place] = one if isinstance(two, Undefined) else two
        if isinstance(keeper, Entries):
            found = {
                k: gone_for(keeper.label(k), v)
                for k, v in found.items()
                if any(k in c.after for c in both)
            }
        return {
            k: v for k, v in found.items() if not isinstance(v, Undefined) or isinstance(v, Gone)
        }

    def _choice_at(self, label: str, pair: tuple[Any, Any], containers: list[Held | None]) -> Any:
        """What a place holds after the branches; which one of two lists or dicts only a
        run knows.
        """
        one, two = containers
        if pair[0] is pair[1] or one is None or two is None:
            return self.choice(label, *pair)
        return self.containers.of(self.choice(label, one.copy(), two.copy()), one, two)

    def _chosen(
        self, pair: tuple[Any, Any], meta: Meta, metas: Sequence[Meta] = (), wanted: str = ""
    ) -> Variable:
        """A new variable for what is one tensor on the first side and another on the second.

        wanted: the name that it has from now on.
        """
        pair = tuple(self._read(v, side, wanted) for v, side in zip(pair, self.sides, strict=True))
        made = self._choose(pair, meta, metas)
        self.made.append((made, pair))
        return made

    def join(self) -> None:
        """What was out of date on a side is so from now on, and what the sides chose may be one
        with what it was.
        """
        aliases, stale = self.recorder.aliases, [side.stale for side in self.sides]
        aliases.stale = {**stale[0], **stale[1]}
        aliases.join(self.made)
        for made, pair in self.made:
            if isinstance(made, TensorArray):
                aliases.one_list(made, pair[0])
                aliases.one_list(made, pair[1])
        for made, pair in self.made:
            for value, found in zip(pair, stale, strict=True):
                if id(value) in found:
                    aliases.stale[id(made)] = replace(found[id(value)], tensor=made)

    def _choose(self, pair: tuple[Any, Any], meta: Meta, metas: Sequence[Meta] = ()) -> Variable:
        recorder = self.recorder
        sides = zip(pair, self.sides, metas or (meta, meta), strict=True)
        outs = [self._written(value, side, own) for value, side, own in sides]
        desc = recorder.declare(recorder.namer.temporary("select_input"), meta)
        desc.stop_gradient = all(not isinstance(v, Tensor) or v.stop_gradient for v in pair)
        made = recorder.variable(desc)
        self.chosen.append((made, outs))
        return made

    def _read(self, value: Any, side: Side, wanted: str) -> Any:
        """A value under another name than before: it has to have one in a run."""
        half = value.half if isinstance(value, Variable) else None
        if not wanted or half is None or half.none is not None or half.name == wanted:
            return value
        with self.recorder.writing(side.inner):
            name = self.recorder.operand(value)
            desc = self.recorder.var(name)
        return value if desc is None or name == value.name else self.recorder.variable(desc)

    def _written(self, value: Any, side: Side, meta: Meta) -> str:
        """The variable that a side writes a result to."""
        recorder = self.recorder
        with recorder.writing(side.inner):
            tensor = (
                zeros(value.meta)
                if isinstance(value, Filler)
                else as_meta(self._left(value, side), meta)
            )
            name = recorder.name_of(tensor)
        out = recorder.namer.temporary("conditional_block")
        recorder.declare(out, Meta(tensor.meta.shape, meta.dtype))
        with recorder.writing(side.inner):
            recorder.emit("assign", {"X": [name]}, {"Out": [out]})
        side.outs.append(out)
        return out

    def _left(self, value: Any, side: Side) -> Any:
        """A value as a side left it: a tensor from outside that it changed in place has been put
        back since.
        """
        return (
            self.recorder.variable(side.changed[id(value)][1])
            if id(value) in side.changed
            else value
        )

    def emit(self, pred: Variable) -> None:
        """Write the ops that run the sides and choose."""
        self._emit_side(pred, self.sides[0])
        self._emit_side(OPS["logical_not"](pred), self.sides[1])
        if not self.chosen:
            return
        mask = self.recorder.name_of(OPS["cast"](pred, in_dtype=0, out_dtype=2))
        for variable, (one, two) in self.chosen:
            op = self.recorder.emit(
                "select_input", {"X": [two, one], "Mask": [mask]}, {"Out": [variable.name]}
            )
            variable.where = op.where

    def _emit_side(self, pred: Any, side: Side) -> None:
        recorder, block = self.recorder, side.inner.block
        writes = block_writes(recorder.program, block)
        arrays = [n for n in writes if n not in side.outs and self._stays(n)]
        emit_conditional(recorder, block, [recorder.name_of(pred)], [*side.outs, *arrays])

    def _stays(self, name: str) -> bool:
        """Whether what a side writes to a variable is seen afterwards: a list of tensors, or a
        buffer.
        """
        var = self.recorder.var(name)
        return var is not None and (var.kind == Kind.ARRAY or var.persistable)
