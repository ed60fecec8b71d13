"""Type checkers know the types of all parameters and results of public names.

`python -m tests.api.test_types_of_public_names` prints those that are `Any`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import pytest
from mypy import build, nodes, options, types
from mypy.modulefinder import BuildSource

from tests.api.public_names import names_by_package, public_names
from tests.tools import typing_tree

# Type arguments that NumPy's classes have, and users of arrays leave open.
OPEN_CLASSES = ("numpy.", "builtins.type", "os.PathLike")


def program() -> tuple[str, dict[int, str]]:
    """Return a program that mentions each public name, and the name that each line mentions."""
    packages = [name for name in names_by_package() if name not in ("", "Tensor")]
    lines = ["import oarlock", *(f"import oarlock.{name}" for name in packages)]
    names = {}
    for entry in public_names():
        owner, _, member = entry.name.rpartition(".")
        if isinstance(entry.value, property):
            lines.append(f"def get(x: oarlock.{owner}) -> object: return x.{member}")
        else:
            lines.append(f"oarlock.{entry.name}")
        names[len(lines)] = entry.name
    return "\n".join(lines), names


@functools.cache
def types_of_names() -> dict[str, types.Type]:
    """Return the type that mypy finds for each public name."""
    if not typing_tree.TREE.exists():
        typing_tree.make()
    settings = options.Options()
    settings.mypy_path = [str(typing_tree.TREE)]
    settings.cache_dir = str(typing_tree.ROOT / "build" / "mypy_names")
    settings.export_types = True
    settings.preserve_asts = True
    text, names = program()
    result = build.build([BuildSource("names.py", "names", text)], settings)
    found: dict[str, types.Type] = {}
    for statement in result.files["names"].defs:
        if isinstance(statement, nodes.FuncDef):
            returned = statement.body.body[0]
            assert isinstance(returned, nodes.ReturnStmt) and returned.expr
            found[names[statement.line]] = result.types[returned.expr]
        elif isinstance(statement, nodes.ExpressionStmt):
            found[names[statement.line]] = result.types[statement.expr]
    return found


def contains_any(kind: types.Type, seen: tuple[types.Type, ...] = ()) -> bool:
    """Whether `Any` is a part of a type."""
    if kind in seen:  # a recursive alias
        return False
    seen = (*seen, kind) if isinstance(kind, types.TypeAliasType) else seen
    kind = types.get_proper_type(kind)
    parts: list[types.Type] = []
    if isinstance(kind, types.AnyType):
        return True
    if isinstance(kind, types.Instance) and not kind.type.fullname.startswith(OPEN_CLASSES):
        parts = list(kind.args)
    elif isinstance(kind, types.UnionType | types.TupleType | types.Overloaded):
        parts = list(kind.items)
    elif isinstance(kind, types.CallableType):
        parts = [kind.ret_type, *([] if kind.is_ellipsis_args else kind.arg_types)]
    return any(contains_any(part, seen) for part in parts)


def unknown_parts(name: str, kind: types.Type) -> Iterator[str]:
    """Yield the parameters and the result of a public name that are `Any`."""
    kind = types.get_proper_type(kind)
    if isinstance(kind, types.Overloaded):
        for item in kind.items:
            yield from unknown_parts(name, item)
    elif isinstance(kind, types.CallableType):
        for parameter, part in zip(kind.arg_names, kind.arg_types, strict=True):
            if contains_any(part):
                yield f"{name}({parameter}): {part}"
        if contains_any(kind.ret_type):
            yield f"{name} -> {kind.ret_type}"
    elif contains_any(kind):
        yield f"{name}: {kind}"


def all_unknown_parts() -> list[str]:
    """Return the parameters and results of all public names that are `Any`."""
    found = [part for name, kind in types_of_names().items() for part in unknown_parts(name, kind)]
    return list(dict.fromkeys(found))


@pytest.mark.slow
def test_types_are_known() -> None:
    assert not all_unknown_parts()


if __name__ == "__main__":
    print("\n".join(all_unknown_parts()))
