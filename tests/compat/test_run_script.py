"""`oarlock run-script train.py` behaves like `python train.py`, with Oarlock imported as `paddle`."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

RUN = [sys.executable, "-c", "from oarlock.cli.main import app; app()", "run-script"]


def run_command(
    command: list[str], folder: Path, **variables: str
) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"} | variables
    return subprocess.run(
        command,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def write(folder: Path, text: str, name: str = "train.py") -> None:
    (folder / name).write_text(text)


def test_arguments_main_module_and_version(tmp_path: Path) -> None:
    write(
        tmp_path,
        "import sys, paddle.fluid, paddle\nprint(sys.argv, __name__, __file__, sys.path[0], paddle.__version__)",
    )
    done = run_command([*RUN, "train.py", "--lr", "0.1", "-m", "--help"], tmp_path)
    assert done.stderr == ""
    assert (
        done.stdout
        == f"{['train.py', '--lr', '0.1', '-m', '--help']} __main__ {tmp_path / 'train.py'} {tmp_path} 1.8.5\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "1/0",
        "import sys\nsys.exit(7)",
        "raise SystemExit('gone')",
        "def f(:",
        "import os, signal\nos.kill(os.getpid(), 15)",
    ],
)
def test_exit_equals_python(tmp_path: Path, text: str) -> None:
    write(tmp_path, text)
    ours, theirs = (
        run_command([*RUN, "train.py"], tmp_path),
        run_command([sys.executable, "train.py"], tmp_path),
    )
    assert (ours.returncode, ours.stdout, ours.stderr) == (
        theirs.returncode,
        theirs.stdout,
        theirs.stderr,
    )
    assert theirs.returncode != 0


def test_run_module(tmp_path: Path) -> None:
    write(tmp_path, "import sys, paddle\nprint(sys.argv[1:], paddle.__name__)", "part.py")
    assert run_command([*RUN, "-m", "part", "x"], tmp_path).stdout == "['x'] oarlock\n"


@pytest.mark.slow
def test_version_option_and_variable(tmp_path: Path) -> None:
    write(tmp_path, "import paddle\nprint(paddle.__version__)")
    assert run_command([*RUN, "--api", "2.4", "train.py"], tmp_path).stdout == "2.4.2\n"
    assert run_command([*RUN, "train.py"], tmp_path, OARLOCK_PADDLE_API="2.0.1").stdout == "2.0.1\n"


CHILDREN = """
import multiprocessing, os, subprocess, sys
import paddle.fluid, paddle
def tell(queue):
    import paddle
    queue.put(paddle.__name__ + paddle.__version__)
if __name__ == "__main__":
    for kind in ("spawn", "forkserver"):
        context = multiprocessing.get_context(kind)
        queue = context.Queue()
        process = context.Process(target=tell, args=(queue,))
        process.start()
        print(queue.get())
        process.join()
    subprocess.run([sys.executable, "-c", "import paddle.nn; print(paddle.__name__ + paddle.__version__)"])
    subprocess.run([sys.executable, "-m", "part"])
    os.system(sys.executable + " part.py")
"""


@pytest.mark.slow
def test_child_processes_import_oarlock(tmp_path: Path) -> None:
    write(tmp_path, CHILDREN)
    write(tmp_path, "import paddle; print(paddle.__name__ + paddle.__version__)", "part.py")
    done = run_command([*RUN, "train.py"], tmp_path)
    assert done.stdout.split() == ["oarlock1.8.5"] * 5, done.stderr


@pytest.mark.slow
def test_user_sitecustomize_runs(tmp_path: Path) -> None:
    write(tmp_path, "print('mine')", "sitecustomize.py")
    write(tmp_path, "import paddle; print(paddle.__name__)")
    assert run_command([*RUN, "train.py"], tmp_path, PYTHONPATH=str(tmp_path)).stdout.split() == [
        "mine",
        "mine",
        "oarlock",
    ]


def test_missing_script_is_reported(tmp_path: Path) -> None:
    done = run_command(RUN, tmp_path)
    assert done.returncode == 2 and "no script; give a path" in done.stderr


def test_variables_print_as_in_paddle_1_8(tmp_path: Path) -> None:
    write(
        tmp_path,
        "import paddle.fluid as fluid\nprint(fluid.layers.data(name='x', shape=[13], dtype='float32'))",
    )
    done = run_command([*RUN, "train.py"], tmp_path)
    assert done.stdout.startswith('name: "x"'), done.stdout + done.stderr
