"""Compare two models: inputs and outputs, ops, attributes, weights and guards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from .data_flow import Source, find_data_flow
from .graph import GraphGuard, GraphInputOrOutput, GraphOp, ModelGraph, format_value
from .match_ops import OpSignatures, comparison_key, match_ops

# Arrays are compared in parts, so that a comparison needs little memory.
ELEMENTS_PER_PART = 1 << 20


@dataclass
class Difference:
    """A difference of one thing, such as an op.

    details: what has changed, one line each; of an added or removed thing its description.
    """

    kind: Literal["added", "removed", "changed"]
    name: str
    details: list[str] = field(default_factory=list)


@dataclass
class ModelDiff:
    """The differences of two models, by section: "opsets" (of ONNX), "inputs", "outputs", "ops",
    "weights", "guards".

    num_equal: the number of equal things by section.
    """

    names: tuple[str, str]
    sections: dict[str, list[Difference]]
    num_equal: dict[str, int]

    def __bool__(self) -> bool:
        return any(self.sections.values())


def compare_models(a: ModelGraph, b: ModelGraph) -> ModelDiff:
    """Return the differences between two models of the same format."""
    return _Comparison(a, b).run()


class _Comparison:
    def __init__(self, a: ModelGraph, b: ModelGraph) -> None:
        self.a, self.b = a, b
        self.left = OpSignatures(a, find_data_flow(a))
        self.right = OpSignatures(b, find_data_flow(b))
        self.pairs = match_ops(self.left, self.right)
        self.added = set(self.right.numbers) - set(self.pairs.values())
        self.removed = set(self.left.numbers) - self.pairs.keys()
        self.parameter_pairs: dict[str, str] = {}
        self.num_equal: dict[str, int] = {}

    def run(self) -> ModelDiff:
        ops = self._compare_ops()  # which finds the pairs of parameters
        sections = {
            "opsets": self._compare_opsets(),
            "inputs": self._compare_arguments("inputs", self.a.inputs, self.b.inputs),
            "outputs": self._compare_outputs(),
            "ops": ops,
            "weights": self._compare_parameters(),
            "guards": self._compare_guards(),
        }
        return ModelDiff((self.a.name, self.b.name), sections, self.num_equal)

    def _compare_opsets(self) -> list[Difference]:
        """Compare the versions of the operator sets, on which the meaning of ops depends."""
        left, right = (_used_opsets(graph) for graph in (self.a, self.b))
        common = left.keys() & right.keys()
        found = [
            Difference("changed", domain or "ai.onnx", [f"{left[domain]} -> {right[domain]}"])
            for domain in sorted(common)
            if left[domain] != right[domain]
        ]
        self.num_equal["opsets"] = len(common) - len(found)
        return found

    # -- inputs and outputs

    def _compare_arguments(
        self, section: str, a: list[GraphInputOrOutput], b: list[GraphInputOrOutput]
    ) -> list[Difference]:
        found = []
        left, right = ({arg.name: arg for arg in args} for args in (a, b))
        for name, arg in left.items():
            if name not in right:
                found.append(Difference("removed", name, [str(arg.type)]))
            elif str(arg.type) != str(right[name].type):
                found.append(Difference("changed", name, [f"{arg.type} -> {right[name].type}"]))
        found += [
            Difference("added", name, [str(arg.type)])
            for name, arg in right.items()
            if name not in left
        ]
        common = [name for name in left if name in right]
        if common != [name for name in right if name in left]:
            found.append(
                Difference("changed", "order", [f"{', '.join(left)} -> {', '.join(right)}"])
            )
        self.num_equal[section] = len(left) - sum(d.kind != "added" for d in found)
        return found

    def _compare_outputs(self) -> list[Difference]:
        found = self._compare_arguments("outputs", self.a.outputs, self.b.outputs)
        sources = {
            arg.name: source
            for arg, source in zip(self.b.outputs, self.right.flow.outputs, strict=True)
        }
        for arg, source in zip(self.a.outputs, self.left.flow.outputs, strict=True):
            other = sources.get(arg.name)
            if other is not None and not self._is_same_or_explained(source, other):
                text = f"{self._text(source, self.left)} -> {self._text(other, self.right)}"
                found.append(Difference("changed", arg.name, [f"computed by {text}"]))
        names = {difference.name for difference in found if difference.kind != "added"}
        self.num_equal["outputs"] = sum(arg.name not in names for arg in self.a.outputs)
        return found

    # -- ops

    def _compare_ops(self) -> list[Difference]:
        found = []
        for number in self.left.numbers:
            if number in self.removed:
                found.append(self._op_difference("removed", number, self.left))
        for number in self.right.numbers:
            if number in self.added:
                found.append(self._op_difference("added", number, self.right))
        for left, right in self.pairs.items():
            details = [
                *self._attribute_changes(self.left.ops[left], self.right.ops[right]),
                *self._input_changes(left, right),
                *self._block_result_changes(left, right),
            ]
            if details:
                found.append(Difference("changed", self.right.describe(right), details))
        self.num_equal["ops"] = len(self.pairs) - sum(d.kind == "changed" for d in found)
        return found

    def _op_difference(
        self, kind: Literal["added", "removed"], number: int, side: OpSignatures
    ) -> Difference:
        op = side.ops[number]
        details = [
            f"{slot}: {', '.join(self._text(source, side) for source in sources)}"
            for slot, sources in side.inputs(number).items()
        ]
        details += [f"{name} = {format_value(v)}" for name, v in op.significant_attrs.items()]
        return Difference(kind, side.describe(number), details)

    def _attribute_changes(self, a: GraphOp, b: GraphOp) -> Iterator[str]:
        for name in sorted(a.significant_attrs.keys() | b.significant_attrs.keys()):
            left, right = (op.significant_attrs.get(name, op.attrs.get(name)) for op in (a, b))
            if comparison_key(left) != comparison_key(right):
                before, after = (
                    "default" if value is None else format_value(value) for value in (left, right)
                )
                yield f"{name}: {before} -> {after}"

    def _input_changes(self, left: int, right: int) -> Iterator[str]:
        a, b = self.left.inputs(left), self.right.inputs(right)
        for slot in dict.fromkeys([*a, *b]):
            before, after = a.get(slot, []), b.get(slot, [])
            for source, other in zip(before, after, strict=False):
                if source.kind == other.kind == "parameter":
                    self.parameter_pairs.setdefault(source.slot, other.slot)
            if len(before) != len(after) or not all(map(self._is_same_or_explained, before, after)):
                old, new = (
                    ", ".join(self._text(source, side) for source in sources) or "none"
                    for sources, side in ((before, self.left), (after, self.right))
                )
                yield f"input {slot}: {old} -> {new}"

    def _block_result_changes(self, left: int, right: int) -> Iterator[str]:
        """Yield what changed in the results of the sub-blocks of an op."""
        blocks = (side.flow.sub_blocks.get(n, []) for side, n in self._sides(left, right))
        for index, pair in enumerate(zip(*blocks, strict=False)):
            before, after = (
                side.flow.block_results[block]
                for (side, _), block in zip(self._sides(left, right), pair, strict=True)
            )
            if len(before) != len(after):
                yield f"results of block {index}: {len(before)} -> {len(after)}"
            for position, (old, new) in enumerate(zip(before, after, strict=False)):
                if not self._is_same_or_explained(old, new):
                    text = f"{self._text(old, self.left)} -> {self._text(new, self.right)}"
                    yield f"result {position} of block {index}: {text}"

    def _sides(self, left: int, right: int) -> tuple[tuple[OpSignatures, int], ...]:
        return (self.left, left), (self.right, right)

    def _is_same_or_explained(self, a: Source, b: Source) -> bool:
        """Whether two inputs are the same, or differ because of an op that was added or removed."""
        if a.op in self.removed or b.op in self.added:
            return True
        if a.loop_variable != b.loop_variable:
            return False
        if a.kind == b.kind == "parameter":
            return self.parameter_pairs.get(a.slot, b.slot) == b.slot
        if a.kind == b.kind == "op":
            return self.pairs.get(a.op) == b.op and (a.slot, a.position) == (b.slot, b.position)
        if a.kind == b.kind == "input":
            return a.slot == b.slot or a.position == b.position
        return a.kind == b.kind and a.position == b.position

    def _text(self, source: Source, side: OpSignatures) -> str:
        if source.kind == "op":
            num_outputs = len(list(side.ops[source.op].output_names()))
            output = f" output {source.slot}[{source.position}]" if num_outputs > 1 else ""
            return side.describe(source.op) + output
        if source.kind == "parameter":
            return f"parameter {side.graph.parameters[source.slot].layer_name or source.slot}"
        return f"{source.kind} {source.slot}" if source.kind else source.slot or "none"

    # -- weights

    def _compare_parameters(self) -> list[Difference]:
        pairs = dict(self.parameter_pairs)
        taken = set(pairs.values())
        by_layer_name = {p.layer_name: n for n, p in self.b.parameters.items() if p.layer_name}
        for name, parameter in self.a.parameters.items():
            for other in (by_layer_name.get(parameter.layer_name), name):
                if name not in pairs and other in self.b.parameters and other not in taken:
                    pairs[name] = other
                    taken.add(other)
        found = [
            Difference("removed", p.layer_name or name, [str(p.type)])
            for name, p in self.a.parameters.items()
            if name not in pairs
        ]
        found += [
            Difference("added", p.layer_name or name, [str(p.type)])
            for name, p in self.b.parameters.items()
            if name not in taken
        ]
        for name, other in pairs.items():
            details = self._parameter_changes(name, other)
            if details:
                parameter = self.b.parameters[other]
                found.append(Difference("changed", parameter.layer_name or other, details))
        self.num_equal["weights"] = len(pairs) - sum(d.kind == "changed" for d in found)
        return found

    def _parameter_changes(self, a: str, b: str) -> list[str]:
        left, right = self.a.parameters[a], self.b.parameters[b]
        details = []
        if left.layer_name != right.layer_name and left.layer_name and right.layer_name:
            details.append(f"name in the layer: {left.layer_name} -> {right.layer_name}")
        if left.type != right.type:
            details.append(f"{left.type} -> {right.type}")
        if left.type.shape == right.type.shape:
            difference = describe_array_difference(self.a.values[a], self.b.values[b])
            if difference:
                details.append(difference)
        return details

    # -- guards

    def _compare_guards(self) -> list[Difference]:
        left, right = (self._guards_by_condition(graph) for graph in (self.a, self.b))
        a, b = (Counter({key: len(g) for key, g in side.items()}) for side in (left, right))
        self.num_equal["guards"] = (a & b).total()
        return [
            *(Difference("removed", str(left[key][-1])) for key in (a - b).elements()),
            *(Difference("added", str(right[key][-1])) for key in (b - a).elements()),
        ]

    def _guards_by_condition(self, graph: ModelGraph) -> dict[tuple[str, str], list[GraphGuard]]:
        """Return the guards by condition, and by variable if it is an input: other variables may
        have any name.
        """
        inputs = {arg.name for arg in graph.inputs}
        found: dict[tuple[str, str], list[GraphGuard]] = {}
        for guard in graph.guards:
            name = guard.variable if guard.variable in inputs else ""
            found.setdefault((name, guard.condition), []).append(guard)
        return found


def _used_opsets(graph: ModelGraph) -> dict[str, int]:
    """Return the versions of the operator sets whose ops the graph contains."""
    domains = {op.type.rpartition(".")[0] for op in graph.ops()}
    opsets = {domain.removeprefix("ai.onnx"): v for domain, v in graph.opsets.items()}
    return {domain: version for domain, version in opsets.items() if domain in domains}


def describe_array_difference(a: Any, b: Any) -> str:
    """Return the largest difference between two arrays of one shape, and the number of elements
    that differ; '' if all are equal. NaN equals NaN.
    """
    left, right = (np.asarray(array).reshape(-1) for array in (a, b))
    if left.dtype == right.dtype and left.dtype.kind not in "OSU" and _has_equal_bytes(left, right):
        return ""
    count, largest = 0, 0.0
    for start in range(0, left.size, ELEMENTS_PER_PART):
        x, y = (array[start : start + ELEMENTS_PER_PART] for array in (left, right))
        differs, distances = _distances(x, y)
        count += int(np.count_nonzero(differs))
        if distances.size:
            largest = max(largest, float(np.where(np.isnan(distances), np.inf, distances).max()))
    if not count:
        return ""
    text = f"{count:,} of {left.size:,} elements differ"
    return f"{text}, largest difference {largest:.3g}" if left.dtype.kind not in "OSU" else text


def _has_equal_bytes(a: Any, b: Any) -> bool:
    step = ELEMENTS_PER_PART
    return all(
        a[start : start + step].tobytes() == b[start : start + step].tobytes()
        for start in range(0, a.size, step)
    )


def _distances(x: Any, y: Any) -> tuple[Any, Any]:
    """Return where two arrays differ, and the distances of the elements there; of text, no
    distances.
    """
    kinds = x.dtype.kind + y.dtype.kind
    if set(kinds) & set("OSU"):
        return x != y, np.empty(0)
    if set(kinds) <= set("iub") and x.dtype == y.dtype:  # float64 has no 64-bit integers
        differs = x != y
        low, high = np.minimum(x, y)[differs], np.maximum(x, y)[differs]
        if x.dtype.kind == "b":
            return differs, np.ones(len(low))
        return differs, high.astype(np.uint64) - low.astype(np.uint64)  # modulo 2**64
    x, y = _as_wide_numbers(x), _as_wide_numbers(y)
    differs = ~((x == y) | ((x != x) & (y != y)))  # noqa: PLR0124 - NaN is not equal to itself
    with np.errstate(invalid="ignore", over="ignore"):
        return differs, np.abs(x[differs] - y[differs])


def _as_wide_numbers(array: Any) -> Any:
    """Return an array as float64 or complex128, in which differences can be computed."""
    return array.astype(np.complex128 if array.dtype.kind == "c" else np.float64)


def summarize(diff: ModelDiff) -> str:
    """Return one line: the number of differences by section."""
    if not diff:
        equal = ", ".join(
            f"{n} {section.removesuffix('s') if n == 1 else section}"
            for section, n in diff.num_equal.items()
            if n
        )
        return f"equal: {equal}"
    parts = []
    for section, found in diff.sections.items():
        counts = Counter(difference.kind for difference in found)
        if counts:
            text = ", ".join(f"{n} {kind}" for kind, n in sorted(counts.items()))
            parts.append(f"{section}: {text}, {diff.num_equal[section]} equal")
    return "; ".join(parts)
