"""`oarlock diff`: the differences of two models."""

from __future__ import annotations

import shutil
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import oarlock as paddle
from oarlock import nn
from oarlock.cli.main import app
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from oarlock.viewer.diff import ModelDiff, compare_models, describe_array_difference
from oarlock.viewer.diff_report import format_html, format_text
from oarlock.viewer.graph import GraphParameter, ModelGraph, TensorType
from oarlock.viewer.program_graph import graph_of_program

FIXTURES = Path(__file__).parents[1] / "fixtures"


class Net(nn.Layer):
    def __init__(self, extra: bool = False, stride: int = 1, width: int = 4) -> None:
        super().__init__()
        self.conv = nn.Conv2D(3, width, 3, stride=stride, padding=1, bias_attr=False)
        self.norm = nn.BatchNorm2D(width)
        self.head = nn.Linear(width, 2)
        self.extra = extra

    def forward(self, x: Any) -> Any:
        y = nn.functional.relu(self.norm(self.conv(x)))
        if self.extra:
            y = nn.functional.sigmoid(y)
        return self.head(y.mean([2, 3]))


def save(folder: Path, name: str, net: Net, state: Any = None, size: int = 8) -> str:
    if state is not None:
        net.set_state_dict(state)
    net.eval()
    prefix = str(folder / name)
    spec = paddle.static.InputSpec([None, 3, size, size], "float32", "image")
    paddle.jit.save(net, prefix, input_spec=[spec])
    return prefix


def diff(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["diff", *words])
    return done.exit_code, done.output


@pytest.fixture
def net() -> Net:
    return Net()


@pytest.fixture
def model(net: Net, tmp_path: Path) -> str:
    return save(tmp_path, "a", net)


def test_renamed_variables_are_no_difference(net: Net, model: str, tmp_path: Path) -> None:
    other = save(tmp_path, "b", Net(), net.state_dict())  # parameters with other generated names
    code, text = diff(model, other)
    assert (code, text) == (0, "equal: 6 ops, 1 input, 1 output, 7 weights\n")


def test_formats_of_paddle_2_and_3_are_compared(model: str, tmp_path: Path) -> None:
    target = str(tmp_path / "b")
    CliRunner().invoke(app, ["export", model, "--to", "paddle3", "-o", target])
    assert diff(model, f"{target}.json")[0] == 0


