"""The command lines of `oarlock` and `oarlock-runner`: version, help, errors, exit codes, JSON,
completion, progress and log.
"""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import oarlock as paddle
from oarlock.cli.demo import runner_path
from oarlock.cli.main import app

DOCS = Path(__file__).parents[2] / "docs"
OARLOCK = [sys.executable, "-m", "oarlock"]
RUNNER = [runner_path()]
PROGRAMS = pytest.mark.parametrize("program", [OARLOCK, RUNNER], ids=["oarlock", "oarlock-runner"])


def name_of(program: list[str]) -> str:
    return "oarlock" if program is OARLOCK else "oarlock-runner"


def call(
    program: list[str], *words: object, folder: Path | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*program, *map(str, words)],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200", **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the model `net`, inputs and outputs."""

    class Net(paddle.nn.Layer):
        def __init__(self) -> None:
            super().__init__()
            self.fc = paddle.nn.Linear(4, 2)

        def forward(self, x: Any) -> Any:
            y = self.fc(x)
            while y.sum() > 100:
                y = y / 2
            return y if x.shape[1] == 4 else y + 1

    made = tmp_path_factory.mktemp("command_line")
    net = Net()
    net.eval()
    batch = paddle.static.Dim("batch", 1, 8)
    spec = [paddle.static.InputSpec([batch, 4], "float32", "x")]
    paddle.jit.save(net, str(made / "net"), input_spec=spec)
    x = np.ones((2, 4), "float32")
    np.savez(made / "in.npz", x=x)
    np.savez(made / "wrong.npz", **{"out": net(paddle.to_tensor(x)).numpy() + 1})
    (made / "net.txt").write_text("not a model")
    return made


def commands() -> list[str]:
    return sorted(
        c.name or c.callback.__name__.replace("_", "-")
        for c in app.registered_commands
        if c.callback is not None
    )


# -- version and help
# ------------------------------------------------------------------------------------------


@PROGRAMS
def test_version(program: list[str]) -> None:
    done = call(program, "--version")
    assert done.stdout == f"{name_of(program)} {paddle.__version__}\n"
    assert done.returncode == 0


@pytest.mark.parametrize("command", commands())
def test_help_of_every_command_has_an_example(command: str) -> None:
    done = call(OARLOCK, command, "--help")
    assert done.returncode == 0
    assert f"oarlock {command}" in done.stdout.split("Example:", 1)[1]
    assert "<bool>" not in done.stdout


def test_help_shows_no_type_of_flags() -> None:
    done = call(OARLOCK, "--help")
    assert "--version" in done.stdout
    assert "<bool>" not in done.stdout


@pytest.mark.parametrize(
    "command", ["run", "bench", "tune", "verify", "inspect", "export", "pipeline"]
)
def test_help_of_every_command_of_the_runner(command: str) -> None:
    done = call(RUNNER, command, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"usage: oarlock-runner {command} ")
    assert f"Example: oarlock-runner {command} " in done.stdout
    assert ("--profile-ops" in done.stdout) == (command == "bench")
    assert f"  {command} " in call(RUNNER, "--help").stdout


# -- errors and exit codes
# ------------------------------------------------------------------------------------------


