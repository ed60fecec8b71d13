"""The C++ sources of the Python modules compile with the stable ABI of Python 3.12.

Wheels for Python 3.12 and newer use it; with Python 3.11, the modules are built without it.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import nanobind
import numpy
import pytest

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "tracer" / "native"
FOLDERS = (NATIVE / "autograd", NATIVE / "python", ROOT / "cpp_runtime" / "src" / "python")
SEPARATE_SOURCES = {"kernel_module.cpp", "numpy_c_api.cpp"}  # they import NumPy's C API
# Lists of files that are compiled together, so that the compiler reads the headers once.
UNITS = [
    [path for path in sorted(f.glob("*.cpp")) if path.name not in SEPARATE_SOURCES] for f in FOLDERS
] + [[path] for f in FOLDERS for path in f.glob("*.cpp") if path.name in SEPARATE_SOURCES]


def headers() -> Path | None:
    """The headers of the oldest installed Python from 3.12 on; None if there is none."""
    folders = [Path(sysconfig.get_path("include"))]
    for pattern in ("../*/include/python3.*", "include/python3.*"):
        folders += Path(sys.base_prefix).glob(pattern)
    folders += Path("/usr/include").glob("python3.*")
    versions = {
        int(found[1]): folder
        for folder in folders
        if (folder / "Python.h").exists()
        and (found := re.fullmatch(r"python3\.(\d+)", folder.name))
    }
    return min(((v, f) for v, f in versions.items() if v >= 12), default=(0, None))[1]


HEADERS = headers()
COMPILER = shutil.which("c++")


@pytest.mark.slow
@pytest.mark.skipif(not HEADERS or not COMPILER, reason="needs headers of Python 3.12 or newer")
@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit[0].stem)
def test_sources_compile(unit: list[Path], tmp_path: Path) -> None:
    source = tmp_path / "unit.cpp"
    source.write_text("".join(f'#include "{path}"\n' for path in unit))
    (tmp_path / "converter_digest.h").write_text("")
    folders = [NATIVE, ROOT / "cpp_runtime" / "src", ROOT / "cpp_runtime" / "include", tmp_path]
    system = [numpy.get_include(), nanobind.include_dir(), HEADERS]
    done = subprocess.run(
        [
            str(COMPILER), "-std=c++20", "-fsyntax-only", "-fvisibility=hidden",
            "-DPy_LIMITED_API=0x030c0000", "-DNPY_TARGET_VERSION=NPY_1_25_API_VERSION",
            *(f"-I{f}" for f in folders), *(f"-isystem{f}" for f in system),
            str(source),
        ],
        capture_output=True,
        text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
