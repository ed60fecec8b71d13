"""Find constructs in the source of a function that a program cannot contain, without running the
function. The scan estimates which names hold tensors.
"""

from __future__ import annotations

import ast
import linecache
import os
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType, ModuleType
from typing import Any

from ...core.function_syntax_tree import SourceError, require_syntax_tree_of_code
from ..guards.user_code import KNOWN_LIBRARIES, is_convertible_function
from .activity import INNER_SCOPES
from .expressions import is_name_or_name_tuple, replace_consumed_generator_in_place

STATIC_TENSOR_ATTRIBUTES = frozenset(
    {"shape", "ndim", "dtype", "name", "training", "stop_gradient", "size"}
)  # attributes of a tensor that are Python values during a capture
STATIC_BUILTINS = frozenset(
    {"isinstance", "type", "len", "hasattr", "getattr", "id", "callable", "print", "repr", "str"}
)
METHODS_READING_VALUES = frozenset({"numpy", "tolist"})


@dataclass(frozen=True, order=True)
class CaptureProblem:
    """A construct that a program cannot contain.

    source_line: the source line.
    fix: how to change the code.
    is_silent: whether a capture succeeds in spite of the construct.
    """

    file: str
    line: int
    function: str
    source_line: str
    cause: str
    fix: str = ""
    is_silent: bool = False

    @property
    def where(self) -> str:
        """The location of the construct, formatted as in error messages."""
        return f"{self.file}:{self.line} in {self.function}" if self.line else self.function


def scan_function_and_callees(function: FunctionType) -> list[CaptureProblem]:
    """Return the problems of a function, and of the user functions whose names it contains,
    transitively.
    """
    problems: dict[CaptureProblem, None] = {}
    for each in _iter_function_and_callees(function):
        problems.update(dict.fromkeys(_scan_function(each)))
    return list(problems)


def _iter_function_and_callees(function: FunctionType) -> Iterator[FunctionType]:
    """Yield a function, the user functions whose names it contains, the functions whose names these
    contain, and so on.
    """
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
            if isinstance(plain, FunctionType) and is_convertible_function(plain):
                todo.append(plain)


def _scan_function(function: FunctionType) -> list[CaptureProblem]:
    code = function.__code__
    try:
        tree = require_syntax_tree_of_code(code)
    except SourceError as error:
        fix = "put the function in a readable file; until then, Python runs its control flow"
        return [
            CaptureProblem(
                os.path.basename(code.co_filename),
                code.co_firstlineno,
                code.co_name,
                "",
                str(error),
                fix,
                True,
            )
        ]
    scanner = _ProblemScanner(function, tree)
    for statement in tree.body if isinstance(tree.body, list) else [tree.body]:
        scanner.visit(statement)
    return scanner.problems


