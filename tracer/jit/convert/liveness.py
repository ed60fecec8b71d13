"""Liveness analysis: which symbols are read later. Only symbols that are read later become results
of a branch or loop-carried variables.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from .activity import symbol_effects

SymbolSet = frozenset[str]


def annotate_liveness(function: ast.FunctionDef) -> None:
    """Set `live` of every `if`, `while` and `for`: the symbols that are read after it, and for a
    loop also in the next iteration.
    """
    effects = symbol_effects(function.body)
    always_live = frozenset(effects.captured_reads | effects.outer_declared)
    LivenessAnalysis(always_live).block(function.body, frozenset())


class LivenessAnalysis:
    """Backward liveness analysis.

    A method named after an AST class (`_if`, `_for`) returns the symbols that are live before such
    a statement, given the symbols that are live after it. The methods of `if` and loops also set
    `node.live`.

    always_live: symbols that functions defined here may read at any time, and names declared global
    or nonlocal.
    """

    def __init__(self, always: SymbolSet) -> None:
        self.always_live = always

    def block(self, body: Sequence[ast.stmt], after: SymbolSet) -> SymbolSet:
        """Return the symbols that are live before a list of statements."""
        for statement in reversed(body):
            after = self.live_before_statement(statement, after)
        return after

    def live_before_statement(self, node: ast.stmt, after: SymbolSet) -> SymbolSet:
        """Return the symbols that are live before a statement, given those that are live after
        it.
        """
        method = getattr(self, f"_live_before_{type(node).__name__.lower()}", None)
        if method is not None:
            live: SymbolSet = method(node, after)
            return live
        effects = symbol_effects(node)
        written = (
            frozenset(effects.writes)
            if isinstance(node, ast.Assign | ast.FunctionDef)
            else frozenset()
        )
        return (after - (written - effects.reads)) | effects.reads

    def _live_before_if(self, node: ast.If, after: SymbolSet) -> SymbolSet:
        node.live = after | self.always_live  # type: ignore[attr-defined]
        return (
            self.block(node.body, after)
            | self.block(node.orelse, after)
            | symbol_effects(node.test).reads
        )

    def _live_before_while(self, node: ast.While, after: SymbolSet) -> SymbolSet:
        live_after = self.block(node.orelse, after) | symbol_effects(node.test).reads
        return self._annotate_loop_and_get_live_before(node, live_after)

    def _live_before_for(self, node: ast.For, after: SymbolSet) -> SymbolSet:
        live_after = self.block(node.orelse, after)
        test = getattr(node, "extra_test", None)
        return (
            self._annotate_loop_and_get_live_before(node, live_after | symbol_effects(test).reads)
            | symbol_effects(node.iter).reads
        )

    def _annotate_loop_and_get_live_before(
        self, node: ast.While | ast.For, live_after: SymbolSet
    ) -> SymbolSet:
        head = live_after
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
        setattr(node, "live", head | self.always_live)  # noqa: B010 - of this conversion, not of ast
        return head

    def _live_before_with(self, node: ast.With, after: SymbolSet) -> SymbolSet:
        return self.block(node.body, after) | symbol_effects(node.items).reads

    def _live_before_try(self, node: ast.Try | ast.TryStar, after: SymbolSet) -> SymbolSet:
        live = symbol_effects(node).reads | after
        for body in (node.body, *(h.body for h in node.handlers), node.orelse, node.finalbody):
            self.block(body, frozenset(live))
        return frozenset(live)

    _live_before_trystar = _live_before_try

    def _live_before_match(self, node: ast.Match, after: SymbolSet) -> SymbolSet:
        live = frozenset(symbol_effects(node.subject).reads) | after
        for case in node.cases:
            live |= self.block(case.body, after)
            live |= symbol_effects(case.pattern).reads | symbol_effects(case.guard).reads
        return live

    def _live_before_return(self, node: ast.Return, after: SymbolSet) -> SymbolSet:
        return frozenset(symbol_effects(node).reads)
