"""Documents: examples run, code compiles, links, file names and class names exist."""

from __future__ import annotations

import functools
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from .tools.commands_page import PAGE as COMMANDS
from .tools.commands_page import page as commands_page
from .tools.cpp_reference_page import PAGE as CPP_REFERENCE
from .tools.cpp_reference_page import page as cpp_reference_page

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
DOCUMENTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted(p for p in DOCS.rglob("*.md") if p.parent != DOCS / "project"),  # copies for the site
]
INTERNAL_DOCUMENTS = [
    ROOT / "docs" / "architecture.md",
    *sorted((ROOT / "docs" / "internals").glob("*.md")),
]
TOUR, PIPELINES, CPP = DOCS / "tour.md", DOCS / "pipelines.md", DOCS / "cpp.md"
QUANTIZATION, ERRORS = DOCS / "quantization.md", DOCS / "errors.md"
GUIDES = [
    DOCS / f"{name}.md" for name in ("start", "train", "trace", "save-and-load", "onnx", "paddle3")
]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
NEED_ARGUMENTS = {"finetune_paddle_model.py"}
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CLASS_NAME = re.compile(r"\b[A-Z]\w*[a-z]\w*\b")
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def run(folder: Path, *words: object) -> str:
    """What a fresh Python prints.   AssertionError when it fails."""
    command = [sys.executable, "-W", "error", *map(str, words)]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def anchors(document: Path) -> set[str]:
    """The anchors that the headings of a document get."""
    headings = HEADING.findall(
        CODE.sub(lambda m: "" if m[0].startswith("```") else m[0], document.read_text())
    )
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.slow
@pytest.mark.parametrize(
    "path", [e for e in EXAMPLES if e.name not in NEED_ARGUMENTS], ids=lambda p: p.name
)
def test_examples_run(path: Path, tmp_path: Path) -> None:
    assert run(tmp_path, path)
    assert not list(tmp_path.iterdir()), "it leaves files behind"


@pytest.mark.slow
def test_fine_tuning_example(tmp_path: Path) -> None:
    model = ROOT / "tests" / "fixtures" / "conv"
    said = run(tmp_path, ROOT / "examples" / "finetune_paddle_model.py", model, "tuned")
    losses = [float(found) for found in re.findall(r"loss (\S+)", said)]
    assert len(losses) > 1
    assert losses == sorted(losses, reverse=True)
    assert (tmp_path / "tuned.pdmodel").exists()


@pytest.mark.parametrize(
    "document", [README, TOUR, PIPELINES, QUANTIZATION, *GUIDES], ids=lambda p: p.name
)
def test_python_code_of_documents(document: Path, tmp_path: Path) -> None:
    script = tmp_path / "code.py"
    script.write_text("\n".join(BLOCK.findall(document.read_text())))
    run(tmp_path, script)


@pytest.mark.slow
def test_commands_of_quantization_page(tmp_path: Path) -> None:
    """The commands run after the Python code. Code 3: the new model has no advantage on this machine."""
    text = QUANTIZATION.read_text()
    (tmp_path / "code.py").write_text("\n".join(BLOCK.findall(text)))
    run(tmp_path, tmp_path / "code.py")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    lines = "".join(blocks).replace("\\\n", "").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("oarlock ")]
    assert len(commands) > 5
    for words in commands:
        done = subprocess.run(
            [sys.executable, "-m", "oarlock", *words],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode in (0, 3), (words, done.stdout + done.stderr)
    for prefix in ("net_weight_only", "net_fp16", "net_onednn"):
        assert (tmp_path / f"{prefix}.pdmodel").exists()


def compiles(source: str) -> str:
    """What the compiler has against a C++ program.

    Nothing is linked: tests/cpp_consumer does that.
    """
    command = [
        "c++",
        "-std=c++20",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fsyntax-only",
        "-x",
        "c++",
        "-",
    ]
    command.insert(1, f"-I{ROOT / 'cpp_runtime' / 'include'}")
    return subprocess.run(command, input=source, capture_output=True, text=True, check=False).stderr


@pytest.mark.slow
def test_cpp_example_compiles() -> None:
    assert compiles((ROOT / "examples" / "cpp_service" / "service.cpp").read_text()) == ""


@pytest.mark.slow
@pytest.mark.parametrize("document", [TOUR, PIPELINES, CPP], ids=lambda p: p.name)
def test_cpp_code_of_documents_compiles(document: Path) -> None:
    (block,) = re.findall(r"^```cpp\n(.*?)^```", document.read_text(), re.DOTALL | re.MULTILINE)
    if "int main()" not in block:
        includes, _, body = block.partition("\n\n")
        block = f"{includes}\nint main() {{\n{body}}}\n"
    assert compiles(block) == ""


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_links(document: Path) -> None:
    links = LINK.findall(CODE.sub("", document.read_text()))
    local = [link for link in links if "://" not in link]
    for link in local:
        path, _, anchor = link.partition("#")
        target = document.parent / path if path else document
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


def test_documents_are_linked() -> None:
    """docs/index.md links all pages; the navigation of the site is made of its links."""
    index = DOCS / "index.md"
    linked = {(DOCS / link.partition("#")[0]).resolve() for link in LINK.findall(index.read_text())}
    assert [p.name for p in DOCUMENTS if p not in (README, index, *linked)] == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda p: p.name)
