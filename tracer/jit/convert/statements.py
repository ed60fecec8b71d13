"""Transform control-flow statements to calls of operators, with their bodies as inner functions."""

from __future__ import annotations

import ast
from typing import Any

from .activity import INNER_SCOPES, parameters, symbol_effects
from .templates import expression, statements

Body = list[ast.stmt]


class ControlFlowTransformer(ast.NodeTransformer):
    """Transforms `if`, `while`, `for`, `match`, `assert`, `raise` and `del` of one function.
    Requires `annotate_liveness`.

    outer: names declared `global` (True) or `nonlocal` (False), and names of enclosing functions
    whose lists and dicts the function mutates.
    """

    def __init__(self, function: ast.FunctionDef, around: frozenset[str]) -> None:
        does = symbol_effects(function.body)
        declared = _declared_names(function.body)
        self.local = local_names(function)
        self.outer = dict.fromkeys((does.writes.keys() & around) - self.local, False) | declared
        self.count = 0
        self.undefined_locals: dict[
            str, None
        ] = {}  # locals that inner functions declare `nonlocal`, which requires that they exist

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    # -- bodies as functions
    # ------------------------------------------------------------------------------------

    def _name(self, kind: str) -> str:
        self.count += 1
        return f"_ol_{kind}_{self.count}"

    def _function(self, name: str, body: Body, at: ast.stmt, argument: str = "") -> Body:
        """Return the statements of `def name(argument): body`. Assignments in it assign variables
        of the user's function.
        """
        does = symbol_effects(body)
        written = [s for s in does.writes if s in self.local]
        self.undefined_locals.update(dict.fromkeys(written))
        head = f"    nonlocal {', '.join(written)}\n" if written else ""
        shared = [s for s in does.writes if self.outer.get(s)]
        head += f"    global {', '.join(shared)}\n" if shared else ""
        head += "".join(f"    nonlocal {s}\n" for s in does.writes if self.outer.get(s) is False)
        return statements(
            f"def NAME({argument}):\n{head}    BODY",
            at,
            NAME=name,
            BODY=body or statements("pass", at),
        )

    def _state(self, body: Body, live: frozenset[str]) -> list[str]:
        """Return the symbols that a body changes and that are read afterwards. Attributes always
        count as read afterwards.
        """
        return [
            s
            for s in symbol_effects(body).writes
            if (s in live and self._is_variable(s)) or "." in s
        ]

    def _is_variable(self, symbol: str) -> bool:
        """Whether a symbol is a name that the function can assign."""
        return symbol in self.local or symbol in self.outer

    def _scratch(self, node: ast.If, state: list[str]) -> list[str]:
        """Return the symbols that the branches change and that nothing reads afterwards. Each
        branch must start from their values before the `if`.
        """
        found = dict.fromkeys(
            [*symbol_effects(node.body).writes, *symbol_effects(node.orelse).writes]
        )
        return [s for s in found if s not in state and self._is_variable(s)]

    def _declare_locations(self, put: str, symbols: list[str], body: Body, at: ast.stmt) -> Body:
        """Return statements that tell the setter `put` which variables and attributes the statement
        merges itself.
        """
        names = dict.fromkeys(
            s
            for s in (*symbols, *symbol_effects(body).writes)
            if "." not in s and self._is_variable(s)
        )
        cells = [s for s in names if not self.outer.get(s)]
        held = [
            f"(lambda: {s.rpartition('.')[0]}, {s.rpartition('.')[2]!r})"
            for s in symbols
            if "." in s
        ]
        shared = [s for s in names if self.outer.get(s)]
        return statements(
            f"__ol.declare_locations({put}, lambda: ({''.join(f'{s}, ' for s in cells)}), "
            f"[{', '.join(held)}], {shared!r})",
            at,
        )

    def _accessors(
        self, symbols: list[str], body: Body, at: ast.stmt
    ) -> tuple[Body, dict[str, Any]]:
        """Return a getter and a setter for the symbols that a body changes, and the template
        placeholders that refer to them.
        """
        get, put = self._name("get"), self._name("set")
        reads = [f"__ol.read_attribute(lambda: {s}, {s!r})" if "." in s else s for s in symbols]
        writes = [s for s in symbols if s in self.local]
        self.undefined_locals.update(dict.fromkeys(writes))
        head = f"    nonlocal {', '.join(writes)}\n" if writes else ""
        for s in symbols:
            if s in self.outer:
                head += f"    {'global' if self.outer[s] else 'nonlocal'} {s}\n"
        sets = "".join(
            f"    {s} = values[{i}]\n"
            if "." not in s
            else f"    if __ol.needs_assignment(values[{i}], lambda: {s}):\n"
            f"        {s} = values[{i}]\n"
            for i, s in enumerate(symbols)
        )
        text = (
            f"def {get}():\n    return [{', '.join(reads)}]\ndef {put}(values):\n{head}{sets}    "
            "pass"
        )
        names = expression(repr([_display_name(s) for s in symbols]), at)
        return [*statements(text, at), *self._declare_locations(put, symbols, body, at)], {
            "GET": get,
            "SET": put,
            "NAMES": names,
        }

    # -- statements
    # ---------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> Body:
        live = node.live  # type: ignore[attr-defined]
        self.generic_visit(node)
        then, other = self._name("then"), self._name("else")
        symbols = list(dict.fromkeys(self._state(node.body, live) + self._state(node.orelse, live)))
        result, holes = self._accessors([*symbols, *self._scratch(node, symbols)], [], node)
        call = f"__ol.if_(TEST, THEN, ELSE, GET, SET, NAMES, {len(symbols)})"
        return [
            *self._function(then, node.body, _location_node(node.body, node)),
            *self._function(other, node.orelse, _location_node(node.orelse, node)),
            *result,
            *statements(call, node, TEST=node.test, THEN=then, ELSE=other, **holes),
        ]

    def visit_While(self, node: ast.While) -> Body:
        live = node.live  # type: ignore[attr-defined]
        self.generic_visit(node)
        test, body = self._name("test"), self._name("body")
        inside: Body = [*node.body, ast.copy_location(ast.Expr(node.test), node)]
        result, holes = self._accessors(self._state(inside, live), inside, node)
        return [
            *self._function(test, statements("return TEST", node, TEST=node.test), node),
            *self._function(body, node.body, node),
            *result,
            *statements(
                "__ol.while_(TEST, BODY, GET, SET, NAMES)", node, TEST=test, BODY=body, **holes
            ),
        ]

    def visit_For(self, node: ast.For) -> Body:
        live = node.live  # type: ignore[attr-defined]
        extra = getattr(node, "extra_test", None)
        self.generic_visit(node)
        body, test = self._name("body"), self._name("test")
        inside = [*statements("TARGET = _ol_item", node, TARGET=expression("_", node)), *node.body]
        inside[0].targets = [node.target]  # type: ignore[attr-defined]
        result, holes = self._accessors(self._state(inside, live), inside, node)
        result += self._function(body, inside, node, "_ol_item")
        call = "__ol.for_(ITER, BODY, GET, SET, NAMES)"
        if extra is not None:
            result += self._function(test, statements("return TEST", node, TEST=extra), node)
            call = "__ol.for_(ITER, BODY, GET, SET, NAMES, TEST)"
        return [*result, *statements(call, node, ITER=node.iter, BODY=body, TEST=test, **holes)]

    def visit_Assert(self, node: ast.Assert) -> Body:
        message = node.msg or ast.copy_location(ast.Constant(None), node)
        return statements(
            "__ol.assert_(TEST, lambda: MESSAGE)", node, TEST=node.test, MESSAGE=message
        )

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        if node.exc is not None:
            node.exc = expression("__ol.mark_raise(ERROR)", node, ERROR=node.exc)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> Body:
        """Save a list before `a += b` mutates it in place."""
        if not isinstance(node.target, ast.Name):
            return [node]
        name = node.target.id
        return [
            *statements(
                f"__ol.before_write(VALUE, {name!r})",
                node,
                VALUE=ast.copy_location(ast.Name(name, ast.Load()), node),
            ),
            node,
        ]

    def visit_Delete(self, node: ast.Delete) -> Any:
        names = [t.id for t in node.targets if isinstance(t, ast.Name) and t.id in self.local]
        if len(names) != len(node.targets):
            return node
        return [
            s
            for n in names
            for s in statements(f"{n} = __ol.Undefined({n!r}, 'was deleted')", node)
        ]


def local_names(function: ast.FunctionDef) -> set[str]:
    """Return the local names of a function."""
    return (
        symbol_effects(function.body).bound - _declared_names(function.body).keys()
    ) | parameters(function)


def _location_node(body: Body, node: ast.stmt) -> ast.stmt:
    return body[0] if body else node


def _display_name(symbol: str) -> str:
    return {"_ol_result": "the value returned", "_ol_returned": "whether it returned"}.get(
        symbol, symbol
    )


def _declared_names(body: Body) -> dict[str, bool]:
    """Return the names declared `global` (True) or `nonlocal` (False) in a function."""
    found: dict[str, bool] = {}
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            found.update(dict.fromkeys(node.names, isinstance(node, ast.Global)))
        elif not isinstance(node, INNER_SCOPES):
            todo += ast.iter_child_nodes(node)
    return found
