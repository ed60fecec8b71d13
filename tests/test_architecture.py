"""The house: arrows point one way, every folder ships, the public names are the intended ones, nothing grows too large."""

from __future__ import annotations

import ast
import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import oarlock

ROOT = Path(__file__).resolve().parents[1]
TABLE: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["scikit-build"]["wheel"][
    "packages"
]
# What each part may import at the top of its files, besides itself.
ARROWS = {
    "core": set(),
    "ops": {"core"},
    "tensor": {"core", "ops"},
    "linalg": {"tensor"},
    "fft": {"core", "tensor"},
    "signal": {"tensor"},
    "autograd": {"core", "tensor"},
    "incubate": {"autograd", "core", "fluid", "geometric", "nn", "static", "tensor"},
    "nn": {"core", "ops", "tensor"},
    "amp": {"core", "nn", "ops", "tensor"},
    "optimizer": {"core", "ops"},
    "regularizer": set(),
    "io": {"core"},
    "metric": {"core", "tensor"},
    "distribution": {"core", "ops", "tensor"},
    "static": {"core", "ops"},
    "static/nn": {"core", "nn", "static"},  # stands above layers, as what it is called in Paddle does not say
    "static/amp": {"amp", "core", "static"},
    "static/io": {"core", "export", "framework", "jit", "loader", "static"},
    "export": {"core", "static"},
    "loader": {"core", "export", "nn", "static"},
    "framework": {"core", "export", "loader", "nn", "static"},
    "jit": {"core", "export", "loader", "nn", "static", "utils"},
    "inference": {"core", "export", "loader"},
    "onnx": {"core", "export", "jit", "loader", "nn", "static"},
    "utils": {"core"},
    "vision": {"core", "framework", "io", "loader", "nn", "tensor", "utils"},
    "hapi": {"amp", "core", "distributed", "framework", "io", "jit", "metric", "nn", "optimizer", "static", "tensor"},
    "callbacks": {"hapi"},
    "geometric": {"core", "tensor"},
    "text": {"core", "nn"},
    "fluid": {
        "core",
        "distributed",
        "export",
        "framework",
        "inference",
        "io",
        "jit",
        "loader",
        "metric",
        "nn",
        "ops",
        "optimizer",
        "reader",
        "regularizer",
        "static",
        "tensor",
    },
    "compat": {"core", "fluid", "static"},
    "base": {"core", "fluid", "nn", "static", "tensor"},
    "device": {"core"},
    "distributed": {"core", "nn"},
    "version": {"core"},
    "reader": {"core"},
    "sysconfig": set(),
    "dataset": {"core", "loader", "reader", "utils", "vision"},
    "serving": {"core", "export", "loader", "onnx"},
    "cli": {
        "compat",
        "core",
        "export",
        "io",
        "jit",
        "loader",
        "nn",
        "onnx",
        "optimizer",
        "serving",
        "static",
        "tensor",
        "utils",
    },
}
# The files and folders of two parts, from the bottom up: each imports, at its top, only what stands in an earlier row.
ROWS = {
    "static": (
        {
            "aliases",
            "desc",
            "ended",
            "input_spec",
            "names",
            "one_axis",
            "places",
            "plain",
            "program",
            "scope",
            "watched",
        },
        {
            "attrs",
            "block_desc",
            "feeding",
            "guards",
            "late",
            "lod",
            "numbers",
            "printer",
            "reinfer",
            "sized",
            "var_desc",
        },
        {"blocks", "op_attrs", "op_desc", "selected_rows", "tokens", "unsupported", "variable"},
        {"parser", "prune", "record", "verify"},
        {"modes"},
        {"control", "effects", "inline"},
        {"backward"},
        {"compiled", "freed", "nn", "own_inputs", "tree"},
        {"graph", "interpreter", "running"},
        {"fetching"},
        {"amp", "executor", "feeder", "io", "partial_program"},
    ),
    "jit": (
        {"rounding"},
        {"asserted", "function_call", "layer", "save_hooks", "snapshots", "sot", "verify"},
        {"ast", "effects", "fallback", "function_spec"},
        {"place", "specs"},
        {"looked"},
        {"assumed", "recording", "switches"},
        {"recorded", "rollback", "second", "written"},
        {"concrete"},
        {"program_cache"},
        {"static_function"},
        {"explain", "methods"},
        {"stateless"},
        {"save"},
        {"to_static", "traced_layer"},
        {"written_by_hand"},
        {"api", "dy2static", "translated_layer"},  # Paddle's names
    ),
}
# What each folder of the C++ part may include, besides itself.   oarlock: the public headers
LAYERS = {
    "oarlock": set(),
    "read": {"oarlock"},
    "onnx": {"oarlock", "read"},
    "lower": {"oarlock", "onnx", "read"},
    "run": {"lower", "oarlock", "onnx", "read"},
    "cli": {"lower", "oarlock", "read", "run"},
    "kernels": set(),
    "tape": set(),
    "python": {"kernels", "oarlock", "read", "run"},
}
CPP = ROOT / "cpp_runtime"
CPP_SOURCES = sorted(p for top in ("src", "include") for p in (CPP / top).rglob("*") if p.suffix in (".cpp", ".h"))
GENERATED = {"lowering_digest.h"}
SOURCES = sorted(p for part in ARROWS if "/" not in part for p in (ROOT / TABLE[f"oarlock/{part}"]).rglob("*.py"))


