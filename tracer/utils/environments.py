"""Variables of the environment that hold a text, a truth value or a number."""

from __future__ import annotations

import os
from typing import Any, Generic, TypeVar

from ..core.errors import with_user_line

T = TypeVar("T")
TRUE = ("y", "yes", "t", "true", "on", "1")


class EnvironmentVariable(Generic[T]):
    """One variable.

    default: its value where it is not set.
    Raises TypeError for a default of another kind.
    """

    kind: type = object

    def __init__(self, name: str, default: T) -> None:
        self.name, self.default = name, self._checked(default)

    def get(self) -> T:
        """Its value now."""
        text = os.environ.get(self.name)
        return self.default if text is None else self._read(text)

    def set(self, value: T) -> None:
        """Let it hold another value.

        Raises TypeError for one of another kind.
        """
        os.environ[self.name] = str(self._checked(value))

    def delete(self) -> None:
        """Take it out of the environment."""
        os.environ.pop(self.name, None)

    def _read(self, text: str) -> Any:
        return text

    def _checked(self, value: T) -> T:
        if type(value) is not self.kind and self.kind is not object:
            raise TypeError(
                with_user_line(
                    f"{self.kind.__name__} is wanted, not {type(value).__name__} {value!r:.60}"
                )
            )
        return value

    def __repr__(self) -> str:
        return f"Env({self.name}={self.get()!r})"


class StringEnvironmentVariable(EnvironmentVariable[str]):
    """One that holds a text."""

    kind = str


class BooleanEnvironmentVariable(EnvironmentVariable[bool]):
    """One that holds a truth value: `y`, `yes`, `t`, `true`, `on` and `1` are true."""

    kind = bool

    def _read(self, text: str) -> bool:
        return text.lower() in TRUE


class IntegerEnvironmentVariable(EnvironmentVariable[int]):
    """One that holds an int; the default where its text is none."""

    kind = int

    def _read(self, text: str) -> int:
        try:
            return int(text)
        except ValueError:
            return self.default


class EnvironmentVariableGuard(Generic[T]):
    """Lets a variable hold a value from now to the end of a `with`."""

    def __init__(self, variable: EnvironmentVariable[T], value: T) -> None:
        self.variable, self.original_value = variable, variable.get()
        variable.set(value)

    def __enter__(self) -> EnvironmentVariableGuard[T]:
        return self

    def __exit__(self, *_: object) -> None:
        self.variable.set(self.original_value)
