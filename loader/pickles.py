"""Pickles as data: `.pdparams`, `.pdopt`, `.pdiparams.info`.

Nothing a pickle names is imported or called.

A pickle is a program for a small stack machine.  `pickletools` of the standard library reads its
instructions (and only
reads); the loop here runs those that build data, and looks names up in a table of our own, `CALLS`.
A subclass of `pickle.Unpickler` would have to be told what not to do, and cannot be stopped from
sharing one list a billion times, from hashing tuples of tuples, or from allocating what a count
claims; this loop only can do what is written below.
"""

from __future__ import annotations

import io
import mmap
import pickletools
import warnings
from collections.abc import Callable
from typing import Any

from ..core.errors import FileError
from .pickle_values import CALLS, Refused, Unmade, build, describe

MAX_DEPTH = 100  # of nested containers
_MARK = object()
_CONTAINERS = (dict, list, tuple, Unmade)
_ENDS_IN_DATA = (type(None), bool, int, float, complex, str, bytes)


def loads(data: bytes | memoryview | mmap.mmap, name: str = "pickle") -> Any:
    """What a pickle holds: plain containers, text, numbers, NumPy arrays and scalars.

    name: of the file, for errors.

    FileError when the file is damaged, or would run code or make objects if it were unpickled; it
    says which.
    """
    value, used = loads_first(data, name)
    if used != len(data):
        raise FileError(f"{name}: has {len(data) - used} bytes after its end")
    return value


