"""Write the pages of the API reference, one per package, from the docstrings of public names.

The names are those of `tests/api/public_names.py`. Docstrings are plain text in NumPy style, not
reStructuredText, so special characters are escaped.
"""

from __future__ import annotations

import functools
import inspect
import re
import textwrap
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from numpydoc.docscrape import NumpyDocString

from tests.api.public_names import (
    PublicName,
    is_of_oarlock,
    members_of,
    names_by_package,
    package_named,
)

CODE = re.compile(r"``(.+?)``|`([^`]+)`")
SPECIAL = re.compile(r"([\\*_|<>`])")
BULLET = re.compile(r"(\s*(?:-|\d+\.) )(.*)")
TABLE = "\n.. list-table::\n   :widths: 30 70\n\n"


class Docstring(NumpyDocString):  # type: ignore[misc]
    """A parsed docstring, which may have a section `Shape`."""

    sections = {**NumpyDocString.sections, "Shape": []}


class Entry(NamedTuple):
    """A class or function, the package whose page describes it, and its public members."""

    package: str
    name: str
    value: Any
    members: list[PublicName]


def write_api_pages(folder: Path) -> None:
    """Write a page per package, and remove pages of packages that are gone.

    Pages that did not change keep their time, so that Sphinx does not read them again.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = {page_name(package): page_of(package) for package in sorted(names_by_package())}
    for path in folder.glob("*.rst"):
        if path.stem not in pages:
            path.unlink()
    for name, text in pages.items():
        path = folder / f"{name}.rst"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def page_name(package: str) -> str:
    """Return the name of a package as users write it."""
    return f"paddle.{package}".removesuffix(".")


@functools.cache
def entries() -> dict[int, Entry]:
    """Return the public classes and functions by identity, each under one of its names.

    The order of preference is: the package `paddle`, nested packages, other packages, and methods
    of Tensor last, most of which are functions of `paddle`.
    """
    found: dict[int, Entry] = {}
    packages = names_by_package()
    for package in sorted(packages, key=lambda p: (p != "", p == "Tensor", -p.count("."), p)):
        for name in sorted(set(packages[package])):
            value = getattr(package_named(package), name, None)
            if is_documented(value) and id(value) not in found:
                found[id(value)] = Entry(package, name, value, [])
    documented = set(found)
    for entry in found.values():
        if inspect.isclass(entry.value):
            full_name = f"{entry.package}.{entry.name}".removeprefix(".")
            members = members_of(full_name, entry.value)
            if full_name == "Tensor":  # the page of Tensor describes its methods
                members = [m for m in members if isinstance(m.value, property)]
            entry.members.extend(m for m in members if id(m.value) not in documented)
    return found


def is_documented(value: Any) -> bool:
    """Whether a value is a class or function of Oarlock."""
    return (inspect.isclass(value) or inspect.isfunction(value)) and is_of_oarlock(value)


@functools.cache
def links() -> dict[str, str]:
    """Return the target of each name that a docstring may mention."""
    targets: dict[str, str] = {}
    for package, names in names_by_package().items():
        for name in names:
            entry = entries().get(id(getattr(package_named(package), name, None)))
            if entry:
                targets[f"{page_name(package)}.{name}"] = full_name_of(entry)
    for entry in entries().values():
        for member in entry.members:
            targets[f"paddle.{member.name}"] = f"paddle.{member.name}"
    short = {name.removeprefix("paddle."): target for name, target in targets.items()}
    return {name: target for name, target in short.items() if "." in name} | targets


def full_name_of(entry: Entry) -> str:
    """Return the name of an entry as users write it."""
    return f"{page_name(entry.package)}.{entry.name}"


def page_of(package: str) -> str:
    """Return the page of a package: a table of its names, then the entries described here."""
    title = page_name(package)
    module = package_named(package)
    head = f"{title}\n{'=' * len(title)}\n\n"
    summary = "" if package in ("", "Tensor") else (inspect.getdoc(module) or "").split("\n\n")[0]
    parts = [head, escape(summary.replace("\n", " ")), "\n", TABLE]
    described: list[Entry] = []
    for name in sorted(set(names_by_package()[package]), key=lambda n: (n.lower(), n)):
        value = getattr(module, name, None)
        entry = entries().get(id(value)) if is_documented(value) else None
        if entry:
            parts.append(row_of(f"{title}.{name}", entry))
            if entry.package == package and entry.name == name:
                described.append(entry)
    if package == "Tensor":
        described = [entries()[id(module)]._replace(package="", name="Tensor"), *described]
    else:
        described = [e for e in described if full_name_of(e) != "paddle.Tensor"]
    parts.append(f"\n.. py:currentmodule:: {title if package != 'Tensor' else 'paddle'}\n\n")
    for entry in described:
        parts.extend(description_of(entry))
    return "".join(parts)


def row_of(shown: str, entry: Entry) -> str:
    """Return a row of the table of a page."""
    summary = escape(" ".join(Docstring(entry.value.__doc__ or "")["Summary"]))
    name = shown.rpartition(".")[2]
    return f"   * - :py:obj:`{name} <{full_name_of(entry)}>`\n     - {summary}\n"


def description_of(entry: Entry) -> Iterator[str]:
    """Yield the description of an entry and of its members."""
    name = entry.name
    kind = "class" if inspect.isclass(entry.value) else "function"
    if entry.package == "Tensor":
        kind, name = "method", f"Tensor.{entry.name}"
    yield directive(kind, name, entry.value, skip_self=kind == "method")
    for member in entry.members:
        nested = kind_of_member(entry.value, member)
        text = directive(nested, member.name.rpartition(".")[2], member.value, nested == "method")
        yield textwrap.indent(text, "   ")


def kind_of_member(cls: type, member: PublicName) -> str:
    """Return the directive of a member of a class."""
    attribute = vars(cls)[member.name.rpartition(".")[2]]
    if isinstance(attribute, property):
        return "property"
    kinds = {staticmethod: "staticmethod", classmethod: "classmethod"}
    return kinds.get(type(attribute), "method")


def directive(kind: str, name: str, value: Any, skip_self: bool) -> str:
    """Return the directive that describes a class, a function, a method or a property."""
    getter = value.fget if isinstance(value, property) else value
    signature = "" if isinstance(value, property) else signature_of(value, skip_self)
    body = textwrap.indent(body_of(Docstring(inspect.cleandoc(getter.__doc__ or ""))), "   ")
    return f".. py:{kind}:: {name}{signature}\n\n{body}\n"


def signature_of(value: Any, skip_self: bool) -> str:
    """Return the parameters of a callable with their defaults, without types, which the
    description has.
    """
    try:
        parameters = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return ""
    empty = inspect.Parameter.empty
    parameters = [p.replace(annotation=empty) for p in parameters[skip_self:]]
    parameters = [
        p.replace(default=_Default(p.default)) if p.default is not empty else p for p in parameters
    ]
    return str(inspect.Signature(parameters))


class _Default:
    """A default value, shown without addresses and module names."""

    def __init__(self, value: object) -> None:
        self.value = value

    def __repr__(self) -> str:
        text = getattr(self.value, "__name__", None) or repr(self.value)
        return "..." if re.search(r" at 0x|<|\n", text) else text


def body_of(parsed: Docstring) -> str:
    """Return a docstring as reStructuredText."""
    parts = [escape(" ".join(parsed["Summary"])), prose(parsed["Extended Summary"])]
    for title in ("Parameters", "Attributes", "Shape", "Returns", "Yields", "Raises", "Warns"):
        section = parsed[title]
        if section:
            fields = (
                shape_fields(section)
                if title == "Shape"
                else ((" : ".join(filter(None, s[:2])), s[2]) for s in section)
            )
            parts.append(f".. rubric:: {title}\n\n{definitions(fields)}")
    if parsed["Notes"]:
        parts.append(f".. rubric:: Notes\n\n{prose(parsed['Notes'])}")
    if parsed["See Also"]:
        parts.append(f".. rubric:: See also\n\n{see_also(parsed['See Also'])}")
    if parsed["Examples"]:
        examples = re.sub(r" *# doctest:.*", "", "\n".join(parsed["Examples"])).strip()
        parts.append(
            f".. rubric:: Examples\n\n.. code-block:: pycon\n\n{textwrap.indent(examples, '   ')}\n"
        )
    return "\n\n".join(part for part in parts if part)


def shape_fields(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield terms of the section `Shape` with the lines that are indented below them."""
    term, body = "", []
    for line in lines:
        if line.startswith(" ") or not line:
            body.append(line)
            continue
        if term:
            yield term, body
        term, body = line, []
    yield term, body


