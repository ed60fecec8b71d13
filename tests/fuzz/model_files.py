"""Real `.pdmodel` files with one to four hostile changes.   A case is told by its seed and number.

python -m tests.fuzz.model_files SEED FIRST
cases until it is ended, a line before each and one after
python -m tests.fuzz.model_files corpus           the files of tests/fuzz/corpus, the same
"""

from __future__ import annotations

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from oarlock.compiler import CompiledProgram
from oarlock.compiler.interpreter import Interpreter
from oarlock.core.dtype import parse_dtype
from oarlock.core.errors import OarlockError
from oarlock.core.op import OPS
from oarlock.core.tensor import Tensor
from oarlock.export.proto import ATTR_VALUE_FIELD, ProgramDesc
from oarlock.ir.attr_types import LIST_ATTR_TYPES
from oarlock.ir.program import AttrType, Program
from oarlock.loader.engine import Engine
from oarlock.loader.pdiparams import load_params
from oarlock.loader.pdmodel import parse_program
from oarlock.loader.runtime import runtime_module

from .mutate import HOSTILE, Chance

MEMORY = 6 << 30  # address space; ONNX Runtime and the threads of two engines take half of it
FOLDER = Path(__file__).parents[1] / "fixtures"
PATIENCE = 3.0  # seconds for a run
CORPUS = Path(__file__).parent / "corpus"
NAMES = ("mlp", "conv", "control", "types")
OLDER = ("v1_models", "v1_detectors")  # archives of programs of Paddle 1.8 and their parameters
SHAPES = [[], [0], [-1], [-1, -1], [3, 0, 2], [2**31 - 1], [2**40, 4], [1] * 32, [-12, 4]]
TYPES = sorted(OPS)
BLOCK = int(AttrType.BLOCK)


def all_ops(message: Any) -> list[Any]:
    """Every op of a program that computes something."""
    return [op for block in message.blocks for op in block.ops if op.type not in ("feed", "fetch")]


def change_attr(c: Chance, message: Any) -> str:
    """Set an attribute to another value of its type or of another type."""
    op = c.of(all_ops(message))
    attrs = [a for a in op.attrs if AttrType(a.type) in HOSTILE]
    if not attrs:
        return add_attr(c, message)
    attr = c.of(attrs)
    kind = AttrType(attr.type) if c.below(5) else c.of(list(HOSTILE))
    return f"{op.type}.{attr.name} {set_attr(c, attr, kind)}"


def add_attr(c: Chance, message: Any) -> str:
    """An attribute that the op knows and the file does not have."""
    op = c.of(all_ops(message))
    known = OPS.get(op.type)
    names = sorted(set(known.attrs) - {a.name for a in op.attrs}) if known else []
    if not names:
        return "nothing"
    name = c.of(names)
    attr = op.attrs.add(name=name)
    return f"{op.type}.{name} {set_attr(c, attr, AttrType[known.attrs[name].type])}"


def set_attr(c: Chance, attr: Any, kind: AttrType) -> str:
    """Give an attribute a hostile value of a type."""
    attr.type = int(kind)
    field = ATTR_VALUE_FIELD[kind]
    pool = [v for v in HOSTILE[kind] if fits(kind, v)]
    if kind in (AttrType.SCALAR, AttrType.SCALARS):
        return "a scalar"
    if kind in LIST_ATTR_TYPES:
        values = getattr(attr, field)
        if c.below(2) and values:
            values[c.below(len(values))] = c.of(pool)
        else:
            del values[:]
            values.extend(c.of(pool) for _ in range(c.below(6)))
        return f"{kind.name} {list(values)!s:.60}"
    setattr(attr, field, c.of(pool))
    return f"{kind.name} {getattr(attr, field)!s:.60}"


def fits(kind: AttrType, value: Any) -> bool:
    """Whether protobuf takes a value."""
    if kind in (AttrType.INT, AttrType.INTS):
        return -(2**31) <= value < 2**31
    return not isinstance(value, str) or "\x00" not in value


def change_slots(c: Chance, message: Any) -> str:
    """Drop, double or rename operands or results."""
    op = c.of(all_ops(message))
    slots = op.inputs if c.below(3) else op.outputs
    if not slots:
        return "nothing"
    slot = c.of(slots)
    names = sorted(v.name for block in message.blocks for v in block.vars)
    how = c.below(6)
    if how == 0:
        slots.remove(slot)
    elif how == 1:
        del slot.arguments[:]
    elif how == 2:
        slot.arguments.extend(list(slot.arguments) * c.of([1, 2, 70]))
    elif how == 3 and slot.arguments:
        slot.arguments[c.below(len(slot.arguments))] = c.of(names)
    elif how == 4 and slot.arguments:
        slot.arguments[c.below(len(slot.arguments))] = c.of(["", "@EMPTY@", "nobody", "x@GRAD"])
    else:
        slot.parameter = c.of(["X", "Y", "Out", "Input", "Cond", "Mask", ""])
    return f"{op.type} slot {how}"


