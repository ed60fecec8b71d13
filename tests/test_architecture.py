"""Imports follow the layer table without cycles; every folder is in the wheel; public names exist."""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

import oarlock
from tests.tools.syntax_trees import FILES, ROOT, nodes_of, tree_of

PACKAGES: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"][
    "scikit-build"
]["wheel"]["packages"]
# What the files of each package may import besides their own package, anywhere in a file.
ALLOWED_IMPORTS: dict[str, set[str]] = {
    "core": set(),
    "ops": {"core"},
    "tensor": {"core", "ops"},
    "linalg": {"tensor"},
    "fft": {"core", "tensor"},
    "signal": {"tensor"},
    "autograd": {"core", "tensor"},
    "nn": {"core", "tensor"},
    "amp": {"core", "nn", "ops", "optimizer", "tensor"},
    "optimizer": {"core", "ops"},
    "profiler": {"core", "nn"},
    "regularizer": {"core"},
    "io": {"core"},
    "metric": {"core", "tensor"},
    "distribution": {"core", "ops", "tensor"},
    "geometric": {"core", "tensor"},
    "text": {"core", "nn"},
    "device": {"core"},
    "version": {"core"},
    "sysconfig": set(),
    "utils": {"core"},
    # Programs, from the bottom up.
    "ir": {"core"},
    "ir/passes": {"core", "ir"},
    "capture": {"core", "ir", "ir/passes"},
    "autodiff": {"capture", "core", "ir", "ir/passes", "ops"},
    "compiler": {"autodiff", "capture", "core", "ir", "ir/passes", "ops"},
    "export": {"core", "ir"},
    "loader": {"capture", "compiler", "core", "export", "ir", "ir/passes", "nn"},
    "static": {
        *("autodiff", "capture", "compiler", "core", "export", "ir", "ir/passes", "loader"),
        "ops",
    },
    "static/nn": {"capture", "core", "nn"},
    "static/amp": {"amp", "capture", "core", "ir", "ir/passes", "static"},
    "jit/guards": {"capture", "core", "ir", "nn"},
    "jit/operators": {"capture", "core", "ir", "jit/guards", "nn"},
    "jit/convert": {"core", "jit/guards", "jit/operators"},
    "jit": {
        *(
            "capture",
            "compiler",
            "core",
            "export",
            "ir",
            "ir/passes",
            "jit/convert",
            "jit/guards",
            "jit/operators",
        ),
        *("loader", "nn", "static", "utils"),
    },
    "static/io": {
        "capture",
        "compiler",
        "core",
        "export",
        "framework",
        "ir",
        "ir/passes",
        "jit",
        "loader",
        "static",
    },
    # Applications of the layers above.
    "framework": {"core", "export", "ir", "loader", "nn", "static", "static/io"},
    "inference": {"core", "loader"},
    "onnx": {"core", "export", "ir", "jit", "loader"},
    "vision": {"core", "framework", "io", "loader", "nn", "tensor", "utils"},
    "pipeline": {"core", "export", "loader", "vision"},
    "quantization": {"core", "jit", "nn", "tensor"},
    "quantization/programs": {
        "core",
        "export",
        "ir",
        "jit",
        "loader",
        "onnx",
        "quantization",
    },
    "distributed": {"core", "nn"},
    "hapi": {
        "amp",
        "core",
        "distributed",
        "framework",
        "io",
        "ir",
        "jit",
        "metric",
        "nn",
        "optimizer",
        "tensor",
    },
    "callbacks": {"hapi"},
    "serving": {"core", "export", "ir", "loader", "onnx"},
    "viewer": {"core", "ir", "loader", "onnx"},
    # Names of Paddle 1.x: nothing above imports them.
    "reader": {"core"},
    "dataset": {"core", "loader", "reader", "utils", "vision"},
    "fluid": {
        *(
            "capture",
            "core",
            "distributed",
            "export",
            "framework",
            "inference",
            "io",
            "ir",
            "ir/passes",
            "jit",
            "loader",
            "profiler",
        ),
        *(
            "nn",
            "ops",
            "optimizer",
            "quantization",
            "reader",
            "regularizer",
            "static",
            "static/amp",
            "static/io",
            "static/nn",
            "tensor",
            "utils",
        ),
    },
    "base": {"core", "fluid", "nn", "static", "tensor"},
    "incubate": {
        "autograd",
        "core",
        "fluid",
        "geometric",
        "ir",
        "nn",
        "static",
        "tensor",
        "optimizer",
    },
    "compat": {"core", "static", ""},
    "cli": {
        *(
            "compat",
            "compiler",
            "core",
            "export",
            "io",
            "ir",
            "jit",
            "loader",
            "nn",
            "onnx",
            "optimizer",
            "pipeline",
            "quantization/programs",
            "serving",
            "viewer",
        ),
        *("tensor", "utils"),
    },
    "__main__": {"cli"},
    "": {"core", "static", "tensor"},
}
# Imports that the table above does not allow, with the reason: (importing module,
# imported module). "" is the package itself.
EXCEPTIONS: dict[tuple[str, str], str] = {
    ("utils.install_check", ""): "run_check uses the package as its users do",
}


