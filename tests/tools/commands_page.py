"""Write docs/commands.md from the commands of the package and the help of `oarlock-runner`.

python -m tests.tools.commands_page
"""

from __future__ import annotations

import argparse
import inspect
import re
import subprocess
import sys
import textwrap
import types
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from oarlock.cli.main import app
from oarlock.distributed.launch.command import build_parser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "commands.md"
HEAD = """# Command reference

All commands with their options. `python -m tests.tools.commands_page` writes this page from the
commands; the [tour](tour.md#commands) shows examples.

- `oarlock COMMAND` and `python -m oarlock COMMAND` are the same; `--help` shows the text below.
- A *model* is the path without suffix of `m.pdmodel` or `m.json`, a directory that contains
  `inference.json`, `inference.pdmodel`, `model.json` or `model.pdmodel`, or a model folder of
  Paddle 1.x.
- If a command fails, it prints one message and exits with code 1; wrong options exit with code 2.
  [Command line](command-line.md) describes exit codes, JSON, progress, log and completion.
"""
LAUNCHER = """
## python -m oarlock.distributed.launch

[Distributed training](distributed.md) explains its use.

"""
RUNNER = """
## oarlock-runner

The program for machines without Python. This is the text of `oarlock-runner --help`:

"""
TABLE = "| argument | default | description |\n|---|---|---|\n"


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    for command in app.registered_commands:
        callback = command.callback
        assert callback
        name = command.name or callback.__name__.replace("_", "-")
        about = inspect.getdoc(callback) or ""
        parts.append(f"\n## oarlock {name}\n\n{about.strip()}\n")
        rows = list(argument_rows(callback))
        if rows:
            parts.append("\n" + TABLE + "".join(rows))
    parts += [LAUNCHER, f"{build_parser().description}\n\n", TABLE, *launcher_rows()]
    parts += [RUNNER, textwrap.indent(runner_help(), "    ")]
    return "".join(parts)


def argument_rows(callback: Callable[..., Any]) -> Iterator[str]:
    """Yield a row for each argument and option of a command."""
    hints = typing.get_type_hints(callback, include_extras=True)
    for parameter in inspect.signature(callback).parameters.values():
        hint = hints[parameter.name]
        if hint is typer.Context:
            continue
        kind, info = typing.get_args(hint)
        if isinstance(info, typer.models.ArgumentInfo):
            name = info.metavar or parameter.name.upper() + (" ..." if is_list(kind) else "")
            shown = f"`{name}`"
        else:
            # In an annotation, typer takes the first name for the default until it runs.
            names = [n for n in (info.default, *(info.param_decls or ())) if str(n).startswith("-")]
            option = parameter.name.replace("_", "-")
            names = names or [
                f"--{option}",
                *([f"--no-{option}"] if parameter.default is True else []),
            ]
            value = "" if kind is bool else f" {value_name(kind, info)}"
            shown = ", ".join(f"`{n}{value}`" for n in names)
        yield row(shown, default_text(parameter.default), info.help or "")


def is_list(kind: Any) -> bool:
    """Whether an argument takes several values."""
    return typing.get_origin(kind) is list


def value_name(kind: Any, info: Any) -> str:
    """Return a placeholder for the value of an option, with its range."""
    if info.metavar:
        return str(info.metavar)
    if is_list(kind):
        (kind,) = typing.get_args(kind)
    if typing.get_origin(kind) in (typing.Union, types.UnionType):
        kind = next(k for k in typing.get_args(kind) if k is not type(None))
    name = {str: "TEXT", int: "N", float: "X", Path: "PATH"}[kind]
    if info.max is not None:
        return f"{name} ({info.min} to {info.max})"
    return name if info.min is None else f"{name} (at least {info.min})"


def default_text(value: Any) -> str:
    """Return a default as a cell of the table."""
    if value is inspect.Parameter.empty:
        return "required"
    return "" if value is False or value in (None, "", []) else f"`{value}`"


def launcher_rows() -> Iterator[str]:
    """Yield a row for each argument of the launcher; options without effect share one row."""
    ignored = []
    for action in build_parser()._actions:
        about = action.help or ""
        if about.startswith("accepted without effect"):
            ignored.append(action.option_strings[0])
        elif not isinstance(action, argparse._HelpAction):
            about = re.sub(r" \(default: .*?\)", "", about)
            names = action.option_strings or [action.dest.upper()]
            yield row(", ".join(f"`{n}`" for n in names), default_text(action.default), about)
    yield row(", ".join(f"`{n}`" for n in ignored), "", "accepted without effect")


def row(name: str, default: str, description: str) -> str:
    """Return a row of a table."""
    return "| " + " | ".join(c.replace("|", r"\|") for c in (name, default, description)) + " |\n"


def runner_help() -> str:
    """Return what `oarlock-runner --help` prints."""
    program = Path(sys.executable).with_name("oarlock-runner")
    return subprocess.run([program, "--help"], capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    PAGE.write_text(page())
