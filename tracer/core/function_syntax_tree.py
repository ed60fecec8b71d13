"""Find the syntax tree of a Python function, given its code object."""

from __future__ import annotations
import __future__

import ast
import copy
import functools
import linecache
import operator
import os
import time
from types import CodeType
from typing import Any

FunctionNode = ast.FunctionDef | ast.Lambda


class SourceError(Exception):
    """The source of a function is missing or cannot be converted; the message states why."""


def require_syntax_tree_of_code(code: CodeType) -> FunctionNode:
    """Return a copy of the syntax tree of the function whose code object is `code`. Raises
    SourceError.
    """
    linecache.checkcache(code.co_filename)
    lines = linecache.getlines(code.co_filename)
    if not lines:
        raise SourceError(f"the source of {code.co_filename} is not available")
    text = "".join(lines)
    found = _parse_functions(code.co_filename, text).get((code.co_firstlineno, code.co_name), [])
    if len(found) > 1:
        found = [f for f in found if _is_def_or_matching_lambda(f, code)]
    if len(found) != 1:
        raise SourceError(
            f"the function {code.co_name} is not the only function, or no function, in line "
            f"{code.co_firstlineno} of {code.co_filename}"
        )
    if not _is_file_older_than_oarlock_import(code.co_filename) and not _code_matches_source_text(
        code, text
    ):
        raise SourceError(
            f"{code.co_filename} was edited after the function {code.co_name} was compiled; "
            "import the file again"
        )
    return copy.deepcopy(found[0])


_IMPORT_TIME = time.time()


def _is_file_older_than_oarlock_import(filename: str) -> bool:
    """Whether a file was last written before this module was imported. The functions of a file that
    is older than the import of Oarlock are assumed to match the source in the file.
    """
    try:
        return os.stat(filename).st_mtime < _IMPORT_TIME
    except OSError:
        return False


def _code_matches_source_text(code: CodeType, text: str) -> bool:
    """Whether `text`, the current content of the file, still contains the source from which `code`
    was compiled.
    """
    candidates = _compile_functions(code.co_filename, text, code.co_flags & _FUTURE_FLAGS).get(
        (code.co_firstlineno, code.co_name), []
    )
    return not candidates or any(_is_same_code(code, result) for result in candidates)


_FUTURE_FLAGS = functools.reduce(
    operator.or_, (getattr(__future__, n).compiler_flag for n in __future__.all_feature_names)
)


@functools.lru_cache(maxsize=64)
def _compile_functions(
    filename: str, text: str, flags: int
) -> dict[tuple[int, str], list[CodeType]]:
    """Compile a file and return the code objects of all its functions, by first line and name.
    Return an empty dict if the file is not valid Python.
    """
    table: dict[tuple[int, str], list[CodeType]] = {}
    try:  # notebook cells may contain await
        todo = [
            compile(
                text, filename, "exec", flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True
            )
        ]
    except SyntaxError:
        return table
    while todo:
        inner = _inner_code_objects(todo.pop())
        todo += inner
        for code in inner:
            table.setdefault((code.co_firstlineno, code.co_name), []).append(code)
    return table


def _is_same_code(code: CodeType, result: CodeType) -> bool:
    """Whether `code` equals the compiled code, apart from pytest's rewritten asserts."""
    inner, other = _inner_code_objects(code), _inner_code_objects(result)
    if len(inner) != len(other) or not all(map(_is_same_code, inner, other)):
        return False
    pairs = [(code.co_names, result.co_names), (code.co_varnames, result.co_varnames)]
    if any(name.startswith(PYTEST_PREFIXES) for name in (*code.co_names, *code.co_varnames)):
        # with pytest's asserts, the constants in asserts are missing
        return all(set(had) <= set(has) for has, had in pairs)
    same = all(
        has == had
        for has, had in (*pairs, (_comparable_constants(code), _comparable_constants(result)))
    )
    return same and code.co_code == result.co_code


PYTEST_PREFIXES = ("@py_", "@pytest_")  # prefixes of names that pytest adds


def _inner_code_objects(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


def _comparable_constants(code: CodeType) -> list[Any]:
    return [
        c if isinstance(c, frozenset) else repr(c)
        for c in code.co_consts
        if not isinstance(c, CodeType)
    ]


@functools.lru_cache(maxsize=64)
def _parse_functions(filename: str, text: str) -> dict[tuple[int, str], list[FunctionNode]]:
    """Return the syntax trees of all functions of a file, by first line (decorators included) and
    name.
    """
    try:
        tree = ast.parse(text, filename)
    except SyntaxError as error:
        raise SourceError(f"{filename} cannot be parsed: {error}") from None
    table: dict[tuple[int, str], list[FunctionNode]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            table.setdefault((first, node.name), []).append(node)
        elif isinstance(node, ast.Lambda):
            table.setdefault((node.lineno, "<lambda>"), []).append(node)
    return table


def _is_def_or_matching_lambda(node: FunctionNode, code: CodeType) -> bool:
    """Whether `node` is a def, or a lambda whose body contains all source positions of `code` and
    starts where they start.
    """
    positions = [(p[0], p[2]) for p in code.co_positions() if p[0] is not None and p[2] is not None]
    positions = [s for s in positions if s != (code.co_firstlineno, 0)]
    if not positions or not isinstance(node, ast.Lambda):
        return True
    body = node.body
    end = (body.end_lineno or 0, body.end_col_offset or 0)
    start = (body.lineno, body.col_offset)
    return all(start <= s <= end for s in positions) and min(positions) == min(
        _expression_start_positions(body)
    )


def _expression_start_positions(node: ast.expr) -> list[tuple[int, int]]:
    return [(n.lineno, n.col_offset) for n in ast.walk(node) if isinstance(n, ast.expr)]
