"""Judging a model by running it: what was written must give what the layer gives, at two sizes of
every free dimension.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, ClassVar

import numpy as np

from ..capture.output_tree import StructureError
from ..compiler import CompiledProgram
from ..compiler.feeds import FEED
from ..compiler.unsupported_ops import Unsupported
from ..core import cuda
from ..core.device_dispatch import common_device
from ..core.dtype import dtype_of, is_float, is_real
from ..core.errors import GuardError, OarlockError, OpError, VerifyError
from ..core.tensor import Tensor
from ..ir.block_captures import draws_random
from ..ir.op_traits import is_feed_or_fetch
from ..ir.program import Arg, Kind, Program
from ..loader.engine import Engine, EngineError, UnsupportedError, first_reason
from ..loader.files import program_from_bytes
from ..loader.params import load_params
from .conditioning import is_rounding

# What the first axis and the other free ones are tried at; the first two pairs that the layer
# itself accepts are used.
SIZES = (
    (2, 32),
    (3, 48),
    (1, 64),
    (5, 17),
    (2, 224),
    (3, 256),
    (4, 8),
    (6, 5),
    *((n, n) for n in range(7, 17)),
)
ENOUGH = 2

Reference = Callable[[list[Tensor]], Sequence[Any]]


def tolerance(dtype: np.dtype[Any], program: Program) -> float:
    """The largest difference that rounding explains, relative to the largest value; half precision
    inside of `program` counts.
    """
    if not is_float(dtype):
        return 0.0
    half = any(v.dtype in ("float16", "bfloat16") for b in program.blocks for v in b.vars.values())
    return 2e-2 if half else {"float64": 1e-9, "float32": 1e-4}.get(dtype.name, 2e-2)


# Made-up integers, from and up to: valid as indices of anything; else as lengths, or of tables with
# a single row.
INTEGERS = ((0, 2), (1, 2), (0, 1))


def example(
    arg: Arg,
    shape: tuple[int, ...],
    rng: np.random.Generator,
    integers: tuple[int, int] = INTEGERS[0],
) -> Tensor:
    """A random input: normal numbers, or small integers."""
    dtype = dtype_of(arg.dtype).np
    if dtype.kind in "iub":
        return Tensor(rng.integers(*integers, shape).astype(dtype))
    return Tensor(rng.standard_normal(shape).astype(dtype))


def shapes_to_try(
    inputs: Sequence[Arg], given: Sequence[Tensor]
) -> Iterator[list[tuple[int, ...]]]:
    """Shapes of all inputs: those of given ones with a larger batch, then made-up sizes."""
    if given:
        yield [
            larger_batch(arg.shape, tensor.meta.shape)
            for arg, tensor in zip(inputs, given, strict=True)
        ]
    for first, others in SIZES:
        yield [
            tuple((first if a == 0 else others) if d < 0 else d for a, d in enumerate(i.shape))
            for i in inputs
        ]


def larger_batch(declared: tuple[int, ...], shape: tuple[int, ...]) -> tuple[int, ...]:
    """`shape` with one more row, where the number of rows is free."""
    return (shape[0] + 1, *shape[1:]) if shape and declared[0] < 0 else shape


def examples(
    inputs: Sequence[Arg], given: Sequence[Tensor], known: Sequence[tuple[int, ...]] = ()
) -> Iterator[list[Tensor]]:
    """Inputs to try: given ones first, then random ones, with integers of one kind after the other;
    those of known shapes come last.
    """
    rng = np.random.default_rng(0)
    if given:
        yield list(given)
    whole = any(dtype_of(a.dtype).np.kind in "iub" for a in inputs)
    for integers in INTEGERS if whole else INTEGERS[:1]:
        free = (
            shapes_to_try(inputs, given) if has_free_sizes(inputs) else [[a.shape for a in inputs]]
        )
        for shapes in (*free, *([list(known)] if known and len(known) == len(inputs) else [])):
            yield [example(a, s, rng, integers) for a, s in zip(inputs, shapes, strict=True)]


def of_both_signs(examples: Iterator[list[Tensor]]) -> Iterator[list[Tensor]]:
    """Each example, and after it the same with the opposite signs: what takes one way of a branch
    most often takes the other then.
    """
    for tensors in examples:
        yield tensors
        yield [Tensor(-t.array) if is_float(t.array.dtype) else t for t in tensors]


def has_free_sizes(inputs: Sequence[Arg]) -> bool:
    """Whether a size of an input may vary."""
    return any(d < 0 for a in inputs for d in a.shape)


def difference(found: Any, wanted: Any) -> float:
    """The largest difference relative to the largest value; infinite when shape, dtype or NaNs
    differ.
    """
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return float("inf")
    if found.dtype.kind in "iub":
        return 0.0 if np.array_equal(found, wanted) else float("inf")
    a, b = (
        np.asarray(v).astype(np.complex128 if v.dtype.kind == "c" else np.float64)
        for v in (found, wanted)
    )
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    if not np.isfinite(a[~same]).all() or not np.isfinite(b[~same]).all():
        return float("inf")
    return float(np.abs(a - b)[~same].max() / max(1.0, float(np.abs(b[np.isfinite(b)]).max())))


def said(found: Any, wanted: Any) -> str:
    """How a result differs: by how much, or in its dtype or shape."""
    if found.shape == wanted.shape and found.dtype == wanted.dtype:
        return f"differs by {difference(found, wanted):.3g}"
    return f"is {found.dtype}{list(found.shape)}, not {wanted.dtype}{list(wanted.shape)}"


def verify(
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    reference: Reference,
    given: Sequence[Tensor] = (),
    known: Sequence[tuple[int, ...]] = (),
) -> str:
    """Run files and reference side by side; gives one line on what was found.

    Raises VerifyError with the first op that differs.

    given: inputs that are known to work, those of a trace; known: the shapes of such.
    Sizes that the reference refuses, or that break an assumption of the trace, are passed over.
    """
    assert program.contract is not None
    if draws_random(program):
        return "not verified: the program draws random numbers"
    engine, by = engine_of(program, pdmodel, params)
    reference, given = _at_home(reference, scope), [Tensor(cuda.to_host(t.array)) for t in given]
    tried: list[str] = []
    enough = ENOUGH if given or has_free_sizes(program.contract.inputs) else 1
    worst, refused = 0.0, ""
    ending = Ending(program, scope)
    tries = examples(program.contract.inputs, given, known)
    if len(program.blocks) > 1:
        tries, enough = of_both_signs(tries), 2 * enough
    for tried_inputs in tries:
        tensors = tried_inputs
        sizes = " ".join(
            f"{a.name}{list(t.meta.shape)}"
            for a, t in zip(program.contract.inputs, tensors, strict=True)
        )
        if not ending.ends(tensors):
            refused = f"a loop has more than {MOST_ROUNDS} rounds"
            if ending.endless == MOST_ENDLESS:
                break
            continue
        tensors, wanted, refused_here = _expected(reference, engine, program, tensors, sizes)
        if wanted is None:
            refused = refused_here
            continue
        try:
            worst = max(
                worst, _compared(engine, program, pdmodel, params, scope, tensors, wanted, sizes)
            )
        except (OpError, GuardError) as error:
            refused = str(error).splitlines()[0]
            continue
        except EngineError as error:
            if not any(words in first_reason(error) for words in ENGINE_ONLY):
                raise
            refused = first_reason(error)
            continue
        tried.append(sizes)
        if len(tried) == enough:
            break
    if not tried:
        why = f"not verified: none of the made-up inputs fits; {refused}"
        warnings.warn(f"verify: {why}", stacklevel=2)
        return why
    return f"{by}at {'; '.join(dict.fromkeys(tried))}: largest difference {worst:.1e}"


def _expected(
    reference: Reference, engine: Any, program: Program, tensors: list[Tensor], sizes: str
) -> tuple[list[Tensor], Sequence[Any] | None, str]:
    """The inputs with the results of the reference, or None and the reason if it rejects them.

    Raises VerifyError if the structures differ.
    """
    try:
        return *_answered(reference, tensors), ""
    except StructureError as error:
        # The program may also reject these inputs: a result is None, a loop has no iterations.
        refused = _rejection_reason(engine, program, tensors)
        if not refused:
            raise VerifyError(f"verify: {error} at {sizes}") from None
        return tensors, None, refused
    except (MemoryError, VerifyError):
        raise
    except Exception as error:  # user code may raise any exception for unsuitable sizes
        return tensors, None, (str(error) or type(error).__name__).splitlines()[0]


def _rejection_reason(engine: Any, program: Program, tensors: list[Tensor]) -> str:
    """Why the saved files reject some inputs; empty if they return results."""
    try:
        engine.run(arrays_for(engine, program, tensors))
    except (OpError, GuardError, EngineError) as error:
        return str(error).splitlines()[0]
    return ""


MOST_ROUNDS, MOST_ENDLESS = 2000, 4
# What the engine alone refuses: squeezing an axis that is not 1, which the layer leaves; windows
# that begin in a picture, and end outside of it.
ENGINE_ONLY = (
    "engine: squeeze2",
    "is smaller than the filter",
    "does not fit into what is left of the picture",
)


class Endless(Exception):
    """A loop of the program goes on and on."""


class Ending:
    """Finds out whether the loops of a program end for made-up inputs: those of a layer may go on
    for ever.

    endless: inputs for which they do not.
    """

    def __init__(self, program: Program, scope: Mapping[str, Tensor]) -> None:
        self.endless, self._left, self._scope = 0, 0, scope
        loops = any(op.type == "while" for op in program.ops())
        self._compiled = None
        with suppress(Unsupported):
            self._compiled = CompiledProgram(program, on_iteration=self._count) if loops else None

    def _count(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise Endless

    def ends(self, tensors: Sequence[Tensor]) -> bool:
        """Whether all loops end, or an op fails."""
        for given in (tensors, _positive(tensors)) if self._compiled is not None else ():
            self._left = MOST_ROUNDS
            try:
                assert self._compiled is not None
                run_compiled(self._compiled, self._scope, [t.array for t in given])
            except Exception:
                if self._left < 0:
                    self.endless += 1
                    return False  # any other error shows when the layer runs
        return True


def _at_home(reference: Reference, scope: Mapping[str, Tensor]) -> Reference:
    """The reference for inputs of the processor, where what is compared is; the layer may be on a
    GPU.
    """
    if cuda.cupy_state.cupy is None:
        return reference
    arrays = [t.array for t in scope.values()]
    index = common_device(arrays) if arrays else cuda.cupy_state.index

    def answer(tensors: list[Tensor]) -> Sequence[Any]:
        return [
            cuda.to_host(a)
            for a in reference([Tensor(cuda.to_device(t.array, index)) for t in tensors])
        ]

    return answer


def _answered(reference: Reference, tensors: list[Tensor]) -> tuple[list[Tensor], Sequence[Any]]:
    """What the layer gives, for positive inputs where others are refused or give NaN; with the
    inputs.
    """
    try:
        wanted = reference(tensors)
    except OpError:
        wanted = None
    if wanted is None or any(is_real(np.asarray(w).dtype) and np.isnan(w).any() for w in wanted):
        tensors = _positive(tensors)
        wanted = reference(tensors)
    return tensors, wanted


def _positive(tensors: Sequence[Tensor]) -> list[Tensor]:
    """What roots, logarithms and many an assert want."""
    return [Tensor(np.abs(t.array)) for t in tensors]


class FileInterpreter:
    """What was written, run by our own kernels, in place of an engine that does not have
    all ops.
    """

    offsets: ClassVar[dict[str, str]] = {}  # its ops read none

    def __init__(self, pdmodel: bytes, params: str | None) -> None:
        program = program_from_bytes(pdmodel)
        names = sorted(v.name for v in program.persistables())
        values = {} if params is None else load_params(params, names)
        self._compiled = CompiledProgram(program)
        self._scope = {name: Tensor(a) for name, a in values.items()}

    def run(self, arrays: Sequence[Any], names: Sequence[str] = ()) -> list[Any]:
        """See Engine.run."""
        return run_compiled(self._compiled, self._scope, arrays)


def run_compiled(
    compiled: CompiledProgram, scope: Mapping[str, Tensor], arrays: Sequence[Any]
) -> list[Any]:
    """What a program gives for inputs in order, packed sequences being one each; the scope stays as
    it is.
    """
    values = {name: Tensor(cuda.to_host(t.array), name=name) for name, t in scope.items()}
    feed = dict(zip(compiled.feeds, arrays, strict=True))
    return compiled.run(
        values, feed | {name + FEED: np.array([0, len(feed[name])]) for name in compiled.lod_inputs}
    )


def engine_of(program: Program, pdmodel: bytes, params: str | None) -> tuple[Any, str]:
    """What runs the files, and how the record of the verification calls it: the engine, or the
    interpreter where ops are missing.
    """
    try:
        return Engine(pdmodel, params, cache_dir="none"), ""  # files that are about to be renamed
    except (UnsupportedError, EngineError) as error:
        try:
            found = FileInterpreter(pdmodel, params)
        except Unsupported:
            raise error from None
        lacks = (
            "does not have all ops"
            if isinstance(error, UnsupportedError)
            else "cannot run the files"
        )
        why = first_reason(error)
    warnings.warn(f"verify: by the interpreter, as the engine {lacks}: {why}", stacklevel=5)
    return found, "by the interpreter "


def arrays_for(engine: Any, program: Program, tensors: Sequence[Tensor]) -> list[Any]:
    """What the engine takes for inputs: rows of packed sequences are those of one."""
    assert program.contract is not None
    rows = {arg.name: t.array for arg, t in zip(program.contract.inputs, tensors, strict=True)}
    return [
        *rows.values(),
        *(np.array([0, len(rows[of])], "int64") for of in engine.offsets.values()),
    ]


def _compared(
    engine: Engine,
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    tensors: list[Tensor],
    wanted: Sequence[Any],
    sizes: str,
) -> float:
    # with sequences, where it is interpreted
    found = map(np.asarray, engine.run(arrays_for(engine, program, tensors)))
    worst = 0.0
    for i, (name, a, b) in enumerate(
        zip(program.fetches(), found, map(np.asarray, wanted), strict=True)
    ):
        off = difference(a, b)
        if off > tolerance(a.dtype, program) and not (
            a.dtype == b.dtype and _rounded(program, scope, tensors, i, off)
        ):
            where = first_difference(program, pdmodel, params, scope, tensors, wanted)
            raise VerifyError(f"verify: output '{name}' {said(a, b)} at {sizes}; {where}")
        worst = max(worst, off)
    return worst


def _rounded(
    program: Program, scope: dict[str, Tensor], tensors: list[Tensor], at: int, off: float
) -> bool:
    """Whether rounding explains it where a program makes much of little."""

    def run(weights: Mapping[str, Any], inputs: Sequence[Any]) -> Sequence[Any]:
        return run_compiled(compiled, {name: Tensor(a) for name, a in weights.items()}, inputs)

    try:
        compiled = CompiledProgram(program)
        weights = {name: cuda.to_host(t.array) for name, t in scope.items()}
        return is_rounding(run, weights, [t.array for t in tensors], at, off, difference)
    except (OarlockError, OpError, Unsupported):
        return False


def first_difference(
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    tensors: list[Tensor],
    layer: Sequence[Any],
) -> str:
    """The first op whose result in the engine is not what our kernels give; or that the recording
    is not the layer.
    """
    given = [t.array for t in tensors]
    names = inner_names(program, scope)
    try:
        recorded = run_compiled(CompiledProgram(program), scope, given)
        if any(_off(a, np.asarray(w), program) for a, w in zip(recorded, layer, strict=True)):
            why = "forward depends on something that a program cannot hold, or is converted wrongly"
            return f"the recording itself gives other numbers than the layer: {why}"
        inner = run_compiled(CompiledProgram(program, fetches=names), scope, given)
        expected = {
            name: a for name, a in zip(names, inner, strict=True) if isinstance(a, np.ndarray)
        }
        engine = Engine(pdmodel, params, outputs=list(expected), optimize=0, cache_dir="none")
        arrays = arrays_for(engine, program, tensors)
        found = dict(zip(expected, engine.run(arrays, list(expected)), strict=True))
    except (OarlockError, OpError) as error:
        return f"the first op to differ could not be found ({str(error).splitlines()[0]})"
    for name, wanted in expected.items():
        if _off(found[name], wanted, program):
            return _said(program, name)
    return "every op alone gives the same: the engine's optimisation differs" + first_optimised(
        program, pdmodel, params, expected, arrays
    )


def _off(found: Any, wanted: Any, program: Program) -> bool:
    return difference(found, wanted) > tolerance(wanted.dtype, program)


def inner_names(program: Program, scope: Mapping[str, Tensor]) -> list[str]:
    """The tensors that the outermost block makes, each where it is written last: a loop's are what
    it leaves.

    What nobody reads is left out: the engine need not have it, such as the statistics of a norm
    that keeps its own.
    """
    declared = program.block.vars
    read = {name for op in program.ops() for name in op.input_names()}
    written = [
        name
        for op in program.block.ops
        if not is_feed_or_fetch(op.type)
        for name in op.output_names()
    ]
    last = reversed(dict.fromkeys(reversed(written)))
    return [
        n
        for n in last
        if n in read and n not in scope and n in declared and declared[n].kind == Kind.DENSE
    ]


def first_optimised(
    program: Program,
    pdmodel: bytes,
    params: str | None,
    expected: dict[str, Any],
    arrays: list[Any],
) -> str:
    """The op from which on the optimised engine differs.

    One result is fetched at a time: each keeps ops from being fused.
    """
    names = list(expected)

    def differs(at: int) -> bool:
        engine = Engine(pdmodel, params, outputs=[names[at]], cache_dir="none")
        found = engine.run(arrays, [names[at]])[0]
        return difference(found, expected[names[at]]) > tolerance(found.dtype, program)

    try:
        first = bisect_left(range(len(names)), True, key=differs)
    except OarlockError:  # not every result can be fetched
        return ""
    return f"; {_said(program, names[first])}" if first < len(names) else ""


def _said(program: Program, name: str) -> str:
    op = next(
        op
        for op in reversed(program.block.ops)
        if not is_feed_or_fetch(op.type) and name in op.output_names()
    )
    return (f"the first op to differ is {op.type}, giving '{name}'") + (
        f", recorded at {op.where}" if op.where else ""
    )