# Imports that are not at the top of their file, with the reason: importing module -> (imported
# module, reason); "*": any module.
LAZY_IMPORTS: dict[str, tuple[str, str]] = {
    "": ("*", "start-up time: type checkers see the names that are imported at first use"),
    "base": ("fluid", "names of Paddle 1.x are looked up in fluid when they are used"),
    "base.dygraph": (
        "fluid.dygraph",
        "names of Paddle 1.x are looked up in fluid when they are used",
    ),
    "base.framework": (
        "fluid.framework",
        "names of Paddle 1.x are looked up in fluid when they are used",
    ),
    "cli.demo": ("cli.plots", "needs matplotlib, of the extra [demo]"),
    "cli.inspect": ("cli.inspect_graph", "start-up time: only `inspect --graph` needs it"),
    "cli.main": ("*", "start-up time: each command imports what it needs"),
    "cli.model": ("serving.triton", "start-up time: only an export for Triton needs it"),
    "cli.serving": ("*", "needs packages of the extra [serve]"),
    "compat.children.sitecustomize": (
        "compat.install",
        "runs in every child process; only those that import paddle need it",
    ),
    "compat.install": ("", "the names of Paddle are attributes of the whole package"),
    "core.native": ("core", "compiled kernels are optional: an import error turns them off"),
    "core.tensor": ("core.tensor_html", "start-up time: only notebooks need it"),
    "dataset.common": ("loader.pickles", "start-up time: few data sets read pickles"),
    "distributed.spawn": ("*", "start-up time: training needs no launcher"),
    "distributed.process_group": ("*", "needs packages of the extra [dist]"),
    "fluid": (
        "fluid.layers.learning_rate",
        "the module and a function have the same name in Paddle",
    ),
    "fluid.layers.rnn_cells": (
        "fluid.contrib.layers.rnn_units",
        "fluid.contrib imports fluid.layers",
    ),
    "fluid.layers.learning_rate": ("fluid.dygraph", "fluid.dygraph imports fluid.layers"),
    "loader.runtime": (
        "loader",
        "start-up time: the extension module is needed when a model is run",
    ),
    "utils.download": ("utils.terminal", "start-up time: only downloads show a progress bar"),
    "utils.install_check": ("", "run_check uses the package as its users do"),
}


