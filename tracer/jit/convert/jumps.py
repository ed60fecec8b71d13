"""Jumps out of the middle: `return`, `break` and `continue` become flags and branches, so that all
code runs from top to bottom.

Where one side of an `if` always jumps, what follows moves into the other side, and no flag is
needed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from .activity import INNER_SCOPES
from .expressions import mark_test
from .templates import expression, statements

RESULT, RETURNED = "_ol_result", "_ol_returned"
Body = list[ast.stmt]


def contains(body: Sequence[ast.AST], kinds: tuple[type, ...], through_loops: bool = True) -> bool:
    """Whether a node of such a kind is in `body`, functions inside left out, and loops as well
    unless asked for.
    """
    for node in body:
        if isinstance(node, kinds):
            return True
        if isinstance(node, INNER_SCOPES):
            continue
        if isinstance(node, ast.While | ast.For) and not through_loops:
            if contains(node.orelse, kinds, through_loops):
                return True
            continue
        if contains(list(ast.iter_child_nodes(node)), kinds, through_loops):
            return True
    return False


def always_jumps(body: Sequence[ast.stmt], kinds: tuple[type, ...]) -> bool:
    """Whether every way through `body` ends in a jump of such a kind."""
    return any(_always_jumps(node, kinds) for node in body)


def _always_jumps(node: ast.stmt, kinds: tuple[type, ...]) -> bool:
    match node:
        case ast.Raise():
            return True
        case ast.If():
            return always_jumps(node.body, kinds) and always_jumps(node.orelse, kinds)
        case ast.With():
            return always_jumps(node.body, kinds)
        case ast.Try():
            bodies = (node.body + node.orelse, *(h.body for h in node.handlers))
            return all(always_jumps(b, kinds) for b in bodies) or always_jumps(
                node.finalbody, kinds
            )
        case ast.While(test=ast.Constant(value=value)) if value:
            return not contains(node.body, (ast.Break,), through_loops=False)
    return isinstance(node, kinds)


class Jumps:
    """One kind of jump out of a list of statements.

    kinds: the nodes; flags: their names; jump: what a node becomes.
    """

    def __init__(
        self,
        kinds: tuple[type, ...],
        flags: list[str],
        jump: Callable[[ast.stmt], Body],
        loops: bool,
    ) -> None:
        self.kinds, self.flags, self.jump, self.loops = kinds, flags, jump, loops

    def lower(self, body: Sequence[ast.stmt]) -> Body:
        """The same statements without such jumps."""
        made: Body = []
        for i, node in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(node, self.kinds):
                return made + self.jump(node)
            if not contains([node], self.kinds, self.loops):
                made.append(node)
                continue
            return made + self._through(node, rest)
        return made

    def _through(self, node: ast.stmt, rest: Body) -> Body:
        if isinstance(node, ast.If):
            if always_jumps(node.body, self.kinds):
                return [self._either(node, self.lower(node.body), self.lower(node.orelse + rest))]
            if node.orelse and always_jumps(node.orelse, self.kinds):
                return [self._either(node, self.lower(node.body + rest), self.lower(node.orelse))]
            node = self._either(node, self.lower(node.body), self.lower(node.orelse))
        else:
            self._inside(node)
        return [node, *self._unless(node, rest)]

    @staticmethod
    def _either(node: ast.If, body: Body, orelse: Body) -> ast.If:
        node.body, node.orelse = body or statements("pass", node), orelse
        return node

    def _inside(self, node: ast.stmt) -> None:
        for field in ("body", "orelse", "finalbody"):
            if getattr(node, field, None):
                setattr(node, field, self.lower(getattr(node, field)))
        for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            inner.body = self.lower(inner.body)

    def _unless(self, node: ast.stmt, rest: Body) -> Body:
        """What follows, if nothing jumped."""
        if not rest:
            return []
        test = " and ".join(f"not {flag}" for flag in self.flags)
        return statements(f"if {test}:\n    REST", node, REST=self.lower(rest))


class LoopJumps(ast.NodeTransformer):
    """Takes `break`, `continue` and `else` out of loops.

    A `for` that breaks gets `extra_test`: to be true for a next round.
    """

    def __init__(self) -> None:
        self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # converted by itself

    visit_Lambda = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_For(self, node: ast.For) -> Body:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Body:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> Body:
        self.generic_visit(node)
        number, self.count = self.count, self.count + 1
        breaks = contains(node.body, (ast.Break,), False)
        before: Body = []
        if contains(node.body, (ast.Continue,), False):
            self._lower(node, ast.Continue, f"_ol_continue_{number}")
        if breaks:
            flag = f"_ol_break_{number}"
            self._lower(node, ast.Break, flag)
            before = statements(f"{flag} = False", node)
        if isinstance(node, ast.While) and any(
            isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)
        ):
            before += self._asked_by_statements(node, number, breaks)
        elif breaks:
            if isinstance(node, ast.While):
                node.test = expression(f"not {flag} and TEST", node, TEST=node.test)
            else:
                node.extra_test = expression(f"not {flag}", node)  # type: ignore[attr-defined]
        return [*before, node, *self._otherwise(node, f"_ol_break_{number}" if breaks else "")]

    @staticmethod
    def _asked_by_statements(node: ast.While, number: int, breaks: bool) -> Body:
        """A condition that gives names values is asked before the loop and at the end of each
        round: those have a value after no round.
        """
        mark_test(node.test)
        name = f"_ol_go_{number}"
        first, again = (
            statements(f"{name} = TEST", node, TEST=copy.deepcopy(node.test)) for _ in range(2)
        )
        node.body += (
            statements(f"if not _ol_break_{number}:\n    AGAIN", node, AGAIN=again)
            if breaks
            else again
        )
        node.test = expression(f"not _ol_break_{number} and {name}" if breaks else name, node)
        return first

    @staticmethod
    def _lower(node: ast.For | ast.While, kind: type, flag: str) -> None:
        def jump(at: ast.stmt) -> Body:
            return statements(f"{flag} = True", at)

        node.body = Jumps((kind,), [flag], jump, loops=False).lower(node.body) or statements(
            "pass", node
        )
        if kind is ast.Continue:
            node.body = [*statements(f"{flag} = False", node), *node.body]

    @staticmethod
    def _otherwise(node: ast.For | ast.While, flag: str) -> Body:
        """What the `else` of a loop becomes: code behind it."""
        orelse, node.orelse = node.orelse, []
        if not orelse or not flag:
            return orelse
        return statements(f"if not {flag}:\n    ELSE", node, ELSE=orelse)


class _BreakAfterReturn(ast.NodeTransformer):
    """Inside of loops a return, by then a flag, leaves the loop as well."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_Lambda = visit_ClassDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Return(self, node: ast.Return) -> Body:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return statements(f"{RESULT} = VALUE\n{RETURNED} = True\nbreak", node, VALUE=value)

    def visit_For(self, node: ast.For) -> Body:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> Body:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> Body:
        """A loop inside of the loop, which its returns leave as well."""
        returns = contains(node.body, (ast.Return,))
        self.generic_visit(node)
        return [node, *(statements(f"if {RETURNED}:\n    break", node) if returns else [])]


