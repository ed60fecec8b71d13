"""Read pickles as data: `.pdparams`, `.pdopt`, `.pdiparams.info`. No object that a pickle names is
imported or called.

A pickle is a program for a stack machine. `pickletools` of the standard library decodes its
instructions. The loop here executes the instructions that build data, and looks names up in the
table `ALLOWED_CONSTRUCTORS`. It does not subclass `pickle.Unpickler`, which cannot limit shared
lists, the hashing of nested tuples, or allocations of a declared size.
"""

from __future__ import annotations

import io
import mmap
import pickletools
import warnings
from collections.abc import Callable
from typing import Any

from ..core.errors import FileError
from .foreign_files import NUM_FIRST_BYTES, describe_foreign_file
from .pickle_constructors import (
    ALLOWED_CONSTRUCTORS,
    PickledName,
    RejectedPickleError,
    describe_value,
    set_state,
)

MAX_DEPTH = 100  # largest depth of nested containers
_STACK_MARK = object()
_CHECKED_TYPES = (dict, list, tuple, PickledName)
_PLAIN_TYPES = (type(None), bool, int, float, complex, str, bytes)


def loads(data: bytes | memoryview | mmap.mmap, name: str = "pickle") -> Any:
    """Return the contents of a pickle: plain containers, text, numbers, NumPy arrays and scalars.

    name: the name of the file, for errors.

    Raises FileError if the file is damaged, or if unpickling it would run code or create other
    objects.
    """
    value, used = load_first_with_length(data, name)
    if used != len(data):
        raise FileError(f"{name}: has {len(data) - used} bytes after its end")
    return value


