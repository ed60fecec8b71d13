"""docs/environment.md lists every environment variable that the code reads."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from tests.tools.syntax_trees import FILES, ROOT, nodes_of, tree_of

PAGE = ROOT / "docs" / "environment.md"
READ_IN_CPP = re.compile(r'"((?:OARLOCK|MALLOC|ORT)_[A-Z_]+|\w+_NUM_THREADS)"|getenv\("(\w+)"\)')
READ_IN_SHELL = re.compile(r"\$\{([A-Z_0-9]+):-")
# Strings that look like names of variables.
VARIABLE = re.compile(
    r"(?:OARLOCK|PADDLE|PMI|PMIX|OMPI)_[A-Z_0-9]+|FLAGS_selected_\w+|\w+_THREADS|POD_IP"
)
WRAPPERS = {"BooleanEnvironmentVariable", "IntegerEnvironmentVariable", "StringEnvironmentVariable"}
NOT_VARIABLES = {
    "OARLOCK_ERROR_FILE",  # a constant of the C interface
    "OARLOCK_SORTING_OF",
    "OARLOCK_TEST_FACTOR",  # a test's own
}
SET_FOR_OTHERS = {"CUDA_VISIBLE_DEVICES"}


def names_on_page() -> set[str]:
    """Return the names in the first cells of the tables."""
    text = PAGE.read_text()
    rows = re.findall(r"^\| (`.*?) \|", text, re.MULTILINE)
    return {name for row in rows for name in re.findall(r"`(\w+)`", row)}


def names_in_python(path: Path) -> set[str]:
    """Return the variables that a Python file reads: strings that are arguments of `environ` and
    `getenv`, and strings that have the form of a name.
    """
    text = path.read_text()
    if not VARIABLE.search(text) and not re.search("environ|getenv", text, re.IGNORECASE):
        return set()
    names = set()
    for node in nodes_of(tree_of(path)):
        match node:
            case ast.Constant(value=str(name)) if VARIABLE.fullmatch(name):
                names.add(name)
            case ast.Call(func=ast.Name(id=wrapper), args=[ast.Constant(value=str(name)), *_]):
                if wrapper in WRAPPERS:
                    names.add(name)
            case ast.Call(
                func=ast.Attribute(value=owner, attr=method),
                args=[ast.Constant(value=str(name)), *_],
            ):
                if ast.unparse(owner).endswith("environ") or method == "getenv":
                    names.add(name)
            case ast.Subscript(value=owner, slice=ast.Constant(value=str(name))):
                if ast.unparse(owner).endswith("environ"):
                    names.add(name)
    return names


def names_in_code() -> set[str]:
    """Return the variables that the product reads."""
    names = set().union(*(names_in_python(path) for path in FILES))
    for folder in ("cpp_runtime/src", "tracer/native"):
        for path in (ROOT / folder).rglob("*.[ch]*"):
            names |= {a or b for a, b in READ_IN_CPP.findall(path.read_text())}
    return names


def names_in_checks() -> set[str]:
    """Return the variables that `./check`, tests and benchmarks read."""
    names = set(READ_IN_SHELL.findall((ROOT / "check").read_text()))
    for folder in ("tests", "benchmarks"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            names |= set(
                re.findall(r'(?:environ(?:\.get)?[\[(]|peer_python\()"(OARLOCK_\w+)', text)
            )
    for path in (ROOT / "cpp_runtime" / "tests").glob("*.h"):
        names |= set(re.findall(r'"(OARLOCK_\w+)"', path.read_text()))
    return names


def test_page_lists_the_variables() -> None:
    found = names_in_code() | names_in_checks()
    assert sorted(found - NOT_VARIABLES - names_on_page()) == [], "add them to docs/environment.md"
    assert sorted(names_on_page() - found - SET_FOR_OTHERS) == [], "no code reads these"
