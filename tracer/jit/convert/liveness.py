"""Liveness analysis: which symbols are read later. Only these become results of a branch or
loop-carried variables.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .activity import symbol_effects

Symbols = frozenset[str]


def annotate_liveness(function: ast.FunctionDef) -> None:
    """Set `live` of every `if`, `while` and `for`: the symbols that are read after it, and for a
    loop also in the next iteration.
    """
    does = symbol_effects(function.body)
    always = frozenset(does.captured | does.outer)
    Liveness(always).block(function.body, frozenset())


class Liveness:
    """Backward liveness analysis.

    always: symbols that functions defined here may read at any time.
    """

    def __init__(self, always: Symbols) -> None:
        self.always = always

    def block(self, body: Sequence[ast.stmt], after: Symbols) -> Symbols:
        """Return the symbols that are live before a list of statements."""
        for statement in reversed(body):
            after = self.statement(statement, after)
        return after

    def statement(self, node: ast.stmt, after: Symbols) -> Symbols:
        """Return the symbols that are live before a statement, given those that are live after
        it.
        """
        special = getattr(self, f"_{type(node).__name__.lower()}", None)
        if special is not None:
            found: Symbols = special(node, after)
            return found
        does = symbol_effects(node)
        written = (
            frozenset(does.writes)
            if isinstance(node, ast.Assign | ast.FunctionDef)
            else frozenset()
        )
        return (after - (written - does.reads)) | does.reads

    def _if(self, node: ast.If, after: Symbols) -> Symbols:
        node.live = after | self.always  # type: ignore[attr-defined]
        return (
            self.block(node.body, after)
            | self.block(node.orelse, after)
            | symbol_effects(node.test).reads
        )

    def _while(self, node: ast.While, after: Symbols) -> Symbols:
        rest = self.block(node.orelse, after) | symbol_effects(node.test).reads
        return self._loop(node, rest)

    def _for(self, node: ast.For, after: Symbols) -> Symbols:
        rest = self.block(node.orelse, after)
        test = getattr(node, "extra_test", None)
        return self._loop(node, rest | symbol_effects(test).reads) | symbol_effects(node.iter).reads

    def _loop(self, node: ast.While | ast.For, rest: Symbols) -> Symbols:
        head = rest
        target = (
            frozenset(symbol_effects(node.target).writes)
            if isinstance(node, ast.For)
            else frozenset()
        )
        while True:
            before = head | (self.block(node.body, head) - target)
            if before == head:
                break
            head = before
        setattr(node, "live", head | self.always)  # noqa: B010 - of this conversion, not of ast
        return head

    def _with(self, node: ast.With, after: Symbols) -> Symbols:
        return self.block(node.body, after) | symbol_effects(node.items).reads

    def _try(self, node: ast.Try, after: Symbols) -> Symbols:
        every = symbol_effects(node).reads | after
        for body in (node.body, *(h.body for h in node.handlers), node.orelse, node.finalbody):
            self.block(body, frozenset(every))
        return frozenset(every)

    def _match(self, node: ast.Match, after: Symbols) -> Symbols:
        found = frozenset(symbol_effects(node.subject).reads) | after
        for case in node.cases:
            found |= self.block(case.body, after) | symbol_effects(case.guard).reads
        return found

    def _return(self, node: ast.Return, after: Symbols) -> Symbols:
        return frozenset(symbol_effects(node).reads)
