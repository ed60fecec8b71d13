"""Record branches: two blocks of which one runs, and a select op for each result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core import pytree
from ...core.dtype import dtype_of
from ...core.errors import BranchMergeError, user_line, with_user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.block_captures import block_writes
from ...ir.program import VarDesc, VarKind
from ..aliasing import Invalidation
from ..modes import Static, static_mode
from ..recorder import OpenBlock
from ..symbolic_scalars import mark_scalar, merged_kind, scalar_kind
from ..undefined_checks import PATH_NOT_TAKEN, UndefinedCheck
from ..variable import MaybeUndefined, Variable
from .array_replacement import LengthMismatch, needs_array
from .block_ops import emit_conditional
from .branch_values import Undefined, cast_to, describe_value, is_same, merged_meta, meta_of, zeros
from .may_alias import (
    ContainerMerge,
    ContainerSnapshot,
    Invalidated,
    invalidate_undefined,
    snapshot_container,
)
from .maybe_undefined import ANY_BLOCK, defined_flag, is_user_name
from .mutable_locations import (
    DictItems,
    MutableLocation,
    Mutation,
    Mutations,
    is_path_dependent,
    reject_length_change,
    roll_back,
)
from .optional_values import (
    BOOL,
    KnownConditions,
    known_conditions,
    mark_optional,
    merged_conditions,
    none_flag,
    none_flag_on_path,
    set_implications,
)
from .tensor_arrays import TensorArray

Branch = Callable[[], Any]


@dataclass
class RecordedBranch:
    """A recorded branch.

    values: its results.
    mutations: the mutable Python locations that it wrote.
    invalidated: the tensors that it invalidated.
    rebound: by id, external tensors that it changed in place, with their new declarations.
    outs: the variables that it writes as inputs of the select ops.
    """

    inner: OpenBlock
    values: list[Any]
    mutations: Mutations
    invalidated: dict[int, Invalidation]
    rebound: dict[int, tuple[Variable, VarDesc]] = field(default_factory=dict)
    outs: list[str] = field(default_factory=list)
    where: str = ""


def cond(
    pred: Any,
    true_fn: Branch | None = None,
    false_fn: Branch | None = None,
    name: str | None = None,
    return_names: Sequence[str] | None = None,
) -> Any:
    """Return the result of `true_fn` if `pred` is true, otherwise that of `false_fn`.

    pred: bool with one element.

    In eager mode only one of the functions is called. In a program both are recorded; their results
    must have the same structure, dtypes and ranks.
    """
    true_fn, false_fn = (_no_op if f is None else f for f in (true_fn, false_fn))
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError(with_user_line("cond: true_fn and false_fn should be functions, or None"))
    mode = static_mode(state.mode)
    if mode is None or not isinstance(pred, Variable):
        reject_python_value("cond", "pred", pred)
        return true_fn() if pred else false_fn()
    paths: list[Any] = []
    made: list[Any] = []
    given: list[ContainerSnapshot | None] = []

    def flat(branch: Branch) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            value = branch()
            made.append(value)
            if mode.recorder.policy.rejects_none_results and len({m is None for m in made}) > 1:
                raise BranchMergeError(
                    with_user_line(f"{STRUCTURES_DIFFER}: one of them returns None")
                )
            given.append(snapshot_container(value))
            leaves, spec = pytree.flatten(value)
            paths.append(spec)
            return leaves

        return run

    found = record_branches(
        mode, pred, flat(true_fn), flat(false_fn), return_names or [], mixed=True
    )
    if paths[0] != paths[1]:
        if needs_array(*made) and not isinstance(made[0], tuple):
            raise LengthMismatch("the result")
        why = (
            f"the branches return different structures: {pytree.format_spec(paths[0])} and "
            f"{pytree.format_spec(paths[1])}"
        )
        raise BranchMergeError(with_user_line(f"{STRUCTURES_DIFFER}: {why}"))
    merge = ContainerMerge()
    chosen = merge.merge(pytree.unflatten(paths[0], found), *given)
    merge.finish()
    return chosen


# User programs and tests compare error messages with this text of Paddle.
STRUCTURES_DIFFER = "cond: Incompatible return values of true_fn and false_fn in cond"


def reject_python_value(what: str, name: str, value: Any) -> None:
    """Raise TypeError if a branch of a static-graph program returns a Python value: the program
    would have the value of one branch on both paths.
    """
    if state.mode.program_builder is not None and not isinstance(value, Tensor):
        raise TypeError(
            with_user_line(f"{what}: {name} should be a Variable, not {type(value).__name__}")
        )


def _no_op() -> None:
    return None


def record_branches(
    mode: Static,
    pred: Variable,
    then: Callable[[], list[Any]],
    other: Callable[[], list[Any]],
    names: Sequence[str],
    mixed: bool = False,
) -> list[Any]:
    """Record two branches that return lists, and return the merged values.

    names: names of the results, for error messages.
    mixed: accept a result whose dtype or rank differs between the branches.
    """
    pred = _check_one_element(mode, pred)
    check_condition("cond", pred)
    mode.recorder.aliases.check(pred)
    merge = BranchMerge(
        mode,
        _record_branch(mode, then, known_conditions(pred, True)),
        _record_branch(mode, other, known_conditions(pred, False)),
        mixed,
        pred,
    )
    with mode.recorder.aliases.ignoring_invalidation():
        chosen = _merge(mode, merge, pred, names)
    merge.finish()
    return chosen


def _merge(mode: Static, merge: BranchMerge, pred: Variable, names: Sequence[str]) -> list[Any]:
    """Return the merged results of two recorded branches, and merge their mutations."""
    one, two = merge.sides
    merge.check_lengths()
    if len(one.values) != len(two.values):  # the structures differ; the caller raises
        return one.values
    labels = [*names, *(f"result {i}" for i in range(len(names), len(one.values)))]
    chosen = [merge.merge(n, a, b) for n, a, b in zip(labels, one.values, two.values, strict=True)]
    changed = {**two.rebound, **one.rebound}
    became = [merge.merge_rebound(key, tensor) for key, (tensor, _) in changed.items()]
    outside = [(location, merge.merge_location(key)) for key, location in merge.locations().items()]
    merge.emit(pred)
    for location, values in outside:
        location.write(values)
    merge.containers.finish()
    for (tensor, _), made in zip(changed.values(), became, strict=True):
        mode.rebind(tensor, made)
    return chosen


def _check_one_element(mode: Static, pred: Variable) -> Variable:
    """Check that a condition has one element. Inside a branch or loop, the check is an assert of
    the program, so that it fails only in runs that reach it.
    """
    shape = pred.meta.shape
    if (
        len(mode.recorder.open_blocks) == 1
        or pred.meta.dtype != bool
        or all(d in (1, -1) for d in shape)
    ):
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


def _record_branch(
    mode: Static, branch: Callable[[], list[Any]], facts: KnownConditions
) -> RecordedBranch:
    recorder, stale = mode.recorder, dict(mode.recorder.aliases.invalidated)
    with recorder.new_block() as inner:
        inner.conditions = facts
        values = list(branch())
    side = RecordedBranch(inner, values, roll_back(inner), recorder.aliases.invalidated)
    recorder.aliases.invalidated = stale
    for key, (tensor, before) in inner.rebound.items():
        if recorder.var(before.name) is before:  # otherwise it was created in the branch
            side.rebound[key] = (tensor, tensor.raw)
            restore_in_place(mode, tensor, before)
    return side


def restore_in_place(mode: Static, tensor: Variable, desc: VarDesc) -> None:
    """Undo an in-place change of a tensor."""
    tensor.raw, tensor._name = desc, desc.name
    if tensor._block is not None:  # in a static-graph program
        blocks = tensor._block.program.blocks
        tensor.block = next((b for b in blocks if b.raw.vars.get(desc.name) is desc), None)
    mode.recorder.bind(tensor, desc.name)


@dataclass
class ZeroFiller:
    """Stands for a value that one branch does not assign: zeros of the other branch's type."""

    meta: Meta


