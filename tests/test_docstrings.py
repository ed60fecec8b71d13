"""Docstrings name parameters, exceptions and constants that exist."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.tools.syntax_trees import FILES, ROOT, nodes_of, tree_of

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


def names_in(nodes: Iterable[ast.AST]) -> set[str]:
    """Return all identifiers of nodes, and the words of their short strings."""
    names: set[str] = set()
    for node in nodes:
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


def documented(nodes: Iterable[ast.AST]) -> Iterator[tuple[Documented, str]]:
    for node in nodes:
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text:
                yield node, text


@pytest.mark.slow
def test_docstrings_name_what_exists() -> None:
    code_names: set[str] = set()
    classes: set[str] = set()
    docstrings: list[tuple[Path, Documented, str]] = []
    for path in FILES:
        nodes = list(nodes_of(tree_of(path)))
        code_names |= names_in(nodes)
        classes |= {node.name for node in nodes if isinstance(node, ast.ClassDef)}
        docstrings += [(path, node, text) for node, text in documented(nodes)]
    wrong: list[str] = []
    for path, node, text in docstrings:
        where = f"{path.relative_to(ROOT)}: {getattr(node, 'name', path.stem)}"
        for raised in RAISED.findall(text):
            if raised not in classes and not hasattr(builtins, raised):
                wrong.append(f"{where}: raises {raised}")
        for constant in set(CONSTANT.findall(text)) - code_names - EXTERNAL:
            wrong.append(f"{where}: no constant {constant}")
        if not isinstance(node, ast.Module):
            wrong += [f"{where}: there is no {name}" for name in unknown_parameters(node, text)]
    assert not wrong


def unknown_parameters(node: ast.ClassDef | ast.FunctionDef, text: str) -> list[str]:
    """Return the parameters that a docstring describes and its function or class does not name."""
    described = [
        parameter
        for line in text.splitlines()[1:]
        if (found := PARAMETER_LINE.match(line))
        for parameter in found[1].split(", ")
    ]
    if not described:
        return []
    known = names_in(nodes_of(node)) | OTHER_TERMS.get(node.name, set())
    return [parameter for parameter in described if parameter not in known]