def change_type(c: Chance, message: Any) -> str:
    """Another op of the same operands."""
    op = c.of(all_ops(message))
    before = op.type
    op.type = c.of(TYPES) if c.below(4) else c.of(all_ops(message)).type
    return f"{before} -> {op.type}"


def change_var(c: Chance, message: Any) -> str:
    """Another shape, dtype, kind or level of sequences of a variable."""
    var = c.of(c.of(message.blocks).vars)
    how = c.below(5)
    if how == 0:
        var.type.type = c.of([7, 8, 9, 10, 11, 13, 17])
    elif how == 1:
        var.persistable = not var.persistable
    elif var.type.HasField("lod_tensor"):
        described = var.type.lod_tensor
        if how == 2:
            described.tensor.data_type = c.of([0, 1, 2, 3, 4, 5, 6, 20, 21, 22, 23, 24, 99])
        elif how == 3:
            described.lod_level = c.of([0, 1, 2, 2**31 - 1])
        else:
            del described.tensor.dims[:]
            described.tensor.dims.extend(c.of(SHAPES))
    return f"{var.name} {how}"


def change_blocks(c: Chance, message: Any) -> str:
    """Share a block, reference another one, or append a copy of a block."""
    holders = [(op, a) for op in all_ops(message) for a in op.attrs if a.type == BLOCK]
    how = c.below(5)
    if how == 0 and holders:
        holders[c.below(len(holders))][1].block_idx = c.below(len(message.blocks) + 1)
    elif how == 1 and holders:
        op, _ = c.of(holders)
        message.blocks[c.below(len(message.blocks))].ops.add().CopyFrom(op)
    elif how == 2:
        message.blocks[c.below(len(message.blocks))].parent_idx = c.of([-1, 0, 1, 2, 70])
    elif how == 3:
        return nest(c, message)
    else:
        block = message.blocks.add()
        block.CopyFrom(c.of(message.blocks))
        block.idx, block.parent_idx = len(message.blocks) - 1, c.below(len(message.blocks) - 1)
        if holders:
            c.of(holders)[1].block_idx = block.idx
    return f"blocks {how}"


def nest(c: Chance, message: Any) -> str:
    """Put an op into a conditional block in a conditional block, a few times or far too often."""
    block = c.of(message.blocks)
    at = [i for i, op in enumerate(block.ops) if op.type not in ("feed", "fetch")]
    conditions = [
        v.name for b in message.blocks for v in b.vars if v.type.lod_tensor.tensor.data_type == 0
    ]
    if not at or not conditions:
        return "nothing"
    target = block.ops[c.of(at)]
    inner = type(target)()
    inner.CopyFrom(target)
    depth = c.of([1, 2, 5, 62, 70])
    outs = [name for slot in inner.outputs for name in slot.arguments]
    for _ in range(depth):
        child = message.blocks.add(idx=len(message.blocks), parent_idx=block.idx)
        target.Clear()
        target.type = "conditional_block"
        target.inputs.add(parameter="Cond", arguments=[c.of(conditions)])
        target.outputs.add(parameter="Out", arguments=outs)
        target.attrs.add(name="sub_block", type=BLOCK, block_idx=child.idx)
        target.attrs.add(name="is_scalar_condition", type=int(AttrType.BOOLEAN), b=True)
        block, target = child, child.ops.add()
    target.CopyFrom(inner)
    return f"nested {depth}"


def move_op(c: Chance, message: Any) -> str:
    """Swap two ops, remove one, or duplicate one."""
    ops = c.of(message.blocks).ops
    if len(ops) < 2:
        return "nothing"
    how, a, b = c.below(3), c.below(len(ops)), c.below(len(ops))
    if how == 0:
        del ops[a]
    elif how == 1:
        ops.add().CopyFrom(ops[a])
    else:
        kept = type(ops[a])()
        kept.CopyFrom(ops[a])
        ops[a].CopyFrom(ops[b])
        ops[b].CopyFrom(kept)
    return f"op {how}"


CHANGES: list[Callable[[Chance, Any], str]] = [
    change_attr, change_attr, change_attr, add_attr, add_attr, change_slots, change_slots, change_type, change_var, change_var,
    change_blocks, move_op,
]  # fmt: skip


class Model(NamedTuple):
    """A file to change, and the path of its parameters."""

    name: str
    program: bytes
    params: str


