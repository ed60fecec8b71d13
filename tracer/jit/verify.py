"""Verify a model by running it: the written files must return what a reference returns (the layer,
or for `oarlock verify` the compiled program), at two sizes of each dynamic dimension, and at the
smallest, the largest and a middle size of each named dimension.
"""

from __future__ import annotations

import math
import warnings
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..capture.output_tree import StructureError
from ..compiler import CompiledProgram
from ..compiler.feeds import LOD_SUFFIX
from ..compiler.interpreter import Interpreter
from ..compiler.unsupported_ops import UnsupportedOpsError
from ..core import cuda
from ..core.device_dispatch import require_single_device
from ..core.dtype import is_inexact, is_real, parse_dtype
from ..core.errors import GuardError, OarlockError, OpError, VerifyError
from ..core.tensor import Tensor
from ..ir.block_captures import program_draws_random
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import ContractInputOrOutput, Program, VarKind
from ..loader.engine import Engine
from ..loader.pdiparams import load_params
from ..loader.pdmodel import parse_program
from ..loader.runtime import EngineError, UnsupportedError, first_reason_of_error
from .condition_number import (
    LastBitNoiseMode,
    NoiseMode,
    QuantizationLevelNoiseMode,
    RunFunction,
    is_explained_by_rounding,
    is_quantization_op,
)
from .named_size_samples import SizeByName, named_size_samples

