"""Convert a function: transform its syntax tree, compile it with the original line numbers, and
rebuild the function with its closure, globals and defaults.
"""

from __future__ import annotations

import ast
import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any, TypeVar, overload

from ...core.errors import OpError, TraceError, append_user_line
from ...core.function_syntax_tree import SourceError, require_syntax_tree_of_code
from ..operators import runtime
from ..operators.registry import register
from .activity import parameter_names
from .expressions import ExpressionTransformer, mark_tested_bool_ops
from .jumps import lower_jumps
from .liveness import annotate_liveness
from .statements import ControlFlowTransformer, local_names_of
from .templates import mark_user_nodes, statements_from_template

RUNTIME_NAME = "__ol"
# The attribute of a function that holds its ConversionOptions.
CONVERSION_OPTIONS = "__jst_not_to_static"
_CODE_CACHE: dict[tuple[str, CodeType], CodeType | SourceError] = {}
_SOURCE_CACHE: dict[CodeType, str] = {}
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class ConversionOptions:
    """The options that the user set for a function."""

    not_convert: bool = False


@register
def convert(function: Any) -> Any:
    """Return the converted version of a function or method. A method or partial is returned as a
    new object. Other objects, and functions that are not converted, are returned unchanged. Raises
    SourceError if the source is not available.

    The converted function has the line numbers, file, name, defaults, closure and globals of the
    original, so that tracebacks and debuggers show the user's code.
    """
    if isinstance(function, MethodType):
        return MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    if (
        not isinstance(function, FunctionType)
        or is_converted(function)
        or is_excluded_by_user(function)
    ):
        return function
    if function.__code__.co_flags & (
        inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    ):
        return function
    return _rebuild_function_with_code(function, converted_code_of(function.__code__))


def is_converted(function: FunctionType) -> bool:
    """Whether a function was created by `convert`."""
    return RUNTIME_NAME in function.__code__.co_freevars


@overload
def not_to_static(function: Function) -> Function: ...
@overload
def not_to_static(function: None = None) -> Callable[[Function], Function]: ...
def not_to_static(function: Any = None) -> Any:
    """Exclude a function from conversion. Usable as a decorator, with or without arguments.

    While a program is captured, the function runs as plain Python: its ops are recorded, and
    branches and loops must not depend on tensor values.

    Parameters
    ----------
    function : callable, optional
        None: return the decorator.

    Returns
    -------
    callable
        The same function.

    Examples
    --------
    >>> @paddle.jit.not_to_static
    ... def repeat(x, times):
    ...     for _ in range(times):
    ...         x = x + x
    ...     return x
    >>> quadruple = paddle.jit.to_static(lambda x: repeat(x, 2))
    >>> quadruple(paddle.to_tensor([1.0])).tolist()
    [4.0]
    """
    if function is None:
        return not_to_static
    if not callable(function):
        kind = type(function).__name__
        raise TypeError(append_user_line(f"not_to_static: expected a function, got {kind}"))
    setattr(getattr(function, "__func__", function), CONVERSION_OPTIONS, ConversionOptions(True))
    return function


def is_excluded_by_user(function: Any) -> bool:
    """Whether the user excluded a function from conversion."""
    options = getattr(function, CONVERSION_OPTIONS, None)
    return options is not None and options.not_convert


def converted_code_of(code: CodeType) -> CodeType:
    """Return the cached code of the converted function. Raises SourceError if the source is not
    available.
    """
    # The file is part of the key, because equal code may be in several files, and error messages
    # name the file.
    cache_key = code.co_filename, code
    if cache_key not in _CODE_CACHE:
        try:
            _CODE_CACHE[cache_key] = _convert_code(code)
        except SourceError as error:
            _CODE_CACHE[cache_key] = error
    cached = _CODE_CACHE[cache_key]
    if isinstance(cached, SourceError):
        raise cached
    return cached


CONVERSION_STAGES = ("jumps", "statements", "expressions")  # in order of execution


def converted_source(function: Any, stages: int = len(CONVERSION_STAGES)) -> str:
    """Return the source of the function after the first `stages` of CONVERSION_STAGES.

    Raises TypeError, and OpError if there is no source.
    """
    plain = inspect.unwrap(function)
    code = getattr(getattr(plain, "__func__", plain), "__code__", None)
    if code is None:
        raise TypeError(
            append_user_line(
                f"{getattr(plain, '__name__', plain)!s:.80} is not a Python function, so it has "
                "no source"
            )
        )
    try:
        if is_excluded_by_user(plain):
            return ast.unparse(require_syntax_tree_of_code(code))
        if stages < len(CONVERSION_STAGES):
            return ast.unparse(_parse_and_convert_up_to_stage(code, stages))
        converted_code_of(code)
    except SourceError as error:
        raise OpError(append_user_line(f"{code.co_name}: {error}")) from None
    return _SOURCE_CACHE[code]


