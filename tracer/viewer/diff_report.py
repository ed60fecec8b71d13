"""Write the differences of two models as text and as HTML."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..core.html import escape_html
from ..loader.escape_control_characters import escape_control_characters
from .diff import Difference, ModelDiff, summarize
from .page import content_security_policy

_SIGNS = {"added": "+", "removed": "-", "changed": "~"}


def format_text(diff: ModelDiff) -> Iterator[str]:
    """Yield the lines of a report: a section per kind of thing, `+`, `-` and `~` for what is added,
    removed and changed, and a summary.
    """
    if diff:
        yield f"--- {escape_control_characters(diff.names[0])}"
        yield f"+++ {escape_control_characters(diff.names[1])}"
    for section, found in diff.sections.items():
        if found:
            yield f"{section}:"
        for difference in found:
            yield f"  {_SIGNS[difference.kind]} {_one_line(difference)}"
            if difference.kind == "changed":
                yield from (f"      {escape_control_characters(d)}" for d in difference.details)
    yield escape_control_characters(summarize(diff))


def _one_line(difference: Difference) -> str:
    details = "; ".join(difference.details) if difference.kind != "changed" else ""
    return escape_control_characters(f"{difference.name}{f'  ({details})' if details else ''}")


def format_html(diff: ModelDiff) -> str:
    """Return a report as an HTML page without scripts, which loads nothing."""
    style = Path(__file__).with_name("diff.css").read_text()
    title = " and ".join(_escaped(name) for name in diff.names)
    sections = "".join(
        _section(name, found, diff.num_equal[name])
        for name, found in diff.sections.items()
        if found or diff.num_equal[name]
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{content_security_policy([style])}">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<h1>Differences of {title}</h1>
<p>{_escaped(summarize(diff))}</p>
{sections}</body>
</html>
"""


def _section(name: str, found: list[Difference], num_equal: int) -> str:
    rows = "".join(
        f'<tr class="{d.kind}"><td>{d.kind}</td><td>{_escaped(d.name)}</td>'
        f"<td>{'<br>'.join(_escaped(detail) for detail in d.details)}</td></tr>\n"
        for d in found
    )
    body = f"<table>\n{rows}</table>\n" if found else ""
    return f"<h2>{name.capitalize()}</h2>\n<p>{num_equal} equal</p>\n{body}"


def _escaped(text: str) -> str:
    return escape_html(escape_control_characters(text))
