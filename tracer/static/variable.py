"""Variable: a tensor without a value, known by its name in a program that is being written."""

from __future__ import annotations

from typing import Any, NoReturn

from ..core.dtype import dtype_of
from ..core.errors import TraceError, with_user_line
from ..core.mode import state
from ..core.op import OPS, Meta
from ..core.tensor import Tensor
from .program import VarDesc


class Variable(Tensor):
    """A named value of a program.   desc: its declaration; shape: -1 for sizes known only at run time; where: the line that made it."""

    where = ""

    def __init__(self, desc: VarDesc) -> None:
        self.desc = desc
        self._name = desc.name

    @property
    def stop_gradient(self) -> bool:
        """Whether no gradient flows through it: what its declaration says."""
        return self.desc.stop_gradient

    @stop_gradient.setter
    def stop_gradient(self, value: bool) -> None:
        self.desc.stop_gradient = bool(value)

    @property
    def array(self) -> Any:
        """There is none: raises TraceError that names the user's line."""
        refuse(self, "its value")

    @array.setter
    def array(self, value: Any) -> None:
        refuse(self, "a new value")

    @property
    def meta(self) -> Meta:
        """Shape and dtype as declared."""
        return Meta(self.desc.shape, dtype_of(self.desc.dtype).np)

    @property
    def made_at(self) -> str:
        """Where it was made, for an error that names it."""
        return f" made at {self.where}" if self.where else f" '{self.name}'"

    def _read(self, reader: str) -> NoReturn:
        refuse(self, reader)

    def _scalar(self, reader: str) -> NoReturn:
        refuse(self, reader)

    def detach(self) -> Tensor:
        """The same value, which no gradient flows through; the variable itself in a program that only infers."""
        if not state.mode.tape:
            return self
        made: Tensor = OPS["assign"](self)
        made.stop_gradient = True
        return made

    def __repr__(self) -> str:
        return f"Variable(name={self.name}, {self.meta}, stop_gradient={self.stop_gradient})"


def refuse(variable: Variable, reader: str) -> NoReturn:
    """Say that Python asked for a value that only a run will have."""
    raise TraceError(
        with_user_line(
            f"{reader}: the value of '{variable.name}' is not known while the program is recorded; "
            f"Python control flow cannot depend on it (X={variable.meta})"
        )
    )
