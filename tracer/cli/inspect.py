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
from ..utils.terminal import make_console

MAX_PARAMETERS = 40


def show_model(prefix: str, program: bool) -> None:
    """Print tables of the content of a model, or the program as text if `program` is True.

    prefix: of a model, or the path of an .onnx or .ort file
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
    out.print(_parameters_table(files))
    out.print(_ops_table(files))
    contract = files.program.contract
    if contract is not None:
        status = f"written by {contract.producer}; {contract.verified or 'not verified'}"
        out.print(status, markup=False, highlight=False)
        for dim in NamedDimensions((arg.name, arg.dims) for arg in contract.inputs).dims:
            out.print(f"dim: {dim.name}: {dim.describe_sizes()}", markup=False, highlight=False)
        for g in contract.guards:
            out.print(
                f"guard: {g.var} {g.reader} == {g.expected}, read at {g.where}: {g.text}",
                markup=False,
                highlight=False,
            )


def _inputs_outputs_table(files: ModelFileContents) -> Table:
    table = Table("", "name", "type", "path", title=Text(files.name))
    program = files.program
    contract = program.contract
    for direction, names, args, row_split_names in (
        (
            "input",
            program.feed_names(),
            contract.inputs if contract else [],
            make_row_splits_input_specs(files),
        ),
        ("output", program.fetch_names(), contract.outputs if contract else [], []),
    ):
        declared = args or [
            ContractInputOrOutput(n, program.block.vars[n].dtype, program.block.vars[n].shape)
            for n in names
        ]
        for arg in declared + row_split_names:
            table.add_row(
                direction,
                Text(escape_control_characters(arg.name)),
                Text(f"{arg.dtype}{format_shape(arg.shape, arg.dims)}"),
                Text(escape_control_characters(arg.path)),
            )
    return table


def _parameters_table(files: ModelFileContents) -> Table:
    total = sum(a.nbytes for a in files.values.values())
    count = sum(int(np.prod(a.shape)) for a in files.values.values())
    table = Table(
        "parameter",
        "type",
        "name in the layer",
        title=f"{len(files.values)} arrays, {count:,} elements, {total / 1e6:.2f} MB",
    )
    for name, array in list(files.values.items())[:MAX_PARAMETERS]:
        row = (files.info or {}).get(name)
        kind = f"{DTYPE_BY_NP[array.dtype].name}{format_shape(array.shape)}"
        table.add_row(Text(name), Text(kind), Text(row.structured_name if row else ""))
    if len(files.values) > MAX_PARAMETERS:
        table.add_row("...", "", "")
    return table


def _ops_table(files: ModelFileContents) -> Table:
    lowered = set(runtime_module().convertible_op_types())
    counts = Counter(op.type for op in files.program.ops() if not is_feed_or_fetch(op.type))
    table = Table("op", "count", "engine", "interpreter", title=f"{sum(counts.values())} ops")
    for name, count in sorted(counts.items()):
        table.add_row(
            Text(name),
            str(count),
            "yes" if name in lowered else "no",
            "yes"
            if name in OPS or name in LOWERING_RULES or name in MULTI_INSTRUCTION_RULES
            else "no",
        )
    return table
