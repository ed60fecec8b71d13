"""Docstrings name parameters, exceptions and constants that exist."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = sorted(
    path for folder in ("tracer", "export", "loader") for path in (ROOT / folder).rglob("*.py")
)
TREES = {path: ast.parse(path.read_text()) for path in FILES}
PARAMETER_LINE = re.compile(r"([a-z]\w+(?:, [a-z]\w+)*): \S")
RAISED = re.compile(r"Raises? (?:an? )?([A-Z]\w+)")
CONSTANT = re.compile(r"\b[A-Z]+(?:_[A-Z]+)+\b")
# Words of external interfaces, and of file formats.
EXTERNAL = {"DENSE_TENSOR", "PR_SET_CHILD_SUBREAPER", "PR_SET_PDEATHSIG", "OARLOCK_NUM_THREADS"}
OTHER_TERMS = {
    "box_coder": {"decode_center_size"},  # value of an attribute
    "Cifar10": {"image"},
    "MNIST": {"image"},
    "save": {"with_hook", "clip_extra"},  # keys of **configs
}

Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def documented(tree: ast.Module) -> Iterator[tuple[Documented, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node, text


def names_in(tree: ast.AST) -> set[str]:
    """Return all identifiers of a tree, and the words of its short strings."""
    names: set[str] = set()
    for node in ast.walk(tree):
        match node:
            case ast.Name():
                names.add(node.id)
            case ast.Attribute():
                names.add(node.attr)
            case ast.arg() | ast.keyword():
                names.add(node.arg or "")
            case ast.FunctionDef() | ast.ClassDef():
                names.add(node.name)
            case ast.Constant(value=str(text)) if len(text) < 200:
                names.update(re.findall(r"\w+", text))
    return names


CODE_NAMES = set[str]().union(*map(names_in, TREES.values()))
CLASSES = {
    node.name
    for tree in TREES.values()
    for node in ast.walk(tree)
    if isinstance(node, ast.ClassDef)
}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(ROOT)))
def test_docstrings_name_what_exists(path: Path) -> None:
    for node, text in documented(TREES[path]):
        name = getattr(node, "name", path.stem)
        for raised in RAISED.findall(text):
            assert raised in CLASSES or hasattr(builtins, raised), f"{name}: raises {raised}"
        unknown = set(CONSTANT.findall(text)) - CODE_NAMES - EXTERNAL
        assert not unknown, f"{name}: no constant {unknown}"
        if isinstance(node, ast.Module):
            continue
        known = names_in(node) | OTHER_TERMS.get(name, set())
        for line in text.splitlines()[1:]:
            found = PARAMETER_LINE.match(line)
            for parameter in found[1].split(", ") if found else ():
                assert parameter in known, f"{name}: there is no {parameter}"