HOLDS, FAILS = LABELS = ("if the condition holds", "if it does not")


def _needs_mixed_type(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have different dtypes or numbers of axes."""
    found = a.meta.dtype != b.meta.dtype or len(a.meta.shape) != len(b.meta.shape)
    return found or any(isinstance(v, Variable) and bool(v.mixed_types) for v in (a, b))


class BranchMerge:
    """The merge of two recorded branches.

    sides: the branch for a true condition and the branch for a false condition.
    mixed: see `record_branches`.
    selects: each result with the two variables to which the branches write it.
    selected: each result with its values in both branches.
    """

    def __init__(
        self,
        mode: Static,
        one: RecordedBranch,
        two: RecordedBranch,
        mixed: bool = False,
        pred: Any = None,
    ) -> None:
        self.mode, self.mixed, self.pred = mode, mixed, pred
        self.recorder = mode.recorder
        self.sides = (one, two)
        self.containers = ContainerMerge()  # of mutable locations
        # Results with the variables that the branches write them to.
        self.selects: list[tuple[Variable, list[str]]] = []
        # Results with their values in both branches.
        self.selected: list[tuple[Any, tuple[Any, Any]]] = []

    def merge(self, name: str, a: Any, b: Any) -> Any:
        """Return the merged value of a variable that is `a` in the first branch and `b` in the
        second one.
        """
        invalidated = [v for v in (a, b) if isinstance(v, Invalidated)]
        if invalidated or is_same(a, b) or (isinstance(a, Undefined) and isinstance(b, Undefined)):
            return invalidated[0] if invalidated else a
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return self._merge_maybe_undefined(name, a, b)
        if self.mode.converts and self._may_be_none(a, b):
            return self._merge_optional(name, a, b)
        if needs_array(a, b):
            return self._merge_arrays(name, a, b)
        if meta_of(a) is None or meta_of(b) is None:
            found = self._merge_containers(name, a, b)
            if found is not pytree.STRUCTURE_MISMATCH:
                return found
        return self._merge_tensor(name, a, b)

    def _merge_containers(self, name: str, a: Any, b: Any) -> Any:
        """Merge two containers with the same structure, or dicts with different keys; return
        STRUCTURE_MISMATCH for other values.
        """
        dicts = self.mode.converts and isinstance(a, dict) and isinstance(b, dict)
        if not dicts or a.keys() == b.keys():
            return pytree.map_pair(self.merge, name, a, b)
        labels = {key: f"{name}[{key!r}]" for key in dict.fromkeys((*a, *b))}
        found = {key: self._merge_entry(n, a, b, key) for key, n in labels.items()}
        return {key: invalidate_undefined(n, found[key]) for key, n in labels.items()}

    def _merge_entry(self, name: str, a: dict[Any, Any], b: dict[Any, Any], key: Any) -> Any:
        """Merge the values of one dict key after the branches. If one branch lacks the key, an
        error shows both dicts.
        """
        one, two = a.get(key, Undefined(name)), b.get(key, Undefined(name))
        if (
            isinstance(one, Undefined) is isinstance(two, Undefined)
            or isinstance(one, Invalidated)
            or isinstance(two, Invalidated)
        ):
            return self.merge(name, one, two)
        result = self._merge_maybe_undefined(name, one, two, is_entry=True)
        if isinstance(result, Variable) and result.maybe_undefined is not None:
            sides = "".join(
                f"\n  {side}: {describe_value(v)}{self.recorder.creation_note(v)}"
                for side, v in zip(LABELS, (a, b), strict=True)
            )
            result.maybe_undefined = result.maybe_undefined._replace(branches=sides)
        return result

    def _merge_tensor(self, name: str, a: Any, b: Any) -> Variable:
        """Merge a tensor or scalar that differs between the branches."""
        if (
            isinstance(a, Variable)
            and isinstance(b, Variable)
            and _needs_mixed_type(a, b)
            and self._allows_mixed_type(name, a, b)
        ):
            return self._merge_mixed_types(a, b)
        flags = tuple(
            self._defined_flag(name, v, side) for v, side in zip((a, b), self.sides, strict=True)
        )
        result = self._select((a, b), merged_meta(name, a, b, LABELS), wanted=name)
        mark_scalar(result, merged_kind((a, b)))
        if any(flag is not True for flag in flags):
            half = next(
                v.maybe_undefined for v, flag in zip((a, b), flags, strict=True) if flag is not True
            )
            self._mark_maybe_undefined(
                result, name, half.why, self._select(flags, BOOL), True, half.block
            )
        if result.meta.dtype == bool:
            set_implications(
                result,
                merged_conditions(self.pred, a, b, True),
                merged_conditions(self.pred, a, b, False),
            )
        return result

    def _allows_mixed_type(self, name: str, a: Variable, b: Variable) -> bool:
        """Whether a variable may have different dtypes or ranks on the two paths: it may be
        assigned again before it is read, or be a result of the program.
        """
        in_a_place, whole = (
            "[" in name or "." in name,
            a.maybe_undefined is None and b.maybe_undefined is None,
        )
        return self.mixed or (
            self.mode.converts and (in_a_place or (whole and a.meta.dtype == b.meta.dtype))
        )

    def _merge_arrays(self, name: str, a: Any, b: Any) -> TensorArray:
        """Merge two TensorArrays."""
        if not isinstance(a, TensorArray) or not isinstance(b, TensorArray):
            raise LengthMismatch(name)
        result = TensorArray(self.mode).merge_element_type(a, b)
        for value, side in zip((a, b), self.sides, strict=True):
            with self.recorder.in_block(side.inner):
                value.assign_to(result)
        self.selected.append((result, (a, b)))
        return result

    def _defined_flag(self, name: str, value: Any, side: RecordedBranch) -> Any:
        """Whether a variable has a value after a branch: True, or a bool of the branch."""
        with self.recorder.in_block(side.inner):
            return defined_flag(self.recorder, name, value)

    def _mark_maybe_undefined(
        self, result: Variable, name: str, why: str, flag: Variable, sense: bool, like: int = 0
    ) -> None:
        """Mark a variable as defined only in runs in which `flag` equals `sense`.

        like: the block of the maybe-undefined variable from which it was merged, or ANY_BLOCK.
        """
        late = UndefinedCheck(name, result.raw, flag.name, "", expected=sense, kind=PATH_NOT_TAKEN)
        block = ANY_BLOCK if like == ANY_BLOCK else self.recorder.block.idx
        result.maybe_undefined = MaybeUndefined(name, why, block, None, late)

    @staticmethod
    def _may_be_none(a: Any, b: Any) -> bool:
        given = [v for v in (a, b) if v is not None]
        never = none_flag(a) is False and none_flag(b) is False
        return not never and all(meta_of(v) is not None for v in given)

    def _merge_optional(self, name: str, a: Any, b: Any) -> Any:
        """Merge values that are None on some paths."""
        flags = none_flag_on_path(self.pred, True, a), none_flag_on_path(self.pred, False, b)
        given = [
            v for v, flag in zip((a, b), flags, strict=True) if flag is not True and v is not None
        ]
        if not given:
            return None
        meta = merged_meta(name, a, b, LABELS) if len(given) == 2 else meta_of(given[0])
        assert meta is not None
        pair = [
            v if flag is not True and v is not None else ZeroFiller(meta)
            for v, flag in zip((a, b), flags, strict=True)
        ]
        result = mark_scalar(self._select((pair[0], pair[1]), meta), merged_kind(given))
        if all(flag is False for flag in flags):
            return result
        where = next((v.where for v in given if isinstance(v, Variable)), "")
        return mark_optional(
            result, name, self._select(flags, BOOL), self.recorder.block.idx, where
        )

    def _merge_mixed_types(self, a: Variable, b: Variable) -> Variable:
        """Merge tensors of different dtypes or ranks. The result is declared like `a`, as in
        Paddle.
        """
        result = self._select((a, b), a.meta, metas=(a.meta, b.meta))
        result.mixed_types = "".join(
            v.mixed_types or f"\n  {side}: {describe_value(v)}"
            for side, v in zip(LABELS, (a, b), strict=True)
        )
        result.is_mixed_scalar = a.meta.dtype == b.meta.dtype and all(
            v.is_mixed_scalar or v.meta.shape in ((), (1,)) for v in (a, b)
        )
        return result

    def _merge_maybe_undefined(self, name: str, a: Any, b: Any, is_entry: bool = False) -> Any:
        """Merge a value that only one branch assigns. The other branch contributes zeros, which ops
        may read only under the same condition.

        is_entry: whether the value is a dict entry, which a result must also contain. Other values
        are guarded by flags.
        """
        if isinstance(a, Invalidated) or isinstance(b, Invalidated):
            return a if isinstance(a, Invalidated) else b
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
                "of values that only one branch sets, tensors, numbers, None and tuples of these "
                "can be used afterwards"
            )
            return (
                None
                if given is None
                else Undefined(name, f"{why}, and is {describe_value(given)} there: {kept}")
            )
        filler = ZeroFiller(meta)
        made = mark_scalar(
            self._select((filler, b) if given is b else (a, filler), meta), scalar_kind(given)
        )
        if is_entry or is_user_name(name):
            side = self.sides[given is b]
            # otherwise its line is outside of the branch
            here = isinstance(given, Variable) and given.name in side.inner.block.vars
            at = (given.where if here else "") or user_line()
            inner = self._defined_flag(name, given, side)
            ways = (inner, False) if given is a else (False, inner)
            flag, sense = (
                (self.pred, given is a) if inner is True else (self._select(ways, BOOL), True)
            )
            # `oarlock explain` lists the reader. A dict key is checked when it is read.
            listed = is_entry or self.mode.continues
            like = 0 if listed and "." not in name.partition("[")[0] else ANY_BLOCK
            self._mark_maybe_undefined(
                made, name, f"{why}, at {at}" if at else why, flag, sense, like
            )
        return made

    def merge_rebound(self, key: int, tensor: Variable) -> Variable:
        """Merge the values that an external tensor has after the branches, which change it in
        place.
        """
        descs = (side.rebound[key][1] if key in side.rebound else tensor.raw for side in self.sides)
        one, two = (self.recorder.variable(desc) for desc in descs)
        return self._declare_select((one, two), merged_meta(tensor.name, one, two, LABELS))

    def locations(self) -> dict[Any, MutableLocation]:
        """Return the mutable locations that a branch wrote."""
        return {
            key: change.location for side in self.sides for key, change in side.mutations.items()
        }

    def check_lengths(self) -> None:
        """Raise LengthChange for a list in a mutable location whose length differs between the
        branches.
        """
        for key, location in self.locations().items():
            before = next(
                side.mutations[key].before for side in self.sides if key in side.mutations
            )
            states = [
                side.mutations[key].after if key in side.mutations else before
                for side in self.sides
            ]
            reject_length_change(location, states[0], states[1], "one of two branches")

    def merge_location(self, key: Any) -> dict[Any, Any]:
        """Return the values of a mutable location after the branches."""
        changes = [side.mutations[key] for side in self.sides if key in side.mutations]
        location, before = changes[0].location, changes[0].before
        both = [side.mutations.get(key, Mutation(location, before, before)) for side in self.sides]
        states = [change.after for change in both]
        found = dict(before)
        for place in dict.fromkeys(p for change in changes for p in change.changed_keys()):
            label = location.label(place)
            one, two = (state.get(place, location.default(place)) for state in states)
            if is_path_dependent(one) or is_path_dependent(two):
                found[place] = self._merge_item(
                    label,
                    (one, two),
                    [c.contents_of(place, v) for c, v in zip(both, (one, two), strict=True)],
                )
            else:
                found[place] = one if isinstance(two, Undefined) else two
        if isinstance(location, DictItems):
            found = {
                k: invalidate_undefined(location.label(k), v)
                for k, v in found.items()
                if any(k in c.after for c in both)
            }
        return {
            k: v
            for k, v in found.items()
            if not isinstance(v, Undefined) or isinstance(v, Invalidated)
        }

    def _merge_item(
        self, label: str, pair: tuple[Any, Any], containers: list[ContainerSnapshot | None]
    ) -> Any:
        """Merge a value in a mutable location. A merged list or dict may alias the list or dict of
        either branch.
        """
        one, two = containers
        if pair[0] is pair[1] or one is None or two is None:
            return self.merge(label, *pair)
        return self.containers.merge(self.merge(label, one.copy(), two.copy()), one, two)

    def _select(
        self, pair: tuple[Any, Any], meta: Meta, metas: Sequence[Meta] = (), wanted: str = ""
    ) -> Variable:
        """Return a new variable for a pair of values.

        wanted: the name of the variable in the user's code.
        """
        pair = tuple(
            self._read_defined(v, side, wanted) for v, side in zip(pair, self.sides, strict=True)
        )
        result = self._declare_select(pair, meta, metas)
        self.selected.append((result, pair))
        return result

    def finish(self) -> None:
        """Record that the tensors which a branch invalidated are invalidated after the branches,
        and which tensors the results may alias.
        """
        aliases, stale = self.recorder.aliases, [side.invalidated for side in self.sides]
        aliases.invalidated = {**stale[0], **stale[1]}
        aliases.merge(self.selected)
        for result, pair in self.selected:
            if isinstance(result, TensorArray):
                aliases.link_lists(result, pair[0])
                aliases.link_lists(result, pair[1])
        for result, pair in self.selected:
            for value, found in zip(pair, stale, strict=True):
                if id(value) in found:
                    aliases.invalidated[id(result)] = replace(found[id(value)], tensor=result)

    def _declare_select(
        self, pair: tuple[Any, Any], meta: Meta, metas: Sequence[Meta] = ()
    ) -> Variable:
        recorder = self.recorder
        sides = zip(pair, self.sides, metas or (meta, meta), strict=True)
        outs = [self._write_result(value, side, own) for value, side, own in sides]
        desc = recorder.declare(recorder.namer.temporary_name("select_input"), meta)
        desc.stop_gradient = all(not isinstance(v, Tensor) or v.stop_gradient for v in pair)
        result = recorder.variable(desc)
        self.selects.append((result, outs))
        return result

    def _read_defined(self, value: Any, side: RecordedBranch, wanted: str) -> Any:
        """Return a value so that it can be assigned to another variable. If it is maybe-undefined,
        write a run-time check.
        """
        half = value.maybe_undefined if isinstance(value, Variable) else None
        if not wanted or half is None or half.is_none is not None or half.name == wanted:
            return value
        with self.recorder.in_block(side.inner):
            name = self.recorder.operand_name(value)
            desc = self.recorder.var(name)
        return value if desc is None or name == value.name else self.recorder.variable(desc)

    def _write_result(self, value: Any, side: RecordedBranch, meta: Meta) -> str:
        """Write a result of a branch to a new variable, and return its name."""
        recorder = self.recorder
        with recorder.in_block(side.inner):
            tensor = (
                zeros(value.meta)
                if isinstance(value, ZeroFiller)
                else cast_to(self._value_after(value, side), meta)
            )
            name = recorder.name_of(tensor)
        out = recorder.namer.temporary_name("conditional_block")
        recorder.declare(out, Meta(tensor.meta.shape, meta.dtype))
        with recorder.in_block(side.inner):
            recorder.emit("assign", {"X": [name]}, {"Out": [out]})
        side.outs.append(out)
        return out

    def _value_after(self, value: Any, side: RecordedBranch) -> Any:
        """Return the value that a tensor has at the end of a branch. An external tensor that the
        branch changed in place was restored, so its value there is another variable.
        """
        return (
            self.recorder.variable(side.rebound[id(value)][1])
            if id(value) in side.rebound
            else value
        )

    def emit(self, pred: Variable) -> None:
        """Write the ops that run the branches and select the results."""
        self._emit_side(pred, self.sides[0])
        self._emit_side(OPS["logical_not"](pred), self.sides[1])
        if not self.selects:
            return
        mask = self.recorder.name_of(OPS["cast"](pred, in_dtype=0, out_dtype=2))
        for variable, (one, two) in self.selects:
            op = self.recorder.emit(
                "select_input", {"X": [two, one], "Mask": [mask]}, {"Out": [variable.name]}
            )
            variable.where = op.user_line

    def _emit_side(self, pred: Any, side: RecordedBranch) -> None:
        recorder, block = self.recorder, side.inner.block
        writes = block_writes(recorder.program, block)
        arrays = [n for n in writes if n not in side.outs and self._is_visible_after(n)]
        emit_conditional(recorder, block, [recorder.name_of(pred)], [*side.outs, *arrays])

    def _is_visible_after(self, name: str) -> bool:
        """Whether a variable that a branch writes is read after the branch under the same name: a
        TensorArray or a persistable variable.
        """
        var = self.recorder.var(name)
        return var is not None and (var.kind == VarKind.ARRAY or var.persistable)
