"""Build the wheel for 64-bit ARM Linux, and run Python tests with it in QEMU."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLATFORMS = [f"manylinux_{glibc}_aarch64" for glibc in ("2_17", "2_27", "2_28")]
# Debian's Python with the libraries that its standard library opens.
DEBIAN_PACKAGES = (
    "python3.11-minimal libpython3.11-minimal libpython3.11-stdlib libpython3.11-dev libexpat1 "
    "zlib1g libffi8 libssl3 libbz2-1.0 liblzma5 libuuid1"
).split()
PYTHON_PACKAGES = (
    "numpy protobuf ml_dtypes threadpoolctl six typer rich onnx pytest hypothesis scipy nanobind"
).split()
DEFAULT_TESTS = ["core", "ops", "loader", "export", "nn", "static"]
TIMEOUT = 3600  # seconds per folder of tests
SKIPPED_TESTS = [
    # they start Python or the runner, which QEMU cannot start, or map 64 GiB
    "tests/export/test_pdmodel.py::test_bytes_are_independent_of_the_process",
    "tests/export/test_save.py::test_backups_are_kept_until_their_files_are_saved_again",
    "tests/export/test_save.py::test_next_save_removes_abandoned_staging_folders",
    "tests/export/test_save.py::test_staging_folder_of_running_save_is_kept",
    "tests/loader/test_options.py::test_runner_help_lists_every_option",
    "tests/loader/test_params.py::test_large_weights_are_not_read_when_opened",
    "tests/ops/test_native.py::test_environment_variable_disables_compiled_kernels",
    # ONNX Runtime's softmax of a row of infinities is not NaN on ARM
    "tests/loader/test_pir.py::test_engine_returns_what_paddle_computed[pir_types]",
    "tests/loader/test_pir.py::test_engine_returns_what_paddle_computed[pir_v1_types]",
    "tests/loader/test_pir.py::test_predictor[pir_types]",
    "tests/loader/test_pir.py::test_predictor[pir_v1_types]",
    "tests/ops/test_lowered.py::test_engine_equals_kernel[softmax-6-known]",
    "tests/ops/test_lowered.py::test_engine_equals_kernel[softmax-6-open]",
]


def build_and_test(root: Path, system: Path, tests: list[str]) -> list[str]:
    """Build the wheel, install it in `root`, and run tests; return the folders that failed.

    system: the folder of the cross compiler's libraries.
    """
    if not (root / "usr").exists():
        install_python(root, system)
    python = write_launcher(root)
    install_packages(root / "packages")
    wheel = build_wheel(root, python)
    target = root / "oarlock"
    shutil.rmtree(target, ignore_errors=True)
    pip_install(target, ["--no-deps", "--platform", "linux_aarch64"], [str(wheel)])
    subprocess.run([python, "-m", "oarlock", "doctor"], cwd=root, check=True)
    folders = tests or [str(ROOT / "tests" / name) for name in DEFAULT_TESTS]
    return [folder for folder in folders if not passes(python, folder)]


def install_python(root: Path, system: Path) -> None:
    """Download Debian's packages for arm64 with a package list of its own, and unpack them."""
    apt = root / "apt"
    for folder in ("lists/partial", "archives/partial", "packages"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    options = {
        "APT::Architecture": "arm64",
        "APT::Architectures": "arm64",
        "Dir::State": apt,
        "Dir::State::status": apt / "status",
        "Dir::Cache": apt,
    }
    command = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    subprocess.run([*command, "update"], check=True)
    packages = apt / "packages"
    subprocess.run([*command, "download", *DEBIAN_PACKAGES], cwd=packages, check=True)
    for package in sorted(packages.glob("*.deb")):
        subprocess.run(["dpkg", "-x", package, root], check=True)
    shutil.copytree(system / "lib", root / "lib", symlinks=True, dirs_exist_ok=True)


def write_launcher(root: Path) -> Path:
    """Write a program that runs Debian's Python in QEMU, and return its path."""
    libraries = ":".join(str(root / name) for name in ("lib/aarch64-linux-gnu", "lib"))
    libraries += f":{root}/usr/lib/aarch64-linux-gnu"
    launcher = root / "python"
    launcher.write_text(
        "#!/bin/sh\n"
        f"exec qemu-aarch64 -L {root} -E LD_LIBRARY_PATH={libraries} -E PYTHONHOME={root}/usr "
        f'-E PYTHONPATH="{root}/oarlock:{root}/packages" {root}/usr/bin/python3.11 "$@"\n'
    )
    launcher.chmod(0o755)
    return launcher


def install_packages(target: Path) -> None:
    if not target.exists():
        platforms = [word for name in PLATFORMS for word in ("--platform", name)]
        engine = f"onnxruntime=={version('onnxruntime')}"
        pip_install(target, platforms, [engine, *PYTHON_PACKAGES])


def pip_install(target: Path, options: list[str], packages: list[str]) -> None:
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target)]
    command += ["--python-version", "3.11", "--only-binary=:all:", *options, *packages]
    subprocess.run(command, check=True)


def build_wheel(root: Path, python: Path) -> Path:
    """Cross-compile the wheel, and return its path."""
    suffix = ".cpython-311-aarch64-linux-gnu.so"
    environment = dict(
        os.environ, _PYTHON_HOST_PLATFORM="linux-aarch64", SETUPTOOLS_EXT_SUFFIX=suffix
    )
    definitions = {
        "CMAKE_TOOLCHAIN_FILE": ROOT / "cpp_runtime" / "cmake" / "aarch64-linux-gnu.cmake",
        "CMAKE_CXX_FLAGS": f"-isystem {root}/usr/include",
        "Python_INCLUDE_DIR": root / "usr" / "include" / "python3.11",
        "OARLOCK_TARGET_PYTHON": python,
    }
    wheels = root / "wheel"
    shutil.rmtree(wheels, ignore_errors=True)
    command = [sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps"]
    command += ["--wheel-dir", str(wheels), f"-Cbuild-dir={root / 'build'}"]
    command += [f"-Ccmake.define.{name}={value}" for name, value in definitions.items()]
    subprocess.run([*command, str(ROOT)], env=environment, check=True)
    (wheel,) = wheels.glob("*_aarch64.whl")
    return wheel


def passes(python: Path, folder: str) -> bool:
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", folder]
    command += ["-m", "not slow and not paddle"]
    # in QEMU, NumPy's linear algebra warns of divisions by zero that it does not do
    command += ["-W", "ignore::RuntimeWarning"]
    command += [f"--deselect={test}" for test in SKIPPED_TESTS]
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", OARLOCK_FUZZ_SECONDS="1")
    try:
        done = subprocess.run(command, cwd=ROOT, env=environment, check=False, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        print(f"{folder}: no result after {TIMEOUT} s")
        return False
    return done.returncode == 0
