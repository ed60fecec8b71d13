"""`oarlock inspect`: print inputs, outputs, parameters, ops and guards of a model."""

from __future__ import annotations

from collections import Counter

import numpy as np
from rich.table import Table
from rich.text import Text

from ..compiler.lowering import LOWERING_RULES, MULTI_INSTRUCTION_RULES
from ..core.dtype import DTYPE_BY_NP
from ..core.op import OPS
from ..ir.dim import NamedDimensions, format_shape
from ..ir.kernelless_op_traits import is_feed_or_fetch
from ..ir.program import ContractInputOrOutput
from ..loader.engine import make_row_splits_input_specs
from ..loader.escape_control_characters import escape_control_characters
from ..loader.model_files import ModelFileContents, read_model
from ..loader.runtime import runtime_module
from ..utils.terminal import make_console, make_table

MAX_PARAMETERS = 40


def show_model(prefix: str, program: bool, all_parameters: bool = False) -> None:
    """Print tables of the content of a model, or the program as text if `program` is True.

    prefix: of a model, or the path of an .onnx or .ort file
    all_parameters: print every parameter, and then the program
    """
    if prefix.endswith((".onnx", ".ort")):
        from .inspect_graph import show_graph  # noqa: PLC0415

        show_graph(prefix)
        return
    files = read_model(prefix)
    if program:
        print(files.program)
        return
    out = make_console(soft_wrap=True)
    out.print(_inputs_outputs_table(files))
    out.print(_parameters_table(files, len(files.values) if all_parameters else MAX_PARAMETERS))
    out.print(_ops_table(files))
    contract = files.program.contract
    if contract is not None:
        status = f"written by {contract.producer}; verification: {contract.verified or 'none'}"
        out.print(status, markup=False, highlight=False)
        for dim in NamedDimensions((arg.name, arg.dims) for arg in contract.inputs).dims:
            out.print(f"dim: {dim.name}: {dim.describe_sizes()}", markup=False, highlight=False)
        for g in contract.guards:
            out.print(f"guard: {g}", markup=False, highlight=False)
    if all_parameters:
        print(files.program)


def input_and_output_specs(
    files: ModelFileContents,
) -> tuple[list[ContractInputOrOutput], list[ContractInputOrOutput]]:
    """Return the inputs of a model, row splits included, and its outputs."""
    program = files.program
    contract = program.contract

    def declared(names: list[str]) -> list[ContractInputOrOutput]:
        variables = [program.block.vars[name] for name in names]
        return [ContractInputOrOutput(v.name, v.dtype, v.shape) for v in variables]

    inputs = (contract.inputs if contract else []) or declared(program.feed_names())
    outputs = (contract.outputs if contract else []) or declared(program.fetch_names())
    return inputs + make_row_splits_input_specs(files), outputs


def _inputs_outputs_table(files: ModelFileContents) -> Table:
    title = Text(escape_control_characters(files.name))
    table = make_table("", "name", "type", "argument or result", title=title)
    inputs, outputs = input_and_output_specs(files)
    for direction, specs in (("input", inputs), ("output", outputs)):
        for spec in specs:
            table.add_row(
                direction,
                Text(escape_control_characters(spec.name)),
                Text(f"{spec.dtype}{format_shape(spec.shape, spec.dims)}"),
                Text(escape_control_characters(spec.path)),
            )
    return table


def _parameters_table(files: ModelFileContents, limit: int) -> Table:
    total = sum(a.nbytes for a in files.values.values())
    count = sum(int(np.prod(a.shape)) for a in files.values.values())
    table = make_table(
        "parameter",
        "type",
        "name in the layer",
        title=f"{len(files.values)} parameters, {count:,} elements, {total / 1e6:.2f} MB",
    )
    for name, array in list(files.values.items())[:limit]:
        row = (files.info or {}).get(name)
        kind = f"{DTYPE_BY_NP[array.dtype].name}{format_shape(array.shape)}"
        layer_name = escape_control_characters(row.structured_name if row else "")
        table.add_row(Text(escape_control_characters(name)), Text(kind), Text(layer_name))
    if len(files.values) > limit:
        table.add_row("...", "", "")
    return table


def lowered_op_types() -> set[str]:
    """Return the types of ops that can be converted to ONNX, which the engine runs."""
    return set(runtime_module().convertible_op_types())


def has_kernel(op_type: str) -> bool:
    """Whether the interpreter runs an op."""
    return op_type in OPS or op_type in LOWERING_RULES or op_type in MULTI_INSTRUCTION_RULES


def _ops_table(files: ModelFileContents) -> Table:
    lowered = lowered_op_types()
    counts = Counter(op.type for op in files.program.ops() if not is_feed_or_fetch(op.type))
    table = make_table("op", "count", "engine", "interpreter", title=f"{sum(counts.values())} ops")
    for name, count in sorted(counts.items()):
        table.add_row(
            Text(escape_control_characters(name)),
            str(count),
            "yes" if name in lowered else "no",
            "yes" if has_kernel(name) else "no",
        )
    return table
