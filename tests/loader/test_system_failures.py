"""Failures around a model (libraries, memory, changing files, Ctrl-C): one error, never a crash."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import oarlock as paddle
from oarlock import jit
from oarlock.core.errors import FileError, GuardError
from oarlock.loader.engine import Engine
from oarlock.loader.regular_files import _NonBlockingFile
from oarlock.loader.runtime import EngineError

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests/fixtures"
WAIT = 120  # seconds until a child counts as hung


def run_child(*words: str, **variables: str) -> list[str]:
    """Return the output of a child process that must succeed."""
    command = [sys.executable, "-m", "tests.loader.system_failures", *words]
    env = {**os.environ, **variables}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, cwd=ROOT, env=env, timeout=WAIT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


# -- Ctrl-C
# ------------------------------------------------------------------------------


def test_ctrl_c_stops_a_run() -> None:
    assert run_child("ctrl_c") == ["interrupted", "[0.0, 2.0]"]


def test_stop_from_another_thread() -> None:
    assert run_child("stop") == ["EngineError run: stopped"] * 2


def test_ctrl_c_with_chained_handlers(tmp_path: Path) -> None:
    library = tmp_path / "handlers.so"
    subprocess.run(
        ["cc", "-fPIC", "-shared", ROOT / "tests/loader/signal_handlers.c", "-o", library],
        check=True,
    )
    assert run_child("chained_handlers", str(library)) == ["interrupted 1 1"]


def test_ctrl_c_in_other_threads() -> None:
    assert run_child("other_threads") == ["True"]


# -- decimal comma
# ------------------------------------------------------------------------------------------------


class LayerWithGuard(paddle.nn.Layer):
    """Reads a value in Python, which becomes a guard, and has constants that are stored as text."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = self.create_parameter([2])

    def forward(self, x: Any) -> Any:
        scale = float(x.mean())
        return paddle.full([2], 0.5) * x * scale * self.weight + paddle.isclose(
            x, x, rtol=1.5e-3
        ).astype("float32")


@pytest.fixture
def comma_locale(tmp_path: Path) -> dict[str, str]:
    """The environment of a user whose locale writes 1.5 as 1,5."""
    if shutil.which("localedef") is None:
        pytest.skip("localedef makes the locale")
    made = subprocess.run(
        ["localedef", "-i", "de_DE", "-f", "UTF-8", tmp_path / "de_DE.UTF-8"],
        capture_output=True,
        check=False,
    )
    if made.returncode > 1:  # 1: with warnings
        pytest.skip("the sources of locales are not installed")
    return {"LOCPATH": str(tmp_path), "LC_ALL": "de_DE.UTF-8"}


def test_locale_with_decimal_comma(tmp_path: Path, comma_locale: dict[str, str]) -> None:
    x = paddle.full([2], 1.25)
    _, traced = jit.TracedLayer.trace(LayerWithGuard(), x)
    traced.save_inference_model(tmp_path / "m")
    cache = {"OARLOCK_CACHE_DIR": str(tmp_path / "cache")}
    expected = str(traced(x)[0].tolist())
    for _ in range(2):  # lowered, then from the cache
        point, first, error, last = run_child("comma", str(tmp_path / "m"), **comma_locale, **cache)
        assert point == "1,5"
        assert first == last == expected
        assert "is 1.5" in error
        assert "assumed 1.25" in error


# -- guards of failed runs
# ----------------------------------------------------------------------------------------


