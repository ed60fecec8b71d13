"""Lower jumps: `return`, `break` and `continue` become assignments to bool flags, and the
statements after them run under a condition on the flags.

If one branch of an `if` always jumps, the statements after the `if` move to the branch that does
not jump, and no flag is needed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Sequence

from .activity import INNER_SCOPES
from .expressions import mark_bool_op_as_tested
from .templates import expression_from_template, statements_from_template

RESULT, RETURNED = "_ol_result", "_ol_returned"
StatementList = list[ast.stmt]


def contains_node(
    body: Sequence[ast.AST], node_types: tuple[type, ...], through_loops: bool = True
) -> bool:
    """Whether `body` contains a node of one of `node_types`. Inner functions are not searched, and
    loops are searched only if `through_loops` is true.
    """
    for node in body:
        if isinstance(node, node_types):
            return True
        if isinstance(node, INNER_SCOPES):
            continue
        if isinstance(node, ast.While | ast.For) and not through_loops:
            if contains_node(node.orelse, node_types, through_loops):
                return True
            continue
        if contains_node(list(ast.iter_child_nodes(node)), node_types, through_loops):
            return True
    return False


def always_jumps(
    body: Sequence[ast.stmt], kinds: tuple[type, ...], exceptions_pass_with: bool = True
) -> bool:
    """Whether every path through `body` ends in a jump.

    exceptions_pass_with: assume that no context manager swallows exceptions of its block, as
    `contextlib.suppress` would. A `with` statement then jumps if its block always jumps.
    """
    return any(_statement_always_jumps(node, kinds, exceptions_pass_with) for node in body)


def _statement_always_jumps(
    node: ast.stmt, kinds: tuple[type, ...], exceptions_pass_with: bool
) -> bool:
    def ends_in_jump(body: Sequence[ast.stmt]) -> bool:
        return always_jumps(body, kinds, exceptions_pass_with)

    match node:
        case ast.Raise():
            return True
        case ast.If():
            return ends_in_jump(node.body) and ends_in_jump(node.orelse)
        case ast.With():
            return exceptions_pass_with and ends_in_jump(node.body)
        case ast.Try() | ast.TryStar():
            bodies = (node.body + node.orelse, *(h.body for h in node.handlers))
            return all(map(ends_in_jump, bodies)) or ends_in_jump(node.finalbody)
        case ast.While(test=ast.Constant(value=value)) if value:
            return not contains_node(node.body, (ast.Break,), through_loops=False)
    return isinstance(node, kinds)


class SingleJumpKindLowering:
    """Lowers one kind of jump.

    kinds: the node types of the jump.
    flags: the names of the flags that the jump sets.
    jump: a function that returns the statements which replace a node.
    loops: whether jumps inside loops are lowered, too.
    """

    def __init__(
        self,
        kinds: tuple[type, ...],
        flags: list[str],
        jump: Callable[[ast.stmt], StatementList],
        loops: bool,
    ) -> None:
        self.jump_types, self.flags, self.replace_jump, self.through_loops = (
            kinds,
            flags,
            jump,
            loops,
        )

    def lower_statements(self, body: Sequence[ast.stmt]) -> StatementList:
        """Return the statements of a body with the jumps of this kind replaced."""
        result: StatementList = []
        for i, node in enumerate(body):
            following = list(body[i + 1 :])
            if isinstance(node, self.jump_types):
                return result + self.replace_jump(node)
            if not contains_node([node], self.jump_types, self.through_loops):
                result.append(node)
                continue
            return result + self._lower_compound_and_following(node, following)
        return result

    def _lower_compound_and_following(
        self, node: ast.stmt, following: StatementList
    ) -> StatementList:
        if isinstance(node, ast.If):
            if always_jumps(node.body, self.jump_types):
                return [
                    self._set_branches(
                        node,
                        self.lower_statements(
                            self._branch_with_reachable_following(node.body, following)
                        ),
                        self.lower_statements(node.orelse + following),
                    )
                ]
            if node.orelse and always_jumps(node.orelse, self.jump_types):
                return [
                    self._set_branches(
                        node,
                        self.lower_statements(node.body + following),
                        self.lower_statements(
                            self._branch_with_reachable_following(node.orelse, following)
                        ),
                    )
                ]
            node = self._set_branches(
                node, self.lower_statements(node.body), self.lower_statements(node.orelse)
            )
        else:
            self._lower_bodies_of_statement(node)
        return [node, *self._lower_following_unless_flag_set(node, following)]

    def _branch_with_reachable_following(
        self, branch: StatementList, following: StatementList
    ) -> StatementList:
        """Return `branch`, which always jumps. If a context manager in the branch may swallow an
        exception before the jump, append a copy of the statements after the `if`; a flag decides at
        run time whether these statements run.
        """
        if always_jumps(branch, self.jump_types, exceptions_pass_with=False):
            return branch
        return branch + copy.deepcopy(following)

    @staticmethod
    def _set_branches(node: ast.If, body: StatementList, orelse: StatementList) -> ast.If:
        node.body, node.orelse = body or statements_from_template("pass", node), orelse
        return node

    def _lower_bodies_of_statement(self, node: ast.stmt) -> None:
        for field in ("body", "orelse", "finalbody"):
            if getattr(node, field, None):
                setattr(node, field, self.lower_statements(getattr(node, field)))
        for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
            inner.body = self.lower_statements(inner.body)

    def _lower_following_unless_flag_set(
        self, node: ast.stmt, following: StatementList
    ) -> StatementList:
        """Return the statements that follow a possible jump as the body of an `if` that tests that
        no flag is set.
        """
        if not following:
            return []
        test = " and ".join(f"not {flag}" for flag in self.flags)
        return statements_from_template(
            f"if {test}:\n    REST", node, REST=self.lower_statements(following)
        )


class LoopJumpLowering(ast.NodeTransformer):
    """Lowers `break`, `continue` and `else` of loops.

    A `for` with a `break` gets the attribute `extra_test`: a condition for running another
    iteration.
    """

    def __init__(self) -> None:
        self.num_loops = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node  # inner functions are converted separately

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_For(self, node: ast.For) -> StatementList:
        return self._lower_loop(node)

    def visit_While(self, node: ast.While) -> StatementList:
        return self._lower_loop(node)

    def _lower_loop(self, node: ast.For | ast.While) -> StatementList:
        self.generic_visit(node)
        loop_number, self.num_loops = self.num_loops, self.num_loops + 1
        has_break = contains_node(node.body, (ast.Break,), False)
        before: StatementList = []
        if contains_node(node.body, (ast.Continue,), False):
            self._lower_jump_kind_in_place(node, ast.Continue, f"_ol_continue_{loop_number}")
        if has_break:
            flag = f"_ol_break_{loop_number}"
            self._lower_jump_kind_in_place(node, ast.Break, flag)
            before = statements_from_template(f"{flag} = False", node)
        if isinstance(node, ast.While) and any(
            isinstance(n, ast.NamedExpr) for n in ast.walk(node.test)
        ):
            before += self._move_named_expr_test_to_statements(node, loop_number, has_break)
        elif has_break:
            if isinstance(node, ast.While):
                node.test = expression_from_template(f"not {flag} and TEST", node, TEST=node.test)
            else:
                node.extra_test = expression_from_template(f"not {flag}", node)  # type: ignore[attr-defined]
        return [
            *before,
            node,
            *self._move_else_after_loop(node, f"_ol_break_{loop_number}" if has_break else ""),
        ]

    @staticmethod
    def _move_named_expr_test_to_statements(
        node: ast.While, number: int, breaks: bool
    ) -> StatementList:
        """Move a condition that contains `:=` to statements before the loop and at the end of each
        iteration, so that its names are assigned even if the loop runs zero iterations.
        """
        mark_bool_op_as_tested(node.test)
        name = f"_ol_go_{number}"
        first, again = (
            statements_from_template(f"{name} = TEST", node, TEST=copy.deepcopy(node.test))
            for _ in range(2)
        )
        node.body += (
            statements_from_template(f"if not _ol_break_{number}:\n    AGAIN", node, AGAIN=again)
            if breaks
            else again
        )
        node.test = expression_from_template(
            f"not _ol_break_{number} and {name}" if breaks else name, node
        )
        return first

    @staticmethod
    def _lower_jump_kind_in_place(node: ast.For | ast.While, kind: type, flag: str) -> None:
        def replace_jump_by_flag(at: ast.stmt) -> StatementList:
            return statements_from_template(f"{flag} = True", at)

        node.body = SingleJumpKindLowering(
            (kind,), [flag], replace_jump_by_flag, loops=False
        ).lower_statements(node.body) or statements_from_template("pass", node)
        if kind is ast.Continue:
            node.body = [*statements_from_template(f"{flag} = False", node), *node.body]

    @staticmethod
    def _move_else_after_loop(node: ast.For | ast.While, flag: str) -> StatementList:
        """Return statements that run the `else` of a loop after the loop, unless the flag of a
        `break` is set.
        """
        orelse, node.orelse = node.orelse, []
        if not orelse or not flag:
            return orelse
        return statements_from_template(f"if not {flag}:\n    ELSE", node, ELSE=orelse)


class _LoopReturnsToBreaks(ast.NodeTransformer):
    """Replaces `return` in loops by an assignment and `break`."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node

    visit_Lambda = visit_ClassDef = visit_AsyncFunctionDef = visit_FunctionDef  # type: ignore[assignment]

    def visit_Return(self, node: ast.Return) -> StatementList:
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return statements_from_template(
            f"{RESULT} = VALUE\n{RETURNED} = True\nbreak", node, VALUE=value
        )

    def visit_For(self, node: ast.For) -> StatementList:
        return self._break_outer_loop_after_return(node)

    def visit_While(self, node: ast.While) -> StatementList:
        return self._break_outer_loop_after_return(node)

    def _break_outer_loop_after_return(self, node: ast.For | ast.While) -> StatementList:
        """Transform a loop that is nested in another loop. If the inner loop contains a `return`,
        add a `break` of the outer loop after the inner loop, because the `return` also ends the
        outer loops.
        """
        has_return = contains_node(node.body, (ast.Return,))
        self.generic_visit(node)
        return [
            node,
            *(statements_from_template(f"if {RETURNED}:\n    break", node) if has_return else []),
        ]


