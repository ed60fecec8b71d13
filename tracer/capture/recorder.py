"""The recorder writes op calls to a program as ops, and the tensors that the ops read and return as
variables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from ..core.dtype import DTYPE_BY_NP
from ..core.errors import TraceError, append_user_line, user_line
from ..core.op import Meta, Op, Slot
from ..core.tensor import RemovableHookHandle, Tensor
from ..ir.dim import Dims
from ..ir.program import Attr, AttrType, Block, Guard, OpDesc, Program, VarDesc
from ..ir.program_names import Namer
from .aliasing import Aliases, Invalidation
from .guarded_int import GuardedInt, unguarded_int
from .variable import MaybeUndefinedRecord, Variable

PADDLE_VERSION = 2_006_002  # the version of Paddle whose ops are written
MAX_ASSERT_ELEMENTS = 20  # elements of a tensor that an `assert` shows


@dataclass
class OpenBlock:
    """A block to which ops are being written.

    inplace_writes: by id, the tensors that the block changes in place, with their declarations from
    before the block.
    locations: mutable Python locations that the block may write, with their values from before.
    local_objects: by id, Python objects created in the block, to which outer code has no reference.
    merged_keys: keys of the variables that the `if` or loop statement of this block merges itself.
    loop_lists: by id of a list that may have to become a TensorArray, whether it must become one.
    conditions: names of conditions, with the value that each is known to have in this block.
    is_loop_body: whether the block is a loop body.
    """

    block: Block
    inplace_writes: dict[int, tuple[Any, VarDesc]] = field(default_factory=dict)
    locations: dict[Any, Any] = field(default_factory=dict)
    local_objects: dict[int, Any] = field(default_factory=dict)
    merged_keys: set[tuple[int, Any]] = field(default_factory=set)
    loop_lists: dict[int, bool] = field(default_factory=dict)
    conditions: frozenset[tuple[str, bool]] = frozenset()
    is_loop_body: bool = False


class RecordingPolicy(NamedTuple):
    """Settings of a recorder in which capturing a function and building a static-graph program
    differ.

    tracks_outermost_block: mutations of Python objects, and aliases, are tracked outside of
    branches and loops, too.
    array_elements_alias: a TensorArray shares its elements, as a Python list does; otherwise it
    holds copies.
    rejects_none_results: a branch must not return None if the other one returns a value.
    names_operator_results: results of Python operators are named `tmp_0`, as in Paddle.
    emits_grad_ops: gradients are written as Paddle's gradient ops.
    """

    tracks_outermost_block: bool
    array_elements_alias: bool
    rejects_none_results: bool
    names_operator_results: bool
    emits_grad_ops: bool


CAPTURE = RecordingPolicy(True, True, False, False, False)
STATIC_GRAPH = RecordingPolicy(False, False, True, True, True)


class RecorderCheckpoint(NamedTuple):
    """The state of a recorder, for `rewind`.

    num_blocks, num_ops, num_variables: the number of blocks, and of ops and variables in the
    current block.
    invalidated, num_tensor_links, timestamp: the state of the alias analysis.
    """

    num_blocks: int
    num_ops: int
    num_variables: int
    invalidated: dict[int, Invalidation]
    num_tensor_links: int
    timestamp: int


class Recorder:
    """Writes ops to a program for the recording dispatch modes, such as `Static` and `Trace`.

    program: the program so far.
    scope: by name, the tensors whose values are saved with the program.
    guards: the guards on values and sizes.
    policy: how captured functions and static-graph programs differ.
    """

    policy = CAPTURE

    def __init__(
        self,
        program: Program | None = None,
        namer: Namer | None = None,
        known: Mapping[int, str] | None = None,
    ) -> None:
        self.program = Program(version=PADDLE_VERSION) if program is None else program
        # The blocks that ops can be written to, outermost first; the last one is the current block.
        self.open_blocks = [OpenBlock(self.program.block)]
        self.scope: dict[str, Tensor] = {}
        self.guards: list[Guard] = []
        # the path of each input in the nested arguments, by variable name
        self.input_paths: dict[str, str] = {}
        self.namer = Namer() if namer is None else namer
        # names of tensors that are declared under a given name, by id
        self._preset_names = known or {}
        self._bound_names: dict[int, str] = {}
        # IndexErrors of branches in a loop body. The errors are raised after the body, because the
        # rest of the body may write the missing element.
        self.deferred_errors: list[IndexError] = []
        # paths of the layers whose `forward` is running, outermost first
        self.layers: list[str] = []
        self.missing_gradient_reasons: list[
            str
        ] = []  # why the program cannot provide correct gradients
        self.hooks: list[RemovableHookHandle] = []  # hooks on external tensors
        # A callback that receives each user function before the function runs; None for none.
        self.on_function_call: Callable[[Any], None] | None = None
        # The ReadTracker that adds a guard for each Python value that the capture reads; None if
        # there is none.
        self.read_tracker: Any = None
        # The Rollback that saves Python objects before captured code mutates them; None if there is
        # none.
        self.rollback: Any = None
        # By id: a list or dict, and the line that created it.
        self._creation_lines: dict[int, tuple[Any, str]] = {}
        self.side_effect: Exception | None = (
            # the last rejected side effect; raised again, because user code may have caught the
            # error
            None
        )
        self.has_merged_ranks = (
            # whether a 0-D tensor of one branch and a [1] tensor of the other were merged to a 0-D
            # tensor
            False
        )
        # whether constructs that may fail at run time are rejected during recording
        self.strict = False
        self.dunder_methods: Any = None  # converts special methods of user classes
        self.aliases = Aliases()
        # TensorArrays that were read before anything was written to them.
        self.arrays_read_empty: list[Any] = []
        self.num_open_loops = 0  # loops that are being recorded
        self.replaced_lists: list[list[Any]] = []  # lists that became TensorArrays
        # Locations and keys of strings that loop iterations change.
        self.loop_string_locations: list[tuple[Any, Any]] = []
        self._tensors: list[Tensor] = []  # keeps tensors alive, so that their ids are not reused

    @classmethod
    def for_existing_program(cls, program: Program) -> Recorder:
        """Return a recorder that appends to an existing program."""
        result = cls()
        result.program = program
        result.open_blocks = [OpenBlock(program.block)]
        for block in program.blocks:
            for name in block.vars:
                result.namer.unique_name(name)
        return result

    # -- blocks
    # --------------------------------------------------------------------------

    @property
    def block(self) -> Block:
        """The current block, to which ops are appended."""
        return self.open_blocks[-1].block

    @contextmanager
    def enter_new_block(self) -> Iterator[OpenBlock]:
        """Context manager: ops recorded in the `with` body are written to a new block, a child of
        the current block.
        """
        result = OpenBlock(Block(len(self.program.blocks), self.block.idx))
        self.program.blocks.append(result.block)
        try:
            with self.enter_block(result):
                yield result
        except BaseException:
            for location, before in result.locations.values():
                if location.can_restore:
                    location.replace_values(before)
            raise

    @contextmanager
    def track_open_loop(self) -> Iterator[None]:
        """Context manager: `num_open_loops` is higher by 1 in the `with` body, which records the
        body of a loop.
        """
        self.num_open_loops += 1
        try:
            yield
        finally:
            self.num_open_loops -= 1

    @contextmanager
    def enter_block(self, inner: OpenBlock) -> Iterator[None]:
        """Context manager: ops recorded in the `with` body are written to `inner`, an existing
        block.
        """
        self.open_blocks.append(inner)
        try:
            yield
        finally:
            self.open_blocks.pop()

    def checkpoint(self) -> RecorderCheckpoint:
        """Return the state of the recorder, to which `rewind` can return."""
        block, aliases = self.block, self.aliases
        written = len(self.program.blocks), len(block.ops), len(block.vars)
        return RecorderCheckpoint(
            *written, dict(aliases.invalidated), aliases.num_tensor_links(), aliases.timestamp()
        )

    def rewind(self, mark: RecorderCheckpoint) -> None:
        """Remove the ops, blocks and variables that were written since the checkpoint. Parameters
        and constants that were added to `scope` since the checkpoint are kept.
        """
        variables = self.block.vars
        self.aliases.invalidated = dict(mark.invalidated)
        self.aliases.discard_tensor_links_to_newer_values(mark.num_tensor_links, mark.timestamp)
        del self.program.blocks[mark.num_blocks :]
        del self.block.ops[mark.num_ops :]
        # A dict keeps the order of insertion, so that the newest variables are last.
        num_newer = max(0, len(variables) - mark.num_variables)
        for name in list(islice(reversed(variables), num_newer)):
            if not variables[name].persistable:
                del variables[name]

    def var(self, name: str) -> VarDesc | None:
        """Return the declaration of the variable `name` in the current block or an enclosing one;
        None if there is none.
        """
        return self.program.var(name, self.block.idx)

    def record_container_creation_line(self, container: Any, original: Any = None) -> None:
        """Remember the user's line that created a list or dict, for error messages.

        original: the object that `container` is a copy of, whose line it inherits
        """
        recorded, line = self._creation_lines.get(id(original), (None, ""))
        self._creation_lines[id(container)] = (
            container,
            line if original is not None and recorded is original else str(user_line() or ""),
        )

    def container_creation_message_suffix(self, container: Any) -> str:
        """Return ` created at <line>` for a list or dict; empty if the line is unknown."""
        recorded, line = self._creation_lines.get(id(container), (None, ""))
        return f" created at {line}" if recorded is container and line else ""

    # -- tensors
    # --------------------------------------------------------------------------

    def bind(self, tensor: Tensor, name: str) -> None:
        """Record that `tensor` denotes the program's variable `name` from now on."""
        self._bound_names[id(tensor)] = name
        self._tensors.append(tensor)
        self.aliases.record_creation_time(tensor)

    def rebind_tensors_of_variable(self, name: str, other: str) -> None:
        """Let all tensors that denote the variable `name` denote the variable `other`."""
        self._bound_names = {
            key: other if held == name else held for key, held in self._bound_names.items()
        }

    def is_tensor_bound_to_variable(self, tensor: Tensor) -> bool:
        """Whether `tensor` denotes a variable of the program."""
        return id(tensor) in self._bound_names

    def find_name_or_declare_persistable(self, tensor: Tensor) -> str:
        """Return the name of the variable that `tensor` denotes; a tensor that is not known yet is
        declared as a persistable variable, whose value is saved with the program.

        Raises TraceError for a tensor that was created in a branch or loop and is not one of its
        results, and for an invalidated tensor.
        """
        self.aliases.reject_invalidated_tensor(tensor)
        name = self._bound_names.get(id(tensor))
        if name is None:
            return self.persistable(tensor)
        if self.var(name) is None:
            origin = getattr(tensor, "where", "") or f"'{name}'"
            why = (
                f"a value that was created in a branch or loop ({origin}) is used outside of it, "
                "but is not one of its results"
            )
            raise TraceError(append_user_line(f"{why} (X={tensor.meta})"))
        return name

    def declare(self, name: str, meta: Meta, block: Block | None = None, **flags: Any) -> VarDesc:
        """Add a variable to a block, by default to the current one, and return its declaration."""
        desc = VarDesc(name, tuple(meta.shape), DTYPE_BY_NP[meta.dtype].name, **flags)
        (block or self.block).vars[name] = desc
        return desc

    def persistable(self, tensor: Tensor, preferred_name: str | None = None) -> str:
        """Declare `tensor` as a parameter, buffer or constant whose value is saved with the
        program.
        """
        name = self._preset_names.get(id(tensor)) or self.namer.reserve_program_name_of_persistable(
            preferred_name or tensor.name
        )
        trainable = not tensor.stop_gradient
        flags = {"persistable": True, "is_parameter": trainable, "stop_gradient": not trainable}
        self.declare(name, tensor.meta, self.program.block, **flags)
        self.bind(tensor, name)
        self.scope[name] = tensor
        return name

    def feed(self, name: str, meta: Meta, path: str = "", dims: Dims = ()) -> VarDesc:
        """Declare an input of the program, append its `feed` op, and return its declaration.

        path: the position of the input in the nested arguments, such as `y.0`; by default its name.
        """
        desc = self.declare(
            self.namer.unique_name(name), meta, stop_gradient=True, checks_feed=True, dims=dims
        )
        col = sum(op.type == "feed" for op in self.program.block.ops)
        feed = OpDesc(
            "feed", {"X": ["feed"]}, {"Out": [desc.name]}, {"col": Attr(AttrType.INT, col)}
        )
        self.program.block.ops.append(feed)
        self.input_paths[desc.name] = path or desc.name
        return desc

    def fetch(self, name: str) -> None:
        """Make the variable `name` an output of the program: append a `fetch` op."""
        col = sum(op.type == "fetch" for op in self.program.block.ops)
        op = OpDesc("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, col)})
        self.program.block.ops.append(op)

    def add_guard(self, guard: Guard) -> None:
        """Add a guard to the program unless the program has an equal guard."""
        if guard not in self.guards:
            self.guards.append(guard)

    # -- ops
    # --------------------------------------------------------------------------

    def declare_output(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> VarDesc:
        """Declare a variable for a result of an op and return its declaration. For a slot that
        overwrites an input, return the declaration of that input's variable.
        """
        if slot.overwrites:
            index = [s.name for s in op.ins].index(slot.overwrites)
            operand = args[index] if index < len(args) else None
            # a list slot that holds one tensor
            if isinstance(operand, list | tuple) and len(operand) == 1:
                operand = operand[0]
            if isinstance(operand, Tensor):
                existing = self.var(self.find_name_or_declare_persistable(operand))
                assert existing is not None
                return existing
        desc = self.declare(self.namer.generate_temporary_name(op.type), meta)
        desc.lod_level = self._result_lod_level(op, slot, args, meta)
        return desc

    def _result_lod_level(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> int:
        """Return the LoD level of a result of an op. An op without its own rule passes on the LoD
        of its first operand that has one, if operand and result have the same number of rows.
        """
        lod_slots = [s.values_slot_of_lod_slot for s in op.outs if s.values_slot_of_lod_slot]
        if lod_slots:
            return int(slot.name in lod_slots)
        levels = [self._lod_level_of_input(arg) for arg in args]
        if op.lod_level_rule is not None:
            return op.lod_level_rule(*levels) if slot in op.outs[: op.num_lod_outs] else 0
        for arg, level in zip(args, levels, strict=True):
            if level and not op.traits.breaks_lod:
                rows = (arg[0] if isinstance(arg, list | tuple) else arg).meta.shape[:1]
                return level if rows == meta.shape[:1] else 0
        return 0

    def _lod_level_of_input(self, arg: Any) -> int:
        first = arg[0] if isinstance(arg, list | tuple) and arg else arg
        return first.raw.lod_level if isinstance(first, Variable) else 0

    def add(
        self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any], outputs: dict[str, list[str]]
    ) -> OpDesc:
        """Append a call of `op` to the current block, with the tensors `args` as inputs."""
        inputs = {
            s.name: self._emit_undefined_checks_and_get_names(a)
            for s, a in zip(op.ins, args, strict=False)
            if a is not None
        }
        return self.append_op(
            op.type, inputs, outputs, attrs_with_file_types(op, op.attrs_with_defaults(attrs))
        )

    def append_op(
        self,
        type: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Attr] | None = None,
    ) -> OpDesc:
        """Append an op whose inputs and outputs are given by name."""
        line = user_line()
        layer = self.layers[-1] if self.layers else ""
        result = OpDesc(
            type, inputs, outputs, attrs or {}, "" if line is None else str(line), layer
        )
        self.block.ops.append(result)
        return result

    def create_variable(self, desc: VarDesc) -> Variable:
        """Return a new Variable, bound to the variable that `desc` declares."""
        result = Variable(desc)
        self.bind(result, desc.name)
        return result

    def emit_shape_preserving_unary_op(
        self, type: str, slot: str, operand: Tensor, attrs: dict[str, Attr]
    ) -> Variable:
        """Append an op with one operand, and return its result, which has the shape and dtype of
        the operand.
        """
        result = self.create_variable(
            self.declare(self.namer.generate_temporary_name(type), operand.meta)
        )
        result.user_line = self.append_op(
            type,
            {slot: [self.find_name_or_declare_persistable(operand)]},
            {"Out": [result.name]},
            attrs,
        ).user_line
        return result

    def emit_assert(
        self,
        holds: Tensor,
        message: str = "",
        data: Sequence[Tensor] = (),
        summarize: int = MAX_ASSERT_ELEMENTS,
    ) -> OpDesc:
        """Append an `assert` op, which stops a run with an error if the tensor `holds` is false.

        data: tensors that the error shows, `summarize` elements of each
        """
        attrs = {"summarize": Attr(AttrType.LONG, summarize)}
        if message:
            attrs["message"] = Attr(AttrType.STRING, message)
        slots = {
            "Cond": [self.find_name_or_declare_persistable(holds)],
            "Data": [self.find_name_or_declare_persistable(t) for t in data],
        }
        return self.append_op("assert", slots, {}, attrs)

    def _emit_undefined_checks_and_get_names(self, arg: Any) -> list[str]:
        return (
            [self.emit_undefined_check_and_get_name(arg)]
            if isinstance(arg, Tensor)
            else [self.emit_undefined_check_and_get_name(t) for t in arg]
        )

    def emit_undefined_check_and_get_name(self, tensor: Tensor) -> str:
        """Write a run-time check if `tensor` may be undefined, and return the name of the variable
        that an op must read for it.
        """
        name = self.find_name_or_declare_persistable(tensor)
        if not isinstance(tensor, Variable):
            return name
        maybe_undefined = tensor.maybe_undefined
        if (
            maybe_undefined is None
            or maybe_undefined.check is None
            or maybe_undefined.check.desc is not tensor.raw
            or self.is_variable_known_defined(maybe_undefined)
        ):
            return name
        checked_name: str = maybe_undefined.check.get_or_emit_checked_variable_name(self)
        return checked_name

    def is_variable_known_defined(self, maybe_undefined: MaybeUndefinedRecord) -> bool:
        """Whether the conditions that are known in the open blocks imply that a maybe-undefined
        variable has a value.
        """
        check = maybe_undefined.check
        return check is not None and any(
            (check.flag_name, check.expected) in inner.conditions for inner in self.open_blocks
        )


def attrs_with_file_types(op: Op, values: dict[str, Any]) -> dict[str, Attr]:
    """Return Python values of attributes as `Attr` objects, with the attribute types that Paddle's
    files use.
    """
    return {
        name: Attr(AttrType[spec.type], attr_to_plain_data(values[name]))
        for name, spec in op.attrs.items()
    }


def attr_to_plain_data(value: Any) -> Any:
    """Return the value of an attribute as Python numbers, strings and lists, without tuples, NumPy
    scalars and GuardedInts.
    """
    if isinstance(value, list | tuple):
        return [attr_to_plain_data(v) for v in value]
    if isinstance(value, GuardedInt):
        return unguarded_int(value)
    return value.item() if hasattr(value, "item") else value


def non_optional_output_slots(op: Op) -> list[tuple[int, Slot]]:
    """Return the output slots of an op that recorded ops contain, with their positions; optional
    slots, such as `Mask~?`, are omitted.
    """
    return [(i, s) for i, s in enumerate(op.outs) if not s.is_optional]
