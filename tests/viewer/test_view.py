"""`oarlock view`: the page of a model, opened in Chromium."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import oarlock as paddle
from oarlock import nn
from oarlock.cli.main import app
from oarlock.ir.program import Attr, AttrType, Block, OpDesc, Program, VarDesc
from oarlock.viewer.data_flow import find_data_flow
from oarlock.viewer.graph import ModelGraph
from oarlock.viewer.layer_paths import MAX_MEMBERS, LayerGroup, group_by_layer
from oarlock.viewer.page import make_page
from oarlock.viewer.program_graph import graph_of_program

FIXTURES = Path(__file__).parents[1] / "fixtures"
needs_chromium = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="Chromium is not installed"
)


class Residual(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2D(4, 4, 3, padding=1)
        self.norm = nn.BatchNorm2D(4)
        self.relu = nn.ReLU()

    def forward(self, x: Any) -> Any:
        return self.relu(x + self.norm(self.conv(self.relu(x))))


class Net(nn.Layer):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2D(3, 4, 3, padding=1)
        self.body = nn.Sequential(Residual(), Residual())
        self.head = nn.Linear(4, 2)

    def forward(self, x: Any) -> Any:
        return self.head(self.body(self.stem(x)).mean([2, 3]))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    net = Net()
    net.eval()
    prefix = str(tmp_path_factory.mktemp("model") / "net")
    spec = paddle.static.InputSpec([None, 3, 8, 8], "float32", "image")
    paddle.jit.save(net, prefix, input_spec=[spec])
    return prefix


def view(path: str, output: Path, *options: str) -> str:
    done = CliRunner().invoke(app, ["view", path, "-o", str(output), *options])
    assert done.exit_code == 0, done.output
    assert done.output.startswith(f"{output}: ")
    return output.read_text()


def data_of(page: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="model">(.*)</script>', page)
    assert found is not None
    return json.loads(found[1])


def dump_dom(page: Path, state: str = "") -> str:
    """The DOM after the script of a page has run, without the data and the scripts."""
    done = subprocess.run(
        [
            *("chromium", "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1400,900"),
            *("--virtual-time-budget=5000", "--dump-dom", f"file://{page}#{state}"),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert 'data-ready="true"' in done.stdout  # the script ran to its end
    return re.sub(r"(?s)<script.*?</script>", "", done.stdout)


def run_in_page(page: Path, script: str) -> str:
    """The DOM after a script that clicks and types, for which the policy of the page is removed."""
    text = re.sub(r"<meta http-equiv.*?>", "", page.read_text())
    changed = page.with_suffix(".test.html")
    changed.write_text(text.replace("</body>", f"<script>{script}</script></body>"))
    return dump_dom(changed)


def op_types_shown(dom: str) -> list[str]:
    return re.findall(r'data-op="\d+".*?<text class="title"[^>]*>([^<]*)<', dom)


# -- the content of a page


def test_page_of_pdmodel(model: str, tmp_path: Path) -> None:
    data = data_of(view(model, tmp_path / "page.html"))
    assert data["inputs"] == [["image", "float32[?,3,8,8]", "x"]]
    conv = data["ops"][0]
    assert (conv["type"], conv["layer"]) == ("conv2d", "stem")
    assert "test_view.py:" in conv["line"]
    assert ["strides", "[1, 1]"] in conv["attrs"]
    slots = dict(conv["inputs"])
    assert slots["Input"] == [["image", "float32[?,3,8,8]", "i0"]]
    ((name, kind, source),) = slots["Filter"]
    assert (kind, source) == ("float32[4,3,3,3]", "p")
    assert data["parameters"][name] == ["stem.weight", "float32[4,3,3,3]", 4 * 3 * 9 * 4]
    assert [m["id"] for m in data["tree"]["members"] if isinstance(m, dict)] == [
        "stem/",
        "body/",
        "head/",
    ]
    assert data["profile"] is None
    assert not any("kernels" in op for op in data["ops"])


def test_guards_are_in_the_page(tmp_path: Path) -> None:
    class Scaled(nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.linear = nn.Linear(2, 2)

        def forward(self, x: Any) -> Any:
            return self.linear(x) if x.sum() > 0 else x

    _, traced = paddle.jit.TracedLayer.trace(Scaled(), paddle.ones([2, 2]))
    traced.save_inference_model(str(tmp_path / "m"))
    (guard,) = data_of(view(str(tmp_path / "m"), tmp_path / "page.html"))["guards"]
    assert "bool() == True, read at " in guard
    assert "test_view.py:" in guard


def test_page_of_json_is_that_of_pdmodel(model: str, tmp_path: Path) -> None:
    target = str(tmp_path / "net3")
    done = CliRunner().invoke(app, ["export", model, "--to", "paddle3", "-o", target])
    assert done.exit_code == 0, done.output
    pages = [data_of(view(path, tmp_path / "page.html")) for path in (model, f"{target}.json")]
    shown = [[(op["type"], op["line"]) for op in page["ops"]] for page in pages]
    assert shown[0] == shown[1]
    assert pages[0]["parameterBytes"] == pages[1]["parameterBytes"]


def test_page_of_onnx(model: str, tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    path = Path(model).with_name("net.onnx")
    done = CliRunner().invoke(app, ["export", model, "-o", str(path)])
    assert done.exit_code == 0, done.output
    data = data_of(view(str(path), tmp_path / "page.html", "--profile", "--repeat", "2"))
    conv = data["ops"][0]
    assert (conv["type"], conv["layer"]) == ("Conv", "stem")
    assert dict(conv["inputs"])["W"][0][1:] == ["float32[4,3,3,3]", "p"]
    assert data["parameterBytes"] >= 1500  # of the file that the initializers refer to
    assert data["profile"]["inputs"] == ["image: float32[1,3,8,8]"]
    assert sum(len(op.get("kernels", [])) for op in data["ops"]) > 3


def test_profile(model: str, tmp_path: Path) -> None:
    np.savez(tmp_path / "in.npz", image=np.ones((2, 3, 8, 8), np.float32))
    options = ["--profile", "--repeat", "3", "--input", str(tmp_path / "in.npz")]
    data = data_of(view(model, tmp_path / "page.html", *options))
    assert data["profile"]["runs"] == 3
    assert data["profile"]["inputs"] == ["image: float32[2,3,8,8]"]
    # ONNX Runtime fuses batch_norm and relu into the convolution, whose time is that of the kernel
    kernels = {op["layer"]: op.get("kernels") for op in data["ops"] if op["type"] == "conv2d"}
    for layer, found in kernels.items():
        ((_, operator, milliseconds, calls, output_bytes, *_),) = found
        assert operator.endswith("Conv"), layer
        assert milliseconds > 0
        assert calls == 1
        assert output_bytes >= 2 * 4 * 8 * 8 * 4


def test_kernel_with_a_fused_activation_belongs_to_its_product(tmp_path: Path) -> None:
    """ONNX Runtime names the kernel of a product, bias and activation `fused NAME`."""
    net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    net.eval()
    prefix = str(tmp_path / "net")
    paddle.jit.save(net, prefix, input_spec=[paddle.static.InputSpec([None, 4], "float32", "x")])
    data = data_of(view(prefix, tmp_path / "page.html", "--profile", "--repeat", "2"))
    kernels = [op["kernels"][0][1] for op in data["ops"] if op["type"] == "matmul_v2"]
    assert kernels == ["FusedGemm", "Gemm"]
    assert data["profile"]["otherKernels"] == []


def test_time_of_a_loop_is_that_of_the_loop(tmp_path: Path) -> None:
    model = str(FIXTURES / "pir_control.json")
    np.savez(tmp_path / "in.npz", x=np.ones((2, 4), np.float32), count=np.array([5]))
    options = ["--profile", "--input", str(tmp_path / "in.npz")]
    data = data_of(view(model, tmp_path / "page.html", *options))
    (loop,) = [op for op in data["ops"] if op["type"] == "while"]
    assert [kernel[1] for kernel in loop["kernels"]] == ["Loop"]


def test_options_of_a_profile_need_it(model: str) -> None:
    done = CliRunner().invoke(app, ["view", model, "--shape", "image=1,3,8,8"])
    assert done.exit_code == 2
    assert "--input and --shape require --profile" in done.output.replace("\n", " ")


def test_missing_and_invalid_files(tmp_path: Path) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"\xff" * 30)
    for path in (tmp_path / "none", tmp_path / "none.onnx", tmp_path / "bad.onnx"):
        done = CliRunner().invoke(app, ["view", str(path), "-o", str(tmp_path / "page.html")])
        assert done.exit_code == 1
        assert "oarlock:" in done.output
    assert not (tmp_path / "page.html").exists()


# -- layers


def test_layers_without_paths_follow_from_parameter_names(model: str) -> None:
    from oarlock.loader.model_files import read_model
    from oarlock.viewer.program_graph import graph_of_model

    files = read_model(model)
    expected = [op.layer for op in graph_of_model(files).blocks[0].ops]
    for op in files.program.ops():
        op.layer_path = ""
    found = [op.layer for op in graph_of_model(files).blocks[0].ops]
    assert found[0] == ("stem",)
    assert {("body", "0", "conv"), ("body", "1", "norm")} < set(found)
    relus = [f for f, e in zip(found, expected, strict=True) if e == ("body", "1", "relu")]
    assert relus == [("body",), ()]  # the innermost layer of the parameters before and after it


def test_groups_are_contiguous() -> None:
    tree = group_by_layer([("a", "relu"), ("a", "conv"), ("a", "relu"), (), ("a", "relu")])
    first, op, second = tree.members
    assert isinstance(first, LayerGroup)
    assert isinstance(second, LayerGroup)
    assert [g.id for g in first.members] == ["a/relu/", "a/conv/", "a/relu#2/"]
    assert op == 3
    assert second.id == "a#2/"


def test_large_groups_are_divided() -> None:
    tree = group_by_layer([()] * 20_000)
    seen = []

    def visit(group: LayerGroup) -> None:
        assert len(group.members) <= MAX_MEMBERS
        for member in group.members:
            visit(member) if isinstance(member, LayerGroup) else seen.append(member)

    visit(tree)
    assert seen == list(range(20_000))


# -- hostile files

SCRIPT = "</script><script>document.title='attacked'</script><img src=x onerror=alert(1)>"


def hostile_program() -> ModelGraph:
    name = f"x{SCRIPT}"
    block = Block(
        vars={n: VarDesc(n, (2,)) for n in (name, "y'\"&<b>")},
        ops=[
            OpDesc("feed", {"X": ["feed"]}, {"Out": [name]}, {"col": Attr(AttrType.INT, 0)}),
            OpDesc(
                f"relu{SCRIPT}",
                {f"X{SCRIPT}": [name]},
                {"Out": ["y'\"&<b>"]},
                {
                    f"attr{SCRIPT}": Attr(AttrType.STRING, SCRIPT),
                    "__proto__": Attr(AttrType.INT, 1),
                },
                f"file.py:1 in f: {SCRIPT}",
                f"/layer{SCRIPT}/__proto__/constructor/",
            ),
            OpDesc(
                "fetch", {"X": ["y'\"&<b>"]}, {"Out": ["fetch"]}, {"col": Attr(AttrType.INT, 0)}
            ),
        ],
    )
    return graph_of_program(Program([block]), f"model{SCRIPT}", {}, {})


def test_texts_of_a_model_are_escaped() -> None:
    graph = hostile_program()
    page = make_page(graph, find_data_flow(graph))
    assert page.count("<script") == 3  # the data, dagre and the script of the page
    assert page.count("</script") == 3
    assert "<img" not in page
    assert data_of(page)["name"] == graph.name
    assert "default-src 'none'" in page


@pytest.mark.slow
@needs_chromium
def test_texts_of_a_model_do_not_run(tmp_path: Path) -> None:
    graph = hostile_program()
    (tmp_path / "page.html").write_text(make_page(graph, find_data_flow(graph)))
    dom = dump_dom(tmp_path / "page.html", "expand=*&select=0&search=relu")
    assert "<title>attacked" not in dom
    assert "<img" not in dom
    assert "relu&lt;/script&gt;" in dom


def test_blocks_that_contain_each_other() -> None:
    def loop(inner: int) -> OpDesc:
        return OpDesc("while", {}, {}, {"sub_block": Attr(AttrType.BLOCK, inner)})

    program = Program([Block(0, -1, {}, [loop(1)]), Block(1, 0, {}, [loop(1), loop(0)])])
    graph = graph_of_program(program, "m", {}, {})
    data = data_of(make_page(graph, find_data_flow(graph)))
    assert len(data["ops"]) == 3


# -- in the browser


@pytest.fixture(scope="module")
def page(model: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "page.html"
    view(model, path, "--profile", "--repeat", "2")
    return path


@pytest.mark.slow
@needs_chromium
def test_layers_are_collapsed_at_first(page: Path) -> None:
    dom = dump_dom(page)
    assert op_types_shown(dom) == ["reduce_mean"]
    assert 'data-group="body/"' in dom
    assert 'data-group="body/0/"' not in dom
    assert "float32[?,3,8,8]" in dom
    assert "Slowest ops" in dom


@pytest.mark.slow
@needs_chromium
def test_a_link_expands_layers_and_selects_an_op(page: Path) -> None:
    number = next(
        i for i, op in enumerate(data_of(page.read_text())["ops"]) if op["type"] == "relu"
    )
    dom = dump_dom(page, f"expand=body/0/&select={number}")
    assert re.search(r'class="group open" data-key="\d+" data-group="body/0/"', dom)
    assert op_types_shown(dom).count("batch_norm") == 1
    panel = dom[dom.index('<aside id="panel">') :]
    assert "test_view.py:" in panel  # the source line
    assert "body/0/relu" in panel


@pytest.mark.slow
@needs_chromium
def test_clicks_expand_and_collapse(page: Path) -> None:
    click = (
        "const click = (id) => document.querySelector(`[data-group='${id}']`)"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}));"
    )
    assert 'data-group="body/1/"' in run_in_page(page, f"{click} click('body/');")
    assert 'data-group="body/1/"' not in run_in_page(
        page, f"{click} click('body/'); click('body/');"
    )


@pytest.mark.slow
@needs_chromium
def test_search_expands_and_highlights(page: Path) -> None:
    dom = run_in_page(
        page,
        "const box = document.getElementById('search'); box.value = 'batch_norm body';"
        "box.dispatchEvent(new Event('input'));",
    )
    assert dom.count('class="node match"') == 2
    assert "2 found" in dom
    assert "body/1/norm" in dom[dom.index('<aside id="panel">') :]


@pytest.mark.slow
@needs_chromium
def test_control_flow_opens_like_a_layer(tmp_path: Path) -> None:
    view(str(FIXTURES / "control"), tmp_path / "page.html")
    closed = dump_dom(tmp_path / "page.html")
    opened = dump_dom(tmp_path / "page.html", "expand=*")
    assert len(op_types_shown(opened)) > len(op_types_shown(closed))