def models(folder: str) -> dict[str, Model]:
    """Return the models of the fixtures. folder: for parameters that are inside of an archive"""
    found = {
        n: Model(n, (FOLDER / f"{n}.pdmodel").read_bytes(), str(FOLDER / f"{n}.pdiparams"))
        for n in NAMES
    }
    for archive in OLDER:
        with np.load(FOLDER / f"{archive}.npz") as arrays:
            for key in arrays.files:
                name, _, what = key.rpartition(".")
                if what == "program":
                    path = Path(folder, f"{name}.pdiparams")
                    path.write_bytes(arrays[f"{name}.params"].tobytes())
                    found[name] = Model(name, arrays[key].tobytes(), str(path))
    return found


def make_case(seed: int, number: int, files: dict[str, Model]) -> tuple[Model, bytes, str]:
    """Return the model, its mutated bytes, and a description of the mutations."""
    chance = Chance(seed, number)
    model = files[chance.of(sorted(files))]
    data = model.program
    message = ProgramDesc.parse(data)
    if chance.below(12) == 0:
        at = chance.below(len(data))
        return model, data[:at] + bytes([chance.below(256)]) + data[at + 1 :], f"byte {at}"
    done = []
    for _ in range(1 + chance.below(4)):
        try:
            done.append(chance.of(CHANGES)(chance, message))
        except ValueError:  # nothing is left to choose from
            break
    return model, message.SerializeToString(), "; ".join(done)


def values_of(program: Program, model: Model) -> dict[str, Tensor]:
    """Return the values that the program needs, as far as the file contains them."""
    names = [var.name for var in parse_program(model.program).persistables()]
    found = load_params(model.params, names)
    return {
        v.name: Tensor(np.array(found[v.name])) for v in program.persistables() if v.name in found
    }


def feeds_of(program: Program) -> dict[str, np.ndarray[Any, Any]]:
    """Return an array of ones for each input; unknown sizes are 2."""
    feeds = {}
    for name in program.feed_names():
        var = program.var(name)
        sizes = [d if 0 <= d < 64 else 2 for d in var.shape] if var is not None else [2]
        feeds[name] = np.ones(
            sizes[:4], parse_dtype(var.dtype).np if var is not None and var.dtype else "f4"
        )
    return feeds


class Stopped(BaseException):
    """A run is ended, as by Ctrl-C: loops of a program may be endless."""


@contextmanager
def stopped_after(seconds: float) -> Iterator[None]:
    """Raise Stopped after some time."""

    def stop(*_: object) -> None:
        raise Stopped

    signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def run_interpreted(data: bytes, model: Model) -> str:
    """Load and interpret: `ran`, or the first words of the error."""
    try:
        with np.errstate(all="ignore"), stopped_after(PATIENCE):
            program = parse_program(data)
            feeds = {key: Tensor(value) for key, value in feeds_of(program).items()}
            Interpreter(program, values_of(program, model)).run(feeds)
    except Stopped:
        return "stopped"
    except (OarlockError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"
    return "ran"


def run_compiled(data: bytes, model: Model) -> str:
    """Load, compile to kernels on arrays and run: `ran`, or the first words of the error."""
    try:
        with np.errstate(all="ignore"), stopped_after(PATIENCE):
            program = parse_program(data)
            CompiledProgram(program).run(values_of(program, model), feeds_of(program))
    except Stopped:
        return "stopped"
    except (OarlockError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"
    return "ran"


def run_lowered(data: bytes, model: Model) -> str:
    """Read, validate, lower and run in the engine: `ran`, or the first words of the error."""
    try:
        engine = Engine(data, model.params, threads=1)
        timer = threading.Timer(PATIENCE, engine.stop)
        timer.start()
        try:
            engine.run(next(engine.iter_synthetic_input_sets()))
        finally:
            timer.cancel()
    except (OarlockError, NotImplementedError) as error:
        return f"{type(error).__name__}: {error}"
    return "ran"


def run(data: bytes, model: Model) -> str:
    """Interpret, compile and lower the file; any unexpected exception ends the process and is a
    finding.
    """
    answers = [run_interpreted(data, model), run_compiled(data, model), run_lowered(data, model)]
    return " | ".join(answer[:150] for answer in answers)


def main(seed: int, first: int) -> None:
    """Run the cases `first`, `first + 1`, ...; prints a line before and after each."""
    with TemporaryDirectory() as folder:
        files = models(folder)
        for number in range(first, 1 << 62):
            model, data, done = make_case(seed, number, files)
            print("case", number, repr(f"{model.name}: {done}"), flush=True)
            print("end", repr(run(data, model)), flush=True)


def corpus() -> None:
    """What each file of the corpus answers."""
    with TemporaryDirectory() as folder:
        files = models(folder)
        for path in sorted(CORPUS.glob("*.pdmodel")):
            print("case", path.name, flush=True)
            print("end", repr(run(path.read_bytes(), files[path.name.split("-")[0]])), flush=True)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    os.environ.setdefault("OARLOCK_MAX_RESULT_BYTES", str(1 << 28))
    runtime_module()
    corpus() if sys.argv[1] == "corpus" else main(int(sys.argv[1]), int(sys.argv[2]))
