"""Programs of any size, one family for each quantity that could make the work superlinear."""

from __future__ import annotations

from collections.abc import Callable

from oarlock.ir.dim import Dim
from oarlock.ir.program import (
    Attr,
    AttrType,
    Block,
    Contract,
    ContractInputOrOutput,
    Guard,
    OpDesc,
    Program,
    VarDesc,
    VarKind,
)


def _program() -> Program:
    block = Block(0, -1)
    block.vars["feed"] = VarDesc("feed", (), "", VarKind.FEED, persistable=True)
    block.vars["fetch"] = VarDesc("fetch", (), "", VarKind.FETCH, persistable=True)
    return Program([block], 2006002)


def _declare(
    block: Block, name: str, dtype: str = "float32", shape: tuple[int, ...] = (2, 3)
) -> str:
    block.vars[name] = VarDesc(name, shape, dtype)
    return name


def _feed(
    program: Program, name: str, dtype: str = "float32", shape: tuple[int, ...] = (2, 3)
) -> str:
    col = sum(op.type == "feed" for op in program.block.ops)
    _declare(program.block, name, dtype, shape)
    program.block.ops.append(
        OpDesc("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": Attr(AttrType.INT, col)})
    )
    return name


def _fetch(program: Program, names: list[str]) -> Program:
    for col, name in enumerate(names):
        program.block.ops.append(
            OpDesc("fetch", {"X": [name]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, col)})
        )
    return program


def _call(block: Block, type: str, x: str, out: str, dtype: str = "float32", **attrs: Attr) -> str:
    block.ops.append(OpDesc(type, {"X": [x]}, {"Out": [_declare(block, out, dtype)]}, attrs))
    return out


def chain(n: int) -> Program:
    """n ops, each of which reads the previous result."""
    program = _program()
    x = _feed(program, "x")
    for i in range(n):
        x = _call(program.block, "relu", x, f"y{i}")
    return _fetch(program, [x])


def outputs(n: int) -> Program:
    """n results, all of them outputs."""
    program = _program()
    x = _feed(program, "x")
    return _fetch(program, [_call(program.block, "relu", x, f"y{i}") for i in range(n)])


def same_output(n: int) -> Program:
    """One result that is n outputs."""
    program = _program()
    return _fetch(program, [_call(program.block, "relu", _feed(program, "x"), "y")] * n)


def inputs(n: int) -> Program:
    """n inputs, each of which is an output as it is."""
    program = _program()
    return _fetch(program, [_feed(program, f"x{i}") for i in range(n)])


def inputs_with_lod(n: int) -> Program:
    """n inputs of packed sequences."""
    program = _program()
    names = [_feed(program, f"x{i}", shape=(-1, 3)) for i in range(n)]
    for name in names:
        program.block.vars[name].lod_level = 1
    return _fetch(program, [_call(program.block, "relu", name, f"{name}.y") for name in names])


def inputs_with_names(n: int) -> Program:
    """n inputs, each with a dimension of its own name and one of a common name."""
    program = _program()
    names = [_feed(program, f"x{i}", shape=(-1, -1)) for i in range(n)]
    results = [_call(program.block, "relu", name, f"{name}.y") for name in names]
    _fetch(program, results)
    contract = Contract(output_tree=str(list(range(n))))
    contract.inputs = [
        ContractInputOrOutput(name, "float32", (-1, -1), name, (Dim("n", 1, 8), Dim(f"d{i}")))
        for i, name in enumerate(names)
    ]
    contract.outputs = [ContractInputOrOutput(name, "float32", (-1, -1)) for name in results]
    program.contract = contract
    return program


def guards(n: int) -> Program:
    """n results, each with a guard on its value."""
    program = outputs(n)
    for var in program.block.vars.values():
        var.shape = ()
    contract = Contract(output_tree=str(list(range(n))))
    contract.inputs = [ContractInputOrOutput("x", "float32", ())]
    contract.outputs = [ContractInputOrOutput(f"y{i}", "float32", ()) for i in range(n)]
    contract.guards = [
        Guard("value", f"y{i}", 0, "1.0", "float()", "a.py:1", "x") for i in range(n)
    ]
    program.contract = contract
    return program


def _branches(
    program: Program, block: Block, at: str, dtypes: tuple[str, str], inner: int = 0
) -> str:
    """Append an `if` and an `else` to `block`, with `inner` more nested in the `if`."""
    negated = _call(block, "logical_not", "c", f"{at}.not", "bool")
    for side, condition, dtype in ((1, "c", dtypes[1]), (0, negated, dtypes[0])):
        body = Block(len(program.blocks), block.idx)
        program.blocks.append(body)
        name = _declare(block, f"{at}.{side}", dtype)
        x = "x"
        if inner:
            x = _branches(program, body, f"{at}/{side}", dtypes, inner - 1 if side else 0)
        cast = {
            "in_dtype": Attr(AttrType.INT, 5),
            "out_dtype": Attr(AttrType.INT, {"float32": 5, "bool": 0}[dtype]),
        }
        body.ops.append(OpDesc("cast", {"X": [x]}, {"Out": [name]}, cast))
        _declare(block, f"{at}.{side}.scope")
        attrs = {
            "sub_block": Attr(AttrType.BLOCK, body.idx),
            "is_scalar_condition": Attr(AttrType.BOOLEAN, True),
        }
        reads = {"Cond": [condition], "Input": ["x"]}
        block.vars[f"{at}.{side}.scope"].kind = VarKind.STEP_SCOPES
        block.ops.append(
            OpDesc(
                "conditional_block", reads, {"Out": [name], "Scope": [f"{at}.{side}.scope"]}, attrs
            )
        )
    mask = _call(block, "cast", "c", f"{at}.mask", "int32", out_dtype=Attr(AttrType.INT, 2))
    selected = _declare(block, at)
    block.ops.append(
        OpDesc("select_input", {"X": [f"{at}.0", f"{at}.1"], "Mask": [mask]}, {"Out": [selected]})
    )
    return selected


