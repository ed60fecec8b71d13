"""Converting a function: its tree rewritten, compiled again at its own lines, with its own closure,
globals and defaults.
"""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import dataclass
from types import CellType, CodeType, FunctionType, MethodType
from typing import Any

from ...core.errors import OpError, TraceError, with_user_line
from ...core.function_source import NoSource, function_tree
from ..operators import runtime
from ..operators.registry import register
from .activity import parameters
from .expressions import Expressions, mark_tests
from .jumps import lower_jumps
from .liveness import mark
from .statements import Flow, local_names
from .templates import keep_places, statements

RUNTIME = "__ol"
# the attribute of a function with what the user asked for it
CONVERSION_OPTIONS = "__jst_not_to_static"
_CODES: dict[tuple[str, CodeType], CodeType | NoSource] = {}
_SOURCES: dict[CodeType, str] = {}


@dataclass(frozen=True)
class ConversionOptions:
    """What the user asked for a function."""

    not_convert: bool = False


@register
def convert(function: Any) -> Any:
    """The converted function or method; `function` itself where there is nothing to convert.

    Raises NoSource.

    Line numbers, file, name, defaults, closure and globals are those of the original, so that
    tracebacks and debuggers show it.
    """
    if isinstance(function, MethodType):
        return MethodType(convert(function.__func__), function.__self__)
    if isinstance(function, functools.partial):
        return functools.partial(convert(function.func), *function.args, **function.keywords)
    if not isinstance(function, FunctionType) or is_converted(function) or is_excluded(function):
        return function
    if function.__code__.co_flags & (
        inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    ):
        return function
    return _with_code(function, converted_code(function.__code__))


def is_converted(function: FunctionType) -> bool:
    """Whether a function was made by `convert`."""
    return RUNTIME in function.__code__.co_freevars


def not_to_static(function: Any = None) -> Any:
    """Leave a function as it is when code that calls it is converted; as a decorator, with
    arguments or without.
    """
    if function is None:
        return not_to_static
    setattr(getattr(function, "__func__", function), CONVERSION_OPTIONS, ConversionOptions(True))
    return function


def is_excluded(function: Any) -> bool:
    """Whether the user asked for a function to be left alone."""
    options = getattr(function, CONVERSION_OPTIONS, None)
    return options is not None and options.not_convert


def converted_code(code: CodeType) -> CodeType:
    """The code of the converted function, made once.   Raises NoSource."""
    # code of one text is equal wherever it lies, but errors name the file
    at = code.co_filename, code
    if at not in _CODES:
        try:
            _CODES[at] = _convert(code)
        except NoSource as error:
            _CODES[at] = error
    found = _CODES[at]
    if isinstance(found, NoSource):
        raise found
    return found


STAGES = ("jumps", "statements", "expressions")  # in order: what rewrites a function


def converted_source(function: Any, stages: int = len(STAGES)) -> str:
    """The function as text after the first `stages` of STAGES.

    Raises TypeError, and OpError where there is no source.
    """
    plain = inspect.unwrap(function)
    code = getattr(getattr(plain, "__func__", plain), "__code__", None)
    if code is None:
        raise TypeError(
            with_user_line(
                f"{getattr(plain, '__name__', plain)!s:.80} is no function of Python's; "
                f"it "
                f"has no source"
            )
        )
    try:
        if is_excluded(plain):
            return ast.unparse(function_tree(code))
        if stages < len(STAGES):
            return ast.unparse(_converted_tree(code, stages))
        converted_code(code)
    except NoSource as error:
        raise OpError(with_user_line(f"{code.co_name}: {error}")) from None
    return _SOURCES[code]


def _with_code(function: FunctionType, code: CodeType) -> FunctionType:
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells[RUNTIME] = CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__dict__.update(function.__dict__)
    made.__qualname__, made.__module__, made.__doc__ = (
        function.__qualname__,
        function.__module__,
        function.__doc__,
    )
    made.__annotations__ = function.__annotations__
    return made


