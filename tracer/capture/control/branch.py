"""Record branches: two blocks of which one runs, and a select op for each result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...core import pytree
from ...core.dtype import parse_dtype
from ...core.errors import BranchMergeError, append_user_line, user_line
from ...core.mode import state
from ...core.op import OPS, Meta
from ...core.tensor import Tensor
from ...ir.block_captures import outer_names_written_by_block
from ...ir.program import VarDesc, VarKind
from ..aliasing import Invalidation
from ..modes import Static, find_static_base_mode
from ..recorder import OpenBlock
from ..symbolic_scalars import mark_symbolic_scalar, merge_scalar_kinds_of_values, scalar_kind
from ..undefined_checks import PATH_NOT_TAKEN_PREFIX, UndefinedCheck
from ..variable import MaybeUndefinedRecord, Variable
from .array_replacement import ListLengthMismatchError, merge_needs_tensor_array
from .block_ops import emit_conditional_block
from .branch_values import (
    Undefined,
    are_recursively_interchangeable,
    cast_or_fill_like,
    describe_value,
    emit_zero_placeholder,
    find_meta_of_value,
    require_common_meta_of_values,
)
from .container_aliasing import (
    ContainerMerge,
    ContainerSnapshot,
    InvalidatedMarker,
    container_snapshot_or_none,
    undefined_to_invalidated_marker,
)
from .defined_flags import ANY_BLOCK, is_user_variable_name, variable_defined_flag
from .mutable_locations import (
    DictItemsLocation,
    MutableLocation,
    Mutation,
    Mutations,
    collect_and_roll_back_mutations,
    is_merged_by_value,
    reject_length_change,
)
from .optional_values import (
    BOOL_META,
    KnownConditionValues,
    conditions_implied_by_branch_result,
    implied_condition_values,
    mark_maybe_none,
    none_flag_on_path,
    none_flag_or_constant,
    record_condition_implications,
)
from .tensor_arrays import TensorArray

BranchFunction = Callable[[], Any]


@dataclass
class RecordedBranch:
    """One branch of an `if` or `cond` after it was recorded, with the effects that were undone
    after recording.

    values: the results of the branch.
    mutations: the mutable Python locations that the branch wrote.
    invalidated: the tensors that the branch invalidated.
    inplace_writes: by id, external tensors that the branch changed in place, with their new
    declarations.
    output_names: the variables that the branch writes as inputs of the select ops.
    """

    open_block: OpenBlock
    values: list[Any]
    mutations: Mutations
    invalidated: dict[int, Invalidation]
    inplace_writes: dict[int, tuple[Variable, VarDesc]] = field(default_factory=dict)
    output_names: list[str] = field(default_factory=list)


def cond(
    pred: Tensor | bool,
    true_fn: BranchFunction | None = None,
    false_fn: BranchFunction | None = None,
    name: str | None = None,
    return_names: Sequence[str] | None = None,
) -> Any:
    """Return the result of `true_fn` if a condition holds, otherwise that of `false_fn`.

    In eager mode, only one of the functions is called. While a program is built, both functions are
    called to record their ops, and each run executes one branch.

    Parameters
    ----------
    pred : Tensor of one element, bool
        In eager mode also a Python value.
    true_fn, false_fn : callable, optional
        Functions without parameters. None stands for a function that returns None.
    name : str, optional
        Not used.
    return_names : list of str, optional
        Names of the results, for error messages.

    Returns
    -------
    Tensor, nested structure of tensors or numbers, or None

    Raises
    ------
    TypeError
        If `true_fn` or `false_fn` is not callable; while a program is built, if `pred` is not a
        bool variable of one element.
    BranchMergeError
        While a program is built, if the results have different structures.

    Notes
    -----
    A result may differ in dtype or rank between the two functions, but then converted code that
    reads it raises an error.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [1])
    ...     y = paddle.static.nn.cond(x > 0, lambda: x + 1, lambda: x - 1)
    >>> feed = {"x": np.array([2.0], np.float32)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].tolist()
    [3.0]
    >>> paddle.disable_static()
    """
    true_fn, false_fn = (_return_none if f is None else f for f in (true_fn, false_fn))
    if not callable(true_fn) or not callable(false_fn):
        raise TypeError(append_user_line("cond: true_fn and false_fn should be functions, or None"))
    mode = find_static_base_mode(state.mode)
    if mode is None or not isinstance(pred, Variable):
        require_variable_in_static_graph("cond", "pred", pred)
        return true_fn() if pred else false_fn()
    paths: list[Any] = []
    results: list[Any] = []
    snapshots: list[ContainerSnapshot | None] = []

    def make_flattening_branch(branch: BranchFunction) -> Callable[[], list[Any]]:
        def run() -> list[Any]:
            value = branch()
            results.append(value)
            if mode.recorder.policy.rejects_none_results and len({m is None for m in results}) > 1:
                raise BranchMergeError(
                    append_user_line(f"{STRUCTURES_DIFFER}: one of them returns None")
                )
            snapshots.append(container_snapshot_or_none(value))
            leaves, spec = pytree.flatten(value)
            paths.append(spec)
            return leaves

        return run

    merged = record_and_merge_branches(
        mode,
        pred,
        make_flattening_branch(true_fn),
        make_flattening_branch(false_fn),
        return_names or [],
        allows_mixed_types=True,
    )
    if paths[0] != paths[1]:
        if merge_needs_tensor_array(*results) and not isinstance(results[0], tuple):
            raise ListLengthMismatchError("the result")
        why = (
            f"the branches return different structures: {pytree.format_spec_root(paths[0])} and "
            f"{pytree.format_spec_root(paths[1])}"
        )
        raise BranchMergeError(append_user_line(f"{STRUCTURES_DIFFER}: {why}"))
    merge = ContainerMerge()
    chosen = merge.find_or_create_merged_container(pytree.unflatten(paths[0], merged), *snapshots)
    merge.apply_merge()
    return chosen


# The text of Paddle's error message. User programs and tests compare messages with it.
STRUCTURES_DIFFER = "cond: Incompatible return values of true_fn and false_fn in cond"


def require_variable_in_static_graph(what: str, name: str, value: Any) -> None:
    """Raise TypeError if a static-graph program is built and `value`, a condition or index, is not
    a Tensor: the program would contain only the branch that the Python value selects.

    what, name: the function and its parameter, for the message.
    """
    if state.mode.program_builder is not None and not isinstance(value, Tensor):
        raise TypeError(
            append_user_line(f"{what}: {name} should be a Variable, not {type(value).__name__}")
        )


def _return_none() -> None:
    return None


def record_and_merge_branches(
    mode: Static,
    pred: Variable,
    true_branch: Callable[[], list[Any]],
    false_branch: Callable[[], list[Any]],
    names: Sequence[str],
    allows_mixed_types: bool = False,
) -> list[Any]:
    """Record two branches that return lists, and return the merged values.

    names: names of the results, for error messages.
    allows_mixed_types: accept a result whose dtype or rank differs between the branches.
    """
    pred = _defer_multi_element_error_to_run_time(mode, pred)
    check_one_element_bool_condition("cond", pred)
    mode.recorder.aliases.reject_invalidated_tensor(pred)
    merge = BranchMerge(
        mode,
        _record_and_roll_back_branch(mode, true_branch, implied_condition_values(pred, True)),
        _record_and_roll_back_branch(mode, false_branch, implied_condition_values(pred, False)),
        allows_mixed_types,
        pred,
    )
    with mode.recorder.aliases.allow_invalidated_reads():
        merged = _merge_branches(mode, merge, pred, names)
    merge.record_aliases_and_invalidations()
    return merged


def _merge_branches(
    mode: Static, merge: BranchMerge, pred: Variable, names: Sequence[str]
) -> list[Any]:
    """Return the merged results of two recorded branches, and merge their mutations."""
    one, two = merge.branches
    merge.reject_length_changes()
    # the structures of the results differ, for which the caller raises an error
    if len(one.values) != len(two.values):
        return one.values
    labels = [*names, *(f"result {i}" for i in range(len(names), len(one.values)))]
    merged = [
        merge.merge_value(n, a, b) for n, a, b in zip(labels, one.values, two.values, strict=True)
    ]
    mutated = {**two.inplace_writes, **one.inplace_writes}
    merged_externals = [
        merge.merge_inplace_write(key, tensor) for key, (tensor, _) in mutated.items()
    ]
    merged_locations = [
        (location, merge.merge_items_of_location(key))
        for key, location in merge.mutated_locations().items()
    ]
    merge.emit_ops(pred)
    for location, values in merged_locations:
        location.replace_values(values)
    merge.container_merge.apply_merge()
    for (tensor, _), variable in zip(mutated.values(), merged_externals, strict=True):
        mode.rebind(tensor, variable)
    return merged


def _defer_multi_element_error_to_run_time(mode: Static, pred: Variable) -> Variable:
    """Return the condition with which the recording continues: `pred`, except for a bool tensor of
    several elements inside a branch or loop. For a bool tensor of several elements, emit an assert
    that always fails, and return the tensor reduced to one element, so that only runs that reach
    the assert fail.
    """
    shape = pred.meta.shape
    if (
        len(mode.recorder.open_blocks) == 1
        or pred.meta.dtype != bool
        or all(d in (1, -1) for d in shape)
    ):
        return pred
    never = OPS["fill_constant"](
        shape=[], value=0.0, str_value="0", dtype=parse_dtype("bool").proto
    )
    mode.recorder.emit_assert(
        never, f"cond: the condition should have one element (pred={pred.meta})", []
    )
    reduced: Variable = OPS["reduce_all"](pred, reduce_all=True, dim=[], keep_dim=False)
    return reduced


def check_one_element_bool_condition(what: str, pred: Tensor) -> None:
    """Raise TypeError unless `pred` is a bool tensor with one element."""
    if not isinstance(pred, Tensor):
        raise TypeError(
            append_user_line(f"{what}: the condition is {type(pred).__name__}, not a Tensor")
        )
    meta = pred.meta
    if meta.dtype != bool:
        raise TypeError(
            append_user_line(f"{what}: the condition should be of dtype bool (pred={meta})")
        )
    if any(d not in (1, -1) for d in meta.shape):
        raise TypeError(
            append_user_line(f"{what}: the condition should have one element (pred={meta})")
        )


def _record_and_roll_back_branch(
    mode: Static, branch: Callable[[], list[Any]], conditions: KnownConditionValues
) -> RecordedBranch:
    """Record a branch in a new block. After the recording, undo the mutations of Python locations,
    the in-place writes of external tensors and the invalidations that the branch made, and return
    the undone changes in the RecordedBranch.
    """
    recorder, invalidated = mode.recorder, dict(mode.recorder.aliases.invalidated)
    with recorder.enter_new_block() as inner:
        inner.conditions = conditions
        values = list(branch())
    recorded = RecordedBranch(
        inner, values, collect_and_roll_back_mutations(inner), recorder.aliases.invalidated
    )
    recorder.aliases.invalidated = invalidated
    for key, (tensor, before) in inner.inplace_writes.items():
        if recorder.var(before.name) is before:  # otherwise the tensor was created in the branch
            recorded.inplace_writes[key] = (tensor, tensor.raw)
            rebind_tensor_to_declaration(mode, tensor, before)
    return recorded


def rebind_tensor_to_declaration(mode: Static, tensor: Variable, desc: VarDesc) -> None:
    """Let `tensor` denote the variable that `desc` declares, for example the one from before an
    in-place change.
    """
    tensor.raw, tensor._name = desc, desc.name
    if tensor._block is not None:  # in a static-graph program
        blocks = tensor._block.program.blocks
        tensor.block = next((b for b in blocks if b.raw.vars.get(desc.name) is desc), None)
    mode.recorder.bind(tensor, desc.name)


@dataclass
class MissingValueZeros:
    """Stands for a value that one branch does not assign. The branch without the value assigns
    zeros with the shape and dtype that the value has in the other branch.
    """

    meta: Meta


BRANCH_LABELS = ("if the condition holds", "if it does not")


def _differ_in_dtype_or_rank(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors have different dtypes or numbers of axes."""
    differs = a.meta.dtype != b.meta.dtype or len(a.meta.shape) != len(b.meta.shape)
    return differs or any(isinstance(v, Variable) and bool(v.mixed_types) for v in (a, b))