def test_a_model_is_compared_with_its_onnx_file(net: Net, model: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    CliRunner().invoke(app, ["export", model, "-o", f"{model}.onnx"])
    code, text = diff(model, f"{model}.onnx")
    assert code == 0, text
    other = save(tmp_path, "b", Net(extra=True), net.state_dict())
    code, text = diff(f"{model}.onnx", other)
    assert code == 1
    assert "  + Sigmoid #" in text


def test_added_and_removed_op(net: Net, model: str, tmp_path: Path) -> None:
    other = save(tmp_path, "b", Net(extra=True), net.state_dict())
    code, text = diff(model, other)
    lines = text.splitlines()
    assert code == 1
    assert lines[:4] == ["--- a.pdmodel", "+++ b.pdmodel", "ops:", lines[3]]
    assert lines[3].startswith("  + sigmoid #3 at test_diff.py:")
    assert lines[4:] == ["ops: 1 added, 6 equal"]
    code, text = diff(other, model)
    assert text.splitlines()[3].startswith("  - sigmoid #3 at test_diff.py:")


def test_changed_attribute_and_input(net: Net, model: str, tmp_path: Path) -> None:
    other = save(tmp_path, "b", Net(stride=2), net.state_dict(), size=16)
    code, text = diff(model, other)
    assert code == 1
    lines = [line.partition(" at ")[0] for line in text.splitlines()]
    assert lines[2:] == [
        "inputs:",
        "  ~ image",
        "      float32[?,3,8,8] -> float32[?,3,16,16]",
        "ops:",
        "  ~ conv2d #0 in conv",
        "      strides: [1, 1] -> [2, 2]",
        "inputs: 1 changed, 0 equal; ops: 1 changed, 5 equal",
    ]


def test_changed_weights(net: Net, model: str, tmp_path: Path) -> None:
    state = {name: value.numpy() for name, value in net.state_dict().items()}
    state["head.weight"][1, 0] += 0.5
    state["head.weight"][2, 1] -= 2
    code, text = diff(model, save(tmp_path, "b", Net(), state))
    assert code == 1
    assert text.splitlines()[2:] == [
        "weights:",
        "  ~ head.weight",
        "      2 of 8 elements differ, largest difference 2",
        "weights: 1 changed, 6 equal",
    ]


def test_changed_shape_of_weights(model: str, tmp_path: Path) -> None:
    code, text = diff(model, save(tmp_path, "b", Net(width=6)))
    assert code == 1
    assert "  ~ conv.weight\n      float32[4,3,3,3] -> float32[6,3,3,3]\n" in text
    assert "added" not in text
    assert "removed" not in text


def test_errors_have_the_exit_code_2(model: str) -> None:
    for path in ("nothing-here", "nothing-here.onnx"):
        code, text = diff(model, path)
        assert code == 2
        assert "nothing-here" in text


def test_page(net: Net, model: str, tmp_path: Path) -> None:
    other = save(tmp_path, "b", Net(extra=True), net.state_dict())
    code, _ = diff(model, other, "--html", str(tmp_path / "diff.html"))
    page = (tmp_path / "diff.html").read_text()
    assert code == 1
    assert "<td>added</td><td>sigmoid #3 at test_diff.py:" in page
    assert "<script" not in page


def test_texts_of_a_model_are_escaped() -> None:
    name = "<script>alert(1)</script>"
    b = graph_of_program(program([("relu", [0], 1)]), name, {}, {})
    a = replace(b, blocks=[replace(b.blocks[0], ops=[])])
    b.blocks[0].ops[0].type = name
    found = compare_models(a, b)
    assert found
    assert "<script" not in format_html(found)


def test_control_flow(tmp_path: Path) -> None:
    for suffix in (".pdmodel", ".pdiparams"):
        shutil.copy(FIXTURES / f"control{suffix}", tmp_path / f"a{suffix}")
    assert diff(str(FIXTURES / "control"), str(tmp_path / "a"))[0] == 0


# -- arrays


def test_differences_of_arrays() -> None:
    a = np.array([1, np.nan, np.inf, -0.0, 5], np.float32)
    assert not describe_array_difference(a, a.copy())
    assert not describe_array_difference(a, np.array([1, np.nan, np.inf, 0.0, 5], np.float32))
    b = np.array([1, 2, np.inf, 0, 5.5], np.float32)
    assert describe_array_difference(a, b) == "2 of 5 elements differ, largest difference inf"
    ints = np.array([1, 2], np.int64)
    assert (
        describe_array_difference(ints, ints + 1) == "2 of 2 elements differ, largest difference 1"
    )
    assert not describe_array_difference(ints, ints.astype(np.int32))
    big = np.zeros((1 << 20) + 3, np.float16)
    other = big.copy()
    other[-1] = 1
    text = "1 of 1,048,579 elements differ, largest difference 1"
    assert describe_array_difference(big, other) == text


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_integers_that_float64_does_not_distinguish(dtype: str) -> None:
    a = np.array([2**60, 0], dtype)
    b = np.array([2**60 + 1, np.iinfo(dtype).max], dtype)
    text = f"2 of 2 elements differ, largest difference {float(np.iinfo(dtype).max):.3g}"
    assert describe_array_difference(a, b) == text
    assert describe_array_difference(b, a) == text
    assert not describe_array_difference(a, a.copy())


def test_text_and_bools() -> None:
    text = np.array(["a", "b"], object)
    assert not describe_array_difference(text, text.copy())
    assert describe_array_difference(text, np.array(["a", "c"], object)) == "1 of 2 elements differ"
    found = describe_array_difference(np.array([True]), np.array([False]))
    assert found == "1 of 1 elements differ, largest difference 1"


# -- constants in programs


@pytest.mark.parametrize(
    ("dtype", "a", "b", "shown"),
    [
        ("int64", 2**24, 2**24 + 1, "16777216 -> 16777217"),
        ("int64", 2**53, 2**53 + 1, "9007199254740992 -> 9007199254740993"),
        ("float64", 0.1, 0.1000000001, "0.1 -> 0.1000000001"),
        ("float32", 0.1, 0.10000001, "0.1 -> 0.10000001"),
    ],
)
def test_constants_are_compared_in_their_precision(
    dtype: str, a: float, b: float, shown: str, tmp_path: Path
) -> None:
    spec = [paddle.static.InputSpec([2], dtype, "x")]
    prefixes = [str(tmp_path / name) for name in "ab"]
    for prefix, value in zip(prefixes, (a, b), strict=True):

        def add(x: Any, value: float = value) -> Any:
            return x + paddle.full([2], value, dtype)

        with pytest.warns(UserWarning, match="no parameters"):
            paddle.jit.save(add, prefix, input_spec=spec)
    code, text = diff(*prefixes)
    assert code == 1
    assert f"value: {shown}" in text
    assert diff(prefixes[0], prefixes[0])[0] == 0


# -- loops


def loop_of_swapped_results(swap: bool) -> Any:
    def loop(x: Any) -> Any:
        a, b = x, x * 2
        i = paddle.zeros([1], "int64")
        while i < 3:
            if swap:
                a, b = paddle.sin(b), a + 1.0
            else:
                a, b = a + 1.0, paddle.sin(b)
            i = i + 1
        return a, b

    return loop


def loop_of_swapped_reads(swap: bool) -> Any:
    def loop(x: Any) -> Any:
        a = b = x
        i = paddle.zeros([1], "int64")
        while i < 3:
            if swap:
                a, b = b + 1.0, paddle.sin(a)
            else:
                a, b = a + 1.0, paddle.sin(b)
            i = i + 1
        return a, b

    return loop


@pytest.mark.parametrize("make", [loop_of_swapped_results, loop_of_swapped_reads])
def test_variables_of_loops_that_are_swapped(make: Any, tmp_path: Path) -> None:
    prefixes = [str(tmp_path / name) for name in "ab"]
    for prefix, swap in zip(prefixes, (False, True), strict=True):
        spec = [paddle.static.InputSpec([2], "float32", "x")]
        with pytest.warns(UserWarning, match="no parameters"):
            paddle.jit.save(paddle.jit.to_static(make(swap)), prefix, input_spec=spec)
        done = CliRunner().invoke(app, ["export", prefix, "-o", f"{prefix}.onnx", "--inline"])
        assert done.exit_code == 0
    for suffix in ("", ".onnx"):
        assert diff(*(prefix + suffix for prefix in prefixes))[0] == 1
        assert diff(prefixes[0] + suffix, prefixes[0] + suffix)[0] == 0


# -- ONNX


def onnx_model(
    path: Path,
    nodes: Any,
    initializers: Any = (),
    functions: Any = (),
    opset: int = 17,
    sparse: Any = (),
) -> str:
    """Write a model x [4] -> y."""
    import onnx
    from onnx import TensorProto, helper

    values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [4]) for name in "xy"]
    graph = helper.make_graph(
        nodes, "g", values[:1], values[1:], initializers, sparse_initializer=sparse
    )
    opsets = [helper.make_opsetid("", opset), helper.make_opsetid("my", 1)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, functions=functions), path)
    return str(path)