class _Plain(ast.NodeTransformer):
    """Annotations of variables left out: in a function nothing evaluates them, and a variable that
    parts of it share may have none.
    """

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        made = ast.Pass() if node.value is None else ast.Assign([node.target], node.value)
        return ast.copy_location(made, node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node


def _read_tree(code: CodeType) -> ast.FunctionDef:
    """The function as the user wrote it, with names as Python has them."""
    tree = _Plain().visit(function_tree(code))
    keep_places(tree)
    if isinstance(tree, ast.Lambda):
        tree = _as_function(tree)
    _refuse_names(tree)
    _mangle(tree, code)
    return tree


def _converted_tree(code: CodeType, stages: int) -> ast.FunctionDef:
    tree = _read_tree(code)
    convert_tree(tree, frozenset(code.co_freevars), stages)
    return tree


def _convert(code: CodeType) -> CodeType:
    tree = _read_tree(code)
    users = frozenset(
        n.lineno for n in ast.walk(tree) if isinstance(n, ast.Lambda) and not parameters(n)
    )
    convert_tree(tree, frozenset(code.co_freevars))
    _SOURCES[code] = ast.unparse(tree)
    tree.name = "_ol_function"  # its own name would be one of the factory
    made = _inner_code(compile(_factory(tree, code), code.co_filename, "exec"), tree.name)
    return _named(made, code.co_name, code.co_qualname, users)


def _refuse_names(tree: ast.AST) -> None:
    """Raise TraceError where the user's names are those of converted code."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Name | ast.arg):
            continue
        name = node.id if isinstance(node, ast.Name) else node.arg
        if name == RUNTIME or name.startswith("_ol_"):
            why = (
                f"the name '{name}' in line {node.lineno} is one that converted code uses "
                f"itself; take another"
            )
            raise TraceError(with_user_line(why))


def _as_function(tree: ast.Lambda) -> ast.FunctionDef:
    (made,) = statements("def _ol_lambda():\n    return BODY", tree, BODY=tree.body)
    assert isinstance(made, ast.FunctionDef)
    made.args = tree.args
    return made


def convert_tree(
    function: ast.FunctionDef, around: frozenset[str] = frozenset(), stages: int = len(STAGES)
) -> None:
    """Rewrite a function and those inside of it.

    around: the names of functions around it that it may use; stages: see STAGES.
    """
    arguments = [*function.args.posonlyargs, *function.args.args]
    first = arguments[0].arg if arguments else None
    _convert_statements(function, around, stages > 1)
    if stages == len(STAGES):
        function.body = [
            Expressions(None if _binds_super(function) else first).visit(s) for s in function.body
        ]
    function.decorator_list, function.returns = [], None
    for argument in ast.walk(function.args):
        if isinstance(argument, ast.arg):
            argument.annotation = None


def _binds_super(function: ast.FunctionDef) -> bool:
    """Whether `super` is the user's own in a function, not Python's."""
    return any(
        (isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == "super")
        or (isinstance(node, ast.arg) and node.arg == "super")
        or (isinstance(node, ast.Name) and node.id == "super" and isinstance(node.ctx, ast.Store))
        for node in ast.walk(function)
    )


def _convert_statements(
    function: ast.FunctionDef, around: frozenset[str], all_of_them: bool
) -> None:
    own = local_names(function)
    for inner in _functions_inside(function.body):
        _convert_statements(inner, around | own, all_of_them)
    if _is_generator(function):
        return
    lower_jumps(function)
    if not all_of_them:
        return
    mark_tests(function)
    mark(function)
    flow = Flow(function, around)
    body = [n for s in function.body for n in _listed(flow.visit(s))]
    unset = [n for n in flow.unset if n not in parameters(function)]
    doc = ast.get_docstring(function) is not None
    first = [s for n in unset for s in statements(f"{n} = __ol.Undefined({n!r})", function)]
    function.body = [*body[:doc], *first, *body[doc:]]


def _listed(made: Any) -> list[ast.stmt]:
    return made if isinstance(made, list) else [made]


def _functions_inside(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    found: list[ast.FunctionDef] = []
    todo: list[ast.AST] = list(body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef):
            found.append(node)
        elif not isinstance(node, ast.ClassDef | ast.AsyncFunctionDef):
            todo += ast.iter_child_nodes(node)
    return found


def _is_generator(function: ast.FunctionDef) -> bool:
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await):
            return True
        if not isinstance(node, ast.FunctionDef | ast.Lambda | ast.ClassDef):
            todo += ast.iter_child_nodes(node)
    return False


def _factory(tree: ast.FunctionDef, code: CodeType) -> ast.Module:
    """A module with a function around `tree` that has the names of its closure as locals."""
    names = "\n    ".join(f"{name} = None" for name in (*code.co_freevars, RUNTIME, "__class__"))
    body = statements(f"def _ol_factory():\n    {names}\n    TREE", tree, TREE=[tree])
    module = ast.Module(body, [])
    ast.fix_missing_locations(module)
    return module


def _inner_code(code: CodeType, name: str) -> CodeType:
    for wanted in ("_ol_factory", name):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == wanted)
    return code


def _named(code: CodeType, name: str, qualname: str, users: frozenset[int]) -> CodeType:
    """The code, and that of every function that the conversion made in it, under the user's name.

    users: lines of lambdas like ours.
    """
    consts = tuple(
        _renamed(c, name, qualname, users) if isinstance(c, CodeType) else c for c in code.co_consts
    )
    return code.replace(co_consts=consts, co_name=name, co_qualname=qualname)


def _renamed(code: CodeType, name: str, qualname: str, users: frozenset[int]) -> CodeType:
    if code.co_name.startswith("_ol_"):
        return _named(code, name, qualname, users)
    if code.co_name == "<lambda>" and not code.co_argcount and code.co_firstlineno not in users:
        return _named(code, name, qualname, users)  # made by the conversion as well
    return _named(
        code, code.co_name, code.co_qualname.rpartition("_ol_factory.<locals>.")[2], users
    )


def _mangle(tree: ast.FunctionDef, code: CodeType) -> None:
    """Private names as the class around the function has them: outside of it Python would not do
    it.
    """
    parts = code.co_qualname.split(".")
    owner = parts[-2].lstrip("_") if len(parts) > 1 and parts[-2] != "<locals>" else ""
    if not owner:
        return
    for node in ast.walk(tree):
        for field in ("id", "attr", "arg"):
            name = getattr(node, field, None)
            if isinstance(name, str) and name.startswith("__") and not name.endswith("__"):
                setattr(node, field, f"_{owner}{name}")