def test_named_files_exist(document: Path) -> None:
    """`folder/file.ext` in a document is a file of the repository, as seen from its root or a
    folder that the text is about.
    """
    named = re.findall(r"`((?:\w+/)+\w+\.(?:py|cpp|h|md|json|toml))`", document.read_text())
    homes = [ROOT, ROOT / "tracer", ROOT / "cpp_runtime", ROOT / "cpp_runtime" / "src"]
    assert [n for n in named if not any((home / n).exists() for home in homes)] == []


@functools.cache
def words_of_sources() -> set[str]:
    """The words of the sources."""
    sources = [
        path
        for folder in ("tracer", "export", "loader", "cpp_runtime")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".cpp", ".h", ".inc")
    ]
    return {word for path in sources for word in re.findall(r"\w+", path.read_text())}


@pytest.mark.parametrize("document", INTERNAL_DOCUMENTS, ids=lambda p: p.name)
def test_named_classes_exist(document: Path) -> None:
    """A word in CamelCase in backticks is a word of the sources."""
    text = re.sub(r"```.*?```", "", document.read_text(), flags=re.DOTALL)
    named = {word for code in re.findall(r"`([^`\n]*)`", text) for word in CLASS_NAME.findall(code)}
    assert sorted(named - words_of_sources()) == []


def test_cpp_reference_is_up_to_date() -> None:
    assert CPP_REFERENCE.read_text() == cpp_reference_page(), (
        "run: python -m tests.tools.cpp_reference_page"
    )


def test_command_reference_is_up_to_date() -> None:
    assert COMMANDS.read_text() == commands_page(), "run: python -m tests.tools.commands_page"


@functools.cache
def texts_of_sources() -> list[str]:
    """The source files, with adjacent string literals joined."""
    paths = [
        path
        for folder in ("tracer", "export", "loader", "cpp_runtime/src")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".cpp")
    ]
    return [re.sub(r'"\s*\n\s*f?"', "", path.read_text()) for path in paths]


def test_messages_of_error_index_exist() -> None:
    """A message of docs/errors.md is in one source file, in parts between `...`."""
    index, _, _ = ERRORS.read_text().partition("## Messages of Python and NumPy")
    messages = re.findall(r"^### `(.*)`$", index, re.MULTILINE)
    assert len(messages) > 25
    unknown = [
        message
        for message in messages
        if not any(
            all(part.strip() in text for part in message.split("..."))
            for text in texts_of_sources()
        )
    ]
    assert unknown == []


def test_entries_of_error_index() -> None:
    """Each message has a cause and an advice."""
    entries = re.split(r"^### ", ERRORS.read_text(), flags=re.MULTILINE)[1:]
    assert [
        e for e in entries if not re.search(r"\n- \*\*Cause:\*\* .*\n- \*\*Do:\*\* ", e, re.DOTALL)
    ] == []


def test_readme_is_short() -> None:
    assert len(README.read_text().splitlines()) <= 150