def branch(name: str, constant: float, op: str, output: str) -> Any:
    """A branch that computes `x + constant` and `op(x)`, and returns one of them."""
    from onnx import TensorProto, helper, numpy_helper

    nodes = [
        helper.make_node("Add", ["x", "c"], [f"{name}_sum"]),
        helper.make_node(op, ["x"], [f"{name}_op"]),
    ]
    result = helper.make_tensor_value_info(f"{name}_{output}", TensorProto.FLOAT, [4])
    initializer = numpy_helper.from_array(np.float32([constant]), "c")
    return helper.make_graph(nodes, name, [], [result], [initializer])


def model_of_kind(path: Path, kind: str, changed: bool) -> str:
    from onnx import helper, numpy_helper

    node = helper.make_node
    number = np.float32([2 if changed else 1])
    add = [node("Add", ["x", "w"], ["y"])]
    if kind in ("subgraph constant", "subgraph output"):
        constant = 2.0 if changed and kind == "subgraph constant" else 1.0
        output = "op" if changed and kind == "subgraph output" else "sum"
        branches = {
            "then_branch": branch("a", constant, "Neg", output),
            "else_branch": branch("b", 5.0, "Neg", "sum"),
        }
        nodes = [
            node("ReduceMax", ["x"], ["m"], keepdims=0),
            node("Cast", ["m"], ["k"], to=9),
            node("If", ["k"], ["y"], **branches),
        ]
        return onnx_model(path, nodes)
    if kind == "function":
        body = [node("Neg" if changed else "Abs", ["a"], ["b"])]
        function = helper.make_function(
            "my", "F", ["a"], ["b"], body, [helper.make_opsetid("", 17)]
        )
        calls = [node("F", ["x"], ["t"], domain="my"), node("F", ["t"], ["y"], domain="my")]
        return onnx_model(path, calls, functions=[function])
    if kind == "opset":
        softmax = [node("Softmax", ["x"], ["y"], axis=0)]
        return onnx_model(path, softmax, opset=11 if changed else 13)
    if kind == "sparse":
        indices = numpy_helper.from_array(np.array([1]))
        tensor = helper.make_sparse_tensor(numpy_helper.from_array(number, "w"), indices, [4])
        return onnx_model(path, add, sparse=[tensor])
    if kind == "text":
        tensor = numpy_helper.from_array(np.array([b"b" if changed else b"a"], object), "t")
        return onnx_model(path, [node("Neg", ["x"], ["y"])], [tensor])
    assert kind == "constant"
    value = node("Constant", [], ["w"], value=numpy_helper.from_array(number))
    return onnx_model(path, [value, *add])