def definitions(fields: Iterable[tuple[str, list[str]]]) -> str:
    """Return a definition list: names in bold, types and descriptions as prose."""
    parts = []
    for term, lines in fields:
        name, colon, kind = term.partition(" : ")
        is_name = colon or re.fullmatch(r"\*{0,2}\w+", name)
        head = f"**{escape(name)}**{colon}{escape(kind)}" if is_name else escape(name)
        body = prose(textwrap.dedent("\n".join(lines)).splitlines()) or r"\ "
        parts.append(f"{head}\n{textwrap.indent(body, '   ')}\n")
    return "\n".join(parts)


def prose(lines: list[str]) -> str:
    """Return paragraphs and lists as reStructuredText.

    A paragraph that does not end with a period or a colon is a formula, shown as it is written.
    """
    parts = []
    for paragraph in re.split(r"\n\s*\n", "\n".join(lines).strip("\n")):
        text = textwrap.dedent(paragraph).strip("\n")
        if not text.strip():
            continue
        if ">>>" in text:
            parts.append(f".. code-block:: pycon\n\n{textwrap.indent(text, '   ')}")
        elif not BULLET.match(text) and " = " in text and text[-1] not in ".:":
            parts.append(f".. code-block:: none\n\n{textwrap.indent(text, '   ')}")
        elif any(BULLET.match(line) for line in text.splitlines()):
            parts.append(bullets(text))
        else:
            parts.append(escape(text))
    return "\n\n".join(parts)


