"""Recording: op calls become ops of a program, tensors become its variables."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ..core.dtype import BY_NP
from ..core.errors import TraceError, user_line, with_user_line
from ..core.op import Meta, Op, Slot
from ..core.tensor import RemovableHook, Tensor
from ..ir.names import Namer
from ..ir.program import Attr, AttrType, Block, Guard, OpDesc, Program, VarDesc
from .aliasing import Aliases, Stale
from .guarded_int import Size, plain_int
from .variable import Half, Variable

PADDLE_VERSION = 2_006_002  # whose ops the programs are written in
SHOWN = 20  # elements of a tensor that an `assert` shows


@dataclass
class Inner:
    """A block while it is written.

    changed: tensors that it changes in place, kept: places outside that it may write; with what was
    before.

    born: by id, what was made in it, which nothing outside knows; owned: places that are variables
    of the statement that it belongs to; lists: those that may become lists of the program, by id,
    and whether this one has to; facts: conditions of which it is known here whether they hold;
    repeats: whether it is the body of a loop.
    """

    block: Block
    changed: dict[int, tuple[Any, VarDesc]] = field(default_factory=dict)
    kept: dict[Any, Any] = field(default_factory=dict)
    born: dict[int, Any] = field(default_factory=dict)
    owned: set[tuple[int, Any]] = field(default_factory=set)
    lists: dict[int, bool] = field(default_factory=dict)
    facts: frozenset[tuple[str, bool]] = frozenset()
    repeats: bool = False


class Mark(NamedTuple):
    """How far a recording is.

    names: of the variables of its block; stale: tensors that are out of date; links, moment: of
    aliases.
    """

    blocks: int
    ops: int
    names: tuple[str, ...]
    stale: dict[int, Stale]
    links: int
    moment: int


class Recorder:
    """Writes a program.

    program: so far; scope: the tensors whose values go with it, by name in the program; guards:
    what was assumed.
    """

    by_hand = False  # whether users see the program while it is written

    def __init__(
        self,
        program: Program | None = None,
        namer: Namer | None = None,
        known: Mapping[int, str] | None = None,
    ) -> None:
        self.program = Program(version=PADDLE_VERSION) if program is None else program
        # the blocks that are being written, outermost first
        self.open = [Inner(self.program.block)]
        self.scope: dict[str, Tensor] = {}
        self.guards: list[Guard] = []
        self.paths: dict[str, str] = {}  # of inputs, by name
        self.namer = Namer() if namer is None else namer
        self._known = known or {}  # names that values have already, by id
        self._names: dict[int, str] = {}
        # of branches in loops, that read what a later part of a round may write
        self.early: list[IndexError] = []
        self.layers: list[str] = []  # those that forward is in, outermost first
        self.cuts: list[str] = []  # what the program lacks to give gradients, or the right ones
        self.hooks: list[RemovableHook] = []  # that tensors from outside were given
        # told of the user's functions before they are called
        self.saw: Callable[[Any], None] | None = None
        # told of what converted code reads of Python, and of what it is going to change
        self.looked: Any = None
        # saves objects before they are mutated, to roll back a failed recording
        self.rollback: Any = None
        # by id: a list or dict, and the line that created it
        self._lines: dict[int, tuple[Any, str]] = {}
        self.side_effect: Exception | None = (
            # the last rejected side effect; raised again, because user code may have caught the
            # error
            None
        )
        self.merges_ranks = (
            # whether a 0-D tensor of one branch and a [1] tensor of the other were merged to a 0-D
            # tensor
            False
        )
        # whether constructs that may fail at run time are rejected during recording
        self.strict = False
        self.special: Any = None  # told of objects whose operators Python calls
        self.aliases = Aliases()
        # lists of the program that were read before anything was written to them
        self.empty: list[Any] = []
        self.loops = 0  # those that are being recorded
        self.moved: list[list[Any]] = []  # lists that became lists of the program
        # places with texts that the rounds of a loop change: keeper, key
        self.unsaid: list[tuple[Any, Any]] = []
        self._alive: list[Tensor] = []  # an id stays valid only while its tensor lives

    @classmethod
    def onto(cls, program: Program) -> Recorder:
        """One that goes on with a program that is there already."""
        made = cls()
        made.program = program
        made.open = [Inner(program.block)]
        for block in program.blocks:
            for name in block.vars:
                made.namer.fresh(name)
        return made

    # -- blocks
    # --------------------------------------------------------------------------

    @property
    def block(self) -> Block:
        """The block that ops are written to."""
        return self.open[-1].block

    @contextmanager
    def inner_block(self) -> Iterator[Inner]:
        """Write the body to a new block inside of the one that is being written."""
        made = Inner(Block(len(self.program.blocks), self.block.idx))
        self.program.blocks.append(made.block)
        try:
            with self.writing(made):
                yield made
        except BaseException:
            for keeper, before in made.kept.values():
                if keeper.restores:
                    keeper.write(before)
            raise

    @contextmanager
    def in_loop(self) -> Iterator[None]:
        """Record a body that is tried again where it shows something new."""
        self.loops += 1
        try:
            yield
        finally:
            self.loops -= 1

    @contextmanager
    def writing(self, inner: Inner) -> Iterator[None]:
        """Write the body to a block of the one that is being written."""
        self.open.append(inner)
        try:
            yield
        finally:
            self.open.pop()

    def mark(self) -> Mark:
        """What there is now, for `rewind`."""
        block, aliases = self.block, self.aliases
        written = len(self.program.blocks), len(block.ops), tuple(block.vars)
        return Mark(*written, dict(aliases.stale), aliases.links(), aliases.now())

    def rewind(self, mark: Mark) -> None:
        """Forget the ops, blocks and variables that were written since; what goes with the program
        stays.
        """
        names = set(mark.names)
        self.aliases.stale = dict(mark.stale)
        self.aliases.forget(mark.links, mark.moment)
        del self.program.blocks[mark.blocks :]
        del self.block.ops[mark.ops :]
        self.block.vars = {n: v for n, v in self.block.vars.items() if n in names or v.persistable}

    def var(self, name: str) -> VarDesc | None:
        """The declaration of `name` as the block that is being written sees it."""
        return self.program.var(name, self.block.idx)

    def note_line(self, made: Any, original: Any = None) -> None:
        """Remember the user's line that created a list or dict, for error messages.

        original: the object it is a copy of, whose line it takes
        """
        held, line = self._lines.get(id(original), (None, ""))
        self._lines[id(made)] = (
            made,
            line if original is not None and held is original else str(user_line() or ""),
        )

    def line_of(self, made: Any) -> str:
        """` made at` and the line that created a list or dict; empty if unknown."""
        held, line = self._lines.get(id(made), (None, ""))
        return f" made at {line}" if held is made and line else ""

    # -- tensors
    # --------------------------------------------------------------------------

    def bind(self, tensor: Tensor, name: str) -> None:
        """From now on `tensor` is the variable `name`."""
        self._names[id(tensor)] = name
        self._alive.append(tensor)
        self.aliases.meet(tensor)

    def rebind(self, name: str, other: str) -> None:
        """From now on the tensors that were `name` are `other`."""
        self._names = {key: other if held == name else held for key, held in self._names.items()}

    def knows(self, tensor: Tensor) -> bool:
        """Whether `tensor` is a variable of the program already."""
        return id(tensor) in self._names

    def name_of(self, tensor: Tensor) -> str:
        """The variable that `tensor` is; one that nobody declared is a constant and goes with the
        program.

        Raises TraceError for one that a branch or a loop made and did not give, and for one that is
        out of date.
        """
        self.aliases.check(tensor)
        name = self._names.get(id(tensor))
        if name is None:
            return self.persistable(tensor)
        if self.var(name) is None:
            made = getattr(tensor, "where", "") or f"'{name}'"
            why = f"a value made in a branch or a loop ({made}) is not one of its results"
            raise TraceError(
                with_user_line(f"{why}; outside of it there is no such value (X={tensor.meta})")
            )
        return name

    def declare(self, name: str, meta: Meta, block: Block | None = None, **flags: Any) -> VarDesc:
        """Add a variable to a block, the one that is being written unless given."""
        desc = VarDesc(name, tuple(meta.shape), BY_NP[meta.dtype].name, **flags)
        (block or self.block).vars[name] = desc
        return desc

    def persistable(self, tensor: Tensor, wanted: str | None = None) -> str:
        """Make `tensor` a variable whose value travels with the program: a parameter, a buffer or a
        constant.
        """
        name = self._known.get(id(tensor)) or self.namer.persistable(wanted or tensor.name)
        trainable = not tensor.stop_gradient
        flags = {"persistable": True, "is_parameter": trainable, "stop_gradient": not trainable}
        self.declare(name, tensor.meta, self.program.block, **flags)
        self.bind(tensor, name)
        self.scope[name] = tensor
        return name

    def feed(self, name: str, meta: Meta, path: str = "") -> VarDesc:
        """Declare an input.

        path: where it is in the arguments of a call, if not under its name
        """
        desc = self.declare(self.namer.fresh(name), meta, stop_gradient=True, checks_feed=True)
        col = sum(op.type == "feed" for op in self.program.block.ops)
        feed = OpDesc(
            "feed", {"X": ["feed"]}, {"Out": [desc.name]}, {"col": Attr(AttrType.INT, col)}
        )
        self.program.block.ops.append(feed)
        self.paths[desc.name] = path or desc.name
        return desc

    def fetch(self, name: str) -> None:
        """Declare an output."""
        col = sum(op.type == "fetch" for op in self.program.block.ops)
        op = OpDesc("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, col)})
        self.program.block.ops.append(op)

    def assume(self, guard: Guard) -> None:
        """Note an assumption, once."""
        if guard not in self.guards:
            self.guards.append(guard)

    # -- ops
    # --------------------------------------------------------------------------

    def new_output(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> VarDesc:
        """Declare the variable of one result; one written in place is its operand."""
        if slot.over:
            index = [s.name for s in op.ins].index(slot.over)
            operand = args[index] if index < len(args) else None
            # a slot for many that is given one
            if isinstance(operand, list | tuple) and len(operand) == 1:
                operand = operand[0]
            if isinstance(operand, Tensor):
                found = self.var(self.name_of(operand))
                assert found is not None
                return found
        made = self.declare(self.namer.temporary(op.type), meta)
        made.lod_level = self._lod_level(op, slot, args, meta)
        return made

    def _lod_level(self, op: Op, slot: Slot, args: tuple[Any, ...], meta: Meta) -> int:
        """How many levels of sequences a result holds: what the op says, else as its first operand
        that has any, if it has as many rows.
        """
        found = [s.lod_of for s in op.outs if s.lod_of]
        if found:
            return int(slot.name in found)
        levels = [self._level_of(arg) for arg in args]
        if op.lod_levels is not None:
            return op.lod_levels(*levels) if slot in op.outs[: op.lod_outs] else 0
        for arg, level in zip(args, levels, strict=True):
            if level and not op.traits.breaks_lod:
                rows = (arg[0] if isinstance(arg, list | tuple) else arg).meta.shape[:1]
                return level if rows == meta.shape[:1] else 0
        return 0

    def _level_of(self, arg: Any) -> int:
        first = arg[0] if isinstance(arg, list | tuple) and arg else arg
        return first.raw.lod_level if isinstance(first, Variable) else 0

    def add(
        self, op: Op, args: tuple[Any, ...], attrs: dict[str, Any], outputs: dict[str, list[str]]
    ) -> OpDesc:
        """Append one op."""
        inputs = {
            s.name: self._operand(a) for s, a in zip(op.ins, args, strict=False) if a is not None
        }
        return self.emit(op.type, inputs, outputs, typed_attrs(op, op.full_attrs(attrs)))

    def emit(
        self,
        type: str,
        inputs: dict[str, list[str]],
        outputs: dict[str, list[str]],
        attrs: dict[str, Attr] | None = None,
    ) -> OpDesc:
        """Append one op that is known by its names."""
        line = user_line()
        layer = self.layers[-1] if self.layers else ""
        made = OpDesc(type, inputs, outputs, attrs or {}, "" if line is None else str(line), layer)
        self.block.ops.append(made)
        return made

    def variable(self, desc: VarDesc) -> Variable:
        """The variable of a declaration."""
        made = Variable(desc)
        self.bind(made, desc.name)
        return made

    def emit_like(self, type: str, slot: str, operand: Tensor, attrs: dict[str, Attr]) -> Variable:
        """Append an op with one operand and a result like it; gives the result."""
        made = self.variable(self.declare(self.namer.temporary(type), operand.meta))
        made.where = self.emit(
            type, {slot: [self.name_of(operand)]}, {"Out": [made.name]}, attrs
        ).where
        return made

    def emit_assert(
        self, holds: Tensor, message: str = "", data: Sequence[Tensor] = (), summarize: int = SHOWN
    ) -> OpDesc:
        """Append what ends a run where `holds` is not true.

        data: is shown then, `summarize` elements of each
        """
        attrs = {"summarize": Attr(AttrType.LONG, summarize)}
        if message:
            attrs["message"] = Attr(AttrType.STRING, message)
        slots = {"Cond": [self.name_of(holds)], "Data": [self.name_of(t) for t in data]}
        return self.emit("assert", slots, {}, attrs)

    def _operand(self, arg: Any) -> list[str]:
        return [self.operand(arg)] if isinstance(arg, Tensor) else [self.operand(t) for t in arg]

    def operand(self, tensor: Tensor) -> str:
        """The variable that an op reads for `tensor`: one that fails in a run where that has no
        value.
        """
        name = self.name_of(tensor)
        half = tensor.half if isinstance(tensor, Variable) else None
        if (
            half is None
            or half.late is None
            or half.late.desc is not tensor.raw
            or self.is_known(half)
        ):
            return name
        found: str = half.late.checked(self)
        return found

    def is_known(self, half: Half) -> bool:
        """Whether it is known here that a variable has a value which only one way gives."""
        late = half.late
        return late is not None and any(
            (late.flag, late.sense) in inner.facts for inner in self.open
        )


def typed_attrs(op: Op, values: dict[str, Any]) -> dict[str, Attr]:
    """Attributes with the types that Paddle's files give them."""
    return {name: Attr(AttrType[spec.type], plain(values[name])) for name, spec in op.attrs.items()}


def plain(value: Any) -> Any:
    """An attribute as plain Python data."""
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    if isinstance(value, Size):
        return plain_int(value)
    return value.item() if hasattr(value, "item") else value


def recorded_slots(op: Op) -> list[tuple[int, Slot]]:
    """The result slots that a file names: an optional one (`Mask~?`) is left out."""
    return [(i, s) for i, s in enumerate(op.outs) if not s.optional]
