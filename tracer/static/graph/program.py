"""Program: what users write by hand, look at and run.   Its data is a `static.program.Program`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np

from ...capture.recorder import OpenBlock
from ...capture.variable import ParameterVariable, Variable, check_to_string_flags
from ...core.errors import OperandError, OpError, with_user_line
from ...core.tensor import Tensor
from ...ir import program as data
from ...ir.op_role import Role
from ...ir.parser import parse
from ...ir.passes.for_test import clone_for_test_in_place
from ...ir.passes.prune import prune_in_place
from ...ir.scope import Scope, current_scope
from ..block_desc import ProgramDesc
from .block import Block
from .operator import Operator
from .program_recorder import HandRecorder
from .state_dict import set_matching_values


def _targets(target: Any) -> list[str]:
    """The names of a variable, or of what an op writes.   Raises ValueError for anything else."""
    if isinstance(target, Operator):
        return target.output_arg_names
    if not isinstance(target, str | Variable):
        # what programs for Paddle look for
        said = "All targets of Program._prune_with_input() can only be Variable or Operator"
        raise ValueError(with_user_line(f"{said}, not {type(target).__name__}"))
    return [target if isinstance(target, str) else target.name]


class Program:
    """Blocks of ops on named variables.   raw: the data; recorder: writes ops to it."""

    _first_seed = 0  # what random numbers of a new program start from

    adopt: ClassVar[
        Callable[[Program, Tensor], Variable]
    ]  # declares a parameter created outside of the program; set by `parameters`

    def __init__(self) -> None:
        self._hold(None)
        self.recorder.seed = self._first_seed

    def _hold(self, desc: data.Program | None) -> None:
        self.recorder = HandRecorder(desc, self._adopt, self.block)
        self._source: np.random.Generator | None = None
        self._blocks: dict[int, Block] = {}
        self._edits = 0
        self.lr_scheduler: Any = None  # its learning rate applies to each run
        self.lr_var: Variable | None = None
        self.readers: list[Callable[[], dict[str, Any]]] = []  # readers that feed each run
        self.compiled: dict[Any, Any] = {}  # specializations that an Executor compiled
        self.flushed = b""  # the description when it was last flushed

    @classmethod
    def of(cls, desc: data.Program) -> Program:
        """What users see of a program that is there already."""
        made = cls.__new__(cls)
        made._hold(desc)
        return made

    @property
    def raw(self) -> data.Program:
        """The data."""
        return self.recorder.program

    @property
    def desc(self) -> ProgramDesc:
        """The program, with the methods of Paddle's C++ class; it may be set to another one's."""
        return ProgramDesc.of(self)

    @desc.setter
    def desc(self, value: ProgramDesc) -> None:
        self._hold(value.program.raw)

    def _adopt(self, tensor: Tensor) -> str:
        """A variable for a parameter or a buffer that was made outside of the program."""
        return Program.adopt(self, tensor).name

    def changed(self) -> None:
        """Say that an op or a variable is not what it was."""
        self._edits += 1

    def revision(self) -> tuple[int, ...]:
        """Another one after every change."""
        return (self._edits, *(len(block.ops) for block in self.raw.blocks))

    # -- blocks
    # --------------------------------------------------------------------------

    def block(self, index: int) -> Block:
        """The block at `index`."""
        desc = self.raw.blocks[index]
        found = self._blocks.get(index)
        if found is None or found.raw is not desc:
            found = self._blocks[index] = Block(self, desc)
        return found

    @property
    def blocks(self) -> list[Block]:
        """All blocks, the outermost first."""
        return [self.block(i) for i in range(len(self.raw.blocks))]

    @property
    def num_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.raw.blocks)

    def global_block(self) -> Block:
        """The outermost block."""
        return self.block(0)

    def current_block(self) -> Block:
        """The block that ops are written to."""
        return self.block(self.recorder.block.idx)

    @property
    def current_block_idx(self) -> int:
        """The number of the block that ops are written to."""
        return self.recorder.block.idx

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def list_vars(self) -> Iterator[Variable]:
        """The variables of all blocks."""
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self) -> list[ParameterVariable]:
        """The parameters, trainable or not."""
        return [p for block in self.blocks for p in block.iter_parameters()]

    def persistables(self) -> list[Variable]:
        """The variables whose values outlive a run and go to files, sorted by name."""
        found = {v.name: v for v in self.list_vars()}
        return [found[desc.name] for desc in self.raw.persistables()]

    def state_dict(self, mode: str = "all", scope: Scope | None = None) -> dict[str, Tensor]:
        """Values by name.

        mode: 'param' for parameters, 'opt' for what optimizers keep of them, 'all' for both

        Raises OpError for another mode, and for a variable that has no value yet.
        """
        if not isinstance(mode, str) or not isinstance(scope, Scope | None):
            wrong = (
                f"scope is not a Scope, but {scope!r:.80}"
                if isinstance(mode, str)
                else f"mode is not a text, but {mode!r:.80}"
            )
            raise OperandError(with_user_line(f"state_dict: {wrong}"))
        if mode not in ("param", "opt", "all"):
            raise OpError(
                with_user_line(f"state_dict: mode={mode!r} is not one of 'param', 'opt', 'all'")
            )
        where = current_scope() if scope is None else scope
        wanted = [
            v for v in self.persistables() if mode == "all" or v.is_parameter == (mode == "param")
        ]
        return {v.name: where.value(v.name) for v in wanted}

    def set_state_dict(self, state_dict: dict[str, Any], scope: Scope | None = None) -> None:
        """Set persistable variables from a state dict.

        Parameters
        ----------
        state_dict : dict of str to Tensor or ndarray
            Values by name of variable; or by structured name, as `paddle.load(path,
            keep_name_table=True)` returns them for the state of a layer. A value of another shape,
            and a name that no variable has, is warned about and skipped.
        scope : Scope, optional
            Where the values go; by default the current scope.
        """
        if not isinstance(state_dict, dict):
            raise OperandError(
                with_user_line(
                    f"set_state_dict: a dict of values by name is taken, not "
                    f"{type(state_dict).__name__}"
                )
            )
        set_matching_values(self, state_dict, current_scope() if scope is None else scope)

    # -- as a whole
    # ---------------------------------------------------------------------------------------------

    @property
    def random_seed(self) -> int:
        """What random numbers of this program's ops start from; 0: the common source of all."""
        return self.recorder.seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise OpError(with_user_line(f"random_seed: {seed!r} is not an int"))
        self.recorder.seed = seed
        self._source = None

    @property
    def source(self) -> np.random.Generator | None:
        """What the runs of a program with a seed draw from, one after the other; None for the
        common source.
        """
        if self._source is None and self.random_seed:
            self._source = np.random.Generator(np.random.PCG64(self.random_seed))
        return self._source

    def global_seed(self, seed: int = 0) -> None:
        """Let this program, and those made from now on, start random numbers from `seed`."""
        self.random_seed = seed
        Program._first_seed = seed

    def clone(self, for_test: bool = False) -> Program:
        """A copy, which shares the values in scopes.

        for_test: without gradients and optimizers, dropout and norms as in eval mode
        """
        desc = deepcopy(self.raw)
        made = Program.of(clone_for_test_in_place(desc) if for_test else desc)
        made.recorder.seed = self.recorder.seed
        made.readers = list(self.readers)
        if not for_test:
            made.lr_scheduler = self.lr_scheduler
            made.lr_var = None if self.lr_var is None else made.global_block().var(self.lr_var.name)
        self._give_settings(made)
        return made

    def _give_settings(self, other: Program) -> None:
        """What is known of parameters besides their declaration."""
        known = other.global_block()
        for variable in self.global_block().vars.values():
            if variable.unsaid and known.has_var(variable.name):
                known.var(variable.name).unsaid = variable.unsaid
        for parameter in self.all_parameters():
            if known.has_var(parameter.name):
                made = known.var(parameter.name)
                made.__dict__.update(
                    {
                        k: v
                        for k, v in parameter.__dict__.items()
                        if k not in ("raw", "_block", "_described")
                    }
                )

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """The program as text, which `Program.parse_from_text` reads back."""
        check_to_string_flags(throw_on_error, with_details)
        return str(self.raw)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return self.to_string()

    __str__ = __repr__ = to_string

    @staticmethod
    def parse_from_text(text: str) -> Program:
        """The program that `to_string` gave this text of.

        Raises OpError with the line that makes no sense.
        """
        return Program.of(parse(text))

    @staticmethod
    def parse_from_string(binary_str: bytes) -> Program:
        """The program of the bytes of a `.pdmodel`.   Raises FileError for others."""
        raise NotImplementedError  # given by static.io

    @property
    def contract(self) -> data.Contract | None:
        """What travels with the model that it is of: names, assumptions, the record of its
        verification; None for others.
        """
        return self.raw.contract

    def feeds(self) -> list[str]:
        """The names of the inputs that feed ops give."""
        return self.raw.feeds()

    def fetches(self) -> list[str]:
        """The names of the outputs that fetch ops take."""
        return self.raw.fetches()

    def _sync_with_cpp(self) -> None:
        """Nothing: what `desc` says is what the program says."""

    def _version(self) -> int:
        return self.raw.version

    # -- what only programs call that write ops themselves
    # -------------------------------------------------------

    def _copy_param_info_from(self, other: Program) -> None:
        """Take over what is known of the parameters of another program besides their declaration.

        Raises TypeError for what is none.
        """
        if not isinstance(other, Program):
            raise TypeError(
                with_user_line(f"_copy_param_info_from: {type(other).__name__} is not a Program")
            )
        other._give_settings(self)

    _copy_dist_param_info_from = _copy_data_info_from = _copy_param_info_from

    def _create_block(self, parent_idx: int | None = None) -> Block:
        """A new block inside of the current one, or of another, to which ops are written until
        `_rollback`.
        """
        made = data.Block(
            len(self.raw.blocks), self.current_block_idx if parent_idx is None else parent_idx
        )
        self.raw.blocks.append(made)
        self.recorder.open_blocks.append(OpenBlock(made))
        return self.current_block()

    def _rollback(self) -> None:
        """Write to the block before again."""
        self.recorder.open_blocks.pop()

    def _prune(self, targets: Any) -> Program:
        """A copy with the ops only that these variables need."""
        listed = targets if isinstance(targets, list | tuple) else [targets]
        return self._prune_with_input([], list(listed))

    def _prune_with_input(self, feeded_var_names: list[str], targets: list[Any]) -> Program:
        """A copy with the ops only that these variables need where others are given, and the
        variables of those.
        """
        wanted = [name for t in targets for name in _targets(t)]
        desc = prune_in_place(deepcopy(self.raw), feeded_var_names, wanted)
        ops = [op for block in desc.blocks for op in block.ops]
        used = {
            *feeded_var_names,
            *wanted,
            *(n for op in ops for n in (*op.input_names(), *op.output_names())),
        }
        for block in desc.blocks:
            block.vars = {name: var for name, var in block.vars.items() if name in used}
        made = Program.of(desc)
        made.recorder.seed = self.recorder.seed
        self._give_settings(made)
        return made

    def _inference_optimize(self, prune_read_op: bool = True) -> Program:
        """A copy whose dropout and norms are as in eval mode; gradients and optimizers stay."""
        made = self.clone()
        for block in made.blocks:
            for op in block.ops:
                if op.has_attr("is_test"):
                    op._set_attr("is_test", True)
        return made

    @contextmanager
    def _optimized_guard(self, param_and_grads: Any = ()) -> Iterator[None]:
        """The ops of the body are steps of an optimizer."""
        with self.recorder.as_role(Role.OPTIMIZE):
            yield

    @contextmanager
    def _lr_schedule_guard(self, is_with_opt: bool = False) -> Iterator[None]:
        """The ops of the body give the learning rate."""
        with self.recorder.as_role(
            Role.LR_SCHEDULE | Role.OPTIMIZE if is_with_opt else Role.LR_SCHEDULE
        ):
            yield

    @contextmanager
    def _backward_role_guard(self) -> Iterator[None]:
        """The ops of the body are of gradients."""
        with self.recorder.as_role(Role.BACKWARD):
            yield


ProgramDesc.program_class = Program
