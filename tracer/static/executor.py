"""Executor: runs programs, whose persistable variables stay in a scope from run to run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from ..compiler.executable import Executable
from ..compiler.feeds import FEED, arrays_of, check_feed
from ..compiler.lod_propagation import LodArray
from ..core import place as places
from ..core import rng
from ..core.errors import OarlockError, OpError, SequencesError, with_user_line
from ..core.flags import get_flags
from ..core.numerics_check import check_array
from ..core.paddle1_compat import compat
from ..core.tensor import Tensor
from ..ir.op_traits import is_feed_or_fetch
from ..ir.program import OpDesc
from ..ir.program import Program as Desc
from ..ir.scope import Scope, current_scope
from ..ir.scope_values import LoDTensor
from .fetch_list import asked, pruned, steps_of
from .graph.compiled_program import CompiledProgram
from .graph.default_programs import default_main_program
from .graph.program import Program

FLOATS = {"float16", "bfloat16", "float32", "float64"}


class Executor:
    """Runs programs.   place: taken as it is; programs run on the CPU."""

    def __init__(self, place: Any = None) -> None:
        self.place = places.CPUPlace() if place is None else place
        self._closed = False

    def run(
        self,
        program: Any = None,
        feed: Any = None,
        fetch_list: Any = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        use_prune: bool = False,
        return_merged: bool = True,
    ) -> list[Any]:
        """Run all ops of a program, the main one unless given; gives what fetch_list names:
        variables, or names.

        feed: arrays by name of the input, with the declared dtypes and shapes; use_prune: only the
        ops that fetch_list and steps of optimizers need, or of those the ones that fetch_list
        holds: it may hold what `minimize` gave.
        -> ndarrays, or Tensors without return_numpy, LoDTensors in scripts for Paddle.
        Raises OpError that lists every input that does not fit, and every persistable variable
        without a value.
        """
        if self._closed:
            raise OarlockError(with_user_line("Executor.run: the executor was closed"))
        wanted = unpacked(default_main_program() if program is None else program)
        where = current_scope() if scope is None else scope
        fetches, steps = asked(fetch_list)
        fed = _with_readers(wanted, _feed(feed))
        given = arrays_of(wanted.raw, fed)
        taken = steps or (steps_of(wanted) if use_prune else None)
        checked = (
            _floating_results(wanted.raw)
            if get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"]
            else {}
        )
        ready = self._ready(wanted, given, [*fetches, *checked], taken)
        declared = wanted.raw.block.vars
        for name in given:
            if name in declared and declared[name].persistable:
                where.place_of(name).array = given[name]  # which later runs find
        with rng.use_generator(wanted.source):
            made = ready.run(where, self._with_rate(wanted, given, where) | offsets_in(fed))
        for (name, op), array in zip(checked.items(), made[len(fetches) :], strict=True):
            check_array(
                op.type, f"'{name}'" + (f", computed at {op.where}" if op.where else ""), array
            )
        return [_result(name, a, return_numpy) for name, a in zip(fetches, made, strict=False)]

    def _ready(
        self,
        program: Program,
        feed: Mapping[str, Any],
        fetches: list[str],
        steps: list[OpDesc] | None,
    ) -> Executable:
        """The program, compiled.

        steps: those of optimizers that are taken, None for all that there is
        """
        key = (
            program.revision(),
            tuple(feed),
            tuple(fetches),
            None if steps is None else tuple(map(id, steps)),
        )
        found = program.compiled.get(key)
        if found is None:
            desc = program.raw
            unknown = [name for name in fetches if name not in desc.block.vars]
            if unknown:
                raise OpError(
                    with_user_line(f"Executor.run: the program has no variables {unknown} to fetch")
                )
            if steps is not None and (fetches or steps):
                desc = self._prune_program(program, feed, fetches, steps).raw
            found = Executable(desc, list(feed), fetches)
            if any(old[0] != key[0] for old in program.compiled):
                program.compiled.clear()  # of a program that has changed
            program.compiled[key] = found
        check_feed(found.program, feed)
        return found

    def _prune_program(
        self, program: Program, feed: Any, fetch_list: Any, optimize_ops: list[OpDesc]
    ) -> Program:
        """The part of a program that is needed; test suites put another function in its place."""
        return pruned(program, feed, fetch_list, optimize_ops)

    @staticmethod
    def _with_rate(program: Program, feed: dict[str, Any], scope: Scope) -> dict[str, Any]:
        """What is fed, after the variable of a learning-rate scheduler has the rate of now."""
        if program.lr_scheduler is not None and program.lr_var is not None:
            rate = np.asarray(program.lr_scheduler(), program.lr_var.meta.dtype)
            scope.place_of(program.lr_var.name).array = rate.reshape(program.lr_var.raw.shape)
        return feed

    def close(self) -> None:
        """Run nothing any more."""
        self._closed = True

    def train_from_dataset(
        self,
        program: Any = None,
        dataset: Any = None,
        scope: Any = None,
        thread: int = 0,
        debug: bool = False,
        fetch_list: Any = None,
        fetch_info: Any = None,
        print_period: int = 100,
        fetch_handler: Any = None,
    ) -> NoReturn:
        """Not there: raises OarlockError."""
        _refuse_dataset("train_from_dataset")

    def infer_from_dataset(
        self,
        program: Any = None,
        dataset: Any = None,
        scope: Any = None,
        thread: int = 0,
        debug: bool = False,
        fetch_list: Any = None,
        fetch_info: Any = None,
        print_period: int = 100,
        fetch_handler: Any = None,
    ) -> NoReturn:
        """Not there: raises OarlockError."""
        _refuse_dataset("infer_from_dataset")


def _refuse_dataset(name: str) -> NoReturn:
    why = "reads files of parameter servers; feed batches of a paddle.io.DataLoader to Executor.run"
    raise OarlockError(with_user_line(f"Executor.{name}: {why}"))


def unpacked(program: Any) -> Program:
    """The Program in what users run.   Raises TypeError for what is none."""
    if isinstance(program, CompiledProgram):
        return program.program
    if not isinstance(program, Program):
        raise TypeError(with_user_line(f"Executor.run: {type(program).__name__} is not a Program"))
    return program


def _feed(feed: Any) -> Mapping[str, Any]:
    if isinstance(feed, list | tuple) and len(feed) == 1:
        feed = feed[0]
    if feed is not None and not isinstance(feed, Mapping):
        raise TypeError(
            with_user_line(
                f"Executor.run: feed is {type(feed).__name__}, not a dict of arrays by name"
            )
        )
    return feed or {}


def _with_readers(program: Program, feed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What is fed, and the next batches of the program's readers."""
    for reader in program.readers:
        feed = {**reader(), **feed}
    return feed