def lower_jumps(function: ast.FunctionDef) -> None:
    """Transform a function so that it returns once, at its end, and its loops have no `break` or
    `continue`.
    """
    body = list(function.body)
    has_early_return = any(contains_node([node], (ast.Return,)) for node in body[:-1]) or (
        contains_node(body[-1:], (ast.Return,)) and not isinstance(body[-1], ast.Return)
    )
    if has_early_return:
        function.body = _lower_returns(function, body)
    loops = LoopJumpLowering()
    function.body = [n for node in function.body for n in _to_statement_list(loops.visit(node))]


def _to_statement_list(result: ast.AST | StatementList) -> StatementList:
    return result if isinstance(result, list) else [result]  # type: ignore[list-item]


def _lower_returns(function: ast.FunctionDef, body: StatementList) -> StatementList:
    always_returns = always_jumps(body, (ast.Return,), exceptions_pass_with=False)

    def replace_loop_returns(nodes: StatementList) -> StatementList:
        found: StatementList = []
        for node in nodes:
            if isinstance(node, ast.For | ast.While) and contains_node([node], (ast.Return,)):
                node.body = [
                    n
                    for inner in node.body
                    for n in _to_statement_list(_LoopReturnsToBreaks().visit(inner))
                ]
                node.orelse = replace_loop_returns(node.orelse)
                setattr(node, "returns", True)  # noqa: B010 - `returns` is no attribute of ast
            elif not isinstance(node, INNER_SCOPES):
                for field in ("body", "orelse", "finalbody"):
                    if getattr(node, field, None):
                        setattr(node, field, replace_loop_returns(getattr(node, field)))
                for inner in (*getattr(node, "handlers", ()), *getattr(node, "cases", ())):
                    inner.body = replace_loop_returns(inner.body)
            found.append(node)
        return found

    def replace_return(node: ast.stmt) -> StatementList:
        assert isinstance(node, ast.Return)
        value = node.value or ast.copy_location(ast.Constant(None), node)
        return statements_from_template(f"{RESULT} = VALUE\n{RETURNED} = True", node, VALUE=value)

    lowered = ReturnOutsideLoopsLowering(replace_return).lower_statements(
        replace_loop_returns(body)
    )
    first = statements_from_template(
        f"{RESULT} = __ol.NO_RETURN_VALUE\n{RETURNED} = False", function
    )
    last = (
        f"return __ol.return_value({RESULT})"
        if always_returns
        else f"return __ol.return_value({RESULT}, {RETURNED}, {function.name!r})"
    )
    return [*first, *lowered, *statements_from_template(last, body[-1])]