@PROGRAMS
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["inspekt", "net"], " no command inspekt, did you mean inspect? (see"),
        (["dance", "net"], " no command dance (see"),
        (["inspect", "--jsno", "net"], " no option --jsno, did you mean --json? (see"),
        (["inspect", "net", "--qqqqqq"], " no option --qqqqqq (see"),
        (["inspect"], " missing argument 'MODEL' (see"),
        (["bench", "net", "--shape", "x"], " --shape requires NAME=1,3,224,224, not 'x' (see"),
        (["bench", "net", "--memory", "tiny"], "steady"),
    ],
    ids=lambda v: "_".join(v) if isinstance(v, list) else "",
)
def test_invalid_command_lines(
    program: list[str], words: list[str], message: str, folder: Path
) -> None:
    done = call(program, *words, folder=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith(name_of(program))
    assert message in done.stderr
    assert done.stderr.endswith("--help)\n")


@PROGRAMS
@pytest.mark.parametrize(
    ("model", "suggestion"),
    [("nett", ", did you mean net?"), ("netz.json", ", did you mean net?"), ("qqqqqq", "")],
)
@pytest.mark.parametrize("command", ["inspect", "bench"])
def test_misspelled_models(
    program: list[str], command: str, model: str, suggestion: str, folder: Path
) -> None:
    done = call(program, command, model, folder=folder)
    prefix = model.removesuffix(".json")
    expected = (
        f"{prefix}: there is neither {prefix}.pdmodel nor {prefix}.json nor a folder of that name"
    )
    assert done.stderr == f"{name_of(program)}: {expected}{suggestion}\n"
    assert done.returncode == 1


@PROGRAMS
def test_misspelled_models_of_other_folders(program: list[str], folder: Path) -> None:
    done = call(program, "inspect", folder / "nte")
    assert f", did you mean {folder}/net?\n" in done.stderr


@pytest.mark.parametrize(
    ("program", "words", "code"),
    [
        (OARLOCK, ["verify", "net"], 0),
        (RUNNER, ["inspect", "net"], 0),
        (RUNNER, ["verify", "net", "-i", "in.npz", "--expect", "wrong.npz"], 1),
        (OARLOCK, ["explain", "broken.py:f", "--input", "x:float32[2]"], 1),
        (OARLOCK, ["run", "net", "-i", "missing.npz", "-o", "out.npz"], 1),
        (RUNNER, ["run", "net", "-i", "missing.npz", "-o", "out.npz"], 1),
        (OARLOCK, ["run", "net"], 2),
        (RUNNER, ["run", "net"], 2),
        (OARLOCK, [], 2),
        (RUNNER, [], 2),
        (OARLOCK, ["quantize", "net", "--data", "in.npz"], 3),
    ],
)
def test_exit_codes(program: list[str], words: list[str], code: int, folder: Path) -> None:
    (folder / "broken.py").write_text("def f(x):\n    return x.numpy().sum() + open('no').read()\n")
    done = call(program, *words, folder=folder)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr


def test_documented_exit_codes_are_those_of_the_program() -> None:
    text = (DOCS / "commands.md").read_text()
    documented = {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)}
    assert documented == {0, 1, 2, 3, 130, 141, 143}


@PROGRAMS
@pytest.mark.parametrize("words", ["inspect net", "--version", "--help", "inspect --help"])
def test_closed_pipe_is_no_error(program: list[str], words: str, folder: Path) -> None:
    command = f"set -o pipefail; (sleep 0.2; exec {shlex.join(program)} {words}) | true"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert done.returncode == 141


@PROGRAMS
@pytest.mark.parametrize("words", ["inspect net", "--version", "--help"])
def test_full_disk_is_reported(program: list[str], words: str, folder: Path) -> None:
    command = f"{shlex.join(program)} {words} > /dev/full"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


@pytest.mark.parametrize("columns", ["", "0", "1", "40"])
def test_tables_are_complete_at_any_width(
    columns: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if columns:
        monkeypatch.setenv("COLUMNS", columns)
    else:
        monkeypatch.delenv("COLUMNS", raising=False)
    text = call(OARLOCK, "inspect", "net", folder=folder).stdout
    assert "linear_" in text.replace("\n", "")
    assert "\N{HORIZONTAL ELLIPSIS}" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["inspect", ""], "the path of a model is empty"),
        (["inspect", "."], ".: the folder holds neither"),
        (["inspect", "net.json"], "net.json: there is no file net.json, did you mean net.pdmodel?"),
        (["view", "net", "-o", "/proc/x.html"], "/proc: "),
    ],
)
def test_errors_name_what_the_user_gave(words: list[str], message: str, folder: Path) -> None:
    done = call(OARLOCK, *words, folder=folder)
    assert done.returncode == 1
    assert done.stderr.startswith(f"oarlock: {message}")


@pytest.mark.parametrize(
    "words",
    [
        ["inspect", "net.onnx", "--program"],
        ["view", "net", "--profile", "--input", "in.npz", "--shape", "x=1,4"],
        ["bench", "net", "--threads", "-1"],
    ],
)
def test_options_without_effect_are_errors(words: list[str], folder: Path) -> None:
    assert call(OARLOCK, *words, folder=folder).returncode == 2


# -- inspect --json
# ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    content = json.loads((DOCS / "inspect.schema.json").read_text())
    Draft202012Validator.check_schema(content)
    return Draft202012Validator(content)


