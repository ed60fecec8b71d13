"""Match the ops of two versions of a model. Names of variables do not matter, because another
version of a program may name them differently.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any, TypeAlias

import numpy as np

from ..ir.kernelless_op_traits import kernelless_op_traits_or_default
from .data_flow import DataFlow, Source
from .graph import GraphOp, ModelGraph

Signature: TypeAlias = tuple[Hashable, ...]

MAX_ALIGNMENT_STEPS = 20_000_000  # of SequenceMatcher, whose time is cubic for equal items


class OpSignatures:
    """Digests of the ops of a model, by number, that are equal for ops with the same role.

    numbers: of the ops in the order of execution.
    upstream: of an op and of everything it is computed from: types, attributes, shapes of
    parameters.
    downstream: of an op and of everything that is computed from it.
    parameters: the names of the parameters and buffers that an op reads.
    """

    def __init__(self, graph: ModelGraph, flow: DataFlow) -> None:
        self.graph, self.flow = graph, flow
        self.ops = list(graph.ops())
        self.upstream = [b""] * len(self.ops)
        self.downstream = [b""] * len(self.ops)
        self.parameters = [self._parameter_names(number) for number in range(len(self.ops))]
        self._depths = dict(_numbers_and_depths_in_order(graph, flow, 0, 0))
        self.numbers = numbers = list(self._depths)
        self._own = {number: _digest(self._own_parts(number)) for number in numbers}
        for number in numbers:
            self.upstream[number] = _digest([self._own[number], *self._input_parts(number)])
        uses = self._uses(numbers)
        for number in reversed(numbers):
            users = sorted(
                _digest([slot, position, use if isinstance(use, str) else self.downstream[use]])
                for slot, position, use in uses[number]
            )
            self.downstream[number] = _digest([self._own[number], *users])

    def inputs(self, number: int) -> dict[str, list[Source]]:
        """Return the sources of the inputs of an op, by slot. Variables that a sub-block reads are
        left out: they are inputs of the ops of the block.
        """
        found = self.flow.inputs[number]
        captures = kernelless_op_traits_or_default(self.ops[number].type).capture_slot
        if not captures:
            return found
        return {slot: sources for slot, sources in found.items() if slot != captures}

    def describe(self, number: int) -> str:
        """Return the type, the layer and the source line of an op."""
        op = self.ops[number]
        layer = f" in {'/'.join(op.layer)}" if op.layer else ""
        line = f" at {op.line.partition(': ')[0]}" if op.line else ""
        return f"{op.type} #{number}{layer}{line}"

    def _own_parts(self, number: int) -> Iterator[Any]:
        """Yield the type, the nesting depth, the attributes, and the op types of sub-blocks."""
        op = self.ops[number]
        yield op.type
        yield self._depths[number]
        for name, value in sorted(op.significant_attrs.items()):
            yield name
            yield comparison_key(value)
        for index in self.flow.sub_blocks.get(number, ()):
            yield from (inner.type for inner in self.graph.blocks[index].ops)

    def _input_parts(self, number: int) -> Iterator[Any]:
        for slot, sources in sorted(self.inputs(number).items()):
            for source in sources:
                yield slot
                yield from self._source_parts(source)

    def _source_parts(self, source: Source) -> tuple[Any, ...]:
        origin: tuple[Any, ...]
        match source.kind:
            case "op":
                origin = ("op", self.upstream[source.op], source.slot, source.position)
            case "parameter":
                origin = ("parameter", str(self.graph.parameters[source.slot].type))
            case _:
                origin = (source.kind, source.position)
        return (*origin, source.loop_variable)

    def _parameter_names(self, number: int) -> tuple[str, ...]:
        return tuple(
            self.graph.parameters[source.slot].layer_name or source.slot
            for _, sources in sorted(self.flow.inputs[number].items())
            for source in sources
            if source.kind == "parameter"
        )

    def _uses(self, numbers: Iterable[int]) -> dict[int, list[tuple[str, int, int | str]]]:
        """Return the uses of the results of each op: the output slot, the position, and the number
        of the op or, as text, the index of the output of the model or of its block.
        """
        uses: dict[int, list[tuple[str, int, int | str]]] = defaultdict(list)
        for number in numbers:
            for sources in self.flow.inputs[number].values():
                for source in sources:
                    if source.op >= 0:
                        uses[source.op].append((source.slot, source.position, number))
        returned = [("output", self.flow.outputs)]
        returned += [("block output", results) for results in self.flow.block_results.values()]
        for kind, sources in returned:
            for index, source in enumerate(sources):
                if source.op >= 0:
                    uses[source.op].append((source.slot, source.position, f"{kind} {index}"))
        return uses


def _numbers_and_depths_in_order(
    graph: ModelGraph, flow: DataFlow, block: int, depth: int
) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the ops in the order of execution, an op before its sub-blocks, and the
    depth of the block of each op.
    """
    first = flow.first_op[block]
    for number in range(first, first + len(graph.blocks[block].ops)):
        yield number, depth
        for inner in flow.sub_blocks.get(number, ()):
            yield from _numbers_and_depths_in_order(graph, flow, inner, depth + 1)


