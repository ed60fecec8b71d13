"""Program: the public view of a program. The data of a Program is an object of the class
`ir.program.Program`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np

from ...capture.recorder import OpenBlock
from ...capture.variable import ParameterVariable, Variable, check_to_string_flags
from ...core.errors import OperandError, OpError, append_user_line
from ...core.tensor import Tensor
from ...ir import program as data
from ...ir.op_role import OpRole
from ...ir.parser import parse
from ...ir.passes.clone_for_test import convert_for_test_in_place
from ...ir.passes.prune import prune_in_place
from ...ir.scope import Scope, current_scope
from ...loader.pdmodel import parse_program
from ..block_desc import ProgramDesc
from .block import Block
from .operator import Operator
from .program_recorder import ProgramRecorder
from .state_dict import set_matching_values_or_warn


def _names_of_target(target: Any) -> list[str]:
    """Return the names of a pruning target: the name of a variable, or the names of the outputs of
    an op. Raises ValueError for objects that are neither a variable nor an op.
    """
    if isinstance(target, Operator):
        return target.output_arg_names
    if not isinstance(target, str | Variable):
        # programs for Paddle search for this text
        message = "All targets of Program._prune_with_input() can only be Variable or Operator"
        raise ValueError(append_user_line(f"{message}, not {type(target).__name__}"))
    return [target if isinstance(target, str) else target.name]


class Program:
    """A static graph program: blocks of ops on named variables.

    Ops that are called while the program is the default main program (`static.program_guard`) are
    appended to it; `Executor.run` runs it.

    Attributes
    ----------
    lr_scheduler : LRScheduler or None
        Its learning rate applies to each run.
    recorder : ProgramRecorder
        Appends ops to the program.

    Examples
    --------
    >>> paddle.enable_static()
    >>> main = paddle.static.Program()
    >>> with paddle.static.program_guard(main):
    ...     x = paddle.static.data("x", [None, 3])
    ...     y = paddle.exp(x)
    >>> feed = {"x": np.zeros([1, 3], np.float32)}
    >>> paddle.static.Executor().run(main, feed, fetch_list=[y])[0].tolist()
    [[1.0, 1.0, 1.0]]
    >>> paddle.disable_static()
    """

    _initial_seed = 0  # random_seed of new programs

    import_eager_variable: ClassVar[
        Callable[[Program, Tensor], Variable]
    ]  # declares a parameter created outside of the program; set by `parameters`

    def __init__(self) -> None:
        self._init_recorder_and_caches(None)
        self.recorder.seed = self._initial_seed

    def _init_recorder_and_caches(self, desc: data.Program | None) -> None:
        self.recorder = ProgramRecorder(desc, self._import_and_get_name, self.block)
        self._generator: np.random.Generator | None = None
        self._blocks: dict[int, Block] = {}
        self._num_edits = 0
        self.lr_scheduler: Any = None  # its learning rate applies to each run
        self.lr_var: Variable | None = None
        self.feeding_readers: list[Callable[[], dict[str, Any]]] = []  # readers that feed each run
        self.executable_cache: dict[Any, Any] = {}  # specializations that an Executor compiled
        self.flushed_bytes = b""  # the description when it was last flushed

    @classmethod
    def view_of_raw(cls, desc: data.Program) -> Program:
        """Return a Program that is a view of existing data, which is not copied.

        Parameters
        ----------
        desc : ir.program.Program

        Returns
        -------
        Program

        Examples
        --------
        >>> program = paddle.static.Program()
        >>> paddle.static.Program.view_of_raw(program.raw).raw is program.raw
        True
        """
        program = cls.__new__(cls)
        program._init_recorder_and_caches(desc)
        return program

    @property
    def raw(self) -> data.Program:
        """The data of the program, an `ir.program.Program` of Python dataclasses.

        This object is its view.

        Examples
        --------
        >>> paddle.static.Program().raw.version
        2006002
        """
        return self.recorder.program

    @property
    def desc(self) -> ProgramDesc:
        """A view of the program with the methods of Paddle's C++ class ProgramDesc.

        Assigning the `desc` of another program replaces the blocks of this program; attributes such
        as `random_seed` do not change.

        Examples
        --------
        >>> paddle.static.Program().desc.num_blocks()
        1
        """
        return ProgramDesc.make_view(self)

    @desc.setter
    def desc(self, value: ProgramDesc) -> None:
        attributes = {
            name: getattr(self, name)
            for name in ("random_seed", "lr_scheduler", "lr_var", "feeding_readers")
        }
        self._init_recorder_and_caches(value.program.raw)
        for name, attribute in attributes.items():
            setattr(self, name, attribute)

    def _import_and_get_name(self, tensor: Tensor) -> str:
        """Declare a variable for a parameter or buffer that was created outside of the program, and
        return its name.
        """
        return Program.import_eager_variable(self, tensor).name

    def mark_changed(self) -> None:
        """Mark the program as changed, so that an Executor compiles it again.

        Only needed after a change of `raw`; methods that change a program call it.

        Examples
        --------
        >>> program = paddle.static.Program()
        >>> key = program.revision_key()
        >>> program.mark_changed()
        >>> program.revision_key() == key
        False
        """
        self._num_edits += 1

    def revision_key(self) -> tuple[int, ...]:
        """Return a key that changes whenever the program changes, for caches.

        Returns
        -------
        tuple of int

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> key = main.revision_key()
        >>> with paddle.static.program_guard(main):
        ...     y = x + 1
        >>> main.revision_key() == key
        False
        >>> paddle.disable_static()
        """
        return (self._num_edits, *(len(block.ops) for block in self.raw.blocks))

    # -- blocks
    # --------------------------------------------------------------------------

    def block(self, index: int) -> Block:
        """Return a block by index.

        Parameters
        ----------
        index : int
            0 for the global block.

        Returns
        -------
        Block

        Raises
        ------
        IndexError
            If there is no such block.

        Examples
        --------
        >>> paddle.static.Program().block(0).idx
        0
        """
        desc = self.raw.blocks[index]
        block = self._blocks.get(index)
        if block is None or block.raw is not desc:
            block = self._blocks[index] = Block(self, desc)
        return block

    @property
    def blocks(self) -> list[Block]:
        """All blocks, a list of Block; the global block is the first.

        Examples
        --------
        >>> len(paddle.static.Program().blocks)
        1
        """
        return [self.block(i) for i in range(len(self.raw.blocks))]

    @property
    def num_blocks(self) -> int:
        """The number of blocks, an int.

        Examples
        --------
        >>> paddle.static.Program().num_blocks
        1
        """
        return len(self.raw.blocks)

    def global_block(self) -> Block:
        """Return the global block, which has no parent.

        Returns
        -------
        Block

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> [op.type for op in main.global_block().ops]
        ['mul', 'elementwise_add']
        >>> paddle.disable_static()
        """
        return self.block(0)

    def current_block(self) -> Block:
        """Return the current block, to which ops are appended.

        Returns
        -------
        Block
            The global block, except in the branches and bodies of control flow.

        Examples
        --------
        >>> paddle.static.Program().current_block().idx
        0
        """
        return self.block(self.recorder.block.idx)

    @property
    def current_block_idx(self) -> int:
        """The index of the current block, to which ops are appended; an int.

        Examples
        --------
        >>> paddle.static.Program().current_block_idx
        0
        """
        return self.recorder.block.idx

    # -- variables
    # ----------------------------------------------------------------------------------------------

    def list_vars(self) -> Iterator[Variable]:
        """Iterate over the variables of all blocks.

        Yields
        ------
        Variable

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.exp(x)
        >>> [variable.shape for variable in main.list_vars()]
        [(-1, 3), (-1, 3)]
        >>> paddle.disable_static()
        """
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self) -> list[ParameterVariable]:
        """Return the parameters, trainable or not.

        Returns
        -------
        list of Parameter

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> [p.shape for p in main.all_parameters()]
        [(3, 2), (2,)]
        >>> paddle.disable_static()
        """
        return [p for block in self.blocks for p in block.iter_parameters()]

    def persistables(self) -> list[Variable]:
        """Return the persistable variables, sorted by name, without those of feed and fetch ops.

        Returns
        -------
        list of Variable

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = paddle.static.nn.fc(x, 2)
        >>> [v.shape for v in main.persistables()]  # bias, weight
        [(2,), (3, 2)]
        >>> paddle.disable_static()
        """
        variables = {v.name: v for v in self.list_vars()}
        return [variables[desc.name] for desc in self.raw.persistables()]

    def state_dict(self, mode: str = "all", scope: Scope | None = None) -> dict[str, Tensor]:
        """Return a state dict: the values of the persistable variables by name.

        Parameters
        ----------
        mode : "all", "param" or "opt", default "all"
            "param": parameters; "opt": other persistable variables, such as accumulators of
            optimizers; "all": both.
        scope : Scope, optional
            By default the current scope.

        Returns
        -------
        dict of str to Tensor

        Raises
        ------
        OpError
            If an argument is invalid, or a variable has no value because the startup program has
            not run.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.create_parameter([2], "float32", "w", is_bias=True)
        >>> _ = paddle.static.Executor().run(startup)
        >>> {name: value.tolist() for name, value in main.state_dict().items()}
        {'w': [0.0, 0.0]}
        >>> paddle.disable_static()
        """
        if not isinstance(mode, str) or not isinstance(scope, Scope | None):
            problem = (
                f"scope is not a Scope, but {scope!r:.80}"
                if isinstance(mode, str)
                else f"mode is not a str, but {mode!r:.80}"
            )
            raise OperandError(append_user_line(f"state_dict: {problem}"))
        if mode not in ("param", "opt", "all"):
            raise OpError(
                append_user_line(f"state_dict: mode={mode!r} is not one of 'param', 'opt', 'all'")
            )
        scope = current_scope() if scope is None else scope
        variables = [
            v for v in self.persistables() if mode == "all" or v.is_parameter == (mode == "param")
        ]
        return {v.name: scope.value(v.name) for v in variables}

    def set_state_dict(self, state_dict: dict[str, Any], scope: Scope | None = None) -> None:
        """Set the persistable variables of the program to the values of a state dict.

        Parameters
        ----------
        state_dict : dict of str to Tensor or ndarray
            Values by variable name, or by structured name as `paddle.load(path,
            keep_name_table=True)` returns them for the state of a layer. Values with another shape
            and unknown names are skipped with a warning.
        scope : Scope, optional
            Scope that the values are assigned in; by default the current scope.

        Raises
        ------
        OpError
            If `state_dict` is not a dict.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main, startup = paddle.static.Program(), paddle.static.Program()
        >>> with paddle.static.program_guard(main, startup):
        ...     w = paddle.create_parameter([2], "float32", "w", is_bias=True)
        >>> main.set_state_dict({"w": np.array([1.0, 2.0], np.float32)})
        >>> w.get_value().tolist()
        [1.0, 2.0]
        >>> paddle.disable_static()
        """
        if not isinstance(state_dict, dict):
            raise OperandError(
                append_user_line(
                    f"set_state_dict: state_dict must be a dict, not {type(state_dict).__name__}"
                )
            )
        set_matching_values_or_warn(self, state_dict, current_scope() if scope is None else scope)

    # -- the whole program
    # ---------------------------------------------------------------------------------------------

    @property
    def random_seed(self) -> int:
        """The seed of the random ops of this program, an int.

        With 0, the default, random ops use the global random generator (`paddle.seed`). Assigning a
        value that is not an int raises OpError.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.rand([2])
        >>> main.random_seed = 7
        >>> exe = paddle.static.Executor()
        >>> first = exe.run(main, fetch_list=[x])[0]
        >>> main.random_seed = 7
        >>> np.array_equal(exe.run(main, fetch_list=[x])[0], first)
        True
        >>> paddle.disable_static()
        """
        return self.recorder.seed

    @random_seed.setter
    def random_seed(self, seed: int) -> None:
        if not isinstance(seed, int):
            raise OpError(append_user_line(f"random_seed: {seed!r} is not an int"))
        self.recorder.seed = seed
        self._generator = None

    @property
    def generator(self) -> np.random.Generator | None:
        """The random generator of this program, a `numpy.random.Generator`.

        It continues from run to run.

        None if `random_seed` is 0, because then the program uses the global generator.

        Examples
        --------
        >>> program = paddle.static.Program()
        >>> program.generator is None
        True
        >>> program.random_seed = 7
        >>> program.generator is None
        False
        """
        if self._generator is None and self.random_seed:
            self._generator = np.random.Generator(np.random.PCG64(self.random_seed))
        return self._generator

    def global_seed(self, seed: int = 0) -> None:
        """Set the seed of this program and of all programs that are created later.

        Parameters
        ----------
        seed : int, default 0
            0: random ops use the global random generator.

        Examples
        --------
        >>> paddle.static.Program().global_seed(7)
        >>> program = paddle.static.Program()
        >>> program.random_seed
        7
        >>> program.global_seed(0)
        """
        self.random_seed = seed
        Program._initial_seed = seed

    def clone(self, for_test: bool = False) -> Program:
        """Return a copy of the program.

        The variables of the copy have the same names, so both programs use the same values of a
        scope.

        Parameters
        ----------
        for_test : bool, default False
            Whether to remove gradient and optimizer ops, and to set dropout and normalization to
            evaluation mode.

        Returns
        -------
        Program

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        ...     y = F.dropout(x, 0.5)
        >>> test = main.clone(for_test=True)
        >>> feed = {"x": np.ones([1, 3], np.float32)}
        >>> paddle.static.Executor().run(test, feed, fetch_list=[y.name])[0].tolist()
        [[1.0, 1.0, 1.0]]
        >>> paddle.disable_static()
        """
        desc = deepcopy(self.raw)
        clone = Program.view_of_raw(convert_for_test_in_place(desc) if for_test else desc)
        clone.recorder.seed = self.recorder.seed
        clone.feeding_readers = list(self.feeding_readers)
        if not for_test:
            clone.lr_scheduler = self.lr_scheduler
            clone.lr_var = (
                None if self.lr_var is None else clone.global_block().var(self.lr_var.name)
            )
        self._copy_undeclared_attributes_to(clone)
        return clone

    def _copy_undeclared_attributes_to(self, other: Program) -> None:
        """Copy those attributes of Variable objects to a clone that are not part of the
        declarations.
        """
        block = other.global_block()
        for variable in self.global_block().vars.values():
            if variable.undeclared_properties and block.has_var(variable.name):
                block.var(variable.name).undeclared_properties = variable.undeclared_properties
        for parameter in self.all_parameters():
            if block.has_var(parameter.name):
                block.var(parameter.name).__dict__.update(
                    {
                        k: v
                        for k, v in parameter.__dict__.items()
                        if k not in ("raw", "_block", "_desc_view")
                    }
                )

    def to_string(self, throw_on_error: bool = True, with_details: bool = False) -> str:
        """Return the program as text, which `Program.parse_from_text` parses.

        Parameters
        ----------
        throw_on_error, with_details : bool, default True, False
            Have no effect.

        Returns
        -------
        str

        Raises
        ------
        AssertionError
            If an argument is not a bool.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> print(main.to_string())
        program version=2006002
        block 0:
          var x: float32[?,3] stop_gradient check_feed
        >>> paddle.disable_static()
        """
        check_to_string_flags(throw_on_error, with_details)
        return str(self.raw)

    def _to_readable_code(self, skip_op_callstack: bool = True) -> str:
        return self.to_string()

    __str__ = __repr__ = to_string

    def _repr_html_(self) -> str:
        """Return a table for notebooks."""
        return self.raw._repr_html_()

    @staticmethod
    def parse_from_text(text: str) -> Program:
        """Parse a program from text that `to_string` returned.

        Parameters
        ----------
        text : str

        Returns
        -------
        Program

        Raises
        ------
        FileError
            If the text cannot be parsed; the message shows the line.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> copy = paddle.static.Program.parse_from_text(main.to_string())
        >>> [variable.name for variable in copy.list_vars()]
        ['x']
        >>> paddle.disable_static()
        """
        return Program.view_of_raw(parse(text))

    @staticmethod
    def parse_from_string(binary_str: bytes) -> Program:
        """Parse a program from the bytes of a `.pdmodel` file.

        Parameters
        ----------
        binary_str : bytes

        Returns
        -------
        Program

        Raises
        ------
        FileError
            If the bytes are not a valid program.

        Examples
        --------
        >>> paddle.enable_static()
        >>> main = paddle.static.Program()
        >>> with paddle.static.program_guard(main):
        ...     x = paddle.static.data("x", [None, 3])
        >>> paddle.save(main, "main.pdmodel")
        >>> with open("main.pdmodel", "rb") as file:
        ...     copy = paddle.static.Program.parse_from_string(file.read())
        >>> [variable.name for variable in copy.list_vars()]
        ['x']
        >>> paddle.disable_static()
        """
        return Program.view_of_raw(parse_program(binary_str))

    @property
    def contract(self) -> data.Contract | None:
        """The contract of the saved model that the program was read from; None for other programs.

        It holds the names of inputs and outputs, the guards and the result of the verification.

        Examples
        --------
        >>> paddle.static.Program().contract is None
        True
        """
        return self.raw.contract

    def feed_names(self) -> list[str]:
        """Return the names of the inputs, in the order of the feed ops.

        Returns
        -------
        list of str
            Empty without feed ops; `static.save_inference_model` adds them to the saved program.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 3], name="x")
        >>> paddle.jit.save(nn.Linear(3, 2), "linear", [spec])
        >>> with open("linear.pdmodel", "rb") as file:
        ...     program = paddle.static.Program.parse_from_string(file.read())
        >>> program.feed_names()
        ['x']
        """
        return self.raw.feed_names()

    def fetch_names(self) -> list[str]:
        """Return the names of the outputs, in the order of the fetch ops.

        Returns
        -------
        list of str
            Empty without fetch ops; `static.save_inference_model` adds them to the saved program.

        Examples
        --------
        >>> spec = paddle.static.InputSpec([None, 3], name="x")
        >>> paddle.jit.save(nn.Linear(3, 2), "linear", [spec])
        >>> with open("linear.pdmodel", "rb") as file:
        ...     program = paddle.static.Program.parse_from_string(file.read())
        >>> len(program.fetch_names())
        1
        """
        return self.raw.fetch_names()

    def _sync_with_cpp(self) -> None:
        """Do nothing. In Paddle the method copies the changes of `desc` to Python, but here `desc`
        is a view of this program.
        """

    def _version(self) -> int:
        """Return the version of Paddle that the program was written for, such as 2006002."""
        return self.raw.version

    # -- internal methods of Paddle that programs call
    # -------------------------------------------------------

    def _copy_param_info_from(self, other: Program) -> None:
        """Copy those attributes of variables that are not part of their declarations from another
        program to this one.

        Raises TypeError if it is not a Program.
        """
        if not isinstance(other, Program):
            raise TypeError(
                append_user_line(f"_copy_param_info_from: {type(other).__name__} is not a Program")
            )
        other._copy_undeclared_attributes_to(self)

    _copy_dist_param_info_from = _copy_data_info_from = _copy_param_info_from

    def _create_block(self, parent_idx: int | None = None) -> Block:
        """Append a block to the program, and record ops into it until `_rollback` is called. The
        parent is the current block by default.
        """
        block = data.Block(
            len(self.raw.blocks), self.current_block_idx if parent_idx is None else parent_idx
        )
        self.raw.blocks.append(block)
        self.recorder.open_blocks.append(OpenBlock(block))
        return self.current_block()

    def _rollback(self) -> None:
        """Return to the block that was current before `_create_block`."""
        self.recorder.open_blocks.pop()

    def _prune(self, targets: Any) -> Program:
        """Return a copy of the program with only those ops on which the targets depend."""
        items = targets if isinstance(targets, list | tuple) else [targets]
        return self._prune_with_input([], list(items))

    def _prune_with_input(self, feeded_var_names: list[str], targets: list[Any]) -> Program:
        """Return a copy of the program with only those ops and variables that are needed to compute
        the targets from the feeds.
        """
        names = [name for t in targets for name in _names_of_target(t)]
        desc = prune_in_place(deepcopy(self.raw), feeded_var_names, names)
        ops = [op for block in desc.blocks for op in block.ops]
        used = {
            *feeded_var_names,
            *names,
            *(n for op in ops for n in (*op.input_names(), *op.output_names())),
        }
        for block in desc.blocks:
            block.vars = {name: var for name, var in block.vars.items() if name in used}
        pruned = Program.view_of_raw(desc)
        pruned.recorder.seed = self.recorder.seed
        self._copy_undeclared_attributes_to(pruned)
        return pruned

    def _inference_optimize(self, prune_read_op: bool = True) -> Program:
        """Return a copy of the program with dropout and normalization in eval mode. Gradient ops
        and optimizer ops are kept.
        """
        clone = self.clone()
        for block in clone.blocks:
            for op in block.ops:
                if op.has_attr("is_test"):
                    op._set_attr("is_test", True)
        return clone

    @contextmanager
    def _optimized_guard(self, param_and_grads: Any = ()) -> Iterator[None]:
        """Context manager: ops that are recorded in its body get the op_role of optimizer ops."""
        with self.recorder.setting_op_role(OpRole.OPTIMIZE):
            yield

    @contextmanager
    def _lr_schedule_guard(self, is_with_opt: bool = False) -> Iterator[None]:
        """Context manager: ops that are recorded in its body get the op_role of learning-rate
        ops.
        """
        with self.recorder.setting_op_role(
            OpRole.LR_SCHEDULE | OpRole.OPTIMIZE if is_with_opt else OpRole.LR_SCHEDULE
        ):
            yield

    @contextmanager
    def _backward_role_guard(self) -> Iterator[None]:
        """Context manager: ops that are recorded in its body get the op_role of gradient ops."""
        with self.recorder.setting_op_role(OpRole.BACKWARD):
            yield


ProgramDesc.program_class = Program