class BranchMerge:
    """Merges two recorded branches: emits the ops that run them, and a select op for each value
    that differs between them.

    branches: the branch for a true condition and the branch for a false condition.
    allows_mixed_types: see `record_and_merge_branches`.
    select_inputs: pairs of a result and the names of the two variables to which the branches write
    it.
    merged_values: pairs of a result and its values in both branches.
    """

    def __init__(
        self,
        mode: Static,
        one: RecordedBranch,
        two: RecordedBranch,
        mixed: bool = False,
        pred: Any = None,
    ) -> None:
        self.mode, self.allows_mixed_types, self.pred = mode, mixed, pred
        self.recorder = mode.recorder
        self.branches = (one, two)
        self.container_merge = ContainerMerge()  # for values in mutable locations
        # Pairs of a result and the names of the variables to which the two branches write it.
        self.select_inputs: list[tuple[Variable, list[str]]] = []
        # Pairs of a result and its values at the end of both branches.
        self.merged_values: list[tuple[Any, tuple[Any, Any]]] = []

    def merge_value(self, name: str, a: Any, b: Any) -> Any:
        """Return the merged value of a variable that is `a` in the first branch and `b` in the
        second one.
        """
        invalidated = [v for v in (a, b) if isinstance(v, InvalidatedMarker)]
        if (
            invalidated
            or are_recursively_interchangeable(a, b)
            or (isinstance(a, Undefined) and isinstance(b, Undefined))
        ):
            return invalidated[0] if invalidated else a
        if isinstance(a, Undefined) or isinstance(b, Undefined):
            return self._merge_maybe_undefined(name, a, b)
        if self.mode.converts_source and self._needs_maybe_none_merge(a, b):
            return self._merge_maybe_none(name, a, b)
        if merge_needs_tensor_array(a, b):
            return self._merge_tensor_arrays(name, a, b)
        if find_meta_of_value(a) is None or find_meta_of_value(b) is None:
            container = self._merge_containers(name, a, b)
            if container is not pytree.STRUCTURE_MISMATCH:
                return container
        return self._merge_tensor(name, a, b)

    def _merge_containers(self, name: str, a: Any, b: Any) -> Any:
        """Merge two containers with the same structure, or dicts with different keys; return
        STRUCTURE_MISMATCH for other values.
        """
        dicts = self.mode.converts_source and isinstance(a, dict) and isinstance(b, dict)
        if not dicts or a.keys() == b.keys():
            return pytree.map_pair_with_path(self.merge_value, name, a, b)
        labels = {key: f"{name}[{key!r}]" for key in dict.fromkeys((*a, *b))}
        merged = {key: self._merge_dict_entry(n, a, b, key) for key, n in labels.items()}
        return {key: undefined_to_invalidated_marker(n, merged[key]) for key, n in labels.items()}

    def _merge_dict_entry(self, name: str, a: dict[Any, Any], b: dict[Any, Any], key: Any) -> Any:
        """Merge the values that one key of a dict has after the branches. If one branch lacks the
        key, reading the merged value may raise an error, whose message shows both dicts.
        """
        true_value, false_value = a.get(key, Undefined(name)), b.get(key, Undefined(name))
        if (
            isinstance(true_value, Undefined) is isinstance(false_value, Undefined)
            or isinstance(true_value, InvalidatedMarker)
            or isinstance(false_value, InvalidatedMarker)
        ):
            return self.merge_value(name, true_value, false_value)
        result = self._merge_maybe_undefined(name, true_value, false_value, is_entry=True)
        if isinstance(result, Variable) and result.maybe_undefined is not None:
            sides = "".join(
                f"\n  {side}: {describe_value(v)}"
                f"{self.recorder.container_creation_message_suffix(v)}"
                for side, v in zip(BRANCH_LABELS, (a, b), strict=True)
            )
            result.maybe_undefined = result.maybe_undefined._replace(branch_values=sides)
        return result

    def _merge_tensor(self, name: str, a: Any, b: Any) -> Variable:
        """Merge tensors or scalars of two branches into one Variable, which a select op sets."""
        if (
            isinstance(a, Variable)
            and isinstance(b, Variable)
            and _differ_in_dtype_or_rank(a, b)
            and self._allows_mixed_dtype_or_rank(name, a, b)
        ):
            return self._merge_mixed_dtypes_or_ranks(a, b)
        flags = tuple(
            self._defined_flag(name, v, side) for v, side in zip((a, b), self.branches, strict=True)
        )
        result = self._merge_values_by_select(
            (a, b), require_common_meta_of_values(name, a, b, BRANCH_LABELS), user_name=name
        )
        mark_symbolic_scalar(result, merge_scalar_kinds_of_values((a, b)))
        if any(flag is not True for flag in flags):
            maybe_undefined = next(
                v.maybe_undefined for v, flag in zip((a, b), flags, strict=True) if flag is not True
            )
            self._mark_maybe_undefined(
                result,
                name,
                maybe_undefined.defined_when,
                self._merge_values_by_select(flags, BOOL_META),
                True,
                maybe_undefined.block,
            )
        if result.meta.dtype == bool:
            record_condition_implications(
                result,
                conditions_implied_by_branch_result(self.pred, a, b, True),
                conditions_implied_by_branch_result(self.pred, a, b, False),
            )
        return result

    def _allows_mixed_dtype_or_rank(self, name: str, a: Variable, b: Variable) -> bool:
        """Whether the merge accepts different dtypes or ranks on the two paths. Different dtypes or
        ranks are no error for a variable that is only assigned again or returned from the program.
        """
        is_location, is_always_defined = (
            "[" in name or "." in name,
            a.maybe_undefined is None and b.maybe_undefined is None,
        )
        return self.allows_mixed_types or (
            self.mode.converts_source
            and (is_location or (is_always_defined and a.meta.dtype == b.meta.dtype))
        )

    def _merge_tensor_arrays(self, name: str, a: Any, b: Any) -> TensorArray:
        """Merge two TensorArrays into a new one, to which each branch assigns its list. Raises
        ListLengthMismatchError if one value is no TensorArray.
        """
        if not isinstance(a, TensorArray) or not isinstance(b, TensorArray):
            raise ListLengthMismatchError(name)
        result = TensorArray(self.mode).generalize_element_type_to_cover(a, b)
        for value, side in zip((a, b), self.branches, strict=True):
            with self.recorder.enter_block(side.open_block):
                value.assign_to(result)
        self.merged_values.append((result, (a, b)))
        return result

    def _defined_flag(self, name: str, value: Any, side: RecordedBranch) -> Any:
        """Whether a variable has a value at the end of the branch `side`: True, False, or a bool
        Variable in its block.
        """
        with self.recorder.enter_block(side.open_block):
            return variable_defined_flag(self.recorder, name, value)

    def _mark_maybe_undefined(
        self,
        result: Variable,
        name: str,
        why: str,
        flag: Variable,
        expected: bool,
        origin_block: int = 0,
    ) -> None:
        """Mark a variable as defined only in runs in which `flag` equals `expected`.

        origin_block: the block of the maybe-undefined variable from which it was merged, or
        ANY_BLOCK.
        """
        check = UndefinedCheck(
            name, result.raw, flag.name, "", expected=expected, message_prefix=PATH_NOT_TAKEN_PREFIX
        )
        block = ANY_BLOCK if origin_block == ANY_BLOCK else self.recorder.block.idx
        result.maybe_undefined = MaybeUndefinedRecord(name, why, block, None, check)

    @staticmethod
    def _needs_maybe_none_merge(a: Any, b: Any) -> bool:
        values = [v for v in (a, b) if v is not None]
        is_never_none = none_flag_or_constant(a) is False and none_flag_or_constant(b) is False
        return not is_never_none and all(find_meta_of_value(v) is not None for v in values)

    def _merge_maybe_none(self, name: str, a: Any, b: Any) -> Any:
        """Merge two values that are None on some paths; the result is a Variable with a none flag,
        or None.
        """
        flags = none_flag_on_path(self.pred, True, a), none_flag_on_path(self.pred, False, b)
        values = [
            v for v, flag in zip((a, b), flags, strict=True) if flag is not True and v is not None
        ]
        if not values:
            return None
        meta = (
            require_common_meta_of_values(name, a, b, BRANCH_LABELS)
            if len(values) == 2
            else find_meta_of_value(values[0])
        )
        assert meta is not None
        pair = [
            v if flag is not True and v is not None else MissingValueZeros(meta)
            for v, flag in zip((a, b), flags, strict=True)
        ]
        result = mark_symbolic_scalar(
            self._merge_values_by_select((pair[0], pair[1]), meta),
            merge_scalar_kinds_of_values(values),
        )
        if all(flag is False for flag in flags):
            return result
        where = next((v.user_line for v in values if isinstance(v, Variable)), "")
        return mark_maybe_none(
            result,
            name,
            self._merge_values_by_select(flags, BOOL_META),
            self.recorder.block.idx,
            where,
        )

    def _merge_mixed_dtypes_or_ranks(self, a: Variable, b: Variable) -> Variable:
        """Merge tensors of different dtypes or ranks. The result is declared like `a`, as in
        Paddle.
        """
        result = self._merge_values_by_select((a, b), a.meta, metas=(a.meta, b.meta))
        result.mixed_types = "".join(
            v.mixed_types or f"\n  {side}: {describe_value(v)}"
            for side, v in zip(BRANCH_LABELS, (a, b), strict=True)
        )
        result.is_mixed_scalar = a.meta.dtype == b.meta.dtype and all(
            v.is_mixed_scalar or v.meta.shape in ((), (1,)) for v in (a, b)
        )
        return result

    def _merge_maybe_undefined(self, name: str, a: Any, b: Any, is_entry: bool = False) -> Any:
        """Merge a value that only one branch assigns. The other branch assigns zeros in place of
        the missing value; code may read the merged value only under the condition of the assigning
        branch.

        is_entry: whether the value is a dict entry. Dict entries, and variables of the user's code,
        are marked as maybe undefined, with a flag that is checked when the value is read.
        """
        if isinstance(a, InvalidatedMarker) or isinstance(b, InvalidatedMarker):
            return a if isinstance(a, InvalidatedMarker) else b
        defined = b if isinstance(a, Undefined) else a
        why = f"has a value only if the condition {'holds' if defined is a else 'does not hold'}"
        meta = find_meta_of_value(defined)
        if isinstance(defined, tuple):
            return pytree.map_pair_with_path(
                lambda n, v, _: self._merge_maybe_undefined(
                    n, *((v, b) if defined is a else (a, v))
                ),
                name,
                defined,
                defined,
            )
        if defined is None or meta is None:
            hint = (
                "if only one branch assigns a value, code after the branch can use it only if it "
                "is a tensor, a number, None or a tuple of these"
            )
            return (
                None
                if defined is None
                else Undefined(name, f"{why}, and is {describe_value(defined)} there: {hint}")
            )
        filler = MissingValueZeros(meta)
        merged = mark_symbolic_scalar(
            self._merge_values_by_select((filler, b) if defined is b else (a, filler), meta),
            scalar_kind(defined),
        )
        if is_entry or is_user_variable_name(name):
            side = self.branches[defined is b]
            # whether the branch itself created the value; otherwise `user_line` is a line
            # before the branch
            is_created_in_branch = (
                isinstance(defined, Variable) and defined.name in side.open_block.block.vars
            )
            line = (defined.user_line if is_created_in_branch else "") or user_line()
            defined_flag_value = self._defined_flag(name, defined, side)
            flags = (defined_flag_value, False) if defined is a else (False, defined_flag_value)
            flag, expected = (
                (self.pred, defined is a)
                if defined_flag_value is True
                else (self._merge_values_by_select(flags, BOOL_META), True)
            )
            # Reads are rejected while recording, not at run time, for dict entries, and for all
            # values under `oarlock explain`, which lists the readers.
            is_listed = is_entry or self.mode.continues
            origin_block = 0 if is_listed and "." not in name.partition("[")[0] else ANY_BLOCK
            self._mark_maybe_undefined(
                merged, name, f"{why}, at {line}" if line else why, flag, expected, origin_block
            )
        return merged

    def merge_inplace_write(self, key: int, tensor: Variable) -> Variable:
        """Return a Variable for the value of a tensor from outside of the branches that at least
        one of them changes in place; a select op sets it after the branches.
        """
        descs = (
            side.inplace_writes[key][1] if key in side.inplace_writes else tensor.raw
            for side in self.branches
        )
        one, two = (self.recorder.create_variable(desc) for desc in descs)
        return self._write_outputs_and_declare_select(
            (one, two), require_common_meta_of_values(tensor.name, one, two, BRANCH_LABELS)
        )

    def mutated_locations(self) -> dict[Any, MutableLocation]:
        """Return the mutable locations that at least one of the two branches wrote."""
        return {
            key: change.location for side in self.branches for key, change in side.mutations.items()
        }

    def reject_length_changes(self) -> None:
        """Raise ListLengthChangeError for a list in a mutable location whose length differs
        between the branches.
        """
        for key, location in self.mutated_locations().items():
            before = next(
                side.mutations[key].before for side in self.branches if key in side.mutations
            )
            states = [
                side.mutations[key].after if key in side.mutations else before
                for side in self.branches
            ]
            reject_length_change(location, states[0], states[1], "one of two branches")

    def merge_items_of_location(self, key: Any) -> dict[Any, Any]:
        """Return the values, by key, that a mutable location has after the branches are merged."""
        changes = [side.mutations[key] for side in self.branches if key in side.mutations]
        location, before = changes[0].location, changes[0].before
        both = [
            side.mutations.get(key, Mutation(location, before, before)) for side in self.branches
        ]
        states = [change.after for change in both]
        merged = dict(before)
        for item_key in dict.fromkeys(p for change in changes for p in change.iter_changed_keys()):
            label = location.label(item_key)
            one, two = (
                state.get(item_key, location.class_attribute_or_undefined(item_key))
                for state in states
            )
            if is_merged_by_value(one) or is_merged_by_value(two):
                merged[item_key] = self._merge_location_item(
                    label,
                    (one, two),
                    [
                        c.saved_or_current_container_snapshot_or_none(item_key, v)
                        for c, v in zip(both, (one, two), strict=True)
                    ],
                )
            else:
                merged[item_key] = one if isinstance(two, Undefined) else two
        if isinstance(location, DictItemsLocation):
            merged = {
                k: undefined_to_invalidated_marker(location.label(k), v)
                for k, v in merged.items()
                if any(k in c.after for c in both)
            }
        return {
            k: v
            for k, v in merged.items()
            if not isinstance(v, Undefined) or isinstance(v, InvalidatedMarker)
        }

    def _merge_location_item(
        self, label: str, pair: tuple[Any, Any], containers: list[ContainerSnapshot | None]
    ) -> Any:
        """Merge the two values of one key in a mutable location. If both values are lists or dicts,
        the result is recorded as a possible alias of each.
        """
        one, two = containers
        if pair[0] is pair[1] or one is None or two is None:
            return self.merge_value(label, *pair)
        return self.container_merge.find_or_create_merged_container(
            self.merge_value(label, one.copy(), two.copy()), one, two
        )

    def _merge_values_by_select(
        self, pair: tuple[Any, Any], meta: Meta, metas: Sequence[Meta] = (), user_name: str = ""
    ) -> Variable:
        """Assign a pair of values to new variables, each in its branch. Return the Variable that a
        select op will set to one of the values, and record for the alias analysis that the Variable
        may alias both values.

        user_name: the name of the variable in the user's code.
        """
        pair = tuple(
            self._emit_undefined_check_and_get_value(v, side, user_name)
            for v, side in zip(pair, self.branches, strict=True)
        )
        result = self._write_outputs_and_declare_select(pair, meta, metas)
        self.merged_values.append((result, pair))
        return result

    def record_aliases_and_invalidations(self) -> None:
        """Record that the tensors which a branch invalidated are invalidated after the branches,
        and which tensors the results may alias.
        """
        aliases, invalidated = self.recorder.aliases, [side.invalidated for side in self.branches]
        aliases.invalidated = {**invalidated[0], **invalidated[1]}
        aliases.record_merged_value_aliases(self.merged_values)
        for result, pair in self.merged_values:
            if isinstance(result, TensorArray):
                aliases.record_lists_may_alias(result, pair[0])
                aliases.record_lists_may_alias(result, pair[1])
        for result, pair in self.merged_values:
            for value, invalidations in zip(pair, invalidated, strict=True):
                if id(value) in invalidations:
                    aliases.invalidated[id(result)] = replace(
                        invalidations[id(value)], tensor=result
                    )

    def _write_outputs_and_declare_select(
        self, pair: tuple[Any, Any], meta: Meta, metas: Sequence[Meta] = ()
    ) -> Variable:
        recorder = self.recorder
        sides = zip(pair, self.branches, metas or (meta, meta), strict=True)
        outs = [
            self._assign_branch_result_to_new_variable(value, side, own)
            for value, side, own in sides
        ]
        desc = recorder.declare(recorder.namer.generate_temporary_name("select_input"), meta)
        desc.stop_gradient = all(not isinstance(v, Tensor) or v.stop_gradient for v in pair)
        result = recorder.create_variable(desc)
        self.select_inputs.append((result, outs))
        return result

    def _emit_undefined_check_and_get_value(
        self, value: Any, side: RecordedBranch, user_name: str
    ) -> Any:
        """Return `value`, a result of a branch, for assignment to another variable. If the value is
        maybe-undefined, emit a run-time check in the branch and return the checked variable
        instead.
        """
        maybe_undefined = value.maybe_undefined if isinstance(value, Variable) else None
        if (
            not user_name
            or maybe_undefined is None
            or maybe_undefined.none_flag is not None
            or maybe_undefined.name == user_name
        ):
            return value
        with self.recorder.enter_block(side.open_block):
            name = self.recorder.emit_undefined_check_and_get_name(value)
            desc = self.recorder.var(name)
        return value if desc is None or name == value.name else self.recorder.create_variable(desc)

    def _assign_branch_result_to_new_variable(
        self, value: Any, side: RecordedBranch, meta: Meta
    ) -> str:
        """Assign a result of a branch, cast to the dtype of `meta`, to a new variable; return the
        name of the variable.
        """
        recorder = self.recorder
        with recorder.enter_block(side.open_block):
            tensor = (
                emit_zero_placeholder(value.meta)
                if isinstance(value, MissingValueZeros)
                else cast_or_fill_like(self._tensor_value_at_branch_end(value, side), meta)
            )
            name = recorder.find_name_or_declare_persistable(tensor)
        out = recorder.namer.generate_temporary_name("conditional_block")
        recorder.declare(out, Meta(tensor.meta.shape, meta.dtype))
        with recorder.enter_block(side.open_block):
            recorder.append_op("assign", {"X": [name]}, {"Out": [out]})
        side.output_names.append(out)
        return out

    def _tensor_value_at_branch_end(self, value: Any, side: RecordedBranch) -> Any:
        """Return the value that a tensor has at the end of a branch. A tensor that the branch
        changed in place was restored after the recording, so its value at the end of the branch is
        a separate variable.
        """
        return (
            self.recorder.create_variable(side.inplace_writes[id(value)][1])
            if id(value) in side.inplace_writes
            else value
        )

    def emit_ops(self, pred: Variable) -> None:
        """Emit the two `conditional_block` ops that run the branches, and the `select_input` ops
        that select the results.
        """
        self._emit_conditional_block(pred, self.branches[0])
        self._emit_conditional_block(OPS["logical_not"](pred), self.branches[1])
        if not self.select_inputs:
            return
        mask = self.recorder.find_name_or_declare_persistable(
            OPS["cast"](pred, in_dtype=0, out_dtype=2)
        )
        for variable, (one, two) in self.select_inputs:
            op = self.recorder.append_op(
                "select_input", {"X": [two, one], "Mask": [mask]}, {"Out": [variable.name]}
            )
            variable.user_line = op.user_line

    def _emit_conditional_block(self, pred: Any, side: RecordedBranch) -> None:
        recorder, block = self.recorder, side.open_block.block
        writes = outer_names_written_by_block(recorder.program, block)
        arrays = [
            n
            for n in writes
            if n not in side.output_names and self._is_tensor_array_or_persistable(n)
        ]
        emit_conditional_block(
            recorder,
            block,
            [recorder.find_name_or_declare_persistable(pred)],
            [*side.output_names, *arrays],
        )

    def _is_tensor_array_or_persistable(self, name: str) -> bool:
        """Whether a variable is a TensorArray or persistable. If a branch writes such a variable,
        ops after the branch read it under the same name.
        """
        var = self.recorder.var(name)
        return var is not None and (var.kind == VarKind.ARRAY or var.persistable)