def inspected(program: list[str], folder: Path, *options: str) -> Any:
    done = call(program, "inspect", "net", "--json", *options, folder=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_both_programs_describe_a_model_with_the_same_names(
    folder: Path, schema: Draft202012Validator
) -> None:
    python, runner = inspected(OARLOCK, folder), inspected(RUNNER, folder)
    schema.validate(python)
    schema.validate(runner)
    assert runner.keys() <= python.keys()
    only = {"path", "offset", "layer_name", "nodes"}  # of one of the programs

    def common(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: common(v) for k, v in value.items() if k not in only}
        return [common(v) for v in value] if isinstance(value, list) else value

    for key in runner:
        assert common(python[key]) == common(runner[key]), key
    assert python["parameters"][0]["layer_name"] == "fc.bias"
    assert python["inputs"][0]["dims"][0]["max"] == 8


def test_all_adds_the_program(folder: Path, schema: Draft202012Validator) -> None:
    content = inspected(OARLOCK, folder, "--all")
    schema.validate(content)
    ops = [op for block in content["blocks"] for op in block["ops"]]
    assert len(content["blocks"]) == 2  # the body of the loop
    loop = next(op for op in ops if op["type"] == "while")
    assert loop["attributes"]["sub_block"] == {"type": "BLOCK", "value": 1}
    assert "test_command_line.py:" in loop["source"]
    matmul = next(op for op in ops if op["type"] == "matmul_v2")
    assert matmul["layer"] == "/fc/"
    assert matmul["inputs"]["X"] == ["x"]
    counts = {name: sum(op["type"] == name for op in ops) for name in content["ops"]}
    assert counts == content["ops"]


def test_all_prints_every_parameter_and_op(tmp_path: Path) -> None:
    layers = [paddle.nn.Linear(2, 2) for _ in range(25)]
    net = paddle.nn.Sequential(*layers)
    spec = [paddle.static.InputSpec([1, 2], "float32", "x")]
    paddle.jit.save(net, str(tmp_path / "net"), input_spec=spec)
    short = call(OARLOCK, "inspect", "net", folder=tmp_path).stdout
    everything = call(OARLOCK, "inspect", "net", "--all", folder=tmp_path).stdout
    assert " 9.weight" not in short
    assert " 9.weight" in everything
    assert "matmul_v2(X=x" in everything


def test_non_finite_attributes_are_text(tmp_path: Path, schema: Draft202012Validator) -> None:
    class Net(paddle.nn.Layer):
        def forward(self, x: Any) -> Any:
            return x.clip(min=float("-inf"), max=3.0)

    spec = [paddle.static.InputSpec([2], "float32", "x")]
    with pytest.warns(UserWarning, match="no parameters"):
        paddle.jit.save(Net(), str(tmp_path / "net"), input_spec=spec)
    content = inspected(OARLOCK, tmp_path, "--all")
    schema.validate(content)
    (clip,) = (op for op in content["blocks"][0]["ops"] if op["type"] == "clip")
    assert clip["attributes"]["min"] == {"type": "FLOAT", "value": "-inf"}


def test_exported_files_as_json(folder: Path) -> None:
    assert call(OARLOCK, "export", "net", "-o", "net.onnx", folder=folder).returncode == 0
    done = call(OARLOCK, "inspect", "net.onnx", "--json", folder=folder)
    content = json.loads(done.stdout)
    assert content["inputs"] == [{"name": "x", "dtype": "float32", "shape": ["batch", 4]}]
    assert content["ops"]["Loop"] == 1


# -- completion
# ------------------------------------------------------------------------------------------


def completions(line: str, folder: Path) -> list[str]:
    words = line.split(" ")
    done = call(
        OARLOCK,
        folder=folder,
        _OARLOCK_COMPLETE="complete_bash",
        COMP_WORDS=line,
        COMP_CWORD=str(len(words) - 1),
    )
    return done.stdout.split()


@pytest.mark.slow
def test_completion_of_commands_options_and_values(folder: Path) -> None:
    assert completions("oarlock ins", folder) == ["inspect"]
    assert set(commands()) <= set(completions("oarlock ", folder))
    assert completions("oarlock inspect net --js", folder) == ["--json"]
    assert completions("oarlock export net --to pad", folder) == ["paddle2", "paddle3"]
    assert completions("oarlock bench net --memory ", folder) == ["steady", "changing", "smallest"]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_loads_the_completion_script(folder: Path) -> None:
    """The script that `--show-completion` prints defines the completion of `oarlock`."""
    made = call(OARLOCK, folder=folder, _OARLOCK_COMPLETE="source_bash").stdout
    program = Path(sys.executable).parent / "oarlock"
    script = f"""{made}
    COMP_WORDS=(oarlock insp); COMP_CWORD=1
    _oarlock_completion {program}
    printf '%s\\n' "${{COMPREPLY[@]}}"
    complete -p oarlock
    """
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[0] == "inspect"
    assert "-F _oarlock_completion oarlock" in done.stdout


# -- progress
# ------------------------------------------------------------------------------------------


def stderr_on_terminal(program: list[str], *words: str, folder: Path) -> str:
    """Standard error of a program whose standard error is a terminal."""
    main, terminal = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200"}
    process = subprocess.Popen(
        [*program, *words], cwd=folder, stdout=subprocess.PIPE, stderr=terminal, env=environment
    )
    os.close(terminal)
    text = b""
    try:
        while part := os.read(main, 4096):
            text += part
    except OSError:  # Linux reports EIO when the last writer has closed the terminal
        pass
    os.close(main)
    process.communicate()
    assert process.returncode in (0, 3)
    return text.decode()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "words", "step"),
    [
        (OARLOCK, ["verify", "net"], "comparing engine and interpreter, run "),
        (OARLOCK, ["export", "net", "-o", "shown.onnx", "--inline"], "writing and checking shown"),
        (OARLOCK, ["quantize", "net", "--data", "in.npz"], "\x1b[2K"),
        (RUNNER, ["tune", "net"], "tune: measuring threads (1 of "),
    ],
    ids=["verify", "export", "quantize", "tune"],
)
def test_progress_is_shown_on_terminals_only(
    program: list[str], words: list[str], step: str, folder: Path
) -> None:
    shown = stderr_on_terminal(program, *words, folder=folder)
    assert step in re.sub(r"\x1b\[[\d;]*m", "", shown)  # without colors
    assert stderr_on_terminal(program, *words, "--quiet", folder=folder) == ""
    assert call(program, *words, folder=folder).stderr == ""
    (folder / "net.oarlock.tune.json").unlink(missing_ok=True)


