"""Transform expressions to calls of operators: boolean operators, comparisons, conditional
expressions, subscripts and calls.
"""

from __future__ import annotations

import ast
import copy
from typing import Any

from .templates import expression_from_template

UNCONVERTED_CALLS = frozenset(
    {
        "super",
        "locals",
        "globals",
        "vars",
        "dir",
        "eval",
        "exec",
        "breakpoint",
        "__import__",
        "issubclass",
    }
)
# a debugger inspects the frame of its caller, so its call stays as it is
UNCONVERTED_METHODS = frozenset({"set_trace"})


class ExpressionTransformer(ast.NodeTransformer):
    """Transforms the expressions of a function and of its inner functions. The transformer also
    inserts `save_and_wrap_before_write` before assignments to elements and attributes, and calls
    that register new lists and dicts.
    """

    def __init__(self, first_argument: str | None) -> None:
        self.first_argument_name = first_argument
        self.num_enclosing_raises = 0

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if _contains_walrus_await_or_yield(node.values[1:]):
            return node
        name = "and" if isinstance(node.op, ast.And) else "or"
        is_test = getattr(node, "is_test", False)
        function = f"{name}_" if is_test else f"short_circuit_{name}_value"
        call = f"__ol.{function}(A, lambda: B)"
        result = node.values[-1]
        for value in reversed(node.values[:-1]):
            result = expression_from_template(call, node, A=value, B=result)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return (
            expression_from_template("__ol.not_(A)", node, A=node.operand)
            if isinstance(node.op, ast.Not)
            else node
        )

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return self._transform_comparison(node)
        if _contains_walrus_await_or_yield(node.comparators):
            return node
        operands = [node.left, *node.comparators]
        if any(not isinstance(o, ast.Constant | ast.Name) for o in operands[1:-1]):
            kinds = [type(o).__name__ for o in node.ops]
            result: ast.Call = expression_from_template(
                f"__ol.compare_chain({kinds!r}, A)", node, A=node.left
            )
            result.args += [
                expression_from_template("lambda: A", node, A=o) for o in node.comparators
            ]
            return result
        pairs = [
            self._transform_comparison(ast.copy_location(ast.Compare(a, [op], [b]), node))
            for a, op, b in zip(operands, node.ops, operands[1:], strict=False)
        ]
        conjunction = pairs[-1]
        for pair in reversed(pairs[:-1]):
            conjunction = expression_from_template(
                "__ol.and_(A, lambda: B)", node, A=pair, B=conjunction
            )
        return conjunction

    @staticmethod
    def _transform_comparison(node: ast.Compare) -> ast.expr:
        if isinstance(node.ops[0], ast.In | ast.NotIn):
            text = (
                "__ol.in_(A, B)" if isinstance(node.ops[0], ast.In) else "__ol.not_(__ol.in_(A, B))"
            )
        elif isinstance(node.ops[0], ast.Is | ast.IsNot):
            text = (
                "__ol.is_(A, B)" if isinstance(node.ops[0], ast.Is) else "__ol.not_(__ol.is_(A, B))"
            )
        elif isinstance(node.ops[0], ast.Eq | ast.NotEq):
            text = "__ol.equal(A, B)" if isinstance(node.ops[0], ast.Eq) else "__ol.not_equal(A, B)"
        else:
            return node
        result: ast.expr = expression_from_template(text, node, A=node.left, B=node.comparators[0])
        return result

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """Register the list that `+` or `*` creates from a list literal or comprehension, and
        replace `%` by `__ol.mod`. Other operators are unchanged.
        """
        creates_list = any(isinstance(n, ast.List | ast.ListComp) for n in (node.left, node.right))
        self.generic_visit(node)
        if creates_list and isinstance(node.op, ast.Add | ast.Mult):
            node.left, node.right = (
                side
                if isinstance(side, ast.Constant)
                else expression_from_template(
                    "__ol.resolve_replaced_list_and_reject_invalidated(A)", node, A=side
                )
                for side in (node.left, node.right)
            )
            return expression_from_template("__ol.register_new_object(VALUE)", node, VALUE=node)
        return (
            expression_from_template("__ol.mod(A, B)", node, A=node.left, B=node.right)
            if isinstance(node.op, ast.Mod)
            else node
        )

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        text = ast.unparse(node.value)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return _wrap_target_object_in_save_before_write(node, text)
        if node.attr == "__class__":
            return expression_from_template("__ol.get_class(A)", node, A=node.value)
        if not getattr(node, "is_called", False):
            node.value = expression_from_template(
                f"__ol.record_read_and_return_owner(A, {node.attr!r})", node.value, A=node.value
            )
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """Mark the target as read (`is_read`) for `save_and_wrap_before_write`; the statement
        remains an augmented assignment.
        """
        node.target.is_read = True  # type: ignore[union-attr]
        self.generic_visit(node)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.AST:
        """Pass the values in an f-string through `reject_symbolic_value_in_f_string`, which rejects
        symbolic values, unless the f-string is in a `raise`.
        """
        self.generic_visit(node)
        for part in node.values:
            if isinstance(part, ast.FormattedValue) and not self.num_enclosing_raises:
                part.value = expression_from_template(
                    "__ol.reject_symbolic_value_in_f_string(A)", node, A=part.value
                )
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.AST:
        """Leave the f-strings of a `raise` unchecked, because they may contain symbolic scalars."""
        self.num_enclosing_raises += 1
        self.generic_visit(node)
        self.num_enclosing_raises -= 1
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        """Pass the subject through `check_and_track_match_subject`, which rejects symbolic scalars
        at run time.
        """
        self.generic_visit(node)
        patterns = [n for n in ast.walk(node) if isinstance(n, ast.MatchClass)]
        names = tuple(sorted({name for n in patterns for name in n.kwd_attrs}))
        depth = max(
            (_depth_of_innermost_class_pattern(case.pattern) for case in node.cases), default=0
        )
        reads = f", {names}, {depth}" if patterns else ""
        node.subject = expression_from_template(
            f"__ol.check_and_track_match_subject(A{reads})", node, A=node.subject
        )
        return node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        if _contains_walrus_await_or_yield([node.body, node.orelse]):
            return node
        return expression_from_template(
            "__ol.if_expression(TEST, lambda: A, lambda: B)",
            node,
            TEST=node.test,
            A=node.body,
            B=node.orelse,
        )

    def visit_Call(self, node: ast.Call) -> ast.AST:
        replace_consumed_generator_in_place(node)
        if isinstance(node.func, ast.Attribute) and not isinstance(
            node.func.value, ast.Attribute | ast.Subscript
        ):
            # a called attribute (a method, or a function of a module) is treated by its name
            node.func.is_called = True  # type: ignore[attr-defined]
        self.generic_visit(node)
        function = node.func
        if (
            isinstance(function, ast.Name)
            and function.id == "super"
            and not node.args
            and self.first_argument_name
        ):
            node.args = [
                expression_from_template("__class__", node),
                expression_from_template(self.first_argument_name, node),
            ]
            return node
        is_unconverted = isinstance(function, ast.Name) and (
            function.id in UNCONVERTED_CALLS or function.id == "__ol"
        )
        is_unconverted = is_unconverted or (
            isinstance(function, ast.Attribute) and function.attr in UNCONVERTED_METHODS
        )
        if is_unconverted or _is_operator_call(function):
            return node
        node.func = expression_from_template("__ol.call(F)", function, F=function)
        return node

    def _wrap_literal_in_registration(self, node: ast.List | ast.Dict | ast.DictComp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node, ast.List) and not isinstance(node.ctx, ast.Load):
            return node
        result: ast.expr = expression_from_template(
            "__ol.register_new_object(VALUE)", node, VALUE=node
        )
        return result

    visit_List = visit_Dict = visit_DictComp = _wrap_literal_in_registration

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        text = ast.unparse(node.value)
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load):
            return _wrap_target_object_in_save_before_write(node, text)
        if isinstance(node.slice, ast.Tuple):
            return node
        if isinstance(node.slice, ast.Slice):
            bounds = {
                name: bound or ast.Constant(None)
                for name, bound in zip(
                    "BCD", (node.slice.lower, node.slice.upper, node.slice.step), strict=True
                )
            }
            return expression_from_template(
                "__ol.get_slice(A, B, C, D)", node, A=node.value, **bounds
            )
        return expression_from_template("__ol.get_item(A, B)", node, A=node.value, B=node.slice)

    def visit_ListComp(self, node: ast.ListComp) -> Any:
        is_convertible = _is_convertible_comprehension(node)
        self.generic_visit(node)
        if not is_convertible:
            return node
        generator = node.generators[0]
        result = (
            "__ol.list_comprehension(ITER, MAKE, WANTED)"
            if generator.ifs
            else "__ol.list_comprehension(ITER, MAKE)"
        )
        condition = (*generator.ifs, None)[0]
        for test in generator.ifs[1:]:
            condition = expression_from_template(
                "__ol.and_(A, lambda: B)", node, A=condition, B=test
            )
        return expression_from_template(
            result,
            node,
            ITER=generator.iter,
            MAKE=_make_comprehension_item_lambda(generator.target, node.elt, node),
            **(
                {"WANTED": _make_comprehension_item_lambda(generator.target, condition, node)}
                if condition is not None
                else {}
            ),
        )

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.body = [self.visit(s) for s in node.body]
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def mark_tested_bool_ops(tree: ast.AST) -> None:
    """Mark each `and` and `or` whose result is only tested for truth, because it is in a condition
    or under `not`.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            mark_bool_op_as_tested(node.test)
        elif isinstance(node, ast.For) and getattr(node, "extra_test", None) is not None:
            mark_bool_op_as_tested(node.extra_test)  # type: ignore[attr-defined]
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            mark_bool_op_as_tested(node.operand)
        elif isinstance(node, ast.comprehension):
            for condition in node.ifs:
                mark_bool_op_as_tested(condition)


def mark_bool_op_as_tested(test: ast.expr) -> None:
    """Mark `test`, if it is an `and` or `or`, as an expression whose result is only tested for
    truth; also mark its operands.
    """
    if isinstance(test, ast.BoolOp):
        test.is_test = True  # type: ignore[attr-defined]
        for value in test.values:
            mark_bool_op_as_tested(value)


def _wrap_target_object_in_save_before_write(
    node: ast.Attribute | ast.Subscript, text: str
) -> ast.AST:
    """Change an assignment target, an element or attribute, so that the object that it belongs to
    is passed through `save_and_wrap_before_write`. Returns the target.

    text: the source of the object.
    """
    attribute = (
        (f", {node.attr!r}, {hasattr(node, 'is_read')}") if isinstance(node, ast.Attribute) else ""
    )
    node.value = expression_from_template(
        f"__ol.save_and_wrap_before_write(VALUE, {text!r}{attribute})", node.value, VALUE=node.value
    )
    return node


def _depth_of_innermost_class_pattern(pattern: ast.AST) -> int:
    """Return how many levels deep the innermost class pattern of a `match` pattern is nested."""
    inner = max(map(_depth_of_innermost_class_pattern, ast.iter_child_nodes(pattern)), default=0)
    return inner + 1 if inner or isinstance(pattern, ast.MatchClass) else 0


def is_name_or_name_tuple(node: ast.expr) -> bool:
    """Whether an assignment target is a name or a tuple of names."""
    inner = node.elts if isinstance(node, ast.Tuple) else [node]
    return all(isinstance(n, ast.Name) for n in inner)


def _make_comprehension_item_lambda(target: ast.expr, value: ast.expr, at: ast.AST) -> ast.expr:
    """Return a lambda that computes an expression of a comprehension for one item."""
    if isinstance(target, ast.Name):
        result: ast.expr = expression_from_template(
            "lambda NAME: VALUE", at, NAME=target.id, VALUE=value
        )
        return result
    assert isinstance(target, ast.Tuple)
    names = [n.id for n in target.elts if isinstance(n, ast.Name)]
    inner: ast.expr = expression_from_template(f"lambda {', '.join(names)}: VALUE", at, VALUE=value)
    tuple_lambda: ast.expr = expression_from_template(
        "lambda _ol_item: (INNER)(*_ol_item)", at, INNER=inner
    )
    return tuple_lambda


EXHAUSTING_BUILTINS = frozenset({"sum", "list", "tuple", "min", "max", "sorted"})
SHORT_CIRCUIT_BUILTINS = frozenset({"any", "all"})


def replace_consumed_generator_in_place(node: ast.Call) -> None:
    """Replace the generator argument of a builtin by a list comprehension, if the builtin consumes
    all items. For a builtin that may stop early (any, all), the converted code makes the choice
    when it is executed. It takes a list comprehension if a recorded loop iterates over the
    iterable, else the generator.
    """
    if (
        not isinstance(node.func, ast.Name)
        or not node.args
        or not isinstance(node.args[0], ast.GeneratorExp)
    ):
        return
    generator = node.args[0]
    if node.func.id in EXHAUSTING_BUILTINS:
        node.args[0] = ast.copy_location(
            ast.ListComp(generator.elt, generator.generators), generator
        )
    elif node.func.id in SHORT_CIRCUIT_BUILTINS and isinstance(
        generator.generators[0].iter, ast.Name
    ):
        copied = copy.deepcopy(generator)
        comprehension = ast.copy_location(ast.ListComp(copied.elt, copied.generators), generator)
        # scans of the tree visit the list comprehension and skip this duplicate
        generator.is_duplicate = True  # type: ignore[attr-defined]
        is_dynamic_call = expression_from_template(
            "__ol.is_iterable_by_recorded_loop(ROWS)",
            generator,
            ROWS=copy.deepcopy(generator.generators[0].iter),
        )
        node.args[0] = ast.copy_location(
            ast.IfExp(is_dynamic_call, comprehension, generator), generator
        )


def _is_operator_call(function: ast.expr) -> bool:
    return (
        isinstance(function, ast.Attribute)
        and isinstance(function.value, ast.Name)
        and function.value.id == "__ol"
    )


def _is_convertible_comprehension(node: ast.ListComp) -> bool:
    """Whether a comprehension is [f(item) for item in rows if g(item)] without assignments and
    functions in it.
    """
    generator = node.generators[0]
    parts = [node.elt, *generator.ifs]
    has_single_generator = (
        len(node.generators) == 1
        and is_name_or_name_tuple(generator.target)
        and not generator.is_async
    )
    return (
        has_single_generator
        and not _contains_walrus_await_or_yield(parts)
        and not any(map(_contains_lambda, parts))
    )


def _contains_lambda(node: ast.expr) -> bool:
    """Whether an expression of a comprehension creates a function. A comprehension that creates
    functions is not converted, because the functions read the comprehension variable after the last
    iteration.
    """
    return any(isinstance(n, ast.Lambda) for n in ast.walk(node))


def _contains_walrus_await_or_yield(nodes: list[ast.expr]) -> bool:
    """Whether an expression assigns a name (`:=`), awaits or yields. Expressions with `:=`, `await`
    or `yield` cannot be moved to a lambda, where they would not act on the enclosing function.
    """
    return any(
        isinstance(n, ast.NamedExpr | ast.Await | ast.Yield | ast.YieldFrom)
        for node in nodes
        for n in ast.walk(node)
    )
