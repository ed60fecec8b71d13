"""Write the type stubs (`__init__.pyi`) of public packages and `core/_tensor_methods.pyi`.

    python -m tests.tools.type_stubs [--check]

Type checkers and editors read the annotations in the sources. There they cannot see names that a
package imports when they are first used, functions and classes that are created from tables, and
the methods that `tensor.patch` sets on Tensor. The stubs declare these.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import math
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple, get_overloads

import oarlock
from oarlock import nn
from oarlock.nn.function_layer import FunctionLayer
from oarlock.tensor import patch
from tests.api.public_names import names_by_package

SOURCES = Path(__file__).resolve().parents[2] / "tracer"
# A package imports what a package before it in this list declares.
PACKAGES = [*"tensor nn.functional nn optimizer static quantization incubate".split(), ""]
NOTICE = "# Written by `python -m tests.tools.type_stubs`.\n"
OVERRIDES_OF_OBJECT = ("__eq__", "__ne__")


class Stub:
    """The declarations of a stub, and the imports that they need."""

    def __init__(self, module: str, docstring: str) -> None:
        self.module = module
        self.docstring = docstring
        self.imports: set[str] = set()
        self.exports: list[str] = []
        self.declarations: list[str] = []

    def text(self) -> str:
        """Return the text of the stub, not formatted."""
        exports = [f"__all__ = {self.exports}"] if self.exports else []
        return "\n".join(
            [f'"""{self.docstring}"""\n', NOTICE]
            + [*sorted(self.imports), "", *exports, "", *self.declarations]
        )


def formatted(texts: dict[Path, str]) -> dict[Path, str]:
    """Return the texts of stubs, formatted as the linter of the project asks for."""
    with tempfile.TemporaryDirectory() as folder:
        files = {Path(folder, f"{n}.pyi"): path for n, path in enumerate(texts)}
        for file, path in files.items():
            file.write_text(texts[path])
        for command in (["check", "--select", "I,RUF022", "--fix"], ["format"]):
            options = ["--quiet", "--config", str(SOURCES.parent / "pyproject.toml"), folder]
            subprocess.run([sys.executable, "-m", "ruff", *command, *options], check=True)
        return {path: file.read_text() for file, path in files.items()}


@functools.cache
def source_of(module: str) -> ast.Module:
    """Return the syntax tree of a module, empty if it is not written in Python."""
    path = getattr(import_module(module), "__file__", None) or ""
    return ast.parse(Path(path).read_text() if path.endswith(".py") else "")


@functools.cache
def definitions_in(module: str) -> frozenset[str]:
    """Return the classes and functions that a module defines with `class` or `def`."""
    return frozenset(
        node.name
        for node in source_of(module).body
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
    )


@functools.cache
def imports_in(module: str) -> dict[str, str]:
    """Return the statement that imports each name that a module imports anywhere."""
    found = {}
    is_package = hasattr(import_module(module), "__path__")
    package = module.split(".") if is_package else module.split(".")[:-1]
    for node in ast.walk(source_of(module)):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join(base + ([node.module] if node.module else []))
            for name in node.names:
                renamed = f" as {name.asname}" if name.asname else ""
                found[name.asname or name.name] = f"from {source} import {name.name}{renamed}"
        elif isinstance(node, ast.Import):
            for name in node.names:
                renamed = f" as {name.asname}" if name.asname else ""
                found[name.asname or name.name] = f"import {name.name}{renamed}"
    return found


def add_imports(stub: Stub, annotation: str, module: str) -> None:
    """Import what an annotation in a module refers to."""
    for node in ast.walk(ast.parse(annotation, mode="eval")):
        if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
            local = f"from {module} import {node.id}"
            stub.imports.add(imports_in(module).get(node.id, local))


def annotation_text(stub: Stub, annotation: Any, module: str) -> str:
    """Return an annotation of a function of a module as it is written in a stub."""
    if annotation is inspect.Signature.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    text = text.replace("typing.", "")
    if not isinstance(annotation, str):
        module = getattr(annotation, "__module__", module)
    if text not in ("None", "Any"):
        add_imports(stub, text, module)
    elif text == "Any":
        stub.imports.add("from typing import Any")
    return text


def default_text(value: Any) -> str:
    """Return a default as it is written in a stub: short literals, and `...` for others."""
    has_literal = isinstance(value, int | str | None) or (
        isinstance(value, float) and math.isfinite(value)
    )
    return repr(value) if has_literal else "..."


class Function(NamedTuple):
    """What the declaration of a function or method shows.

    module: where the names in the annotations are defined or imported
    """

    signature: inspect.Signature
    module: str
    docstring: str

    @classmethod
    def of(cls, function: Any) -> Function:
        """Return the properties of a function."""
        module = inspect.unwrap(function).__module__
        return cls(inspect.signature(function), module, function.__doc__ or "")


def function_texts(stub: Stub, name: str, function: Any, is_method: bool = False) -> Iterator[str]:
    """Yield the declaration of a function or method, or its overloads."""
    original = inspect.unwrap(function)
    overloads = get_overloads(original) if original.__name__ == function.__name__ else []
    for overload in overloads:
        stub.imports.add("from typing import overload")
        declared = Function.of(overload)
        if overload is overloads[0]:
            declared = declared._replace(docstring=function.__doc__ or "")
        yield "@overload\n" + function_text(stub, name, declared, is_method)
    if not overloads:
        yield function_text(stub, name, Function.of(function), is_method)


def function_text(stub: Stub, name: str, function: Function, is_method: bool = False) -> str:
    """Return the declaration of a function or method."""
    signature, module, docstring = function
    parameters = []
    kinds = inspect.Parameter
    previous = None
    for position, parameter in enumerate(signature.parameters.values()):
        if parameter.kind is kinds.KEYWORD_ONLY and previous not in (
            kinds.KEYWORD_ONLY,
            kinds.VAR_POSITIONAL,
        ):
            parameters.append("*")
        previous = parameter.kind
        if is_method and position == 0:
            parameters.append("self")
            continue
        stars = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        text = stars + parameter.name
        annotation = annotation_text(stub, parameter.annotation, module)
        if annotation:
            text += f": {annotation}"
        if parameter.default is not kinds.empty:
            text += f" = {default_text(parameter.default)}"
        parameters.append(text)
        if parameter.kind is kinds.POSITIONAL_ONLY:
            parameters.append("/")
    result = annotation_text(stub, signature.return_annotation, module) or "None"
    head = f"def {name}({', '.join(parameters)}) -> {result}:"
    return f"{head}\n    {docstring_text(docstring)}"


def docstring_text(docstring: str) -> str:
    """Return a docstring of the first paragraph of a docstring, or `...`."""
    summary = " ".join(docstring.partition("\n\n")[0].split())
    lines = textwrap.wrap(summary, 88)
    end = "\n" if len(lines) > 1 else ""
    return '"""' + "\n    ".join(lines) + end + '"""' if lines else "..."


def indent(text: str) -> str:
    """Indent the lines of a declaration in a class."""
    return "\n".join(f"    {line}" for line in text.splitlines())


def class_text(stub: Stub, name: str, cls: type) -> str:
    """Return the declaration of a class that is created from a table."""
    base = cls.__bases__[0]
    stub.imports.add(f"from {base.__module__} import {base.__name__}")
    members = [
        indent(function_text(stub, member, method_of(cls, value), is_method=True))
        for member, value in vars(cls).items()
        if member in ("__init__", "forward")
    ]
    docstring = indent(docstring_text(cls.__doc__ or ""))
    return "\n".join([f"class {name}({base.__name__}):", docstring, *members])


def method_of(cls: type, method: FunctionType) -> Function:
    """Return the properties of a method; those of a table of layers have the annotations of the
    function that the layer calls.
    """
    found = Function.of(method)
    if not issubclass(cls, FunctionLayer):
        return found
    function = Function.of(getattr(nn.functional, cls.row.function))
    annotations = {p.name: p.annotation for p in function.signature.parameters.values()}
    annotations |= cls._argument_types
    signature = inspect.Signature(
        [
            parameter.replace(annotation=annotations.get(name, "Any"))
            for name, parameter in found.signature.parameters.items()
        ],
        return_annotation=None
        if method.__name__ == "__init__"
        else function.signature.return_annotation,
    )
    return Function(signature, function.module, found.docstring)


def declare(stub: Stub, name: str, value: Any, declared: dict[int, tuple[str, str]]) -> None:
    """Add the import or declaration of a public name.

    declared: the id of each value that a stub declares -> module and name
    """
    stub.exports.append(name)
    module = getattr(value, "__module__", None) or ""
    own_name = getattr(value, "__name__", "")
    if isinstance(value, ModuleType):
        package, _, last = value.__name__.rpartition(".")
        stub.imports.add(import_statement(package, last, name))
    elif id(value) in declared:
        stub.imports.add(import_statement(*declared[id(value)], name))
    elif own_name and own_name in definitions_in(module) and module != stub.module:
        stub.imports.add(import_statement(module, own_name, name))
    elif inspect.isclass(value) or isinstance(value, FunctionType):
        stub.declarations.extend(
            [class_text(stub, name, value)]
            if inspect.isclass(value)
            else function_texts(stub, name, value)
        )
        declared[id(value)] = stub.module, name
    else:
        kind = type(value)
        if kind.__module__ != "builtins":
            stub.imports.add(f"from {kind.__module__} import {kind.__name__}")
        stub.declarations.append(f"{name}: {kind.__name__}")


def import_statement(module: str, name: str, alias: str) -> str:
    """Return a statement that imports a name of a module as `alias`."""
    return f"from {module} import {name}" + (f" as {alias}" if alias != name else "")


def is_of_oarlock(value: Any) -> bool:
    """Whether a value is a module, class or function of this project, or an object of such a class."""
    has_home = isinstance(value, ModuleType | FunctionType) or inspect.isclass(value)
    owner = value if has_home else type(value)
    module = owner.__name__ if isinstance(owner, ModuleType) else owner.__module__
    return str(module).split(".", maxsplit=1)[0] == "oarlock"


def public_names(package: ModuleType) -> list[str]:
    """Return the names that users can import from a package."""
    names = [name for name in dir(package) if not name.startswith("_")]
    versions = ["__version__"] if hasattr(package, "__version__") else []
    return sorted(name for name in names if is_of_oarlock(getattr(package, name))) + versions


def package_stub(package: str, declared: dict[int, tuple[str, str]]) -> Stub:
    """Return the stub of a package, such as "nn.functional"."""
    full_name = f"oarlock.{package}".rstrip(".")
    module = import_module(full_name)
    stub = Stub(full_name, "The public names of this package, for type checkers.")
    for name in public_names(module):
        declare(stub, name, getattr(module, name), declared)
    return stub


def tensor_methods_stub() -> Stub:
    """Return the stub of the methods of Tensor that are set after its definition."""
    stub = Stub("oarlock.core._tensor_methods", "The methods that `tensor.patch` sets on Tensor.")
    own = {
        node.name
        for cls in source_of("oarlock.core.tensor").body
        if isinstance(cls, ast.ClassDef) and cls.name == "Tensor"
        for node in cls.body
        if isinstance(node, ast.FunctionDef)
    }
    stub.declarations.append("class TensorMethods:")
    stub.declarations.extend(
        indent(text)
        for name in dir(oarlock.Tensor)
        if name not in (*own, "__dir__")
        for text in method_text(stub, name)
    )
    return stub


def method_text(stub: Stub, name: str) -> Iterator[str]:
    """Yield the declaration of a method of Tensor, if `tensor.patch` sets it."""
    value = inspect.getattr_static(oarlock.Tensor, name)
    if name in patch.BINARY_OPERATORS:
        stub.imports.add("from oarlock.core.type_aliases import Operand")
        ignored = "  # type: ignore[override]" if name in OVERRIDES_OF_OBJECT else ""
        yield f"def {name}(self, y: Operand) -> Tensor: ...{ignored}"
    elif isinstance(value, FunctionType):
        yield from function_texts(stub, name, value, is_method=True)
    elif isinstance(value, property) and value.fget is not None:
        getter = Function.of(value.fget)
        yield "@property\n" + function_text(stub, name, getter, is_method=True)


def all_stubs() -> dict[Path, str]:
    """Return the text of each stub, formatted."""
    for package in names_by_package():
        if package != "Tensor":
            import_module(f"oarlock.{package}".rstrip("."))  # becomes a name of its parent
    declared: dict[int, tuple[str, str]] = {}
    found = {SOURCES / "core" / "_tensor_methods.pyi": tensor_methods_stub().text()}
    for package in PACKAGES:
        path = SOURCES.joinpath(*package.split("."), "__init__.pyi")
        found[path] = package_stub(package, declared).text()
    return formatted(found)


def main() -> None:
    """Write the stubs that differ, or with `--check` print their names."""
    stale = {path: text for path, text in all_stubs().items() if path.read_text() != text}
    for path, text in stale.items():
        if "--check" in sys.argv:
            print(path.relative_to(SOURCES.parent))
        else:
            path.write_text(text)


if __name__ == "__main__":
    main()