# Modules that reach Paddle 1.x through `core.legacy_importer`, which `oarlock` connects with
# `fluid`, with the reason. These edges are no imports: without `fluid` everything else works.
LEGACY_HOOKS: dict[str, str] = {
    "core.paddle1_compat": "the rules of Paddle 1.x, while a program of Paddle 1.x runs",
    "distributed.io": "functions that Paddle 2 took over from fluid.io",
    "framework": "names that Paddle 2 took over from fluid.framework",
    "framework.io": "the classes of the results of Paddle 1.x's files",
    "nn.layer": "Layer._helper, which programs of Paddle 1.x use",
}
# Modules that import by a name that is not a constant, or through __import__, with the reason.
DYNAMIC_IMPORTS: dict[str, str] = {
    "": "connects core.legacy_importer with fluid",
    "compat.finder": "imports a module of Paddle under its name here",
    "compat.lazy_submodules": "imports a module of Paddle when it is first used",
    "compat.shape_1_scalar_emulation": "replaces functions that it finds by name",
    "core.op": "an op is imported when it is first used",
    "core.lazy_import": "tables of names that are imported at first use",
    "fluid": "names of later releases are those of their modules",
    "fluid.layers.parent_package_getattr": "a module and a function have the same name in Paddle",
    "tensor.patch": "all modules of the package define methods of Tensor",
    "utils.install_check": "try_import imports what its caller names",
    "utils.plot": "packages of an extra",
}


class Import(NamedTuple):
    """One import of a module of the project."""

    importer: str
    imported: str
    line: int
    is_lazy: bool = False  # not at the top of its file

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.imported}"


def module_of(path: Path) -> str:
    """The name of a file's module, `capture.control.loop`, without the name of the package
    `oarlock`.
    """
    parts = path.relative_to(ROOT).with_suffix("").parts
    parts = parts[1:] if parts[0] == "tracer" else parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in FILES}


def package_of(module: str) -> str:
    """The package of `ALLOWED_IMPORTS` that a module belongs to."""
    parts = module.split(".")
    inner = "/".join(parts[:2])
    return inner if inner in ALLOWED_IMPORTS else parts[0]


def constant_import(node: ast.AST) -> str | None:
    """The module that `import_module("...")` names, None for another node."""
    if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
        name = (
            node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        )
        if name.endswith("import_module") and isinstance(node.args[0].value, str):
            return node.args[0].value
    return None


def absolute(name: str, package: list[str]) -> str | None:
    """A module of the project by its name relative to a package, or by its full name; None for a
    module of another project.
    """
    level = len(name) - len(name.lstrip("."))
    if level == 0:
        return (
            name.removeprefix("oarlock").lstrip(".")
            if name.split(".", maxsplit=1)[0] == "oarlock"
            else None
        )
    parts = [*package[: len(package) - level + 1], *name.strip(".").split(".")]
    return ".".join(part for part in parts if part)


def imports_of(module: str) -> Iterator[Import]:
    """All imports of a file: at its top, in functions, under TYPE_CHECKING, and through importlib
    with a constant name.
    """
    package = [
        p
        for p in (
            module if MODULES[module].stem == "__init__" else module.rpartition(".")[0]
        ).split(".")
        if p
    ]
    tree = tree_of(MODULES[module])
    at_top = {id(node) for node in tree.body}
    for node in nodes_of(tree):
        names = []
        if isinstance(node, ast.ImportFrom):
            base = absolute("." * node.level + (node.module or ""), package)
            if base is not None:
                inner = [f"{base}.{alias.name}".lstrip(".") for alias in node.names]
                names = [name if name in MODULES else base for name in inner]
        elif isinstance(node, ast.Import):
            names = [
                name for alias in node.names if (name := absolute(alias.name, package)) is not None
            ]
        elif (constant := constant_import(node)) is not None:
            names = [name for name in [absolute(constant, package)] if name is not None]
        for name in dict.fromkeys(names):
            if name in MODULES and name != module:
                yield Import(module, name, node.lineno, id(node) not in at_top)  # type: ignore[attr-defined]


@functools.cache
def all_imports() -> list[Import]:
    """The imports of all modules."""
    return [found for module in MODULES for found in imports_of(module)]


def test_every_package_has_a_row() -> None:
    assert {package_of(module) for module in MODULES} == ALLOWED_IMPORTS.keys()


