"""The parsed source files of the package, for tests of the sources: each is parsed once in a
process.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted(
    path for folder in ("tracer", "export", "loader") for path in (ROOT / folder).rglob("*.py")
)


@functools.cache
def tree_of(path: Path) -> ast.Module:
    """Return the tree of a source file."""
    return ast.parse(path.read_text())


def nodes_of(tree: ast.AST) -> Iterator[ast.AST]:
    """Return all nodes of a tree in any order, without operators and contexts such as `ast.Load`.

    `ast.walk` returns them too, and takes three times as long.
    """
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        for value in vars(node).values():
            if isinstance(value, list):
                pending += [child for child in value if isinstance(child, ast.AST)]
            elif isinstance(value, ast.AST) and value._fields:
                pending.append(value)