@pytest.mark.parametrize(
    "kind",
    [
        *("subgraph constant", "subgraph output", "function", "opset", "sparse", "text"),
        "constant",
    ],
)
def test_differences_of_onnx_models(kind: str, tmp_path: Path) -> None:
    a = model_of_kind(tmp_path / "a.onnx", kind, False)
    b = model_of_kind(tmp_path / "b.onnx", kind, True)
    assert diff(a, a)[0] == 0
    assert diff(a, b)[0] == 1
    assert diff(b, a)[0] == 1
    assert CliRunner().invoke(app, ["view", b, "-o", str(tmp_path / "b.html")]).exit_code == 0


def test_missing_external_data_is_an_error(tmp_path: Path) -> None:
    import onnx
    from onnx import helper, numpy_helper

    tensor = numpy_helper.from_array(np.zeros(400, np.float32), "w")
    path = onnx_model(tmp_path / "a.onnx", [helper.make_node("Neg", ["x"], ["y"])], [tensor])
    model = onnx.load(path)
    onnx.save(model, path, save_as_external_data=True, location="a.data", size_threshold=0)
    assert diff(path, path)[0] == 0
    (tmp_path / "a.data").unlink()
    code, text = diff(path, path)
    assert code == 2
    assert "a.onnx: a tensor cannot be read" in text


def test_an_empty_onnx_file_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "a.onnx"
    path.write_bytes(b"")
    code, text = diff(str(path), str(path))
    assert code == 2
    assert "a.onnx: is not an ONNX model" in text


# -- properties

OP_TYPES = ["relu", "tanh", "elementwise_add", "scale"]


