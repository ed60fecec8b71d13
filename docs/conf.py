"""Configuration of the documentation site: `python -m sphinx -W -j 2 docs build/site/html`.

Pages are Markdown that also reads well where the repository is browsed. Before a build, this file
writes the pages of the API reference to docs/api and copies pages from outside of docs to
docs/project.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

import oarlock  # noqa: E402
from tests.tools.api_pages import write_api_pages  # noqa: E402

project = "Oarlock"
author = "the authors of Oarlock"
copyright = "the authors of Oarlock, Apache License 2.0"
version = release = oarlock.__version__

extensions = ["myst_parser"]
myst_heading_anchors = 4
exclude_patterns = ["images/*.md"]
nitpicky = True  # a name in a docstring that is made a link has an entry
highlight_language = "text"
pygments_style = "default"
pygments_dark_style = "monokai"
add_module_names = True
python_display_short_literal_types = True
toc_object_entries_show_parents = "hide"

smartquotes = False  # quotes are parts of values

html_theme = "furo"
html_title = f"Oarlock {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
# The search reads every page that it found to show a part of it, which browsers forbid for files.
html_show_search_summary = False

# Pages outside of docs, and their names on the site.
OTHER_PAGES = {
    "CHANGELOG.md": "changelog",
    "CONTRIBUTING.md": "contributing",
    "SECURITY.md": "security",
    "tests/README.md": "tests",
}
CODE_OR_LINK = re.compile(
    r"```.*?^\s*```|`[^`\n]*`|(!?)\[([^\]]*)\]\(([^)\s]+)\)", re.DOTALL | re.MULTILINE
)


def adapt_links(text: str, source: Path, page: Path) -> str:
    """Change links of a Markdown text so that they work on a page of the site.

    source: the file that the text is from. page: its place below docs. Links to other pages outside
    of docs become links to their copies, links to folders become text, and those to other files
    become downloads.
    """

    def adapt(match: re.Match[str]) -> str:
        exclamation, label, link = match.groups()
        if link is None or "://" in link or link.startswith("#"):
            return match[0]
        name, hash_sign, anchor = link.partition("#")
        target = (source.parent / name).resolve()
        if target.is_dir():
            return label
        if target == ROOT / "README.md":
            target = DOCS / "index.md"
        copied = OTHER_PAGES.get(os.path.relpath(target, ROOT))
        if copied:
            target = DOCS / "project" / f"{copied}.md"
        path = os.path.relpath(target, page.parent)
        return f"{exclamation}[{label}]({path}{hash_sign}{anchor})"

    return CODE_OR_LINK.sub(adapt, text)


def toctrees_of(index: str) -> str:
    """Return the navigation: for each section of the index, the pages that its table links."""
    parts = []
    for section in index.split("\n## ")[1:]:
        caption, _, text = section.partition("\n")
        links = [(name, path) for _, name, path in CODE_OR_LINK.findall(text) if path]
        pages = "\n".join(f"{name} <{path.removesuffix('.md')}>" for name, path in links)
        parts.append(f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{pages}\n```\n")
    return "".join(parts)


PACKAGES = """
## Packages

```{toctree}
:glob:
:maxdepth: 1

api/*
```
"""
titles_of_pages: dict[str, Any] = {}


def write_pages(app: Any) -> None:
    """Write the pages that are not in docs."""
    write_api_pages(DOCS / "api")
    folder = DOCS / "project"
    folder.mkdir(exist_ok=True)
    for source, name in OTHER_PAGES.items():
        page = folder / f"{name}.md"
        text = adapt_links((ROOT / source).read_text(), ROOT / source, page)
        if not page.exists() or page.read_text() != text:
            page.write_text(text)


def read_page(app: Any, docname: str, content: list[str]) -> None:
    """Adapt a page: its links, and the navigation of the index and of the API reference."""
    path = DOCS / f"{docname}.md"
    if path.exists() and not docname.startswith("project/"):
        content[0] = adapt_links(content[0], path, path)
    if docname == "index":
        content[0] += toctrees_of(content[0])
    elif docname == "api":
        content[0] += PACKAGES


def shorten_navigation(app: Any, page: str, template: str, context: Any, doctree: Any) -> None:
    """Let the navigation of a page be made without the functions on the pages of the API reference.

    The theme shows titles of pages only. Copying the lists of functions for each page would take a
    quarter of the time of the build.
    """
    make_toctree, contents = context["toctree"], app.env.tocs
    if not titles_of_pages:
        titles_of_pages.update(
            {name: title_of(name, content) for name, content in contents.items()}
        )

    def toctree(**options: Any) -> str:
        app.env.tocs = titles_of_pages
        try:
            return make_toctree(**options)
        finally:
            app.env.tocs = contents

    context["toctree"] = toctree


def title_of(page: str, content: Any) -> Any:
    """Return the table of contents of a page; of a page of the API reference only its title."""
    if not page.startswith("api/"):
        return content
    title = content.deepcopy()
    for item in title:
        del item[1:]
    return title


def setup(app: Any) -> dict[str, bool]:
    """Connect the functions above with the events of Sphinx."""
    app.connect("builder-inited", write_pages)
    app.connect("source-read", read_page)
    app.connect("html-page-context", shorten_navigation, priority=100)  # before the theme
    return {"parallel_read_safe": True, "parallel_write_safe": True}
