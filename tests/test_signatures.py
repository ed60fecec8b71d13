"""Public names and signatures are those of real PaddlePaddle 2.6.2, as `make_signatures.py` wrote
them down.
"""

from __future__ import annotations

import ast
import inspect
import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import oarlock
from oarlock.tensor import patch
from tests.api.public_names import package_named as home

KNOWN: dict[str, dict[str, Any]] = json.loads(
    Path(__file__).with_name("signatures.json").read_text()
)
SPARSE = "of sparse tensors"
DISTRIBUTED = "of several processes"
INSIDE = "of the inside of Paddle's C++ tensors"
# What Oarlock does not have, by reason: module, names.
REASONS = {
    "of devices that nothing here runs on": ("static", "IpuCompiledProgram IpuStrategy"),
    "parameters are always made at once": ("", "LazyGuard"),
    "a check of Paddle's own functions": ("", "check_shape"),
    "only a method of Tensor": ("", "where_"),
    SPARSE: ("Tensor", "coalesce cols crows indices is_sparse is_sparse_coo is_sparse_csr nnz rows to_dense to_sparse_coo to_sparse_csr values"),
    DISTRIBUTED: ("Tensor", "dist_attr get_map_tensor is_dist num_shard placements process_mesh"),
    INSIDE: (
        "Tensor",
        "data data_ptr get_selected_rows get_strides get_tensor grad_ grad_fn is_dense is_selected_rows layout offset "
        "reconstruct_from_ set_string_list set_vocab strides type",
    ),
    "functions that make no sense as methods": ("Tensor", "add_n create_parameter create_tensor"),
    "not written yet": ("Tensor", "increment top_p_sampling"),
}  # fmt: skip
MISSING = {
    (module, name): reason for reason, (module, names) in REASONS.items() for name in names.split()
}
OUT = "a result has no other place to be written to"
# What differs, and why.
DIFFERENT = {
    ("", "Tensor"): "made from an array",
    ("static", "Variable"): "made of its declaration; users ask a block for one",
    ("", "enable_grad"): "as a decorator it takes the function by name",
    ("", "no_grad"): "as a decorator it takes the function by name",
    ("", "load"): "its settings are written out",
    ("", "save"): "its settings are written out",
    ("", "meshgrid"): "another name for what is left aside",
    ("optimizer", "Optimizer"): "the rate has a default",
    ("io", "SequenceSampler"): "may be made of nothing, as its base",
    ("metric", "Accuracy"): "takes nothing that it leaves aside",
    ("Tensor", "where_"): "the tensor comes first",
    ("Tensor", "clear_grad"): "is clear_gradient",
    ("Tensor", "clone"): "takes a name",
    ("Tensor", "item"): "its indices have a name",
    ("Tensor", "put_along_axis_"): "the signature of put_along_axis",
    **{
        (module, name): OUT
        for module in ("", "Tensor")
        for name in ("bitwise_and", "bitwise_not_", "bitwise_or", "bitwise_xor", "logical_and", "logical_not_", "logical_or", "logical_xor")
    },
}  # fmt: skip
ALL = [(module, name) for module, names in KNOWN.items() for name in names]


def shown(default: Any) -> Any:
    if isinstance(default, list | tuple):
        return [shown(d) for d in default]
    plain = default is None or isinstance(default, bool | int | float | str)
    return default if plain else getattr(default, "__name__", type(default).__name__)


def parameters(value: Any) -> list[Any]:
    function = value.__init__ if inspect.isclass(value) else value
    if function is object.__init__:
        return []
    found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    return [[p.name, *([] if p.default is p.empty else [shown(p.default)])] for p in found]


def bare(found: list[Any]) -> list[Any]:
    return found[1:] if found[:1] in ([["x"]], [["input"]], [["arr"]], [["var"]]) else found


@pytest.mark.parametrize(
    ("module", "name"), [a for a in ALL if a not in MISSING], ids=lambda word: word or "paddle"
)
def test_name_and_signature(module: str, name: str) -> None:
    value, wanted = getattr(home(module), name), KNOWN[module][name]
    if wanted is None or (module, name) in DIFFERENT:
        return
    found = parameters(value)
    if module == "Tensor":  # a method names its tensor x, or something else, or self
        found, wanted = bare(found), bare(wanted)
    assert found == wanted


def test_missing_names_are_still_missing() -> None:
    """In a child process, because importing `oarlock.fluid` adds methods to Tensor."""
    code = "from tests.test_signatures import MISSING, home; print([a for a in MISSING if hasattr(home(a[0]), a[1])])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[1],
    )
    assert done.stdout.strip() == "[]"


def test_different_signatures_still_differ() -> None:
    same = [
        a
        for a in DIFFERENT
        if a not in ALL or parameters(getattr(home(a[0]), a[1])) == KNOWN[a[0]][a[1]]
    ]
    assert same == []


def star_imports(package: ModuleType) -> list[ModuleType]:
    """The modules whose public names a package re-exports with `from .module import *`."""
    tree = ast.parse(Path(str(package.__file__)).read_text())
    stars = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) and n.names[0].name == "*"]
    return [import_module("." * n.level + (n.module or ""), package.__name__) for n in stars]


def starred(module: ModuleType) -> dict[str, Any]:
    """What `from module import *` takes."""
    names = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
    return {name: getattr(module, name) for name in names}


HOME = Path(str(oarlock.__file__)).parent
JOINING = [p.parent for p in sorted(HOME.rglob("__init__.py")) if " import *" in p.read_text()]
JOINING_NAMES = [
    "oarlock.tensor",
    *(".".join(("oarlock", *folder.relative_to(HOME).parts)) for folder in JOINING),
]


@pytest.mark.parametrize("name", JOINING_NAMES)
def test_no_name_is_exported_by_two_modules(name: str) -> None:
    """Of a package that joins the names of several modules."""
    if name == "oarlock.tensor":
        exports = [
            (module.__name__, patch.collect_public_functions(module)) for module in patch.MODULES
        ]
    else:
        exports = [
            (module.__name__, starred(module)) for module in star_imports(import_module(name))
        ]
    owners: dict[str, list[tuple[str, Any]]] = {}
    for module, names in exports:
        for public, value in names.items():
            owners.setdefault(public, []).append((module, value))
    assert not {
        public: [module for module, _ in found]
        for public, found in owners.items()
        if any(value is not found[0][1] for _, value in found)
    }
