"""Environment variables whose values have a type: str, bool or int."""

from __future__ import annotations

import os
from typing import Any, Generic, TypeVar

from ..core.errors import append_user_line

T = TypeVar("T")
TRUE = ("y", "yes", "t", "true", "on", "1")


class EnvironmentVariable(Generic[T]):
    """An environment variable.

    default: its value if it is not set. Raises TypeError for a default of another type.
    """

    kind: type = object

    def __init__(self, name: str, default: T) -> None:
        self.name, self.default = name, self._require_type(default)

    def get(self) -> T:
        """Return the current value of the environment variable."""
        text = os.environ.get(self.name)
        return self.default if text is None else self._parse(text)

    def set(self, value: T) -> None:
        """Set the value of the environment variable.

        Raises TypeError for another type.
        """
        os.environ[self.name] = str(self._require_type(value))

    def delete(self) -> None:
        """Delete the environment variable."""
        os.environ.pop(self.name, None)

    def _parse(self, text: str) -> Any:
        return text

    def _require_type(self, value: T) -> T:
        if type(value) is not self.kind and self.kind is not object:
            raise TypeError(
                append_user_line(
                    f"expected {self.kind.__name__}, got {type(value).__name__} {value!r:.60}"
                )
            )
        return value

    def __repr__(self) -> str:
        return f"Env({self.name}={self.get()!r})"


class StringEnvironmentVariable(EnvironmentVariable[str]):
    """Environment variable with a str value."""

    kind = str


class BooleanEnvironmentVariable(EnvironmentVariable[bool]):
    """Environment variable with a bool value: `y`, `yes`, `t`, `true`, `on` and `1` are true."""

    kind = bool

    def _parse(self, text: str) -> bool:
        return text.lower() in TRUE


class IntegerEnvironmentVariable(EnvironmentVariable[int]):
    """Environment variable with an int value; an invalid text counts as the default."""

    kind = int

    def _parse(self, text: str) -> int:
        """Convert the text of the variable to an int; return the default if the text is not an
        int.
        """
        try:
            return int(text)
        except ValueError:
            return self.default


class EnvironmentVariableGuard(Generic[T]):
    """Context manager that sets an environment variable when it is created, and restores the
    variable at the end.
    """

    def __init__(self, variable: EnvironmentVariable[T], value: T) -> None:
        self.variable, self.original_value = variable, variable.get()
        variable.set(value)

    def __enter__(self) -> EnvironmentVariableGuard[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.variable.set(self.original_value)