class ReturnOutsideLoopsLowering(SingleJumpKindLowering):
    """Lowers returns outside of loops. Before this step, returns in loops were replaced by flags
    and breaks.
    """

    def __init__(self, jump: Callable[[ast.stmt], StatementList]) -> None:
        super().__init__((ast.Return,), [RETURNED], jump, loops=True)

    def lower_statements(self, body: Sequence[ast.stmt]) -> StatementList:
        """Return the statements of a body with each `return` replaced by assignments, and the
        statements after it moved to the branch that does not return.
        """
        result: StatementList = []
        for i, node in enumerate(body):
            following = list(body[i + 1 :])
            if isinstance(node, ast.Return):
                return result + self.replace_jump(node)
            if _contains_replaced_return(node):
                if not isinstance(node, ast.For | ast.While):
                    return result + self._lower_compound_and_following(node, following)
                node.orelse = self.lower_statements(node.orelse)
                return [*result, node, *self._lower_following_unless_flag_set(node, following)]
            if not contains_node([node], self.jump_types, self.through_loops):
                result.append(node)
                continue
            return result + self._lower_compound_and_following(node, following)
        return result


def _contains_replaced_return(node: ast.AST) -> bool:
    if getattr(node, "returns", False):
        return True
    return not isinstance(node, INNER_SCOPES) and any(
        _contains_replaced_return(n) for n in ast.iter_child_nodes(node)
    )