# -- log
# ------------------------------------------------------------------------------------------


@PROGRAMS
@pytest.mark.parametrize("level", ["info", "debug", "verbose"])
def test_log_as_text(program: list[str], level: str, folder: Path) -> None:
    words = ["run", "net", "-i", "in.npz", "-o", "out.npz"]
    done = call(program, *words, folder=folder, OARLOCK_LOG=level)
    assert done.returncode == 0
    lines = done.stderr.splitlines()
    assert "[info] oarlock: net.pdmodel: converts the program to ONNX" in lines
    assert call(program, *words, folder=folder).stderr == ""


@PROGRAMS
@pytest.mark.parametrize("setting", ["json", "info,json", "json,info"])
def test_log_as_json(program: list[str], setting: str, folder: Path) -> None:
    words = ["run", "net", "-i", "in.npz", "-o", "out.npz"]
    done = call(program, *words, folder=folder, OARLOCK_LOG=setting)
    entries = [json.loads(line) for line in done.stderr.splitlines()]
    (entry,) = (e for e in entries if e["message"].endswith("converts the program to ONNX"))
    assert (entry["level"], entry["source"]) == ("info", "oarlock")
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", entry["time"])


SAVE = """
import oarlock as paddle
spec = [paddle.static.InputSpec([2, 4], "float32", "x")]
paddle.jit.save(paddle.nn.Linear(4, 2), "m", input_spec=spec)
"""


def test_log_of_a_script(tmp_path: Path) -> None:
    python = [sys.executable, "-c", SAVE]
    lines = call(python, folder=tmp_path, OARLOCK_LOG="info").stderr.splitlines()
    (line,) = (text for text in lines if text.startswith("[info] oarlock.jit: "))
    assert "m.pdmodel: saved; at x[2, 4]: largest difference" in line
    done = call(python, folder=tmp_path, OARLOCK_LOG="error,json")
    assert (done.returncode, done.stderr) == (0, "")


def test_log_is_that_of_the_standard_library(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    spec = [paddle.static.InputSpec([2, 4], "float32", "x")]
    with caplog.at_level("INFO", "oarlock"):
        paddle.jit.save(paddle.nn.Linear(4, 2), str(tmp_path / "m"), input_spec=spec)
    assert [r.name for r in caplog.records] == ["oarlock.jit"]


def test_logging_is_not_imported_without_the_variable() -> None:
    code = "import sys, oarlock; sys.exit('logging' in sys.modules)"
    environment = {k: v for k, v in os.environ.items() if k != "OARLOCK_LOG"}
    assert (
        subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
    )


@PROGRAMS
@pytest.mark.parametrize("setting", ["loud", "info,error", "info,xml"])
def test_invalid_log_setting_is_reported(program: list[str], setting: str, folder: Path) -> None:
    words = ["run", "net", "-i", "in.npz", "-o", "out.npz"]
    done = call(program, *words, folder=folder, OARLOCK_LOG=setting)
    assert done.returncode == 0
    assert f"oarlock: OARLOCK_LOG={setting} is not one of verbose, debug, info" in done.stderr