def test_packages_import_what_the_table_allows() -> None:
    wrong = [
        found
        for found in all_imports()
        if (into := package_of(found.imported)) != (of := package_of(found.importer))
        and into not in ALLOWED_IMPORTS[of]
    ]
    assert not [str(found) for found in wrong if (found.importer, found.imported) not in EXCEPTIONS]


def test_no_row_of_the_table_is_unused() -> None:
    used = {(package_of(found.importer), package_of(found.imported)) for found in all_imports()}
    allowed = {(package, into) for package, targets in ALLOWED_IMPORTS.items() for into in targets}
    assert not allowed - used


def test_modules_import_each_other_without_cycles() -> None:
    graph: dict[str, set[str]] = {module: set() for module in MODULES}
    for found in all_imports():
        if (found.importer, found.imported) not in EXCEPTIONS:
            graph[found.importer].add(found.imported)
    TopologicalSorter(graph).prepare()  # raises CycleError with the modules of a cycle


def test_lazy_imports_are_listed() -> None:
    lazy = [found for found in all_imports() if found.is_lazy]
    unlisted = [
        str(i)
        for i in lazy
        if LAZY_IMPORTS.get(i.importer, ("", ""))[0] not in ("*", i.imported)
        or i.importer not in LAZY_IMPORTS
    ]
    assert not unlisted
    assert LAZY_IMPORTS.keys() == {found.importer for found in lazy}


def calls_of(module: str, suffix: str) -> list[ast.Call]:
    """The calls of functions whose names end with `suffix`, and of their aliases."""
    if suffix not in MODULES[module].read_text():
        return []  # most modules: spares walking their trees
    tree = tree_of(MODULES[module])
    names = {
        alias.asname or alias.name
        for node in nodes_of(tree)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.endswith(suffix)
    }
    return [
        node
        for node in nodes_of(tree)
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Name) and node.func.id in {*names, suffix})
            or (isinstance(node.func, ast.Attribute) and node.func.attr.endswith(suffix))
        )
    ]


def has_constant_argument(call: ast.Call) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Constant)


def test_dynamic_imports_are_listed() -> None:
    found = {
        module
        for module in MODULES
        if calls_of(module, "__import__")
        or any(not has_constant_argument(call) for call in calls_of(module, "import_module"))
    }
    assert found == DYNAMIC_IMPORTS.keys()


def test_modules_that_reach_paddle_1_are_listed() -> None:
    users = {m for m in MODULES if m != "core.legacy_importer" and calls_of(m, "legacy_module")}
    assert users == LEGACY_HOOKS.keys()


# They use make_lazy_getattr for its error messages.
NO_LAZY_NAMES = ("nn.functional", "optimizer")


