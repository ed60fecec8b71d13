"""`oarlock view`: write the page of a model."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import FileError
from ..export.atomic_files import write_files_atomically
from ..loader.model_files import model_name, read_model
from ..loader.npz import load_npz
from ..utils.terminal import make_console
from ..viewer.data_flow import find_data_flow
from ..viewer.onnx_graph import graph_of_onnx_file
from ..viewer.page import make_page
from ..viewer.profile import profile_model, profile_onnx_file
from ..viewer.program_graph import graph_of_model
from .bench import parse_shapes
from .command_line import CommandLineError

_print = make_console(highlight=False, soft_wrap=True, markup=False).print


def write_page(
    model: str,
    output: Path | None,
    profiles: bool,
    input: Path | None,
    shape: list[str],
    repeat: int,
) -> None:
    """Write the page of a model.

    model: the prefix of a model, or the path of an `.onnx` file.
    profiles: whether to run the model and show time and memory of each op.
    """
    if not profiles and (input is not None or shape):
        raise CommandLineError("--input and --shape require --profile")
    if input is not None and shape:
        raise CommandLineError("give --input or --shape, not both")
    feeds = load_npz(input) if input is not None else None
    profile = None
    if model.endswith(".onnx"):
        if not Path(model).is_file():
            raise FileError(f"view: there is no file {model}")
        graph = graph_of_onnx_file(model)
        flow = find_data_flow(graph)
        if profiles:
            profile = profile_onnx_file(
                Path(model), graph, flow, feeds, parse_shapes(shape), repeat
            )
    else:
        files = read_model(model)
        graph = graph_of_model(files)
        flow = find_data_flow(graph)
        if profiles:
            profile = profile_model(files, graph, flow, feeds, parse_shapes(shape), repeat)
    path = output or Path(f"{model_name(model.removesuffix('.onnx'))}.html")
    page = make_page(graph, flow, profile).encode()
    write_files_atomically({str(path): page})
    num_ops = sum(len(block.ops) for block in graph.blocks)
    _print(f"{path}: {len(page):,} bytes, {num_ops} ops")
