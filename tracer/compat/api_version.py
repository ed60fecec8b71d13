"""Detect the version of Paddle for which a program was written, because names behave differently in
different versions of Paddle:

1.x          static mode outside of dygraph.guard; no 0-D tensors (shape [1] instead of [])
2.0 - 2.4    dynamic mode; no 0-D tensors
from 2.5     dynamic mode and 0-D tensors, as Oarlock
"""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path
from typing import NamedTuple

from ..core.errors import OarlockError, append_user_line

VERSION_VARIABLE = "OARLOCK_PADDLE_API"


class ApiVersion(NamedTuple):
    """A version of Paddle.  version: the value of `paddle.__version__`"""

    version: str

    @property
    def number(self) -> tuple[int, int]:
        """Major and minor version."""
        major, minor, *_ = self.version.split(".")
        return int(major), int(minor)

    @property
    def has_zero_dim_tensors(self) -> bool:
        """Whether a reduction of all axes returns a tensor of shape [], as since Paddle 2.5, and
        not of shape [1].
        """
        return self.number >= (2, 5)

    @property
    def is_static_by_default(self) -> bool:
        """Whether programs of this version start in static mode, as before Paddle 2.0."""
        return self.number < (2, 0)


# Incomplete version numbers -> the last full version that begins with them.
LATEST_PATCH = {
    "1": "1.8.5",
    "1.8": "1.8.5",
    "2": "2.6.2",
    "2.4": "2.4.2",
    "2.5": "2.5.2",
    "2.6": "2.6.2",
}
LATEST_MINOR = {1: 8, 2: 6, 3: 3}  # the last minor of each major
PADDLE_1, PADDLE_2_4, PADDLE_2_6 = (
    ApiVersion(LATEST_PATCH["1.8"]),
    ApiVersion(LATEST_PATCH["2.4"]),
    ApiVersion(LATEST_PATCH["2.6"]),
)

# The names that the package `paddle` had in Paddle 1.x; all other names of the package exist since
# 2.0.
_PADDLE_1_NAMES = {
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
_LOSS_NAMES = ("loss", "cost", "acc")


def _was_released(major: str, minor: str = "0") -> bool:
    """Whether the version `major`.`minor` of Paddle was released."""
    number = re.match(r"\d+", minor)
    return (
        int(major) in LATEST_MINOR
        and number is not None
        and int(number[0]) <= LATEST_MINOR[int(major)]
    )


def parse_version_unless_auto(version: str | None) -> ApiVersion | None:
    """Parse a version number.  Returns None for None and "auto".

    Raises OarlockError for an unknown version.
    """
    if version is None or version == "auto":
        return None
    if not re.fullmatch(r"\d+(\.\d+)?|\d+\.\d+\.\d+(-?[a-z]+\d+)?", version) or not _was_released(
        *version.split(".")[:2]
    ):
        raise OarlockError(
            append_user_line(
                f"compat: {version!r} is not a version of Paddle; use for example 1.8, 2.4 or 2.6"
            )
        )
    return ApiVersion(
        LATEST_PATCH.get(version)
        or (
            version
            if version.count(".") >= 2
            else f"{version}.0"
            if "." in version
            else f"{version}.0.0"
        )
    )


def detect_from_source(text: str) -> ApiVersion | None:
    """Detect from its source code the Paddle version for which a program was written. Returns None
    if the source code does not import Paddle.
    """
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):  # Python reports the error when it runs the source
        return None
    imports, names = _find_is_paddle_imported_and_used_names(tree)
    if not imports:
        return None
    if "fluid" in names:
        return (
            PADDLE_2_4
            if any(n not in _PADDLE_1_NAMES and not n.startswith("_") for n in names)
            else PADDLE_1
        )
    return PADDLE_2_4 if any(map(_is_numpy_item_0_of_loss, ast.walk(tree))) else PADDLE_2_6


def _find_is_paddle_imported_and_used_names(tree: ast.AST) -> tuple[bool, set[str]]:
    """Return whether the source imports Paddle, and which names directly below `paddle` it uses."""
    names: set[str] = set()
    package_names: set[str] = set()  # names that the package is bound to
    imports = False
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for path, alias in [(a.name.split("."), a.asname) for a in node.names]:
                if path[0] == "paddle":
                    imports = True
                    names.update(path[1:2])
                    if alias is None or len(path) == 1:
                        package_names.add(alias or "paddle")
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            path = node.module.split(".")
            if path[0] == "paddle":
                imports = True
                names.update(path[1:2] or {a.name for a in node.names})
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in package_names
        ):
            names.add(node.attr)
    return imports, names


def _is_numpy_item_0_of_loss(node: ast.AST) -> bool:
    """Whether a node is `loss.numpy()[0]`. The expression `loss.numpy()[0]` fails since Paddle 2.5,
    in which a loss is a 0-D tensor.
    """
    return (
        isinstance(node, ast.Subscript)
        and isinstance(node.slice, ast.Constant)
        and node.slice.value == 0
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Attribute)
        and node.value.func.attr == "numpy"
        and any(word in ast.unparse(node.value.func.value).lower() for word in _LOSS_NAMES)
    )


def detect_from_main() -> ApiVersion | None:
    """Detect the Paddle version for which the main script was written. Returns None if the script
    does not import Paddle.
    """
    main = getattr(sys.modules.get("__main__"), "__file__", None)
    return detect_from_source(_read_text_or_empty(main)) if main else None


def detect_from_file(path: str) -> ApiVersion:
    """Detect the Paddle version for which a file that imports Paddle was written; 2.6 if the file
    cannot be read.
    """
    return detect_from_source(_read_text_or_empty(path)) or PADDLE_2_6


def _read_text_or_empty(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