def test_lazy_tables_name_submodules() -> None:
    for module, path in MODULES.items():
        if not calls_of(module, "make_lazy_getattr"):
            continue
        values = [
            node.value
            for node in nodes_of(tree_of(path))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        relative = [v for v in values if re.fullmatch(r"\.[a-z_0-9.]+", v)]
        assert relative or module in NO_LAZY_NAMES
        assert all(f"{module}{v}".strip(".") in MODULES for v in relative)


VERSION_FLAGS = re.compile(r"compat\.(is_paddle1|follows_fluid_mode)")


def test_only_plug_ins_test_for_the_emulated_version() -> None:
    plug_ins = {"base", "compat", "dataset", "fluid", "reader"}
    assert not [
        module
        for module, path in MODULES.items()
        if VERSION_FLAGS.search(path.read_text())
        and package_of(module) not in plug_ins
        and module != "core.paddle1_compat"
    ]


def test_every_exception_is_an_import() -> None:
    found = {(i.importer, i.imported) for i in all_imports()}
    assert EXCEPTIONS.keys() <= found


# Folders of the sources of the deployable library -> the folders, besides themselves, whose headers
# they may include. `oarlock` holds the public headers.
ALLOWED_INCLUDES: dict[str, set[str]] = {
    "oarlock": set(),
    "base": {"oarlock"},
    "paddle": {"base", "oarlock"},
    "pir": {"base", "oarlock", "paddle"},
    "onnx": {"base", "oarlock", "paddle"},
    "convert": {"base", "oarlock", "onnx", "paddle"},
    "runtime": {"base", "convert", "oarlock", "onnx", "paddle", "pir"},
    "capi": {"base", "oarlock", "paddle", "runtime"},
    "pipeline": {"base", "oarlock", "paddle"},
    "runner": {"base", "convert", "oarlock", "paddle", "runtime"},
    "python": {"base", "oarlock", "paddle", "pir", "runtime"},
}
# Folders of the eager runtime, which includes `base` of the library only.
NATIVE_INCLUDES = {
    "kernels": {"base"},
    "autograd": {"base"},
    "python": {"base", "kernels"},
}
CPP = ROOT / "cpp_runtime"
NATIVE = ROOT / "tracer" / "native"
CPP_SOURCES = sorted(
    p
    for top in (CPP / "src", CPP / "include", NATIVE)
    for p in top.rglob("*")
    if p.suffix in (".cpp", ".h")
)
GENERATED = {"converter_digest.h"}


def included(path: Path) -> set[str]:
    """The folders of the project's headers that a C++ file includes."""
    found = set(re.findall(r'^ *# *include "([^"]+)"', path.read_text(), re.MULTILINE)) - GENERATED
    return {Path(name).parts[0] for name in found}


@pytest.mark.parametrize("path", CPP_SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_includes_follow_the_table(path: Path) -> None:
    if path.is_relative_to(NATIVE):
        folder = path.relative_to(NATIVE).parts[0]
        assert included(path) <= NATIVE_INCLUDES[folder] | {folder}
    else:
        folder = path.relative_to(CPP).parts[1]
        assert included(path) <= ALLOWED_INCLUDES[folder] | {folder}


def test_every_folder_of_sources_has_a_row() -> None:
    assert {p.name for p in (CPP / "src").iterdir()} | {"oarlock"} == ALLOWED_INCLUDES.keys()
    assert {p.name for p in NATIVE.iterdir()} == NATIVE_INCLUDES.keys()
    TopologicalSorter(ALLOWED_INCLUDES).prepare()  # raises CycleError for a cycle


def test_every_folder_is_in_the_wheel() -> None:
    folders = {p.name for p in (ROOT / "tracer").iterdir() if p.is_dir() and any(p.glob("*.py"))}
    assert folders == {
        Path(source).name for source in PACKAGES.values() if source.startswith("tracer/")
    } - {
        "__init__.py",
        "__init__.pyi",
        "__main__.py",
        "py.typed",
    }


def test_versions_agree() -> None:
    # CMake and the wheel read version.h.
    numbers = re.findall(
        r"#define OARLOCK_VERSION_[A-Z]+ (\d+)", (CPP / "include/oarlock/version.h").read_text()
    )
    assert oarlock.__version__ == ".".join(numbers)


def test_public_names_exist() -> None:
    missing = [name for name in oarlock.__all__ if not hasattr(oarlock, name)]
    assert not missing


# Functions that read or write a decimal number in the user's locale; base/number_text_conversion.h does so without
# it.
LOCALE_DEPENDENT = re.compile(
    r"\b(strto(?:d|f|ld)|sto(?:d|f|ld)|atof|sscanf|snprintf\([^;]*%[-+ #0-9.*]*l?[aefgAEFG])\b"
)


@pytest.mark.parametrize("path", CPP_SOURCES, ids=lambda p: str(p.relative_to(ROOT)))
def test_decimal_numbers_do_not_depend_on_the_locale(path: Path) -> None:
    assert not LOCALE_DEPENDENT.findall(re.sub(r"//.*", "", path.read_text()))
