"""Run clang-tidy over the C++ sources, with the compile commands of the asan preset:
`python tests/tools/tidy.py`. A file is skipped if it passed before and neither the file nor a
header that it includes has changed.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "asan"
PASSED = ROOT / "build" / "tidy"  # an empty file for each digest of a source that passed
CONFIG = ROOT / "cpp_runtime" / ".clang-tidy"
SOURCES = ("cpp_runtime/src/*.cpp", "tracer/native/*.cpp")
# The static analyzer skips the conversion rules: it follows pointers and paths, of which they have
# few.
RULES = ROOT / "cpp_runtime" / "src" / "convert"


def output_of(*command: str | Path) -> str:
    """Return what a command prints; it must succeed."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout


def sources() -> list[Path]:
    """Return the sources in the repository except bindings, whose warnings are nanobind's."""
    names = output_of("git", "ls-files", *SOURCES).split()
    return [ROOT / name for name in names if "/python/" not in name]


def included_files() -> dict[Path, set[Path]]:
    """Return the files that each source includes, itself among them, as the compiler reported
    them to ninja.
    """
    found: dict[Path, set[Path]] = {}
    for entry in output_of("ninja", "-C", BUILD, "-t", "deps").split("\n\n"):
        files = [(BUILD / line.strip()).resolve() for line in entry.splitlines() if line[:1] == " "]
        if files:
            found.setdefault(files[0], set()).update(files)
    return found


def compile_commands() -> dict[Path, str]:
    """Return the compile command of each source."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    return {(BUILD / entry["file"]).resolve(): entry["command"] for entry in entries}


def check(source: Path) -> str:
    """Return the warnings of clang-tidy for a source, "" if there are none."""
    command = ["clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option"]
    command += ["-p", str(BUILD), f"--config-file={CONFIG}"]
    if source.is_relative_to(RULES):
        command.append("--checks=-clang-analyzer-*")
    done = subprocess.run([*command, source], cwd=ROOT, check=False, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def main() -> None:
    """Check the sources that changed, print the warnings, and exit with 1 if there are any."""
    included, commands = included_files(), compile_commands()
    common = [Path(__file__).read_bytes(), CONFIG.read_bytes()]
    common.append(output_of("clang-tidy", "--version").encode())
    file_digests: dict[Path, bytes] = {}

    def file_digest(path: Path) -> bytes:
        if path not in file_digests:
            file_digests[path] = hashlib.sha256(path.read_bytes()).digest()
        return file_digests[path]

    stamps = {}
    for source in sources():
        parts = [*common, commands[source].encode()]
        parts += [file_digest(path) for path in sorted(included[source])]
        stamps[source] = PASSED / hashlib.sha256(b"\0".join(parts)).hexdigest()
    PASSED.mkdir(parents=True, exist_ok=True)
    for stamp in set(PASSED.iterdir()) - set(stamps.values()):
        stamp.unlink()
    changed = [source for source, stamp in stamps.items() if not stamp.exists()]
    print(f"{len(changed)} of {len(stamps)} files changed")
    failed = False
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for source, warnings in zip(changed, pool.map(check, changed), strict=True):
            if warnings:
                failed = True
                print(warnings)
            else:
                stamps[source].touch()
    sys.exit(failed)


if __name__ == "__main__":
    main()