def offsets_in(feed: Mapping[str, Any]) -> dict[str, Any]:
    """The offsets of what is fed with sequences, under the names by which a run takes them.

    Raises OpError for those of other rows.
    """
    found = {
        name: value
        for name, value in feed.items()
        if isinstance(value, LoDTensor) and value.offsets
    }
    for name, value in found.items():
        if not value.has_valid_recursive_sequence_lengths():
            why = (
                f"the offsets {value.lod()} of '{name}' are not those of its rows "
                f"({name}={value.tensor.meta})"
            )
            raise OpError(with_user_line(f"Executor.run: {why}"))
    return {name + FEED: value.offsets for name, value in found.items()}


def _floating_results(program: Desc) -> dict[str, OpDesc]:
    """The floating variables computed in the outermost block, in order, with the ops that compute
    them.
    """
    declared, found = program.block.vars, dict[str, OpDesc]()
    for op in program.block.ops:
        for name in op.output_names():
            var = declared.get(name)
            if (
                not is_feed_or_fetch(op.type)
                and var is not None
                and var.dtype in FLOATS
                and not var.persistable
            ):
                found[name] = op
    return found


def _result(name: str, made: Any, as_numpy: bool) -> Any:
    """What is given of a fetched value."""
    if isinstance(made, LodArray):
        if as_numpy:
            why = (
                "holds sequences, and an ndarray has no lengths of them; fetch with "
                "return_numpy=False"
            )
            raise SequencesError(with_user_line(f"Executor.run: '{name}' {why}"))
        return LoDTensor(made.array, made.offsets)
    if isinstance(made, list):
        return [Tensor(a) for a in made]
    if as_numpy:
        return np.asarray(made)
    # scripts for Paddle call methods of its class
    return LoDTensor(made) if compat.is_paddle1 or compat.follows_fluid_mode else Tensor(made)
