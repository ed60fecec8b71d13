"""`oarlock diff`: print the differences of two models."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ..core.errors import FileError
from ..export.atomic_files import write_files_atomically
from ..loader.model_files import read_model
from ..onnx.writer import ExportOptions, write_onnx
from ..utils.terminal import make_console
from ..viewer.diff import compare_models
from ..viewer.diff_report import format_html, format_text
from ..viewer.graph import ModelGraph
from ..viewer.onnx_graph import graph_of_onnx_file, onnx_opset
from ..viewer.program_graph import graph_of_model

_print = make_console(highlight=False, soft_wrap=True, markup=False).print


def print_differences(a: str, b: str, html: Path | None) -> int:
    """Print the differences of two models, and return 1 if there are some, otherwise 0.

    a, b: prefixes of models, or paths of `.onnx` files; a model is exported to be compared with an
    `.onnx` file.
    html: a page to write with the same content
    """
    is_onnx = [path.endswith(".onnx") for path in (a, b)]
    if any(is_onnx):
        opset = onnx_opset(_existing(a if is_onnx[0] else b))
        left, right = (_onnx_graph(path, opset) for path in (a, b))
    else:
        left, right = (graph_of_model(read_model(path)) for path in (a, b))
    diff = compare_models(left, right)
    for line in format_text(diff):
        _print(line)
    if html is not None:
        write_files_atomically({str(html): format_html(diff).encode()})
    return int(bool(diff))


def _existing(path: str) -> str:
    if not Path(path).is_file():
        raise FileError(f"diff: there is no file {path}")
    return path


def _onnx_graph(path: str, opset: int) -> ModelGraph:
    if path.endswith(".onnx"):
        return graph_of_onnx_file(_existing(path))
    files = read_model(path)
    with tempfile.TemporaryDirectory(prefix="oarlock-") as folder:
        output = Path(folder) / "model.onnx"
        write_onnx(files, output, ExportOptions(opset=opset, inline=True, check=False))
        graph = graph_of_onnx_file(str(output))
    graph.name = files.name
    return graph