def lower_jumps(function: ast.FunctionDef) -> None:
    """Rewrite the body of a function so that it returns once, at its end, and its loops neither
    break nor continue.
    """
    body = list(function.body)
    early = any(contains([node], (ast.Return,)) for node in body[:-1]) or (
        contains(body[-1:], (ast.Return,)) and not isinstance(body[-1], ast.Return)
    )
    if early:
        function.body = _one_return(function, body)
    loops = LoopJumps()
    function.body = [n for node in function.body for n in _as_list(loops.visit(node))]


def _as_list(made: ast.AST | Body) -> Body:
    return made if isinstance(made, list) else [made]  # type: ignore[list-item]


def _one_return(function: ast.FunctionDef, body: Body) -> Body:
    covers = always_jumps(body, (ast.Return,))

    def out_of_loops(nodes: Body) -> Body:
        found: Body = []
        for node in nodes:
            if isinstance(node, ast.For | ast.While) and contains([node], (ast.Return,)):
                node.body = [
                    n for inner in node.body for n in _as_list(_BreakAfterReturn().visit(inner))
                ]
                node.orelse = out_of_loops(node.orelse)
                setattr(node, "returns", True)  # noqa: B010 - of this conversion, not of ast
            elif not isinstance(node, INNER_SCOPES):
                for field in ("body", "orelse", "finalbody"):
                    if getattr(node, field, None):
                        setattr(node, field, out_of_loops(getattr(node, field)))
                for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    inner.body = out_of_loops(inner.body)
            found.append(node)
        return found

    def jump(node: ast.stmt) -> Body:
        assert isinstance(node, ast.Return)
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return statements(f"{RESULT} = VALUE\n{RETURNED} = True", node, VALUE=value)

    lowered = Returns(jump).lower(out_of_loops(body))
    first = statements(f"{RESULT} = __ol.nothing_returned\n{RETURNED} = False", function)
    last = (
        f"return __ol.returned({RESULT})"
        if covers
        else f"return __ol.returned({RESULT}, {RETURNED}, {function.name!r})"
    )
    return [*first, *lowered, *statements(last, body[-1])]


class Returns(Jumps):
    """Returns, those inside of loops being flags and breaks already."""

    def __init__(self, jump: Callable[[ast.stmt], Body]) -> None:
        super().__init__((ast.Return,), [RETURNED], jump, loops=True)

    def lower(self, body: Sequence[ast.stmt]) -> Body:
        """See Jumps."""
        made: Body = []
        for i, node in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(node, ast.Return):
                return made + self.jump(node)
            if _returns_in_loop(node):
                if not isinstance(node, ast.For | ast.While):
                    return made + self._through(node, rest)
                node.orelse = self.lower(node.orelse)
                return [*made, node, *self._unless(node, rest)]
            if not contains([node], self.kinds, self.loops):
                made.append(node)
                continue
            return made + self._through(node, rest)
        return made


def _returns_in_loop(node: ast.AST) -> bool:
    if getattr(node, "returns", False):
        return True
    return not isinstance(node, INNER_SCOPES) and any(
        _returns_in_loop(n) for n in ast.iter_child_nodes(node)
    )
