"""Code templates: Python text with placeholders, parsed to syntax trees."""

from __future__ import annotations

import ast
import copy
from typing import Any, TypeVar

Node = TypeVar("Node", bound=ast.AST)


def statements_from_template(text: str, at: ast.AST, **substitutions: Any) -> list[ast.stmt]:
    """Return the statements of `text`, with the line number of `at`.

    substitutions: the values of placeholders, by name.

    A placeholder is a name in `text`. An expression replaces the name. A list of statements
    replaces a statement that consists of the name. A str renames it, also as the name of a function
    or argument. A list of expressions expands it in a tuple.
    """
    tree = ast.parse(text)
    filled = _PlaceholderFiller(substitutions).visit(tree)
    for node in filled.body:
        set_generated_positions(node, at)
    result: list[ast.stmt] = filled.body
    return result


def expression_from_template(text: str, at: ast.AST, **substitutions: Any) -> Any:
    """Return the syntax tree of the expression `text`, with placeholders replaced as by
    `statements_from_template`.
    """
    (result,) = statements_from_template(text, at, **substitutions)
    assert isinstance(result, ast.Expr)
    return result.value


def set_generated_positions(node: Node, at: ast.AST) -> Node:
    """Set the source position of generated nodes to the line of `at`. Nodes of the user's code keep
    their positions.
    """
    for inner in ast.walk(node):
        if "lineno" in inner._attributes and not getattr(inner, "_has_location", False):
            ast.copy_location(inner, at)
            # a traceback shows the last line of a call
            inner.end_lineno, inner.end_col_offset = at.lineno, at.col_offset  # type: ignore[attr-defined]
            inner._has_location = True  # type: ignore[attr-defined]
    return node


def mark_user_nodes(tree: ast.AST) -> None:
    """Mark all nodes of the user's tree, so that `set_generated_positions` does not change their
    positions.
    """
    for node in ast.walk(tree):
        node._has_location = True  # type: ignore[attr-defined]


class _PlaceholderFiller(ast.NodeTransformer):
    def __init__(self, substitutions: dict[str, Any]) -> None:
        self.substitutions = substitutions

    def visit_Expr(self, node: ast.Expr) -> Any:
        if isinstance(node.value, ast.Name):
            filling = self.substitutions.get(node.value.id)
            if isinstance(filling, list) and (not filling or isinstance(filling[0], ast.stmt)):
                return filling
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> Any:
        filling = self.substitutions.get(node.id)
        if isinstance(filling, str):
            return ast.Name(filling, node.ctx)
        return copy.copy(filling) if isinstance(filling, ast.AST) else node

    def visit_Tuple(self, node: ast.Tuple) -> Any:
        listed: list[ast.expr] = []
        for item in node.elts:
            filling = self.substitutions.get(item.id) if isinstance(item, ast.Name) else None
            listed += filling if isinstance(filling, list) else [self.visit(item)]
        return ast.Tuple(listed, node.ctx)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        node.name = self.substitutions.get(node.name, node.name)
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> Any:
        node.arg = self.substitutions.get(node.arg, node.arg)
        return node