def _rebuild_function_with_code(function: FunctionType, code: CodeType) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME_NAME] = CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    result = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__dict__.update(function.__dict__)
    result.__qualname__, result.__module__, result.__doc__ = (
        function.__qualname__,
        function.__module__,
        function.__doc__,
    )
    result.__annotations__ = function.__annotations__
    return result


class _LocalAnnotationRemover(ast.NodeTransformer):
    """Removes annotations of local variables: Python does not evaluate them, and `nonlocal`
    variables must not have them.
    """

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        result = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(result, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def _parse_and_normalize_function(code: CodeType) -> ast.FunctionDef:
    """Return the syntax tree of a function, normalized: a `def`, without annotations of local
    variables, with private names mangled. Raises SourceError if there is no source, and TraceError
    if the code uses reserved names.
    """
    tree = _LocalAnnotationRemover().visit(require_syntax_tree_of_code(code))
    mark_user_nodes(tree)
    if isinstance(tree, ast.Lambda):
        tree = _lambda_to_function(tree)
    _reject_reserved_names(tree)
    _mangle_private_names(tree, code)
    return tree


def _parse_and_convert_up_to_stage(code: CodeType, stages: int) -> ast.FunctionDef:
    tree = _parse_and_normalize_function(code)
    convert_function_tree_in_place(tree, frozenset(code.co_freevars), stages)
    return tree


def _convert_code(code: CodeType) -> CodeType:
    tree = _parse_and_normalize_function(code)
    user_lambda_lines = frozenset(
        n.lineno for n in ast.walk(tree) if isinstance(n, ast.Lambda) and not parameter_names(n)
    )
    convert_function_tree_in_place(tree, frozenset(code.co_freevars))
    _SOURCE_CACHE[code] = ast.unparse(tree)
    # a fixed name, because the user's name may equal a name in the factory function
    tree.name = "_ol_function"
    result = _find_code_in_factory(
        compile(_factory_module(tree, code), code.co_filename, "exec"), tree.name
    )
    return _restore_user_name(result, code.co_name, code.co_qualname, user_lambda_lines)


def _reject_reserved_names(tree: ast.AST) -> None:
    """Raise TraceError if the user's code uses names of converted code."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name | ast.arg):
            continue
        name = node.id if isinstance(node, ast.Name) else node.arg
        if name == RUNTIME_NAME or name.startswith("_ol_"):
            why = (
                f"the name '{name}' in line {node.lineno} is reserved for converted code; use "
                "another name"
            )
            raise TraceError(append_user_line(why))


def _lambda_to_function(tree: ast.Lambda) -> ast.FunctionDef:
    (result,) = statements_from_template("def _ol_lambda():\n    return BODY", tree, BODY=tree.body)
    assert isinstance(result, ast.FunctionDef)
    result.args = tree.args
    return result


def convert_function_tree_in_place(
    function: ast.FunctionDef,
    enclosing_names: frozenset[str] = frozenset(),
    stages: int = len(CONVERSION_STAGES),
) -> None:
    """Transform a function and its inner functions in place. Decorators, and annotations of
    parameters and result, are removed.

    enclosing_names: the names of enclosing functions that the function may use.
    stages: the number of CONVERSION_STAGES to perform.
    """
    arguments = [*function.args.posonlyargs, *function.args.args]
    first = arguments[0].arg if arguments else None
    _lower_jumps_and_control_flow(function, enclosing_names, stages > 1)
    if stages == len(CONVERSION_STAGES):
        function.body = [
            ExpressionTransformer(None if _assigns_super(function) else first).visit(s)
            for s in function.body
        ]
    function.decorator_list, function.returns = [], None
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None


def _assigns_super(function: ast.FunctionDef) -> bool:
    """Whether a function assigns the name `super`, so that `super` is not Python's builtin in
    it.
    """
    return any(
        (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == "super")
        or (isinstance(node, ast.arg) and node.arg == "super")
        or (isinstance(node, ast.Name) and node.id == "super" and isinstance(node.ctx, ast.Store))
        for node in ast.walk(function)
    )


def _lower_jumps_and_control_flow(
    function: ast.FunctionDef, enclosing_names: frozenset[str], all_statements: bool
) -> None:
    """Lower the jumps and, with `all_statements`, the branches and loops of a function and its
    inner functions, in place.
    """
    own_names = local_names_of(function)
    for inner in _inner_functions(function.body):
        _lower_jumps_and_control_flow(inner, enclosing_names | own_names, all_statements)
    if _contains_yield_or_await(function):
        return
    lower_jumps(function)
    if not all_statements:
        return
    mark_tested_bool_ops(function)
    annotate_liveness(function)
    flow = ControlFlowTransformer(function, enclosing_names)
    body = [n for s in function.body for n in _to_statement_list(flow.visit(s))]
    undefined = [n for n in flow.undefined_locals if n not in parameter_names(function)]
    doc = ast.get_docstring(function) is not None
    initializations = [
        s
        for n in undefined
        for s in statements_from_template(f"{n} = __ol.Undefined({n!r})", function)
    ]
    function.body = [*body[:doc], *initializations, *body[doc:]]


def _to_statement_list(result: Any) -> list[ast.stmt]:
    return result if isinstance(result, list) else [result]


def _inner_functions(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    functions: list[ast.FunctionDef] = []
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        elif not isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
            todo += ast.iter_child_nodes(node)
    return functions


def _contains_yield_or_await(function: ast.FunctionDef) -> bool:
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            return True
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)
    return False


def _factory_module(tree: ast.FunctionDef, code: CodeType) -> ast.Module:
    """Return the syntax tree of a module with a factory function around `tree`. The factory has the
    names of the closure of `tree` as local names.
    """
    names = "\n    ".join(
        f"{name} = None" for name in (*code.co_freevars, RUNTIME_NAME, "__class__")
    )
    body = statements_from_template(f"def _ol_factory():\n    {names}\n    TREE", tree, TREE=[tree])
    module = ast.Module(body, [])
    ast.fix_missing_locations(module)
    return module


def _find_code_in_factory(code: CodeType, name: str) -> CodeType:
    for code_name in ("_ol_factory", name):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == code_name)
    return code


def _restore_user_name(
    code: CodeType, name: str, qualname: str, user_lambda_lines: frozenset[int]
) -> CodeType:
    """Replace generated names by the user's name in the code of a converted function, and of all
    functions that the conversion created in it.

    user_lambda_lines: lines with lambdas of the user, which must not be mistaken for generated
    ones.
    """
    consts = tuple(
        _restore_user_name_if_generated(c, name, qualname, user_lambda_lines)
        if isinstance(c, CodeType)
        else c
        for c in code.co_consts
    )
    return code.replace(co_consts=consts, co_name=name, co_qualname=qualname)


def _restore_user_name_if_generated(
    code: CodeType, name: str, qualname: str, user_lambda_lines: frozenset[int]
) -> CodeType:
    if code.co_name.startswith("_ol_"):
        return _restore_user_name(code, name, qualname, user_lambda_lines)
    if (
        code.co_name == "<lambda>"
        and not code.co_argcount
        and code.co_firstlineno not in user_lambda_lines
    ):
        return _restore_user_name(
            code, name, qualname, user_lambda_lines
        )  # a lambda that the conversion generated
    return _restore_user_name(
        code,
        code.co_name,
        code.co_qualname.rpartition("_ol_factory.<locals>.")[2],
        user_lambda_lines,
    )


def _enclosing_class_name(qualified_name: str) -> str:
    """Return the name of the innermost class around a function; empty if there is none. In a
    qualified name, the name before `<locals>` is a function, not a class.
    """
    parts = qualified_name.split(".")[:-1]
    while parts and parts[-1] == "<locals>":
        del parts[-2:]
    return parts[-1] if parts else ""


def _mangle_private_names(tree: ast.FunctionDef, code: CodeType) -> None:
    """Replace private names such as `__x` by `_Class__x`, as Python does in a class body, because
    the converted function is compiled outside of its class.
    """
    owner = _enclosing_class_name(code.co_qualname).lstrip("_")
    if not owner:
        return

    def mangle(name: str) -> str:
        is_private = name.startswith("__") and not name.endswith("__")
        return f"_{owner}{name}" if is_private else name

    for node in ast.walk(tree):
        for field in ("id", "attr", "arg", "name", "asname", "rest"):
            name = getattr(node, field, None)
            if (
                isinstance(name, str)
                and node is not tree
                and not (field == "name" and isinstance(node, ast.alias))
                # Python does not mangle keyword names of calls
                and not isinstance(node, ast.keyword)
            ):
                setattr(node, field, mangle(name))
        if isinstance(node, ast.Global | ast.Nonlocal):
            node.names = [mangle(name) for name in node.names]
