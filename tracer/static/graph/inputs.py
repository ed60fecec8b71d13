"""Variables that users declare: inputs, parameters, global variables."""

from __future__ import annotations

from typing import Any

from ...capture.modes import static_mode
from ...capture.variable import Variable
from ...core import unique_name
from ...core.dtype import default_float, dtype_of
from ...core.errors import with_user_line
from ...core.mode import state
from ...core.op import OPS
from ...ir import program as data
from .default_programs import default_main_program
from .mode import writing
from .parameters import lasting


def data_input(name: str, shape: Any, dtype: Any = None, lod_level: int = 0) -> Variable:
    """An input: a variable that each run is fed.

    shape: None or -1 for sizes that may differ from run to run

    Raises OpError for a shape that is no list of sizes, and for a name that another variable has.
    """
    if not isinstance(name, str):
        raise TypeError(with_user_line(f"data: the name is {name!r}, not a str"))
    if not isinstance(shape, list | tuple):
        raise TypeError(
            with_user_line(f"data: shape is {type(shape).__name__}, not a list or tuple")
        )
    sizes = tuple(-1 if d is None else int(d) for d in shape)
    kind = dtype_of(default_float() if dtype is None else dtype).name
    desc = data.VarDesc(
        name, sizes, kind, stop_gradient=True, checks_feed=True, lod_level=lod_level
    )
    return default_main_program().global_block().declare(desc)


def create_global_var(
    shape: Any,
    value: float,
    dtype: Any,
    persistable: bool = False,
    force_cpu: bool = False,
    name: str | None = None,
) -> Any:
    """A variable of the outermost block that starts with one value everywhere; a tensor where ops
    run when they are called.

    -> [*shape]
    """
    name = unique_name.generate("global_var") if name is None else name
    sizes, kind = tuple(int(d) for d in shape), dtype_of(dtype)
    desc = data.VarDesc(name, sizes, kind.name, persistable=persistable, stop_gradient=True)
    text = repr(int(value) if isinstance(value, bool) else value)

    def first() -> Any:
        return OPS["fill_constant"](
            shape=list(sizes), value=float(value), str_value=text, dtype=kind.proto
        )

    if not writing() and static_mode(state.mode) is None:
        made = first()
        made.name, made.persistable = name, persistable
        return made
    return lasting(default_main_program(), desc, first)
