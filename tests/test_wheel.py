"""The wheel can be built as a unity build, contains every file of the package, and works without
the source tree.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {
    "tracer": "oarlock",
    "export": "oarlock/export",
    "loader": "oarlock/loader",
}  # of the repository -> of the wheel
BUILT = {  # what CMake adds
    "oarlock/core/_kernels",
    "oarlock/core/_tape",
    "oarlock/loader/_runtime",
}
NATIVE = ROOT / "tracer" / "native"  # C++ sources, of which the wheel holds what is built
pytestmark = pytest.mark.slow


def run_command(command: list[str | Path], folder: Path) -> str:
    """What a command prints, run in another folder than the source tree."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    found = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    run_command(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            # As users build it: a compiler cache would switch unity builds off.
            "--config-settings=cmake.define.OARLOCK_UNITY=ON",
            "--config-settings=cmake.define.OARLOCK_WERROR=ON",
            f"--config-settings=build-dir={ROOT / 'build' / 'wheel'}",
            "-w",
            folder,
            ROOT,
        ],
        folder,
    )
    (found,) = folder.glob("oarlock-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the scripts folder of an environment with the wheel and its dependencies, without the
    editable install.
    """
    folder = tmp_path_factory.mktemp("installed")
    run_command([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], folder)
    scripts = folder / "venv" / "bin"
    run_command(
        [
            sys.executable,
            "-m",
            "pip",
            "-q",
            "--python",
            scripts / "python",
            "install",
            "--no-deps",
            wheel,
        ],
        folder,
    )
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    site = Path(run_command([scripts / "python", "-c", code], folder).strip())
    for path in Path(sysconfig.get_path("purelib")).iterdir():
        if "oarlock" not in path.name and not (site / path.name).exists():
            (site / path.name).symlink_to(path)
    where = run_command(
        [scripts / "python", "-c", "import oarlock; print(oarlock.__file__)"], folder
    )
    assert Path(where.strip()).is_relative_to(site)
    return scripts


def test_wheel_contains_all_files(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("oarlock/")}
    built = {name for name in names if name.split(".")[0] in BUILT}
    assert {name.split(".")[0] for name in built if name.endswith(".so")} == BUILT
    sources = {
        f"{home}/{path.relative_to(ROOT / folder)}"
        for folder, home in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and path.suffix != ".pyc" and not path.is_relative_to(NATIVE)
    }
    assert names - built == {name for name in sources if name.split(".")[0] not in BUILT}
    assert "oarlock/__main__.py" in names


def test_every_module_can_be_imported(installed: Path, tmp_path: Path) -> None:
    code = """
import importlib, pkgutil, warnings, oarlock
failed = []
for found in pkgutil.walk_packages(oarlock.__path__, "oarlock.", onerror=failed.append):
    if found.name.rpartition(".")[2] != "__main__":
        try:
            importlib.import_module(found.name)
        except Exception as error:
            failed.append((found.name, repr(error)))
print(failed)
"""
    assert run_command([installed / "python", "-W", "error", "-c", code], tmp_path).strip() == "[]"


def test_python_dash_m(installed: Path, tmp_path: Path) -> None:
    assert run_command([installed / "python", "-m", "oarlock", "--help"], tmp_path) == run_command(
        [installed / "oarlock", "--help"], tmp_path
    )


def test_demo(installed: Path, tmp_path: Path) -> None:
    text = run_command(
        [installed / "python", "-m", "oarlock", "demo", "--output", tmp_path / "demo"], tmp_path
    )
    assert "oarlock-runner" in text
    assert (tmp_path / "demo" / "lenet.pdmodel").is_file()


def test_save_inspect_and_run(installed: Path, tmp_path: Path) -> None:
    code = """
import numpy as np, oarlock as paddle
net = paddle.nn.Linear(3, 2)
paddle.jit.save(net, "net", input_spec=[paddle.static.InputSpec([None, 3], "float32", "x")])
np.testing.assert_allclose(paddle.jit.load("net")(paddle.ones([2, 3])).numpy(), net(paddle.ones([2, 3])).numpy(), rtol=1e-6)
np.savez("in.npz", x=np.ones([2, 3], "float32"))
"""
    run_command([installed / "python", "-W", "error", "-c", code], tmp_path)
    assert "linear" in run_command([installed / "oarlock", "inspect", "net"], tmp_path)
    run_command([installed / "oarlock", "verify", "net"], tmp_path)
    run_command(
        [installed / "oarlock-runner", "run", "net", "--input", "in.npz", "--output", "out.npz"],
        tmp_path,
    )
    assert (tmp_path / "out.npz").is_file()