def loads_first(data: bytes | memoryview | mmap.mmap, name: str = "pickle") -> tuple[Any, int]:
    """What the first pickle in `data` holds, as by `loads`, and how many bytes it takes."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # of text with escapes that are none
        return _run(data, name)


def _run(data: bytes | memoryview | mmap.mmap, name: str) -> tuple[Any, int]:
    machine = _Machine(len(data))
    position = 0
    try:
        source: Any = data if isinstance(data, mmap.mmap) else io.BytesIO(data)
        source.seek(0)
        for opcode, arg, at in pickletools.genops(source):
            position = at or 0
            if opcode.name == "STOP":
                return machine.result(), position + 1
            machine.step(opcode.name, arg)
    except Refused as refused:
        raise FileError(f"{name}: {refused} (at byte {position})") from None
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
        OverflowError,
        MemoryError,
        Warning,
    ) as error:
        raise FileError(
            f"{name}: is not a whole pickle (at byte {position}: {error!s:.80})"
        ) from None
    raise FileError(f"{name}: is not a whole pickle")


class _Machine:
    """The stack machine: what is being built, and what was kept for later use."""

    def __init__(self, size: int) -> None:
        self.stack: list[Any] = []
        self.memo: dict[int, Any] = {}
        self.size = size
        # Each call may copy a value that was kept; all copies together stay in proportion to the
        # file.
        self.budget = 8 * size + 4096
        # A file can choose keys that collide, so that each is compared with all others of its dict.
        # The total number of comparisons is bounded.
        self.comparisons = 256 * size + (1 << 22)
        # id of a dict -> number of its keys whose hashes the file can choose
        self.num_predictable: dict[int, int] = {}
        # Containers that hold containers, by id; the references keep the ids from being reused.
        self.depths: dict[int, tuple[Any, int]] = {}

    def step(self, name: str, arg: Any) -> None:
        if name in _PUSH_ARG:
            self.stack.append(arg)
        else:
            action = _ACTIONS.get(name)
            if action is None:
                raise Refused(_UNWANTED.get(name, f"uses {name}, which no file of weights needs"))
            action(self, arg)

    def pop(self) -> Any:
        if not self.stack or self.stack[-1] is _MARK:
            raise ValueError("nothing to take")
        return self.stack.pop()

    def top(self, kinds: type | tuple[type, ...]) -> Any:
        if not self.stack or not isinstance(self.stack[-1], kinds):
            raise ValueError("items for what cannot hold them")
        return self.stack[-1]

    def pop_to_mark(self) -> list[Any]:
        at = len(self.stack) - 1
        while at >= 0 and self.stack[at] is not _MARK:
            at -= 1
        if at < 0:
            raise ValueError("no mark")
        items = self.stack[at + 1 :]
        del self.stack[at:]
        return items

    def put(self, index: int) -> None:
        if not self.stack or self.stack[-1] is _MARK:
            raise ValueError("nothing to keep")
        self.memo[index] = self.stack[-1]

    def set_items(self, items: list[Any]) -> None:
        target = self.top(dict)
        if len(items) % 2:
            raise ValueError("a key without a value")
        for key, value in zip(items[::2], items[1::2], strict=True):
            # The hash of a tuple of tuples can take forever, so those are no keys.
            flat = key if type(key) is tuple else (key,)
            if not all(isinstance(part, _ENDS_IN_DATA) for part in flat):
                raise Refused(f"has a key that is not plain data: {describe(key)}")
            self.spend(sum(map(_weight, flat)))
            if not _is_collision_free(key):
                others = self.num_predictable.get(id(target), 0)
                self.num_predictable[id(target)] = others + 1
                self.comparisons -= others * sum(map(_weight, flat))
                if self.comparisons < 0:
                    raise Refused(
                        f"has {others} keys in one dict that are neither strings nor small integers"
                    )
            target[key] = value
        self.note_depth(target, items)

    def note_depth(self, container: Any, items: list[Any] | tuple[Any, ...]) -> None:
        """Reject a container that nests too deep when it is created; `_judge` checks items that are
        added later.
        """
        inner = [item for item in items if isinstance(item, (dict, list, tuple)) and item]
        if inner:
            known = self.depths.get(id(container), (container, 0))[1]
            depth = max(known, 1 + max(self.depths.get(id(item), (item, 1))[1] for item in inner))
            if depth > MAX_DEPTH:
                raise Refused(f"is nested more than {MAX_DEPTH} deep")
            self.depths[id(container)] = (container, depth)

    def push_tuple(self, items: list[Any]) -> None:
        made = tuple(items)
        self.note_depth(made, made)
        self.stack.append(made)

    def push_list(self, items: list[Any]) -> None:
        self.note_depth(items, items)
        self.stack.append(items)

    def call(self) -> None:
        args, function = self.pop(), self.pop()
        if not isinstance(function, Unmade) or not isinstance(args, tuple):
            raise ValueError("a call of what cannot be called")
        made = CALLS.get(function.name)
        if made is None:
            raise Refused(f"would run {function.name}{describe(args)} on being unpickled")
        self.stack.append(made(args, self.spend))

    def build(self) -> None:
        state = self.pop()
        if not self.stack:
            raise ValueError("nothing to build")
        build(self.stack[-1], state, self.spend)

    def spend(self, size: int) -> None:
        """Count `size` bytes or items that are copied."""
        self.budget -= size
        if self.budget < 0:
            raise Refused(f"makes far more out of its {self.size} bytes than they can hold")

    def result(self) -> Any:
        if len(self.stack) != 1:
            raise ValueError(f"ends with {len(self.stack)} values")
        value = self.pop()
        _judge(value, 16 * self.size + 65536)
        return value


def _weight(key: Any) -> int:
    """What hashing and comparing a part of a key may cost, in bytes: each part is looked at."""
    if isinstance(key, (str, bytes)):
        return 1 + len(key)
    return 1 + key.bit_length() // 8 if isinstance(key, int) else 9


def _is_collision_free(key: Any) -> bool:
    """Whether a file cannot choose many such keys that a dict must compare with each other.

    Hashes of text are random in each process.
    Of 2^24 numbers few share their places in a dict of many. Larger numbers of different hashes can
    share all the places where a dict looks for them.
    """
    return isinstance(key, (str, bytes)) or (type(key) is int and 0 <= key < 1 << 24)


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    return list(value) if isinstance(value, (list, tuple)) else []


def _judge(root: Any, most: int) -> None:
    """Refuse what a reader could not walk: circles, great depth, or one list shared over and over;
    and unmade objects.

    Sizes are those of the value written out as a tree; each container is looked at once.
    """
    sizes: dict[int, tuple[int, int]] = {}  # id -> items when written out, depth
    todo: list[tuple[Any, bool]] = [(root, False)]
    open_: set[int] = set()
    while todo:
        value, done = todo.pop()
        if isinstance(value, Unmade):
            raise Refused(f"names {value.name}, which is not data")
        if not isinstance(value, (dict, list, tuple)) or not value or id(value) in sizes:
            continue
        inner = _children(value)
        if not done:
            if id(value) in open_:
                raise Refused("holds a container that holds itself")
            open_.add(id(value))
            todo.append((value, True))
            todo.extend(
                (c, False) for c in inner if isinstance(c, _CONTAINERS) and id(c) not in sizes
            )
            continue
        open_.discard(id(value))
        known = [sizes.get(id(child), (1, 0)) for child in inner]
        size, depth = 1 + sum(n for n, _ in known), 1 + max((d for _, d in known), default=0)
        if depth > MAX_DEPTH:
            raise Refused(f"is nested more than {MAX_DEPTH} deep")
        if size > most:
            raise Refused(
                f"stands for more than {most} values, by holding the same ones over and over"
            )
        sizes[id(value)] = (size, depth)


def _stack_global(machine: _Machine, _: Any) -> None:
    name, module = machine.pop(), machine.pop()
    if not isinstance(name, str) or not isinstance(module, str):
        raise ValueError("a name that is not text")
    machine.stack.append(Unmade(f"{module}.{name}"))


def _get(machine: _Machine, index: Any) -> None:
    machine.stack.append(machine.memo[index])


def _dict(machine: _Machine, _: Any) -> None:
    items = machine.pop_to_mark()
    machine.stack.append({})
    machine.set_items(items)


def _tuple(count: int) -> Callable[[_Machine, Any], None]:
    def action(machine: _Machine, _: Any) -> None:
        machine.push_tuple([machine.pop() for _ in range(count)][::-1])

    return action


def _append(machine: _Machine, _: Any) -> None:
    item = machine.pop()
    target = machine.top(list)
    target.append(item)
    machine.note_depth(target, (item,))


def _set_item(machine: _Machine, _: Any) -> None:
    value, key = machine.pop(), machine.pop()
    machine.set_items([key, value])


def _nothing(machine: _Machine, arg: Any) -> None:
    """For instructions that only help to read faster."""


def _push(value: Callable[[], Any]) -> Callable[[_Machine, Any], None]:
    return lambda machine, _: machine.stack.append(value())


def _appends(machine: _Machine, _: Any) -> None:
    items = machine.pop_to_mark()
    target = machine.top(list)
    target.extend(items)
    machine.note_depth(target, items)


def _duplicate(machine: _Machine, _: Any) -> None:
    value = machine.pop()
    machine.stack += [value, value]


# Instructions whose argument is the value.
_NUMBERS = ("INT", "BININT", "BININT1", "BININT2", "LONG", "LONG1", "LONG4", "FLOAT", "BINFLOAT")
_TEXTS = (
    "STRING",
    "BINSTRING",
    "SHORT_BINSTRING",
    "UNICODE",
    "SHORT_BINUNICODE",
    "BINUNICODE",
    "BINUNICODE8",
)
_PUSH_ARG = frozenset((*_NUMBERS, *_TEXTS, "BINBYTES", "SHORT_BINBYTES", "BINBYTES8", "BYTEARRAY8"))
_ACTIONS: dict[str, Callable[[_Machine, Any], Any]] = {
    "PROTO": _nothing,
    "FRAME": _nothing,
    "NONE": _push(lambda: None),
    "NEWTRUE": _push(lambda: True),
    "NEWFALSE": _push(lambda: False),
    "EMPTY_LIST": _push(list),
    "EMPTY_DICT": _push(dict),
    "EMPTY_TUPLE": _push(tuple),
    "MARK": _push(lambda: _MARK),
    "LIST": lambda machine, _: machine.push_list(machine.pop_to_mark()),
    "TUPLE": lambda machine, _: machine.push_tuple(machine.pop_to_mark()),
    "TUPLE1": _tuple(1),
    "TUPLE2": _tuple(2),
    "TUPLE3": _tuple(3),
    "DICT": _dict,
    "APPEND": _append,
    "APPENDS": _appends,
    "SETITEM": _set_item,
    "SETITEMS": lambda machine, _: machine.set_items(machine.pop_to_mark()),
    "GET": _get,
    "BINGET": _get,
    "LONG_BINGET": _get,
    "PUT": lambda machine, index: machine.put(index),
    "BINPUT": lambda machine, index: machine.put(index),
    "LONG_BINPUT": lambda machine, index: machine.put(index),
    "MEMOIZE": lambda machine, _: machine.put(len(machine.memo)),
    "POP": lambda machine, _: machine.stack.pop(),
    "POP_MARK": lambda machine, _: machine.pop_to_mark(),
    "DUP": _duplicate,
    "GLOBAL": lambda machine, arg: machine.stack.append(Unmade(arg.replace(" ", "."))),
    "STACK_GLOBAL": _stack_global,
    "REDUCE": lambda machine, _: machine.call(),
    "BUILD": lambda machine, _: machine.build(),
}
_UNWANTED = {
    "INST": "would make an object of a class on being unpickled (INST)",
    "OBJ": "would make an object of a class on being unpickled (OBJ)",
    "NEWOBJ": "would make an object of a class on being unpickled (NEWOBJ)",
    "NEWOBJ_EX": "would make an object of a class on being unpickled (NEWOBJ_EX)",
    "PERSID": "asks its reader for an object that is not in the file (PERSID)",
    "BINPERSID": "asks its reader for an object that is not in the file (BINPERSID)",
    "NEXT_BUFFER": "keeps its arrays outside of the file (NEXT_BUFFER)",
}