# Pairs of sizes with which the layer is run. The first size is that of dynamic first axes
# (batches), the second that of all other dynamic axes. The first two pairs that the layer accepts
# are used. An axis with a named dimension gets a size from the range of its Dim instead.
DYNAMIC_SIZE_PAIRS = (
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
NUM_EXAMPLES = 2

ReferenceFunction = Callable[[list[Tensor]], Sequence[Any]]


TOLERANCES = {"float64": 1e-9, "complex128": 1e-9, "float32": 1e-4, "complex64": 1e-4}


def tolerance_for_dtype_in_program(dtype: np.dtype[Any], program: Program) -> float:
    """Return the largest difference, relative to the largest value, that is accepted as rounding.
    If `program` computes in half precision, the tolerance for half precision is returned.
    """
    if not is_inexact(dtype):
        return 0.0
    half = any(v.dtype in ("float16", "bfloat16") for b in program.blocks for v in b.vars.values())
    return 2e-2 if half else TOLERANCES.get(dtype.name, 2e-2)


# Ranges of random integers, tried in order: the first holds valid indices, the second valid
# lengths, the third valid indices of a table with one row.
INTEGER_RANGES = ((0, 2), (1, 2), (0, 1))


# Larger inputs are not generated, because they could exhaust the memory.
MAX_GENERATED_ELEMENTS = 1 << 27


def random_input(
    arg: ContractInputOrOutput,
    shape: tuple[int, ...],
    rng: np.random.Generator,
    integers: tuple[int, int] = INTEGER_RANGES[0],
) -> Tensor:
    """Return a random tensor for the input `arg`: normal random numbers for a floating dtype, small
    integers for an integer or bool dtype.
    """
    dtype = parse_dtype(arg.dtype).np
    if dtype.kind in "iub":
        return Tensor(rng.integers(*integers, shape).astype(dtype))
    return Tensor(rng.standard_normal(shape).astype(dtype))


def iter_candidate_shapes(
    inputs: Sequence[ContractInputOrOutput],
    known_inputs: Sequence[Tensor],
    named_sizes: SizeByName,
    num_skipped: int,
) -> Iterator[list[tuple[int, ...]]]:
    """Yield lists of shapes, one shape per input: first the shapes of `known_inputs` with a larger
    batch, then shapes with sizes from DYNAMIC_SIZE_PAIRS.

    named_sizes: the sizes of named dimensions.
    num_skipped: the number of pairs at the start of DYNAMIC_SIZE_PAIRS that are used last.
    """
    if known_inputs:
        yield [
            shape_with_larger_batch_if_dynamic(arg.shape, tensor.meta.shape)
            for arg, tensor in zip(inputs, known_inputs, strict=True)
        ]
    pairs = (*DYNAMIC_SIZE_PAIRS[num_skipped:], *DYNAMIC_SIZE_PAIRS[:num_skipped])
    has_only_names = all(
        dim or size >= 0 for arg in inputs for size, dim in arg.iter_sizes_and_dims()
    )
    for first, others in pairs[:NUM_EXAMPLES] if has_only_names else pairs:
        yield [_shape_with_dynamic_sizes_filled(arg, named_sizes, first, others) for arg in inputs]


def _shape_with_dynamic_sizes_filled(
    arg: ContractInputOrOutput, named_sizes: SizeByName, first: int, others: int
) -> tuple[int, ...]:
    """Return the shape of an input with sizes in place of its dynamic dimensions: a named dimension
    gets the size of its name, the first dimension `first`, all others `others`.
    """
    return tuple(
        named_sizes[dim.name] if dim else size if size >= 0 else others if axis else first
        for axis, (size, dim) in enumerate(arg.iter_sizes_and_dims())
    )


def shape_with_larger_batch_if_dynamic(
    declared: tuple[int, ...], shape: tuple[int, ...]
) -> tuple[int, ...]:
    """Return `shape` with its first size increased by 1 if the declared first size is dynamic;
    otherwise unchanged.
    """
    return (shape[0] + 1, *shape[1:]) if shape and declared[0] < 0 else shape


def iter_trial_inputs(
    inputs: Sequence[ContractInputOrOutput],
    known_inputs: Sequence[Tensor],
    known_shapes: Sequence[tuple[int, ...]] = (),
    named_sizes: SizeByName | None = None,
    num_skipped: int = 0,
) -> Iterator[list[Tensor]]:
    """Yield lists of inputs to try: first `known_inputs`, then random inputs for each range of
    integers, last random inputs with the known shapes.

    named_sizes, num_skipped: see iter_candidate_shapes.
    """
    rng = np.random.default_rng(0)
    if known_inputs:
        yield list(known_inputs)
    has_integers = any(parse_dtype(a.dtype).np.kind in "iub" for a in inputs)
    for integers in INTEGER_RANGES if has_integers else INTEGER_RANGES[:1]:
        shapes_to_try = (
            iter_candidate_shapes(inputs, known_inputs, named_sizes or {}, num_skipped)
            if has_dynamic_input(inputs)
            else [[a.shape for a in inputs]]
        )
        for shapes in (
            *shapes_to_try,
            *([list(known_shapes)] if known_shapes and len(known_shapes) == len(inputs) else []),
        ):
            if sum(map(math.prod, shapes)) <= MAX_GENERATED_ELEMENTS:
                yield [
                    random_input(a, s, rng, integers) for a, s in zip(inputs, shapes, strict=True)
                ]


@dataclass
class CandidateInputGroup:
    """Inputs to try until the layer accepts enough of them.

    named_sizes: the sizes that named dimensions have in all these inputs.
    """

    candidates: Iterator[list[Tensor]]
    num_required: int
    named_sizes: SizeByName = field(default_factory=dict)


def iter_candidate_input_groups(
    program: Program,
    known_inputs: Sequence[Tensor],
    known_shapes: Sequence[tuple[int, ...]],
) -> Iterator[CandidateInputGroup]:
    """Yield one group of inputs for each set of sizes of the named dimensions; a single group if
    the model has no named dimensions.

    known_inputs, known_shapes: see verify_files_against_reference.
    """
    assert program.contract is not None
    inputs = program.contract.inputs
    samples = named_size_samples(inputs)
    if len(samples) == 1:  # dimensions without names are tried at two sizes
        samples *= NUM_EXAMPLES
    if samples:
        groups = [
            CandidateInputGroup(iter_trial_inputs(inputs, (), (), sizes, i), 1, sizes)
            for i, sizes in enumerate(samples)
        ]
    else:
        num_required = NUM_EXAMPLES if known_inputs or has_dynamic_input(inputs) else 1
        groups = [
            CandidateInputGroup(iter_trial_inputs(inputs, known_inputs, known_shapes), num_required)
        ]
    for group in groups:
        if len(program.blocks) > 1:
            group = CandidateInputGroup(  # noqa: PLW2901
                iter_inputs_with_negatives(group.candidates),
                2 * group.num_required,
                group.named_sizes,
            )
        yield group


def iter_inputs_with_negatives(examples: Iterator[list[Tensor]]) -> Iterator[list[Tensor]]:
    """Yield each example, and the example with all numbers negated, for which a branch usually
    takes another path.
    """
    for tensors in examples:
        yield tensors
        yield [Tensor(-t.array) if is_inexact(t.array.dtype) else t for t in tensors]


def has_dynamic_input(inputs: Sequence[ContractInputOrOutput]) -> bool:
    """Whether an input has a dynamic dimension."""
    return any(d < 0 for a in inputs for d in a.shape)


def largest_relative_difference(actual: Any, expected: Any) -> float:
    """Return the largest difference of two arrays, divided by the largest expected value; infinity
    if shapes, dtypes or positions of NaN differ.
    """
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        return float("inf")
    if actual.dtype.kind in "iub":
        return 0.0 if np.array_equal(actual, expected) else float("inf")
    a, b = (
        np.asarray(v).astype(np.complex128 if v.dtype.kind == "c" else np.float64)
        for v in (actual, expected)
    )
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    if same.all():
        return 0.0
    if not np.isfinite(a[~same]).all() or not np.isfinite(b[~same]).all():
        return float("inf")
    return float(np.abs(a - b)[~same].max() / max(1.0, float(np.abs(b[np.isfinite(b)]).max())))


def describe_difference(actual: Any, expected: Any) -> str:
    """Return a text that says how a result differs from the expected one: in value, dtype or
    shape.
    """
    if actual.shape == expected.shape and actual.dtype == expected.dtype:
        return f"differs by {largest_relative_difference(actual, expected):.3g}"
    return f"is {actual.dtype}{list(actual.shape)}, not {expected.dtype}{list(expected.shape)}"


def verify_files_against_reference(
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    reference: ReferenceFunction,
    known_inputs: Sequence[Tensor] = (),
    known_shapes: Sequence[tuple[int, ...]] = (),
) -> str:
    """Compare the results of files and reference, and return a one-line report.

    Raises VerifyError with the first op that differs.

    known_inputs: inputs that are known to work, such as those of a trace.
    known_shapes: shapes that are known to work.

    Sizes that the reference rejects, or that violate a guard, are skipped. For a set of sizes of
    named dimensions they raise VerifyError, unless all sets are rejected.
    """
    assert program.contract is not None
    if program_draws_random(program):
        return "not verified: the program draws random numbers"
    engine, engine_name = open_engine_or_interpreter(program, pdmodel, params)
    reference, known_inputs = (
        _wrap_reference_for_cpu_tensors(reference, scope),
        [Tensor(cuda.to_host(t.array)) for t in known_inputs],
    )
    trials = TrialRunner(
        program.contract.inputs,
        LoopTerminationCheck(program, scope),
        lambda tensors, sizes: _run_and_get_max_difference_or_rejection(
            engine, program, pdmodel, params, scope, reference, tensors, sizes
        ),
    )
    for group in iter_candidate_input_groups(program, known_inputs, known_shapes):
        trials.run_candidates(group)
    tried_sizes = trials.tried_sizes
    if tried_sizes and trials.rejected_named_sizes:
        raise VerifyError(
            "verify: the model does not run with sizes that its named dimensions allow; change "
            "the ranges of the Dims, or save with verify=False\n  "
            f"{trials.rejected_named_sizes}"
        )
    if not tried_sizes:
        reason = trials.rejected or f"the inputs have more than {MAX_GENERATED_ELEMENTS} elements"
        why = f"not verified: none of the generated inputs fits; {reason}"
        warnings.warn(f"verify: {why}", stacklevel=2)
        return why
    sizes = "; ".join(dict.fromkeys(tried_sizes))
    where = f"at {sizes}" if sizes else "without inputs"
    if math.isinf(trials.largest_difference):
        return f"{engine_name}{where}: integers, NaN or infinity differ, which rounding explains"
    return f"{engine_name}{where}: largest difference {trials.largest_difference:.1e}"


class TrialRunner:
    """Runs groups of inputs, and collects the results.

    compare: a function that returns the largest difference of the results for some inputs, or the
    reason why the inputs are rejected.
    tried_sizes: the sizes that were accepted.
    rejected: why the last inputs were rejected.
    rejected_named_sizes: the sizes and the reason of the first group with named dimensions of which
    all inputs were rejected.
    """

    def __init__(
        self,
        inputs: Sequence[ContractInputOrOutput],
        limiter: LoopTerminationCheck,
        compare: Callable[[list[Tensor], str], float | str],
    ) -> None:
        self._inputs, self._limiter, self._compare = inputs, limiter, compare
        self.tried_sizes: list[str] = []
        self.largest_difference, self.rejected, self.rejected_named_sizes = 0.0, "", ""

    def run_candidates(self, group: CandidateInputGroup) -> None:
        """Run the inputs of a group one by one, until the required number of them is accepted."""
        num_accepted, problem = 0, ""
        for tensors in group.candidates:
            sizes = " ".join(
                f"{a.name}{list(t.meta.shape)}" for a, t in zip(self._inputs, tensors, strict=True)
            )
            if not self._limiter.do_loops_terminate(tensors):
                self.rejected = self._limiter.reason
                if self._limiter.num_endless_inputs >= MAX_ENDLESS_INPUTS:
                    break
                continue
            outcome = self._compare(tensors, sizes)
            if isinstance(outcome, str):
                self.rejected, problem = outcome.splitlines()[0], problem or f"{sizes}: {outcome}"
                continue
            self.largest_difference = max(self.largest_difference, outcome)
            self.tried_sizes.append(sizes)
            num_accepted += 1
            if num_accepted == group.num_required:
                break
        if group.named_sizes and not num_accepted:
            self.rejected_named_sizes = self.rejected_named_sizes or problem


def _run_and_get_max_difference_or_rejection(
    engine: Any,
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    reference: ReferenceFunction,
    tensors: list[Tensor],
    sizes: str,
) -> float | str:
    """Run the reference and the files on the same inputs. Return the largest difference between the
    results of the reference and those of the files, or the reason why one of them rejects the
    inputs.
    """
    tensors, expected, rejected = _run_reference_or_get_rejection(
        reference, engine, program, tensors, sizes
    )
    if expected is None:
        return rejected
    try:
        return _run_engine_and_check_differences(
            engine, program, pdmodel, params, scope, tensors, expected, sizes
        )
    except (OpError, GuardError) as error:
        return str(error)
    except EngineError as error:
        if not any(words in first_reason_of_error(error) for words in ENGINE_ONLY_ERRORS):
            raise
        return first_reason_of_error(error)


def _run_reference_or_get_rejection(
    reference: ReferenceFunction, engine: Any, program: Program, tensors: list[Tensor], sizes: str
) -> tuple[list[Tensor], Sequence[Any] | None, str]:
    """Run the reference, for example the layer in Python. Return the inputs, its results and ''; if
    the reference rejects the inputs, return None in place of results, and the reason.

    Raises VerifyError if the results of the reference are nested otherwise than those of the
    program.
    """
    try:
        return *_run_reference_retrying_with_absolute_inputs(reference, tensors), ""
    except StructureError as error:
        # Results with another structure are no error if the program rejects the inputs as well, for
        # example because a result is None or a loop has no iterations.
        rejected = _run_files_and_get_rejection_reason(engine, program, tensors)
        if not rejected:
            raise VerifyError(f"verify: {error} at {sizes}") from None
        return tensors, None, rejected
    except (MemoryError, VerifyError):
        raise
    except Exception as error:  # user code may raise any exception for unsuitable sizes
        return tensors, None, str(error).strip() or type(error).__name__


def _run_files_and_get_rejection_reason(
    engine: Any, program: Program, tensors: list[Tensor]
) -> str:
    """Return why the saved files reject some inputs; empty if they return results."""
    try:
        engine.run(engine_inputs_with_row_splits(engine, program, tensors))
    except (OpError, GuardError, EngineError) as error:
        return str(error).splitlines()[0]
    return ""


MAX_ITERATIONS, MAX_ENDLESS_INPUTS = 2000, 4
# Errors that only the engine raises, for inputs that the layer accepts: squeezing an axis whose
# size is not 1, and pooling windows that begin in an image and end outside of it.
ENGINE_ONLY_ERRORS = (
    "engine: squeeze2",
    "is smaller than the filter",
    "does not fit the remaining image",
)


class LoopLimitError(Exception):
    """Raised if a loop of the program exceeds the limit of iterations."""


def describe_loops(program: Program) -> str:
    """Return a text that names the loops of a program, with op type and user's line; '' if it has
    none.
    """
    lines = [op.user_line.rstrip(":") for op in program.ops() if op.type == "while"]
    places = " or ".join(sorted({line for line in lines if line}))
    return "a loop (op while)" + (f" at {places}" if places else "") if lines else ""


class LoopTerminationCheck:
    """Determines whether the loops of a program terminate for random inputs.

    num_endless_inputs: the number of inputs for which a loop exceeded the limit of iterations.
    reason: the message that says why such inputs are rejected.
    """

    def __init__(self, program: Program, scope: Mapping[str, Tensor]) -> None:
        self.num_endless_inputs, self._remaining_iterations, self._scope = 0, 0, scope
        loops = describe_loops(program)
        self.reason = f"{loops} has more than {MAX_ITERATIONS} iterations"
        self._compiled_program = None
        with suppress(UnsupportedOpsError):
            self._compiled_program = (
                CompiledProgram(program, on_iteration=self._count_iteration_or_raise)
                if loops
                else None
            )

    def _count_iteration_or_raise(self) -> None:
        self._remaining_iterations -= 1
        if self._remaining_iterations < 0:
            raise LoopLimitError

    def do_loops_terminate(self, tensors: Sequence[Tensor]) -> bool:
        """Whether the run with these inputs ends before a loop exceeds the limit of iterations. A
        run that ends with an error counts as ended.
        """
        for inputs in (
            (tensors, _absolute_inputs(tensors)) if self._compiled_program is not None else ()
        ):
            self._remaining_iterations = MAX_ITERATIONS
            try:
                assert self._compiled_program is not None
                run_compiled_program(self._compiled_program, self._scope, [t.array for t in inputs])
            except Exception:
                if self._remaining_iterations < 0:
                    self.num_endless_inputs += 1
                    # errors other than the limit are ignored here: they occur again when the layer
                    # runs
                    return False
        return True


def _wrap_reference_for_cpu_tensors(
    reference: ReferenceFunction, scope: Mapping[str, Tensor]
) -> ReferenceFunction:
    """Wrap a reference so that it takes and returns arrays in CPU memory, because the layer may be
    on a GPU.
    """
    if cuda.cupy_state.cupy is None:
        return reference
    arrays = [t.array for t in scope.values()]
    index = require_single_device(arrays) if arrays else cuda.cupy_state.default_index

    def run_on_device_of_scope(tensors: list[Tensor]) -> Sequence[Any]:
        return [
            cuda.to_host(a)
            for a in reference([Tensor(cuda.to_device(t.array, index)) for t in tensors])
        ]

    return run_on_device_of_scope


def _run_reference_retrying_with_absolute_inputs(
    reference: ReferenceFunction, tensors: list[Tensor]
) -> tuple[list[Tensor], Sequence[Any]]:
    """Run the reference, and return the inputs and its results. If the reference rejects the inputs
    or returns NaN, run it on the absolute values of the inputs instead.
    """
    try:
        expected = reference(tensors)
    except OpError:
        expected = None
    if expected is None or any(
        is_real(np.asarray(w).dtype) and np.isnan(w).any() for w in expected
    ):
        tensors = _absolute_inputs(tensors)
        expected = reference(tensors)
    return tensors, expected


def _absolute_inputs(tensors: Sequence[Tensor]) -> list[Tensor]:
    """Return the absolute values of the inputs, because roots, logarithms and many asserts need
    non-negative inputs. Complex inputs stay unchanged.
    """
    return [t if np.iscomplexobj(t.array) else Tensor(np.abs(t.array)) for t in tensors]


class OarlockKernelEngine:
    """Runs the written files with Oarlock's kernels, in place of ONNX Runtime. Used if ONNX Runtime
    does not support all ops.
    """

    # empty, because the compiled program takes no row splits as inputs
    row_split_owners: ClassVar[dict[str, str]] = {}

    def __init__(self, pdmodel: bytes, params: str | None) -> None:
        program = parse_program(pdmodel)
        names = sorted(v.name for v in program.persistables())
        values = {} if params is None else load_params(params, names)
        self._compiled_program = CompiledProgram(program)
        self._scope = {name: Tensor(a) for name, a in values.items()}

    def run(self, arrays: Sequence[Any], names: Sequence[str] = ()) -> list[Any]:
        """Run the program on `arrays`, the inputs in order, and return its outputs."""
        return run_compiled_program(self._compiled_program, self._scope, arrays)


def run_compiled_program(
    compiled: CompiledProgram, scope: Mapping[str, Tensor], arrays: Sequence[Any]
) -> list[Any]:
    """Run a compiled program on `arrays`, its inputs in order, and return the outputs. An input of
    packed sequences is treated as one sequence. The values in `scope` do not change.
    """
    values = {name: Tensor(cuda.to_host(t.array), name=name) for name, t in scope.items()}
    feed = dict(zip(compiled.feeds, arrays, strict=True))
    return compiled.run(
        values,
        feed
        | {
            name + LOD_SUFFIX: np.array([0, len(feed[name])])
            for name in compiled.inputs_needing_row_splits
        },
    )


def open_engine_or_interpreter(
    program: Program, pdmodel: bytes, params: str | None
) -> tuple[Any, str]:
    """Return an object that runs the files, and a phrase for the report. The returned object is an
    Engine, or an interpreter if the engine does not support all ops.
    """
    try:
        # no cached graph, because the files will be renamed
        return Engine(pdmodel, params, cache_dir="none"), ""
    except (UnsupportedError, EngineError) as error:
        try:
            interpreter = OarlockKernelEngine(pdmodel, params)
        except UnsupportedOpsError:
            raise error from None
        problem = (
            "does not have all ops"
            if isinstance(error, UnsupportedError)
            else "cannot run the files"
        )
        why = first_reason_of_error(error)
    warnings.warn(
        f"verify: checked by the interpreter, because the engine {problem}: {why}", stacklevel=5
    )
    return interpreter, "by the interpreter "


def engine_inputs_with_row_splits(
    engine: Any, program: Program, tensors: Sequence[Tensor]
) -> list[Any]:
    """Return the inputs of the engine: the arrays of `tensors`, then row splits for the inputs that
    hold packed sequences. All rows of an input with packed sequences form one sequence.
    """
    assert program.contract is not None
    rows = {arg.name: t.array for arg, t in zip(program.contract.inputs, tensors, strict=True)}
    return [
        *rows.values(),
        *(np.array([0, len(rows[of])], "int64") for of in engine.row_split_owners.values()),
    ]


def _run_engine_and_check_differences(
    engine: Engine,
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    tensors: list[Tensor],
    expected: Sequence[Any],
    sizes: str,
) -> float:
    """Run the engine and return the largest difference from the expected outputs.

    Raises VerifyError if an output exceeds the tolerance and rounding does not explain it.
    """
    # OarlockKernelEngine may return arrays with LoD; np.asarray drops the LoD
    actual = map(np.asarray, engine.run(engine_inputs_with_row_splits(engine, program, tensors)))
    largest = 0.0
    for i, (name, a, b) in enumerate(
        zip(program.fetch_names(), actual, map(np.asarray, expected), strict=True)
    ):
        deviation = largest_relative_difference(a, b)
        if deviation > tolerance_for_dtype_in_program(a.dtype, program) and not (
            a.dtype == b.dtype
            and _is_difference_explained_by_rounding(program, scope, tensors, i, deviation)
        ):
            where = describe_first_op_differing_in_engine(
                program, pdmodel, params, scope, tensors, expected
            )
            raise VerifyError(
                f"verify: output '{name}' {describe_difference(a, b)} at {sizes}; {where}"
            )
        largest = max(largest, deviation)
    return largest


def _is_difference_explained_by_rounding(
    program: Program,
    scope: dict[str, Tensor],
    tensors: list[Tensor],
    result_index: int,
    deviation: float,
) -> bool:
    """Whether rounding explains a difference between engine and reference, because the program is
    ill-conditioned. First, only inputs and weights are perturbed, then also the results of ops,
    such as two almost equal scores. In a quantized program, rounding to another level is tried,
    too.
    """
    weights = {name: cuda.to_host(t.array) for name, t in scope.items()}

    def run_program(weights: Mapping[str, Any], inputs: Sequence[Any]) -> Sequence[Any]:
        scope = {name: Tensor(a) for name, a in weights.items()}
        return run_compiled_program(CompiledProgram(program), scope, inputs)

    def run_op_by_op(weights: Mapping[str, Any], inputs: Sequence[Any]) -> Sequence[Any]:
        interpreter = Interpreter(program, {name: Tensor(a) for name, a in weights.items()})
        feed = {n: Tensor(a) for n, a in zip(interpreter.feeds, inputs, strict=True)}
        return [t.array for t in interpreter.run(feed)]

    runs: list[tuple[RunFunction, type[NoiseMode] | None]] = [
        (run_program, None),
        (run_op_by_op, LastBitNoiseMode),
    ]
    if any(is_quantization_op(op.type) for op in program.ops()):
        runs.append((run_op_by_op, QuantizationLevelNoiseMode))
    for run, noise in runs:
        with suppress(OarlockError, OpError, UnsupportedOpsError):
            if is_explained_by_rounding(
                run,
                weights,
                [t.array for t in tensors],
                result_index,
                deviation,
                largest_relative_difference,
                noise,
            ):
                return True
    return False


def describe_first_op_differing_in_engine(
    program: Program,
    pdmodel: bytes,
    params: str | None,
    scope: dict[str, Tensor],
    tensors: list[Tensor],
    layer: Sequence[Any],
) -> str:
    """Describe the first op whose result in the engine differs from that of the interpreter. If no
    op differs, state that the captured program differs from the layer.
    """
    inputs = [t.array for t in tensors]
    names = intermediate_tensor_names(program, scope)
    try:
        program_outputs = run_compiled_program(CompiledProgram(program), scope, inputs)
        if any(
            _exceeds_tolerance(a, np.asarray(w), program)
            for a, w in zip(program_outputs, layer, strict=True)
        ):
            why = (
                "forward depends on something that a program cannot contain, or the conversion is "
                "wrong"
            )
            return f"the program itself returns other values than the layer: {why}"
        tensor_values = run_compiled_program(CompiledProgram(program, fetches=names), scope, inputs)
        expected = {
            name: a
            for name, a in zip(names, tensor_values, strict=True)
            if isinstance(a, np.ndarray)
        }
        engine = Engine(pdmodel, params, outputs=list(expected), optimize=0, cache_dir="none")
        arrays = engine_inputs_with_row_splits(engine, program, tensors)
        actual = dict(zip(expected, engine.run(arrays, list(expected)), strict=True))
    except (OarlockError, OpError) as error:
        return f"the first op to differ could not be found ({str(error).splitlines()[0]})"
    for name, expected_value in expected.items():
        if _exceeds_tolerance(actual[name], expected_value, program):
            return _describe_differing_op_by_output(program, name)
    return (
        "every op alone returns the same values: an optimization of the engine differs"
        + describe_first_engine_optimization_error(program, pdmodel, params, expected, arrays)
    )


def _exceeds_tolerance(actual: Any, expected: Any, program: Program) -> bool:
    return largest_relative_difference(actual, expected) > tolerance_for_dtype_in_program(
        expected.dtype, program
    )


def intermediate_tensor_names(program: Program, scope: Mapping[str, Tensor]) -> list[str]:
    """Return the names of the tensors of the outermost block, in the order of their last write.
    Tensors that no op reads are left out, because the engine may not compute them.
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
        if n in read and n not in scope and n in declared and declared[n].kind == VarKind.DENSE
    ]


def describe_first_engine_optimization_error(
    program: Program,
    pdmodel: bytes,
    params: str | None,
    expected: dict[str, Any],
    arrays: list[Any],
) -> str:
    """Describe the first op whose result is wrong in the optimized graph of the engine. Results are
    fetched one at a time, because fetching a result prevents fusion across it.
    """
    names = list(expected)

    def is_different(at: int) -> bool:
        engine = Engine(pdmodel, params, outputs=[names[at]], cache_dir="none")
        found = engine.run(arrays, [names[at]])[0]
        return largest_relative_difference(
            found, expected[names[at]]
        ) > tolerance_for_dtype_in_program(found.dtype, program)

    try:
        first = bisect_left(range(len(names)), True, key=is_different)
    except OarlockError:  # some results cannot be fetched from the engine
        return ""
    return (
        f"; {_describe_differing_op_by_output(program, names[first])}" if first < len(names) else ""
    )


def _describe_differing_op_by_output(program: Program, name: str) -> str:
    op = next(
        op
        for op in reversed(program.block.ops)
        if not is_feed_or_fetch(op.type) and name in op.output_names()
    )
    return (f"the first op to differ is {op.type}, output '{name}'") + (
        f", recorded at {op.user_line}" if op.user_line else ""
    )