def load_first_with_length(
    data: bytes | memoryview | mmap.mmap, name: str = "pickle"
) -> tuple[Any, int]:
    """Return the contents of the first pickle in `data`, as `loads` does, and its length in
    bytes.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # for invalid escapes in text
        return _run_first_pickle(data, name)


def _run_first_pickle(data: bytes | memoryview | mmap.mmap, name: str) -> tuple[Any, int]:
    machine = _StackMachine(len(data))
    position = 0
    try:
        source: Any = data if isinstance(data, mmap.mmap) else io.BytesIO(data)
        source.seek(0)
        for opcode, arg, at in pickletools.genops(source):
            position = at or 0
            if opcode.name == "STOP":
                return machine.pop_checked_result(), position + 1
            machine.execute(opcode.name, arg)
    except RejectedPickleError as rejection:
        raise FileError(f"{name}: {rejection} (at byte {position})") from None
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        MemoryError,
        Warning,
    ) as error:
        foreign = describe_foreign_file(bytes(data[:NUM_FIRST_BYTES]), name)
        raise FileError(
            f"{name} {foreign}"
            if foreign
            else f"{name}: is not a complete pickle (at byte {position}: {error!s:.80})"
        ) from None
    raise FileError(f"{name}: is not a complete pickle")


class _StackMachine:
    """The stack machine that executes the instructions of a pickle, with its stack, its memo and a
    budget of copied items.
    """

    def __init__(self, size: int) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.size = size
        # Each function call in a pickle may copy a value of the memo. The budget limits the size of
        # all copies in proportion to the file.
        self.budget = 8 * size + 4096
        # A malicious file can choose dict keys with colliding hashes, so that each key is compared
        # with all others of its dict. The comparison budget limits the total number of compared
        # bytes.
        self.comparison_budget = 256 * size + (1 << 22)
        # id of a dict -> the dict, so that no other dict gets its id; the number of its keys whose
        # hashes the file can choose
        self.num_collidable_keys: dict[int, tuple[dict[Any, Any], int]] = {}
        # The containers that hold other containers, by id, with their nesting depth. The references
        # to the containers keep their ids from being reused.
        self.depths: dict[int, tuple[Any, int]] = {}

    def execute(self, name: str, arg: Any) -> None:
        if name in _PUSH_OPCODES:
            self.stack.append(arg)
        else:
            action = _INSTRUCTIONS.get(name)
            if action is None:
                raise RejectedPickleError(
                    _REJECTED_OPCODES.get(name, f"uses {name}, which no file of weights needs")
                )
            action(self, arg)

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _STACK_MARK:
            raise ValueError("nothing to take")
        return self.stack.pop()

    def require_top(self, kinds: type | tuple[type, ...]) -> Any:
        if not self.stack or not isinstance(self.stack[-1], kinds):
            raise ValueError("items are added to a value that is not a container of them")
        return self.stack[-1]

    def pop_to_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while at >= 0 and self.stack[at] is not _STACK_MARK:
            at -= 1
        if at < 0:
            raise ValueError("no mark")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def memoize(self, index: int) -> None:
        if not self.stack or self.stack[-1] is _STACK_MARK:
            raise ValueError("nothing to keep")
        self.memo[index] = self.stack[-1]

    def set_items_of_top_dict(self, items: list[Any]) -> None:
        target = self.require_top(dict)
        if len(items) % 2:
            raise ValueError("a key without a value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            # Hashing nested tuples can take exponential time, so tuples that contain tuples are
            # rejected as dict keys.
            flat = key if type(key) is tuple else (key,)
            if not all(isinstance(part, _PLAIN_TYPES) for part in flat):
                raise RejectedPickleError(
                    f"has a key that is not plain data: {describe_value(key)}"
                )
            self.spend_budget(sum(map(_num_bytes_to_hash_and_compare, flat)))
            if not _is_collision_resistant_key(key):
                _, others = self.num_collidable_keys.get(id(target), (target, 0))
                self.num_collidable_keys[id(target)] = target, others + 1
                self.comparison_budget -= others * sum(map(_num_bytes_to_hash_and_compare, flat))
                if self.comparison_budget < 0:
                    raise RejectedPickleError(
                        f"has {others} keys in one dict that are neither strings nor small integers"
                    )
            target[key] = value
        self.record_nesting_depth_and_reject_above_max(target, items)

    def record_nesting_depth_and_reject_above_max(
        self, container: Any, items: list[Any] | tuple[Any, ...]
    ) -> None:
        """Record how deep a container is nested after `items` were put into it, and reject it
        above MAX_DEPTH. The recorded depth of outer containers is not updated;
        `_reject_cycles_depth_and_sharing` checks the final structure.
        """
        inner = [item for item in items if isinstance(item, (dict, list, tuple)) and item]
        if inner:
            known = self.depths.get(id(container), (container, 0))[1]
            depth = max(known, 1 + max(self.depths.get(id(item), (item, 1))[1] for item in inner))
            if depth > MAX_DEPTH:
                raise RejectedPickleError(f"is nested more than {MAX_DEPTH} deep")
            self.depths[id(container)] = (container, depth)

    def push_items_as_tuple(self, items: list[Any]) -> None:
        result = tuple(items)
        self.record_nesting_depth_and_reject_above_max(result, result)
        self.stack.append(result)

    def push_items_as_list(self, items: list[Any]) -> None:
        self.record_nesting_depth_and_reject_above_max(items, items)
        self.stack.append(items)

    def call_constructor(self) -> None:
        args, function = self.pop(), self.pop()
        if not isinstance(function, PickledName) or not isinstance(args, tuple):
            raise ValueError("a call of a value that is not a function")
        constructor = ALLOWED_CONSTRUCTORS.get(function.name)
        if constructor is None:
            raise RejectedPickleError(
                f"would run {function.name}{describe_value(args)} when it is unpickled"
            )
        self.stack.append(constructor(args, self.spend_budget))

    def set_state(self) -> None:
        state = self.pop()
        if not self.stack:
            raise ValueError("nothing to build")
        set_state(self.stack[-1], state, self.spend_budget)

    def spend_budget(self, size: int) -> None:
        """Subtract the number of copied bytes or items from the budget of this file; raise
        RejectedPickleError if the budget is exceeded.
        """
        self.budget -= size
        if self.budget < 0:
            raise RejectedPickleError(
                f"expands its {self.size} bytes to far more data than weights need"
            )

    def pop_checked_result(self) -> Any:
        """Pop the only value on the stack and check its structure."""
        if len(self.stack) != 1:
            raise ValueError(f"ends with {len(self.stack)} values")
        value = self.pop()
        _reject_cycles_depth_and_sharing(value, 16 * self.size + 65536)
        return value


def _num_bytes_to_hash_and_compare(key: Any) -> int:
    """Return the number of bytes that are processed when one part of a dict key is hashed and
    compared.
    """
    if isinstance(key, (str, bytes)):
        return 1 + len(key)
    return 1 + key.bit_length() // 8 if isinstance(key, int) else 9


def _is_collision_resistant_key(key: Any) -> bool:
    """Whether `key` is of a kind for which a malicious file cannot choose many different keys with
    equal hashes.

    Hashes of text are random in each process. Few of 2^24 numbers share positions in a large dict;
    larger numbers with different hashes can share all positions at which a dict looks for them.
    """
    return isinstance(key, (str, bytes)) or (type(key) is int and 0 <= key < 1 << 24)


def _container_children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return list(value) if isinstance(value, (list, tuple)) else []


def _reject_cycles_depth_and_sharing(root: Any, max_items: int) -> None:
    """Reject structures that a recursive reader could not process: cycles, great depth, or one list
    that is shared very often; and unresolved names.

    max_items: the maximum number of items, where a shared container counts each time it occurs. The
    check visits each container once.
    """
    sizes: dict[int, tuple[int, int]] = {}  # id -> items as a tree, depth
    todo: list[tuple[Any, bool]] = [(root, False)]
    open_: set[int] = set()
    while todo:
        value, done = todo.pop()
        if isinstance(value, PickledName):
            raise RejectedPickleError(f"refers to {value.name}, which is not plain data")
        if not isinstance(value, (dict, list, tuple)) or not value or id(value) in sizes:
            continue
        inner = _container_children(value)
        if not done:
            if id(value) in open_:
                raise RejectedPickleError("contains a container that contains itself")
            open_.add(id(value))
            todo.append((value, True))
            todo.extend(
                (c, False) for c in inner if isinstance(c, _CHECKED_TYPES) and id(c) not in sizes
            )
            continue
        open_.discard(id(value))
        known = [sizes.get(id(child), (1, 0)) for child in inner]
        size, depth = 1 + sum(n for n, _ in known), 1 + max((d for _, d in known), default=0)
        if depth > MAX_DEPTH:
            raise RejectedPickleError(f"is nested more than {MAX_DEPTH} deep")
        if size > max_items:
            raise RejectedPickleError(
                f"stands for more than {max_items} values, because it contains the same ones many "
                "times"
            )
        sizes[id(value)] = (size, depth)


def _push_unresolved_name(machine: _StackMachine, _: Any) -> None:
    name, module = machine.pop(), machine.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise ValueError("the name of a class or function is not a string")
    machine.stack.append(PickledName(f"{module}.{name}"))


def _push_memoized(machine: _StackMachine, index: Any) -> None:
    machine.stack.append(machine.memo[index])


def _push_dict(machine: _StackMachine, _: Any) -> None:
    items = machine.pop_to_mark()
    machine.stack.append({})
    machine.set_items_of_top_dict(items)


def _make_push_tuple_action(count: int) -> Callable[[_StackMachine, Any], None]:
    def action(machine: _StackMachine, _: Any) -> None:
        machine.push_items_as_tuple([machine.pop() for _ in range(count)][::-1])

    return action


def _append_item(machine: _StackMachine, _: Any) -> None:
    item = machine.pop()
    target = machine.require_top(list)
    target.append(item)
    machine.record_nesting_depth_and_reject_above_max(target, (item,))


def _set_item(machine: _StackMachine, _: Any) -> None:
    value, key = machine.pop(), machine.pop()
    machine.set_items_of_top_dict([key, value])


def _no_op(machine: _StackMachine, arg: Any) -> None:
    """Ignore an instruction such as FRAME or PROTO that does not change the stack."""


def _make_push_new_value_action(value: Callable[[], Any]) -> Callable[[_StackMachine, Any], None]:
    return lambda machine, _: machine.stack.append(value())


def _append_items(machine: _StackMachine, _: Any) -> None:
    items = machine.pop_to_mark()
    target = machine.require_top(list)
    target.extend(items)
    machine.record_nesting_depth_and_reject_above_max(target, items)


def _duplicate_top(machine: _StackMachine, _: Any) -> None:
    value = machine.pop()
    machine.stack += [value, value]


# Pickle instructions (opcodes) whose argument is the value to push.
_NUMBER_OPCODES = (
    "INT",
    "BININT",
    "BININT1",
    "BININT2",
    "LONG",
    "LONG1",
    "LONG4",
    "FLOAT",
    "BINFLOAT",
)
_TEXT_OPCODES = (
    "STRING",
    "BINSTRING",
    "SHORT_BINSTRING",
    "UNICODE",
    "SHORT_BINUNICODE",
    "BINUNICODE",
    "BINUNICODE8",
)
_PUSH_OPCODES = frozenset(
    (*_NUMBER_OPCODES, *_TEXT_OPCODES, "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8")
)
_INSTRUCTIONS: dict[str, Callable[[_StackMachine, Any], Any]] = {
    "PROTO": _no_op,
    "FRAME": _no_op,
    "NONE": _make_push_new_value_action(lambda: None),
    "NEWTRUE": _make_push_new_value_action(lambda: True),
    "NEWFALSE": _make_push_new_value_action(lambda: False),
    "EMPTY_LIST": _make_push_new_value_action(list),
    "EMPTY_DICT": _make_push_new_value_action(dict),
    "EMPTY_TUPLE": _make_push_new_value_action(tuple),
    "MARK": _make_push_new_value_action(lambda: _STACK_MARK),
    "LIST": lambda machine, _: machine.push_items_as_list(machine.pop_to_mark()),
    "TUPLE": lambda machine, _: machine.push_items_as_tuple(machine.pop_to_mark()),
    "TUPLE1": _make_push_tuple_action(1),
    "TUPLE2": _make_push_tuple_action(2),
    "TUPLE3": _make_push_tuple_action(3),
    "DICT": _push_dict,
    "APPEND": _append_item,
    "APPENDS": _append_items,
    "SETITEM": _set_item,
    "SETITEMS": lambda machine, _: machine.set_items_of_top_dict(machine.pop_to_mark()),
    "GET": _push_memoized,
    "BINGET": _push_memoized,
    "LONG_BINGET": _push_memoized,
    "PUT": lambda machine, index: machine.memoize(index),
    "BINPUT": lambda machine, index: machine.memoize(index),
    "LONG_BINPUT": lambda machine, index: machine.memoize(index),
    "MEMOIZE": lambda machine, _: machine.memoize(len(machine.memo)),
    "POP": lambda machine, _: machine.stack.pop(),
    "POP_MARK": lambda machine, _: machine.pop_to_mark(),
    "DUP": _duplicate_top,
    "GLOBAL": lambda machine, arg: machine.stack.append(PickledName(arg.replace(" ", "."))),
    "STACK_GLOBAL": _push_unresolved_name,
    "REDUCE": lambda machine, _: machine.call_constructor(),
    "BUILD": lambda machine, _: machine.set_state(),
}
_REJECTED_OPCODES = {
    "INST": "would make an object of a class when it is unpickled (INST)",
    "OBJ": "would make an object of a class when it is unpickled (OBJ)",
    "NEWOBJ": "would make an object of a class when it is unpickled (NEWOBJ)",
    "NEWOBJ_EX": "would make an object of a class when it is unpickled (NEWOBJ_EX)",
    "PERSID": "asks its reader for an object that is not in the file (PERSID)",
    "BINPERSID": "asks its reader for an object that is not in the file (BINPERSID)",
    "NEXT_BUFFER": "keeps its arrays outside of the file (NEXT_BUFFER)",
}
