"""Write docs/cpp-reference.md from the headers in cpp_runtime/include/oarlock.

    python -m tests.tools.cpp_reference_page

Each public declaration becomes an entry, with its comment (`///`) if it has one; public members of
a class follow it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "cpp-reference.md"
INCLUDE = ROOT / "cpp_runtime" / "include" / "oarlock"
HEADERS = (
    "session.h session_pool.h io_binding.h model.h tensor.h device.h dtype.h dim_range.h half.h "
    "error.h log.h pipeline.h"
).split()
HEAD = """# C++ and C reference

This page lists the public declarations of
[`cpp_runtime/include/oarlock`](../cpp_runtime/include/oarlock). `#include <oarlock/oarlock.h>`
includes all of these headers except `oarlock_c.h`, the C API. The page is written by
`python -m tests.tools.cpp_reference_page`. [C++ and C](cpp.md) explains how to use them,
[options.md](options.md) lists the members of `Options`. All names of the C++ headers are in the namespace
`oarlock`.
"""
DETAIL = re.compile(
    r"^(struct Impl;|class \w+;|friend |const Impl& impl|\[\[deprecated|~|.*= delete;|inline constexpr )"
)


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    for name in HEADERS:
        text = (INCLUDE / name).read_text()
        summary = re.match(r"(?:// ?.*\n)+", text)
        assert summary, name
        parts.append(f"\n## {name}\n\n{_uncomment(summary.group(), '//')}\n")
        parts.extend(_entry(*found) for found in declarations(text.split("namespace oarlock {")[1]))
    c_header = (INCLUDE / "oarlock_c.h").read_text()
    body = c_header.split("#ifdef __cplusplus")[1].split("#endif", 1)[1]
    body = body.rsplit("#ifdef __cplusplus", 1)[0].strip()
    intro = re.match(r"/\*(.*?)\*/", c_header, re.DOTALL)
    assert intro
    prose = " ".join(line.strip(" *") for line in intro.group(1).splitlines())
    parts.append(f"\n## oarlock_c.h\n\n{prose.strip()}\n\n```c\n{body}\n```\n")
    return "".join(parts)


def declarations(text: str) -> Iterator[tuple[str, str, int]]:
    """Yield comment, declaration without a body, and nesting of each public declaration."""
    lines = iter(text.splitlines())
    comment: list[str] = []
    nesting, hidden = 0, False  # hidden: in the private part of a class
    for line in lines:
        word = line.strip()
        if word.startswith("///"):
            comment.append(word)
        elif word in ("public:", "private:"):
            hidden = word == "private:"
        elif word.startswith("};"):
            nesting, hidden, comment = max(0, nesting - 1), False, []
        elif not word or word.startswith(("#", "//", "}")):
            comment = []
        else:
            declaration, remark = _read_declaration(word, lines)
            comment += [remark] if remark else []
            opens_class = re.match(r"(class|struct) .*\{$", declaration) is not None
            if not hidden and not DETAIL.match(declaration):
                yield _uncomment("\n".join(comment), "///"), declaration, nesting
            nesting += opens_class
            comment = []


def _read_declaration(first: str, lines: Iterator[str]) -> tuple[str, str]:
    """Return a declaration on one line, without the body of a function or the initializers of a
    constructor, and the comment at its end.
    """
    text = first
    while not re.search(r"[;{}]( *//.*)?$", text):
        text += " " + next(lines).strip()
    text, _, remark = (part.strip() for part in text.partition(" //"))
    if re.match(r"(class|struct) .*\{$", text):
        return text, remark
    if text.startswith("enum "):
        while "};" not in text:
            text += " " + re.sub(r" *//.*$", "", next(lines).strip())
        return text, remark
    depth = text.count("{") - text.count("}")
    while depth > 0:
        line = next(lines)
        depth += line.count("{") - line.count("}")
    if "(" in text and "{" in text:
        text = re.split(r"\) (?::|\{)|(?<=const) \{|(?<=noexcept) \{", text)[0]
        text += ")" if text.count("(") > text.count(")") else ""
    return text.rstrip(";") + ";", remark


def _uncomment(text: str, mark: str) -> str:
    lines = (line.strip().removeprefix(mark).strip() for line in text.splitlines())
    return re.sub(" +", " ", " ".join(lines)).strip()


def _entry(comment: str, declaration: str, nesting: int) -> str:
    code = re.sub(r"OARLOCK_EXPORT ", "", declaration).removesuffix(" {")
    indent = "  " * nesting
    return f"\n{indent}- `{code}`" + (f"\n\n{indent}  {comment}\n" if comment else "\n")


if __name__ == "__main__":
    PAGE.write_text(page())