def comparison_key(value: Any) -> Hashable:
    """Return a key that is equal for equal values of attributes. NaN equals NaN."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, list):
        return tuple(comparison_key(item) for item in value)
    if isinstance(value, bool):
        return repr(int(value))
    if isinstance(value, np.float64):  # an attribute of double precision
        return repr(float(value))
    return repr(float(np.float32(value))) if isinstance(value, float) else repr(value)


def _digest(parts: Iterable[Any]) -> bytes:
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        data = part if isinstance(part, bytes) else repr(part).encode("utf-8", "backslashreplace")
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()


def match_ops(a: OpSignatures, b: OpSignatures) -> dict[int, int]:
    """Return the pairs of ops of `a` and `b` that have the same role, by the number in `a`.

    Ops are matched by digests, the strictest first. The remaining ops are aligned by type in the
    order of the programs.
    """
    pairs: dict[int, int] = {}
    keys: list[Callable[[OpSignatures, int], Signature]] = [
        lambda s, i: (s.upstream[i], s.downstream[i], s.parameters[i]),
        lambda s, i: (s.upstream[i], s.downstream[i]),
        lambda s, i: (s.upstream[i], s.parameters[i]),
        lambda s, i: (s.downstream[i], s.parameters[i]),
        lambda s, i: (s.upstream[i],),
        lambda s, i: (s.downstream[i],),
    ]
    for key in keys:
        _match_by_key(a, b, pairs, key)
    _match_by_order(a, b, pairs, lambda op: (op.type, op.layer))
    _match_by_order(a, b, pairs, lambda op: (op.type,))
    return pairs


def _match_by_key(
    a: OpSignatures,
    b: OpSignatures,
    pairs: dict[int, int],
    key: Callable[[OpSignatures, int], Signature],
) -> None:
    """Match the unmatched ops with equal keys, in the order of the programs. A key of different
    numbers of ops is ambiguous, and is left to later steps.
    """
    taken = set(pairs.values())
    groups: dict[Signature, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for i in a.numbers:
        if i not in pairs:
            groups[key(a, i)][0].append(i)
    for i in b.numbers:
        if i not in taken:
            groups[key(b, i)][1].append(i)
    for left, right in groups.values():
        if len(left) == len(right):
            pairs.update(zip(left, right, strict=True))


def _match_by_order(
    a: OpSignatures, b: OpSignatures, pairs: dict[int, int], key: Callable[[GraphOp], Signature]
) -> None:
    """Align the unmatched ops between two matched ones by key, in the order of the programs."""
    for left, right in _unmatched_between_pairs(a.numbers, b.numbers, pairs):
        keys = [key(a.ops[i]) for i in left], [key(b.ops[j]) for j in right]
        pairs.update((left[i], right[j]) for i, j in _align(*keys))


def _unmatched_between_pairs(
    a: list[int], b: list[int], pairs: dict[int, int]
) -> Iterator[tuple[list[int], list[int]]]:
    """Yield the numbers in `a` and `b` between two successive pairs that have the same order in
    both.
    """
    position = {number: k for k, number in enumerate(b)}
    matched = [(i, position[pairs[a[i]]]) for i in range(len(a)) if a[i] in pairs]
    taken = set(pairs.values())
    start_a = start_b = 0
    for i, j in [*_longest_increasing(matched), (len(a), len(b))]:
        left = [number for number in a[start_a:i] if number not in pairs]
        right = [number for number in b[start_b:j] if number not in taken]
        if left and right:
            yield left, right
        start_a, start_b = i + 1, j + 1


def _longest_increasing(points: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a longest subsequence whose second numbers increase."""
    ends: list[int] = []  # of a subsequence of each length, the smallest last second number
    last: list[int] = []  # the index of this point
    previous = [-1] * len(points)
    for index, (_, second) in enumerate(points):
        length = bisect_left(ends, second)
        previous[index] = last[length - 1] if length else -1
        ends[length : length + 1] = [second]
        last[length : length + 1] = [index]
    found = []
    index = last[-1] if last else -1
    while index >= 0:
        found.append(points[index])
        index = previous[index]
    return found[::-1]


def _align(a: list[Signature], b: list[Signature]) -> Iterator[tuple[int, int]]:
    """Yield the positions of equal keys in two lists, in the same order in both.

    If an alignment would take too long, the k-th key of a kind in `a` is paired with the k-th one
    in `b`.
    """
    counts_a, counts_b = Counter(a), Counter(b)
    num_equal = sum(count * counts_b[key] for key, count in counts_a.items())
    if num_equal * min(len(a), len(b)) <= MAX_ALIGNMENT_STEPS:
        matcher = SequenceMatcher(None, a, b, autojunk=False)
        for left, right, size in matcher.get_matching_blocks():
            yield from zip(range(left, left + size), range(right, right + size), strict=True)
        return
    positions: dict[Signature, deque[int]] = defaultdict(deque)
    for j, key in enumerate(b):
        positions[key].append(j)
    for i, key in enumerate(a):
        if positions[key]:
            yield i, positions[key].popleft()
