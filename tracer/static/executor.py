"""Executor: runs programs; values of persistable variables stay in a scope between runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn, overload

import numpy as np

from ..compiler.executable import Executable
from ..compiler.feeds import LOD_SUFFIX, check_feed, convert_feed_to_arrays
from ..compiler.lod_propagation import FetchedArrayAndLodOffsets
from ..core import place as places
from ..core import rng
from ..core.errors import LodNotSupportedError, OarlockError, OpError, append_user_line
from ..core.flags import get_flags
from ..core.numerics_check import check_or_report_op_output
from ..core.paddle1_compat import compat
from ..core.place import Place
from ..core.profile_events import event
from ..core.tensor import Tensor
from ..core.type_aliases import Array
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import OpDesc
from ..ir.program import Program as Desc
from ..ir.scope import Scope, current_scope
from ..ir.scope_values import LoDTensor
from .fetch_list import optimizer_ops_of_global_block, parse_fetch_list, prune_program
from .graph.compiled_program import CompiledProgram
from .graph.default_programs import default_main_program
from .graph.program import Program

FLOAT_DTYPES = {"float16", "bfloat16", "float32", "float64"}


class Executor:
    """Runs programs. Values of persistable variables stay in a scope between runs.

    Programs run on the CPU.

    Parameters
    ----------
    place : Place, optional
        Not used.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main, startup = paddle.static.Program(), paddle.static.Program()
    >>> with paddle.static.program_guard(main, startup):
    ...     x = paddle.static.data("x", [None, 2], "float32")
    ...     loss = paddle.mean(paddle.static.nn.fc(x, 1))
    ...     ops, params_grads = paddle.optimizer.SGD(0.1).minimize(loss)
    >>> executor = paddle.static.Executor()
    >>> executor.run(startup)
    []
    >>> batch = np.ones([4, 2], "float32")
    >>> first, second = [executor.run(main, {"x": batch}, [loss])[0] for _ in range(2)]
    >>> bool(second < first)
    True
    >>> paddle.disable_static()
    """

    def __init__(self, place: Place | None = None) -> None:
        self.place = places.CPUPlace() if place is None else place
        self._is_closed = False

    @overload
    def run(
        self,
        program: Program | CompiledProgram | None = None,
        feed: Mapping[str, object] | Sequence[Mapping[str, object]] | None = None,
        fetch_list: Sequence[object] | None = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: Literal[True] = True,
        use_program_cache: bool = False,
        use_prune: bool = False,
        return_merged: bool = True,
    ) -> list[Array]: ...
    @overload
    def run(
        self,
        program: Program | CompiledProgram | None = None,
        feed: Mapping[str, object] | Sequence[Mapping[str, object]] | None = None,
        fetch_list: Sequence[object] | None = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        *,
        return_numpy: Literal[False],
        use_program_cache: bool = False,
        use_prune: bool = False,
        return_merged: bool = True,
    ) -> list[Any]: ...
    @overload
    def run(
        self,
        program: Program | CompiledProgram | None = None,
        feed: Mapping[str, object] | Sequence[Mapping[str, object]] | None = None,
        fetch_list: Sequence[object] | None = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        use_prune: bool = False,
        return_merged: bool = True,
    ) -> list[Any]: ...
    def run(
        self,
        program: Program | CompiledProgram | None = None,
        feed: Mapping[str, object] | Sequence[Mapping[str, object]] | None = None,
        fetch_list: Sequence[object] | None = None,
        feed_var_name: str = "feed",
        fetch_var_name: str = "fetch",
        scope: Scope | None = None,
        return_numpy: bool = True,
        use_program_cache: bool = False,
        use_prune: bool = False,
        return_merged: bool = True,
    ) -> list[Any]:
        """Run a program and return the values of some variables.

        Parameters
        ----------
        program : Program or CompiledProgram, optional
            Default: the main program.
        feed : dict of str to ndarray or Tensor, optional
            Values of the inputs, with the declared dtypes and shapes.
        fetch_list : list of Variable or str, optional
            Outputs to return. May also contain optimizer ops or the result of `minimize`.
        feed_var_name, fetch_var_name : str
            Not used.
        scope : Scope, optional
            Where the values of persistable variables are. Default: the current scope.
        return_numpy : bool, default True
            Return ndarrays instead of Tensors.
        use_program_cache : bool, default False
            Not used: compiled programs are always cached.
        use_prune : bool, default False
            Run only the ops that the fetched variables and optimizer ops depend on: the optimizer
            ops in `fetch_list` if it contains any, else all.
        return_merged : bool, default True
            Not used.

        Returns
        -------
        list of ndarray
            Without `return_numpy`, of Tensor, or of LoDTensor in programs for Paddle 1.x.

        Raises
        ------
        OpError
            Lists every input that does not fit, and every persistable variable without a value.
        TypeError
            If `program` is not a program or `feed` is not a dict.
        OarlockError
            If the executor is closed.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     x = paddle.static.data("x", [None, 2], "float32")
        ...     y = 2 * x
        >>> batch = np.ones([1, 2], "float32")
        >>> paddle.static.Executor().run(main, feed={"x": batch}, fetch_list=[y])
        [array([[2., 2.]], dtype=float32)]
        >>> paddle.disable_static()
        """
        if self._is_closed:
            raise OarlockError(append_user_line("Executor.run: the executor is closed"))
        program = require_program(default_main_program() if program is None else program)
        scope = current_scope() if scope is None else scope
        fetches, steps = parse_fetch_list(fetch_list)
        feed = _extend_feed_by_reader_batches(program, _require_feed_dict(feed))
        arrays = convert_feed_to_arrays(program.raw, feed)
        selected_steps = steps or (optimizer_ops_of_global_block(program) if use_prune else None)
        checked = (
            _producer_by_float_variable(program.raw)
            if get_flags("FLAGS_check_nan_inf")["FLAGS_check_nan_inf"]
            else {}
        )
        executable = self._get_or_compile_executable(
            program, arrays, [*fetches, *checked], selected_steps
        )
        declared = program.raw.block.vars
        for name in arrays:
            if name in declared and declared[name].persistable:
                scope.find_or_create(name).array = arrays[name]  # later runs read the value
        _set_learning_rate(program, scope)
        with rng.use_generator(program.generator), event("Executor.run", "Operator"):
            values = executable.run(scope, arrays | lod_of_feeds(feed))
        for (name, op), array in zip(checked.items(), values[len(fetches) :], strict=True):
            check_or_report_op_output(
                op.type,
                f"'{name}'" + (f", computed at {op.user_line}" if op.user_line else ""),
                array,
            )
        return [
            _to_fetched_value(name, v, return_numpy)
            for name, v in zip(fetches, values, strict=False)
        ]

    def _get_or_compile_executable(
        self,
        program: Program,
        feed: Mapping[str, Any],
        fetches: list[str],
        steps: list[OpDesc] | None,
    ) -> Executable:
        """Return the compiled program. If the program did not change since its last run, the
        compiled program is taken from the cache of the program.

        steps: the optimizer ops to run; None: all ops of the program
        """
        key = (
            program.revision_key(),
            tuple(feed),
            tuple(fetches),
            None if steps is None else tuple(map(id, steps)),
        )
        executable = program.executable_cache.get(key)
        if executable is None:
            desc = program.raw
            unknown = [name for name in fetches if name not in desc.block.vars]
            if unknown:
                raise OpError(
                    append_user_line(
                        f"Executor.run: the program has no variables {unknown} to fetch"
                    )
                )
            if steps is not None and (fetches or steps):
                desc = self._prune_program(program, feed, fetches, steps).raw
            executable = Executable(desc, list(feed), fetches)
            if any(other[0] != key[0] for other in program.executable_cache):
                program.executable_cache.clear()  # compiled for an older revision
            program.executable_cache[key] = executable
        check_feed(executable.program, feed)
        return executable

    def _prune_program(
        self,
        program: Program,
        feed: Any,
        fetch_list: Any,
        optimize_ops: list[OpDesc],
    ) -> Program:
        """Return a program with only those ops that the fetched variables and the optimizer ops
        need. Paddle's test suites replace the method `_prune_program`.
        """
        return prune_program(program, feed, fetch_list, optimize_ops)

    def close(self) -> None:
        """Close the executor: later runs raise OarlockError.

        Examples
        --------
        >>> executor = paddle.static.Executor()
        >>> executor.close()
        >>> executor.run(paddle.static.Program())
        Traceback (most recent call last):
        oarlock.core.errors.OarlockError: Executor.run: the executor is closed...
        """
        self._is_closed = True

    def train_from_dataset(
        self,
        program: Program | CompiledProgram | None = None,
        dataset: object = None,
        scope: object = None,
        thread: int = 0,
        debug: bool = False,
        fetch_list: Sequence[object] | None = None,
        fetch_info: Sequence[str] | None = None,
        print_period: int = 100,
        fetch_handler: object = None,
    ) -> NoReturn:
        """Not supported, because it trains with parameter servers.

        Feed batches of a DataLoader to `run` instead.

        Parameters
        ----------
        program, dataset, scope : optional
        thread : int, default 0
        debug : bool, default False
        fetch_list, fetch_info : list, optional
        print_period : int, default 100
        fetch_handler : optional

        Raises
        ------
        OarlockError
            Always.

        Examples
        --------
        >>> paddle.static.Executor().train_from_dataset()
        Traceback (most recent call last):
        oarlock.core.errors.OarlockError: Executor.train_from_dataset: is not supported, because...
        """
        _reject_dataset("train_from_dataset")

    def infer_from_dataset(
        self,
        program: Program | CompiledProgram | None = None,
        dataset: object = None,
        scope: object = None,
        thread: int = 0,
        debug: bool = False,
        fetch_list: Sequence[object] | None = None,
        fetch_info: Sequence[str] | None = None,
        print_period: int = 100,
        fetch_handler: object = None,
    ) -> NoReturn:
        """Not supported, because it trains with parameter servers.

        Feed batches of a DataLoader to `run` instead.

        Parameters
        ----------
        program, dataset, scope : optional
        thread : int, default 0
        debug : bool, default False
        fetch_list, fetch_info : list, optional
        print_period : int, default 100
        fetch_handler : optional

        Raises
        ------
        OarlockError
            Always.

        Examples
        --------
        >>> paddle.static.Executor().infer_from_dataset()
        Traceback (most recent call last):
        oarlock.core.errors.OarlockError: Executor.infer_from_dataset: is not supported, because...
        """
        _reject_dataset("infer_from_dataset")


def _set_learning_rate(program: Program, scope: Scope) -> None:
    """Set the learning-rate variable of a program to the current learning rate of the program's
    scheduler.
    """
    if program.lr_scheduler is not None and program.lr_var is not None:
        rate = np.asarray(program.lr_scheduler(), program.lr_var.meta.dtype)
        scope.find_or_create(program.lr_var.name).array = rate.reshape(program.lr_var.raw.shape)


def _reject_dataset(name: str) -> NoReturn:
    why = (
        "is not supported, because it trains with parameter servers; feed batches of a "
        "paddle.io.DataLoader to Executor.run"
    )
    raise OarlockError(append_user_line(f"Executor.{name}: {why}"))


def require_program(program: Any) -> Program:
    """Return the argument if it is a Program, or the program of a CompiledProgram. Raises TypeError
    for other objects.
    """
    if isinstance(program, CompiledProgram):
        return program.program
    if not isinstance(program, Program):
        raise TypeError(
            append_user_line(f"Executor.run: {type(program).__name__} is not a Program")
        )
    return program


def _require_feed_dict(feed: Any) -> Mapping[str, Any]:
    if isinstance(feed, list | tuple) and len(feed) == 1:
        feed = feed[0]
    if feed is not None and not isinstance(feed, Mapping):
        raise TypeError(
            append_user_line(
                f"Executor.run: feed is {type(feed).__name__}, not a dict of arrays by name"
            )
        )
    return feed or {}


def _extend_feed_by_reader_batches(program: Program, feed: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the feed extended by the next batch of each reader of the program. Values that the
    user feeds take precedence.
    """
    for reader in program.feeding_readers:
        feed = {**reader(), **feed}
    return feed


