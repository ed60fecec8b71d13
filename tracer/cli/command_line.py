"""The form of the command line: errors in one line with suggestions, exit codes, choices."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any, NoReturn

import typer
from rich.text import Text
from typer.core import TyperGroup

from ..loader.escape_control_characters import escape_control_characters
from ..utils.terminal import make_console

# Exit codes of oarlock and oarlock-runner; docs/commands.md describes them.
FAILURE = 1
INVALID_COMMAND_LINE = 2
NO_GAIN = 3
INTERRUPTED = 130
CLOSED_PIPE = 141  # as of a program that SIGPIPE ends

# Typer exports BadParameter, but not the class ClickException from which it is derived.
_ClickException: Any = typer.BadParameter.__mro__[2]


class CommandLineError(Exception):
    """Raised if arguments of a command do not fit together.  Exit code 2."""


def print_error(program: str, message: str) -> None:
    """Print an error on standard error as `program: message`."""
    text = Text.assemble((f"{program}:", "bold red"), f" {message}")
    make_console(stderr=True, soft_wrap=True, highlight=False).print(text)


def exit_with_command_line_error(program: str, message: str) -> None:
    """Print an error of the command line with a hint to the help, and exit with code 2."""
    print_error(program, f"{message} (see {program} --help)")
    sys.exit(INVALID_COMMAND_LINE)


def choice_option(choices: Sequence[str], help: str, *names: str) -> Any:
    """Return a typer option with a fixed set of values, which shell completion offers."""

    def check(value: str | None) -> str | None:
        if value and value not in choices:
            close = suggestion(value, choices)
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(choices)}{close}")
        return value

    def complete(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return typer.Option(
        *names, metavar="|".join(choices), help=help, callback=check, autocompletion=complete
    )


def suggestion(word: str, words: Iterable[str]) -> str:
    """Return `, did you mean X?` for the word that is most similar to `word`, or ''."""
    close = get_close_matches(word, list(words), n=1)
    return f", did you mean {close[0]}?" if close else ""


class OneLineErrorGroup(TyperGroup):
    """The commands of a program, whose errors of the command line are printed in one line."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Parse the command line, run the command, and exit with its exit code."""
        if not standalone_mode:
            return super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
            if sys.stdout is not None:
                sys.stdout.flush()
        except SystemExit as exit:
            if isinstance(exit.__context__, BrokenPipeError):  # of Typer
                exit_after_closed_pipe()
            raise
        except BrokenPipeError:
            exit_after_closed_pipe()
        except OSError as error:  # such as a full disk
            discard_output()
            print_error(self.name or "oarlock", f"standard output: {error.strerror}")
            sys.exit(FAILURE)
        except _ClickException as error:
            if type(error).__name__ == "NoArgsIsHelpError":
                error.show()
                sys.exit(INVALID_COMMAND_LINE)
            context = getattr(error, "ctx", None)
            program = context.command_path if context else self.name or "oarlock"
            exit_with_command_line_error(program, _one_line_message(error))
        except (typer.Abort, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        sys.exit(code if isinstance(code, int) else 0)

    def get_params(self, ctx: Any) -> Any:
        """Return the options of the program itself."""
        return _without_type_of_flags(super().get_params(ctx))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command by its name, or None."""
        command = super().get_command(ctx, cmd_name)
        if command is not None:
            _without_type_of_flags(command.get_params(ctx))
        return command

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command with the name in args[0].  Raises a usage error with a suggestion."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            ctx.fail(f"no command {args[0]}{suggestion(args[0], self.commands)}")
        return super().resolve_command(ctx, args)


def _without_type_of_flags(parameters: Any) -> Any:
    """Remove the type `<bool>` from the help of options that take no value. Return the options."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
    return parameters


def _one_line_message(error: Any) -> str:
    """Return the message of a usage error in the form of the other messages."""
    if type(error).__name__ == "NoSuchOption" and error.ctx is not None:
        option = error.option_name
        known = [name for parameter in error.ctx.command.params for name in parameter.opts]
        message = f"no option {option}{suggestion(option, [*known, '--help'])}"
    else:
        message = " ".join(error.format_message().split()).removesuffix(".")
        message = message[:1].lower() + message[1:]
    return escape_control_characters(message)


def exit_after_closed_pipe() -> NoReturn:
    """Exit because the reader of standard output has ended, as in `oarlock inspect net | head`."""
    discard_output()
    sys.exit(CLOSED_PIPE)


def discard_output() -> None:
    """Redirect standard output to /dev/null, because writing failed and flushing it at exit would
    fail again.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