def program(ops: list[tuple[str, list[int], int]], prefix: str = "v") -> Program:
    """A program: per op its type, the distances to the values that it reads, and an attribute."""
    names = [f"{prefix}_in"]
    block = Block(vars={names[0]: VarDesc(names[0], (2, 3))})
    feed = {"col": Attr(AttrType.INT, 0)}
    block.ops.append(OpDesc("feed", {"X": ["feed"]}, {"Out": [names[0]]}, feed))
    for i, (kind, distances, value) in enumerate(ops):
        inputs = [names[max(len(names) - 1 - d, 0)] for d in distances]
        name = f"{prefix}_{i}"
        attrs = {"number": Attr(AttrType.INT, value)}
        block.ops.append(OpDesc(kind, {"X": inputs}, {"Out": [name]}, attrs))
        block.vars[name] = VarDesc(name, (2, 3))
        names.append(name)
    block.ops.append(OpDesc("fetch", {"X": [names[-1]]}, {"Out": ["fetch"]}, feed))
    return Program([block])


def graph_of_ops(ops: list[tuple[str, list[int], int]], prefix: str = "v") -> ModelGraph:
    """The graph of such a program, with one parameter that the first op reads."""
    made = program(ops, prefix)
    name = f"{prefix}_w"
    if len(made.block.ops) > 2:
        made.block.ops[1].inputs["Y"] = [name]
    values = {name: np.arange(4.0)}
    parameters = {name: GraphParameter(TensorType("float64", (4,)), 32)}
    graph = graph_of_program(made, "m", parameters, values)
    graph.inputs = [arg._replace(name="x") for arg in graph.inputs]
    graph.outputs = [arg._replace(name="y") for arg in graph.outputs]
    for op in graph.ops():
        for slots in (op.inputs, op.outputs):
            for slot, names in slots.items():
                slots[slot] = [{f"{prefix}_in": "x"}.get(n, n) for n in names]
    last = f"{prefix}_{len(ops) - 1}"
    for op in graph.ops():
        op.outputs = {
            s: ["y" if n == last else n for n in names] for s, names in op.outputs.items()
        }
    return graph


random_ops = st.lists(
    st.tuples(
        st.sampled_from(OP_TYPES),
        st.lists(st.integers(0, 5), min_size=1, max_size=2),
        st.integers(0, 1),
    ),
    min_size=1,
    max_size=12,
)


@given(random_ops)
def test_a_model_equals_itself_and_a_renamed_copy(ops: list[tuple[str, list[int], int]]) -> None:
    graph = graph_of_ops(ops)
    assert not compare_models(graph, deepcopy(graph))
    assert not compare_models(graph, graph_of_ops(ops, "renamed"))


@given(random_ops, st.data())
def test_an_edit_is_a_difference(ops: list[tuple[str, list[int], int]], data: Any) -> None:
    index = data.draw(st.integers(0, len(ops) - 1))
    kind, distances, value = ops[index]
    changed = [*ops[:index], (kind, distances, value + 7), *ops[index + 1 :]]
    found = compare_models(graph_of_ops(ops), graph_of_ops(changed))
    details = [detail for d in found.sections["ops"] for detail in d.details]
    assert found
    assert any("number" in detail for detail in details)
    found = compare_models(graph_of_ops(ops), graph_of_ops([*ops, ("sqrt", [0], 3)]))
    assert [d.name.split()[0] for d in found.sections["ops"] if d.kind == "added"] == ["sqrt"]
    assert_reports_agree(found)


def assert_reports_agree(found: ModelDiff) -> None:
    count = sum(len(differences) for differences in found.sections.values())
    assert sum(line.startswith(("  + ", "  - ", "  ~ ")) for line in format_text(found)) == count
    assert format_html(found).count("<tr class=") == count


def test_long_chains_whose_ends_differ() -> None:
    """No digest is equal, and most ops have the same type, so that an alignment would take long."""
    size = 2000
    chain = [("scale", [0], 0)] * size
    a = [("relu", [0], 0), *chain, ("relu", [0], 0)]
    b = [("tanh", [0], 0)]
    for k in range(size):
        b += [("scale", [0], 0), *([("relu", [0], 0)] if k % 3 == 0 else [])]
    b += [("tanh", [0], 0)]
    found = compare_models(graph_of_ops(a), graph_of_ops(b))
    kinds = [d.kind for d in found.sections["ops"] if "scale" in d.name]
    assert "added" not in kinds
    assert "removed" not in kinds
