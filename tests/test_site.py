"""The documentation site builds without warnings, and its pages and search work in a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """The ids and the links of an HTML page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the attributes `id`, `href` and `src`."""
        for name, value in attrs:
            if value and name == "id":
                self.ids.add(value)
            elif value and name in ("href", "src"):
                self.links.add(value)


@pytest.fixture(scope="module")
def site() -> Path:
    """Build the site. `./check` has built it already, then only changed pages are built."""
    folder = ROOT / "build" / "site"
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-j", "2"]
    command += ["-d", str(folder / "doctrees"), str(ROOT / "docs"), str(folder / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "html"


def show(url: str, dump: str = "--dump-dom") -> tuple[str, list[str]]:
    """Return a page after its scripts ran, and the errors of the console."""
    if not BROWSER:
        pytest.skip("needs Chromium")
    options = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", "--v=0"]
    command = [BROWSER, *options, "--virtual-time-budget=20000", dump, url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if ":CONSOLE" in line]


def test_links(site: Path) -> None:
    """Links inside of the site lead to files and anchors that exist."""
    pages = {path: Page(path) for path in site.rglob("*.html")}
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"\w+:", link) or link == "#":
                continue
            name, _, anchor = unquote(link).partition("#")
            target = (path.parent / name.partition("?")[0]).resolve() if name else path
            found = target.exists() and (not anchor or anchor in pages[target].ids)
            if not found:
                broken.append(f"{path.relative_to(site)}: {link}")
    assert broken == []


def test_nothing_is_loaded_from_other_hosts(site: Path) -> None:
    loaded = re.compile(r'<(?:script|img|link rel="stylesheet")[^>]*(?:src|href)="https?:')
    assert [p.name for p in site.rglob("*.html") if loaded.search(p.read_text())] == []


@pytest.mark.parametrize("name", ["index", "start", "limits", "errors", "api/paddle.nn"])
def test_pages_in_browser(site: Path, name: str) -> None:
    text, errors = show(f"file://{site}/{name}.html")
    assert "<h1>" in text
    assert errors == []


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("Conv2D", "api/paddle.nn.html#paddle.nn.Conv2D"),
        ("quantize", "quantization.html"),
        ("OARLOCK_CACHE_DIR", "environment.html"),
    ],
)
def test_search_in_browser(site: Path, query: str, page: str) -> None:
    text, errors = show(f"file://{site}/search.html?q={query}")
    assert f'href="{page}' in text
    assert errors == []
