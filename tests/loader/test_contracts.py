"""Contracts that the Python reader accepts; cpp_runtime/tests/contract_test.cpp reads the same
table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oarlock import FileError
from oarlock.export.pdmodel import CONTRACT_VERSION, CONTRACT_VERSION_WITH_DIMS
from oarlock.export.proto import CONTRACT_FIELD, ProgramDesc
from oarlock.loader.pdmodel import parse_program
from oarlock.loader.runtime import runtime_module

FIXTURES = Path(__file__).parents[1] / "fixtures"
ROWS: list[dict[str, Any]] = json.loads((FIXTURES / "contracts.json").read_text())
INPUTS = [["x", 5, [-1, 4], "x"]]
OUTPUTS = [
    ["save_infer_model/scale_0.tmp_0", 5, [-1, 3], "out.0"],
    ["save_infer_model/scale_1.tmp_0", 5, [-1, 8], "out.1"],
]


def varint(number: int) -> bytes:
    """A number as protobuf writes it."""
    found = b""
    while number > 127:
        found += bytes([number & 127 | 128])
        number >>= 7
    return found + bytes([number])


def model_with_contract(row: dict[str, Any]) -> bytes:
    """Return the model `mlp` with the contract of a row; missing entries are valid."""
    message = ProgramDesc()
    contract = message.contract
    contract.version = row.get("version", CONTRACT_VERSION)
    for args, rows in (
        (contract.inputs, row.get("inputs", INPUTS)),
        (contract.outputs, row.get("outputs", OUTPUTS)),
    ):
        for name, dtype, dims, path, *named_dims in rows:
            arg = args.add(name=name, dtype=dtype, dims=dims, path=path)
            for axis, dim, least, most, multiple in named_dims[0] if named_dims else ():
                arg.named_dims.add(axis=axis, name=dim, min=least, max=most, multiple=multiple)
    contract.output_tree = row.get("tree", "[0, 1]")
    for kind, var, axis, expected in row.get("guards", []):
        contract.guards.add(kind=kind, var=var, axis=axis, expected=expected)
    more = bytes.fromhex(row.get("bytes", ""))
    rest = varint(CONTRACT_FIELD << 3 | 2) + varint(len(more)) + more if more else b""
    return (FIXTURES / "mlp.pdmodel").read_bytes() + message.SerializeToString() + rest


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_contract_is_accepted_or_rejected(row: dict[str, Any]) -> None:
    data = model_with_contract(row)
    if row["accept"]:
        parse_program(data)
        runtime_module().describe(data, str(FIXTURES / "mlp.pdiparams"))
    else:
        with pytest.raises(FileError):
            parse_program(data)
        with pytest.raises(runtime_module().Error) as error:
            runtime_module().describe(data, str(FIXTURES / "mlp.pdiparams"))
        assert error.value.kind == "file"


SIZES = st.sampled_from(
    [-(1 << 63), -1, 0, 1, 2, 3, 31, 32, 33, 64, (1 << 31) - 1, 1 << 31, (1 << 63) - 1]
)
NAMES = st.sampled_from(["n", "h", "_", "", "2n", "a\n", "a\0", "x.0", "h" * 64, "h" * 65, "é"])
NAMED_DIMS = st.lists(
    st.tuples(st.integers(-1, 2), NAMES | st.text(max_size=3), SIZES, SIZES, SIZES), max_size=3
)


@given(
    version=st.integers(1, 2),
    dims=st.sampled_from([[-1, 4], [-1, -1], [2, 4], [-1], []]),
    named_dims=NAMED_DIMS,
    output_dims=st.just([]) | NAMED_DIMS,
)
def test_both_readers_agree_on_named_dimensions(
    version: int, dims: list[int], named_dims: list[Any], output_dims: list[Any]
) -> None:
    outputs = [[*OUTPUTS[0], output_dims], OUTPUTS[1]]
    row = {"version": version, "inputs": [["x", 5, dims, "x", named_dims]], "outputs": outputs}
    data = model_with_contract(row)
    try:
        program = parse_program(data)
    except FileError:
        program = None
    try:
        inputs = runtime_module().describe(data, str(FIXTURES / "mlp.pdiparams"))["inputs"]
    except runtime_module().Error as error:
        assert error.kind == "file"
        inputs = None
    assert (program is None) == (inputs is None)
    if program is not None and version == CONTRACT_VERSION_WITH_DIMS:
        assert program.contract is not None
        (dim,) = (dim for dim in program.contract.inputs[0].dims if dim is not None)
        assert inputs[0][2] == [dim.name, 4]  # only the first dimension of the program is dynamic


def test_large_contracts_of_named_dimensions_are_rejected_quickly() -> None:
    for row in (
        [[0, "n" * 10_000_000, 1, 8, 1]],
        [[0, f"n{i}", 1, 8, 1] for i in range(100_000)],
    ):
        data = model_with_contract({"version": 2, "inputs": [["x", 5, [-1, 4], "x", row]]})
        with pytest.raises(FileError) as error:
            parse_program(data)
        assert len(str(error.value)) < 1000
        with pytest.raises(runtime_module().Error) as failure:
            runtime_module().describe(data, str(FIXTURES / "mlp.pdiparams"))
        assert len(str(failure.value)) < 1000
