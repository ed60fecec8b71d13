"""Lower jumps: `return`, `break` and `continue` become assignments to bool flags, and the
statements after them run under a condition on the flags.

If one branch of an `if` always jumps, the following statements move to the other branch, and no
flag is needed.
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
    """Whether `body` contains a node of one of `kinds`. Inner functions are not searched; loops
    only if `through_loops`.
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
    """Whether every path through `body` ends in a jump."""
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


class JumpLowering:
    """Lowers one kind of jump.

    kinds: the node types of the jump.
    flags: the names of the flags that it sets.
    jump: returns the replacement of a node.
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
        """Return the statements without such jumps."""
        result: Body = []
        for i, node in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(node, self.kinds):
                return result + self.jump(node)
            if not contains([node], self.kinds, self.loops):
                result.append(node)
                continue
            return result + self._lower_compound(node, rest)
        return result

    def _lower_compound(self, node: ast.stmt, rest: Body) -> Body:
        if isinstance(node, ast.If):
            if always_jumps(node.body, self.kinds):
                return [
                    self._with_branches(node, self.lower(node.body), self.lower(node.orelse + rest))
                ]
            if node.orelse and always_jumps(node.orelse, self.kinds):
                return [
                    self._with_branches(node, self.lower(node.body + rest), self.lower(node.orelse))
                ]
            node = self._with_branches(node, self.lower(node.body), self.lower(node.orelse))
        else:
            self._lower_inner(node)
        return [node, *self._guarded_by_flags(node, rest)]

    @staticmethod
    def _with_branches(node: ast.If, body: Body, orelse: Body) -> ast.If:
        node.body, node.orelse = body or statements("pass", node), orelse
        return node

    def _lower_inner(self, node: ast.stmt) -> None:
        for field in ("body", "orelse", "finalbody"):
            if getattr(node, field, None):
                setattr(node, field, self.lower(getattr(node, field)))
        for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            inner.body = self.lower(inner.body)

    def _guarded_by_flags(self, node: ast.stmt, rest: Body) -> Body:
        """Return the statements after a jump, under the condition that no flag is set."""
        if not rest:
            return []
        test = " and ".join(f"not {flag}" for flag in self.flags)
        return statements(f"if {test}:\n    REST", node, REST=self.lower(rest))


class LoopJumpLowering(ast.NodeTransformer):
    """Lowers `break`, `continue` and `else` of loops.

    A `for` with a `break` gets the attribute `extra_test`: a condition for running another
    iteration.
    """

    def __init__(self) -> None:
        self.count = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # converted separately

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
            before += self._test_as_statements(node, number, breaks)
        elif breaks:
            if isinstance(node, ast.While):
                node.test = expression(f"not {flag} and TEST", node, TEST=node.test)
            else:
                node.extra_test = expression(f"not {flag}", node)  # type: ignore[attr-defined]
        return [
            *before,
            node,
            *self._else_as_statements(node, f"_ol_break_{number}" if breaks else ""),
        ]

    @staticmethod
    def _test_as_statements(node: ast.While, number: int, breaks: bool) -> Body:
        """Move a condition that contains `:=` to statements before the loop and at the end of each
        iteration, so that its names are assigned even if the loop runs zero iterations.
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

        node.body = JumpLowering((kind,), [flag], jump, loops=False).lower(node.body) or statements(
            "pass", node
        )
        if kind is ast.Continue:
            node.body = [*statements(f"{flag} = False", node), *node.body]

    @staticmethod
    def _else_as_statements(node: ast.For | ast.While, flag: str) -> Body:
        """Return the `else` of a loop as statements after it."""
        orelse, node.orelse = node.orelse, []
        if not orelse or not flag:
            return orelse
        return statements(f"if not {flag}:\n    ELSE", node, ELSE=orelse)


class _ReturnsToBreaks(ast.NodeTransformer):
    """Replaces `return` in loops by an assignment and `break`."""

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
        """Transform an inner loop. A `return` in it also ends the outer loops."""
        returns = contains(node.body, (ast.Return,))
        self.generic_visit(node)
        return [node, *(statements(f"if {RETURNED}:\n    break", node) if returns else [])]


def lower_jumps(function: ast.FunctionDef) -> None:
    """Transform a function so that it returns once, at its end, and its loops have no `break` or
    `continue`.
    """
    body = list(function.body)
    early = any(contains([node], (ast.Return,)) for node in body[:-1]) or (
        contains(body[-1:], (ast.Return,)) and not isinstance(body[-1], ast.Return)
    )
    if early:
        function.body = _single_return(function, body)
    loops = LoopJumpLowering()
    function.body = [n for node in function.body for n in _as_body(loops.visit(node))]


def _as_body(result: ast.AST | Body) -> Body:
    return result if isinstance(result, list) else [result]  # type: ignore[list-item]


def _single_return(function: ast.FunctionDef, body: Body) -> Body:
    covers = always_jumps(body, (ast.Return,))

    def out_of_loops(nodes: Body) -> Body:
        found: Body = []
        for node in nodes:
            if isinstance(node, ast.For | ast.While) and contains([node], (ast.Return,)):
                node.body = [
                    n for inner in node.body for n in _as_body(_ReturnsToBreaks().visit(inner))
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

    lowered = ReturnLowering(jump).lower(out_of_loops(body))
    first = statements(f"{RESULT} = __ol.NO_RETURN_VALUE\n{RETURNED} = False", function)
    last = (
        f"return __ol.return_value({RESULT})"
        if covers
        else f"return __ol.return_value({RESULT}, {RETURNED}, {function.name!r})"
    )
    return [*first, *lowered, *statements(last, body[-1])]


class ReturnLowering(JumpLowering):
    """Lowers returns outside of loops. Returns in loops were already replaced by flags and
    breaks.
    """

    def __init__(self, jump: Callable[[ast.stmt], Body]) -> None:
        super().__init__((ast.Return,), [RETURNED], jump, loops=True)

    def lower(self, body: Sequence[ast.stmt]) -> Body:
        """Return the statements without returns."""
        result: Body = []
        for i, node in enumerate(body):
            rest = list(body[i + 1 :])
            if isinstance(node, ast.Return):
                return result + self.jump(node)
            if _returns_in_loop(node):
                if not isinstance(node, ast.For | ast.While):
                    return result + self._lower_compound(node, rest)
                node.orelse = self.lower(node.orelse)
                return [*result, node, *self._guarded_by_flags(node, rest)]
            if not contains([node], self.kinds, self.loops):
                result.append(node)
                continue
            return result + self._lower_compound(node, rest)
        return result


def _returns_in_loop(node: ast.AST) -> bool:
    if getattr(node, "returns", False):
        return True
    return not isinstance(node, INNER_SCOPES) and any(
        _returns_in_loop(n) for n in ast.iter_child_nodes(node)
    )
