"""Transform control-flow statements to calls of operators. The bodies of a statement become inner
functions, which are arguments of the call.
"""

from __future__ import annotations

import ast
from typing import Any

from .activity import INNER_SCOPES, parameter_names, symbol_effects
from .templates import expression_from_template, statements_from_template

StatementList = list[ast.stmt]


class ControlFlowTransformer(ast.NodeTransformer):
    """Transforms `if`, `while`, `for`, `assert`, `raise`, `del` and `name += value` of a function.
    Requires `annotate_liveness`.

    outer_names: names declared `global` (True) or `nonlocal` (False), and names of enclosing
    functions whose lists and dicts the function mutates.
    """

    def __init__(self, function: ast.FunctionDef, enclosing_names: frozenset[str]) -> None:
        effects = symbol_effects(function.body)
        declared = _global_and_nonlocal_declarations(function.body)
        self.local_names = local_names_of(function)
        self.outer_names = (
            dict.fromkeys((effects.writes.keys() & enclosing_names) - self.local_names, False)
            | declared
        )
        self.num_generated_names = 0
        self.undefined_locals: dict[
            str, None
            # locals that inner functions declare `nonlocal`; they are assigned at the start of the
            # function, because `nonlocal` requires that they exist
        ] = {}

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    # -- bodies as functions
    # ------------------------------------------------------------------------------------

    def _generate_name(self, kind: str) -> str:
        self.num_generated_names += 1
        return f"_ol_{kind}_{self.num_generated_names}"

    def _define_function(
        self, name: str, body: StatementList, at: ast.stmt, parameter: str = ""
    ) -> StatementList:
        """Return the statements of `def name(argument): body`. Assignments in the body assign
        variables of the user's function.
        """
        effects = symbol_effects(body)
        written = [s for s in effects.writes if s in self.local_names]
        self.undefined_locals.update(dict.fromkeys(written))
        head = f"    nonlocal {', '.join(written)}\n" if written else ""
        global_names = [s for s in effects.writes if self.outer_names.get(s)]
        head += f"    global {', '.join(global_names)}\n" if global_names else ""
        head += "".join(
            f"    nonlocal {s}\n" for s in effects.writes if self.outer_names.get(s) is False
        )
        return statements_from_template(
            f"def NAME({parameter}):\n{head}    BODY",
            at,
            NAME=name,
            BODY=body or statements_from_template("pass", at),
        )

    def _live_writes(self, body: StatementList, live: frozenset[str]) -> list[str]:
        """Return the symbols that a body changes and that are read afterwards. Attributes always
        count as read after the body.
        """
        return [
            s
            for s in symbol_effects(body).writes
            if (s in live and self._is_assignable_name(s)) or "." in s
        ]

    def _is_assignable_name(self, symbol: str) -> bool:
        """Whether a symbol is a name that the function can assign."""
        return symbol in self.local_names or symbol in self.outer_names

    def _dead_branch_writes(self, node: ast.If, state: list[str]) -> list[str]:
        """Return the symbols that the branches of an `if` change and that nothing reads after it.
        The operator for `if` needs these symbols, because both branches must start from the values
        before the `if`.
        """
        writes = dict.fromkeys(
            [*symbol_effects(node.body).writes, *symbol_effects(node.orelse).writes]
        )
        return [s for s in writes if s not in state and self._is_assignable_name(s)]

    def _make_statements_attaching_write_targets_to_setter(
        self, setter: str, symbols: list[str], body: StatementList, at: ast.stmt
    ) -> StatementList:
        """Return statements that store in the generated setter which variables and attributes the
        `if` or loop statement merges itself.
        """
        names = dict.fromkeys(
            s
            for s in (*symbols, *symbol_effects(body).writes)
            if "." not in s and self._is_assignable_name(s)
        )
        cells = [s for s in names if not self.outer_names.get(s)]
        attributes = [
            f"(lambda: {s.rpartition('.')[0]}, {s.rpartition('.')[2]!r})"
            for s in symbols
            if "." in s
        ]
        shared = [s for s in names if self.outer_names.get(s)]
        return statements_from_template(
            f"__ol.attach_write_targets_to_setter({setter}, lambda: "
            f"({''.join(f'{s}, ' for s in cells)}), "
            f"[{', '.join(attributes)}], {shared!r})",
            at,
        )

    def _define_accessors(
        self, symbols: list[str], body: StatementList, at: ast.stmt
    ) -> tuple[StatementList, dict[str, Any]]:
        """Return statements that define a getter and a setter for the symbols that a body changes,
        and a dict of template placeholders that refer to these functions.
        """
        get, put, values = (self._generate_name(name) for name in ("get", "set", "values"))
        reads = [
            f"__ol.read_attribute_or_undefined(lambda: {s}, {s!r})" if "." in s else s
            for s in symbols
        ]
        writes = [s for s in symbols if s in self.local_names]
        self.undefined_locals.update(dict.fromkeys(writes))
        head = f"    nonlocal {', '.join(writes)}\n" if writes else ""
        for s in symbols:
            if s in self.outer_names:
                head += f"    {'global' if self.outer_names[s] else 'nonlocal'} {s}\n"
        sets = "".join(
            f"    {s} = {values}[{i}]\n"
            if "." not in s
            else f"    if __ol.attribute_needs_assignment({values}[{i}], lambda: {s}):\n"
            f"        {s} = {values}[{i}]\n"
            for i, s in enumerate(symbols)
        )
        text = (
            f"def {get}():\n    return [{', '.join(reads)}]\ndef {put}({values}):\n{head}"
            f"{sets}    pass"
        )
        names = expression_from_template(repr([_displayed_symbol(s) for s in symbols]), at)
        return [
            *statements_from_template(text, at),
            *self._make_statements_attaching_write_targets_to_setter(put, symbols, body, at),
        ], {
            "GET": get,
            "SET": put,
            "NAMES": names,
        }

    # -- statements
    # ---------------------------------------------------------------------------------------------

    def visit_If(self, node: ast.If) -> StatementList:
        live = node.live  # type: ignore[attr-defined]
        self.generic_visit(node)
        then, other = self._generate_name("then"), self._generate_name("else")
        symbols = list(
            dict.fromkeys(self._live_writes(node.body, live) + self._live_writes(node.orelse, live))
        )
        result, accessors = self._define_accessors(
            [*symbols, *self._dead_branch_writes(node, symbols)], [], node
        )
        call = f"__ol.if_(TEST, THEN, ELSE, GET, SET, NAMES, {len(symbols)})"
        return [
            *self._define_function(then, node.body, _first_statement_or_default(node.body, node)),
            *self._define_function(
                other, node.orelse, _first_statement_or_default(node.orelse, node)
            ),
            *result,
            *statements_from_template(
                call, node, TEST=node.test, THEN=then, ELSE=other, **accessors
            ),
        ]

    def visit_While(self, node: ast.While) -> StatementList:
        live = node.live  # type: ignore[attr-defined]
        self.generic_visit(node)
        test, body = self._generate_name("test"), self._generate_name("body")
        inside: StatementList = [*node.body, ast.copy_location(ast.Expr(node.test), node)]
        result, accessors = self._define_accessors(self._live_writes(inside, live), inside, node)
        return [
            *self._define_function(
                test, statements_from_template("return TEST", node, TEST=node.test), node
            ),
            *self._define_function(body, node.body, node),
            *result,
            *statements_from_template(
                "__ol.while_(TEST, BODY, GET, SET, NAMES)", node, TEST=test, BODY=body, **accessors
            ),
        ]

    def visit_For(self, node: ast.For) -> StatementList:
        live = node.live  # type: ignore[attr-defined]
        extra = getattr(node, "extra_test", None)
        self.generic_visit(node)
        body, test = self._generate_name("body"), self._generate_name("test")
        inside = [
            *statements_from_template(
                "TARGET = _ol_item", node, TARGET=expression_from_template("_", node)
            ),
            *node.body,
        ]
        inside[0].targets = [node.target]  # type: ignore[attr-defined]
        result, accessors = self._define_accessors(self._live_writes(inside, live), inside, node)
        result += self._define_function(body, inside, node, "_ol_item")
        call = "__ol.for_(ITER, BODY, GET, SET, NAMES)"
        if extra is not None:
            result += self._define_function(
                test, statements_from_template("return TEST", node, TEST=extra), node
            )
            call = "__ol.for_(ITER, BODY, GET, SET, NAMES, TEST)"
        return [
            *result,
            *statements_from_template(
                call, node, ITER=node.iter, BODY=body, TEST=test, **accessors
            ),
        ]

    def visit_Assert(self, node: ast.Assert) -> StatementList:
        message = node.msg or ast.copy_location(ast.Constant(None), node)
        return statements_from_template(
            "__ol.assert_(TEST, lambda: MESSAGE)", node, TEST=node.test, MESSAGE=message
        )

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        """Mark the exception as raised by the user's code, with the line of the `raise`."""
        if node.exc is not None:
            node.exc = expression_from_template(
                "__ol.mark_exception_of_raise_statement(ERROR)", node, ERROR=node.exc
            )
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> StatementList:
        """Insert a call that saves a list before `a += b` mutates it in place."""
        if not isinstance(node.target, ast.Name):
            return [node]
        name = node.target.id
        return [
            *statements_from_template(
                f"__ol.save_and_wrap_before_write(VALUE, {name!r})",
                node,
                VALUE=ast.copy_location(ast.Name(name, ast.Load()), node),
            ),
            node,
        ]

    def visit_Delete(self, node: ast.Delete) -> Any:
        names = [t.id for t in node.targets if isinstance(t, ast.Name) and t.id in self.local_names]
        if len(names) != len(node.targets):
            return node
        return [
            s
            for n in names
            for s in statements_from_template(f"{n} = __ol.Undefined({n!r}, 'was deleted')", node)
        ]


def local_names_of(function: ast.FunctionDef) -> set[str]:
    """Return the local names of a function."""
    return (
        symbol_effects(function.body).assigned
        - _global_and_nonlocal_declarations(function.body).keys()
    ) | parameter_names(function)


def _first_statement_or_default(body: StatementList, node: ast.stmt) -> ast.stmt:
    return body[0] if body else node


def _displayed_symbol(symbol: str) -> str:
    return {"_ol_result": "the value returned", "_ol_returned": "whether it returned"}.get(
        symbol, symbol
    )


def _global_and_nonlocal_declarations(body: StatementList) -> dict[str, bool]:
    """Return the names declared `global` (True) or `nonlocal` (False) in a function."""
    declared: dict[str, bool] = {}
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global | ast.Nonlocal):
            declared.update(dict.fromkeys(node.names, isinstance(node, ast.Global)))
        elif not isinstance(node, INNER_SCOPES):
            todo += ast.iter_child_nodes(node)
    return declared
