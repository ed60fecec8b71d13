"""ONNX and ORT files: targets, checks of the written file, and errors."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flatbuffers
import numpy as np
import onnx
import onnxruntime
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st
from onnxruntime.tools.ort_format_model import ort_model_processor

import oarlock as paddle
from oarlock import nn
from oarlock.core.errors import FileError, OpError, VerifyError
from oarlock.export.pdmodel import to_bytes
from oarlock.ir.program import Attr, AttrType
from oarlock.jit import to_static
from oarlock.loader.model_files import read_model
from oarlock.loader.pdmodel import load_program
from oarlock.loader.runtime import EngineError, UnsupportedError, runtime_module
from oarlock.onnx import ort_format
from oarlock.onnx import writer as onnx_writer
from oarlock.onnx.output_dim_names import name_output_dims_after_input_dims
from oarlock.onnx.target_engine_opsets import (
    NEWEST_OPSET,
    newest_common_opset,
    parse_target_engines,
)
from oarlock.onnx.writer import ExportOptions, write_onnx

SPEC = [paddle.static.InputSpec([None, 3, 8, 8], "float32", "image")]


@pytest.fixture(scope="module")
def net() -> Any:
    made = nn.Sequential(
        nn.Conv2D(3, 4, 3, padding=1),
        nn.BatchNorm2D(4),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(4 * 64, 5),
    )
    made.eval()
    return made


@pytest.fixture
def model(net: Any, tmp_path: Path) -> str:
    paddle.jit.save(net, str(tmp_path / "net"), SPEC)
    return str(tmp_path / "net")


@pytest.mark.parametrize("inline", [False, True])
def test_export_layer(net: Any, tmp_path: Path, inline: bool) -> None:
    paddle.onnx.export(net, str(tmp_path / "net"), SPEC, inline=inline)
    assert sorted(p.name for p in tmp_path.iterdir()) == (
        ["net.onnx"]
        if inline
        else ["net.onnx", "net.pdiparams", "net.pdiparams.info", "net.pdmodel"]
    )
    x = np.random.default_rng(0).random((2, 3, 8, 8)).astype("float32")
    session = onnxruntime.InferenceSession(
        str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"]
    )
    assert [i.name for i in session.get_inputs()] == ["image"]
    np.testing.assert_allclose(
        session.run(None, {"image": x})[0], net(paddle.to_tensor(x)).numpy(), atol=1e-5
    )
    made = onnx.load(str(tmp_path / "net.onnx"), load_external_data=False)
    for value in (made.graph.input[0], made.graph.output[0]):
        assert value.type.tensor_type.shape.dim[0].dim_param == "image.0"
    assert all(node.name for node in made.graph.node)
    names = [node.name for node in made.graph.node]
    assert len(set(names)) == len(names)
    assert list(dict.fromkeys(name.split("/")[0] for name in names)) == list("01234"), (
        "layers by their paths"
    )


@pytest.mark.parametrize(
    ("target", "opset"),
    [
        ("", 17),
        ("ort>=1.15,trt>=8.6,openvino", 15),
        ("ort>=1.8", 14),
        ("ONNXRuntime==1.7.2", 13),
        ("trt>=10", 17),
    ],
)
def test_lowest_sufficient_opset(model: str, target: str, opset: int) -> None:
    made = write_onnx(read_model(model), Path(f"{model}.onnx"), ExportOptions(target=target))
    assert made.opset == opset
    assert onnx.load(f"{model}.onnx", load_external_data=False).opset_import[0].version == opset


def test_op_raises_the_opset_up_to_the_target(tmp_path: Path) -> None:
    class Sample(nn.Linear):
        def forward(self, x: Any) -> Any:
            return paddle.tril(super().forward(x))

    prefix = str(tmp_path / "tril")
    paddle.jit.save(Sample(3, 3), prefix, [paddle.static.InputSpec([3, 3], "float32", "x")])
    files = read_model(prefix)
    assert onnx_writer.select_opset(files, ExportOptions(target="ort>=1.8")) == 14
    with pytest.raises(UnsupportedError, match="needs opset 14, not 13"):
        onnx_writer.select_opset(files, ExportOptions(target="ort>=1.7"))
    with pytest.raises(OpError, match="opset 20 is newer"):
        onnx_writer.select_opset(files, ExportOptions(opset=20, target="ort>=1.15"))


@pytest.mark.parametrize("text", ["tvm", "ort>1", "ort>=1.2", "ort>=x", "=="])
def test_unknown_targets_are_rejected(text: str) -> None:
    with pytest.raises(OpError, match="export: "):
        parse_target_engines(text)


@given(st.lists(st.sampled_from(["ort", "trt>=8.6", "openvino>=2023.1", "ort>=1.19"]), max_size=4))
def test_more_targets_do_not_raise_the_opset(texts: list[str]) -> None:
    found = newest_common_opset(parse_target_engines(",".join(texts)))
    assert found <= min(
        (newest_common_opset(parse_target_engines(t)) for t in texts), default=NEWEST_OPSET
    )


def test_file_with_wrong_results_is_removed(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = onnx_writer.onnx_bytes

    def other_weights(*args: Any) -> bytes:
        made = onnx.load_from_string(real(*args))
        next(i for i in made.graph.initializer if list(i.dims) == [5]).raw_data = np.ones(
            5, "f"
        ).tobytes()
        return made.SerializeToString()

    monkeypatch.setattr(onnx_writer, "onnx_bytes", other_weights)
    output = Path(f"{model}.onnx")
    with pytest.raises(
        VerifyError, match="net.onnx: compared with the model, output '.*' differs by"
    ):
        write_onnx(read_model(model), output, ExportOptions(inline=True))
    assert not output.exists()
    output.write_bytes(b"older")
    with pytest.raises(VerifyError):
        write_onnx(read_model(model), output, ExportOptions(inline=True))
    assert output.read_bytes() == b"older"


def test_ort_format_and_operator_config(model: str, net: Any) -> None:
    output = Path(f"{model}.ort")
    made = ort_format.write_ort_and_operator_config(read_model(model), output, ExportOptions())
    assert "largest difference" in made.check_report
    config = ort_format.operator_config_path(output).read_text().splitlines()
    assert "ai.onnx;11;Conv" in config
    x = np.random.default_rng(0).random((3, 3, 8, 8)).astype("float32")
    found = onnx_writer.open_session(output).run(None, {"image": x})[0]
    np.testing.assert_allclose(found, net(paddle.to_tensor(x)).numpy(), atol=1e-5)
    held = ort_format.read_ort_summary(output.read_bytes(), output.name)
    assert held.inputs == [("image", "float32", ["image.0", 3, 8, 8])]
    assert held.ops["Conv"] == 1


def test_unknown_sizes_of_ort_file(tmp_path: Path) -> None:
    """Sizes are names, `?` if unknown, and 0 is a size."""
    sizes = [
        onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s)
        for n, s in (("x", ["n", None, 0]), ("y", None))
    ]
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Relu", ["x"], ["y"])], "g", sizes[:1], sizes[1:]
    )
    opset = onnx.helper.make_opsetid("", 17)
    onnx.save(
        onnx.helper.make_model(graph, opset_imports=[opset], ir_version=8), tmp_path / "m.onnx"
    )
    ort_format.convert_to_ort(tmp_path / "m.onnx", tmp_path / "m.ort")
    held = ort_format.read_ort_summary((tmp_path / "m.ort").read_bytes(), "m.ort")
    assert held.inputs == [("x", "float32", ["n", "?", 0])]
    assert held.outputs == [("y", "float32", ["n", "?", 0])]


@pytest.mark.parametrize("cut", [0, 4, 9, 100, 0.5, 0.9])
def test_damaged_ort_file_is_rejected(model: str, cut: float) -> None:
    output = Path(f"{model}.ort")
    ort_format.write_ort_and_operator_config(read_model(model), output, ExportOptions(check=False))
    data = output.read_bytes()
    at = int(cut * len(data)) if isinstance(cut, float) else cut
    with pytest.raises(FileError, match=r"net\.ort"):
        ort_format.read_ort_summary(data[:at], output.name)


def nested_ort_file(depth: int) -> bytes:
    """Return an `.ort` file whose graphs reference the next one twice each: a few kB for 2^depth
    nodes.
    """
    builder, fbs = flatbuffers.Builder(1024), ort_model_processor.fbs

    def table(kind: Any, **fields: int) -> int:
        name = kind.__name__.rsplit(".", 1)[-1]
        getattr(kind, f"{name}Start")(builder)
        for field, value in fields.items():
            getattr(kind, f"{name}Add{field}")(builder, value)
        made: int = getattr(kind, f"{name}End")(builder)
        return made

    def several(start: Any, *items: int) -> int:
        start(builder, len(items))
        for item in items:
            builder.PrependUOffsetTRelative(item)
        made: int = builder.EndVector()
        return made

    graph = table(fbs.Graph)
    for _ in range(depth):
        inner = table(fbs.Attribute, G=graph)
        node = table(fbs.Node, Attributes=several(fbs.Node.NodeStartAttributesVector, inner, inner))
        graph = table(fbs.Graph, Nodes=several(fbs.Graph.GraphStartNodesVector, node))
    session = table(fbs.InferenceSession, Model=table(fbs.Model, Graph=graph))
    builder.Finish(session, file_identifier=b"ORTM")
    return bytes(builder.Output())


def test_ort_file_with_shared_tables_is_limited() -> None:
    assert sum(ort_format.read_ort_summary(nested_ort_file(4), "m.ort").ops.values()) == 15
    with pytest.raises(
        FileError, match=r"m\.ort: is damaged: ValueError: the file references the same tables"
    ):
        ort_format.read_ort_summary(nested_ort_file(64), "m.ort")


def test_file_rejected_by_the_engine(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"no model")
    with pytest.raises(EngineError, match=r"x\.onnx: ONNX Runtime rejects"):
        onnx_writer.open_session(tmp_path / "x.onnx")


def test_unknown_options_are_rejected(net: Any, tmp_path: Path) -> None:
    with pytest.raises(OpError, match="unknown options \\['opsett'\\]"):
        paddle.onnx.export(net, str(tmp_path / "net"), SPEC, opsett=3)
    paddle.onnx.export(
        net,
        str(tmp_path / "net"),
        SPEC,
        opset_version=18,
        enable_onnx_checker=False,
        deploy_backend="onnxruntime",
    )
    assert (
        onnx.load(str(tmp_path / "net.onnx"), load_external_data=False).opset_import[0].version
        == 18
    )


@pytest.mark.parametrize("name", ["net.pdmodel", "net.pdiparams", "net.pdiparams.info"])
def test_model_files_are_not_overwritten(model: str, name: str) -> None:
    output = Path(model).with_name(name)
    held = output.read_bytes()
    for write in (write_onnx, ort_format.write_ort_and_operator_config):
        with pytest.raises(OpError, match="is a file name that Paddle uses"):
            write(read_model(model), output, ExportOptions(inline=True))
    assert output.read_bytes() == held


def test_rejected_export_leaves_nothing(net: Any, tmp_path: Path) -> None:
    with pytest.raises(UnsupportedError, match="opset"):
        paddle.onnx.export(net, str(tmp_path / "net"), SPEC, opset_version=7)
    assert list(tmp_path.iterdir()) == []


class UpsampleByBranch(nn.Layer):
    """Doubles the size of an image, in one of two branches."""

    def forward(self, x: Any) -> Any:
        h, w = paddle.shape(x)[2:]
        if h != 4:
            y = nn.functional.interpolate(x, size=[h * 2, w * 2], mode="bilinear")
        else:
            y = x * 2
        return y


def test_sizes_computed_in_a_branch_are_checked(tmp_path: Path) -> None:
    spec = [paddle.static.InputSpec([None, 3, None, None], "float32", "image")]
    with pytest.warns(UserWarning, match="there are no parameters"):
        paddle.onnx.export(UpsampleByBranch(), str(tmp_path / "net"), spec)
    session = onnxruntime.InferenceSession(
        str(tmp_path / "net.onnx"), providers=["CPUExecutionProvider"]
    )
    for size in (4, 5):
        x = np.random.default_rng(0).random((2, 3, size, 3)).astype("float32")
        wanted = UpsampleByBranch()(paddle.to_tensor(x)).numpy()
        np.testing.assert_allclose(session.run(None, {"image": x})[0], wanted, atol=1e-6)


def test_deeply_nested_graph_is_unchanged() -> None:
    data = b""
    for _ in range(40):  # AttributeProto.g 6, NodeProto.attribute 5, GraphProto.node 1
        for tag in (0x32, 0x2A, 0x0A):
            data = bytes([tag]) + varint(len(data)) + data
    data = bytes([0x3A]) + varint(len(data)) + data  # ModelProto.graph 7
    with pytest.raises(DecodeError):
        onnx.load_from_string(data)
    assert name_output_dims_after_input_dims(data) == data


def varint(value: int) -> bytes:
    """A number in the wire format of protobuf."""
    encoded = b""
    while value > 127:
        encoded += bytes([value & 127 | 128])
        value >>= 7
    return encoded + bytes([value])


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_infinite_elements_do_not_become_nan(tmp_path: Path) -> None:
    def function(x: Any, row: Any, at: Any) -> Any:
        z = paddle.cast(x, "complex64")
        made = paddle.complex(x, row)
        return (
            paddle.scatter(x, at, x, overwrite=False),
            *(f(v) for v in (z, made, z + row) for f in (paddle.real, paddle.imag)),
        )

    specs = [
        paddle.static.InputSpec([2, 2], "float32", "x"),
        paddle.static.InputSpec([2], "float32", "row"),
        paddle.static.InputSpec([2], "int64", "at"),
    ]
    paddle.jit.save(to_static(function), str(tmp_path / "m"), specs)
    x, row = np.array([[np.inf, 1], [2, -np.inf]], "float32"), np.array([np.inf, 3], "float32")
    arguments = [paddle.to_tensor(a) for a in (x, row, np.array([1, 0]))]
    for found, expected in zip(
        paddle.jit.load(str(tmp_path / "m"))(*arguments), function(*arguments), strict=True
    ):
        np.testing.assert_array_equal(found.numpy(), expected.numpy())


@pytest.mark.filterwarnings("ignore:.*there are no parameters")
def test_negative_offset_of_crop_is_rejected(tmp_path: Path) -> None:
    spec = [paddle.static.InputSpec([4], "float32", "x")]
    paddle.jit.save(to_static(lambda x: paddle.crop(x, [2], [1])), str(tmp_path / "m"), spec)
    program = load_program(tmp_path / "m.pdmodel")
    (op,) = (op for op in program.block.ops if op.type == "crop_tensor")
    op.attrs["offsets"] = Attr(AttrType.INTS, [-1])
    with pytest.raises(runtime_module().Error, match="'offsets' has -1"):
        runtime_module().to_onnx(to_bytes(program), None, opset=17)


def test_program_of_paddle_3_is_not_overwritten(model: str, tmp_path: Path) -> None:
    with pytest.raises(OpError, match="is a file name that Paddle uses"):
        write_onnx(read_model(model), tmp_path / "net.json", ExportOptions(inline=True))