def lod_of_feeds(feed: Mapping[str, Any]) -> dict[str, Any]:
    """Return the LoD of each fed LoDTensor, under the names by which an Executable takes LoDs.

    Raises OpError if a LoD does not fit the rows of its tensor.
    """
    tensors = {
        name: value
        for name, value in feed.items()
        if isinstance(value, LoDTensor) and value.offsets
    }
    for name, value in tensors.items():
        if not value.has_valid_recursive_sequence_lengths():
            why = (
                f"the LoD {value.lod()} of '{name}' does not fit the rows of the tensor "
                f"({name}={value.tensor.meta})"
            )
            raise OpError(append_user_line(f"Executor.run: {why}"))
    return {name + LOD_SUFFIX: value.offsets for name, value in tensors.items()}


def _producer_by_float_variable(program: Desc) -> dict[str, OpDesc]:
    """Return a dict from the floating-point variables that the global block computes to the ops
    that compute them, in the order of the ops.
    """
    declared, outputs = program.block.vars, dict[str, OpDesc]()
    for op in program.block.ops:
        for name in op.output_names():
            var = declared.get(name)
            if (
                not is_feed_or_fetch(op.type)
                and var is not None
                and var.dtype in FLOAT_DTYPES
                and not var.persistable
            ):
                outputs[name] = op
    return outputs


def _to_fetched_value(name: str, value: Any, as_numpy: bool) -> Any:
    """Convert the value of a fetched variable to the type that the user gets, for example an
    ndarray or a LoDTensor.
    """
    if isinstance(value, FetchedArrayAndLodOffsets):
        if as_numpy:
            raise LodNotSupportedError(
                append_user_line(
                    f"Executor.run: '{name}' has a LoD, which an ndarray cannot hold; fetch with "
                    "return_numpy=False"
                )
            )
        return LoDTensor(value.array, value.offsets)
    if isinstance(value, list):
        return [Tensor(a) for a in value]
    if as_numpy:
        return np.asarray(value)
    return LoDTensor(value) if compat.rules.fetches_lod_tensors else Tensor(value)
