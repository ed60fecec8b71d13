"""The syntax tree of a function that is running already, found by where its code says it begins."""

from __future__ import annotations

import ast
import copy
import linecache
from types import CodeType

Function = ast.FunctionDef | ast.Lambda
_TREES: dict[tuple[str, int], dict[tuple[int, str], list[Function]]] = {}


class NoSource(Exception):
    """The source of a function cannot be had, or is not one that can be converted; the message says why."""


def function_tree(code: CodeType) -> Function:
    """A copy of the tree of the function that `code` is of.   Raises NoSource."""
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise NoSource(f"there is no source of {code.co_filename}")
    text = "".join(lines)
    found = _functions(code.co_filename, text).get((code.co_firstlineno, code.co_name), [])
    if len(found) > 1:
        found = [f for f in found if _holds_positions(f, code)]
    if len(found) != 1:
        raise NoSource(
            f"line {code.co_firstlineno} of {code.co_filename} is not, or not only, the function {code.co_name}"
        )
    return copy.deepcopy(found[0])


def _functions(filename: str, text: str) -> dict[tuple[int, str], list[Function]]:
    """Every function of a file by first line, decorators included, and name."""
    key = (filename, hash(text))
    if key not in _TREES:
        try:
            tree = ast.parse(text, filename)
        except SyntaxError as error:
            raise NoSource(f"{filename} cannot be parsed: {error}") from None
        table: dict[tuple[int, str], list[Function]] = {}
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                table.setdefault((first, node.name), []).append(node)
            elif isinstance(node, ast.Lambda):
                table.setdefault((node.lineno, "<lambda>"), []).append(node)
        _TREES[key] = table
    return _TREES[key]


def _holds_positions(node: Function, code: CodeType) -> bool:
    """Whether all that `code` does lies inside of `node`, and begins where its body does."""
    spots = [(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None]
    spots = [s for s in spots if s != (code.co_firstlineno, 0)]
    if not spots or not isinstance(node, ast.Lambda):
        return True
    body = node.body
    end = (body.end_lineno or 0, body.end_col_offset or 0)
    start = (body.lineno, body.col_offset)
    return all(start <= s <= end for s in spots) and min(spots) == min(_starts(body))


def _starts(node: ast.expr) -> list[tuple[int, int]]:
    return [(n.lineno, n.col_offset) for n in ast.walk(node) if isinstance(n, ast.expr)]