def part_of(path: Path) -> str:
    relative = path.relative_to(ROOT)
    inner = "/".join(relative.parts[1:3])
    if inner in ARROWS:
        return inner
    return relative.parts[1] if relative.parts[0] == "tracer" else relative.parts[0]


def imported(path: Path) -> set[str]:
    """The parts that a file imports, wherever in the file."""
    depth = len(path.relative_to(ROOT).parts) - (2 if path.is_relative_to(ROOT / "tracer") else 1)
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level == depth + 1:
            names = [node.module.split(".")[0]] if node.module else [a.name for a in node.names]
            found.update(names)
    return found & ARROWS.keys()


def imported_inside(path: Path) -> set[str]:
    """The parts of its own part that a file imports."""
    depth = len(path.relative_to(ROOT).parts) - (2 if path.is_relative_to(ROOT / "tracer") else 1)
    nodes = [n for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ImportFrom) and n.level == depth]
    words = {n.module.split(".")[0] if n.module else a.name for n in nodes for a in n.names}
    return {f"{part_of(path)}/{word}" for word in words} & ARROWS.keys()


@pytest.mark.parametrize("path", SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_arrows_point_one_way(path: Path) -> None:
    part = part_of(path)
    assert imported(path) <= ARROWS[part] | {part}
    assert not imported_inside(path)


def imported_beside(path: Path, home: Path) -> set[str]:
    """The files and folders of a part that one in it imports at its top."""
    folder = path.relative_to(home).parts[:-1]
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(folder) + 1:
            at = folder[: len(folder) + 1 - node.level]
            names = [node.module] if node.module else [a.name for a in node.names]
            found.update((*at, *name.split("."))[0] for name in names)
    return found


@pytest.mark.parametrize("part", ROWS)
def test_arrows_point_down_inside_of_a_part(part: str) -> None:
    home = ROOT / TABLE[f"oarlock/{part}"]
    row = {name: i for i, names in enumerate(ROWS[part]) for name in names}
    files = [p for p in home.rglob("*.py") if p.parent != home or p.stem != "__init__"]
    wrong = []
    for path in files:
        name = path.relative_to(home).parts[0].removesuffix(".py")
        assert name in row, f"{part}/{name} has no row in ROWS"
        wrong += [
            f"{part}/{name} -> {n}"
            for n in imported_beside(path, home) & row.keys()
            if n != name and row[n] >= row[name]
        ]
    assert not wrong
    assert row.keys() == {p.relative_to(home).parts[0].removesuffix(".py") for p in files}


def included(path: Path) -> set[str]:
    """The folders of what a C++ file includes of ours."""
    found = set(re.findall(r'^ *# *include "([^"]+)"', path.read_text(), re.MULTILINE)) - GENERATED
    return {Path(name).parts[0] for name in found}


@pytest.mark.parametrize("path", CPP_SOURCES, ids=lambda p: str(p.relative_to(CPP)))
def test_includes_point_one_way(path: Path) -> None:
    layer = path.relative_to(CPP).parts[1]
    assert included(path) <= LAYERS[layer] | {layer}


def test_every_layer_has_its_row() -> None:
    assert {p.name for p in (CPP / "src").iterdir()} | {"oarlock"} == LAYERS.keys()
    order = list(TopologicalSorter(LAYERS).static_order())  # raises CycleError where arrows point both ways
    assert order.index("read") < order.index("lower") < order.index("run") < order.index("cli")


def test_every_folder_ships() -> None:
    folders = {p.name for p in (ROOT / "tracer").iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert folders == {Path(source).name for source in TABLE.values() if source.startswith("tracer/")} - {
        "__init__.py",
        "__main__.py",
        "py.typed",
    }


def test_there_is_one_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert oarlock.__version__ == project
    assert f"project(oarlock VERSION {project} " in (CPP / "CMakeLists.txt").read_text()


def test_public_names_exist() -> None:
    missing = [name for name in oarlock.__all__ if not hasattr(oarlock, name)]
    assert not missing


# What reads or writes a decimal number in the user's locale: read/decimal.h does so without it.
LOCALE_DEPENDENT = re.compile(
    r"\b(strto(?:d|f|ld)|sto(?:d|f|ld)|atof|sscanf|snprintf\([^;]*%[-+ #0-9.*]*l?[aefgAEFG])\b"
)


@pytest.mark.parametrize("path", CPP_SOURCES, ids=lambda p: str(p.relative_to(CPP)))
def test_decimal_numbers_do_not_depend_on_the_locale(path: Path) -> None:
    assert not LOCALE_DEPENDENT.findall(re.sub(r"//.*", "", path.read_text()))