class _ProblemScanner(ast.NodeVisitor):
    """Finds the problems of one function.

    tensors: the names that may hold symbolic values.
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
        self._tensor_names = {a.arg for a in plain[is_method:]}
        for node in ast.walk(tree):
            if isinstance(node, ast.Call):
                replace_consumed_generator_in_place(node)
        for _ in range(2):  # twice, because a loop may read at its start what it assigns at its end
            for node in ast.walk(tree):
                self._mark_targets_of_symbolic_value(node)
        self.problems: list[CaptureProblem] = []

    def _mark_targets_of_symbolic_value(self, node: ast.AST) -> None:
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
        if self._may_be_symbolic_value(source):
            self._tensor_names |= {
                n.id
                for t in targets
                for n in ast.walk(t)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }

    def _may_be_symbolic_value(self, node: ast.AST | None) -> bool:
        """Whether an expression may be a symbolic value."""
        if node is None or isinstance(node, INNER_SCOPES):
            return False
        if isinstance(node, ast.Name):
            return node.id in self._tensor_names
        if isinstance(node, ast.Attribute) and node.attr in STATIC_TENSOR_ATTRIBUTES:
            return False
        if isinstance(node, ast.Compare) and any(
            isinstance(op, ast.Is | ast.IsNot) for op in node.ops
        ):
            return False
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in STATIC_BUILTINS
        ):
            return False
        return any(self._may_be_symbolic_value(inner) for inner in ast.iter_child_nodes(node))

    def _add_problem(self, node: ast.AST, cause: str, fix: str, silent: bool = False) -> None:
        line = getattr(node, "lineno", 0)
        text = linecache.getline(self._file, line).strip()
        self.problems.append(
            CaptureProblem(
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

    def _report_unconverted_comprehension(self, node: Any) -> None:
        if hasattr(node, "is_duplicate"):
            return
        first = node.generators[0]
        simple = (
            isinstance(node, ast.ListComp)
            and len(node.generators) == 1
            and is_name_or_name_tuple(first.target)
        )
        if not simple and any(
            self._may_be_symbolic_value(part) for g in node.generators for part in (g.iter, *g.ifs)
        ):
            kind = (
                "a generator"
                if isinstance(node, ast.GeneratorExp)
                else "a comprehension that is more than [f(item) for item in rows if g(item)]"
            )
            self._add_problem(
                node,
                f"{kind} over values stays Python, which has to know how many there are",
                "write a `for` statement with append",
            )
        self.generic_visit(node)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = (
        _report_unconverted_comprehension
    )

    def _visit_yield(self, node: Any) -> None:
        self._add_problem(
            node,
            "a generator function is not converted; control flow on tensors in it is rejected",
            "return a list",
        )

    visit_Yield = visit_YieldFrom = _visit_yield

    def visit_Await(self, node: ast.Await) -> None:
        self._add_problem(node, "an async function is not converted", "call a plain function")

    def visit_Call(self, node: ast.Call) -> None:
        function = node.func
        if isinstance(function, ast.Attribute):
            if function.attr in METHODS_READING_VALUES and self._may_be_symbolic_value(
                function.value
            ):
                self._add_problem(
                    node,
                    f"{function.attr}() reads values, which are known only at run time",
                    "use tensors and paddle's functions",
                )
            module = self._top_package_of_call(function)
            if module in (*KNOWN_LIBRARIES, "math") and any(
                self._may_be_symbolic_value(a) for a in node.args
            ):
                self._add_problem(
                    node,
                    f"{module} reads values, which are known only at run time",
                    "use the corresponding function of paddle",
                )
        self.generic_visit(node)

    def _top_package_of_call(self, function: ast.Attribute) -> str:
        root: ast.expr = function
        while isinstance(root, ast.Attribute):
            root = root.value
        module = self._function.__globals__.get(root.id) if isinstance(root, ast.Name) else None
        return module.__name__.split(".")[0] if isinstance(module, ModuleType) else ""

    def _report_walrus_in_conditional_part(self, node: ast.BoolOp | ast.IfExp) -> None:
        """Report `:=` in a part of `and`, `or` or a conditional expression that may not be
        evaluated.
        """
        parts = node.values[1:] if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
        walrus = any(isinstance(n, ast.NamedExpr) for p in parts for n in ast.walk(p))
        if walrus and self._may_be_symbolic_value(node):
            self._add_problem(
                node,
                "`:=` in a part that may not be reached leaves the whole expression to Python",
                "assign in a statement before",
            )
        self.generic_visit(node)

    visit_BoolOp = visit_IfExp = _report_walrus_in_conditional_part

    def _report_conditional_raise_in_try(self, node: ast.Try | ast.TryStar) -> None:
        """Report each `raise` under a condition on symbolic values in the body of a `try` with
        handlers.
        """
        branches = [
            n
            for s in node.body
            for n in ast.walk(s)
            if isinstance(n, ast.If) and self._may_be_symbolic_value(n.test)
        ]
        for branch in branches if node.handlers else []:
            if any(isinstance(n, ast.Raise) for n in ast.walk(branch)):
                self._add_problem(
                    branch,
                    "a `raise` under a condition on values ends the run; `except` does not see it",
                    "use if and else",
                    True,
                )
        self.generic_visit(node)

    visit_Try = visit_TryStar = _report_conditional_raise_in_try