class CountPositives(paddle.nn.Layer):
    """Python reads how many inputs are positive, and the op after that relies on the number."""

    def forward(self, x: Any) -> Any:
        found = paddle.nonzero(x > 0)
        count = found.shape[0]
        return found.reshape([count // 2, 2])


@pytest.mark.parametrize("locate", [True, False])
def test_violated_guard_is_reported_with_the_failure(tmp_path: Path, locate: bool) -> None:
    _, traced = jit.TracedLayer.trace(
        CountPositives(), paddle.to_tensor([1.0, -1.0, 2.0, 3.0, 4.0])
    )
    with pytest.warns(UserWarning, match="no parameters"):
        traced.save_inference_model(tmp_path / "m")
    engine = Engine((tmp_path / "m.pdmodel").read_bytes(), None, locate_guards=locate)
    for _ in range(2):
        with pytest.raises(
            GuardError if locate else EngineError, match="assumed 4" if locate else "reshape2"
        ):
            engine.run([np.ones(5, "f")])
    assert engine.run([np.array([1, 2, -1, 3, 4], "f")])[0].tolist() == [[0, 1], [3, 4]]


# -- memory
# ------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", ["steady", "smallest"])
def test_run_out_of_memory(preset: str) -> None:
    first, second, last = run_child("small_memory", preset)
    assert first.startswith("EngineError engine: out of memory: ")
    assert second == first
    assert last == "[0.0, 2.0]"


def test_weights_larger_than_memory(tmp_path: Path) -> None:
    weights = copy_fixture("mlp", tmp_path).with_suffix(".pdiparams")
    os.truncate(weights, 100 << 30)
    (line,) = run_child("large_weights", str(weights))
    assert line == f"FileError mlp.pdiparams: cannot be mapped: Cannot allocate memory ({weights})"


# -- weights that change while they are mapped
# ----------------------------------------------------------------------


def copy_fixture(name: str, folder: Path) -> Path:
    """Copy a fixture to a folder; returns its prefix."""
    for suffix in (".pdmodel", ".pdiparams"):
        shutil.copy(FIXTURES / (name + suffix), folder)
    return folder / name


class Mlp:
    """An engine of the fixture, and a check that its results are unchanged."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.weights = copy_fixture("mlp", folder).with_suffix(".pdiparams")
        self.engine = Engine(
            self.weights.with_suffix(".pdmodel").read_bytes(), str(self.weights), **options
        )
        self.x = np.arange(8, dtype="f").reshape(2, 4)
        self.first = self.engine.run([self.x])
        time.sleep(0.001)  # the file is not looked at again for a tenth of that

    def still_agrees(self) -> bool:
        return all(
            np.array_equal(a, b) for a, b in zip(self.engine.run([self.x]), self.first, strict=True)
        )


def test_weights_replaced_by_rename(tmp_path: Path) -> None:
    mlp = Mlp(tmp_path)
    other = tmp_path / "other"
    other.write_bytes(b"something else")
    other.rename(mlp.weights)
    assert mlp.still_agrees()
    mlp.weights.unlink()
    assert mlp.still_agrees()


@pytest.mark.parametrize("left", [0, 100])
def test_truncated_weights(left: int, tmp_path: Path) -> None:
    mlp = Mlp(tmp_path)
    os.truncate(mlp.weights, left)
    with pytest.raises(
        FileError, match=r"mlp.pdiparams: was overwritten while it was in use; .* copy_weights"
    ):
        mlp.engine.run([mlp.x])


def test_overwritten_weights(tmp_path: Path) -> None:
    mlp = Mlp(tmp_path)
    os.utime(mlp.weights, ns=(0, 0))  # a clock that is too coarse must not hide the change
    mlp.weights.write_bytes(mlp.weights.read_bytes()[::-1])
    with pytest.raises(FileError, match="was overwritten while it was in use"):
        mlp.engine.run([mlp.x])


def test_copied_weights_may_change(tmp_path: Path) -> None:
    mlp = Mlp(tmp_path, copy_weights=True)
    os.truncate(mlp.weights, 0)
    assert mlp.still_agrees()


# -- libraries
# ------------------------------------------------------------------------------

LIBRARIES = {
    "no-engine": ("int answer(void) { return 42; }", "OrtGetApiBase"),
    "no-base": ("void* OrtGetApiBase(void) { return 0; }", "the library returns no API"),
    "no-version": (
        "static const char* version(void) { return 0; }\nstatic void* base[] = {0, (void*)version};\n"
        "void* OrtGetApiBase(void) { return base; }",
        "the library returns no API",
    ),
    "no-table": (
        'static void* table(unsigned v) { return 0; }\nstatic const char* version(void) { return "1.20.0"; }\n'
        "static void* base[] = {(void*)table, (void*)version};\nvoid* OrtGetApiBase(void) { return base; }",
        "ONNX Runtime 1.20.0 has no API of the required version",
    ),
    "ancient": (
        'static const char* version(void) { return "1.4.0"; }\nstatic void* base[] = {0, (void*)version};\n'
        "void* OrtGetApiBase(void) { return base; }",
        "ONNX Runtime 1.4.0 does not work, it must be 1.18 or a later 1.x",
    ),
    "another-major": (
        'static const char* version(void) { return "2.0.0"; }\nstatic void* base[] = {0, (void*)version};\n'
        "void* OrtGetApiBase(void) { return base; }",
        "ONNX Runtime 2.0.0 does not work",
    ),
    # As a library that ran out of memory: the cause is in the first error only.
    "another-error-later": (
        'static int calls;\nstatic const char* version(void) { return calls++ ? "2.0.0" : "1.4.0"; }\n'
        "static void* base[] = {0, (void*)version};\nvoid* OrtGetApiBase(void) { return base; }",
        "ONNX Runtime 1.4.0 does not work",
    ),
}


@pytest.mark.parametrize("name", LIBRARIES)
def test_library_without_engine(name: str, tmp_path: Path) -> None:
    source, why = LIBRARIES[name]
    (tmp_path / "fake.c").write_text(source)
    library = tmp_path / "libfake.so"
    compiler = os.environ.get("CC", "cc")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "fake.c"], check=True)
    assert_rejected(library, why)
    assert_rejected(library, why)


def test_invalid_library(tmp_path: Path) -> None:
    text, empty = tmp_path / "text.so", tmp_path / "empty.so"
    text.write_text("this is a text\n" * 100)
    empty.touch()
    assert_rejected(text, "invalid ELF header")
    assert_rejected(empty, "file too short")
    assert_rejected(tmp_path, "annot read file data")
    assert_rejected(tmp_path / "missing.so", "cannot open shared object file")


def assert_rejected(library: Path, why: str) -> None:
    with pytest.raises(EngineError) as caught:
        Engine(
            (FIXTURES / "mlp.pdmodel").read_bytes(),
            str(FIXTURES / "mlp.pdiparams"),
            ort_library=str(library),
        )
    assert why in str(caught.value)
    assert str(library) in str(caught.value)


# -- files
# ------------------------------------------------------------------------------


def test_weights_must_be_a_regular_file(tmp_path: Path) -> None:
    data = (FIXTURES / "mlp.pdmodel").read_bytes()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    for name, why in {
        ".": "is not a regular file",
        "pipe": "is not a regular file",
        "circle": "Too many levels of symbolic links",
        "missing": "No such file or directory",
        "m" * 300: "File name too long",
    }.items():
        with pytest.raises(FileError, match=why):
            Engine(data, str(tmp_path / name))


@pytest.mark.parametrize("name", ["a\nb", "Gewicht é", "-x", "a b", "%s%n", "{}"])
def test_unusual_file_names(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert Mlp(folder).still_agrees()


NO_FILES = {
    "pipe": (lambda path: os.mkfifo(path), "is not a regular file"),
    "folder": (lambda path: path.mkdir(), "is not a regular file"),
    "device": (lambda path: path.symlink_to("/dev/zero"), "is not a regular file"),
    "terabyte": (
        lambda path: (path.touch(), os.truncate(path, 1 << 40)),
        "1099511627776 bytes, more than the",
    ),
}


@pytest.mark.parametrize("size", [-1, 10])
def test_blocking_file_is_rejected(size: int) -> None:
    """Some files in /proc claim to be regular."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with (
        io.BufferedReader(_NonBlockingFile(reader, "rb")) as file,
        pytest.raises(FileError, match="is not a regular file"),
    ):
        file.read(size)
    os.close(writer)


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("suffix", [".pdmodel", ".pdiparams", ".pdiparams.info"])
def test_model_of_special_files(suffix: str, kind: str, tmp_path: Path) -> None:
    if (suffix, kind) == (".pdiparams", "terabyte"):
        pytest.skip("it is mapped, and found to be too long")
    prefix = copy_fixture("mlp", tmp_path)
    Path(f"{prefix}{suffix}").unlink(missing_ok=True)
    make, why = NO_FILES[kind]
    make(Path(f"{prefix}{suffix}"))
    with pytest.raises(FileError, match=f"mlp{suffix}: {why}"):
        jit.load(str(prefix))


def test_daemon_thread_does_not_abort_the_exit() -> None:
    """Python unwinds the stack of such a thread, where frames of C++ may not throw."""
    code = (
        "import threading, time, numpy as np, oarlock as paddle\n"
        "x = paddle.to_tensor(np.ones((1500, 1500), 'float32'))\n"
        "def work():\n"
        "    while True: paddle.matmul(x, x)\n"
        "threading.Thread(target=work, daemon=True).start()\n"
        "time.sleep(0.5)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
