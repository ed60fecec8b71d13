"""Which Paddle a program was written for: its interface changed twice in ways that the same names
do not show.

1.x
programs are static unless dygraph.guard says otherwise; no tensor without axes, [1] in its place
2.0 - 2.4    ops run when they are called; no tensor without axes
2.5 on       as Oarlock is
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

from ..core.errors import OarlockError, with_user_line

OVERRIDE = "OARLOCK_PADDLE_API"


class Age(NamedTuple):
    """A Paddle.   version: as `paddle.__version__` says it."""

    version: str

    @property
    def number(self) -> tuple[int, int]:
        """Major and minor."""
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)

    @property
    def tensors_without_axes(self) -> bool:
        """Whether a full reduction has the shape [], not [1]."""
        return self.number >= (2, 5)

    @property
    def static_first(self) -> bool:
        """Whether ops are written to a program before anybody asks for that."""
        return self.number < (2, 0)


# The patch versions used if only major and minor, or not even these, are given.
LAST = {"1": "1.8.5", "1.8": "1.8.5", "2": "2.6.2", "2.4": "2.4.2", "2.5": "2.5.2", "2.6": "2.6.2"}
NEWEST = {1: 8, 2: 6, 3: 3}  # the last minor of each major
FLUID, BOTH, TODAY = Age(LAST["1.8"]), Age(LAST["2.4"]), Age(LAST["2.6"])

# What the package of Paddle 1.x has beside fluid; any other name is of 2.0 or later.
_IN_1_X = {
    "fluid",
    "batch",
    "reader",
    "dataset",
    "compat",
    "version",
    "utils",
    "distributed",
    "sysconfig",
    "common_ops_import",
    "proto",
    "libs",
    "framework",
}
_LOSSES = ("loss", "cost", "acc")


def _is_out(major: str, minor: str = "0") -> bool:
    """Whether there is such a Paddle."""
    number = re.match(r"\d+", minor)
    return int(major) in NEWEST and number is not None and int(number[0]) <= NEWEST[int(major)]


def parsed(version: str | None) -> Age | None:
    """The age that a number names; None for None and `auto`.

    Raises OarlockError for what is no number of a version.
    """
    if version is None or version == "auto":
        return None
    if not re.fullmatch(r"\d+(\.\d+){0,2}(-?[a-z]+\d+)?", version) or not _is_out(
        *version.split(".")[:2]
    ):
        raise OarlockError(
            with_user_line(
                f"compat: {version!r} is not a version of Paddle; 1.8, 2.4 and 2.6 are known"
            )
        )
    return Age(
        LAST.get(version)
        or (
            version
            if version.count(".") >= 2
            else f"{version}.0"
            if "." in version
            else f"{version}.0.0"
        )
    )


def of_text(text: str) -> Age | None:
    """The age by what a source says; None for one that does not import Paddle."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # it will not run either
        return None
    imports, named = _names(tree)
    if not imports:
        return None
    if "fluid" in named:
        return BOTH if any(n not in _IN_1_X and not n.startswith("_") for n in named) else FLUID
    return BOTH if any(map(_first_of_a_loss, ast.walk(tree))) else TODAY


def _names(tree: ast.AST) -> tuple[bool, set[str]]:
    """Whether Paddle is imported, and the names directly under `paddle` that are."""
    named: set[str] = set()
    bound: set[str] = set()  # what the package itself is called
    imports = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for path, alias in [(a.name.split("."), a.asname) for a in node.names]:
                if path[0] == "paddle":
                    imports = True
                    named.update(path[1:2])
                    if alias is None or len(path) == 1:
                        bound.add(alias or "paddle")
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            path = node.module.split(".")
            if path[0] == "paddle":
                imports = True
                named.update(path[1:2] or {a.name for a in node.names})
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in bound
        ):
            named.add(node.attr)
    return imports, named


def _first_of_a_loss(node: ast.AST) -> bool:
    """`loss.numpy()[0]`, which fails from 2.5 on, where a loss has no axes."""
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == 0
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "numpy"
        and any(word in ast.unparse(node.value.func.value).lower() for word in _LOSSES)
    )


def of_main() -> Age | None:
    """The age by the main script; None where there is none, or it does not import Paddle itself."""
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return of_text(_text(main)) if main else None


def of_file(path: str) -> Age:
    """The age by a file that imports Paddle."""
    return of_text(_text(path)) or TODAY


def _text(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