def _conditional() -> Program:
    program = _program()
    _feed(program, "x")
    _feed(program, "c", "bool", ())
    return program


def branches(n: int) -> Program:
    """n pairs of `if` and `else` in sequence."""
    program = _conditional()
    return _fetch(
        program,
        [_branches(program, program.block, f"y{i}", ("float32", "float32")) for i in range(n)][-1:],
    )


def nested_branches(n: int) -> Program:
    """n pairs of `if` and `else`, each nested in the `if` of the previous one."""
    program = _conditional()
    return _fetch(program, [_branches(program, program.block, "y", ("float32", "float32"), n)])


def nested_branches_of_two_dtypes(n: int) -> Program:
    """As nested_branches, with another dtype in each `else`."""
    program = _conditional()
    return _fetch(program, [_branches(program, program.block, "y", ("bool", "float32"), n)])


def branch_with_many_results(n: int) -> Program:
    """A conditional block with n results."""
    program = _conditional()
    body = Block(1, 0)
    program.blocks.append(body)
    names = [_declare(program.block, f"y{i}") for i in range(n)]
    for name in names:
        body.ops.append(OpDesc("relu", {"X": ["x"]}, {"Out": [name]}))
    attrs = {
        "sub_block": Attr(AttrType.BLOCK, 1),
        "is_scalar_condition": Attr(AttrType.BOOLEAN, True),
    }
    program.block.ops.append(
        OpDesc("conditional_block", {"Cond": ["c"], "Input": ["x"]}, {"Out": names}, attrs)
    )
    return _fetch(program, names)


def loop_with_many_variables(n: int) -> Program:
    """A loop that carries n variables."""
    program = _conditional()
    body = Block(1, 0)
    program.blocks.append(body)
    names = [_call(program.block, "relu", "x", f"y{i}") for i in range(n)]
    for name in names:
        body.ops.append(OpDesc("relu", {"X": [name]}, {"Out": [name]}))
    body.ops.append(OpDesc("logical_not", {"X": ["c"]}, {"Out": ["c"]}))
    attrs = {"sub_block": Attr(AttrType.BLOCK, 1)}
    program.block.ops.append(
        OpDesc("while", {"X": names, "Condition": ["c"]}, {"Out": [*names, "c"]}, attrs)
    )
    return _fetch(program, names)


def overwritten(n: int) -> Program:
    """One variable that n ops write."""
    program = _program()
    _feed(program, "x")
    for _ in range(n):
        program.block.ops.append(OpDesc("relu", {"X": ["x"]}, {"Out": ["x"]}))
    return _fetch(program, ["x"])


def many_operands(n: int) -> Program:
    """An op with n operands."""
    program = _program()
    x = _feed(program, "x")
    names = [_call(program.block, "relu", x, f"y{i}") for i in range(n)]
    program.block.ops.append(OpDesc("sum", {"X": names}, {"Out": [_declare(program.block, "s")]}))
    return _fetch(program, ["s"])


def same_operand(n: int) -> Program:
    """An op with one variable as n operands."""
    program = _program()
    x = _feed(program, "x")
    program.block.ops.append(OpDesc("sum", {"X": [x] * n}, {"Out": [_declare(program.block, "s")]}))
    return _fetch(program, ["s"])


def conditional_writes(n: int) -> Program:
    """n blocks in sequence that write one variable."""
    program = _conditional()
    result = _call(program.block, "relu", "x", "y")
    for i in range(n):
        body = Block(i + 1, 0)
        program.blocks.append(body)
        body.ops.append(OpDesc("relu", {"X": ["x"]}, {"Out": [result]}))
        attrs = {
            "sub_block": Attr(AttrType.BLOCK, i + 1),
            "is_scalar_condition": Attr(AttrType.BOOLEAN, True),
        }
        program.block.ops.append(
            OpDesc("conditional_block", {"Cond": ["c"], "Input": ["x"]}, {"Out": ["y"]}, attrs)
        )
    return _fetch(program, [result])


def nested_loops(n: int, results: int = 20) -> Program:
    """n nested loops; the innermost writes `results` variables of the outermost block."""
    program = _conditional()
    names = [_call(program.block, "relu", "x", f"y{i}") for i in range(results)]
    block = program.block
    for _ in range(n):
        body = Block(len(program.blocks), block.idx)
        program.blocks.append(body)
        attrs = {"sub_block": Attr(AttrType.BLOCK, body.idx)}
        block.ops.append(OpDesc("while", {"X": [], "Condition": ["c"]}, {"Out": ["c"]}, attrs))
        block = body
    block.ops += [OpDesc("relu", {"X": [name]}, {"Out": [name]}) for name in names]
    block.ops.append(OpDesc("logical_not", {"X": ["c"]}, {"Out": ["c"]}))
    return _fetch(program, names)


def without_lowering(n: int) -> Program:
    """n ops of unknown types."""
    program = _program()
    x = _feed(program, "x")
    for i in range(n):
        x = _call(program.block, f"unknown{i}", x, f"y{i}")
    return _fetch(program, [x])


FAMILIES: tuple[Callable[[int], Program], ...] = (
    chain, outputs, same_output, inputs, inputs_with_lod, inputs_with_names, guards, branches, branch_with_many_results,
    loop_with_many_variables, overwritten, many_operands, same_operand, conditional_writes, without_lowering,
)  # fmt: skip
NESTED: tuple[Callable[[int], Program], ...] = (nested_branches, nested_branches_of_two_dtypes)