def bullets(text: str) -> str:
    """Return a paragraph that contains a list, with an empty line before the list."""
    lines: list[str] = []
    in_list = False
    for line in text.splitlines():
        item = BULLET.match(line)
        if item:
            if not in_list:
                lines.append("")
            in_list = True
            lines.append(item[1] + escape(item[2]))
        else:
            lines.append(escape(line))
    return "\n".join(lines).strip("\n")


def see_also(items: list[tuple[list[tuple[str, str | None]], list[str]]]) -> str:
    """Return the names that an entry refers to, as a list of links."""
    lines = []
    for names, description in items:
        shown = ", ".join(reference(name) for name, _ in names)
        text = escape(" ".join(description))
        lines.append(f"- {shown}" + (f": {text}" if text else ""))
    return "\n".join(lines) + "\n"


def reference(name: str) -> str:
    """Return a name as a link to its entry if there is one."""
    target = links().get(name)
    return f":py:obj:`{name} <{target}>`" if target else f"``{name}``"


def escape(text: str) -> str:
    """Return plain text as reStructuredText. Text in backticks becomes code, or a link if it is the
    name of an entry.
    """
    parts, end = [], 0
    for match in CODE.finditer(text):
        parts.append(SPECIAL.sub(r"\\\1", text[end : match.start()]))
        code = " ".join((match[1] or match[2]).split())
        parts.append(rf"\ {reference(code)}\ " if code in links() else rf"\ ``{code}``\ ")
        end = match.end()
    parts.append(SPECIAL.sub(r"\\\1", text[end:]))
    return "".join(parts)
