"""Activity analysis, as in AutoGraph: which symbols a piece of code reads and writes.

A symbol is a local name, or a dotted name such as `self.hidden`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

MUTATING_METHODS = frozenset(
    {
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "update",
        "setdefault",
        "popitem",
        "sort",
        "reverse",
        "add",
        "discard",
    }
)
INNER_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
GENERATED_PREFIX = "_ol_"  # prefix of generated names
ComprehensionNode = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def container_symbol(node: ast.AST) -> str | None:
    """Return the symbol of the container that an assignment to an element changes: `a` for
    `a[0][1]`.
    """
    while isinstance(node, ast.Subscript):
        node = node.value
    return dotted_symbol(node)


def dotted_symbol(node: ast.AST) -> str | None:
    """Return `a.b.c` for an attribute of a name, `a` for a name, otherwise None."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted_symbol(node.value)
        return None if base is None else f"{base}.{node.attr}"
    return None


class SymbolEffects(ast.NodeVisitor):
    """The symbols that code reads and writes.

    reads, writes: the symbols that the code reads and writes in its own scope.
    captured_reads: symbols that inner functions read.
    assigned: the names among `writes` to which the code assigns a new object. The others only have
    their objects mutated.
    outer_declared: names declared `global` or `nonlocal`.
    nonlocal_in_inner: names of enclosing functions that inner functions declare `nonlocal`.
    """

    def __init__(self) -> None:
        self.reads: set[str] = set()
        self.writes: dict[str, None] = {}
        self.assigned: set[str] = set()
        self.captured_reads: set[str] = set()
        self.outer_declared: set[str] = set()  # names declared `global` or `nonlocal`
        # names of enclosing functions that inner functions declare `nonlocal`
        self.nonlocal_in_inner: set[str] = set()

    def record_write(self, symbol: str | None) -> None:
        """Add a symbol to `writes`; None is ignored."""
        if symbol is not None:
            self.writes[symbol] = None

    def record_name_assignment(self, name: str | None) -> None:
        """Add a name to `writes` and `assigned`; None is ignored."""
        if name is not None:
            self.record_write(name)
            self.assigned.add(name)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.reads.add(node.id)
        else:
            self.record_name_assignment(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        symbol = dotted_symbol(node)
        if isinstance(node.ctx, ast.Load):
            if symbol is not None:
                self.reads.add(symbol)
        else:
            self.record_write(symbol)
        self.visit(node.value)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.record_write(container_symbol(node.value))
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        symbol = dotted_symbol(node.target)
        if symbol is not None:
            self.reads.add(symbol)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr in MUTATING_METHODS:
            self.record_write(container_symbol(node.func.value))
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global | ast.Nonlocal) -> None:
        self.outer_declared.update(node.names)

    visit_Nonlocal = visit_Global

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        self.record_name_assignment(node.name)
        self.generic_visit(node)

    def visit_alias(self, node: ast.alias) -> None:
        self.record_name_assignment((node.asname or node.name).split(".")[0])

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        self.record_name_assignment(node.name)
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        self.record_name_assignment(node.name)

    def visit_MatchMapping(self, node: ast.MatchMapping) -> None:
        self.record_name_assignment(node.rest)
        self.generic_visit(node)

    # -- inner scopes
    # ------------------------------------------------------------------------------------

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.record_name_assignment(node.name)
        for inner in (*node.decorator_list, *_default_expressions(node.args)):
            self.visit(inner)
        self._record_inner_scope(
            node.body,
            _parameter_names(node.args),
            is_generated=node.name.startswith(GENERATED_PREFIX),
        )

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for inner in _default_expressions(node.args):
            self.visit(inner)
        self._record_inner_scope([node.body], _parameter_names(node.args))

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.record_name_assignment(node.name)
        for inner in (*node.decorator_list, *node.bases, *node.keywords):
            self.visit(inner)
        self._record_inner_scope(node.body, set())

    def _record_inner_scope(
        self, body: Iterable[ast.AST], local_names: set[str], is_generated: bool = False
    ) -> None:
        """Record the symbols of this scope that the body of an inner function reads or writes.

        is_generated: whether the conversion generated the inner function from a part of this
        function.
        """
        inner = symbol_effects(body)
        local = local_names | (inner.assigned - inner.outer_declared)
        free = {s for s in inner.reads | inner.captured_reads if s.split(".")[0] not in local}
        self.reads |= free
        self.captured_reads |= free
        for symbol in inner.writes:
            if symbol in inner.outer_declared | inner.nonlocal_in_inner and symbol not in local:
                self.record_write(symbol)
                self.nonlocal_in_inner.add(symbol)
            elif is_generated and "." in symbol and symbol.split(".")[0] not in local:
                self.record_write(symbol)

    def _visit_comprehension(self, node: ComprehensionNode) -> None:
        # Python evaluates the first iterable in the enclosing scope
        self.visit(node.generators[0].iter)
        inner = SymbolEffects()
        inner.generic_visit(node)
        targets = {
            n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)
        }
        walrus = [n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)]
        self.reads |= {s for s in inner.reads if s.split(".")[0] not in targets}
        self.captured_reads |= inner.captured_reads
        for symbol in walrus:
            self.record_name_assignment(symbol)
        for symbol in inner.writes:
            if "." in symbol or symbol not in targets:
                self.record_write(symbol)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension


def symbol_effects(code: Iterable[ast.AST] | ast.AST | None) -> SymbolEffects:
    """Return the SymbolEffects of statements or expressions: the symbols that they read and
    write.
    """
    effects = SymbolEffects()
    for node in [code] if isinstance(code, ast.AST) else code or ():
        effects.visit(node)
    return effects


def _parameter_names(args: ast.arguments) -> set[str]:
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    return {a.arg for a in every if a is not None}


def _default_expressions(args: ast.arguments) -> list[ast.expr]:
    return [d for d in (*args.defaults, *args.kw_defaults) if d is not None]


def parameter_names(function: ast.FunctionDef | ast.Lambda) -> set[str]:
    """Return the names of the parameters of a function."""
    return _parameter_names(function.args)
