"""The graph of a model, in a form that does not depend on the file format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..ir.dim import format_shape

LayerPath: TypeAlias = tuple[str, ...]


class TensorType(NamedTuple):
    """The dtype and the shape of a tensor. A dynamic dimension is -1, or a str if it has a name."""

    dtype: str
    shape: tuple[int | str, ...] | None

    def __str__(self) -> str:
        if self.shape is None:
            return self.dtype
        sizes = ("?" if size == -1 else str(size) for size in self.shape)
        return f"{self.dtype}[{','.join(sizes)}]"


@dataclass
class GraphOp:
    """One op.

    node_name: the name of an ONNX node; '' in a program of Paddle.
    layer: the path of the layer that the op belongs to, which may be derived from the names of
    parameters.
    line: the line of the user's code; '' if unknown.
    blocks: the indices of its sub-blocks.
    significant_attrs: the attributes that affect results and have other values than the default.
    """

    type: str
    inputs: dict[str, list[str]]
    outputs: dict[str, list[str]]
    attrs: dict[str, Any] = field(default_factory=dict)
    node_name: str = ""
    layer: LayerPath = ()
    line: str = ""
    blocks: list[int] = field(default_factory=list)
    significant_attrs: dict[str, Any] = field(default_factory=dict)

    def output_names(self) -> Iterator[str]:
        """All names in the output slots."""
        for names in self.outputs.values():
            yield from names


@dataclass
class GraphBlock:
    """The ops of a block in the order of execution, and the types of the tensors it declares.

    inputs, outputs: the formal parameters and the results of a subgraph or function of ONNX.
    is_function: whether it is the body of a function, which sees no outer names.
    """

    ops: list[GraphOp] = field(default_factory=list)
    types: dict[str, TensorType] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    is_function: bool = False


class GraphParameter(NamedTuple):
    """The type, the size in bytes and the name in the layer of a parameter or buffer."""

    type: TensorType
    num_bytes: int
    layer_name: str = ""


class GraphInputOrOutput(NamedTuple):
    """A model input or output; `path` is its position in the nested arguments or results."""

    name: str
    type: TensorType
    path: str = ""


class GraphGuard(NamedTuple):
    """A value that Python code read while the program was recorded, and on which it relies.

    condition: such as `shape[0] == 4`.
    location: the line of the user's code.
    """

    variable: str
    condition: str
    location: str

    def __str__(self) -> str:
        return f"{self.variable} {self.condition}, read at {self.location}"


@dataclass
class ModelGraph:
    """A model of any format.

    blocks: the first is the outermost.
    facts: other information about the file, by name.
    values: the values of the parameters, by name; a value is read when it is used.
    opsets: the versions of the operator sets of ONNX, by domain.
    """

    name: str
    blocks: list[GraphBlock]
    inputs: list[GraphInputOrOutput]
    outputs: list[GraphInputOrOutput]
    parameters: dict[str, GraphParameter]
    values: Mapping[str, Any]
    facts: dict[str, str] = field(default_factory=dict)
    guards: list[GraphGuard] = field(default_factory=list)
    opsets: dict[str, int] = field(default_factory=dict)

    def ops(self) -> Iterator[GraphOp]:
        """The ops of all blocks."""
        return (op for block in self.blocks for op in block.ops)


def _format_float(value: float) -> str:
    """Return at least as many digits as distinguish a number from all others of its precision."""
    text = f"{value:.7g}"
    if isinstance(value, np.float64):
        return text if float(text) == value else repr(float(value))
    with np.errstate(over="ignore"):
        number = np.float32(value)
        return text if np.float32(text) == number else str(number)


def format_value(value: Any, max_length: int = 200) -> str:
    """Return the value of an attribute as text of at most `max_length` characters."""
    if isinstance(value, np.ndarray):
        array = np.asarray(value)
        kind = f"{array.dtype}{format_shape(array.shape)}"
        items = ", ".join(str(item) for item in array.reshape(-1)[:8].tolist())
        text = f"{kind} ({items}{', ...' if array.size > 8 else ''})"
    elif isinstance(value, float):
        text = _format_float(value)
    elif isinstance(value, list):
        parts = [format_value(item) for item in value[:64]]
        text = f"[{', '.join(parts)}{', ...' if len(value) > 64 else ''}]"
    else:
        text = str(value)
    return text if len(text) <= max_length else text[: max_length - 3] + "..."
