"""Find constructs in the source of a function that a program cannot contain, without running the
function. Which names hold tensors is estimated.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from ...core.function_source import SourceError, function_tree
from ..guards.user_code import LIBRARIES, is_users
from .activity import INNER_SCOPES
from .expressions import expand_generator, is_name_target

STATIC_ATTRIBUTES = frozenset(
    {"shape", "ndim", "dtype", "name", "training", "stop_gradient", "size"}
)  # attributes that have a value during capture
PYTHON_QUERIES = frozenset(
    {"isinstance", "type", "len", "hasattr", "getattr", "id", "callable", "print", "repr", "str"}
)
VALUE_METHODS = frozenset({"numpy", "tolist"})


@dataclass(frozen=True, order=True)
class Problem:
    """A construct that a program cannot contain.

    text: the source line.
    fix: how to change the code.
    silent: whether a capture succeeds in spite of it.
    """

    file: str
    line: int
    function: str
    text: str
    cause: str
    fix: str = ""
    silent: bool = False

    @property
    def where(self) -> str:
        """The location, as in error messages."""
        return f"{self.file}:{self.line} in {self.function}" if self.line else self.function


def scan(function: FunctionType) -> list[Problem]:
    """Return the problems of a function, and of the functions of its module that it calls
    by name.
    """
    found: dict[Problem, None] = {}
    for each in _iter_reachable(function):
        found.update(dict.fromkeys(_scan_function(each)))
    return list(found)


def _iter_reachable(function: FunctionType) -> Iterator[FunctionType]:
    """Yield a function, the user functions whose names it contains, and so on transitively."""
    todo, seen = [function], set()
    while todo:
        each = todo.pop()
        if each.__code__ in seen:
            continue
        seen.add(each.__code__)
        yield each
        for name in each.__code__.co_names:
            named = each.__globals__.get(name)
            plain = getattr(named, "_function", named)  # a StaticFunction
            if isinstance(plain, FunctionType) and is_users(plain):
                todo.append(plain)


def _scan_function(function: FunctionType) -> list[Problem]:
    code = function.__code__
    try:
        tree = function_tree(code)
    except SourceError as error:
        fix = "put it in a file that can be read; until then control flow in it is Python's"
        return [
            Problem(
                os.path.basename(code.co_filename),
                code.co_firstlineno,
                code.co_name,
                "",
                str(error),
                fix,
                True,
            )
        ]
    scanner = _Scanner(function, tree)
    for statement in tree.body if isinstance(tree.body, list) else [tree.body]:
        scanner.visit(statement)
    return scanner.problems


class _Scanner(ast.NodeVisitor):
    """Finds the problems of one function.

    tensors: the names that may hold values of the program.
    """

    def __init__(self, function: FunctionType, tree: Any) -> None:
        self._function = function
        self._file = function.__code__.co_filename
        arguments = [*tree.args.posonlyargs, *tree.args.args]
        plain = arguments[: len(arguments) - len(tree.args.defaults)]
        is_method = (
            "." in function.__qualname__
            and "<locals>" not in function.__qualname__.rsplit(".", 2)[-2]
        )
        self._tensors = {a.arg for a in plain[is_method:]}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                expand_generator(node)
        for _ in range(2):  # a loop may read at its start what it assigns at its end
            for node in ast.walk(tree):
                self._assigned(node)
        self.problems: list[Problem] = []

    def _assigned(self, node: ast.AST) -> None:
        if (
            isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign | ast.NamedExpr)
            and node.value is not None
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            source: ast.expr = node.value
        elif isinstance(node, ast.For | ast.comprehension):
            targets, source = [node.target], node.iter
        else:
            return
        if self._is_value(source):
            self._tensors |= {
                n.id
                for t in targets
                for n in ast.walk(t)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }

    def _is_value(self, node: ast.AST | None) -> bool:
        """Whether an expression may be a value of the program."""
        if node is None or isinstance(node, INNER_SCOPES):
            return False
        if isinstance(node, ast.Name):
            return node.id in self._tensors
        if isinstance(node, ast.Attribute) and node.attr in STATIC_ATTRIBUTES:
            return False
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Is | ast.IsNot) for op in node.ops
        ):
            return False
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in PYTHON_QUERIES
        ):
            return False
        return any(self._is_value(inner) for inner in ast.iter_child_nodes(node))

    def _note(self, node: ast.AST, cause: str, fix: str, silent: bool = False) -> None:
        line = getattr(node, "lineno", 0)
        text = linecache.getline(self._file, line).strip()
        self.problems.append(
            Problem(
                os.path.basename(self._file),
                line,
                self._function.__name__,
                text,
                cause,
                fix,
                silent,
            )
        )

    # -- constructs
    # ---------------------------------------------------------------------------------------------

    def _comprehension(self, node: Any) -> None:
        if hasattr(node, "is_duplicate"):
            return
        first = node.generators[0]
        simple = (
            isinstance(node, ast.ListComp)
            and len(node.generators) == 1
            and is_name_target(first.target)
        )
        if not simple and any(
            self._is_value(part) for g in node.generators for part in (g.iter, *g.ifs)
        ):
            kind = (
                "a generator"
                if isinstance(node, ast.GeneratorExp)
                else "a comprehension that is more than [f(item) for item in rows if g(item)]"
            )
            self._note(
                node,
                f"{kind} over values stays Python, which has to know how many there are",
                "write a `for` statement with append",
            )
        self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _comprehension

    def _yields(self, node: Any) -> None:
        self._note(
            node,
            "a generator function is not converted: control flow on values in it is refused",
            "give back a list",
        )

    visit_Yield = visit_YieldFrom = _yields

    def visit_Await(self, node: ast.Await) -> None:
        self._note(node, "an async function is not converted", "call a plain function")

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr in VALUE_METHODS and self._is_value(function.value):
                self._note(
                    node,
                    f"{function.attr}() asks for values, which only a run has",
                    "stay with tensors and paddle's functions",
                )
            module = self._module(function)
            if module in (*LIBRARIES, "math") and any(self._is_value(a) for a in node.args):
                self._note(
                    node,
                    f"{module} computes on values, which only a run has",
                    "use paddle's function of that kind",
                )
        self.generic_visit(node)

    def _module(self, function: ast.Attribute) -> str:
        root: ast.expr = function
        while isinstance(root, ast.Attribute):
            root = root.value
        held = self._function.__globals__.get(root.id) if isinstance(root, ast.Name) else None
        return held.__name__.split(".")[0] if isinstance(held, ModuleType) else ""

    def _deferred(self, node: ast.BoolOp | ast.IfExp) -> None:
        parts = node.values[1:] if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        walrus = any(isinstance(n, ast.NamedExpr) for p in parts for n in ast.walk(p))
        if walrus and self._is_value(node):
            self._note(
                node,
                "`:=` in a part that may not be reached leaves the whole expression to Python",
                "assign in a statement before",
            )
        self.generic_visit(node)

    visit_BoolOp = visit_IfExp = _deferred

    def visit_Try(self, node: ast.Try) -> None:
        branches = [
            n
            for s in node.body
            for n in ast.walk(s)
            if isinstance(n, ast.If) and self._is_value(n.test)
        ]
        for branch in branches if node.handlers else []:
            if any(isinstance(n, ast.Raise) for n in ast.walk(branch)):
                self._note(
                    branch,
                    "a `raise` under a condition on values ends the run; `except` does not see it",
                    "use if and else",
                    True,
                )
        self.generic_visit(node)
